//! Files read record by record, as CSV or as JSON lines.

use std::fs::File;
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use nmax_data::{CsvError, CsvReader, Record};

use super::Trouble;
use super::json::{Leaf, leaves};

/// Most bytes of a line of JSON.
const LINE_LIMIT: u64 = 1 << 20;

/// A file, from its beginning.
pub(super) enum Table {
    /// With a header.
    Csv(CsvTable),
    /// An object on each line.
    Lines(LineTable),
}

/// Records of cells.
pub(super) struct CsvTable {
    reader: CsvReader<BufReader<File>>,
    pub(super) header: Record,
    name: String,
}

/// Lines of JSON.
pub(super) struct LineTable {
    reader: BufReader<File>,
    raw: Vec<u8>,
    number: u64,
    name: String,
}

/// A line of JSON, without its end.
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    pub(super) leaves: Vec<Leaf>,
}

/// Opens a file. JSON lines are known by the name (`.jsonl`, `.ndjson`, `.json`) or by a `{` at the beginning.
pub(super) fn open(path: &Path) -> Result<Table, Trouble> {
    let name = path.display().to_string();
    let opened = File::open(path).and_then(|file| {
        let mut reader = BufReader::with_capacity(1 << 17, file);
        let begins_with_brace = reader.fill_buf()?.trim_ascii_start().starts_with(b"{");
        Ok((reader, begins_with_brace))
    });
    let (reader, begins_with_brace) = opened.map_err(|error| {
        Trouble::usage(format_args!("{name}: cannot read: {error}"), "give a file of CSV or JSON lines")
    })?;
    let has_ending = |ending: &str| path.extension().is_some_and(|own| own.eq_ignore_ascii_case(ending));
    if begins_with_brace || ["jsonl", "ndjson", "json"].into_iter().any(has_ending) {
        return Ok(Table::Lines(LineTable { reader, raw: Vec::new(), number: 0, name }));
    }
    let (reader, header) = CsvReader::new(reader).map_err(|error| wrong_csv(&name, &error))?;
    Ok(Table::Csv(CsvTable { reader, header, name }))
}

impl CsvTable {
    /// The next record; false at the end.
    pub(super) fn read(&mut self, record: &mut Record) -> Result<bool, Trouble> {
        let columns = self.header.len();
        self.reader.read(columns, record).map_err(|error| wrong_csv(&self.name, &error))
    }

    /// What stands between cells.
    pub(super) fn separator(&self) -> u8 {
        self.reader.separator()
    }
}

impl LineTable {
    /// The next line that is not empty; `None` at the end.
    pub(super) fn read(&mut self) -> Result<Option<Line<'_>>, Trouble> {
        loop {
            self.raw.clear();
            self.number += 1;
            let read = (&mut self.reader).take(LINE_LIMIT).read_until(b'\n', &mut self.raw);
            let read = read.map_err(|error| self.wrong(format_args!("cannot read: {error}")))?;
            if read == 0 {
                return Ok(None);
            }
            if read as u64 == LINE_LIMIT && !self.raw.ends_with(b"\n") {
                return Err(self.wrong("a line of more than 1 MiB"));
            }
            if !self.raw.trim_ascii().is_empty() {
                break;
            }
        }
        let text = std::str::from_utf8(&self.raw).map_err(|_| self.wrong("not UTF-8"))?.trim_end_matches(['\n', '\r']);
        let leaves = leaves(text).map_err(|error| self.wrong(error))?;
        Ok(Some(Line { text, leaves }))
    }

    fn wrong(&self, what: impl std::fmt::Display) -> Trouble {
        let text = format!("{}: line {}: {what}", self.name, self.number);
        Trouble::usage(text, "each line holds one JSON object in UTF-8")
    }
}

fn wrong_csv(name: &str, error: &CsvError) -> Trouble {
    let help = match error {
        CsvError::Io(_) => "see whether the file is there and complete",
        CsvError::Content { .. } => "the file must be CSV in UTF-8 with a header (RFC 4180), or JSON lines",
    };
    Trouble::usage(format_args!("{name}: {error}"), help)
}
