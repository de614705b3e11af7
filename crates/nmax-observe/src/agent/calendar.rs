//! When to say that the calendar of an agent's host is off.

use nmax_metrics::Nanos;

/// Calendars that differ by less are not worth a word, s.
const DIFFERENCE_MAX_S: f64 = 1.0;
/// Not again within this time, unless the calendar moved by far more than before.
const AGAIN_AFTER: Nanos = Nanos::from_secs(60);
/// How much farther it must have moved then, so that a calendar that jumps is not said each second.
const FARTHER: f64 = 2.0;

/// What was said of a calendar.
#[derive(Debug, Default)]
pub(super) struct Calendar {
    /// When, and how far it was off then, s.
    said: Option<(Nanos, f64)>,
    /// The farthest that it moved from one word to the next, s.
    moved_s: f64,
}

impl Calendar {
    /// What to say of the clock, if that is new: at `now` the calendar is `off_s` ahead of this host's, to within `error_s`.
    pub(super) fn check(&mut self, now: Nanos, off_s: f64, error_s: f64) -> Option<String> {
        let slack_s = DIFFERENCE_MAX_S + error_s;
        let said_s = self.said.map_or(0.0, |(_, said_s)| said_s);
        let moved_s = (off_s - said_s).abs();
        let is_due = self.said.is_none_or(|(at, _)| now.since(at) >= AGAIN_AFTER);
        if moved_s <= slack_s || !is_due && moved_s <= FARTHER * self.moved_s {
            return None;
        }
        self.said = Some((now, off_s));
        self.moved_s = self.moved_s.max(moved_s);
        if off_s.abs() <= slack_s {
            return Some("agrees with this host's again".to_owned());
        }
        let way = if off_s > 0.0 { "ahead of" } else { "behind" };
        Some(format!("is {:.1} s {way} this host's", off_s.abs()))
    }
}

#[cfg(test)]
mod tests;
