//! How much a value says by itself: whether two places that hold it hold it by chance.

/// How likely it is that a value which stands in two places came from the one to the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Weight {
    /// A word, a small number, a year, a price: it stands in many places by chance.
    Trivial,
    /// A number of four or five digits, a short code: the names of both places must agree.
    Weak,
    /// Worth 25 to 40 bits: it must not look like a measure.
    Medium,
    /// At least 40 bits: never the same by chance.
    Strong,
}

/// Bits from which a value is never there by chance: one in 10¹² pairs.
const STRONG_BITS: f64 = 40.0;
/// Bits from which a value is rarely there by chance: one in 3·10⁷ pairs.
const MEDIUM_BITS: f64 = 25.0;
/// Longest value that is looked at, in bytes; what is longer is as strong as its beginning.
const BYTES_MAX: usize = 256;

/// How much a value says. O(1).
pub(super) fn weight(value: &str) -> Weight {
    let value = value.trim();
    if is_number(value) {
        return of_number(value);
    }
    if is_time(value) {
        return if value.len() > 16 { Weight::Weak } else { Weight::Trivial };
    }
    let bits = bits(value);
    if bits >= STRONG_BITS {
        Weight::Strong
    } else if bits >= MEDIUM_BITS {
        Weight::Medium
    } else if bits > 0.0 && value.len() >= 4 {
        Weight::Weak
    } else {
        Weight::Trivial
    }
}

/// Whether it is a whole number without a sign.
pub(super) fn is_number(value: &str) -> bool {
    !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit())
}

/// Whether it is a year that people write.
pub(super) fn is_year(value: &str) -> bool {
    value.len() == 4 && is_number(value) && (value.starts_with("19") || value.starts_with("20"))
}

fn of_number(value: &str) -> Weight {
    match value.len() {
        ..4 => Weight::Trivial,
        4 if is_year(value) => Weight::Trivial,
        // 20260131
        8 if is_year(&value[..4]) && &value[4..6] <= "12" && &value[6..] <= "31" => Weight::Trivial,
        4..6 => Weight::Weak,
        6..12 => Weight::Medium,
        _ => Weight::Strong,
    }
}

/// ISO 8601: `2026-01-31`, `12:30`, `2026-01-31T12:30:00Z`.
fn is_time(value: &str) -> bool {
    let has_shape = |shape: &str| {
        value.len() >= shape.len()
            && shape.bytes().zip(value.bytes()).all(|(shape, byte)| match shape {
                b'0' => byte.is_ascii_digit(),
                other => byte == other,
            })
    };
    has_shape("0000-00-00") || (has_shape("00:00") && value.len() <= 8)
}

/// Bits of the pieces that are neither words nor small numbers: length · log2(size of the alphabet in use).
pub(super) fn bits(value: &str) -> f64 {
    let end = (0..=value.len().min(BYTES_MAX)).rev().find(|at| value.is_char_boundary(*at)).unwrap_or(0);
    let pieces = value[..end].split(|c: char| !c.is_alphanumeric());
    // Not `sum`, which is -0 where there is nothing to be added.
    let bits = pieces.filter(|piece| !is_plain(piece)).map(piece_bits);
    bits.fold(0.0, |all, bits| all + bits)
}

fn piece_bits(piece: &str) -> f64 {
    let any = |test: fn(&u8) -> bool| piece.as_bytes().iter().any(test);
    let all = |test: fn(&u8) -> bool| piece.as_bytes().iter().all(test);
    let alphabet: f64 = if all(u8::is_ascii_digit) {
        10.0
    } else if all(u8::is_ascii_hexdigit) && piece.len() >= 4 {
        16.0
    } else {
        let (digits, small, capital) =
            (any(u8::is_ascii_digit), any(u8::is_ascii_lowercase), any(u8::is_ascii_uppercase));
        f64::from(10 * u8::from(digits) + 26 * u8::from(small) + 26 * u8::from(capital)).max(10.0)
    };
    piece.len() as f64 * alphabet.log2()
}

/// A word, a number below 1,000, or a word with such a number at its end.
fn is_plain(piece: &str) -> bool {
    let letters = piece.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = piece.len() - letters.len();
    if letters.is_empty() {
        return digits < 4 || is_year(piece);
    }
    !letters.contains(|c: char| c.is_ascii_digit())
        && digits < 4
        && (digits == 0 || letters.len() > 1)
        && is_word(letters)
}

/// Letters that a person may have written: not switching between small and capital all the time, with vowels in them.
fn is_word(letters: &str) -> bool {
    if !letters.is_ascii() {
        return true;
    }
    let bytes = letters.as_bytes();
    let switches = bytes.windows(2).filter(|pair| pair[0].is_ascii_lowercase() != pair[1].is_ascii_lowercase()).count();
    // `requestVerificationToken` switches 4 times in 24 letters, random letters every second time.
    let is_capitalized = switches == 1 && bytes[0].is_ascii_uppercase();
    if switches * 3 > letters.len() && !is_capitalized {
        return false;
    }
    let longest = bytes.split(|byte| b"aeiouyAEIOUY".contains(byte)).map(<[u8]>::len).max().unwrap_or(0);
    letters.len() < 12 || longest < 6
}
