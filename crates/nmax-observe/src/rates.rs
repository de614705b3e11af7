//! Counters since the reading before.

use std::collections::HashMap;

use nmax_metrics::Nanos;

/// What counters were at the last reading, and are at this one. Holds two readings, whatever comes and goes.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    now_s: f64,
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
        self.now_s = now.as_secs_f64();
        self.before = std::mem::take(&mut self.now);
    }

    /// Whether one of these counters is smaller than at the last reading. Asked before [`Rates::begin`].
    pub(crate) fn have_fallen(&self, counters: &HashMap<String, f64>) -> bool {
        let mut pairs = counters.iter();
        pairs.any(|(key, value)| self.now.get(key).is_some_and(|before| *value < before.value))
    }

    /// What `key` grew by since the reading before; `None` at the first sight. A counter that is smaller than it was began
    /// again at 0.
    ///
    /// `stamp_s`: when it was counted, by a clock of its own. The same stamp as before is the same reading, and tells nothing.
    pub(crate) fn growth(&mut self, key: &str, value: f64, stamp_s: Option<f64>) -> Option<Growth> {
        let point = Point {
            value,
            at_s: stamp_s.unwrap_or(self.now_s),
        };
        let before = self.before.get(key).copied();
        if value.is_finite() {
            self.now.insert(key.to_owned(), point);
        }
        let before = before?;
        let over_s = point.at_s - before.at_s;
        let by = if value < before.value {
            value
        } else {
            value - before.value
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
