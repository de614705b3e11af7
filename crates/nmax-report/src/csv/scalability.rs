//! Tables of fits for spreadsheets. Numbers keep all their digits, unknown is empty.

use nmax_usl::{Outlook, Point};

use super::{harmless, line};
use crate::scalability::{CompareView, FitView, ScaleView, Version, words};

/// The points with what the law says about each: the table of the text, the page and the JSON.
pub fn points(view: &FitView) -> String {
    let header = [
        "row", "n", "x", "r_ms", "capacity", "efficiency", "efficiency_of_law", "fitted", "band_low", "band_high",
        "residual", "zone",
    ];
    let mut text = line(&header.map(str::to_owned));
    for point in &view.analysis.points {
        text.push_str(&line(&cells(point)));
    }
    text
}

fn cells(point: &Point) -> Vec<String> {
    vec![
        point.row.to_string(),
        exact(Some(point.n)),
        exact(Some(point.x)),
        exact(point.r_s.map(|s| s * 1e3)),
        exact(point.capacity),
        exact(point.efficiency),
        exact(point.efficiency_of_law),
        exact(point.fitted),
        exact(point.band.map(|(low, _)| low)),
        exact(point.band.map(|(_, high)| high)),
        exact(point.residual),
        point.zone.map_or("", words::zone).to_owned(),
    ]
}

/// What a campaign fitted, in the order of the runs. `nmax usl fit` reads it.
///
/// At settings of the system under test N is the knob's: there `level` is the load, `setting` says the knobs, and
/// `r_ms`, which is that of the load, is empty.
pub fn measured(view: &ScaleView) -> String {
    let mut text = line(&["n", "x", "r_ms", "level", "run", "setting", "count"].map(str::to_owned));
    for level in view.levels.iter().filter(|level| level.used) {
        text.push_str(&line(&[
            exact(level.n),
            exact(level.x),
            exact(level.r_ms.filter(|_| level.setting.is_empty())),
            exact(Some(level.level)),
            harmless(&level.run).into_owned(),
            harmless(&level.setting).into_owned(),
            count(view, level.number).map_or_else(String::new, |count| count.to_string()),
        ]));
    }
    text
}

/// Completions behind the throughput of a level.
fn count(view: &ScaleView, number: usize) -> Option<u64> {
    let more = view.versions.iter().map(|version| &version.analysis);
    let mut all = [&view.fit.analysis].into_iter().chain(more).flat_map(|one| &one.observations);
    all.find(|observation| observation.row == number)?.count
}

/// The coefficients of versions, a row per version.
pub fn coefficients(view: &CompareView) -> String {
    let mut header = vec!["version".to_owned(), "method".to_owned(), "points".to_owned(), "model".to_owned()];
    for coefficient in &words::COEFFICIENTS {
        let key = coefficient.key;
        header.extend([key.to_owned(), format!("{key}_low"), format!("{key}_high")]);
    }
    header.push("r_squared".into());
    let mut text = line(&header);
    for version in &view.versions {
        text.push_str(&line(&of_version(version)));
    }
    text
}

fn of_version(version: &Version) -> Vec<String> {
    let analysis = &version.analysis;
    let mut cells = vec![
        harmless(&version.name).into_owned(),
        analysis.options.method.name().to_owned(),
        analysis.observations.len().to_string(),
        words::winner(analysis.winner).to_owned(),
    ];
    for coefficient in &words::COEFFICIENTS {
        let of = (coefficient.of)(analysis);
        cells.push(exact(of.map(|of| of.estimate)));
        cells.push(exact(of.and_then(|of| of.low)));
        cells.push(exact(of.and_then(|of| of.high)));
    }
    cells.push(exact(analysis.fit.as_ref().map(|fit| fit.r_squared)));
    cells
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
