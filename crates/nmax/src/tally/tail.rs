//! The last part of the hold, for thresholds `in last D`: at least D of it, in bounded memory.

use std::collections::VecDeque;
use std::time::Duration;

use nmax_analysis::Tail;
use nmax_metrics::{Aggregate, Nanos, Section, Window};

/// Pieces that a span is cut into, at most: what is added up may be longer than asked for by one of them.
const PIECES: u64 = 60;

/// Sums of neighboring windows.
struct Piece {
    start: Nanos,
    end: Nanos,
    windows: u64,
    aggregate: Aggregate,
}

/// The windows of the last part of the hold, added up in at most [`PIECES`] and a few pieces.
pub(super) struct Last {
    asked: Duration,
    pieces: VecDeque<Piece>,
}

impl Last {
    /// Nothing yet of the last `asked`.
    pub(super) fn new(asked: Duration) -> Self {
        Self { asked, pieces: VecDeque::new() }
    }

    /// Adds a window, in order; `hold` is the planned one.
    pub(super) fn push(&mut self, window: &Window, hold: (Nanos, Nanos)) {
        let load = window.aggregate.load(Section::Hold);
        // What ends after the load is its drain: it belongs to the last piece and pushes nothing out.
        let makes_load = load.started > 0 || load.due > 0;
        let windows_max = (Nanos::from(self.asked).0 / window.width.0 / PIECES).max(1);
        match self.pieces.back_mut() {
            Some(last) if !makes_load || last.windows < windows_max => {
                last.aggregate.merge(&window.aggregate);
                last.end = window.end();
                last.windows += u64::from(makes_load);
            }
            _ => self.pieces.push_back(Piece {
                start: window.start(),
                end: window.end(),
                windows: 1,
                aggregate: window.aggregate.clone(),
            }),
        }
        // Load was made in this window, so the hold did not end before it.
        let until = if makes_load { window.start().min(hold.1) } else { Nanos::ZERO };
        let asked = Nanos::from(self.asked);
        while self.pieces.front().is_some_and(|first| first.end + asked <= until) {
            self.pieces.pop_front();
        }
    }

    /// The sums of at least the last part of `hold`, as it was.
    pub(super) fn conclude(&self, hold: (Nanos, Nanos)) -> Tail {
        let from = hold.1.since(Nanos::from(self.asked));
        let mut wanted = self.pieces.iter().filter(|piece| piece.end > from).peekable();
        let start = wanted.peek().map_or(from, |piece| piece.start.min(from)).max(hold.0);
        let mut aggregate = Aggregate::default();
        wanted.for_each(|piece| aggregate.merge(&piece.aggregate));
        Tail { asked: self.asked, length: hold.1.since(start).into(), aggregate }
    }
}

#[cfg(test)]
mod tests;
