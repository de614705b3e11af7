//! What both sides came to.

use std::collections::BTreeMap;

use nmax_analysis::Latency;
use nmax_analysis::breakdown::{Side, SideRow, Sides as Result};
use nmax_metrics::Histogram;

use super::{Log, Pair, Server, Sides};

/// Most types of requests that are told.
const TYPES_MAX: usize = 50;
/// Share of the client's exchanges that a log must have for silence about the rest.
const MISSING_MAX: f64 = 0.02;

/// Figures of both sides; `None` when no log said anything of requests.
pub(super) fn result(sides: Sides) -> Option<Result> {
    let client: u64 = sides.pairs.values().map(|pair| pair.all.0).sum();
    // The log of the server that the run talks to has about as many requests as the run; one of a server behind it may
    // have any number.
    let (front, log) = sides
        .logs
        .iter()
        .min_by_key(|(_, log)| (log.own == 0, log.own.abs_diff(client)))?;
    let (front, log) = (*front, log.clone());
    let mut by_type: BTreeMap<u32, BTreeMap<u16, Both>> = BTreeMap::new();
    for ((kind, status), pair) in &sides.pairs {
        let statuses = by_type.entry(sides.templates.find(*kind)).or_default();
        statuses.entry(*status).or_default().add(pair, front);
    }
    let offset_s = offset_s(by_type.values(), &log);
    let mut all = Both::default();
    let mut types: Vec<(String, Both, BTreeMap<u16, Both>)> = Vec::new();
    for (kind, statuses) in by_type {
        let mut sum = Both::default();
        statuses.values().for_each(|both| sum.merge(both));
        all.merge(&sum);
        if sum.count() > 0 {
            types.push((sides.templates.name(kind), sum, statuses));
        }
    }
    types.sort_by(|a, b| b.1.count().cmp(&a.1.count()).then_with(|| a.0.cmp(&b.0)));
    let mut rows = vec![all.row(String::new(), None)];
    let names = sides.tap.names();
    let name = names.get(usize::from(front)).cloned().unwrap_or_default();
    let notes = notes(&sides, (&name, &log), &all, types.len());
    for (name, sum, statuses) in types.into_iter().take(TYPES_MAX) {
        rows.push(sum.row(name.clone(), None));
        if statuses.len() > 1 {
            let known = statuses
                .iter()
                .filter(|(status, both)| **status > 0 && both.count() > 0);
            rows.extend(known.map(|(status, both)| both.row(name.clone(), Some(*status))));
        }
    }
    Some(Result {
        logs: vec![name],
        rows,
        points: sides.bins.points(front, sides.last),
        others: log.others,
        offset_s,
        notes,
    })
}

/// Requests of a kind on both sides.
#[derive(Clone, Debug, Default)]
struct Both {
    client: Histogram,
    client_all: (u64, i128, i128),
    server: Server,
}

impl Both {
    fn add(&mut self, pair: &Pair, log: u16) {
        let server = pair.servers.get(&log).cloned().unwrap_or_default();
        self.merge(&Self {
            client: pair.client.clone(),
            client_all: pair.all,
            server,
        });
    }

    fn merge(&mut self, other: &Self) {
        self.client.merge(&other.client);
        let (mine, theirs) = (self.client_all, other.client_all);
        self.client_all = (mine.0 + theirs.0, mine.1 + theirs.1, mine.2 + theirs.2);
        self.server.merge(&other.server);
    }

    /// In the phase, of the side that has more.
    fn count(&self) -> u64 {
        self.client.count().max(self.server.count)
    }

    fn row(&self, name: String, status: Option<u16>) -> SideRow {
        let ms = |times: &Histogram| times.mean_ns().map(|ns| ns / 1e6);
        let (client, server, upstream) = (ms(&self.client), ms(&self.server.time), ms(&self.server.upstream));
        let less = |whole: Option<f64>, part: Option<f64>| Some(whole? - part?);
        SideRow {
            name,
            status,
            client: Side {
                count: self.client.count(),
                time: latency(&self.client),
            },
            server: Side {
                count: self.server.count,
                time: latency(&self.server.time),
            },
            upstream_ms: upstream,
            outside_ms: less(client, server),
            front_ms: less(server, upstream),
        }
    }
}

