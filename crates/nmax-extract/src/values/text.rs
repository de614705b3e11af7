//! Words of a text, and expressions that find them again by what stands before them.

use std::collections::HashMap;
use std::ops::Range;

use nmax_plan::plan::ReplyPart;
use regex::escape;

use super::selector::is_stable;
use super::{Harvest, Kind};
use crate::Budget;

/// How much before a word is looked at for its name, in bytes.
const BEFORE_BYTES_MAX: usize = 120;
/// How much before a word is written into an expression when it has no name, in characters.
const CONTEXT_CHARS_MAX: usize = 24;
/// Most places of one word in one text.
const PLACES_MAX: usize = 2;

/// Characters that hold words of values together, the loosest first.
///
/// `id:1a-2b` is a word of the first kind, `1a-2b` of a later one, `1a` of the last.
const JOINTS: [&[u8]; 5] = [b"_-.~+/=%:@\\", b"_-.~+/=%", b"_-.~", b"_-", b""];

/// The words of a text: runs of letters and digits, held together by ever fewer signs. Each run once; longer ones first
/// where they hold others. O(length).
pub fn for_each_word(text: &str, mut word: impl FnMut(Range<usize>)) {
    within(text.as_bytes(), 0..text.len(), 0, &mut word);
}

fn within(bytes: &[u8], span: Range<usize>, level: usize, word: &mut impl FnMut(Range<usize>)) {
    let Some(joints) = JOINTS.get(level) else { return };
    let belongs = |byte: u8| byte.is_ascii_alphanumeric() || byte >= 0x80 || joints.contains(&byte);
    let mut at = span.start;
    while at < span.end {
        if !belongs(bytes[at]) {
            at += 1;
            continue;
        }
        let end = bytes[at..span.end].iter().position(|byte| !belongs(*byte)).map_or(span.end, |length| at + length);
        // A run that is a run of the level before is known.
        if (at..end) != span || level == 0 {
            word(at..end);
        }
        let has_joints = bytes[at..end].iter().any(|byte| joints.contains(byte));
        if has_joints {
            within(bytes, at..end, level + 1, word);
        }
        at = end;
    }
}

/// Words of a short text that is no word itself, each with its name and an expression for it.
pub(super) fn words_in(text: &str, mut word: impl FnMut(&str, &str, &dyn Fn() -> String)) {
    for_each_word(text, |span| {
        if span != (0..text.len()) {
            let (name, _) = named_before(text, &span).unwrap_or_default();
            word(&text[span.clone()], name, &|| {
                named_before(text, &span).map(|(_, pattern)| pattern).unwrap_or_else(|| by_context(text, &span))
            });
        }
    });
}

/// Words and quoted texts that are looked for, by regular expressions on the whole text.
pub(super) fn named(text: &str, harvest: &mut Harvest<'_>) {
    let mut places: HashMap<String, usize> = HashMap::new();
    let mut look = |span: Range<usize>, harvest: &mut Harvest<'_>| {
        let found = &text[span.clone()];
        if !harvest.fits(found) || !harvest.wanted.value(found) {
            return;
        }
        let count = places.entry(found.to_owned()).or_default();
        *count += 1;
        if *count > PLACES_MAX {
            return;
        }
        let (kind, name, pattern) = match named_before(text, &span) {
            Some((name, pattern)) => (Kind::Named, name, pattern),
            None => (Kind::Text, "", by_context(text, &span)),
        };
        harvest.keep(found, kind, name, vec![ReplyPart::Regex(pattern)], None);
    };
    for_each_word(text, |span| look(span, harvest));
    let budget = harvest.budget;
    quoted(text, budget, |span| look(span, harvest));
}

/// Texts between quotes on one line that are more than a word.
fn quoted(text: &str, budget: &Budget<'_>, mut each: impl FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let quote = bytes[at];
        at += 1;
        if quote != b'"' && quote != b'\'' {
            continue;
        }
        let mut end = at;
        // Longer texts are not looked for, so their ends need not be found.
        while end < bytes.len() && bytes[end] != quote && bytes[end] != b'\n' && end - at <= super::TEXT_BYTES_MAX {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        if !budget.step(1 + (end - at) as u64 / 8) {
            return;
        }
        if end < bytes.len() && bytes[end] == quote && end > at {
            let is_word = bytes[at..end].iter().all(|byte| byte.is_ascii_alphanumeric() || JOINTS[0].contains(byte));
            if !is_word && end - at <= super::TEXT_BYTES_MAX {
                each(at..end);
            }
        }
        // A quote that opens nothing, such as an apostrophe, must not hide the next one.
    }
}

