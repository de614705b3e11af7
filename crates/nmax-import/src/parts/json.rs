//! Leaves of a JSON text with their bytes, so that one can be replaced and the rest stays as it was written.

use std::collections::HashSet;
use std::ops::Range;

use nmax_extract::Budget;
use nmax_extract::json::{Json, Kind, Value};

/// A string, number or boolean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Leaf {
    /// Where it is, as a JSON pointer (RFC 6901).
    pub(crate) pointer: String,
    /// Its bytes in the text, quotes included.
    pub(crate) span: Range<usize>,
    /// Its value, escapes undone.
    pub(crate) value: String,
    /// A number or a boolean.
    pub(crate) is_bare: bool,
}

/// Leaves in the order of the text, `null` left out; of names that are there twice the first counts. `None` when it
/// is not JSON. O(length).
pub(crate) fn leaves(text: &str) -> Option<Vec<Leaf>> {
    // Numbers that no plan can hold are refused here, and not by the reader that knows places.
    serde_json::from_str::<serde_json::Value>(text).ok()?;
    let json = Json::read(text, &Budget::for_body(text.len())).ok()??;
    let mut leaves = Vec::new();
    collect(json.root(), &mut String::new(), &mut leaves);
    let mut seen = HashSet::new();
    leaves.retain(|leaf: &Leaf| seen.insert(leaf.pointer.clone()));
    Some(leaves)
}

/// Adds the leaves of a value, as deep as its reader allows (128).
fn collect(value: Value<'_>, pointer: &mut String, leaves: &mut Vec<Leaf>) {
    let mut below = |token: &str, value| {
        let length = pointer.len();
        push_token(pointer, token);
        collect(value, pointer, leaves);
        pointer.truncate(length);
    };
    match value.kind() {
        Kind::Array => (0..).zip(value.items()).for_each(|(at, item): (usize, _)| below(&at.to_string(), item)),
        Kind::Object => value.members().for_each(|(name, member)| below(&name, member)),
        Kind::Word if value.raw() == "null" => {}
        kind => leaves.push(Leaf {
            pointer: pointer.clone(),
            span: value.span(),
            value: value.text().into_owned(),
            is_bare: kind != Kind::String,
        }),
    }
}

/// A JSON pointer one step further.
pub(crate) fn push_token(pointer: &mut String, token: &str) {
    pointer.push('/');
    pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
}

/// Whether a JSON text has a name twice in one object.
pub(crate) fn repeats_names(text: &str) -> bool {
    fn repeats(value: Value<'_>) -> bool {
        let mut seen = HashSet::new();
        value.members().any(|(name, member)| repeats(member) || !seen.insert(name)) || value.items().any(repeats)
    }
    let json = Json::read(text, &Budget::for_body(text.len()));
    json.is_ok_and(|json| json.is_some_and(|json| repeats(json.root())))
}
