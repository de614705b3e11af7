//! The document model of reports: a document has sections, a section has blocks.
//!
//! A section is declared once. Each block names the media that show it; renderers write those blocks and compute
//! nothing: [`crate::terminal`], [`crate::html`], [`crate::markdown`], [`crate::csv`].
//!
//! # Layout
//! - this file: documents, sections, blocks
//! - [`table`]: tables, whose columns are declared once

use crate::scalability::{FitView, Overlay};
use crate::svg::{Drawing, Key};
use table::Table;

pub mod table;

/// A whole report.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// What it is about.
    pub title: String,
    /// The answer, at the top.
    pub banner: Banner,
    /// Below the title, without a heading.
    pub head: Vec<Block>,
    /// What follows, in this order; those of the appendix come last.
    pub sections: Vec<Section>,
    /// The last lines in the terminal.
    pub tail: Vec<Block>,
    /// Definitions that hold for all numbers.
    pub footer: &'static str,
    /// Version of the program that made the numbers.
    pub nmax_version: String,
}

/// The answer of a report, with its reasons.
#[derive(Clone, Debug, Default)]
pub struct Banner {
    /// What it means.
    pub mark: Mark,
    /// In capitals: `PASS`.
    pub word: String,
    /// In a sentence, where there is room.
    pub meaning: String,
    /// Why.
    pub reasons: Vec<Item>,
    /// What else belongs to the answer.
    pub notes: Vec<String>,
}

/// A part of a report with a heading.
#[derive(Clone, Debug, Default)]
pub struct Section {
    /// Unique in the document, for links.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// The scope of its numbers, shown beside the heading; may be empty.
    pub aside: String,
    /// Whether it belongs to the appendix, which the page folds.
    pub is_appendix: bool,
    /// Its blocks.
    pub body: Body,
}

impl Section {
    /// One without a block.
    pub fn new(id: &str, title: &str) -> Self {
        Self { id: id.into(), title: title.into(), ..Self::default() }
    }

    /// With a text beside its heading.
    pub fn aside(self, aside: impl Into<String>) -> Self {
        Self { aside: aside.into(), ..self }
    }

    /// In the appendix.
    pub fn appendix(self) -> Self {
        Self { is_appendix: true, ..self }
    }

    /// With what `write` says.
    pub fn with(mut self, write: impl FnOnce(&mut Body)) -> Self {
        write(&mut self.body);
        self
    }

    /// Whether it says something there.
    pub fn stands_on(&self, media: Media) -> bool {
        self.body.blocks.iter().any(|block| block.media.has(media))
    }

    /// Itself, unless it says nothing.
    pub fn said(self) -> Option<Self> {
        (!self.body.blocks.is_empty()).then_some(self)
    }
}

/// A set of media that show a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Media(u8);

impl Media {
    /// The terminal, as long as not everything is asked for.
    pub const BRIEF: Self = Self(1);
    /// The terminal, when everything is asked for.
    pub const WIDE: Self = Self(2);
    /// The page, for a browser.
    pub const PAGE: Self = Self(4);
    /// The PDF: few pages.
    pub const PDF: Self = Self(8);
    /// A comment on a change, a wiki.
    pub const MARKDOWN: Self = Self(16);
    /// The terminal in any case.
    pub const TERMINAL: Self = Self(1 | 2);
    /// Media with pictures: page and PDF.
    pub const PICTURES: Self = Self(4 | 8);
    /// All media but the terminal.
    pub const PAPER: Self = Self(4 | 8 | 16);
    /// Media with all details: page and wide terminal.
    pub const DETAILED: Self = Self(2 | 4);
    /// Everywhere.
    pub const ALL: Self = Self(31);

    /// Whether one of them is among these.
    pub fn has(self, other: Self) -> bool {
        self.0 & other.0 != 0
    }

