//! Rendering: holes are filled and escaped, straight into the caller's buffer.

use std::borrow::Cow;

use nmax_text::percent;

use super::{Call, Part, Template};

/// Where holes get their values from.
pub trait Values {
    /// The slot's value.
    fn slot(&self, slot: usize) -> &str;
    /// A cell of the iteration's row.
    fn feeder(&self, feeder: usize, column: usize) -> Cow<'_, str>;
    /// The iteration's number in the run, from 0.
    fn iteration(&self) -> u64;
    /// The VU's number, from 0.
    fn vu(&self) -> u32;
    /// A value of the run's setup.
    fn shared(&self, slot: usize) -> &str;
    /// Appends what a function makes of its arguments. What cannot be made is noted by the values, and nothing appended.
    fn call(&self, call: &Call, out: &mut String);
}

/// How values are written into their surroundings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Escape {
    /// As they are.
    None,
    /// A name or value of a query: all but unreserved characters (RFC 3986, 2.3) are percent-encoded, texts included.
    Url,
    /// A path or URL: holes are percent-encoded like [`Escape::Url`], texts are not. A hole at the very
    /// start is taken as it is, for it may hold a whole URL.
    Path,
    /// The inside of a JSON string: holes are escaped, texts are not.
    Json,
    /// A name or value of a form (`application/x-www-form-urlencoded`), texts included.
    Form,
}

impl Template {
    /// Appends the text with its holes filled. O(length); allocates only when `out` must grow.
    pub fn render(&self, out: &mut Vec<u8>, values: &impl Values, escape: Escape) {
        for (index, part) in self.parts.iter().enumerate() {
            let hole = match escape {
                Escape::Path if index == 0 => Escape::None,
                other => other,
            };
            match part {
                Part::Text(text) => match escape {
                    Escape::Url | Escape::Form => escape_into(out, text, escape),
                    Escape::None | Escape::Path | Escape::Json => out.extend_from_slice(text.as_bytes()),
                },
                Part::Slot(slot) => escape_into(out, values.slot(*slot), hole),
                Part::Feeder { feeder, column } => escape_into(out, &values.feeder(*feeder, *column), hole),
                Part::Iteration => number_into(out, values.iteration()),
                Part::Vu => number_into(out, u64::from(values.vu())),
                Part::Shared(slot) => escape_into(out, values.shared(*slot), hole),
                Part::Call(call) => {
                    let mut made = String::new();
                    values.call(call, &mut made);
                    escape_into(out, &made, hole);
                }
            }
        }
    }
}

/// Appends `text`, escaped.
pub(super) fn escape_into(out: &mut Vec<u8>, text: &str, escape: Escape) {
    match escape {
        Escape::None => out.extend_from_slice(text.as_bytes()),
        Escape::Url | Escape::Path => {
            for &byte in text.as_bytes() {
                match percent::is_unreserved(byte) {
                    true => out.push(byte),
                    false => out.extend_from_slice(&percent::escape(byte)),
                }
            }
        }
        Escape::Form => {
            for &byte in text.as_bytes() {
                match byte {
                    b' ' => out.push(b'+'),
                    b'*' | b'-' | b'.' | b'_' => out.push(byte),
                    _ if byte.is_ascii_alphanumeric() => out.push(byte),
                    _ => out.extend_from_slice(&percent::escape(byte)),
                }
            }
        }
        Escape::Json => text.bytes().for_each(|byte| json_byte(out, byte)),
    }
}

const HEX: &[u8; 16] = b"0123456789ABCDEF";

/// RFC 8259, section 7. Bytes above ASCII are UTF-8 and stay.
fn json_byte(out: &mut Vec<u8>, byte: u8) {
    match byte {
        b'"' => out.extend_from_slice(b"\\\""),
        b'\\' => out.extend_from_slice(b"\\\\"),
        b'\n' => out.extend_from_slice(b"\\n"),
        b'\r' => out.extend_from_slice(b"\\r"),
        b'\t' => out.extend_from_slice(b"\\t"),
        0..0x20 => {
            out.extend_from_slice(b"\\u00");
            out.extend_from_slice(&[HEX[usize::from(byte >> 4)], HEX[usize::from(byte & 15)]]);
        }
        _ => out.push(byte),
    }
}

pub(super) fn number_into(out: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0_u8; 20];
    let mut start = digits.len();
    loop {
        start -= 1;
        digits[start] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            break;
        }
    }
    out.extend_from_slice(&digits[start..]);
}
