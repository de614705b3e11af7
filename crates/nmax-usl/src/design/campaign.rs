//! The order of trials: a ramp, replicates around the peak in random order, then single runs where they help most.
//!
//! 1. The ramp doubles from the smallest level until throughput falls by 5 %, has been flat over two doublings, the
//!    system breaks down, or the largest level is reached. It only finds the range: a level that nothing else needs
//!    keeps its one run.
//! 2. The design is the smallest level and levels near half the peak, the peak and twice the peak (or the knee), each
//!    with the replicates that the rules ask for, in random order. A measured level that is near enough is taken
//!    again instead of a new one. At least six levels differ where the range has as many.
//! 3. Single runs follow where they lower the variance most: of the peak's throughput or concurrency, whichever is
//!    further from what was asked for, or of α or β while the class is open.
//! 4. Before it stops, levels whose runs block the answer are measured again, at most three times each.
//!
//! Levels that the user gives replace all of that: each is measured once in rising order, then again in random order.
//!
//! A campaign repeats from its rules, the outcomes and the time that was left: it holds no clock, and its seed is one
//! of the rules. The memory is bounded by [`Rules::runs_max`]; a step takes a fit, below a millisecond.

#[cfg(test)]
mod tests;

mod knowledge;
mod plan;
mod ramp;

use self::knowledge::Shape;
use self::ramp::Ramp;
use super::choice::{self, Question};
use super::desk::{Desk, Slot};
use super::rules::{Dropped, Outcome, Purpose, Rules, RulesError, Step, Stop, TimeLeft, Trial};
use crate::observation::Observation;
use crate::random::Random;

/// New levels are laid around the peak this often at most, should its estimate move.
const ROUNDS_MAX: usize = 3;
/// A run that lowers the variance by less than this share is not worth its time.
const WORTH: f64 = 0.005;
/// A level that a blocking finding names is measured again so often at most.
const AGAIN_MAX: usize = 3;

/// A run that counts.
#[derive(Clone, Debug)]
struct Measured {
    level: f64,
    observation: Observation,
}

/// Where the campaign is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Ramp,
    /// Replicates in random order; so many times they have been laid out.
    Pool(usize),
    Choice,
}

/// The order of trials. Ask for the [next](Self::next) step, run it, [record](Self::record) what became of it.
#[derive(Clone, Debug)]
pub struct Campaign {
    rules: Rules,
    random: Random,
    phase: Phase,
    ramp: Ramp,
    /// Planned trials; the last is the next.
    pool: Vec<Slot>,
    desk: Desk,
    measured: Vec<Measured>,
    /// No level at or above it is asked for.
    broken_at: f64,
    /// Levels that were measured again since their runs block the answer, one entry for each run.
    again: Vec<f64>,
    learning: String,
}

impl Campaign {
    /// A campaign at its beginning.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the rules, at once.
    pub fn new(mut rules: Rules) -> Result<Self, RulesError> {
        rules.check()?;
        if let Some(levels) = &mut rules.levels {
            levels.sort_by(f64::total_cmp);
            levels.dedup();
        }
        let (random, desk) = (Random::new(rules.seed), Desk::new(rules.runs_max));
        Ok(Self {
            rules,
            random,
            phase: Phase::Ramp,
            ramp: Ramp::default(),
            pool: Vec::new(),
            desk,
            measured: Vec::new(),
            broken_at: f64::INFINITY,
            again: Vec::new(),
            learning: String::new(),
        })
    }

    /// What to do next. Until its outcome is recorded the same trial is given again.
    pub fn next(&mut self, time_left: TimeLeft) -> Step {
        if let Some(step) = self.desk.at_hand(time_left) {
            return step;
        }
        match self.decide(time_left) {
            Ok(slot) => self.desk.begin(slot, time_left),
            Err(stop) => Step::Stop(stop),
        }
    }

