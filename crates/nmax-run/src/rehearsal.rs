//! One iteration of a scenario, every request and reply of it, as text and as JSON, without secrets.

use nmax_engine::run::rehearsal::{Rehearsal, Traced};
use nmax_http::HeadText;
use nmax_json::{NumberOrText, Version, Word, records};
use nmax_metrics::{Code, ErrorKind, FailureExample, Outcome, Sample};
use nmax_plan::plan::Plan;
use nmax_report::number;
use nmax_secrets::Message;
use serde_json::Value;

use crate::check::{Source, Sources};
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

/// What became of an exchange, and why it failed where it did.
pub(crate) fn headline(traced: &Traced, shown: &Shown, after: &str) -> String {
    let sample = &traced.measured.sample;
    let symbol = if sample.outcome == Outcome::Ok { "✓" } else { "✗" };
    let mut text = format!("\n{symbol} {}: {}{after}\n", shown.text(&traced.name), status(sample));
    if let Some(failure) = &traced.failure {
        text.push_str(&format!("  {}\n", nmax_text::shown(&shown.text(&failure.text))));
        if let Outcome::Error(kind) = failure.outcome {
            text.push_str(&format!("  help: {}\n", kind.remedy()));
        }
    }
    text
}

/// As a person reads it.
pub fn text(traced: &Traced, shown: &Shown) -> String {
    let time = number::time(traced.measured.sample.response_time().0 as f64);
    let mut text = headline(traced, shown, &format!(" after {time}"));
    for (mark, head, body, bytes) in [
        (">", &traced.request, &traced.request_body, Some(traced.request_body.len() as u64)),
        ("<", &traced.reply, &traced.reply_body, traced.reply_body_bytes),
    ] {
        let told = ShownMessage::new(head, body, shown);
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

/// As programs read it; [`schema`] describes it.
pub fn json(all: &[Rehearsal], plan: &Plan, sources: Option<&Sources<'_>>, shown: &Shown) -> Value {
    nmax_json::value::<Once, _>((all, plan, sources, shown))
}

/// The JSON Schema of what `nmax check --once --json` prints.
pub fn schema() -> Value {
    nmax_json::schema::<Once>("nmax check --once", "")
}

/// Whether all went well.
pub fn is_ok(all: &[Rehearsal], sources: Option<&Sources<'_>>) -> bool {
    all.iter().all(|rehearsal| rehearsal.is_ok) && sources.is_none_or(|sources| sources.failed() == 0)
}

records! {
    struct Once(of: (&[Rehearsal], &Plan, Option<&Sources<'_>>, &Shown)) {
        schema_version: Version = Version;
        ok: bool = is_ok(of.0, of.2);
        scenarios: Vec<OfScenario> = of.0.iter().map(|rehearsal| (rehearsal, of.1, of.3)).collect::<Vec<_>>();
        sources: Option<Vec<Source>> = of.2.map(|sources| sources.rows(of.3)),
            "What is observed, each tried once; null with --quick.";
    }
    struct OfScenario(of: (&Rehearsal, &Plan, &Shown)) {
        name: String = &of.1.scenarios[of.0.scenario].name;
        ok: bool = of.0.is_ok;
        exchanges: Vec<Exchange> = of.0.exchanges.iter().map(|traced| (traced, of.2)).collect::<Vec<_>>();
        failures: Vec<String> = beside_exchanges(of.0).map(|failure| of.2.text(&failure.text)).collect::<Vec<_>>(),
            "What was not ok and is not an exchange.";
    }
    struct Exchange(of: (&Traced, &Shown)) {
        name: String = of.1.text(&of.0.name);
        outcome: Word = outcome(of.0.measured.sample.outcome), in outcomes();
        status: Option<NumberOrText> = of.0.measured.sample.status.map(number_or_text),
            "A text where the protocol has such; null without a valid reply.";
        response_time_ms: f64 = of.0.measured.sample.response_time().as_millis_f64();
        failure: Option<String> = of.0.failure.as_ref().map(|failure| of.1.text(&failure.text)), "Why it is not ok.";
        request: String = ShownMessage::new(&of.0.request, &of.0.request_body, of.1).text(), "Head and body; secrets are blanked.";
        reply_head: String = ShownMessage::new(&of.0.reply, &of.0.reply_body, of.1).head;
        reply_body: String = ShownMessage::new(&of.0.reply, &of.0.reply_body, of.1).body, "Its beginning.";
        reply_body_bytes: Option<u64> = of.0.reply_body_bytes, "All of it.";
    }
}

fn number_or_text(status: Code) -> NumberOrText {
    status.number().map_or_else(|| NumberOrText::Text(status.to_string()), |number| NumberOrText::Number(number.into()))
}

fn outcome(of: Outcome) -> &'static str {
    match of {
        Outcome::Ok => "ok",
        Outcome::Failed => "failed",
        Outcome::Error(kind) => kind.name(),
    }
}

fn outcomes() -> Vec<&'static str> {
    [Outcome::Ok, Outcome::Failed].into_iter().chain(ErrorKind::ALL.map(Outcome::Error)).map(outcome).collect()
}

/// A message as it may be shown.
struct ShownMessage {
    head: String,
    body: String,
    /// Bytes of a head that is no text.
    unreadable: Option<u64>,
    with_secrets: bool,
}

impl ShownMessage {
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
    format!("[{} bytes that are not text]", number::count(bytes))
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
