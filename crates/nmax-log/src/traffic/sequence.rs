//! The order of one visitor's requests where stamps are coarser than visitors are fast.
//!
//! A log of whole seconds says of a request that it ended in some second; its arrival is that less its duration, known to
//! a second. Of two requests of a visitor that may have come either way round, the lines tell: a server writes one line
//! after the other, and a visitor asks for the next page after the last one.
//!
//! ```text
//! line 1   ends in second 7, took 0.1 s   arrived between 6.9 and 7.9
//! line 2   ends in second 7, took 0.4 s   arrived between 6.6 and 7.6   not before line 1: 6.9 to 7.6
//! line 3   ends in second 7, took 5.0 s   arrived between 2.0 and 3.0   before both, whatever the lines say
//! ```

use super::hash::IdMap;
use super::order::WINDOW_S;

/// Stamps that are finer need no help.
const RESOLUTION_US_MIN: u32 = 10_000;
/// Visitors of so long are known, and of at most twice that.
const KNOWN_US: i64 = WINDOW_S * 1_000_000;
/// So many at a time, and at most twice that.
const KNOWN_MAX: usize = 500_000;

/// Lines of a visitor in one second, beyond which it is a program, or many behind one address: they overlap, and their
/// lines tell no order.
const LINES_MAX: u32 = 32;
/// Further back than so many resolutions the log begins anew.
const BACK: i64 = 1_000;

/// The latest arrival of each visitor who came within the last minutes.
#[derive(Debug, Default)]
pub(super) struct Sequence {
    known: IdMap<Last>,
    /// Those who were known before `known` began.
    older: IdMap<Last>,
    began_us: i64,
}

impl Sequence {
    /// The arrival of a visitor's request, moved within its resolution so that it is not before that of an earlier line.
    pub(super) fn arrival(&mut self, visitor: u64, at_us: i64, resolution_us: u32) -> i64 {
        if resolution_us < RESOLUTION_US_MIN {
            return at_us;
        }
        if at_us.abs_diff(self.began_us) > KNOWN_US.unsigned_abs() || self.known.len() >= KNOWN_MAX {
            self.older = std::mem::take(&mut self.known);
            self.began_us = at_us;
        }
        let older = &self.older;
        let last = self.known.entry(visitor).or_insert_with(|| older.get(&visitor).copied().unwrap_or_default());
        last.follow((at_us, at_us.saturating_add(i64::from(resolution_us))), at_us)
    }
}

/// What is known of a visitor's earlier lines.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Last {
    /// The latest arrival.
    at: Option<i64>,
    /// Lines since then, and in the resolution before.
    counted_from: i64,
    lines: u32,
    lines_before: u32,
}

impl Last {
    /// Where in `from..end` a request arrived that is taken to have come `at` there: not before the visitor's earlier lines
    /// if that may be. What has to move keeps its share of what remains.
    pub(crate) fn follow(&mut self, (from, end): (i64, i64), at: i64) -> i64 {
        let length = end.saturating_sub(from).max(1);
        let since = from.saturating_sub(self.counted_from);
        // Long requests come from far back, and belong to what is counted now.
        if !(length.saturating_mul(-BACK)..length).contains(&since) {
            self.lines_before = if (0..length.saturating_mul(2)).contains(&since) { self.lines } else { 0 };
            (self.lines, self.counted_from) = (0, from);
        }
        self.lines += 1;
        let is_busy = self.lines.max(self.lines_before) > LINES_MAX;
        let found = match self.at {
            Some(last) if !is_busy && at < last && last < end => {
                let share = at.saturating_sub(from) as f64 / length as f64;
                last + (share * (end - last) as f64) as i64
            }
            _ => at,
        };
        self.at = self.at.max(Some(found));
        found
    }
}

#[cfg(test)]
mod tests;
