//! A JSON text (RFC 8259) as a tape: where each value stands in the text, four bytes for a value, eight for a container.
//!
//! A tree of values would take thirty times the memory of its text; the tape takes less than three times, unless the text is
//! mostly brackets.

use std::borrow::Cow;
use std::ops::Range;

use crate::arena::Arena;
use crate::budget::{Budget, GaveUp};

/// Deepest nesting of arrays and objects.
pub const DEPTH_MAX: usize = 128;
/// Longest text: places in it have this many bits.
const PLACE_BITS: u32 = 29;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `null`, `true` or `false`.
    Word,
    /// A number.
    Number,
    /// A string.
    String,
    /// A list of values.
    Array,
    /// Names with values.
    Object,
}

const WORD: u32 = 0;
const NUMBER: u32 = 1;
const STRING: u32 = 2;
const ARRAY: u32 = 3;
const OBJECT: u32 = 4;
const NAME: u32 = 5;

/// A JSON text that was read.
#[derive(Debug)]
pub struct Json<'a> {
    text: &'a str,
    /// A word for each value and name: what it is, and where it begins. Containers have a second one: where the tape goes
    /// on behind them.
    tape: Arena<u32>,
}

/// A value of a JSON text.
#[derive(Clone, Copy, Debug)]
pub struct Value<'j> {
    json: &'j Json<'j>,
    at: u32,
}

impl<'a> Json<'a> {
    /// Reads a text; `None` when it is not JSON. O(length).
    ///
    /// # Errors
    /// The budget is used up, or the text is nested deeper than [`DEPTH_MAX`].
    pub fn read(text: &'a str, budget: &Budget<'_>) -> Result<Option<Self>, GaveUp> {
        if text.len() >> PLACE_BITS > 0 {
            return Err(GaveUp::Memory(1 << PLACE_BITS));
        }
        let mut reader =
            Reader { text, bytes: text.as_bytes(), at: 0, tape: Arena::default(), open: Vec::new(), budget };
        let is_json = reader.run().is_some();
        budget.check()?;
        Ok(is_json.then_some(Self { text, tape: reader.tape }))
    }

    /// The value that the text is.
    pub fn root(&self) -> Value<'_> {
        Value { json: self, at: 0 }
    }

    fn word(&self, at: u32) -> (u32, usize) {
        let word = *self.tape.get(at);
        (word >> PLACE_BITS, (word & ((1 << PLACE_BITS) - 1)) as usize)
    }

    /// Where the tape goes on behind the value there.
    fn behind(&self, at: u32) -> u32 {
        match self.word(at).0 {
            ARRAY | OBJECT => *self.tape.get(at + 1),
            _ => at + 1,
        }
    }

    /// The string that begins at this place of the text, without its quotes, escapes as written.
    fn raw(&self, place: usize) -> &str {
        let rest = &self.text[place + 1..];
        &rest[..string_end(rest.as_bytes()).unwrap_or(rest.len())]
    }
}

impl<'j> Value<'j> {
    /// What it is.
    pub fn kind(self) -> Kind {
        match self.json.word(self.at).0 {
            WORD => Kind::Word,
            NUMBER => Kind::Number,
            ARRAY => Kind::Array,
            OBJECT => Kind::Object,
            _ => Kind::String,
        }
    }

