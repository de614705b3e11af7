//! Functions of templates: from texts to a text, or why it cannot be made.
//!
//! Nothing here reads a clock or draws a number: wall time and choices are arguments. Random values and nonces are pure
//! functions of the place where they are used, so equal seeds give equal requests; what is encrypted here is test data,
//! not a secret.

use std::num::NonZeroU64;

use base64::alphabet::STANDARD as ALPHABET;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use base64::prelude::{BASE64_STANDARD, BASE64_URL_SAFE_NO_PAD, Engine as _};
use nmax_metrics::Nanos;
use nmax_plan::choice::Choice;
use nmax_plan::template::{Function, is_json_number};
use nmax_text::percent;
use ring::{digest, hmac};

mod sealed;
#[cfg(test)]
mod tests;
mod time;
mod token;

/// Longest text that `random_text` and `random_hex` make, characters.
const RANDOM_TEXT_MAX: u64 = 65_536;
const LETTERS_AND_DIGITS: &[u8] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEXADECIMAL_DIGITS: &[u8] = b"0123456789abcdef";

/// Where a function is called.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CallContext {
    /// Choices of this call.
    pub(crate) choice: Choice,
    /// Wall time since 1970.
    pub(crate) unix: Nanos,
}

/// What a function makes of its arguments, or which function cannot make it and why.
pub(crate) fn call(function: Function, arguments: &[String], context: &CallContext) -> Result<String, String> {
    let given = |index: usize| arguments.get(index).map_or("", String::as_str);
    let made = match function {
        Function::Uuid => Ok(uuid(context.choice)),
        Function::Now => time::now(given(0), context.unix),
        Function::Random => random(given(0), given(1), context.choice),
        Function::RandomText => random_text(given(0), context.choice, LETTERS_AND_DIGITS),
        Function::RandomHex => random_text(given(0), context.choice, HEXADECIMAL_DIGITS),
        Function::Base64 => Ok(BASE64_STANDARD.encode(given(0))),
        Function::Base64Url => Ok(BASE64_URL_SAFE_NO_PAD.encode(given(0))),
        Function::Base64Decode => base64_decode(given(0)).and_then(text),
        Function::Url => Ok(percent::encode(given(0))),
        Function::UrlDecode => url_decode(given(0)),
        Function::Html => Ok(nmax_text::html::escape(given(0))),
        Function::JsonDecode => json_decode(given(0)),
        Function::Number => number(given(0)),
        Function::Hash => hash(given(0), given(1)),
        Function::Hmac => authenticate(given(0), given(1), given(2)),
        Function::JwtSign => token::sign(given(0), given(1).as_bytes(), given(2)),
        Function::JwtVerify => token::verify(given(0), given(1).as_bytes(), given(2), context.unix),
        Function::JwtClaim => token::claim(given(0), given(1)),
        Function::Encrypt => sealed::encrypt(given(0), given(1), context.choice),
        Function::Decrypt => sealed::decrypt(given(0), given(1)),
    };
    made.map_err(|why| format!("`{}` cannot be computed: {why}", function.name()))
}

/// RFC 9562, section 5.4: 122 random bits, version 4, variant 0b10.
fn uuid(choice: Choice) -> String {
    let high = (choice.u64(0) & !0xf000) | 0x4000;
    let low = (choice.u64(1) & !(0b11 << 62)) | (0b10 << 62);
    format!(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xffff,
        low >> 48,
        low & 0xffff_ffff_ffff
    )
}

fn whole(text: &str) -> Result<i64, String> {
    let number = text.trim().parse();
    number.map_err(|_| format!("`{text}` is not a whole number between -2^63 and 2^63"))
}

/// A whole number, both ends included, each equally likely.
fn random(low: &str, high: &str, choice: Choice) -> Result<String, String> {
    let (low, high) = (whole(low)?, whole(high)?);
    if low > high {
        return Err(format!("there is no number from {low} to {high}"));
    }
    let numbers = high.abs_diff(low).checked_add(1).and_then(NonZeroU64::new);
    let above = numbers.map_or_else(|| choice.u64(0), |numbers| choice.below(0, numbers));
    Ok(low.wrapping_add_unsigned(above).to_string())
}

