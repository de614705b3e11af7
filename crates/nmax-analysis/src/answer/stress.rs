//! Stress: at which load does the system break, and what breaks first?

use nmax_plan::plan::Workload;
use nmax_plan::profile::full;

use crate::change::{Crossing, crossing};
use crate::trend::median;
use crate::wording::value;
use crate::{Evidence, Point};

use super::bound::{Bound, Figure, TIMES_FIRST, bounds, failures_max};
use super::say::{load, load_unit, span};
use super::{Finding, nothing, pooled, rate};

/// Share of the ramp that shows how the system is without much load.
const FIRST_SHARE: f64 = 0.1;
/// Fewest points of it.
const FIRST_POINTS_MIN: usize = 5;
/// Share of the intended iterations that must be done before throughput counts as left behind.
const DONE_MIN: f64 = 0.95;
/// Intended iterations that are joined to tell whether they were done.
const JOINED_MIN: f64 = 400.0;
/// Points on each side of the break that tell what was achieved.
const AROUND_POINTS: usize = 5;
/// Loads around the knee whose throughput is that of the knee.
const NEAR_KNEE: f64 = 0.1;

/// The break point with its interval, what broke first, what was achieved, and the knee of the throughput.
///
/// The break point is the load from which on a limit is left for good: the crossing of the sequence that says of each
/// point of the ramp whether the limit is left (see [`crate::change`]).
pub(super) fn answer(evidence: &Evidence) -> (String, Vec<Finding>) {
    let ramp = rising(&evidence.course.points);
    let (Some(top), true) = (ramp.last(), ramp.len() >= FIRST_POINTS_MIN) else {
        return nothing("the ramp was too short to be cut into points");
    };
    let plan = evidence.plan;
    let bounds = bounds(evidence, &first(&ramp));
    let mut breaks: Vec<Break> = bounds.iter().filter_map(|bound| Break::find(evidence, bound)).collect();
    breaks.sort_by(|a, b| a.level.total_cmp(&b.level));
    let Some(main) = breaks.first() else {
        let text = format!("no break point up to {}: {}", load(plan, top.level), kept(&bounds));
        let finding = Finding::says("BREAK_POINT", text.clone());
        return (text, std::iter::once(finding).chain(knee(evidence, &ramp)).collect());
    };
    let request = first_request(evidence, main);
    let mut findings = vec![main.finding(evidence, request.as_deref())];
    let headline = findings[0].text.clone();
    findings.push(main.broke_first(request.as_deref()));
    findings.push(achieved(evidence, &ramp, main));
    findings.extend(breaks.iter().skip(1).map(|other| other.also(evidence)));
    findings.extend(knee(evidence, &ramp));
    (headline, findings)
}

/// The points up to the end of the highest level, as far as load was planned in them.
fn rising(points: &[Point]) -> Vec<&Point> {
    let top = points.iter().map(|point| point.level).fold(0.0, f64::max);
    let last = points.iter().rposition(|point| point.level >= 0.999 * top && top > 0.0);
    let until = last.map_or(0, |last| last + 1);
    points[..until].iter().filter(|point| point.level > 0.0).collect()
}

/// The points of the lowest tenth of the ramp.
fn first<'a>(ramp: &[&'a Point]) -> Vec<&'a Point> {
    let top = ramp.last().map_or(0.0, |point| point.level);
    let low = ramp.iter().take_while(|point| point.level <= FIRST_SHARE * top).count();
    let share = (ramp.len() as f64 * FIRST_SHARE).ceil() as usize;
    let count = if low >= FIRST_POINTS_MIN { low } else { share.max(FIRST_POINTS_MIN) };
    ramp.iter().copied().take(count).collect()
}

fn kept(bounds: &[Bound]) -> String {
    let kept: Vec<String> =
        bounds.iter().map(|bound| format!("{} stayed within {}", bound.subject(), bound.limit_text())).collect();
    kept.join(", ")
}

/// Where a limit is left for good.
struct Break<'b> {
    bound: &'b Bound,
    /// Load, and its interval.
    level: f64,
    low: f64,
    high: f64,
    /// When, seconds since the run's origin.
    at_s: f64,
}

