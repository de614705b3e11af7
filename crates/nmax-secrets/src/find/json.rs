//! JSON, token by token: values of secret names as a whole, texts inside of strings.

use std::ops::Range;

use super::{Finder, Grade, NAME_BYTES_MAX, TextKind, cards};
use crate::coding::Coding;
use crate::names::{BESIDE_CODES, is_count};

/// Members that say what the value beside them is.
const NAMING: [&str; 4] = ["name", "key", "header", "field"];

/// Members of an object that tell of each other.
#[derive(Default)]
struct Members {
    /// What the member beside a value calls it.
    name: Option<String>,
    value: Option<Range<usize>>,
    code: Option<Range<usize>>,
    /// Whether the object is an answer or a question of OAuth.
    has_code: bool,
}

/// An object or an array that is open.
enum Open {
    Object(Members),
    /// With the name of the values in it, where these count one by one.
    Array(Option<String>),
}

impl Finder<'_> {
    /// Reads JSON from here on, also several values, and JSON that is cut off. Where what is no JSON begins. O(length).
    pub(super) fn json(&mut self, start: usize) -> usize {
        let bytes = self.bytes;
        let mut open: Vec<Open> = Vec::new();
        let mut name: Option<String> = None;
        let mut at = start;
        loop {
            at += bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
            match bytes.get(at) {
                None => {
                    open.into_iter().for_each(|open| self.close(open));
                    return at;
                }
                Some(b'{' | b'[') if self.is_data && name.as_deref().is_some_and(|name| self.is_secret(name)) => {
                    let end = balanced(bytes, at);
                    self.whole(at..end);
                    (at, name) = (end, None);
                }
                Some(b'{') => {
                    open.push(Open::Object(Members::default()));
                    (at, name) = (at + 1, None);
                }
                Some(b'[') => {
                    open.push(Open::Array(name.take()));
                    at += 1;
                }
                Some(b'}' | b']') => {
                    if let Some(open) = open.pop() {
                        self.close(open);
                    }
                    (at, name) = (at + 1, None);
                }
                Some(b',') => (at, name) = (at + 1, None),
                Some(b':') => at += 1,
                Some(b'"') => {
                    let content = at + 1..string_end(bytes, at + 1);
                    at = (content.end + 1).min(bytes.len());
                    let after = at + bytes[at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    if name.is_none() && bytes.get(after) == Some(&b':') {
                        self.string(content.clone());
                        name = Some(Coding::Json.text(&bytes[content]));
                        at = after + 1;
                    } else {
                        if let (Some(Open::Object(members)), Some(name)) = (open.last_mut(), &name) {
                            members.learn(name, &bytes[content.clone()], content.clone());
                        }
                        let name = name.take().or_else(|| in_array(&open));
                        if !name.is_some_and(|name| self.named(&name, content.clone(), Coding::Json)) {
                            self.string(content);
                        }
                    }
                }
                Some(_) => {
                    let is_token = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
                    let token = at..at + bytes[at..].iter().take_while(is_token).count();
                    if !is_literal(&bytes[token.clone()]) {
                        open.into_iter().for_each(|open| self.close(open));
                        return at;
                    }
                    at = token.end;
                    self.bare(name.take().or_else(|| in_array(&open)), token);
                }
            }
        }
    }

    /// What the members of an object say of each other: `{"name": "password", "value": "x"}`.
    fn close(&mut self, open: Open) {
        let Open::Object(members) = open else { return };
        if let (Some(name), Some(value)) = (members.name, members.value)
            && self.is_secret(&name)
        {
            self.named(&name, value, Coding::Json);
        }
        if let Some(code) = members.code.filter(|_| members.has_code) {
            self.add(code, Coding::Json, Grade::Weak);
        }
    }

    /// An object or array that is a secret as a whole.
    pub(super) fn whole(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while let Some(length) = memchr::memchr(b'"', &self.bytes[at..range.end]) {
            if !self.limits.spend(1) {
                return;
            }
            let start = at + length + 1;
            let end = string_end(self.bytes, start).min(range.end);
            at = (end + 1).min(range.end);
            if !self.bytes[at..].trim_ascii_start().starts_with(b":") && start < end {
                self.found.inside.push((Coding::Json.text(&self.bytes[start..end]), Grade::Weak));
            }
        }
        if range.len() > 2 {
            self.put(range, Coding::Raw, Grade::Weak, "\"");
        }
    }

    /// A string that is no secret as a whole.
    fn string(&mut self, content: Range<usize>) {
        let text = &self.bytes[content.clone()];
        let is_sign = |byte: &u8| b"\\=:<@./%".contains(byte);
        if text.iter().any(is_sign) || (text.len() >= 13 && text.iter().any(|byte| b" 0123456789".contains(byte))) {
            let kind = if self.rules.is_strict { TextKind::Data } else { TextKind::Text };
            self.nested(content, Coding::Json, kind);
        }
    }

    /// A number or a word without quotes.
    fn bare(&mut self, name: Option<String>, token: Range<usize>) {
        let bytes = &self.bytes[token.clone()];
        if bytes[0].is_ascii_alphabetic() {
            self.bare.push(token);
            return;
        }
        // Counts and flags have two digits at most; what people keep secret has more.
        let is_secret = self.is_data && token.len() >= 3 && name.is_some_and(|name| self.is_secret_number(&name));
        if is_secret || !cards::find(bytes).is_empty() {
            self.put(token.clone(), Coding::Raw, Grade::Strong, "\"");
        }
        self.bare.push(token);
    }

    /// Whether a number of this name is a secret. Numbers of tokens are counts.
    pub(super) fn is_secret_number(&self, name: &str) -> bool {
        self.is_secret(name) && !super::is_about(name) && !is_count(name, "")
    }
}

impl Members {
    /// Takes a member with a string.
    fn learn(&mut self, name: &str, text: &[u8], content: Range<usize>) {
        match name.to_ascii_lowercase().as_str() {
            name if NAMING.contains(&name) && text.len() <= NAME_BYTES_MAX => {
                self.name = Some(Coding::Json.text(text));
            }
            "value" => self.value = Some(content),
            "code" => self.code = Some(content),
            name => self.has_code |= BESIDE_CODES.contains(&name),
        }
    }
}

fn in_array(open: &[Open]) -> Option<String> {
    match open.last() {
        Some(Open::Array(name)) => name.clone(),
        _ => None,
    }
}

/// Where a string's closing quote is; the end of the text when it has none.
fn string_end(bytes: &[u8], start: usize) -> usize {
    let mut at = start;
    while let Some(length) = memchr::memchr2(b'"', b'\\', &bytes[at..]) {
        at += length;
        if bytes[at] == b'"' {
            return at;
        }
        at = (at + 2).min(bytes.len());
    }
    bytes.len()
}

/// Where the object or array ends that begins here; the end of the text when it does not. O(its length).
pub(super) fn balanced(bytes: &[u8], start: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = start;
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return at + 1;
                }
            }
            b'"' => at = string_end(bytes, at + 1),
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

fn is_literal(token: &[u8]) -> bool {
    matches!(token, b"true" | b"false" | b"null")
        || token.iter().any(u8::is_ascii_digit) && {
            let is_number = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
            token.iter().all(is_number)
        }
}
