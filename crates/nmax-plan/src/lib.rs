//! The plan: document, scenarios, workload, schedules and every random choice, as pure values.
//!
//! # Layout
//! - [`plan`]: what a validated plan holds; [`template`], [`threshold`], [`units`], [`addresses`]: its pieces as people write them
//! - [`document`]: YAML to plan, with every error at once, and back; [`planless`]: a plan from a URL; [`profile`]: named shapes of a run
//! - `foreign`: words of other load tools, and what a plan says instead
//! - [`example`]: the plan that `nmax init` writes; [`summary`]: what a plan will send; [`tags`]: tags by expression
//! - [`schedule`], [`share`], [`mix`], [`choice`]: what happens when, as pure functions

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod addresses;
pub mod plan;
pub mod template;
pub mod threshold;
pub mod units;

pub mod document;
pub mod example;
mod foreign;
pub mod planless;
pub mod profile;
pub mod summary;
pub mod tags;

pub use nmax_data::choice;

pub mod mix;
pub mod schedule;
pub mod share;
