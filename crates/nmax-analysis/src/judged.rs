//! A run with everything that is said of it: what a report is made of.

use crate::answer::Answer;
use crate::breakdown::Breakdown;
use crate::effect::Effect;
use crate::lag::Withheld;
use crate::steady::Steadiness;
use crate::suspect::Diagnosis;
use crate::{Gate, Reason, Summary, ThresholdResult, Verdict};

/// A run, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// How far it came.
    pub ending: Ending,
    /// Its numbers.
    pub summary: Summary,
    /// What they mean.
    pub judgement: Judgement,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// To its end.
    Complete,
    /// A signal stopped it, and everything was written.
    Interrupted,
    /// A condition with `abort` ended it, and everything was written.
    Aborted,
    /// It stopped without writing how it ended: killed, or its directory could not be written any more.
    CutOff,
    /// It goes on.
    Running,
}

/// The whole judgement.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// Follows from gates and thresholds.
    pub verdict: Verdict,
    /// In order of weight; never empty for FAIL and INVALID.
    pub reasons: Vec<Reason>,
    /// In the order of the plan.
    pub thresholds: Vec<ThresholdResult>,
    /// Every gate that was looked at.
    pub gates: Vec<Gate>,
    /// Quantiles of response times that the injector's own lag makes unknown.
    pub withheld: Vec<Withheld>,
    /// Whether the hold was steady; `None` without a hold.
    pub steadiness: Option<Steadiness>,
    /// What the run says to the question of its profile.
    pub answer: Option<Answer>,
    /// What each intervention did.
    pub effects: Vec<Effect>,
    /// What to look at first.
    pub diagnosis: Diagnosis,
    /// Response times taken apart.
    pub breakdown: Breakdown,
}
