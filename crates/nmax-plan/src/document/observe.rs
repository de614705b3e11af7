//! `observe`: processes that are watched; and which process is meant.

use super::cursor::Decoder;
use super::error::Kind;
use super::keys;
use super::tree::{Node, Value};
use crate::plan::{Observed, ProcessRef};

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
    let mut names: Vec<String> = Vec::new();
    let mut found = Vec::new();
    for item in items {
        let Some(fields) = decoder.fields(item, &keys::OBSERVED) else {
            continue;
        };
        let named = fields.get("name").map(|node| (decoder.expanded(node), node.at));
        let Some(process) = fields.get("process").and_then(|node| process(decoder, node)) else {
            continue;
        };
        let (name, at) = match named {
            Some((Some(name), at)) => (name, at),
            Some((None, _)) => continue,
            None => (shown(&process), item.at),
        };
        label(decoder, at, &name);
        if names.contains(&name) {
            let message = format!("`{name}` is observed twice");
            decoder.problem(at, Kind::Conflict, message, "give one of them another `name`");
        }
        names.push(name.clone());
        found.push(Observed::Process { name, process });
    }
    found
}

/// A process: its name, `{ pid: 123 }` or `{ pid_file: PATH }`.
pub(super) fn process(decoder: &mut Decoder, node: &Node) -> Option<ProcessRef> {
    if !matches!(node.value, Value::Map(_)) {
        let name = decoder.expanded(node)?;
        return match name.parse::<u64>() {
            Ok(number) => {
                let remedy = format!("write `{{ pid: {number} }}` for a number, or the name of the program");
                decoder.problem(
                    node.at,
                    Kind::Value,
                    format!("`{name}` is not the name of a process"),
                    remedy,
                );
                None
            }
            Err(_) if is_process_name(&name) => Some(ProcessRef::Name(name)),
            Err(_) => {
                let message = format!("`{}` is not the name of a process", name.escape_debug());
                let remedy = "write the name of the program without its folder, such as `nginx`";
                decoder.problem(node.at, Kind::Value, message, remedy);
                None
            }
        };
    }
    let fields = decoder.fields(node, &keys::PROCESS)?;
    match (fields.get("pid"), fields.entry("pid_file")) {
        (Some(pid), None) => decoder
            .whole(pid, 1, u64::from(u32::MAX))
            .map(|pid| ProcessRef::Pid(pid as u32)),
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
pub(super) fn label(decoder: &mut Decoder, at: super::tree::Place, name: &str) {
    if name.trim().is_empty() || name.chars().count() > 64 || name.contains(char::is_control) {
        let message = format!("`{}` cannot be a name in the results", name.escape_debug());
        decoder.problem(at, Kind::Value, message, "write a `name` of 1 to 64 characters");
    }
}
