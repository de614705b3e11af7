//! The secret that both sides of an agent know.

use std::fmt;
use std::hint::black_box;

/// Longest token, bytes.
pub const TOKEN_BYTES_MAX: usize = 1_024;

/// Fewest bytes of a token that others in the network cannot guess.
pub const STRONG_BYTES_MIN: usize = 16;

/// A secret; it is never shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A token out of a file or variable; spaces around it are left out. `None` for one that cannot be sent.
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        (is_plain && !text.is_empty() && text.len() <= TOKEN_BYTES_MAX).then(|| Self(text.to_owned()))
    }

    /// Whether it may be used where others than this host can try tokens.
    pub fn is_strong(&self) -> bool {
        self.0.len() >= STRONG_BYTES_MIN
    }

    /// The value of a header `authorization`.
    pub(super) fn header(&self) -> String {
        format!("Bearer {}", self.0)
    }

    /// Whether a header is the right one, in a time that says nothing about where it differs.
    pub(super) fn is(&self, header: &[u8]) -> bool {
        let want = self.header();
        let differing = want.bytes().zip(header).fold(0_u8, |all, (a, b)| black_box(all | (a ^ b)));
        want.len() == header.len() && differing == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(..)")
    }
}
