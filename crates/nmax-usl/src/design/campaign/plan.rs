//! Which levels a campaign measures after its ramp.

use super::Campaign;
use super::knowledge::{self, Shape};
use super::ramp::End;
use crate::design::desk::Slot;
use crate::design::information::{d_optimal, peak_of};
use crate::design::rules::{Purpose, Stop};
use crate::fit::Fit;

/// A measured level within this factor of a wanted one is taken instead of it.
const NEAR: f64 = 1.2;
/// Levels that differ, where the range has as many; below it the gate refuses a peak of the law.
const DISTINCT: usize = 6;
/// New levels to choose from, besides those that were measured.
const GRID: usize = 12;

impl Campaign {
    /// Plans the runs that are missing to the design, in random order: at most `affordable`, first runs before second.
    pub(super) fn lay_out(&mut self, affordable: usize) {
        let levels = match &self.rules.levels {
            Some(levels) => levels.clone(),
            None => self.design(),
        };
        let mut slots = Vec::new();
        for run in 1..=self.rules.replicates {
            for &level in levels.iter().filter(|&&level| self.open(level)) {
                let have = self.measured.iter().filter(|measured| measured.level == level).count();
                if have < run {
                    let purpose = if run == 1 { Purpose::Refine } else { Purpose::Replicate };
                    slots.push(Slot { level, purpose });
                }
            }
        }
        slots.truncate(affordable);
        self.random.shuffle(&mut slots);
        // A level's first run is the new one, whichever the order made it.
        slots.reverse();
        for index in (0..slots.len()).rev() {
            let level = slots[index].level;
            let first = !slots[index + 1..].iter().any(|slot| slot.level == level);
            let new = first && !self.measured.iter().any(|measured| measured.level == level);
            slots[index].purpose = if new { Purpose::Refine } else { Purpose::Replicate };
        }
        self.pool = slots;
        self.learning = "replicates around the peak, in random order".into();
    }

    /// Whether the level may be asked for.
    pub(super) fn open(&self, level: f64) -> bool {
        level < self.broken_at && !self.desk.has_dropped(level)
    }

    /// Levels that were measured and may be measured again, rising.
    fn known(&self) -> Vec<f64> {
        let mut levels: Vec<f64> =
            self.measured.iter().map(|run| run.level).filter(|&level| self.open(level)).collect();
        levels.sort_by(f64::total_cmp);
        levels.dedup();
        levels
    }

    /// The largest level that may be asked for.
    fn ceiling(&self) -> f64 {
        match self.ramp.end() {
            // Levels between the last good one and the one that broke are not worth the damage.
            Some(End::Broke | End::Unmeasurable) => self.known().last().copied().unwrap_or(self.rules.min),
            _ => self.rules.max,
        }
    }

    /// Levels that get replicates.
    fn design(&self) -> Vec<f64> {
        let known = self.known();
        let [lowest, .., highest] = known[..] else { return known };
        let observations = self.observations();
        let high = observations.iter().map(|run| run.n).fold(0.0, f64::max);
        let shape = knowledge::shape(&observations);
        let best = observations.iter().max_by(|a, b| a.x.total_cmp(&b.x)).map(|run| run.n);
        let fell = self.ramp.end() == Some(End::Fell);
        let wanted: Vec<f64> = match (knowledge::centre(&shape, high).or(best.filter(|_| fell)), &shape) {
            (Some(n), _) => [0.5, 1.0, 2.0].iter().map(|factor| self.level_for(n * factor)).collect(),
            (None, Shape::Open(fit) | Shape::Peak(fit)) => d_optimal(&fit.law, lowest, highest)[1..].to_vec(),
            (None, _) => vec![(lowest * highest).sqrt(), highest],
        };
        let mut design = vec![lowest];
        design.extend(wanted.into_iter().map(|level| self.near(level, &known)));
        self.fill(&mut design, &known);
        design.sort_by(f64::total_cmp);
        design.dedup();
        design
    }

    /// The measured level near `level`, else `level` itself within what is allowed.
    fn near(&self, level: f64, known: &[f64]) -> f64 {
        let level = self.allowed(level);
        let distance = |other: f64| (other / level).ln().abs();
        let nearest = known.iter().copied().min_by(|a, b| distance(*a).total_cmp(&distance(*b)));
        nearest.filter(|&other| distance(other) <= NEAR.ln()).unwrap_or(level)
    }

