//! Failures and errors: over time, by kind and first cause, with examples; what happened.

use nmax_analysis::Event;
use nmax_analysis::summary::Problem;
use nmax_metrics::FailureExample;

use super::{Part, course};
use crate::doc::table::Table;
use crate::doc::{Body, Item, Mark, Media, Section};
use crate::markup::clip;
use crate::number;
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[failures, events];

/// Most characters of a request or reply that is shown.
const MESSAGE_MAX: usize = 2000;
/// Most characters of a kind or of what happened, and of a line in the terminal.
const TEXT_MAX: usize = 500;
const LINE_MAX: usize = 220;
/// Most kinds of failures, of kinds that came after one, and of events.
const KINDS_MAX: usize = 12;
const LATER_MAX: usize = 6;
const EVENTS_MAX: usize = 100;
/// Code of events that are what a source tells of itself.
const NOTE: &str = "SOURCE_NOTE";

/// Kinds that are not only what another kind leads to.
pub(super) fn first_causes(problems: &[Problem]) -> Vec<&Problem> {
    let is_told = |kind: &String| problems.iter().any(|problem| problem.followed_by.contains(kind));
    problems.iter().filter(|problem| !(problem.only_follows() && is_told(&problem.kind))).collect()
}

fn failures(view: &View) -> Option<Section> {
    let problems = &view.summary.problems;
    let section = Section::new("failures", "Failures and errors").aside("whole run");
    if problems.is_empty() {
        return Some(section.with(|body| {
            body.on(Media::PAPER).text("None in the whole run.");
        }));
    }
    Some(section.with(|body| {
        body.on(Media::PICTURES);
        course::errors(view).into_iter().for_each(|figure| {
            body.figure(figure);
        });
        body.on(Media::TERMINAL).some_items(told(problems), KINDS_MAX, "kinds");
        body.on(Media::PAPER).table(kinds(problems));
        body.on(Media::PAGE);
        let examples: usize = problems.iter().map(|problem| problem.examples.len()).sum();
        body.fold(format!("Examples: {} exchanges", number::count(examples as u64)), |body| {
            problems.iter().flat_map(|problem| &problem.examples).for_each(|failure| example(body, failure));
        });
    }))
}

fn kinds(problems: &[Problem]) -> Table<&Problem> {
    Table::from_rows(problems)
        .at_most(200, "kinds are in failures.jsonl")
        .named()
        .word("kind", |problem| clip(&problem.kind, TEXT_MAX))
        .count("count", |problem| problem.count)
        .count("first failure of iterations", |problem| problem.first)
        .sentence("what to do", |problem| problem.remedy)
        .sentence("followed by", |problem| {
            let later = problem.later(problems).filter(|one| one.kind != problem.kind);
            let later = later.map(|one| format!("{}{}", one.kind, times(one)));
            clip(&later.collect::<Vec<_>>().join(", "), TEXT_MAX)
        })
}

/// Each first cause with an example, and what came after it.
fn told(problems: &[Problem]) -> Vec<Item> {
    let example = |problem: &Problem| problem.examples.first().map(example_text);
    let one = |problem: &&Problem| {
        let text = format!("{}: {}", in_short(problem), problem.remedy);
        let shows = example(problem).map(|text| clip(&format!("for example {text}"), LINE_MAX));
        let later: Vec<&Problem> = problem.later(problems).filter(|one| one.kind != problem.kind).collect();
        let more = later.len().saturating_sub(LATER_MAX);
        let later = later.iter().take(LATER_MAX).map(|one| {
            let example = example(one).map_or_else(String::new, |text| format!(", for example {text}"));
            clip(&format!("then {}{}{example}", one.kind, times(one)), LINE_MAX)
        });
        let more = (more > 0).then(|| format!("… {more} more kinds that followed"));
        Item::new(Mark::Fail, text).below(shows.into_iter().chain(later).chain(more).map(Item::plain).collect())
    };
    first_causes(problems).iter().map(one).collect()
}

/// Its kind, how often it was, and how often it was not the consequence of another one.
pub(super) fn in_short(problem: &Problem) -> String {
    let first = match problem.first {
        Some(0) => ", always after another failure of the iteration".to_owned(),
        Some(first) if Some(first) < problem.count => {
            format!(", first failure of {} iterations", number::count(first))
        }
        _ => String::new(),
    };
    clip(&format!("{}{}{first}", problem.kind, times(problem)), TEXT_MAX)
}

fn times(problem: &Problem) -> String {
    problem.count.map_or_else(String::new, |count| format!(", {} times", number::count(count)))
}

/// `GET /css at 0.061 s: the body is nested too deep`.
fn example_text(example: &FailureExample) -> String {
    format!("{} at {}: {}", example.name, number::span(example.at.as_secs_f64()), example.text)
}

/// An exchange that failed: what it was, its request and its reply.
pub(super) fn exchange(body: &mut Body, failure: &FailureExample) {
    let status = failure.status.map_or_else(String::new, |status| format!(", status {status}"));
    let (at, after) = (number::span(failure.at.as_secs_f64()), number::time(failure.response_time.0 as f64));
    let name = clip(&failure.name, TEXT_MAX);
    let text = clip(&failure.text, TEXT_MAX);
    body.text(format!("{name} at {at}{status}, after {after}, scenario {}: {text}", failure.scenario));
    let part = |name: &str, message: &str| match message {
        "" => format!("({} was nothing)", name.to_lowercase()),
        message => clip(message, MESSAGE_MAX),
    };
    body.code(format!(
        "{}\n\n{}",
        part("Request", &failure.request).trim_end(),
        part("Reply", &failure.reply).trim_end()
    ));
}

fn example(body: &mut Body, failure: &FailureExample) {
    let at = number::span(failure.at.as_secs_f64());
    body.fold(format!("{} at {at}", clip(&failure.name, TEXT_MAX)), |body| exchange(body, failure));
}

fn events(view: &View) -> Option<Section> {
    // What sources tell of themselves is long, and would bury what happened.
    let (notes, happened): (Vec<&Event>, Vec<&Event>) =
        view.summary.events.iter().partition(|event| event.code == NOTE);
    let items = |events: &[&Event]| {
        let one = |event: &&Event| {
            Item::new(Mark::Point, format!("{}: {}", number::span(event.at_s), event.text)).code(&event.code)
        };
        events.iter().map(one).collect::<Vec<_>>()
    };
    let section = Section::new("events", "Events");
    let section = if happened.is_empty() { section.appendix() } else { section };
    section
        .with(|body| {
            body.on(Media::PICTURES).some_items(items(&happened), EVENTS_MAX, "events");
            let plural = if notes.len() == 1 { "" } else { "s" };
            let summary = format!("{} note{plural} of sources", number::count(notes.len() as u64));
            body.on(Media::PAGE).fold(summary, |body| {
                body.some_items(items(&notes), EVENTS_MAX, "notes");
            });
        })
        .said()
}
