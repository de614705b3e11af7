//! CSV (RFC 4180): quoted cells, doubled quotes, line breaks in cells, CRLF, a byte order mark.
//!
//! The delimiter is what the header row shows: `,` if it has one outside quotes, else `;`, else a tab, else `,`.

use std::collections::HashSet;

use crate::plan::{Cells, CellsBuilder};

/// A table of texts: `cells` is row-major without the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Csv {
    pub columns: Vec<String>,
    pub cells: Cells,
}

/// What is wrong in which line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvError {
    pub line: usize,
    pub message: String,
}

/// Reads a table. At most `errors_max` errors are reported. O(length), in the memory of the text and a number for each cell.
pub(crate) fn parse(text: &str, errors_max: usize) -> Result<Csv, Vec<CsvError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let delimiter = delimiter(text);
    let mut reader = Reader { chars: text.chars().peekable(), line: 1, delimiter, errors: Vec::new() };
    let mut header = CellsBuilder::default();
    reader.row(&mut header);
    let header = header.build();
    if header.iter().any(|column| column.contains('\r')) {
        // Then the header is the whole file, and whatever else is found follows from it.
        let message = "a carriage return within the header; if the lines end with CR alone, convert the file, as with \
                       `tr '\\r' '\\n'`";
        return Err(vec![CsvError { line: 1, message: message.into() }]);
    }
    if header.iter().all(str::is_empty) {
        reader.error(1, "the file has no header row".into());
    }
    let mut known = HashSet::new();
    for column in header.iter().filter(|column| !known.insert(*column)).take(errors_max) {
        reader.error(1, format!("column `{column}` is there twice"));
    }
    let ends = text.chars().filter(|c| *c == delimiter || *c == '\n').count();
    let mut cells = CellsBuilder::with_capacity(text.len(), ends + 1);
    while reader.errors.len() < errors_max {
        let (line, before) = (reader.line, cells.len());
        if !reader.row(&mut cells) {
            break;
        }
        let (found, wanted) = (cells.len() - before, header.len());
        if found == 1 && cells.get(before) == Some("") {
            cells.truncate(before); // a blank line
        } else if found != wanted {
            cells.truncate(before);
            reader.error(line, format!("the row has {found} cells, the header has {wanted}"));
        }
    }
    if cells.len() == 0 && reader.errors.is_empty() {
        reader.error(1, "the file has no rows below its header".into());
    }
    if !reader.errors.is_empty() {
        return Err(reader.errors);
    }
    Ok(Csv { columns: header.iter().map(str::to_owned).collect(), cells: cells.build() })
}

fn delimiter(text: &str) -> char {
    let mut quoted = false;
    let mut seen = [false; 3];
    for c in text.chars() {
        match c {
            '"' => quoted = !quoted,
            '\n' if !quoted => break,
            ',' if !quoted => seen[0] = true,
            ';' if !quoted => seen[1] = true,
            '\t' if !quoted => seen[2] = true,
            _ => {}
        }
    }
    match seen {
        [false, true, _] => ';',
        [false, false, true] => '\t',
        _ => ',',
    }
}

struct Reader<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    line: usize,
    delimiter: char,
    errors: Vec<CsvError>,
}

impl Reader<'_> {
    fn error(&mut self, line: usize, message: String) {
        self.errors.push(CsvError { line, message });
    }

    /// Appends the cells of a row; false when there is none.
    fn row(&mut self, cells: &mut CellsBuilder) -> bool {
        if self.chars.peek().is_none() {
            return false;
        }
        loop {
            if self.chars.next_if_eq(&'"').is_some() {
                self.quoted(cells.text());
            }
            self.bare(cells.text());
            cells.end();
            match self.chars.next() {
                Some('\n') => {
                    self.line += 1;
                    return true;
                }
                None => return true,
                Some(_) => {} // the delimiter
            }
        }
    }

    /// The rest of a cell, up to but not including delimiter or end of line.
    fn bare(&mut self, cell: &mut String) {
        while let Some(c) = self.chars.next_if(|c| *c != self.delimiter && *c != '\n') {
            if c != '\r' || self.chars.peek().is_some_and(|next| *next != '\n') {
                cell.push(c);
            }
        }
    }

    fn quoted(&mut self, cell: &mut String) {
        let start = self.line;
        while let Some(c) = self.chars.next() {
            match c {
                '"' if self.chars.next_if_eq(&'"').is_some() => cell.push('"'),
                '"' => {
                    if self.chars.peek().is_some_and(|c| *c != self.delimiter && !matches!(c, '\r' | '\n')) {
                        self.error(start, "text follows a closing quote; write a quote inside quotes twice".into());
                    }
                    return;
                }
                _ => {
                    self.line += usize::from(c == '\n');
                    cell.push(c);
                }
            }
        }
        self.error(start, "a quote is never closed".into());
    }
}

#[cfg(test)]
mod tests;
