//! One request of a plan and every byte of its conversation. No run is kept.
//!
//! # Layout
//! - `log`: what the connections did, collected while it happens
//! - `lines`: bytes as lines, with directions, offsets and escapes, secrets taken out
//! - here: which request, and what was measured

mod lines;
mod log;

use std::sync::Arc;
use std::time::Duration;

use lines::Printer;
use log::{Log, Socket};
use nmax_engine::run::rehearsal::{Traced, trace_iteration_then};
use nmax_metrics::{Nanos, Outcome};
use nmax_plan::plan::{Plan, Step};
use nmax_report::number;

use crate::rehearsal::headline;
use crate::safety::Consent;
use crate::secrets::Shown;
use crate::signals::Interrupts;
use crate::{Exit, Trouble, preflight};

/// How long a socket is watched that the server should close after the reply.
const HELD_MAX: Duration = Duration::from_secs(2);
/// How often what came is printed, and signals are looked at.
const LOOK: Duration = Duration::from_millis(20);

/// Somebody who is shown a conversation while it goes on.
pub trait Listener {
    /// Something that a person should know beside it.
    fn note(&mut self, text: &str);

    /// Its next lines.
    fn shows(&mut self, lines: &str);
}

/// Sends a request and shows its bytes as they come.
///
/// - `request`: its name; `None` for the first one
///
/// # Errors
/// Why nothing was sent, and what that means for the exit code.
pub fn wire(
    mut plan: Plan,
    request: Option<&str>,
    consent: &Consent,
    shown: &Shown,
    listener: &mut dyn Listener,
) -> Result<Exit, Trouble> {
    let scenario = cut(&mut plan, request).map_err(|error| shown.text(&error))?;
    let plan = Arc::new(plan);
    let origins = preflight::origins(&plan)?;
    let cleared = preflight::clear(consent, &plan, &origins)?;
    cleared.notes.iter().for_each(|note| listener.note(&format!("note: {note}")));
    let mut settings = crate::settings(&plan, &cleared.allow)?;
    let log = Arc::new(Log::default());
    settings.wire = Some(log.hook());
    settings.known = Some(shown.known());
    let interrupts = Interrupts::listen().map_err(|error| error.to_string())?;
    let watched = Arc::clone(&log);
    let started = std::thread::Builder::new().name("nmax-wire".into()).spawn(move || {
        let traced = trace_iteration_then(&settings, scenario, Arc::clone(&watched).settled(HELD_MAX));
        watched.end();
        traced
    });
    let worker = started.map_err(Trouble::internal)?;
    let mut printer = Printer::new(shown.clone());
    loop {
        let (events, is_over) = log.take(LOOK);
        events.iter().for_each(|event| listener.shows(&printer.event(event)));
        if interrupts.count() > 0 {
            listener.shows(&printer.rest());
            listener.note("interrupted");
            return Ok(Exit::Interrupted);
        }
        if is_over {
            break;
        }
    }
    listener.shows(&printer.rest());
    match worker.join() {
        Ok(Ok(traced)) => Ok(conclude(&traced, log.lost(), log.socket(), shown, listener)),
        Ok(Err(error)) => Err(error.into()),
        Err(_) => Err(Trouble::internal("the exchange ended by a defect of nmax; please report it")),
    }
}

/// Cuts the plan off behind the wanted request; the index of its scenario.
fn cut(plan: &mut Plan, wanted: Option<&str>) -> Result<usize, String> {
    let mut names = Vec::new();
    for (index, scenario) in plan.scenarios.iter_mut().enumerate() {
        for place in 0..scenario.steps.len() {
            let Step::Call(request) = &scenario.steps[place] else {
                continue;
            };
            let name = request.name.as_constant().unwrap_or_default();
            if wanted.is_none_or(|wanted| wanted == name) {
                scenario.steps.truncate(place + 1);
                return Ok(index);
            }
            if !name.is_empty() {
                names.push(name.to_owned());
            }
        }
    }
    let Some(wanted) = wanted else {
        return Err("the plan sends no request".into());
    };
    Err(format!("no request `{wanted}` in the plan\n  help: choose one of: {}", names.join(", ")))
}

/// Shows what was measured.
fn conclude(traced: &[Traced], lost: u64, socket: Option<Socket>, shown: &Shown, listener: &mut dyn Listener) -> Exit {
    if lost > 0 {
        let lost = number::count(lost);
        listener.shows(&format!("            [{lost} more bytes are not shown]\n"));
    }
    traced.iter().for_each(|traced| listener.shows(&measured(traced, shown)));
    let told = match socket {
        None => None,
        Some(Socket::Kept) => Some("kept for the next request".to_owned()),
        Some(Socket::ClosedAfter(time)) => {
            Some(format!("closed by the server {} after the reply", number::time(time.0 as f64)))
        }
        Some(Socket::Held(time)) => Some(format!(
            "held: the server had not closed it {} after the reply, although it should",
            number::time(time.0 as f64)
        )),
    };
    if let Some(told) = told {
        listener.shows(&format!("  socket      {told}\n"));
    }
    match traced.last() {
        Some(last) if last.measured.sample.outcome == Outcome::Ok => Exit::Pass,
        _ => Exit::Failed,
    }
}

fn measured(traced: &Traced, shown: &Shown) -> String {
    let sample = &traced.measured.sample;
    let mut text = headline(traced, shown, "");
    let time = |span: Nanos| number::time(span.0 as f64);
    let phases: Vec<String> =
        phases(traced).into_iter().filter_map(|(name, span)| Some(format!("{name} {}", time(span?)))).collect();
    text.push_str(&format!("  phases      {}\n", phases.join(", ")));
    text.push_str(&format!("  response    {} in all\n", time(sample.response_time())));
    let (sent, received) = (number::count(sample.bytes_sent), number::count(sample.bytes_received));
    text.push_str(&format!("  bytes       {sent} sent, {received} received"));
    if sample.bytes_decoded > 0 {
        text.push_str(&format!(", {} of body when decoded", number::count(sample.bytes_decoded)));
    }
    text.push('\n');
    text
}

/// The phases that took place, in order.
fn phases(traced: &Traced) -> [(&'static str, Option<Nanos>); 6] {
    let sample = &traced.measured.sample;
    let some = |span: Nanos| (span > Nanos::ZERO).then_some(span);
    let sent = sample.sent.map(|sent| sent + sample.send);
    [
        ("dns", some(sample.network.dns)),
        ("connect", some(sample.network.connect)),
        ("tls", some(sample.network.tls)),
        ("send", sample.sent.map(|_| sample.send)),
        ("wait", sample.first_byte.zip(sent).map(|(first, sent)| first.since(sent))),
        ("receive", sample.first_byte.map(|first| sample.done.since(first))),
    ]
}

#[cfg(test)]
mod tests;
