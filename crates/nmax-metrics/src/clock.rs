//! Where another host's clock stands relative to the own one, from the stamps of exchanges with it.
//!
//! An exchange has four stamps (RFC 5905): sent and received on the run's clock, arrived and answered on the other's. The
//! other clock was read while the exchange was under way, so the offset is known up to half of the round trip without
//! the time that the other side took, however unequal the two ways are. Of the exchanges remembered the one with the least
//! error counts; its error grows with its age, since clocks drift.

use std::collections::VecDeque;

use crate::Nanos;

/// Exchanges remembered.
const EXCHANGES_MAX: usize = 60;
/// What two clocks may drift apart, s per s: each is slewed by at most 500 ppm (RFC 5905) against true time.
const DRIFT_MAX: f64 = 1e-3;

/// The stamps of one exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamps {
    /// The question was sent, on the run's clock.
    pub sent: Nanos,
    /// It arrived, on the other's.
    pub arrived: Nanos,
    /// The answer left, on the other's.
    pub answered: Nanos,
    /// It was here, on the run's clock.
    pub received: Nanos,
}

impl Stamps {
    /// Offset of the other clock, ns: other − run. And how wrong it may be, ns. `None` for stamps that go back.
    fn offset(&self) -> Option<(f64, f64)> {
        let (sent, received) = (self.sent.0 as f64, self.received.0 as f64);
        let (arrived, answered) = (self.arrived.0 as f64, self.answered.0 as f64);
        if received < sent || answered < arrived {
            return None;
        }
        // The other clock may be the faster one: then it took longer there than here.
        let round_trip = ((received - sent) - (answered - arrived)).max(0.0);
        let drift = (received - sent) * DRIFT_MAX;
        Some((((arrived - sent) + (answered - received)) / 2.0, round_trip / 2.0 + drift))
    }
}

/// What is known of an offset.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Offset {
    /// The other clock − the run's, s.
    pub offset_s: f64,
    /// It is not farther from the truth than this, s.
    pub error_s: f64,
}

/// Another host's clock.
#[derive(Clone, Debug, Default)]
pub struct OtherClock {
    /// Instant, offset and error of exchanges, ns.
    exchanges: VecDeque<(Nanos, f64, f64)>,
    /// By how much the last exchange cannot agree with those before, ns; 0 when it does.
    jump: f64,
}

impl OtherClock {
    /// Adds an exchange. One that cannot agree with those before says that the clock was set or stood still: then only
    /// it counts.
    pub fn exchanged(&mut self, stamps: &Stamps) {
        let Some((offset, error)) = stamps.offset() else {
            return;
        };
        self.jump = 0.0;
        if let Some(known) = self.best(stamps.received)
            && (known.0 - offset).abs() > known.1 + error
        {
            self.exchanges.clear();
            self.jump = offset - known.0;
        }
        if self.exchanges.len() == EXCHANGES_MAX {
            self.exchanges.pop_front();
        }
        self.exchanges.push_back((stamps.received, offset, error));
    }

    /// Forgets everything: another process answers.
    pub fn forget(&mut self) {
        *self = Self::default();
    }

    /// By how much it was set forward (or back, below 0) before the last exchange, s; `None` when that agrees with those
    /// before.
    pub fn jump_s(&self) -> Option<f64> {
        (self.jump != 0.0).then_some(self.jump / 1e9)
    }

    /// Its offset now; `None` before the first exchange.
    pub fn offset(&self, now: Nanos) -> Option<Offset> {
        self.best(now).map(|(offset, error)| Offset { offset_s: offset / 1e9, error_s: error / 1e9 })
    }

    /// When something was on the run's clock that happened at `other` on the other; `None` when it was before the run, or
    /// nothing is known of the clock.
    pub fn here(&self, other: Nanos, now: Nanos) -> Option<Nanos> {
        let (offset, _) = self.best(now)?;
        let at = other.0 as f64 - offset;
        (at >= 0.0).then_some(Nanos(at as u64))
    }

    /// Offset and error now, ns, of the exchange that says most.
    fn best(&self, now: Nanos) -> Option<(f64, f64)> {
        self.exchanges
            .iter()
            .map(|(at, offset, error)| (*offset, error + now.since(*at).0 as f64 * DRIFT_MAX))
            .min_by(|a, b| a.1.total_cmp(&b.1))
    }
}

#[cfg(test)]
mod tests;
