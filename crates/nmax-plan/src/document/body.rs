//! What a request sends after its head.

use super::cursor::{Decoder, Fields};
use super::json::json;
use super::keys;
use super::scenario::Scene;
use super::tree::{Entry, Node, Value};
use crate::plan::http::is_token;
use crate::plan::{Body, Defaults, FormPart, PartContent, Version};
use crate::template::{EnvFormat, Names, Template};

/// Keys of which a request has one at most.
const BODIES: [&str; 5] = ["body", "json", "form", "multipart", "file"];

/// The body of a step.
pub(super) fn body(decoder: &mut Decoder, fields: Fields, scene: &Scene) -> Body {
    let names = scene.names(EnvFormat::Verbatim);
    let given = fields.in_order(&BODIES);
    if let [first, second, ..] = given.as_slice() {
        let message = format!("a request has one body, but both `{}` and `{}`", first.key, second.key);
        decoder.wrong(second.key_at, message, "keep one of them");
    }
    let Some(entry) = given.first() else { return Body::Empty };
    let body = match entry.key.as_str() {
        "body" => decoder.template(&entry.value, &names).map(Body::Text),
        "form" => Some(Body::Form(pairs(decoder, &entry.value, &names))),
        "multipart" => {
            refuse_content_type(decoder, entry, fields.get("headers"), scene.defaults);
            Some(Body::Multipart(parts(decoder, &entry.value, &names)))
        }
        "file" => decoder.file(&entry.value).map(Body::File),
        _ => json(decoder, &entry.value, &scene.names(EnvFormat::JsonString)).map(Body::Json),
    };
    body.unwrap_or(Body::Empty)
}

/// The content type of `multipart` names the boundary between the parts, so nobody else can write it.
fn refuse_content_type(decoder: &mut Decoder, multipart: &Entry, headers: Option<&Node>, defaults: &Defaults) {
    let is_type = |name: &str| name.eq_ignore_ascii_case("content-type");
    if let Some(header) = headers.and_then(|node| entry_where(node, is_type)) {
        decoder.wrong(
            header.key_at,
            "the `content-type` of `multipart` is written by nmax itself, with the boundary between the parts",
            "remove it; `type` in a part says what the part is",
        );
    } else if defaults.headers.iter().any(|(name, _)| is_type(name)) {
        decoder.wrong(
            multipart.key_at,
            "`multipart` needs its own `content-type`, but `defaults.headers` has one for all requests",
            "move that header into the steps that need it",
        );
    }
}

/// The entry of a map whose key is like this.
pub(super) fn entry_where(node: &Node, is_wanted: impl Fn(&str) -> bool) -> Option<&Entry> {
    node.entries().iter().find(|entry| is_wanted(&entry.key))
}

/// Parts by name: a map (a list as value repeats its name), or a list of maps.
fn parts(decoder: &mut Decoder, node: &Node, names: &Names) -> Vec<FormPart> {
    let before = decoder.problems.len();
    let mut parts = Vec::new();
    for map in decoder.one_or_many(node) {
        for entry in decoder.map(map, "this") {
            let Some(name) = decoder.template_of(&entry.key, entry.key_at, None, names) else {
                continue;
            };
            for value in decoder.one_or_many(&entry.value) {
                parts.extend(part(decoder, value, &name, names));
            }
        }
    }
    if parts.is_empty() && decoder.problems.len() == before {
        decoder.wrong(
            node.at,
            "`multipart` has no part",
            "write parts such as `title: Tea` or `photo: { file: a.png }`",
        );
    }
    parts
}

