//! A document as text in columns, and the live display. Symbols carry the meaning; color only repeats it.
//!
//! # Layout
//! - this file: a document, line by line
//! - `grid`: tables; `text`: how wide text is, and how it is broken
//! - [`live`]: what a run shows while it goes on; `curve`: curves made of characters; `bars`: one line of them

use crate::doc::table::Table;
use crate::doc::{Block, Content, Document, Item, Mark, Media, Plot, Section};
use crate::number;
use crate::view::View;

mod bars;
mod curve;
mod grid;
mod live;
mod text;

pub(crate) use bars::thinned;
pub use curve::{Glyphs, LiveScale, live_curve};
pub use live::{Keys, LiveView, Room, SoFar, panel, plain_line};
use text::{Ink, Painted, fold, shown, width};
pub use text::{hanging, printed_width};
use text::{shorten, wrap};

/// Least width of tables and charts, columns. On a narrower terminal lines of tables are broken, and charts left out.
pub const WIDTH_MIN: usize = 60;
/// Least width of a line, columns.
pub const COLUMNS_MIN: usize = 20;

/// How to print.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Color by ANSI codes.
    pub color: bool,
    /// Columns; at least [`COLUMNS_MIN`] are used.
    pub width: usize,
    /// Everything, whatever the width.
    pub wide: bool,
    /// What the terminal can show.
    pub glyphs: Glyphs,
}

impl Default for Style {
    fn default() -> Self {
        Self { color: false, width: 80, wide: false, glyphs: Glyphs::Unicode }
    }
}

/// The fact that is a path.
pub(crate) const REPORT: &str = "report";
const FACT: usize = 10;
const FACT_MAX: usize = 17;

/// The result of a run.
pub fn table(view: &View, style: Style) -> Painted {
    write(&crate::report::run(view), style)
}

/// A document. No line is wider than `style.width`, except those of tables that show all their columns.
pub fn write(document: &Document, style: Style) -> Painted {
    let mut page = Lines::new(style);
    page.banner(document);
    document.sections.iter().for_each(|section| page.section(section));
    if !document.tail.is_empty() {
        page.line("");
    }
    page.blocks(&document.tail);
    page.text.trim_start();
    style.glyphs.plain(&page.text)
}

/// Lines as they are written.
struct Lines {
    text: Painted,
    color: bool,
    wide: bool,
    glyphs: Glyphs,
    /// Columns of tables and charts, at least [`WIDTH_MIN`].
    width: usize,
    /// Columns of lines, fewer than those of tables on a narrow terminal.
    columns: usize,
}

impl Lines {
    fn new(style: Style) -> Self {
        let (width, columns) = (style.width.max(WIDTH_MIN), style.width.max(COLUMNS_MIN));
        Self { text: Painted::default(), color: style.color, wide: style.wide, glyphs: style.glyphs, width, columns }
    }

    fn is_narrow(&self) -> bool {
        self.columns < self.width
    }

    fn line(&mut self, text: impl Into<Painted>) {
        let mut line = text.into();
        line.trim_end();
        let rows = if self.is_narrow() { line.folded(|line| fold(line, self.columns)) } else { vec![line] };
        for row in rows {
            self.text += row;
            self.text += "\n";
        }
    }

    /// The answer with the title, what it is about, and why.
    fn banner(&mut self, document: &Document) {
        let banner = &document.banner;
        let verdict = format!("{} {}", banner.mark.symbol(), banner.word);
        let verdict = verdict.trim();
        if banner.meaning.is_empty() && width(verdict) > self.width / 2 {
            return self.sentence_banner(document, verdict);
        }
        let title = shorten(&document.title, self.width.saturating_sub(width(verdict) + 2));
        let gap = if verdict.is_empty() { "" } else { "  " };
        let line = self.paint(verdict, ink(banner.mark)) + gap + self.paint(&title, Ink::Bold);
        self.line(line);
        self.blocks(&document.head);
        self.items(&banner.reasons);
        banner.notes.iter().for_each(|note| self.item("–", Ink::Dim, note));
    }

    /// An answer that is a sentence: below the title and what it is about.
    fn sentence_banner(&mut self, document: &Document, answer: &str) {
        let title = self.paint(&shorten(&document.title, self.width), Ink::Bold);
        self.line(title);
        self.blocks(&document.head);
        self.line("");
        let indent = " ".repeat(document.banner.mark.symbol().chars().count() + 1);
        for (index, line) in wrap(answer, self.columns.saturating_sub(indent.len())).iter().enumerate() {
            let line = self.paint(line, ink(document.banner.mark));
            self.line(if index == 0 { line } else { Painted::from(&*indent) + line });
        }
        self.items(&document.banner.reasons);
        document.banner.notes.iter().for_each(|note| self.item("–", Ink::Dim, note));
    }

    fn section(&mut self, section: &Section) {
        if !section.stands_on(self.media()) {
            return;
        }
        if section.title.is_empty() {
            self.line("");
        } else {
            let aside = if section.aside.is_empty() { String::new() } else { format!(" ({})", section.aside) };
            let title = shorten(&format!("{}{aside}", section.title), self.width);
            self.heading(&title);
        }
        self.blocks(&section.body.blocks);
    }

    fn media(&self) -> Media {
        if self.wide { Media::WIDE } else { Media::BRIEF }
    }

