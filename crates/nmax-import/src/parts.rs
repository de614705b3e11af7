//! A request taken apart into values with a place each, so that values can be found in it and replaced in it.

use std::ops::Range;

use crate::recording::Request;

/// Where in a request a value stands.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// The whole path with its query, as written: a link that was followed.
    Target,
    /// A segment of the path, from 0.
    Segment(usize),
    /// A parameter of the query: name, and which of those with this name, from 0.
    Query(String, usize),
    /// A header, by lower-case name (never `cookie`).
    Header(String),
    /// A cookie, by name.
    Cookie(String),
    /// A field of a form (urlencoded or multipart): name, and which of those with this name, from 0.
    Field(String, usize),
    /// A leaf of a JSON body, as a JSON pointer (RFC 6901).
    Json(String),
    /// A body that is none of these, as a text.
    Body,
}

/// A value of a request, decoded as its place demands: percent-encoding, form encoding and JSON escapes undone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Where it stands.
    pub place: Place,
    /// The value.
    pub value: String,
    /// It is a number or a boolean of JSON, written without quotes.
    pub is_bare: bool,
}

/// A value of one request of a journey.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Use {
    /// Position of the entry in the recording's list.
    pub entry: usize,
    /// Where in the request.
    pub place: Place,
    /// Bytes of the part's value that are meant.
    pub span: Range<usize>,
}

/// What stands in a plan in the place of a recorded value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replacement {
    /// What is replaced.
    pub at: Use,
    /// The template's text, such as `${csrf}` or `${base64(token)}`.
    pub template: String,
}

/// Every value of a request, in the order path, query, headers, cookies, body.
pub fn of(request: &Request) -> Vec<Part> {
    let _ = request;
    Vec::new()
}
