//! What is known once all values of a line are there.

use super::text::Text;
use super::{Draft, Values};
use crate::format::field::Moment;
use crate::format::stamp::{self, S, Stamp};

impl Draft {
    /// The host of an absolute URL, where no other value tells the host.
    pub(super) fn host_of_target(&mut self, line: &[u8]) {
        let text = self.values.target;
        let target = self.bytes(line, text);
        if !self.values.host.is_empty() || target.first().is_none_or(|&first| first == b'/') {
            return;
        }
        let Some(colon) = memchr::memmem::find(&target[..target.len().min(16)], b"://") else {
            return;
        };
        let start = colon + 3;
        let length = target[start..].iter().take_while(|byte| !b"/?#".contains(byte)).count();
        // User and password are none of the host.
        let login = memchr::memrchr(b'@', &target[start..start + length]).map_or(0, |at| at + 1);
        let (start, length) = (start + login, length - login);
        self.values.host = text.part(start..start + length);
    }

    /// Path and query as one target.
    pub(super) fn join_target(&mut self, line: &[u8]) {
        let Values { path, query, .. } = self.values;
        if !self.values.target.is_empty() || path.is_empty() {
            return;
        }
        if query.is_empty() || memchr::memchr(b'?', self.bytes(line, path)).is_some() {
            self.values.target = path;
            return;
        }
        let mut scratch = std::mem::take(&mut self.scratch);
        let start = scratch.len();
        for (text, mark) in [(path, ""), (query, "?")] {
            let from = text.range();
            scratch.extend_from_slice(mark.as_bytes());
            if text.is_scratch() {
                scratch.extend_from_within(from);
            } else {
                scratch.extend_from_slice(&line[from]);
            }
        }
        self.values.target = Text::in_scratch(start..scratch.len());
        self.scratch = scratch;
    }

    /// The stamps, once all values are there.
    pub(super) fn stamps(&mut self) {
        let Values { day, clock, .. } = self.values;
        let clock_us = clock.map(|(clock_us, _)| clock_us);
        if let (Some(day), Some((clock_us, resolution_us))) = (day.or_else(|| self.day_by_clock(clock_us?)), clock) {
            let us = day * 86400 * S + clock_us - i64::from(self.zone_s) * S;
            if let Some(stamp) = stamp::checked(us, resolution_us) {
                self.stamp(Moment::End, stamp);
            }
        }
        let values = &mut self.values;
        if let Some((us, resolution_us)) = values.fraction {
            for stamp in [&mut values.begin, &mut values.end].into_iter().flatten() {
                if stamp.resolution_us == 1_000_000 {
                    *stamp = Stamp { us: stamp.us + us, resolution_us };
                }
            }
        }
    }

    /// The day of a line that has only a clock, in days since 1970: a clock that jumps back by more than half a day has
    /// passed midnight.
    fn day_by_clock(&mut self, clock_us: i64) -> Option<i64> {
        let (day, last_us) = self.day_of_file.as_mut()?;
        if *last_us - clock_us > 43_200 * S {
            *day += 1;
        }
        *last_us = clock_us;
        Some(*day)
    }

    /// How long the exchange took, in ns.
    pub(super) fn duration_ns(&self) -> Option<u64> {
        let Values { duration_ns, parts, begin, end, .. } = self.values;
        if duration_ns.is_some() {
            return duration_ns;
        }
        if parts.count > 0 && !parts.is_unknown {
            return Some(parts.ns);
        }
        let (begin, end) = begin.zip(end)?;
        let is_fine = begin.resolution_us <= 1000 && end.resolution_us <= 1000;
        u64::try_from(end.us - begin.us).ok().filter(|_| is_fine)?.checked_mul(1000)
    }
}
