//! Runs at the same N: whether they agree with each other, and what they say about the law.

use super::{Code, Effect, Facts, Finding};
use crate::analysis::levels::{Level, Noise, counting};
use crate::analysis::wording::{list, number, percent, rows};
use crate::fit::{Fit, Scale};
use crate::observation::Observation;

/// Chance of a false alarm that all runs of the test share.
const FAMILY: f64 = 0.05;
/// Relative deviation that runs are granted when their levels are compared, however well the others agree: noise grows
/// towards the peak, and what blocks should be beyond doubt.
const DEVIATION_GRANTED: f64 = 0.015;
/// Levels of equal runs from which on they are copies and no chance.
const COPIED_LEVELS_MIN: usize = 3;
/// Levels above which a fit without one of them tells nothing new.
const LEFT_OUT_MAX: usize = 50;

/// Levels with at least two runs.
fn replicated<'a>(facts: &Facts<'a>) -> Vec<&'a Level> {
    facts.levels.iter().filter(|level| level.runs.len() > 1).collect()
}

/// Coefficient of variation above the limit, and above twice what counts so small scatter by.
pub(crate) fn spread(facts: &Facts) -> Option<Finding> {
    let deviation = |level: &Level| {
        let mean_weight = level.weight / level.runs.len() as f64;
        (level.squares / mean_weight / (level.runs.len() - 1) as f64).sqrt()
    };
    let limit = facts.options.spread_max;
    let wild: Vec<&Level> = replicated(facts)
        .into_iter()
        .filter(|level| deviation(level) > limit.max(2.0 * level.counting.sqrt()))
        .collect();
    let worst = wild.iter().copied().max_by(|a, b| deviation(a).total_cmp(&deviation(b)))?;
    let text = format!(
        "Replicates scatter by {} at N = {}, above the limit of {}: {}/s. Runs that differ this much measure something \
         besides the load. Longer runs, a quiet machine and a warm-up help; more replicates only average over it. Found at \
         N = {}.",
        percent(deviation(worst)),
        number(worst.n),
        percent(limit),
        throughputs(facts, worst),
        list(wild.iter().map(|level| number(level.n))),
    );
    let found = facts.rows_of(wild);
    Some(Finding::new(Code::ReplicateSpread, Effect::Warn, found, text))
}

/// Runs that agree with each other to the last digit, wherever a load was repeated: copies of rows, which say nothing new.
pub(crate) fn copied(facts: &Facts) -> Option<Finding> {
    let repeated = replicated(facts);
    let is_copied = |level: &Level| {
        let runs = &facts.observations[level.runs.clone()];
        runs.iter().all(|o| o.x == runs[0].x)
    };
    let all = repeated.len() >= COPIED_LEVELS_MIN && repeated.iter().all(|level| is_copied(level));
    let text = "Runs at the same N agree to the last digit, at every N that was repeated. Two measurements never do: these look \
                like copies of rows. They count as evidence here, so all intervals are too narrow and models are told apart \
                too easily. Leave the copies out.";
    all.then(|| Finding::new(Code::CopiedRuns, Effect::Warn, facts.rows_of(repeated), text.to_owned()))
}

fn throughputs(facts: &Facts, level: &Level) -> String {
    list(facts.observations[level.runs.clone()].iter().map(|o| number(o.x)))
}

/// Runs at one N whose intervals exclude each other.
///
/// A run alone has no interval, so it gets that of the noise elsewhere: what replicates at other N differ by, else what
/// the law leaves when it is fitted without this N; never less than its own completions allow. The intervals hold
/// together at 95 % (Bonferroni over all replicates).
pub(crate) fn non_stationary(facts: &Facts) -> Option<Finding> {
    let candidates = replicated(facts);
    let runs: usize = candidates.iter().map(|level| level.runs.len()).sum();
    let tail = FAMILY / (2.0 * runs.max(1) as f64);
    let pooled = Pooled::from_levels(facts.levels);
    let mut quantiles = Vec::new();
    let split: Vec<&Level> = candidates
        .into_iter()
        .filter(|level| {
            let noise = pooled.without(level).unwrap_or_else(|| noise_elsewhere(facts, level));
            let known = quantiles.iter().find(|(df, _)| *df == noise.df).map(|(_, t)| *t);
            let t = known.unwrap_or_else(|| noise.quantile(1.0 - tail));
            if known.is_none() {
                quantiles.push((noise.df, t));
            }
            excludes(facts, level, (t, noise.sd.max(DEVIATION_GRANTED)))
        })
        .collect();
    let first = split.first()?;
    let text = format!(
        "The same load gave different levels: {}/s at N = {}, with intervals that exclude each other ({}). The system was not \
         in one state: a cache, a warm-up, a growing data set, a neighbor, or two configurations in one table. A law needs \
         one system. Find out which of them is the one that is meant, and measure it again. Found at N = {}.",
        throughputs(facts, first),
        number(first.n),
        rows(&first.rows(facts.observations)),
        list(split.iter().map(|level| number(level.n))),
    );
    let found = facts.rows_of(split);
    Some(Finding::new(Code::NonStationary, Effect::Block, found, text))
}