impl Server {
    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.time.merge(&other.time);
        self.upstream.merge(&other.upstream);
        self.all = (self.all.0 + other.all.0, self.all.1 + other.all.1);
        self.are_arrivals |= other.are_arrivals;
    }
}

fn latency(times: &Histogram) -> Option<Latency> {
    let ms = |q: f64| times.quantile_ns(q).map(|ns| ns as f64 / 1e6);
    Some(Latency {
        mean_ms: times.mean_ns()? / 1e6,
        p50_ms: ms(0.5)?,
        p95_ms: ms(0.95)?,
        p99_ms: ms(0.99)?,
    })
}

/// How far the log's clock is ahead, and by how much that may be wrong, s.
///
/// Where both sides have the same requests, the mean of the log's stamps less that of the client's instants is the offset
/// of the clocks plus the mean way to the server, whichever stamp belongs to which request. The way lies within the time
/// that the client waited besides the server's.
fn offset_s<'a>(types: impl Iterator<Item = &'a BTreeMap<u16, Both>>, log: &Log) -> Option<(f64, f64)> {
    let same = types
        .flat_map(BTreeMap::values)
        .filter(|both| both.client_all.0 > 0 && both.client_all.0 == both.server.all.0);
    let (mut count, mut apart_us, mut outside_us) = (0_u64, 0_i128, 0.0);
    for both in same {
        let (number, sent, done) = both.client_all;
        let client = if both.server.are_arrivals { sent } else { done };
        count += number;
        apart_us += both.server.all.1 - client;
        let outside_ms = both.row(String::new(), None).outside_ms.unwrap_or(0.0);
        outside_us += outside_ms.max(0.0) * 1e3 * number as f64;
    }
    if count == 0 {
        return None;
    }
    let number = count as f64;
    // Stamps are rounded down, and lie anywhere in their unit: the error of their mean shrinks with their number.
    let rounding_us = f64::from(log.resolution_us) / 12_f64.sqrt() / number.sqrt() * 2.0;
    let error_us = outside_us / number + rounding_us.max(1.0);
    Some((apart_us as f64 / number / 1e6, error_us / 1e6))
}

fn notes(sides: &Sides, (name, log): (&str, &Log), all: &Both, types: usize) -> Vec<String> {
    let mut notes = Vec::new();
    if !log.has_durations {
        notes.push(format!(
            "no times are read from the log {name}: let the server write them, such as `$request_time` of nginx or `%D` of \
             Apache; where it does, name the `format` of its lines"
        ));
    }
    let (client, server) = (all.client_all.0, all.server.all.0);
    if (client as f64 - server as f64).abs() > MISSING_MAX * client as f64 {
        notes.push(format!(
            "the log {name} has {server} requests of the run, the run sent {client}: times of the two are not of the same requests"
        ));
    }
    if !log.has_agents && log.others > 0 {
        notes.push(format!(
            "the log {name} has no user agents, so what others ask for among the run's own targets counts as the run's"
        ));
    }
    if let Some(ahead_us) = log.ahead_us.filter(|ahead_us| *ahead_us != 0) {
        let ahead_s = ahead_us as f64 / 1e6;
        notes.push(format!(
            "the clock of the log {name} is {ahead_s:+.0} s apart from this host's; its stamps are corrected by that"
        ));
    }
    let (told, logged) = sides.left_out;
    if told + logged > 0 {
        notes.push(format!(
            "{told} exchanges and {logged} lines came too fast, or are of too many kinds, to be told: they are in neither side"
        ));
    }
    if types > TYPES_MAX {
        notes.push(format!(
            "{} types of requests with the fewest requests are left out",
            types - TYPES_MAX
        ));
    }
    notes
}
