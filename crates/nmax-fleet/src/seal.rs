//! Plans, data and secrets on their way: sealed with a key that the injectors of a fleet and those who order its runs share.
//!
//! ChaCha20-Poly1305 (RFC 8439) with a nonce of 12 random bytes before the text; what it belongs to (run and purpose) is
//! authenticated with it, so a sealed text cannot stand in for another. With random nonces a key is good for 2^32 texts.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};

const PREFIX: &str = "nmax.seal.";
/// Bytes of a key.
pub const KEY_BYTES: usize = 32;
/// Bytes of a nonce.
pub const NONCE_BYTES: usize = NONCE_LEN;

/// A key that seals and opens.
#[derive(Clone, PartialEq, Eq)]
pub struct SealKey([u8; KEY_BYTES]);

/// Why a sealed text cannot be opened, or a key cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SealError {
    /// The text is not a key.
    #[error("this is not a key: it should begin with `{PREFIX}`\n  help: `nmax fleet key` makes the keys of a fleet")]
    Key,
    /// Another key sealed it, or it was changed.
    #[error(
        "it was sealed with another key, or changed on its way\n  help: give every injector the trust file of this fleet"
    )]
    Sealed,
}

impl SealKey {
    /// The key of 32 random bytes.
    pub fn new(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }

    /// Seals a text of `purpose`, which the opener must name too. A nonce is random and used once.
    pub fn seal(&self, purpose: &str, nonce: [u8; NONCE_BYTES], text: &[u8]) -> Vec<u8> {
        let mut sealed = text.to_vec();
        let aad = Aad::from(purpose.as_bytes());
        let done = self.key().seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), aad, &mut sealed);
        // It fails for texts of 256 GiB.
        if done.is_err() {
            sealed.clear();
        }
        [&nonce[..], &sealed].concat()
    }

    /// Opens a text that was sealed for `purpose`.
    ///
    /// # Errors
    /// When it was not, or was changed.
    pub fn open(&self, purpose: &str, sealed: &[u8]) -> Result<Vec<u8>, SealError> {
        let (nonce, text) = sealed.split_first_chunk::<NONCE_BYTES>().ok_or(SealError::Sealed)?;
        let mut text = text.to_vec();
        let nonce = Nonce::assume_unique_for_key(*nonce);
        let opened = self.key().open_in_place(nonce, Aad::from(purpose.as_bytes()), &mut text);
        let length = opened.map_err(|_| SealError::Sealed)?.len();
        text.truncate(length);
        Ok(text)
    }

    fn key(&self) -> LessSafeKey {
        // 32 bytes are a key of this algorithm.
        match UnboundKey::new(&CHACHA20_POLY1305, &self.0) {
            Ok(key) => LessSafeKey::new(key),
            Err(_) => unreachable!("a key has {KEY_BYTES} bytes"),
        }
    }
}

impl std::fmt::Debug for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SealKey(..)")
    }
}

/// As it stands in a file of keys.
impl std::fmt::Display for SealKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{PREFIX}{}", BASE64.encode(self.0))
    }
}

impl std::str::FromStr for SealKey {
    type Err = SealError;

    fn from_str(text: &str) -> Result<Self, SealError> {
        let bytes = text.trim().strip_prefix(PREFIX).and_then(|text| BASE64.decode(text).ok());
        bytes.and_then(|bytes| bytes.try_into().ok()).map(Self).ok_or(SealError::Key)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// Law: what is sealed is opened by the same key for the same purpose, and by nothing else.
        #[test]
        fn what_is_sealed_is_opened_by_its_key(text in prop::collection::vec(any::<u8>(), 0..200), nonce: [u8; 12], key: [u8; 32], at in any::<prop::sample::Index>()) {
            let sealing = SealKey::new(key);
            let mut sealed = sealing.seal("run r, plan", nonce, &text);
            prop_assert_eq!(sealing.open("run r, plan", &sealed), Ok(text));
            prop_assert_eq!(sealing.open("run s, plan", &sealed), Err(SealError::Sealed));
            let mut other = key;
            other[0] ^= 1;
            prop_assert_eq!(SealKey::new(other).open("run r, plan", &sealed), Err(SealError::Sealed));
            prop_assert_eq!(sealing.to_string().parse(), Ok(sealing.clone()));
            let at = at.index(sealed.len());
            sealed[at] ^= 1;
            prop_assert_eq!(sealing.open("run r, plan", &sealed), Err(SealError::Sealed));
            sealed.truncate(at);
            prop_assert_eq!(sealing.open("run r, plan", &sealed), Err(SealError::Sealed));
        }
    }

    #[test]
    fn a_key_is_not_shown() {
        assert_eq!(format!("{:?}", SealKey::new([7; 32])), "SealKey(..)");
        assert!("nmax.seal.AAAA".parse::<SealKey>().is_err() && "x".parse::<SealKey>().is_err());
    }
}
