//! Secrets of the shop: session ids, password hashes, and signed tokens (JWT, HS256).

use ring::hmac::{self, HMAC_SHA256, Key};
use serde_json::{Value, json};

/// Life of a signed token, in seconds.
const TOKEN_LIFE_S: u64 = 3_600;

/// Signs with one key, derived from the target's seed: the same seed, the same tokens.
pub(crate) struct Signer {
    key: Key,
}

impl Signer {
    pub(crate) fn new(seed: u64) -> Self {
        let seed = [b"nmax-target shop ".as_slice(), &seed.to_be_bytes()].concat();
        Self { key: Key::new(HMAC_SHA256, &seed) }
    }

    /// 32 hexadecimal digits that belong to `purpose` and `text`.
    pub(crate) fn digest(&self, purpose: &str, text: &str) -> String {
        let mut context = hmac::Context::with_key(&self.key);
        context.update(purpose.as_bytes());
        context.update(&[0]);
        context.update(text.as_bytes());
        context.sign().as_ref()[..16].iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// A token that names `email`, valid for an hour from `now_s` (Unix seconds).
    pub(crate) fn issue(&self, email: &str, now_s: u64) -> String {
        let header = base64url(br#"{"alg":"HS256","typ":"JWT"}"#);
        let claims = json!({ "sub": email, "exp": now_s + TOKEN_LIFE_S });
        let signed = format!("{header}.{}", base64url(claims.to_string().as_bytes()));
        let signature = hmac::sign(&self.key, signed.as_bytes());
        format!("{signed}.{}", base64url(signature.as_ref()))
    }

    /// The e-mail that a token of ours names, unless it is forged or expired.
    pub(crate) fn verify(&self, token: &str, now_s: u64) -> Option<String> {
        let (signed, signature) = token.rsplit_once('.')?;
        hmac::verify(&self.key, signed.as_bytes(), &from_base64url(signature)?).ok()?;
        let (_, claims) = signed.split_once('.')?;
        let claims: Value = serde_json::from_slice(&from_base64url(claims)?).ok()?;
        let alive = claims["exp"].as_u64()? > now_s;
        alive.then(|| claims["sub"].as_str().map(str::to_owned))?
    }
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// RFC 4648 section 5, without padding.
fn base64url(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let bits = group.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for digit in 0..=group.len() {
            let index = (bits >> (18 - 6 * digit)) & 63;
            text.push(char::from(ALPHABET[index as usize]));
        }
    }
    text
}

fn from_base64url(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3 + 2);
    let (mut bits, mut held) = (0_u32, 0);
    for digit in text.bytes() {
        let value = ALPHABET.iter().position(|known| *known == digit)?;
        bits = bits << 6 | value as u32;
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(bytes)
}

#[cfg(test)]
mod tests;
