//! Lines of a text file as records of cells, whatever stands between the cells.
//!
//! Tolerant about form and strict about content: a byte order mark, either line end, blank lines, `#` comments and
//! quotes (RFC 4180) are read; what is no text is refused. One record is held at a time, with the first few, from
//! which the separator is found.

use std::collections::VecDeque;
use std::fmt;
use std::io::{self, BufRead, Read};

use super::TableError;

/// Most bytes of one record; more is no table, or a quote that was never closed.
const RECORD_BYTES_MAX: usize = 1 << 16;
/// Most bytes of a file; a device or pipe may have no end.
const FILE_BYTES_MAX: u64 = 1 << 27;
/// Records from which the separator is found.
const LOOKED_AT: usize = 50;

/// What stands between cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Separator {
    /// A single byte.
    Byte(u8),
    /// Any number of spaces and tabs.
    Blanks,
}

impl Separator {
    /// In the order in which equals are preferred: a decimal comma is likelier than a semicolon inside a cell.
    const ALL: [Self; 5] = [Self::Byte(b'\t'), Self::Byte(b';'), Self::Byte(b'|'), Self::Byte(b','), Self::Blanks];
}

impl fmt::Display for Separator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Byte(b'\t') => "tab",
            Self::Byte(b';') => "semicolon",
            Self::Byte(b'|') => "bar",
            Self::Byte(_) => "comma",
            Self::Blanks => "spaces",
        })
    }
}

fn at(line: u64, what: &str, help: &str) -> TableError {
    TableError::new(format!("line {line}: {what}"), help)
}

impl From<io::Error> for TableError {
    fn from(error: io::Error) -> Self {
        Self::new(format!("cannot read: {error}"), "give a file of measurements, or `-` for standard input")
    }
}

/// One record: its cells without quotes and outer blanks.
#[derive(Clone, Debug, Default)]
pub struct Record {
    text: String,
    /// Where each cell ends in the text.
    ends: Vec<usize>,
    /// Line on which it begins, from 1.
    pub line: u64,
}

impl Record {
    /// One cell; empty when there is none.
    pub fn cell(&self, at: usize) -> &str {
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        self.ends.get(at).map_or("", |end| self.text[from..*end].trim())
    }

    /// Its cells.
    pub fn cells(&self) -> impl Iterator<Item = &str> {
        (0..self.ends.len()).map(|at| self.cell(at))
    }

    /// Number of cells, without empty ones at the end: spreadsheets write separators for nothing.
    pub(super) fn len(&self) -> usize {
        let empty = (0..self.ends.len()).rev().take_while(|at| self.cell(*at).is_empty());
        self.ends.len() - empty.count()
    }

    /// Number of cells, with empty ones.
    pub fn width(&self) -> usize {
        self.ends.len()
    }

    /// Whether no cell says anything: all are empty, or lines that draw a table.
    pub fn is_blank(&self) -> bool {
        !self.text.chars().any(char::is_alphanumeric)
    }

    /// Takes the cells of a text.
    fn split(&mut self, text: &str, separator: Separator) {
        self.text.clear();
        self.ends.clear();
        match separator {
            Separator::Blanks => {
                for cell in text.split_ascii_whitespace() {
                    let inner = cell.strip_prefix('"').and_then(|cell| cell.strip_suffix('"'));
                    self.text.push_str(inner.unwrap_or(cell));
                    self.ends.push(self.text.len());
                }
            }
            Separator::Byte(byte) if !text.contains('"') => {
                for cell in text.split(char::from(byte)) {
                    self.text.push_str(cell);
                    self.ends.push(self.text.len());
                }
            }
            Separator::Byte(byte) => self.split_quoted(text, char::from(byte)),
        }
    }

    /// A quote opens at the beginning of a cell, after blanks; doubled, it stands for itself.
    fn split_quoted(&mut self, text: &str, separator: char) {
        let mut is_open = false;
        let mut is_begun = false;
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                '"' if is_open && letters.peek() == Some(&'"') => {
                    letters.next();
                    self.text.push('"');
                }
                '"' if is_open => is_open = false,
                '"' if !is_begun => (is_open, is_begun) = (true, true),
                letter if letter == separator && !is_open => {
                    self.ends.push(self.text.len());
                    is_begun = false;
                }
                letter => {
                    is_begun |= !letter.is_whitespace();
                    self.text.push(letter);
                }
            }
        }
        self.ends.push(self.text.len());
    }
}

/// Reads records.
pub struct Records<R> {
    input: io::Take<R>,
    /// Most bytes of the file.
    bytes_max: u64,
    /// Lines read so far.
    lines: u64,
    raw: Vec<u8>,
    /// Texts of the first records, with their lines.
    ahead: VecDeque<(u64, String)>,
    separator: Separator,
}

impl<R: BufRead> Records<R> {
    /// Reads the first records, and finds what stands between their cells.
    pub fn new(input: R) -> Result<Self, TableError> {
        Self::up_to(FILE_BYTES_MAX, input)
    }

