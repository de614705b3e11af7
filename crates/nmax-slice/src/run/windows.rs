//! The sums of each second as columns: what they can tell is exact, also where no exchange was kept.
//!
//! A row is a request name, an outcome or a status, a phase and a window. Distributions are merged; nothing is estimated.

use std::sync::Arc;

use nmax_metrics::aggregate::{Counter, LatencySet, RequestStats};
use nmax_metrics::{Code, NameId, Section, Window};

use super::{COLUMNS, Names, classes, phases, schema, tags};
use crate::column::{NO_TEXT, UNKNOWN};
use crate::{Chunk, Schema, Slice, Sums, Tally, Values};

/// What a reader should know of these figures.
pub const NOTE: &str =
    "made of the sums of each window, to which an exchange belongs by its end; `time` is the beginning of the window";

/// Rows of a chunk, at least.
const ROWS_MIN: usize = 4_000;
/// Columns that every row tells.
const PLAIN: [&str; 6] = ["name", "method", "template", "tag", "phase", "time"];
const OF_OUTCOME: [&str; 2] = ["outcome", "failed"];
const OF_STATUS: [&str; 3] = ["status", "class", "code"];
const SPANS: [&str; 4] = ["response", "service", "lag", "ttfb"];

/// What rows are told apart by, beside their name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Split {
    None,
    Outcome,
    Status,
}

fn column_names<'a>(slice: &Slice, schema: &'a Schema) -> Vec<&'a str> {
    slice.columns_used().into_iter().map(|column| schema.columns[column].name).collect()
}

fn split(asked: &[&str]) -> Split {
    let any = |names: &[&str]| asked.iter().any(|name| names.contains(name));
    match (any(&OF_OUTCOME), any(&OF_STATUS)) {
        (true, _) => Split::Outcome,
        (false, true) => Split::Status,
        (false, false) => Split::None,
    }
}

/// What the sums do not tell of this slice; `None` when they tell all.
pub fn lacking(slice: &Slice, schema: &Schema) -> Option<String> {
    let asked = column_names(slice, schema);
    let is_told = |name: &str| PLAIN.contains(&name) || OF_OUTCOME.contains(&name) || OF_STATUS.contains(&name);
    if let Some(name) = asked.iter().find(|name| !is_told(name)) {
        return Some(format!("`{name}` of single exchanges"));
    }
    let any = |names: &[&str]| asked.iter().any(|name| names.contains(name));
    if any(&OF_OUTCOME) && any(&OF_STATUS) {
        return Some("outcome and status together".to_owned());
    }
    let measured: Vec<&str> = slice.sums().map(|column| schema.columns[column].name).collect();
    let is_known = |name: &&str| SPANS.contains(name) || RequestStats::sums().any(|sum| sum.name == *name);
    let unknown = measured.iter().find(|name| !is_known(name));
    unknown.map(|name| format!("`{name}`"))
}

/// A row before it becomes columns.
struct Row {
    name: NameId,
    section: Section,
    at_ns: i64,
    /// Place in [`OUTCOMES`].
    outcome: Option<u32>,
    status: Option<Code>,
    sums: Sums,
}

const OUTCOMES: [&str; 3] = ["ok", "failed", "error"];

/// Windows as they become rows of a tally.
pub struct Windows {
    names: Names,
    split: Split,
    schema: Schema,
    list: Vec<Row>,
    tally: Tally,
}

impl Windows {
    /// For a slice that windows can answer.
    pub fn new(slice: &Slice, names: Names, tally: Tally) -> Self {
        let schema = schema();
        Self { names, split: split(&column_names(slice, &schema)), schema, list: Vec::new(), tally }
    }

    /// Adds a window.
    pub fn add(&mut self, window: &Window) {
        self.push(window);
        if self.list.len() >= ROWS_MIN {
            let chunk = self.take();
            self.tally.add(&chunk);
        }
    }

    /// The tally of all windows.
    pub fn finish(mut self) -> Tally {
        let chunk = self.take();
        self.tally.add(&chunk);
        self.tally
    }

    fn push(&mut self, window: &Window) {
        let at_ns = i64::try_from(window.start().0).unwrap_or(i64::MAX);
        for section in Section::ALL {
            for (name, stats) in window.aggregate.requests(section).filter(|(_, stats)| !stats.is_empty()) {
                let mut push = |outcome, status, sums: Sums| {
                    if sums.count > 0 {
                        self.list.push(Row { name, section, at_ns, outcome, status, sums });
                    }
                };
                let column = |name: &str| self.schema.find(name).expect("runs have these columns");
                match self.split {
                    Split::None => push(None, None, whole(stats, column)),
                    Split::Outcome => {
                        for (number, set) in stats.outcomes.iter().enumerate() {
                            let Some(set) = set else { continue };
                            push(Some(number as u32), None, of_outcome(set, number > 0, column));
                        }
                    }
                    Split::Status => {
                        for (status, count) in &stats.status {
                            push(None, Some(*status), of_status(stats, *status, *count, column));
                        }
                        if let Some(set) = &stats.outcomes[2] {
                            push(None, None, of_outcome(set, true, column));
                        }
                    }
                }
            }
        }
    }

