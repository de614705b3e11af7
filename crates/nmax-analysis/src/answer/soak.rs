//! Soak: does anything grow, leak or recur?

use nmax_sources::figures;

use crate::period::{Cycle, cycle};
use crate::trend::{Block, Trend, median, trend};
use crate::wording::{digits, share, time_ms};
use crate::{Evidence, Observation, Point};

use super::bound::Figure;
use super::say::{bytes, span};
use super::{Finding, nothing};

/// Growth of a latency over the hold, relative to its median, that is trouble.
const LATENCY_GROWTH_MAX: f64 = 0.05;
/// Growth of the failure rate over the hold that is trouble.
const FAILURES_GROWTH_MAX: f64 = 0.001;
/// Growth of a memory over the hold, relative to its median, below which it is none.
const MEMORY_GROWTH_MIN: f64 = 0.01;
/// Growth of a memory over the hold below which it is none, bytes: buffers and tables of a small process are not
/// touched all at once, which was seen to take some 200 kB in five minutes.
const MEMORY_GROWTH_MIN_BYTES: f64 = 1_048_576.0;
/// Part of the slope that the second half must still have: what fills a cache slows down, what leaks does not.
const STILL_MIN: f64 = 0.25;
/// Factor of p95 from which on a cycle is told, and from which on it is trouble.
const CYCLE_FACTORS: (f64, f64) = (1.2, 1.5);
/// Failure rate within a disturbance beyond the usual one that is told.
const CYCLE_FAILURES_MIN: f64 = 0.01;

/// Slopes of latency, failures and memory over the hold with their intervals, and disturbances that recur.
pub(super) fn answer(evidence: &Evidence) -> (String, Vec<Finding>) {
    let held: Vec<&Point> = evidence.course.points.iter().filter(|point| point.held).collect();
    if held.is_empty() {
        return nothing("the load was never held");
    }
    let memory = evidence.observed.iter().filter(|observation| observation.metric == figures::MEMORY_BYTES);
    let memory = memory.flat_map(|observation| leak(evidence, observation));
    let latency = [("LATENCY_SLOPE", "p50", Figure::P50), ("LATENCY_SLOPE", "p95", Figure::P95)];
    let latency = latency.into_iter().filter_map(|(code, name, figure)| latency_slope(&held, code, name, figure));
    let cycles = [p95_cycle(&held), failure_cycle(&held)].into_iter().flatten();
    let mut findings: Vec<Finding> = memory.chain(latency).chain(failure_slope(&held)).chain(cycles).collect();
    if findings.is_empty() {
        return nothing("the hold was too short for a trend");
    }
    findings.sort_by_key(|finding| !finding.is_trouble);
    let troubles: Vec<&str> =
        findings.iter().filter(|finding| finding.is_trouble).map(|finding| finding.text.as_str()).collect();
    let headline = match troubles.is_empty() {
        true => format!("nothing grows and nothing recurs over {}", span(evidence.hold_s())),
        false => troubles.join("; "),
    };
    (headline, findings)
}

fn latency_slope(held: &[&Point], code: &'static str, name: &str, figure: Figure) -> Option<Finding> {
    let series: Vec<(f64, f64)> =
        held.iter().filter_map(|point| Some((point.start_s / 3_600.0, figure.at(point)?))).collect();
    let found = trend(&series, Block::Median)?;
    let hours = length(&series);
    let usual = median(series.iter().map(|(_, value)| *value))?;
    let grows = found.low > 0.0 && found.slope * hours > LATENCY_GROWTH_MAX * usual;
    let text = format!("{name} of the response times {}: {}", verb(&found), slope(&found, " per hour", signed_ms));
    Some(finding(code, name, text, &found, "ms/h").trouble_if(grows))
}

fn failure_slope(held: &[&Point]) -> Option<Finding> {
    let series: Vec<(f64, f64)> =
        held.iter().filter_map(|point| Some((point.start_s / 3_600.0, point.failure_rate()?))).collect();
    let found = trend(&series, Block::Mean)?;
    let grows = found.low > 0.0 && found.slope * length(&series) > FAILURES_GROWTH_MAX;
    let text = format!("the failure rate {}: {}", verb(&found), slope(&found, " per hour", share));
    Some(finding("FAILURE_SLOPE", "", text, &found, "%/h").trouble_if(grows))
}

fn finding(code: &'static str, subject: &str, text: String, found: &Trend, unit: &'static str) -> Finding {
    Finding::says(code, text).about(subject).value(found.slope, unit).within(found.low, found.high)
}

fn length(series: &[(f64, f64)]) -> f64 {
    match (series.first(), series.last()) {
        (Some(first), Some(last)) => last.0 - first.0,
        _ => 0.0,
    }
}

/// A slope and its interval.
fn slope(found: &Trend, per: &str, told: fn(f64) -> String) -> String {
    format!("{}{per} (95 %: {} to {})", told(found.slope), told(found.low), told(found.high))
}

fn verb(found: &Trend) -> &'static str {
    match (found.low > 0.0, found.high < 0.0) {
        (true, _) => "grows",
        (_, true) => "falls",
        _ => "neither grows nor falls for sure",
    }
}

