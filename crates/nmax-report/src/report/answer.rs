//! What a run says beyond its numbers: the answer of its profile, steadiness, effects of interventions.

use nmax_analysis::{Effect, Figures};

use super::Part;
use crate::doc::table::{Cell, Table};
use crate::doc::{Item, Mark, Media, Section};
use crate::markup::clip;
use crate::number;
use crate::view::{View, findings};

pub(super) const SECTIONS: &[Part] = &[answer, steady, timeline];

/// Most characters of a text.
const TEXT_MAX: usize = 600;
/// Parts of the time of an intervention.
const PHASES: [&str; 3] = ["before", "during", "after"];
/// Most interventions and findings shown.
const ROWS_MAX: usize = 50;
const SHORT_MAX: usize = 12;

fn answer(view: &View) -> Option<Section> {
    let answer = view.judgement.answer.as_ref()?;
    let line = |finding: &nmax_analysis::Finding| {
        let mark = if finding.is_trouble { Mark::Warning } else { Mark::Point };
        Item::new(mark, &finding.text).code(finding.code)
    };
    let observed = view.summary.observed.iter().map(|row| {
        let [first, last, max] = [row.first, row.last, row.max].map(|value| number::metric(value, &row.metric));
        let name = number::metric_name(&row.metric);
        Item::new(Mark::Point, format!("{} {name}: {first} at first, {last} at last, {max} at most", row.name))
    });
    Some(Section::new("profile", &format!("Profile {}", answer.profile.name())).with(|body| {
        body.items([Item::new(Mark::Answer, clip(&answer.headline, TEXT_MAX))]);
        body.on(Media::TERMINAL).some_items(findings(answer).map(line), SHORT_MAX, "findings").items(observed);
        body.on(Media::PAPER).some_items(findings(answer).map(line), ROWS_MAX, "findings");
    }))
}

fn steady(view: &View) -> Option<Section> {
    let steadiness = view.judgement.steadiness.as_ref()?;
    let plain = |value: Option<f64>| number::or_unknown(value, |value| format!("{value:.2}"));
    let table = Table::from_rows(&steadiness.series)
        .word("series", |test| test.name)
        .share("drift", |test| test.drift)
        .share("limit", |test| test.drift_limit)
        .number("KPSS", |test| plain(test.kpss))
        .number("ADF", |test| plain(test.adf))
        .word("", |test| match test.holds {
            Some(true) if test.drift.is_some_and(|drift| drift.abs() > test.drift_limit) => "~ within its noise".into(),
            Some(true) => Cell::mark(Mark::Pass, "steady"),
            Some(false) => Cell::mark(Mark::Fail, "not steady"),
            None => "– not tested".into(),
        });
    let section = Section::new("steady", "Steady state");
    let section = if steadiness.holds == Some(false) { section } else { section.appendix() };
    Some(section.with(|body| {
        body.on(if steadiness.holds == Some(false) { Media::PAPER } else { Media::PAGE }).text(&steadiness.text);
        body.on(Media::PAGE).table(table);
        body.note(
            "Not steady is what drifts beyond the limit and whose KPSS is above 0.739: drift alone may be noise.",
        );
    }))
}

/// A row for each part of the time of an intervention; what is said of all of it stands once.
fn timeline(view: &View) -> Option<Section> {
    let effects = &view.judgement.effects;
    let rows = effects.iter().take(ROWS_MAX).flat_map(|effect| (0..PHASES.len()).map(move |phase| (effect, phase)));
    let figure = |of: fn(&Figures) -> String| {
        move |(effect, phase): (&Effect, usize)| number::or_unknown(effect.phases[phase].as_ref(), of)
    };
    let first = |(effect, phase): (&Effect, usize), of: fn(&Effect) -> Cell| match phase {
        0 => of(effect),
        _ => Cell::default(),
    };
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
    Section::new("timeline", "Timeline")
        .with(|body| {
            body.on(Media::TERMINAL).some_items(effects.iter().map(told), SHORT_MAX, "interventions");
            body.on(Media::PAPER).table(table);
        })
        .said()
}

fn told(effect: &Effect) -> Item {
    let mark = match (&effect.happened.error, effect.recovery.seconds()) {
        (None, Some(_)) => Mark::Answer,
        _ => Mark::Warning,
    };
    let phases = PHASES.iter().zip(&effect.phases).filter_map(|(name, figures)| {
        let figures = figures.as_ref()?;
        Some(Item::plain(format!(
            "{name}: {} over {}, {} failed, p50 {}, p95 {}",
            number::rate(figures.throughput_per_s),
            number::span(figures.length_s),
            number::share(figures.failure_rate),
            number::milliseconds(figures.p50_ms),
            number::milliseconds(figures.p95_ms)
        )))
    });
    let worst = effect
        .worst_p95_ms
        .map_or_else(String::new, |ms| format!("; p95 {} at worst until then", number::milliseconds(Some(ms))));
    let recovery = Item::plain(format!("recovery: {}{worst}", number::recovery(effect.recovery)));
    Item::new(mark, &effect.text).below(phases.chain([recovery]).collect())
}
