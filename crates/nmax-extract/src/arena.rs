//! Lists that grow by blocks: what they hold is never copied, so growing takes no more memory than is counted.

use crate::budget::Budget;

/// Bytes of a block.
const BLOCK_BYTES: usize = 32 << 10;

/// A list of values with numbers.
#[derive(Debug)]
pub(crate) struct Arena<T> {
    blocks: Vec<Vec<T>>,
}

impl<T> Default for Arena<T> {
    fn default() -> Self {
        Self { blocks: Vec::new() }
    }
}

impl<T> Arena<T> {
    const PER_BLOCK: usize = BLOCK_BYTES / size_of::<T>();

    /// Adds a value; its number, or `None` when the budget is used up.
    pub(crate) fn push(&mut self, value: T, budget: &Budget<'_>) -> Option<u32> {
        if self.is_full() && !budget.hold(BLOCK_BYTES) {
            return None;
        }
        Some(self.add(value))
    }

    /// As [`Arena::push`], whatever the budget says.
    pub(crate) fn add(&mut self, value: T) -> u32 {
        if self.is_full() {
            self.blocks.push(Vec::with_capacity(Self::PER_BLOCK));
        }
        let number = self.len();
        if let Some(block) = self.blocks.last_mut() {
            block.push(value);
        }
        number
    }

    fn is_full(&self) -> bool {
        self.blocks.last().is_none_or(|block| block.len() == Self::PER_BLOCK)
    }

    /// How many there are.
    pub(crate) fn len(&self) -> u32 {
        let last = self.blocks.last().map_or(0, Vec::len);
        (self.blocks.len().saturating_sub(1) * Self::PER_BLOCK + last) as u32
    }

    #[inline]
    pub(crate) fn get(&self, number: u32) -> &T {
        &self.blocks[number as usize / Self::PER_BLOCK][number as usize % Self::PER_BLOCK]
    }

    #[inline]
    pub(crate) fn get_mut(&mut self, number: u32) -> &mut T {
        &mut self.blocks[number as usize / Self::PER_BLOCK][number as usize % Self::PER_BLOCK]
    }
}

/// The last place in a text at or before this one where a character begins.
pub(crate) fn boundary(text: &str, at: usize) -> usize {
    (0..=at.min(text.len())).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
}

/// Bytes of a block of characters.
const CHARS_BYTES: usize = 1 << CHARS_BITS;
const CHARS_BITS: u32 = 16;

/// Texts one after the other, each with a NUL behind it. Number 0 is the empty text.
#[derive(Debug)]
pub(crate) struct Chars {
    blocks: Vec<String>,
    /// The text that was added last.
    last: u32,
}

impl Default for Chars {
    fn default() -> Self {
        Self { blocks: vec![String::from('\0')], last: 0 }
    }
}

impl Chars {
    /// The text with this number. O(its length).
    pub(crate) fn get(&self, number: u32) -> &str {
        let rest = &self.blocks[(number >> CHARS_BITS) as usize][number as usize % CHARS_BYTES..];
        rest.find('\0').map_or(rest, |end| &rest[..end])
    }

    /// Adds a text, without the NULs in it; its number, or `None` when the budget is used up.
    pub(crate) fn push(&mut self, text: &str, budget: &Budget<'_>) -> Option<u32> {
        if text.is_empty() {
            return Some(0);
        }
        let bytes = text.len() + 1;
        let has_room = self.blocks.len() > 1
            && self
                .blocks
                .last()
                .is_some_and(|block| block.len() < CHARS_BYTES && block.capacity() - block.len() >= bytes);
        if !has_room {
            // Of a text that goes on later, half as much again: copied a few times at most.
            let room = if bytes > CHARS_BYTES { bytes + bytes / 2 } else { CHARS_BYTES };
            if !budget.hold(room) {
                return None;
            }
            self.blocks.push(String::with_capacity(room));
        }
        let block = self.blocks.last_mut()?;
        let number = (block.len() as u32) | ((self.blocks.len() - 1) as u32) << CHARS_BITS;
        let block = self.blocks.last_mut()?;
        text.split('\0').for_each(|part| block.push_str(part));
        block.push('\0');
        self.last = number;
        Some(number)
    }

    /// The text `number` with more behind it: its number from now on, or `None` when the budget is used up.
    pub(crate) fn extend(&mut self, number: u32, more: &str, budget: &Budget<'_>) -> Option<u32> {
        if number == 0 {
            return self.push(more, budget);
        }
        let block = self.blocks.last_mut()?;
        if number == self.last && block.capacity() - block.len() >= more.len() {
            block.pop();
            more.split('\0').for_each(|part| block.push_str(part));
            block.push('\0');
            return Some(number);
        }
        if number == self.last && (number as usize).is_multiple_of(CHARS_BYTES) {
            // It has a block of its own, which grows.
            let (length, old) = (block.len() + more.len(), block.capacity());
            if !budget.hold(length + length / 2) {
                return None;
            }
            block.pop();
            block.reserve_exact(length + length / 2 - block.len());
            budget.release(old);
            more.split('\0').for_each(|part| block.push_str(part));
            block.push('\0');
            return Some(number);
        }
        let bytes = self.get(number).len() + more.len();
        if !budget.step(bytes as u64 / 64) || !budget.hold(bytes) {
            return None;
        }
        let whole = [self.get(number), more].concat();
        if number == self.last {
            self.blocks.last_mut()?.truncate(number as usize % CHARS_BYTES);
        }
        let moved = self.push(&whole, budget);
        budget.release(bytes);
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Trap: texts that outgrow their block, texts that do not go on where they end, NULs.
    #[test]
    fn texts_are_given_back_as_they_were_added() {
        let budget = Budget::for_body(4 << 20);
        let mut chars = Chars::default();
        let mut known: Vec<(u32, String)> = Vec::new();
        for round in 0_usize..3_000 {
            let text = format!("{round}é").repeat(round % 97);
            if round % 3 == 0 && !known.is_empty() {
                let last = known.len() - 1;
                let place = if round % 2 == 0 { last } else { round % known.len() };
                known[place].0 = chars.extend(known[place].0, &text, &budget).unwrap();
                known[place].1.push_str(&text);
            } else {
                known.push((chars.push(&text, &budget).unwrap(), text));
            }
        }
        let long = chars.push(&"x\0".repeat(100_000), &budget).unwrap();
        let long = (0..20).fold(long, |number, _| chars.extend(number, &"y".repeat(50_000), &budget).unwrap());
        assert_eq!(chars.get(long).len(), 100_000 + 20 * 50_000);
        for (number, text) in known {
            assert_eq!(chars.get(number), text);
        }
    }
}
