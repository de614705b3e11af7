//! Virtual users: one iteration after the other, one step after the other.
//!
//! # Layout
//! - `vu`: a user's life; `setup`: what it does once
//! - `walk`: its way through the actions of a scenario; `way`: what it remembers of it
//! - `values`: what templates read; `functions`: what they call
//! - `verify`: whether a reply is what the plan expects, and what is taken from it

pub(crate) mod functions;
pub(crate) mod setup;
pub(crate) mod values;
pub(crate) mod verify;
pub(crate) mod vu;
pub(crate) mod walk;
pub(crate) mod way;
