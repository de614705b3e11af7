//! The shift of sides with too few runs for ranks. How much equal runs differ is then known badly or not at all, so it is
//! taken as large. Failure rates are in [`super::shares`].

use super::rank::Shift;
use super::student::{critical, two_sided};
use super::{ERROR_MAX, Figures, Measured, Metric};

/// Degrees of freedom from which on runs say themselves how much equal ones differ.
pub(super) const KNOWN_DF: f64 = 3.0;
/// Standard deviation of a score that runs have at least, however equal those seen were.
const LEAST: f64 = 0.01;
/// Length of a hold, s, below which runs are taken to differ more: what a host does besides evens out less in them.
const LONG_S: f64 = 30.0;
/// Factor of the assumed deviation when a run says that its injector shared its processors.
const DISTURBED: f64 = 2.0;

/// A variance, and how well it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Variance {
    pub(super) value: f64,
    /// Degrees of freedom; infinite when it is assumed.
    pub(super) df: f64,
}

/// The shift between few runs.
///
/// ```text
/// Δ = mean y − mean x,   s_Δ² = s²·(1/n + 1/m),   interval Δ ± t·s_Δ
/// ```
///
/// s² is the variance of one run's score. With 3 degrees of freedom among the runs compared and their history it is what
/// those show, at least 1 %². With fewer it is assumed:
///
/// ```text
/// s² = a² + b² + c² + d²
/// ```
///
/// - a: what equal runs differ by at least, by metric (5 % of a median, 15 % of a p99), times [`stretch`]
/// - b: standard deviation of the parts of a run: as if a part differed from the next no more than a run from the next.
///   Independent parts would only say b/√parts; but what is noise for minutes looks quiet within one run
/// - c: what the runs compared differ by, where a side has two
/// - d: 1/√n of the run with the fewest exchanges n, where fewer than 3 degrees of freedom are in b: times of which nothing is
///   known are taken to spread as widely as they are long, and a count to be one of a Poisson process. Tails more, as in a
///
/// Degrees of freedom by Welch and Satterthwaite. O(n + m + parts).
pub(super) fn shift(
    metric: Metric,
    (before, x): (&[&Figures], &[f64]),
    (after, y): (&[&Figures], &[f64]),
    history: &[Vec<f64>],
    stretch: f64,
) -> Option<Shift> {
    let groups: Vec<&[f64]> = [x, y].into_iter().chain(history.iter().map(Vec::as_slice)).collect();
    let between = between(&groups);
    let variance = if between.df >= KNOWN_DF {
        Variance { value: between.value.max(LEAST * LEAST), ..between }
    } else {
        let assumed = Variance { value: (stretch * metric.least_deviation()).powi(2), df: f64::INFINITY };
        let within = within(metric, before, after);
        sum(&[assumed, within, between, sampled(metric, within, before, after)])
    };
    let estimate = mean(y)? - mean(x)?;
    let error = (variance.value * (1.0 / x.len() as f64 + 1.0 / y.len() as f64)).sqrt();
    let reach = critical(ERROR_MAX, variance.df) * error;
    Some(Shift { estimate, low: estimate - reach, high: estimate + reach, p: two_sided(estimate / error, variance.df) })
}

/// Factor of the deviation that is assumed of runs.
///
/// ```text
/// √(30 s / hold) of the shortest hold, at least 1;   twice that when a run was disturbed
/// ```
pub(super) fn stretch<'a>(runs: impl Iterator<Item = &'a Measured>) -> f64 {
    let (mut short, mut disturbed) = (1.0_f64, 1.0);
    for run in runs {
        if run.hold_s > 0.0 {
            short = short.max((LONG_S / run.hold_s).sqrt());
        }
        if run.is_disturbed {
            disturbed = DISTURBED;
        }
    }
    short * disturbed
}

/// Variance within groups of equal runs.
fn between(groups: &[&[f64]]) -> Variance {
    let (mut squares, mut df) = (0.0, 0.0);
    for group in groups {
        if let Some(center) = mean(group) {
            squares += group.iter().map(|value| (value - center).powi(2)).sum::<f64>();
            df += group.len() as f64 - 1.0;
        }
    }
    Variance { value: if df > 0.0 { squares / df } else { 0.0 }, df }
}

/// Variance of the parts of each run, as far as it is taken for that of a run.
fn within(metric: Metric, before: &[&Figures], after: &[&Figures]) -> Variance {
    let scores: Vec<Vec<f64>> = before
        .iter()
        .chain(after)
        .map(|one| one.blocks.iter().filter_map(|block| block.score(metric)).collect())
        .collect();
    between(&scores.iter().map(Vec::as_slice).collect::<Vec<_>>())
}

/// Variance of a figure of so few exchanges that the parts of the runs do not tell how much they differ.
fn sampled(metric: Metric, within: Variance, before: &[&Figures], after: &[&Figures]) -> Variance {
    let tail = metric.least_deviation() / Metric::ResponseMean.least_deviation();
    let fewest = before.iter().chain(after).map(|one| one.count.max(1)).min();
    let value = match fewest {
        Some(count) if within.df < KNOWN_DF => tail * tail / count as f64,
        _ => 0.0,
    };
    Variance { value, df: f64::INFINITY }
}

/// A sum of variances; its degrees of freedom by Welch and Satterthwaite.
pub(super) fn sum(parts: &[Variance]) -> Variance {
    let value: f64 = parts.iter().map(|part| part.value).sum();
    let known = parts.iter().filter(|part| part.df > 0.0);
    let uncertainty: f64 = known.map(|part| part.value * part.value / part.df).sum();
    Variance { value, df: if uncertainty > 0.0 { (value * value / uncertainty).max(1.0) } else { f64::INFINITY } }
}

pub(super) fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}
