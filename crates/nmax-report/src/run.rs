//! What is known of a run besides its measurements.

/// Identity and origin of a run: data only, as its manifest holds it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunInfo {
    /// Unique id.
    pub id: String,
    /// Name, usually the plan's.
    pub name: String,
    /// Why it was run, in the words of the person who ran it; empty when nothing was said.
    pub note: String,
    /// Labels.
    pub tags: Vec<String>,
    /// Beginning, RFC 3339 UTC.
    pub started_at: String,
    /// Initial value of every choice.
    pub seed: u64,
    /// SHA-256 of the plan as resolved, hexadecimal.
    pub plan_sha256: String,
    /// The plan as resolved.
    pub plan_yaml: String,
    /// Base URL.
    pub target: String,
    /// Properties of the machine that made the load.
    pub machine: Vec<(String, String)>,
    /// The exact command that repeats the run.
    pub command: String,
    /// Version of the program that ran it.
    pub nmax_version: String,
}
