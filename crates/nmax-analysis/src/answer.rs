//! The answer of a profile to its question.

use nmax_plan::plan::Profile;

use crate::{Evidence, ThresholdResult};

/// What a run says to the question of its profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// The profile whose question it is.
    pub profile: Profile,
    /// The answer in one sentence.
    pub headline: String,
    /// Its figures, most important first.
    pub findings: Vec<Finding>,
}

/// A figure of an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// Stable code, such as `BREAK_POINT`.
    pub code: &'static str,
    /// What it is of, such as a request name; empty when it is of all.
    pub subject: String,
    /// Measured value; `None` when there is none, and the text says why.
    pub value: Option<f64>,
    /// Interval of it at 95 %.
    pub interval: Option<(f64, f64)>,
    /// Unit of value and interval: `ms`, `/s`, `VUs`, `%` (shares 0 to 1), `s`, `bytes/min`, ``.
    pub unit: &'static str,
    /// One sentence for a person.
    pub text: String,
    /// Whether it is trouble.
    pub is_trouble: bool,
}

/// What the run says to the question of the plan's profile; `None` without a profile.
pub fn answer(evidence: &Evidence, thresholds: &[ThresholdResult]) -> Option<Answer> {
    let _ = (evidence, thresholds);
    None
}
