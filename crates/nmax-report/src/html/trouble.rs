//! Failures and errors: over time, by kind, with examples.

use nmax_analysis::Event;
use nmax_analysis::summary::Problem;
use nmax_metrics::FailureExample;

use super::charts;
use super::page::Html;
use crate::markup::{Escaped, clip};
use crate::number;
use crate::tables::Cell;
use crate::view::View;

/// Most characters of a request or reply that is shown.
const MESSAGE_MAX: usize = 2000;
/// Most characters of a kind or of what happened.
const TEXT_MAX: usize = 500;
/// Most events listed.
const EVENTS_MAX: usize = 100;
/// Code of events that are what a source tells of itself.
const NOTE: &str = "SOURCE_NOTE";

pub(super) fn write(page: &mut Html, view: &View) {
    page.heading(2, "Failures and errors");
    if view.summary.problems.is_empty() {
        page.sentence("None in the whole run.");
    } else {
        charts::write_errors(page, view);
    }
    for problem in &view.summary.problems {
        let count = problem.count.map_or_else(String::new, |count| format!(" · {}", number::count(count)));
        page.text("<section class=\"problem\">");
        page.heading(3, &(clip(&problem.kind, TEXT_MAX) + &count));
        page.sentence(&format!("What to do: {}.", problem.remedy));
        if problem.only_follows() {
            page.sentence("Something else had always failed before it in the iteration.");
        }
        if !problem.followed_by.is_empty() {
            let followers = followers(problem, &view.summary.problems);
            page.sentence(&format!("Followed in the same iterations by {}.", clip(&followers, TEXT_MAX)));
        }
        problem.examples.iter().for_each(|failure| example(page, failure));
        page.text("</section>\n");
    }
    events(page, view);
}

/// What came later in the iterations where this was the first, and how often in all.
fn followers(problem: &Problem, all: &[Problem]) -> String {
    let texts = problem.later(all).map(|one| match one.count {
        Some(count) => format!("{} ({} times)", one.kind, number::count(count)),
        None => one.kind.clone(),
    });
    texts.collect::<Vec<_>>().join(", ")
}

fn example(page: &mut Html, failure: &FailureExample) {
    let status = failure.status.map_or_else(String::new, |status| format!(", status {status}"));
    let at = number::span(failure.at.as_secs_f64());
    let after = number::time(failure.response_time.0 as f64);
    page.details(&format!("{} at {at}{status}, after {after}", clip(&failure.name, TEXT_MAX)), |page| {
        page.sentence(&format!("{} (scenario {})", clip(&failure.text, TEXT_MAX), failure.scenario));
        message(page, "Request", &failure.request);
        message(page, "Reply", &failure.reply);
    });
}

fn message(page: &mut Html, name: &str, text: &str) {
    if text.is_empty() {
        page.note(&format!("{name}: nothing."));
    } else {
        page.note(name);
        page.add(format_args!("<pre>{}</pre>", Escaped(&clip(text, MESSAGE_MAX))));
    }
}

fn events(page: &mut Html, view: &View) {
    if view.summary.events.is_empty() {
        return;
    }
    page.heading(3, "Events");
    // What sources tell of themselves is long, and would bury what happened.
    let (notes, happened): (Vec<&Event>, Vec<&Event>) =
        view.summary.events.iter().partition(|event| event.code == NOTE);
    list(page, &happened);
    if !notes.is_empty() {
        let plural = if notes.len() == 1 { "" } else { "s" };
        let summary = format!("{} note{plural} of sources", number::count(notes.len() as u64));
        page.details(&summary, |page| list(page, &notes));
    }
}

fn list(page: &mut Html, events: &[&Event]) {
    let shown = events.iter().take(EVENTS_MAX).map(|event| {
        let text = format!("{}: {}", number::span(event.at_s), event.text);
        Cell::from(text).small(&event.code)
    });
    let more = events.len().checked_sub(EVENTS_MAX).filter(|more| *more > 0);
    page.list(shown.chain(more.map(|more| format!("and {more} more").into())));
}
