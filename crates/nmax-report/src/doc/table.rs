//! Tables. A column declares its title, unit and accessor once; every renderer writes it.

use std::borrow::Cow;

use super::Mark;
use crate::number::{self, UNKNOWN};

/// What stands in a cell of a table, or behind a bullet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Cell {
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
    /// All digits of a number, in the unit of its column.
    pub exact: Option<String>,
}

/// A number that may be unknown.
pub trait Number {
    /// The number, unless it is unknown.
    fn known(self) -> Option<f64>;
}

impl Number for f64 {
    fn known(self) -> Option<f64> {
        Some(self).filter(|value| value.is_finite())
    }
}

impl Number for u64 {
    fn known(self) -> Option<f64> {
        Some(self as f64)
    }
}

impl Number for usize {
    fn known(self) -> Option<f64> {
        Some(self as f64)
    }
}

impl<N: Number> Number for Option<N> {
    fn known(self) -> Option<f64> {
        self.and_then(Number::known)
    }
}

/// How a word stands out.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Emphasis {
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
    pub fn word(look: Emphasis, word: impl Into<String>) -> Self {
        Self { look, word: word.into(), ..Self::default() }
    }

    /// With a text behind the word.
    pub fn text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }

    /// A count: with all its digits, and in few columns.
    pub fn count(count: u64) -> Self {
        Self { short: Some(number::short_count(count)), ..number::count(count).into() }
    }

    /// What the terminal shows of it: the short form, else the word, else the text.
    pub fn in_terminal(&self) -> &str {
        match &self.short {
            Some(short) => short,
            None if self.word.is_empty() => &self.text,
            None => &self.word,
        }
    }

    /// A mark with its word, in its color.
    pub fn mark(mark: Mark, word: &str) -> Self {
        Self::word(Emphasis::Class(mark.class()), format!("{} {word}", mark.symbol()).trim())
    }

    /// All that it says, in one line.
    pub fn line(&self) -> Cow<'_, str> {
        match (self.word.is_empty(), self.text.is_empty()) {
            (true, _) => Cow::Borrowed(&self.text),
            (_, true) => Cow::Borrowed(&self.word),
            _ => Cow::Owned(format!("{} {}", self.word, self.text)),
        }
    }

    /// With something smaller behind or below it.
    pub fn small(self, small: impl Into<String>) -> Self {
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
pub enum Alignment {
    /// To the right, on a line.
    Number,
    /// To the left, on a line.
    Text,
    /// To the left, on as many lines as it needs.
    Sentence,
}

/// A column: its title and a cell for each row.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// What it has in common with its neighbours; may be empty.
    pub group: &'static str,
    /// Whether it is the first of its group.
    pub begins: bool,
    /// Its title; `None` leaves it out everywhere but in the terminal.
    pub title: Option<String>,
    /// Unit of the exact numbers: `ms`, `1/s`, `ratio`, `bytes`, or empty.
    pub unit: &'static str,
    /// Whether it stands only where there is room for everything.
    pub is_detail: bool,
    /// Whether the terminal says it below each row.
    pub is_below: bool,
    /// Its title in the terminal, and its width there: 0 is the room that the others leave. `None` leaves it out there.
    pub terminal: Option<(&'static str, usize)>,
    /// Where its cells stand.
    pub place: Alignment,
    /// From the first row to the last.
    pub cells: Vec<Cell>,
}

/// Rows, each about one of `R`, and columns. The first column names the row, unless it is a number.
#[derive(Clone, Debug)]
pub struct Table<R> {
    rows: Vec<R>,
    /// From left to right.
    pub columns: Vec<Column>,
    /// How many rows there are besides, and where.
    pub rest: Option<(usize, &'static str)>,
    /// Whether names are long: their column stays in sight, and is cut.
    pub is_named: bool,
    /// Whether the last row is the sum of the others.
    pub has_total: bool,
    /// Whether the terminal shows all its columns when everything is asked for, however long its lines get.
    pub spreads: bool,
    /// Whether the terminal always shows all its columns, each as wide as its widest cell.
    pub fits: bool,
    /// How many rows belong together: a cell of the first of them reaches over empty ones below it.
    pub together: usize,
    group: Option<&'static str>,
}

impl<R: Copy> Table<R> {
    /// A table about these, without a column yet.
    pub fn from_rows(rows: impl IntoIterator<Item = R>) -> Self {
        let rows = rows.into_iter().collect();
        Self {
            rows,
            columns: Vec::new(),
            rest: None,
            is_named: false,
            has_total: false,
            spreads: false,
            fits: false,
            together: 1,
            group: None,
        }
    }

    /// At most so many rows: `rest` says where the others are.
    pub fn at_most(mut self, most: usize, rest: &'static str) -> Self {
        self.rest = self.rows.len().checked_sub(most).filter(|more| *more > 0).map(|more| (more, rest));
        self.rows.truncate(most);
        self.columns.iter_mut().for_each(|column| column.cells.truncate(most));
        self
    }

    /// With long names.
    pub fn named(self) -> Self {
        Self { is_named: true, ..self }
    }

    /// With all its columns in the terminal when everything is asked for, however long its lines get.
    pub fn spread(self) -> Self {
        Self { spreads: true, ..self }
    }

    /// With all its columns in the terminal, each as wide as its widest cell; the first gives way.
    pub fn fits(self) -> Self {
        Self { fits: true, ..self }
    }

    /// With a sum in the last row.
    pub fn total(self, has_total: bool) -> Self {
        Self { has_total, ..self }
    }

    /// With so many rows that belong together.
    pub fn together(self, together: usize) -> Self {
        Self { together, ..self }
    }

    /// The columns from here on belong together; `group` is what they have in common, or empty.
    pub fn group(self, group: &'static str) -> Self {
        Self { group: Some(group), ..self }
    }

    /// A column of numbers.
    pub fn number<C: Into<Cell>>(self, title: impl Into<String>, cell: impl Fn(R) -> C) -> Self {
        self.column(title.into(), Alignment::Number, cell)
    }

    /// A column of words.
    pub fn word<C: Into<Cell>>(self, title: impl Into<String>, cell: impl Fn(R) -> C) -> Self {
        self.column(title.into(), Alignment::Text, cell)
    }

    /// A column of sentences.
    pub fn sentence<C: Into<Cell>>(self, title: impl Into<String>, cell: impl Fn(R) -> C) -> Self {
        self.column(title.into(), Alignment::Sentence, cell)
    }

    fn column<C: Into<Cell>>(mut self, title: String, place: Alignment, cell: impl Fn(R) -> C) -> Self {
        let begins = self.group.is_some();
        let before = self.columns.last().map_or("", |column| column.group);
        let group = self.group.take().unwrap_or(before);
        let cells = self.rows.iter().map(|row| cell(*row).into()).collect();
        let title = Some(title);
        self.columns.push(Column {
            group,
            begins,
            title,
            unit: "",
            is_detail: false,
            is_below: false,
            terminal: None,
            place,
            cells,
        });
        self
    }

    /// A column of counts.
    pub fn count<N: Number>(self, title: impl Into<String>, of: impl Fn(R) -> N) -> Self {
        let text = |value: f64| number::with_unit(Some(value), "");
        let mut table = self.figures(title.into(), "", 1.0, text, of);
        let column = table.columns.iter_mut().last().expect("a column was added");
        for cell in &mut column.cells {
            cell.short = cell.exact.as_deref().and_then(|exact| exact.parse().ok()).map(number::short_count);
        }
        table
    }

    /// A column of times, ns.
    pub fn time<N: Number>(self, title: impl Into<String>, of: impl Fn(R) -> N) -> Self {
        self.figures(title.into(), "ms", 1e-6, number::time, of)
    }

    /// A column of rates, 1/s.
    pub fn rate<N: Number>(self, title: impl Into<String>, of: impl Fn(R) -> N) -> Self {
        self.figures(title.into(), "1/s", 1.0, number::rate, of)
    }

    /// A column of shares, 0 to 1.
    pub fn share<N: Number>(self, title: impl Into<String>, of: impl Fn(R) -> N) -> Self {
        self.figures(title.into(), "ratio", 1.0, number::share, of)
    }

    /// A column of sizes, bytes.
    pub fn bytes<N: Number>(self, title: impl Into<String>, of: impl Fn(R) -> N) -> Self {
        self.figures(title.into(), "bytes", 1.0, number::bytes, of)
    }

    /// A column of figures; `scale` makes the exact ones.
    fn figures<N: Number>(
        self,
        title: String,
        unit: &'static str,
        scale: f64,
        text: impl Fn(f64) -> String,
        of: impl Fn(R) -> N,
    ) -> Self {
        let mut table = self.column(title, Alignment::Number, |row| match of(row).known() {
            Some(value) => {
                let exact = nmax_json::rounded_to(value * scale, 1e6);
                Cell { exact: Some(nmax_text::number::trimmed(exact, 6)), ..text(value).into() }
            }
            None => UNKNOWN.into(),
        });
        table.columns.iter_mut().last().expect("a column was added").unit = unit;
        table
    }

    /// The last column is a detail: it stands where there is room for everything.
    pub fn detail(mut self) -> Self {
        self.columns.iter_mut().last().expect("a column is there").is_detail = true;
        self
    }

    /// The terminal says the last column below each row.
    pub fn below(mut self) -> Self {
        self.columns.iter_mut().last().expect("a column is there").is_below = true;
        self
    }

    /// The last column stands in the terminal too, with this title and so wide. A title begins where its words do.
    pub fn short(mut self, title: &'static str, width: usize) -> Self {
        self.columns.iter_mut().last().expect("a column is there").terminal = Some((title, width));
        self
    }

    /// The last column stands in the terminal alone, with its title and so wide.
    pub fn only_short(mut self, title: &'static str, width: usize) -> Self {
        self = self.short(title, width);
        self.columns.iter_mut().last().expect("a column is there").title = None;
        self
    }

    /// Without the columns of which no row knows anything.
    pub fn known(mut self) -> Self {
        self.columns.retain(|column| column.cells.iter().any(|cell| cell.text != UNKNOWN));
        self
    }
}

impl<R> Table<R> {
    /// What can be written, whatever its rows are about.
    pub fn done(self) -> Table<()> {
        let Self { rows, columns, rest, is_named, has_total, spreads, fits, together, group } = self;
        Table { rows: vec![(); rows.len()], columns, rest, is_named, has_total, spreads, fits, together, group }
    }

    /// Whether a row is the sum of the others.
    pub fn is_total(&self, row: usize) -> bool {
        self.has_total && row + 1 == self.len()
    }

    /// Whether it has no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// How many rows it has.
    pub fn len(&self) -> usize {
        self.rows.len()
    }
}
