//! The answer of a slice: sorted rows, what is left together, the series.

use std::cmp::Ordering;

use crate::column::{Cell, Kind};
use crate::condition::Origin;
use crate::measure::Measure;
use crate::slice::{Order, Slice};
use crate::stats::Stats;
use crate::tally::{GROUPS_MAX, OtherGroups, Tally};

const NS_PER_S: f64 = 1e9;

/// What a slice found.
#[derive(Clone, Debug, PartialEq)]
pub struct Answer {
    /// What rows are grouped by, as a person wrote it, and the kind of its values.
    pub keys: Vec<(String, Kind)>,
    /// What is said of each row.
    pub measures: Vec<Measure>,
    /// The groups, sorted.
    pub rows: Vec<Row>,
    /// Groups that are not shown, together.
    pub other: Option<Row>,
    /// How many groups that is; `None` when they are too many to count.
    pub other_groups: Option<u64>,
    /// All chosen exchanges.
    pub total: Row,
    /// Exchanges that were chosen.
    pub chosen: u64,
    /// Exchanges that were looked at.
    pub seen: u64,
    /// Time that rates are over, ns: from, to.
    pub span: Option<(i64, i64)>,
    /// What the instants of the series are.
    pub when: Kind,
    /// Width of a point of the series, ns.
    pub width: Option<i64>,
    /// What a reader should know, a sentence each.
    pub notes: Vec<String>,
}

/// A group.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Its values, in the order of the keys; empty for the total and the rest.
    pub key: Vec<Cell>,
    /// Its figures, in the order of the measures, in the base unit of each; `None` = not known.
    pub values: Vec<Option<f64>>,
    /// The same for each point of time: its beginning, ns, and the figures.
    pub series: Vec<(i64, Vec<Option<f64>>)>,
}

impl Tally {
    /// The answer. `span` is the time that was looked at, ns, before the condition narrows it: what rates are over.
    pub fn answer(&self, span: Option<(i64, i64)>) -> Answer {
        let slice = self.slice();
        let span = span.and_then(|span| slice.narrowed(span)).filter(|(from, to)| from < to);
        let mut order: Vec<usize> = (0..self.groups().len()).collect();
        let total = self.total();
        let frame = Frame { tally: self, all: total.count, span };
        // Groups that were given and have no exchange are none.
        order.retain(|index| self.groups()[*index].1.count > 0);
        frame.sort(&mut order);
        let kept = order.len().min(slice.top);
        let left = &order[kept..];
        let mut rest = self.other().clone();
        left.iter().for_each(|index| rest.merge(&self.groups()[*index].1));
        let left_groups = left.len() as u64;
        let other_groups = match self.beside() {
            None if self.is_crowded() => None,
            None => Some(left_groups),
            Some(OtherGroups::Counted(beside)) => Some(left_groups + beside),
            Some(OtherGroups::Many) => None,
        };
        let points = frame.points(&order[..kept]);
        let rows = order[..kept].iter().map(|index| frame.row(*index, points)).collect();
        let mut notes = self.notes(slice);
        if points.is_some_and(|points| !points.are_filled) {
            notes.push("points of time without an exchange are left out: with them there would be too many".to_owned());
        }
        Answer {
            keys: slice.keys.iter().map(|key| (key.label.clone(), key.kind)).collect(),
            measures: slice.measures[..slice.shown].to_vec(),
            rows,
            other_groups,
            other: (rest.count > 0).then(|| Row {
                key: Vec::new(),
                values: frame.figures(&rest, frame.span_s()),
                series: Vec::new(),
            }),
            total: Row { key: Vec::new(), values: frame.figures(&total, frame.span_s()), series: Vec::new() },
            chosen: total.count,
            seen: self.seen(),
            span,
            when: slice.when_kind,
            width: self.width(),
            notes,
        }
    }

    /// All groups and the rest.
    fn total(&self) -> Stats {
        let mut total = self.other().clone();
        self.groups().iter().for_each(|(_, stats)| total.merge(stats));
        total
    }

    /// Keys in the order in which they would be shown.
    pub(crate) fn ranked(&self) -> Vec<Box<[Cell]>> {
        let mut order: Vec<usize> = (0..self.groups().len()).collect();
        let frame = Frame { tally: self, all: self.total().count, span: None };
        frame.sort(&mut order);
        order.into_iter().map(|index| self.groups()[index].0.clone()).collect()
    }

    fn notes(&self, slice: &Slice) -> Vec<String> {
        let mut notes = Vec::new();
        if self.is_crowded() {
            notes.push(format!(
                "there are more than {GROUPS_MAX} groups, and this source can be read only once: the first {GROUPS_MAX} are \
                 told apart, later ones are among the rest; group by fewer values, or name a file"
            ));
        } else if self.beside() == Some(OtherGroups::Many) {
            let by = match slice.order {
                Order::Measure(place) => slice.measures[place].name.as_str(),
                Order::Key => "key",
            };
            notes.push(format!(
                "there are more groups than fit: the {} with most exchanges were told apart{}",
                self.groups().len(),
                if by == "count" { String::new() } else { format!(" and sorted by {by}") }
            ));
        }
        if slice.is_over_time && self.width().is_none() {
            notes.push(
                "there are too many points of time to show them; take a longer --every, fewer rows by --top, or a shorter \
                 time by --where"
                    .to_owned(),
            );
        }
        notes
    }
}

