//! What the measurements may be believed for: quantile intervals, validity gates, thresholds and the verdict.
//!
//! # Layout
//! - [`evidence`]: what a run measured, as handed in
//! - [`verdict`]: the judgement, as handed out

pub mod evidence;
pub mod verdict;

pub use evidence::{Evidence, InjectorFacts};
pub use verdict::{Gate, Judgement, Reason, ThresholdResult, Verdict};
