//! Leaves of a JSON body with their paths (RFC 9535).

use nmax_plan::plan::ReplyPart;

use super::{At, Harvest, Kind};
use crate::json::{Kind as Form, Value};
use crate::values::selector::is_stable;

/// A step of a path.
enum Name {
    Key(String),
    Index(usize),
}

/// Strings and numbers in order; keys that look made up are passed over by a wildcard.
pub(super) fn leaves(document: Value<'_>, harvest: &mut Harvest<'_>) {
    walk(document, &mut Vec::new(), harvest);
}

fn walk(value: Value<'_>, path: &mut Vec<Name>, harvest: &mut Harvest<'_>) {
    if !harvest.budget.step(1) {
        return;
    }
    match value.kind() {
        Form::Object => {
            for (key, value) in value.members() {
                path.push(Name::Key(key.into_owned()));
                walk(value, path, harvest);
                path.pop();
            }
        }
        Form::Array => {
            for (index, value) in value.items().enumerate() {
                path.push(Name::Index(index));
                walk(value, path, harvest);
                path.pop();
            }
        }
        Form::String | Form::Number => leaf(&value.text(), path, harvest),
        Form::Word => {}
    }
}

fn leaf(text: &str, path: &[Name], harvest: &mut Harvest<'_>) {
    let name = path.iter().rev().find_map(|name| match name {
        Name::Key(key) => Some(key.as_str()),
        Name::Index(_) => None,
    });
    harvest.whole_and_parts(
        text,
        &At {
            kind: Kind::Json,
            name: name.unwrap_or_default(),
            is_reference: false,
            base: None,
            sources: &|| paths(path),
        },
    );
}

/// The path with wildcards in place of what may change, unless there are several, and the exact one.
fn paths(path: &[Name]) -> Vec<ReplyPart> {
    let changing = |name: &&Name| match name {
        Name::Key(key) => !is_stable(key),
        Name::Index(_) => true,
    };
    let mut paths = Vec::new();
    if path.iter().filter(changing).count() <= 1 {
        paths.push(written(path, |name| changing(&name)));
    }
    // A key that is made up is never written.
    let by_index = written(path, |name| matches!(name, Name::Key(_)) && changing(&name));
    if !paths.contains(&by_index) {
        paths.push(by_index);
    }
    paths.into_iter().map(ReplyPart::JsonPath).collect()
}

fn written(path: &[Name], is_wild: impl Fn(&Name) -> bool) -> String {
    let mut text = String::from("$");
    for name in path {
        match name {
            name if is_wild(name) => text.push_str("[*]"),
            Name::Index(index) => text.push_str(&format!("[{index}]")),
            Name::Key(key) if is_short(key) => {
                text.push('.');
                text.push_str(key);
            }
            Name::Key(key) => {
                text.push_str("['");
                for c in key.chars() {
                    match c {
                        '\'' | '\\' => {
                            text.push('\\');
                            text.push(c);
                        }
                        c if c < ' ' => text.push_str(&format!("\\u{:04x}", u32::from(c))),
                        c => text.push(c),
                    }
                }
                text.push_str("']");
            }
        }
    }
    text
}

/// RFC 9535, 2.5.1.1: member-name-shorthand, of ASCII only.
fn is_short(key: &str) -> bool {
    let is_first = |c: char| c.is_ascii_alphabetic() || c == '_';
    key.starts_with(is_first) && key.chars().all(|c| is_first(c) || c.is_ascii_digit())
}
