//! Bodies of forms, taken apart and put together: urlencoded and multipart.
//!
//! Law: `fields(encode(fields)) = fields`.

use nmax_secrets::boundary;
use nmax_text::percent;

use crate::parts::{Upload, essence, uploads};
use crate::recording::Field;

/// Boundary of a multipart body whose type names none.
const BOUNDARY: &str = "nmax-boundary";

/// How a form is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form<'a> {
    Urlencoded,
    Multipart(&'a str),
}

fn form(mime: &str) -> Option<Form<'_>> {
    match essence(mime).as_str() {
        "application/x-www-form-urlencoded" => Some(Form::Urlencoded),
        "multipart/form-data" => Some(Form::Multipart(boundary(mime).unwrap_or(BOUNDARY))),
        _ => None,
    }
}

/// Whether bodies of this type are forms.
pub fn is_form(mime: &str) -> bool {
    form(mime).is_some()
}

/// Fields of a body, decoded, in order; `None` when its type is no form's, or its bytes are no form. O(length).
///
/// The value of an uploaded file is its content as far as it is a text.
pub fn fields(mime: &str, bytes: &[u8]) -> Option<Vec<Field>> {
    match form(mime)? {
        Form::Urlencoded => {
            let text = std::str::from_utf8(bytes).ok()?;
            Some(text.split('&').filter(|pair| !pair.is_empty()).map(pair).collect())
        }
        Form::Multipart(boundary) => {
            let field = |upload: Upload<'_>| Field {
                value: String::from_utf8_lossy(upload.content).into_owned(),
                name: upload.name,
                file_name: upload.file_name,
                content_type: upload.content_type,
            };
            Some(uploads(bytes, boundary)?.into_iter().map(field).collect())
        }
    }
}

/// A pair of an urlencoded form; what cannot be decoded stays as it is written.
fn pair(pair: &str) -> Field {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let decoded = |text: &str| percent::decode_form(text).unwrap_or_else(|| text.to_owned());
    Field { name: decoded(name), value: decoded(value), ..Field::default() }
}

/// Fields as a body of this type, and the type with its boundary; `None` when it is no form's. O(length).
pub fn encode(mime: &str, fields: &[Field]) -> Option<(String, Vec<u8>)> {
    match form(mime)? {
        Form::Urlencoded => {
            let pair = |field: &Field| format!("{}={}", percent::encode(&field.name), percent::encode(&field.value));
            let pairs: Vec<String> = fields.iter().map(pair).collect();
            Some((mime.to_owned(), pairs.join("&").into_bytes()))
        }
        Form::Multipart(separator) => {
            let mut body = String::new();
            for field in fields {
                part(&mut body, separator, field);
            }
            body.push_str(&format!("--{separator}--\r\n"));
            let mime = match boundary(mime) {
                Some(_) => mime.to_owned(),
                None => format!("multipart/form-data; boundary={separator}"),
            };
            Some((mime, body.into_bytes()))
        }
    }
}

/// Writes a part as browsers do (WHATWG HTML, multipart/form-data encoding).
fn part(body: &mut String, boundary: &str, field: &Field) {
    let quoted = |text: &str| text.replace('\r', "%0D").replace('\n', "%0A").replace('"', "%22");
    body.push_str(&format!("--{boundary}\r\nContent-Disposition: form-data; name=\"{}\"", quoted(&field.name)));
    if let Some(file) = &field.file_name {
        body.push_str(&format!("; filename=\"{}\"", quoted(file)));
    }
    if let Some(kind) = &field.content_type {
        body.push_str(&format!("\r\nContent-Type: {}", kind.replace(['\r', '\n'], " ")));
    }
    body.push_str(&format!("\r\n\r\n{}\r\n", field.value));
}

#[cfg(test)]
mod tests;
