//! Secrets found wherever they occur, however they are spelled.
//!
//! Each secret is looked for as it is, in JSON, in HTML, percent-encoded, and inside of base64; each of these also where
//! single characters are spelled otherwise (`%2f` for `/`, `\u0026` or `&amp;` for `&`, `+` for a blank). O(length of
//! the text) as long as few secrets begin with the same two bytes.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

use crate::coding::{Unit, units};

/// Bytes from which on a secret is looked for inside of words.
pub const EVERYWHERE_BYTES_MIN: usize = 6;

/// Characters of base64 below which a piece of a secret is too likely to occur by chance.
const BASE64_MIN: usize = 8;

/// Something that is looked for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Needle {
    bytes: Vec<u8>,
    /// It counts only where no letter or digit touches it.
    is_word: bool,
    /// It is a part of base64, whose characters beside it hold the rest of the secret.
    is_base64: bool,
}

/// Secrets, ready to be found.
#[derive(Clone)]
pub struct Needles {
    /// In order of their bytes.
    needles: Vec<Needle>,
    /// Needles by their first byte.
    by_first: Vec<Vec<usize>>,
    /// A bit for each pair of first bytes.
    pairs: Vec<u64>,
    /// What is found does not come back.
    is_for_good: bool,
}

impl std::fmt::Debug for Needles {
    /// Not the secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Needles({} spellings)", self.needles.len())
    }
}

impl Needles {
    /// Needles for these secrets. Short ones count only as whole words.
    pub fn new<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        Self::from_needles(secrets.into_iter().flat_map(spellings).collect())
    }

    /// Needles for these secrets, which count inside of words too, however short they are.
    pub fn anywhere<'a>(secrets: impl IntoIterator<Item = &'a str>) -> Self {
        let mut needles: Vec<Needle> = secrets.into_iter().flat_map(spellings).collect();
        needles.iter_mut().for_each(|needle| needle.is_word &= is_short_word(&needle.bytes));
        Self { is_for_good: true, ..Self::from_needles(needles) }
    }

    /// A text with a mask in the place of every secret. O(length of the text).
    pub fn masked(&self, text: &str, mask: &str) -> String {
        let (bytes, mut out, mut from) = (text.as_bytes(), Vec::with_capacity(text.len()), 0);
        while let Some((at, length)) = self.next(bytes, from) {
            out.extend_from_slice(&bytes[from..at]);
            out.extend_from_slice(mask.as_bytes());
            from = at + length;
        }
        out.extend_from_slice(&bytes[from..]);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn from_needles(mut needles: Vec<Needle>) -> Self {
        needles.sort();
        needles.dedup();
        let mut made = Self { by_first: vec![Vec::new(); 256], pairs: vec![0; 1024], needles, is_for_good: false };
        for (index, needle) in made.needles.iter().enumerate() {
            made.by_first[usize::from(needle.bytes[0])].push(index);
            let pair = pair(needle.bytes[0], needle.bytes[1]);
            made.pairs[pair / 64] |= 1 << (pair % 64);
        }
        made
    }

    /// Length of the longest secret's spelling that begins here.
    fn at(&self, text: &[u8], at: usize) -> Option<usize> {
        let first = *text.get(at)?;
        let next = *text.get(at + 1)?;
        if !is_escape(first) && !is_escape(next) {
            let pair = pair(first, next);
            if self.pairs[pair / 64] >> (pair % 64) & 1 == 0 {
                return None;
            }
            let begin = [first, next];
            let start = self.needles.partition_point(|needle| needle.bytes[..2] < begin[..]);
            let alike = self.needles[start..].iter();
            let alike = alike.take_while(|needle| needle.bytes.starts_with(&begin));
            return alike.filter_map(|needle| Self::matched(text, at, needle)).max();
        }
        let mut length = None;
        let mut look = |byte: u8| {
            for index in &self.by_first[usize::from(byte)] {
                length = length.max(Self::matched(text, at, &self.needles[*index]));
            }
        };
        look(first);
        for unit in units(&text[at..]).into_iter().flatten() {
            look(unit.bytes[0]);
        }
        length
    }

    fn matched(text: &[u8], at: usize, needle: &Needle) -> Option<usize> {
        let length = spelled(&text[at..], &needle.bytes)?;
        if needle.is_word {
            let touches = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
            let before = at.checked_sub(1).and_then(|at| text.get(at));
            let is_encoded = at >= 3 && text[at - 3] == b'%';
            if (touches(before) && !is_encoded) || touches(text.get(at + length)) {
                return None;
            }
        }
        Some(length)
    }

    /// The next secret from a position on: where it is, and its length.
    pub fn next(&self, text: &[u8], from: usize) -> Option<(usize, usize)> {
        if self.needles.is_empty() {
            return None;
        }
        (from..text.len()).find_map(|at| Some(self.whole(text, from, at, self.at(text, at)?)))
    }

    /// A secret with the characters of base64 on both sides that hold its first and last bytes: three at most, as bytes and
    /// groups do not begin together.
    fn whole(&self, text: &[u8], from: usize, at: usize, length: usize) -> (usize, usize) {
        let found = &text[at..at + length];
        let is_of_base64 = |needle: &Needle| needle.is_base64 && needle.bytes == found;
        let start = self.needles.partition_point(|needle| needle.bytes.as_slice() < found);
        if !self.is_for_good
            || !self.needles[start..].iter().take_while(|needle| needle.bytes == found).any(is_of_base64)
        {
            return (at, length);
        }
        let is_sign = |byte: &&u8| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte);
        let before = text[from..at].iter().rev().take(3).take_while(is_sign).count();
        let after = text[at + length..].iter().take(3).take_while(is_sign).count();
        (at - before, before + length + after)
    }
}

