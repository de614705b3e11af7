//! Steps: what each does, and those within others.

use std::sync::Arc;

use super::condition::condition;
use super::think::think;
use super::{STEPS_MAX, Scene};
use crate::document::cursor::{Decoder, Fields};
use crate::document::keys::{self, METHODS, STEP_KINDS};
use crate::document::request;
use crate::document::tree::{Entry, Node, Value};
use crate::plan::{Branch, If, Loop, LoopEnd, PASSES_MAX, Step, Transaction};
use crate::template::{EnvFormat, RESERVED_NAMES, Template};

/// Deepest nesting of steps.
const DEPTH_MAX: usize = 16;
/// Longest name of a transaction, in characters.
const NAME_CHARS_MAX: usize = 200;

/// The steps of a list.
pub(super) fn list(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Vec<Step> {
    let mut steps = Vec::new();
    for item in decoder.list(node, "`steps`") {
        scene.steps += 1;
        if scene.steps > STEPS_MAX {
            if scene.steps == STEPS_MAX + 1 {
                decoder.wrong(item.at, format!("more than {STEPS_MAX} steps"), "split the scenario");
            }
            break;
        }
        steps.extend(step(decoder, item, scene));
    }
    steps
}

fn step(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Option<Step> {
    let fields = decoder.fields(node, &keys::STEP)?;
    let kinds: Vec<&str> =
        METHODS.iter().map(|(method, _)| *method).chain(STEP_KINDS.iter().map(|(kind, _)| *kind)).collect();
    match fields.in_order(&kinds).as_slice() {
        [] => {
            no_kind(decoder, node, fields);
            None
        }
        [entry] => of_kind(decoder, fields, entry, scene),
        [first, second, ..] => {
            let is_method = |entry: &Entry| METHODS.iter().any(|(method, _)| *method == entry.key);
            let message = if is_method(first) && is_method(second) {
                format!("a step has one method, `{}` is the second", second.key)
            } else {
                format!("a step does one thing, but both `{}` and `{}`", first.key, second.key)
            };
            decoder.wrong(second.key_at, message, "begin a new step with `- `").none()
        }
    }
}

fn no_kind(decoder: &mut Decoder, node: &Node, fields: Fields) {
    // A misspelled or later key was reported already, and is likely the kind.
    let Value::Map(entries) = &node.value else { return };
    let is_known = |entry: &Entry| {
        let mut known = keys::STEP.keys.iter();
        known.any(|key| key.name == entry.key && entry.value.value != Value::Null)
    };
    if entries.iter().all(is_known) {
        decoder.wrong(fields.at, "nothing says what the step does", "write `get: /path`, `post: /path`, `think: 2s`, or one of: set, transaction, if, repeat, while, choose, end, fail");
    }
}

fn of_kind(decoder: &mut Decoder, fields: Fields, entry: &Entry, scene: &mut Scene) -> Option<Step> {
    let kind = entry.key.as_str();
    refuse_strangers(decoder, fields, kind);
    let value = &entry.value;
    if let Some((_, method)) = METHODS.iter().find(|(name, _)| *name == kind) {
        let request = request::decode(decoder, fields, (value, *method), scene)?;
        return Some(Step::Call(Arc::new(request)));
    }
    match kind {
        "think" => think(decoder, value).map(Step::Think),
        "set" => set(decoder, value, scene).map(Step::Set),
        "transaction" => transaction(decoder, fields, entry, scene).map(Step::Transaction),
        "if" => {
            let condition = condition(decoder, value, &scene.names(EnvFormat::Verbatim));
            let then = within(decoder, fields, (entry, "then"), scene);
            let otherwise = fields.get("else").map(|node| nested(decoder, node, scene));
            Some(Step::If(If { condition: condition?, then: then?, otherwise: otherwise.unwrap_or_default() }))
        }
        "repeat" | "while" => passes(decoder, fields, entry, scene).map(Step::Loop),
        "choose" => choose(decoder, value, scene).map(Step::Choose),
        "fail" => {
            let reason = decoder.template(value, &scene.names(EnvFormat::Verbatim))?;
            Some(Step::End(Some(reason)))
        }
        _ => end(decoder, value),
    }
}

/// Complains about keys of other kinds of steps.
fn refuse_strangers(decoder: &mut Decoder, fields: Fields, kind: &str) {
    let own = STEP_KINDS.iter().find(|(name, _)| *name == kind).map(|(_, own)| *own);
    let belongs = |key: &str| match own {
        Some(own) => key == kind || own.contains(&key),
        // A request has all keys but those of the other kinds.
        None => !STEP_KINDS.iter().any(|(_, theirs)| theirs.contains(&key)),
    };
    let strangers: Vec<&str> = keys::STEP.keys.iter().map(|key| key.name).filter(|key| !belongs(key)).collect();
    for stranger in fields.in_order(&strangers) {
        let message = format!("`{}` does not belong to a step with `{kind}`", stranger.key);
        decoder.wrong(stranger.key_at, message, "remove it, or begin a new step with `- `");
    }
}

/// The steps under a key that a step with this entry needs.
fn within(decoder: &mut Decoder, fields: Fields, (entry, key): (&Entry, &str), scene: &mut Scene) -> Option<Vec<Step>> {
    let Some(node) = fields.get(key) else {
        if !fields.is_misspelled(key) {
            let message = format!("`{}` has no `{key}`", entry.key);
            decoder.wrong(entry.key_at, message, format!("add `{key}: [{{ get: / }}]`"));
        }
        return None;
    };
    if matches!(&node.value, Value::List(items) if items.is_empty()) {
        decoder.wrong(node.at, format!("`{key}` of `{}` has no step", entry.key), "add a step such as `- get: /`");
    }
    Some(nested(decoder, node, scene))
}

/// The steps of a list within a step.
fn nested(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Vec<Step> {
    if scene.depth >= DEPTH_MAX {
        let message = format!("steps are nested deeper than {DEPTH_MAX} levels");
        decoder.wrong(node.at, message, "flatten them, or split the scenario");
        return Vec::new();
    }
    scene.depth += 1;
    let steps = list(decoder, node, scene);
    scene.depth -= 1;
    steps
}

/// Values, one after the other: a later one may read an earlier one.
fn set(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Option<Vec<(usize, Template)>> {
    let entries = decoder.map(node, "`set`");
    if entries.is_empty() && matches!(node.value, Value::Map(_)) {
        decoder.wrong(node.at, "`set` sets nothing", "write `set: { NAME: VALUE }`");
    }
    let mut values = Vec::new();
    for entry in entries {
        decoder.identifier(entry, "a value", &RESERVED_NAMES);
        let value = match entry.value.value {
            Value::Null => Some(Template::default()),
            _ => decoder.template(&entry.value, &scene.names(EnvFormat::Verbatim)),
        };
        let slot = scene.define(&entry.key);
        values.extend(value.map(|value| (slot, value)));
    }
    (values.len() == entries.len()).then_some(values)
}

fn transaction(decoder: &mut Decoder, fields: Fields, entry: &Entry, scene: &mut Scene) -> Option<Transaction> {
    let name = decoder.expanded(&entry.value);
    let at = entry.value.at;
    if let Some(name) = &name {
        if scene.open.contains(name) {
            decoder.wrong(at, format!("transaction `{name}` is within itself"), "give one of them another name");
        }
        if name.contains("${") {
            decoder.wrong(at, "the name of a transaction has no holes", "write the same name for all iterations");
        } else if name.trim() != name || name.is_empty() || name.contains(char::is_control) {
            let message = format!("`{}` cannot be the name of a transaction", nmax_text::shown(name));
            decoder.wrong(at, message, "write a text in one line, without spaces around it");
        } else if name.chars().count() > NAME_CHARS_MAX {
            let message = format!("the name of a transaction has more than {NAME_CHARS_MAX} characters");
            decoder.wrong(at, message, "write a shorter one");
        }
        scene.transactions.push((name.clone(), at));
    }
    scene.open.extend(name.clone());
    let steps = within(decoder, fields, (entry, "steps"), scene);
    scene.open.truncate(scene.open.len() - usize::from(name.is_some()));
    Some(Transaction { name: name?, steps: steps? })
}

/// `repeat` and `while`.
fn passes(decoder: &mut Decoder, fields: Fields, entry: &Entry, scene: &mut Scene) -> Option<Loop> {
    let names = scene.names(EnvFormat::Verbatim);
    let until = if entry.key == "repeat" {
        times(decoder, &entry.value, scene).map(LoopEnd::Times)
    } else {
        let max = fields.get("max").map(|node| decoder.whole(node, 1, u64::from(PASSES_MAX)));
        let condition = condition(decoder, &entry.value, &names);
        let max = max.unwrap_or(Some(u64::from(PASSES_MAX)));
        condition.zip(max).map(|(condition, max)| LoopEnd::While { condition, max: max as u32 })
    };
    let counter = fields.entry("as").and_then(|counter| {
        let name = decoder.text(&counter.value)?;
        decoder.name(&name, counter.value.at, "a value", &RESERVED_NAMES);
        Some(scene.define(&name))
    });
    let steps = within(decoder, fields, (entry, "steps"), scene);
    Some(Loop { until: until?, counter, steps: steps? })
}

fn times(decoder: &mut Decoder, node: &Node, scene: &Scene) -> Option<Template> {
    let times = decoder.template(node, &scene.names(EnvFormat::Verbatim))?;
    if let Some(text) = times.as_constant() {
        let is_count = |text: &str| text.parse().is_ok_and(|times: u32| times <= PASSES_MAX);
        if !is_count(text.trim()) {
            decoder.wrong(
                node.at,
                format!("`{text}` is not a whole number from 0 to {PASSES_MAX}"),
                "write `repeat: 3`, or a value such as `repeat: ${count}`",
            );
        }
    }
    Some(times)
}

fn choose(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Option<Vec<Branch>> {
    let items = decoder.list(node, "`choose`");
    if items.is_empty() && matches!(node.value, Value::List(_)) {
        decoder.wrong(
            node.at,
            "`choose` has no branch",
            "write branches such as `- { weight: 70, steps: [{ get: / }] }`",
        );
    }
    let before = decoder.problems.len();
    let mut branches = Vec::new();
    for item in items {
        let Some(fields) = decoder.fields(item, &keys::BRANCH) else {
            continue;
        };
        let weight = fields.get("weight").map_or(Some(1.0), |node| decoder.number(node));
        let steps = fields.get("steps").map(|node| nested(decoder, node, scene));
        branches.extend(weight.zip(steps).map(|(weight, steps)| Branch { weight, steps }));
    }
    let is_whole = decoder.problems.len() == before && !branches.is_empty();
    if is_whole && branches.iter().all(|branch| branch.weight == 0.0) {
        decoder.wrong(node.at, "all branches have weight 0, so none is ever taken", "give one a weight above 0");
    }
    is_whole.then_some(branches)
}

fn end(decoder: &mut Decoder, node: &Node) -> Option<Step> {
    let text = decoder.expanded(node)?;
    if text != "ok" {
        let message = format!("an iteration ends `ok`, not `{}`", nmax_text::shown(&text));
        decoder.wrong(node.at, message, "write `end: ok`; or `fail: REASON` for an iteration that failed");
    }
    Some(Step::End(None))
}
