//! Generated records as text of a file.

use std::ops::Range;

use crate::generator::Generator;

#[cfg(test)]
mod tests;

/// How a file is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Format {
    /// A line of names, then a line for each record, as in RFC 4180 but with line feeds only.
    Csv,
    /// An object for each line.
    JsonLines,
    /// `INSERT` statements of standard SQL, [`RecordWriter::ROWS_PER_INSERT`] records each.
    Sql {
        /// The table, as it is called in the database.
        table: String,
    },
}

/// Writes records of a range, one after the other. Memory: the text of one piece.
#[derive(Debug)]
pub struct RecordWriter<'a> {
    generator: &'a Generator,
    seed: u64,
    left: Range<u64>,
    written: u64,
    /// Index of a column, and what stands before its cell.
    cells: Vec<(usize, String)>,
    /// What stands after the last cell.
    end: &'static str,
    /// The beginning of each statement; empty when there are none.
    insert: String,
    /// What stands at the top of the file.
    header: String,
}

impl<'a> RecordWriter<'a> {
    /// Records in one statement of SQL; databases take far more, and pay for each statement.
    pub const ROWS_PER_INSERT: u64 = 500;

    /// A writer of these columns (by index) of these records.
    pub fn new(generator: &'a Generator, seed: u64, records: Range<u64>, columns: &[usize], format: &Format) -> Self {
        let names: Vec<&str> = columns.iter().map(|column| generator.columns()[*column]).collect();
        let before = |place: usize| match (format, place) {
            (Format::Csv, 0) => String::new(),
            (Format::Csv, _) => ",".to_owned(),
            (Format::JsonLines, 0) => format!("{{\"{}\":\"", names[0]),
            (Format::JsonLines, _) => format!("\",\"{}\":\"", names[place]),
            (Format::Sql { .. }, 0) => "('".to_owned(),
            (Format::Sql { .. }, _) => "','".to_owned(),
        };
        let (end, header, insert) = match format {
            Format::Csv => ("\n", names.join(",") + "\n", String::new()),
            Format::JsonLines => ("\"}\n", String::new(), String::new()),
            Format::Sql { table } => {
                let table = table.replace('"', "\"\"");
                let names = names.join("\", \"");
                ("')", String::new(), format!("INSERT INTO \"{table}\" (\"{names}\") VALUES\n"))
            }
        };
        Self {
            generator,
            seed,
            left: records,
            written: 0,
            cells: columns.iter().enumerate().map(|(place, column)| (*column, before(place))).collect(),
            end,
            insert,
            header,
        }
    }

    /// What stands at the top of the file.
    pub fn header(&self) -> &str {
        &self.header
    }

    /// Appends up to `count` records and says how many; 0 at the end. Nothing is quoted, because cells need no quoting
    /// (`cells_need_no_quotes`).
    pub fn write(&mut self, count: u64, out: &mut Vec<u8>) -> u64 {
        let count = count.min(self.left.end.saturating_sub(self.left.start));
        for _ in 0..count {
            let record = self.left.start;
            self.left.start += 1;
            let is_first_of_insert = self.written.is_multiple_of(Self::ROWS_PER_INSERT);
            self.written += 1;
            if is_first_of_insert {
                out.extend_from_slice(self.insert.as_bytes());
            }
            let row = self.generator.row(self.seed, record);
            for (column, before) in &self.cells {
                match before.as_bytes() {
                    // Without a call, for CSV.
                    [byte] => out.push(*byte),
                    bytes => out.extend_from_slice(bytes),
                }
                self.generator.push(&row, *column, out);
            }
            out.extend_from_slice(self.end.as_bytes());
            if !self.insert.is_empty() {
                let is_last = self.left.is_empty() || self.written.is_multiple_of(Self::ROWS_PER_INSERT);
                out.extend_from_slice(if is_last { b";\n" } else { b",\n" });
            }
        }
        count
    }
}
