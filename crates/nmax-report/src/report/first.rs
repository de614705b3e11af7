//! What is looked at first: the figures of the whole, and what failed with the exchange that shows it.

use nmax_analysis::summary::Problem;

use super::{Part, diagnosis, losses, trouble};
use crate::doc::{Item, Mark, Media, Section};
use crate::number;
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[figures, failed];

/// Most kinds of failures named here; the section of failures has all.
const KINDS_MAX: usize = 3;

fn figures(view: &View) -> Option<Section> {
    let (summary, stats) = (&view.summary, &view.summary.total);
    let times = &stats.times;
    let response = |name: &'static str, index: usize| {
        let below = match times.response.intervals_ns[index] {
            Ok((low, high)) => format!("{} to {}", number::time(low as f64), number::time(high as f64)),
            Err(why) => format!("no interval: {}", why.text()),
        };
        (name, crate::view::response_text(stats, index), below)
    };
    let intended = match (summary.intended_rate_per_s, summary.intended_vus) {
        (Some(rate), _) => format!("of {} intended", number::rate(rate)),
        (_, Some(vus)) => format!("closed, {} virtual users", number::digits(vus)),
        _ => "closed".into(),
    };
    let lost =
        format!("{} dropped, {} censored", number::count(summary.dropped.total()), number::count(summary.censored));
    let lag = format!("send lag p99 {}", number::time_or_unknown(times.send_lag.p99()));
    let failed = format!("{} failed, {} errors", number::count(stats.failed), number::count(stats.errors));
    let phase = &summary.phase;
    let note = format!(
        "Phase {}: {} from {} to {} of a run of {}. Intervals are within-run, 95 %: they say nothing about other runs.",
        phase.name,
        number::span(phase.length_s()),
        number::span(phase.start_s),
        number::span(phase.end_s),
        number::span(summary.duration_s)
    );
    let figures = [
        ("Iterations", number::rate_or_unknown(summary.achieved_rate_per_s), intended),
        ("Requests", number::rate_or_unknown(stats.rate_per_s), format!("{} in all", number::count(stats.count))),
        ("Failure rate", number::share_or_unknown(stats.failure_rate), failed),
        ("In flight, mean", summary.in_flight.map_or_else(|| number::UNKNOWN.into(), number::digits), lost),
        response("Response p50", 0),
        response("Response p95", 2),
        response("Response p99", 3),
        ("Service p99", number::time_or_unknown(times.service.p99()), lag),
    ];
    Section::new("figures", "")
        .with(|body| {
            body.on(Media::PAPER).keys(figures).note(note);
            body.items(losses(view).into_iter().map(|(_, text)| Item::new(Mark::Warning, text)));
        })
        .said()
}

/// The first kinds of failures, the exchange that shows the first one, and what to look at.
fn failed(view: &View) -> Option<Section> {
    let first = trouble::first_causes(&view.summary.problems);
    let look = diagnosis::first(view);
    let section = Section::new("failed", if first.is_empty() { "Look first" } else { "What failed" });
    let kinds = first.iter().take(KINDS_MAX).map(|problem| Item::new(Mark::Fail, trouble::in_short(problem)));
    section
        .with(|body| {
            body.on(Media::PAPER).items(kinds.chain(look));
            if let Some(failure) = first.first().and_then(|problem: &&Problem| problem.examples.first()) {
                body.on(Media::PICTURES);
                trouble::exchange(body, failure);
            }
        })
        .said()
}
