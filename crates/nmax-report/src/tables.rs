//! Tables of reports: a column is declared once, with its titles and what stands in its cells, and written wherever the
//! table is shown.
//!
//! # Layout
//! - this file: what tables are made of
//! - [`breakdown`], [`groups`], [`scalability`]: those that the terminal and the page share

use crate::number::{self, UNKNOWN};

pub(crate) mod breakdown;
pub(crate) mod groups;
pub(crate) mod scalability;

/// What stands in a cell of a table, or behind a bullet.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Cell {
    /// How the word looks.
    pub look: Emphasis,
    /// Before the text.
    pub word: String,
    /// As it is, without markup.
    pub text: String,
    /// Smaller, behind or below the text; of the page alone.
    pub small: String,
    /// All of it where there is little room: in the terminal.
    pub short: Option<String>,
}

/// How a word stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) enum Emphasis {
    /// Not at all.
    #[default]
    Plain,
    /// Heavier.
    Strong,
    /// To be typed.
    Code,
    /// In the color of a class: `pass`, `fail`, `invalid`.
    Class(&'static str),
}

impl Cell {
    /// A word that stands out.
    pub(crate) fn word(look: Emphasis, word: impl Into<String>) -> Self {
        Self { look, word: word.into(), ..Self::default() }
    }

    /// With a text behind the word.
    pub(crate) fn text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }

    /// A count: with all its digits, and in few columns.
    pub(crate) fn count(count: u64) -> Self {
        Self { short: Some(number::short_count(count)), ..number::count(count).into() }
    }

    /// What the terminal shows of it: the short form, else the word, else the text.
    pub(crate) fn in_terminal(&self) -> &str {
        match &self.short {
            Some(short) => short,
            None if self.word.is_empty() => &self.text,
            None => &self.word,
        }
    }

    /// With something smaller behind or below it.
    pub(crate) fn small(self, small: impl Into<String>) -> Self {
        Self { small: small.into(), ..self }
    }
}

impl<T: Into<String>> From<T> for Cell {
    fn from(text: T) -> Self {
        Self::default().text(text)
    }
}

/// Where the cells of a column stand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Alignment {
    /// To the right, on a line.
    Number,
    /// To the left, on a line.
    Text,
    /// To the left, on as many lines as it needs.
    Sentence,
}

/// A column: its title and a cell for each row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Column {
    /// What it has in common with its neighbours; may be empty.
    pub group: &'static str,
    /// Whether it is the first of its group.
    pub begins: bool,
    /// Its title in the page; `None` leaves it out there.
    pub title: Option<String>,
    /// Its title in the terminal, and its width there: 0 is the room that the others leave. `None` leaves it out there.
    pub terminal: Option<(&'static str, usize)>,
    /// Where its cells stand.
    pub place: Alignment,
    /// From the first row to the last.
    pub cells: Vec<Cell>,
}

/// Rows, each about one of `R`, and columns. The first column names the row, unless it is a number.
#[derive(Clone, Debug)]
pub(crate) struct Table<R> {
    rows: Vec<R>,
    /// From left to right.
    pub columns: Vec<Column>,
    /// How many rows there are besides, and where.
    pub rest: Option<(usize, &'static str)>,
    /// Whether names are long: their column stays in sight, and is cut.
    pub is_named: bool,
    /// Whether the last row is the sum of the others.
    pub has_total: bool,
    /// How many rows belong together: a cell of the first of them reaches over empty ones below it.
    pub together: usize,
    group: Option<&'static str>,
}

impl<R: Copy> Table<R> {
    /// A table about these, without a column yet.
    pub(crate) fn from_rows(rows: impl IntoIterator<Item = R>) -> Self {
        let rows = rows.into_iter().collect();
        Self { rows, columns: Vec::new(), rest: None, is_named: false, has_total: false, together: 1, group: None }
    }

    /// At most so many rows: `rest` says where the others are.
    pub(crate) fn at_most(mut self, most: usize, rest: &'static str) -> Self {
        self.rest = self.rows.len().checked_sub(most).filter(|more| *more > 0).map(|more| (more, rest));
        self.rows.truncate(most);
        self.columns.iter_mut().for_each(|column| column.cells.truncate(most));
        self
    }

    /// With long names.
    pub(crate) fn named(self) -> Self {
        Self { is_named: true, ..self }
    }

    /// With a sum in the last row.
    pub(crate) fn total(self) -> Self {
        Self { has_total: true, ..self }
    }

    /// With so many rows that belong together.
    pub(crate) fn together(self, together: usize) -> Self {
        Self { together, ..self }
    }

    /// The columns from here on belong together; `group` is what they have in common, or empty.
    pub(crate) fn group(self, group: &'static str) -> Self {
        Self { group: Some(group), ..self }
    }

    /// A column of numbers.
    pub(crate) fn number<C: Into<Cell>>(self, title: impl Into<String>, cell: impl Fn(R) -> C) -> Self {
        self.column(title.into(), Alignment::Number, cell)
    }

    /// A column of words.
    pub(crate) fn word<C: Into<Cell>>(self, title: impl Into<String>, cell: impl Fn(R) -> C) -> Self {
        self.column(title.into(), Alignment::Text, cell)
    }

    /// A column of sentences.
    pub(crate) fn sentence<C: Into<Cell>>(self, title: impl Into<String>, cell: impl Fn(R) -> C) -> Self {
        self.column(title.into(), Alignment::Sentence, cell)
    }

    fn column<C: Into<Cell>>(mut self, title: String, place: Alignment, cell: impl Fn(R) -> C) -> Self {
        let begins = self.group.is_some();
        let before = self.columns.last().map_or("", |column| column.group);
        let group = self.group.take().unwrap_or(before);
        let cells = self.rows.iter().map(|row| cell(*row).into()).collect();
        self.columns.push(Column { group, begins, title: Some(title), terminal: None, place, cells });
        self
    }

    /// The last column stands in the terminal too, with this title and so wide. A title begins where its words do.
    pub(crate) fn short(mut self, title: &'static str, width: usize) -> Self {
        self.columns.iter_mut().last().expect("a column is there").terminal = Some((title, width));
        self
    }

    /// The last column stands in the terminal alone, with its title and so wide.
    pub(crate) fn only_short(mut self, title: &'static str, width: usize) -> Self {
        self = self.short(title, width);
        self.columns.iter_mut().last().expect("a column is there").title = None;
        self
    }

    /// What can be written, whatever its rows are about.
    pub(crate) fn done(self) -> Table<()> {
        let Self { rows, columns, rest, is_named, has_total, together, group } = self;
        Table { rows: vec![(); rows.len()], columns, rest, is_named, has_total, together, group }
    }

    /// Without the columns of which no row knows anything.
    pub(crate) fn known(mut self) -> Self {
        self.columns.retain(|column| column.cells.iter().any(|cell| cell.text != UNKNOWN));
        self
    }
}

impl<R> Table<R> {
    /// How many rows it has.
    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }
}
