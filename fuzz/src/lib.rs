//! What must hold for any input, whoever wrote it: one function per fuzz target, which panics where it does not hold.
//!
//! The fuzzer calls them with inputs that it makes up; a test of the command calls them with the seeds.

pub mod codec;
pub mod cookies;
pub mod frames;
pub mod logs;
pub mod metrics;
pub mod pages;
pub mod plan;
pub mod recordings;
pub mod secrets;
pub mod urls;
