//! Everything that is said about a set of observations.
//!
//! # Layout
//!
//! - `assemble`: from observations to the whole answer
//! - `levels`: observations by their N, and how they scatter
//! - `spread`: how uncertain a fit is, anywhere on its curve
//! - `ceiling`: the law beside a measured resource
//! - `words`: numbers and lists in sentences

use crate::finding::Finding;
use crate::fit::{Estimate, Fit, Method, Regression};
use crate::model::{Curve, Model};
use crate::observation::{Dimension, Observation};

mod assemble;
mod ceiling;
pub(crate) mod levels;
pub(crate) mod spread;
pub(crate) mod words;

pub use assemble::analyse;

#[cfg(test)]
mod tests;

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
    /// What is regressed on what. With [`Regression::ResponseTime`] the load was open: X was set and R observed, N of the
    /// observations is not read but taken as X·(R + Z), and the method is `log`.
    pub regression: Regression,
    /// Rows at which the generator of the load was the bottleneck: late sends, or no processor time left.
    pub saturated: Vec<usize>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            method: Method::Log,
            dimension: Dimension::Other,
            think_s: 0.0,
            demand: None,
            spread_max: 0.10,
            regression: Regression::Throughput,
            saturated: Vec::new(),
        }
    }
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
    /// Every model by AICc of relative errors, in the order of [`Model::ALL`]; a model that cannot be fitted is left out, and
    /// with an open load all but the law, since X on N would be fitted to the error of R.
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
    /// The largest throughput measured: N and the mean X of its replicates, per second.
    pub best: Option<(f64, f64)>,
    /// The peak that was seen; it needs no model.
    pub observed_peak: Option<ObservedPeak>,
    /// The peak of the law, when every condition for it holds.
    pub peak: Option<LawPeak>,
    /// Conditions for the peak of the law, each held against the data.
    pub gate: Vec<Hold>,
    /// γ/α, per second: the roof without coherency. `None` without contention, and where it lies beyond twice the largest
    /// throughput measured; an end of its interval that does is left out.
    pub roof: Option<Estimate>,
    /// 1/α: where the linear line meets the roof. `None` without contention, and beyond twice the largest N measured.
    pub optimum: Option<Estimate>,
    /// The law beside the most demanding resource, when that is known.
    pub ceiling: Option<Ceiling>,
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
    /// Peak of the ln-variant (N, X), when it explains the data nearly as well and its peak may be said.
    pub alternative: Option<(f64, f64)>,
    /// Whether the ln-variant explains the data nearly as well, and puts the peak beyond what may be said.
    pub alternative_is_beyond: bool,
}

/// The law beside a measured resource: 1/D_max is the most that this resource can do.
#[derive(Clone, Debug, PartialEq)]
pub struct Ceiling {
    /// The resource.
    pub name: String,
    /// 1/D_max, per second.
    pub throughput: Estimate,
    /// What the roof γ/α says about it; `None` without a roof.
    pub reading: Option<Reading>,
    /// Both in one sentence or two.
    pub text: String,
}

/// What γ/α says about the ceiling of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// They agree: the resource explains the contention.
    Explained,
    /// The roof lies above: the resource will cap throughput before the law does.
    CapComesFirst,
    /// The roof lies below: something else is serial, such as a lock, a pool or a remote call.
    OtherSuspect,
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
    /// X by the law, per second; `None` with an open load, where R is fitted.
    pub fitted: Option<f64>,
    /// 95 % band of the mean at N, per second.
    pub band: Option<(f64, f64)>,
    /// ln X − ln X̂ (`log`), X − X̂ otherwise; with an open load ln R − ln R̂.
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