    fn take(&mut self) -> Chunk {
        let rows = std::mem::take(&mut self.list);
        let ids: Vec<u32> = rows.iter().map(|row| row.name.0).collect();
        let of_name = |names: &Arc<[Arc<str>]>| Values::Texts { ids: ids.clone(), names: Arc::clone(names) };
        let numbers = |of: &dyn Fn(&Row) -> i64| Values::Numbers(rows.iter().map(of).collect());
        let mut columns = vec![None; COLUMNS.len()];
        let mut set = |name: &str, values: Values| {
            if let Some(place) = self.schema.find(name) {
                columns[place] = Some(values);
            }
        };
        set("name", of_name(&self.names.request));
        set("method", of_name(&self.names.method));
        set("template", of_name(&self.names.template));
        set("tag", tags(of_name(&self.names.tag)));
        set("time", numbers(&|row| row.at_ns));
        set("phase", phases(rows.iter().map(|row| row.section == Section::Outside)));
        match self.split {
            Split::None => {}
            Split::Outcome => {
                set(
                    "outcome",
                    Values::Texts {
                        ids: rows.iter().map(|row| row.outcome.unwrap_or(NO_TEXT)).collect(),
                        names: OUTCOMES.iter().map(|name| (*name).into()).collect(),
                    },
                );
                set("failed", numbers(&|row| row.outcome.map_or(UNKNOWN, |outcome| i64::from(outcome > 0))));
            }
            Split::Status => {
                let status = |row: &Row| row.status.and_then(Code::number).map_or(UNKNOWN, i64::from);
                let statuses: Vec<i64> = rows.iter().map(status).collect();
                set("class", classes(&statuses));
                set("code", codes(&rows));
                set("status", Values::Numbers(statuses));
            }
        }
        Chunk { rows: rows.len(), columns, sums: Some(rows.into_iter().map(|row| row.sums).collect()) }
    }
}

/// Statuses that are texts.
fn codes(rows: &[Row]) -> Values {
    let mut names: Vec<Arc<str>> = Vec::new();
    let id = |row: &Row| {
        let text = row.status.filter(|code| code.number().is_none())?.to_string();
        let place = names.iter().position(|name| **name == *text);
        Some(place.unwrap_or_else(|| {
            names.push(text.into());
            names.len() - 1
        }) as u32)
    };
    let ids = rows.iter().map(id).map(|id| id.unwrap_or(NO_TEXT)).collect();
    Values::Texts { ids, names: names.into() }
}

/// All exchanges of a name.
fn whole(stats: &RequestStats, column: impl Fn(&str) -> usize) -> Sums {
    let sum = |counter: &Counter<RequestStats>| u64::try_from((counter.get)(stats)).unwrap_or(u64::MAX);
    let total = |counter: &Counter<RequestStats>| (column(counter.name), sum(counter));
    Sums {
        count: stats.count(),
        failures: Some(stats.failed() + stats.errors()),
        spans: spans(&stats.latencies(), &column),
        totals: RequestStats::sums().map(total).collect(),
    }
}

/// Exchanges of an outcome.
fn of_outcome(set: &LatencySet, has_failed: bool, column: impl Fn(&str) -> usize) -> Sums {
    let count = set.response.count();
    Sums { count, failures: Some(if has_failed { count } else { 0 }), spans: spans(set, column), totals: Vec::new() }
}

/// Valid replies of a status. Only response times are kept by status; which of them failed is known where none or all did.
fn of_status(stats: &RequestStats, status: Code, count: u64, column: impl Fn(&str) -> usize) -> Sums {
    let response = stats.response_of(status).filter(|times| times.count() == count);
    Sums {
        count,
        failures: match (stats.ok(), stats.failed()) {
            (_, 0) => Some(0),
            (0, _) => Some(count),
            _ => None,
        },
        spans: response.map(|times| (column("response"), times)).into_iter().collect(),
        totals: Vec::new(),
    }
}

fn spans(set: &LatencySet, column: impl Fn(&str) -> usize) -> Vec<(usize, nmax_metrics::Histogram)> {
    vec![
        (column("response"), set.response.clone()),
        (column("service"), set.service.clone()),
        (column("lag"), set.send_lag.clone()),
        (column("ttfb"), set.ttfb.clone()),
    ]
}
