//! Usable capacity from tests: the largest load that was run, there and at every lower load with the objective met.
//!
//! Never the peak of a curve, and never a point on a fitted one. Loads and rates are per second of one node, times ms.

use nmax_text::number::{counted, plain};
use nmax_usl::quantile::student_t;

use super::queue::Queue;

#[cfg(test)]
mod tests;

/// Runs that a level needs.
pub const RUNS_MIN: usize = 3;
/// Runs from which an interval of the median is given as well.
const RUNS_FOR_MEDIAN: usize = 6;
/// How far the achieved rate may lie below its target.
const SHORTFALL_MAX: f64 = 0.02;
/// How close the bracket is bisected, as a share of its lower end.
pub const BRACKET: f64 = 0.05;
/// Most runs that a level is said to need.
const RUNS_WORTH: usize = 30;

/// What users are promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// The quantile that is limited, such as 0.99.
    pub quantile: f64,
    /// Its limit, ms.
    pub limit_ms: f64,
    /// Largest share of requests that may fail.
    pub failure_rate_max: f64,
}

/// One run at a load.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TestedRun {
    /// The quantile of the response time that the objective limits, ms.
    pub quantile_ms: f64,
    /// Share of requests that failed.
    pub failure_rate: f64,
    /// Rate that was achieved, per second; `None` when it was not recorded.
    pub achieved_per_s: Option<f64>,
}

/// A load and its runs.
#[derive(Clone, Debug, PartialEq)]
pub struct TestedLevel {
    /// Intended load, per second.
    pub load_per_s: f64,
    /// Every run that was valid.
    pub runs: Vec<TestedRun>,
}

/// What a level says of the objective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The interval lies within the objective.
    Met,
    /// It does not lie within, and these runs leave it open.
    Open,
    /// It lies outside.
    Missed,
}

/// A level with its verdict.
#[derive(Clone, Debug, PartialEq)]
pub struct JudgedLevel {
    /// Intended load, per second.
    pub load_per_s: f64,
    /// Number of runs.
    pub runs: usize,
    /// Geometric mean of the quantile over runs, ms.
    pub mean_ms: f64,
    /// Its 95 % interval, ms; `None` with a single run.
    pub interval_ms: Option<(f64, f64)>,
    /// Interval of its median, of at least 95 %; `None` with fewer than six runs.
    pub median_ms: Option<(f64, f64)>,
    /// Upper end of the 95 % interval of the failure rate.
    pub failure_rate_high: f64,
    /// Achieved over intended rate, the mean of its runs.
    pub achieved: Option<f64>,
    /// Whether the objective is met.
    pub verdict: Verdict,
    /// Why it is not met; empty when it is.
    pub why: String,
    /// How many more runs would be enough if they are like these; `None` when more runs do not help.
    pub runs_missing: Option<usize>,
}

/// The usable capacity that tests show.
#[derive(Clone, Debug, PartialEq)]
pub struct Tested {
    /// Every level, by its load.
    pub levels: Vec<JudgedLevel>,
    /// Largest load that meets the objective, as all lower ones do, per second.
    pub pass_per_s: Option<f64>,
    /// The next load above it, which does not meet the objective, per second.
    pub fail_per_s: Option<f64>,
    /// The load to test next, per second; `None` when the bracket is narrow enough.
    pub next_per_s: Option<f64>,
}

/// Judges levels by the objective, and finds the bracket of the usable capacity.
///
/// A level is met when the upper end of the 95 % interval of the quantile over its runs, and that of the failure rate,
/// are within their limits, at least three runs were made, and the rate was achieved to within 2 %. The interval is that
/// of Student's t on the logarithms of the quantiles.
pub fn judge(levels: &[TestedLevel], objective: &Objective) -> Tested {
    let mut judged: Vec<JudgedLevel> =
        levels.iter().filter(|level| !level.runs.is_empty()).map(|level| one(level, objective)).collect();
    judged.sort_by(|a, b| a.load_per_s.total_cmp(&b.load_per_s));
    let met = judged.iter().take_while(|level| level.verdict == Verdict::Met).count();
    let pass_per_s = met.checked_sub(1).map(|last| judged[last].load_per_s);
    let fail_per_s = judged.get(met).map(|level| level.load_per_s);
    let next_per_s = match (pass_per_s, fail_per_s) {
        (Some(pass), Some(fail)) => ((fail - pass) / pass > BRACKET).then(|| f64::midpoint(pass, fail)),
        (Some(pass), None) => Some(pass * 1.25),
        (None, Some(fail)) => Some(fail / 2.0),
        (None, None) => None,
    };
    Tested { levels: judged, pass_per_s, fail_per_s, next_per_s: next_per_s.map(rounded) }
}

/// How the quantile grows from the lowest level to the largest that meets the objective, beside a queue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// The quantile at the larger load over that at the lower, as measured.
    pub measured: f64,
    /// The same for M/M/1 that saturates at the given throughput.
    pub queue: f64,
}

impl Growth {
    /// Whether the queue explains it, to within a quarter.
    pub fn is_queueing(&self) -> bool {
        self.measured <= 1.25 * self.queue
    }
}

