//! Lines of a program behind what the runtime of its container writes in front of them or around them.
//!
//! | in the file | from |
//! |---|---|
//! | `2026-11-26T10:00:00.1Z stdout F LINE` | Kubernetes (CRI: containerd, CRI-O) |
//! | `{"log":"LINE\n","stream":"stdout","time":"2026-11-26T10:00:00.1Z"}` | docker's `json-file` |
//! | `web-1  \| {"status":200}`, `[pod/web-1/app] {"status":200}` | whatever writes a prefix before an object of JSON |

use super::json::Cursor;
use super::unescape;

/// Longest prefix of an object, in bytes.
const PREFIX_BYTES_MAX: usize = 200;

/// The line of the program, and where it begins in `line`; `scratch` holds it where it was escaped.
pub(super) fn unwrapped<'l>(line: &'l [u8], scratch: &'l mut Vec<u8>) -> (&'l [u8], usize) {
    if line.starts_with(b"{") {
        return match logged(line, scratch) {
            Some(inner) => (inner, 0),
            None => (line, 0),
        };
    }
    let from = behind_stream(line).or_else(|| before_object(line)).unwrap_or(0);
    (&line[from..], from)
}

/// Where the line begins behind `STAMP stdout F `. A part of a longer line (`P`) is none of the program's lines.
fn behind_stream(line: &[u8]) -> Option<usize> {
    if line.get(4) != Some(&b'-') || line.get(10) != Some(&b'T') {
        return None;
    }
    let stamp = memchr::memchr(b' ', line)?;
    let rest = &line[stamp + 1..];
    [b"stdout F ", b"stderr F "].iter().any(|stream| rest.starts_with(*stream)).then(|| stamp + 1 + b"stdout F ".len())
}

/// Where an object begins that the line ends with, if only a prefix without quotes is in front of it.
fn before_object(line: &[u8]) -> Option<usize> {
    if !line.trim_ascii_end().ends_with(b"}") {
        return None;
    }
    let from = memchr::memchr2(b'{', b'"', &line[..line.len().min(PREFIX_BYTES_MAX)])?;
    (line[from] == b'{' && line[from - 1] == b' ').then_some(from)
}

/// The text of the member `log` that docker's objects begin with.
fn logged<'l>(line: &'l [u8], scratch: &'l mut Vec<u8>) -> Option<&'l [u8]> {
    if !line.starts_with(b"{\"log\":\"") || memchr::memmem::rfind(line, b"\",\"stream\":\"std").is_none() {
        return None;
    }
    let (at, is_escaped) = Cursor::new(line).first_text()?;
    let text = &line[at];
    let text = if is_escaped {
        scratch.clear();
        unescape::backslashes(text, scratch);
        &*scratch
    } else {
        text
    };
    Some(text.strip_suffix(b"\n").unwrap_or(text))
}
