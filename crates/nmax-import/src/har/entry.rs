//! One entry of a file as an exchange.

use std::time::Duration;

use nmax_text::percent;
use serde_json::Value;

use super::json::{list, number, pairs, some_text, text};
use super::notes::{Note, Notes};
use super::{body, guess, stamp};
use crate::parts::{split, without_fragment};
use crate::recording::{Entry, Kind, Message, Request, Response, Timings, header};

/// Characters of a URL that a reason repeats.
const URL_SHOWN: usize = 200;

/// An entry that is no exchange with a server, or cannot be used.
pub(super) struct Unusable {
    pub(super) url: String,
    pub(super) reason: String,
}

/// Reads an entry; its instant is `None` when the file does not say it.
pub(super) fn read(value: &Value, number: usize, notes: &mut Notes) -> Result<(Entry, Option<i64>), Unusable> {
    let request = value.get("request").filter(|request| request.is_object());
    let request = self::request(request.ok_or_else(|| unusable("", "it has no request".into()))?, number, notes)?;
    let reply = value.get("response").unwrap_or(&Value::Null);
    let started = ["startedDateTime", "startDateTime", "started"].map(|key| value.get(key).and_then(stamp::read));
    let started = started.into_iter().flatten().next();
    match started {
        None => notes.add(Note::NoStart, number),
        Some(stamp) if !stamp.has_zone => notes.add(Note::NoZone, number),
        Some(_) => {}
    }
    let mut entry = Entry {
        number,
        sent_us: started.map_or(0, |stamp| stamp.at_us),
        timings: timings(value),
        response: response(reply, &request, number, notes),
        request,
        page: some_text(value, "pageref").map(str::to_owned),
        kind: Kind::Other,
        is_to_follow: false,
        initiator: value.get("_initiator").and_then(initiator),
        is_from_cache: is_from_cache(value),
        messages: messages(value),
        comment: String::new(),
    };
    entry.comment = comment(value, reply, &entry);
    entry.kind = some_text(value, "_resourceType").and_then(guess::named).unwrap_or_else(|| guess::kind(&entry));
    if entry.timings.total.is_none() && entry.response.is_some() {
        notes.add(Note::NoTime, number);
    }
    let status = entry.response.as_ref().map(|response| response.status);
    if entry.is_from_cache || status == Some(304) {
        notes.add(Note::Cached, number);
    }
    Ok((entry, started.map(|stamp| stamp.at_us)))
}

fn unusable(url: &str, reason: String) -> Unusable {
    let mut shown: String = url.chars().take(URL_SHOWN).collect();
    if shown.len() < url.len() {
        shown.push_str("..");
    }
    Unusable { url: shown, reason }
}

fn request(value: &Value, number: usize, notes: &mut Notes) -> Result<Request, Unusable> {
    let headers = headers(value, Side::Request);
    let pseudo = |name: &str| pairs(value, "headers").into_iter().find(|(own, _)| own == name).map(|(_, value)| value);
    let written = text(value, "url").trim();
    let method = match some_text(value, "method").map(str::to_ascii_uppercase).or_else(|| pseudo(":method")) {
        Some(method) => method,
        None if value.get("postData").is_some_and(Value::is_object) => "POST".to_owned(),
        None => "GET".to_owned(),
    };
    if method == "CONNECT" {
        let reason = "a tunnel through a proxy: what went through it is listed by itself, or was not decrypted";
        return Err(unusable(written, reason.into()));
    }
    let mut url = without_fragment(written).trim_end().to_owned();
    if url.starts_with('/') || url.is_empty() {
        let host = header(&headers, "host").map(str::to_owned).or_else(|| pseudo(":authority"));
        let path = if url.is_empty() { pseudo(":path").unwrap_or_default() } else { url.clone() };
        if let Some(host) = host.filter(|_| path.starts_with('/')) {
            url = format!("{}://{host}{path}", pseudo(":scheme").unwrap_or_else(|| "http".to_owned()));
        }
    }
    // Schemes are the same in any case (RFC 3986, 3.1); plans know small letters.
    if let Some(end) = url.find("://").filter(|end| url[..*end].bytes().all(|byte| byte.is_ascii_alphabetic())) {
        url[..end].make_ascii_lowercase();
    }
    check_url(&url)?;
    if !url.contains('?') {
        let query: Vec<String> = pairs(value, "queryString")
            .iter()
            .map(|(name, value)| format!("{}={}", encoded(name), encoded(value)))
            .collect();
        if !query.is_empty() {
            url = format!("{url}?{}", query.join("&"));
        }
    }
    Ok(Request {
        method,
        url,
        version: version(text(value, "httpVersion")),
        body: body::sent(value, &headers, number, notes),
        headers,
    })
}

