//! Virtual users: one iteration after the other, one step after the other.
//!
//! # Layout
//! - `vu`: a user's life; `setup`: what it does once; `actor`: what its calls may use of it
//! - `walk`: its way through the actions of a scenario; `way`: what it remembers of it; `scripted`: in the hands of a script
//! - `values`: what templates read; `functions`: what they call
//! - [`site`]: a call under way; [`verify`]: whether a reply is what the plan expects, and what is taken from it

pub(crate) mod actor;
pub(crate) mod functions;
mod scripted;
pub(crate) mod setup;
pub mod site;
pub(crate) mod values;
pub mod verify;
pub(crate) mod vu;
pub(crate) mod walk;
pub(crate) mod walk_state;
