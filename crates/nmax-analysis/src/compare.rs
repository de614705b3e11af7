//! Before and after: by how much each figure of each request changed, how sure that is, and what is said of it.
//!
//! The unit of replication is the run: exchanges of one run share its good or bad luck, so a million of them say little
//! about the next run. With runs enough on both sides rows are judged by ranks ([`rank`]); with fewer, by an error that is
//! deliberately too large, and labelled weak. `docs/methods/compare.md` has the formulas and what they reach.
//!
//! # Layout
//! - [`metric`]: what is compared; [`origin`]: whether two sides may be compared at all
//! - [`rank`]: shifts by ranks; `weak`: shifts of few runs; `shares`: those of failure rates; `student`: the t law

use std::collections::BTreeMap;

pub mod metric;
pub mod origin;
pub(crate) mod rank;
mod shares;
pub(crate) mod student;
mod weak;

pub use metric::{Better, Metric, Scale, Unit, Values};
pub use origin::{Caveat, Kind, Load, Origin, caveats, odd};
pub use rank::Shift;

use crate::history::is_steady;
use crate::trend::median;

/// Probability of an error that is accepted, over all rows of a comparison.
pub const ERROR_MAX: f64 = 0.05;
/// Name of the row of all requests together.
pub const TOTAL: &str = "total";
/// Most requests that are compared; more would drown all of them in the correction for their number.
pub const REQUESTS_MAX: usize = 50;
/// Difference of failure rates from which on times are of other replies: those of failures, which may be quick or slow.
pub const FAILURES_APART: f64 = 0.1;
/// Share by which throughputs of runs at one rate may differ when both sides kept it.
pub const PACED_APART: f64 = 0.02;
/// Fewest other runs of one system that tell how much equal runs differ.
pub const HISTORY_MIN: usize = 5;

/// Figures of one run, or of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measured {
    /// All requests together.
    pub total: Figures,
    /// By request name.
    pub requests: BTreeMap<String, Figures>,
    /// Length of the hold, s; 0 when unknown.
    pub hold_s: f64,
    /// Whether the injector had to share its processors, so that the run says so itself.
    pub is_disturbed: bool,
    /// Whether its iterations started by schedule: as long as it keeps up, its throughput is what was asked for.
    pub is_paced: bool,
}

/// Figures of one request of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Figures {
    /// Exchanges.
    pub count: u64,
    /// Over the whole hold.
    pub values: Values,
    /// Over parts of the hold of equal length; only needed of a side that has few runs.
    pub blocks: Vec<Values>,
}

/// What is asked.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Runs before the change.
    pub before: &'a [Measured],
    /// Runs after it.
    pub after: &'a [Measured],
    /// Groups of other runs of one system each, oldest first: how much equal runs differ. Of a group with fewer than
    /// [`HISTORY_MIN`] runs, or with a change among them, nothing is taken.
    pub history: &'a [Vec<Measured>],
    /// What is compared.
    pub metrics: &'a [Metric],
    /// Requests that are compared, [`TOTAL`] among them; empty is all.
    pub only: &'a [String],
    /// Share by which a figure may change and still count as the same.
    pub margin: f64,
    /// Difference of failure rates, 0 to 1, that still counts as the same.
    pub failure_margin: f64,
}

nmax_text::named! {
    /// What is said of a row.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Conclusion {
        /// It changed for the worse.
        Worse = "worse",
        /// It changed for the better.
        Better = "better",
        /// It changed, and neither direction is better.
        Changed = "changed",
        /// Too little is known to tell.
        Inconclusive = "inconclusive",
        /// If it changed, then by less than the margin.
        Equivalent = "equivalent",
    }
    /// In lower case.
    name
}

/// One figure of one request.
#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    /// Name of the request, or [`TOTAL`].
    pub request: String,
    /// What is compared.
    pub metric: Metric,
    /// The figure before that `change` starts from: of few runs the mean of their scores, else the median of all runs, those
    /// after moved back by the shift. Without a change it is the median over the runs before.
    pub before: f64,
    /// The figure after that `change` leads to; without a change the median over the runs after.
    pub after: f64,
    /// Ratio or difference, after against before; `None` when there is none, as of something and nothing.
    pub change: Option<f64>,
    /// 95 % interval of the change, of this row alone; `None` when there are too few runs for one.
    pub interval: Option<(f64, f64)>,
    /// Probability of such a change without a reason, of this row alone.
    pub p: f64,
    /// The same in view of all rows (Holm); what is said is said by this one.
    pub p_adjusted: f64,
    /// Whether it had to be judged from too few runs.
    pub is_weak: bool,
    /// What is said of it.
    pub said: Conclusion,
}

