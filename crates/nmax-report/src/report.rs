//! What the report of a run says, section by section, in the order in which it is read.
//!
//! Each part declares its sections for all media; renderers write them. A section more is a function more in the list
//! `SECTIONS` of its part.
//!
//! # Layout
//! - this file: the answer, what it is about, and the order of the parts
//! - `first`: the figures that are looked at first, and what failed
//! - `asked`: what was asked, how and from where
//! - `before`: what changed since the run before, and the comparison with a baseline
//! - `answer`: what the profile says, steadiness, interventions
//! - `requests`, `groups`: tables by name; `injectors`: by region and injector
//! - `course`: pictures over time, distribution and heat map
//! - `trouble`: failures and errors; `conditions`: thresholds, checks, gates
//! - `hosts`, `diagnosis`, `breakdown`, `sides`: resources, suspects, times taken apart
//! - `connections`, `likeness`, `origin`: connections, fidelity, how to repeat it
//! - [`comparison`], [`scalability`]: documents of their own

use nmax_analysis::Verdict;

use crate::doc::{Banner, Body, Document, Item, Mark, Media, Section};
use crate::number;
use crate::view::View;

mod answer;
mod asked;
mod before;
mod breakdown;
pub mod comparison;
mod conditions;
mod connections;
mod course;
mod diagnosis;
mod first;
mod groups;
mod hosts;
pub mod injectors;
mod likeness;
mod origin;
mod requests;
pub mod scalability;
mod sides;
mod trouble;

pub use likeness::document as likeness;

/// A section, where a run has something to say in it.
type Part = fn(&View) -> Option<Section>;

/// Every part, in the order of reading.
const PARTS: [&[Part]; 16] = [
    first::SECTIONS,
    asked::SECTIONS,
    before::SINCE,
    answer::SECTIONS,
    requests::SECTIONS,
    injectors::SECTIONS,
    course::SECTIONS,
    trouble::SECTIONS,
    conditions::SECTIONS,
    course::SPREAD,
    hosts::SECTIONS,
    diagnosis::SECTIONS,
    breakdown::SECTIONS,
    connections::SECTIONS,
    before::BASELINE,
    origin::SECTIONS,
];

const FOOTER: &str = "Response time counts from the instant a request was due, service time from the instant it was sent, send \
                      lag is the difference. Percentiles come from merged histograms, never from other percentiles.";

/// The report of a run.
pub fn run(view: &View) -> Document {
    let mut tail = Body::default();
    tail.on(Media::TERMINAL).facts(losses(view)).facts([("report", view.report_path.clone().unwrap_or_default())]);
    Document {
        title: view.title().to_owned(),
        banner: banner(view),
        head: head(view).blocks,
        sections: PARTS.iter().flat_map(|part| part.iter()).filter_map(|section| section(view)).collect(),
        tail: tail.blocks,
        footer: FOOTER,
        nmax_version: view.run.nmax_version.clone(),
    }
}

/// Mark and word of a verdict.
pub(crate) fn verdict(verdict: Verdict) -> (Mark, &'static str) {
    match verdict {
        Verdict::Pass => (Mark::Pass, "PASS"),
        Verdict::Fail => (Mark::Fail, "FAIL"),
        Verdict::Invalid => (Mark::Invalid, "INVALID"),
    }
}

fn banner(view: &View) -> Banner {
    let (mark, word) = verdict(view.judgement.verdict);
    let meaning = match view.judgement.verdict {
        Verdict::Pass => "Every threshold holds, and the measurement may be believed.",
        Verdict::Fail => "The target did not meet its thresholds; the measurement may be believed.",
        Verdict::Invalid => "The measurement may not be believed: its numbers decide nothing.",
    };
    let reasons = view.judgement.reasons.iter().map(|reason| {
        let mark = if reason.decides { mark } else { Mark::Warning };
        Item::new(mark, &reason.text).code(reason.code)
    });
    let limits = view.summary.limits_hit.iter().map(|limit| Item::new(Mark::Warning, limit));
    let steered = view.summary.steered.iter().map(|change| Item::new(Mark::Warning, format!("steered: {change}")));
    let has_codes = !view.judgement.reasons.is_empty();
    Banner {
        mark,
        word: [view.incomplete(), view.compressed(), view.steered()]
            .into_iter()
            .flatten()
            .fold(word.into(), |line, text| line + ", " + &text),
        meaning: meaning.into(),
        reasons: reasons.chain(limits).chain(steered).collect(),
        notes: if has_codes { vec!["`nmax explain CODE` says what a code means".into()] } else { Vec::new() },
    }
}

fn head(view: &View) -> Body {
    let run = &view.run;
    let mut head = Body::default();
    let id = match run.id.is_empty() {
        true => String::new(),
        false => format!("{}, {}", run.id, number::instant(&run.started_at)),
    };
    head.facts([
        ("run", id),
        ("target", run.target.clone()),
        ("note", run.note.clone()),
        ("tags", run.tags.join(", ")),
    ]);
    head.on(Media::TERMINAL).facts([
        ("load", load(view)),
        ("beside", view.summary.background.join(", ")),
        ("steady", view.judgement.steadiness.as_ref().map_or_else(String::new, |steadiness| steadiness.text.clone())),
    ]);
    head
}

/// The load in one sentence: intended, achieved, how long, which phase.
fn load(view: &View) -> String {
    let achieved = number::rate_or_unknown(view.summary.achieved_rate_per_s);
    let intended = match (view.summary.intended_rate_per_s, view.summary.intended_vus) {
        (Some(rate), _) => format!("open, iterations intended {}, achieved {achieved}", number::rate(rate)),
        (_, Some(vus)) => format!("closed, {} virtual users, iterations achieved {achieved}", number::digits(vus)),
        _ => format!("iterations achieved {achieved}"),
    };
    let phase = &view.summary.phase;
    let in_flight = view.summary.in_flight.map_or_else(String::new, |n| format!(", {} in flight", number::digits(n)));
    let ran = number::span(view.summary.duration_s);
    format!("{intended}{in_flight}; phase {} {} of {ran}", phase.name, number::span(phase.length_s()))
}

/// What never started, and what never ended.
fn losses(view: &View) -> Vec<(&'static str, String)> {
    let (dropped, censored) = (&view.summary.dropped, view.summary.censored);
    let mut facts = Vec::new();
    if dropped.total() > 0 {
        let text = format!(
            "{} due iterations never started ({} by the injector, {} by the in-flight limit)",
            number::count(dropped.total()),
            number::count(dropped.injector),
            number::count(dropped.in_flight_limit),
        );
        facts.push(("dropped", text));
    }
    if censored > 0 {
        let age = number::time_or_unknown(view.summary.censored_age_max_ns);
        let text = format!("{} exchanges unfinished at the end, the oldest {age} old", number::count(censored));
        facts.push(("censored", text));
    }
    facts
}
