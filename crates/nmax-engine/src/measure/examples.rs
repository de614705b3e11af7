//! Failed exchanges kept for study, with what must not be stored taken out.

use nmax_http::{Exchange, Piece};
use nmax_metrics::{FailureExample, NameId, Nanos, Outcome};
use nmax_secrets::Redactor;

use crate::context::Context;
use crate::http::driver::{Driver, Drivers};
use crate::iteration::Assignment;
use crate::runtime::Runtime;
use crate::user::values::VuValues;
use crate::user::verify::Verified;

/// Most bytes of a request or reply that an example keeps.
const EXAMPLE_BYTES_MAX: usize = 64 * 1024;

/// An exchange and its place in the run.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) assignment: &'a Assignment,
    pub(crate) name: NameId,
    pub(crate) exchange: &'a Exchange,
    pub(crate) intended: Nanos,
}

/// A request as it was sent.
#[derive(Clone, Copy)]
pub(crate) struct SentBytes<'a> {
    pub(crate) bytes: &'a [u8],
    /// What came after them.
    pub(crate) rest: &'a [Piece<'a>],
}

impl SentBytes<'_> {
    /// Nothing was sent.
    pub(crate) const NONE: Self = Self { bytes: &[], rest: &[] };

    /// The message with a few words in the place of each file.
    pub(crate) fn shown(&self) -> Vec<u8> {
        let mut shown = self.bytes.to_vec();
        for piece in self.rest {
            match piece {
                Piece::Bytes(bytes) => shown.extend_from_slice(bytes),
                Piece::File { name, length, .. } => {
                    shown.extend_from_slice(format!("[{length} bytes of {name}]").as_bytes());
                }
            }
        }
        shown
    }
}

/// Keeps a failed exchange, unless there are enough of its kind.
pub(crate) fn keep<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    seen: &Seen<'_>,
    verified: &Verified,
    sent: SentBytes<'_>,
    from: (&VuValues, &D::Driver),
) {
    let (values, driver) = from;
    let kind = match verified.outcome {
        Outcome::Error(kind) => kind.name(),
        Outcome::Ok | Outcome::Failed => &verified.kind,
    };
    if !context.meter.borrow_mut().wants_example(kind) {
        return;
    }
    let (exchange, scenario) = (seen.exchange, &context.program.plan.scenarios[seen.assignment.scenario]);
    let reply = match (exchange.status, sent.bytes) {
        (_, []) => Vec::new(), // Nothing was asked, so the last reply is another one's.
        (Some(_), _) => {
            let reply = driver.reply();
            [reply.head(), reply.body()].concat()
        }
        (None, _) => {
            let (head, body) = driver.remains();
            [head, body].concat()
        }
    };
    let redactor = values.redactor(scenario).knowing_cookies(sent.bytes).knowing_cookies(&reply);
    let text = match (&exchange.error, &verified.text) {
        (Some(failure), _) => redactor.text(&failure.text),
        (None, Some(text)) => redactor.text(text),
        (None, None) if kind.starts_with("status ") => format!("{kind} is not what the plan expects"),
        (None, None) => format!("{kind} does not hold, in a reply with status {}", exchange.status.unwrap_or_default()),
    };
    let example = FailureExample {
        at: exchange.done,
        name: context.names.name(seen.name),
        scenario: scenario.name.clone(),
        outcome: verified.outcome,
        kind: kind.to_owned(),
        status: exchange.status,
        text,
        request: shown(&sent.shown(), &redactor),
        reply: shown(&reply, &redactor),
        response_time: exchange.done.since(seen.intended),
    };
    context.meter.borrow_mut().keep_example(example);
}

/// A message as text, shortened, without its secrets.
fn shown(message: &[u8], redactor: &Redactor) -> String {
    let kept = &message[..message.len().min(EXAMPLE_BYTES_MAX)];
    let text = redactor.message(kept);
    match message.len() - kept.len() {
        0 => text,
        more => format!("{text}\n[{more} more bytes]"),
    }
}
