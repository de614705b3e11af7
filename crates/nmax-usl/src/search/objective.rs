//! The highest level that holds an objective, with an interval.
//!
//! Levels double until the objective no longer holds, then the gap is halved (in ratio) until its ends are close, then
//! the levels around the crossing are measured again in random order. The crossing and its interval come from the
//! metric's own values and noise, by a curve through ln(value/limit) over ln(level); an objective without values gets
//! the bracket of what held and what did not. Runs follow at the crossing until it is known as precisely as asked for.

#[cfg(test)]
mod tests;

use super::crossing::{Crossing, crossing};
use crate::design::desk::{Desk, Slot};
use crate::design::rules::range_problems;
use crate::design::{Dropped, Purpose, RulesError, Step, Stop, TimeLeft, Trial};
use crate::random::Random;

/// Levels whose mean lies within this of the limit, in ln(value/limit), shape the curve around the crossing.
const WINDOW: f64 = 0.35;
/// Halvings of the gap at most.
const HALVINGS_MAX: usize = 12;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct ObjectiveRules {
    /// The smallest level, above 0.
    pub min: f64,
    /// The largest level.
    pub max: f64,
    /// Whether levels are whole numbers.
    pub integer: bool,
    /// Runs of each level around the crossing, at least 1.
    pub replicates: usize,
    /// Trials of any kind, at least 1.
    pub runs_max: usize,
    /// Half-width of the 95 % interval that is enough, relative.
    pub precision: f64,
    /// Decides the random order of replicates.
    pub seed: u64,
}

/// A run, held against the objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Judged {
    /// Whether the objective held.
    pub holds: bool,
    /// ln(value/limit), above 0 where the objective is broken; `None` when there is no such value.
    pub excess: Option<f64>,
}

impl Judged {
    /// For an objective such as `p95 < 200ms`.
    pub fn below(value: f64, limit: f64) -> Self {
        Self { holds: value < limit, excess: Some((value / limit).ln()).filter(|excess| excess.is_finite()) }
    }

    /// For an objective such as `rate >= 99%`.
    pub fn above(value: f64, limit: f64) -> Self {
        Self { holds: value >= limit, excess: Some((limit / value).ln()).filter(|excess| excess.is_finite()) }
    }
}

/// What became of a trial.
#[derive(Clone, Debug, PartialEq)]
pub enum Tested {
    /// A run that counts.
    Measured(Judged),
    /// The run does not count, and why; it is repeated.
    Invalid(String),
    /// The system broke down, and how: the objective is broken, and no higher level is asked for.
    Refused(String),
}

/// What is known about the highest level that holds the objective.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answer {
    /// The level, a real number also for whole levels (the highest whole level that holds is the one below); `None`
    /// when the objective does not even hold at the smallest.
    pub level: Option<f64>,
    /// Lower end of the 95 % interval, or of the bracket of an objective without values.
    pub low: Option<f64>,
    /// Upper end; `None` when no level broke the objective.
    pub high: Option<f64>,
    /// Whether the ends are an interval from the metric's noise (else a bracket of levels).
    pub from_noise: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Climb,
    Halve,
    Around,
}

/// The search. Ask for the [next](Self::next) step, run it, [record](Self::record) what became of it.
#[derive(Clone, Debug)]
pub struct Objective {
    rules: ObjectiveRules,
    random: Random,
    desk: Desk,
    phase: Phase,
    halvings: usize,
    pool: Vec<f64>,
    runs: Vec<(f64, Judged)>,
}

impl Objective {
    /// A search at its beginning.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the rules, at once.
    pub fn new(rules: ObjectiveRules) -> Result<Self, RulesError> {
        let ObjectiveRules { min, max, integer, replicates, runs_max, precision, .. } = rules;
        let wanted = [("the level", precision)];
        RulesError::check(range_problems(min, max, integer, replicates, runs_max, &wanted))?;
        let (random, desk) = (Random::new(rules.seed), Desk::new(rules.runs_max));
        Ok(Self { rules, random, desk, phase: Phase::Climb, halvings: 0, pool: Vec::new(), runs: Vec::new() })
    }

    /// What to do next. Until its outcome is recorded the same trial is given again.
    pub fn next(&mut self, time_left: TimeLeft) -> Step {
        if let Some(step) = self.desk.at_hand(time_left) {
            return step;
        }
        match self.decide() {
            Ok(slot) => self.desk.begin(slot, time_left),
            Err(stop) => Step::Stop(stop),
        }
    }

