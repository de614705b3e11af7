//! Columns of exchanges, in chunks: whole numbers, or texts as numbers of a dictionary.

use std::sync::Arc;

use nmax_metrics::Histogram;

/// A number that is not known.
pub const UNKNOWN: i64 = i64::MIN;
/// A text that is not known.
pub const NO_TEXT: u32 = u32::MAX;

/// What the values of a column are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text.
    Text,
    /// A span of time, ns.
    Span,
    /// An instant, ns since the start of the source's clock.
    Moment,
    /// An instant, ns since 1970 in UTC; shown in a zone so many seconds east of Greenwich.
    Calendar {
        /// Seconds east of Greenwich.
        zone_s: i32,
    },
    /// Bytes.
    Bytes,
    /// A number without a unit.
    Number,
}

impl Kind {
    /// Whether it says when.
    pub(crate) const fn is_instant(self) -> bool {
        matches!(self, Self::Moment | Self::Calendar { .. })
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its name in the language.
    pub name: &'static str,
    /// What its values are.
    pub kind: Kind,
    /// What it says, a few words for people.
    pub about: &'static str,
}

/// The columns of a source, and which of them have a part to play.
#[derive(Clone, Debug, PartialEq)]
pub struct Schema {
    /// What the source is called in messages: `a run`, `an access log`.
    pub source: &'static str,
    /// All columns.
    pub columns: Vec<Column>,
    /// The time that `p95` alone means.
    pub time: &'static str,
    /// The bytes that `bytes` and `throughput` mean.
    pub bytes: &'static str,
    /// When an exchange belongs: what `--over time` and rates go by.
    pub when: &'static str,
    /// A number column: 1 where the exchange failed, 0 where not. It need not be among those shown to people.
    pub failed: &'static str,
    /// The text column that `tag=REGEX` looks at.
    pub subject: &'static str,
}

impl Schema {
    /// The number of a column.
    pub fn find(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The number of a column that the schema itself names.
    pub(crate) fn known(&self, name: &str) -> usize {
        self.find(name).expect("a schema has the columns that it names")
    }
}

/// The values of a column, a row each.
#[derive(Clone, Debug)]
pub enum Values {
    /// Whole numbers, or [`UNKNOWN`].
    Numbers(Vec<i64>),
    /// Numbers of texts, or [`NO_TEXT`].
    Texts {
        /// Number of the text of each row.
        ids: Vec<u32>,
        /// The texts; only those of this chunk count, so dictionaries may be shared.
        names: Arc<[Arc<str>]>,
    },
}

impl Values {
    /// Rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Texts { ids, .. } => ids.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Rows that belong together, column by column.
#[derive(Clone, Debug, Default)]
pub struct Chunk {
    /// Rows.
    pub rows: usize,
    /// By the number of the column; `None` where nobody asked for it.
    pub columns: Vec<Option<Values>>,
    /// Where a row stands for many exchanges: their sums, a row each.
    pub sums: Option<Vec<Sums>>,
}

/// Many exchanges as one row.
#[derive(Clone, Debug, Default)]
pub struct Sums {
    /// How many.
    pub count: u64,
    /// How many of them failed; `None` when it is not known.
    pub failures: Option<u64>,
    /// Distributions by the number of the column, ns; a column that is not here is not known.
    pub spans: Vec<(usize, Histogram)>,
    /// Sums by the number of the column; a column that is not here is not known.
    pub totals: Vec<(usize, u64)>,
}

/// One value, as it stands in a row of an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Cell {
    /// A number in the unit of its column.
    Number(i64),
    /// Text.
    Text(Arc<str>),
    /// Not known.
    Unknown,
}
