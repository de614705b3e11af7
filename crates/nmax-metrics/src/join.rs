//! Windows of several parts joined: those of the workers of an injector, and those of the injectors of a run.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Windows that are being joined. One is complete when every part has sent it, has ended before it, or is lost.
#[derive(Debug)]
pub struct Join<T> {
    parts: Vec<Part>,
    open: BTreeMap<u64, T>,
    /// Windows below this number were taken.
    taken: u64,
}

#[derive(Clone, Debug, Default)]
struct Part {
    /// Windows below this number have come.
    next: u64,
    /// Those above it that have come too.
    ahead: BTreeSet<u64>,
    /// How many it has, once it has said so.
    windows: Option<u64>,
    is_lost: bool,
}

impl Part {
    fn has(&self, index: u64) -> bool {
        index < self.next || self.ahead.contains(&index)
    }

    /// None below this number is waited for.
    fn skip(&mut self, first: u64) {
        self.next = self.next.max(first);
        self.ahead = self.ahead.split_off(&self.next);
        self.advance();
    }

    fn advance(&mut self) {
        while self.ahead.remove(&self.next) {
            self.next += 1;
        }
    }

    fn is_awaited(&self) -> bool {
        !self.is_lost && self.windows.is_none_or(|windows| self.next < windows)
    }

    /// How many windows there are as far as it knows.
    fn end(&self) -> u64 {
        let ahead = self.ahead.last().map_or(0, |last| last + 1);
        self.next.max(ahead).max(self.windows.unwrap_or(0))
    }
}

/// Windows of a lost part that never came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gap {
    /// Number of the part.
    pub part: usize,
    /// Numbers of the windows.
    pub windows: Range<u64>,
}

/// Why a window is not joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unwanted {
    /// It came before, or too late.
    #[error("the window came before, or after its time")]
    Late,
    /// There is no such part, or it ended before.
    #[error("no worker sends such a window")]
    Unknown,
}

impl<T> Join<T> {
    /// So many parts, of which nothing has come.
    pub fn new(parts: usize) -> Self {
        Self { parts: vec![Part::default(); parts], open: BTreeMap::new(), taken: 0 }
    }

    /// The same, whose parts have no windows below this number.
    #[must_use]
    pub fn starting_at(mut self, first: u64) -> Self {
        self.parts.iter_mut().for_each(|part| part.next = first);
        Self { taken: first, ..self }
    }

    /// The window `index`, to which that of `part` is to be added; made by `new` when no other part has sent it yet.
    ///
    /// # Errors
    /// When it is not to be added.
    pub fn add(&mut self, part: usize, index: u64, new: impl FnOnce() -> T) -> Result<&mut T, Unwanted> {
        let part = self.parts.get_mut(part).ok_or(Unwanted::Unknown)?;
        if part.windows.is_some_and(|windows| index >= windows) {
            return Err(Unwanted::Unknown);
        }
        if index < self.taken || part.has(index) {
            return Err(Unwanted::Late);
        }
        part.ahead.insert(index);
        part.advance();
        Ok(self.open.entry(index).or_insert_with(new))
    }

    /// There are at least so many parts; the new ones have no windows until they begin.
    pub fn grow(&mut self, parts: usize) {
        let none = Part { windows: Some(0), ..Part::default() };
        self.parts.resize(self.parts.len().max(parts), none);
    }

    /// The windows of a part begin with this one, as it turns out: none below it is waited for.
    pub fn begin(&mut self, part: usize, first: u64) {
        let part = &mut self.parts[part];
        part.windows = part.windows.filter(|windows| *windows > 0);
        part.skip(first);
    }

    /// A part has ended, after so many windows.
    pub fn end(&mut self, part: usize, windows: u64) {
        self.parts[part].windows = Some(windows);
    }

    /// Nothing more is waited for of a part.
    pub fn lose(&mut self, part: usize) {
        self.parts[part].is_lost = true;
    }

    /// Windows of a part below this number have come.
    pub fn next(&self, part: usize) -> u64 {
        self.parts[part].next
    }

    /// Windows below this number were taken.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Whether more is to come of a part.
    pub fn awaits(&self, part: usize) -> bool {
        self.parts[part].is_awaited()
    }

    /// Whether nothing more is to come.
    pub fn is_done(&self) -> bool {
        !self.parts.iter().any(Part::is_awaited)
    }

    /// The windows that are complete and were not taken yet, in order.
    pub fn take(&mut self) -> BTreeMap<u64, T> {
        let awaited = self.parts.iter().filter(|part| part.is_awaited()).map(|part| part.next).min();
        self.take_below(awaited)
    }

    /// The windows below this number that were not taken yet, complete or not, in order; what comes for them later is late,
    /// and no gap.
    pub fn release(&mut self, below: u64) -> BTreeMap<u64, T> {
        let later = self.open.split_off(&below);
        let released = std::mem::replace(&mut self.open, later);
        self.taken = self.taken.max(below);
        self.parts.iter_mut().for_each(|part| part.skip(below));
        released
    }