    /// Takes in what became of a trial.
    pub fn record(&mut self, trial: &Trial, outcome: Outcome) {
        let (slot, attempts) = self.desk.take(trial);
        match outcome {
            Outcome::Measured { n, x, r_s, count } if n.is_finite() && x.is_finite() && n > 0.0 && x > 0.0 => {
                let r_s = r_s.filter(|r| r.is_finite());
                let observation = Observation { n, x, r_s, weight: 1.0, row: trial.number, count };
                self.measured.push(Measured { level: slot.level, observation });
                if slot.purpose == Purpose::Ramp {
                    self.ramp.record(slot.level, Some(x), &self.rules);
                }
            }
            Outcome::Measured { n, x, .. } => {
                self.not_measured(slot, attempts, format!("it gave {x}/s at a concurrency of {n}"));
            }
            Outcome::Invalid(why) => self.not_measured(slot, attempts, why),
            Outcome::Refused(why) => self.broke(slot, attempts, why),
        }
    }

    fn not_measured(&mut self, slot: Slot, attempts: usize, why: String) {
        if self.desk.invalid(slot, attempts, why) {
            self.pool.retain(|planned| planned.level != slot.level);
            if slot.purpose == Purpose::Ramp {
                self.ramp.record(slot.level, None, &self.rules);
            }
        }
    }

    fn broke(&mut self, slot: Slot, attempts: usize, why: String) {
        self.broken_at = self.broken_at.min(slot.level);
        self.pool.retain(|planned| planned.level < slot.level);
        self.desk.drop_level(slot.level, attempts, why);
        if slot.purpose == Purpose::Ramp {
            self.ramp.broke(slot.level, &self.rules);
        }
    }

    /// Every run that counts, in the order of running; `row` is the trial's number.
    pub fn observations(&self) -> Vec<Observation> {
        self.measured.iter().map(|run| run.observation.clone()).collect()
    }

    /// Levels that were given up, and why.
    pub fn dropped(&self) -> &[Dropped] {
        self.desk.dropped()
    }

    /// Levels of the trials that are planned, in their order. More may follow when they are done.
    pub fn planned(&self) -> Vec<f64> {
        self.pool.iter().rev().map(|slot| slot.level).collect()
    }

    /// What the trials are run for now, in a few words.
    pub fn learning(&self) -> &str {
        &self.learning
    }

    fn decide(&mut self, time_left: TimeLeft) -> Result<Slot, Stop> {
        if self.phase == Phase::Ramp {
            if let Some(level) = self.ramp.next(&self.rules) {
                self.learning = "the range of levels".into();
                return Ok(Slot { level, purpose: Purpose::Ramp });
            }
            self.phase = Phase::Pool(0);
        }
        if let Phase::Pool(mut round) = self.phase {
            // The first round gives replicates; further ones only follow a peak that moved.
            while self.pool.is_empty() && round < ROUNDS_MAX {
                round += 1;
                self.phase = Phase::Pool(round);
                let affordable = time_left.trials().min(self.desk.left());
                self.lay_out(affordable);
                if self.pool.is_empty() || self.rules.levels.is_some() {
                    self.phase = Phase::Pool(ROUNDS_MAX);
                    break;
                }
            }
            if let Some(slot) = self.pool.pop() {
                return Ok(slot);
            }
            if self.rules.levels.is_some() {
                return Err(Stop::LevelsDone);
            }
            self.phase = Phase::Choice;
        }
        match self.choose() {
            Err(stop) if time_left.trials() == 0 => Err(match stop {
                Stop::NothingToLearn(_) => Stop::Budget,
                stop => self.doubted(stop),
            }),
            Err(stop) => self.again(stop),
            slot => slot,
        }
    }

    /// What stands against an answer, in place of the stop that claims one.
    fn doubted(&self, stop: Stop) -> Stop {
        let claims = matches!(stop, Stop::Precise { .. } | Stop::Decided);
        match knowledge::doubts(&self.observations()).first().filter(|_| claims) {
            Some(doubt) => Stop::Doubtful { code: doubt.code, concurrency: doubt.n, runs: self.again.len() },
            None => stop,
        }
    }

