//! What is asked of a reply: `expect`, `extract` and `metric`.

use nmax_metrics::Metric;

use super::cursor::{Decoder, Fields};
use super::keys::{self, MATCH_PICK, METRIC_KIND, keywords};
use super::scenario::{Scene, right_side};
use super::tree::{Node, Value};
use crate::plan::http::is_token;
use crate::plan::{Check, Comparison, Expect, Extract, MatchPick, Measure, ReplyPart, Test, Wanted};
use crate::template::{Names, RESERVED_NAMES, Template};
use crate::units::format_duration;

/// Longest name of a check, in characters; the rest of the expectation is left out.
const CHECK_NAME_CHARS_MAX: usize = 100;

/// There is a value.
const PRESENT: &str = "exists";
/// There is none.
const ABSENT: &str = "absent";

/// Longest unit of a metric, in characters.
const UNIT_CHARS_MAX: usize = 16;

/// What makes a reply ok.
pub(super) fn expect(decoder: &mut Decoder, node: Option<&Node>, names: &Names) -> Expect {
    let mut expect = Expect { status: vec![Expect::STATUS_DEFAULT], checks: Vec::new() };
    let Some(fields) = node.and_then(|node| decoder.fields(node, &keys::EXPECT)) else {
        return expect;
    };
    if let Some(node) = fields.get("status") {
        expect.status = decoder.one_or_many(node).iter().filter_map(|item| status(decoder, item)).collect();
        if matches!(&node.value, Value::List(items) if items.is_empty()) {
            decoder.wrong(node.at, "no status is accepted", "write at least one, such as `200`");
        }
    }
    for (key, test) in [("contains", Test::BodyContains as fn(Template) -> Test), ("lacks", Test::BodyLacks)] {
        let Some(node) = fields.get(key) else { continue };
        for item in decoder.one_or_many(node) {
            let Some(text) = decoder.template(item, names) else {
                continue;
            };
            if text.parts.is_empty() {
                decoder.wrong(item.at, "every body contains the empty text", "write a text");
            }
            expect.checks.push(check(test(text), names));
        }
    }
    let headers = fields.get("header").map(|node| decoder.map(node, "`header`")).unwrap_or_default();
    for entry in headers {
        if !is_token(&entry.key) {
            decoder.wrong(entry.key_at, format!("`{}` is not a header name", entry.key), "use letters, digits and `-`");
        }
        if is_word(&entry.value, ABSENT) {
            expect.checks.push(check(Test::Value(ReplyPart::Header(entry.key.clone()), Wanted::Absent), names));
        } else if let Some(text) = decoder.template(&entry.value, names) {
            expect.checks.push(check(Test::HeaderContains(entry.key.clone(), text), names));
        }
    }
    for entry in fields.get("json").map(|node| decoder.map(node, "`json`")).unwrap_or_default() {
        let source = ReplyPart::JsonPath(entry.key.clone());
        if let Err(why) = (decoder.options.check_source)(&source) {
            let message = format!("`{}` is not valid: {why}", source_text(&source));
            decoder.wrong(entry.key_at, message, "write a JSONPath, such as `$.items[0].price`");
        }
        for item in decoder.one_or_many(&entry.value) {
            let wanted = wanted(decoder, item, names);
            expect.checks.extend(wanted.map(|wanted| check(Test::Value(source.clone(), wanted), names)));
        }
    }
    if let Some(limit) = fields.get("max_time").and_then(|node| decoder.duration_above_zero(node)) {
        expect.checks.push(check(Test::MaxTime(limit), names));
    }
    if let Some(node) = fields.get("finds") {
        for item in decoder.one_or_many(node) {
            let found = decoder.fields(item, &keys::FINDS).and_then(|fields| source(decoder, fields));
            expect.checks.extend(found.map(|source| check(Test::Finds(source), names)));
        }
    }
    expect
}