/// The answer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Runs on both sides.
    pub runs: (usize, usize),
    /// All rows, the total's first, then by exchanges.
    pub rows: Vec<Row>,
    /// Rows that may be called better or worse: what the correction is for.
    pub family: usize,
    /// Share by which a figure may change and still count as the same.
    pub margin: f64,
    /// The same for differences of failure rates.
    pub failure_margin: f64,
    /// Runs on each side from which on ranks can tell a change among so many rows.
    pub runs_needed: usize,
    /// Runs that say how much equal runs differ, beside those compared.
    pub history: usize,
    /// Requests that only runs before had.
    pub only_before: Vec<String>,
    /// Requests that only runs after had.
    pub only_after: Vec<String>,
    /// Requests with few exchanges that were left out.
    pub left_out: usize,
    /// Rows that are not among these because they cannot tell a change: throughputs of runs at one rate that both sides kept,
    /// and bytes, which are neither better nor worse, that did not change. Only of the usual metrics.
    pub silent: usize,
    /// Requests whose failure rates differ by more than [`FAILURES_APART`].
    pub unlike: Vec<String>,
}

impl Comparison {
    /// Rows of which this is said.
    pub fn count(&self, said: Conclusion) -> usize {
        self.rows.iter().filter(|row| row.said == said).count()
    }

    /// Whether some row was judged from too few runs.
    pub fn is_weak(&self) -> bool {
        self.rows.iter().any(|row| row.is_weak)
    }

    /// What a reader of the rows has to know: that times of failures are no times of successes.
    pub fn caveats(&self) -> Vec<Caveat> {
        let named = self.unlike.iter().take(5).map(String::as_str).collect::<Vec<_>>().join(", ");
        let more = match self.unlike.len().saturating_sub(5) {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        let text = format!(
            "{named}{more}: failure rates differ by more than {} points, and times of replies that fail are not those of \
             replies that succeed; so no time and no throughput is called better on the side that fails more",
            100.0 * FAILURES_APART
        );
        let caveat = (!self.unlike.is_empty()).then_some(Caveat { text, refuses: false });
        caveat.into_iter().collect()
    }

    /// The whole in one word: the first of worse, better, inconclusive and changed that is said of a row, else equivalent;
    /// inconclusive without rows.
    pub fn conclusion(&self) -> Conclusion {
        let order = [Conclusion::Worse, Conclusion::Better, Conclusion::Inconclusive, Conclusion::Changed];
        match order.into_iter().find(|said| self.count(*said) > 0) {
            Some(said) => said,
            None if self.rows.is_empty() => Conclusion::Inconclusive,
            None => Conclusion::Equivalent,
        }
    }
}

/// Scores of a row, as they are judged.
struct Cell<'a> {
    request: &'a str,
    metric: Metric,
    before: Vec<&'a Figures>,
    after: Vec<&'a Figures>,
    /// Other runs, by group.
    history: Vec<Vec<&'a Figures>>,
}

impl Cell<'_> {
    /// Other runs that say how much equal ones differ.
    fn history_runs(&self) -> usize {
        self.history.iter().map(Vec::len).sum()
    }

    fn scores(&self, side: &[&Figures]) -> Vec<f64> {
        side.iter().filter_map(|one| one.values.score(self.metric)).collect()
    }

    /// Mean failure rate after less that before; 0 where it is unknown.
    fn failed_more(&self) -> f64 {
        let rate = |side: &[&Figures]| {
            let rates: Vec<f64> = side.iter().filter_map(|one| one.values.get(Metric::FailureRate)).collect();
            weak::mean(&rates)
        };
        rate(&self.after).zip(rate(&self.before)).map_or(0.0, |(after, before)| after - before)
    }
}

