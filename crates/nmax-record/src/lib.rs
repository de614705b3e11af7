//! Recordings, of a visit or of files, and the plan of them with everything beside it on disk.
//!
//! # Layout
//! - [`visit`]: a person clicks, a proxy watches, and a plan comes of it; `browser`: found, started with a profile that is
//!   thrown away, and ended; `log`: what was recorded, in memory, and on disk without secrets while it happens; `desk`: what
//!   the person types; `summary`: what the person should know at the end
//! - [`sources`]: files become recordings, their secrets in their places; [`make()`]: the plan of them
//! - [`files`]: what is written; [`ImportReport`]: what is said of it

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod browser;
mod desk;
pub mod files;
mod log;
mod make;
mod report;
pub mod sources;
mod summary;
pub mod visit;

pub use files::PlanDestination;
pub use make::make;
pub use report::{ImportReport, schema};
pub use sources::RecordingFile;
