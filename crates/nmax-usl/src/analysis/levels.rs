//! Observations by their N, and how much they scatter.

use std::ops::Range;

use crate::fit::{self, Method};
use crate::observation::Observation;

/// Relative deviation below which no load test is trusted: rounded figures and copies look more precise than they are.
const DEVIATION_MIN: f64 = 0.001;
/// Relative deviation that is assumed when the data cannot tell their own.
const DEVIATION_ASSUMED: f64 = 0.05;
/// Degrees of freedom from which the deviation of replicates is preferred to that of residuals.
const REPLICATES_DF_MIN: usize = 3;

/// The observations at one N.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Level {
    /// N.
    pub n: f64,
    /// Where they are among the observations, which are sorted by N.
    pub runs: Range<usize>,
    /// Weighted mean of X, per second.
    pub x: f64,
    /// Weighted mean of ln X.
    pub ln_x: f64,
    /// Weighted sum of squares of ln X about its mean.
    pub squares: f64,
    /// Sum of weights.
    pub weight: f64,
    /// Mean variance of ln X of a run by its count, 1/completions; 0 where nothing was counted.
    pub counting: f64,
}

impl Level {
    fn from_runs(runs: Range<usize>, observations: &[Observation]) -> Self {
        let here = &observations[runs.clone()];
        let weight: f64 = here.iter().map(|o| o.weight).sum();
        let mean = |value: &dyn Fn(&Observation) -> f64| here.iter().map(|o| o.weight * value(o)).sum::<f64>() / weight;
        let ln_x = mean(&|o| o.x.ln());
        let squares = here.iter().map(|o| o.weight * (o.x.ln() - ln_x).powi(2)).sum();
        let counting = here.iter().map(counting).sum::<f64>() / here.len() as f64;
        Self { n: here[0].n, x: mean(&|o| o.x), ln_x, squares, weight, counting, runs }
    }

    /// Neighbors taken together, at the N in their middle.
    pub(crate) fn merged(levels: &[Self]) -> Self {
        let weight: f64 = levels.iter().map(|level| level.weight).sum();
        let mean = |value: &dyn Fn(&Self) -> f64| levels.iter().map(|l| l.weight * value(l)).sum::<f64>() / weight;
        let ln_x = mean(&|level| level.ln_x);
        let between = levels.iter().map(|level| level.weight * (level.ln_x - ln_x).powi(2));
        Self {
            n: levels[levels.len() / 2].n,
            x: mean(&|level| level.x),
            ln_x,
            squares: levels.iter().map(|level| level.squares).sum::<f64>() + between.sum::<f64>(),
            weight,
            counting: levels.iter().map(|level| level.counting).sum::<f64>() / levels.len() as f64,
            runs: levels[0].runs.start..levels[levels.len() - 1].runs.end,
        }
    }

    /// Its rows in the data.
    pub(crate) fn rows(&self, observations: &[Observation]) -> Vec<usize> {
        observations[self.runs.clone()].iter().map(|o| o.row).collect()
    }
}

/// Variance of ln X of a run by its count: 1/completions, as if they came independently of each other. Those of a closed
/// system are more regular, so this is rather too much. 0 where nothing was counted.
pub(crate) fn counting(observation: &Observation) -> f64 {
    observation.count.map_or(0.0, |count| 1.0 / count.max(1) as f64)
}

/// Groups observations, sorted by N, into levels; O(n).
pub(crate) fn levels(observations: &[Observation]) -> Vec<Level> {
    let mut start = 0;
    let groups = observations.chunk_by(|a, b| a.n == b.n);
    groups
        .map(|group| {
            let runs = start..start + group.len();
            start = runs.end;
            Level::from_runs(runs, observations)
        })
        .collect()
}

/// Where a deviation comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoiseOrigin {
    /// From what replicates differ by.
    Replicates,
    /// From what the law leaves.
    Residuals,
    /// From nothing: 5 % are assumed.
    Assumed,
}

/// Relative deviation of one run: of ln X at weight 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Noise {
    /// Standard deviation of ln X.
    pub sd: f64,
    /// Degrees of freedom behind it; infinite when assumed.
    pub df: f64,
    /// Where it comes from.
    pub source: NoiseOrigin,
}

impl Noise {
    /// Noise as the data tell it: by replicates when they have three degrees of freedom, else by residuals of the law
    /// (`rss` of ln X with `df`), else 5 %.
    pub(crate) fn estimate(levels: &[Level], residual: Option<(f64, usize)>) -> Self {
        Self::of_replicates(levels).unwrap_or_else(|| Self::of_residuals(residual))
    }

    /// By replicates alone.
    pub(crate) fn of_replicates(levels: &[Level]) -> Option<Self> {
        let df: usize = levels.iter().map(|level| level.runs.len() - 1).sum();
        let squares: f64 = levels.iter().map(|level| level.squares).sum();
        (df >= REPLICATES_DF_MIN).then(|| Self::new((squares / df as f64).sqrt(), df as f64, NoiseOrigin::Replicates))
    }

    pub(crate) fn of_residuals(residual: Option<(f64, usize)>) -> Self {
        match residual {
            Some((rss, df)) if df >= 1 && rss.is_finite() => {
                Self::new((rss / df as f64).sqrt(), df as f64, NoiseOrigin::Residuals)
            }
            _ => Self::new(DEVIATION_ASSUMED, f64::INFINITY, NoiseOrigin::Assumed),
        }
    }

    /// By what the law leaves when it is fitted to these runs alone; `None` below two degrees of freedom.
    pub(crate) fn left_by_law(runs: &[Observation]) -> Option<Self> {
        let fit = fit::fit(runs, Method::Log).ok()?;
        let df = fit.n.checked_sub(fit.k).filter(|df| *df >= 2)?;
        Some(Self::of_residuals(Some((fit.rss, df))))
    }

    fn new(sd: f64, df: f64, source: NoiseOrigin) -> Self {
        Self { sd: sd.max(DEVIATION_MIN), df, source }
    }

    /// Variance of a level's mean of ln X, never less than its completions allow.
    pub(crate) fn of_mean(&self, level: &Level) -> f64 {
        (self.sd.powi(2) / level.weight).max(level.counting / level.runs.len() as f64)
    }

    /// Standard error of the difference between two means of ln X.
    pub(crate) fn between(&self, a: &Level, b: &Level) -> f64 {
        (self.of_mean(a) + self.of_mean(b)).sqrt()
    }

    /// Student's t at `p` with this noise's degrees of freedom.
    pub(crate) fn quantile(&self, p: f64) -> f64 {
        // Above this the two distributions differ by less than 1e-4.
        const NORMAL_DF: f64 = 1e5;
        crate::quantile::student_t(p, self.df.min(NORMAL_DF))
    }

    /// Where it comes from, in words.
    pub(crate) fn describe(&self) -> String {
        let percent = super::wording::percent(self.sd);
        match self.source {
            NoiseOrigin::Replicates => format!("replicates scatter by {percent}"),
            NoiseOrigin::Residuals => format!("runs scatter by {percent} about the law"),
            NoiseOrigin::Assumed => format!("{percent} of noise are assumed, since the data cannot tell it"),
        }
    }
}
