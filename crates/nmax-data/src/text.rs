//! Small helps with text.

/// Appends `value` with at least `width` digits.
pub(crate) fn push_number(mut value: u64, width: usize, out: &mut Vec<u8>) {
    let mut digits = [b'0'; 20];
    let mut from = digits.len();
    while value > 0 {
        from -= 1;
        digits[from] = b'0' + (value % 10) as u8;
        value /= 10;
    }
    from = from.min(digits.len() - width.clamp(1, digits.len()));
    out.extend_from_slice(&digits[from..]);
}

/// Appends the last two digits of `value`.
pub(crate) fn push_two(value: u64, out: &mut Vec<u8>) {
    out.extend_from_slice(&[b'0' + (value / 10 % 10) as u8, b'0' + (value % 10) as u8]);
}

/// A short text of ASCII that is copied without a call: as many bytes as fit, then those too many are taken off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Short {
    bytes: [u8; 15],
    length: u8,
}

impl Short {
    /// `None` when it is too long.
    pub(crate) fn new(text: &str) -> Option<Self> {
        let mut bytes = [0; 15];
        bytes.get_mut(..text.len())?.copy_from_slice(text.as_bytes());
        Some(Self { bytes, length: text.len() as u8 })
    }

    /// Appends it.
    pub(crate) fn push(self, out: &mut Vec<u8>) {
        let end = out.len() + usize::from(self.length);
        out.extend_from_slice(&self.bytes);
        out.truncate(end);
    }

    /// The text.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

/// The one of `options` that was probably meant: at most two fifths of its letters are wrong.
pub fn nearest<'a>(word: &str, options: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    options
        .into_iter()
        .map(|option| (distance(word, option), option))
        .filter(|(distance, option)| distance * 5 <= option.len() * 2)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, option)| option)
}

/// Letters to insert, remove or replace (Levenshtein); capitals count as small letters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, from) in a.to_lowercase().chars().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i + 1);
        for (j, to) in b.iter().enumerate() {
            let replaced = corner + usize::from(from != *to);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_meant() {
        let kinds = ["person", "email", "search_term"];
        // word      meant               why this row
        let cases = [
            ("persons", Some("person"), "one letter too many"),
            ("Email", Some("email"), "a capital"),
            ("search-term", Some("search_term"), "another sign"),
            ("xyz", None, "nothing like it"),
            ("", None, "nothing"),
        ];
        for (word, want, why) in cases {
            assert_eq!(nearest(word, kinds), want, "{why}: {word}");
        }
    }

    #[test]
    fn numbers_have_their_width() {
        for (value, width, want) in
            [(0, 1, "0"), (7, 4, "0007"), (12345, 2, "12345"), (u64::MAX, 1, "18446744073709551615")]
        {
            let mut out = Vec::new();
            push_number(value, width, &mut out);
            assert_eq!(out, want.as_bytes());
        }
    }
}
