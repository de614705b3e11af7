//! Ladder: 1, 10, 100, ... users: where does trouble with concurrency begin?

use nmax_plan::plan::Workload;
use nmax_plan::schedule::{StageKind, phases};

use crate::course::Pool;
use crate::interval::{CONFIDENCE, quantile_ranks};
use crate::trend::median;
use crate::wording::{share, time_ms, value};
use crate::{Evidence, Point};

use super::bound::{Figure, failures_max};
use super::say::{load, load_unit};
use super::{Finding, nothing, rate};

/// Factor of a latency from one step to the next that is trouble.
const LATENCY_FACTOR_MAX: f64 = 2.0;
/// Share of the throughput per user that may be lost from one step to the next.
const LOSS_MAX: f64 = 0.2;
/// Exchanges that a point needs for a p95 of its own.
const EXCHANGES_MIN: u64 = 20;

/// The first step with trouble against the step before: failures, latency, throughput per user; then every step.
pub(super) fn answer(evidence: &Evidence) -> (String, Vec<Finding>) {
    let steps = steps(evidence);
    let Some(first) = steps.first() else {
        return nothing("no step of the ladder was measured");
    };
    let plan = evidence.plan;
    let mut findings: Vec<Finding> = Vec::new();
    for (place, step) in steps.iter().enumerate() {
        let before = place.checked_sub(1).map(|before| &steps[before]);
        findings = trouble(evidence, step, before);
        if !findings.is_empty() {
            break;
        }
    }
    let headline = match findings.first() {
        Some(first) => first.text.clone(),
        None => format!(
            "no trouble with concurrency from {} to {}",
            load(plan, first.level),
            load(plan, steps.last().unwrap_or(first).level)
        ),
    };
    findings.extend(steps.iter().map(|step| step.finding(evidence)));
    (headline, findings)
}

/// One level of the ladder.
struct Step<'a> {
    level: f64,
    /// Its time, seconds since the run's origin.
    span_s: (f64, f64),
    points: Vec<&'a Point>,
}

fn steps<'a>(evidence: &Evidence<'a>) -> Vec<Step<'a>> {
    let stages = &evidence.plan.stages;
    let held = stages.iter().zip(phases(stages));
    let held = held.filter(|(stage, _)| stage.kind == StageKind::Hold && stage.from == stage.to && stage.to > 0.0);
    let step = |(stage, phase): (&nmax_plan::schedule::Stage, nmax_plan::schedule::Phase)| {
        let start_s = phase.span.start_ns as f64 / 1e9;
        let end_s = phase.span.end_ns.map_or(f64::INFINITY, |end_ns| end_ns as f64 / 1e9);
        let points = settled(within(&evidence.course.points, (start_s, end_s)));
        Step { level: stage.to, span_s: (start_s, end_s), points }
    };
    held.map(step).filter(|step| step.exchanges() > 0).collect()
}

/// The points that lie in a span of time.
fn within(points: &[Point], (start_s, end_s): (f64, f64)) -> Vec<&Point> {
    const ROUNDING_S: f64 = 1e-6;
    let inside = |point: &&Point| point.start_s >= start_s - ROUNDING_S && point.end_s() <= end_s + ROUNDING_S;
    points.iter().filter(inside).collect()
}

/// Without the first one, in which the users of the step only begin, where there are others.
fn settled(mut points: Vec<&Point>) -> Vec<&Point> {
    if points.len() >= 4 {
        points.remove(0);
    }
    points
}

/// Response times of several points.
#[derive(Clone, Copy)]
struct Times {
    name: &'static str,
    value_ms: f64,
    low_ms: f64,
    high_ms: f64,
}

impl Step<'_> {
    fn exchanges(&self) -> u64 {
        self.points.iter().map(|point| point.exchanges).sum()
    }

    fn failure_rate(&self) -> f64 {
        failure_rate(&self.points)
    }

    /// Iterations per user and second, or of those intended.
    fn per_level(&self) -> Option<f64> {
        rate(&self.points).filter(|rate| *rate > 0.0).map(|rate| rate / self.level)
    }

    fn finding(&self, evidence: &Evidence) -> Finding {
        let unit = load_unit(evidence.plan);
        let times =
            times(&self.points).map_or(String::new(), |times| format!(", {} {}", times.name, time_ms(times.value_ms)));
        let per_s = self.per_level().map_or(0.0, |per_level| per_level * self.level);
        let text = format!(
            "at {}: {} iterations, {} of the exchanges failed{times}",
            load(evidence.plan, self.level),
            value(per_s, "/s"),
            share(self.failure_rate())
        );
        Finding::says("STEP", text).value(self.level, unit)
    }
}

fn failure_rate(points: &[&Point]) -> f64 {
    let sum = |count: fn(&Point) -> u64| points.iter().map(|point| count(point)).sum::<u64>() as f64;
    sum(|point| point.failed) / sum(|point| point.exchanges).max(1.0)
}

