//! What the back end did for each request: ten reads for one page, or one.
//!
//! ```text
//! operations per request = operations per second / exchanges per second,  both over the phase
//! ```
//!
//! Where the mix of requests varies enough over time, the share of each request name follows from
//!
//! ```text
//! y(t) = Σ_k b_k·x_k(t),   b_k ≥ 0
//! ```
//!
//! - y(t): operations in stretch t; x_k(t): exchanges of request name k that ended in it; the names beyond those that are
//!   estimated are one together
//! - b_k: operations per exchange of k, by non-negative least squares
//!
//! The estimate is only told when even and odd stretches agree on it: a mix that hardly varies, or a back end that works
//! for others too, fails that.

use std::collections::BTreeMap;

use nmax_metrics::{Aggregate, NameId, Nanos, Section, Track, TrackKey};
use nmax_plan::plan::Plan;
use nmax_sources::figures;
use nmax_sources::kinds::{LAYER, LOG};

use super::stretches::{LineSubject, Stretches};
use crate::Evidence;

/// Fewest stretches for each request name of an estimate.
const STRETCHES_PER_NAME: usize = 5;
/// Most request names of an estimate.
const NAMES_MAX: usize = 10;
/// Share of the exchanges from which on a request name is estimated by itself; the others are one.
const SHARE_MIN: f64 = 0.01;
/// How far estimates of even and odd stretches may be apart, of the mean operations per request.
const APART_MAX: f64 = 0.25;
/// Least share of a request name's exchanges over time that those of the others do not foretell.
const OWN_MIN: f64 = 0.01;
/// Rounds of the solver; it converges long before.
const ROUNDS_MAX: usize = 2_000;

/// What a back end did for each request.
#[derive(Clone, Debug, PartialEq)]
pub struct Operations {
    /// Host whose operations they are; all of them where logs of a layer are on several.
    pub host: String,
    /// What they are: `postgres rows`, `log api.log`; of logs that the plan puts into one layer, that layer: `log api`.
    pub what: String,
    /// Operations per second, mean over the phase.
    pub per_s: f64,
    /// Operations per exchange of the run.
    pub per_request: f64,
    /// Operations per exchange by request name, largest first; empty where the mix does not tell.
    pub by_request: Vec<(String, f64)>,
}

/// Every kind of operation that was observed.
pub(super) fn operations(evidence: &Evidence, counted: &Aggregate, stretches: &Stretches) -> Vec<Operations> {
    let span = if evidence.hold_s() > 0.0 { evidence.hold } else { (Nanos::ZERO, evidence.end) };
    let length_s = span.1.since(span.0).as_secs_f64();
    let ended = counted.total(Section::Hold).ended_within;
    if length_s <= 0.0 || ended == 0 {
        return Vec::new();
    }
    let throughput_per_s = ended as f64 / length_s;
    let counters = counters(evidence).into_iter();
    let told = counters.filter_map(|counter| {
        let per_s = counter.mean(span)?;
        Some(Operations {
            per_s,
            per_request: per_s / throughput_per_s,
            by_request: by_request(evidence, counted, stretches, (&counter, span)).unwrap_or_default(),
            host: counter.hosts.join(", "),
            what: counter.what,
        })
    });
    told.collect()
}

/// What counts operations: one figure, or those of the logs of a layer.
struct Counter<'a> {
    hosts: Vec<&'a str>,
    what: String,
    /// It is a layer: a log without one may be called the same.
    is_layer: bool,
    tracks: Vec<&'a Track>,
}

impl Counter<'_> {
    /// Operations per second, mean over a span; `None` when one of its figures was not read of it.
    fn mean(&self, span: (Nanos, Nanos)) -> Option<f64> {
        self.tracks.iter().map(|track| track.since(span).mean()).sum()
    }

    /// Width of the widest bin, s.
    fn width_s(&self) -> f64 {
        let widths = self.tracks.iter().map(|track| track.width.as_secs_f64());
        widths.fold(0.0, f64::max)
    }
}

