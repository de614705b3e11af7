//! One source of `observe`: its name, host, interval, and what its kind takes besides.

use std::time::Duration;

use nmax_sources::INJECTOR;
use nmax_sources::kind::{Form, Key, SourceKind, ValueForm};
use nmax_sources::kinds;

use super::super::cursor::{Decoder, Fields};
use super::super::tree::{Entry, Node, NodePosition};
use super::values::{processes, resources, token};
use super::{label, reach};
use crate::plan::{EVERY_DEFAULT, ObservedSource, Value};

/// Shortest and longest time from one reading to the next.
const EVERY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));

/// A source of this kind, whose place is at `what`; its name's place with it.
pub(super) fn source(
    decoder: &mut Decoder,
    item: &Node,
    fields: Fields,
    (kind, what): (&'static SourceKind, &Entry),
) -> Option<(ObservedSource, NodePosition)> {
    refuse_others(decoder, fields, kind);
    let every = fields.get("every").map(|node| every(decoder, node));
    let host = fields.get("host").map(|node| host(decoder, node));
    let name = fields.get("name").map(|node| (decoder.expanded(node), node.at));
    let values = values(decoder, fields, kind);
    let (reach, found) = reach::read(decoder, fields, kind, &what.value)?;
    let values = values?;
    let (name, at) = match name {
        Some((name, at)) => (name?, at),
        None => (found.name, what.value.at),
    };
    let is_agent = matches!(kind.form, Form::Agent);
    if is_agent && name == INJECTOR {
        let message = format!("`{INJECTOR}` is this host, which is watched without an agent");
        decoder.wrong(at, message, "give the agent the name of its host");
    }
    let host = match host {
        Some(host) => host?,
        // An agent's name is that of its host.
        None if is_agent => name.clone(),
        None => found.host,
    };
    if name.is_empty() {
        let remedy = "add `name: ...`, what it is called in the results";
        return decoder.wrong(item.at, "this resource has no name", remedy).none();
    }
    label(decoder, at, &name);
    let every = every.unwrap_or(Some(EVERY_DEFAULT))?;
    Some((ObservedSource { host, name, every, kind, reach, values }, at))
}

/// Complains about keys that say nothing of such a source.
pub(super) fn refuse_others(decoder: &mut Decoder, fields: Fields, kind: &SourceKind) {
    let of_keys = kinds::KEYS.iter().map(|key| (key.name, kinds::keywords(|kind| kind.keys.contains(key))));
    let host = ("host", kinds::keywords(|kind| !matches!(kind.form, Form::Process | Form::Agent)));
    for (key, kinds) in of_keys.chain([host]) {
        if let Some(entry) = fields.entry(key)
            && !kinds.contains(&kind.word)
        {
            let remedy = match (key, kind.form) {
                ("host", Form::Agent) => "remove it; an agent's `name` is that of its host".to_owned(),
                _ => format!("remove it; it belongs to `{}`", kinds.join("`, `")),
            };
            decoder.wrong(entry.key_at, format!("`{key}` says nothing about `{}`", kind.word), remedy);
        }
    }
}

/// What is said of it besides; `None` when some of it is wrong.
fn values(decoder: &mut Decoder, fields: Fields, kind: &'static SourceKind) -> Option<Vec<(&'static Key, Value)>> {
    let mut values: Vec<(&Key, Value)> = Vec::new();
    let mut is_right = true;
    for (key, entry) in kind.keys.iter().filter_map(|key| Some((key, fields.entry(key.name)?))) {
        if let Some((other, word, what, remedy)) = key.not_beside
            && values.iter().any(|(key, value)| key.name == other && *value == Value::Text(word.to_owned()))
        {
            decoder.wrong(entry.key_at, format!("`{}` says nothing about {what}", key.name), remedy);
        }
        match value(decoder, key, &entry.value) {
            Some(Value::List(list)) if list.is_empty() => {}
            Some(Value::Resources(resources)) if resources.is_empty() => {}
            Some(value) => values.push((key, value)),
            None => is_right = false,
        }
    }
    is_right.then_some(values)
}

fn value(decoder: &mut Decoder, key: &Key, node: &Node) -> Option<Value> {
    match key.form {
        ValueForm::Token => token(decoder, node).map(Value::Text),
        ValueForm::Text => decoder.expanded(node).map(Value::Text),
        ValueForm::Label => host(decoder, node).map(Value::Text),
        ValueForm::OneOf(words) => {
            let text = decoder.expanded(node)?;
            let words = words();
            if !words.contains(&text.as_str()) {
                return decoder.not_a_choice(node.at, &text, &words).none();
            }
            Some(Value::Text(text))
        }
        ValueForm::Processes => processes(decoder, node).map(Value::List),
        ValueForm::Resources => Some(Value::Resources(resources(decoder, node))),
    }
}

fn every(decoder: &mut Decoder, node: &Node) -> Option<Duration> {
    let every = decoder.duration(node)?;
    if !(EVERY.0..=EVERY.1).contains(&every) {
        let remedy = "write a time from 100ms to 1m";
        return decoder.wrong(node.at, "nothing is read that often or that seldom", remedy).none();
    }
    Some(every)
}

/// A name, as results have it.
fn host(decoder: &mut Decoder, node: &Node) -> Option<String> {
    let name = decoder.expanded(node)?;
    label(decoder, node.at, &name);
    Some(name)
}
