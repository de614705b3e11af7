//! A request of a plan made ready.

use std::sync::Arc;

use nmax_http::{KeepBody, Origin, RequestText};
use nmax_plan::plan::{Connection, HttpCall, Plan};

use crate::run::settings::BodyFile;

/// A request made ready.
#[derive(Debug)]
pub struct HttpPrepared {
    /// As the plan says it.
    pub request: Arc<HttpCall>,
    /// Number of the page that it is.
    pub page: Option<usize>,
    /// Rendered once; `None` when something in it varies.
    pub fixed: Option<Fixed>,
    /// Where it goes when its URL is relative or constant.
    pub origin: Origin,
    /// `host` header of that origin.
    pub authority: String,
    /// Whether and how much of the body is needed.
    pub keep_body: KeepBody,
    /// Whether what its document names is fetched too.
    pub discovers: bool,
    /// Files of the body, in order.
    pub files: Vec<Arc<BodyFile>>,
    /// What separates the parts of a `multipart/form-data` body; empty without one.
    pub boundary: String,
    /// Most redirects that are followed.
    pub redirects_max: u32,
    /// The transaction that this step and the redirects it follows are; `None` when it follows none.
    pub transaction: Option<usize>,
}

/// A request rendered once.
#[derive(Debug)]
pub struct Fixed {
    /// Head and body, up to its first file.
    pub text: RequestText,
    /// The body once more when it has files: what is between them is sent from here.
    pub body: Vec<u8>,
    /// Where the files belong in `body`.
    pub marks: Vec<usize>,
}

/// Whether the request line says that the connection stays open.
pub(crate) fn keeps_alive(plan: &Plan) -> bool {
    plan.defaults.connection != Connection::PerRequest
}
