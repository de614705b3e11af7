//! Counters since the reading before.

use std::collections::HashMap;

use nmax_metrics::Nanos;

/// A reading that is later than the usual distance by this factor comes after a gap.
const GAP: f64 = 1.5;

/// What counters were at the last reading, and are at this one. Holds two readings, whatever comes and goes.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    /// Time of this reading; `None` before the first.
    now_s: Option<f64>,
    /// Shortest time between two readings, s.
    usual_s: Option<f64>,
    /// Whether readings are missing between the one before and this one.
    is_after_gap: bool,
    before: HashMap<String, Point>,
    now: HashMap<String, Point>,
}

#[derive(Clone, Copy, Debug)]
struct Point {
    value: f64,
    at_s: f64,
}

/// How much a counter grew, and in which time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Growth {
    /// In the counter's unit; never negative.
    pub(crate) by: f64,
    /// Time between both readings, in seconds; above 0.
    pub(crate) over_s: f64,
}

impl Growth {
    /// Growth per second.
    pub(crate) fn per_s(self) -> f64 {
        self.by / self.over_s
    }
}

impl Rates {
    /// A new reading, at `now`.
    pub(crate) fn begin(&mut self, now: Nanos) {
        let now_s = now.as_secs_f64();
        if let Some(before_s) = self.now_s.replace(now_s) {
            let step_s = now_s - before_s;
            self.is_after_gap = self.usual_s.is_some_and(|usual_s| step_s > GAP * usual_s);
            self.usual_s = Some(self.usual_s.map_or(step_s, |usual_s| usual_s.min(step_s)));
        }
        self.before = std::mem::take(&mut self.now);
    }

    /// Whether one of these counters is smaller than at the last reading. Asked before [`Rates::begin`].
    pub(crate) fn have_fallen(&self, counters: &HashMap<String, f64>) -> bool {
        let mut pairs = counters.iter();
        pairs.any(|(key, value)| self.now.get(key).is_some_and(|before| *value < before.value))
    }

    /// What `key` grew by since the reading before; `None` at the first sight. A counter that is smaller than it was began
    /// again at 0; after a gap nobody knows when, so there is none then either.
    ///
    /// `stamp_s`: when it was counted, by a clock of its own. The same stamp as before is the same reading, and tells nothing.
    pub(crate) fn growth(&mut self, key: &str, value: f64, stamp_s: Option<f64>) -> Option<Growth> {
        let point = Point { value, at_s: stamp_s.or(self.now_s).unwrap_or_default() };
        let before = self.before.get(key).copied();
        if value.is_finite() {
            self.now.insert(key.to_owned(), point);
        }
        let before = before?;
        let over_s = point.at_s - before.at_s;
        let by = match value < before.value {
            true if self.is_after_gap => return None,
            true => value,
            false => value - before.value,
        };
        (over_s > 0.0 && by.is_finite() && by >= 0.0).then_some(Growth { by, over_s })
    }

    /// Growth per second of a counter without a clock of its own.
    pub(crate) fn per_s(&mut self, key: &str, value: f64) -> Option<f64> {
        self.growth(key, value, None).map(Growth::per_s)
    }
}

#[cfg(test)]
mod tests;
