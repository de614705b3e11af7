//! The signed permission of a run: what an injector may do for others, verified without asking anyone.
//!
//! A warrant is a PASETO of version 4, purpose *public* (Ed25519 over the pre-authentication encoding of header, message, footer and
//! implicit assertion; paseto-spec, docs/01-Protocol-Versions/Version4.md), keys are PASERK (`k4.secret.`, `k4.public.`). The footer
//! and the implicit assertion are empty. The signature says who permits; whether this injector agrees is for its own list of
//! targets to say.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair, UnparsedPublicKey};
use serde::{Deserialize, Serialize};

use crate::records::Spec;

const HEADER: &str = "v4.public.";
const SECRET: &str = "k4.secret.";
const PUBLIC: &str = "k4.public.";
const SEED_BYTES: usize = 32;
const SIGNATURE_BYTES: usize = 64;
/// Longest warrant that is looked at, bytes.
const BYTES_MAX: usize = 64 << 10;

/// What a user permits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Warrant {
    /// Id of the run.
    pub run: String,
    /// SHA-256 of plan and files, hex.
    pub plan: String,
    /// Hosts and ports that may be loaded, as `host:port`.
    pub targets: Vec<String>,
    /// Most iterations that all injectors together start per second; `None` where users decide.
    pub rate_per_s: Option<f64>,
    /// Most virtual users of all injectors together.
    pub users: u64,
    /// Regions whose injectors may take part; empty for all.
    pub regions: Vec<String>,
    /// Not valid before, s since 1970.
    pub not_before_s: u64,
    /// Everything has ended by then, s since 1970.
    pub expires_s: u64,
}

/// A key that signs.
pub struct SigningKey(Ed25519KeyPair);

/// A key that verifies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct PublicKey([u8; 32]);

/// Whose runs an injector takes part in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// Those of its own process, which need no warrant.
    #[default]
    Own,
    /// Those that the holder of one of these keys permits.
    Keys(Vec<PublicKey>),
}

/// Why a warrant or a key does not count.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WarrantError {
    /// The text is no key.
    #[error("this is not a key: it should begin with `{SECRET}` or `{PUBLIC}`\n  help: `nmax fleet key` makes a pair")]
    Key,
    /// The run brings none.
    #[error("the run has no warrant\n  help: sign it with `nmax fleet run --key FILE`")]
    None,
    /// The text is no warrant.
    #[error("the warrant is damaged: {0}")]
    Damaged(&'static str),
    /// Another key signed it.
    #[error(
        "none of the keys that this injector trusts signed the warrant\n  help: start it with `--trust KEY` of who may order runs"
    )]
    Untrusted,
    /// It is for something else.
    #[error("the warrant is for {what} {permitted}, and the run is {what} {asked}")]
    Other {
        /// What differs.
        what: &'static str,
        /// As permitted.
        permitted: String,
        /// As asked.
        asked: String,
    },
    /// Not yet, or not any more.
    #[error("the warrant is valid from {from_s} to {to_s} s since 1970, and it is {now_s}")]
    Time {
        /// First valid second.
        from_s: u64,
        /// Last valid second.
        to_s: u64,
        /// When it was looked at.
        now_s: u64,
    },
    /// The plan asks something that is not permitted.
    #[error("the warrant does not permit {0}")]
    NotPermitted(String),
}

impl SigningKey {
    /// The key of 32 random bytes.
    ///
    /// # Errors
    /// When they are not 32.
    pub fn from_seed(seed: &[u8]) -> Result<Self, WarrantError> {
        Ed25519KeyPair::from_seed_unchecked(seed).map(Self).map_err(|_| WarrantError::Key)
    }

    /// The key that a text is: `k4.secret.` and the seed with the public key.
    ///
    /// # Errors
    /// When it is none.
    pub fn parse(text: &str) -> Result<Self, WarrantError> {
        let bytes =
            text.trim().strip_prefix(SECRET).and_then(|text| BASE64.decode(text).ok()).ok_or(WarrantError::Key)?;
        let (seed, public) = bytes.split_at_checked(SEED_BYTES).ok_or(WarrantError::Key)?;
        Ed25519KeyPair::from_seed_and_public_key(seed, public).map(Self).map_err(|_| WarrantError::Key)
    }

    /// The text of the key of 32 random bytes.
    ///
    /// # Errors
    /// When they are not 32.
    pub fn text_of(seed: &[u8]) -> Result<String, WarrantError> {
        let PublicKey(public) = Self::from_seed(seed)?.public();
        Ok(format!("{SECRET}{}", BASE64.encode([seed, &public].concat())))
    }

    /// The key that verifies.
    pub fn public(&self) -> PublicKey {
        let mut bytes = [0; 32];
        bytes.copy_from_slice(self.0.public_key().as_ref());
        PublicKey(bytes)
    }

