//! The secrets file: `{ schema_version, key, values: { placeholder: value }, local: { placeholder: value }, bare: {
//! placeholder: [quotes, value] } }`.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::Secrets;

/// Version of the file's form.
const SCHEMA_VERSION: u64 = 1;

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

impl Secrets {
    /// The secrets file's text. Whoever writes it gives it mode 0600.
    pub fn to_json(&self) -> String {
        let key: String = self.key.iter().map(|byte| format!("{byte:02x}")).collect();
        let (values, local, bare) = (&self.values, &self.local, &self.bare);
        let file =
            json!({ "schema_version": SCHEMA_VERSION, "key": key, "values": values, "local": local, "bare": bare });
        format!("{file:#}\n")
    }

    /// Reads a secrets file.
    pub fn from_json(text: &str) -> Result<Self, SecretsError> {
        let wrong = |what: &str| SecretsError { line: 1, column: 1, what: what.to_owned() };
        let file: Value = serde_json::from_str(text).map_err(|error| SecretsError {
            line: error.line(),
            column: error.column(),
            what: "this is not JSON".to_owned(),
        })?;
        match file.get("schema_version").and_then(Value::as_u64) {
            Some(SCHEMA_VERSION) => {}
            Some(_) => return Err(wrong("another version of nmax wrote this secrets file")),
            None => return Err(wrong("this is JSON, but not a secrets file")),
        }
        let key = file.get("key").and_then(Value::as_str).and_then(key);
        let mut secrets = Self::new(&key.ok_or_else(|| wrong("the key is not 64 hexadecimal digits"))?);
        let values = |name| values(file.get(name)).ok_or_else(|| wrong("`values` and `local` hold more than texts"));
        (secrets.values, secrets.local) = (values("values")?, values("local")?);
        secrets.bare = bare(file.get("bare")).ok_or_else(|| wrong("`bare` holds more than pairs of texts"))?;
        secrets.sharpen();
        Ok(secrets)
    }
}

/// Texts by placeholder; `None` when something else is among them.
fn values(member: Option<&Value>) -> Option<BTreeMap<String, String>> {
    member.map_or_else(|| Some(BTreeMap::new()), |member| serde_json::from_value(member.clone()).ok())
}

/// Pairs of texts by placeholder; `None` when something else is among them.
fn bare(member: Option<&Value>) -> Option<BTreeMap<String, (String, String)>> {
    member.map_or_else(|| Some(BTreeMap::new()), |member| serde_json::from_value(member.clone()).ok())
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
