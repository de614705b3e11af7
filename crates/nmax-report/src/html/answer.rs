//! What a run says beyond its numbers: the answer of its profile, steadiness, effects of interventions.

use nmax_analysis::{Effect, Figures};

use super::page::Html;
use crate::markup::{Escaped, clip};
use crate::number;
use crate::tables::{Cell, Emphasis, Table};
use crate::view::{View, findings};

/// Most characters of a text.
const TEXT_MAX: usize = 600;
/// Parts of the time of an intervention.
const PHASES: [&str; 3] = ["before", "during", "after"];
/// Most interventions shown.
const ROWS_MAX: usize = 50;

pub(super) fn write(page: &mut Html, view: &View) {
    answer(page, view);
    steady(page, view);
    timeline(page, view);
}

fn answer(page: &mut Html, view: &View) {
    let Some(answer) = &view.judgement.answer else { return };
    page.heading(2, &format!("Profile {}", answer.profile.name()));
    page.add(format_args!("<p><strong>{}</strong></p>", Escaped(&clip(&answer.headline, TEXT_MAX))));
    page.list(findings(answer).take(ROWS_MAX).map(|finding| {
        let word = if finding.is_trouble { "!" } else { "" };
        Cell::word(Emphasis::Strong, word).text(&finding.text).small(finding.code)
    }));
}

fn steady(page: &mut Html, view: &View) {
    let Some(steadiness) = &view.judgement.steadiness else { return };
    page.heading(3, "Steady state");
    page.sentence(&steadiness.text);
    if steadiness.series.is_empty() {
        return;
    }
    let plain = |value: Option<f64>| number::or_unknown(value, |value| format!("{value:.2}"));
    let table = Table::from_rows(&steadiness.series)
        .word("series", |test| test.name)
        .number("drift", |test| number::share_or_unknown(test.drift))
        .number("limit", |test| number::share(test.drift_limit))
        .number("KPSS", |test| plain(test.kpss))
        .number("ADF", |test| plain(test.adf))
        .word("", |test| match test.holds {
            Some(true) if test.drift.is_some_and(|drift| drift.abs() > test.drift_limit) => "~ within its noise".into(),
            Some(true) => Cell::word(Emphasis::Class("pass"), "✓ steady"),
            Some(false) => Cell::word(Emphasis::Class("fail"), "✗ not steady"),
            None => "– not tested".into(),
        });
    page.table(&table);
    page.note("Not steady is what drifts beyond the limit and whose KPSS is above 0.739: drift alone may be noise.");
}

/// A row for each part of the time of an intervention; what is said of all of it stands once.
fn timeline(page: &mut Html, view: &View) {
    if view.judgement.effects.is_empty() {
        return;
    }
    let effects = view.judgement.effects.iter().take(ROWS_MAX);
    let rows = effects.flat_map(|effect| (0..PHASES.len()).map(move |phase| (effect, phase)));
    let figure = |of: fn(&Figures) -> String| {
        move |(effect, phase): (&Effect, usize)| number::or_unknown(effect.phases[phase].as_ref(), of)
    };
    let first = |(effect, phase): (&Effect, usize), of: fn(&Effect) -> Cell| match phase {
        0 => of(effect),
        _ => Cell::default(),
    };
    page.heading(2, "Timeline");
    let table = Table::from_rows(rows)
        .together(PHASES.len())
        .sentence("what was done", |row| first(row, |effect| Cell::from(&effect.happened.name).small(&effect.text)))
        .word("phase", |(_, phase)| PHASES[phase])
        .number("length", figure(|figures| number::span(figures.length_s)))
        .number("throughput", figure(|figures| number::rate(figures.throughput_per_s)))
        .number("failed", figure(|figures| number::share(figures.failure_rate)))
        .number("p50", figure(|figures| number::milliseconds(figures.p50_ms)))
        .number("p95", figure(|figures| number::milliseconds(figures.p95_ms)))
        .number("p95 at worst", |row| first(row, |effect| number::milliseconds(effect.worst_p95_ms).into()))
        .number("recovery", |row| first(row, |effect| number::recovery(effect.recovery).into()));
    page.table(&table);
}
