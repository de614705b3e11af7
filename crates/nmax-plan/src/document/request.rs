//! A request step: what is sent, what is expected, what is taken from the reply.

use super::cursor::{Decoder, Fields};
use super::error::Kind;
use super::keys::{self, MATCH_PICK, words};
use super::scenario::Scene;
use super::tree::{Node, Place, Scalar, Value};
use crate::plan::{Body, Check, Expect, Extract, MatchPick, Method, Request, Source, Test};
use crate::template::{EnvFormat, Names, Part, RESERVED_NAMES, Template};

/// Accepted when `expect` names no status.
pub(crate) const STATUS_DEFAULT: (u16, u16) = (200, 399);

/// Decodes a request step whose method key has this value.
pub(super) fn decode(decoder: &mut Decoder, fields: Fields, (url, method): (&Node, Method), scene: &mut Scene) -> Option<Request> {
    let names = scene.names(EnvFormat::Verbatim);
    let url_template = decoder.template(url, &names);
    if let Some(template) = &url_template {
        check_url(decoder, url.at, template);
    }
    let name = match fields.get("name") {
        Some(node) => request_name(decoder, node, &names),
        None => url_template.as_ref().map(|url| default_name(method, url, &names)),
    };
    let query = fields.get("query").map(|node| pairs(decoder, node, &names)).unwrap_or_default();
    let headers = fields.get("headers").map(|node| headers(decoder, node, &names)).unwrap_or_default();
    let body = body(decoder, fields, scene);
    let expect = expect(decoder, fields.get("expect"), &names);
    let timeout = fields.get("timeout").and_then(|node| decoder.duration_above_zero(node));
    let extract = fields.get("extract").map(|node| extracts(decoder, node, scene)).unwrap_or_default();
    Some(Request { name: name?, method, url: url_template?, query, headers, body, expect, extract, timeout })
}

fn check_url(decoder: &mut Decoder, at: Place, url: &Template) {
    let Some(Part::Text(text)) = url.parts.first() else {
        if url.parts.is_empty() {
            decoder.problem(at, Kind::Value, "the path is empty", "write a path such as `/`");
        }
        return;
    };
    if !["/", "http://", "https://"].iter().any(|start| text.starts_with(start)) {
        let message = format!("`{}` is neither a path nor a URL", text.escape_debug());
        decoder.problem(at, Kind::Value, message, "begin it with `/`, `http://` or `https://`");
    }
    let has_control = |part: &Part| matches!(part, Part::Text(text) if text.contains(char::is_control));
    if url.parts.iter().any(has_control) {
        decoder.problem(at, Kind::Value, "the path contains a line break or another control character", "write it in one line");
    }
}

fn request_name(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<Template> {
    let name = decoder.template(node, names)?;
    if name.parts.is_empty() {
        decoder.problem(node.at, Kind::Value, "the name is empty", "write a name, or remove the key");
    }
    Some(name)
}

/// Method and text of the path, without its query.
pub(crate) fn default_name(method: Method, url: &Template, names: &Names) -> Template {
    let mut path = Template::default();
    for part in &url.parts {
        match part {
            Part::Text(text) => match text.split_once('?') {
                Some((before, _)) => {
                    path.parts.push(Part::Text(before.to_owned()));
                    break;
                }
                None => path.parts.push(part.clone()),
            },
            hole => path.parts.push(hole.clone()),
        }
    }
    Template::text(format!("{} {}", method.token(), path.display(names.slots, names.feeders)))
}

/// Headers, in order.
pub(super) fn headers(decoder: &mut Decoder, node: &Node, names: &Names) -> Vec<(String, Template)> {
    let mut headers: Vec<(String, Template)> = Vec::new();
    for entry in decoder.map(node, "`headers`") {
        let name = &entry.key;
        if !is_token(name) {
            decoder.problem(entry.key_at, Kind::Value, format!("`{}` is not a header name", name.escape_debug()), "use letters, digits and `-`");
            continue;
        }
        if is_own_header(name) {
            let remedy = "remove it; `defaults: { connection: ... }` says when connections close, the length follows from the body";
            decoder.problem(entry.key_at, Kind::Conflict, format!("header `{name}` is written by nmax itself"), remedy);
        }
        if headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name)) {
            decoder.problem(entry.key_at, Kind::Conflict, format!("header `{name}` is here twice"), "keep one of them");
        }
        let Some(value) = decoder.template(&entry.value, names) else { continue };
        let breaks = |part: &Part| matches!(part, Part::Text(text) if text.contains(['\r', '\n', '\0']));
        if value.parts.iter().any(breaks) {
            decoder.problem(entry.value.at, Kind::Value, format!("header `{name}` contains a line break"), "write it in one line");
        }
        headers.push((name.clone(), value));
    }
    headers
}

