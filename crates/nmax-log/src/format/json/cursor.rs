//! A walk through the bytes of an object, without recursion of its own.

use std::ops::Range;

use crate::record::Rejection;

/// Where the walk is.
pub(in crate::format) struct Cursor<'l> {
    line: &'l [u8],
    at: usize,
}

/// A value in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Value {
    /// What is between quotes.
    Text {
        /// Where it is.
        at: Range<usize>,
        /// It has backslashes.
        is_escaped: bool,
    },
    /// A number, a word, or nothing at all.
    Bare(Range<usize>),
    /// An object; its brace is behind the cursor.
    Object,
    /// An array; its bracket is behind the cursor.
    Array,
}

impl<'l> Cursor<'l> {
    /// The cursor in front of `line`.
    pub(in crate::format) fn new(line: &'l [u8]) -> Self {
        Self { line, at: 0 }
    }

    /// The line.
    pub(super) fn line(&self) -> &'l [u8] {
        self.line
    }

    /// Byte of the line, from 0.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Passes the brace of an object.
    pub(super) fn open_object(&mut self) -> bool {
        self.pass(b'{')
    }

    /// Nothing but a comma follows.
    pub(super) fn is_at_end(&mut self) -> bool {
        self.pass(b',');
        self.blanks();
        self.at == self.line.len()
    }

    /// The text that is the value of the first member of the object in front of the cursor, and whether it has backslashes.
    pub(in crate::format) fn first_text(mut self) -> Option<(Range<usize>, bool)> {
        self.open_object();
        self.key().ok()??;
        match self.value().ok()? {
            Value::Text { at, is_escaped } => Some((at, is_escaped)),
            _ => None,
        }
    }

    /// The name of the next member, with its colon passed; `None` with the closing brace passed.
    pub(super) fn key(&mut self) -> Result<Option<&'l [u8]>, Rejection> {
        while self.pass(b',') {}
        if self.pass(b'}') {
            return Ok(None);
        }
        if !self.pass(b'"') {
            return Err(self.wrong("the name of a member or `}` should be here"));
        }
        let (name, _) = self.text()?;
        if !self.pass(b':') {
            return Err(self.wrong("`:` should be here"));
        }
        Ok(Some(&self.line[name]))
    }

    /// The value that is next.
    pub(super) fn value(&mut self) -> Result<Value, Rejection> {
        self.blanks();
        let Some(&byte) = self.line.get(self.at) else {
            return Err(self.wrong("the line ends within the object"));
        };
        match byte {
            b'"' => {
                self.at += 1;
                let (at, is_escaped) = self.text()?;
                Ok(Value::Text { at, is_escaped })
            }
            b'{' => {
                self.at += 1;
                Ok(Value::Object)
            }
            b'[' => {
                self.at += 1;
                Ok(Value::Array)
            }
            _ => {
                let start = self.at;
                let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'"' | b'{' | b'[');
                let length = self.line[start..].iter().position(ends).unwrap_or(self.line.len() - start);
                self.at += length;
                Ok(Value::Bare(start..self.at))
            }
        }
    }

    /// Passes what is left of an object or array whose opening is behind the cursor.
    pub(super) fn skip(&mut self) -> Result<(), Rejection> {
        let mut depth = 1_usize;
        while let Some(&byte) = self.line.get(self.at) {
            self.at += 1;
            match byte {
                b'"' => {
                    self.text()?;
                }
                b'{' | b'[' => depth += 1,
                b'}' | b']' => {
                    depth -= 1;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err(self.wrong("the line ends within the object"))
    }

    /// Passes `byte` and the blanks in front of it.
    fn pass(&mut self, byte: u8) -> bool {
        self.blanks();
        let is_there = self.line.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn blanks(&mut self) {
        self.at += self.line[self.at..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
    }

    /// The text whose opening quote is behind the cursor.
    fn text(&mut self) -> Result<(Range<usize>, bool), Rejection> {
        let start = self.at;
        let mut is_escaped = false;
        loop {
            let rest = self.line.get(self.at..).unwrap_or_default();
            let Some(length) = memchr::memchr2(b'"', b'\\', rest) else {
                self.at = self.line.len();
                return Err(self.wrong("the line ends within a text"));
            };
            self.at += length;
            if self.line[self.at] == b'"' {
                self.at += 1;
                return Ok((start..self.at - 1, is_escaped));
            }
            is_escaped = true;
            self.at += 2;
        }
    }

    #[cold]
    fn wrong(&self, what: &str) -> Rejection {
        Rejection { reason: format!("no JSON: {what}"), at: self.at.min(self.line.len()) }
    }
}
