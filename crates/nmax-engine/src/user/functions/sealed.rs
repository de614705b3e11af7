//! Encryption that one call does and another undoes: AES-256-GCM under the SHA-256 of a key.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use nmax_plan::choice::Choice;
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::digest;

fn key_of(key: &str) -> Result<LessSafeKey, String> {
    let bytes = digest::digest(&digest::SHA256, key.as_bytes());
    let key = UnboundKey::new(&AES_256_GCM, bytes.as_ref()).map_err(|_| "the key is refused".to_owned())?;
    Ok(LessSafeKey::new(key))
}

/// Nonce, ciphertext and tag as base64url. The nonce is of this call alone: another call of the run has another one.
pub(super) fn encrypt(key: &str, text: &str, choice: Choice) -> Result<String, String> {
    let mut nonce = [0; NONCE_LEN];
    nonce[..8].copy_from_slice(&choice.u64(0).to_be_bytes());
    nonce[8..].copy_from_slice(&choice.u64(1).to_be_bytes()[..NONCE_LEN - 8]);
    let mut sealed = text.as_bytes().to_vec();
    key_of(key)?
        .seal_in_place_append_tag(Nonce::assume_unique_for_key(nonce), Aad::empty(), &mut sealed)
        .map_err(|_| "the text is too long".to_owned())?;
    Ok(BASE64_URL_SAFE_NO_PAD.encode([&nonce, sealed.as_slice()].concat()))
}

/// The text that [`encrypt`] was given.
pub(super) fn decrypt(key: &str, text: &str) -> Result<String, String> {
    let mut bytes = super::base64_decode(text)?;
    if bytes.len() < NONCE_LEN + AES_256_GCM.tag_len() {
        return Err("the text is too short to be encrypted".to_owned());
    }
    let mut sealed = bytes.split_off(NONCE_LEN);
    let nonce = Nonce::try_assume_unique_for_key(&bytes).map_err(|_| "the nonce is refused".to_owned())?;
    let key = key_of(key)?;
    let plain = key.open_in_place(nonce, Aad::empty(), &mut sealed);
    let plain = plain.map_err(|_| "the text is not of this key, or was changed".to_owned())?;
    super::text(plain.to_vec())
}
