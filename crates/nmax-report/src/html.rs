//! The report as one page: no script, no address, readable from disk, on paper and by screen readers.
//!
//! Everything that came from a plan or a server passes through [`Escaped`], and the content policy of the page
//! forbids whatever could be loaded or run.

use nmax_analysis::Verdict;

use crate::markup::Escaped;
use crate::number;
use crate::tables::{Cell, Emphasis};
use crate::view::View;
use page::Html;

mod answer;
mod breakdown;
mod charts;
mod comparison;
mod connections;
mod diagnosis;
mod hosts;
mod likeness;
mod origin;
mod page;
mod scalability;
mod tables;
mod trouble;

pub use comparison::{comparison, history};
pub use scalability::{compare, fit, scale, what_if};

const STYLE: &str = include_str!("html/style.css");
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/// The whole page. Its size is bounded: by the bins of the series, the cap on names and the caps on examples.
pub fn page(view: &View) -> String {
    let mut page = open(&format!("{}: {}", headline(view), view.title()), "");
    header(&mut page, view);
    page.text("<main>\n");
    key_figures(&mut page, view);
    answer::write(&mut page, view);
    diagnosis::write(&mut page, view);
    charts::write(&mut page, view);
    tables::write(&mut page, view);
    breakdown::write(&mut page, view);
    connections::write(&mut page, view);
    likeness::write(&mut page, view);
    trouble::write(&mut page, view);
    hosts::write(&mut page, view);
    charts::write_injector(&mut page, view);
    origin::write(&mut page, view);
    let footer = "Response time counts from the instant a request was due, service time from the instant it was sent, send \
                  lag is the difference. Percentiles come from merged histograms.";
    end(page, &view.run.nmax_version, footer)
}

/// A page with everything before its header.
fn open(title: &str, style: &str) -> Html {
    let mut page = Html::default();
    page.add(format_args!(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\
         <meta name=\"referrer\" content=\"no-referrer\">\
         <title>{}</title><style>{STYLE}{style}</style></head><body>\n",
        Escaped(title)
    ));
    page
}

/// Everything behind its sections.
fn end(mut page: Html, nmax_version: &str, about: &str) -> String {
    let version = Escaped(nmax_version);
    page.add(format_args!("</main>\n<footer>nmax {version}. {about}</footer></body></html>\n"));
    page.text
}

/// Class, word and symbol.
fn verdict_word(verdict: Verdict) -> (&'static str, &'static str, &'static str) {
    match verdict {
        Verdict::Pass => ("pass", "PASS", "✓"),
        Verdict::Fail => ("fail", "FAIL", "✗"),
        Verdict::Invalid => ("invalid", "INVALID", "!"),
    }
}

/// The verdict, how far a run came that did not come to its end, and whether it was shorter than written.
fn headline(view: &View) -> String {
    let word = verdict_word(view.judgement.verdict).1.to_owned();
    let notes = [view.incomplete(), view.compressed()];
    notes.into_iter().flatten().fold(word, |line, text| line + ", " + &text)
}

/// What codes are for.
const EXPLAIN: &str = "<p class=\"note\"><code>nmax explain CODE</code> says what a code means.</p>\n";

/// Symbol and word in color, for a condition.
fn mark(holds: bool) -> Cell {
    match holds {
        true => Cell::word(Emphasis::Class("pass"), "✓ holds"),
        false => Cell::word(Emphasis::Class("fail"), "✗ fails"),
    }
}

/// What does not decide, among what does.
fn warning(text: impl Into<String>) -> Cell {
    Cell::word(Emphasis::Class("warn"), text)
}

fn header(page: &mut Html, view: &View) {
    let run = &view.run;
    page.add(format_args!("<header><h1>{}</h1><p class=\"meta\">", Escaped(view.title())));
    let parts = [("Target", &run.target), ("started", &number::instant(&run.started_at)), ("run", &run.id)];
    let known = parts.iter().filter(|(_, value)| !value.is_empty());
    let parts: Vec<_> = known.map(|(key, value)| format!("{key} {}", Escaped(value))).collect();
    page.add(format_args!("{}", parts.join(" · ")));
    for tag in &run.tags {
        page.add(format_args!(" · #{}", Escaped(tag)));
    }
    page.text("</p>");
    if !run.note.is_empty() {
        page.add(format_args!("<p class=\"note\">{}</p>", Escaped(&run.note)));
    }
    let (class, _, symbol) = verdict_word(view.judgement.verdict);
    let headline = headline(view);
    let meaning = match view.judgement.verdict {
        Verdict::Pass => "Every threshold holds, and the measurement may be believed.",
        Verdict::Fail => "The target did not meet its thresholds; the measurement may be believed.",
        Verdict::Invalid => "The measurement may not be believed: its numbers decide nothing.",
    };
    page.add(format_args!(
        "<section class=\"banner {class}\" aria-label=\"Verdict\"><strong>{symbol} {headline}</strong>{meaning}"
    ));
    let reasons = view.judgement.reasons.iter().map(|reason| {
        let text = if reason.decides { Cell::from(&reason.text) } else { warning(format!("Note: {}", reason.text)) };
        text.small(reason.code)
    });
    let limits = view.summary.limits_hit.iter().map(|limit| warning(format!("Note: {limit}")));
    let reasons: Vec<Cell> = reasons.chain(limits).collect();
    if !reasons.is_empty() {
        page.list(reasons);
        page.text(EXPLAIN);
    }
    page.text("</section></header>\n");
}

fn key_figures(page: &mut Html, view: &View) {
    let (times, stats) = (&view.summary.total.times, &view.summary.total);
    let response = |name: &'static str, index: usize| {
        let interval = match times.response.intervals_ns[index] {
            Ok((low, high)) => format!("{} to {}", number::time(low as f64), number::time(high as f64)),
            Err(why) => format!("no interval: {}", why.text()),
        };
        (name, number::time_or_unknown(times.response.quantiles_ns[index]), interval)
    };
    let intended = match (view.summary.intended_rate_per_s, view.summary.intended_vus) {
        (Some(rate), _) => format!("of {} intended", number::rate(rate)),
        (_, Some(vus)) => format!("closed, {} virtual users", number::digits(vus)),
        _ => "closed".into(),
    };
    let lost = format!(
        "{} dropped, {} censored",
        number::count(view.summary.dropped.total()),
        number::count(view.summary.censored)
    );
    let lag = format!("send lag p99 {}", number::time_or_unknown(times.send_lag.p99()));
    let failed = format!("{} failed, {} errors", number::count(stats.failed), number::count(stats.errors));
    let figures = [
        ("Iterations", number::rate_or_unknown(view.summary.achieved_rate_per_s), intended),
        ("Requests", number::rate_or_unknown(stats.rate_per_s), format!("{} in all", number::count(stats.count))),
        ("Failure rate", number::share_or_unknown(stats.failure_rate), failed),
        ("In flight, mean", view.summary.in_flight.map_or_else(|| number::UNKNOWN.into(), number::digits), lost),
        response("Response p50", 0),
        response("Response p95", 2),
        response("Response p99", 3),
        ("Service p99", number::time_or_unknown(times.service.p99()), lag),
    ];
    page.keys(figures);
    let phase = &view.summary.phase;
    page.add(format_args!(
        "<p class=\"note\">Phase <b>{}</b>: {} from {} to {} of a run of {}. Intervals are within-run, 95 %: they say \
         nothing about other runs.</p>\n",
        phase.name,
        number::span(phase.length_s()),
        number::span(phase.start_s),
        number::span(phase.end_s),
        number::span(view.summary.duration_s)
    ));
}