/// Whether the program writes this header itself, from the connection policy and the body.
pub(crate) fn is_own_header(name: &str) -> bool {
    ["connection", "keep-alive", "content-length", "transfer-encoding"].iter().any(|own| name.eq_ignore_ascii_case(own))
}

/// A token of RFC 9110, 5.6.2.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Names and values: a map (a list as value repeats its name), or a list of maps.
fn pairs(decoder: &mut Decoder, node: &Node, names: &Names) -> Vec<(Template, Template)> {
    let mut pairs = Vec::new();
    let maps = decoder.one_or_many(node);
    for map in maps {
        for entry in decoder.map(map, "this") {
            let Some(name) = decoder.template_of(&entry.key, entry.key_at, None, names) else { continue };
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

fn body(decoder: &mut Decoder, fields: Fields, scene: &Scene) -> Body {
    let names = scene.names(EnvFormat::Verbatim);
    let given: Vec<_> = ["body", "json", "form"].iter().filter_map(|key| fields.entry(key)).collect();
    if let [first, second, ..] = given.as_slice() {
        let message = format!("a request has one body, but both `{}` and `{}`", first.key, second.key);
        decoder.problem(second.key_at, Kind::Conflict, message, "keep one of them");
    }
    let Some(entry) = given.first() else { return Body::Empty };
    let body = match entry.key.as_str() {
        "body" => decoder.template(&entry.value, &names).map(Body::Text),
        "form" => Some(Body::Form(pairs(decoder, &entry.value, &names))),
        _ => json(decoder, &entry.value, &scene.names(EnvFormat::JsonString)).map(Body::Json),
    };
    body.unwrap_or(Body::Empty)
}

/// A single text is JSON already; a list or map becomes JSON.
fn json(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<Template> {
    if let Value::Scalar(scalar) = &node.value {
        let template = decoder.template(node, names)?;
        let sample: String = template.parts.iter().map(|part| if let Part::Text(text) = part { text.as_str() } else { "0" }).collect();
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&sample) {
            let remedy = if scalar.plain { "write `body:` for a plain text, or quote it twice: '\"text\"'" } else { "correct it, or write the value as YAML" };
            decoder.problem(node.at, Kind::Value, format!("not JSON: {error}"), remedy);
        }
        return Some(template);
    }
    let mut parts = Vec::new();
    json_value(decoder, node, names, &mut parts);
    Some(Template { parts })
}

fn json_value(decoder: &mut Decoder, node: &Node, names: &Names, parts: &mut Vec<Part>) {
    match &node.value {
        Value::Null => push(parts, "null"),
        Value::Scalar(scalar) if scalar.plain && is_json_literal(&scalar.text) => push(parts, &scalar.text),
        Value::Scalar(scalar) => json_string(decoder, scalar, node.at, names, parts),
        Value::List(items) => {
            push(parts, "[");
            for (index, item) in items.iter().enumerate() {
                push(parts, if index > 0 { "," } else { "" });
                json_value(decoder, item, names, parts);
            }
            push(parts, "]");
        }
        Value::Map(entries) => {
            push(parts, "{");
            for (index, entry) in entries.iter().enumerate() {
                push(parts, if index > 0 { "," } else { "" });
                let key = Scalar { text: entry.key.clone(), plain: true, shift: None };
                json_string(decoder, &key, entry.key_at, names, parts);
                push(parts, ":");
                json_value(decoder, &entry.value, names, parts);
            }
            push(parts, "}");
        }
    }
}

/// `true`, `false`, and numbers that JSON writes the same way.
fn is_json_literal(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(serde_json::Value::Bool(_) | serde_json::Value::Number(_)))
}

fn json_string(decoder: &mut Decoder, scalar: &Scalar, at: Place, names: &Names, parts: &mut Vec<Part>) {
    // Everything, the environment included, is escaped here, once.
    let verbatim = Names { env_format: EnvFormat::Verbatim, ..*names };
    let Some(template) = decoder.template_of(&scalar.text, at, scalar.shift, &verbatim) else { return };
    push(parts, "\"");
    for part in template.parts {
        match part {
            Part::Text(text) => {
                let quoted = serde_json::Value::String(text).to_string();
                push(parts, &quoted[1..quoted.len() - 1]);
            }
            hole => parts.push(hole),
        }
    }
    push(parts, "\"");
}

fn push(parts: &mut Vec<Part>, piece: &str) {
    match parts.last_mut() {
        Some(Part::Text(text)) => text.push_str(piece),
        _ if piece.is_empty() => {}
        _ => parts.push(Part::Text(piece.to_owned())),
    }
}

fn expect(decoder: &mut Decoder, node: Option<&Node>, names: &Names) -> Expect {
    let mut expect = Expect { status: vec![STATUS_DEFAULT], checks: Vec::new() };
    let Some(fields) = node.and_then(|node| decoder.fields(node, &keys::EXPECT)) else { return expect };
    if let Some(node) = fields.get("status") {
        expect.status = decoder.one_or_many(node).iter().filter_map(|item| status(decoder, item)).collect();
        if matches!(&node.value, Value::List(items) if items.is_empty()) {
            decoder.problem(node.at, Kind::Value, "no status is accepted", "write at least one, such as `200`");
        }
    }
    for (key, test) in [("contains", Test::BodyContains as fn(Template) -> Test), ("lacks", Test::BodyLacks)] {
        let Some(node) = fields.get(key) else { continue };
        for item in decoder.one_or_many(node) {
            let Some(text) = decoder.template(item, names) else { continue };
            if text.parts.is_empty() {
                decoder.problem(item.at, Kind::Value, "every body contains the empty text", "write a text");
            }
            expect.checks.push(check(test(text), names));
        }
    }
    let headers = fields.get("header").map(|node| decoder.map(node, "`header`")).unwrap_or_default();
    for entry in headers {
        if !is_token(&entry.key) {
            decoder.problem(entry.key_at, Kind::Value, format!("`{}` is not a header name", entry.key), "use letters, digits and `-`");
        }
        if let Some(text) = decoder.template(&entry.value, names) {
            expect.checks.push(check(Test::HeaderContains(entry.key.clone(), text), names));
        }
    }
    if let Some(node) = fields.get("finds") {
        for item in decoder.one_or_many(node) {
            let found = decoder.fields(item, &keys::FINDS).and_then(|fields| source(decoder, fields));
            expect.checks.extend(found.map(|source| check(Test::Finds(source), names)));
        }
    }
    expect
}

/// Named by its expectation.
fn check(test: Test, names: &Names) -> Check {
    let show = |text: &Template| text.display(names.slots, names.feeders);
    let name = match &test {
        Test::BodyContains(text) => format!("contains {}", show(text)),
        Test::BodyLacks(text) => format!("lacks {}", show(text)),
        Test::HeaderContains(header, text) => format!("header {header} contains {}", show(text)),
        Test::Finds(source) => format!("finds {}", source_text(source)),
    };
    Check { name, test }
}

fn source_text(source: &Source) -> String {
    let (key, text) = source_entry(source);
    format!("{key} {text}")
}

/// The key and the text under which a source is written.
pub(crate) fn source_entry(source: &Source) -> (&'static str, String) {
    match source {
        Source::Regex(pattern) => ("regex", pattern.clone()),
        Source::Css { selector, attribute: Some(attribute) } => ("css", format!("{selector}@{attribute}")),
        Source::Css { selector, attribute: None } => ("css", selector.clone()),
        Source::JsonPath(path) => ("json", path.clone()),
        Source::Header(name) => ("header", name.clone()),
    }
}

fn status(decoder: &mut Decoder, node: &Node) -> Option<(u16, u16)> {
    let text = decoder.expanded(node)?;
    let code = |text: &str| text.trim().parse::<u16>().ok().filter(|code| text.trim().len() == 3 && (100..=599).contains(code));
    let range = match (text.split_once('-'), text.strip_suffix("xx")) {
        (Some((low, high)), _) => code(low).zip(code(high)).filter(|(low, high)| low <= high),
        (None, Some(class)) => class.parse::<u16>().ok().filter(|class| (1..=5).contains(class)).map(|class| (class * 100, class * 100 + 99)),
        (None, None) => code(&text).map(|code| (code, code)),
    };
    if range.is_none() {
        decoder.problem(node.at, Kind::Value, format!("`{text}` is not a status"), "write `200`, `2xx`, `200-299`, or a list of them");
    }
    range
}

fn extracts(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Vec<Extract> {
    let mut extracts = Vec::new();
    for entry in decoder.map(node, "`extract`") {
        decoder.identifier(entry, "a value", &RESERVED_NAMES);
        let slot = scene.slots.iter().position(|slot| *slot == entry.key).unwrap_or_else(|| {
            scene.slots.push(entry.key.clone());
            scene.slots.len() - 1
        });
        let Some(fields) = decoder.fields(&entry.value, &keys::EXTRACT) else { continue };
        let pick = fields.get("pick").and_then(|node| match_pick(decoder, node)).unwrap_or(MatchPick::First);
        let default = fields.get("default").and_then(|node| decoder.text(node));
        let source = source(decoder, fields);
        extracts.extend(source.map(|source| Extract { slot, source, pick, default }));
    }
    extracts
}

fn match_pick(decoder: &mut Decoder, node: &Node) -> Option<MatchPick> {
    let text = decoder.expanded(node)?;
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return decoder.whole(node, 1, 1_000_000).map(|number| MatchPick::Nth(number as usize));
    }
    if !words(MATCH_PICK).contains(&text.as_str()) {
        decoder.problem(node.at, Kind::Value, format!("`{text}` picks no match"), "write `first`, `last`, `random`, or a number from 1");
        return None;
    }
    decoder.choose(node, MATCH_PICK)
}

/// The one source of a map.
fn source(decoder: &mut Decoder, fields: Fields) -> Option<Source> {
    let given: Vec<_> = ["regex", "css", "json", "header"].iter().filter_map(|key| fields.entry(key)).collect();
    let [entry] = given.as_slice() else {
        let (at, message) = match given.get(1) {
            Some(second) => (second.key_at, format!("`{}` and `{}` exclude each other", given[0].key, second.key)),
            None => (fields.at, "nothing says where the value comes from".to_owned()),
        };
        decoder.problem(at, Kind::Value, message, "write one of `regex`, `css`, `json`, `header`");
        return None;
    };
    let text = decoder.text(&entry.value)?;
    let source = match entry.key.as_str() {
        "regex" => Source::Regex(text),
        "css" => css(&text),
        "json" => Source::JsonPath(text),
        _ => Source::Header(text),
    };
    let checked = match &source {
        Source::Header(name) if !is_token(name) => Err("a header name has letters, digits and `-`".to_owned()),
        source => (decoder.options.check_source)(source),
    };
    if let Err(why) = checked {
        let message = format!("`{}` is not valid: {why}", source_text(&source));
        decoder.problem(entry.value.at, Kind::Value, message, "correct it; in YAML, single quotes keep backslashes as they are");
    }
    Some(source)
}

/// Splits `selector@attribute` at the last `@`, if an attribute's name follows it.
fn css(text: &str) -> Source {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_:.".contains(c));
    match text.rsplit_once('@') {
        Some((selector, attribute)) if is_name(attribute) => {
            Source::Css { selector: selector.to_owned(), attribute: Some(attribute.to_owned()) }
        }
        _ => Source::Css { selector: text.to_owned(), attribute: None },
    }
}
