//! UUIDs of version 4 that never repeat.

use super::Words;
use crate::choice::mix64;

/// Appends the UUID of a record. Its first fifteen free digits hold 60 bits of a bijection of the record's number, the
/// variant's digits the other four, so two records never share one. Source of the form: RFC 9562, section 5.4.
pub(super) fn push(words: Words, out: &mut Vec<u8>) {
    let own = mix64(words.record ^ mix64(words.seed));
    let high = (own >> 16 << 16) | 0x4000 | (own >> 4 & 0xfff);
    let low = 1 << 63 | (own & 15) << 58 | words.word(0) >> 6;
    for (word, dash_after) in [(high, [8, 12]), (low, [0, 4])] {
        for digit in 0..16 {
            if dash_after.contains(&digit) {
                out.push(b'-');
            }
            let nibble = (word >> (60 - 4 * digit) & 15) as usize;
            out.push(b"0123456789abcdef"[nibble]);
        }
    }
}