fn pair(first: u8, next: u8) -> usize {
    usize::from(first) << 8 | usize::from(next)
}

/// Whether a secret is a word that others may hold: `test` in `latest`.
fn is_short_word(secret: &[u8]) -> bool {
    secret.len() < EVERYWHERE_BYTES_MIN && secret.iter().all(u8::is_ascii_alphabetic)
}

/// Every way in which a secret is written as a whole; single characters may be spelled otherwise still.
fn spellings(secret: &str) -> Vec<Needle> {
    let escaped = json(secret);
    let html = secret.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;");
    let is_word = is_short_word(secret.as_bytes())
        || secret.len() < EVERYWHERE_BYTES_MIN
        || secret.bytes().all(|byte| byte.is_ascii_digit());
    let texts = [secret.to_owned(), json(&escaped), escaped, html, nmax_text::percent::encode(secret)];
    let base64 = (0..3).flat_map(|offset| in_base64(secret.as_bytes(), offset));
    texts
        .into_iter()
        .map(|text| (text, is_word, false))
        .chain(base64.map(|text| (text, false, true)))
        .filter(|(text, ..)| text.len() >= 2)
        .map(|(text, is_word, is_base64)| Needle { bytes: text.into_bytes(), is_word, is_base64 })
        .collect()
}

/// A text as a string of JSON, without its quotes.
fn json(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out
}

/// What base64 of a text shows of a secret that begins at this byte of three: whole groups of four characters.
fn in_base64(secret: &[u8], offset: usize) -> Vec<String> {
    let start = (3 - offset) % 3;
    let Some(inner) = secret.get(start..) else {
        return Vec::new();
    };
    let inner = &inner[..inner.len() / 3 * 3];
    let both = [STANDARD_NO_PAD.encode(inner), URL_SAFE_NO_PAD.encode(inner)];
    both.into_iter().filter(|text| text.len() >= BASE64_MIN).collect()
}

fn is_escape(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | b'&' | b'+')
}

/// Length of the text's beginning that spells the needle. What both write alike is read as it is, so a needle that is
/// encoded itself is found too.
fn spelled(text: &[u8], needle: &[u8]) -> Option<usize> {
    let (mut at, mut done) = (0, 0);
    while done < needle.len() {
        let byte = *text.get(at)?;
        let unit = is_escape(byte).then(|| {
            let means = |unit: &Unit| {
                let spelling = &text[at..at + unit.length];
                needle[done..].starts_with(&unit.bytes[..unit.size]) && !needle[done..].starts_with(spelling)
            };
            units(&text[at..]).into_iter().flatten().find(means)
        });
        match unit.flatten() {
            Some(unit) => {
                at += unit.length;
                done += unit.size;
            }
            None if byte == needle[done] => {
                at += 1;
                done += 1;
            }
            None => return None,
        }
    }
    Some(at)
}

#[cfg(test)]
mod tests;
