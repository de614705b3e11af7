//! `tags`: expressions that give requests tags.

use super::cursor::Decoder;
use super::decode::is_name;
use super::tree::Node;
use crate::plan::{Location, ReplyPart, Scenario};
use crate::tags::{NOT, TagRule};

/// Most expressions of a plan: each is tried on every resource that a page brings along.
const RULES_MAX: usize = 16;
/// Longest expression, bytes.
const PATTERN_BYTES_MAX: usize = 1_000;

/// Every rule, in the order of the document.
pub(super) fn decode(
    decoder: &mut Decoder,
    node: &Node,
    scenarios: &[&Scenario],
    locations: &[Location],
) -> Vec<TagRule> {
    let entries = decoder.map(node, "`tags`");
    if entries.len() > RULES_MAX {
        let message = format!("more than {RULES_MAX} expressions for tags");
        decoder.wrong(node.at, message, "leave some out, or write `tags: [...]` into requests");
    }
    let mut rules = Vec::new();
    for entry in entries.iter().take(RULES_MAX) {
        let name = entry.key.as_str();
        if !is_name(name) || name.starts_with(NOT) || name.contains(['[', ']', ',']) || name.contains("${") {
            let remedy = "use 1 to 64 characters, without `/`, `,`, brackets and `not ` in front";
            decoder.wrong(entry.key_at, format!("`{}` cannot be a tag by expression", nmax_text::shown(name)), remedy);
        }
        let given = |scenario: &&Scenario| scenario.calls().any(|request| request.tags.iter().any(|tag| tag == name));
        if scenarios.iter().any(given) {
            let message = format!("`{name}` is a tag by expression and one that a request has by itself");
            let remedy = "give one of them another name, or let the expression match the request";
            decoder.wrong(entry.key_at, message, remedy);
        }
        if locations.iter().any(|location| location.name == name) {
            let message = format!("`{name}` is the name of a location and a tag of requests");
            decoder.wrong(entry.key_at, message, "choose another name for one of them: `for tag NAME` means either");
        }
        let Some(pattern) = decoder.text(&entry.value) else {
            continue;
        };
        if let Some(why) = refused(decoder, &pattern) {
            let message = format!("`{pattern}` is not valid: {why}");
            let remedy =
                "write a regular expression on method and path, such as `'^GET /images/|\\.png$'`, in single quotes";
            decoder.wrong(entry.value.at, message, remedy);
        }
        rules.push(TagRule { name: name.to_owned(), pattern });
    }
    rules
}

/// Why it is no expression.
fn refused(decoder: &Decoder, pattern: &str) -> Option<String> {
    if pattern.is_empty() {
        return Some("the empty expression matches everything".to_owned());
    }
    if pattern.len() > PATTERN_BYTES_MAX {
        return Some(format!("it is longer than {PATTERN_BYTES_MAX} bytes"));
    }
    (decoder.options.check_source)(&ReplyPart::Regex(pattern.to_owned())).err()
}