/// The p95 of all exchanges of the points; their mean where too few points have enough exchanges for a p95 of their own,
/// which its interval needs. The interval is that of the median of the points' own figures, in proportion: exchanges that
/// follow each other depend on each other, and points do less.
fn times(points: &[&Point]) -> Option<Times> {
    let enough = points.iter().filter(|point| point.exchanges >= EXCHANGES_MIN).count();
    let (name, figure) = match 2 * enough > points.len() {
        true => ("p95", Figure::P95),
        false => ("mean", Figure::Mean),
    };
    let mut values: Vec<f64> = points.iter().filter_map(|point| figure.at(point)).collect();
    values.sort_unstable_by(f64::total_cmp);
    let (low, high) = quantile_ranks(values.len() as u64, 0.5, CONFIDENCE).unwrap_or((1, values.len() as u64));
    let typical_ms = median(values.iter().copied())?;
    let value_ms = match figure {
        Figure::P95 => Pool::from_spreads(points.iter().map(|point| &point.spread)).quantile_ms(0.95)?,
        _ => mean_ms(points)?,
    };
    let scale = value_ms / typical_ms;
    Some(Times {
        name,
        value_ms,
        low_ms: scale * values.get(low as usize - 1)?,
        high_ms: scale * values.get(high as usize - 1)?,
    })
}

/// Mean of the response times of all exchanges of the points, ms.
fn mean_ms(points: &[&Point]) -> Option<f64> {
    let weighted = |point: &&Point| Some((point.response?.mean_ms * point.exchanges as f64, point.exchanges as f64));
    let (sum, count) = points.iter().filter_map(weighted).fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    (count > 0.0).then(|| sum / count)
}

/// The same of the same figure in two steps.
fn both(step: &[&Point], before: &[&Point]) -> Option<(Times, Times)> {
    let (now, then) = (times(step)?, times(before)?);
    if now.name == then.name {
        return Some((now, then));
    }
    let exact = |value_ms| Times { name: "mean", value_ms, low_ms: value_ms, high_ms: value_ms };
    Some((exact(mean_ms(step)?), exact(mean_ms(before)?)))
}

fn is_slower(now: &Times, then: &Times) -> bool {
    now.value_ms > LATENCY_FACTOR_MAX * then.value_ms && now.low_ms > then.high_ms
}

fn trouble(evidence: &Evidence, step: &Step, before: Option<&Step>) -> Vec<Finding> {
    let plan = evidence.plan;
    let unit = load_unit(plan);
    let at = load(plan, step.level);
    let first = |code, text: String, subject: Option<String>| {
        let shown = subject.as_ref().map_or(String::new(), |name| format!("; `{name}` shows it first"));
        let text = format!("first trouble with concurrency at {at}: {text}{shown}");
        Finding::says(code, text).about(subject.as_deref().unwrap_or("")).value(step.level, unit).trouble_if(true)
    };
    let mut findings = Vec::new();
    let (failing, limit) = (step.failure_rate(), failures_max(evidence));
    if failing > limit {
        let subject = worst(evidence, |points| failure_rate(&within(points, step.span_s)));
        let text = format!("{} of the exchanges fail, allowed are {}", share(failing), share(limit));
        findings.push(first("LADDER_FAILURES", text, subject));
    }
    let Some(before) = before else { return findings };
    let since = load(plan, before.level);
    if let Some((now, then)) = both(&step.points, &before.points)
        && is_slower(&now, &then)
    {
        let subject = worst(evidence, |points| growth(points, step, before));
        let text = format!(
            "{} of the response times is {}, at {since} it was {}",
            now.name,
            time_ms(now.value_ms),
            time_ms(then.value_ms)
        );
        findings.push(first("LADDER_LATENCY", text, subject));
    }
    if let (Some(now), Some(then)) = (step.per_level(), before.per_level())
        && now < (1.0 - LOSS_MAX) * then
    {
        let lost = share(1.0 - now / then);
        let text = match plan.workload {
            Workload::Closed { .. } => format!("each user gets {lost} fewer iterations done than at {since}"),
            Workload::Open { .. } => format!("of the intended iterations {lost} fewer are done than at {since}"),
        };
        let subject = worst(evidence, |points| growth(points, step, before));
        findings.push(first("LADDER_THROUGHPUT", text, subject));
    }
    findings
}

/// How many times slower a request is than in the step before; 0 when it is not known.
fn growth(points: &[Point], step: &Step, before: &Step) -> f64 {
    let of = |span_s| settled(within(points, span_s));
    both(&of(step.span_s), &of(before.span_s)).map_or(0.0, |(now, then)| now.value_ms / then.value_ms)
}

/// The request for which a figure is largest.
fn worst(evidence: &Evidence, figure: impl Fn(&[Point]) -> f64) -> Option<String> {
    let requests = evidence.course.requests.iter();
    let figures = requests.map(|(name, points)| (name, figure(points))).filter(|(_, value)| *value > 0.0);
    figures.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(name, _)| name.clone())
}
