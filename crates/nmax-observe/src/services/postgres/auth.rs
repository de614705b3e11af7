//! How a client proves to PostgreSQL that it knows a password, without sending it.
//!
//! Source: RFC 5802 and RFC 7677 (SCRAM-SHA-256), without channel binding; PostgreSQL's documentation of its protocol (MD5).
//! Passwords are taken as they are: where they have letters beyond ASCII, RFC 4013 would make some of them alike.

use std::num::NonZeroU32;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use md5::{Digest, Md5};
use ring::{digest, hmac, pbkdf2};

/// Most rounds that a server may ask for: PostgreSQL asks for 4,096, and a second of hashing is a long time.
const ROUNDS_MAX: u32 = 1_000_000;

/// Answer to the challenge of the older kind: `md5` and the digest of the digest of password and user, and salt.
pub(crate) fn md5_answer(user: &str, password: &str, salt: &[u8]) -> String {
    let inner = format!("{:x}", Md5::digest(format!("{password}{user}")));
    format!("md5{:x}", Md5::new_with_prefix(inner).chain_update(salt).finalize())
}

/// A SCRAM exchange under way.
pub(crate) struct Scram {
    first_bare: String,
    nonce: String,
    /// What the server must say at the end.
    signature: Option<Vec<u8>>,
}

impl Scram {
    /// Begins. `nonce` is random printable text; PostgreSQL takes the user from elsewhere, and expects it empty here.
    pub(crate) fn new(user: &str, nonce: String) -> Self {
        Self { first_bare: format!("n={user},r={nonce}"), nonce, signature: None }
    }

    /// The first message.
    pub(crate) fn first(&self) -> String {
        format!("n,,{}", self.first_bare)
    }

    /// The last message, after what the server said first; `None` when that is none.
    pub(crate) fn last(&mut self, server_first: &str, password: &str) -> Option<String> {
        let field = |name: &str| {
            let mut fields = server_first.split(',');
            fields.find_map(|field| field.strip_prefix(name))
        };
        let nonce = field("r=").filter(|nonce| nonce.len() > self.nonce.len() && nonce.starts_with(&self.nonce))?;
        let salt = STANDARD.decode(field("s=")?).ok()?;
        let rounds = field("i=")?.parse().ok().filter(|&rounds| rounds <= ROUNDS_MAX)?;
        let mut salted = [0; digest::SHA256_OUTPUT_LEN];
        pbkdf2::derive(pbkdf2::PBKDF2_HMAC_SHA256, NonZeroU32::new(rounds)?, &salt, password.as_bytes(), &mut salted);
        let without_proof = format!("c=biws,r={nonce}");
        let message = format!("{},{server_first},{without_proof}", self.first_bare);
        let client_key = sign(&salted, b"Client Key");
        let stored_key = digest::digest(&digest::SHA256, client_key.as_ref());
        let client_signature = sign(stored_key.as_ref(), message.as_bytes());
        let proof: Vec<u8> =
            client_key.as_ref().iter().zip(client_signature.as_ref()).map(|(key, signature)| key ^ signature).collect();
        let server_key = sign(&salted, b"Server Key");
        self.signature = Some(sign(server_key.as_ref(), message.as_bytes()).as_ref().to_vec());
        Some(format!("{without_proof},p={}", STANDARD.encode(proof)))
    }

    /// Whether the server knows the password as well.
    pub(crate) fn is_proved_by(&self, server_last: &str) -> bool {
        let said = server_last.split(',').find_map(|field| field.strip_prefix("v="));
        let said = said.and_then(|text| STANDARD.decode(text).ok());
        self.signature.is_some() && said == self.signature
    }
}

fn sign(key: &[u8], text: &[u8]) -> hmac::Tag {
    hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, key), text)
}

#[cfg(test)]
mod tests;
