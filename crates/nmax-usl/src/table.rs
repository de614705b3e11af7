//! Measurements read from a table: text with a row for each run, whatever stands between its cells.
//!
//! Rows are runs. What is no number is an error, with its row and column, and all errors are said at once; numbers
//! that no measurement can be (0, below 0) go on to the analysis, which says what they are.

use std::io::BufRead;

use nmax_text::number::counted;
use nmax_text::shown;

use self::columns::Columns;
use self::records::{Record, Records, Separator, looks_like_a_number};
use crate::fit::Regression;
use crate::observation::{Dimension, Observation};

mod columns;
pub mod records;
mod rows;

pub use columns::ColumnSelection;
pub use rows::Rows;

/// Most rows that are used.
const ROWS_MAX: usize = 1_000_000;
/// Most errors that are said one by one.
const PROBLEMS_SHOWN: usize = 20;
/// Most columns of a table.
const COLUMNS_MAX: usize = 1000;

/// Why text is no table of measurements.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}\n  help: {help}")]
pub struct TableError {
    /// Where, and what is wrong; several lines where several values are.
    pub text: String,
    /// What to do.
    pub help: String,
}

impl TableError {
    fn new(text: impl Into<String>, help: impl Into<String>) -> Self {
        Self { text: text.into(), help: help.into() }
    }
}

/// What is read of a table, and how.
#[derive(Clone, Copy, Debug)]
pub struct Wanted<'a> {
    /// Which columns are N, X and R, where their names do not say it.
    pub columns: ColumnSelection<'a>,
    /// These rows, else all.
    pub rows: Option<&'a Rows>,
}

/// What was read.
#[derive(Clone, Debug)]
pub struct Table {
    /// A row each, in the order of the file.
    pub observations: Vec<Observation>,
    /// What N counts, as its column is called.
    pub dimension: Dimension,
    /// What is to be fitted: R on X where there is no N.
    pub regression: Regression,
    /// How it was read, in words.
    pub how: String,
    /// What a person should know about the reading.
    pub notes: Vec<String>,
}

/// Reads a table: text with a header or without, cells with commas, semicolons, tabs, bars or blanks between them.
pub fn read(input: impl BufRead, wanted: &Wanted<'_>) -> Result<Table, TableError> {
    read_up_to(ROWS_MAX, input, wanted)
}

/// Reads a table of at most so many rows.
fn read_up_to(rows_max: usize, input: impl BufRead, wanted: &Wanted<'_>) -> Result<Table, TableError> {
    let mut records = Records::new(input)?;
    let mut record = Record::default();
    if !records.read(&mut record)? {
        let help = "it needs a row for each run: its concurrency and its throughput";
        return Err(TableError::new("there is nothing in it", help));
    }
    let width = record.len();
    if width > COLUMNS_MAX {
        let text = format!("{width} columns; at most {COLUMNS_MAX} are read");
        return Err(TableError::new(text, "give a table with a row for each run"));
    }
    let names = header(&record);
    let columns = columns::find(names.as_deref(), width, wanted.columns)?;
    let mut rows = RowsReader {
        names: names.as_deref(),
        columns,
        width,
        separator: records.separator(),
        line: 0,
        row: 0,
        observations: Vec::new(),
        problems: Problems::default(),
    };
    let mut more = names.is_none() || records.read(&mut record)?;
    let last = wanted.rows.map_or(usize::MAX, Rows::last);
    while more && rows.row < last {
        rows.row += 1;
        rows.line = record.line;
        if wanted.rows.is_none_or(|wanted| wanted.contains(rows.row)) {
            if rows.observations.len() == rows_max {
                let text = format!("more than {rows_max} rows");
                let help = "give a row for each run, not for each request; --rows takes a part";
                return Err(TableError::new(text, help));
            }
            rows.take(&record);
        }
        more = records.read(&mut record)?;
    }
    rows.end(wanted.rows)
}

/// Names of the columns, if the first record is a header: it has no number, or names that are known.
fn header(first: &Record) -> Option<Vec<String>> {
    let names: Vec<String> = first.cells().take(first.len()).map(str::to_owned).collect();
    let has_numbers = first.cells().any(looks_like_a_number);
    let is_known = || columns::find(Some(&names), names.len(), ColumnSelection::default()).is_ok();
    (!has_numbers || is_known()).then_some(names)
}

/// Rows as they become observations.
struct RowsReader<'a> {
    names: Option<&'a [String]>,
    columns: Columns,
    /// Cells of the first record.
    width: usize,
    separator: Separator,
    line: u64,
    row: usize,
    observations: Vec<Observation>,
    problems: Problems,
}