/// What a value is to be. `null` is the text that JSON has for it.
fn wanted(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<Wanted> {
    if node.value == Value::Null {
        return Some(Wanted::Compared(Comparison::Equal, Template::text("null")));
    }
    for (word, wanted) in [(PRESENT, Wanted::Present), (ABSENT, Wanted::Absent)] {
        if is_word(node, word) {
            return Some(wanted);
        }
    }
    right_side(decoder, node, names).map(|(comparison, text)| Wanted::Compared(comparison, text))
}

fn is_word(node: &Node, word: &str) -> bool {
    matches!(&node.value, Value::Scalar(scalar) if scalar.text == word)
}

/// Named by its expectation.
fn check(test: Test, names: &Names) -> Check {
    let show = |text: &Template| text.display(names.labels());
    let name = match &test {
        Test::BodyContains(text) => format!("contains {}", show(text)),
        Test::BodyLacks(text) => format!("lacks {}", show(text)),
        Test::HeaderContains(header, text) => format!("header {header} contains {}", show(text)),
        Test::Finds(source) => format!("finds {}", source_text(source)),
        Test::Value(source, wanted) => format!("{} {}", source_text(source), wanted_text(wanted, show)),
        Test::MaxTime(limit) => format!("max_time {}", format_duration(*limit)),
    };
    let name = match name.char_indices().nth(CHECK_NAME_CHARS_MAX) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name,
    };
    Check { name, test }
}

/// What a value is to be, as it is written.
pub(super) fn wanted_text(wanted: &Wanted, text: impl Fn(&Template) -> String) -> String {
    match wanted {
        Wanted::Present => PRESENT.to_owned(),
        Wanted::Absent => ABSENT.to_owned(),
        Wanted::Compared(comparison, right) => format!("{} {}", comparison.sign(), text(right)),
    }
}

fn source_text(source: &ReplyPart) -> String {
    let (key, text, patterns) = source.parts();
    patterns.iter().fold(format!("{key} {text}"), |before, pattern| format!("{before} match {pattern}"))
}

fn status(decoder: &mut Decoder, node: &Node) -> Option<(u16, u16)> {
    let text = decoder.expanded(node)?;
    let code = |text: &str| {
        text.trim().parse::<u16>().ok().filter(|code| text.trim().len() == 3 && (100..=599).contains(code))
    };
    let range = match (text.split_once('-'), text.strip_suffix("xx")) {
        (Some((low, high)), _) => code(low).zip(code(high)).filter(|(low, high)| low <= high),
        (None, Some(class)) => class
            .parse::<u16>()
            .ok()
            .filter(|class| (1..=5).contains(class))
            .map(|class| (class * 100, class * 100 + 99)),
        (None, None) => code(&text).map(|code| (code, code)),
    };
    if range.is_none() {
        decoder.wrong(node.at, format!("`{text}` is not a status"), "write `200`, `2xx`, `200-299`, or a list of them");
    }
    range
}

