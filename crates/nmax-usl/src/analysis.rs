//! Everything that is said about a set of observations.
//!
//! # Layout
//!
//! - `assemble`: from observations to the whole answer
//! - `levels`: observations by their N, and how they scatter
//! - `spread`: how uncertain a fit is, anywhere on its curve
//! - `ceiling`: the law beside a measured resource
//! - `wording`: numbers and lists in sentences

use crate::class::{Class, Sign};
use crate::finding::{Code, Effect, Finding};
use crate::fit::{Estimate, Fit};
use crate::gate::{Hold, LawPeak};
use crate::ladder::{Rung, Winner};
use crate::model::Model;
use crate::observation::Observation;
use crate::options::Options;

mod assemble;
pub mod ceiling;
pub(crate) mod levels;
pub(crate) mod spread;
pub(crate) mod wording;

pub use assemble::analyse;
use ceiling::Ceiling;

#[cfg(test)]
mod tests;

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
    /// Every model by AICc of relative errors, in the order of [`Model::ALL`](crate::Model::ALL); a model that cannot be fitted is left out, and
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
    /// What was found in one line, and the load to run at.
    pub headline: Headline,
    /// Three sentences of meaning; the largest throughput measured is always among them.
    pub meaning: [String; 3],
}

/// Why there is no law, when no finding says it.
pub(crate) const CANNOT_FIT: &str = "the law cannot be fitted to these points";

impl Analysis {
    /// Why nothing may be concluded from the law, if so.
    pub fn blocked(&self) -> Option<String> {
        let blocks: Vec<String> = self.with_effect(Effect::Block).collect();
        if !blocks.is_empty() {
            return Some(blocks.join("\n  "));
        }
        self.fit.is_none().then(|| CANNOT_FIT.to_owned())
    }

    /// The findings that a person should read: where a cap leads, those about the law that it beats are left out.
    pub fn findings_of_winner(&self) -> impl Iterator<Item = &Finding> {
        let is_capped = self.winner == Winner::One(Model::Knee)
            && self.findings.iter().any(|finding| finding.code == Code::ShapeChange);
        let beaten: &[Code] = match is_capped {
            true => &[Code::LackOfFit, Code::Outlier, Code::NegativeCoefficient, Code::AtBound, Code::NothingPastPeak],
            false => &[],
        };
        self.findings.iter().filter(|finding| finding.effect == Effect::Block || !beaten.contains(&finding.code))
    }

    /// Findings with this effect, each with its code.
    pub fn with_effect(&self, effect: Effect) -> impl Iterator<Item = String> {
        let findings = self.findings.iter().filter(move |finding| finding.effect == effect);
        findings.map(|finding| format!("{}: {}", finding.code.name(), finding.text))
    }
}

/// What was found, and what follows for the load.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Headline {
    /// What was found: a phrase with its figures, such as `Capped at 99.6/s from 4 virtual users on`.
    pub text: String,
    /// The load to run at, or how to find it: a sentence.
    pub advice: String,
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

nmax_text::named! {
    /// Zones of arXiv:0809.2541.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Zone {
        /// Above the Amdahl bound: asynchronous.
        A = "A",
        /// On it: synchronous.
        B = "B",
        /// Below it: pairwise exchange as well.
        C = "C",
    }
    /// Its name in results.
    name
}
