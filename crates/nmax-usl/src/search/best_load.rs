//! The best usable throughput of one setting of the system, over load, in few runs.
//!
//! For a knob of the system under test: at each of its values the load that suits it best has to be found anew. The
//! search begins at a guess (the best load of the value before), doubles or halves until the best level has a lower
//! one on each side, measures the vertex of the parabola through the three, and then measures the best level afresh,
//! since the best of several noisy runs looks better than it is.

#[cfg(test)]
mod tests;

use crate::design::desk::{Desk, Slot};
use crate::design::rules::range_problems;
use crate::design::{Dropped, Outcome, Purpose, RulesError, Step, Stop, TimeLeft, Trial};
use crate::quantile::student_t;

/// Of levels whose throughput is within this of the best, the lowest is the best: more load would only wait longer.
const TIE: f64 = 0.02;
/// A vertex within this factor of a measured level is that level.
const NEAR: f64 = 1.1;

/// What is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct BestLoadRules {
    /// The smallest load, above 0.
    pub min: f64,
    /// The largest load.
    pub max: f64,
    /// Whether loads are whole numbers.
    pub integer: bool,
    /// Where to begin, such as the best load of the knob's value before; the smallest load without it.
    pub start: Option<f64>,
    /// Fresh runs of the best load, at least 1; its throughput is their mean.
    pub replicates: usize,
    /// Trials of any kind, at least 1.
    pub runs_max: usize,
}

/// The best load and what it gives.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The load.
    pub level: f64,
    /// Concurrency there, mean of its runs.
    pub n: f64,
    /// Throughput there, per second: the mean of the fresh runs, of all its runs while there are none.
    pub x: f64,
    /// Ends of the 95 % interval of that mean (Student's t of the fresh runs); `None` with fewer than two.
    pub low: Option<f64>,
    /// Upper end.
    pub high: Option<f64>,
    /// How many runs the mean is of.
    pub runs: usize,
}

#[derive(Clone, Copy, Debug)]
struct Run {
    level: f64,
    n: f64,
    x: f64,
    fresh: bool,
}

/// The search. Ask for the [next](Self::next) step, run it, [record](Self::record) what became of it.
#[derive(Clone, Debug)]
pub struct BestLoad {
    rules: BestLoadRules,
    desk: Desk,
    runs: Vec<Run>,
    /// No load at or above it is asked for.
    broken_at: f64,
    /// The load that is measured afresh, once it is decided.
    chosen: Option<f64>,
    refined: bool,
}

