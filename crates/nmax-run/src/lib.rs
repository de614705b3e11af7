//! A run from an [`Order`] to what it [`Finished`] with: preflight and consent, directory, timeline, sources, verdict.
//!
//! # Layout
//! - before: [`load`] (a plan from its file), [`preflight`] (whether the target may be loaded and can be reached),
//!   [`safety`] (what may be loaded), [`host`] (what this host lets a run do), [`hints`] (what in the plan has no effect),
//!   [`smoke`] (one iteration before the load), [`check`] (all of it, and advice)
//! - `session`: one run from its plan to its verdict; [`listener`]: who is told meanwhile
//! - [`control`]: wishes about it while it goes on, and its answers
//! - [`fidelity`]: its traffic beside that which its plan was made of; [`sides`]: its exchanges beside followed logs
//! - [`logs`]: access logs from files; [`compare`]: runs and logs before and after; [`trend`]: a figure over many runs;
//!   [`since`]: what changed since the run before; [`series`]: several runs in one summary
//! - [`capacity`]: a question of capacity, from its document
//! - [`rehearsal`]: one iteration, exchange by exchange; [`wire`]: one request, byte by byte
//! - [`slices`]: its exchanges, by whatever tells them apart, from its files
//! - [`secrets`]: what must not be stored; [`signals`]: what ends a run from outside; [`plan_of_manifest`]: the plan of a
//!   stored run

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod capacity;
pub mod check;
pub mod compare;
pub mod control;
mod exit;
pub mod fidelity;
pub mod fleet;
pub mod hints;
pub mod host;
pub mod listener;
pub mod load;
pub mod logs;
mod plan;
pub mod preflight;
pub mod rehearsal;
pub mod safety;
pub mod secrets;
pub mod series;
mod session;
pub mod sides;
pub mod signals;
pub mod since;
pub mod slices;
pub mod smoke;
pub mod trend;
pub mod wire;

pub use exit::{Exit, Trouble};
pub use listener::Listener;
pub use plan::{plan_of_manifest, plan_of_run, request_names, times};
pub use session::{
    Finished, Followed, ID_FLAG, Order, RunRecord, SessionError, command, new_id, plan_text, read, run, settings,
};
