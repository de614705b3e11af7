//! Steady state: whether the numbers of the hold stand still, by MSER-5, drift and KPSS.
//!
//! Only stretches of one planned level are compared: the longest such part of the hold. Raw exchanges are never
//! tested, for they depend on each other; stretches with few exchanges are joined until each holds ten. A series is
//! *not steady* when it drifts beyond its limit **and** KPSS rejects a constant level: a test alone calls one
//! correct run in a hundred unsteady, a drift alone may be noise. ADF is shown and decides nothing.
//!
//! Steadiness is a property of the system under test. It never decides a verdict.

use crate::course::{Course, Point};
use crate::wording::{share, time_ms};

mod series;
pub(crate) mod stationary;

pub(crate) use series::level_part;
use series::{Series, joined};
use stationary::{KPSS_CRITICAL, adf, drift, kpss, mser5};

/// Fewest stretches that say anything.
pub const POINTS_MIN: usize = 60;
/// Fewest exchanges of a stretch.
pub const EXCHANGES_MIN: u64 = 10;
/// A transient of more than one in this many parts of the hold is not left out: nothing tells it from a drift.
const TRANSIENT_PART: usize = 4;
/// Drift of throughput over the hold that is accepted, of its median.
pub const THROUGHPUT_DRIFT_MAX: f64 = 0.02;
/// Drift of response times over the hold that is accepted, of their median.
pub const LATENCY_DRIFT_MAX: f64 = 0.05;

/// Whether the measurements of the hold stand still.
#[derive(Clone, Debug, PartialEq)]
pub struct Steadiness {
    /// `None` when there are too few stretches to tell.
    pub holds: Option<bool>,
    /// Beginning of the hold that is a transient by MSER-5, seconds; `None` when there are too few stretches, or
    /// when half of the hold does not bring its end.
    pub transient_s: Option<f64>,
    /// By series: throughput, mean response time, p95.
    pub series: Vec<SeriesTest>,
    /// One sentence for a person.
    pub text: String,
}

/// Tests of one series.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesTest {
    /// `throughput`, `response mean`, `response p95`.
    pub name: &'static str,
    /// Change over the hold, of the median, with its sign; from the Theil–Sen slope.
    pub drift: Option<f64>,
    /// Largest drift that is accepted, either way.
    pub drift_limit: f64,
    /// KPSS statistic.
    pub kpss: Option<f64>,
    /// ADF statistic; decides nothing.
    pub adf: Option<f64>,
    /// Whether it stands still.
    pub holds: Option<bool>,
}

/// Tests the part of the hold with one planned level; `None` when there is no such part.
///
/// O(n·√√n) for n stretches, and at most 5,000 slopes for each series.
pub fn steadiness(course: &Course) -> Option<Steadiness> {
    let part = level_part(&course.points);
    if part.is_empty() {
        return None;
    }
    let (points, is_joined) = joined(part);
    if points.len() < POINTS_MIN {
        let is_elsewhere = |points: &[Point]| points.iter().any(|point| point.exchanges > 0);
        if !is_elsewhere(part) && is_elsewhere(&course.points) {
            return Some(not_tested("the load is held at no level, as in ramps and replays".to_owned()));
        }
        return Some(too_short(part, points.len()));
    }
    let series = Series::all(&points, is_joined);
    let batches: Vec<Option<usize>> = series.iter().map(|series| mser5(&series.values)).collect();
    // The longest transient counts for all; one that reaches the middle is not known to have ended.
    let settled = batches.iter().try_fold(0, |most, cut| cut.map(|cut| most.max(cut)));
    let skipped = settled.filter(|cut| cut * TRANSIENT_PART <= points.len()).unwrap_or(0);
    let tests: Vec<SeriesTest> = series.iter().map(|series| test(series, skipped)).collect();
    let begins_s = points[0].start_s;
    let transient_s = settled.and_then(|cut| Some(points.get(cut)?.start_s - begins_s));
    let holds = Some(tests.iter().all(|test| test.holds != Some(false)));
    let text = text(&tests, skipped, &points);
    Some(Steadiness { holds, transient_s, series: tests, text })
}

/// Whether nearly all of the hold has one planned level.
pub(crate) fn is_at_one_level(course: &Course) -> bool {
    let held = course.points.iter().filter(|point| point.held).count();
    level_part(&course.points).len() * 10 >= held * 9
}

/// The tests of what follows a short transient.
fn test(series: &Series, skipped: usize) -> SeriesTest {
    let rest = &series.values[skipped.min(series.values.len())..];
    let drift = drift(rest);
    let kpss = kpss(rest);
    let moves = drift.map(|drift| drift.abs() > series.drift_limit);
    let holds = match (moves, kpss) {
        (Some(moves), Some(kpss)) => Some(!(moves && kpss > KPSS_CRITICAL)),
        _ => None,
    };
    SeriesTest { name: series.name, drift, drift_limit: series.drift_limit, kpss, adf: adf(rest), holds }
}

/// What was found of the points, without the first `skipped`.
fn text(tests: &[SeriesTest], skipped: usize, points: &[Point]) -> String {
    let length_s = |points: &[Point]| points.iter().map(|point| point.width_s).sum::<f64>();
    let (whole, transient) = (length_s(points), length_s(&points[..skipped.min(points.len())]));
    let moving: Vec<String> = tests
        .iter()
        .filter(|test| test.holds == Some(false))
        .map(|test| {
            let drift = test.drift.unwrap_or_default();
            let way = if drift < 0.0 { "fell" } else { "rose" };
            let (by, limit) = (share(drift.abs()), share(test.drift_limit));
            format!("{} {way} by {by} (limit {limit})", test.name)
        })
        .collect();
    // Of short noise, MSER-5 often takes a batch or two.
    let over = match transient >= 0.1 * whole {
        true => format!(
            "{} of the hold, after a transient of {}",
            time_ms((whole - transient) * 1e3),
            time_ms(transient * 1e3)
        ),
        false => format!("{} of the hold", time_ms(whole * 1e3)),
    };
    match moving.is_empty() {
        true => format!("steady over {over}"),
        false => format!("not steady: over {over}, {}", moving.join(", ")),
    }
}

/// Says how long the hold has to be.
fn too_short(part: &[Point], found: usize) -> Steadiness {
    let length: f64 = part.iter().map(|point| point.width_s).sum();
    let exchanges: u64 = part.iter().map(|point| point.exchanges).sum();
    let width = length / part.len().max(1) as f64;
    // A stretch takes as long as ten exchanges do, and never less than a window.
    let stretch = match exchanges {
        0 => None,
        n => Some((EXCHANGES_MIN as f64 * length / n as f64 / width).ceil().max(1.0) * width),
    };
    let needed = match stretch {
        Some(stretch) => format!("hold for at least {}", time_ms(stretch * POINTS_MIN as f64 * 1e3)),
        None => "no exchange ended in it".to_owned(),
    };
    not_tested(format!(
        "the hold at one level has {} of at least {EXCHANGES_MIN} exchanges, {POINTS_MIN} are needed; {needed}",
        crate::wording::counted(found as u64, "stretch").replace("stretchs", "stretches"),
    ))
}

fn not_tested(why: String) -> Steadiness {
    Steadiness { holds: None, transient_s: None, series: Vec::new(), text: format!("not tested: {why}") }
}

#[cfg(test)]
mod tests;