/// Characters of these, each equally likely.
fn random_text(length: &str, choice: Choice, chars: &[u8]) -> Result<String, String> {
    let kinds = NonZeroU64::new(chars.len() as u64).ok_or("there are no characters to take")?;
    let length = u64::try_from(whole(length)?).ok().filter(|length| *length <= RANDOM_TEXT_MAX);
    let length = length.ok_or_else(|| format!("the length is not between 0 and {RANDOM_TEXT_MAX}"))?;
    let char = |draw| char::from(chars[choice.below(draw, kinds) as usize]);
    Ok((0..length).map(char).collect())
}

/// Both alphabets, with padding or without (RFC 4648, sections 4 and 5).
fn base64_decode(text: &str) -> Result<Vec<u8>, String> {
    const CONFIG: GeneralPurposeConfig =
        GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent);
    let standard = text.trim().replace('-', "+").replace('_', "/");
    let decoded = GeneralPurpose::new(&ALPHABET, CONFIG).decode(standard);
    decoded.map_err(|error| format!("the text is not base64: {error}"))
}

fn text(bytes: Vec<u8>) -> Result<String, String> {
    String::from_utf8(bytes).map_err(|_| "what was encoded is not text (UTF-8)".to_owned())
}

/// Escapes undone; what is no escape, `+` too, stays.
fn url_decode(encoded: &str) -> Result<String, String> {
    text(percent::decode(encoded.as_bytes()).collect())
}

/// A number as JSON writes it.
fn number(text: &str) -> Result<String, String> {
    let number = text.trim();
    is_json_number(number).then(|| number.to_owned()).ok_or_else(|| format!("`{text}` is not a number"))
}

/// The inside of a JSON string, which may be cut out of a script: quotes of the other kind need no escape there.
fn json_decode(inside: &str) -> Result<String, String> {
    let is_open = |(at, _): &(usize, &str)| {
        let before = inside[..*at].bytes().rev();
        before.take_while(|byte| *byte == b'\\').count() % 2 == 0
    };
    let mut quoted = String::with_capacity(inside.len() + 2);
    quoted.push('"');
    let mut taken = 0;
    for (at, _) in inside.match_indices('"').filter(is_open) {
        quoted.push_str(&inside[taken..at]);
        quoted.push('\\');
        taken = at;
    }
    quoted.push_str(&inside[taken..]);
    quoted.push('"');
    serde_json::from_str(&quoted).map_err(|error| format!("the text is not the inside of a JSON string: {error}"))
}

fn unknown(algorithm: &str, known: &str) -> String {
    format!("`{algorithm}` is not an algorithm of it; write one of {known}")
}

const DIGESTS: &str = "sha1, sha256, sha384, sha512";

/// Digest as hexadecimal digits.
fn hash(algorithm: &str, text: &str) -> Result<String, String> {
    let algorithm = match algorithm {
        "sha1" => &digest::SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => &digest::SHA256,
        "sha384" => &digest::SHA384,
        "sha512" => &digest::SHA512,
        _ => return Err(unknown(algorithm, DIGESTS)),
    };
    Ok(hexadecimal(digest::digest(algorithm, text.as_bytes()).as_ref()))
}

/// HMAC (RFC 2104) as hexadecimal digits.
fn authenticate(algorithm: &str, key: &str, text: &str) -> Result<String, String> {
    let algorithm = match algorithm {
        "sha1" => hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY,
        "sha256" => hmac::HMAC_SHA256,
        "sha384" => hmac::HMAC_SHA384,
        "sha512" => hmac::HMAC_SHA512,
        _ => return Err(unknown(algorithm, DIGESTS)),
    };
    let key = hmac::Key::new(algorithm, key.as_bytes());
    Ok(hexadecimal(hmac::sign(&key, text.as_bytes()).as_ref()))
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
