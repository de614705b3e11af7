//! Flood: all at once: does it settle, how soon, and how bad is it before?

use crate::change::change;
use crate::trend::{median, scaled_mad};
use crate::wording::{share, time_ms};
use crate::{Evidence, Point};

use super::bound::{Figure, bounds};
use super::say::span;
use super::{Finding, nothing};

/// Fewest points with load.
const POINTS_MIN: usize = 12;
/// Part of the run that shows its final level.
const FINAL_PART: usize = 3;
/// Growth from the first to the second half of the final part from which on nothing has settled.
const GROWTH_MAX: f64 = 0.1;
/// Standard errors that a growth is beyond chance.
const ERRORS: f64 = 4.0;
/// Standard deviations around the final level that belong to it.
const DEVIATIONS: f64 = 3.0;
/// What belongs to the final level of response times at least.
const BAND_MIN: f64 = 0.1;
/// What belongs to the final failure rate at least.
const FAILURES_BAND_MIN: f64 = 0.01;

/// Settling time, the worst moment, and whether it settles at all.
///
/// The limits are those of the final level: its median over the last third of the run, and three standard deviations
/// (from the median absolute one), at least a tenth, above it. It has settled at the most likely change point from
/// points outside to points inside (see [`crate::change`]), so single points do not count.
pub(super) fn answer(evidence: &Evidence) -> (String, Vec<Finding>) {
    let loaded = |point: &&Point| point.level > 0.0;
    // It begins with the load, also when no reply comes for long.
    let begin_s = evidence.course.points.iter().find(loaded).map_or(0.0, |point| point.start_s);
    let answered = |point: &&Point| loaded(point) && point.response.is_some();
    let points: Vec<&Point> = evidence.course.points.iter().filter(answered).collect();
    if points.len() < POINTS_MIN {
        return nothing("the run was too short to be cut into points");
    }
    let end = &points[points.len() - points.len() / FINAL_PART..];
    let level = Level::from_points(end);
    let inside: Vec<bool> = points.iter().map(|point| level.contains(point)).collect();
    let settled = change(&inside).filter(|found| found.at < points.len() - end.len());
    // What is as it stays from the first reply on was never otherwise.
    let since_s = |place: usize| match place {
        0 => 0.0,
        _ => points[place].start_s - begin_s,
    };
    let grows = growth(end);
    let settling = match (settled, grows) {
        (Some(found), None) => {
            let text = match found.at {
                0 => "it is settled from the beginning".to_owned(),
                at => format!("it settles after {}", span(since_s(at))),
            };
            Finding::says("SETTLING_TIME", format!("{text}: {}", level.text()))
                .value(since_s(found.at), "s")
                .within(since_s(found.low.saturating_sub(1)), since_s(found.high))
        }
        (_, Some(growth)) => {
            let text = format!("it does not settle: p95 still grows by {} in the last third", share(growth));
            Finding::says("SETTLING_TIME", text).trouble_if(true)
        }
        (None, None) => {
            let length_s = points[points.len() - 1].end_s() - begin_s;
            let text = format!("it does not settle within {}", span(length_s));
            Finding::says("SETTLING_TIME", text).trouble_if(true)
        }
    };
    let worst = worst(&points, begin_s);
    let headline = match worst.first() {
        Some(worst) => format!("{}; {}", settling.text, worst.text),
        None => settling.text.clone(),
    };
    let findings = std::iter::once(settling).chain(worst).chain(too_bad(evidence, end));
    (headline, findings.collect())
}

/// Highest values that belong to the final level.
struct Level {
    p95_ms: f64,
    p95_max_ms: f64,
    failures_max: f64,
    failures: f64,
}

impl Level {
    fn from_points(end: &[&Point]) -> Self {
        let band = |figure: Figure, least: fn(f64) -> f64| {
            let values: Vec<f64> = end.iter().filter_map(|point| figure.at(point)).collect();
            let middle = median(values.iter().copied()).unwrap_or(0.0);
            let deviation = scaled_mad(&values, middle).unwrap_or(0.0);
            (middle, middle + (DEVIATIONS * deviation).max(least(middle)))
        };
        let (p95_ms, p95_max_ms) = band(Figure::P95, |middle| BAND_MIN * middle);
        let (failures, failures_max) = band(Figure::Failures, |_| FAILURES_BAND_MIN);
        Self { p95_ms, p95_max_ms, failures_max, failures }
    }

    fn contains(&self, point: &Point) -> bool {
        let within = |value: Option<f64>, limit: f64| value.is_none_or(|value| value <= limit);
        within(point.p95_ms(), self.p95_max_ms) && within(point.failure_rate(), self.failures_max)
    }

    fn text(&self) -> String {
        format!("p95 is then about {}, {} fail", time_ms(self.p95_ms), share(self.failures))
    }
}

/// How much p95 grows from the first to the second half of the final part, relative to its median, beyond chance.
fn growth(end: &[&Point]) -> Option<f64> {
    let half = |points: &[&Point]| {
        let values: Vec<f64> = points.iter().filter_map(|point| point.p95_ms()).collect();
        let middle = median(values.iter().copied())?;
        // Standard error of a median of normal values.
        Some((middle, 1.253 * scaled_mad(&values, middle)? / (values.len() as f64).sqrt()))
    };
    let (first, second) = end.split_at(end.len() / 2);
    let ((before, before_error), (after, after_error)) = (half(first)?, half(second)?);
    let growth = (after - before) / before;
    let is_sure = after - before > ERRORS * before_error.hypot(after_error);
    (is_sure && growth > GROWTH_MAX).then_some(growth)
}

/// The worst moments: of p95, and of failures if there are some.
fn worst(points: &[&Point], begin_s: f64) -> Vec<Finding> {
    let most = |figure: Figure| {
        let values = points.iter().filter_map(|point| Some((figure.at(point)?, point.start_s - begin_s)));
        // Of equal moments the first one.
        values.reduce(|most, next| if next.0 > most.0 { next } else { most })
    };
    let p95 = most(Figure::P95).map(|(p95_ms, at_s)| {
        let text = format!("p95 was worst with {}, {} after the beginning", time_ms(p95_ms), span(at_s));
        Finding::says("WORST_P95", text).value(p95_ms, "ms")
    });
    let failures = most(Figure::Failures).filter(|(rate, _)| *rate > 0.0).map(|(rate, at_s)| {
        let text = format!("most failed {} after the beginning: {}", span(at_s), share(rate));
        Finding::says("WORST_FAILURES", text).value(rate, "%")
    });
    p95.into_iter().chain(failures).collect()
}

/// Limits of the plan that the final level does not keep.
fn too_bad<'a>(evidence: &'a Evidence, end: &'a [&Point]) -> impl Iterator<Item = Finding> + 'a {
    let of_all = bounds(evidence, &[]).into_iter().filter(|bound| bound.request.is_none());
    of_all.filter_map(|bound| {
        let level = median(end.iter().filter_map(|point| bound.figure.at(point)))?;
        let unit = bound.figure.unit();
        let text = format!(
            "{} is {} in the last third, allowed are {}",
            bound.subject(),
            crate::wording::value(level, unit),
            bound.limit_text()
        );
        (level > bound.limit).then(|| Finding::says("FINAL_LEVEL", text).value(level, unit).trouble_if(true))
    })
}