/// The name before a value, and an expression that finds the value by it.
///
/// `name = "..."`, `"name": "..."`, `name: 12`, `\"name\":\"...\"`, `<name>...<`; what stands between the quote and the
/// word is a part of the expression if it looks chosen by a person.
fn named_before<'a>(text: &'a str, span: &Range<usize>) -> Option<(&'a str, String)> {
    let floor = floor(text, span.start.saturating_sub(BEFORE_BYTES_MAX));
    let before = &text[floor..span.start];
    let next = text[span.end..].chars().next();
    let is_blank = |c: char| c.is_ascii_whitespace();
    let opening = before.rfind(['"', '\'', '>', '\n', '=', ':']);
    let (inner, lead) = match opening {
        Some(at) => (&before[at + 1..], &before[..=at]),
        None => return None,
    };
    if !inner.is_empty() && !inner.split(['/', '?', '&', '#', ' ', '=']).all(|word| word.is_empty() || is_stable(word))
    {
        return None;
    }
    let inner_pattern = escape(inner.trim_start());
    if let Some(rest) = lead.strip_suffix('>') {
        let name = rest.rsplit_once('<')?.1;
        let name = name.split(is_blank).next().unwrap_or(name);
        if !is_stable(name) || name.starts_with(['/', '!', '?']) || next != Some('<') {
            return None;
        }
        return Some((name, format!("<{}(?:\\s[^>]*)?>\\s*{inner_pattern}([^<]+)", escape(name))));
    }
    let quote = lead.chars().next_back().filter(|c| matches!(c, '"' | '\''));
    let (lead, is_escaped) = match quote {
        Some(_) => {
            let lead = &lead[..lead.len() - 1];
            (lead.trim_end_matches('\\'), lead.ends_with('\\'))
        }
        None => (lead, false),
    };
    let lead = lead.trim_end_matches(is_blank).strip_suffix(['=', ':'])?.trim_end_matches(is_blank);
    let lead = lead.trim_end_matches(['"', '\'']).trim_end_matches('\\');
    let start = lead
        .char_indices()
        .rev()
        .take_while(|(_, c)| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '-'))
        .last()
        .map(|(at, _)| at)?;
    let name = lead[start..].trim_start_matches('-');
    if !is_stable(name) {
        return None;
    }
    let end = match next {
        Some(c) if !c.is_alphanumeric() && !"\"'\\".contains(c) => class(c),
        _ => String::new(),
    };
    let boundary = if name.starts_with('$') { "" } else { r"\b" };
    let name_pattern = format!("{boundary}{}", escape(name));
    let pattern = match quote {
        Some(quote) => {
            let slash = if is_escaped { r"\\*" } else { "" };
            let no_escape = if is_escaped { r"\\" } else { "" };
            format!("{name_pattern}{slash}[\"']?\\s*[:=]\\s*{slash}{quote}{inner_pattern}([^{quote}{no_escape}{end}]+)")
        }
        None if inner.contains(|c: char| !is_blank(c)) => return None,
        None => format!("{name_pattern}[\"']?\\s*[:=]\\s*([^\\s\"',;}}\\])<&{end}]+)"),
    };
    Some((name, pattern))
}

/// An expression by the characters before the word, and the one after it as its end.
fn by_context(text: &str, span: &Range<usize>) -> String {
    let near = floor(text, span.start.saturating_sub(4 * CONTEXT_CHARS_MAX));
    let line = text[near..span.start].rsplit(['\n', '\r']).next().unwrap_or_default();
    let start = line.char_indices().rev().nth(CONTEXT_CHARS_MAX - 1).map_or(0, |(at, _)| at);
    let context = &line[start..];
    // It begins with a whole word.
    let context = match context.find(|c: char| !c.is_alphanumeric()) {
        Some(at) if start > 0 => &context[at..],
        _ => context,
    };
    let mut pattern = String::new();
    let mut last = ' ';
    for c in context.chars() {
        match c {
            '0'..='9' if last.is_ascii_digit() => {}
            '0'..='9' => pattern.push_str(r"\d+"),
            c if c.is_whitespace() && last.is_whitespace() && !pattern.is_empty() => {}
            c if c.is_whitespace() => pattern.push_str(r"\s+"),
            c => pattern.push_str(&escape(c.encode_utf8(&mut [0; 4]))),
        }
        last = c;
    }
    let next = text[span.end..].chars().next();
    let joints = text[span.clone()].chars().filter(|c| !c.is_alphanumeric());
    let mut inside: Vec<char> = joints.collect();
    inside.sort_unstable();
    inside.dedup();
    let allowed: String = inside.into_iter().filter(|c| Some(*c) != next).map(class).collect();
    format!("{pattern}([\\p{{Alphabetic}}\\d{allowed}]+)")
}

/// A character within `[...]`.
fn class(c: char) -> String {
    match c {
        '\n' => r"\n".into(),
        '\r' => r"\r".into(),
        '\t' => r"\t".into(),
        c if "\\]^[-&~".contains(c) => format!("\\{c}"),
        c => c.to_string(),
    }
}

/// The character boundary at or after a position.
fn floor(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}