    /// `level`, whole where it has to be, between the smallest and the largest.
    fn allowed(&self, level: f64) -> f64 {
        let level = level.clamp(self.rules.min, self.ceiling().max(self.rules.min));
        if !self.rules.integer {
            return level;
        }
        level.round().clamp(self.rules.min.ceil(), self.ceiling().floor().max(self.rules.min.ceil()))
    }

    /// Adds levels in the widest gaps, then above, until enough differ.
    fn fill(&self, design: &mut Vec<f64>, known: &[f64]) {
        loop {
            let mut all = [known, design].concat();
            all.sort_by(f64::total_cmp);
            all.dedup();
            if all.len() >= DISTINCT {
                return;
            }
            let mut gaps: Vec<(f64, f64)> = all.windows(2).map(|pair| (pair[0], pair[1])).collect();
            gaps.sort_by(|a, b| (b.1 / b.0).total_cmp(&(a.1 / a.0)));
            let above = all.last().map(|last| last * std::f64::consts::SQRT_2 + 0.5);
            let new = gaps
                .iter()
                .map(|(from, to)| self.allowed((from * to).sqrt()))
                .chain(above.map(|level| self.allowed(level)))
                .find(|level| self.open(*level) && all.iter().all(|other| (other / level).ln().abs() > 1e-3));
            let Some(new) = new else { return };
            design.push(new);
        }
    }

    /// The level that will give concurrency `n`: they are the same, except where the level is a rate.
    fn level_for(&self, n: f64) -> f64 {
        let mut points: Vec<(f64, f64)> = self.measured.iter().map(|run| (run.observation.n, run.level)).collect();
        if points.iter().all(|(n, level)| n == level) {
            return n;
        }
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        let [(n_low, level_low), .., (n_high, level_high)] = points[..] else {
            return n;
        };
        if n <= n_low {
            return level_low * n / n_low;
        }
        if n >= n_high {
            return level_high;
        }
        let after = points.partition_point(|&(other, _)| other < n).max(1);
        let ((n0, level0), (n1, level1)) = (points[after - 1], points[after]);
        let share = if n1 > n0 { (n / n0).ln() / (n1 / n0).ln() } else { 0.0 };
        level0 * (level1 / level0).powf(share)
    }

    /// Concurrencies to choose from, each with the level that gives it: levels that were measured, and new ones up to
    /// twice the peak (or `reach`).
    pub(super) fn candidates(&self, fit: &Fit, reach: f64) -> Vec<(f64, f64)> {
        let known = self.known();
        let [lowest, ..] = known[..] else { return Vec::new() };
        let mut candidates: Vec<(f64, f64)> = known
            .iter()
            .map(|&level| {
                let runs = || self.measured.iter().filter(|run| run.level == level);
                (runs().map(|run| run.observation.n).sum::<f64>() / runs().count() as f64, level)
            })
            .collect();
        let low = candidates.first().map_or(1.0, |&(n, _)| n);
        let high = peak_of(&fit.law).map_or(reach, |peak| (2.0 * peak).min(reach));
        for step in 1..=GRID {
            let n = low * (high / low).max(1.0).powf(step as f64 / GRID as f64);
            let level = self.allowed(self.level_for(n));
            let new = self.near(level, &known) == level && self.open(level) && level >= lowest;
            if new && !candidates.iter().any(|&(_, other)| other == level) {
                // Where level and concurrency are the same, rounding the one rounds the other.
                candidates.push((if self.level_for(n) == n { level } else { n }, level));
            }
        }
        candidates
    }

    /// One more run at the least measured level beside `n`: at it or above, or below.
    pub(super) fn beside(&self, n: f64, above: bool) -> Result<Slot, Stop> {
        let mut best: Option<(usize, f64)> = None;
        for level in self.known() {
            let runs = || self.measured.iter().filter(|run| run.level == level);
            let mean = runs().map(|run| run.observation.n).sum::<f64>() / runs().count() as f64;
            if (mean >= n) == above && best.is_none_or(|(count, _)| runs().count() < count) {
                best = Some((runs().count(), level));
            }
        }
        match best {
            Some((_, level)) => Ok(Slot { level, purpose: Purpose::Choice }),
            None => Err(Stop::NothingToLearn("no level is left to measure".into())),
        }
    }
}
