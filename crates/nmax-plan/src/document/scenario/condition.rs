//! Conditions: `${stock} > 0`, and `all`, `any` and `not` of them.
//!
//! A comparison is a text with one operator that has spaces around it. Its sides are templates; a side in quotes is the
//! text between them as it is.

use crate::document::cursor::Decoder;
use crate::document::keys::{self, OPERATORS, keywords};
use crate::document::tree::{Entry, Node, NodePosition, Value};
use crate::plan::{Comparison, Condition};
use crate::template::{Labels, Names, Template, hole_length, quote, unquote};

/// What decides.
pub(super) fn condition(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<Condition> {
    if !matches!(node.value, Value::Map(_)) {
        return comparison(decoder, node, names);
    }
    let fields = decoder.fields(node, &keys::DECISION)?;
    let both = |first: &Entry, second: &Entry| {
        (format!("`{}` and `{}` exclude each other", first.key, second.key), "put one into the other")
    };
    let remedy = "write one of them, or a comparison such as `${stock} > 0`";
    let none = ("the condition has neither `all` nor `any` nor `not`", remedy);
    let entry = decoder.only(fields, &["all", "any", "not"], both, none)?;
    if entry.key == "not" {
        let inner = condition(decoder, &entry.value, names)?;
        return Some(Condition::Not(Box::new(inner)));
    }
    let what = format!("`{}`", entry.key);
    let items = decoder.list(&entry.value, &what);
    if items.is_empty() && matches!(entry.value.value, Value::List(_)) {
        decoder.wrong(entry.value.at, format!("{what} has no condition"), "write comparisons such as `${stock} > 0`");
    }
    let inner: Vec<Condition> = items.iter().filter_map(|item| condition(decoder, item, names)).collect();
    let is_whole = inner.len() == items.len() && !inner.is_empty();
    if !is_whole {
        return None;
    }
    Some(match entry.key.as_str() {
        "all" => Condition::All(inner),
        _ => Condition::Any(inner),
    })
}

/// A text in the document, and where it is.
#[derive(Clone, Copy)]
struct Side<'t> {
    text: &'t str,
    at: NodePosition,
    /// Characters from the place to the text, when they are known.
    shift: Option<u32>,
}

impl<'t> Side<'t> {
    /// All of the text that a node has.
    fn from_node(node: &Node, text: &'t str) -> Self {
        let shift = match &node.value {
            Value::Scalar(scalar) => scalar.shift,
            _ => None,
        };
        Self { text, at: node.at, shift }
    }

    /// A part of the text without the spaces around it.
    fn part(self, from: usize, to: usize) -> Self {
        let part = &self.text[from..to];
        let from = from + part.len() - part.trim_start().len();
        let before = self.text[..from].chars().count() as u32;
        Self { text: part.trim(), at: self.at, shift: self.shift.map(|shift| shift.saturating_add(before)) }
    }

    fn place(self) -> NodePosition {
        NodePosition { column: self.at.column.saturating_add(self.shift.unwrap_or(0)), ..self.at }
    }
}