impl BestLoad {
    /// A search at its beginning.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the rules, at once.
    pub fn new(rules: BestLoadRules) -> Result<Self, RulesError> {
        let BestLoadRules { min, max, integer, start, replicates, runs_max } = rules;
        let mut problems = range_problems(min, max, integer, replicates, runs_max, &[]);
        if let Some(start) = start.filter(|start| !(start.is_finite() && *start > 0.0)) {
            problems.push(format!("the load to begin with is {start}; give one above 0"));
        }
        RulesError::check(problems)?;
        let desk = Desk::new(rules.runs_max);
        Ok(Self { rules, desk, runs: Vec::new(), broken_at: f64::INFINITY, chosen: None, refined: false })
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
    pub fn record(&mut self, trial: &Trial, outcome: Outcome) {
        let (slot, attempts) = self.desk.take(trial);
        let why = match outcome {
            Outcome::Measured { n, x, .. } if n.is_finite() && x.is_finite() && n > 0.0 && x > 0.0 => {
                let fresh = slot.purpose == Purpose::Replicate;
                self.runs.push(Run { level: slot.level, n, x, fresh });
                return;
            }
            Outcome::Measured { n, x, .. } => format!("it gave {x}/s at a concurrency of {n}"),
            Outcome::Invalid(why) => why,
            Outcome::Refused(why) => {
                self.broken_at = self.broken_at.min(slot.level);
                self.desk.drop_level(slot.level, attempts, why);
                self.forget(slot.level);
                return;
            }
        };
        if self.desk.invalid(slot, attempts, why) {
            self.forget(slot.level);
        }
    }

    /// A load that was given up is not the best one.
    fn forget(&mut self, level: f64) {
        self.runs.retain(|run| run.level < self.broken_at && run.level != level);
        self.chosen = self.chosen.filter(|&chosen| chosen < self.broken_at && chosen != level);
    }

    /// Loads that were given up, and why.
    pub fn dropped(&self) -> &[Dropped] {
        self.desk.dropped()
    }

    /// The best load so far; `None` before anything was measured.
    pub fn answer(&self) -> Option<Best> {
        let level = self.chosen.or_else(|| self.best())?;
        let at = || self.runs.iter().filter(move |run| run.level == level);
        let fresh: Vec<f64> = at().filter(|run| run.fresh).map(|run| run.x).collect();
        let of: Vec<f64> = if fresh.is_empty() { at().map(|run| run.x).collect() } else { fresh };
        let x = mean(&of)?;
        let n = mean(&at().map(|run| run.n).collect::<Vec<_>>())?;
        let half = (of.len() > 1).then(|| {
            let degrees = (of.len() - 1) as f64;
            let variance = of.iter().map(|value| (value - x).powi(2)).sum::<f64>() / degrees;
            student_t(0.975, degrees) * (variance / of.len() as f64).sqrt()
        });
        let (low, high) = (half.map(|half| x - half), half.map(|half| x + half));
        Some(Best { level, n, x, low, high, runs: of.len() })
    }

    fn decide(&mut self) -> Result<Slot, Stop> {
        if self.chosen.is_none() {
            if let Some(level) = self.explore() {
                return Ok(Slot { level, purpose: if self.refined { Purpose::Refine } else { Purpose::Ramp } });
            }
            self.chosen = self.best();
        }
        let Some(level) = self.chosen else {
            return Err(Stop::NothingToLearn("no load could be measured".into()));
        };
        let fresh = self.runs.iter().filter(|run| run.level == level && run.fresh).count();
        if fresh < self.rules.replicates {
            return Ok(Slot { level, purpose: Purpose::Replicate });
        }
        let half_width = self.answer().and_then(|best| Some((best.high? - best.low?) / (2.0 * best.x)));
        Err(Stop::Found { half_width: half_width.unwrap_or(0.0) })
    }

    /// The next load that has to be known before the best can be chosen.
    fn explore(&mut self) -> Option<f64> {
        let Some(best) = self.best() else {
            // Nothing was measured yet; where the start breaks the system or gives nothing, half of it may do.
            let mut level = self.allowed(self.rules.start.unwrap_or(self.rules.min))?;
            while !self.open(level) {
                level = self.allowed(level / 2.0).filter(|&lower| lower < level)?;
            }
            return Some(level);
        };
        let levels = self.levels();
        let above = levels.iter().copied().find(|&level| level > best);
        let below = levels.iter().copied().rfind(|&level| level < best);
        // Up first: a load that is too small is common, and every load above has to be lower than the best.
        if above.is_none()
            && let Some(level) = self.allowed(best * 2.0).filter(|&level| level > best && self.open(level))
        {
            return Some(level);
        }
        if below.is_none()
            && let Some(level) = self.allowed(best / 2.0).filter(|&level| level < best && self.open(level))
        {
            return Some(level);
        }
        if self.refined {
            return None;
        }
        self.refined = true;
        let vertex = vertex([self.point(below?)?, self.point(best)?, self.point(above?)?])?;
        let level = self.allowed(vertex)?;
        let new = levels.iter().all(|other| (other / level).ln().abs() > NEAR.ln());
        (new && self.open(level)).then_some(level)
    }

    /// The lowest load whose throughput is within 2 % of the largest.
    fn best(&self) -> Option<f64> {
        let levels = self.levels();
        let top = levels.iter().filter_map(|&level| self.mean_at(level)).fold(0.0, f64::max);
        levels.into_iter().find(|&level| self.mean_at(level).is_some_and(|x| x >= top * (1.0 - TIE)))
    }

    fn levels(&self) -> Vec<f64> {
        let mut levels: Vec<f64> = self.runs.iter().map(|run| run.level).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels
    }

    fn mean_at(&self, level: f64) -> Option<f64> {
        mean(&self.runs.iter().filter(|run| run.level == level).map(|run| run.x).collect::<Vec<_>>())
    }

    /// ln of the load and of its throughput.
    fn point(&self, level: f64) -> Option<(f64, f64)> {
        Some((level.ln(), self.mean_at(level)?.ln()))
    }

    fn open(&self, level: f64) -> bool {
        level < self.broken_at && !self.desk.has_dropped(level)
    }

    /// A load within the range, whole where it has to be.
    fn allowed(&self, level: f64) -> Option<f64> {
        let level = level.clamp(self.rules.min, self.rules.max);
        let level = if self.rules.integer { level.round() } else { level };
        (level >= self.rules.min && level <= self.rules.max).then_some(level)
    }
}

fn mean(values: &[f64]) -> Option<f64> {
    (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
}

/// Where the parabola through three points has its maximum, as exp of the argument; `None` when it has none.
fn vertex([(u0, y0), (u1, y1), (u2, y2)]: [(f64, f64); 3]) -> Option<f64> {
    let (left, right) = ((y1 - y0) / (u1 - u0), (y2 - y1) / (u2 - u1));
    let curvature = (right - left) / (u2 - u0);
    let at = (u0 + u1) / 2.0 - left / (2.0 * curvature);
    (curvature < 0.0 && at > u0 && at < u2).then(|| at.exp())
}