    /// Takes in what became of a trial.
    pub fn record(&mut self, trial: &Trial, tested: Tested) {
        let (slot, attempts) = self.desk.take(trial);
        match tested {
            Tested::Measured(judged) => self.runs.push((slot.level, judged)),
            Tested::Invalid(why) => {
                if self.desk.invalid(slot, attempts, why) {
                    self.pool.retain(|&level| level != slot.level);
                }
            }
            Tested::Refused(why) => {
                self.desk.drop_level(slot.level, attempts, why);
                self.pool.retain(|&level| level < slot.level);
                self.runs.push((slot.level, Judged { holds: false, excess: None }));
            }
        }
    }

    /// Levels that were given up, and why.
    pub fn dropped(&self) -> &[Dropped] {
        self.desk.dropped()
    }

    /// What is known so far; `None` before anything was measured.
    pub fn answer(&self) -> Option<Answer> {
        let (held, broken) = self.search_interval();
        let Some(broken) = broken else {
            return held.map(|level| Answer { level: Some(level), low: Some(level), high: None, from_noise: false });
        };
        if let Some(found) = self.crossing() {
            let within = |level: f64| level.clamp(self.rules.min, self.rules.max);
            return Some(Answer {
                level: Some(within(found.at.exp())),
                low: Some(found.low.map_or(self.rules.min, |low| within(low.exp()))),
                high: Some(found.high.map_or(self.rules.max, |high| within(high.exp()))),
                from_noise: true,
            });
        }
        Some(Answer { level: held, low: held, high: Some(broken), from_noise: false })
    }

    fn decide(&mut self) -> Result<Slot, Stop> {
        if self.phase == Phase::Climb {
            match self.climb() {
                Some(level) => {
                    return Ok(Slot { level, purpose: Purpose::Ramp });
                }
                None => self.phase = Phase::Halve,
            }
        }
        let (held, broken) = self.ends();
        if self.runs.is_empty() {
            return Err(Stop::NothingToLearn("no level could be measured".into()));
        }
        if self.phase == Phase::Halve {
            if let Some(level) = self.halve(held, broken) {
                return Ok(Slot { level, purpose: Purpose::Refine });
            }
            self.lay_out(held, broken);
            self.phase = Phase::Around;
        }
        if let Some(level) = self.pool.pop() {
            return Ok(Slot { level, purpose: Purpose::Replicate });
        }
        // Replicates may have moved an end of the gap.
        if let Some(level) = self.halve(held, broken) {
            return Ok(Slot { level, purpose: Purpose::Refine });
        }
        self.narrow()
    }

    /// The next level of the climb: twice the last, until one does not hold.
    fn climb(&self) -> Option<f64> {
        let max = if self.rules.integer { self.rules.max.floor() } else { self.rules.max };
        let tried = |level: f64| self.runs.iter().any(|run| run.0 == level) || self.desk.has_dropped(level);
        if self.runs.last().is_some_and(|(_, judged)| !judged.holds) {
            return None;
        }
        let mut level = if self.rules.integer { self.rules.min.ceil() } else { self.rules.min };
        let mut given_up = 0;
        while tried(level) {
            given_up = if self.desk.has_dropped(level) { given_up + 1 } else { 0 };
            // Two levels in succession that cannot be measured: a third will not either.
            if level >= max || given_up >= 2 {
                return None;
            }
            level = (2.0 * level).min(max);
        }
        Some(level)
    }

    /// The highest level that held below the lowest that did not, by the mean of its runs where they have values and
    /// by their majority where not, and that lowest one.
    fn search_interval(&self) -> (Option<f64>, Option<f64>) {
        let mut levels: Vec<f64> = self.runs.iter().map(|run| run.0).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        let broken = levels.iter().copied().find(|&level| !self.holds(level));
        let held = levels.iter().copied().rfind(|&level| broken.is_none_or(|broken| level < broken));
        (held, broken)
    }

    /// The gap that is halved: the bracket, or where nothing held yet, from the highest level below the lowest broken one
    /// that could not be measured. It may hold there, and between them as well.
    fn ends(&self) -> (Option<f64>, Option<f64>) {
        let (held, broken) = self.search_interval();
        let below = |level: &f64| broken.is_some_and(|broken| *level < broken);
        let unknown = || self.dropped().iter().map(|dropped| dropped.level).filter(below).reduce(f64::max);
        (held.or_else(unknown), broken)
    }

    fn holds(&self, level: f64) -> bool {
        let runs = || self.runs.iter().filter(move |run| run.0 == level);
        match self.mean(level) {
            Some(mean) => mean <= 0.0,
            None => 2 * runs().filter(|(_, judged)| judged.holds).count() > runs().count(),
        }
    }

    /// Mean of ln(value/limit) at the level, when every run there has one.
    fn mean(&self, level: f64) -> Option<f64> {
        let (mut sum, mut count) = (0.0, 0.0);
        for (_, judged) in self.runs.iter().filter(|run| run.0 == level) {
            sum += judged.excess?;
            count += 1.0;
        }
        (count > 0.0).then(|| sum / count)
    }

