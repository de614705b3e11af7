//! CSV (RFC 4180): quoted cells, doubled quotes, line breaks in cells, CRLF, a byte order mark.
//!
//! The delimiter is what the header row shows: `,` if it has one outside quotes, else `;`, else a tab, else `,`.

/// A table of texts: `cells` is row-major without the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Csv {
    pub columns: Vec<String>,
    pub cells: Vec<String>,
}

/// What is wrong in which line, from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CsvError {
    pub line: usize,
    pub message: String,
}

/// Reads a table. At most `errors_max` errors are reported. O(length).
pub(crate) fn parse(text: &str, errors_max: usize) -> Result<Csv, Vec<CsvError>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut reader = Reader { chars: text.chars().peekable(), line: 1, delimiter: delimiter(text), errors: Vec::new() };
    let columns = reader.row().unwrap_or_default();
    if columns.iter().any(|column| column.contains('\r')) {
        // Then the header is the whole file, and whatever else is found follows from it.
        let message = "a carriage return within the header; if the lines end with CR alone, convert the file, as with \
                       `tr '\\r' '\\n'`";
        return Err(vec![CsvError { line: 1, message: message.into() }]);
    }
    if columns.iter().all(String::is_empty) {
        reader.error(1, "the file has no header row".into());
    }
    for (index, column) in columns.iter().enumerate() {
        if columns[..index].contains(column) {
            reader.error(1, format!("column `{column}` is there twice"));
        }
    }
    let mut cells = Vec::new();
    while reader.errors.len() < errors_max {
        let line = reader.line;
        let Some(row) = reader.row() else { break };
        if row == [""] {
            continue; // a blank line
        }
        if row.len() == columns.len() {
            cells.extend(row);
        } else {
            let (found, wanted) = (row.len(), columns.len());
            reader.error(line, format!("the row has {found} cells, the header has {wanted}"));
        }
    }
    if cells.is_empty() && reader.errors.is_empty() {
        reader.error(1, "the file has no rows below its header".into());
    }
    if reader.errors.is_empty() { Ok(Csv { columns, cells }) } else { Err(reader.errors) }
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

    fn row(&mut self) -> Option<Vec<String>> {
        self.chars.peek()?;
        let mut row = Vec::new();
        loop {
            let cell = if self.chars.next_if_eq(&'"').is_some() { self.quoted() } else { String::new() };
            row.push(self.bare(cell));
            match self.chars.next() {
                Some('\n') => {
                    self.line += 1;
                    return Some(row);
                }
                None => return Some(row),
                Some(_) => {} // the delimiter
            }
        }
    }

    /// The rest of a cell, up to but not including delimiter or end of line.
    fn bare(&mut self, mut cell: String) -> String {
        while let Some(c) = self.chars.next_if(|c| *c != self.delimiter && *c != '\n') {
            if c != '\r' || self.chars.peek().is_some_and(|next| *next != '\n') {
                cell.push(c);
            }
        }
        cell
    }

    fn quoted(&mut self) -> String {
        let start = self.line;
        let mut cell = String::new();
        while let Some(c) = self.chars.next() {
            match c {
                '"' if self.chars.next_if_eq(&'"').is_some() => cell.push('"'),
                '"' => {
                    if self.chars.peek().is_some_and(|c| *c != self.delimiter && !matches!(c, '\r' | '\n')) {
                        self.error(start, "text follows a closing quote; write a quote inside quotes twice".into());
                    }
                    return cell;
                }
                _ => {
                    self.line += usize::from(c == '\n');
                    cell.push(c);
                }
            }
        }
        self.error(start, "a quote is never closed".into());
        cell
    }
}

#[cfg(test)]
mod tests;
