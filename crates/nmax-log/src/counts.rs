//! What was read of a log: how many lines are what, and why some are nothing.

use std::collections::BTreeMap;

use nmax_secrets::Redactor;
use nmax_text::shown;

use crate::traffic::Period;

/// Share of rejected lines above which the reading is called into question.
const REJECTED_SHARE_MAX: f64 = 0.01;
/// Reasons for rejections that are told apart.
const REASONS_MAX: usize = 50;
/// Examples of each.
const EXAMPLES_MAX: usize = 3;
/// A stamp is looked at twice when it is further than this from the one before, µs: those that are far from all others are
/// at least so far from the lines around them.
const JUMP_US: u64 = 3_600_000_000;
/// Such stamps that are remembered.
const JUMPS_MAX: usize = 1_000;
/// Characters of an example that are kept.
const EXAMPLE_CHARS_MAX: usize = 120;

/// What was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Counts {
    /// Lines, all of them.
    pub lines: u64,
    /// Requests.
    pub parsed: u64,
    /// Lines that are none.
    pub rejected: u64,
    /// Comments and directives.
    pub comments: u64,
    /// Empty ones.
    pub blank: u64,
    /// Bytes, unpacked.
    pub bytes: u64,
    /// Why lines were rejected.
    pub rejections: BTreeMap<String, Rejected>,
    /// Files that could not be read to their end, and why.
    pub broken: Vec<String>,
    /// Requests stamped more than [`JUMP_US`] from the one before: `FILE:LINE` and the arrival, µs; a bounded number.
    jumps: Vec<(String, i64)>,
    /// Arrival of the last request.
    last_us: Option<i64>,
}

/// Lines that were rejected for the same reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rejected {
    /// How many.
    pub count: u64,
    /// The first ones: `FILE:LINE` and how the line begins.
    pub examples: Vec<(String, String)>,
}

impl Counts {
    /// Whether so many lines were rejected that the result is in doubt.
    pub fn is_doubtful(&self) -> bool {
        self.rejected as f64 > REJECTED_SHARE_MAX * (self.parsed + self.rejected) as f64
    }

    /// Adds what was read of another file.
    pub fn add(&mut self, other: Self) {
        self.lines += other.lines;
        self.parsed += other.parsed;
        self.rejected += other.rejected;
        self.comments += other.comments;
        self.blank += other.blank;
        self.bytes += other.bytes;
        self.broken.extend(other.broken);
        self.jumps.extend(other.jumps);
        self.jumps.truncate(JUMPS_MAX);
        for (reason, rejected) in other.rejections {
            let known = self.rejections.entry(reason).or_default();
            known.count += rejected.count;
            known.examples.extend(rejected.examples);
            known.examples.truncate(EXAMPLES_MAX);
        }
    }

    /// Notes where the time of the log jumps.
    pub fn arrived(&mut self, at_us: i64, place: impl FnOnce() -> String) {
        let is_jump = self.last_us.is_none_or(|last| at_us.abs_diff(last) > JUMP_US);
        self.last_us = Some(at_us);
        if is_jump && self.jumps.len() < JUMPS_MAX {
            self.jumps.push((place(), at_us));
        }
    }

    /// Where the first lines are that lie outside of the time of all others; `None` when there is none.
    pub fn strays(&self, others: Period) -> Option<String> {
        let outside = self.jumps.iter().filter(|(_, at_us)| !others.contains(*at_us));
        let places: Vec<String> = outside
            .map(|(place, at_us)| {
                format!("{place} ({:.0})", jiff::Timestamp::from_microsecond(*at_us).unwrap_or_default())
            })
            .collect();
        let more = if places.len() > EXAMPLES_MAX { ", ..." } else { "" };
        let first = places.iter().take(EXAMPLES_MAX).map(String::as_str).collect::<Vec<_>>();
        (!places.is_empty()).then(|| format!("stamped far from all others: {}{more}", first.join(", ")))
    }

    /// Notes a line that is no request, and why.
    pub fn reject(&mut self, reason: String, place: impl FnOnce() -> String, line: &[u8]) {
        self.rejected += 1;
        let is_new = !self.rejections.contains_key(&reason);
        let reason =
            if is_new && self.rejections.len() >= REASONS_MAX { "for other reasons".to_owned() } else { reason };
        let known = self.rejections.entry(reason).or_default();
        known.count += 1;
        if known.examples.len() < EXAMPLES_MAX {
            let start = &line[..line.len().min(4 * EXAMPLE_CHARS_MAX)];
            let text = String::from_utf8_lossy(start);
            let text: String = Redactor::default().data(&text).chars().take(EXAMPLE_CHARS_MAX).collect();
            known.examples.push((place(), shown(&text).into_owned()));
        }
    }
}

#[cfg(test)]
mod tests;
