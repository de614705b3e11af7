//! Recording to HAR.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use nmax_text::percent;
use serde_json::{Map, Value, json};

use super::{guess, stamp};
use crate::form;
use crate::parts::split;
use crate::recording::{Body, Entry, Kind, Mark, Message, Recording, Request, Response, Timings, header};

/// Writes a recording as a HAR 1.2 file whose creator is `nmax` of this version. O(size).
pub fn write(recording: &Recording, version: &str) -> String {
    let mut writer = Writer::default();
    let mut text = writer.begin(version);
    for entry in &recording.entries {
        text.push_str(&writer.entry(entry));
    }
    for mark in &recording.marks {
        writer.mark(mark.clone());
    }
    text + &writer.end()
}

/// Writes a HAR 1.2 file piece by piece: `begin`, then `entry` and `mark` as things happen, then `end`. A file without
/// its end is readable by [`super::read`].
///
/// Memory: marks since the last entry, and the first instant and URL of each page.
#[derive(Debug, Default)]
pub struct Writer {
    marks: Vec<Mark>,
    has_entries: bool,
    /// First instant, µs, and URL of each page, by its name.
    pages: BTreeMap<String, (i64, String)>,
}

impl Writer {
    /// What the file begins with; `version` is that of nmax.
    pub fn begin(&mut self, version: &str) -> String {
        let creator = json!({ "name": "nmax", "version": version });
        format!("{{\"log\":{{\"version\":\"1.2\",\"creator\":{creator},\"entries\":[")
    }

    /// An exchange; in any order, such as that in which they end.
    pub fn entry(&mut self, entry: &Entry) -> String {
        if let Some(page) = &entry.page {
            let (at_us, url) = self.pages.entry(page.clone()).or_insert((i64::MAX, String::new()));
            if entry.sent_us < *at_us {
                (*at_us, *url) = (entry.sent_us, entry.request.url.clone());
            }
        }
        let mut value = self::entry(entry);
        if !self.marks.is_empty() {
            value.insert("_marks".to_owned(), marks(&self.marks));
            self.marks.clear();
        }
        let comma = if std::mem::replace(&mut self.has_entries, true) { "," } else { "" };
        format!("{comma}\n{}", Value::Object(value))
    }

    /// A name for what follows. It is written with the next entry or the end.
    pub fn mark(&mut self, mark: Mark) {
        self.marks.push(mark);
    }

    /// What the file ends with.
    pub fn end(&mut self) -> String {
        let mut pages: Vec<_> = self.pages.iter().collect();
        pages.sort_by_key(|(_, (at_us, _))| *at_us);
        let page = |(id, (at_us, url)): &(&String, &(i64, String))| json!({ "startedDateTime": stamp::write(*at_us), "id": id, "title": url, "pageTimings": {} });
        let pages: Vec<Value> = pages.iter().map(page).collect();
        let marks = match &self.marks[..] {
            [] => String::new(),
            left => format!(",\"_marks\":{}", marks(left)),
        };
        format!("\n],\"pages\":{}{marks}}}}}\n", Value::Array(pages))
    }
}

fn marks(marks: &[Mark]) -> Value {
    let mark = |mark: &Mark| json!({ "startedDateTime": stamp::write(mark.at_us), "name": mark.name });
    marks.iter().map(mark).collect()
}

fn entry(entry: &Entry) -> Map<String, Value> {
    let mut map = Map::new();
    let mut put = |key: &str, value: Value| map.insert(key.to_owned(), value);
    if let Some(page) = &entry.page {
        put("pageref", json!(page));
    }
    put("startedDateTime", json!(stamp::write(entry.sent_us)));
    put("time", ms(entry.timings.total));
    put("request", request(&entry.request));
    put("response", response(entry));
    put("cache", json!({}));
    put("timings", timings(&entry.timings));
    put("_resourceType", json!(guess::name(entry.kind)));
    if let Some(url) = &entry.initiator {
        let by_script = matches!(entry.kind, Kind::Call | Kind::Beacon | Kind::Events | Kind::Socket);
        put("_initiator", json!({ "type": if by_script { "script" } else { "parser" }, "url": url }));
    }
    if entry.is_from_cache {
        put("_fromCache", json!("disk"));
    }
    if !entry.messages.is_empty() {
        let is_stream = entry.kind == Kind::Events;
        let key = if is_stream { "_eventSourceMessages" } else { "_webSocketMessages" };
        put(key, entry.messages.iter().map(message).collect());
    }
    if !entry.comment.is_empty() {
        put("comment", json!(entry.comment));
    }
    map
}

/// Milliseconds, -1 when not known.
fn ms(duration: Option<std::time::Duration>) -> Value {
    match duration {
        Some(duration) => json!(duration.as_nanos() as f64 / 1e6),
        None => json!(-1),
    }
}