/// A name or value of the list of parameters, which some tools write as it stands in the URL.
fn encoded(text: &str) -> String {
    let is_encoded = text.contains('%') && percent::decode_exact(text).is_some() && !text.contains(' ');
    if is_encoded { text.to_owned() } else { percent::encode(text) }
}

fn check_url(url: &str) -> Result<(), Unusable> {
    let scheme = url.split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
    match scheme.as_deref() {
        Some("http" | "https" | "ws" | "wss") => {}
        Some("data" | "blob" | "about" | "javascript" | "file" | "filesystem") => {
            return Err(unusable(url, "not fetched from a server".into()));
        }
        Some(scheme) if scheme.ends_with("-extension") || scheme.starts_with("chrome") || scheme == "devtools" => {
            return Err(unusable(url, "the browser's own, or an extension's".into()));
        }
        Some(scheme) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte)) => {
            return Err(unusable(url, format!("its scheme `{scheme}` is not HTTP")));
        }
        _ => return Err(unusable(url, "it has no URL that can be asked for".into())),
    }
    if split(url).host.is_empty() {
        return Err(unusable(url, "its URL has no host".into()));
    }
    Ok(())
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Request,
    Response,
}

/// Headers in order: pseudo headers left out, joined ones apart, cookies from the list when they are nowhere else.
fn headers(value: &Value, side: Side) -> Vec<(String, String)> {
    let mut headers = Vec::new();
    for (name, value) in pairs(value, "headers") {
        if name.starts_with(':') {
            continue;
        }
        // Browsers join headers of the same name with line feeds.
        for line in value.split('\n') {
            headers.push((name.clone(), line.trim_matches(['\r', ' ', '\t']).to_owned()));
        }
    }
    let name = if side == Side::Request { "cookie" } else { "set-cookie" };
    let cookies = list(value, "cookies");
    if header(&headers, name).is_some() || cookies.is_empty() {
        return headers;
    }
    match side {
        Side::Request => {
            let pair = |(name, value): &(String, String)| format!("{name}={value}");
            let pairs: Vec<String> = pairs(value, "cookies").iter().map(pair).collect();
            headers.push((name.to_owned(), pairs.join("; ")));
        }
        Side::Response => {
            headers.extend(cookies.iter().filter_map(|cookie| Some((name.to_owned(), set_cookie(cookie)?))))
        }
    }
    headers
}

/// The header that a cookie of the list came in.
fn set_cookie(cookie: &Value) -> Option<String> {
    let mut line = format!("{}={}", some_text(cookie, "name")?, text(cookie, "value"));
    for (key, attribute) in [("path", "Path"), ("domain", "Domain"), ("sameSite", "SameSite")] {
        if let Some(value) = some_text(cookie, key) {
            line.push_str(&format!("; {attribute}={value}"));
        }
    }
    for (key, attribute) in [("httpOnly", "HttpOnly"), ("secure", "Secure")] {
        if cookie.get(key).and_then(Value::as_bool) == Some(true) {
            line.push_str(&format!("; {attribute}"));
        }
    }
    Some(line)
}

fn response(value: &Value, request: &Request, number: usize, notes: &mut Notes) -> Option<Response> {
    let status = self::number(value, "status").unwrap_or_default();
    if !(100.0..1000.0).contains(&status) {
        return None;
    }
    let status = status as u16;
    let mut headers = headers(value, Side::Response);
    let redirect = some_text(value, "redirectURL").filter(|_| (300..400).contains(&status));
    if let (Some(to), None) = (redirect, header(&headers, "location")) {
        headers.push(("location".to_owned(), to.to_owned()));
    }
    let content = value.get("content").unwrap_or(&Value::Null);
    let body = body::received(content, &headers, number, notes);
    let is_missing = body.is_none() && self::number(content, "size").is_some_and(|size| size > 0.0);
    if is_missing && request.method != "HEAD" && status != 304 {
        notes.add(Note::NoBody, number);
    }
    let size = |key: &str| self::number(value, key).filter(|size| *size >= 0.0);
    let head = size("headersSize").unwrap_or_default();
    let bytes = size("bodySize").or_else(|| size("_transferSize").map(|all| (all - head).max(0.0)));
    Some(Response {
        status,
        version: version(text(value, "httpVersion")),
        headers,
        body,
        bytes: bytes.map(|bytes| bytes as u64),
    })
}