/// What figures depend on beside their group.
struct Frame<'a> {
    tally: &'a Tally,
    all: u64,
    span: Option<(i64, i64)>,
}

impl Frame<'_> {
    /// Time that rates are over, s.
    fn span_s(&self) -> Option<f64> {
        self.span.map(length_s)
    }

    /// The part of it that a group is of: where rows are steps of time, that within its own step; `None` when nothing is left.
    fn span_of(&self, key: &[Cell]) -> Option<(i64, i64)> {
        let slice = self.tally.slice();
        let when = Origin::Column(slice.when);
        let steps = slice.keys.iter().zip(key).filter(|(key, _)| key.origin == when);
        let steps = steps.filter_map(|(key, cell)| match (key.width, cell) {
            (Some(width), Cell::Number(from)) => Some((*from, from.saturating_add(width))),
            _ => None,
        });
        let within = |span: (i64, i64), step: (i64, i64)| (span.0.max(step.0), span.1.min(step.1));
        self.span.map(|span| steps.fold(span, within)).filter(|(from, to)| from < to)
    }

    fn figures(&self, stats: &Stats, span_s: Option<f64>) -> Vec<Option<f64>> {
        let slice = self.tally.slice();
        let shown = &slice.measures[..slice.shown];
        shown.iter().map(|measure| stats.figure(measure, &slice.accounts, self.all, span_s)).collect()
    }

    fn sort(&self, order: &mut [usize]) {
        let (slice, groups) = (self.tally.slice(), self.tally.groups());
        let key = |index: usize| &groups[index].0;
        let Order::Measure(place) = slice.order else {
            order.sort_by(|a, b| key(*a).cmp(key(*b)));
            return;
        };
        let measure = &slice.measures[place];
        let span_s = |key: &[Cell]| match self.span {
            Some(_) => self.span_of(key).map(length_s),
            None => Some(1.0),
        };
        let figures: Vec<Option<f64>> =
            groups.iter().map(|(key, stats)| stats.figure(measure, &slice.accounts, self.all, span_s(key))).collect();
        // What is not known comes last.
        let descending = |a: Option<f64>, b: Option<f64>| match (a, b) {
            (Some(a), Some(b)) => b.total_cmp(&a),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => Ordering::Equal,
        };
        order.sort_by(|a, b| descending(figures[*a], figures[*b]).then_with(|| key(*a).cmp(key(*b))));
    }

    /// First and last point of the groups that are shown.
    fn points(&self, shown: &[usize]) -> Option<Points> {
        self.tally.width()?;
        let points = shown.iter().flat_map(|index| self.tally.points(*index));
        let (first, last) =
            points.map(|(at, _)| (at, at)).reduce(|(low, high), (at, _)| (low.min(at), high.max(at)))?;
        let each = last.saturating_sub(first).saturating_add(1);
        Some(Points { first, last, are_filled: each.saturating_mul(shown.len() as i64) <= POINTS_FILLED_MAX })
    }

    fn row(&self, index: usize, ends: Option<Points>) -> Row {
        let (key, stats) = &self.tally.groups()[index];
        Row {
            key: key.to_vec(),
            values: self.figures(stats, self.span_of(key).map(length_s)),
            series: match (ends, self.tally.width()) {
                (Some(ends), Some(width)) => self.series(index, ends, width),
                _ => Vec::new(),
            },
        }
    }

    /// Every point of a group from the first to the last of all; points without an exchange are empty, or left out where
    /// they are too many.
    fn series(&self, index: usize, points: Points, width: i64) -> Vec<(i64, Vec<Option<f64>>)> {
        let empty = Stats::new(self.tally.slice().accounts.len());
        let known = self.tally.points(index);
        let span = self.span_of(&self.tally.groups()[index].0);
        if !points.are_filled {
            let filled = known.into_iter().map(|(at, stats)| self.point(at * width, stats, width, span));
            return filled.collect();
        }
        let mut known = known.into_iter().peekable();
        let points = (points.first..=points.last).map(|at| match known.next_if(|(number, _)| *number == at) {
            Some((_, stats)) => self.point(at * width, stats, width, span),
            None => self.point(at * width, &empty, width, span),
        });
        points.collect()
    }

    fn point(&self, start: i64, stats: &Stats, width: i64, span: Option<(i64, i64)>) -> (i64, Vec<Option<f64>>) {
        let end = start.saturating_add(width);
        // Rates of the first and last point are over the part of it that was looked at.
        let part = span.map(|(from, to)| (from.max(start), to.min(end)));
        let part = part.filter(|(from, to)| from < to);
        (start, self.figures(stats, part.map(length_s)))
    }
}

fn length_s((from, to): (i64, i64)) -> f64 {
    (to - from) as f64 / NS_PER_S
}

/// Points over time of all rows that are shown.
#[derive(Clone, Copy)]
struct Points {
    /// Number of the first one.
    first: i64,
    /// Number of the last one.
    last: i64,
    /// Whether those without an exchange are there as well.
    are_filled: bool,
}

/// Points of all series together up to which they are filled with empty ones.
const POINTS_FILLED_MAX: i64 = 200_000;
