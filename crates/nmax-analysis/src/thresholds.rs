//! Whether the conditions of the plan hold.
//!
//! Times are those of all exchanges together: ok, failed and error. Shares have their own whole: `rate` that
//! of the due iterations, `dropped` likewise, `checks` that of all checks. A condition without samples does not
//! hold. Exchanges cut off at the end count in `response_time` quantiles and `max`: the condition must hold
//! whatever they would have taken. Which requests they belonged to is not known, so for one request or scenario,
//! and in `transaction_time`, the upper bound takes all of them and the lower bound none. Conditions on failures and checks
//! must hold whether all of them or none of them had failed.

use nmax_metrics::{Aggregate, Histogram, LatencySet, LocationStats, Section, TransactionStats};
use nmax_plan::plan::{Scenario, Workload};
use nmax_plan::threshold::{Limit, Metric, Op, Scope, Stat, Threshold, Within};

use crate::lag::EFFECT_MAX;
use crate::scope::{self, Unknown};
use crate::{Evidence, ThresholdResult, quantile_bounds, wording};

const NO_SAMPLES: &str = "no samples";

/// Every condition with what was measured, in the order of the plan.
pub fn thresholds(evidence: &Evidence) -> Vec<ThresholdResult> {
    evaluate_all(evidence).into_iter().map(|evaluated| evaluated.result).collect()
}

/// A result with what a reason needs besides.
pub(crate) struct Evaluated {
    pub(crate) result: ThresholdResult,
    /// Why it does not hold.
    pub(crate) why: Option<String>,
    /// The quantile that it tests and the number of values behind it.
    pub(crate) quantile: Option<(f64, u64)>,
    /// The same without the injector's lag, and whether it then holds; `None` where lag has no part in it.
    pub(crate) without_lag: Option<(f64, bool)>,
}

impl Evaluated {
    /// Whether the injector's lag decides its answer.
    pub(crate) fn lag_decides(&self) -> bool {
        self.without_lag.is_some_and(|(_, holds)| holds != self.result.holds)
    }

    /// Adds the value without lag to why it does not hold, where lag is a large part of it.
    fn tell_lag(&mut self) {
        let (Some(why), Some((without, _)), Some(with)) = (&mut self.why, self.without_lag, self.result.value) else {
            return;
        };
        if with - without > EFFECT_MAX * with {
            why.push_str(&format!(" ({} without the injector's lag)", wording::value(without, self.result.unit)));
        }
    }

    /// Both values, in words.
    pub(crate) fn lag_text(&self) -> Option<String> {
        let ThresholdResult { condition, unit, value, .. } = &self.result;
        let (with, without) = (wording::value((*value)?, unit), wording::value(self.without_lag?.0, unit));
        Some(format!("`{condition}` is not answered: {with} with the injector's lag, {without} without it"))
    }
}

pub(crate) fn evaluate_all(evidence: &Evidence) -> Vec<Evaluated> {
    evaluate(evidence, evidence.plan.thresholds.iter())
}

/// Conditions that end a run (`abort`) and do not hold as far as it has come: their numbers in the plan.
///
/// Looked at once per window. What has no samples yet, and a count that has not yet grown to its lower limit, is no
/// violation. O(request names · buckets).
pub fn violated(evidence: &Evidence) -> Vec<usize> {
    let ending = evidence.plan.thresholds.iter().enumerate();
    let (numbers, conditions): (Vec<usize>, Vec<&Threshold>) =
        ending.filter(|(_, threshold)| threshold.abort.is_some() && !may_grow(threshold)).unzip();
    let evaluated = evaluate(evidence, conditions.into_iter());
    let broken = numbers.into_iter().zip(evaluated);
    broken
        .filter(|(_, evaluated)| evaluated.result.value.is_some() && !evaluated.result.holds)
        .map(|(number, _)| number)
        .collect()
}

/// Whether more time alone may make it hold: a lower limit of a count.
fn may_grow(threshold: &Threshold) -> bool {
    matches!(threshold.op, Op::Above | Op::AtLeast) && matches!(threshold.limit, Limit::Number(_))
}

