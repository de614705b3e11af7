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

/// What follows from a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Nothing may be concluded from the law.
    Block,
    /// To be kept in mind.
    Warn,
    /// Said for completeness.
    Note,
}

impl Effect {
    /// Its name in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Block => "block",
            Self::Warn => "warn",
            Self::Note => "note",
        }
    }

    /// Those that weigh most come first.
    pub(crate) const fn rank(self) -> u8 {
        match self {
            Self::Block => 0,
            Self::Warn => 1,
            Self::Note => 2,
        }
    }
}

/// Names of findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Efficiency above 100 %: the data go to prison.
    EfficiencyOverOne,
    /// Efficiency rises with N.
    EfficiencyRises,
    /// α or β below 0.
    NegativeCoefficient,
    /// N below 1.
    ConcurrencyBelowOne,
    /// N is not X·(R + Z).
    LittleResidual,
    /// The generator was the bottleneck.
    GeneratorSaturated,
    /// Replicates disagree.
    ReplicateSpread,
    /// A point far from the law.
    Outlier,
    /// The same N, levels that exclude each other.
    NonStationary,
    /// A cap or knee explains the data better than the law.
    ShapeChange,
    /// Response time falls with N.
    ResponseTimeFalls,
    /// Replicates say that the law does not fit.
    LackOfFit,
    /// Fewer points than the law has coefficients, or than the gate asks for.
    TooFewPoints,
    /// Nothing was measured past the peak.
    NothingPastPeak,
    /// All points have one N.
    OneConcurrency,
    /// Rows that are not numbers above 0.
    UnusableValue,
    /// A coefficient that a bound decided.
    AtBound,
    /// The law's capacity contradicts a measured demand.
    DemandMismatch,
    /// γ and X(1) differ by more than noise: the model misfits at the beginning.
    UnitMismatch,
    /// No coefficients could be found.
    NoFit,
    /// Runs that agree to the last digit.
    CopiedRuns,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 21] = [
        Self::EfficiencyOverOne,
        Self::EfficiencyRises,
        Self::NegativeCoefficient,
        Self::ConcurrencyBelowOne,
        Self::LittleResidual,
        Self::GeneratorSaturated,
        Self::ReplicateSpread,
        Self::Outlier,
        Self::NonStationary,
        Self::ShapeChange,
        Self::ResponseTimeFalls,
        Self::LackOfFit,
        Self::TooFewPoints,
        Self::NothingPastPeak,
        Self::OneConcurrency,
        Self::UnusableValue,
        Self::AtBound,
        Self::DemandMismatch,
        Self::UnitMismatch,
        Self::NoFit,
        Self::CopiedRuns,
    ];

    /// Its name in results, as in `nmax explain`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EfficiencyOverOne => "EFFICIENCY_OVER_ONE",
            Self::EfficiencyRises => "EFFICIENCY_RISES",
            Self::NegativeCoefficient => "NEGATIVE_COEFFICIENT",
            Self::ConcurrencyBelowOne => "CONCURRENCY_BELOW_ONE",
            Self::LittleResidual => "LITTLE_RESIDUAL",
            Self::GeneratorSaturated => "GENERATOR_SATURATED",
            Self::ReplicateSpread => "REPLICATE_SPREAD",
            Self::Outlier => "OUTLIER",
            Self::NonStationary => "NON_STATIONARY",
            Self::ShapeChange => "SHAPE_CHANGE",
            Self::ResponseTimeFalls => "RESPONSE_TIME_FALLS",
            Self::LackOfFit => "LACK_OF_FIT",
            Self::TooFewPoints => "TOO_FEW_POINTS",
            Self::NothingPastPeak => "NOTHING_PAST_PEAK",
            Self::OneConcurrency => "ONE_CONCURRENCY",
            Self::UnusableValue => "UNUSABLE_VALUE",
            Self::AtBound => "AT_BOUND",
            Self::DemandMismatch => "DEMAND_MISMATCH",
            Self::UnitMismatch => "UNIT_MISMATCH",
            Self::NoFit => "NO_FIT",
            Self::CopiedRuns => "COPIED_RUNS",
        }
    }
}

#[cfg(test)]
mod tests;
