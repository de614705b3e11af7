//! The law of extractors, by a second reading of the templates.

use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use nmax_extract::{Extractor, ReplyContent};
use nmax_import::correlate::{Correlation, Correlations};
use nmax_import::parts;
use nmax_import::recording::{Entry, Recording};
use nmax_plan::plan::{MatchPick, ReplyPart};

/// Law: each extractor finds its value in the recorded reply, each template makes what was sent, a source comes before
/// its uses, names are unique, and no selector holds a value.
#[track_caller]
pub(super) fn works(recording: &Recording, found: &Correlations) {
    let mut names = std::collections::HashSet::new();
    for correlation in &found.values {
        assert!(names.insert(&correlation.name), "{}", correlation.name);
        let text = extracted(&recording.entries[correlation.from], correlation);
        assert!(!told(&correlation.source).contains(&correlation.value), "{correlation:?}");
        assert!(!correlation.uses.is_empty() && !correlation.evidence.contains(&correlation.value));
        for (at, template) in &correlation.uses {
            assert!(correlation.from < at.entry);
            let value = parts::value_at(&recording.entries[at.entry].request, &at.place).expect("the place exists");
            let made = evaluated(template.trim_start_matches("${").trim_end_matches('}'), &correlation.name, &text);
            assert_eq!(made.to_lowercase(), value[at.span.clone()].to_lowercase(), "{template}");
        }
    }
}

/// What a correlation's extractor gives, as the engine picks it.
fn extracted(entry: &Entry, correlation: &Correlation) -> String {
    let response = entry.response.as_ref().expect("a reply");
    let headers: Vec<(&str, &[u8])> =
        response.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let body = &response.body.as_ref().expect("a body").bytes;
    let matches = Extractor::new(&correlation.source)
        .expect("it compiles")
        .matches(&ReplyContent::new(&headers, body))
        .expect("it is read");
    let place = match correlation.pick {
        MatchPick::First => 0,
        MatchPick::Nth(nth) => nth - 1,
        other => panic!("{other:?} is not what was recorded"),
    };
    matches[place].clone()
}

/// Evaluates nested calls of one name, written apart from the code that makes them.
fn evaluated(call: &str, name: &str, text: &str) -> String {
    if call == name {
        return text.to_owned();
    }
    let (function, rest) = call.split_once('(').expect("a call");
    let inner = rest.strip_suffix(')').expect("its end");
    let (inner, argument) = match inner.rsplit_once(", '") {
        Some((inner, argument)) => (inner, argument.trim_end_matches('\'')),
        None => (inner, ""),
    };
    let text = evaluated(inner, name, text);
    match function {
        "url" => text
            .bytes()
            .map(|byte| {
                if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                    char::from(byte).to_string()
                } else {
                    format!("%{byte:02X}")
                }
            })
            .collect(),
        "url_decode" => nmax_text::percent::decode_exact(&text).expect("encoded"),
        "json_decode" => serde_json::from_str(&format!("\"{text}\"")).expect("escaped"),
        "base64" => BASE64_STANDARD.encode(text),
        "base64url" => BASE64_URL_SAFE_NO_PAD.encode(text),
        "base64_decode" => {
            let text = text.replace('-', "+").replace('_', "/");
            String::from_utf8(
                base64::prelude::BASE64_STANDARD_NO_PAD.decode(text.trim_end_matches('=')).expect("base64"),
            )
            .expect("text")
        }
        "html" => text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;"),
        "jwt_claim" => {
            let claims = BASE64_URL_SAFE_NO_PAD.decode(text.split('.').nth(1).expect("claims")).expect("base64url");
            let claims: serde_json::Value = serde_json::from_slice(&claims).expect("JSON");
            claims[argument].as_str().map_or_else(|| claims[argument].to_string(), str::to_owned)
        }
        other => panic!("unknown function {other}"),
    }
}

pub(super) fn told(source: &ReplyPart) -> String {
    match source {
        ReplyPart::Regex(pattern) => format!("regex {pattern}"),
        ReplyPart::Css { selector, attribute: Some(attribute) } => format!("css {selector}@{attribute}"),
        ReplyPart::Css { selector, attribute: None } => format!("css {selector}"),
        ReplyPart::JsonPath(path) => format!("json {path}"),
        ReplyPart::Header(name) => format!("header {name}"),
        ReplyPart::Part { of, pattern } => format!("{} match {pattern}", told(of)),
    }
}
