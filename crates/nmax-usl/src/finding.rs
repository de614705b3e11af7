//! What is wrong or remarkable with a set of observations, by name and with its rows.
//!
//! # Layout
//!
//! - `data`: values, numbers of points, the generator, Little's law
//! - `efficiency`: data in prison, and everything that should not rise or fall
//! - `replicates`: runs at the same N
//! - `shape`: a cap, or two straight pieces
//! - `model`: what the fits say about the data

use crate::analysis::levels::{Level, Noise};
use crate::fit::Fit;
use crate::ladder::Rung;
use crate::observation::Observation;
use crate::options::Options;

pub(crate) mod data;
mod efficiency;
pub(crate) mod model;
mod replicates;
mod shape;

/// Something about the data that a person should know.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Which.
    pub code: Code,
    /// What follows from it.
    pub effect: Effect,
    /// Rows of the data, from 1.
    pub rows: Vec<usize>,
    /// What was found, why it matters and what to do.
    pub text: String,
}

impl Finding {
    /// Rows are told in their order in the data.
    pub(crate) fn new(code: Code, effect: Effect, mut rows: Vec<usize>, text: String) -> Self {
        rows.sort_unstable();
        Self { code, effect, rows, text }
    }
}

/// What findings are found in.
pub(crate) struct Facts<'a> {
    pub options: &'a Options,
    /// Usable observations, sorted by N.
    pub observations: &'a [Observation],
    pub levels: &'a [Level],
    /// The law by the chosen method.
    pub fit: Option<&'a Fit>,
    /// The law by relative errors.
    pub relative: Option<&'a Fit>,
    pub ladder: &'a [Rung],
    /// Relative deviation of a run.
    pub noise: Noise,
}

impl Facts<'_> {
    /// The level at N = 1, if it was measured.
    fn one(&self) -> Option<&Level> {
        self.levels.first().filter(|level| level.n == 1.0)
    }

    fn rows_of<'b>(&self, levels: impl IntoIterator<Item = &'b Level>) -> Vec<usize> {
        levels.into_iter().flat_map(|level| level.rows(self.observations)).collect()
    }
}

/// Everything that is found, those that forbid conclusions first.
pub(crate) fn findings(facts: &Facts) -> Vec<Finding> {
    let checks: [fn(&Facts) -> Option<Finding>; 17] = [
        data::number_of_points,
        data::generator_saturated,
        data::little,
        efficiency::over_one,
        replicates::non_stationary,
        efficiency::rises,
        efficiency::response_time_falls,
        efficiency::unit_mismatch,
        replicates::spread,
        replicates::copied,
        replicates::lack_of_fit,
        model::negative_coefficient,
        model::outlier,
        shape::shape_change,
        model::at_bound,
        model::at_bound_of_ladder,
        model::nothing_past_peak,
    ];
    checks.into_iter().filter_map(|check| check(facts)).collect()
}

nmax_text::named! {
    /// What follows from a finding; what weighs most comes first.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Effect {
        /// Nothing may be concluded from the law.
        Block = "block",
        /// To be kept in mind.
        Warn = "warn",
        /// Said for completeness.
        Note = "note",
    }
    /// Its name in results.
    name
}

/// Names of the findings that forbid any conclusion, each once.
pub(crate) fn blocking(findings: &[Finding]) -> Vec<&'static str> {
    let blocking = findings.iter().filter(|finding| finding.effect == Effect::Block);
    let mut names: Vec<&'static str> = blocking.map(|finding| finding.code.name()).collect();
    names.dedup();
    names
}

nmax_text::named! {
    /// Names of findings.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Code {
        /// Efficiency above 100 %: the data go to prison.
        EfficiencyOverOne = "EFFICIENCY_OVER_ONE",
        /// Efficiency rises with N.
        EfficiencyRises = "EFFICIENCY_RISES",
        /// α or β below 0.
        NegativeCoefficient = "NEGATIVE_COEFFICIENT",
        /// N below 1.
        ConcurrencyBelowOne = "CONCURRENCY_BELOW_ONE",
        /// N is not X·(R + Z).
        LittleResidual = "LITTLE_RESIDUAL",
        /// The generator was the bottleneck.
        GeneratorSaturated = "GENERATOR_SATURATED",
        /// Replicates disagree.
        ReplicateSpread = "REPLICATE_SPREAD",
        /// A point far from the law.
        Outlier = "OUTLIER",
        /// The same N, levels that exclude each other.
        NonStationary = "NON_STATIONARY",
        /// A cap or knee explains the data better than the law.
        ShapeChange = "SHAPE_CHANGE",
        /// Response time falls with N.
        ResponseTimeFalls = "RESPONSE_TIME_FALLS",
        /// Replicates say that the law does not fit.
        LackOfFit = "LACK_OF_FIT",
        /// Fewer points than the law has coefficients, or than the gate asks for.
        TooFewPoints = "TOO_FEW_POINTS",
        /// Nothing was measured past the peak.
        NothingPastPeak = "NOTHING_PAST_PEAK",
        /// All points have one N.
        OneConcurrency = "ONE_CONCURRENCY",
        /// Rows that are not numbers above 0.
        UnusableValue = "UNUSABLE_VALUE",
        /// A coefficient that a bound decided.
        AtBound = "AT_BOUND",
        /// The law's capacity contradicts a measured demand.
        DemandMismatch = "DEMAND_MISMATCH",
        /// γ and X(1) differ by more than noise: the model misfits at the beginning.
        UnitMismatch = "UNIT_MISMATCH",
        /// No coefficients could be found.
        NoFit = "NO_FIT",
        /// Runs that agree to the last digit.
        CopiedRuns = "COPIED_RUNS",
    }
    /// Its name in results, as in `nmax explain`.
    name
}

#[cfg(test)]
mod tests;
