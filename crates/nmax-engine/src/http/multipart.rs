//! Bodies of type `multipart/form-data` (RFC 7578), names escaped as browsers do.

use nmax_plan::plan::{FormPart, PartContent};
use nmax_plan::template::{Escape, Template, Values};

use crate::http::render::BodyBuffer;

#[cfg(test)]
mod tests;

/// The type of a file that the plan gives none.
const FILE_TYPE: &str = "application/octet-stream";

/// Appends all parts; where a file belongs a mark is set, and its bytes are sent from the file itself.
pub(crate) fn write(parts: &[FormPart], boundary: &str, values: &impl Values, body: &mut BodyBuffer) {
    for part in parts {
        let out = &mut body.bytes;
        put(out, &["--", boundary, "\r\nContent-Disposition: form-data; name=\""]);
        quoted(&part.name, values, out);
        out.push(b'"');
        let file = match &part.content {
            PartContent::File(path) => Some(path.rsplit('/').next().unwrap_or(path)),
            PartContent::Text(_) => None,
        };
        match (&part.file_name, file) {
            (Some(name), _) => {
                put(out, &["; filename=\""]);
                quoted(name, values, out);
                out.push(b'"');
            }
            (None, Some(name)) => {
                put(out, &["; filename=\""]);
                let start = out.len();
                put(out, &[name]);
                escape(out, start);
                out.push(b'"');
            }
            (None, None) => {}
        }
        if let Some(content_type) = part.content_type.as_deref().or(file.map(|_| FILE_TYPE)) {
            put(out, &["\r\nContent-Type: ", content_type]);
        }
        put(out, &["\r\n\r\n"]);
        match &part.content {
            PartContent::Text(text) => text.render(out, values, Escape::None),
            PartContent::File(_) => body.marks.push(out.len()),
        }
        put(&mut body.bytes, &["\r\n"]);
    }
    put(&mut body.bytes, &["--", boundary, "--\r\n"]);
}

fn put(out: &mut Vec<u8>, texts: &[&str]) {
    texts.iter().for_each(|text| out.extend_from_slice(text.as_bytes()));
}

/// A name between quotes.
fn quoted(name: &Template, values: &impl Values, out: &mut Vec<u8>) {
    let start = out.len();
    name.render(out, values, Escape::None);
    escape(out, start);
}

/// Replaces what would end a quoted name or its line, from `start` on. Source: WHATWG HTML, multipart/form-data encoding
/// algorithm.
fn escape(out: &mut Vec<u8>, start: usize) {
    if !out[start..].iter().any(|byte| matches!(byte, b'"' | b'\r' | b'\n')) {
        return;
    }
    let name = out.split_off(start);
    for byte in name {
        match byte {
            b'"' => out.extend_from_slice(b"%22"),
            b'\r' => out.extend_from_slice(b"%0D"),
            b'\n' => out.extend_from_slice(b"%0A"),
            other => out.push(other),
        }
    }
}
