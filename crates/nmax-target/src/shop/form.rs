//! `application/x-www-form-urlencoded` text, as in queries and form posts.

/// Decoded fields in their order.
pub(crate) struct Form {
    fields: Vec<(String, String)>,
}

impl Form {
    /// The first value of `name`.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.fields.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str())
    }
}

/// Decodes `a=1&b=x+y%21`. Broken escapes stay as they are; invalid UTF-8 is replaced.
pub(crate) fn decode(text: &str) -> Form {
    let fields = text.split('&').filter(|pair| !pair.is_empty()).map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        (unescape(name), unescape(value))
    });
    Form { fields: fields.collect() }
}

fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut plain = Vec::with_capacity(bytes.len());
    let mut index = 0;
    while index < bytes.len() {
        let escaped = bytes.get(index + 1..index + 3).and_then(hex_byte);
        match (bytes[index], escaped) {
            (b'%', Some(byte)) => {
                plain.push(byte);
                index += 3;
                continue;
            }
            (b'+', _) => plain.push(b' '),
            (byte, _) => plain.push(byte),
        }
        index += 1;
    }
    String::from_utf8_lossy(&plain).into_owned()
}

fn hex_byte(digits: &[u8]) -> Option<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16);
    let byte = value(digits[0])? * 16 + value(digits[1])?;
    u8::try_from(byte).ok()
}

#[cfg(test)]
mod tests;
