//! Bodies as files write them: texts, base64, lists of parameters.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::json::{as_text, list, number, pairs, some_text, text};
use super::notes::{Note, Notes};
use crate::form;
use crate::parts::essence;
use crate::recording::{Body, Field, header};

/// Body of a request.
pub(super) fn sent(request: &Value, headers: &[(String, String)], number: usize, notes: &mut Notes) -> Option<Body> {
    let data = request.get("postData").filter(|data| data.is_object())?;
    let mut mime =
        some_text(data, "mimeType").or_else(|| header(headers, "content-type")).unwrap_or_default().to_owned();
    let listed: Vec<Field> = list(data, "params").iter().filter_map(parameter).collect();
    if mime.is_empty() && !listed.is_empty() && data.get("text").is_none_or(Value::is_null) {
        mime = "application/x-www-form-urlencoded".to_owned();
    }
    let written = data.get("text").filter(|text| !text.is_null()).map(as_text);
    let has_text = written.as_ref().is_some_and(|text| !text.is_empty());
    let is_form = form::is_form(&mime);
    if !is_form && !listed.is_empty() {
        notes.add(Note::ParametersIgnored, number);
    }
    if is_form && !has_text && !listed.is_empty() {
        notes.add(Note::FromParameters, number);
        let (mime, bytes) = form::encode(&mime, &listed)?;
        return Some(finished(data, mime, bytes, Vec::new()));
    }
    let file = some_text(data, "_file");
    let encoding = some_text(data, "_encoding").or_else(|| some_text(data, "encoding")).unwrap_or_default();
    let bytes = decoded(written.unwrap_or_default(), encoding, number, notes);
    let bytes = without_head(&mime, bytes);
    let is_nothing = bytes.is_empty() && mime.is_empty() && file.is_none();
    (!is_nothing).then(|| finished(data, mime, bytes, listed))
}

fn finished(data: &Value, mime: String, bytes: Vec<u8>, listed: Vec<Field>) -> Body {
    let found = form::fields(&mime, &bytes);
    Body {
        fields: found.or_else(|| form::is_form(&mime).then_some(listed)).unwrap_or_default(),
        is_cut: data.get("_isCut").and_then(Value::as_bool).unwrap_or_default(),
        file: some_text(data, "_file").map(str::to_owned),
        mime,
        bytes,
    }
}

fn parameter(value: &Value) -> Option<Field> {
    Some(Field {
        name: some_text(value, "name")?.to_owned(),
        value: value.get("value").map(as_text).unwrap_or_default(),
        file_name: some_text(value, "fileName").map(str::to_owned),
        content_type: some_text(value, "contentType").map(str::to_owned),
    })
}

/// Old Firefox writes headers in front of the body of a form.
fn without_head(mime: &str, bytes: Vec<u8>) -> Vec<u8> {
    let has_head = ["content-type:", "content-length:"]
        .iter()
        .any(|name| bytes.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes())));
    if !has_head || !form::is_form(mime) {
        return bytes;
    }
    match bytes.windows(4).position(|window| window == b"\r\n\r\n") {
        Some(at) => bytes[at + 4..].to_vec(),
        None => bytes,
    }
}

/// Body of a reply; `None` when the file does not have it.
pub(super) fn received(
    content: &Value,
    headers: &[(String, String)],
    number: usize,
    notes: &mut Notes,
) -> Option<Body> {
    let written = as_text(content.get("text").filter(|text| !text.is_null())?);
    let said = some_text(content, "mimeType").filter(|mime| *mime != "x-unknown");
    let mime = said.or_else(|| header(headers, "content-type")).unwrap_or_default();
    let bytes = match binary(content, &written, mime) {
        Some(bytes) => bytes,
        None => decoded(written, text(content, "encoding"), number, notes),
    };
    Some(Body {
        mime: mime.to_owned(),
        bytes,
        is_cut: content.get("_isCut").and_then(Value::as_bool).unwrap_or_default(),
        ..Body::default()
    })
}

/// The bytes of a picture and the like whose base64 the file does not call so: it fits the size that is said.
fn binary(content: &Value, written: &str, mime: &str) -> Option<Vec<u8>> {
    let is_binary = ["image/", "font/", "audio/", "video/", "application/octet-stream"]
        .iter()
        .any(|kind| essence(mime).starts_with(kind));
    let size =
        number(content, "size").filter(|_| is_binary && text(content, "encoding").is_empty() && !written.is_empty())?;
    let bytes = STANDARD.decode(written).ok()?;
    (bytes.len() as f64 == size).then_some(bytes)
}

/// The bytes of a text in its encoding.
fn decoded(written: String, encoding: &str, number: usize, notes: &mut Notes) -> Vec<u8> {
    if !encoding.eq_ignore_ascii_case("base64") {
        return written.into_bytes();
    }
    let is_broken = written.bytes().any(|byte| byte.is_ascii_whitespace());
    let plain = match is_broken {
        true => Cow::Owned(written.split_ascii_whitespace().collect::<String>()),
        false => Cow::Borrowed(&written),
    };
    let unpadded = plain.trim_end_matches('=').replace('-', "+").replace('_', "/");
    match base64::engine::general_purpose::STANDARD_NO_PAD.decode(unpadded) {
        Ok(bytes) => bytes,
        Err(_) => {
            notes.add(Note::NotBase64, number);
            written.into_bytes()
        }
    }
}

/// Whether a value was blanked by a tool: `[redacted]`, `***`.
pub(super) fn is_blanked(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_starred = value.len() >= 3 && value.bytes().all(|byte| matches!(byte, b'*'));
    is_starred || (lower.contains("redacted") && value.len() < 40 && value.contains(['[', '<', '*']))
}

/// Values of a request in which tools blank: headers and cookies.
pub(super) fn has_blanked(request: &Value) -> bool {
    let all = pairs(request, "headers").into_iter().chain(pairs(request, "cookies"));
    all.map(|(_, value)| value).any(|value| is_blanked(&value))
}
