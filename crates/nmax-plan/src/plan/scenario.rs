//! What users do: scenarios, steps and requests.

use std::time::Duration;

use super::reply::{Expect, Extract};
use crate::template::Template;

/// A named behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name in the document.
    pub name: String,
    /// Share in the mix, relative to the other scenarios'; 0 = never.
    pub weight: f64,
    /// Least time between two starts of the same VU (closed workloads).
    pub pacing: Option<Duration>,
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Names of the values that `extract` defines; [`crate::template::Part::Slot`] indexes them.
    pub slots: Vec<String>,
}

/// An element of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Sends a request and reads the reply.
    Request(Box<Request>),
    /// A user's pause.
    Think(ThinkTime),
}

/// A user's pause between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThinkTime {
    /// Always the same.
    Fixed(Duration),
    /// Equally likely between the two.
    Uniform {
        /// Shortest.
        min: Duration,
        /// Longest.
        max: Duration,
    },
    /// Lognormal with this median and 95th percentile.
    Lognormal {
        /// Half of the pauses are shorter.
        median: Duration,
        /// One in twenty is longer.
        p95: Duration,
    },
}

/// A request step.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Name under which it is measured; defaults to method and path template.
    pub name: Template,
    /// Method token.
    pub method: Method,
    /// Path, or absolute URL, without the query of `query`.
    pub url: Template,
    /// Query parameters, encoded when sent.
    pub query: Vec<(Template, Template)>,
    /// Headers, in order, after the defaults (same name replaces).
    pub headers: Vec<(String, Template)>,
    /// Body.
    pub body: Body,
    /// What makes the reply *ok*.
    pub expect: Expect,
    /// Values taken from the reply.
    pub extract: Vec<Extract>,
    /// Overrides the default.
    pub timeout: Option<Duration>,
    /// Most redirects that are followed; overrides the default.
    pub redirects_max: Option<u32>,
    /// Sends the head with `expect: 100-continue`, and the body once the server asks for it or a second has passed.
    pub expect_continue: bool,
}

/// Request method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// GET
    Get,
    /// HEAD
    Head,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
    /// OPTIONS
    Options,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
        Self::Options,
    ];

    /// The token on the wire.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }

    /// Safe to send twice (RFC 9110, 9.2.2).
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

/// Request body.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// Sent as it is.
    Text(Template),
    /// A JSON text; `${...}` inside its strings is escaped for JSON when rendered.
    Json(Template),
    /// `application/x-www-form-urlencoded`; names and values are encoded when rendered.
    Form(Vec<(Template, Template)>),
    /// `multipart/form-data` (RFC 7578).
    Multipart(Vec<FormPart>),
    /// A file's bytes, read while they are sent.
    File(String),
}

/// A part of a `multipart/form-data` body.
#[derive(Clone, Debug, PartialEq)]
pub struct FormPart {
    /// Name of the field.
    pub name: Template,
    /// Its content.
    pub content: PartContent,
    /// Name of the file as told to the server.
    pub file_name: Option<Template>,
    /// Its type; `None` says nothing, or `application/octet-stream` for a file.
    pub content_type: Option<String>,
}

/// What a part holds.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// A text.
    Text(Template),
    /// A file's bytes, read while they are sent.
    File(String),
}
