//! A small document beside the plan, such as the user's configuration: a map with one known key, a list of texts.
//!
//! Same YAML, same limits and the same kind of errors as a plan.

use nmax_text::nearest;

use super::error::{DocumentError, Location};
use super::tree::{self, Node, NodePosition, Problem, Value};

/// The texts under `key`, each with its place; none when the key is absent or the document empty.
///
/// `file` is the name in places. Every other key is an error; all errors come at once, sorted by place.
pub fn texts(text: &str, file: &str, key: &str) -> Result<Vec<(Location, String)>, Vec<DocumentError>> {
    let mut problems = Vec::new();
    let root = tree::parse(text, None, &mut problems);
    let found = root.map(|root| list(root, key, &mut problems)).unwrap_or_default();
    let location = |at: NodePosition| Location::File { file: file.to_owned(), line: at.line, column: at.column };
    if problems.is_empty() {
        return Ok(found.into_iter().map(|(at, text)| (location(at), text)).collect());
    }
    problems.sort_by_key(|problem| problem.at);
    let bind =
        |problem: Problem| DocumentError { at: location(problem.at), message: problem.message, remedy: problem.remedy };
    Err(problems.into_iter().map(bind).collect())
}

fn list(root: Node, key: &str, problems: &mut Vec<Problem>) -> Vec<(NodePosition, String)> {
    let mut found = Vec::new();
    let entries = match root.value {
        Value::Null => return found,
        Value::Map(entries) => entries,
        _ => {
            problems.push(wrong(&root, &format!("the map with the key `{key}`"), key));
            return found;
        }
    };
    for entry in entries {
        if entry.key != key {
            problems.push(unknown(entry.key_at, &entry.key, key));
            continue;
        }
        match entry.value.value {
            Value::Null => {}
            Value::List(items) => {
                for item in items {
                    match item.value {
                        Value::Scalar(scalar) => found.push((item.at, scalar.text)),
                        _ => problems.push(wrong(&item, "a text", key)),
                    }
                }
            }
            _ => problems.push(wrong(&entry.value, "a list", key)),
        }
    }
    found
}

fn unknown(at: NodePosition, name: &str, key: &str) -> Problem {
    let remedy = match nearest(name, [key]) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the only key is `{key}`"),
    };
    Problem { at, message: format!("there is no key `{}`", nmax_text::shown(name)), remedy }
}

fn wrong(node: &Node, wanted: &str, key: &str) -> Problem {
    Problem {
        at: node.at,
        message: format!("expected {wanted}, found {}", node.describe()),
        remedy: format!("write `{key}: [one, \"two\"]`, with quotes around texts that end with `:`"),
    }
}

#[cfg(test)]
mod tests;
