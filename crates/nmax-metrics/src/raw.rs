//! Exchanges kept one by one, beside the distributions that count them all.

use crate::Sample;

/// An exchange kept whole, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawSample {
    /// What was measured.
    pub sample: Sample,
    /// Worker thread.
    pub worker: u32,
    /// VU number in the run.
    pub vu: u32,
    /// Iteration number: of the run for open workloads, of the VU for closed ones.
    pub iteration: u64,
    /// Why it was kept.
    pub why: KeepReason,
}

/// Why an exchange was kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeepReason {
    /// All are.
    All,
    /// It did not end ok.
    Error,
    /// It was among the slowest of its window.
    Slow,
    /// Drawn uniformly from its window.
    Random,
}

impl KeepReason {
    /// The name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Error => "error",
            Self::Slow => "slow",
            Self::Random => "random",
        }
    }
}
