//! Failed exchanges kept for study, with what must not be stored taken out.

use nmax_http::{Exchange, Piece, RequestText};
use nmax_metrics::{FailureExample, NameId, Nanos, Outcome};
use nmax_secrets::{Message, Redactor};

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
pub(crate) struct Sent<'a> {
    pub(crate) text: &'a RequestText,
    /// What came after it.
    pub(crate) rest: &'a [Piece<'a>],
}

impl Sent<'_> {
    /// The body with a few words in the place of each file.
    pub(crate) fn body(&self) -> Vec<u8> {
        let mut body = self.text.body().to_vec();
        for piece in self.rest {
            match piece {
                Piece::Bytes(bytes) => body.extend_from_slice(bytes),
                Piece::File { name, length, .. } => {
                    body.extend_from_slice(format!("[{length} bytes of {name}]").as_bytes());
                }
            }
        }
        body
    }
}

/// Keeps a failed exchange, unless there are enough of its kind. Without a request nothing was asked.
pub(crate) fn keep<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    seen: &Seen<'_>,
    verified: &Verified,
    sent: Option<Sent<'_>>,
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
    let (reply, reply_body) = match (sent, exchange.status) {
        (None, _) => Default::default(), // The last reply is another exchange's.
        (_, Some(_)) => (driver.reply().fields(), driver.reply().body()),
        (_, None) => driver.remains(),
    };
    let body = sent.map(|sent| sent.body()).unwrap_or_default();
    let request = sent.map(|sent| sent.text.fields()).unwrap_or_default();
    let [request, reply] = [(request, body.as_slice()), (reply, reply_body)]
        .map(|(head, body)| Message::new(head.text(), head.places(), body));
    let redactor = values.redactor(scenario).knowing_cookies(request.fields().chain(reply.fields()));
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
        request: shown(request, &redactor),
        reply: shown(reply, &redactor),
        response_time: exchange.done.since(seen.intended),
    };
    context.meter.borrow_mut().keep_example(example);
}

/// A message as text, shortened, without its secrets.
fn shown(message: Message<'_>, redactor: &Redactor) -> String {
    let bytes = message.bytes();
    let kept = message.first(EXAMPLE_BYTES_MAX);
    let text = redactor.message(&kept);
    match bytes - kept.bytes() {
        0 => text,
        more => format!("{text}\n[{more} more bytes]"),
    }
}
