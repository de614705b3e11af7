//! Values that are written in one of the ways of texts: what they mean, and which bytes mean what.

/// How a value is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Coding {
    /// As it is.
    Raw,
    /// Percent-encoded, with `+` for a blank.
    Percent,
    /// A string of JSON or of a script, without its quotes.
    Json,
    /// With entities.
    Html,
}

/// A value behind its coding.
pub(crate) struct Plain {
    pub(crate) bytes: Vec<u8>,
    /// Where the spelling of each byte begins, and where the last one ends.
    starts: Vec<u32>,
}

impl Plain {
    /// Which bytes of the written value spell these.
    pub(crate) fn written(&self, range: &std::ops::Range<usize>) -> std::ops::Range<usize> {
        self.starts[range.start] as usize..self.starts[range.end] as usize
    }
}

impl Coding {
    /// What a value means; escapes that are broken stay as they are written. O(length).
    pub(crate) fn plain(self, written: &[u8]) -> Plain {
        let mut plain =
            Plain { bytes: Vec::with_capacity(written.len()), starts: Vec::with_capacity(written.len() + 1) };
        let mut at = 0;
        while at < written.len() {
            let start = u32::try_from(at).unwrap_or(u32::MAX);
            let unit = self.unit(&written[at..]).unwrap_or(Unit { bytes: [written[at], 0, 0, 0], size: 1, length: 1 });
            plain.bytes.extend_from_slice(&unit.bytes[..unit.size]);
            plain.starts.extend(std::iter::repeat_n(start, unit.size));
            at += unit.length;
        }
        plain.starts.push(u32::try_from(at).unwrap_or(u32::MAX));
        plain
    }

    /// The value as text.
    pub(crate) fn text(self, written: &[u8]) -> String {
        match self {
            Self::Raw => String::from_utf8_lossy(written).into_owned(),
            _ => String::from_utf8_lossy(&self.plain(written).bytes).into_owned(),
        }
    }

    fn unit(self, text: &[u8]) -> Option<Unit> {
        match (self, *text.first()?) {
            (Self::Percent, b'%') => percent(text, 1),
            (Self::Percent, b'+') => Unit::byte(b' ', 1),
            (Self::Json, b'\\') => escape(text),
            (Self::Html, b'&') => entity(text),
            _ => None,
        }
    }

    /// How quotes are written inside of a value of this coding.
    pub(crate) fn quotes(self, quotes: &str) -> String {
        match self {
            Self::Raw => quotes.to_owned(),
            Self::Percent => quotes.replace('"', "%22").replace('\\', "%5C").replace('&', "%26").replace(';', "%3B"),
            Self::Json => quotes.replace('\\', "\\\\").replace('"', "\\\""),
            Self::Html => quotes.replace('&', "&amp;").replace('"', "&quot;"),
        }
    }
}

/// A character that is spelled as several.
#[derive(Clone, Copy)]
pub(crate) struct Unit {
    /// What it means, in UTF-8.
    pub(crate) bytes: [u8; 4],
    pub(crate) size: usize,
    /// Bytes that it is spelled with.
    pub(crate) length: usize,
}

impl Unit {
    fn byte(byte: u8, length: usize) -> Option<Self> {
        Some(Self { bytes: [byte, 0, 0, 0], size: 1, length })
    }

    fn char(c: char, length: usize) -> Option<Self> {
        let mut bytes = [0; 4];
        let size = c.encode_utf8(&mut bytes).len();
        Some(Self { bytes, size, length })
    }
}

/// What a text may mean with its first characters, beside themselves: percent-encoded once and twice, escaped, an entity.
pub(crate) fn units(text: &[u8]) -> [Option<Unit>; 2] {
    match text.first() {
        Some(b'%') => [text.starts_with(b"%25").then(|| percent(text, 3)).flatten(), percent(text, 1)],
        Some(b'+') => [Unit::byte(b' ', 1), None],
        Some(b'\\') => [escape(text), None],
        Some(b'&') => [entity(text), None],
        _ => [None, None],
    }
}

/// `%2f`; the digits begin at `from`.
fn percent(text: &[u8], from: usize) -> Option<Unit> {
    let digit = |at: usize| char::from(*text.get(at)?).to_digit(16);
    Unit::byte(u8::try_from(digit(from)? * 16 + digit(from + 1)?).ok()?, from + 2)
}

fn escape(text: &[u8]) -> Option<Unit> {
    let hex = |from: usize, to: usize| {
        let digit = |sum: u32, byte: &u8| Some(sum * 16 + char::from(*byte).to_digit(16)?);
        text.get(from..to)?.iter().try_fold(0, digit)
    };
    match text.get(1)? {
        b'u' => match hex(2, 6)? {
            high @ 0xd800..=0xdbff => {
                let low = hex(8, 12).filter(|low| (0xdc00..0xe000).contains(low) && text[6..8] == *b"\\u")?;
                Unit::char(char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?, 12)
            }
            unit => Unit::char(char::from_u32(unit)?, 6),
        },
        b'x' => Unit::char(char::from_u32(hex(2, 4)?)?, 4),
        b'n' => Unit::byte(b'\n', 2),
        b'r' => Unit::byte(b'\r', 2),
        b't' => Unit::byte(b'\t', 2),
        sign @ (b'"' | b'\'' | b'\\' | b'/') => Unit::byte(*sign, 2),
        _ => None,
    }
}

fn entity(text: &[u8]) -> Option<Unit> {
    const NAMED: [(&[u8], char); 6] =
        [(b"&amp;", '&'), (b"&lt;", '<'), (b"&gt;", '>'), (b"&quot;", '"'), (b"&apos;", '\''), (b"&nbsp;", '\u{a0}')];
    if let Some((name, c)) = NAMED.iter().find(|(name, _)| text.starts_with(name)) {
        return Unit::char(*c, name.len());
    }
    let end = text.iter().take(10).position(|byte| *byte == b';')?;
    let number = std::str::from_utf8(text.get(2..end).filter(|_| text[1] == b'#')?).ok()?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16),
        None => number.parse(),
    };
    Unit::char(char::from_u32(code.ok()?)?, end + 1)
}
