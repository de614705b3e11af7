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
//!   written; `cards`: numbers of cards
//! - [`needles`]: known values, however they are spelled; [`redactor`]: texts without secrets; [`targets`]: the same for
//!   the targets of millions of lines of a log

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod cards;
mod coding;
pub mod find;
mod multipart;
pub mod names;
pub mod needles;
pub mod redactor;
pub mod targets;

pub use find::{Found, Grade, Place, Rules, Spot, find};
pub use multipart::boundary;
pub use names::{is_secret_header, is_secret_name, looks_random};
pub use needles::Needles;
pub use redactor::{Redactor, Variables, masked_url};

/// What stands in the place of a secret that does not come back. It needs no quotes in YAML and no encoding in a URL.
pub const MASK: &str = "REDACTED";
/// What placeholders of recordings begin with; 16 hexadecimal digits follow.
pub const PLACEHOLDER_PREFIX: &str = "nmax-secret-";
/// Bytes of a placeholder.
pub const PLACEHOLDER_BYTES: usize = PLACEHOLDER_PREFIX.len() + 16;
/// Bytes from which on a secret is looked for inside of words.
pub const EVERYWHERE_BYTES_MIN: usize = 6;

/// Length of the placeholder that a text begins with.
pub fn placeholder_at(text: &[u8]) -> Option<usize> {
    let digits = text.strip_prefix(PLACEHOLDER_PREFIX.as_bytes())?.get(..16)?;
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.iter().all(is_hex).then_some(PLACEHOLDER_BYTES)
}

/// Whether a text is a placeholder.
pub fn is_placeholder(text: &[u8]) -> bool {
    placeholder_at(text) == Some(text.len())
}
