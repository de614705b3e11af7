//! Pages: a document and what a browser fetches with it.

use crate::template::Template;

/// What is fetched with a request's reply, as a browser does: in parallel, cached per VU.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// Resources that the plan lists, relative to the document.
    pub listed: Vec<Template>,
    /// Whether those named in the document and its style sheets are fetched too, and from which hosts.
    pub discover: Discover,
}

/// Which resources that a document names are fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Discover {
    /// None.
    Nothing,
    /// Those of the document's own origin.
    SameOrigin,
    /// Those of these hosts, the document's own included.
    Hosts(Vec<String>),
}

/// Resources of one page that are fetched at most.
pub const RESOURCES_MAX: usize = 500;