    /// A level inside the gap, while it is wide.
    fn halve(&mut self, held: Option<f64>, broken: Option<f64>) -> Option<f64> {
        let level = self.between(held?, broken?).filter(|_| self.halvings < HALVINGS_MAX)?;
        self.halvings += 1;
        Some(level)
    }

    /// The middle of the gap in ratio, unless its ends are close in level or in value.
    fn between(&self, held: f64, broken: f64) -> Option<f64> {
        let near = |level: f64| self.mean(level).is_some_and(|mean| mean.abs() <= WINDOW);
        if broken / held <= 1.0 + self.gap(held, broken) || (near(held) && near(broken)) {
            return None;
        }
        self.allowed((held * broken).sqrt()).filter(|&level| level > held && level < broken)
    }

    /// The gap, as a share of the level, that need not be halved: a tenth of what the answer may be off, where values
    /// bend the curve between its ends; the whole where there are none.
    fn gap(&self, held: f64, broken: f64) -> f64 {
        let values = self.mean(held).is_some() && self.mean(broken).is_some();
        self.rules.precision * if values { 0.1 } else { 1.0 }
    }

    /// A level that may be asked for, whole where it has to be.
    fn allowed(&self, level: f64) -> Option<f64> {
        let level = level.clamp(self.rules.min, self.rules.max);
        let level = if self.rules.integer { level.round() } else { level };
        (level >= self.rules.min && level <= self.rules.max && !self.desk.has_dropped(level)).then_some(level)
    }

    /// Replicates at both ends of the gap and between them, in random order.
    fn lay_out(&mut self, held: Option<f64>, broken: Option<f64>) {
        let middle = held.zip(broken).and_then(|(held, broken)| {
            let at = self.crossing().map_or((held * broken).sqrt(), |found| found.at.exp());
            self.allowed(at).filter(|level| (level / held).ln() > 0.01 && (broken / level).ln() > 0.01)
        });
        let mut pool = Vec::new();
        for level in [held, broken, middle].into_iter().flatten().filter(|&level| !self.desk.has_dropped(level)) {
            let have = self.runs.iter().filter(|run| run.0 == level).count();
            pool.extend(std::iter::repeat_n(level, self.rules.replicates.saturating_sub(have)));
        }
        self.random.shuffle(&mut pool);
        self.pool = pool;
    }

    /// One more run at the crossing, until it is known well enough.
    fn narrow(&mut self) -> Result<Slot, Stop> {
        let (held, broken) = self.search_interval();
        let (Some(low_level), Some(high_level)) = (held, broken) else {
            return Err(match held {
                Some(_) => Stop::HoldsAtMax,
                None if self.ends().0.is_some() => {
                    Stop::NothingToLearn("the levels below the lowest that breaks it cannot be measured".into())
                }
                None => Stop::FailsAtMin,
            });
        };
        let adjacent = self.rules.integer && high_level - low_level <= 1.0;
        let Some(found) = self.crossing() else {
            let half_width = (high_level / low_level).sqrt() - 1.0;
            if adjacent || half_width <= self.rules.precision {
                return Err(Stop::Found { half_width });
            }
            return Err(Stop::NothingToLearn("the metric has no values around its limit".into()));
        };
        if let (Some(low), Some(high)) = (found.low, found.high) {
            let half_width = ((high - low) / 2.0).exp_m1();
            if half_width <= self.rules.precision {
                return Err(Stop::Found { half_width });
            }
        }
        // Near the crossing a run tells most about its place; beside it, about the slope.
        let known: Vec<f64> = self.runs.iter().map(|run| run.0).collect();
        let at = found.at.exp();
        let close = known.iter().copied().find(|level| (level / at).ln().abs() <= self.rules.precision / 4.0);
        match close.or(self.allowed(at)).filter(|&level| !self.desk.has_dropped(level)) {
            Some(level) => Ok(Slot { level, purpose: Purpose::Choice }),
            None => Err(Stop::NothingToLearn("the level of the crossing cannot be measured".into())),
        }
    }

    /// Where the curve through the levels near the limit crosses it.
    fn crossing(&self) -> Option<Crossing> {
        let (held, broken) = self.search_interval();
        let (held, broken) = (held?, broken?);
        // Where the system broke down there is no value, and no curve may lead past that level.
        self.mean(broken)?;
        let near =
            |level: f64| level == held || level == broken || self.mean(level).is_some_and(|mean| mean.abs() <= WINDOW);
        let points: Vec<(f64, f64)> = self
            .runs
            .iter()
            .filter(|run| near(run.0))
            .filter_map(|(level, judged)| Some((level.ln(), judged.excess?)))
            .collect();
        crossing(&points)
    }
}