fn timings(timings: &Timings) -> Value {
    json!({
        "blocked": ms(timings.blocked), "dns": ms(timings.dns), "connect": ms(timings.connect), "ssl": ms(timings.tls),
        "send": ms(timings.send), "wait": ms(timings.wait), "receive": ms(timings.receive),
    })
}

fn message(message: &Message) -> Value {
    json!({
        "type": if message.is_sent { "send" } else { "receive" },
        "time": message.at_us as f64 / 1e6, "opcode": message.opcode, "data": message.data,
    })
}

/// How a version is written; the standard demands a text.
fn version(version: &str) -> &str {
    if version.is_empty() { "unknown" } else { version }
}

fn named<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> Value {
    let pair = |(name, value): (&str, &str)| json!({ "name": name, "value": value });
    pairs.into_iter().map(pair).collect()
}

fn headers(headers: &[(String, String)]) -> Value {
    named(headers.iter().map(|(name, value)| (name.as_str(), value.as_str())))
}

fn request(request: &Request) -> Value {
    let pairs = split(&request.url).query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty());
    let decoded = |text: &str| percent::decode_form(text).unwrap_or_else(|| text.to_owned());
    let query: Vec<(String, String)> = pairs
        .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect();
    let lines = request.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("cookie"));
    let cookies = lines.flat_map(|(_, value)| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut value = json!({
        "method": request.method, "url": request.url, "httpVersion": version(&request.version),
        "cookies": named(cookies), "headers": headers(&request.headers), "queryString": self::headers(&query),
        "headersSize": -1, "bodySize": request.body.as_ref().map_or(0, |body| body.bytes.len()),
    });
    if let Some(body) = &request.body {
        value["postData"] = post_data(body);
    }
    value
}

fn post_data(body: &Body) -> Value {
    let mut value = json!({ "mimeType": body.mime });
    match std::str::from_utf8(&body.bytes) {
        Ok(text) => value["text"] = json!(text),
        Err(_) => {
            value["text"] = json!(STANDARD.encode(&body.bytes));
            value["_encoding"] = json!("base64");
        }
    }
    if form::is_form(&body.mime) {
        value["params"] = body.fields.iter().map(parameter).collect();
    }
    if let Some(file) = &body.file {
        value["_file"] = json!(file);
    }
    if body.is_cut {
        value["_isCut"] = json!(true);
    }
    value
}

fn parameter(field: &crate::recording::Field) -> Value {
    let mut value = json!({ "name": field.name, "value": field.value });
    if let Some(file) = &field.file_name {
        value["fileName"] = json!(file);
    }
    if let Some(kind) = &field.content_type {
        value["contentType"] = json!(kind);
    }
    value
}

/// The reply; where there was none, status 0 as browsers write it.
fn response(entry: &Entry) -> Value {
    let Some(response) = &entry.response else {
        return json!({
            "status": 0, "statusText": "", "httpVersion": "unknown", "cookies": [], "headers": [],
            "content": { "size": 0, "mimeType": "x-unknown" }, "redirectURL": "", "headersSize": -1, "bodySize": -1,
            "_error": entry.comment,
        });
    };
    let set = response.headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"));
    let cookies: Vec<Value> = set.filter_map(|(_, line)| cookie(line)).collect();
    json!({
        "status": response.status, "statusText": "", "httpVersion": version(&response.version), "cookies": cookies,
        "headers": headers(&response.headers), "content": content(response),
        "redirectURL": header(&response.headers, "location").unwrap_or_default(),
        "headersSize": -1, "bodySize": response.bytes.map_or(json!(-1), |bytes| json!(bytes)),
    })
}

/// A cookie of a `set-cookie` line, as the standard lists it.
fn cookie(line: &str) -> Option<Value> {
    let mut parts = line.split(';').map(str::trim);
    let (name, value) = parts.next()?.split_once('=')?;
    let mut cookie = json!({ "name": name, "value": value });
    for part in parts {
        let (key, value) = part.split_once('=').unwrap_or((part, ""));
        match key.to_ascii_lowercase().as_str() {
            "path" => cookie["path"] = json!(value),
            "domain" => cookie["domain"] = json!(value),
            "samesite" => cookie["sameSite"] = json!(value),
            "httponly" => cookie["httpOnly"] = json!(true),
            "secure" => cookie["secure"] = json!(true),
            _ => {}
        }
    }
    Some(cookie)
}

fn content(response: &Response) -> Value {
    let Some(body) = &response.body else {
        let mime = header(&response.headers, "content-type").unwrap_or("x-unknown");
        return json!({ "size": response.bytes.unwrap_or_default(), "mimeType": mime });
    };
    let mut value = json!({ "size": body.bytes.len(), "mimeType": body.mime });
    match std::str::from_utf8(&body.bytes) {
        Ok(text) => value["text"] = json!(text),
        Err(_) => {
            value["text"] = json!(STANDARD.encode(&body.bytes));
            value["encoding"] = json!("base64");
        }
    }
    if body.is_cut {
        value["_isCut"] = json!(true);
    }
    value
}
