//! What the user did, step by step: requests grouped into pages, with pauses and names.

use std::time::Duration;

use crate::options::Options;
use crate::recording::Recording;
use crate::select::Selection;

/// A recorded visit as steps. Indices are positions in the recording's list of entries.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Journey {
    /// Name of the scenario.
    pub name: String,
    /// Steps in order.
    pub steps: Vec<Step>,
}

/// A request that the user caused, and what came with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Step {
    /// The request.
    pub entry: usize,
    /// Where redirects led from it, in order; the last one has the final status.
    pub redirects: Vec<usize>,
    /// What the page needed, in parallel.
    pub resources: Vec<usize>,
    /// Pause of the user before it: from the last arrival of the step before to its own sending.
    pub think: Option<Duration>,
    /// Name that the person gave to what begins here.
    pub mark: Option<String>,
    /// Name under which it is measured, such as `GET /item/{id}`.
    pub name: String,
    /// It shows a document, so its resources and its time are those of a page.
    pub is_page: bool,
}

/// Groups what was kept into steps. O(entries).
pub fn build(recording: &Recording, selection: &Selection, options: &Options) -> Journey {
    let _ = options;
    Journey {
        name: recording.name.clone(),
        steps: selection
            .kept
            .iter()
            .map(|&entry| Step {
                entry,
                ..Step::default()
            })
            .collect(),
    }
}
