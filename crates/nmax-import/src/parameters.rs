//! What differs from user to user: names, addresses, passwords, search terms, quantities.

use crate::correlate::Correlations;
use crate::journey::Journey;
use crate::options::Options;
use crate::parts::Replacement;
use crate::recording::Recording;

/// What was recognized.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters {
    /// Data sources of the plan.
    pub feeders: Vec<Feeder>,
    /// What stands in the place of the recorded values.
    pub replacements: Vec<Replacement>,
    /// What was recognized, in words, one for each field: `form field email: e-mail, from people.email`.
    pub notes: Vec<String>,
}

/// A data source of the plan.
#[derive(Clone, Debug, PartialEq)]
pub enum Feeder {
    /// Records made when they are read.
    Generated {
        /// Its name in the plan.
        name: String,
        /// Kind of the generator, such as `person`.
        kind: String,
        /// Column that never repeats.
        unique: Option<String>,
    },
    /// A file that is written beside the plan.
    File {
        /// Its name in the plan.
        name: String,
        /// Column names.
        columns: Vec<String>,
        /// Recorded rows.
        rows: Vec<Vec<String>>,
        /// It holds secrets: mode 0600, never in version control.
        is_secret: bool,
        /// How rows are picked: `sequential`, `random`, ..
        pick: String,
    },
}

/// Finds the values that other users would send otherwise. O(size of the requests).
pub fn recognize(
    recording: &Recording,
    journey: &Journey,
    correlations: &Correlations,
    options: &Options,
) -> Parameters {
    let _ = (recording, journey, correlations, options);
    Parameters::default()
}
