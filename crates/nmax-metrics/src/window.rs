//! An aggregate with its place in time. A closed window never changes: exchanges belong to the window of their end.

use crate::{Aggregate, Nanos};

/// Measurements of one span of time (1 s by default), of one worker or merged over several.
#[derive(Clone, Debug, PartialEq)]
pub struct Window {
    /// Number of the window; it begins at `index * width`.
    pub index: u64,
    /// Its width.
    pub width: Nanos,
    /// What ended in it.
    pub aggregate: Aggregate,
}

impl Window {
    /// An empty window.
    pub fn new(index: u64, width: Nanos) -> Self {
        Self { index, width, aggregate: Aggregate::default() }
    }

    /// Its beginning, inclusive.
    pub fn start(&self) -> Nanos {
        Nanos(self.index * self.width.0)
    }

    /// Its end, exclusive.
    pub fn end(&self) -> Nanos {
        Nanos((self.index + 1) * self.width.0)
    }
}
