//! An exchange that did not end ok, kept whole so that a person can study it.

use crate::{Code, Nanos, Outcome};

/// A failed exchange with what was sent and received, secrets already removed.
#[derive(Clone, Debug, PartialEq)]
pub struct FailureExample {
    /// End of the exchange.
    pub at: Nanos,
    /// Request name; that of the scenario when it was no exchange that failed.
    pub name: String,
    /// Scenario name.
    pub scenario: String,
    /// `Failed` or `Error`.
    pub outcome: Outcome,
    /// What examples are grouped by: an error kind, `status 503`, `check "..."` or `extract item`; for what is no
    /// exchange `end`, `loop`, `value` or `setup`.
    pub kind: String,
    /// The kind of what had failed first in its iteration; `None` when it was this.
    pub after: Option<String>,
    /// Status code of the reply, when there was one.
    pub status: Option<Code>,
    /// What went wrong, for a person.
    pub text: String,
    /// Head and body as sent, redacted, shortened.
    pub request: String,
    /// Head and kept body as received, redacted, shortened; empty when nothing came.
    pub reply: String,
    /// done − intended.
    pub response_time: Nanos,
}
