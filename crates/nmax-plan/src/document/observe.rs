//! `observe`: what is watched beside the load; and which process is meant.

use nmax_sources::kind::Form;
use nmax_sources::kinds;

use super::cursor::{Decoder, Fields};
use super::keys;
use super::tree::{Entry, Node, NodePosition, Value};
use crate::plan::{Observed, ObservedAddress, ProcessRef};

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
        decoder.wrong(node.at, format!("more than {OBSERVED_MAX} things to observe"), "leave some out");
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
fn observed(decoder: &mut Decoder, item: &Node) -> Option<(Observed, NodePosition)> {
    let fields = decoder.fields(item, &keys::OBSERVED)?;
    let both = |_: &Entry, second: &Entry| {
        let message = format!("an item of `observe` is one thing, `{}` is the second", second.key);
        (message, "write an item of its own for it")
    };
    let remedy = "add `process: nginx`, `agent: http://db1:9797`, `postgres: ...`; see docs/reference/plan.md";
    let none = ("this entry of `observe` has no source", remedy);
    let what = decoder.only(fields, &kinds::keywords(|_| true), both, none)?;
    let kind = kinds::named(&what.key)?;
    if matches!(kind.form, Form::Process) {
        return watched_process(decoder, item, fields, &what.value);
    }
    let (source, at) = source::source(decoder, item, fields, (kind, what))?;
    Some((Observed::Source(source), at))
}

fn watched_process(
    decoder: &mut Decoder,
    item: &Node,
    fields: Fields,
    node: &Node,
) -> Option<(Observed, NodePosition)> {
    source::refuse_others(decoder, fields, &kinds::PROCESS);
    if let Some(entry) = fields.entry("every") {
        let remedy = "remove it; processes are read once a second";
        decoder.wrong(entry.key_at, "`every` says nothing about `process`", remedy);
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
fn refuse_twice(decoder: &mut Decoder, before: &[Observed], next: &Observed, at: NodePosition) {
    let key = |observed: &Observed| (observed.word(), observed.host().to_owned(), observed.name().to_owned());
    if before.iter().any(|other| key(other) == key(next)) {
        decoder.wrong(at, format!("`{}` is observed twice", next.name()), "give one of them another `name`");
    }
    let listens = |observed: &Observed| match observed {
        Observed::Source(source) => match &source.reach {
            ObservedAddress::Calls(address) => Some(address.clone()),
            ObservedAddress::At(_) => None,
        },
        Observed::Process { .. } => None,
    };
    let Some(address) = listens(next) else { return };
    if before.iter().filter_map(listens).any(|other| other == address) {
        decoder.wrong(at, format!("two agents are to call at {address}"), "give each a port of its own");
    }
}

/// A process: its name, `{ pid: 123 }` or `{ pid_file: PATH }`.
pub(super) fn process(decoder: &mut Decoder, node: &Node) -> Option<ProcessRef> {
    if !matches!(node.value, Value::Map(_)) {
        let name = decoder.expanded(node)?;
        return match name.parse::<u64>() {
            Ok(number) => {
                let remedy = format!("write `{{ pid: {number} }}` for a number, or the name of the program");
                decoder.wrong(node.at, format!("`{name}` is not the name of a process"), remedy).none()
            }
            Err(_) if is_process_name(&name) => Some(ProcessRef::Name(name)),
            Err(_) => {
                let message = format!("`{}` is not the name of a process", nmax_text::shown(&name));
                decoder.wrong(node.at, message, "write the name of the program without its folder, such as `nginx`");
                None
            }
        };
    }
    let fields = decoder.fields(node, &keys::PROCESS)?;
    match (fields.get("pid"), fields.entry("pid_file")) {
        (Some(pid), None) => decoder.whole(pid, 1, u64::from(u32::MAX)).map(|pid| ProcessRef::Pid(pid as u32)),
        (None, Some(file)) => decoder.expanded(&file.value).map(ProcessRef::PidFile),
        (Some(_), Some(file)) => {
            decoder.wrong(file.key_at, "a process has `pid` or `pid_file`, not both", "keep one of them").none()
        }
        (None, None) => {
            if matches!(&node.value, Value::Map(entries) if entries.is_empty()) {
                let remedy = "write its name, `{ pid: 123 }` or `{ pid_file: /run/nginx.pid }`";
                decoder.wrong(node.at, "the process is missing", remedy);
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
pub(super) fn label(decoder: &mut Decoder, at: NodePosition, name: &str) {
    if name.trim().is_empty() || name.chars().count() > 64 || name.contains(char::is_control) {
        let message = format!("`{}` cannot be a name in the results", nmax_text::shown(name));
        decoder.wrong(at, message, "write a `name` of 1 to 64 characters");
    }
}