/// Everything that was observed and counts operations, in the order of the readings.
fn counters<'a>(evidence: &Evidence<'a>) -> Vec<Counter<'a>> {
    let mut found: Vec<Counter> = Vec::new();
    for (figure, track) in evidence.readings.iter() {
        let (what, is_layer) = match (figure.source.split_once(' '), figures::named(&figure.metric)) {
            (Some(("operations", what)), Some(figures::OPERATIONS_PER_S)) => (what.to_owned(), false),
            (Some(("log", name)), Some(figures::REQUESTS_PER_S)) => match layer_of(evidence.plan, figure, name) {
                Some(layer) => (format!("log {layer}"), true),
                None => (figure.source.clone(), false),
            },
            _ => continue,
        };
        let is_part = |counter: &&mut Counter| is_layer && counter.is_layer && counter.what == what;
        let known = found.iter_mut().find(is_part);
        match known {
            Some(counter) => {
                counter.tracks.push(track);
                if !counter.hosts.contains(&figure.host.as_str()) {
                    counter.hosts.push(&figure.host);
                }
            }
            None => found.push(Counter { hosts: vec![&figure.host], what, is_layer, tracks: vec![track] }),
        }
    }
    found
}

/// The layer that the plan puts a followed log into.
fn layer_of<'a>(plan: &'a Plan, figure: &TrackKey, name: &str) -> Option<&'a str> {
    let mut logs = plan.observe.iter().filter_map(|observed| observed.source(&LOG));
    logs.find(|log| log.name == name && log.host == figure.host)?.text(&LAYER)
}

/// Operations per exchange of each request name; `None` where the mix does not tell.
fn by_request(
    evidence: &Evidence,
    counted: &Aggregate,
    stretches: &Stretches,
    (counter, span): (&Counter, (Nanos, Nanos)),
) -> Option<Vec<(String, f64)>> {
    let total = counted.total(Section::Hold).count() as f64;
    let mut ids: Vec<(NameId, u64)> = counted
        .requests(Section::Hold)
        .map(|(id, stats)| (id, stats.count()))
        .filter(|(_, count)| *count as f64 >= SHARE_MIN * total)
        .collect();
    ids.sort_unstable_by_key(|(id, count)| (u64::MAX - count, *id));
    ids.truncate(NAMES_MAX);
    if ids.len() < 2 {
        return None;
    }
    let mut columns: Vec<Vec<NameId>> = ids.iter().map(|(id, _)| vec![*id]).collect();
    let own: u64 = ids.iter().map(|(_, count)| count).sum();
    if total - own as f64 >= SHARE_MIN * total {
        // What the others ask for must not be put down to these.
        let names = counted.requests(Section::Hold).map(|(id, _)| id);
        columns.push(names.filter(|id| ids.iter().all(|(known, _)| known != id)).collect());
    }
    // A stretch is at least as long as a bin of readings.
    let width_s = stretches.width_s().max(counter.width_s());
    let rows = table(&columns, stretches, (counter, span), width_s);
    if rows.len() < STRETCHES_PER_NAME * columns.len() || own_share(&rows) < OWN_MIN {
        return None;
    }
    let (even, odd): (Vec<_>, Vec<_>) = rows.iter().enumerate().partition(|(index, _)| index % 2 == 0);
    let half =
        |rows: Vec<(usize, &(Vec<f64>, f64))>| non_negative(&rows.into_iter().map(|(_, row)| row).collect::<Vec<_>>());
    let (a, b) = (half(even), half(odd));
    let all = non_negative(&rows.iter().collect::<Vec<_>>());
    let mean = rows.iter().map(|(_, y)| y).sum::<f64>() / rows.iter().flat_map(|(x, _)| x).sum::<f64>().max(1.0);
    let agree = |at: usize| (a[at] - b[at]).abs() <= APART_MAX * all[at].max(mean);
    if !(0..ids.len()).all(agree) {
        return None;
    }
    let named = ids.iter().zip(&all);
    let mut named: Vec<(String, f64)> =
        named.map(|((id, _), per_exchange)| (evidence.catalog.requests.name(*id).to_owned(), *per_exchange)).collect();
    named.sort_by(|(_, a), (_, b)| b.total_cmp(a));
    Some(named)
}