    /// Its text as written: of a string without its quotes, of a container all of it.
    pub fn raw(self) -> &'j str {
        let (kind, place) = self.json.word(self.at);
        let rest = &self.json.text[place..];
        match kind {
            STRING | NAME => self.json.raw(place),
            ARRAY | OBJECT => {
                // What comes next on the tape stands behind the end; of what is between, brackets alone belong to it.
                &rest[..container_end(rest.as_bytes())]
            }
            _ => &rest[..rest.find([',', ']', '}', ' ', '\t', '\n', '\r']).unwrap_or(rest.len())],
        }
    }

    /// Where it stands in the text, a string with its quotes.
    pub fn span(self) -> Range<usize> {
        let (kind, place) = self.json.word(self.at);
        place..place + self.raw().len() + if kind == STRING { 2 } else { 0 }
    }

    /// The string, its escapes undone; `None` when it is something else.
    pub fn string(self) -> Option<Cow<'j, str>> {
        (self.kind() == Kind::String).then(|| unescaped(self.raw()))
    }

    /// Strings as they are, everything else as JSON without blanks.
    pub fn text(self) -> Cow<'j, str> {
        match self.kind() {
            Kind::String => unescaped(self.raw()),
            Kind::Array | Kind::Object => Cow::Owned(without_blanks(self.raw())),
            Kind::Word | Kind::Number => Cow::Borrowed(self.raw()),
        }
    }

    /// The values of an array, in order; of anything else none.
    pub fn items(self) -> impl Iterator<Item = Value<'j>> {
        let mut next = if self.kind() == Kind::Array { self.at + 2 } else { u32::MAX };
        let end = if next == u32::MAX { 0 } else { self.json.behind(self.at) };
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let item = Value { at: next, ..self };
                next = self.json.behind(next);
                item
            })
        })
    }

    /// The names of an object, escapes undone, and their values, in order; of anything else none.
    pub fn members(self) -> impl Iterator<Item = (Cow<'j, str>, Value<'j>)> {
        let mut next = if self.kind() == Kind::Object { self.at + 2 } else { u32::MAX };
        let end = if next == u32::MAX { 0 } else { self.json.behind(self.at) };
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let name = unescaped(self.json.raw(self.json.word(next).1));
                let value = Value { at: next + 1, ..self };
                next = self.json.behind(next + 1);
                (name, value)
            })
        })
    }

    /// It and all values within it, each before those within it.
    pub(crate) fn descendants(self) -> impl Iterator<Item = Value<'j>> {
        let end = self.json.behind(self.at);
        let mut next = self.at;
        std::iter::from_fn(move || {
            while next < end {
                let (kind, at) = (self.json.word(next).0, next);
                next += if matches!(kind, ARRAY | OBJECT) { 2 } else { 1 };
                if kind != NAME {
                    return Some(Value { at, ..self });
                }
            }
            None
        })
    }
}

/// The number that four hexadecimal digits at the beginning of a text are, as behind `\u`.
pub fn hex4(text: &str) -> Option<u32> {
    let digits = text.get(..4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
    u32::from_str_radix(digits, 16).ok()
}

/// Where the string ends whose opening quote stands before `rest`.
fn string_end(rest: &[u8]) -> Option<usize> {
    let mut at = 0;
    loop {
        at += rest[at..].iter().position(|byte| matches!(byte, b'"' | b'\\'))?;
        match rest[at] {
            b'"' => return Some(at),
            _ => at += 2,
        }
        if at > rest.len() {
            return None;
        }
    }
}

/// Length of the array or object at the beginning of a text that is known to be JSON.
fn container_end(bytes: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while at < bytes.len() {
        match bytes[at] {
            b'"' => at += 1 + string_end(&bytes[at + 1..]).unwrap_or(bytes.len() - at - 1),
            b'[' | b'{' => depth += 1,
            b']' | b'}' => {
                depth -= 1;
                if depth == 0 {
                    return at + 1;
                }
            }
            _ => {}
        }
        at += 1;
    }
    bytes.len()
}

/// A string with its escapes undone.
fn unescaped(raw: &str) -> Cow<'_, str> {
    if !raw.contains('\\') {
        return Cow::Borrowed(raw);
    }
    serde_json::from_str(&format!("\"{raw}\"")).map_or(Cow::Borrowed(raw), Cow::Owned)
}

/// JSON without the blanks between its parts.
fn without_blanks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', ' ', '\t', '\n', '\r']) {
        plain.push_str(&rest[..at]);
        if rest[at..].starts_with('"') {
            let end = string_end(&rest.as_bytes()[at + 1..]).map_or(rest.len(), |end| at + end + 2);
            plain.push_str(&rest[at..end]);
            rest = &rest[end..];
        } else {
            rest = &rest[at + 1..];
        }
    }
    plain.push_str(rest);
    plain
}

struct Reader<'a, 'b> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    tape: Arena<u32>,
    /// Where the containers that are open stand on the tape.
    open: Vec<u32>,
    budget: &'b Budget<'b>,
}