    /// A message that only the holder of this key can have written.
    pub fn sign(&self, message: &[u8]) -> String {
        let signature = self.0.sign(&authenticated(message));
        format!("{HEADER}{}", BASE64.encode([message, signature.as_ref()].concat()))
    }
}

impl std::fmt::Debug for SigningKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SigningKey({})", self.public())
    }
}

impl std::fmt::Display for PublicKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{PUBLIC}{}", BASE64.encode(self.0))
    }
}

impl std::str::FromStr for PublicKey {
    type Err = WarrantError;

    fn from_str(text: &str) -> Result<Self, WarrantError> {
        let bytes = text.trim().strip_prefix(PUBLIC).and_then(|text| BASE64.decode(text).ok());
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or(WarrantError::Key)
    }
}

/// The message of a signed text, when one of these keys signed it.
///
/// # Errors
/// When it is damaged, or none of them did.
pub fn verify(text: &str, keys: &[PublicKey]) -> Result<Vec<u8>, WarrantError> {
    if text.len() > BYTES_MAX {
        return Err(WarrantError::Damaged("it is too long"));
    }
    let body = text.strip_prefix(HEADER).ok_or(WarrantError::Damaged("it does not begin with `v4.public.`"))?;
    let bytes = BASE64.decode(body).map_err(|_| WarrantError::Damaged("it is not base64"))?;
    let length = bytes.len().checked_sub(SIGNATURE_BYTES).ok_or(WarrantError::Damaged("it is too short"))?;
    let (message, signature) = bytes.split_at(length);
    let signed = authenticated(message);
    let is_of = |key: &PublicKey| UnparsedPublicKey::new(&ED25519, key.0).verify(&signed, signature).is_ok();
    if keys.iter().any(is_of) { Ok(message.to_vec()) } else { Err(WarrantError::Untrusted) }
}

/// The pre-authentication encoding of header, message, empty footer and empty implicit assertion.
fn authenticated(message: &[u8]) -> Vec<u8> {
    let parts = [HEADER.as_bytes(), message, b"", b""];
    let mut bytes = (parts.len() as u64).to_le_bytes().to_vec();
    for part in parts {
        bytes.extend_from_slice(&(part.len() as u64).to_le_bytes());
        bytes.extend_from_slice(part);
    }
    bytes
}

impl Warrant {
    /// The warrant as it travels.
    pub fn sign(&self, key: &SigningKey) -> String {
        key.sign(&crate::records::encode(self))
    }

    /// The warrant that one of these keys signed.
    ///
    /// # Errors
    /// When it is damaged, or none of them did.
    pub fn verify(text: &str, keys: &[PublicKey]) -> Result<Self, WarrantError> {
        let message = verify(text, keys)?;
        serde_json::from_slice(&message).map_err(|_| WarrantError::Damaged("it does not say what is permitted"))
    }

    /// Whether it permits this run to an injector of a region, at an instant in s since 1970.
    ///
    /// # Errors
    /// Why it does not.
    pub fn permits(&self, spec: &Spec, region: Option<&str>, now_s: u64) -> Result<(), WarrantError> {
        let other = |what, permitted: &str, asked: &str| {
            let (permitted, asked) = (permitted.into(), asked.into());
            if permitted == asked { Ok(()) } else { Err(WarrantError::Other { what, permitted, asked }) }
        };
        other("run", &self.run, &spec.run)?;
        other("plan", &self.plan, &spec.plan)?;
        let is_open =
            self.regions.is_empty() || region.is_some_and(|region| self.regions.iter().any(|of| of == region));
        if !is_open {
            return Err(WarrantError::NotPermitted(format!("injectors of region {}", region.unwrap_or("none"))));
        }
        if (self.not_before_s..self.expires_s).contains(&now_s) {
            return Ok(());
        }
        Err(WarrantError::Time { from_s: self.not_before_s, to_s: self.expires_s, now_s })
    }

    /// Whether it permits what a plan asks: targets as `host:port`, iterations per second, virtual users.
    ///
    /// # Errors
    /// The first thing that it does not permit.
    pub fn covers<'a>(
        &self,
        targets: impl IntoIterator<Item = &'a str>,
        rate_per_s: Option<f64>,
        users: u64,
    ) -> Result<(), WarrantError> {
        let not = |what: String| Err(WarrantError::NotPermitted(what));
        if let Some(target) = targets.into_iter().find(|target| !self.targets.iter().any(|of| of == target)) {
            return not(format!("the target {target}"));
        }
        match (rate_per_s, self.rate_per_s) {
            (Some(rate), Some(most)) if rate <= most => {}
            (None, _) => {}
            (Some(rate), most) => return not(format!("{rate} iterations per second, but {}", most.unwrap_or(0.0))),
        }
        if users > self.users { not(format!("{users} virtual users, but {}", self.users)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests;
