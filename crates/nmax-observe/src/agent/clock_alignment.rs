//! Which lines of an agent are taken, and where they belong on the run's clock.
//!
//! Lines that are new in an answer were stamped after the question before it and before the answer itself, but for the time
//! that the agent takes to read its host. Stamps that say otherwise come of a clock that jumped. Such readings would lie where
//! nothing happened, so they are left out and counted.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use nmax_metrics::Nanos;

use super::wire::Shot;
use crate::source::Reading;
use nmax_metrics::clock::{Offset, OtherClock};

/// Longest time that an agent is believed to read its host: a line has the stamp of its beginning.
const READ_MAX: Nanos = Nanos::from_secs(10);

/// Lines of one process of an agent, answer by answer.
#[derive(Debug, Default)]
pub(super) struct ClockAlignment {
    /// When the last question was put that gave lines, on the run's clock.
    asked: Option<Nanos>,
    /// Stamp of the newest line that was taken, on the agent's clock.
    newest: Option<Nanos>,
}

/// What became of the lines of an answer.
#[derive(Debug, Default, PartialEq)]
pub(super) struct AlignedReadings {
    /// Readings with their instants on the run's clock.
    pub(super) readings: Vec<Reading>,
    /// Readings that were left out.
    pub(super) left_out: usize,
}

/// The answer that brought the lines, on the run's clock.
#[derive(Clone, Copy, Debug)]
pub(super) struct Answered {
    /// The question was put.
    pub(super) asked: Nanos,
    /// The answer was here.
    pub(super) received: Nanos,
    /// Where the agent's clock stood.
    pub(super) offset: Offset,
}

impl ClockAlignment {
    /// Another process answers: it may have lines of all of the run.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The instant before which no line of the next answer was stamped.
    fn from(&self) -> Nanos {
        self.asked.map_or(Nanos::ZERO, |asked| asked.since(READ_MAX))
    }

    /// How far readings of this answer may be from where they belong, s. When the clock jumped, lines from before it are off by
    /// as much, but no farther than lines can be.
    pub(super) fn error_s(&self, clock: &OtherClock, answered: &Answered) -> f64 {
        let span_s = answered.received.since(self.from()).as_secs_f64();
        let jump_s = clock.jump_s().map_or(0.0, |jump_s| jump_s.abs().min(span_s));
        answered.offset.error_s + jump_s
    }

    /// Places the lines of an answer. Of what is said twice of one instant the last one counts; what was said by answers
    /// before, or was before the run, is none of its readings.
    pub(super) fn place(&mut self, shots: Vec<Shot>, clock: &OtherClock, answered: &Answered) -> AlignedReadings {
        let is_first = self.asked.is_none();
        let from = self.from();
        let until = answered.received;
        let slack = Nanos((answered.offset.error_s * 1e9) as u64);
        // A clock that jumped back says later lines with earlier stamps.
        let known = self.newest.filter(|_| clock.jump_s().is_none());
        let mut newest = known;
        let mut placed = AlignedReadings::default();
        let mut places: HashMap<(Nanos, String, String), usize> = HashMap::new();
        for shot in shots {
            if known.is_some_and(|known| shot.at <= known) {
                continue;
            }
            let at = match clock.here(shot.at, until) {
                Some(at) if at + slack >= from && at <= until + slack => at.min(until),
                None if is_first => continue,
                _ => {
                    placed.left_out += shot.readings.len();
                    continue;
                }
            };
            newest = newest.max(Some(shot.at));
            for reading in shot.readings {
                let reading = Reading { at: Some(at), ..reading };
                match places.entry((shot.at, reading.source.clone(), reading.metric.clone())) {
                    Entry::Occupied(place) => placed.readings[*place.get()] = reading,
                    Entry::Vacant(place) => {
                        place.insert(placed.readings.len());
                        placed.readings.push(reading);
                    }
                }
            }
        }
        self.newest = newest;
        self.asked = Some(answered.asked);
        placed
    }
}

#[cfg(test)]
mod tests;
