//! Bytes of a file as a text: byte order marks, UTF-16, and files that are no text at all.

use std::borrow::Cow;

use super::error::Kind;

/// Packed files by what they begin with.
const PACKED: [(&[u8], &str, &str); 4] = [
    (b"\x1f\x8b", "a gzip file", "gunzip FILE.gz"),
    (b"PK\x03\x04", "a zip file", "unzip FILE.zip"),
    (b"\x28\xb5\x2f\xfd", "a zstd file", "unzstd FILE.zst"),
    (b"BZh", "a bzip2 file", "bunzip2 FILE.bz2"),
];

/// A text, and whether some of its bytes were no text.
pub(super) struct Decoded<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) is_damaged: bool,
}

/// The text of a file. Bytes that are no UTF-8 become `U+FFFD`. O(length), without a copy for sound UTF-8.
pub(super) fn decode(bytes: &[u8]) -> Result<Decoded<'_>, Kind> {
    if let Some((_, what, unpack)) = PACKED.iter().find(|(magic, ..)| bytes.starts_with(magic)) {
        return Err(Kind::Packed { what, unpack });
    }
    let utf16 = |from: usize, read: fn([u8; 2]) -> u16| {
        let units = bytes[from..].as_chunks::<2>().0.iter().map(|pair| read(*pair));
        let text: String = char::decode_utf16(units).map(|c| c.unwrap_or(char::REPLACEMENT_CHARACTER)).collect();
        Decoded { is_damaged: text.contains(char::REPLACEMENT_CHARACTER), text: Cow::Owned(text) }
    };
    let decoded = match bytes {
        [0xff, 0xfe, ..] => utf16(2, u16::from_le_bytes),
        [0xfe, 0xff, ..] => utf16(2, u16::from_be_bytes),
        [b'{' | b'[', 0, ..] => utf16(0, u16::from_le_bytes),
        [0, b'{' | b'[', ..] => utf16(0, u16::from_be_bytes),
        _ => {
            let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
            let text = String::from_utf8_lossy(bytes);
            Decoded { is_damaged: matches!(text, Cow::Owned(_)), text }
        }
    };
    if decoded.text.trim().is_empty() {
        return Err(Kind::Empty);
    }
    Ok(decoded)
}

/// Line and column in characters of a byte, both from 1. O(position).
pub(super) fn line_and_column(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at.min(text.len())];
    let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let is_char = |byte: &&u8| (**byte & 0xc0) != 0x80;
    let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
    (line, before[start..].iter().filter(is_char).count() + 1)
}
