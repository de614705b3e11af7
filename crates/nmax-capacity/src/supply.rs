//! Usable capacity of a node at the objective, of nodes, of tiers.
//!
//! # Layout
//! - [`queue`]: queues with closed forms

pub mod queue;
