//! What a value means that is written in one of the ways of texts.

use crate::parts::{form_decode, percent_decode};

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Coding {
    /// As it is.
    Raw,
    /// Percent-encoded.
    Percent,
    /// A string of JSON or of a script, without its quotes.
    Json,
    /// A string of JSON inside of a string of JSON.
    JsonTwice,
    /// With entities.
    Html,
}

/// The value behind its coding; as it is written where that is broken.
pub(super) fn decoded(written: &str, coding: Coding) -> String {
    let value = match coding {
        Coding::Raw => None,
        Coding::Percent => form_decode(written).or_else(|| percent_decode(written)),
        Coding::Json => json(written),
        Coding::JsonTwice => json(written).and_then(|once| json(&once)),
        Coding::Html => Some(html(written)),
    };
    value.unwrap_or_else(|| written.to_owned())
}

/// A string of JSON without its quotes.
fn json(written: &str) -> Option<String> {
    serde_json::from_str(&format!("\"{written}\"")).ok()
}

fn html(written: &str) -> String {
    const NAMED: [(&str, &str); 5] = [("lt;", "<"), ("gt;", ">"), ("quot;", "\""), ("apos;", "'"), ("amp;", "&")];
    let mut out = String::with_capacity(written.len());
    let mut rest = written;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let number = after.split_once(';').and_then(|(number, rest)| Some((number.strip_prefix('#')?, rest)));
        let code = number.and_then(|(number, rest)| {
            let code = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            Some((char::from_u32(code)?, rest))
        });
        if let Some((c, after)) = code {
            out.push(c);
            rest = after;
        } else if let Some((name, c)) = NAMED.iter().find(|(name, _)| after.starts_with(name)) {
            out.push_str(c);
            rest = &after[name.len()..];
        } else {
            out.push('&');
            rest = after;
        }
    }
    out + rest
}
