//! What is sent in place of what the log has.

use std::borrow::Cow;

use nmax_text::percent;
use regex::Regex;

use crate::traffic::encoded;

/// A change of targets: what matches becomes something else.
#[derive(Clone, Debug)]
pub struct Rewrite {
    pattern: Regex,
    text: String,
}

/// Why a change cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RewriteError {
    /// It has no arrow.
    #[error("`{0}` has no `=>`")]
    NoArrow(String),
    /// Its left side is no regular expression.
    #[error("`{pattern}` is not a regular expression: {reason}")]
    Pattern {
        /// As written.
        pattern: String,
        /// What is wrong.
        reason: String,
    },
}

impl Rewrite {
    /// Reads `REGEX=>TEXT`; `$1` in the text is the first group.
    ///
    /// # Errors
    /// When there is no `=>`, or the regular expression is none.
    pub fn parse(written: &str) -> Result<Self, RewriteError> {
        let (pattern, text) = written.split_once("=>").ok_or_else(|| RewriteError::NoArrow(written.to_owned()))?;
        let pattern = Regex::new(pattern).map_err(|error| RewriteError::Pattern {
            pattern: pattern.to_owned(),
            reason: error.to_string().lines().last().unwrap_or_default().trim().to_owned(),
        })?;
        Ok(Self { pattern, text: text.to_owned() })
    }
}

/// Scheme and host of a target that is an absolute URL, and its path.
pub(super) fn split(target: &[u8]) -> (Option<(&'static str, &[u8])>, &[u8]) {
    let Some(scheme) = ["http://", "https://"]
        .into_iter()
        .find(|scheme| target.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme.as_bytes())))
    else {
        return (None, target);
    };
    let rest = &target[scheme.len()..];
    let end = rest.iter().position(|byte| matches!(byte, b'/' | b'?')).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.rsplit(|byte| *byte == b'@').next().unwrap_or(host);
    (Some((scheme, host)), if path.first() == Some(&b'/') { path } else { b"/" })
}

/// The target that is sent: rewritten, with the parameters, and without bytes that a request line may not have.
pub(super) fn target(path: &[u8], rewrites: &[Rewrite], parameters: &[(String, String)], out: &mut Vec<u8>) {
    let mut text = sendable(path);
    for rewrite in rewrites {
        if let Cow::Owned(changed) = rewrite.pattern.replace_all(&text, rewrite.text.as_str()) {
            text = Cow::Owned(sendable(changed.as_bytes()).into_owned());
        }
    }
    for (name, value) in parameters {
        text = Cow::Owned(with_parameter(&text, name, value));
    }
    if !text.starts_with('/') {
        out.push(b'/');
    }
    out.extend_from_slice(text.as_bytes());
}

/// A target without its fragment, whose bytes may all stand in a request line; the others are percent-encoded.
fn sendable(target: &[u8]) -> Cow<'_, str> {
    let end = target.iter().position(|byte| *byte == b'#').unwrap_or(target.len());
    encoded(&target[..end])
}

/// The target with this query parameter, in place of those of its name.
fn with_parameter(target: &str, name: &str, value: &str) -> String {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    let own = format!("{}={}", percent::encode(name), percent::encode(value));
    let name_of = |pair: &str| pair.split('=').next().unwrap_or_default().to_owned();
    let mut is_placed = false;
    let mut pairs: Vec<String> = Vec::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        if name_of(pair) != name && name_of(pair) != percent::encode(name) {
            pairs.push(pair.to_owned());
        } else if !is_placed {
            pairs.push(own.clone());
            is_placed = true;
        }
    }
    if !is_placed {
        pairs.push(own);
    }
    format!("{path}?{}", pairs.join("&"))
}

/// A text for a header: whatever is not printable becomes a space; `-` is nothing.
pub(super) fn header(text: &[u8]) -> Cow<'_, str> {
    if text == b"-" {
        return "".into();
    }
    match String::from_utf8_lossy(text) {
        text if text.chars().any(char::is_control) => {
            text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect::<String>().into()
        }
        text => text,
    }
}
