//! One iteration of a scenario, every request and reply of it, as text and as JSON, without secrets.

use nmax_engine::run::once::{Rehearsal, Traced};
use nmax_http::HeadText;
use nmax_metrics::{FailureExample, Outcome, Sample};
use nmax_report::number;
use nmax_secrets::Message;
use serde_json::{Value, json};

use crate::secrets::Shown;

/// Most characters of a body that are shown.
const BODY_CHARS_MAX: usize = 2_000;
/// Most bytes of a message that are looked at.
const MESSAGE_BYTES_MAX: usize = 64 << 10;

/// What was not ok and is no exchange: an `end`, a value that cannot be made, a loop without end.
pub fn beside_exchanges(rehearsal: &Rehearsal) -> impl Iterator<Item = &FailureExample> {
    let is_of_exchange =
        |failure: &FailureExample| rehearsal.exchanges.iter().any(|traced| traced.failure.as_ref() == Some(failure));
    rehearsal.failures.iter().filter(move |failure| !is_of_exchange(failure))
}

/// As a person reads it.
pub fn text(traced: &Traced, shown: &Shown) -> String {
    let sample = &traced.measured.sample;
    let symbol = if sample.outcome == Outcome::Ok { "✓" } else { "✗" };
    let time = number::time(sample.response_time().0 as f64);
    let mut text = format!("\n{symbol} {}: {} after {time}\n", shown.text(&traced.name), status(sample));
    if let Some(failure) = &traced.failure {
        text.push_str(&format!("  {}\n", nmax_text::shown(&shown.text(&failure.text))));
        if let Outcome::Error(kind) = failure.outcome {
            text.push_str(&format!("  help: {}\n", kind.remedy()));
        }
    }
    for (mark, head, body, bytes) in [
        (">", &traced.request, &traced.request_body, Some(traced.request_body.len() as u64)),
        ("<", &traced.reply, &traced.reply_body, traced.reply_body_bytes),
    ] {
        let told = Told::new(head, body, shown);
        indent(&mut text, mark, &told.head_text());
        indent(&mut text, mark, &told.body_text(body, bytes));
    }
    text
}

/// The status, or why there is none.
pub fn status(sample: &Sample) -> String {
    match sample.status {
        Some(status) => format!("status {status}"),
        None if sample.bytes_received > 0 => "no valid reply".to_owned(),
        None => "no reply".to_owned(),
    }
}

/// As programs read it.
pub fn json(traced: &Traced, shown: &Shown) -> Value {
    let sample = &traced.measured.sample;
    let request = Told::new(&traced.request, &traced.request_body, shown);
    let reply = Told::new(&traced.reply, &traced.reply_body, shown);
    json!({
        "name": shown.text(&traced.name),
        "outcome": match sample.outcome { Outcome::Ok => "ok", Outcome::Failed => "failed", Outcome::Error(kind) => kind.name() },
        "status": sample.status.map(|code| code.number().map_or_else(|| json!(code.to_string()), |number| json!(number))),
        "response_time_ms": sample.response_time().as_millis_f64(),
        "failure": traced.failure.as_ref().map(|failure| shown.text(&failure.text)),
        "request": request.text(),
        "reply_head": reply.head,
        "reply_body": reply.body,
        "reply_body_bytes": traced.reply_body_bytes,
    })
}

/// A message as it may be shown.
struct Told {
    head: String,
    body: String,
    /// Bytes of a head that is no text.
    unreadable: Option<u64>,
    with_secrets: bool,
}

impl Told {
    fn new(head: &HeadText, body: &[u8], shown: &Shown) -> Self {
        let fields = head.fields();
        let message = Message::new(fields.text(), fields.places(), body);
        let unreadable = std::str::from_utf8(fields.text()).is_err().then_some(fields.text().len() as u64);
        let (head, body) = shown.message(&message.first(MESSAGE_BYTES_MAX));
        Self { head, body, unreadable, with_secrets: shown.with_secrets() }
    }

    /// Head and body.
    fn text(&self) -> String {
        match (self.with_secrets, self.body.as_str()) {
            _ if self.head.is_empty() => String::new(),
            (true, body) => format!("{}\r\n\r\n{body}", self.head),
            (false, "") => self.head.clone(),
            (false, body) => format!("{}\n\n{body}", self.head),
        }
    }

    /// The head as text for a terminal.
    fn head_text(&self) -> String {
        match self.unreadable {
            Some(bytes) => no_text(bytes),
            None => short(&self.head).0.trim_end().to_owned(),
        }
    }

    /// The body as text for a terminal. Of `bytes` only the beginning may have been kept; `None` is not known.
    fn body_text(&self, kept: &[u8], bytes: Option<u64>) -> String {
        // What was kept may end within a character.
        if std::str::from_utf8(kept).is_err_and(|error| error.error_len().is_some()) {
            return no_text(bytes.unwrap_or(kept.len() as u64));
        }
        let (mut text, is_cut) = short(&self.body);
        if is_cut {
            let bytes = match bytes {
                Some(bytes) => format!("{} bytes in all", number::count(bytes)),
                None => format!("more than {} bytes in all", number::count(kept.len() as u64)),
            };
            text.push_str(&format!("\n[{bytes}]"));
        }
        text.trim_end().to_owned()
    }
}

fn no_text(bytes: u64) -> String {
    format!("[{} bytes that are no text]", number::count(bytes))
}

/// Not too much of a text; and whether there is more.
fn short(text: &str) -> (String, bool) {
    let is_cut = text.chars().count() > BODY_CHARS_MAX;
    (text.chars().take(BODY_CHARS_MAX).collect(), is_cut)
}

fn indent(out: &mut String, mark: &str, text: &str) {
    for line in text.lines() {
        out.push_str(&format!("    {mark} {line}\n"));
    }
}
