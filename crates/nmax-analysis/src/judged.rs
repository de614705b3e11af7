//! A run with everything that is said of it: what a report is made of.

use crate::{Judgement, Summary};

/// A run, judged.
#[derive(Clone, Debug)]
pub struct Judged {
    /// How far it came.
    pub ending: Ending,
    /// Its numbers.
    pub summary: Summary,
    /// What they mean.
    pub judgement: Judgement,
}

/// How far a run came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// To its end.
    Complete,
    /// A signal stopped it, and everything was written.
    Interrupted,
    /// A condition with `abort` ended it, and everything was written.
    Aborted,
    /// It stopped without writing how it ended: killed, or its directory could not be written any more.
    CutOff,
    /// It goes on.
    Running,
}
