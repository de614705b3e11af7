//! Secrets leave everything that is stored, and stay replayable.
//!
//! A secret is what a name says to be one (passwords, tokens, cookies, logins) and what has a secret's shape (JSON Web
//! Tokens, card numbers): see [`nmax_secrets`]. It is replaced in its place, and wherever else it occurs, however it
//! is spelled there. What stands for it, `nmax-secret-` and 16 hexadecimal digits, is HMAC-SHA256 of its spelling under
//! the recording's key: equal secrets stay equal, and nothing can be read from it.
//!
//! Laws: `restore(redact(r)) = r`; no secret that is long enough to be told from other text occurs in what is stored.
//!
//! Values that are short or plain (a cookie `theme=dark`, a PIN of three digits) are replaced in their place only:
//! whoever replaced each `dark` would leave nothing readable and hide nothing.
//!
//! # Layout
//! - `texts`: all texts of a recording; `file`: the secrets file

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use nmax_secrets::{
    EVERYWHERE_BYTES_MIN, FoundSecrets, Grade, Needles, PLACEHOLDER_PREFIX, Rules, Spot, TextKind, is_placeholder,
    looks_random, placeholder_at,
};
use ring::hmac;

use crate::recording::Recording;

mod file;
mod texts;

pub use file::SecretsError;

/// Bytes of the shortest and the longest secret that is looked for everywhere.
const LOOKED_FOR: std::ops::RangeInclusive<usize> = 4..=4096;

/// How often a recording is gone through, at most, until a search finds nothing more: two times as a rule.
const PASSES_MAX: usize = 16;

/// Secrets of recordings under one key: what stands for each of them, and back.
#[derive(Clone)]
pub struct Secrets {
    key: [u8; 32],
    /// Secrets wherever they occur, in every spelling that occurred, by placeholder.
    values: BTreeMap<String, String>,
    /// Values that are secrets only in their place, by placeholder.
    local: BTreeMap<String, String>,
    /// Values of JSON that have no quotes, by the placeholder that has: the quotes, and the value.
    bare: BTreeMap<String, (String, String)>,
    /// How many places were replaced. The secrets file does not keep it.
    pub redactions: usize,
    needles: Arc<Needles>,
}

/// Two are equal when they say the same of every recording.
impl PartialEq for Secrets {
    fn eq(&self, other: &Self) -> bool {
        (&self.key, &self.values, &self.local, &self.bare) == (&other.key, &other.values, &other.local, &other.bare)
    }
}

/// Shows how many there are, and none of them.
impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Secrets({} values, {} local)", self.values.len(), self.local.len() + self.bare.len())
    }
}

/// Takes the secrets out of a recording; [`Secrets::restore`] puts them back. O(size) for each pass.
pub fn redact(recording: &mut Recording, key: &[u8; 32]) -> Secrets {
    let mut secrets = Secrets::new(key);
    let mut wanted = BTreeSet::new();
    texts::each(recording, &mut |text, kind| {
        collect(nmax_secrets::find(text, kind, Rules::default()), &mut wanted);
        None
    });
    for value in &wanted {
        secrets.values.insert(secrets.make(value), value.clone());
    }
    secrets.needles = Arc::new(Needles::new(wanted.iter().map(String::as_str)));
    // A placeholder may end another name or value than its secret did.
    for _ in 0..PASSES_MAX {
        let before = secrets.redactions;
        texts::each(recording, &mut |text, kind| secrets.replace(text, kind));
        if secrets.redactions == before {
            break;
        }
    }
    secrets
}

/// The secrets of a recording, which stays as it is. Memory: a copy of it.
pub fn find(recording: &Recording, key: &[u8; 32]) -> Secrets {
    redact(&mut recording.clone(), key)
}

/// Values to be looked for everywhere.
fn collect(found: FoundSecrets, wanted: &mut BTreeSet<String>) {
    let values = found.spots.into_iter().map(|spot| (spot.value, spot.grade)).chain(found.inside);
    wanted.extend(values.filter(|(value, grade)| is_everywhere(value, *grade)).map(|(value, _)| value));
}

/// Whether a value is looked for everywhere.
fn is_everywhere(value: &str, grade: Grade) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_word = value.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_number = value.bytes().all(|byte| byte.is_ascii_digit());
    if !LOOKED_FOR.contains(&value.len()) || PLACEHOLDER_PREFIX.contains(&lower) || is_placeholder(value.as_bytes()) {
        return false;
    }
    match grade {
        // A password `password`: the word says nothing wherever else it stands.
        Grade::Strong if is_word && nmax_secrets::is_secret_name(value) => false,
        Grade::Strong if is_word || is_number => value.len() >= EVERYWHERE_BYTES_MIN,
        Grade::Strong => true,
        Grade::Weak => looks_random(value),
    }
}

impl Secrets {
    /// No secrets yet.
    pub fn new(key: &[u8; 32]) -> Self {
        let (values, local, bare) = Default::default();
        Self { key: *key, values, local, bare, redactions: 0, needles: Arc::new(Needles::new([])) }
    }

