//! A run from an [`Order`] to what it [`Finished`] with: preflight and consent, directory, timeline, sources, verdict.
//!
//! # Layout
//! - before: [`preflight`] (whether the target may be loaded and can be reached), [`safety`] (what may be loaded), [`host`]
//!   (what this host lets a run do)
//! - `session`: one run from its plan to its verdict; [`listener`]: who is told meanwhile
//! - [`fidelity`]: its traffic beside that which its plan was made of; [`sides`]: its exchanges beside followed logs
//! - [`slices`]: its exchanges, by whatever tells them apart, from its files
//! - [`secrets`]: what must not be stored; [`signals`]: what ends a run from outside; [`plan_of_manifest`]: the plan of a
//!   stored run

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod exit;
pub mod fidelity;
pub mod host;
pub mod listener;
mod plan;
pub mod preflight;
pub mod safety;
pub mod secrets;
mod session;
pub mod sides;
pub mod signals;
pub mod slices;

pub use exit::Exit;
pub use listener::Listener;
pub use plan::plan_of_manifest;
pub use session::{Finished, Order, SessionError, command, new_id, plan_text, read, run, settings};
