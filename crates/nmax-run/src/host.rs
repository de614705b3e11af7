//! What this host lets a load generator do: descriptors, local ports, memory, cores, clock.
//!
//! Facts are read below a root path, which is `/` but in tests. What cannot be read is absent, never zero. What they
//! mean, alone or for a plan, is decided by pure functions.
//!
//! # Layout
//! - `facts`: [`Host`], read from `/proc` and `/sys`; `clock`: what a clock reading costs;
//!   `wake`: how late a thread wakes
//! - `finding`: [`Finding`], what a check says; `checks`: the host alone
//! - `need`: what a plan asks of a host; `forecast`: whether the host has it
//! - `workers`: how many workers a run has by default
//! - `files`: the limit of open files, raised

mod checks;
mod clock;
mod facts;
mod files;
mod finding;
mod forecast;
pub(crate) mod need;
mod wake;
mod workers;

pub use checks::checks;
pub use facts::Host;
pub use files::{raise, sockets};
pub use finding::{Finding, Level};
pub use forecast::{fits, forecast};
pub use need::Need;
pub use wake::{Lateness, measure as measure_wake};
pub use workers::{cores, pinnable, workers};
