//! What puts on the load of an injector: the engine, or a model of it.

use nmax_metrics::Nanos;
use nmax_plan::share::Share;

use crate::records::{Command, Spec};
use crate::warrant::Warrant;

/// A part of a run, as one injector takes it in one epoch.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Number of the shard.
    pub shard: u32,
    /// How often it was granted.
    pub epoch: u32,
    /// Iterations and users of it.
    pub share: Share,
    /// Values of the plan's setup, by slot.
    pub values: Vec<String>,
    /// Origin of the run on the injector's monotonic clock.
    pub origin: Nanos,
    /// First window: what is due before it is not started.
    pub from: u64,
    /// Nothing starts at or after this instant of the run.
    pub fence: Nanos,
}

/// What came of the load.
#[derive(Debug)]
pub enum Measured<W> {
    /// Nothing so far.
    Quiet,
    /// A window, in order of numbers.
    Window {
        /// Its number.
        index: u64,
        /// What was measured in it.
        window: W,
    },
    /// Everything ended and was measured.
    Ended {
        /// One more than the number of the last window.
        windows: u64,
        /// Why it ended before its plan did, if it did.
        why: Option<String>,
    },
}

/// What puts on the load. It may wait for a moment in [`Self::next`].
pub trait Load {
    /// What is measured in a window.
    type Window;

    /// Looks at a run before it takes part: gets the plan and its files, asks whether the targets may be loaded, and whether
    /// the warrant covers what the plan asks; `None` for a run of this process. Asked again where it has to.
    ///
    /// # Errors
    /// Why this injector takes no part.
    fn admit(&mut self, spec: &Spec, warrant: Option<&Warrant>) -> Result<(), String>;

    /// Does the setup of the plan; `None` while it goes on.
    ///
    /// # Errors
    /// Why it failed.
    fn set_up(&mut self) -> Option<Result<Vec<String>, String>>;

    /// Begins a part at its origin, or, where it is all of the run and waits for no other, as soon as it can. Returns the origin
    /// as it is, on the injector's monotonic clock.
    ///
    /// # Errors
    /// Why it cannot.
    fn begin(&mut self, part: Part) -> Result<Nanos, String>;

    /// Nothing starts at or after this instant of the run from now on.
    fn fence(&mut self, at: Nanos);

    /// The instant of the run at which it came to its fence, if it did: it stays where it is then, and the load ends.
    fn fenced_at(&self) -> Option<Nanos> {
        None
    }

    /// Starts nothing more, or cuts off everything.
    fn command(&mut self, command: Command);

    /// What comes next.
    fn next(&mut self) -> Measured<Self::Window>;

    /// Does the teardown of the plan; true once it has ended.
    fn tear_down(&mut self) -> bool;
}
