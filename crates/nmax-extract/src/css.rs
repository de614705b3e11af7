//! What a style sheet makes a browser fetch.
//!
//! A scanner, not a parser: comments, strings, blocks and what stands before them. The rules that decide:
//! - every `@import`, whatever its media: browsers fetch those too
//! - of each `@font-face` the first source in a format that browsers read (`local()` is taken for absent), unless its
//!   `unicode-range` leaves out Latin letters: such faces are for other scripts
//! - every other `url(...)` as an image, once, except in blocks for other media and in rules that wait for a pointer or
//!   focus (`:hover`, `:active`, `:focus` in each of their selectors)
//! - of an `image-set(...)` the first image
//!
//! Whether a rule is used by the document is not known. So an image of an unused rule is fetched, which no browser does;
//! `resources` may list what is right in place of discovery.

use std::borrow::Cow;

use crate::resources::{Kind, SEEN_MAX, is_fetched};
use crate::screen;

/// A reference in a style sheet.
pub(crate) type Reference<'a> = (Cow<'a, str>, Kind);

/// Deepest nesting of blocks that is looked into.
const DEPTH_MAX: usize = 64;

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// Declarations and rules that take effect.
    Used,
    /// What does not take effect on our screen, or not yet.
    Unused,
    /// The descriptors of a font.
    Font,
}

/// A `@font-face` so far.
#[derive(Default)]
struct Face<'a> {
    source: Option<Cow<'a, str>>,
    is_foreign: bool,
}

/// The references of a style sheet, or of the declarations of a `style` attribute, in order. O(length).
pub(crate) fn references(css: &str) -> Vec<Reference<'_>> {
    let mut scanner = Scanner { css, ..Scanner::default() };
    scanner.run();
    scanner.found
}

/// A URL within the statement under way.
struct Link<'a> {
    url: Cow<'a, str>,
    /// Where it ends: what follows may name its format.
    end: usize,
}

#[derive(Default)]
struct Scanner<'a> {
    css: &'a str,
    at: usize,
    /// Where the statement under way begins, blanks and comments before it left out as far as they were looked at.
    start: usize,
    blocks: Vec<Block>,
    urls: Vec<Link<'a>>,
    face: Face<'a>,
    found: Vec<Reference<'a>>,
}

impl<'a> Scanner<'a> {
    fn run(&mut self) {
        let bytes = self.css.as_bytes();
        // Which of the parentheses are those of an `image-set`, and how many are.
        let (mut nesting, mut sets): (Vec<bool>, usize) = (Vec::new(), 0);
        while self.at < bytes.len() && self.found.len() < SEEN_MAX {
            match bytes[self.at] {
                b'/' if bytes.get(self.at + 1) == Some(&b'*') => self.skip_comment(),
                b'"' | b'\'' => {
                    let text = self.string();
                    // In an import, and in an image set, a string is a URL.
                    if nesting == [true] || self.urls.is_empty() && is_import(self.statement()) {
                        self.link(text, sets > 0);
                    }
                }
                b'(' => {
                    let name = self.word_before();
                    self.at += 1;
                    if name.eq_ignore_ascii_case("url") {
                        let url = self.url();
                        self.link(url, sets > 0);
                    } else {
                        let is_set = name.len() >= 9 && name[name.len() - 9..].eq_ignore_ascii_case("image-set");
                        nesting.push(is_set);
                        sets += usize::from(is_set);
                        if is_set && self.urls.len() < SEEN_MAX {
                            self.urls.push(Link { url: Cow::Borrowed(""), end: self.at });
                        }
                    }
                }
                b')' => {
                    sets -= usize::from(nesting.pop() == Some(true));
                    self.at += 1;
                }
                b';' => {
                    (nesting, sets) = (Vec::new(), 0);
                    self.end_statement();
                    self.next_statement();
                }
                b'{' => {
                    (nesting, sets) = (Vec::new(), 0);
                    self.open();
                    self.next_statement();
                }
                b'}' => {
                    (nesting, sets) = (Vec::new(), 0);
                    self.end_statement();
                    self.close();
                    self.next_statement();
                }
                b'\\' => self.at = (self.at + 2).min(bytes.len()),
                _ => self.at += 1,
            }
        }
        self.at = self.css.len();
        self.end_statement();
    }