impl<'b> Break<'b> {
    fn find(evidence: &Evidence, bound: &'b Bound) -> Option<Self> {
        let ramp = rising(bound.points(evidence));
        let points: Vec<(&Point, bool)> =
            ramp.into_iter().filter_map(|point| Some((point, bound.figure.at(point)? > bound.limit))).collect();
        let loads: Vec<(f64, bool)> = points.iter().map(|(point, left)| (point.level, *left)).collect();
        let found = crossing(&loads)?;
        let ramp: Vec<&Point> = points.iter().map(|(point, _)| *point).collect();
        let exact = bound.figure.quantile().and_then(|q| pooled::crossing(&ramp, q, bound.limit));
        let found = exact.map_or(found, |(at, low, high)| Crossing { at, low, high });
        let (first, _) = points.iter().find(|(point, _)| point.level >= found.at).or(points.last())?;
        Some(Self { bound, level: found.at, low: found.low, high: found.high, at_s: first.start_s })
    }

    fn interval_text(&self, evidence: &Evidence) -> String {
        let plan = evidence.plan;
        format!("(95 %: {} to {})", load(plan, self.low), load(plan, self.high))
    }

    fn finding(&self, evidence: &Evidence, request: Option<&str>) -> Finding {
        let plan = evidence.plan;
        let nominal = full(&plan.workload);
        let of = request.map_or(String::new(), |name| format!(", first at `{name}`"));
        let text = format!(
            "break point at {} {}, {} of the intended load: beyond it {} is above {} for good{of}",
            load(plan, self.level),
            self.interval_text(evidence),
            value(self.level / nominal, "%"),
            self.bound.subject(),
            self.bound.limit_text()
        );
        Finding::says("BREAK_POINT", text)
            .value(self.level, load_unit(plan))
            .within(self.low, self.high)
            .trouble_if(self.level < nominal)
    }

    fn broke_first(&self, request: Option<&str>) -> Finding {
        let at = request.map_or(String::new(), |name| format!(" at `{name}`"));
        let text = format!("first broke {}{at}, {} after the beginning", self.bound.subject(), span(self.at_s));
        Finding::says("BROKE_FIRST", text).about(request.unwrap_or(""))
    }

    fn also(&self, evidence: &Evidence) -> Finding {
        let text = format!(
            "{} left {} for good at {} {}",
            self.bound.subject(),
            self.bound.limit_text(),
            load(evidence.plan, self.level),
            self.interval_text(evidence)
        );
        Finding::says("LIMIT_LEFT", text)
            .about(self.bound.request.as_deref().unwrap_or(""))
            .value(self.level, load_unit(evidence.plan))
            .within(self.low, self.high)
    }
}

fn achieved(evidence: &Evidence, ramp: &[&Point], main: &Break) -> Finding {
    let before = ramp.iter().take_while(|point| point.start_s < main.at_s).count();
    let until = (before + AROUND_POINTS).min(ramp.len());
    let last = &ramp[before.saturating_sub(AROUND_POINTS)..until];
    let per_s = |count: fn(&Point) -> u64| {
        let of = |point: &&Point| count(point) as f64 / point.width_s;
        median(last.iter().map(of)).unwrap_or(0.0)
    };
    let (iterations, exchanges) = (per_s(|point| point.iterations), per_s(|point| point.exchanges));
    let text = format!(
        "where it broke, at {}, the system did {} iterations and {} exchanges",
        load(evidence.plan, main.level),
        value(iterations, "/s"),
        value(exchanges, "/s")
    );
    Finding::says("ACHIEVED", text).value(iterations, "/s")
}