impl Tested {
    /// The growth of the quantile beside that of a queue with a known throughput at saturation, per second. `None` with
    /// fewer than two levels below it.
    pub fn growth(&self, saturation_per_s: f64) -> Option<Growth> {
        let queue = |load_per_s: f64| {
            Queue { servers: 1, service_s: 1.0 / saturation_per_s, arrival_rate_per_s: load_per_s }.response_s()
        };
        let first = self.levels.first()?;
        let last = self.levels.iter().rfind(|level| Some(level.load_per_s) == self.pass_per_s)?;
        let (from, to) = (queue(first.load_per_s)?, queue(last.load_per_s)?);
        (last.load_per_s > first.load_per_s)
            .then(|| Growth { measured: last.mean_ms / first.mean_ms, queue: to / from })
    }
}

/// To three digits: a load that a person can type.
fn rounded(load: f64) -> f64 {
    let step = 10_f64.powf((load.log10().floor() - 2.0).max(-3.0));
    (load / step).round() * step
}

fn one(level: &TestedLevel, objective: &Objective) -> JudgedLevel {
    let count = level.runs.len();
    let logs: Vec<f64> = level.runs.iter().map(|run| run.quantile_ms.ln()).collect();
    let (mean, half) = interval(&logs);
    let limit = objective.limit_ms.ln();
    let failures: Vec<f64> = level.runs.iter().map(|run| run.failure_rate).collect();
    let (failure_mean, failure_half) = interval(&failures);
    let failure_rate_high = (failure_mean + failure_half.unwrap_or(0.0)).min(1.0);
    let rates: Option<Vec<f64>> = level.runs.iter().map(|run| run.achieved_per_s).collect();
    let achieved = rates.map(|rates| rates.iter().sum::<f64>() / count as f64 / level.load_per_s);
    let interval_ms = half.map(|half| ((mean - half).exp(), (mean + half).exp()));
    let ms = |value: f64| format!("{} ms", plain(value));
    let (limit_ms, failure_max) = (objective.limit_ms, objective.failure_rate_max);
    let percent = |share: f64| format!("{} %", plain(100.0 * share));
    let short = achieved.filter(|achieved| *achieved < 1.0 - SHORTFALL_MAX);
    let (verdict, why) = match interval_ms {
        _ if short.is_some() => {
            let achieved = percent(short.unwrap_or_default());
            (Verdict::Missed, format!("only {achieved} of the load was achieved"))
        }
        Some((low, _)) if low > limit_ms => {
            (Verdict::Missed, format!("the interval begins at {}, above {}", ms(low), ms(limit_ms)))
        }
        None if mean > limit => (Verdict::Open, format!("one run, {}, above {}", ms(mean.exp()), ms(limit_ms))),
        _ if count < RUNS_MIN => {
            (Verdict::Open, format!("{}, and {RUNS_MIN} are the least", counted(count as u64, "run")))
        }
        Some((_, high)) if high > limit_ms => {
            (Verdict::Open, format!("the interval reaches {}, above {}", ms(high), ms(limit_ms)))
        }
        _ if failure_mean - failure_half.unwrap_or(0.0) > failure_max => (
            Verdict::Missed,
            format!("{} of requests failed, more than {}", percent(failure_mean), percent(failure_max)),
        ),
        _ if failure_rate_high > failure_max => {
            let reached = percent(failure_rate_high);
            (Verdict::Open, format!("the failure rate may be {reached}, above {}", percent(failure_max)))
        }
        _ => (Verdict::Met, String::new()),
    };
    let missing = match verdict {
        Verdict::Open if failure_rate_high <= failure_max || count < RUNS_MIN => enough(&logs, limit),
        _ => None,
    };
    JudgedLevel {
        load_per_s: level.load_per_s,
        runs: count,
        mean_ms: mean.exp(),
        interval_ms,
        median_ms: median(&level.runs),
        failure_rate_high,
        achieved,
        verdict,
        why,
        runs_missing: missing.map(|enough| enough.saturating_sub(count).max(1)),
    }
}

/// Mean and half of its 95 % interval, t(.975, k−1)·s/√k; no interval from a single value.
fn interval(values: &[f64]) -> (f64, Option<f64>) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.len() < 2 {
        return (mean, None);
    }
    let variance = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (count - 1.0);
    (mean, Some(student_t(0.975, count - 1.0) * (variance / count).sqrt()))
}

/// Runs with which the interval would lie below `limit`, if their mean and deviation stay; `None` when that many are
/// not worth it, or the mean lies above. With a single run the deviation is not known, and three are asked for.
fn enough(logs: &[f64], limit: f64) -> Option<usize> {
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    if mean >= limit {
        return None;
    }
    if logs.len() < 2 {
        return Some(RUNS_MIN);
    }
    let sd = (logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0)).sqrt();
    (RUNS_MIN..=RUNS_WORTH).find(|runs| {
        let runs = *runs as f64;
        mean + student_t(0.975, runs - 1.0) * sd / runs.sqrt() <= limit
    })
}

/// The interval of the median between two order statistics, with a coverage of at least 95 % by the binomial
/// distribution with ½.
fn median(runs: &[TestedRun]) -> Option<(f64, f64)> {
    let count = runs.len();
    if count < RUNS_FOR_MEDIAN {
        return None;
    }
    let mut values: Vec<f64> = runs.iter().map(|run| run.quantile_ms).collect();
    values.sort_by(f64::total_cmp);
    // P(at most k of the runs lie below the median), from k = 0 up.
    let (mut term, mut below, mut index) = (0.5_f64.powi(count as i32), 0.0, 0);
    while below + term <= 0.025 {
        below += term;
        index += 1;
        term *= (count - index + 1) as f64 / index as f64;
    }
    let index = index.checked_sub(1)?;
    Some((values[index], values[count - 1 - index]))
}
