//! `nmax check --once`: one iteration of each scenario, with every request and reply.

use std::sync::Arc;

use nmax_engine::once::{Traced, once as trace};
use nmax_metrics::Outcome;
use nmax_plan::plan::Plan;
use nmax_report::number;
use serde_json::{Value, json};

use super::run::complain;
use crate::args::CheckArgs;
use crate::exit::Exit;
use crate::{preflight, say, session};

/// Most characters of a body that are shown.
const BODY_CHARS_MAX: usize = 2_000;

/// Sends one iteration of each scenario and shows everything.
pub fn once(args: &CheckArgs, plan: Plan) -> Exit {
    let origins = match preflight::origins(&plan) {
        Ok(origins) => origins,
        Err(error) => return complain(&error, Exit::Usage),
    };
    let plan = Arc::new(plan);
    let cleared = match preflight::clear(&args.safety, &plan, &origins) {
        Ok(cleared) => cleared,
        Err((error, exit)) => return complain(&error, exit),
    };
    let settings = match session::settings(&plan, &cleared.allow) {
        Ok(settings) => settings,
        Err(error) => return complain(&error, Exit::Usage),
    };
    let mut is_ok = true;
    let mut scenarios = Vec::new();
    for (index, scenario) in settings.plan.scenarios.iter().enumerate() {
        let traced = match trace(&settings, index) {
            Ok(traced) => traced,
            Err(error) => return complain(&error, Exit::Usage),
        };
        is_ok &= traced
            .iter()
            .all(|traced| traced.measured.sample.outcome == Outcome::Ok);
        if args.json {
            let exchanges: Vec<Value> = traced.iter().map(as_json).collect();
            scenarios.push(json!({ "name": scenario.name, "exchanges": exchanges }));
        } else {
            say::line(format_args!("scenario {}", scenario.name));
            traced.iter().for_each(|traced| say::text(as_text(traced)));
        }
    }
    if args.json {
        let result = json!({ "schema_version": 1, "ok": is_ok, "scenarios": scenarios });
        say::line(format_args!("{result:#}"));
    }
    if is_ok { Exit::Pass } else { Exit::Failed }
}

fn as_text(traced: &Traced) -> String {
    let sample = &traced.measured.sample;
    let symbol = if sample.outcome == Outcome::Ok { "✓" } else { "✗" };
    let status = sample
        .status
        .map_or_else(|| "no reply".to_owned(), |status| format!("status {status}"));
    let time = number::time(sample.response_time().0 as f64);
    let mut text = format!("\n{symbol} {}: {status} after {time}\n", traced.name);
    if let Some(failure) = &traced.failure {
        text.push_str(&format!("  {}\n", failure.text));
        if let Outcome::Error(kind) = failure.outcome {
            text.push_str(&format!("  help: {}\n", kind.remedy()));
        }
    }
    let (head, body) = split(&traced.request);
    indent(&mut text, ">", &shown(head));
    indent(&mut text, ">", &shown(body));
    indent(&mut text, "<", &shown(&traced.reply_head));
    indent(&mut text, "<", &shown(&traced.reply_body));
    text
}

fn as_json(traced: &Traced) -> Value {
    let sample = &traced.measured.sample;
    json!({
        "name": traced.name,
        "outcome": match sample.outcome { Outcome::Ok => "ok", Outcome::Failed => "failed", Outcome::Error(kind) => kind.name() },
        "status": sample.status,
        "response_time_ms": sample.response_time().as_millis_f64(),
        "failure": traced.failure.as_ref().map(|failure| failure.text.clone()),
        "request": String::from_utf8_lossy(&traced.request),
        "reply_head": String::from_utf8_lossy(&traced.reply_head),
        "reply_body": String::from_utf8_lossy(&traced.reply_body),
    })
}

fn split(message: &[u8]) -> (&[u8], &[u8]) {
    let end = message.windows(4).position(|window| window == b"\r\n\r\n");
    end.map_or((message, &[]), |end| (&message[..end], &message[end + 4..]))
}

/// Bytes as text for a terminal: no control characters, not too much, and what is no text only counted.
fn shown(bytes: &[u8]) -> String {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return format!("[{} bytes that are no text]", number::count(bytes.len() as u64));
    };
    let clean = text.chars().filter(|c| !c.is_control() || *c == '\n');
    let mut short: String = clean.take(BODY_CHARS_MAX).collect();
    if text.chars().count() > BODY_CHARS_MAX {
        short.push_str(&format!("\n[{} characters in all]", text.chars().count()));
    }
    short.trim_end().to_owned()
}

fn indent(out: &mut String, mark: &str, text: &str) {
    for line in text.lines() {
        out.push_str(&format!("    {mark} {line}\n"));
    }
}
