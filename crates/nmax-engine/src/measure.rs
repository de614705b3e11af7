//! What is recorded, how it is joined, and what this process itself uses.
//!
//! # Layout
//! - [`meter`]: one worker's windows; `tally`: counts beside exchanges; [`names`]: under which names
//! - [`collector`]: windows of all workers
//! - `examples`: failed exchanges kept for study; [`told`]: every exchange as a log would have it
//! - [`watch`]: this process's own resources

pub mod collector;
pub(crate) mod examples;
pub mod exchange_events;
pub mod meter;
pub mod names;
pub(crate) mod shown;
pub(crate) mod tally;
pub mod watch;
