//! The plan: document, scenarios, workload, schedules and every random choice, as pure values.

pub mod choice;
pub mod mix;
pub mod schedule;
pub mod share;
