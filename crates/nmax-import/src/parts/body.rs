//! What a request's body is, and its values.

use std::borrow::Cow;
use std::collections::HashMap;

use super::url::{pairs, pairs_with};
use super::{Count, Part, Place, json, multipart};
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

/// A field of a multipart form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Upload<'a> {
    /// Its name.
    pub name: String,
    /// Name of the file, where it is one.
    pub file_name: Option<String>,
    /// Content type, where it says one.
    pub content_type: Option<String>,
    /// Its bytes.
    pub content: Cow<'a, [u8]>,
}

impl Upload<'_> {
    /// Its content when it is a text and no file.
    pub fn text(&self) -> Option<&str> {
        let text = std::str::from_utf8(&self.content).ok()?;
        self.file_name.is_none().then_some(text)
    }
}

/// What the body is: by its type, and by its content where the type is not known. O(length).
pub fn content(request: &Request) -> Content<'_> {
    let Some(body) = &request.body else {
        return Content::Empty;
    };
    if body.bytes.is_empty() && body.fields.is_empty() {
        return Content::Empty;
    }
    let mime = mime(request, body);
    let kind = essence(&mime);
    let is_form = kind == "application/x-www-form-urlencoded" || (kind.is_empty() && !body.fields.is_empty());
    if kind == "multipart/form-data"
        && let Some(uploads) = uploads(body, &mime)
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

/// The content type that the request says, else the body's.
pub(super) fn mime<'a>(request: &'a Request, body: &'a Body) -> Cow<'a, str> {
    match header(&request.headers, "content-type") {
        Some(mime) => Cow::Borrowed(mime),
        None => Cow::Borrowed(&body.mime),
    }
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
    let pieces = multipart::boundary(mime).and_then(|boundary| multipart::pieces(&body.bytes, boundary));
    if let Some(pieces) = pieces {
        let upload = |piece: multipart::Piece<'a>| Upload {
            name: piece.name,
            file_name: piece.file_name,
            content_type: piece.content_type,
            content: Cow::Borrowed(piece.content),
        };
        return Some(pieces.into_iter().map(upload).collect());
    }
    let upload = |field: &'a crate::recording::Field| Upload {
        name: field.name.clone(),
        file_name: field.file_name.clone(),
        content_type: field.content_type.clone(),
        content: Cow::Borrowed(field.value.as_bytes()),
    };
    (!body.fields.is_empty()).then(|| body.fields.iter().map(upload).collect())
}

/// Values of the body.
pub(super) fn parts(request: &Request) -> Vec<Part> {
    let mut count = Count::default();
    let mut field = |name: String, value: &str| {
        let nth = count.next(&name);
        Part::new(Place::Field(name, nth), value)
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
            .map(|leaf| Part { place: Place::Json(leaf.pointer), value: leaf.value, is_bare: leaf.is_bare })
            .collect(),
        Content::Text(text) => vec![Part::new(Place::Body, text)],
    }
}

/// Gives the body other values.
pub(super) fn change(request: &mut Request, changed: &HashMap<&Place, &str>) {
    let bytes = match content(request) {
        Content::Empty | Content::Bytes(_) => return,
        Content::Form(form) => form_with(request, form, changed),
        Content::Multipart(_) => return change_multipart(request, changed),
        Content::Json(text) => {
            let leaves = json::leaves(text).unwrap_or_default();
            let new = |leaf: &json::Leaf| {
                let new = changed.get(&Place::Json(leaf.pointer.clone()))?;
                Some(json_text(new, leaf.is_bare))
            };
            json::with(text, &leaves, new).into_bytes()
        }
        Content::Text(_) => match changed.get(&Place::Body) {
            Some(new) => new.as_bytes().to_vec(),
            None => return,
        },
    };
    if let Some(body) = &mut request.body {
        body.bytes = bytes;
    }
}

/// A value as JSON: bare when it stood so and still can.
fn json_text(value: &str, is_bare: bool) -> Cow<'static, str> {
    let is_literal =
        || matches!(serde_json::from_str(value), Ok(serde_json::Value::Number(_) | serde_json::Value::Bool(_)));
    if is_bare && is_literal() {
        Cow::Owned(value.to_owned())
    } else {
        Cow::Owned(serde_json::Value::from(value).to_string())
    }
}

fn form_with(request: &Request, form: Vec<(String, String)>, changed: &HashMap<&Place, &str>) -> Vec<u8> {
    let bytes = request.body.as_ref().map_or(&[][..], |body| &body.bytes);
    let written = match std::str::from_utf8(bytes) {
        Ok(text) if !text.is_empty() => text.to_owned(),
        _ => form
            .iter()
            .map(|(name, value)| format!("{}={}", super::percent_encode(name), super::percent_encode(value)))
            .collect::<Vec<_>>()
            .join("&"),
    };
    pairs_with(&written, |name, nth| changed.get(&Place::Field(name, nth)).copied()).into_bytes()
}

/// Replaces the contents of parts where they stand, or the listed fields where there are no bytes.
fn change_multipart(request: &mut Request, changed: &HashMap<&Place, &str>) {
    let Some(body) = &request.body else { return };
    let mime = mime(request, body).into_owned();
    let boundary = multipart::boundary(&mime).unwrap_or("nmax").to_owned();
    let mut count = Count::default();
    let mut new = |name: &str, is_text: bool| {
        let nth = is_text.then(|| count.next(name))?;
        changed.get(&Place::Field(name.to_owned(), nth)).copied()
    };
    let bytes = match multipart::pieces(&body.bytes, &boundary) {
        Some(pieces) => {
            let mut out = Vec::with_capacity(body.bytes.len());
            let mut from = 0;
            for piece in pieces {
                let is_text = piece.file_name.is_none() && std::str::from_utf8(piece.content).is_ok();
                if let Some(new) = new(&piece.name, is_text) {
                    out.extend_from_slice(&body.bytes[from..piece.span.start]);
                    out.extend_from_slice(new.as_bytes());
                    from = piece.span.end;
                }
            }
            out.extend_from_slice(&body.bytes[from..]);
            out
        }
        None => {
            let mut fields = body.fields.clone();
            for field in &mut fields {
                if let Some(new) = new(&field.name, field.file_name.is_none()) {
                    field.value = new.to_owned();
                }
            }
            if let Some(body) = &mut request.body {
                body.fields = fields;
            }
            return;
        }
    };
    if let Some(body) = &mut request.body {
        body.bytes = bytes;
    }
}