/// Exchanges of each column's names, and operations, in each stretch that lies in the span and has a reading.
fn table(
    columns: &[Vec<NameId>],
    stretches: &Stretches,
    (counter, span): (&Counter, (Nanos, Nanos)),
    width_s: f64,
) -> Vec<(Vec<f64>, f64)> {
    let mut by_stretch: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for (column, ids) in columns.iter().enumerate() {
        for (start_s, sums) in ids.iter().flat_map(|id| stretches.line(LineSubject::Name(*id))) {
            let counts =
                by_stretch.entry((start_s / width_s + 1e-9) as u64).or_insert_with(|| vec![0.0; columns.len()]);
            counts[column] += sums.count as f64;
        }
    }
    let row = |(at, counts): (u64, Vec<f64>)| {
        let start = Nanos((at as f64 * width_s * 1e9).round() as u64);
        let end = Nanos(((at + 1) as f64 * width_s * 1e9).round() as u64);
        if start < span.0 || end > span.1 {
            return None;
        }
        Some((counts, counter.mean((start, end))? * width_s))
    };
    by_stretch.into_iter().filter_map(row).collect()
}

/// The least share of a column that is its own: 1 − R² of its regression, without a constant, on the columns before it.
///
/// These are the pivots of the matrix of cosines between the columns; 0: one is a multiple of others, and no b is better
/// than another.
fn own_share(rows: &[(Vec<f64>, f64)]) -> f64 {
    let columns = rows.first().map_or(0, |(x, _)| x.len());
    let product = |i: usize, j: usize| rows.iter().map(|(x, _)| x[i] * x[j]).sum::<f64>();
    let norms: Vec<f64> = (0..columns).map(|i| product(i, i).sqrt()).collect();
    if norms.contains(&0.0) {
        return 0.0;
    }
    let mut cosines: Vec<Vec<f64>> =
        (0..columns).map(|i| (0..columns).map(|j| product(i, j) / norms[i] / norms[j]).collect()).collect();
    let mut least = f64::INFINITY;
    for i in 0..columns {
        let pivot = cosines[i][i];
        least = least.min(pivot);
        if pivot <= 0.0 {
            break;
        }
        let row = cosines[i].clone();
        for below in cosines.iter_mut().skip(i + 1) {
            let factor = below[i] / pivot;
            below.iter_mut().zip(&row).for_each(|(value, above)| *value -= factor * above);
        }
    }
    least
}

/// The b ≥ 0 that minimizes Σ (y − Σ b·x)², by coordinate descent on the normal equations.
///
/// Each step solves for one coefficient and cuts it at 0; the function is convex, so that ends at the minimum.
/// Source: V. Franc, V. Hlaváč, M. Navara, *Sequential coordinate-wise algorithm for the non-negative least squares
/// problem* (2005). Law: `the_solution_meets_its_conditions`.
pub(super) fn non_negative(rows: &[&(Vec<f64>, f64)]) -> Vec<f64> {
    let columns = rows.first().map_or(0, |(x, _)| x.len());
    let mut gram = vec![vec![0.0; columns]; columns];
    let mut right = vec![0.0; columns];
    for (x, y) in rows {
        for i in 0..columns {
            right[i] += x[i] * y;
            for j in 0..columns {
                gram[i][j] += x[i] * x[j];
            }
        }
    }
    let mut b = vec![0.0; columns];
    for _ in 0..ROUNDS_MAX {
        let mut moved: f64 = 0.0;
        for i in 0..columns {
            if gram[i][i] <= 0.0 {
                continue;
            }
            let others: f64 = (0..columns).filter(|j| *j != i).map(|j| gram[i][j] * b[j]).sum();
            let next = ((right[i] - others) / gram[i][i]).max(0.0);
            moved = moved.max((next - b[i]).abs());
            b[i] = next;
        }
        let largest = b.iter().copied().fold(0.0, f64::max);
        if moved <= 1e-12 * largest.max(1e-300) {
            break;
        }
    }
    b
}
