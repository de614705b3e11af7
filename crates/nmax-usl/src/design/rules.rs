//! What a campaign is asked for, and the words between it and the program that measures.

use std::fmt;

/// What a campaign may ask for, and how sure it has to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Rules {
    /// The smallest level, above 0: where the ramp begins.
    pub min: f64,
    /// The largest level; no trial asks for more.
    pub max: f64,
    /// Whether levels are whole numbers.
    pub integer: bool,
    /// Levels that the user gives; the campaign then measures these, and no others.
    pub levels: Option<Vec<f64>>,
    /// Runs of each level of the design, at least 1.
    pub replicates: usize,
    /// Trials of any kind, at least 1.
    pub runs_max: usize,
    /// When the peak is known well enough.
    pub precision: Precision,
    /// Decides the random order of replicates.
    pub seed: u64,
}

/// Half-widths of 95 % intervals, relative: 0.05 is ±5 %.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Of X_peak.
    pub throughput: f64,
    /// Of N_peak.
    pub concurrency: f64,
}

impl Default for Precision {
    /// 5 % in throughput, 10 % in concurrency.
    fn default() -> Self {
        Self { throughput: 0.05, concurrency: 0.10 }
    }
}

/// Levels that one campaign accepts from a user; more would not be an experiment.
const LEVELS_MAX: usize = 1000;

impl Rules {
    /// Everything that is wrong with the rules, at once.
    pub(super) fn check(&self) -> Result<(), RulesError> {
        let wanted = [("throughput", self.precision.throughput), ("concurrency", self.precision.concurrency)];
        let mut problems = range_problems(self.min, self.max, self.integer, self.replicates, self.runs_max, &wanted);
        if let Some(levels) = &self.levels {
            if levels.is_empty() || levels.len() > LEVELS_MAX {
                problems.push(format!("{} levels are given; give 1 to {LEVELS_MAX}", levels.len()));
            }
            for level in levels.iter().filter(|level| !good(**level)) {
                problems.push(format!("level {level} is not above 0"));
            }
            for level in levels.iter().filter(|level| self.integer && good(**level) && level.fract() != 0.0) {
                problems.push(format!("level {level} is not a whole number"));
            }
        }
        RulesError::check(problems)
    }
}

fn good(value: f64) -> bool {
    value.is_finite() && value > 0.0
}

/// What is wrong with a range of levels, numbers of runs, and precisions with their names.
pub(crate) fn range_problems(
    min: f64,
    max: f64,
    integer: bool,
    replicates: usize,
    runs_max: usize,
    precisions: &[(&str, f64)],
) -> Vec<String> {
    let mut problems = Vec::new();
    if !good(min) {
        problems.push(format!("the smallest level is {min}; give one above 0"));
    }
    if !good(max) || max < min {
        problems.push(format!("the largest level is {max}; give one of at least {min}"));
    } else if integer && max.floor() < min.ceil() {
        problems.push(format!("there is no whole number from {min} to {max}"));
    }
    if replicates == 0 {
        problems.push("0 replicates measure nothing; give at least 1".into());
    }
    if runs_max == 0 {
        problems.push("0 runs measure nothing; allow at least 1".into());
    }
    for (name, value) in precisions.iter().filter(|(_, value)| !good(*value)) {
        problems.push(format!("precision of {name} is {value}; give a share above 0, such as 0.05"));
    }
    problems
}

/// What is wrong with rules.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct RulesError(pub Vec<String>);

impl RulesError {
    pub(crate) fn check(problems: Vec<String>) -> Result<(), Self> {
        if problems.is_empty() { Ok(()) } else { Err(Self(problems)) }
    }
}

nmax_text::named! {
    /// Why a trial is run.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Purpose {
        /// To find the range: levels rise until throughput falls, stays flat, or a limit is hit.
        Ramp = "ramp",
        /// A new level near half the peak, the peak or twice the peak.
        Refine = "refine",
        /// A level of the design again.
        Replicate = "replicate",
        /// Where one more run tells most.
        Choice = "choice",
        /// In place of a trial that was INVALID.
        Repeat = "repeat",
    }
    /// Its name in results.
    name
}

/// One run that is to be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// From 1, in the order of running.
    pub number: usize,
    /// What to ask for: virtual users, a rate, workers.
    pub level: f64,
    /// Why.
    pub purpose: Purpose,
}

