//! Files of rows beside the document: names of columns in the first line, numbers below.

use nmax_plan::document::reading::{Decoder, Node, NodePosition};
use nmax_usl::table::records::{Record, Records};

/// Most rows of such a file.
const ROWS_MAX: usize = 100_000;
/// Most errors that are said of one file.
const ERRORS_MAX: usize = 5;
const REMEDY: &str = "write a header with names of columns, and a number such as 955.16 in each cell";

/// A file of rows.
pub(super) struct Grid {
    /// Its name.
    pub file: String,
    at: NodePosition,
    /// Names of columns.
    pub names: Vec<String>,
    rows: Vec<(u64, Vec<String>)>,
    errors: usize,
}

impl Grid {
    /// Reads the file that a key names.
    pub(super) fn read(decoder: &mut Decoder, node: &Node) -> Option<Self> {
        let (file, text) = read_file(decoder, node)?;
        let mut names = Vec::new();
        let mut rows = Vec::new();
        let wrong = |error: nmax_usl::table::TableError| format!("{file}: {}", error.text);
        let mut read = || {
            let mut records = Records::new(text.as_bytes()).map_err(wrong)?;
            let mut record = Record::default();
            while records.read(&mut record).map_err(wrong)? {
                let cells: Vec<String> = record.cells().map(str::to_owned).collect();
                if names.is_empty() {
                    names = cells;
                } else if rows.len() == ROWS_MAX {
                    return Err(format!("{file}: more than {ROWS_MAX} rows"));
                } else {
                    rows.push((record.line, cells));
                }
            }
            if rows.is_empty() { Err(format!("{file}: there is no row below a header")) } else { Ok(()) }
        };
        if let Err(message) = read() {
            return decoder.wrong(node.at, message, REMEDY).none();
        }
        Some(Self { file, at: node.at, names, rows, errors: 0 })
    }

    /// The place of a column, which must be there.
    pub(super) fn column(&self, decoder: &mut Decoder, name: &str) -> Option<usize> {
        let found = self.optional(name);
        if found.is_none() {
            let message = format!("{}: there is no column `{name}`", self.file);
            decoder.wrong(self.at, message, format!("its columns are {}", self.names.join(", ")));
        }
        found
    }

    /// The place of a column that may be absent.
    pub(super) fn optional(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|other| other.eq_ignore_ascii_case(name))
    }

    /// Number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// A number from 0 up; `5%` is 0.05.
    pub(super) fn number(&mut self, decoder: &mut Decoder, row: usize, column: usize) -> Option<f64> {
        let (line, cells) = &self.rows[row];
        let cell = cells.get(column).map_or("", String::as_str);
        let (digits, unit) = cell.strip_suffix('%').map_or((cell, 1.0), |digits| (digits.trim_end(), 0.01));
        match digits.parse::<f64>() {
            Ok(number) if number.is_finite() && number >= 0.0 => return Some(number * unit),
            _ if self.errors >= ERRORS_MAX => {}
            _ => {
                let shown: String = nmax_text::shown(cell).chars().take(40).collect();
                let message =
                    format!("{}:{line}: `{}` is `{shown}`, not a number from 0 up", self.file, self.names[column]);
                decoder.wrong(self.at, message, REMEDY);
            }
        }
        self.errors += 1;
        None
    }

    /// Says that a row cannot be.
    pub(super) fn wrong(&mut self, decoder: &mut Decoder, row: usize, message: &str) {
        if self.errors < ERRORS_MAX {
            decoder.wrong(self.at, format!("{}:{}: {message}", self.file, self.rows[row].0), REMEDY);
        }
        self.errors += 1;
    }

    /// Whether nothing was wrong.
    pub(super) fn is_right(&self) -> bool {
        self.errors == 0
    }
}

/// Name and text of the file that a key names.
pub(super) fn read_file(decoder: &mut Decoder, node: &Node) -> Option<(String, String)> {
    let file = decoder.expanded(node)?;
    match (decoder.options.read)(&file) {
        Ok(text) => Some((file, text)),
        Err(why) => {
            let remedy = "write its path relative to the document";
            decoder.wrong(node.at, format!("cannot read `{file}`: {why}"), remedy).none()
        }
    }
}
