//! Multipart forms (RFC 7578) taken apart and written again.

use std::ops::Range;

/// The boundary that a content type names.
pub fn boundary(mime: &str) -> Option<&str> {
    let at = mime.to_ascii_lowercase().find("boundary=")? + "boundary=".len();
    let rest = &mime[at..];
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split(';').next()?.trim(),
    };
    Some(value).filter(|value| !value.is_empty())
}

/// A part and where its content is in the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Piece<'a> {
    pub(crate) name: String,
    pub(crate) file_name: Option<String>,
    pub(crate) content_type: Option<String>,
    pub(crate) content: &'a [u8],
    pub(crate) span: Range<usize>,
}

/// The parts of a body; `None` when it is none, or a part has no name. O(length).
pub(crate) fn pieces<'a>(body: &'a [u8], boundary: &str) -> Option<Vec<Piece<'a>>> {
    let delimiter = format!("--{boundary}");
    let mut found = Vec::new();
    let mut at = find(body, delimiter.as_bytes(), 0)? + delimiter.len();
    loop {
        let rest = body.get(at..)?;
        if rest.starts_with(b"--") {
            return Some(found).filter(|found| !found.is_empty());
        }
        let start = at + find(rest, b"\n", 0)? + 1;
        let end = find(body, format!("\r\n{delimiter}").as_bytes(), start.checked_sub(2)?)?;
        found.push(piece(body, start, end)?);
        at = end + 2 + delimiter.len();
    }
}

fn piece(body: &[u8], start: usize, end: usize) -> Option<Piece<'_>> {
    let part = body.get(start..end)?;
    let blank = find(part, b"\r\n\r\n", 0)?;
    let head = String::from_utf8_lossy(&part[..blank]);
    let header = |name: &str| {
        head.lines().find_map(|line| {
            let (own, value) = line.split_once(':')?;
            own.trim().eq_ignore_ascii_case(name).then(|| value.trim().to_owned())
        })
    };
    let disposition = header("content-disposition")?;
    let content = blank + 4;
    Some(Piece {
        name: parameter(&disposition, "name")?,
        file_name: parameter(&disposition, "filename"),
        content_type: header("content-type"),
        content: &part[content..],
        span: start + content..end,
    })
}

/// A parameter of a header, out of its quotes; browsers write `"` in a name as `%22`.
fn parameter(header: &str, name: &str) -> Option<String> {
    let lower = header.to_ascii_lowercase();
    let key = format!("{name}=");
    let at = lower.match_indices(&key).map(|(at, _)| at).find(|at| lower[..*at].ends_with([' ', ';', '\t']))?;
    let rest = header.get(at + key.len()..)?;
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split(';').next()?.trim(),
    };
    Some(value.replace("%22", "\"").replace("%0D", "\r").replace("%0A", "\n"))
}

fn find(bytes: &[u8], wanted: &[u8], from: usize) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(wanted.len()).position(|window| window == wanted).map(|at| from + at)
}