fn evaluate<'a>(evidence: &Evidence, conditions: impl Iterator<Item = &'a Threshold> + Clone) -> Vec<Evaluated> {
    let needs_whole = conditions.clone().any(|threshold| threshold.within == Within::Whole);
    let whole = needs_whole.then(|| evidence.totals.whole());
    let evaluate = |threshold: &Threshold| match part(evidence, whole.as_ref(), threshold.within) {
        Some(part) => {
            let quantile = quantile_behind(evidence, &part, threshold);
            let mut evaluated = evaluated(threshold, measure(evidence, &part, threshold), quantile);
            if has_lag(threshold.metric) {
                let (op, limit) = (threshold.op, evaluated.result.limit);
                let without_lag = measure(evidence, &Part { lag: Lag::Without, ..part }, threshold).ok();
                let answer =
                    |range: Measured| (range.against(op), op.holds(range.low, limit) && op.holds(range.high, limit));
                evaluated.without_lag = without_lag.map(answer);
                evaluated.tell_lag();
            }
            if let (Within::Last(_), Some(why)) = (threshold.within, &mut evaluated.why) {
                // Whole windows are added up, so it is seldom exactly the length that was asked for.
                why.push_str(&format!(" in the last {} of the hold", wording::time_ms(part.length_s * 1e3)));
            }
            evaluated
        }
        None => evaluated(threshold, Err(NO_SAMPLES.to_owned()), None),
    };
    conditions.map(evaluate).collect()
}

/// Figures of one part of the run's time, all in [`Section::Hold`].
struct Part<'a> {
    aggregate: &'a Aggregate,
    length_s: f64,
    lag: Lag,
}

/// Whether times are as measured, or without what the injector itself added.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lag {
    With,
    Without,
}

/// Times that begin when something is due have the injector's lag in them.
fn has_lag(metric: Metric) -> bool {
    use Metric::{IterationTime, PageTime, ResponseTime, TransactionTime};
    matches!(metric, ResponseTime | TransactionTime | PageTime | IterationTime)
}

impl Part<'_> {
    /// A statistic of what exchanges make up, some of which may have been cut off.
    fn of_exchanges(&self, stats: &TransactionStats, stat: Stat) -> Result<Measured, Unknown> {
        Ok(self.less_lag(&stats.time, stat, maybe_cut_off(&stats.time, self.aggregate, stat)?))
    }

    /// A statistic of iterations that were completed.
    fn of_iterations(&self, times: &Histogram, stat: Stat) -> Result<Measured, Unknown> {
        Ok(self.less_lag(times, stat, distribution(times, &Histogram::new(), stat)?))
    }

    /// Without lag, the least that a figure of `times` may be; which exchange of a group was late is not known.
    ///
    /// A group of k exchanges is longer than without lag by at most the sum of k lags, so of quantiles
    /// `U(q) ≥ T(q − k·ε) − k·L(1 − ε)` for every ε.
    fn less_lag(&self, times: &Histogram, stat: Stat, measured: Measured) -> Measured {
        let lag = &self.aggregate.load(Section::Hold).injector_lag;
        if self.lag == Lag::With || lag.is_empty() || stat == Stat::Count {
            return measured;
        }
        let scenarios = self.aggregate.scenarios.in_section(Section::Hold);
        let iterations = scenarios.map(|stats| stats.completed).sum::<u64>().max(1);
        let k = (lag.count() as f64 / iterations as f64).ceil().max(1.0);
        let ms = |ns: Option<u64>| ns.unwrap_or(0) as f64 / 1e6;
        let least = match stat {
            Stat::Quantile(q) => {
                let of = |e: f64| ms(times.quantile_ns(q - k * e)) - k * ms(lag.quantile_ns(1.0 - e));
                [0.0, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05]
                    .into_iter()
                    .filter(|e| q > k * e)
                    .map(of)
                    .fold(0.0, f64::max)
            }
            Stat::Mean => measured.low - k * lag.mean_ns().unwrap_or(0.0) / 1e6,
            _ => measured.low - k * ms(lag.max_ns()),
        };
        let least = least.clamp(0.0, measured.low);
        Measured { low: least, high: measured.high - (measured.low - least), ..measured }
    }
}

fn part<'a>(evidence: &Evidence<'a>, whole: Option<&'a Aggregate>, within: Within) -> Option<Part<'a>> {
    let (aggregate, length_s) = match within {
        Within::Hold => (evidence.totals, evidence.hold_s()),
        Within::Whole => (whole?, evidence.end.as_secs_f64()),
        Within::Last(length) => {
            let tail = evidence.last.iter().find(|tail| tail.asked == length)?;
            (&tail.aggregate, tail.length.as_secs_f64())
        }
    };
    Some(Part { aggregate, length_s, lag: Lag::With })
}

