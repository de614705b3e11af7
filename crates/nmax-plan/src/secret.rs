//! Which names say that their value is a secret: of headers, fields, parameters, cookies and variables.

/// Words that make a name a secret's, wherever they stand in it, however its words are joined.
const ANYWHERE: [&str; 19] = [
    "password",
    "passwd",
    "passphrase",
    "passcode",
    "secret",
    "token",
    "csrf",
    "xsrf",
    "apikey",
    "accesskey",
    "privatekey",
    "credential",
    "authorization",
    "signature",
    "creditcard",
    "cardnumber",
    "nonce",
    "sessid",
    "sessionid",
];
/// Words that make a name a secret's when they stand by themselves: `pin`, but not `shipping`.
const WORDS: [&str; 14] =
    ["card", "csc", "cvc", "cvc2", "cvv", "cvv2", "jwt", "otp", "pin", "pwd", "session", "sid", "sig", "totp"];
/// Headers whose values are secrets although their names hold none of these words.
const HEADERS: [&str; 2] = ["cookie", "set-cookie"];

/// Whether the name of a field, parameter or variable says that its value is a secret.
///
/// Words of a name are what stands between signs and before capitals: `userPin`, `user_pin` and `user[pin]` are the same.
pub fn is_secret_name(name: &str) -> bool {
    let words = words(name);
    let joined = words.concat();
    ANYWHERE.iter().any(|known| joined.contains(known)) || words.iter().any(|word| WORDS.contains(&word.as_str()))
}

/// Whether a header's value is a secret.
pub fn is_secret_header(name: &str) -> bool {
    let name = name.trim();
    HEADERS.iter().any(|known| name.eq_ignore_ascii_case(known)) || is_secret_name(name)
}

/// The words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
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
    words
}

#[cfg(test)]
mod tests;
