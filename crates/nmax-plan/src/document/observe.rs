//! `observe`: what is watched beside the load; and which process is meant.

use nmax_sources::kind::Form;
use nmax_sources::kinds;

use super::cursor::{Decoder, Fields};
use super::error::Kind;
use super::keys;
use super::tree::{Node, Place, Value};
use crate::plan::{Observed, ProcessRef, Reach};

mod flags;
mod reach;
mod source;
mod values;

pub use flags::observe_also;

/// Most things that a run watches.
const OBSERVED_MAX: usize = 32;

/// Every item, in order.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Vec<Observed> {
    let items = decoder.list(node, "`observe`");
    if items.len() > OBSERVED_MAX {
        let message = format!("more than {OBSERVED_MAX} things to observe");
        decoder.problem(node.at, Kind::Limit, message, "leave some out");
        return Vec::new();
    }
    let mut found = Vec::new();
    items.iter().for_each(|item| add(decoder, item, &mut found));
    found
}

/// Adds an item to those that are observed.
fn add(decoder: &mut Decoder, item: &Node, found: &mut Vec<Observed>) {
    if let Some((next, at)) = observed(decoder, item) {
        refuse_twice(decoder, found, &next, at);
        found.push(next);
    }
}

/// One item, and the place of its name.
fn observed(decoder: &mut Decoder, item: &Node) -> Option<(Observed, Place)> {
    let fields = decoder.fields(item, &keys::OBSERVED)?;
    let words = kinds::words(|_| true);
    match fields.in_order(&words).as_slice() {
        [what] => {
            let kind = kinds::named(&what.key)?;
            if matches!(kind.form, Form::Process) {
                return watched_process(decoder, item, fields, &what.value);
            }
            let (source, at) = source::source(decoder, item, fields, (kind, what))?;
            Some((Observed::Source(source), at))
        }
        [_, second, ..] => {
            let message = format!("an item of `observe` is one thing, `{}` is the second", second.key);
            let remedy = "write an item of its own for it";
            decoder.problem(second.key_at, Kind::Conflict, message, remedy);
            None
        }
        [] => {
            if !words.into_iter().any(|key| fields.is_misspelled(key)) {
                let remedy =
                    "add `process: nginx`, `agent: http://db1:9797`, `postgres: ...`; see docs/reference/plan.md";
                decoder.problem(item.at, Kind::Missing, "it is not said what is observed", remedy);
            }
            None
        }
    }
}

fn watched_process(decoder: &mut Decoder, item: &Node, fields: Fields, node: &Node) -> Option<(Observed, Place)> {
    source::refuse_others(decoder, fields, &kinds::PROCESS);
    if let Some(entry) = fields.entry("every") {
        let remedy = "remove it; processes are read once a second";
        decoder.problem(entry.key_at, Kind::Conflict, "`every` says nothing about `process`", remedy);
    }
    let named = fields.get("name").map(|node| (decoder.expanded(node), node.at));
    let process = process(decoder, node)?;
    let (name, at) = match named {
        Some((name, at)) => (name?, at),
        None => (shown(&process), item.at),
    };
    label(decoder, at, &name);
    Some((Observed::Process { name, process }, at))
}

/// Complains about two things of one kind that would have the same name in the results, or one address.
fn refuse_twice(decoder: &mut Decoder, before: &[Observed], next: &Observed, at: Place) {
    let key = |observed: &Observed| (observed.word(), observed.host().to_owned(), observed.name().to_owned());
    if before.iter().any(|other| key(other) == key(next)) {
        let message = format!("`{}` is observed twice", next.name());
        decoder.problem(at, Kind::Conflict, message, "give one of them another `name`");
    }
    let listens = |observed: &Observed| match observed {
        Observed::Source(source) => match &source.reach {
            Reach::Calls(address) => Some(address.clone()),
            Reach::At(_) => None,
        },
        Observed::Process { .. } => None,
    };
    let Some(address) = listens(next) else { return };
    if before.iter().filter_map(listens).any(|other| other == address) {
        let message = format!("two agents are to call at {address}");
        decoder.problem(at, Kind::Conflict, message, "give each a port of its own");
    }
}

/// A process: its name, `{ pid: 123 }` or `{ pid_file: PATH }`.
pub(super) fn process(decoder: &mut Decoder, node: &Node) -> Option<ProcessRef> {
    if !matches!(node.value, Value::Map(_)) {
        let name = decoder.expanded(node)?;
        return match name.parse::<u64>() {
            Ok(number) => {
                let remedy = format!("write `{{ pid: {number} }}` for a number, or the name of the program");
                decoder.problem(node.at, Kind::Value, format!("`{name}` is not the name of a process"), remedy);
                None
            }
            Err(_) if is_process_name(&name) => Some(ProcessRef::Name(name)),
            Err(_) => {
                let message = format!("`{}` is not the name of a process", nmax_text::shown(&name));
                let remedy = "write the name of the program without its folder, such as `nginx`";
                decoder.problem(node.at, Kind::Value, message, remedy);
                None
            }
        };
    }
    let fields = decoder.fields(node, &keys::PROCESS)?;
    match (fields.get("pid"), fields.entry("pid_file")) {
        (Some(pid), None) => decoder.whole(pid, 1, u64::from(u32::MAX)).map(|pid| ProcessRef::Pid(pid as u32)),
        (None, Some(file)) => decoder.expanded(&file.value).map(ProcessRef::PidFile),
        (Some(_), Some(file)) => {
            let message = "a process has `pid` or `pid_file`, not both";
            decoder.problem(file.key_at, Kind::Conflict, message, "keep one of them");
            None
        }
        (None, None) => {
            if matches!(&node.value, Value::Map(entries) if entries.is_empty()) {
                let remedy = "write its name, `{ pid: 123 }` or `{ pid_file: /run/nginx.pid }`";
                decoder.problem(node.at, Kind::Missing, "it is not said which process", remedy);
            }
            None
        }
    }
}

fn is_process_name(name: &str) -> bool {
    !name.trim().is_empty() && name.len() <= 64 && !name.contains(|c: char| c == '/' || c.is_control())
}

/// How a process is called where it has no name of its own.
pub(super) fn shown(process: &ProcessRef) -> String {
    match process {
        ProcessRef::Pid(pid) => format!("pid {pid}"),
        ProcessRef::PidFile(file) => {
            let last = file.rsplit('/').next().unwrap_or(file);
            let stem = last.strip_suffix(".pid").unwrap_or(last);
            if stem.is_empty() { file.clone() } else { stem.to_owned() }
        }
        ProcessRef::Name(name) => name.clone(),
    }
}

/// Checks a name that appears in results.
pub(super) fn label(decoder: &mut Decoder, at: Place, name: &str) {
    if name.trim().is_empty() || name.chars().count() > 64 || name.contains(char::is_control) {
        let message = format!("`{}` cannot be a name in the results", nmax_text::shown(name));
        decoder.problem(at, Kind::Value, message, "write a `name` of 1 to 64 characters");
    }
}