fn part(decoder: &mut Decoder, node: &Node, name: &Template, names: &Names) -> Option<FormPart> {
    let plain = |content| FormPart {
        name: name.clone(),
        content: PartContent::Text(content),
        file_name: None,
        content_type: None,
    };
    match node.value {
        Value::Map(_) => {}
        Value::Null => return Some(plain(Template::default())),
        _ => return decoder.template(node, names).map(plain),
    }
    let fields = decoder.fields(node, &keys::PART)?;
    let told = fields.get("name").map(|node| decoder.template(node, names));
    let content_type = fields.get("type").and_then(|node| media_type(decoder, node));
    let (content, file_name) = match (fields.entry("file"), fields.entry("text")) {
        (Some(file), None) => {
            let file = decoder.file(&file.value)?;
            let told = told.unwrap_or_else(|| Some(base_name(&file)))?;
            (PartContent::File(file), Some(told))
        }
        (None, Some(text)) => {
            let text = decoder.template(&text.value, names)?;
            (PartContent::Text(text), told.unwrap_or_default())
        }
        (Some(_), Some(text)) => {
            return decoder.wrong(text.key_at, "a part is a file or a text, not both", "keep one of them").none();
        }
        (None, None) => {
            let remedy = "write `{ file: PATH }`, or the text itself";
            return decoder.wrong(fields.at, "the part has neither `file` nor `text`", remedy).none();
        }
    };
    Some(FormPart { name: name.clone(), content, file_name, content_type })
}

/// A content type: two tokens, with or without parameters.
fn media_type(decoder: &mut Decoder, node: &Node) -> Option<String> {
    let text = decoder.expanded(node)?;
    let essence = text.split(';').next().unwrap_or(&text).trim();
    let is_type = essence.split_once('/').is_some_and(|(kind, subtype)| is_token(kind) && is_token(subtype));
    if is_type && !text.contains(char::is_control) {
        return Some(text);
    }
    let message = format!("`{}` is not a content type", nmax_text::shown(&text));
    decoder.wrong(node.at, message, "write one such as `image/png`").none()
}

/// The name of a file without its folders.
fn base_name(file: &str) -> Template {
    match file.rsplit(['/', '\\']).next() {
        None | Some("") => Template::default(),
        Some(name) => Template::text(name),
    }
}

/// Whether the body waits until the server asks for it.
pub(super) fn expect_continue(decoder: &mut Decoder, fields: Fields, defaults: &Defaults) -> bool {
    let Some(entry) = fields.entry("expect_continue") else {
        return false;
    };
    if decoder.bool(&entry.value) != Some(true) {
        return false;
    }
    let given = fields.in_order(&BODIES);
    let is_empty = |entry: &&Entry| matches!(&entry.value.value, Value::Scalar(scalar) if scalar.text.is_empty());
    if given.iter().all(is_empty) {
        decoder.wrong(
            entry.key_at,
            "`expect_continue` holds a body back, and this request has none",
            "remove it, or add `body`, `json`, `form`, `multipart` or `file`",
        );
    }
    if defaults.version == Version::Http10 {
        decoder.wrong(
            entry.key_at,
            "servers ignore `expect: 100-continue` of HTTP/1.0, which `defaults.version` says",
            "remove it, or write `version: 1.1`",
        );
    }
    let is_expect = |name: &str| name.eq_ignore_ascii_case("expect");
    let own = fields.get("headers").and_then(|node| entry_where(node, is_expect));
    if let Some(at) = own.map(|header| header.key_at).or_else(|| {
        let by_default = defaults.headers.iter().any(|(name, _)| is_expect(name));
        by_default.then_some(entry.key_at)
    }) {
        decoder.wrong(at, "`expect_continue` and a header `expect` exclude each other", "remove the header");
    }
    true
}

/// Names and values: a map (a list as value repeats its name), or a list of maps.
pub(super) fn pairs(decoder: &mut Decoder, node: &Node, names: &Names) -> Vec<(Template, Template)> {
    let mut pairs = Vec::new();
    let maps = decoder.one_or_many(node);
    for map in maps {
        for entry in decoder.map(map, "this") {
            let Some(name) = decoder.template_of(&entry.key, entry.key_at, None, names) else {
                continue;
            };
            for value in decoder.one_or_many(&entry.value) {
                let value = match value.value {
                    Value::Null => Some(Template::default()),
                    _ => decoder.template(value, names),
                };
                pairs.extend(value.map(|value| (name.clone(), value)));
            }
        }
    }
    pairs
}