    fn blocks(&mut self, blocks: &[Block]) {
        let media = self.media();
        for (index, block) in blocks.iter().filter(|block| block.media.has(media)).enumerate() {
            if index > 0 && matches!(block.content, Content::Heading(_)) {
                self.line("");
            }
            self.block(block);
        }
    }

    fn block(&mut self, block: &Block) {
        match &block.content {
            Content::Heading(title) => {
                let title = self.paint(&shorten(title, self.width), Ink::Bold);
                self.line(title);
            }
            Content::Text(text) => self.item("»", Ink::Accent, text),
            Content::Note(text) => self.item("–", Ink::Dim, text),
            Content::Items(items) => self.items(items),
            Content::Facts(facts) => self.facts(facts),
            Content::Keys(keys) => {
                let below = |text: &str| if text.is_empty() { String::new() } else { format!(" ({text})") };
                let facts = keys.iter().map(|key| (key.name.clone(), format!("{}{}", key.value, below(&key.below))));
                self.facts(&facts.collect::<Vec<_>>());
            }
            Content::Table(table) => self.table(table),
            // Its numbers stand in a table of the section, or are looked at on the page.
            Content::Figure(_) => {}
            Content::Code(text) => text.lines().for_each(|line| self.line(format!("  {}", shown(line)))),
            Content::Fold(summary, blocks) => {
                self.item("–", Ink::Dim, summary);
                blocks.iter().for_each(|block| self.block(block));
            }
            Content::Plot(plot) => self.plot(plot),
        }
    }

    fn items(&mut self, items: &[Item]) {
        for item in items {
            self.point(item, &item.mark.symbol(), ink(item.mark));
            for below in &item.below {
                self.point(below, " ", Ink::Plain);
                below.below.iter().for_each(|last| self.point(last, "  ", Ink::Plain));
            }
        }
    }

    fn point(&mut self, item: &Item, symbol: &str, ink: Ink) {
        let code = if item.code.is_empty() { String::new() } else { format!(" [{}]", item.code) };
        let gap = if item.title.is_empty() || item.text.is_empty() { "" } else { " " };
        let symbol = if symbol.is_empty() { " " } else { symbol };
        self.item(symbol, ink, &format!("{}{gap}{}{code}", item.title, item.text));
    }

    fn facts(&mut self, facts: &[(String, String)]) {
        let widest = facts.iter().map(|(name, _)| width(name) + 2).max().unwrap_or(0);
        let column = widest.clamp(FACT, FACT_MAX);
        facts.iter().for_each(|(name, text)| self.entry_at(column, name, text));
    }

    fn table(&mut self, table: &Table<()>) {
        grid::write(self, table);
        if let Some((more, rest)) = table.rest {
            self.item("…", Ink::Dim, &format!("{} more {rest}", number::count(more as u64)));
        }
    }

    fn plot(&mut self, plot: &Plot) {
        if self.is_narrow() {
            return self.item("–", Ink::Dim, &format!("a chart needs {WIDTH_MIN} columns"));
        }
        let (width, color, glyphs) = (self.width, self.color, self.glyphs);
        let lines = match plot {
            Plot::Law(view) => curve::of_fit(view, width, color, glyphs),
            Plot::Laws(overlay, n, x) => curve::of_overlay(overlay, (n, x), width, color, glyphs),
            Plot::Course(values, axis) => bars::course(values, axis, width, glyphs),
            Plot::Bars(rows) => bars::rows(rows, width, glyphs),
        };
        lines.into_iter().for_each(|line| self.line(line));
    }

    fn paint(&self, text: &str, ink: Ink) -> Painted {
        Painted::inked(&shown(text), ink, self.color)
    }

    fn heading(&mut self, title: &str) {
        self.line("");
        let title = self.paint(title, Ink::Bold);
        self.line(&title);
    }

    /// A symbol, then text wrapped beside it.
    fn item(&mut self, symbol: &str, ink: Ink, text: &str) {
        let indent = width(symbol) + 3;
        for (index, part) in wrap(text, self.columns.saturating_sub(indent)).iter().enumerate() {
            let blank = " ".repeat(indent);
            let lead = if index == 0 { Painted::from("  ") + self.paint(symbol, ink) + " " } else { blank.into() };
            self.line(lead + part);
        }
    }

    /// A word in a column of its own, then text wrapped beside it from another column on.
    fn entry_at(&mut self, column: usize, word: &str, text: &str) {
        if self.is_narrow() {
            return self.line(format!("{word} {}", shown(text)));
        }
        let column = column.max(width(word) + 1).min(self.width / 2);
        if word == REPORT {
            // A path that is broken cannot be copied.
            let lead = self.paint(&text::left(word, column), Ink::Dim);
            return self.line(lead + shown(text));
        }
        let word = shorten(word, column - 1);
        for (index, part) in wrap(text, self.width - column).iter().enumerate() {
            let lead = text::left(if index == 0 { &word } else { "" }, column);
            let lead = self.paint(&lead, Ink::Dim);
            self.line(lead + part);
        }
    }
}

/// The color that repeats what a mark says.
const fn ink(mark: Mark) -> Ink {
    match mark {
        Mark::Pass => Ink::Good,
        Mark::Fail | Mark::Trouble | Mark::Number(_) => Ink::Bad,
        Mark::Invalid | Mark::Warning | Mark::Unknown | Mark::Near => Ink::Warning,
        Mark::Answer | Mark::Changed => Ink::Accent,
        Mark::Point | Mark::Neutral => Ink::Dim,
        Mark::None | Mark::Same => Ink::Plain,
    }
}