fn signed_ms(ms: f64) -> String {
    if ms < 0.0 { format!("-{}", time_ms(-ms)) } else { time_ms(ms) }
}

/// The slope of a memory over the hold, and when it would be used up.
fn leak(evidence: &Evidence, observation: &Observation) -> Vec<Finding> {
    let within = |at: nmax_metrics::Nanos| at >= evidence.hold.0 && at <= evidence.hold.1;
    let values = observation.values.iter().filter(|(at, _)| within(*at));
    let series: Vec<(f64, f64)> = values.map(|(at, value)| (at.as_secs_f64() / 60.0, *value)).collect();
    let Some(found) = trend(&series, Block::Median) else {
        return Vec::new();
    };
    let second_half = trend(&series[series.len() / 2..], Block::Median);
    // Too few readings of the second half do not say that it stopped.
    let goes_on = second_half.is_none_or(|second| second.slope >= STILL_MIN * found.slope);
    let usual = median(series.iter().map(|(_, value)| *value)).unwrap_or(0.0);
    let matters = found.slope * length(&series) >= (MEMORY_GROWTH_MIN * usual).max(MEMORY_GROWTH_MIN_BYTES);
    let leaks = found.low > 0.0 && goes_on && matters;
    let name = &observation.name;
    let grows = match (leaks, found.low > 0.0) {
        (true, _) => "grows and does not stop",
        (false, true) if !goes_on => "grew, but no longer does",
        (false, true) => "grows by too little to be a leak",
        _ => verb(&found),
    };
    let text = format!("memory of `{name}` {grows}: {}", slope(&found, "/min", bytes));
    let growth = finding("MEMORY_SLOPE", name, text, &found, "bytes/min").trouble_if(leaks);
    let exhaustion = if leaks { exhaustion(evidence, name, &series, &found) } else { None };
    std::iter::once(growth).chain(exhaustion).collect()
}

/// When the memory reaches its limit at this slope.
fn exhaustion(evidence: &Evidence, name: &str, series: &[(f64, f64)], found: &Trend) -> Option<Finding> {
    let limits =
        evidence.observed.iter().filter(|known| known.name == *name && known.metric == figures::MEMORY_LIMIT_BYTES);
    let limit = limits.filter_map(|known| known.values.last()).map(|(_, value)| *value).next()?;
    // The line at the end of the hold, not the last value: that may be any place of a sawtooth.
    let residuals = series.iter().map(|(minutes, value)| value - found.slope * minutes);
    let level = median(residuals)? + found.slope * series.last()?.0;
    let left = (limit - level).max(0.0);
    let seconds = |slope: f64| left / slope * 60.0;
    let text = format!(
        "memory of `{name}` is used up ({}) in about {} (95 %: {} to {})",
        bytes(limit),
        span(seconds(found.slope)),
        span(seconds(found.high)),
        span(seconds(found.low))
    );
    let finding = Finding::says("MEMORY_EXHAUSTED", text).about(name).value(seconds(found.slope), "s");
    Some(finding.within(seconds(found.high), seconds(found.low)).trouble_if(true))
}

/// A disturbance of p95 that recurs.
fn p95_cycle(held: &[&Point]) -> Option<Finding> {
    let (found, width_s) = recurring(held, Figure::P95)?;
    let factor = found.disturbed / found.usual;
    let text = cycle_text(&found, width_s, &format!("p95 is {} times what it is otherwise", digits(factor)));
    let finding = Finding::says("CYCLE", text).about("p95").value(found.period * width_s, "s");
    (factor >= CYCLE_FACTORS.0).then(|| finding.trouble_if(factor >= CYCLE_FACTORS.1))
}

/// Failures that recur.
fn failure_cycle(held: &[&Point]) -> Option<Finding> {
    let (found, width_s) = recurring(held, Figure::Failures)?;
    let what = format!("{} fail, otherwise {}", share(found.disturbed), share(found.usual));
    let text = cycle_text(&found, width_s, &what);
    let finding = Finding::says("CYCLE", text).about("failure rate").value(found.period * width_s, "s");
    (found.disturbed - found.usual >= CYCLE_FAILURES_MIN).then(|| finding.trouble_if(true))
}

fn cycle_text(found: &Cycle, width_s: f64, what: &str) -> String {
    let every = span(found.period * width_s);
    let length = match found.length > 1.0 {
        true => format!("about {}", span(found.length * width_s)),
        // A point tells no more than that.
        false => format!("{} or less", span(width_s)),
    };
    format!("every {every}, for {length}, {what}")
}

/// The cycle of a figure over points of equal width, and that width, s. A point without the figure has the usual one.
fn recurring(held: &[&Point], figure: Figure) -> Option<(Cycle, f64)> {
    let width_s = median(held.iter().map(|point| point.width_s))?;
    let even = held.iter().filter(|point| (point.width_s / width_s - 1.0).abs() < 1e-6);
    let values: Vec<Option<f64>> = even.map(|point| figure.at(point)).collect();
    let usual = median(values.iter().copied().flatten())?;
    let values: Vec<f64> = values.into_iter().map(|value| value.unwrap_or(usual)).collect();
    Some((cycle(&values)?, width_s))
}
