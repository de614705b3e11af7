//! Everything that is said about a set of observations.

use crate::fit::{Estimate, Fit, Method};
use crate::model::{Curve, Model};
use crate::observation::{Dimension, Observation};

/// What to do with the observations.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// How the law is fitted.
    pub method: Method,
    /// What N counts.
    pub dimension: Dimension,
    /// Think time Z, seconds; 0 without.
    pub think_s: f64,
    /// Busy time per completion of the most demanding resource, D_max, seconds, with its interval and name.
    pub demand: Option<Demand>,
    /// Coefficient of variation of replicates above which they are called unruly.
    pub spread_max: f64,
}

/// What a completion asks of a resource: D = U/X, with U averaged over its servers.
#[derive(Clone, Debug, PartialEq)]
pub struct Demand {
    /// The resource.
    pub name: String,
    /// D, seconds, with its interval.
    pub seconds: Estimate,
}

/// The whole answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// How it was asked for.
    pub options: Options,
    /// What was fitted: observations without those that were left out, in order of N.
    pub observations: Vec<Observation>,
    /// Rows that were left out before the fit, with the finding that says why.
    pub left_out: Vec<usize>,
    /// The law by the chosen method; `None` when it cannot be fitted (`findings` say why).
    pub fit: Option<Fit>,
    /// Every model by AICc of relative errors, in the order of [`Model::ALL`]; a model that cannot be fitted is left out.
    pub ladder: Vec<Rung>,
    /// The model that leads.
    pub winner: Winner,
    /// Sign of α, judged by its interval.
    pub contention_sign: Option<Sign>,
    /// Sign of β.
    pub coherency_sign: Option<Sign>,
    /// Class of the system, when it may be said.
    pub class: Option<Class>,
    /// What keeps the class undecided, and the N that would decide.
    pub class_text: String,
    /// The largest throughput measured: concurrency and X, per second.
    pub best: Option<(f64, f64)>,
    /// The peak that was seen; it needs no model.
    pub observed_peak: Option<ObservedPeak>,
    /// The peak of the law, when every condition for it holds.
    pub peak: Option<LawPeak>,
    /// Conditions for the peak of the law, each held against the data.
    pub gate: Vec<Hold>,
    /// γ/α, per second: the roof without coherency; `None` without contention.
    pub roof: Option<Estimate>,
    /// 1/α: where the linear line meets the roof.
    pub optimum: Option<Estimate>,
    /// What is wrong or remarkable with the data.
    pub findings: Vec<Finding>,
    /// The observations with what the law says about each.
    pub points: Vec<Point>,
    /// Three sentences of meaning; the largest throughput measured is always among them.
    pub meaning: [String; 3],
}

/// A model in the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// Which.
    pub model: Model,
    /// With its coefficients, by relative errors.
    pub curve: Curve,
    /// Parameters counted by AICc: coefficients and the variance.
    pub k: usize,
    /// Residual sum of squares of ln X.
    pub rss: f64,
    /// AICc; infinite with too few observations.
    pub aicc: f64,
    /// Distance to the best rung.
    pub delta: f64,
}

/// Which model leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// It leads every other by more than 4.
    One(Model),
    /// Several are as good.
    NotDistinguishable,
}

/// What an interval says about a coefficient.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sign {
    /// The interval lies above 0.
    Positive,
    /// The interval lies below 0.
    Negative,
    /// The interval contains 0, and its upper end adds at most 5 % to D at the largest N measured.
    Negligible,
    /// Anything else.
    Undetermined,
}

/// Class of a system, from the signs of α and β.
///
/// Source: N. J. Gunther, slides of 2010, 41.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Neither contention nor coherency: shared-nothing.
    A,
    /// Contention: messaging, transaction monitors.
    B,
    /// Coherency: scientific computing, analytics.
    C,
    /// Both: shared writes.
    D,
}

/// A peak between lower neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ObservedPeak {
    /// N with the largest throughput.
    pub concurrency: f64,
    /// That throughput, per second: the mean of its replicates.
    pub throughput: f64,
    /// The nearest N on each side that are lower beyond noise.
    pub between: (f64, f64),
}

/// The peak of the law.
#[derive(Clone, Debug, PartialEq)]
pub struct LawPeak {
    /// N_peak.
    pub concurrency: Estimate,
    /// X_peak, per second.
    pub throughput: Estimate,
    /// The better of the two integers beside N_peak, and X there.
    pub integer: (f64, f64),
    /// Peak of the ln-variant (N, X), when it explains the data nearly as well.
    pub alternative: Option<(f64, f64)>,
}

/// A condition for printing the peak of the law.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// Its name, such as `enough points`.
    pub name: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What was found, as one sentence.
    pub text: String,
}

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
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 19] = [
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
        }
    }
}

/// A measured point beside the law.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Row of the data, from 1.
    pub row: usize,
    /// N.
    pub n: f64,
    /// X, per second.
    pub x: f64,
    /// R, seconds, measured; else N/X − Z where that is above 0.
    pub r_s: Option<f64>,
    /// Relative capacity X(N)/X(1), by the measured X(1), else by γ.
    pub capacity: Option<f64>,
    /// Efficiency X(N)/(N·X(1)), when X(1) is measured.
    pub efficiency: Option<f64>,
    /// Efficiency X(N)/(γN).
    pub efficiency_of_law: Option<f64>,
    /// X by the law, per second.
    pub fitted: Option<f64>,
    /// 95 % band of the mean at N, per second.
    pub band: Option<(f64, f64)>,
    /// ln X − ln X̂ (`log`), X − X̂ otherwise.
    pub residual: Option<f64>,
    /// Which zone it lies in.
    pub zone: Option<Zone>,
}

/// Zones of arXiv:0809.2541.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Zone {
    /// Above the Amdahl bound: asynchronous.
    A,
    /// On it: synchronous.
    B,
    /// Below it: pairwise exchange as well.
    C,
}
