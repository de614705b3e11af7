//! Chunks of bytes become lines, in memory bounded by [`LINE_BYTES_MAX`].

use super::LINE_BYTES_MAX;

/// Splits chunks of bytes, as files and sockets give them, into lines.
///
/// A line ends with `\n`; a `\r` before it is no part of the line, and the last line needs no end. Bytes of value 0 in
/// front of a line are dropped: a log that is truncated while the server holds it open begins with a hole of them. The
/// same is true of the mark of UTF-8 at the very beginning.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// The beginning of a line whose end was not seen yet.
    pending: Vec<u8>,
    /// Bytes of a line that is too long, as far as they were seen; 0 when the line at hand is not.
    long_bytes: u64,
    count: u64,
    hole_bytes: u64,
}

/// A line, or what is left of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut<'a> {
    /// A whole line without its end.
    Line(&'a [u8]),
    /// A line longer than [`LINE_BYTES_MAX`].
    TooLong {
        /// Its first bytes.
        start: &'a [u8],
        /// Its length in bytes.
        bytes: u64,
    },
}

/// The mark of UTF-8.
const MARK: &[u8] = b"\xef\xbb\xbf";

/// Bytes of a line that is too long which are kept.
const START_BYTES: usize = 256;

impl Lines {
    /// A splitter before the first byte.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lines that were handed out so far.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Bytes of value 0 that were dropped in front of lines.
    pub fn hole_bytes(&self) -> u64 {
        self.hole_bytes
    }

    /// Gives each line that ends in `chunk` to `each`.
    pub fn feed(&mut self, chunk: &[u8], mut each: impl FnMut(Cut<'_>)) {
        let mut from = 0;
        for end in memchr::memchr_iter(b'\n', chunk) {
            self.end(&chunk[from..end], &mut each);
            from = end + 1;
        }
        self.keep(&chunk[from..]);
    }

    /// Gives the last line to `each`, if it had no end, and is ready for another file.
    pub fn finish(&mut self, mut each: impl FnMut(Cut<'_>)) {
        if !self.pending.is_empty() {
            self.end(&[], &mut each);
        }
    }

    /// The line at hand ends after `rest`.
    fn end(&mut self, rest: &[u8], each: &mut impl FnMut(Cut<'_>)) {
        if !self.pending.is_empty() {
            self.keep(rest);
        }
        let line = if self.pending.is_empty() { self.without_hole(rest) } else { &self.pending };
        let line = if self.count == 0 { line.strip_prefix(MARK).unwrap_or(line) } else { line };
        let bytes = if self.long_bytes > 0 { self.long_bytes } else { line.len() as u64 };
        if bytes > LINE_BYTES_MAX as u64 {
            each(Cut::TooLong { start: &line[..line.len().min(START_BYTES)], bytes });
        } else {
            each(Cut::Line(line.strip_suffix(b"\r").unwrap_or(line)));
        }
        self.count += 1;
        self.long_bytes = 0;
        self.pending.clear();
    }

    /// Keeps `part` of a line whose end was not seen.
    fn keep(&mut self, part: &[u8]) {
        if self.long_bytes > 0 {
            self.long_bytes += part.len() as u64;
            return;
        }
        let part = if self.pending.is_empty() { self.without_hole(part) } else { part };
        let bytes = self.pending.len() + part.len();
        if bytes > LINE_BYTES_MAX {
            self.long_bytes = bytes as u64;
            let room = START_BYTES.saturating_sub(self.pending.len());
            self.pending.extend_from_slice(&part[..room.min(part.len())]);
            self.pending.truncate(START_BYTES);
            self.pending.shrink_to(1 << 16);
        } else {
            self.pending.extend_from_slice(part);
        }
    }

    /// `line` without the hole in front of it. O(1) for lines that begin with text.
    fn without_hole<'a>(&mut self, line: &'a [u8]) -> &'a [u8] {
        if line.first() != Some(&0) {
            return line;
        }
        let hole = line.iter().take_while(|&&byte| byte == 0).count();
        self.hole_bytes += hole as u64;
        &line[hole..]
    }
}

#[cfg(test)]
mod tests;