/// The request whose own figure leaves its own first values, or the limit of failures, before all others.
fn first_request(evidence: &Evidence, main: &Break) -> Option<String> {
    if let Some(request) = &main.bound.request {
        return Some(request.clone());
    }
    let figure = main.bound.figure;
    let mut earliest: Option<(f64, f64, &str)> = None;
    for (name, points) in &evidence.course.requests {
        let ramp = rising(points);
        let limit = match figure {
            Figure::Failures => failures_max(evidence),
            _ => match median(first(&ramp).into_iter().filter_map(|point| figure.at(point))) {
                Some(usual) => TIMES_FIRST * usual,
                None => continue,
            },
        };
        let values = ramp.iter().filter_map(|point| Some((point.level, figure.at(point)?)));
        let values: Vec<(f64, f64)> = values.collect();
        let left: Vec<(f64, bool)> = values.iter().map(|(level, value)| (*level, *value > limit)).collect();
        let Some(found) = crossing(&left) else { continue };
        // What left its usual range beyond the break did not cause it.
        if found.low > main.high {
            continue;
        }
        let beyond = values.iter().filter(|(level, _)| *level >= found.at);
        let ratio = median(beyond.map(|(_, value)| value / limit.max(1e-9))).unwrap_or(0.0);
        // Of requests that left it together the one that is further off shows it more.
        let is_first = earliest.is_none_or(|(at, known, _)| found.high < at || (found.low <= at && ratio > known));
        if is_first {
            earliest = Some((found.at, ratio, name));
        }
    }
    match (earliest, evidence.course.requests.as_slice()) {
        (_, [(only, _)]) => Some(only.clone()),
        (earliest, _) => earliest.map(|(_, _, name)| name.to_owned()),
    }
}

/// Where throughput stops to follow the load, if it does.
fn knee(evidence: &Evidence, ramp: &[&Point]) -> Option<Finding> {
    match evidence.plan.workload {
        Workload::Open { .. } => left_behind(evidence, ramp),
        Workload::Closed { .. } => asymptotes(evidence, ramp),
    }
}

/// Open: the rate from which on fewer than 95 % of the intended iterations are done.
///
/// Points are joined until chance moves their number by a twentieth only.
fn left_behind(evidence: &Evidence, ramp: &[&Point]) -> Option<Finding> {
    let mut behind = Vec::new();
    let (mut first, mut intended, mut done) = (0, 0.0, 0);
    for (place, point) in ramp.iter().enumerate() {
        intended += point.level * point.width_s;
        done += point.iterations;
        if intended >= JOINED_MIN {
            let load = (ramp[first].level + point.level) / 2.0;
            behind.push((load, (done as f64) < DONE_MIN * intended));
            (first, intended, done) = (place + 1, 0.0, 0);
        }
    }
    let found = crossing(&behind)?;
    let text = format!(
        "from {} on fewer iterations are done than intended; {} are the most",
        load(evidence.plan, found.at),
        value(best(ramp)?.0, "/s")
    );
    let finding = Finding::says("KNEE", text).value(found.at, load_unit(evidence.plan));
    Some(finding.within(found.low, found.high))
}

/// Closed: the number of users at which the line of the first users meets the highest throughput.
///
/// ```text
/// N* = X(max) / (X/N at the beginning)
/// ```
///
/// Source: P. J. Denning, J. P. Buzen, *The operational analysis of queueing network models*, 1978.
fn asymptotes(evidence: &Evidence, ramp: &[&Point]) -> Option<Finding> {
    let per_user = |point: &&Point| point.iterations as f64 / point.width_s / point.level;
    let single = median(first(ramp).iter().map(per_user)).filter(|rate| *rate > 0.0)?;
    let (most, most_at) = best(ramp)?;
    let (knee, top) = (most / single, ramp.last()?.level);
    if knee >= DONE_MIN * top {
        return None;
    }
    let near = |point: &&&Point| (point.level / knee - 1.0).abs() <= NEAR_KNEE;
    let near: Vec<&Point> = ramp.iter().filter(near).copied().collect();
    let text = format!(
        "knee at about {} with {} iterations: beyond it more users bring ever less; the most is {} at about {}",
        load(evidence.plan, knee),
        rate(&near).map_or_else(|| "–".to_owned(), |rate| value(rate, "/s")),
        value(most, "/s"),
        load(evidence.plan, most_at.round())
    );
    Some(Finding::says("KNEE", text).value(knee, load_unit(evidence.plan)))
}

/// Most iterations per second over a tenth of the ramp, and the load there. Single points would show chance.
fn best(ramp: &[&Point]) -> Option<(f64, f64)> {
    let windows = ramp.windows(ramp.len().div_ceil(10).max(1));
    let of = |window: &[&Point]| {
        let level = window.iter().map(|point| point.level).sum::<f64>() / window.len() as f64;
        Some((rate(window)?, level))
    };
    windows.filter_map(of).max_by(|a, b| a.0.total_cmp(&b.0))
}
