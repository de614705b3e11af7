//! Tables of fits for spreadsheets. Numbers keep all their digits, unknown is empty.

use nmax_usl::{Estimate, Outlook, Zone};

use crate::doc::table::Table;
use crate::scalability::{CompareView, FitView, ScaleView, Version, wording};

/// The points with what the law says about each: the table of the text, the page and the JSON.
pub fn points(view: &FitView) -> String {
    let table = Table::from_rows(&view.analysis.points)
        .number("row", |point| point.row.to_string())
        .number("n", |point| exact(Some(point.n)))
        .number("x", |point| exact(Some(point.x)))
        .number("r_ms", |point| exact(point.r_s.map(|s| s * 1e3)))
        .number("capacity", |point| exact(point.capacity))
        .number("efficiency", |point| exact(point.efficiency))
        .number("efficiency_of_law", |point| exact(point.efficiency_of_law))
        .number("fitted", |point| exact(point.fitted))
        .number("band_low", |point| exact(point.band.map(|(low, _)| low)))
        .number("band_high", |point| exact(point.band.map(|(_, high)| high)))
        .number("residual", |point| exact(point.residual))
        .word("zone", |point| point.zone.map_or("", Zone::name));
    super::table(&table)
}

/// What a campaign fitted, in the order of the runs. `nmax usl fit` reads it.
///
/// At settings of the system under test N is the knob's: there `level` is the load, `setting` says the knobs, and
/// `r_ms`, which is that of the load, is empty.
pub fn measured(view: &ScaleView) -> String {
    let table = Table::from_rows(view.levels.iter().filter(|level| level.used))
        .number("n", |level| exact(level.n))
        .number("x", |level| exact(level.x))
        .number("r_ms", |level| exact(level.r_ms.filter(|_| level.setting.is_empty())))
        .number("level", |level| exact(Some(level.level)))
        .word("run", |level| &level.run)
        .word("setting", |level| &level.setting)
        .number("count", |level| count(view, level.number).map_or_else(String::new, |count| count.to_string()));
    super::table(&table)
}

/// Completions behind the throughput of a level.
fn count(view: &ScaleView, number: usize) -> Option<u64> {
    let more = view.versions.iter().map(|version| &version.analysis);
    let mut all = [&view.fit.analysis].into_iter().chain(more).flat_map(|one| &one.observations);
    all.find(|observation| observation.row == number)?.count
}

/// The coefficients of versions, a row per version.
pub fn coefficients(view: &CompareView) -> String {
    let mut table = Table::from_rows(&view.versions)
        .word("version", |version| &version.name)
        .word("method", |version| version.analysis.options.method.name())
        .number("points", |version| version.analysis.observations.len().to_string())
        .word("model", |version| wording::winner(version.analysis.winner));
    for coefficient in &wording::COEFFICIENTS {
        let key = coefficient.key;
        let of = |of: fn(Estimate) -> Option<f64>| {
            move |version: &Version| exact((coefficient.of)(&version.analysis).and_then(of))
        };
        table = table
            .number(key, of(|of| Some(of.estimate)))
            .number(format!("{key}_low"), of(|of| of.low))
            .number(format!("{key}_high"), of(|of| of.high));
    }
    super::table(&table.number("r_squared", |version| exact(version.analysis.fit.as_ref().map(|fit| fit.r_squared))))
}

/// The curves of assumptions; what may not be said is empty.
pub fn curves(outlook: &Outlook) -> String {
    let mut text = String::from("n,law,assumed,optimistic,realistic\n");
    for place in &outlook.curve {
        let cells = [Some(place.n), place.law, place.assumed, place.optimistic, place.realistic].map(exact);
        text.push_str(&format!("{}\n", cells.join(",")));
    }
    text
}

/// Every digit; empty when it is unknown.
fn exact(value: Option<f64>) -> String {
    value.filter(|value| value.is_finite()).map_or_else(String::new, |value| value.to_string())
}