    /// Keeps a URL; within an `image-set` only the first, which takes the place that was left for it.
    fn link(&mut self, url: Cow<'a, str>, is_of_set: bool) {
        let end = self.at;
        if is_of_set {
            if let Some(place) = self.urls.last_mut().filter(|link| link.url.is_empty()) {
                *place = Link { url, end };
            }
        } else if self.urls.len() < SEEN_MAX {
            self.urls.push(Link { url, end });
        }
    }

    fn next_statement(&mut self) {
        self.at += 1;
        self.start = self.at;
        self.urls.clear();
    }

    /// The statement so far, without what blanks and comments come before it.
    fn statement(&mut self) -> &'a str {
        let mut text = self.css.get(self.start..self.at).unwrap_or_default().trim_start();
        while let Some(rest) = text.strip_prefix("/*") {
            text = rest.find("*/").map_or("", |end| rest[end + 2..].trim_start());
        }
        // It is asked for often, and there may be many comments.
        self.start = self.start.max(self.at - text.len());
        text
    }

    /// The name just before a parenthesis.
    fn word_before(&self) -> &'a str {
        let before = &self.css.as_bytes()[..self.at];
        let length =
            before.iter().rev().take_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')).count();
        &self.css[self.at - length..self.at]
    }

    fn skip_comment(&mut self) {
        let end = self.css[self.at + 2..].find("*/");
        self.at = end.map_or(self.css.len(), |end| self.at + 2 + end + 2);
    }

    /// A string in quotes, which ends at its quote or its line.
    fn string(&mut self) -> Cow<'a, str> {
        let bytes = self.css.as_bytes();
        let quote = bytes[self.at];
        let start = self.at + 1;
        let mut end = start;
        while end < bytes.len() && bytes[end] != quote && bytes[end] != b'\n' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let end = end.min(bytes.len());
        self.at = (end + 1).min(bytes.len());
        unescaped(self.css.get(start..end).unwrap_or_default())
    }

    /// What `url(` encloses; the scanner is behind the parenthesis.
    fn url(&mut self) -> Cow<'a, str> {
        let bytes = self.css.as_bytes();
        while bytes.get(self.at).is_some_and(u8::is_ascii_whitespace) {
            self.at += 1;
        }
        let url = if matches!(bytes.get(self.at), Some(b'"' | b'\'')) { Some(self.string()) } else { None };
        let start = self.at;
        while self.at < bytes.len() && bytes[self.at] != b')' {
            self.at += if bytes[self.at] == b'\\' { 2 } else { 1 };
        }
        let end = self.at.min(bytes.len());
        self.at = (end + 1).min(bytes.len());
        url.unwrap_or_else(|| unescaped(self.css.get(start..end).unwrap_or_default().trim()))
    }

    /// A declaration, or a statement such as `@import`, is complete.
    fn end_statement(&mut self) {
        let (block, statement) = (self.blocks.last().copied().unwrap_or(Block::Used), self.statement());
        if statement.starts_with('@') {
            if is_import(statement) && block == Block::Used {
                let first = self.urls.drain(..).next();
                self.found.extend(first.filter(|link| is_fetched(&link.url)).map(|link| (link.url, Kind::Style)));
            }
            return;
        }
        match block {
            Block::Used => {
                let images = self.urls.drain(..).filter(|link| is_fetched(&link.url));
                self.found.extend(images.map(|link| (link.url, Kind::Image)));
            }
            Block::Font => self.descriptor(statement),
            Block::Unused => {}
        }
    }

    /// A descriptor of a font.
    fn descriptor(&mut self, statement: &str) {
        let Some((name, value)) = statement.split_once(':') else {
            return;
        };
        if name.trim().eq_ignore_ascii_case("unicode-range") {
            self.face.is_foreign = !has_letter_a(value);
        } else if name.trim().eq_ignore_ascii_case("src") {
            let css = self.css;
            // A later `src` replaces an earlier one.
            let readable = self.urls.drain(..).find(|link| is_readable_font(&link.url, &css[link.end..]));
            if let Some(link) = readable {
                self.face.source = Some(link.url);
            }
        }
    }

    fn open(&mut self) {
        let prelude = self.statement().trim_end();
        let outer = self.blocks.last().copied().unwrap_or(Block::Used);
        let block = if outer == Block::Unused || self.blocks.len() >= DEPTH_MAX {
            Block::Unused
        } else if let Some(rule) = prelude.strip_prefix('@') {
            let end = rule.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rule.len());
            let (name, condition) = rule.split_at(end);
            match name.to_ascii_lowercase().as_str() {
                "font-face" => Block::Font,
                "media" if !screen::matches(condition) => Block::Unused,
                "page" => Block::Unused,
                _ => Block::Used,
            }
        } else if waits(prelude) {
            Block::Unused
        } else {
            Block::Used
        };
        if block == Block::Font {
            self.face = Face::default();
        }
        self.blocks.push(block);
    }

    fn close(&mut self) {
        if self.blocks.pop() == Some(Block::Font) {
            let face = std::mem::take(&mut self.face);
            let source = face.source.filter(|url| !face.is_foreign && is_fetched(url));
            self.found.extend(source.map(|url| (url, Kind::Font)));
        }
    }
}

