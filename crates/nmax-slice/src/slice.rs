//! A request as typed, and the same compiled for a source.

use crate::SliceError;
use crate::column::{Cell, Kind, Schema};
use crate::condition::{Condition, Frame, Origin, Scope, bind};
use crate::key::{Key, combined, keys, split, take_tags};
use crate::measure::Measure;
use crate::stats::Account;
use crate::syntax::parse;
use crate::tag::{TAGS_MAX, Tag};
use crate::{Chunk, literal};

/// Rows that are shown without `--top`.
const TOP_DEFAULT: usize = 20;
/// Rows that can be shown.
const TOP_MAX: usize = 1_000;
/// Measures of a request, at most.
const MEASURES_MAX: usize = 40;

/// What a person asks for. Empty parts are defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// Conditions that must all hold.
    pub filter: Vec<String>,
    /// What rows are grouped by; lists with commas.
    pub by: Vec<String>,
    /// Columns that expressions make: `NAME=REGEX`, `NAME=COLUMN~REGEX`.
    pub tags: Vec<String>,
    /// Measures; lists with commas.
    pub show: Vec<String>,
    /// The measure that rows are sorted by, largest first; or `key`.
    pub sort: Option<String>,
    /// Rows shown; the rest is summed up.
    pub top: Option<usize>,
    /// Also over time.
    pub is_over_time: bool,
    /// Width of a point of time, as in `10s`.
    pub every: Option<String>,
}

/// What rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    /// The number of a measure, largest first.
    Measure(usize),
    /// Their keys, ascending.
    Key,
}

/// A request, bound to the columns of a source.
#[derive(Clone, Debug)]
pub struct Slice {
    pub(crate) condition: Option<Condition>,
    pub(crate) keys: Vec<Key>,
    pub(crate) tags: Vec<Tag>,
    /// Shown ones first; behind them the one that is only sorted by.
    pub(crate) measures: Vec<Measure>,
    pub(crate) shown: usize,
    pub(crate) order: Order,
    pub(crate) top: usize,
    pub(crate) accounts: Vec<Account>,
    pub(crate) when: usize,
    pub(crate) when_kind: Kind,
    pub(crate) failed: usize,
    pub(crate) is_over_time: bool,
    /// ns; `None` = chosen by itself.
    pub(crate) every: Option<i64>,
    /// Instants of the source are multiples of this, ns: 1, or the width of its windows.
    pub(crate) grain: i64,
}

/// Measures without `--show`.
const SHOWN: [&str; 6] = ["count", "failure_rate", "rate", "p50", "p95", "p99"];

impl Slice {
    /// Binds a request to a source; else everything that is wrong with it, as one text.
    ///
    /// # Errors
    ///
    /// The same as those of [`Slice::compile`].
    pub fn bound(request: &Request, schema: &Schema) -> Result<Self, String> {
        Self::compile(request, schema).map_err(|errors| SliceError::joined(&errors))
    }

    /// Binds a request to a source.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with it.
    pub fn compile(request: &Request, schema: &Schema) -> Result<Self, Vec<SliceError>> {
        let mut errors = Vec::new();
        let mut tags = Vec::new();
        for text in &request.tags {
            match Tag::parse("--tag", text, schema) {
                Ok(tag) => tags.push(tag),
                Err(error) => errors.push(error),
            }
        }
        let mut by: Vec<String> = request.by.iter().flat_map(|list| split(list)).collect();
        let (more, wrong) = take_tags("--by", &mut by, &Scope { schema, tags: &[] });
        // A definition that is wrong is no column, which need not be said as well.
        by.retain(|text| !text.contains('='));
        tags.extend(more);
        errors.extend(wrong);
        check_tags(&tags, &mut errors);
        let scope = Scope { schema, tags: &tags };
        let condition = condition(&request.filter, &scope, &mut errors);
        let keys = keys("--by", &by, &scope, &mut errors);
        let (measures, shown, order) = measures(request, schema, &keys, &mut errors);
        let top = request.top.unwrap_or(TOP_DEFAULT);
        if top == 0 || top > TOP_MAX {
            let text = format!("{top} rows cannot be shown");
            errors.push(SliceError::new("--top", text, format!("give a number from 1 to {TOP_MAX}")));
        }
        let every = every(request, &mut errors);
        if !errors.is_empty() {
            return Err(errors);
        }
        let when = schema.known(schema.when);
        Ok(Self {
            condition,
            keys,
            accounts: accounts(&measures, schema),
            measures,
            shown,
            order,
            top,
            when,
            when_kind: schema.columns[when].kind,
            failed: schema.known(schema.failed),
            is_over_time: request.is_over_time,
            every,
            grain: 1,
            tags,
        })
    }

