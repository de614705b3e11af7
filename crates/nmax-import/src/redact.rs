//! Secrets leave everything that is stored, and stay replayable.

use std::collections::BTreeMap;

use crate::recording::Recording;

/// Secrets of recordings under one key: what stands for each of them, and back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secrets {
    key: [u8; 32],
    /// Secrets wherever they occur, by placeholder, in every spelling that occurred.
    values: BTreeMap<String, String>,
    /// Values that are secrets only in their place, such as a cookie `theme=dark`.
    local: BTreeMap<String, String>,
    /// How many places were replaced.
    pub redactions: usize,
}

/// Takes the secrets out of a recording. `Secrets::restore` puts them back.
pub fn redact(recording: &mut Recording, key: &[u8; 32]) -> Secrets {
    let _ = recording;
    Secrets::new(key)
}

/// The secrets of a recording, which stays as it is.
pub fn find(recording: &Recording, key: &[u8; 32]) -> Secrets {
    redact(&mut recording.clone(), key)
}

impl Secrets {
    /// No secrets yet.
    pub fn new(key: &[u8; 32]) -> Self {
        Self {
            key: *key,
            values: BTreeMap::new(),
            local: BTreeMap::new(),
            redactions: 0,
        }
    }

    /// Puts the values back where their placeholders stand; how many placeholders have no value.
    pub fn restore(&self, recording: &mut Recording) -> usize {
        let _ = recording;
        0
    }

    /// A text with values in the place of their placeholders.
    pub fn reveal(&self, text: &str) -> String {
        text.to_owned()
    }

    /// A text with placeholders in the place of secrets, however they are spelled in it.
    pub fn hide(&self, text: &str) -> String {
        text.to_owned()
    }

    /// Whether a value is a secret, or holds one.
    pub fn is_secret(&self, value: &str) -> bool {
        self.hide(value) != value
    }

    /// What stands for a value that is a secret.
    pub fn placeholder(&self, value: &str) -> Option<String> {
        let _ = value;
        None
    }

    /// Joins the secrets of another recording under the same key.
    pub fn absorb(&mut self, other: Self) {
        self.values.extend(other.values);
        self.local.extend(other.local);
        self.redactions += other.redactions;
    }

    /// The key.
    pub fn key(&self) -> &[u8; 32] {
        &self.key
    }

    /// The secrets file's text.
    pub fn to_json(&self) -> String {
        String::new()
    }

    /// Reads a secrets file.
    pub fn from_json(text: &str) -> Result<Self, SecretsError> {
        let _ = text;
        Ok(Self::new(&[0; 32]))
    }
}

/// A secrets file that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}, column {column}: {what}\n  help: a secrets file is written by `nmax record` and `nmax import`; record again if it is lost"
)]
pub struct SecretsError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong.
    pub what: String,
}
