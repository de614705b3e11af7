//! Records of text files with columns (RFC 4180), one at a time, in constant memory.
//!
//! In: bytes, piece by piece. Out: cells, with the line they began on. The separator is the one of `,` `;` tab `|`
//! that the first line has most of. Written back with the quotes and line ends it had, a file is the same.

use std::collections::HashSet;
use std::io::{self, BufRead};

#[cfg(test)]
mod tests;

/// Most bytes of one record; more means that a quote was never closed.
const RECORD_LIMIT: u64 = 1 << 20;

/// What is wrong with carriage returns that end no line, and what to do.
const LONE_RETURN: &str = "a carriage return within a cell without quotes; if the lines end with CR alone, convert the \
                           file, as with `tr '\\r' '\\n'`";

/// A file that cannot be read as a table.
#[derive(Debug, thiserror::Error)]
pub enum CsvError {
    /// The file could not be read.
    #[error("cannot read: {0}")]
    Io(#[from] io::Error),
    /// What stands in it is wrong.
    #[error("line {line}: {message}")]
    Content {
        /// Line, from 1, on which the record begins.
        line: u64,
        /// What is wrong.
        message: String,
    },
}

/// Reads records.
#[derive(Debug)]
pub struct CsvReader<R> {
    input: R,
    separator: u8,
    /// Lines read so far.
    lines: u64,
    /// The record as it is in the file.
    raw: Vec<u8>,
}

/// One record.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// The cells one after the other, without quotes.
    text: String,
    /// Where each cell ends, and whether it stood in quotes.
    ends: Vec<(usize, bool)>,
    /// Line on which it begins, from 1.
    line: u64,
    /// Whether its line ends with a carriage return too.
    has_return: bool,
}

impl Record {
    /// Its cells.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.cell(at))
    }

    /// One cell; empty when there is none.
    pub fn cell(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before].0);
        self.ends.get(at).map_or("", |(end, _)| &self.text[from..*end])
    }

    /// Number of cells.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether it has no cells.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Line on which it begins, from 1.
    pub fn line(&self) -> u64 {
        self.line
    }

    /// Appends it, with each cell as `write` has it; quoted where it was, and where it must be.
    pub fn write(&self, separator: u8, out: &mut String, mut write: impl FnMut(usize, &str, &mut String)) {
        let mut cell = String::new();
        for (at, (_, is_quoted)) in self.ends.iter().enumerate() {
            if at > 0 {
                out.push(char::from(separator));
            }
            cell.clear();
            write(at, self.cell(at), &mut cell);
            let must_quote = cell.bytes().any(|byte| byte == separator || b"\"\r\n".contains(&byte));
            if *is_quoted || must_quote {
                out.push_str(&nmax_text::csv::in_quotes(&cell));
            } else {
                out.push_str(&cell);
            }
        }
        out.push_str(if self.has_return { "\r\n" } else { "\n" });
    }
}

impl<R: BufRead> CsvReader<R> {
    /// A reader, and the names of the columns: the first record.
    pub fn new(input: R) -> Result<(Self, Record), CsvError> {
        let mut reader = Self { input, separator: b',', lines: 0, raw: Vec::new() };
        let mut header = Record::default();
        if !reader.read_line()? {
            return Err(reader.wrong(1, "the file is empty"));
        }
        if reader.raw.starts_with(b"\xef\xbb\xbf") {
            reader.raw.drain(..3);
        }
        let count = |separator: &u8| reader.raw.iter().filter(|byte| *byte == separator).count();
        // The first of equals: `max_by_key` takes the last.
        reader.separator = *b"|\t;,".iter().max_by_key(|separator| count(separator)).unwrap_or(&b',');
        reader.parse(&mut header)?;
        if header.cells().any(str::is_empty) {
            return Err(reader.wrong(1, "a column has no name"));
        }
        let mut known = HashSet::new();
        if let Some(twin) = header.cells().find(|name| !known.insert(*name)) {
            let message = format!("two columns are called `{twin}`");
            return Err(reader.wrong(1, &message));
        }
        Ok((reader, header))
    }

