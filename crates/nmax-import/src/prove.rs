//! Which of the values that a plan takes from replies must be fresh.
//!
//! Each scenario is replayed twice as a new user: these are the baselines. Then it is replayed once for each value, with
//! that one value left as it was in the recording, or in the first baseline. When a later reply differs from those of the
//! baselines, while a replay with a fresh value after it does not, and the old value makes the same difference again, the
//! value is *proved*; else it is *harmless*. What a reply is, is its structure and not only its status: see
//! [`structure`](crate::structure).
//!
//! Nothing is sent from here: a [`Replayer`] replays.
//!
//! # Layout
//! - `sites`: where a plan takes and sends values; `replay`: one replay
//! - `evidence`: what was recorded; `trial`: the verdicts

mod evidence;
mod replay;
mod sites;
mod trial;

pub use evidence::Evidence;
pub use replay::{Cookie, Exchange, Failure, Replay};
pub use sites::{Site, Use, numbered, sites};
pub use trial::{Replayer, ScenarioResult, State, Tried, scenario};
