//! `json`: a body written as YAML, or as JSON in a text.

use super::cursor::Decoder;
use super::tree::{Node, NodePosition, Scalar, Value};
use crate::template::{EnvFormat, Function, Names, Part, Template};

/// A single text is JSON already; a list or map becomes JSON.
pub(super) fn json(decoder: &mut Decoder, node: &Node, names: &Names) -> Option<Template> {
    if let Value::Scalar(scalar) = &node.value {
        let template = decoder.template(node, names)?;
        let sample: String =
            template.parts.iter().map(|part| if let Part::Text(text) = part { text.as_str() } else { "0" }).collect();
        if let Err(error) = serde_json::from_str::<serde_json::Value>(&sample) {
            let remedy = if scalar.plain {
                "write `body:` for a plain text, or quote it twice: '\"text\"'"
            } else {
                "correct it, or write the value as YAML"
            };
            decoder.wrong(node.at, format!("not JSON: {error}"), remedy);
        }
        return Some(template);
    }
    let mut parts = Vec::new();
    json_value(decoder, node, names, &mut parts);
    Some(Template { parts })
}

fn json_value(decoder: &mut Decoder, node: &Node, names: &Names, parts: &mut Vec<Part>) {
    match &node.value {
        Value::Null => push(parts, "null"),
        Value::Scalar(scalar) if scalar.plain && is_json_literal(&scalar.text) => push(parts, &scalar.text),
        Value::Scalar(scalar) => match verbatim(decoder, scalar, node.at, names) {
            Some(template) if is_number(&template) => parts.extend(template.parts),
            text => json_string(text, parts),
        },
        Value::List(items) => {
            push(parts, "[");
            for (index, item) in items.iter().enumerate() {
                push(parts, if index > 0 { "," } else { "" });
                json_value(decoder, item, names, parts);
            }
            push(parts, "]");
        }
        Value::Map(entries) => {
            push(parts, "{");
            for (index, entry) in entries.iter().enumerate() {
                push(parts, if index > 0 { "," } else { "" });
                let key = Scalar { text: entry.key.clone(), plain: true, shift: None };
                json_string(verbatim(decoder, &key, entry.key_at, names), parts);
                push(parts, ":");
                json_value(decoder, &entry.value, names, parts);
            }
            push(parts, "}");
        }
    }
}

/// `true`, `false`, and numbers that JSON writes the same way.
fn is_json_literal(text: &str) -> bool {
    matches!(serde_json::from_str(text), Ok(serde_json::Value::Bool(_) | serde_json::Value::Number(_)))
}

/// Whether all of it is a call that makes a number.
fn is_number(template: &Template) -> bool {
    matches!(template.parts.as_slice(), [Part::Call(call)] if call.function == Function::Number)
}

/// A text in which nothing, the environment included, is escaped yet.
fn verbatim(decoder: &mut Decoder, scalar: &Scalar, at: NodePosition, names: &Names) -> Option<Template> {
    let names = Names { env_format: EnvFormat::Verbatim, ..*names };
    decoder.template_of(&scalar.text, at, scalar.shift, &names)
}

fn json_string(text: Option<Template>, parts: &mut Vec<Part>) {
    let Some(template) = text else { return };
    push(parts, "\"");
    for part in template.parts {
        match part {
            Part::Text(text) => {
                let quoted = serde_json::Value::String(text).to_string();
                push(parts, &quoted[1..quoted.len() - 1]);
            }
            hole => parts.push(hole),
        }
    }
    push(parts, "\"");
}

fn push(parts: &mut Vec<Part>, piece: &str) {
    match parts.last_mut() {
        Some(Part::Text(text)) => text.push_str(piece),
        _ if piece.is_empty() => {}
        _ => parts.push(Part::Text(piece.to_owned())),
    }
}