    /// These and others.
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// These without others.
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

/// A part of a section.
#[derive(Clone, Debug)]
pub struct Block {
    /// Where.
    pub media: Media,
    /// What.
    pub content: Content,
}

/// What a block is.
#[derive(Clone, Debug)]
pub enum Content {
    /// The heading of a part.
    Heading(String),
    /// A paragraph.
    Text(String),
    /// A paragraph that may be skipped.
    Note(String),
    /// Points.
    Items(Vec<Item>),
    /// Names and what they are.
    Facts(Vec<(String, String)>),
    /// Key figures.
    Keys(Vec<KeyFigure>),
    /// Rows and columns.
    Table(Table<()>),
    /// A picture.
    Figure(Box<Figure>),
    /// Text as it is, in lines: a command, a message.
    Code(String),
    /// Blocks that the page folds under a summary.
    Fold(String, Vec<Block>),
    /// A picture made of characters, for the terminal.
    Plot(Plot),
}

/// A chart that the terminal draws with characters.
#[derive(Clone, Debug)]
pub enum Plot {
    /// A law with its points.
    Law(Box<FitView>),
    /// Laws over each other; what N counts, and the unit of X.
    Laws(Overlay, String, String),
    /// Figures in an order, whether each begins something new, and what the axis is of.
    Course(Vec<(f64, bool)>, String),
    /// Horizontal bars from 0: the name, the values and the label of each.
    Bars(Vec<(String, Vec<Option<f64>>, String)>),
}

/// A key figure.
#[derive(Clone, Debug, Default)]
pub struct KeyFigure {
    /// What it is.
    pub name: String,
    /// Its value with its unit.
    pub value: String,
    /// What stands below it.
    pub below: String,
}

/// A point of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// Before it.
    pub mark: Mark,
    /// Bold text before the rest.
    pub title: String,
    /// The rest of it.
    pub text: String,
    /// What `nmax explain` knows it by, or a source; may be empty.
    pub code: String,
    /// What belongs to it.
    pub below: Vec<Item>,
}

impl Item {
    /// A text with a mark.
    pub fn new(mark: Mark, text: impl Into<String>) -> Self {
        Self { mark, text: text.into(), ..Self::default() }
    }

    /// A text without a mark.
    pub fn plain(text: impl Into<String>) -> Self {
        Self::new(Mark::None, text)
    }

    /// With a code.
    pub fn code(self, code: impl Into<String>) -> Self {
        Self { code: code.into(), ..self }
    }

    /// Adds a bold title before the text.
    pub fn title(self, title: impl Into<String>) -> Self {
        Self { title: title.into(), ..self }
    }

    /// With what belongs to it.
    pub fn below(self, below: Vec<Self>) -> Self {
        Self { below, ..self }
    }
}

/// What a point, a row or an answer means. The symbol says it; color only repeats it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    None,
    /// As it should be.
    Pass,
    /// Not as it should be.
    Fail,
    /// Not to be believed.
    Invalid,
    /// To be kept in mind.
    Warning,
    /// The answer to a question.
    Answer,
    /// The same, where it is bad.
    Trouble,
    /// Not known.
    Unknown,
    /// A point like others.
    Point,
    /// Neither good nor bad.
    Neutral,
    /// Nearly as it should be.
    Near,
    /// A place in an order, from 1, of something that presses.
    Number(usize),
    /// Another one than before.
    Changed,
    /// As before.
    Same,
}

impl Mark {
    /// The mark of a condition.
    pub fn condition(holds: bool) -> Self {
        if holds { Self::Pass } else { Self::Fail }
    }

    /// Its symbol; empty for none.
    pub fn symbol(self) -> String {
        match self {
            Self::None => String::new(),
            Self::Pass => "✓".into(),
            Self::Fail => "✗".into(),
            Self::Invalid | Self::Warning => "!".into(),
            Self::Answer | Self::Trouble => "»".into(),
            Self::Unknown => "?".into(),
            Self::Point => "·".into(),
            Self::Neutral => "–".into(),
            Self::Near => "≈".into(),
            Self::Number(place) => place.to_string(),
            Self::Changed => "≠".into(),
            Self::Same => "=".into(),
        }
    }

    /// The class of its color: `pass`, `fail`, `invalid` or none.
    pub fn class(self) -> &'static str {
        match self {
            Self::Pass | Self::Same => "pass",
            Self::Fail | Self::Trouble => "fail",
            Self::Invalid | Self::Warning | Self::Unknown | Self::Near | Self::Changed => "invalid",
            Self::None | Self::Answer | Self::Point | Self::Neutral | Self::Number(_) => "",
        }
    }
}

