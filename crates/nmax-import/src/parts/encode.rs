//! Percent-encoding (RFC 3986) and the encoding of forms (WHATWG URL, `application/x-www-form-urlencoded`).

/// The text behind its percent-encoding; `None` when that is broken or no UTF-8. O(length).
pub fn percent_decode(text: &str) -> Option<String> {
    decode(text, false)
}

/// As [`percent_decode`], and `+` is a space.
pub fn form_decode(text: &str) -> Option<String> {
    decode(text, true)
}

fn decode(text: &str, is_form: bool) -> Option<String> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'%' => {
                let hex = |at: usize| bytes.get(at).and_then(|byte| char::from(*byte).to_digit(16));
                let value = hex(at + 1)? * 16 + hex(at + 2)?;
                out.push(u8::try_from(value).ok()?);
                at += 2;
            }
            b'+' if is_form => out.push(b' '),
            other => out.push(other),
        }
        at += 1;
    }
    String::from_utf8(out).ok()
}

/// The text with everything but unreserved characters (RFC 3986, 2.3) percent-encoded. O(length).
pub fn percent_encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
    out
}
