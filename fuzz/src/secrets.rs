//! Secrets: whatever a text is, a planted one leaves it, and what was JSON stays JSON.

use nmax_secrets::{Message, Redactor};
use serde_json::Value;

/// A value that stands in no input by accident.
const PLANTED: &str = "pLaNtEd-9f4c";

/// Input: a text, in which each `\u{1}` becomes the planted value of a known variable.
pub fn hold(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        Redactor::default().message(&Message::of_bytes(input));
        return;
    };
    let redactor = Redactor::new(&[("A_TOKEN".into(), PLANTED.into())]);
    let text = text.replace('\u{1}', PLANTED);
    for shown in [
        redactor.message(&Message::of_bytes(text.as_bytes())),
        redactor.data(&text),
        redactor.text(&text),
        redactor.url(&text),
        redactor.values(&text),
        redactor.header("cookie", &text),
        redactor.header("location", &text),
    ] {
        assert!(!shown.contains(PLANTED), "{shown:?}");
    }
    named(&text);
    // A number alone, such as that of a card, is as well a text.
    let Some(value) = serde_json::from_str::<Value>(&text).ok().filter(|value| !value.is_number()) else { return };
    let masked = redactor.data(&text);
    let Ok(left) = serde_json::from_str::<Value>(&masked) else { panic!("no JSON any more: {masked}") };
    assert!(!holds_named(&left), "{masked}");
    assert_eq!(value.is_object(), left.is_object(), "{masked}");
}

/// A value behind a secret's name leaves any text, whatever stands before it and behind.
fn named(text: &str) {
    let half = (0..=text.len() / 2).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    let (before, after) = text.split_at(half);
    if before.contains(PLANTED) || after.contains(PLANTED) {
        return;
    }
    let line = format!("{before}\n&password={PLANTED}&{after}");
    let masked = Redactor::default().data(&line);
    assert!(!masked.contains(PLANTED), "{line:?}\n{masked:?}");
    let url = format!("/x?token={PLANTED}");
    assert!(!Redactor::default().url(&url).contains(PLANTED));
}

/// Whether a member with the name of a password has a value left.
fn holds_named(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(holds_named),
        Value::Object(members) => members.iter().any(|(name, value)| {
            let is_left = match value {
                Value::String(text) => text.len() > 3 && !text.contains("REDACTED") && !is_plain(text),
                Value::Array(items) => !items.is_empty(),
                Value::Object(members) => !members.is_empty(),
                _ => false,
            };
            (name == "password" && is_left) || holds_named(value)
        }),
        _ => false,
    }
}

/// Words that stand in the place of a secret.
fn is_plain(text: &str) -> bool {
    ["true", "false", "null", "none", "undefined", "bearer", "basic"].iter().any(|word| text.eq_ignore_ascii_case(word))
        || text.starts_with("nmax-secret-")
}
