//! HAR 1.2: what browsers, proxies and tools write is read as far as it goes; recordings are written so that browsers
//! read them.
//!
//! [`read()`] takes a file apart entry by entry, so that one that was cut or damaged gives what is whole in it. [`Writer`]
//! writes entry by entry, so that whoever stops in between leaves a file that [`read()`] can use. For every recording
//! `read(write(r)) = r`.
//!
//! # Layout
//! - `text`, `scan`, `repair`: bytes to the text of each entry; `stamp`, `json`: values in many shapes
//! - `entry`, `body`, `guess`: one entry; `read`: all of them; `notes`, `sanitized`: what to say about them
//! - `write`: the way back

mod body;
mod entry;
mod error;
mod guess;
mod json;
mod notes;
mod pauses;
mod read;
mod repair;
mod sanitized;
mod scan;
mod stamp;
mod text;
mod write;

pub use error::{HarError, Kind as HarErrorKind};
pub use read::{Read, read};
pub use write::{Writer, write};
