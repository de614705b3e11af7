//! What reading one reply may cost: steps, memory, time. A server chooses what it sends, so each parser of a reply asks
//! here before it goes on, and gives up with a reason.
//!
//! A step is a node, a comparison, a token: some ten nanoseconds. Steps and bytes depend on the body alone, so the same
//! body is always read or always given up; only the time limit depends on the machine.

use std::cell::Cell;

/// Steps for each byte of a body. Real pages take two or three.
pub const STEPS_PER_BYTE: u64 = 32;
/// Steps that any body may take, however short it is: a tenth of a second.
pub const STEPS_MIN: u64 = 10_000_000;
/// Bytes that reading may hold for each byte of a body, beside the body: together four times the body.
pub const BYTES_PER_BYTE: usize = 3;
/// Bytes that reading any body may hold, however short it is: what two megabytes of nothing but tags take.
pub const BYTES_MIN: usize = 8 << 20;
/// Steps between two looks at the time limit.
const STEPS_PER_LOOK: u64 = 4_096;

/// Why a reply was not read to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GaveUp {
    /// Elements, or JSON values, are nested deeper than this.
    Depth(usize),
    /// A tag has more attributes than this.
    Attributes(usize),
    /// It has more different names of elements and attributes than this.
    Names(usize),
    /// Reading it takes more memory than this, in bytes.
    Memory(usize),
    /// Reading it takes more steps than a body of its length should.
    Steps,
    /// The time limit passed.
    Time,
}

impl std::fmt::Display for GaveUp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Depth(max) => write!(f, "the body is nested more than {max} deep"),
            Self::Attributes(max) => write!(f, "a tag of the body has more than {max} attributes"),
            Self::Names(max) => write!(f, "the body has more than {max} different names of elements and attributes"),
            Self::Memory(max) => write!(f, "reading the body takes more than {} KiB of memory", max >> 10),
            Self::Steps => f.write_str("reading the body takes more work than its length allows"),
            Self::Time => f.write_str("nmax did not read the body to its end within the time limit"),
        }
    }
}

/// What is left for reading one reply.
pub struct Budget<'a> {
    bytes_max: usize,
    bytes: Cell<usize>,
    steps: Cell<u64>,
    steps_max: u64,
    look_at: Cell<u64>,
    has_passed: Option<&'a dyn Fn() -> bool>,
    why: Cell<Option<GaveUp>>,
}

impl std::fmt::Debug for Budget<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Budget").field("bytes", &self.bytes).field("steps", &self.steps).finish_non_exhaustive()
    }
}

impl<'a> Budget<'a> {
    /// For a body of so many bytes, without a time limit.
    pub fn for_body(body_bytes: usize) -> Self {
        Self {
            bytes_max: body_bytes.saturating_mul(BYTES_PER_BYTE).max(BYTES_MIN),
            bytes: Cell::new(0),
            steps: Cell::new(0),
            steps_max: (body_bytes as u64).saturating_mul(STEPS_PER_BYTE).max(STEPS_MIN),
            look_at: Cell::new(STEPS_PER_LOOK),
            has_passed: None,
            why: Cell::new(None),
        }
    }

    /// The same with a time limit: asked every few thousand steps whether it has passed.
    pub fn until(self, has_passed: &'a dyn Fn() -> bool) -> Self {
        Self { has_passed: Some(has_passed), ..self }
    }

    /// Steps so far.
    pub fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// Bytes that are held now.
    pub fn bytes(&self) -> usize {
        self.bytes.get()
    }

    /// Takes steps; whether there is enough left to go on.
    #[inline]
    pub(crate) fn step(&self, steps: u64) -> bool {
        let now = self.steps.get().saturating_add(steps);
        self.steps.set(now);
        if now >= self.look_at.get() {
            self.check_time();
        }
        self.why.get().is_none()
    }

    #[cold]
    fn check_time(&self) {
        let now = self.steps.get();
        self.look_at.set(now + STEPS_PER_LOOK);
        if now > self.steps_max {
            self.give_up(GaveUp::Steps);
        } else if self.has_passed.is_some_and(|has_passed| has_passed()) {
            self.give_up(GaveUp::Time);
        }
    }

    /// Takes memory before it is allocated; whether there is enough left to go on.
    pub(crate) fn hold(&self, bytes: usize) -> bool {
        let now = self.bytes.get().saturating_add(bytes);
        if now > self.bytes_max {
            self.give_up(GaveUp::Memory(self.bytes_max));
            return false;
        }
        self.bytes.set(now);
        self.why.get().is_none()
    }

    /// Gives memory back.
    pub(crate) fn release(&self, bytes: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(bytes));
    }

    /// Ends the reading, for the first reason that comes.
    pub(crate) fn give_up(&self, why: GaveUp) {
        if self.why.get().is_none() {
            self.why.set(Some(why));
        }
    }

    /// Why it does not go on.
    pub(crate) fn reason(&self) -> GaveUp {
        self.why.get().unwrap_or(GaveUp::Steps)
    }

    /// Whether it still goes on.
    pub(crate) fn check(&self) -> Result<(), GaveUp> {
        self.why.get().map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_ends_the_reading_for_its_reason() {
        let budget = Budget::for_body(10 << 20);
        assert!(budget.step(1) && budget.hold(30 << 20));
        assert!(!budget.hold(1));
        assert_eq!(budget.check(), Err(GaveUp::Memory(30 << 20)));
        let budget = Budget::for_body(1);
        assert!(!budget.step(STEPS_MIN + 1));
        assert_eq!(budget.check(), Err(GaveUp::Steps));
    }

    #[test]
    fn the_time_limit_is_looked_at_while_steps_are_taken() {
        let looks = Cell::new(0);
        let has_passed = || {
            looks.set(looks.get() + 1);
            looks.get() == 3
        };
        let budget = Budget::for_body(1 << 20).until(&has_passed);
        let steps = (1_u64..).find(|_| !budget.step(1)).unwrap();
        assert_eq!((steps, budget.check()), (3 * STEPS_PER_LOOK, Err(GaveUp::Time)));
    }
}