fn is_import(statement: &str) -> bool {
    statement.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("@import"))
}

/// Whether each selector of a rule waits for a pointer or for focus.
fn waits(selectors: &str) -> bool {
    selectors.contains(':')
        && selectors
            .split(',')
            .all(|selector| [":hover", ":active", ":focus"].iter().any(|state| selector.contains(state)))
}

/// Whether browsers read a font, by its `format()` or else by the end of its name; `after` is what follows its URL.
fn is_readable_font(url: &str, after: &str) -> bool {
    const READ: [&str; 8] = ["woff2", "woff", "truetype", "opentype", "ttf", "otf", "collection", "variations"];
    let after = after.trim_start();
    if after.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("format(")) {
        let format = after[7..].split(')').next().unwrap_or_default();
        let format = format.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        return READ
            .iter()
            .any(|read| format.strip_prefix(read).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')));
    }
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    !path.ends_with(".eot") && !path.ends_with(".svg")
}

/// Whether ranges such as `U+0000-00FF, U+4??` hold the letter a.
fn has_letter_a(ranges: &str) -> bool {
    ranges.split(',').any(|range| {
        let range = range.trim();
        let Some(range) = range.strip_prefix("U+").or_else(|| range.strip_prefix("u+")) else {
            return true;
        };
        let (low, high) = match range.split_once('-') {
            Some((low, high)) => (low.to_owned(), high.to_owned()),
            None => (range.replace('?', "0"), range.replace('?', "F")),
        };
        let number = |text: &str| u32::from_str_radix(text.trim(), 16);
        match (number(&low), number(&high)) {
            (Ok(low), Ok(high)) => (low..=high).contains(&u32::from('a')),
            _ => true,
        }
    })
}

/// A text without its escapes (CSS Syntax, 4.3.7).
fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('\\') {
        return Cow::Borrowed(text);
    }
    let mut plain = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '\\' {
            plain.push(c);
            continue;
        }
        let mut code = 0_u32;
        let mut digits = 0;
        while digits < 6
            && let Some(digit) = rest.peek().and_then(|c| c.to_digit(16))
        {
            code = code * 16 + digit;
            digits += 1;
            rest.next();
        }
        if digits > 0 {
            plain.push(char::from_u32(code).filter(|c| *c != '\0').unwrap_or(char::REPLACEMENT_CHARACTER));
            rest.next_if(|c| c.is_ascii_whitespace());
        } else if let Some(c) = rest.next().filter(|c| *c != '\n') {
            plain.push(c);
        }
    }
    Cow::Owned(plain)
}

#[cfg(test)]
mod tests;
