//! Item photos: valid JPEGs of exactly 1.2 MB, made from the item's UUID.
//!
//! A picture of one 8 x 8 block in the item's colour, padded with comment segments, so
//! that a browser shows it and a load test downloads a realistic size.

use hyper::body::Bytes;

use crate::body::pattern;

/// Size of every photo, in bytes.
pub(crate) const PHOTO_BYTES: usize = 1_200_000;

/// Largest comment. The format allows 65,533 bytes, one block of the pattern a few less.
const COMMENT_BYTES_MAX: usize = 65_000;

/// The photo of the item `uuid`. Deterministic.
pub(crate) fn photo(uuid: &str) -> Bytes {
    photo_of(uuid, PHOTO_BYTES)
}

/// A photo of so many bytes, at least 1,000, in a colour that follows from its name.
pub(crate) fn photo_of(name: &str, size_bytes: usize) -> Bytes {
    let digest = name.bytes().fold(0_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte)));
    let head = head();
    let tail = tail([digest as u8, (digest >> 8) as u8, (digest >> 16) as u8]);
    let mut bytes = Vec::with_capacity(size_bytes);
    bytes.extend_from_slice(&head);
    let mut left = size_bytes.saturating_sub(head.len() + tail.len());
    while left > 0 {
        // A comment takes at least 4 bytes, so never leave 1 to 3 behind.
        let mut segment = left.min(COMMENT_BYTES_MAX + 4);
        if (1..4).contains(&(left - segment)) {
            segment -= 4;
        }
        bytes.extend_from_slice(&[0xff, 0xfe]);
        bytes.extend_from_slice(&((segment - 2) as u16).to_be_bytes());
        bytes.extend_from_slice(&pattern(u64::from(digest), segment as u64 - 4));
        left -= segment;
    }
    bytes.extend_from_slice(&tail);
    bytes.into()
}

/// Start of image, tables and frame header: 8 x 8 pixels, three components.
fn head() -> Vec<u8> {
    let mut bytes = vec![0xff, 0xd8];
    bytes.extend_from_slice(b"\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00");
    // Quantization table 0: every step is 8, so one unit of DC is one grey level.
    bytes.extend_from_slice(&[0xff, 0xdb, 0x00, 0x43, 0x00]);
    bytes.extend_from_slice(&[8; 64]);
    bytes.extend_from_slice(&[0xff, 0xc0, 0x00, 0x11, 8, 0, 8, 0, 8, 3]);
    for component in 1..=3 {
        bytes.extend_from_slice(&[component, 0x11, 0]);
    }
    // Huffman tables with one code of one bit each: DC category 7; AC end of block.
    for (class, symbol) in [(0x00, 7), (0x10, 0)] {
        bytes.extend_from_slice(&[0xff, 0xc4, 0x00, 0x14, class, 1]);
        bytes.extend_from_slice(&[0; 15]);
        bytes.push(symbol);
    }
    bytes
}

/// The scan with one block per component, and the end of the image.
fn tail(colour: [u8; 3]) -> Vec<u8> {
    let mut bytes = vec![0xff, 0xda, 0x00, 0x0c, 3, 1, 0, 2, 0, 3, 0, 0, 63, 0];
    // Per block: code 0, seven bits of DC (64 to 127, or -127 to -64), code 0 for the rest.
    let scan = colour.iter().fold(0_u32, |bits, value| bits << 9 | u32::from(value & 0x7f) << 1);
    // 27 bits and five 1 bits of padding; 0xff inside the scan is followed by 0.
    for byte in (scan << 5 | 0x1f).to_be_bytes() {
        bytes.push(byte);
        if byte == 0xff {
            bytes.push(0);
        }
    }
    bytes.extend_from_slice(&[0xff, 0xd9]);
    bytes
}
