//! The cells of a file: one text, and where each cell ends. A string for each of them would take many times the file.

use std::ops::Index;
use std::sync::Arc;

/// Texts, one after the other, in the memory of their letters and a number each. A clone shares them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Cells(Arc<Inner>);

#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Inner {
    text: String,
    ends: Vec<usize>,
}

impl Cells {
    /// Number of cells.
    pub fn len(&self) -> usize {
        self.0.ends.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.ends.is_empty()
    }

    /// A cell, if there are so many.
    pub fn get(&self, at: usize) -> Option<&str> {
        self.0.cell(at)
    }

    /// Bytes that it takes.
    #[cfg(test)]
    pub(crate) fn bytes(&self) -> usize {
        self.0.text.capacity() + size_of::<usize>() * self.0.ends.capacity()
    }

    /// The cells in their order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).filter_map(|at| self.get(at))
    }
}

impl Inner {
    fn cell(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.text.get(from..end)
    }
}

impl Index<usize> for Cells {
    type Output = str;

    fn index(&self, at: usize) -> &str {
        self.get(at).expect("a row of the table has each of its cells")
    }
}

impl<S: AsRef<str>> FromIterator<S> for Cells {
    fn from_iter<I: IntoIterator<Item = S>>(cells: I) -> Self {
        let mut builder = CellsBuilder::default();
        for cell in cells {
            builder.text().push_str(cell.as_ref());
            builder.end();
        }
        builder.build()
    }
}

/// Makes [`Cells`].
#[derive(Debug, Default)]
pub(crate) struct CellsBuilder(Inner);

impl CellsBuilder {
    /// With room for so many bytes and cells.
    pub(crate) fn with_capacity(bytes: usize, cells: usize) -> Self {
        Self(Inner { text: String::with_capacity(bytes), ends: Vec::with_capacity(cells) })
    }

    /// The text, to append to.
    pub(crate) fn text(&mut self) -> &mut String {
        &mut self.0.text
    }

    /// Ends a cell.
    pub(crate) fn end(&mut self) {
        self.0.ends.push(self.0.text.len());
    }

    /// Number of cells.
    pub(crate) fn len(&self) -> usize {
        self.0.ends.len()
    }

    /// A cell, if there are so many.
    pub(crate) fn get(&self, at: usize) -> Option<&str> {
        self.0.cell(at)
    }

    /// Takes away all but the first cells.
    pub(crate) fn truncate(&mut self, cells: usize) {
        self.0.ends.truncate(cells);
        self.0.text.truncate(self.0.ends.last().copied().unwrap_or(0));
    }

    pub(crate) fn build(self) -> Cells {
        Cells(Arc::new(self.0))
    }
}