impl RowsReader<'_> {
    /// Takes a record as a run, or notes what is wrong with it.
    fn take(&mut self, record: &Record) {
        if record.len() > self.width || record.width() < self.width {
            let first = if self.names.is_some() { "the header" } else { "the first row" };
            let text = format!("{}, where {first} has {}", counted(record.width() as u64, "cell"), self.width);
            let help = match self.separator {
                Separator::Byte(b',') => Help::Cells,
                _ => Help::CellsOther,
            };
            return self.problems.add(self.place(None), text, help);
        }
        let columns = self.columns;
        // An open load has no N of its own: the analysis takes X·(R + Z).
        let n = columns.n.map_or(Some(1.0), |column| self.number(record, column));
        let x = self.number(record, columns.x);
        let r_s = columns.r.map(|r| {
            let cell = record.cell(r.column);
            if cell.is_empty() {
                return Some(None);
            }
            let (number, unit_s) = match with_unit(cell) {
                Some((number, unit_s)) => (Some(number), unit_s),
                None => (self.value(cell, r.column), r.unit_s.unwrap_or(1.0)),
            };
            number.map(|number| Some(number * unit_s))
        });
        // What is no number of completions tells nothing of noise.
        let count = columns.count.and_then(|count| record.cell(count).parse().ok());
        if let (Some(n), Some(x), Some(r_s)) = (n, x, r_s.unwrap_or(Some(None))) {
            self.observations.push(Observation {
                n,
                x,
                r_s,
                weight: 1.0,
                row: self.row,
                count: count.filter(|count| *count > 0),
            });
        }
    }

    /// A number that must be there.
    fn number(&mut self, record: &Record, column: usize) -> Option<f64> {
        let cell = record.cell(column);
        if cell.is_empty() {
            self.problems.add(self.place(Some(column)), "it is empty".into(), Help::Number);
            return None;
        }
        self.value(cell, column)
    }

    /// A finite number, or a note of what it is instead.
    fn value(&mut self, cell: &str, column: usize) -> Option<f64> {
        let (what, help) = match cell.parse::<f64>() {
            Ok(number) if number.is_finite() => return Some(number),
            // A value too large is read as infinite, as the words are.
            Ok(_) if cell.bytes().any(|byte| byte.is_ascii_digit()) => ("is too large", Help::Number),
            Ok(_) => ("is not a measured value", Help::Number),
            Err(_) if looks_like_a_number(cell) && cell.contains(',') => ("has a comma", Help::Comma),
            Err(_) => ("is not a number", Help::Number),
        };
        let cell: String = shown(cell).chars().take(40).collect();
        self.problems.add(self.place(Some(column)), format!("`{cell}` {what}"), help);
        None
    }

    fn place(&self, column: Option<usize>) -> String {
        let column = column.map_or_else(String::new, |at| format!(", {}", columns::name_of(self.names, at)));
        format!("row {} (line {}){column}", self.row, self.line)
    }

    /// The observations, if nothing was wrong.
    fn end(self, wanted: Option<&Rows>) -> Result<Table, TableError> {
        if self.problems.count > 0 {
            return Err(self.problems.error());
        }
        if self.row == 0 {
            let help = "write a row for each run below the header; a scale writes one for each level that it could use";
            return Err(TableError::new("there is a header and no row", help));
        }
        if let Some(wanted) = wanted
            && self.row < wanted.named_max()
        {
            let text = format!("--rows {wanted}: there are {}", counted(self.row as u64, "row"));
            return Err(TableError::new(text, "rows count from 1, without header, comments and blank lines"));
        }
        let mut notes = Vec::new();
        let column = |at: usize| columns::name_of(self.names, at);
        let mut how = format!("{}, {}", counted(self.observations.len() as u64, "row"), self.separator);
        if self.names.is_none() {
            how.push_str(", no header");
        }
        how.push_str(&match self.columns.n {
            Some(n) => format!("; N is {}, X is {}", column(n), column(self.columns.x)),
            None => format!("; X is {}", column(self.columns.x)),
        });
        if let Some(r) = self.columns.r {
            how.push_str(&format!(", R is {}", column(r.column)));
            if r.unit_s.is_none() {
                notes.push(format!(
                    "{} names no unit of time and is read as seconds\n  help: `--r {}:ms` says that they are milliseconds",
                    column(r.column),
                    self.names.map_or_else(|| (r.column + 1).to_string(), |names| shown(&names[r.column]).into_owned()),
                ));
            }
        }
        if let Some(count) = self.columns.count {
            how.push_str(&format!(", completions are {}", column(count)));
        }
        if self.columns.n.is_none() {
            how.push_str("; no N, so R is fitted on X as of an open load");
        }
        Ok(Table {
            regression: match self.columns.n {
                Some(_) => Regression::Throughput,
                None => Regression::ResponseTime,
            },
            observations: self.observations,
            dimension: self.columns.dimension,
            how,
            notes,
        })
    }
}

/// A time with its unit, such as `12.5ms`, in the unit's number and its seconds.
fn with_unit(cell: &str) -> Option<(f64, f64)> {
    let end = cell.trim_end_matches(char::is_alphabetic).len();
    let number: f64 = cell[..end].trim_end().parse().ok()?;
    let seconds = columns::seconds_of(&cell[end..])?;
    number.is_finite().then_some((number, seconds))
}

/// What to do about a problem.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Help {
    Number,
    Comma,
    Cells,
    CellsOther,
}

impl Help {
    const fn text(self) -> &'static str {
        match self {
            Self::Number => "every row needs numbers such as 955.16; --rows leaves rows out, `#` begins a comment",
            Self::Comma => "write numbers with a decimal point and without marks for thousands, such as 1234.5",
            Self::Cells => "if commas are decimal marks, write points; put quotes around cells that have commas",
            Self::CellsOther => "put quotes around cells that have the separator in them",
        }
    }
}

/// Everything that is wrong with the rows. The first are kept, all are counted.
#[derive(Default)]
struct Problems {
    shown: Vec<String>,
    helps: Vec<Help>,
    count: usize,
}

impl Problems {
    fn add(&mut self, place: String, text: String, help: Help) {
        self.count += 1;
        if self.shown.len() < PROBLEMS_SHOWN {
            self.shown.push(format!("{place}: {text}"));
        }
        if !self.helps.contains(&help) {
            self.helps.push(help);
        }
    }

    fn error(self) -> TableError {
        let mut text = format!("{} cannot be read", counted(self.count as u64, "value"));
        for problem in &self.shown {
            text.push_str(&format!("\n  {problem}"));
        }
        if self.count > self.shown.len() {
            text.push_str(&format!("\n  and {} more", self.count - self.shown.len()));
        }
        let helps: Vec<&str> = self.helps.into_iter().map(Help::text).collect();
        TableError::new(text, helps.join("\n  help: "))
    }
}

#[cfg(test)]
mod tests;
