//! The last part of the hold, for thresholds `in last D`: at least D of it, in bounded memory.

use std::collections::VecDeque;
use std::time::Duration;

use nmax_metrics::aggregate::Hollow;
use nmax_metrics::{Aggregate, Nanos, Section, Window};
use nmax_plan::plan::Plan;

use crate::{Tail, held_ns};

/// Pieces that a span is cut into, at most: what is added up may be longer than asked for by one of them.
const PIECES: u64 = 60;

/// Sums of neighboring windows.
#[derive(Debug)]
struct Piece<T> {
    start: Nanos,
    end: Nanos,
    sums: T,
}

impl Piece<Aggregate> {
    /// The same in little memory.
    fn hollow(self) -> Piece<Hollow> {
        Piece { start: self.start, end: self.end, sums: Hollow::new(self.sums) }
    }
}

/// The windows of the last part of the hold, added up in at most [`PIECES`] and a few pieces. Only the last one has its
/// distributions in full; quantiles of the others are off by at most 1.1 %, counts, means, minima and maxima by nothing.
#[derive(Debug)]
pub(super) struct Last {
    asked: Duration,
    /// Length of a piece, which begins at a multiple of it.
    length: Nanos,
    pieces: VecDeque<Piece<Hollow>>,
    open: Option<Piece<Aggregate>>,
}

impl Last {
    /// Nothing yet of the last `asked`, of a run in windows of `window` that is read by windows of `rolled`.
    pub(super) fn new(asked: Duration, window: Nanos, rolled: Nanos) -> Self {
        let piece = Nanos::from(asked).0 / PIECES;
        let unit = if piece < rolled.0 { window.0.max(1) } else { rolled.0 };
        Self { asked, length: Nanos((piece - piece % unit).max(unit)), pieces: VecDeque::new(), open: None }
    }

    /// From when on windows of the width `rolled` are too wide, when the hold ends at `end`.
    pub(super) fn fine_from(&self, end: Nanos, rolled: Nanos) -> Option<Nanos> {
        let fits = self.length.0.is_multiple_of(rolled.0);
        (!fits).then(|| end.since(Nanos::from(self.asked) + self.length))
    }

    /// Adds a window, in order; `hold` is the planned one.
    pub(super) fn push(&mut self, window: &Window, hold: (Nanos, Nanos)) {
        let load = window.aggregate.load(Section::Hold);
        // What ends after the load is its drain: it belongs to the last piece and pushes nothing out.
        let makes_load = load.started > 0 || load.due > 0;
        let number = |start: Nanos| start.0 / self.length.0;
        match &mut self.open {
            Some(last) if !makes_load || number(last.start) == number(window.start()) => {
                last.sums.merge(&window.aggregate);
                last.end = window.end();
            }
            open => {
                let fresh = Piece { start: window.start(), end: window.end(), sums: window.aggregate.clone() };
                self.pieces.extend(open.replace(fresh).map(Piece::hollow));
            }
        }
        // Load was made in this window, so the hold did not end before it.
        let until = if makes_load { window.start().min(hold.1) } else { Nanos::ZERO };
        let asked = Nanos::from(self.asked);
        while self.pieces.front().is_some_and(|first| first.end + asked <= until) {
            self.pieces.pop_front();
        }
    }

    /// The sums of at least the last part of `hold`, as it was.
    pub(super) fn conclude(&self, hold: (Nanos, Nanos), plan: &Plan) -> Tail {
        let from = hold.1.since(Nanos::from(self.asked));
        let open = self.open.iter().filter(|piece| piece.end > from);
        let wanted: Vec<_> = self.pieces.iter().filter(|piece| piece.end > from).collect();
        let first = wanted.first().map(|piece| piece.start).or(open.clone().next().map(|piece| piece.start));
        let start = first.map_or(from, |start| start.min(from)).max(hold.0);
        let mut aggregate = Aggregate::default();
        wanted.iter().for_each(|piece| piece.sums.add_to(&mut aggregate));
        open.for_each(|piece| aggregate.merge(&piece.sums));
        Tail { asked: self.asked, length: Duration::from_nanos(held_ns(plan, (start, hold.1))), aggregate }
    }
}

#[cfg(test)]
mod tests;
