//! The secrets file: `{ schema_version, key, values: { placeholder: value }, local: { placeholder: value } }`.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::Secrets;

/// Version of the file's form.
const SCHEMA_VERSION: u32 = 1;

/// A secrets file that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "line {line}, column {column}: {what}\n  help: `nmax record` and `nmax import` write the secrets file; record again if \
     it is lost"
)]
pub struct SecretsError {
    /// Line, from 1.
    pub line: usize,
    /// Column, from 1.
    pub column: usize,
    /// What is wrong; it repeats nothing of the file.
    pub what: String,
}

/// The file's members.
#[derive(Serialize, Deserialize)]
struct File {
    schema_version: u32,
    key: String,
    values: BTreeMap<String, String>,
    #[serde(default)]
    local: BTreeMap<String, String>,
}

impl Secrets {
    /// The secrets file's text. Whoever writes it gives it mode 0600.
    pub fn to_json(&self) -> String {
        let file = File {
            schema_version: SCHEMA_VERSION,
            key: self.key.iter().map(|byte| format!("{byte:02x}")).collect(),
            values: self.values.clone(),
            local: self.local.clone(),
        };
        serde_json::to_string_pretty(&file).expect("texts and a number") + "\n"
    }

    /// Reads a secrets file.
    pub fn from_json(text: &str) -> Result<Self, SecretsError> {
        let wrong = |what: &str| SecretsError {
            line: 1,
            column: 1,
            what: what.to_owned(),
        };
        let file: File = serde_json::from_str(text).map_err(|error| SecretsError {
            line: error.line(),
            column: error.column(),
            what: match error.classify() {
                serde_json::error::Category::Data => "this is JSON, but no secrets file".to_owned(),
                _ => "this is no JSON".to_owned(),
            },
        })?;
        if file.schema_version != SCHEMA_VERSION {
            return Err(wrong("another version of nmax wrote this secrets file"));
        }
        let mut secrets = Self::new(&key(&file.key).ok_or_else(|| wrong("the key is not 64 hexadecimal digits"))?);
        (secrets.values, secrets.local) = (file.values, file.local);
        secrets.sharpen();
        Ok(secrets)
    }
}

fn key(text: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    let (pairs, rest) = text.as_bytes().as_chunks::<2>();
    if pairs.len() != key.len() || !rest.is_empty() {
        return None;
    }
    for (byte, pair) in key.iter_mut().zip(pairs) {
        let digit = |digit: u8| char::from(digit).to_digit(16);
        *byte = u8::try_from(digit(pair[0])? * 16 + digit(pair[1])?).ok()?;
    }
    Some(key)
}
