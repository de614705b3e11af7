//! HAR 1.2: what browsers, proxies and tools write is read as far as it goes; recordings are written so that browsers
//! read them.
//!
//! [`read`] takes a file apart entry by entry, so that one that was cut or damaged gives what is whole in it. [`Writer`]
//! writes entry by entry, so that whoever stops in between leaves a file that [`read`] can use. For every recording
//! `read(write(r)) = r`.

mod error;
mod read;
mod write;

pub use error::{HarError, Kind as HarErrorKind};
pub use read::{Read, read};
pub use write::{Writer, write};