    /// What stands for a text: HMAC-SHA256 under the key, its first 64 bits.
    fn make(&self, text: &str) -> String {
        let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.key), text.as_bytes());
        let hex: String = tag.as_ref()[..8].iter().map(|byte| format!("{byte:02x}")).collect();
        format!("{PLACEHOLDER_PREFIX}{hex}")
    }

    /// A text with placeholders for secrets in their places, and for those that are looked for everywhere; `None` when
    /// it has none.
    fn replace(&mut self, text: &[u8], kind: TextKind<'_>) -> Option<Vec<u8>> {
        let needles = Arc::clone(&self.needles);
        let found = nmax_secrets::find(text, kind, Rules { needles: Some(&needles), ..Rules::default() });
        let mut out = Vec::new();
        let mut from = 0;
        for spot in &found.spots {
            let Ok(written) = std::str::from_utf8(&text[spot.range.clone()]) else {
                continue;
            };
            out.extend_from_slice(&text[from..spot.range.start]);
            self.put(written, spot, &mut out);
            from = spot.range.end;
        }
        out.extend_from_slice(&text[from..]);
        (out != text).then_some(out)
    }

    /// Writes what stands for a secret.
    fn put(&mut self, written: &str, spot: &Spot, out: &mut Vec<u8>) {
        let quotes = &spot.quotes;
        // A value of JSON without quotes is another one than the same in quotes.
        let placeholder = self.make(&format!("{quotes}{written}"));
        out.extend([quotes.as_bytes(), placeholder.as_bytes(), quotes.as_bytes()].concat());
        self.redactions += 1;
        if !quotes.is_empty() {
            self.bare.insert(placeholder, (quotes.clone(), written.to_owned()));
        } else if self.needles.next(written.as_bytes(), 0) == Some((0, written.len())) {
            self.values.insert(placeholder, written.to_owned());
        } else {
            self.local.insert(placeholder, written.to_owned());
        }
    }

    /// What a placeholder stands for, and the quotes that came with it.
    fn value(&self, placeholder: &str) -> Option<(&str, &str)> {
        let value = self.values.get(placeholder).or_else(|| self.local.get(placeholder));
        let value = value.map(|value| ("", value.as_str()));
        value.or_else(|| self.bare.get(placeholder).map(|(quotes, value)| (quotes.as_str(), value.as_str())))
    }

    /// Puts the values back where their placeholders stand; how many placeholders have no value. O(size).
    pub fn restore(&self, recording: &mut Recording) -> usize {
        let mut unknown = 0;
        texts::each(recording, &mut |text, _| {
            let (new, missing) = self.all_revealed(text);
            unknown += missing;
            new
        });
        unknown
    }

    /// A text with values in the place of their placeholders.
    pub fn reveal(&self, text: &str) -> String {
        let new = self.all_revealed(text.as_bytes()).0;
        new.and_then(|new| String::from_utf8(new).ok()).unwrap_or_else(|| text.to_owned())
    }

    /// The same as [`Self::revealed`], also of values that hold placeholders: those of a later pass do.
    fn all_revealed(&self, text: &[u8]) -> (Option<Vec<u8>>, usize) {
        let (mut whole, mut unknown) = self.revealed(text);
        for _ in 0..PASSES_MAX {
            let Some(again) = whole.as_ref().map(|text| self.revealed(text)) else { break };
            unknown = again.1;
            match again.0 {
                Some(more) => whole = Some(more),
                None => break,
            }
        }
        (whole, unknown)
    }

    /// The text with values, `None` when it has no placeholder; and how many have no value.
    fn revealed(&self, text: &[u8]) -> (Option<Vec<u8>>, usize) {
        let (mut out, mut from, mut at, mut unknown) = (Vec::new(), 0, 0, 0);
        while let Some(length) = text[at..].iter().position(|byte| *byte == PLACEHOLDER_PREFIX.as_bytes()[0]) {
            at += length;
            let Some(length) = placeholder_at(&text[at..]) else {
                at += 1;
                continue;
            };
            let placeholder = std::str::from_utf8(&text[at..at + length]).unwrap_or_default();
            if let Some((quotes, value)) = self.value(placeholder) {
                let is_quoted =
                    text[from..at].ends_with(quotes.as_bytes()) && text[at + length..].starts_with(quotes.as_bytes());
                let quotes = if is_quoted { quotes.len() } else { 0 };
                out.extend_from_slice(&text[from..at - quotes]);
                out.extend_from_slice(value.as_bytes());
                from = at + length + quotes;
                at = from;
            } else {
                unknown += 1;
                at += length;
            }
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

    /// A name of a request: secrets in it stand as what varies does.
    pub(crate) fn without(&self, name: &str) -> String {
        self.needles.masked(name, "{id}")
    }

    /// Whether a text is a secret or holds one, of those that are looked for everywhere. O(length).
    pub fn is_secret(&self, text: &str) -> bool {
        self.needles.next(text.as_bytes(), 0).is_some()
    }

    /// Whether the bytes of a file hold a secret: one that is looked for everywhere, or one that its name or shape says to
    /// be there. O(length).
    pub fn is_in(&self, bytes: &[u8]) -> bool {
        self.needles.next(bytes, 0).is_some()
            || !nmax_secrets::find(bytes, TextKind::Data, Rules::default()).spots.is_empty()
    }

    /// What stands for a value that is a secret, if only in its place.
    pub fn placeholder(&self, value: &str) -> Option<String> {
        Some(self.make(value)).filter(|placeholder| self.value(placeholder).is_some())
    }

    /// Joins the secrets of another recording under the same key.
    pub fn absorb(&mut self, other: Self) {
        self.values.extend(other.values);
        self.local.extend(other.local);
        self.bare.extend(other.bare);
        self.redactions += other.redactions;
        self.sharpen();
    }

    /// Makes the needles from the values.
    fn sharpen(&mut self) {
        self.needles = Arc::new(Needles::new(self.values.values().map(String::as_str)));
    }

    /// The key.
    pub fn key(&self) -> &[u8; 32] {
        &self.key
    }
}