/// A measured value in the unit of the limit: one number, or the range that cut-off exchanges leave open.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Measured {
    low: f64,
    /// Infinite when nothing bounds it.
    high: f64,
    /// Exchanges that were cut off and of which it is not known whether they would have failed, where that matters.
    undecided: u64,
}

impl Measured {
    const fn exactly(value: f64) -> Self {
        Self { low: value, high: value, undecided: 0 }
    }

    /// The bound that is easier on the condition.
    fn for_it(self, op: Op) -> f64 {
        match op {
            Op::Below | Op::AtMost => self.low,
            Op::Above | Op::AtLeast => self.high,
        }
    }

    /// The bound that is harder on the condition; the lower one when the upper one is not known.
    fn against(self, op: Op) -> f64 {
        match op {
            Op::Below | Op::AtMost if self.high.is_finite() => self.high,
            _ => self.low,
        }
    }
}

fn quantile_behind(evidence: &Evidence, part: &Part, threshold: &Threshold) -> Option<(f64, u64)> {
    let Stat::Quantile(q) = threshold.stat else { return None };
    let count = measure(evidence, part, &Threshold { stat: Stat::Count, ..threshold.clone() }).ok()?;
    Some((q, count.low as u64))
}

fn evaluated(threshold: &Threshold, measured: Result<Measured, Unknown>, quantile: Option<(f64, u64)>) -> Evaluated {
    let (limit, unit) = match threshold.limit {
        Limit::Nanos(ns) => (ns / 1e6, "ms"),
        Limit::Ratio(ratio) => (ratio, "%"),
        Limit::PerSecond(rate) => (rate, "/s"),
        Limit::Number(number) => (number, ""),
    };
    let condition = threshold.text.clone();
    let range = match measured {
        Ok(range) => range,
        Err(why) => {
            let result = ThresholdResult { condition, value: None, limit, unit, margin: None, holds: false };
            return Evaluated { result, why: Some(why), quantile, without_lag: None };
        }
    };
    let op = threshold.op;
    let holds = op.holds(range.low, limit) && op.holds(range.high, limit);
    let value = range.against(op);
    let is_open = holds != op.holds(value, limit);
    let distance = match op {
        Op::Below | Op::AtMost => limit - value,
        Op::Above | Op::AtLeast => value - limit,
    };
    let margin = (limit != 0.0 && !is_open).then(|| distance / limit.abs());
    let is_undecided = range.undecided > 0 && op.holds(range.for_it(op), limit);
    let why = (!holds).then(|| match is_open {
        _ if is_undecided => format!(
            "{} if the {} cut off at the end had failed, {} if not",
            wording::value(value, unit),
            wording::counted(range.undecided, "exchange"),
            wording::value(range.for_it(op), unit)
        ),
        true => format!("at least {}, for exchanges were cut off at the end", wording::value(value, unit)),
        false => format!("measured {}", wording::value(value, unit)),
    });
    let result = ThresholdResult { condition, value: Some(value), limit, unit, margin, holds };
    Evaluated { result, why, quantile, without_lag: None }
}

fn measure(evidence: &Evidence, part: &Part, threshold: &Threshold) -> Result<Measured, Unknown> {
    let scope = &threshold.scope;
    let aggregate = part.aggregate;
    if let Some(location) = scope::location(evidence, aggregate, scope) {
        return at_location(location, part, threshold);
    }
    let time = |pick: fn(&LatencySet) -> &Histogram| {
        let latencies = scope::exchanges(evidence, aggregate, scope)?.latencies();
        distribution(pick(&latencies), &Histogram::new(), threshold.stat)
    };
    match threshold.metric {
        Metric::ResponseTime => {
            let stats = scope::exchanges(evidence, aggregate, scope)?;
            let times = match part.lag {
                Lag::With => stats.latencies().response,
                Lag::Without => stats.response_without_lag(),
            };
            if *scope == Scope::Total {
                return distribution(&times, &aggregate.load(Section::Hold).censored, threshold.stat);
            }
            maybe_cut_off(&times, aggregate, threshold.stat)
        }
        Metric::TransactionTime => part.of_exchanges(&scope::transactions(evidence, aggregate, scope)?, threshold.stat),
        Metric::PageTime => part.of_exchanges(&scope::pages(evidence, aggregate, scope)?, threshold.stat),
        Metric::ServiceTime => time(|latencies| &latencies.service),
        Metric::Ttfb => time(|latencies| &latencies.ttfb),
        Metric::SendLag => time(|latencies| &latencies.send_lag),
        Metric::IterationTime => {
            let (_, times) = scope::iterations(evidence, aggregate, scope)?;
            part.of_iterations(&times, threshold.stat)
        }
        metric => {
            let quantity = quantity(evidence, aggregate, threshold)?;
            let known = quantity.in_unit_of(threshold.limit, part.length_s)?;
            Ok(match (cut_off(aggregate), metric) {
                (0, _) => known,
                (cut_off, Metric::FailureRate | Metric::Errors | Metric::Failed) => {
                    quantity.with_failures(cut_off, threshold.limit)
                }
                (cut_off, Metric::Checks) if threshold.stat != Stat::Count => {
                    quantity.with_checks(cut_off, cut_off * checks_max(evidence))
                }
                _ => known,
            })
        }
    }
}

