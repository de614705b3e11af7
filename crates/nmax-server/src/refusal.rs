//! Why something is not answered or not done.

use hyper::StatusCode;
use nmax_run::Trouble;

use crate::api::Failure;

/// A status with its words.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) error: String,
    pub(crate) help: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>, help: impl Into<String>) -> Self {
        Self { status, error: error.into(), help: help.into() }
    }

    /// What was asked for makes no sense.
    pub(crate) fn bad(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, error, help)
    }

    /// It is not there.
    pub(crate) fn missing(error: impl Into<String>) -> Self {
        Self::new(StatusCode::NOT_FOUND, error, "")
    }

    /// Something else came first.
    pub(crate) fn conflict(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::CONFLICT, error, help)
    }

    /// It is not granted to this server.
    pub(crate) fn not_granted(error: impl Into<String>, help: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, error, help)
    }

    /// As it is answered.
    pub(crate) fn failure(&self) -> Failure {
        Failure { error: self.error.clone(), help: self.help.clone() }
    }
}

/// Texts of errors have their help behind `help:`.
impl From<String> for Refusal {
    fn from(text: String) -> Self {
        let (error, help) = text.split_once("\n  help: ").unwrap_or((&text, ""));
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, error, help)
    }
}

impl From<nmax_store::StoreError> for Refusal {
    fn from(error: nmax_store::StoreError) -> Self {
        let status = match error {
            nmax_store::StoreError::NotFound { .. } => StatusCode::NOT_FOUND,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Self { status, ..error.to_string().into() }
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Self {
        trouble.text.into()
    }
}

impl From<std::io::Error> for Refusal {
    fn from(error: std::io::Error) -> Self {
        Self::new(StatusCode::INTERNAL_SERVER_ERROR, error.to_string(), "")
    }
}
