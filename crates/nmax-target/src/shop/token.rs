//! Secrets of the shop: session ids, password hashes, and signed tokens (JWT, HS256).

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
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
        let header = BASE64_URL_SAFE_NO_PAD.encode(br#"{"alg":"HS256","typ":"JWT"}"#);
        let claims = json!({ "sub": email, "exp": now_s + TOKEN_LIFE_S });
        let signed = format!("{header}.{}", BASE64_URL_SAFE_NO_PAD.encode(claims.to_string().as_bytes()));
        let signature = hmac::sign(&self.key, signed.as_bytes());
        format!("{signed}.{}", BASE64_URL_SAFE_NO_PAD.encode(signature.as_ref()))
    }

    /// The e-mail that a token of ours names, unless it is forged or expired.
    pub(crate) fn verify(&self, token: &str, now_s: u64) -> Option<String> {
        let (signed, signature) = token.rsplit_once('.')?;
        hmac::verify(&self.key, signed.as_bytes(), &BASE64_URL_SAFE_NO_PAD.decode(signature).ok()?).ok()?;
        let (_, claims) = signed.split_once('.')?;
        let claims: Value = serde_json::from_slice(&BASE64_URL_SAFE_NO_PAD.decode(claims).ok()?).ok()?;
        let alive = claims["exp"].as_u64()? > now_s;
        alive.then(|| claims["sub"].as_str().map(str::to_owned))?
    }
}

#[cfg(test)]
mod tests;
