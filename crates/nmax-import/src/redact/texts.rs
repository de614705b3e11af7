//! Every text of a recording, each with what it is, so that secrets can be found in all of them and replaced.

use nmax_secrets::{TextKind, boundary};
use nmax_text::percent;

use crate::form;
use crate::parts::essence;
use crate::recording::{Body, Recording};

/// What is done with a text: the one that takes its place, if any.
type Visit<'a> = dyn FnMut(&[u8], TextKind<'_>) -> Option<Vec<u8>> + 'a;

/// Visits every text; where `visit` gives a new one, it takes the old one's place.
pub(super) fn each(recording: &mut Recording, visit: &mut Visit<'_>) {
    for entry in &mut recording.entries {
        string(&mut entry.request.url, TextKind::Url, visit);
        headers(&mut entry.request.headers, visit);
        if let Some(body) = &mut entry.request.body {
            self::body(body, Side::Sent, visit);
        }
        if let Some(response) = &mut entry.response {
            headers(&mut response.headers, visit);
            if let Some(body) = &mut response.body {
                self::body(body, Side::Received, visit);
            }
        }
        for message in &mut entry.messages {
            string(&mut message.data, TextKind::Data, visit);
        }
        if let Some(page) = &mut entry.page {
            string(page, TextKind::Url, visit);
        }
        if let Some(initiator) = &mut entry.initiator {
            string(initiator, TextKind::Url, visit);
        }
        string(&mut entry.comment, TextKind::Text, visit);
    }
    for mark in &mut recording.marks {
        string(&mut mark.name, TextKind::Text, visit);
    }
}

fn string(text: &mut String, kind: TextKind<'_>, visit: &mut Visit<'_>) {
    if let Some(new) = visit(text.as_bytes(), kind)
        && let Ok(new) = String::from_utf8(new)
    {
        *text = new;
    }
}

fn headers(headers: &mut [(String, String)], visit: &mut Visit<'_>) {
    for (name, value) in headers {
        string(value, TextKind::Header(name), visit);
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Sent,
    Received,
}

fn body(body: &mut Body, side: Side, visit: &mut Visit<'_>) {
    // Where the fields are what the bytes say, they stay so.
    let follows = form::fields(&body.mime, &body.bytes).is_some_and(|fields| fields == body.fields);
    let kind = essence(&body.mime);
    let kind = match kind.as_str() {
        "application/x-www-form-urlencoded" => TextKind::Form,
        "multipart/form-data" => boundary(&body.mime).map_or(TextKind::Data, TextKind::Multipart),
        kind if side == Side::Sent || kind.ends_with("json") || kind.ends_with("xml") => TextKind::Data,
        _ => TextKind::Text,
    };
    if let Some(new) = visit(&body.bytes, kind) {
        body.bytes = new;
    }
    // A placeholder within the frame of a form leaves bytes that are none.
    if follows && let Some(fields) = form::fields(&body.mime, &body.bytes) {
        body.fields = fields;
        return;
    }
    for field in &mut body.fields {
        // A field as a pair of a form, so that its name counts.
        let lead = format!("{}=", percent::encode(&field.name));
        let pair = format!("{lead}{}", field.value);
        let new = visit(pair.as_bytes(), TextKind::Form).and_then(|new| String::from_utf8(new).ok());
        if let Some(value) = new.as_deref().and_then(|new| new.strip_prefix(&lead)) {
            field.value = value.to_owned();
        }
    }
}
