//! A table in memory whose cells are often the same: each text is stored once.

use std::collections::HashMap;

/// Rows of texts, each different text stored once.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    columns: usize,
    /// All texts, one after the other.
    text: String,
    /// Where each text ends.
    ends: Vec<usize>,
    /// Row-major: which text each cell is.
    cells: Vec<u32>,
}

impl Table {
    /// A table of this many columns, to be filled row by row.
    pub fn builder(columns: usize) -> TableBuilder {
        TableBuilder { table: Self { columns: columns.max(1), ..Self::default() }, known: HashMap::new() }
    }

    /// Number of rows.
    pub fn row_count(&self) -> u64 {
        (self.cells.len() / self.columns.max(1)) as u64
    }

    /// One cell; empty beyond the table. O(1).
    pub fn cell(&self, row: u64, column: usize) -> &str {
        let at = usize::try_from(row).ok().and_then(|row| row.checked_mul(self.columns));
        let cell = at.and_then(|at| self.cells.get(at + column));
        cell.map_or("", |number| self.text_of(*number as usize))
    }

    fn text_of(&self, number: usize) -> &str {
        let Some(end) = self.ends.get(number) else { return "" };
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..*end]
    }
}

/// Makes a [`Table`].
#[derive(Debug)]
pub struct TableBuilder {
    table: Table,
    known: HashMap<String, u32>,
}

impl TableBuilder {
    /// Adds a row of as many cells as the table has columns; missing ones are empty, others are left out. False when
    /// the table is full, which 2³² different texts make it.
    pub fn push(&mut self, cells: &[&str]) -> bool {
        let whole = self.table.cells.len();
        for column in 0..self.table.columns {
            let Some(number) = self.number_of(cells.get(column).copied().unwrap_or_default()) else {
                self.table.cells.truncate(whole);
                return false;
            };
            self.table.cells.push(number);
        }
        true
    }

    /// Adds a row of texts by their numbers; one that has none is empty. Missing and further ones as in [`Self::push`].
    pub fn push_numbers(&mut self, numbers: &[u32]) {
        for column in 0..self.table.columns {
            self.table.cells.push(numbers.get(column).copied().unwrap_or(u32::MAX));
        }
    }

    /// The number of a text, which is kept; `None` when the table is full.
    pub fn number_of(&mut self, text: &str) -> Option<u32> {
        if let Some(number) = self.known.get(text) {
            return Some(*number);
        }
        // The last number is that of no text.
        let number = u32::try_from(self.table.ends.len()).ok().filter(|number| *number < u32::MAX)?;
        self.table.text.push_str(text);
        self.table.ends.push(self.table.text.len());
        self.known.insert(text.to_owned(), number);
        Some(number)
    }

    /// The table as far as it was filled.
    pub fn build(self) -> Table {
        self.table
    }
}

#[cfg(test)]
mod tests;