fn comparison(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<Condition> {
    let text = decoder.text(node)?;
    let whole = Side::from_node(node, &text);
    let found = match operators(&text) {
        Ok(found) => found,
        Err(at) => {
            let at = whole.part(at, text.len()).place();
            return decoder.wrong(at, "a quote is never closed", "close it, or remove it").none();
        }
    };
    let [operator] = found.as_slice() else {
        let (message, remedy) = match found.get(1) {
            None => (
                format!("`{}` compares nothing", nmax_text::shown(&text)),
                format!(
                    "write it as `${{stock}} > 0`, with spaces around the operator; operators are: {}",
                    keywords(OPERATORS).join(" ")
                ),
            ),
            Some(_) => (
                "two comparisons in one text".to_owned(),
                "write `{ all: [...] }` or `{ any: [...] }`; a text that looks like an operator needs quotes"
                    .to_owned(),
            ),
        };
        let at = found.get(1).map_or(node.at, |second| whole.part(second.from, second.to).place());
        return decoder.wrong(at, message, remedy).none();
    };
    let left = side(decoder, whole.part(0, operator.from), names);
    let right = side(decoder, whole.part(operator.to, text.len()), names);
    Some(Condition::Compare { left: left?, comparison: operator.comparison, right: right? })
}

/// A comparison without its left side: an operator and a text, or the text that is to be equal.
pub(crate) fn right_side(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<(Comparison, Template)> {
    let text = decoder.text(node)?;
    let whole = Side::from_node(node, &text);
    let word = text.split_whitespace().next().unwrap_or_default();
    let (comparison, from) = match OPERATORS.iter().find(|(name, _)| *name == word) {
        Some((name, comparison)) => (*comparison, text.len() - text.trim_start().len() + name.len()),
        None if word.starts_with(|c| "=!<>".contains(c)) => {
            let remedy = format!(
                "write an operator and a space before the value, as in `> 0`; operators are: {}. A text that begins like one \
                 needs quotes: `'{word}'`",
                keywords(OPERATORS).join(" ")
            );
            let message = format!("`{}` is not an operator", nmax_text::shown(word));
            return decoder.wrong(whole.part(0, text.len()).place(), message, remedy).none();
        }
        None => (Comparison::Equal, 0),
    };
    side(decoder, whole.part(from, text.len()), names).map(|right| (comparison, right))
}

/// One side of a comparison.
fn side(decoder: &mut Decoder, side: Side, names: &Names) -> Option<Template> {
    if side.text.is_empty() {
        decoder.wrong(side.place(), "one side of the comparison is empty", "write `''` for the empty text");
        return None;
    }
    if side.text.starts_with(['\'', '"']) {
        return match unquote(side.text) {
            Some((text, length)) if length == side.text.len() => Some(match text.is_empty() {
                true => Template::default(),
                false => Template::text(text),
            }),
            _ => decoder
                .wrong(side.place(), "text follows a closing quote", "put all of it in quotes, or nothing")
                .none(),
        };
    }
    decoder.template_of(side.text, side.at, side.shift, names)
}

/// An operator in a text, from one byte to before another.
struct Operator {
    from: usize,
    to: usize,
    comparison: Comparison,
}

/// The operators outside of holes and quotes; where a quote begins that does not end. O(length).
fn operators(text: &str) -> Result<Vec<Operator>, usize> {
    let mut found: Vec<Operator> = Vec::new();
    let (mut at, mut begins, mut after_space) = (0, true, true);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let word = rest.split(char::is_whitespace).next().unwrap_or_default();
        let operator = OPERATORS.iter().find(|(name, _)| after_space && *name == word);
        let is_space = c.is_whitespace();
        let length = if let Some((_, comparison)) = operator {
            found.push(Operator { from: at, to: at + word.len(), comparison: *comparison });
            word.len()
        } else if begins && matches!(c, '\'' | '"') {
            unquote(rest).ok_or(at)?.1
        } else if rest.starts_with("$$") {
            2
        } else if rest.starts_with("${") {
            hole_length(rest).unwrap_or(rest.len())
        } else {
            c.len_utf8()
        };
        begins = operator.is_some() || (begins && is_space);
        after_space = is_space;
        at += length;
    }
    Ok(found)
}

/// A comparison as it is read.
pub(crate) fn condition_text(left: &Template, comparison: Comparison, right: &Template, labels: Labels) -> String {
    format!("{} {} {}", side_text(left, labels), comparison.sign(), side_text(right, labels))
}

/// One side as it is read.
pub(crate) fn side_text(side: &Template, labels: Labels) -> String {
    match side.as_constant() {
        Some(text) if is_simple(text) => text.to_owned(),
        Some(text) => quote(text),
        None => side.source(labels),
    }
}

/// Whether a text is itself without quotes.
fn is_simple(text: &str) -> bool {
    let is_operator = OPERATORS.iter().any(|(name, _)| *name == text);
    let is_plain = |c: char| c.is_alphanumeric() || "_-./:".contains(c);
    !text.is_empty() && text.chars().all(is_plain) && !is_operator
}
