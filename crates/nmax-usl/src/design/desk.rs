//! What every search does with its trials: one at a time, counted, repeated when INVALID, within the limits.

use super::rules::{Dropped, Purpose, Step, Stop, TimeLeft, Trial};

/// An INVALID trial is repeated this often, then its level is dropped.
const REPEATS_MAX: usize = 2;

/// A trial that is planned.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Slot {
    pub(crate) level: f64,
    pub(crate) purpose: Purpose,
}

/// The trial at hand and those before it.
#[derive(Clone, Debug)]
pub(crate) struct Desk {
    runs_max: usize,
    runs: usize,
    wanted: Option<Trial>,
    /// What an INVALID trial was for, and how often it has been tried.
    again: Option<(Slot, usize)>,
    dropped: Vec<Dropped>,
}

impl Desk {
    pub(crate) fn new(runs_max: usize) -> Self {
        Self { runs_max, runs: 0, wanted: None, again: None, dropped: Vec::new() }
    }

    /// The trial that is begun and not yet recorded, or that has to be repeated.
    pub(crate) fn at_hand(&mut self, time_left: TimeLeft) -> Option<Step> {
        if let Some((slot, _)) = self.again {
            return Some(self.begin(Slot { purpose: Purpose::Repeat, ..slot }, time_left));
        }
        let trial = self.wanted.clone()?;
        Some(self.within(trial, time_left))
    }

    /// Begins a trial, if it fits.
    pub(crate) fn begin(&mut self, slot: Slot, time_left: TimeLeft) -> Step {
        let trial = Trial { number: self.runs + 1, level: slot.level, purpose: slot.purpose };
        self.wanted = Some(trial.clone());
        self.within(trial, time_left)
    }

    fn within(&self, trial: Trial, time_left: TimeLeft) -> Step {
        if self.left() == 0 {
            Step::Stop(Stop::RunsMax)
        } else if time_left.trials() == 0 {
            Step::Stop(Stop::Budget)
        } else {
            Step::Run(trial)
        }
    }

    /// Takes a trial off the desk: what it was for, and how often that has been tried.
    pub(crate) fn take(&mut self, trial: &Trial) -> (Slot, usize) {
        self.wanted = None;
        self.runs += 1;
        match self.again.take() {
            Some((slot, attempts)) => (slot, attempts + 1),
            None => (Slot { level: trial.level, purpose: trial.purpose }, 1),
        }
    }

    /// Plans a repetition. Without any left the level is dropped, and the answer is `true`.
    pub(crate) fn invalid(&mut self, slot: Slot, attempts: usize, why: String) -> bool {
        if attempts <= REPEATS_MAX {
            self.again = Some((slot, attempts));
            return false;
        }
        self.drop_level(slot.level, attempts, why);
        true
    }

    /// Gives a level up.
    pub(crate) fn drop_level(&mut self, level: f64, attempts: usize, why: String) {
        self.dropped.push(Dropped { level, why, attempts });
    }

    /// Levels that were given up.
    pub(crate) fn dropped(&self) -> &[Dropped] {
        &self.dropped
    }

    /// Whether the level was given up.
    pub(crate) fn has_dropped(&self, level: f64) -> bool {
        self.dropped.iter().any(|dropped| dropped.level == level)
    }

    /// Trials that may still be begun.
    pub(crate) fn left(&self) -> usize {
        self.runs_max.saturating_sub(self.runs)
    }
}
