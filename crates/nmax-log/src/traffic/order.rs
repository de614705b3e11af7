//! Records in the order of their arrival: a window of seconds in which stragglers are put in their place.
//!
//! Servers write when a request ends, so arrivals in a log are out of order by as much as requests last. What is later
//! than the window is handed on as late. When nothing else comes any more, the log has jumped back, as where an older file
//! is read after a younger one: then everything begins anew from there.
//!
//! A record may be further ahead than the window, after a quiet hour, or because its stamp is wrong. It waits until so many
//! came that most of them say which: where they are as far ahead as it is, time went on, else it is handed on as late.

use std::collections::VecDeque;

use super::paths::TypeId;

/// Stragglers within so many seconds are put in order.
pub(crate) const WINDOW_S: i64 = 120;
/// So many late ones in a row are a jump.
const LATE_MAX: usize = 1_024;
/// So many records say whether time went on to where the first of them is.
const WITNESSES: usize = 64;
/// Records that wait at a time; beyond, the window is shorter.
const WAITING_MAX: usize = 1 << 20;

/// What sessions need to know of a record.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Event {
    pub(crate) arrival_us: i64,
    /// Who: hash of session, user, or client and agent.
    pub(crate) visitor: u64,
    /// Hash of path and query.
    pub(crate) target: u64,
    /// Hash of path and query of the referer; 0 = none.
    pub(crate) referer: u64,
    /// How long it took; 0 = unknown.
    pub(crate) duration_us: u32,
    pub(crate) kind: TypeId,
    pub(crate) is_resource: bool,
    /// It asks for `/robots.txt`.
    pub(crate) is_robot: bool,
}

/// What comes out, in order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ordered<'a> {
    /// The next record.
    Next(&'a Event),
    /// A record that is too late for its place, or too far ahead of it.
    Late(&'a Event),
    /// The clock jumps back: what is open ends here.
    Restart,
}

#[derive(Debug, Default)]
pub(crate) struct Order {
    /// One for each second from `base_s` on, at `second % length`.
    seconds: Vec<Vec<Event>>,
    base_s: Option<i64>,
    /// The last second that has come; nothing is placed more than a window after it, unless others say so.
    newest_s: Option<i64>,
    waiting: usize,
    late: Vec<Event>,
    /// A record that is far ahead, and all that came behind it.
    ahead: VecDeque<Event>,
}

impl Order {
    pub(crate) fn new() -> Self {
        Self { seconds: vec![Vec::new(); WINDOW_S as usize + 1], ..Self::default() }
    }

    /// Takes a record, and hands on those that nothing can come before any more. Amortized O(log n) of a second's records.
    pub(crate) fn push(&mut self, event: Event, out: &mut impl FnMut(Ordered)) {
        if self.ahead.is_empty() && !self.is_ahead(&event) {
            self.take(event, out);
        } else {
            self.ahead.push_back(event);
            self.release(WITNESSES, out);
        }
    }

    /// Whether a record is more than a window after all that came.
    fn is_ahead(&self, event: &Event) -> bool {
        self.newest_s.is_none_or(|newest| second(event) - newest > WINDOW_S)
    }

    /// Takes what waits, as long as `witnesses` say whether time went on.
    fn release(&mut self, witnesses: usize, out: &mut impl FnMut(Ordered)) {
        while let Some(first) = self.ahead.front() {
            if self.is_ahead(first) {
                if self.ahead.len() < witnesses {
                    break;
                }
                let from = second(first) - WINDOW_S;
                let as_far = self.ahead.iter().filter(|event| second(event) >= from).count();
                if 2 * as_far > self.ahead.len() {
                    self.newest_s = Some(second(first));
                }
            }
            let Some(event) = self.ahead.pop_front() else { break };
            if self.is_ahead(&event) {
                out(Ordered::Late(&event));
            } else {
                self.take(event, out);
            }
        }
    }

    /// Takes a record that is not ahead.
    fn take(&mut self, event: Event, out: &mut impl FnMut(Ordered)) {
        let second = second(&event);
        let base = *self.base_s.get_or_insert(second - WINDOW_S);
        if second >= base {
            for late in self.late.drain(..) {
                out(Ordered::Late(&late));
            }
            self.place(second, event, out);
            return;
        }
        self.late.push(event);
        if self.late.len() >= LATE_MAX {
            self.restart(out);
        }
    }

    /// Begins anew from the late ones on.
    fn restart(&mut self, out: &mut impl FnMut(Ordered)) {
        let late = std::mem::take(&mut self.late);
        self.drain(out);
        out(Ordered::Restart);
        let first = late.iter().map(second).min();
        (self.base_s, self.newest_s) = (first, first);
        for event in late.into_iter().rev() {
            self.ahead.push_front(event);
        }
    }

    fn place(&mut self, second: i64, event: Event, out: &mut impl FnMut(Ordered)) {
        self.newest_s = self.newest_s.max(Some(second));
        while let Some(base) = self.base_s.filter(|base| second - base > WINDOW_S) {
            if self.waiting == 0 {
                self.base_s = Some(second - WINDOW_S);
            } else {
                self.turn(base, out);
            }
        }
        let slot = self.slot(second);
        self.seconds[slot].push(event);
        self.waiting += 1;
        while self.waiting > WAITING_MAX {
            let Some(base) = self.base_s else { break };
            self.turn(base, out);
        }
    }

    fn slot(&self, second: i64) -> usize {
        second.rem_euclid(self.seconds.len() as i64) as usize
    }

    /// Hands the first second on.
    fn turn(&mut self, base: i64, out: &mut impl FnMut(Ordered)) {
        let slot = self.slot(base);
        let events = &mut self.seconds[slot];
        if !events.is_sorted_by_key(|event| event.arrival_us) {
            events.sort_by_key(|event| event.arrival_us);
        }
        self.waiting -= events.len();
        for event in events.drain(..) {
            out(Ordered::Next(&event));
        }
        self.base_s = Some(base + 1);
    }

    /// Hands on all that waits.
    pub(crate) fn finish(&mut self, out: &mut impl FnMut(Ordered)) {
        self.release(0, out);
        for late in self.late.drain(..) {
            out(Ordered::Late(&late));
        }
        self.drain(out);
    }

    fn drain(&mut self, out: &mut impl FnMut(Ordered)) {
        while let Some(base) = self.base_s.filter(|_| self.waiting > 0) {
            self.turn(base, out);
        }
    }
}

/// The second of a record's arrival.
fn second(event: &Event) -> i64 {
    event.arrival_us.div_euclid(1_000_000)
}

#[cfg(test)]
mod tests;
