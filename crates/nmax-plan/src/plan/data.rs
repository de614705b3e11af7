//! Data sources.

use std::borrow::Cow;
use std::sync::Arc;

use nmax_data::Generator;

use super::{Cells, Table};

/// A data source: rows of named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Feeder {
    /// Name used in `${name.column}`.
    pub name: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Where its rows are.
    pub rows: Rows,
    /// Which row is read.
    pub pick: Pick,
    /// How long a row that was picked stays.
    pub per: Per,
    /// What happens when rows run out (only for [`Pick::Sequential`] and [`Pick::Unique`]).
    pub at_end: AtEnd,
}

/// Rows of a data source.
#[derive(Clone, Debug, PartialEq)]
pub enum Rows {
    /// Read from a file.
    File {
        /// The file they came from, as written in the plan.
        file: String,
        /// Row-major cells, `rows * columns` of them.
        cells: Cells,
    },
    /// Made when they are read: row i is a pure function of (seed, i).
    Generated {
        /// What makes them.
        generator: Box<Generator>,
        /// How many there are.
        rows: u64,
    },
    /// Made by the program beforehand, as the requests of a log are.
    Listed {
        /// What a document calls it.
        file: String,
        /// The rows.
        table: Arc<Table>,
    },
}

impl Feeder {
    /// Number of rows; never zero in a validated plan.
    pub fn row_count(&self) -> u64 {
        match &self.rows {
            Rows::File { cells, .. } => (cells.len() / self.columns.len().max(1)) as u64,
            Rows::Generated { rows, .. } => *rows,
            Rows::Listed { table, .. } => table.row_count(),
        }
    }

    /// One cell of a plan with this seed.
    pub fn cell(&self, seed: u64, row: u64, column: usize) -> Cow<'_, str> {
        match &self.rows {
            Rows::File { cells, .. } => Cow::Borrowed(&cells[row as usize * self.columns.len() + column]),
            Rows::Generated { generator, .. } => {
                let mut cell = String::new();
                generator.cell(seed, row, column, &mut cell);
                Cow::Owned(cell)
            }
            Rows::Listed { table, .. } => Cow::Borrowed(table.cell(row, column)),
        }
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

/// How long a row that was picked stays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Per {
    /// For the whole iteration.
    #[default]
    Iteration,
    /// For one request, or another step, in one pass of its loops: the next one picks anew. A pure function of
    /// (seed, VU, iteration, step, pass); only for [`Pick::Random`] and [`Pick::Zipf`].
    Request,
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
