//! Records in the order of their arrival: a window of seconds in which stragglers are put in their place.
//!
//! Servers write when a request ends, so arrivals in a log are out of order by as much as requests last. What is later
//! than the window is handed on as late. When nothing else comes any more, the log has jumped back, as where an older file
//! is read after a younger one: then everything begins anew from there.

use super::paths::TypeId;

/// Stragglers within so many seconds are put in order.
pub(crate) const WINDOW_S: i64 = 120;
/// So many late ones in a row are a jump.
const LATE_MAX: usize = 1_024;
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
    /// A record that is too late for its place.
    Late(&'a Event),
    /// The clock jumps back: what is open ends here.
    Restart,
}

#[derive(Debug)]
pub(crate) struct Order {
    /// One for each second from `base_s` on, at `second % length`.
    seconds: Vec<Vec<Event>>,
    base_s: Option<i64>,
    waiting: usize,
    late: Vec<Event>,
}

impl Order {
    pub(crate) fn new() -> Self {
        Self {
            seconds: vec![Vec::new(); WINDOW_S as usize + 1],
            base_s: None,
            waiting: 0,
            late: Vec::new(),
        }
    }

    /// Takes a record, and hands on those that nothing can come before any more. Amortized O(log n) of a second's records.
    pub(crate) fn push(&mut self, event: Event, out: &mut impl FnMut(Ordered)) {
        let second = event.arrival_us.div_euclid(1_000_000);
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

    fn restart(&mut self, out: &mut impl FnMut(Ordered)) {
        let late = std::mem::take(&mut self.late);
        self.drain(out);
        out(Ordered::Restart);
        let first = late.iter().map(|event| event.arrival_us).min().unwrap_or(0);
        self.base_s = Some(first.div_euclid(1_000_000));
        for event in late {
            let second = event.arrival_us.div_euclid(1_000_000);
            if self.base_s.is_some_and(|base| second < base) {
                out(Ordered::Late(&event));
            } else {
                self.place(second, event, out);
            }
        }
    }

    fn place(&mut self, second: i64, event: Event, out: &mut impl FnMut(Ordered)) {
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

#[cfg(test)]
mod tests;