/// Compares two sides.
///
/// A row is *equivalent* when its 95 % interval lies within the margin (two one-sided tests at 2.5 % each), else *better*
/// or *worse* when its probability is at most 5 % after Holm's correction for all rows with a direction, else
/// *inconclusive*. Where failure rates differ by more than [`FAILURES_APART`], a time or a throughput is not called better of
/// the side that fails more. O(rows · (n + m)⁴) for n and m runs up to 50 in all.
///
/// Source of the correction: S. Holm, *A simple sequentially rejective multiple test procedure*, Scand. J. Statist. 1979.
pub fn compare(question: &Question<'_>) -> Comparison {
    let (names, left_out) = names(question);
    let in_both = |name: &&String| has(question.before, name) && has(question.after, name);
    let only = |here: &[Measured], there: &[Measured]| -> Vec<String> {
        names.iter().filter(|name| has(here, name) && !has(there, name)).cloned().collect()
    };
    let shared: Vec<&String> = names.iter().filter(in_both).collect();
    // Where one request is all that there is, the total says the same.
    let is_alone = names.len() == 1 && question.only.is_empty() && !shared.is_empty();
    let has_total = !is_alone && (question.only.is_empty() || question.only.iter().any(|name| name == TOTAL));
    // A request of that name has the row to itself.
    let total = has_total.then_some(TOTAL).filter(|total| shared.iter().all(|name| name != total));
    let listed = total.into_iter().chain(shared.iter().map(|name| name.as_str()));
    let is_usual = question.metrics == Metric::OF_RUNS || question.metrics == Metric::OF_LOGS;
    let (cells, kept): (Vec<Cell<'_>>, Vec<Cell<'_>>) = listed
        .flat_map(|name| question.metrics.iter().map(move |metric| (name, *metric)))
        .filter_map(|(name, metric)| cell(question, name, metric))
        .partition(|cell| !(is_usual && is_kept_rate(question, cell)));
    let family = cells.iter().filter(|cell| cell.metric.better() != Better::Neither).count();
    let stretch = weak::stretch(question.before.iter().chain(question.after));
    let mut rows: Vec<Row> = cells.iter().map(|cell| row(cell, family, stretch)).collect();
    correct(&mut rows);
    let mut unlike: Vec<String> = Vec::new();
    for (row, cell) in rows.iter_mut().zip(&cells) {
        let more = cell.failed_more();
        row.said = deserved(conclude(row, question), row.metric, more);
        if more.abs() > FAILURES_APART && unlike.last() != Some(&row.request) {
            unlike.push(row.request.clone());
        }
    }
    let mut silent = kept.len();
    if is_usual {
        let all = rows.len();
        rows.retain(|row| row.metric.better() != Better::Neither || row.said == Conclusion::Changed);
        silent += all - rows.len();
    }
    let needed = |runs: &usize| rank::least_probability(*runs, *runs) * family.max(1) as f64 <= ERROR_MAX;
    Comparison {
        runs: (question.before.len(), question.after.len()),
        rows,
        family,
        margin: question.margin,
        failure_margin: question.failure_margin,
        runs_needed: (2..).find(needed).unwrap_or(usize::MAX),
        history: cells.iter().map(Cell::history_runs).max().unwrap_or(0),
        only_before: only(question.before, question.after),
        only_after: only(question.after, question.before),
        left_out,
        silent,
        unlike,
    }
}

/// Whether a row is the throughput of runs by schedule that did the same on both sides: the schedule says so, and no run can
/// do better.
fn is_kept_rate(question: &Question<'_>, cell: &Cell<'_>) -> bool {
    let all_paced = question.before.iter().chain(question.after).all(|run| run.is_paced);
    if cell.metric != Metric::Throughput || !all_paced {
        return false;
    }
    let (before, after) = (weak::mean(&cell.scores(&cell.before)), weak::mean(&cell.scores(&cell.after)));
    before.zip(after).is_some_and(|(before, after)| (after - before).abs() <= PACED_APART)
}

fn has(side: &[Measured], name: &str) -> bool {
    side.iter().any(|run| run.requests.contains_key(name))
}

/// Names of requests, those with most exchanges first, and how many were left out.
fn names(question: &Question<'_>) -> (Vec<String>, usize) {
    let mut counts: BTreeMap<&String, u64> = BTreeMap::new();
    for run in question.before.iter().chain(question.after) {
        for (name, figures) in &run.requests {
            *counts.entry(name).or_default() += figures.count;
        }
    }
    if !question.only.is_empty() {
        counts.retain(|name, _| question.only.contains(name));
    }
    let mut names: Vec<(&String, u64)> = counts.into_iter().collect();
    names.sort_by_key(|(name, count)| (u64::MAX - count, *name));
    let left_out = names.len().saturating_sub(REQUESTS_MAX);
    let kept = names.into_iter().take(REQUESTS_MAX).map(|(name, _)| name.clone());
    (kept.collect(), left_out)
}

fn figures<'a>(run: &'a Measured, name: &str) -> Option<&'a Figures> {
    if name == TOTAL && !run.requests.contains_key(TOTAL) { Some(&run.total) } else { run.requests.get(name) }
}

/// The figures of a row; `None` when one side knows none.
fn cell<'a>(question: &Question<'a>, request: &'a str, metric: Metric) -> Option<Cell<'a>> {
    let known = |side: &'a [Measured]| -> Vec<&'a Figures> {
        let all = side.iter().filter_map(|run| figures(run, request));
        all.filter(|figures| figures.values.get(metric).is_some()).collect()
    };
    let (before, after) = (known(question.before), known(question.after));
    let is_known = !before.is_empty() && !after.is_empty();
    is_known.then(|| Cell {
        request,
        metric,
        before,
        after,
        history: question
            .history
            .iter()
            .map(|group| known(group))
            .filter(|group| {
                let scores: Vec<f64> = group.iter().filter_map(|one| one.values.score(metric)).collect();
                scores.len() >= HISTORY_MIN && is_steady(&scores)
            })
            .collect(),
    })
}

