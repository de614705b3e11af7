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

#[cfg(test)]
mod tests {
    use super::*;

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