/// Whether two runs of a level lie further apart than their half-widths `t·sd/√w` allow.
fn excludes(facts: &Facts, level: &Level, (t, sd): (f64, f64)) -> bool {
    let runs = &facts.observations[level.runs.clone()];
    let ends = |o: &Observation| {
        let half = t * (sd / o.weight.sqrt()).max(counting(o).sqrt());
        (o.x.ln() - half, o.x.ln() + half)
    };
    let highest_low = runs.iter().map(|o| ends(o).0).fold(f64::NEG_INFINITY, f64::max);
    let lowest_high = runs.iter().map(|o| ends(o).1).fold(f64::INFINITY, f64::min);
    highest_low > lowest_high
}

/// Sums of squares of all replicates.
struct Pooled {
    squares: f64,
    df: usize,
}

impl Pooled {
    fn from_levels(levels: &[Level]) -> Self {
        Self {
            squares: levels.iter().map(|level| level.squares).sum(),
            df: levels.iter().map(|level| level.runs.len() - 1).sum(),
        }
    }

    /// Noise by replicates at other N, when they have three degrees of freedom.
    fn without(&self, level: &Level) -> Option<Noise> {
        const DF_MIN: usize = 3;
        let df = self.df - (level.runs.len() - 1);
        let squares = (self.squares - level.squares).max(0.0);
        (df >= DF_MIN).then(|| Noise::of_residuals(Some((squares, df))))
    }
}

/// Noise by what the law leaves when it is fitted without this level.
fn noise_elsewhere(facts: &Facts, level: &Level) -> Noise {
    let others = || facts.observations.iter().filter(|o| o.n != level.n).cloned().collect::<Vec<_>>();
    let left = (facts.levels.len() <= LEFT_OUT_MAX).then(others).and_then(|others| Noise::left_by_law(&others));
    left.unwrap_or_else(|| Noise::of_residuals(None))
}

/// F test of lack of fit.
///
/// ```text
/// F = [(RSS − SSPE)/(m−k)] / [SSPE/(n−m)] > F(.95)
/// ```
///
/// - SSPE: sum of squares within levels, of relative errors at least what counts so small scatter by; m: distinct N;
///   k: free coefficients
///
/// Source: N. R. Draper, H. Smith, *Applied Regression Analysis* (1998), sect. 2.1.
pub(crate) fn lack_of_fit(facts: &Facts) -> Option<Finding> {
    let fit = facts.fit?;
    let (n, m) = (facts.observations.len(), facts.levels.len());
    let (d1, d2) = (m.checked_sub(fit.k)?, n.checked_sub(m)?);
    let pure = pure_error(facts, fit);
    // Runs that agree to the last digit are copies, which say nothing about noise.
    if d1 == 0 || d2 == 0 || pure <= 1e-12 * fit.rss {
        return None;
    }
    let counting = match fit.scale {
        Scale::Log => facts.levels.iter().map(|level| level.counting).sum::<f64>() / m as f64,
        Scale::Linear => 0.0,
    };
    let f = ((fit.rss - pure).max(0.0) / d1 as f64) / (pure / d2 as f64).max(counting);
    let limit = crate::quantile::fisher(0.95, d1 as f64, d2 as f64);
    if f.is_nan() || f <= limit {
        return None;
    }
    let within = Noise::of_replicates(facts.levels).map_or_else(
        || "what replicates differ by".to_owned(),
        |noise| format!("the {} that replicates differ by", percent(noise.sd)),
    );
    let text = format!(
        "The law misses the levels by more than {within} (lack of fit: F = {}, above {} for {d1} and {d2} degrees of \
         freedom). Its shape is not that of the data, so its intervals are too narrow. Look at the ladder of models and at \
         the residuals over N.",
        number(f),
        number(limit),
    );
    Some(Finding::new(Code::LackOfFit, Effect::Warn, Vec::new(), text))
}

/// Sum of squares within levels, in the units of the fit.
fn pure_error(facts: &Facts, fit: &Fit) -> f64 {
    match fit.scale {
        Scale::Log => facts.levels.iter().map(|level| level.squares).sum(),
        Scale::Linear => {
            let within = |level: &Level| -> f64 {
                let runs = &facts.observations[level.runs.clone()];
                runs.iter().map(|o| o.weight * (o.x - level.x).powi(2)).sum()
            };
            facts.levels.iter().map(within).sum()
        }
    }
}