/// A picture with its legend and the numbers behind it.
#[derive(Clone, Debug, Default)]
pub struct Figure {
    /// Unique in the document.
    pub id: String,
    /// What it shows.
    pub title: String,
    /// How it is read; may be empty.
    pub about: String,
    /// Samples and what they stand for.
    pub legend: Vec<(Key, String)>,
    /// The same picture, the widest first.
    pub drawings: Vec<Drawing>,
    /// Whether it needs the whole width of a page.
    pub is_wide: bool,
    /// Its numbers.
    pub numbers: Option<Table<()>>,
    /// Seconds of a row of `numbers`, and of the whole time axis, where rows are parts of it.
    pub axis_s: Option<(f64, f64)>,
}

/// The blocks of a section as they are written.
#[derive(Clone, Debug)]
pub struct Body {
    /// From top to bottom.
    pub blocks: Vec<Block>,
    media: Media,
}

impl Default for Body {
    fn default() -> Self {
        Self { blocks: Vec::new(), media: Media::ALL }
    }
}

impl Body {
    /// From here on, blocks stand on these media.
    pub fn on(&mut self, media: Media) -> &mut Self {
        self.media = media;
        self
    }

    /// From here on, blocks stand everywhere.
    pub fn everywhere(&mut self) -> &mut Self {
        self.on(Media::ALL)
    }

    fn add(&mut self, content: Content) -> &mut Self {
        self.blocks.push(Block { media: self.media, content });
        self
    }

    /// The heading of a part.
    pub fn heading(&mut self, title: impl Into<String>) -> &mut Self {
        self.add(Content::Heading(title.into()))
    }

    /// A paragraph.
    pub fn text(&mut self, text: impl Into<String>) -> &mut Self {
        self.add(Content::Text(text.into()))
    }

    /// A paragraph that may be skipped.
    pub fn note(&mut self, text: impl Into<String>) -> &mut Self {
        self.add(Content::Note(text.into()))
    }

    /// Points, if there are any.
    pub fn items(&mut self, items: impl IntoIterator<Item = Item>) -> &mut Self {
        let items: Vec<Item> = items.into_iter().collect();
        if items.is_empty() { self } else { self.add(Content::Items(items)) }
    }

    /// At most so many points, and how many there are besides: `3 more checks`.
    pub fn some_items(&mut self, items: impl IntoIterator<Item = Item>, most: usize, what: &str) -> &mut Self {
        let mut items: Vec<Item> = items.into_iter().collect();
        let more = items.len().saturating_sub(most);
        items.truncate(most);
        if more > 0 {
            items.push(Item::new(Mark::None, format!("… {more} more {what}")));
        }
        self.items(items)
    }

    /// Names and what they are, without those of which nothing is known.
    pub fn facts<N: Into<String>, T: Into<String>>(&mut self, facts: impl IntoIterator<Item = (N, T)>) -> &mut Self {
        let facts = facts.into_iter().map(|(name, text)| (name.into(), text.into()));
        let facts: Vec<(String, String)> = facts.filter(|(_, text): &(String, String)| !text.is_empty()).collect();
        if facts.is_empty() { self } else { self.add(Content::Facts(facts)) }
    }

    /// The figures that are looked at first.
    pub fn keys<N: Into<String>>(&mut self, keys: impl IntoIterator<Item = (N, String, String)>) -> &mut Self {
        let keys = keys.into_iter().map(|(name, value, below)| KeyFigure { name: name.into(), value, below });
        self.add(Content::Keys(keys.collect()))
    }

    /// A table, if it has rows.
    pub fn table<R>(&mut self, table: Table<R>) -> &mut Self {
        if table.is_empty() { self } else { self.add(Content::Table(table.done())) }
    }

    /// A picture.
    pub fn figure(&mut self, figure: Figure) -> &mut Self {
        self.add(Content::Figure(Box::new(figure)))
    }

    /// Text as it is.
    pub fn code(&mut self, text: impl Into<String>) -> &mut Self {
        self.add(Content::Code(text.into()))
    }

    /// A picture made of characters.
    pub fn plot(&mut self, plot: Plot) -> &mut Self {
        self.add(Content::Plot(plot))
    }

    /// What is shown when it is asked for.
    pub fn fold(&mut self, summary: impl Into<String>, write: impl FnOnce(&mut Self)) -> &mut Self {
        let mut inner = Self { blocks: Vec::new(), media: self.media };
        write(&mut inner);
        if inner.blocks.is_empty() { self } else { self.add(Content::Fold(summary.into(), inner.blocks)) }
    }
}
