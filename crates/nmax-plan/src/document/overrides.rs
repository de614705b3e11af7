//! `--set path.to.key=value`: changes of the tree before it is understood.

use super::tree::{self, Entry, Node, NodePosition, Problem, Value};

/// Keys whose values are lists wherever they stand.
const LISTS: [&str; 12] =
    ["steps", "then", "else", "choose", "all", "any", "tags", "stages", "steered", "timeline", "observe", "thresholds"];

/// Puts `value` (YAML) at `path`; list items are numbered from 0, missing maps are made and missing lists begun, `null`
/// removes a key.
pub(crate) fn apply(root: &mut Node, path: &str, value: &str, flag: u32, problems: &mut Vec<Problem>) {
    let Some(new) = tree::parse(value, Some(flag), problems) else {
        return;
    };
    let at = NodePosition { flag: Some(flag), line: 1, column: 1 };
    let mut node = root;
    let segments: Vec<&str> = path.split('.').collect();
    if segments.iter().any(|segment| segment.is_empty()) {
        return wrong(
            at,
            format!("`{path}` is not a path"),
            "write keys with dots between them, such as `workload.open.rate=50/s`",
            problems,
        );
    }
    for (index, segment) in segments.iter().enumerate() {
        let last = index + 1 == segments.len();
        let so_far = segments[..index].join(".");
        if matches!(node.value, Value::Null) {
            let value = match segment.parse::<usize>() {
                Ok(0) if is_list(&segments[..index]) && new.value != Value::Null => {
                    Value::List(vec![Node { at, value: Value::Null }])
                }
                Ok(_) if is_list(&segments[..index]) => Value::List(Vec::new()),
                _ => Value::Map(Vec::new()),
            };
            *node = Node { at, value };
        }
        match &mut node.value {
            Value::Map(entries) if last && new.value == Value::Null => {
                return entries.retain(|entry| entry.key != *segment);
            }
            Value::Map(entries) => {
                let position = entries.iter().position(|entry| entry.key == *segment).unwrap_or_else(|| {
                    let value = Node { at, value: Value::Null };
                    entries.push(Entry { key: (*segment).to_owned(), key_at: at, value });
                    entries.len() - 1
                });
                node = &mut entries[position].value;
            }
            Value::List(items) => {
                let count = items.len();
                let Some(item) = segment.parse::<usize>().ok().and_then(|i| items.get_mut(i)) else {
                    let message = format!("`{so_far}` has no item `{segment}`");
                    let remedy = match count {
                        0 => "it is empty; item 0 begins it".to_owned(),
                        _ => format!("its {count} items are numbered from 0"),
                    };
                    return wrong(at, message, &remedy, problems);
                };
                node = item;
            }
            Value::Null | Value::Scalar(_) => {
                let remedy = format!("set `{so_far}` itself");
                return wrong(at, format!("`{so_far}` is a single value, it has no `{segment}`"), &remedy, problems);
            }
        }
    }
    *node = new;
}

/// Whether the key at a path that is not there yet holds a list. The run's own setup and teardown are maps.
fn is_list(path: &[&str]) -> bool {
    match path {
        ["scenarios", _, "setup" | "teardown"] => true,
        [.., key] => LISTS.contains(key),
        [] => false,
    }
}

fn wrong(at: NodePosition, message: String, remedy: &str, problems: &mut Vec<Problem>) {
    problems.push(Problem { at, message, remedy: remedy.to_owned() });
}
