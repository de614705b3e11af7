//! What both sides came to.

use std::collections::BTreeMap;

use nmax_metrics::Histogram;

use super::layers::{Layers, MISSING_MAX, layers};
use super::server::Server;
use super::{Kind, Log, Pair, SideSums};
use crate::Latency;
use crate::breakdown::{Side, SideRow, Sides};

/// Most kinds of requests that are told.
const KINDS_MAX: usize = 50;

/// Figures of both sides; `None` when no log said anything of requests.
pub(super) fn result(sides: &SideSums, name: impl Fn(Kind) -> String) -> Option<Sides> {
    let layers = layers(sides)?;
    // Whether anything was sent before the phase, and after it.
    let outside = [0, 1].map(|end| sides.pairs.values().any(|pair| pair.outside[end] > 0));
    let mut by_name: BTreeMap<String, BTreeMap<u16, Both>> = BTreeMap::new();
    for ((kind, status), pair) in &sides.pairs {
        let statuses = by_name.entry(name(*kind)).or_default();
        statuses.entry(*status).or_default().add(pair, &layers, outside);
    }
    let offset_s = clock(sides, &layers.front).and_then(|clock| offset_s(by_name.values(), &clock));
    let mut all = Both::default();
    let mut kinds: Vec<(String, Both, BTreeMap<u16, Both>)> = Vec::new();
    for (name, statuses) in by_name {
        let mut sum = Both::default();
        statuses.values().for_each(|both| sum.merge(both));
        all.merge(&sum);
        if sum.count() > 0 {
            kinds.push((name, sum, statuses));
        }
    }
    kinds.sort_by(|a, b| b.1.count().cmp(&a.1.count()).then_with(|| a.0.cmp(&b.0)));
    let mut rows = vec![all.row(String::new(), None)];
    let notes = notes(sides, &layers, &all, kinds.len());
    let others = layers.front.iter().filter_map(|number| sides.logs.get(number));
    let others = others.map(|log| log.others).sum();
    for (name, sum, statuses) in kinds.into_iter().take(KINDS_MAX) {
        rows.push(sum.row(name.clone(), None));
        if statuses.len() > 1 {
            let known = statuses.iter().filter(|(status, both)| **status > 0 && both.count() > 0);
            rows.extend(known.map(|(status, both)| both.row(name.clone(), Some(*status))));
        }
    }
    Some(Sides {
        logs: names(sides, &layers.front),
        behind: names(sides, &layers.behind),
        rows,
        points: sides.bins.points(&layers, sides.last),
        others,
        offset_s,
        notes,
    })
}

/// What results call these logs.
fn names(sides: &SideSums, numbers: &[u16]) -> Vec<String> {
    let name = |number: &u16| {
        let followed = sides.followed.get(usize::from(*number));
        followed.map_or_else(String::new, |followed| followed.name.clone())
    };
    numbers.iter().map(name).collect()
}

/// Requests of a kind on both sides.
#[derive(Clone, Debug, Default)]
struct Both {
    client: Histogram,
    client_all: (u64, i128, i128),
    server: Server,
    /// The servers behind it, where their own logs tell.
    behind: Server,
}

impl Both {
    fn add(&mut self, pair: &Pair, layers: &Layers, has_others: [bool; 2]) {
        let of_logs = |logs: &[u16]| {
            let mut all = Server::default();
            let servers = logs.iter().filter_map(|log| pair.servers.get(log));
            servers.for_each(|server| all.merge(server));
            all.assign_unsure(pair.all.0, pair.outside, has_others);
            all
        };
        self.merge(&Self {
            client: pair.client.clone(),
            client_all: pair.all,
            server: of_logs(&layers.front),
            behind: of_logs(&layers.behind),
        });
    }

    fn merge(&mut self, other: &Self) {
        self.client.merge(&other.client);
        let (mine, theirs) = (self.client_all, other.client_all);
        self.client_all = (mine.0 + theirs.0, mine.1 + theirs.1, mine.2 + theirs.2);
        self.server.merge(&other.server);
        self.behind.merge(&other.behind);
    }

    /// In the phase, of the side that has more.
    fn count(&self) -> u64 {
        self.client.count().max(self.server.count)
    }

    fn row(&self, name: String, status: Option<u16>) -> SideRow {
        let ms = |times: &Histogram| times.mean_ns().map(|ns| ns / 1e6);
        let (client, server) = (ms(&self.client), ms(&self.server.time));
        // Times of other requests would be no part of the server's.
        let is_same = are_same(self.server.count, self.behind.count);
        let behind = ms(&self.behind.time).filter(|_| is_same);
        let upstream = ms(&self.server.upstream).or(behind);
        let less = |whole: Option<f64>, part: Option<f64>| Some(whole? - part?);
        SideRow {
            name,
            status,
            client: Side { count: self.client.count(), time: latency(&self.client) },
            server: Side { count: self.server.count, time: latency(&self.server.time) },
            upstream_ms: upstream,
            outside_ms: less(client, server),
            front_ms: less(server, upstream),
        }
    }
}

/// Whether two numbers of requests may be those of the same ones.
pub(super) fn are_same(a: u64, b: u64) -> bool {
    a.abs_diff(b) as f64 <= MISSING_MAX * a as f64
}

fn latency(times: &Histogram) -> Option<Latency> {
    let ms = |q: f64| times.quantile_ns(q).map(|ns| ns as f64 / 1e6);
    Some(Latency { mean_ms: times.mean_ns()? / 1e6, p50_ms: ms(0.5)?, p95_ms: ms(0.95)?, p99_ms: ms(0.99)? })
}