/// What became of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A measurement that counts.
    Measured {
        /// Concurrency N: the level itself, or the time-averaged number in flight where the level is a rate.
        n: f64,
        /// Throughput X, per second.
        x: f64,
        /// Mean response time R, seconds.
        r_s: Option<f64>,
        /// Completions behind X, where they were counted.
        count: Option<u64>,
    },
    /// The measurement does not count, and why; it is repeated.
    Invalid(String),
    /// The system broke down, and how: no higher level is asked for, and this one is not fitted.
    Refused(String),
}

/// A level that was given up.
#[derive(Clone, Debug, PartialEq)]
pub struct Dropped {
    /// The level.
    pub level: f64,
    /// Why, in the words of the last outcome.
    pub why: String,
    /// How often it was tried.
    pub attempts: usize,
}

/// What is left of the time budget.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum TimeLeft {
    /// There is no budget.
    Unlimited,
    /// There is one.
    Seconds {
        /// Seconds left.
        left: f64,
        /// Seconds that one more trial takes.
        trial: f64,
    },
}

impl TimeLeft {
    /// How many trials fit.
    pub fn trials(self) -> usize {
        match self {
            Self::Unlimited => usize::MAX,
            // Casts of floats to integers saturate; NaN becomes 0.
            Self::Seconds { left, trial } if trial > 0.0 => (left / trial + 1e-9).floor() as usize,
            Self::Seconds { left, .. } => {
                if left > 0.0 {
                    usize::MAX
                } else {
                    0
                }
            }
        }
    }
}

/// What to do next.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Run this, then record what became of it.
    Run(Trial),
    /// The campaign is over.
    Stop(Stop),
}

/// Which rule ended it. Its `Display` says it in words.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The peak is known as well as was asked for.
    Precise {
        /// Half-width of the interval of X_peak (or of the cap), relative.
        throughput: f64,
        /// Half-width of the interval of N_peak (or of the knee), relative.
        concurrency: f64,
    },
    /// The answer would be precise enough, but runs that exclude each other, or exceed what one unit allows, block it.
    Doubtful {
        /// Code of the finding.
        code: &'static str,
        /// N that it names.
        concurrency: f64,
        /// Runs that were added for its sake.
        runs: usize,
    },
    /// No peak lies in reach, and the intervals of α and β say which class the system is of.
    Decided,
    /// A search knows its level (half-width of its interval, relative).
    Found {
        /// Half-width, relative; 0 when neighbouring whole numbers were told apart.
        half_width: f64,
    },
    /// The objective holds at the largest level.
    HoldsAtMax,
    /// The objective does not hold at the smallest level.
    FailsAtMin,
    /// No further trial fits into the time.
    Budget,
    /// As many trials as allowed.
    RunsMax,
    /// Every level that was given has its replicates.
    LevelsDone,
    /// Another run would not make the answer noticeably better; with the reason.
    NothingToLearn(String),
}

impl Stop {
    /// Its name in results.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Precise { .. } => "precise",
            Self::Doubtful { .. } => "doubtful",
            Self::Decided => "decided",
            Self::Found { .. } => "found",
            Self::HoldsAtMax => "holds_at_max",
            Self::FailsAtMin => "fails_at_min",
            Self::Budget => "budget",
            Self::RunsMax => "runs_max",
            Self::LevelsDone => "levels_done",
            Self::NothingToLearn(_) => "nothing_to_learn",
        }
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Precise { throughput, concurrency } => write!(
                f,
                "the answer is as precise as asked for: ±{:.1} % in throughput, ±{:.1} % in concurrency",
                throughput * 100.0,
                concurrency * 100.0
            ),
            Self::Doubtful { code, concurrency, runs: 0 } => write!(
                f,
                "the runs at a concurrency of {concurrency} block the answer ({code}), and no time is left to repeat them"
            ),
            Self::Doubtful { code, concurrency, runs } => write!(
                f,
                "the runs at a concurrency of {concurrency} block the answer ({code}), also after {runs} more"
            ),
            Self::Decided => {
                f.write_str("no peak lies in reach, and the intervals of contention and coherency decide the class")
            }
            Self::Found { half_width } => write!(f, "the level is known to ±{:.1} %", half_width * 100.0),
            Self::HoldsAtMax => f.write_str("the objective holds at the largest level that is allowed"),
            Self::FailsAtMin => f.write_str("the objective does not hold at the smallest level"),
            Self::Budget => f.write_str("no further level fits into the time budget"),
            Self::RunsMax => f.write_str("the largest number of runs was reached"),
            Self::LevelsDone => f.write_str("every level that was given has its replicates"),
            Self::NothingToLearn(why) => write!(f, "another run would not help: {why}"),
        }
    }
}
