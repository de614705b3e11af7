//! What a run is made of beside its main workload: profile, background load, places, timeline, what is observed.

use std::time::Duration;

use super::{Method, Workload};
use crate::schedule::Stage;

nmax_text::named! {
    /// A named shape of a run, each the answer to a question of its own.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Profile {
        /// One user: does the plan work, and at the expected rate?
        Smoke = "smoke",
        /// 1, 10, 100, ... users: where does trouble with concurrency begin?
        Ladder = "ladder",
        /// Ramp, hold, ramp down: are the conditions kept at the expected load?
        Peak = "peak",
        /// A long ramp beyond the expected load: where does it break, and what breaks first?
        Stress = "stress",
        /// A day of load: does anything grow, leak or recur?
        Soak = "soak",
        /// All at once: does it settle, how soon, and how bad is it before?
        Flood = "flood",
    }
    /// Its name in plans and results.
    name
}

impl Profile {
    /// Whether one quick iteration of every scenario goes before it.
    pub const fn is_heavy(self) -> bool {
        !matches!(self, Self::Smoke)
    }
}

/// A scenario that runs beside the mix, with a workload of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct Background {
    /// Index of the scenario; its weight in the mix is 0.
    pub scenario: usize,
    /// How its iterations start.
    pub workload: Workload,
    /// Its levels, from the run's beginning: a late start is a first stage at level 0.
    pub stages: Vec<Stage>,
}

/// Where users are: what their line to the network does.
#[derive(Clone, Debug, PartialEq)]
pub struct Location {
    /// Its name in the results.
    pub name: String,
    /// Bits per second towards the user; `None` is not limited.
    pub down_bits_per_s: Option<f64>,
    /// Bits per second from the user; `None` is not limited.
    pub up_bits_per_s: Option<f64>,
    /// Added to each round trip.
    pub round_trip: Duration,
    /// Standard deviation of what is added to a round trip.
    pub jitter: Duration,
    /// Share of the users, relative to the other locations'; 0 = only scenarios that name it.
    pub weight: f64,
}

/// Something that is done to the system under test while the load goes on.
#[derive(Clone, Debug, PartialEq)]
pub struct Intervention {
    /// Its name in the results.
    pub name: String,
    /// When it is done.
    pub at: Moment,
    /// What is done.
    pub action: Action,
    /// Longest time that one action may take; then it is ended and counts as failed.
    pub limit: Duration,
    /// How long after the action it is undone; `None` undoes it at the end of the run.
    pub lasts: Option<Duration>,
    /// What undoes it; also when the run is aborted.
    pub undo: Option<Action>,
}

/// When something is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Moment {
    /// That long after the run's beginning; `--compress` scales it.
    At(Duration),
    /// As soon as the load holds and the measurements are steady.
    Steady,
}

/// What can be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// A command line for `/bin/sh -c`; needs `--allow-exec`.
    Command(String),
    /// An HTTP call.
    Http {
        /// Method.
        method: Method,
        /// Absolute URL, or a path on the target.
        url: String,
        /// Body.
        body: String,
    },
    /// A signal to a process; needs `--allow-exec`.
    Signal {
        /// Its name without `SIG`, such as `STOP`.
        signal: String,
        /// The process.
        process: ProcessRef,
    },
}

/// Which process of this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ProcessRef {
    /// By its number.
    Pid(u32),
    /// By a file that holds its number.
    PidFile(String),
    /// By its name; all processes of that name.
    Name(String),
}