    /// With this most bytes of a file.
    fn up_to(bytes_max: u64, input: R) -> Result<Self, TableError> {
        let mut records = Self {
            input: input.take(bytes_max),
            bytes_max,
            lines: 0,
            raw: Vec::new(),
            ahead: VecDeque::new(),
            separator: Separator::Blanks,
        };
        while records.ahead.len() < LOOKED_AT
            && let Some((line, text)) = records.text()?
        {
            let text = text.to_owned();
            records.ahead.push_back((line, text));
        }
        records.separator = found(records.ahead.iter().map(|(_, text)| text.as_str()));
        Ok(records)
    }

    /// What stands between cells.
    pub fn separator(&self) -> Separator {
        self.separator
    }

    /// Reads the next record that is not blank; false at the end.
    pub fn read(&mut self, record: &mut Record) -> Result<bool, TableError> {
        loop {
            let separator = self.separator;
            if let Some((line, text)) = self.ahead.pop_front() {
                record.split(&text, separator);
                record.line = line;
            } else if let Some((line, text)) = self.text()? {
                record.split(text, separator);
                record.line = line;
            } else {
                return Ok(false);
            }
            if !record.is_blank() {
                return Ok(true);
            }
        }
    }

    /// The text of the next record that is neither blank nor a comment, with the line it begins on.
    fn text(&mut self) -> Result<Option<(u64, &str)>, TableError> {
        loop {
            self.raw.clear();
            if !self.line()? {
                return Ok(None);
            }
            let begin = self.raw.trim_ascii_start();
            if !begin.is_empty() && !begin.starts_with(b"#") {
                break;
            }
        }
        let first = self.lines;
        while self.raw.iter().filter(|byte| **byte == b'"').count() % 2 == 1 {
            if !self.line()? {
                return Err(at(first, "a quote is not closed", "close it, or write \"\" for a quote"));
            }
        }
        if self.raw.ends_with(b"\n") {
            self.raw.pop();
        }
        if self.raw.ends_with(b"\r") {
            self.raw.pop();
        }
        if self.raw.contains(&b'\r') && !self.raw.contains(&b'\n') {
            let help = "convert the file, as with `tr '\\r' '\\n'`";
            return Err(at(first, "lines end with a carriage return alone", help));
        }
        let text = std::str::from_utf8(&self.raw).map_err(|_| {
            let help = "convert the file, as with `iconv -f latin1 -t utf-8`";
            at(first, "this is not UTF-8", help)
        })?;
        Ok(Some((first, text)))
    }

    /// Appends a line to the raw record; false at the end of the file.
    fn line(&mut self) -> Result<bool, TableError> {
        let room = RECORD_BYTES_MAX.saturating_sub(self.raw.len());
        let begin = self.raw.len();
        let read = (&mut self.input).take(room as u64).read_until(b'\n', &mut self.raw)?;
        if read == 0 && room > 0 {
            if self.input.limit() == 0 {
                return Err(TableError::new(
                    format!("more than {} MiB", self.bytes_max >> 20),
                    "give a table with a row for each run",
                ));
            }
            return Ok(false);
        }
        self.lines += 1;
        if self.lines == 1 {
            if self.raw.starts_with(b"\xff\xfe") || self.raw.starts_with(b"\xfe\xff") {
                let help = "convert the file, as with `iconv -f utf-16 -t utf-8`";
                return Err(at(1, "this is UTF-16", help));
            }
            if self.raw.starts_with(b"\xef\xbb\xbf") {
                self.raw.drain(..3);
            }
        }
        let line = self.raw.get(begin..).unwrap_or(&[]);
        if line.contains(&0) {
            let help = "give a text file: numbers with commas, semicolons, tabs or spaces between them";
            return Err(at(self.lines, "this is a binary file", help));
        }
        if self.raw.len() >= RECORD_BYTES_MAX {
            let help = "give a table with a line for each run; is a quote not closed?";
            return Err(at(self.lines, "more than 64 KiB in one record", help));
        }
        Ok(true)
    }
}

/// The separator that splits most of the texts into the same number of cells, two or more; among equals the one that
/// leaves most numbers.
fn found<'a>(texts: impl Iterator<Item = &'a str> + Clone) -> Separator {
    let mut best = (Separator::Blanks, 0, 0.0);
    for separator in Separator::ALL {
        let mut record = Record::default();
        let (mut cells, mut numbers) = (0_usize, 0_usize);
        let mut lengths = Vec::new();
        for text in texts.clone() {
            record.split(text, separator);
            lengths.push(record.len());
            cells += record.len();
            numbers += record.cells().filter(|cell| looks_like_a_number(cell)).count();
        }
        lengths.sort_unstable();
        let alike = lengths.chunk_by(|a, b| a == b).filter(|equal| equal[0] > 1);
        let alike = alike.map(<[usize]>::len).max().unwrap_or(0);
        let numbers = numbers as f64 / cells.max(1) as f64;
        if alike > 0 && (alike, numbers) > (best.1, best.2) {
            best = (separator, alike, numbers);
        }
    }
    best.0
}

/// Whether a cell was meant as a number, even if it cannot be read as one: `955,16`, `1'000` and `nan` are.
pub(super) fn looks_like_a_number(cell: &str) -> bool {
    let digits = cell.bytes().any(|byte| byte.is_ascii_digit());
    let only_numeric = cell.bytes().all(|byte| byte.is_ascii_digit() || b"+-.,'_eE%".contains(&byte));
    digits && only_numeric || cell.parse::<f64>().is_ok()
}

#[cfg(test)]
mod tests;
