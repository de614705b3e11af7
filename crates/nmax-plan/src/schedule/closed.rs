//! The schedule of a closed workload: which VUs are active when.
//!
//! A stage draws a line from one level to another. VU v, from 0, is active where the line is above v, just
//! after the instant in question: a ramp from 0 to 10 over 10 s starts VU 0 at once and one more each second,
//! a ramp back stops VU 9 after one second and VU 0 at the end. The active VUs are always 0, …, level − 1.

use super::{Stage, StageError, check, least, snap};

/// A schedule of VU levels.
#[derive(Clone, Debug, PartialEq)]
pub struct Closed {
    segments: Vec<Segment>,
}

/// A stage of non-zero length with its beginning.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Segment {
    /// Beginning, ns since the start of the run.
    start_ns: u64,
    /// Length, ns, above 0; `None` is unbounded.
    length_ns: Option<u64>,
    /// How much of it there is before other stages take its place, ns, above 0: `length_ns`, where none do.
    kept_ns: Option<u64>,
    /// Line at the beginning, VUs.
    from: f64,
    /// Line at the end, VUs.
    to: f64,
}

impl Closed {
    /// The schedule of these stages, one after the other.
    ///
    /// # Errors
    /// When a level is out of range, an unbounded stage is not last or not constant, or the end exceeds `u64`.
    pub fn new(stages: &[Stage]) -> Result<Self, StageError> {
        Self { segments: Vec::with_capacity(stages.len()) }.append(0, stages)
    }

    /// The same schedule up to `at_ns`, then these stages. `at_ns` is before the end of the schedule. O(stages).
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn then(mut self, at_ns: u64, stages: &[Stage]) -> Result<Self, StageError> {
        self.segments.retain(|segment| segment.start_ns < at_ns);
        if let Some(last) = self.segments.last_mut() {
            let kept_ns = at_ns - last.start_ns;
            last.kept_ns = Some(last.kept_ns.map_or(kept_ns, |length_ns| length_ns.min(kept_ns)));
        }
        self.append(at_ns, stages)
    }

    /// Appends stages from an instant on.
    fn append(mut self, mut start_ns: u64, stages: &[Stage]) -> Result<Self, StageError> {
        for (place, stage) in stages.iter().enumerate() {
            let end_ns = check(place, stage, place + 1 == stages.len(), start_ns)?;
            if end_ns != Some(start_ns) {
                let Stage { from, to, length_ns, .. } = *stage;
                self.segments.push(Segment { start_ns, length_ns, kept_ns: length_ns, from, to });
            }
            start_ns = end_ns.unwrap_or(u64::MAX);
        }
        Ok(self)
    }

    /// The highest level, VUs.
    pub fn vus_max(&self) -> u64 {
        self.segments.iter().map(Segment::level_max).max().unwrap_or(0)
    }

    /// How many VUs are active at `t_ns`; 0 from the end on.
    pub fn level_at(&self, t_ns: u64) -> u64 {
        let begun = self.segments.partition_point(|segment| segment.start_ns <= t_ns);
        let segment = begun.checked_sub(1).and_then(|last| self.segments.get(last));
        segment.map_or(0, |segment| segment.level_at(t_ns - segment.start_ns))
    }

    /// Whether VU `v`, from 0, is active at `t_ns`.
    pub fn active(&self, v: u64, t_ns: u64) -> bool {
        v < self.level_at(t_ns)
    }

    /// The next instant after `t_ns`, ns since the start of the run, at which VU `v` becomes active or ceases to be.
    pub fn next_change(&self, v: u64, t_ns: u64) -> Option<u64> {
        let is_active = self.active(v, t_ns);
        let begun = self.segments.partition_point(|segment| segment.start_ns <= t_ns);
        let change = self.segments[begun.saturating_sub(1)..].iter().find_map(|segment| {
            let earliest_ns = t_ns.saturating_add(1).saturating_sub(segment.start_ns);
            Some(segment.start_ns + segment.turns(v, !is_active, earliest_ns)?)
        });
        // After the end nobody is active.
        change.or_else(|| self.end_ns().filter(|&end_ns| is_active && end_ns > t_ns))
    }

    /// When the schedule ends, ns since the start of the run; `None` when it does not.
    pub fn end_ns(&self) -> Option<u64> {
        self.segments.last().map_or(Some(0), |last| Some(last.start_ns + last.kept_ns?))
    }
}

impl Segment {
    /// Active VUs when `t_ns` have passed in this segment; 0 from its end on. Within it, monotone in time.
    fn level_at(&self, t_ns: u64) -> u64 {
        if self.kept_ns.is_some_and(|kept_ns| t_ns >= kept_ns) {
            return 0;
        }
        let Some(length_ns) = self.length_ns else {
            return self.from.ceil() as u64;
        };
        let length = length_ns as f64;
        if self.from < self.to {
            // Just after this instant the line is higher: a VU at the line is active already.
            let line = snap(self.from + (self.to - self.from) * (t_ns as f64 / length));
            (line.floor() as u64).saturating_add(1).min(self.to.ceil() as u64)
        } else {
            let line = snap(self.to + (self.from - self.to) * ((length_ns - t_ns) as f64 / length));
            line.ceil() as u64
        }
    }

    fn level_max(&self) -> u64 {
        self.level_at(0).max(self.level_at(self.last_ns()))
    }

    /// The last instant of the segment, ns from its beginning.
    fn last_ns(&self) -> u64 {
        self.kept_ns.map_or(u64::MAX - self.start_ns, |kept_ns| kept_ns - 1)
    }

    /// The first instant from `earliest_ns` on, ns from the beginning, at which VU `v` is active or not, as `to_active` says.
    fn turns(&self, v: u64, to_active: bool, earliest_ns: u64) -> Option<u64> {
        let matches = |t_ns: u64| (v < self.level_at(t_ns)) == to_active;
        let last_ns = self.last_ns();
        if earliest_ns > last_ns {
            return None;
        }
        if matches(earliest_ns) {
            return Some(earliest_ns);
        }
        // The level is monotone, so the only change left is one that lasts to the end.
        if !matches(last_ns) {
            return None;
        }
        least(earliest_ns + (last_ns - earliest_ns) / 2, last_ns, |t_ns| t_ns > earliest_ns && matches(t_ns))
    }
}