/// Values taken from a reply; their slots are defined from here on.
pub(super) fn extracts(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Vec<Extract> {
    let mut extracts = Vec::new();
    for entry in decoder.map(node, "`extract`") {
        decoder.identifier(entry, "a value", &RESERVED_NAMES);
        let slot = scene.define(&entry.key);
        let Some(fields) = decoder.fields(&entry.value, &keys::EXTRACT) else {
            continue;
        };
        let pick = fields.get("pick").and_then(|node| match_pick(decoder, node)).unwrap_or(MatchPick::First);
        let default = fields.get("default").and_then(|node| decoder.text(node));
        let source = source(decoder, fields);
        extracts.extend(source.map(|source| Extract { slot, source, pick, default }));
    }
    extracts
}

/// Numbers taken from a reply.
pub(super) fn measures(decoder: &mut Decoder, node: &Node) -> Vec<Measure> {
    let mut measures = Vec::new();
    for entry in decoder.map(node, "`metric`") {
        decoder.identifier(entry, "a metric", &[]);
        let Some(fields) = decoder.fields(&entry.value, &keys::METRIC) else {
            continue;
        };
        let pick = fields.get("pick").and_then(|node| match_pick(decoder, node)).unwrap_or(MatchPick::First);
        let kind = fields.get("as").and_then(|node| decoder.choose(node, METRIC_KIND));
        let unit = fields.get("unit").map_or(Some(String::new()), |node| unit(decoder, node));
        let source = source(decoder, fields);
        let Some(((kind, unit), source)) = kind.zip(unit).zip(source) else { continue };
        let metric = Metric { kind, name: entry.key.clone(), unit, tag: None };
        if let Some(known) = decoder.metrics.iter().find(|known| known.name == metric.name && **known != metric) {
            let message = format!("`{}` is `{known}` in another step, and here `{metric}`", metric.name);
            decoder.wrong(entry.key_at, message, "give both the same `as` and `unit`, or other names");
        } else {
            decoder.metrics.push(metric.clone());
        }
        measures.push(Measure { metric, source, pick });
    }
    measures
}

fn unit(decoder: &mut Decoder, node: &Node) -> Option<String> {
    let unit = decoder.text(node)?;
    let is_odd = |c: char| c.is_whitespace() || c.is_control();
    if unit.is_empty() || unit.chars().count() > UNIT_CHARS_MAX || unit.contains(is_odd) || unit.starts_with('#') {
        let message = format!("`{}` cannot be a unit", nmax_text::shown(&unit));
        decoder.wrong(node.at, message, format!("use 1 to {UNIT_CHARS_MAX} characters without spaces, such as `EUR`"));
    }
    Some(unit)
}

fn match_pick(decoder: &mut Decoder, node: &Node) -> Option<MatchPick> {
    let text = decoder.expanded(node)?;
    if text.starts_with(|c: char| c.is_ascii_digit()) {
        return decoder.whole(node, 1, 1_000_000).map(|number| MatchPick::Nth(number as usize));
    }
    if !keywords(MATCH_PICK).contains(&text.as_str()) {
        let remedy = "write `first`, `last`, `random`, or a number from 1";
        return decoder.wrong(node.at, format!("`{text}` picks no match"), remedy).none();
    }
    decoder.choose(node, MATCH_PICK)
}

/// The one source of a map.
fn source(decoder: &mut Decoder, fields: Fields) -> Option<ReplyPart> {
    let given = fields.in_order(&["regex", "css", "json", "header"]);
    let [entry] = given.as_slice() else {
        let (at, message) = match given.get(1) {
            Some(second) => (second.key_at, format!("`{}` and `{}` exclude each other", given[0].key, second.key)),
            None => (fields.at, "nothing says where the value comes from".to_owned()),
        };
        return decoder.wrong(at, message, "write one of `regex`, `css`, `json`, `header`").none();
    };
    let text = decoder.text(&entry.value)?;
    let source = match entry.key.as_str() {
        "regex" => ReplyPart::Regex(text),
        "css" => css(&text),
        "json" => ReplyPart::JsonPath(text),
        _ => ReplyPart::Header(text),
    };
    let checked = match &source {
        ReplyPart::Header(name) if !is_token(name) => Err("a header name has letters, digits and `-`".to_owned()),
        source => (decoder.options.check_source)(source),
    };
    if let Err(why) = checked {
        let message = format!("`{}` is not valid: {why}", source_text(&source));
        decoder.wrong(entry.value.at, message, "correct it; in YAML, single quotes keep backslashes as they are");
    }
    let patterns = fields.get("match").map(|node| decoder.one_or_many(node)).unwrap_or_default();
    patterns.iter().try_fold(source, |of, node| {
        let pattern = decoder.text(node)?;
        if let Err(why) = (decoder.options.check_source)(&ReplyPart::Regex(pattern.clone())) {
            let message = format!("`match {pattern}` is not valid: {why}");
            decoder.wrong(node.at, message, "correct it; in YAML, single quotes keep backslashes as they are");
        }
        Some(ReplyPart::Part { of: Box::new(of), pattern })
    })
}

/// Splits `selector@attribute` at the last `@`, if an attribute's name follows it.
fn css(text: &str) -> ReplyPart {
    let is_name = |name: &str| !name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || "-_:.".contains(c));
    match text.rsplit_once('@') {
        Some((selector, attribute)) if is_name(attribute) => {
            ReplyPart::Css { selector: selector.to_owned(), attribute: Some(attribute.to_owned()) }
        }
        _ => ReplyPart::Css { selector: text.to_owned(), attribute: None },
    }
}