    /// Before it stops: levels whose runs block the answer are measured again.
    fn again(&mut self, stop: Stop) -> Result<Slot, Stop> {
        let so_often = |level: f64| self.again.iter().filter(|again| **again == level).count();
        let slot = knowledge::doubts(&self.observations()).iter().find_map(|doubt| {
            let named = self.measured.iter().find(|run| run.observation.n == doubt.n)?.level;
            (self.open(named) && so_often(named) < AGAIN_MAX).then_some((doubt.code, named))
        });
        let Some((code, level)) = slot else {
            return Err(self.doubted(stop));
        };
        self.again.push(level);
        self.learning = format!("whether {code} stays");
        Ok(Slot { level, purpose: Purpose::Replicate })
    }

    fn choose(&mut self) -> Result<Slot, Stop> {
        let observations = self.observations();
        let high = observations.iter().map(|run| run.n).fold(0.0, f64::max);
        match knowledge::shape(&observations) {
            Shape::Unknown => Err(Stop::NothingToLearn("too few levels were valid for a law".into())),
            Shape::Knee(knee) => {
                let precise = self.judge((knee.throughput, knee.concurrency))?;
                self.learning = format!("a cap, reached at a concurrency of about {:.3}", knee.n);
                // The cap needs runs above the knee; its place needs as many below.
                let above = precise == Question::PeakThroughput || knee.runs.1 <= knee.runs.0;
                self.beside(knee.n, above)
            }
            Shape::Peak(fit) => {
                let Some(half_widths) = knowledge::half_widths(&fit) else {
                    return Err(Stop::NothingToLearn("too few runs for an interval".into()));
                };
                let question = self.judge(half_widths)?;
                self.ask(&fit, question, 2.0 * high)
            }
            Shape::Open(fit) => match knowledge::undecided(&fit, high) {
                None if fit.covariance.is_some() => Err(Stop::Decided),
                None => Err(Stop::NothingToLearn("too few runs for an interval".into())),
                Some(question) => self.ask(&fit, question, 2.0 * high),
            },
        }
    }

    /// What is further from the precision that was asked for; the stop when both are there.
    fn judge(&mut self, (throughput, concurrency): (f64, f64)) -> Result<Question, Stop> {
        let precision = self.rules.precision;
        if throughput <= precision.throughput && concurrency <= precision.concurrency {
            return Err(Stop::Precise { throughput, concurrency });
        }
        Ok(if throughput / precision.throughput > concurrency / precision.concurrency {
            Question::PeakThroughput
        } else {
            Question::PeakConcurrency
        })
    }

    fn ask(&mut self, fit: &crate::fit::Fit, question: Question, reach: f64) -> Result<Slot, Stop> {
        self.learning = question.name().into();
        let Some(covariance) = fit.covariance else {
            return Err(Stop::NothingToLearn("too few runs for an interval".into()));
        };
        let variance = fit.rss / fit.n.saturating_sub(fit.k).max(1) as f64;
        let candidates = self.candidates(fit, reach);
        let concurrencies: Vec<f64> = candidates.iter().map(|&(n, _)| n).collect();
        let Some(best) = choice::choose(&fit.law, &covariance, variance, question, &concurrencies) else {
            return Err(Stop::NothingToLearn("no level is left to measure".into()));
        };
        if best.share < WORTH {
            return Err(Stop::NothingToLearn(format!(
                "it would narrow the variance of {} by {:.1} %",
                question.name(),
                best.share * 100.0
            )));
        }
        let level = candidates.iter().find(|&&(n, _)| n == best.n).map_or(best.n, |&(_, level)| level);
        Ok(Slot { level, purpose: Purpose::Choice })
    }
}
