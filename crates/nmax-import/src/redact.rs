//! Secrets leave everything that is stored, and stay replayable.
//!
//! A secret is what a name says to be one (passwords, tokens, cookies, logins; see [`nmax_plan::secret`]) and what has a
//! secret's shape (JSON Web Tokens, card numbers). It is replaced in its place, and wherever else it occurs, however it
//! is spelled there. What stands for it, `nmax-secret-` and 16 hexadecimal digits, is HMAC-SHA256 of its spelling under
//! the recording's key: equal secrets stay equal, and nothing can be read from it.
//!
//! Laws: `restore(redact(r)) = r`; no secret that is long enough to be told from other text occurs in what is stored.
//!
//! Values that are short or plain (a cookie `theme=dark`, a PIN of three digits) are replaced in their place only:
//! whoever replaced each `dark` would leave nothing readable and hide nothing.
//!
//! # Layout
//! - `texts`: all texts of a recording; `spots`: secrets in their places; `decode`: their values
//! - `needles`: secrets wherever they occur; `cards`: numbers of cards; `file`: the secrets file

use std::collections::{BTreeMap, BTreeSet};

use ring::hmac;

use crate::recording::Recording;

mod cards;
mod decode;
mod file;
mod needles;
mod spots;
mod texts;

pub use file::SecretsError;
pub use needles::Needles;
use spots::Found;

/// What every placeholder begins with.
const PREFIX: &str = "nmax-secret-";
/// Bytes of a placeholder.
const PLACEHOLDER: usize = PREFIX.len() + 16;
/// Bytes from which on a secret is looked for inside of words.
const EVERYWHERE_MIN: usize = 6;
/// Bytes of the shortest and the longest secret that is looked for everywhere.
const LOOKED_FOR: std::ops::RangeInclusive<usize> = 4..=4096;

/// How sure it is that a value is a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Grade {
    /// Its name or shape says so.
    Strong,
    /// It stands where secrets are, among others: a cookie.
    Weak,
}

/// Secrets of recordings under one key: what stands for each of them, and back.
#[derive(Clone)]
pub struct Secrets {
    key: [u8; 32],
    /// Secrets wherever they occur, in every spelling that occurred, by placeholder.
    values: BTreeMap<String, String>,
    /// Values that are secrets only in their place, by placeholder.
    local: BTreeMap<String, String>,
    /// How many places were replaced. The secrets file does not keep it.
    pub redactions: usize,
    needles: Needles,
}

/// Two are equal when they say the same of every recording.
impl PartialEq for Secrets {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.values, &self.local) == (&other.key, &other.values, &other.local)
    }
}

/// Shows how many there are, and none of them.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({} values, {} local)", self.values.len(), self.local.len())
    }
}

/// Takes the secrets out of a recording; [`Secrets::restore`] puts them back. O(size) twice.
pub fn redact(recording: &mut Recording, key: &[u8; 32]) -> Secrets {
    let mut secrets = Secrets::new(key);
    let mut wanted = BTreeSet::new();
    texts::each(recording, &mut |text, place| {
        collect(text, spots::find(text, place), &mut wanted);
        None
    });
    for value in &wanted {
        secrets.values.insert(secrets.make(value), value.clone());
    }
    secrets.needles = Needles::new(wanted.iter().map(String::as_str));
    texts::each(recording, &mut |text, place| {
        let spots = spots::find(text, place);
        secrets.replace(text, &spots)
    });
    secrets
}

/// The secrets of a recording, which stays as it is. Memory: a copy of it.
pub fn find(recording: &Recording, key: &[u8; 32]) -> Secrets {
    redact(&mut recording.clone(), key)
}

/// Values to be looked for everywhere.
fn collect(text: &[u8], found: Found, wanted: &mut BTreeSet<String>) {
    let value = |spot: &spots::Spot| {
        let written = std::str::from_utf8(text.get(spot.range.clone())?).ok()?;
        Some((decode::decoded(written, spot.coding), spot.grade))
    };
    let values = found.spots.iter().filter_map(value).chain(found.inside.iter().cloned());
    wanted.extend(values.filter(|(value, grade)| is_everywhere(value, *grade)).map(|(value, _)| value));
}

/// Whether a value is looked for everywhere.
fn is_everywhere(value: &str, grade: Grade) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    if !LOOKED_FOR.contains(&value.len()) || PREFIX.contains(&lower) || is_placeholder(value.as_bytes()) {
        return false;
    }
    match grade {
        // A password `password`: the word says nothing wherever else it stands.
        Grade::Strong if is_word && nmax_plan::secret::is_secret_name(value) => false,
        Grade::Strong if is_word || is_number => value.len() >= EVERYWHERE_MIN,
        Grade::Strong => true,
        Grade::Weak => looks_random(value),
    }
}

/// Whether a value looks as if a machine had made it to be hard to guess.
fn looks_random(value: &str) -> bool {
    let any = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    let (has_digit, has_small) = (any(u8::is_ascii_digit), any(u8::is_ascii_lowercase));
    let has_letter = has_small || any(u8::is_ascii_uppercase);
    let has_blank = any(u8::is_ascii_whitespace);
    let is_mixed = (has_digit && has_letter) || (value.len() >= 16 && has_small && any(u8::is_ascii_uppercase));
    value.len() >= 8 && is_mixed && !has_blank
}

/// Whether a text is a placeholder.
fn is_placeholder(text: &[u8]) -> bool {
    placeholder_at(text) == Some(text.len())
}

/// Length of the placeholder that a text begins with.
fn placeholder_at(text: &[u8]) -> Option<usize> {
    let digits = text.strip_prefix(PREFIX.as_bytes())?.get(..16)?;
    let is_hex = |byte: &u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    digits.iter().all(is_hex).then_some(PLACEHOLDER)
}

