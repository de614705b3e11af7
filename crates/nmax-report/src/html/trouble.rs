//! Failures and errors: over time, by kind, with examples.

use nmax_metrics::FailureExample;

use super::{Page, charts};
use crate::markup::{Escaped, clip};
use crate::number;
use crate::view::View;
use nmax_analysis::Event;

/// Most characters of a request or reply that is shown.
const MESSAGE_MAX: usize = 2000;
/// Most characters of a sentence.
const TEXT_MAX: usize = 500;
/// Most events listed.
const EVENTS_MAX: usize = 100;
/// Code of events that are what a source tells of itself.
const NOTE: &str = "SOURCE_NOTE";

pub(super) fn write(page: &mut Page, view: &View) {
    page.text("<h2>Failures and errors</h2>\n");
    if view.summary.problems.is_empty() {
        page.text("<p>None in the whole run.</p>\n");
    } else {
        charts::write_errors(page, view);
    }
    for problem in &view.summary.problems {
        let count = problem.count.map_or_else(String::new, |count| format!(" · {}", number::count(count)));
        page.add(format_args!(
            "<section class=\"problem\"><h3>{}{count}</h3><p>What to do: {}.</p>",
            Escaped(&clip(&problem.kind, TEXT_MAX)),
            Escaped(problem.remedy)
        ));
        for failure in &problem.examples {
            example(page, failure);
        }
        page.text("</section>\n");
    }
    events(page, view);
}

fn example(page: &mut Page, failure: &FailureExample) {
    let status = failure.status.map_or_else(String::new, |status| format!(", status {status}"));
    page.add(format_args!(
        "<details><summary>{} at {}{status}, after {}</summary><p>{} (scenario {})</p>",
        Escaped(&clip(&failure.name, TEXT_MAX)),
        number::span(failure.at.as_secs_f64()),
        number::time(failure.response_time.0 as f64),
        Escaped(&clip(&failure.text, TEXT_MAX)),
        Escaped(&clip(&failure.scenario, TEXT_MAX))
    ));
    message(page, "Request", &failure.request);
    message(page, "Reply", &failure.reply);
    page.text("</details>");
}

fn message(page: &mut Page, name: &str, text: &str) {
    if text.is_empty() {
        page.add(format_args!("<p class=\"note\">{name}: nothing.</p>"));
    } else {
        page.add(format_args!("<p class=\"note\">{name}</p><pre>{}</pre>", Escaped(&clip(text, MESSAGE_MAX))));
    }
}

fn events(page: &mut Page, view: &View) {
    if view.summary.events.is_empty() {
        return;
    }
    page.text("<h3>Events</h3>");
    // What sources tell of themselves is long, and would bury what happened.
    let (notes, happened): (Vec<&Event>, Vec<&Event>) =
        view.summary.events.iter().partition(|event| event.code == NOTE);
    list(page, &happened);
    if !notes.is_empty() {
        let number = number::count(notes.len() as u64);
        let plural = if notes.len() == 1 { "" } else { "s" };
        page.add(format_args!("<details><summary>{number} note{plural} of sources</summary>"));
        list(page, &notes);
        page.text("</details>");
    }
    page.text("\n");
}

fn list(page: &mut Page, events: &[&Event]) {
    if events.is_empty() {
        return;
    }
    page.text("<ul>");
    for event in events.iter().take(EVENTS_MAX) {
        page.add(format_args!(
            "<li>{}: {} <small>{}</small></li>",
            number::span(event.at_s),
            Escaped(&clip(&event.text, TEXT_MAX)),
            Escaped(&event.code)
        ));
    }
    if events.len() > EVENTS_MAX {
        page.add(format_args!("<li>and {} more</li>", events.len() - EVENTS_MAX));
    }
    page.text("</ul>");
}