/// Its change; nothing is said of it yet.
fn row(cell: &Cell<'_>, family: usize, stretch: f64) -> Row {
    let metric = cell.metric;
    let (n, m) = (cell.before.len(), cell.after.len());
    let is_weak = rank::least_probability(n, m) * family.max(1) as f64 > ERROR_MAX;
    let (x, y) = (cell.scores(&cell.before), cell.scores(&cell.after));
    let has_all = x.len() == n && y.len() == m;
    let shift = has_all.then(|| match metric.scale() {
        _ if !is_weak => rank::shift(&x, &y, 1.0 - ERROR_MAX),
        Scale::Difference => shares::shift(metric, &cell.before, &cell.after, &cell.history, stretch),
        Scale::Ratio => {
            let history: Vec<Vec<f64>> = cell.history.iter().map(|group| cell.scores(group)).collect();
            weak::shift(metric, (&cell.before, &x), (&cell.after, &y), &history, stretch)
        }
    });
    let shift = shift.flatten();
    let (before, after) = ends(cell, (&x, &y), shift, is_weak);
    let finite = |shift: Shift| shift.low.is_finite() && shift.high.is_finite();
    Row {
        request: cell.request.to_owned(),
        metric,
        before,
        after,
        change: shift.map(|shift| metric.shown(shift.estimate)),
        interval: shift.filter(|shift| finite(*shift)).map(|shift| (metric.shown(shift.low), metric.shown(shift.high))),
        p: shift.map_or(1.0, |shift| shift.p),
        p_adjusted: 1.0,
        is_weak,
        said: Conclusion::Inconclusive,
    }
}

/// The two figures that the change lies between, so that nobody sees them fall and reads that they rose.
fn ends(cell: &Cell<'_>, (x, y): (&[f64], &[f64]), shift: Option<Shift>, is_weak: bool) -> (f64, f64) {
    let metric = cell.metric;
    let Some(shift) = shift else {
        let middle = |side: &[&Figures]| median(side.iter().filter_map(|one| one.values.get(metric))).unwrap_or(0.0);
        return (middle(&cell.before), middle(&cell.after));
    };
    let from = if is_weak {
        weak::mean(x)
    } else {
        median(x.iter().copied().chain(y.iter().map(|score| score - shift.estimate)))
    };
    let from = match metric.scale() {
        Scale::Ratio => from.unwrap_or(0.0),
        // Both are shares.
        Scale::Difference => from.unwrap_or(0.0).max(-shift.estimate).max(0.0).min(1.0 - shift.estimate.max(0.0)),
    };
    (metric.shown(from), metric.shown(from + shift.estimate))
}

/// Holm's correction over all rows with a direction; the others, which decide nothing, keep their own probability.
fn correct(rows: &mut [Row]) {
    let (mut family, others): (Vec<&mut Row>, Vec<&mut Row>) =
        rows.iter_mut().partition(|row| row.metric.better() != Better::Neither);
    others.into_iter().for_each(|row| row.p_adjusted = row.p);
    family.sort_by(|a, b| a.p.total_cmp(&b.p));
    let count = family.len();
    let mut largest = 0.0_f64;
    for (place, row) in family.into_iter().enumerate() {
        largest = largest.max((row.p * (count - place) as f64).min(1.0));
        row.p_adjusted = largest;
    }
}

fn conclude(row: &Row, question: &Question<'_>) -> Conclusion {
    let (low, high) = match row.metric.scale() {
        Scale::Ratio => (1.0 / (1.0 + question.margin), 1.0 + question.margin),
        Scale::Difference => (-question.failure_margin, question.failure_margin),
    };
    if row.interval.is_some_and(|interval| low <= interval.0 && interval.1 <= high) {
        return Conclusion::Equivalent;
    }
    let Some(change) = row.change.filter(|_| row.p_adjusted <= ERROR_MAX) else {
        return Conclusion::Inconclusive;
    };
    let neutral = row.metric.shown(0.0);
    match row.metric.better() {
        Better::Neither => Conclusion::Changed,
        Better::Less if change < neutral => Conclusion::Better,
        Better::More if change > neutral => Conclusion::Better,
        Better::Less | Better::More => Conclusion::Worse,
    }
}

/// What may be said of a row where so much more failed after than before: replies that fail say nothing good.
fn deserved(said: Conclusion, metric: Metric, failed_more: f64) -> Conclusion {
    let is_of_replies = metric != Metric::FailureRate;
    match said {
        Conclusion::Better if is_of_replies && failed_more > FAILURES_APART => Conclusion::Inconclusive,
        Conclusion::Worse if is_of_replies && failed_more < -FAILURES_APART => Conclusion::Inconclusive,
        said => said,
    }
}

#[cfg(test)]
mod tests;
