//! JSON Web Tokens (RFC 7519) with a shared key, in the compact form of RFC 7515.

use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use nmax_metrics::Nanos;
use ring::hmac;
use serde_json::Value;

/// RFC 7518, section 3.2.
fn algorithm_of(name: &str) -> Result<hmac::Algorithm, String> {
    match name {
        "HS256" => Ok(hmac::HMAC_SHA256),
        "HS384" => Ok(hmac::HMAC_SHA384),
        "HS512" => Ok(hmac::HMAC_SHA512),
        _ => Err(super::unknown(name, "HS256, HS384, HS512")),
    }
}

/// A token with these claims, as they are written.
pub(super) fn sign(algorithm: &str, key: &[u8], claims: &str) -> Result<String, String> {
    let key = hmac::Key::new(algorithm_of(algorithm)?, key);
    let header = BASE64_URL_SAFE_NO_PAD.encode(format!(r#"{{"alg":"{algorithm}","typ":"JWT"}}"#));
    let signed = format!("{header}.{}", BASE64_URL_SAFE_NO_PAD.encode(claims));
    let signature = BASE64_URL_SAFE_NO_PAD.encode(hmac::sign(&key, signed.as_bytes()));
    Ok(format!("{signed}.{signature}"))
}

/// The claims of a token that this key signed, within its time.
///
/// Its header has to name the algorithm, so that a token cannot choose how it is looked at (RFC 8725, 3.1), and nothing
/// that must be understood beyond that (RFC 7515, 4.1.11).
pub(super) fn verify(algorithm: &str, key: &[u8], token: &str, unix: Nanos) -> Result<String, String> {
    let key = hmac::Key::new(algorithm_of(algorithm)?, key);
    let token = token.trim();
    let parts = token.rsplit_once('.').and_then(|(signed, signature)| {
        let (header, claims) = signed.split_once('.')?;
        (!claims.contains('.')).then_some((signed, header, claims, signature))
    });
    let Some((signed, header, claims, signature)) = parts else {
        return Err("the token does not have three parts with dots between them".to_owned());
    };
    let header = object("header", header)?.1;
    match header.get("alg").and_then(Value::as_str) {
        Some(named) if named == algorithm => {}
        Some(named) => return Err(format!("the token is signed with `{named}`, not `{algorithm}`")),
        None => return Err("the header of the token names no algorithm".to_owned()),
    }
    if header.get("crit").is_some() {
        return Err(
            "the header of the token has `crit`: extensions that must be understood, and none is here".to_owned()
        );
    }
    let signature = decoded("signature", signature)?;
    hmac::verify(&key, signed.as_bytes(), &signature)
        .map_err(|_| "the signature of the token is not of this key".to_owned())?;
    let (text, claims) = object("claims", claims)?;
    within_time(&claims, unix)?;
    Ok(text)
}

/// A claim of a token, as a client reads it that cannot know the key: the signature is not looked at.
///
/// Texts are given as they are, everything else as JSON.
pub(super) fn claim(token: &str, name: &str) -> Result<String, String> {
    let claims = token.trim().split('.').nth(1);
    let claims = claims.ok_or("the token does not have three parts with dots between them")?;
    match object("claims", claims.trim_end_matches('='))?.1.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(other) => Ok(other.to_string()),
        None => Err(format!("the token has no claim `{name}`")),
    }
}

fn within_time(claims: &Value, unix: Nanos) -> Result<(), String> {
    let now_s = unix.as_secs_f64();
    // RFC 7519, 2: a NumericDate.
    let at = |name: &str| match claims.get(name) {
        None => Ok(None),
        Some(claim) => {
            claim.as_f64().map(Some).ok_or_else(|| format!("`{name}` of the token is not a number of seconds"))
        }
    };
    if let Some(end_s) = at("exp")?.filter(|end_s| now_s >= *end_s) {
        return Err(format!("the token expired {:.0} s ago", now_s - end_s));
    }
    match at("nbf")?.filter(|start_s| now_s < *start_s) {
        Some(start_s) => Err(format!("the token is valid only in {:.0} s", start_s - now_s)),
        None => Ok(()),
    }
}

fn decoded(part: &str, text: &str) -> Result<Vec<u8>, String> {
    let bytes = BASE64_URL_SAFE_NO_PAD.decode(text);
    bytes.map_err(|error| format!("the {part} of the token is not base64url: {error}"))
}

/// A part of a token that is a JSON object: its text and its value.
fn object(part: &str, text: &str) -> Result<(String, Value), String> {
    let not_json = || format!("the {part} of the token is not a JSON object");
    let text = String::from_utf8(decoded(part, text)?).map_err(|_| not_json())?;
    let value: Value = serde_json::from_str(&text).map_err(|_| not_json())?;
    if value.is_object() { Ok((text, value)) } else { Err(not_json()) }
}
