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
    nmax_text::percent::decode_lossy(&text.replace('+', " "))
}

#[cfg(test)]
mod tests;