/// A figure of the users at one location.
fn at_location(location: &LocationStats, part: &Part, threshold: &Threshold) -> Result<Measured, Unknown> {
    let counted = |stats: &TransactionStats, count: u64| match stats.count {
        0 => Err(NO_SAMPLES.to_owned()),
        _ => Quantity { count, of: None }.in_unit_of(threshold.limit, part.length_s),
    };
    let LocationStats { exchanges, iterations, pages } = location;
    match threshold.metric {
        Metric::ResponseTime => part.of_exchanges(exchanges, threshold.stat),
        Metric::PageTime => part.of_exchanges(pages, threshold.stat),
        Metric::IterationTime => part.of_iterations(&iterations.time, threshold.stat),
        Metric::FailureRate if exchanges.count > 0 => {
            let quantity = Quantity { count: exchanges.failed, of: Some(exchanges.count) };
            Ok(quantity.with_failures(cut_off(part.aggregate), threshold.limit))
        }
        Metric::Throughput => counted(exchanges, exchanges.ended_within),
        Metric::Iterations => counted(iterations, iterations.count),
        _ => Err(scope::OF_LOCATIONS.to_owned()),
    }
}

/// As [`distribution`], where any number of the exchanges that were cut off may belong to it.
fn maybe_cut_off(times: &Histogram, aggregate: &Aggregate, stat: Stat) -> Result<Measured, Unknown> {
    let all = distribution(times, &aggregate.load(Section::Hold).censored, stat)?;
    let none = distribution(times, &Histogram::new(), stat)?;
    Ok(Measured { low: none.low, ..all })
}

/// One statistic of a distribution, in ms (the number of values as it is).
fn distribution(times: &Histogram, censored: &Histogram, stat: Stat) -> Result<Measured, Unknown> {
    let ms = |ns: f64| ns / 1e6;
    let known = |value: Option<f64>| value.map(|ns| Measured::exactly(ms(ns))).ok_or_else(|| NO_SAMPLES.to_owned());
    let bounds = |q: f64| {
        let bounds = quantile_bounds(times, censored, q).ok_or_else(|| NO_SAMPLES.to_owned())?;
        let high = bounds.high_ns.map_or(f64::INFINITY, |ns| ms(ns as f64));
        Ok(Measured { low: ms(bounds.low_ns as f64), high, undecided: 0 })
    };
    match stat {
        _ if times.is_empty() => Err(NO_SAMPLES.to_owned()),
        Stat::Count => Ok(Measured::exactly(times.count() as f64)),
        Stat::Mean => known(times.mean_ns()),
        Stat::Min => known(times.min_ns().map(|ns| ns as f64)),
        Stat::Max => bounds(1.0),
        Stat::Quantile(q) => bounds(q),
        Stat::Value => Err("a time needs a statistic, such as `p95`".to_owned()),
    }
}

/// A count and the whole that it is a share of.
struct Quantity {
    count: u64,
    /// `None` when it is no share of anything.
    of: Option<u64>,
}

impl Quantity {
    /// Failures, when each of the exchanges that were `cut_off` may have been one or not.
    fn with_failures(&self, cut_off: u64, limit: Limit) -> Measured {
        let (count, more) = (self.count as f64, cut_off as f64);
        let of = match (limit, self.of) {
            (Limit::Ratio(_), Some(of)) => of as f64 + more,
            _ => 1.0,
        };
        Measured { low: count / of, high: (count + more) / of, undecided: cut_off }
    }