    /// The columns that it needs, by number, ascending.
    pub fn needs(&self) -> Vec<usize> {
        let mut columns: Vec<usize> = self.accounts.iter().map(|account| account.column).collect();
        columns.extend(self.columns_used());
        columns.push(self.failed);
        if self.is_over_time {
            columns.push(self.when);
        }
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The columns that conditions and keys look at, by number, ascending: what rows must tell one by one.
    pub fn columns_used(&self) -> Vec<usize> {
        let mut origins: Vec<Origin> = self.keys.iter().map(|key| key.origin).collect();
        if let Some(condition) = &self.condition {
            condition.origins(&mut origins);
        }
        let mut columns: Vec<usize> = origins
            .into_iter()
            .map(|origin| match origin {
                Origin::Column(column) => column,
                Origin::Tag(tag) => self.tags[tag].of,
            })
            .collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// The columns whose values are summed up, by number.
    pub fn sums(&self) -> impl Iterator<Item = usize> {
        self.accounts.iter().map(|account| account.column)
    }

    /// Names of what rows are grouped by, as a person wrote them.
    pub fn labels(&self) -> Vec<String> {
        self.keys.iter().map(|key| key.label.clone()).collect()
    }

    /// Which rows of a chunk the condition holds for.
    pub fn mask(&self, chunk: &Chunk) -> Vec<bool> {
        self.mask_of(&Frame::new(chunk, &self.tags))
    }

    pub(crate) fn mask_of(&self, frame: &Frame<'_>) -> Vec<bool> {
        match &self.condition {
            Some(condition) => condition.mask(frame),
            None => vec![true; frame.chunk.rows],
        }
    }

    pub(crate) fn groups(&self, frame: &Frame<'_>, rows: &[u32]) -> (Vec<u32>, Vec<Box<[Cell]>>) {
        combined(&self.keys, frame, rows)
    }

    /// The part of `span` that the condition leaves, `(from, to)` in the unit of [`Schema::when`]; `None` when the condition
    /// does not name one span, so that there are no rates.
    pub fn narrowed(&self, span: (i64, i64)) -> Option<(i64, i64)> {
        let Some(condition) = &self.condition else {
            return Some(span);
        };
        let (from, to) = condition.bounds(Origin::Column(self.when))?;
        Some((span.0.max(self.whole(from)), span.1.min(self.whole(to))))
    }
}

fn check_tags(tags: &[Tag], errors: &mut Vec<SliceError>) {
    for (index, tag) in tags.iter().enumerate() {
        if tags[..index].iter().any(|other| other.name == tag.name) {
            let text = format!("the tag `{}` is defined twice", tag.name);
            errors.push(SliceError::new("--tag", text, "give one of them another name"));
        }
    }
    if tags.len() > TAGS_MAX {
        let text = format!("{} tags; at most {TAGS_MAX} can be defined", tags.len());
        errors.push(SliceError::new("--tag", text, "leave some out"));
    }
}

fn condition(filter: &[String], scope: &Scope<'_>, errors: &mut Vec<SliceError>) -> Option<Condition> {
    let mut conditions = Vec::new();
    for text in filter {
        match parse("--where", text) {
            Ok(tree) => conditions.push(bind("--where", &tree, scope, errors)),
            Err(error) => errors.push(error),
        }
    }
    match conditions.len() {
        0 => None,
        1 => conditions.pop(),
        _ => Some(Condition::All(conditions)),
    }
}

/// The measures, how many of them are shown, and the order of rows.
fn measures(
    request: &Request,
    schema: &Schema,
    keys: &[Key],
    errors: &mut Vec<SliceError>,
) -> (Vec<Measure>, usize, Order) {
    let mut names: Vec<String> = request.show.iter().flat_map(|list| split(list)).collect();
    if names.is_empty() {
        names = SHOWN.iter().map(|name| (*name).to_owned()).collect();
    }
    let mut measures: Vec<Measure> = Vec::new();
    for name in &names {
        match Measure::parse("--show", name, schema) {
            Ok(measure) if measures.contains(&measure) => {}
            Ok(measure) => measures.push(measure),
            Err(error) => errors.push(error),
        }
    }
    if measures.len() > MEASURES_MAX {
        let text = format!("{} measures; at most {MEASURES_MAX} can be shown", measures.len());
        errors.push(SliceError::new("--show", text, "leave some out"));
    }
    let shown = measures.len();
    let is_scale = keys.first().is_some_and(|key| key.width.is_some());
    let mut place = |name: &str, errors: &mut Vec<SliceError>| {
        if let Some(place) = measures.iter().position(|measure| measure.name == name) {
            return place;
        }
        match Measure::parse("--sort", name, schema) {
            Ok(measure) => measures.push(measure),
            Err(mut error) => {
                if let Some(remedy) = error.remedy.strip_prefix("there are ") {
                    error.remedy = format!("there are key, {remedy}");
                }
                errors.push(error);
                return 0;
            }
        }
        measures.len() - 1
    };
    let order = match request.sort.as_deref() {
        Some("key") => Order::Key,
        None if is_scale => Order::Key,
        name => Order::Measure(place(name.unwrap_or("count"), errors)),
    };
    (measures, shown, order)
}

fn every(request: &Request, errors: &mut Vec<SliceError>) -> Option<i64> {
    let text = request.every.as_deref()?;
    match literal::number(Kind::Span, text) {
        Ok(width) if width > 0 => Some(width),
        Ok(_) => {
            errors.push(SliceError::new("--every", "a span of 0 is empty", "give a width such as 10s"));
            None
        }
        Err((text, remedy)) => {
            errors.push(SliceError::new("--every", text, remedy));
            None
        }
    }
}

/// A column once, whatever the number of measures of it.
fn accounts(measures: &[Measure], schema: &Schema) -> Vec<Account> {
    let mut accounts: Vec<Account> = Vec::new();
    for (column, is_spread) in measures.iter().filter_map(|measure| measure.what.needs()) {
        match accounts.iter_mut().find(|account| account.column == column) {
            Some(account) => account.is_spread |= is_spread,
            None => accounts.push(Account { column, is_spread, is_span: schema.columns[column].kind == Kind::Span }),
        }
    }
    accounts
}
