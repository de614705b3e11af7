//! What stands in the place of a secret.

/// What stands in the place of a secret that does not come back. It needs no quotes in YAML and no encoding in a URL.
pub const MASK: &str = "REDACTED";
/// What placeholders of recordings begin with; 16 hexadecimal digits follow.
pub const PLACEHOLDER_PREFIX: &str = "nmax-secret-";
/// Bytes of a placeholder.
pub const PLACEHOLDER_BYTES: usize = PLACEHOLDER_PREFIX.len() + 16;
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
