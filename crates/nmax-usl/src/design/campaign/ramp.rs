//! The ramp: levels double until throughput falls, stays flat, or a limit is hit. Where a rate breaks the system down,
//! levels between it and the last good one follow.

use crate::design::rules::Rules;

/// Throughput this far below its maximum has fallen.
const FALL: f64 = 0.05;
/// Throughput that changes by less than this over a doubling is flat.
const FLAT: f64 = 0.05;
/// Each level of the ramp over the one before.
const FACTOR: f64 = 2.0;

/// Levels that are tried below one that broke the system down, at most.
const BETWEEN_MAX: usize = 4;
/// The least ratio of levels between which another is tried.
const BETWEEN_RATIO: f64 = 1.15;

/// Why the ramp ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// Throughput fell.
    Fell,
    /// Two doublings changed it by less than 5 % each.
    Flat,
    /// The largest level, or the last of those that were given.
    Limit,
    /// The system broke down.
    Broke,
    /// Two levels in succession could not be measured.
    Unmeasurable,
}

/// Levels so far, each with its throughput where it could be measured.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ramp {
    climbed: Vec<(f64, Option<f64>)>,
    /// Levels that broke the system down, in the order of running.
    broken: Vec<f64>,
    /// Levels that were climbed before the first of them.
    risen: usize,
    end: Option<End>,
}

impl Ramp {
    /// The next level, or `None` at the end.
    pub(crate) fn next(&mut self, rules: &Rules) -> Option<f64> {
        if self.end.is_some() {
            return None;
        }
        if !self.broken.is_empty() {
            let next = self.between();
            if next.is_none() {
                self.end = Some(End::Broke);
            }
            return next;
        }
        let next = match &rules.levels {
            Some(levels) => levels.get(self.climbed.len()).copied(),
            None => self.geometric(rules),
        };
        if next.is_none() {
            self.end = Some(End::Limit);
        }
        next
    }

    fn geometric(&self, rules: &Rules) -> Option<f64> {
        let Some(&(last, _)) = self.climbed.last() else {
            return Some(if rules.integer { rules.min.ceil() } else { rules.min });
        };
        let max = if rules.integer { rules.max.floor() } else { rules.max };
        let next = if rules.integer { (last * FACTOR).round() } else { last * FACTOR };
        // A last step of less than a tenth would tell nothing new.
        (last * 1.1 <= max).then_some(next.min(max))
    }

    /// The geometric mean of the last good level and the lowest above it that was not, as long as that tells something.
    fn between(&self) -> Option<f64> {
        let good = self.climbed.iter().filter(|(_, x)| x.is_some()).map(|(level, _)| *level);
        let good = good.fold(f64::NAN, f64::max);
        let unmeasured = self.climbed.iter().filter(|(_, x)| x.is_none()).map(|(level, _)| *level);
        let bad = unmeasured.chain(self.broken.iter().copied()).filter(|level| *level > good);
        let bad = bad.fold(f64::INFINITY, f64::min);
        let tried = self.climbed.len() - self.risen + self.broken.len() - 1;
        // Without a good level there is no ratio.
        (bad / good > BETWEEN_RATIO && tried < BETWEEN_MAX).then(|| (good * bad).sqrt())
    }

    /// The level was measured (`x` per second), or it was dropped.
    pub(crate) fn record(&mut self, level: f64, x: Option<f64>, rules: &Rules) {
        self.climbed.push((level, x));
        if rules.levels.is_some() {
            return;
        }
        if !self.broken.is_empty() {
            return;
        }
        if let [.., (_, None), (_, None)] = self.climbed[..] {
            self.end = Some(End::Unmeasurable);
            return;
        }
        let measured: Vec<(f64, f64)> = self.climbed.iter().filter_map(|&(level, x)| Some((level, x?))).collect();
        let top = measured.iter().map(|&(_, x)| x).fold(0.0, f64::max);
        let Some(&(_, last)) = measured.last() else { return };
        if x.is_some() && last <= top * (1.0 - FALL) {
            self.end = Some(End::Fell);
        } else if let [.., (from, a), (_, b), (to, c)] = measured[..] {
            let flat = |x: f64, y: f64| (y / x - 1.0).abs() < FLAT;
            // Two doublings, also where whole numbers or the largest level made the steps a little shorter.
            if to / from >= 3.0 && flat(a, b) && flat(b, c) {
                self.end = Some(End::Flat);
            }
        }
    }

    /// The system broke down at the level. Rates above what it can do only wait; as many users more may do harm.
    pub(crate) fn broke(&mut self, level: f64, rules: &Rules) {
        if self.broken.is_empty() {
            self.risen = self.climbed.len();
        }
        self.broken.push(level);
        if rules.integer || rules.levels.is_some() {
            self.end = Some(End::Broke);
        }
    }

    /// Why it ended, once it has.
    pub(crate) fn end(&self) -> Option<End> {
        self.end
    }
}
