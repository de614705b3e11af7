//! Texts of a line: where they are, and what is found in them.

use std::ops::Range;

use super::value::is_token;
use super::{Coding, Draft, METHOD_BYTES_MAX};
use crate::format::field::{UserAgentCoding, session_rank};
use crate::format::unescape;

/// Where a text is: in the line, or unescaped in the scratch buffer.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Text {
    /// First byte; the highest bit is set where it is in the scratch buffer.
    start: u32,
    bytes: u32,
}

/// The bit of [`Text::start`] of texts in the scratch buffer. Lines are far shorter.
const SCRATCH: u32 = 1 << 31;

impl Text {
    /// The text at `from` in the line.
    fn in_line(from: Range<usize>) -> Self {
        Self { start: place(from.start), bytes: place(from.len()) }
    }

    /// The text at `from` in the scratch buffer.
    pub(super) fn in_scratch(from: Range<usize>) -> Self {
        Self { start: place(from.start) | SCRATCH, bytes: place(from.len()) }
    }

    pub(super) fn is_scratch(self) -> bool {
        self.start & SCRATCH != 0
    }

    pub(super) fn is_empty(self) -> bool {
        self.bytes == 0
    }

    /// Where it is in its buffer.
    pub(super) fn range(self) -> Range<usize> {
        let start = (self.start & !SCRATCH) as usize;
        start..start + self.bytes as usize
    }

    /// The part `at` of it.
    pub(super) fn part(self, at: Range<usize>) -> Self {
        Self { start: self.start + place(at.start), bytes: place(at.len()) }
    }
}

impl Draft {
    /// The text `line[at]` without escapes; empty where the log has `-`.
    pub(super) fn text(&mut self, line: &[u8], at: Range<usize>, coding: Coding) -> Text {
        let value = &line[at.clone()];
        if value == b"-" || value == b"\"\"" {
            return Text::default();
        }
        match coding {
            Coding::Plain => {}
            Coding::Backslash => return self.written(|out| unescape::backslashes(value, out)),
            Coding::Doubled if memchr::memmem::find(value, b"\"\"").is_some() => {
                return self.written(|out| unescape::doubled(value, out));
            }
            Coding::Doubled => {}
            Coding::Hash => return self.written(|out| unescape::hashes(value, out)),
        }
        Text::in_line(at)
    }

    /// The text that `write` appends to the scratch buffer.
    fn written(&mut self, write: impl FnOnce(&mut Vec<u8>)) -> Text {
        let start = self.scratch.len();
        write(&mut self.scratch);
        Text::in_scratch(start..self.scratch.len())
    }

    /// The bytes of a text.
    pub(super) fn bytes<'a>(&'a self, line: &'a [u8], text: Text) -> &'a [u8] {
        let all = if text.is_scratch() { &self.scratch } else { line };
        &all[text.range()]
    }

    /// Splits a request line. What is no request, such as the first bytes of TLS, has neither method nor target.
    pub(super) fn request(&mut self, line: &[u8], text: Text) {
        let request = self.bytes(line, text);
        let Some(blank) = memchr::memchr(b' ', request) else {
            return;
        };
        if blank == 0 || blank > METHOD_BYTES_MAX || !request[..blank].iter().all(|&byte| is_token(byte)) {
            return;
        }
        let end = match request {
            [.., b' ', b'H', b'T', b'T', b'P', b'/', _, b'.', _] => request.len() - 9,
            _ => match memchr::memrchr(b' ', request) {
                Some(last) if last > blank && request[last + 1..].starts_with(b"HTTP/") => last,
                _ => request.len(),
            },
        };
        // ALB writes `- http://host:80- -` for a request that it could not read.
        if end <= blank + 1 || &request[..blank] == b"-" {
            return;
        }
        self.values.method = text.part(0..blank);
        self.values.target = text.part(blank + 1..end);
    }

    /// The user agent as it was sent.
    pub(super) fn agent(&mut self, line: &[u8], text: Text, coding: UserAgentCoding) -> Text {
        let mark = match coding {
            UserAgentCoding::Plain => return text,
            UserAgentCoding::Plus => b'+',
            UserAgentCoding::Percent => b'%',
        };
        // What is coded this way is never escaped as well, so it is still in the line.
        if text.is_scratch() || memchr::memchr(mark, self.bytes(line, text)).is_none() {
            return text;
        }
        let value = &line[text.range()];
        self.written(|out| match coding {
            UserAgentCoding::Percent => unescape::percents(value, out),
            _ => unescape::pluses(value, out),
        })
    }

    /// Finds the cookie that tells sessions apart best.
    pub(super) fn cookies(&mut self, line: &[u8], text: Text) {
        let mut best = (u8::MAX, Text::default());
        let all = self.bytes(line, text);
        let mut from = 0;
        for end in memchr::memchr_iter(b';', all).chain([all.len()]) {
            let blanks = all[from..end].iter().take_while(|byte| matches!(byte, b' ' | b'+')).count();
            let start = from + blanks;
            if let Some(equals) = memchr::memchr(b'=', &all[start..end])
                && let Some(rank) = session_rank(&all[start..start + equals])
                && rank < best.0
            {
                best = (rank, text.part(start + equals + 1..end));
            }
            from = end + 1;
        }
        self.session(best.0, best.1);
    }

    /// Takes the value of a session.
    pub(super) fn session(&mut self, rank: u8, text: Text) {
        if rank < self.values.session_rank && !text.is_empty() {
            self.values.session = text;
            self.values.session_rank = rank;
        }
    }
}

/// A place in a line. Lines are far shorter than 2 GB, and so is what is unescaped from them.
fn place(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(SCRATCH - 1)
}
