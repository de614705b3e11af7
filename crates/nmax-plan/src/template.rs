//! Text with `${...}` holes, parsed once, rendered into a reused buffer.

/// Text with holes.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Template {
    /// Pieces in order; adjacent texts are merged.
    pub parts: Vec<Part>,
}

/// A piece of a template.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Sent as it is.
    Text(String),
    /// A value that an earlier step extracted: index into [`crate::plan::Scenario::slots`].
    Slot(usize),
    /// A cell of the iteration's row: indices of feeder and column.
    Feeder {
        /// Index into [`crate::plan::Plan::feeders`].
        feeder: usize,
        /// Index into [`crate::plan::Feeder::columns`].
        column: usize,
    },
    /// The iteration's number in the run, from 0.
    Iteration,
    /// The VU's number, from 0.
    Vu,
}

impl Template {
    /// A template without holes.
    pub fn text(text: impl Into<String>) -> Self {
        Self { parts: vec![Part::Text(text.into())] }
    }

    /// The text when there is no hole.
    pub fn as_constant(&self) -> Option<&str> {
        match self.parts.as_slice() {
            [] => Some(""),
            [Part::Text(text)] => Some(text),
            _ => None,
        }
    }
}
