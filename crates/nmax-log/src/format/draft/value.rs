//! Single values: codes, counts, clocks and addresses.

use std::ops::Range;

use super::Expected;
use crate::format::number::{self, Span, Unit, count};
use crate::format::stamp;

/// A byte of a method, as HTTP has it (RFC 9110, section 5.6.2).
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Sets `place` unless the span is unknown.
pub(super) fn set(place: &mut Option<u64>, span: Span) {
    if let Span::Ns(ns) = span {
        *place = Some(ns);
    }
}

pub(super) fn span(value: &[u8], unit: Unit) -> Result<Span, Expected> {
    number::span(value, unit).ok_or("a duration in numbers")
}

/// A status code; 0 where the log does not know.
pub(super) fn status(value: &[u8]) -> Result<u16, Expected> {
    if let &[a @ b'1'..=b'9', b @ b'0'..=b'9', c @ b'0'..=b'9'] = value {
        return Ok(u16::from(a - b'0') * 100 + u16::from(b - b'0') * 10 + u16::from(c - b'0'));
    }
    match value {
        b"-" | b"" | b"0" | b"000" | b"-1" => Ok(0),
        _ => Err("a status code from 100 to 999"),
    }
}

/// A count of bytes; `-` is none.
pub(super) fn bytes(value: &[u8]) -> Result<Option<u64>, Expected> {
    match value {
        b"-" => Ok(Some(0)),
        b"" | b"-1" => Ok(None),
        _ => count(value).map(Some).ok_or("a count of bytes"),
    }
}

/// `13:55:36`, perhaps with a fraction: µs since midnight and resolution in µs.
pub(super) fn clock(value: &[u8]) -> Option<(i64, u32)> {
    let us = stamp::clock(value, 0)?;
    let (below_us, resolution_us, length) = stamp::fraction(&value[8..])?;
    (8 + length == value.len()).then_some((us + below_us, resolution_us))
}

/// Where the address in `address:port` is; brackets of IPv6 are no part of it.
pub(super) fn without_port(value: &[u8], at: Range<usize>) -> Range<usize> {
    if value.first() == Some(&b'[')
        && let Some(end) = memchr::memchr(b']', value)
    {
        return at.start + 1..at.start + end;
    }
    match memchr::memrchr(b':', value) {
        Some(colon) => at.start..at.start + colon,
        None => at,
    }
}

/// Where the first address of a list is.
pub(super) fn first_of_list(value: &[u8], at: Range<usize>) -> Range<usize> {
    let length = memchr::memchr(b',', value).unwrap_or(value.len());
    at.start..at.start + value[..length].trim_ascii_end().len()
}
