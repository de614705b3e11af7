//! Which names say that their value is a secret: of headers, fields, parameters, cookies and variables.

/// Words that make a name a secret's, wherever they stand in it, however its words are joined.
const ANYWHERE: [&str; 27] = [
    "password", "passwd", "passphrase", "passcode", "secret", "token", "csrf", "xsrf", "apikey", "accesskey",
    "privatekey", "credential", "authorization", "signature", "creditcard", "cardnumber", "nonce", "sessid",
    "sessionid", "codeverifier", "encryptionkey", "signingkey", "sshkey", "licensekey", "passwort", "kennwort",
    "contraseña",
];
/// Words that hold a secret's word and mean none.
const HARMLESS: [&str; 6] = ["secretary", "secretariat", "tokenizer", "tokenize", "tokenized", "tokenization"];
/// Words that make a name a secret's when they stand by themselves: `pin`, but not `shipping`.
const WORDS: [&str; 17] = [
    "assertion", "auth", "bearer", "card", "csc", "cvc", "cvv", "jwt", "mfa", "otp", "pass", "pin", "pwd", "session",
    "sid", "sig", "totp",
];
/// Words of headers whose values are secrets.
const HEADER_WORDS: [&str; 2] = ["cookie", "cookies"];
/// Parameters whose values open doors when they look as if they did: codes of OAuth, tickets, keys, assertions.
const PARAMETERS: [&str; 8] =
    ["code", "key", "ticket", "state", "samlresponse", "samlrequest", "assertion", "relaystate"];
/// Parameters that stand beside a code of OAuth 2.0 (RFC 6749, 4.1; RFC 7636, 4.3).
pub(crate) const BESIDE_CODES: [&str; 5] = ["state", "grant_type", "redirect_uri", "client_id", "code_verifier"];
/// Names that hold a secret's word and mean something about it.
const ABOUT: [&str; 16] = [
    "type", "length", "count", "expires", "expiry", "ttl", "name", "hint", "url", "uri", "endpoint", "format", "limit",
    "timeout", "policy", "required",
];
/// Digits of the longest number of tokens.
const COUNT_DIGITS_MAX: usize = 9;

/// Whether the name of a field, parameter or variable says that its value is a secret.
///
/// Words of a name are what stands between signs and before capitals: `userPin`, `user_pin` and `user[pin]` are the same.
pub fn is_secret_name(name: &str) -> bool {
    let words = split_words(name);
    // Words that are joined by signs begin together: `api_key`, but not `run_once`.
    let begins = |at: usize| {
        let joined = words[at..].iter().take(3).map(String::as_str).collect::<String>();
        ANYWHERE.iter().any(|known| joined.starts_with(known))
    };
    words.iter().enumerate().any(|(at, word)| {
        let word = word.as_str();
        let is_in = !HARMLESS.contains(&word) && ANYWHERE.iter().any(|known| word.contains(known));
        // `pass1`, `cvc2`
        let plain = word.trim_end_matches(|c: char| c.is_ascii_digit());
        is_in || WORDS.contains(&plain) || (!HARMLESS.contains(&word) && begins(at))
    })
}

/// Whether a header's value is a secret.
pub fn is_secret_header(name: &str) -> bool {
    let is_cookie = |word: &String| HEADER_WORDS.contains(&word.trim_end_matches(|c: char| c.is_ascii_digit()));
    split_words(name).iter().any(is_cookie) || is_secret_name(name)
}

/// Whether a name tells something about a secret rather than it: `token_type`, `password_hint`.
pub(crate) fn is_about(name: &str) -> bool {
    let last = split_words(name).pop().unwrap_or_default();
    ABOUT.contains(&last.as_str()) || last.starts_with("expires")
}

/// Whether a value of this name is a count: of tokens, of which models have a maximum.
pub(crate) fn is_count(name: &str, value: &str) -> bool {
    value.len() <= COUNT_DIGITS_MAX
        && value.bytes().all(|byte| byte.is_ascii_digit())
        && split_words(name).last().is_some_and(|word| word == "tokens")
}

/// Whether a value is a secret because of its name.
pub fn is_secret_value(name: &str, value: &str) -> bool {
    is_secret_name(name) && !is_plain(value) && !is_about(name) && !is_count(name, value)
}

/// Whether a parameter of this name is a secret, if its value looks like one.
pub fn is_parameter(name: &str) -> bool {
    PARAMETERS.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// Whether pairs joined by `&` or `;` are those around a code of OAuth, which is a secret however short it is.
pub(crate) fn has_code(pairs: &[u8]) -> bool {
    let names = pairs.split(|byte| matches!(byte, b'&' | b';' | b'?' | b'#'));
    let mut names = names.filter_map(|pair| Some(&pair[..memchr::memchr(b'=', pair)?]));
    names.any(|name| BESIDE_CODES.iter().any(|known| name.eq_ignore_ascii_case(known.as_bytes())))
}

/// Whether a value looks as if a machine had made it to be hard to guess.
pub fn looks_random(value: &str) -> bool {
    let any = |is: fn(&u8) -> bool| value.as_bytes().iter().any(is);
    let (has_digit, has_small) = (any(u8::is_ascii_digit), any(u8::is_ascii_lowercase));
    let has_letter = has_small || any(u8::is_ascii_uppercase);
    let has_blank = any(u8::is_ascii_whitespace);
    let is_mixed = (has_digit && has_letter) || (value.len() >= 16 && has_small && any(u8::is_ascii_uppercase));
    value.len() >= 8 && is_mixed && !has_blank
}

/// Values that stand in the place of a secret and are none.
pub(crate) fn is_plain(value: &str) -> bool {
    matches!(
        value.to_ascii_lowercase().as_str(),
        "" | "true" | "false" | "null" | "none" | "undefined" | "0" | "1" | "bearer" | "basic" | "on" | "off"
    )
}

/// The words of a name, in small letters: `firstName`, `user[first_name]` and `FIRST-NAME` end in the same two.
pub fn split_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for c in name.chars() {
        if !c.is_alphanumeric() || (c.is_uppercase() && was_small) {
            words.push(String::new());
        }
        if let (true, Some(word)) = (c.is_alphanumeric(), words.last_mut()) {
            word.extend(c.to_lowercase());
        }
        was_small = c.is_lowercase() || c.is_numeric();
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests;
