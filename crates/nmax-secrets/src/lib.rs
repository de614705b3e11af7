//! Secrets: found in texts by name, by shape and by value, and taken out so that what is left stays JSON, XML or a URL.
//!
//! The one place of the workspace that says what a secret is. Two kinds of users: what is shown or stored of a run is
//! *masked* by a [`Redactor`], for good; what is stored of a recording gets placeholders (`nmax-import`), which stand for
//! values that come back. Both ask [`find`] where secrets are.
//!
//! Pure: texts in, texts out. O(length of the text), except that texts inside of texts are read once per level, at most
//! [`find::DEPTH_MAX`] levels.
//!
//! # Layout
//! - [`names`]: which names say that their value is a secret; [`find`]: where a text has secrets; `coding`: how a value is
//!   written; `cards`: numbers of cards;
//!   `mask`: what takes the place of a secret
//! - [`needles`]: known values, however they are spelled; [`redactor`]: texts without secrets, [`message`]: those
//!   that are heads with bodies; [`targets`]: the same for
//!   the targets of millions of lines of a log

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cards;
mod coding;
pub mod find;
mod mask;
pub mod message;
mod multipart;
pub mod names;
pub mod needles;
pub mod redactor;
pub mod targets;

pub use find::{FoundSecrets, Grade, Rules, Spot, TextKind, find};
pub use mask::{MASK, PLACEHOLDER_BYTES, PLACEHOLDER_PREFIX, is_placeholder, placeholder_at};
pub use message::Message;
pub use multipart::boundary;
pub use names::{is_secret_header, is_secret_name, looks_random};
pub use needles::{EVERYWHERE_BYTES_MIN, Needles};
pub use redactor::{Redactor, Variables, masked_url, origin_only};