impl Secrets {
    /// No secrets yet.
    pub fn new(key: &[u8; 32]) -> Self {
        Self { key: *key, values: BTreeMap::new(), local: BTreeMap::new(), redactions: 0, needles: Needles::new([]) }
    }

    /// What stands for a text: HMAC-SHA256 under the key, its first 64 bits.
    fn make(&self, text: &str) -> String {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.key), text.as_bytes());
        let hex: String = tag.as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{PREFIX}{hex}")
    }

    /// A text with placeholders for secrets in their places, and for those that are looked for everywhere; `None` when
    /// it has none.
    fn replace(&mut self, text: &[u8], found: &Found) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        let mut from = 0;
        for spot in &found.spots {
            self.sweep(text, from, spot.range.start, &mut out);
            let Ok(written) = std::str::from_utf8(&text[spot.range.clone()]) else {
                continue;
            };
            let value = decode::decoded(written, spot.coding);
            self.put(written, is_everywhere(&value, spot.grade), &mut out);
            from = spot.range.end;
        }
        self.sweep(text, from, text.len(), &mut out);
        (out != text).then_some(out)
    }

    /// Copies a range of a text, with placeholders for the secrets in it.
    fn sweep(&mut self, text: &[u8], mut from: usize, to: usize, out: &mut Vec<u8>) {
        while let Some((at, length)) = self.needles.next(&text[..to], from) {
            out.extend_from_slice(&text[from..at]);
            from = at + length;
            match std::str::from_utf8(&text[at..from]) {
                Ok(written) => self.put(written, true, out),
                Err(_) => out.extend_from_slice(&text[at..from]),
            }
        }
        out.extend_from_slice(&text[from..to]);
    }

    fn put(&mut self, written: &str, is_everywhere: bool, out: &mut Vec<u8>) {
        let placeholder = self.make(written);
        out.extend_from_slice(placeholder.as_bytes());
        self.redactions += 1;
        if is_everywhere {
            self.values.insert(placeholder, written.to_owned());
        } else {
            self.local.insert(placeholder, written.to_owned());
        }
    }

    fn value(&self, placeholder: &str) -> Option<&str> {
        let value = self.values.get(placeholder).or_else(|| self.local.get(placeholder));
        value.map(String::as_str)
    }

    /// Puts the values back where their placeholders stand; how many placeholders have no value. O(size).
    pub fn restore(&self, recording: &mut Recording) -> usize {
        let mut unknown = 0;
        texts::each(recording, &mut |text, _| {
            let (new, missing) = self.revealed(text);
            unknown += missing;
            new
        });
        unknown
    }

    /// A text with values in the place of their placeholders.
    pub fn reveal(&self, text: &str) -> String {
        let new = self.revealed(text.as_bytes()).0;
        new.and_then(|new| String::from_utf8(new).ok()).unwrap_or_else(|| text.to_owned())
    }

    /// The text with values, `None` when it has no placeholder; and how many have no value.
    fn revealed(&self, text: &[u8]) -> (Option<Vec<u8>>, usize) {
        let (mut out, mut from, mut at, mut unknown) = (Vec::new(), 0, 0, 0);
        while let Some(length) = text[at..].iter().position(|byte| *byte == PREFIX.as_bytes()[0]) {
            at += length;
            let Some(length) = placeholder_at(&text[at..]) else {
                at += 1;
                continue;
            };
            let value = std::str::from_utf8(&text[at..at + length]).ok().and_then(|text| self.value(text));
            if let Some(value) = value {
                out.extend_from_slice(&text[from..at]);
                out.extend_from_slice(value.as_bytes());
                from = at + length;
            } else {
                unknown += 1;
            }
            at += length;
        }
        if from == 0 {
            return (None, unknown);
        }
        out.extend_from_slice(&text[from..]);
        (Some(out), unknown)
    }

    /// A text with placeholders in the place of secrets, however they are spelled in it. [`Self::reveal`] undoes it for
    /// the spellings that the recording has.
    pub fn hide(&self, text: &str) -> String {
        let (mut out, mut from) = (String::new(), 0);
        while let Some((at, length)) = self.needles.next(text.as_bytes(), from) {
            let (Some(before), Some(written)) = (text.get(from..at), text.get(at..at + length)) else {
                break;
            };
            out.push_str(before);
            out.push_str(&self.make(written));
            from = at + length;
        }
        out.push_str(text.get(from..).unwrap_or_default());
        out
    }

    /// Whether a text is a secret or holds one, of those that are looked for everywhere. O(length).
    pub fn is_secret(&self, text: &str) -> bool {
        self.needles.next(text.as_bytes(), 0).is_some()
    }

    /// Whether the bytes of a file hold a secret: one that is looked for everywhere, or one that its name or shape says to
    /// be there. O(length).
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.needles.next(bytes, 0).is_some() || !spots::find(bytes, spots::Place::Data).spots.is_empty()
    }

    /// What stands for a value that is a secret, if only in its place.
    pub fn placeholder(&self, value: &str) -> Option<String> {
        Some(self.make(value)).filter(|placeholder| self.value(placeholder).is_some())
    }

    /// Joins the secrets of another recording under the same key.
    pub fn absorb(&mut self, other: Self) {
        self.values.extend(other.values);
        self.local.extend(other.local);
        self.redactions += other.redactions;
        self.sharpen();
    }

    /// Makes the needles from the values.
    fn sharpen(&mut self) {
        self.needles = Needles::new(self.values.values().map(String::as_str));
    }

    /// The key.
    pub fn key(&self) -> &[u8; 32] {
        &self.key
    }
}
