//! What a search may take, so that no text makes it take the square of its length.

use std::cell::Cell;

/// Bytes of texts inside of texts that are searched for each byte of the text, and bytes that are searched of any.
const INNER_BYTES_MAX: (usize, usize) = (8, 4096);
/// Steps for each byte of the text, and for any text. Each byte of a value that is looked at is one.
const STEPS_MAX: (usize, usize) = (64, 65_536);

/// What is left.
pub(super) struct Limits {
    inner_bytes: Cell<usize>,
    steps: Cell<usize>,
    are_spent: Cell<bool>,
}

impl Limits {
    /// Those of a text of so many bytes.
    pub(super) fn for_length(length: usize) -> Self {
        let limit = |(per_byte, least): (usize, usize)| Cell::new(length.saturating_mul(per_byte).max(least));
        Self { inner_bytes: limit(INNER_BYTES_MAX), steps: limit(STEPS_MAX), are_spent: Cell::new(false) }
    }

    /// Takes steps; `false` when there are not so many.
    pub(super) fn spend(&self, steps: usize) -> bool {
        match self.steps.get().checked_sub(steps) {
            Some(left) => self.steps.set(left),
            None => self.are_spent.set(true),
        }
        !self.are_spent.get()
    }

    /// Takes bytes of a text inside of the text; `false` when there are not so many.
    pub(super) fn enter(&self, bytes: usize) -> bool {
        let left = self.inner_bytes.get().checked_sub(bytes).filter(|_| !self.are_spent.get());
        left.inspect(|left| self.inner_bytes.set(*left)).is_some()
    }

    /// Whether a text took more than it may: what was found is not all.
    pub(super) fn are_spent(&self) -> bool {
        self.are_spent.get()
    }
}