    /// What stands between cells.
    pub fn separator(&self) -> u8 {
        self.separator
    }

    /// Reads the next record; false at the end. Empty lines are left out, unless there is one column.
    pub fn read(&mut self, columns: usize, record: &mut Record) -> Result<bool, CsvError> {
        loop {
            self.raw.clear();
            if !self.read_line()? {
                return Ok(false);
            }
            self.parse(record)?;
            if record.len() == columns {
                return Ok(true);
            }
            if record.len() != 1 || !record.cell(0).is_empty() {
                let message = format!("{} cells, but the header has {columns}", record.len());
                return Err(self.wrong(record.line, &message));
            }
        }
    }

    /// Appends a line to the raw record; false when there is none.
    fn read_line(&mut self) -> Result<bool, CsvError> {
        let limit = RECORD_LIMIT.saturating_sub(self.raw.len() as u64);
        let read = io::Read::take(&mut self.input, limit).read_until(b'\n', &mut self.raw)?;
        self.lines += 1;
        if read as u64 == limit {
            return Err(self.wrong(
                self.lines,
                "a record of more than 1 MiB; is a quote not closed, or do lines end with CR alone?",
            ));
        }
        Ok(read > 0)
    }

    /// Splits the raw record, and reads more lines while a quote is open.
    fn parse(&mut self, record: &mut Record) -> Result<(), CsvError> {
        record.text.clear();
        record.ends.clear();
        record.line = self.lines;
        let mut cells = Vec::with_capacity(self.raw.len());
        let mut at = 0;
        loop {
            let is_quoted = self.raw.get(at) == Some(&b'"');
            at = if is_quoted {
                self.quoted(at + 1, record.line, &mut cells)?
            } else {
                self.plain(at, record.line, &mut cells)?
            };
            record.ends.push((cells.len(), is_quoted));
            match self.raw.get(at) {
                Some(byte) if *byte == self.separator => at += 1,
                None | Some(b'\n') => break,
                Some(b'\r') if self.raw.get(at + 1).is_none_or(|next| *next == b'\n') => break,
                Some(b'\r') => return Err(self.wrong(record.line, LONE_RETURN)),
                Some(_) => return Err(self.wrong(record.line, "text after a closing quote")),
            }
        }
        record.has_return = self.raw.ends_with(b"\r\n");
        record.text = String::from_utf8(cells)
            .map_err(|_| self.wrong(record.line, "not UTF-8; convert the file, as with `iconv -t utf-8`"))?;
        // A cell cannot end within a character: separators and quotes are ASCII.
        Ok(())
    }

    /// Copies a cell without quotes; returns where it ends.
    fn plain(&self, from: usize, line: u64, cells: &mut Vec<u8>) -> Result<usize, CsvError> {
        let rest = &self.raw[from..];
        let length = rest.iter().position(|byte| *byte == self.separator || *byte == b'\n').unwrap_or(rest.len());
        // The return of a line's end is not of the cell.
        let is_last = rest.get(length) != Some(&self.separator);
        let length = length - usize::from(is_last && rest[..length].ends_with(b"\r"));
        if rest[..length].contains(&b'\r') {
            return Err(self.wrong(line, LONE_RETURN));
        }
        cells.extend_from_slice(&rest[..length]);
        Ok(from + length)
    }

    /// Copies a cell in quotes; returns what follows the closing one.
    fn quoted(&mut self, from: usize, line: u64, cells: &mut Vec<u8>) -> Result<usize, CsvError> {
        let mut at = from;
        loop {
            match self.raw.get(at) {
                Some(b'"') if self.raw.get(at + 1) == Some(&b'"') => {
                    cells.push(b'"');
                    at += 2;
                }
                Some(b'"') => return Ok(at + 1),
                Some(byte) => {
                    cells.push(*byte);
                    at += 1;
                }
                None => {
                    if !self.read_line()? {
                        return Err(self.wrong(line, "a quote is not closed"));
                    }
                }
            }
        }
    }

    fn wrong(&self, line: u64, message: &str) -> CsvError {
        CsvError::Content { line, message: message.to_owned() }
    }
}
