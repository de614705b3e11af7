//! What a request's body is, and its values.

use nmax_secrets::boundary;
use nmax_text::url::pairs;

use super::multipart::{self, Upload};
use super::{Count, Part, ValueLocation, json};
use crate::recording::{Body, Request, header};

/// A body by what it means.
#[derive(Clone, Debug, PartialEq)]
pub enum Content<'a> {
    /// None.
    Empty,
    /// Names and values of an urlencoded form.
    Form(Vec<(String, String)>),
    /// Fields of a multipart form.
    Multipart(Vec<Upload<'a>>),
    /// A JSON text.
    Json(&'a str),
    /// Another text.
    Text(&'a str),
    /// Bytes that are no text.
    Bytes(&'a [u8]),
}

/// What the body is: by its type, and by its content where the type is not known. O(length).
pub fn content(request: &Request) -> Content<'_> {
    let Some(body) = &request.body else {
        return Content::Empty;
    };
    if body.bytes.is_empty() && body.fields.is_empty() {
        return Content::Empty;
    }
    let mime = header(&request.headers, "content-type").unwrap_or(&body.mime);
    let kind = essence(mime);
    let is_form = kind == "application/x-www-form-urlencoded" || (kind.is_empty() && !body.fields.is_empty());
    if kind == "multipart/form-data"
        && let Some(uploads) = uploads(body, mime)
    {
        return Content::Multipart(uploads);
    }
    if is_form && let Some(form) = form(body) {
        return Content::Form(form);
    }
    let Ok(text) = std::str::from_utf8(&body.bytes) else {
        return Content::Bytes(&body.bytes);
    };
    let is_json = kind.ends_with("/json") || kind.ends_with("+json");
    let seems_json = matches!(kind.as_str(), "" | "text/plain") && text.trim_start().starts_with(['{', '[']);
    if (is_json || seems_json) && json::leaves(text).is_some() {
        return Content::Json(text);
    }
    Content::Text(text)
}

/// A content type without its parameters, in small letters.
pub(crate) fn essence(mime: &str) -> String {
    mime.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

fn form(body: &Body) -> Option<Vec<(String, String)>> {
    if body.bytes.is_empty() {
        let pair = |field: &crate::recording::Field| (field.name.clone(), field.value.clone());
        return Some(body.fields.iter().map(pair).collect());
    }
    let text = std::str::from_utf8(&body.bytes).ok()?;
    pairs(text).map(|pair| pair.decoded()).collect()
}

fn uploads<'a>(body: &'a Body, mime: &str) -> Option<Vec<Upload<'a>>> {
    if let Some(uploads) = boundary(mime).and_then(|boundary| multipart::uploads(&body.bytes, boundary)) {
        return Some(uploads);
    }
    let upload = |field: &'a crate::recording::Field| Upload {
        name: field.name.clone(),
        file_name: field.file_name.clone(),
        content_type: field.content_type.clone(),
        content: field.value.as_bytes(),
    };
    (!body.fields.is_empty()).then(|| body.fields.iter().map(upload).collect())
}

/// Values of the body.
pub(super) fn parts(request: &Request) -> Vec<Part> {
    let mut count = Count::default();
    let mut field = |name: String, value: &str| {
        let nth = count.next(&name);
        Part::new(ValueLocation::Field(name, nth), value)
    };
    match content(request) {
        Content::Empty | Content::Bytes(_) => Vec::new(),
        Content::Form(form) => form.into_iter().map(|(name, value)| field(name, &value)).collect(),
        Content::Multipart(uploads) => {
            uploads.iter().filter_map(|upload| Some(field(upload.name.clone(), upload.text()?))).collect()
        }
        Content::Json(text) => json::leaves(text)
            .unwrap_or_default()
            .into_iter()
            .map(|leaf| Part { place: ValueLocation::Json(leaf.pointer), value: leaf.value, is_bare: leaf.is_bare })
            .collect(),
        Content::Text(text) => vec![Part::new(ValueLocation::Body, text)],
    }
}