    /// Checks that held, when each of `more` may have held or not, of the exchanges that were `cut_off`.
    fn with_checks(&self, cut_off: u64, more: u64) -> Measured {
        let (count, more) = (self.count as f64, more as f64);
        let of = self.of.unwrap_or(self.count) as f64 + more;
        Measured { low: count / of, high: (count + more) / of, undecided: cut_off }
    }

    fn in_unit_of(&self, limit: Limit, length_s: f64) -> Result<Measured, Unknown> {
        let count = self.count as f64;
        match (limit, self.of) {
            (Limit::Number(_), _) => Ok(Measured::exactly(count)),
            (Limit::PerSecond(_), _) if length_s > 0.0 => Ok(Measured::exactly(count / length_s)),
            (Limit::Ratio(_), Some(of)) if of > 0 => Ok(Measured::exactly(count / of as f64)),
            (Limit::PerSecond(_), _) | (Limit::Ratio(_), Some(_)) => Err(NO_SAMPLES.to_owned()),
            (Limit::Ratio(_), None) => {
                Err("this metric is not a ratio, so it cannot be compared with a percentage".to_owned())
            }
            (Limit::Nanos(_), _) => Err("this metric is not a time".to_owned()),
        }
    }
}

/// Exchanges cut off at the end of this part. Whose they were is not known.
fn cut_off(aggregate: &Aggregate) -> u64 {
    aggregate.load(Section::Hold).censored.count()
}

/// Most checks of a request of the plan.
fn checks_max(evidence: &Evidence) -> u64 {
    let requests = evidence.plan.scenarios.iter().flat_map(Scenario::calls);
    requests.map(|request| request.expect.checks.len() as u64).max().unwrap_or(0)
}

/// A metric that is counted, not timed. An error when nothing happened that could have been counted.
fn quantity(evidence: &Evidence, aggregate: &Aggregate, threshold: &Threshold) -> Result<Quantity, Unknown> {
    let scope = &threshold.scope;
    let unless_empty = |whole: u64, quantity: Quantity| {
        if whole > 0 { Ok(quantity) } else { Err(NO_SAMPLES.to_owned()) }
    };
    match threshold.metric {
        Metric::Rate | Metric::Dropped => load(evidence, aggregate, threshold),
        Metric::Checks => {
            let checks = scope::checks(evidence, aggregate, scope)?;
            let all = checks.passed + checks.failed;
            let count = if threshold.stat == Stat::Count { all } else { checks.passed };
            unless_empty(all, Quantity { count, of: Some(all) })
        }
        Metric::Iterations => {
            let (completed, _) = scope::iterations(evidence, aggregate, scope)?;
            unless_empty(completed, Quantity { count: completed, of: None })
        }
        Metric::FailureRate if matches!(scope, Scope::Transaction(_)) => {
            let stats = scope::transactions(evidence, aggregate, scope)?;
            let quantity = Quantity { count: stats.failed, of: Some(stats.count) };
            unless_empty(stats.count, quantity)
        }
        metric => {
            let stats = scope::exchanges(evidence, aggregate, scope)?;
            let (count, of) = match metric {
                Metric::FailureRate => (stats.failed() + stats.errors(), Some(stats.count())),
                Metric::Errors => (stats.errors(), Some(stats.count())),
                Metric::Failed => (stats.failed(), Some(stats.count())),
                Metric::Bytes => (stats.bytes_received, None),
                Metric::Throughput if threshold.stat != Stat::Count => (stats.ended_within, None),
                _ => (stats.count(), None),
            };
            unless_empty(stats.count(), Quantity { count, of })
        }
    }
}

/// Starts and drops, of the whole traffic. Closed workloads drop only virtual users that never got to start.
fn load(evidence: &Evidence, aggregate: &Aggregate, threshold: &Threshold) -> Result<Quantity, Unknown> {
    if threshold.scope != Scope::Total {
        return Err("starts are counted for the whole traffic only".to_owned());
    }
    let load = aggregate.load(Section::Hold);
    let is_open = matches!(evidence.plan.workload, Workload::Open { .. });
    let relative = matches!(threshold.limit, Limit::Ratio(_));
    match threshold.metric {
        Metric::Rate if relative && !is_open => Err("closed workloads have no intended rate".to_owned()),
        _ if load.started == 0 && load.due == 0 => Err(NO_SAMPLES.to_owned()),
        Metric::Rate => Ok(Quantity { count: load.started, of: Some(load.due) }),
        _ => Ok(Quantity { count: load.dropped().total(), of: Some(load.due.max(load.started)) }),
    }
}

#[cfg(test)]
mod tests;
