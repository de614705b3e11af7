//! What a campaign works on, and what comes of it.

use nmax_report::scalability::{FindResult, Knob};
use nmax_usl::Observation;

use crate::head::Head;
use crate::rig::Rig;
use crate::setting::Setting;
use crate::task::Task;

/// How a campaign ends whose target went away.
pub(crate) const GONE: &str = "the target is no longer reachable: what was measured until then is fitted";

/// A campaign that may begin.
pub(crate) struct Job<'a> {
    pub(crate) rig: Rig<'a>,
    pub(crate) task: Task,
    /// What is known before the first level.
    pub(crate) head: Head,
    /// The setting that the system under test has.
    pub(crate) is_set: Option<Setting>,
}

/// What the levels came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Conducted {
    /// What is fitted; `row` is the number of the level.
    pub(crate) observations: Vec<Observation>,
    /// Which rule ended it.
    pub(crate) stopped: String,
    /// Whether a person ended it.
    pub(crate) interrupted: bool,
    /// Time that it took, seconds.
    pub(crate) elapsed_s: Option<f64>,
    /// The answer to `--find`.
    pub(crate) find: Option<FindResult>,
    /// Settings of the system under test.
    pub(crate) knobs: Vec<Knob>,
    /// Observations of each value of the second knob, or of each way to grow; the first ones are also `observations`.
    pub(crate) versions: Vec<(String, Vec<Observation>)>,
    /// What belongs to no level.
    pub(crate) notes: Vec<String>,
}
