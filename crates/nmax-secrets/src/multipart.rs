//! Multipart forms (RFC 7578), also those that are cut off.

use std::ops::Range;

/// A part of a form.
pub(crate) struct Part {
    pub(crate) name: String,
    /// Its media type, in small letters, without parameters; empty when it has none.
    pub(crate) kind: String,
    pub(crate) content: Range<usize>,
}

/// The boundary that a content type names.
pub fn boundary(content_type: &str) -> Option<&str> {
    let is_multipart = |kind: &str| kind.eq_ignore_ascii_case("multipart/");
    content_type.trim_start().get(.."multipart/".len()).filter(|kind| is_multipart(kind))?;
    let at = content_type.to_ascii_lowercase().find("boundary=")? + "boundary=".len();
    let rest = &content_type[at..];
    let value = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split(';').next()?.trim(),
    };
    Some(value).filter(|value| !value.is_empty())
}

/// The parts of a body that have a head. O(length).
pub(crate) fn parts(body: &[u8], boundary: &str) -> Vec<Part> {
    let delimiter = format!("--{boundary}");
    let starts: Vec<usize> = memchr::memmem::find_iter(body, &delimiter).collect();
    let end_of = |index: usize| starts.get(index + 1).copied().unwrap_or(body.len());
    let part = |(index, start): (usize, &usize)| part(body, start + delimiter.len(), end_of(index));
    starts.iter().enumerate().filter_map(part).collect()
}

fn part(body: &[u8], start: usize, end: usize) -> Option<Part> {
    let bytes = &body[start..end];
    let ends =
        [b"\r\n\r\n".as_slice(), b"\n\n"].map(|end| memchr::memmem::find(bytes, end).map(|at| (at, at + end.len())));
    let (head_end, content) = ends.into_iter().flatten().min()?;
    let head = String::from_utf8_lossy(&bytes[..head_end]).into_owned();
    let header = |name: &str| {
        let mut lines = head.lines().filter_map(|line| line.split_once(':'));
        lines.find(|(own, _)| own.trim().eq_ignore_ascii_case(name)).map(|(_, value)| value.trim().to_owned())
    };
    let text = &bytes[content..];
    let text = text.strip_suffix(b"\n").map_or(text, |text| text.strip_suffix(b"\r").unwrap_or(text));
    let kind = header("content-type").unwrap_or_default();
    Some(Part {
        name: parameter_name(&header("content-disposition")?)?,
        kind: kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase(),
        content: start + content..start + content + text.len(),
    })
}

/// The name of a part, out of its quotes; browsers write `"` in a name as `%22`.
fn parameter_name(disposition: &str) -> Option<String> {
    let lower = disposition.to_ascii_lowercase();
    let names = lower.match_indices("name").map(|(at, _)| at).filter(|at| !lower[..*at].ends_with("file"));
    let value = |at: usize| {
        let rest = disposition[at + "name".len()..].trim_start();
        Some(rest.strip_prefix('*').unwrap_or(rest).strip_prefix('=')?.trim_start())
    };
    let rest = names.filter_map(value).next()?;
    // `name*=UTF-8''text` (RFC 5987)
    let rest = rest.strip_prefix("UTF-8''").unwrap_or(rest);
    let name = match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next()?,
        None => rest.split(';').next()?.trim(),
    };
    Some(name.replace("%22", "\""))
}