    fn take_below(&mut self, awaited: Option<u64>) -> BTreeMap<u64, T> {
        let later = awaited.map_or_else(BTreeMap::new, |next| self.open.split_off(&next));
        let complete = std::mem::replace(&mut self.open, later);
        let end = awaited.or(complete.last_key_value().map(|(last, _)| last + 1));
        self.taken = self.taken.max(end.unwrap_or(0));
        complete
    }

    /// What never came, as far as the others went.
    pub fn gaps(&self) -> Vec<Gap> {
        let end = self.parts.iter().map(Part::end).max().unwrap_or(0);
        let lost = self.parts.iter().enumerate().filter(|(_, part)| part.is_lost);
        lost.flat_map(|(number, part)| gaps_of(number, part, part.windows.unwrap_or(end))).collect()
    }
}

/// The gaps of a part that should have windows up to `end`.
fn gaps_of(number: usize, part: &Part, end: u64) -> Vec<Gap> {
    let mut gaps: Vec<Gap> = Vec::new();
    let mut next = part.next;
    for index in part.ahead.iter().copied().chain([end]) {
        if next < index {
            gaps.push(Gap { part: number, windows: next..index });
        }
        next = index + 1;
    }
    gaps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds window after window of a part; what is complete then, with the parts that sent it.
    fn add(join: &mut Join<Vec<usize>>, part: usize, indices: &[u64]) -> Vec<(u64, Vec<usize>)> {
        for index in indices {
            join.add(part, *index, Vec::new).unwrap().push(part);
        }
        join.take().into_iter().collect()
    }

    #[test]
    fn a_window_is_complete_when_every_part_has_sent_it_or_has_ended() {
        let mut join = Join::new(2);
        assert!(add(&mut join, 0, &[1, 0, 2]).is_empty());
        assert_eq!(add(&mut join, 1, &[1, 0]), [(0, vec![0, 1]), (1, vec![0, 1])]);
        join.end(1, 2);
        assert_eq!(join.take().into_iter().collect::<Vec<_>>(), [(2, vec![0])], "nobody waits for who has ended");
        assert!(!join.is_done() && join.awaits(0) && !join.awaits(1));
        join.end(0, 4);
        assert!(!join.is_done(), "it has one more");
        assert_eq!(add(&mut join, 0, &[3]), [(3, vec![0])]);
        assert!(join.is_done() && join.gaps().is_empty());
    }

    /// What a lost part sent counts, also after a hole, and what it did not send is named.
    #[test]
    fn a_lost_part_leaves_a_gap_that_is_named() {
        let mut join = Join::new(3);
        assert!(add(&mut join, 0, &[0, 1, 2, 3, 4, 5]).is_empty() && add(&mut join, 2, &[0, 1, 2]).is_empty());
        assert_eq!(add(&mut join, 1, &[0, 3]).len(), 1);
        join.lose(1);
        let parts: Vec<_> = join.take().into_values().collect();
        assert_eq!(parts, [vec![0, 2], vec![0, 2]]);
        join.lose(2);
        let rest: Vec<_> = join.take().into_iter().collect();
        assert_eq!(rest, [(3, vec![0, 1]), (4, vec![0]), (5, vec![0])]);
        let gap = |part, windows| Gap { part, windows };
        assert_eq!(join.gaps(), [gap(1, 1..3), gap(1, 4..6), gap(2, 3..6)]);
    }

    #[test]
    fn a_part_may_begin_later_and_windows_may_be_released() {
        let mut join = Join::new(1);
        assert!(add(&mut join, 0, &[1, 2]).is_empty());
        join.grow(3);
        join.begin(2, 1);
        assert_eq!(join.add(1, 0, Vec::new), Err(Unwanted::Unknown), "it has not begun");
        assert_eq!(join.release(2).into_iter().collect::<Vec<_>>(), [(1, vec![0])], "window 0 never came");
        assert_eq!((join.taken(), join.add(0, 0, Vec::new)), (2, Err(Unwanted::Late)));
        assert!(add(&mut join, 2, &[3]).is_empty());
        join.begin(2, 2);
        assert_eq!(add(&mut join, 2, &[2]), [(2, vec![0, 2])], "part 1 is not waited for, nor part 2 below its first");
    }

    #[test]
    fn what_is_not_to_be_added_is_refused() {
        let mut join: Join<()> = Join::new(2);
        assert_eq!(join.add(2, 0, || ()), Err(Unwanted::Unknown));
        for index in [0, 2] {
            assert_eq!(join.add(0, index, || ()), Ok(&mut ()));
            assert_eq!(join.add(0, index, || ()), Err(Unwanted::Late));
        }
        join.end(0, 3);
        assert_eq!(join.add(0, 3, || ()), Err(Unwanted::Unknown));
        join.lose(1);
        assert_eq!((join.take().len(), join.add(1, 0, || ())), (1, Err(Unwanted::Late)), "it was taken");
        assert_eq!(join.add(1, 1, || ()), Ok(&mut ()), "who comes back may still fill its gap");
        assert_eq!(join.gaps(), [Gap { part: 1, windows: 0..1 }, Gap { part: 1, windows: 2..3 }]);
    }
}