/// A version as this crate writes it.
fn version(text: &str) -> String {
    match text.to_ascii_lowercase().as_str() {
        "h2" | "http/2" | "http/2.0" => "h2",
        "h3" | "http/3" | "http/3.0" => "h3",
        "http/1.1" => "HTTP/1.1",
        "http/1.0" => "HTTP/1.0",
        "unknown" => "",
        other if other.starts_with("h3-") => "h3",
        _ => text,
    }
    .to_owned()
}

/// A duration from milliseconds, `None` when it is negative (not applicable) or beyond a hundred days.
fn duration(ms: f64) -> Option<Duration> {
    let ns = (ms * 1e6).round();
    (0.0..9e15).contains(&ns).then(|| Duration::from_nanos(ns as u64))
}

fn timings(value: &Value) -> Timings {
    let phases = value.get("timings").unwrap_or(&Value::Null);
    let phase = |key: &str| number(phases, key).and_then(duration);
    let mut timings = Timings {
        blocked: phase("blocked"),
        dns: phase("dns"),
        connect: phase("connect"),
        tls: phase("ssl"),
        send: phase("send"),
        wait: phase("wait"),
        receive: phase("receive"),
        total: number(value, "time").and_then(duration),
    };
    let sum = sum(&timings);
    if timings.total.is_none_or(|total| total.is_zero()) && sum.is_some_and(|sum| !sum.is_zero()) {
        timings.total = sum;
    }
    timings
}

/// The known phases together. TLS is inside of `connect`.
pub(super) fn sum(timings: &Timings) -> Option<Duration> {
    let phases = [timings.blocked, timings.dns, timings.connect, timings.send, timings.wait, timings.receive];
    phases.into_iter().flatten().reduce(|a, b| a.saturating_add(b))
}

/// URL of what caused a request: a text, an object with a URL, or the first script of a stack.
fn initiator(value: &Value) -> Option<String> {
    let is_url = |url: &&str| url.contains("://");
    if let Some(url) = value.as_str().or_else(|| value.get("url")?.as_str()).filter(is_url) {
        return Some(url.to_owned());
    }
    let mut stack = value.get("stack")?;
    loop {
        let url = |frame: &Value| Some(frame.get("url")?.as_str().filter(is_url)?.to_owned());
        if let Some(url) = list(stack, "callFrames").iter().find_map(url) {
            return Some(url);
        }
        stack = stack.get("parent")?;
    }
}

fn is_from_cache(value: &Value) -> bool {
    let said = match value.get("_fromCache") {
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Bool(is_from_cache)) => *is_from_cache,
        _ => false,
    };
    said || text(value, "_fetchType").ends_with("Cache")
}

fn messages(value: &Value) -> Vec<Message> {
    let all = list(value, "_webSocketMessages").iter().chain(list(value, "_eventSourceMessages"));
    let message = |message: &Value| Message {
        is_sent: matches!(text(message, "type"), "send" | "request" | "outgoing"),
        at_us: message.get("time").and_then(stamp::read).map_or(0, |stamp| stamp.at_us),
        opcode: number(message, "opcode").map_or(1, |opcode| opcode.clamp(0.0, 15.0) as u8),
        data: message.get("data").map(super::json::as_text).unwrap_or_default(),
    };
    all.map(message).collect()
}

/// What the file says about an entry: above all why it has no reply.
fn comment(value: &Value, reply: &Value, entry: &Entry) -> String {
    let own = some_text(value, "comment");
    let why = ["_error", "_failureText", "statusText", "comment"].map(|key| some_text(reply, key));
    let why = || entry.response.is_none().then(|| why.into_iter().flatten().next()).flatten();
    own.or_else(why).unwrap_or_default().to_owned()
}