/// The clock of logs.
struct Clock {
    /// Resolution of its stamps, µs.
    resolution_us: u32,
    /// Whether these are arrivals, and not the ends of exchanges.
    are_arrivals: bool,
}

/// The clock that all of these logs have; `None` when they may have several.
fn clock(sides: &SideSums, numbers: &[u16]) -> Option<Clock> {
    let own: Vec<(u16, &Log)> = numbers.iter().filter_map(|number| Some((*number, sides.logs.get(number)?))).collect();
    let kind = |(number, log): &(u16, &Log)| {
        let host = sides.followed.get(usize::from(*number)).map(|followed| &followed.host);
        (host, log.ahead_us, log.are_arrivals)
    };
    let first = own.first()?;
    let is_one = own.iter().all(|other| kind(other) == kind(first));
    is_one.then(|| Clock {
        resolution_us: own.iter().map(|(_, log)| log.resolution_us).max().unwrap_or(0),
        are_arrivals: first.1.are_arrivals,
    })
}

/// How far the clock of the log is ahead, and by how much that may be wrong, s.
///
/// Where both sides have the same requests, the mean of the log's stamps less that of the client's instants is the offset
/// of the clocks plus the mean way to the server, whichever stamp belongs to which request. The way lies within the time
/// that the client waited besides the server's.
fn offset_s<'a>(kinds: impl Iterator<Item = &'a BTreeMap<u16, Both>>, clock: &Clock) -> Option<(f64, f64)> {
    let same =
        kinds.flat_map(BTreeMap::values).filter(|both| both.client_all.0 > 0 && both.client_all.0 == both.server.all.0);
    let (mut count, mut apart_us, mut outside_us) = (0_u64, 0_i128, 0.0);
    for both in same {
        let (number, sent, done) = both.client_all;
        let client = if clock.are_arrivals { sent } else { done };
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
    let rounding_us = f64::from(clock.resolution_us) / 12_f64.sqrt() / number.sqrt() * 2.0;
    let error_us = outside_us / number + rounding_us.max(1.0);
    Some((apart_us as f64 / number / 1e6, error_us / 1e6))
}

fn notes(sides: &SideSums, layers: &Layers, all: &Both, kinds: usize) -> Vec<String> {
    let mut notes = Vec::new();
    let front = layers.front.as_slice();
    let those = |is_meant: &dyn Fn(&Log) -> bool| -> Vec<u16> {
        let is_meant = |number: &u16| sides.logs.get(number).is_some_and(is_meant);
        front.iter().copied().filter(is_meant).collect()
    };
    let untimed = those(&|log| log.own > 0 && !log.has_durations);
    if !untimed.is_empty() {
        notes.push(format!(
            "no times are read from {}: let the server write them, such as `$request_time` of nginx or `%D` of Apache; where \
             it does, name the `format` of its lines",
            called(sides, &untimed)
        ));
    }
    let (client, server) = (all.client_all.0, all.server.all.0);
    if !are_same(client, server) {
        notes.push(missing(sides, layers, (client, server)));
    } else if !are_same(all.client.count(), all.server.count) {
        let verb = if front.len() == 1 { "has" } else { "have" };
        notes.push(format!(
            "by its stamps {} {verb} {} requests in the phase, the run sent {}: times of the two are not of the same requests",
            called(sides, front),
            all.server.count,
            all.client.count()
        ));
    }
    let unsigned = those(&|log| !log.has_agents && log.others > 0);
    if !unsigned.is_empty() {
        let verb = if unsigned.len() == 1 { "has" } else { "have" };
        notes.push(format!(
            "{} {verb} no user agents, so what others ask for among the run's own targets counts as the run's",
            called(sides, &unsigned)
        ));
    }
    for number in front {
        let ahead_us = sides.logs.get(number).and_then(|log| log.ahead_us).unwrap_or(0);
        if ahead_us != 0 {
            let ahead_s = ahead_us as f64 / 1e6;
            notes.push(format!(
                "the clock of {} is {ahead_s:+.0} s apart from this host's; its stamps are corrected by that",
                called(sides, &[*number])
            ));
        }
    }
    let (told, logged) = sides.left_out;
    if told + logged > 0 {
        notes.push(format!(
            "{told} exchanges and {logged} log lines were skipped (limit of rate or of kinds) and are in neither column"
        ));
    }
    if kinds > KINDS_MAX {
        notes.push(format!("{} kinds of requests with the fewest requests are left out", kinds - KINDS_MAX));
    }
    notes
}

/// The two sides have different numbers of requests.
fn missing(sides: &SideSums, layers: &Layers, (client, server): (u64, u64)) -> String {
    let verb = if layers.front.len() == 1 { "has" } else { "have" };
    let is_left =
        |(number, log): (&u16, &Log)| log.own > 0 && !layers.front.contains(number) && !layers.behind.contains(number);
    let remedy = if sides.logs.iter().any(is_left) {
        "; logs of servers side by side are added together where the plan gives them the same `layer`"
    } else {
        ""
    };
    format!(
        "{} {verb} {server} requests of the run, the run sent {client}: times of the two are not of the same requests{remedy}",
        called(sides, &layers.front)
    )
}

/// `the log a`, `the logs a, b`.
fn called(sides: &SideSums, numbers: &[u16]) -> String {
    let plural = if numbers.len() == 1 { "" } else { "s" };
    format!("the log{plural} {}", names(sides, numbers).join(", "))
}
