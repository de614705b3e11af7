//! Stamps that are far from all others: a clock that was wrong for a moment, a line of another year.
//!
//! One such line would make the log months long and its rate a small part of what it was. So what is far out on either side
//! is set apart, and counted.
//!
//! ```text
//!   1                                             #### ## ########### # #######                       1
//!   stray    gap without a request                the rest                         gap              stray
//! ```

use std::ops::Range;

/// One in so many minutes with requests, and at least one, may be stray on each side.
const EDGE: usize = 100;
/// One in so many requests may be.
const REQUESTS_FACTOR: u64 = 20;
/// A gap is longer than so many times the longest pause in the rest,
const PAUSE_FACTOR: i64 = 2;
/// lasts so many minutes,
const GAP_MIN: i64 = 60;
/// and that many, or so many times as long as the rest;
const GAP_SURE: i64 = 24 * 60;
const LENGTH_FACTOR: i64 = 3;
/// and so many times the minutes that are stray would have had requests in it, if it were as busy as the rest.
const DENSITY_FACTOR: i64 = 100;

/// A minute and its requests, at least one.
pub(super) type Minute = (i64, u64);

/// Which of the minutes, which rise, belong together; those before and after are stray. O(n).
pub(super) fn together(minutes: &[Minute]) -> Range<usize> {
    let edge = (minutes.len() / EDGE).max(1);
    let core = if minutes.len() > 2 * edge {
        edge..minutes.len() - edge
    } else if let Some(busiest) = (0..minutes.len()).max_by_key(|at| minutes[*at].1) {
        busiest..busiest + 1
    } else {
        return 0..0;
    };
    let mut rest = Rest::new(minutes, core);
    loop {
        let before = rest.range.clone();
        while rest.range.start > 0 && !rest.is_far_before() {
            rest.take_before();
        }
        while rest.range.end < minutes.len() && !rest.is_far_behind() {
            rest.take_behind();
        }
        // What one side brings may make the other less unusual.
        if rest.range == before {
            return before;
        }
    }
}

/// What belongs together so far.
struct Rest<'a> {
    minutes: &'a [Minute],
    range: Range<usize>,
    /// Longest pause in it, in minutes.
    pause: i64,
    requests: u64,
}

impl<'a> Rest<'a> {
    fn new(minutes: &'a [Minute], range: Range<usize>) -> Self {
        let within = &minutes[range.clone()];
        let pauses = within.windows(2).map(|pair| pair[1].0 - pair[0].0 - 1);
        Self { pause: pauses.max().unwrap_or(0), requests: sum(within), minutes, range }
    }

    fn is_far_before(&self) -> bool {
        let at = self.range.start;
        self.is_far(self.gap(at), &self.minutes[..at])
    }

    fn is_far_behind(&self) -> bool {
        let at = self.range.end;
        self.is_far(self.gap(at), &self.minutes[at..])
    }

    fn take_before(&mut self) {
        let at = self.range.start;
        self.pause = self.pause.max(self.gap(at));
        self.range.start = at - 1;
        self.requests += self.minutes[at - 1].1;
    }

    fn take_behind(&mut self) {
        let at = self.range.end;
        self.pause = self.pause.max(self.gap(at));
        self.range.end = at + 1;
        self.requests += self.minutes[at].1;
    }

    /// Minutes without a request before minute number `at`.
    fn gap(&self, at: usize) -> i64 {
        self.minutes[at].0 - self.minutes[at - 1].0 - 1
    }

    /// Whether what lies beyond a gap is stray.
    fn is_far(&self, gap: i64, beyond: &[Minute]) -> bool {
        let (first, last) = (self.minutes[self.range.start].0, self.minutes[self.range.end - 1].0);
        let length = last - first + 1;
        let is_long = gap >= GAP_SURE || gap >= LENGTH_FACTOR * length;
        let expected = gap as f64 * self.range.len() as f64 / length as f64;
        gap >= GAP_MIN
            && is_long
            && gap > PAUSE_FACTOR * self.pause
            && expected >= DENSITY_FACTOR as f64 * beyond.len() as f64
            && sum(beyond) * REQUESTS_FACTOR <= self.requests
    }
}

fn sum(minutes: &[Minute]) -> u64 {
    minutes.iter().map(|(_, count)| count).sum()
}

#[cfg(test)]
mod tests;