impl Reader<'_, '_> {
    /// The whole text; `None` when it is not JSON, or the budget is used up.
    fn run(&mut self) -> Option<()> {
        self.blanks();
        loop {
            // At a value.
            let is_open = self.value()?;
            self.blanks();
            if is_open && self.first()? {
                continue;
            }
            // Behind a value.
            loop {
                let Some(&container) = self.open.last() else {
                    return (self.at == self.bytes.len()).then_some(());
                };
                let is_object = self.tape.get(container) >> PLACE_BITS == OBJECT;
                let next = self.take()?;
                self.blanks();
                match next {
                    b',' if is_object => self.name()?,
                    b',' => {}
                    b'}' if is_object => self.close(),
                    b']' if !is_object => self.close(),
                    _ => return None,
                }
                self.blanks();
                if next == b',' {
                    break;
                }
            }
        }
    }

    /// Whether a container that was just opened has something in it; if not it is closed.
    fn first(&mut self) -> Option<bool> {
        let &container = self.open.last()?;
        let is_object = self.tape.get(container) >> PLACE_BITS == OBJECT;
        match self.bytes.get(self.at)? {
            b'}' if is_object => {}
            b']' if !is_object => {}
            _ if is_object => {
                self.name()?;
                return Some(true);
            }
            _ => return Some(true),
        }
        self.at += 1;
        self.close();
        self.blanks();
        Some(false)
    }

    /// A name and its colon.
    fn name(&mut self) -> Option<()> {
        self.put(NAME, self.at)?;
        self.string()?;
        self.blanks();
        (self.take()? == b':').then(|| self.blanks())
    }

    /// Whether the value is a container, which is now open.
    fn value(&mut self) -> Option<bool> {
        let start = self.at;
        let kind = match self.bytes.get(start)? {
            b'"' => STRING,
            b'[' => ARRAY,
            b'{' => OBJECT,
            b'-' | b'0'..=b'9' => NUMBER,
            _ => WORD,
        };
        let at = self.put(kind, start)?;
        match kind {
            STRING => self.string()?,
            NUMBER => self.number()?,
            WORD => {
                let word = ["null", "true", "false"].into_iter().find(|word| self.text[start..].starts_with(word))?;
                self.at += word.len();
            }
            _ => {
                if self.open.len() == DEPTH_MAX {
                    self.budget.give_up(GaveUp::Depth(DEPTH_MAX));
                    return None;
                }
                self.tape.push(0, self.budget)?;
                self.open.push(at);
                self.at += 1;
                return Some(true);
            }
        }
        Some(false)
    }

    fn put(&mut self, kind: u32, place: usize) -> Option<u32> {
        if !self.budget.step(1) {
            return None;
        }
        self.tape.push(kind << PLACE_BITS | place as u32, self.budget)
    }

    fn close(&mut self) {
        let end = self.tape.len();
        if let Some(container) = self.open.pop() {
            *self.tape.get_mut(container + 1) = end;
        }
    }

    fn take(&mut self) -> Option<u8> {
        let byte = *self.bytes.get(self.at)?;
        self.at += 1;
        Some(byte)
    }

    fn blanks(&mut self) {
        while matches!(self.bytes.get(self.at), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn string(&mut self) -> Option<()> {
        if self.take()? != b'"' {
            return None;
        }
        loop {
            match self.take()? {
                b'"' => return Some(()),
                b'\\' => self.escape()?,
                byte if byte < b' ' => return None,
                _ => {}
            }
        }
    }

    fn escape(&mut self) -> Option<()> {
        match self.take()? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(()),
            b'u' => match self.hex()? {
                // The two halves of a character beyond 16 bits come together.
                0xd800..=0xdbff => {
                    let is_second = self.take()? == b'\\' && self.take()? == b'u';
                    (is_second && matches!(self.hex()?, 0xdc00..=0xdfff)).then_some(())
                }
                0xdc00..=0xdfff => None,
                _ => Some(()),
            },
            _ => None,
        }
    }

    fn hex(&mut self) -> Option<u32> {
        let unit = hex4(self.text.get(self.at..)?)?;
        self.at += 4;
        Some(unit)
    }

    fn digits(&mut self) -> Option<()> {
        let start = self.at;
        while self.bytes.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        (self.at > start).then_some(())
    }

    fn number(&mut self) -> Option<()> {
        if self.bytes[self.at] == b'-' {
            self.at += 1;
        }
        match self.bytes.get(self.at)? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.bytes.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.bytes.get(self.at), Some(b'e' | b'E')) {
            self.at += 1;
            if matches!(self.bytes.get(self.at), Some(b'+' | b'-')) {
                self.at += 1;
            }
            self.digits()?;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests;
