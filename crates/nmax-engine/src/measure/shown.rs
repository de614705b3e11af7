//! What was sent and received as text without its secrets, for examples.

use nmax_secrets::{Message, Redactor};

/// Most bytes of a request or reply that an example keeps.
const EXAMPLE_BYTES_MAX: usize = 64 * 1024;

/// What an exchange sent and received, as text without its secrets, and what knows all of them.
pub(crate) struct Shown {
    pub(crate) redactor: Redactor,
    pub(crate) request: String,
    pub(crate) reply: String,
}

/// A message as text, shortened, without its secrets.
pub(crate) fn shown(message: Message<'_>, redactor: &Redactor) -> String {
    let bytes = message.bytes();
    let kept = message.first(EXAMPLE_BYTES_MAX);
    let shown = redactor.message(&kept);
    match bytes - kept.bytes() {
        0 => shown,
        more => format!("{shown}\n[{more} more bytes]"),
    }
}
