//! Data sources.

/// A data source: rows of named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Feeder {
    /// Name used in `${name.column}`.
    pub name: String,
    /// The file it came from, as written in the plan.
    pub file: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Row-major cells, `rows * columns.len()` of them.
    pub cells: Vec<String>,
    /// Which row an iteration reads.
    pub pick: Pick,
    /// What happens when rows run out (only for [`Pick::Sequential`] and [`Pick::Unique`]).
    pub at_end: AtEnd,
}

impl Feeder {
    /// Number of rows; never zero in a validated plan.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns.len()
    }

    /// One cell.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        &self.cells[row * self.columns.len() + column]
    }
}

/// Which row an iteration reads: a pure function of (seed, VU, iteration).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pick {
    /// Row n for iteration n.
    Sequential,
    /// Row n for iteration n, never twice (`at_end` is not `wrap`).
    Unique,
    /// Any row, equally likely.
    Random,
    /// Row r with probability proportional to 1 / r^exponent, r from 1.
    Zipf {
        /// Skew, above 0.
        exponent: f64,
    },
}

/// What a feeder does after its last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// Begins again.
    Wrap,
    /// The run stops starting iterations.
    Stop,
    /// The iteration fails.
    Error,
}
