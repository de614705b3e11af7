//! Sums over both sides of a run: its exchanges, and what followed logs say of the same requests.
//!
//! # Layout
//! - this file: what comes from both sides
//! - `bins`: both sides over time; `layers`: which of several logs are the server's side; `server`: which lines are of the
//!   phase; `result`: what both sides came to

use std::collections::BTreeMap;
use std::ops::Range;

use nmax_metrics::logged::{Entry, Sender};
use nmax_metrics::{Histogram, Nanos};
use nmax_plan::plan::Plan;

use super::Sides;
use bins::Bins;
use layers::Followed;
use server::{Line, PhasePosition, Server};

mod bins;
mod layers;
mod result;
mod server;

pub use layers::followed;

/// Kinds of requests, by type and status, that are told apart; each has a few distributions.
const PAIRS_MAX: usize = 2_000;
/// Lines near the ends of the phase that are kept aside.
const UNSURE_MAX: usize = 200_000;
/// Clocks that are apart by more than that are not those of one host, µs. A line may be read that long after its stamp.
const SAME_CLOCK_US: i64 = 10_000_000;

/// A kind of requests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Of the plan, by its place among them.
    Planned(u32),
    /// Of a template that was found in paths.
    Found(u32),
}

/// Sums of both sides, in bounded memory.
pub struct SideSums {
    origin_us: i64,
    hold: (Nanos, Nanos),
    /// The logs of the plan, by number.
    followed: Vec<Followed>,
    pairs: BTreeMap<(Kind, u16), Pair>,
    bins: Bins,
    logs: BTreeMap<u16, Log>,
    /// Lines that are kept aside.
    unsure: usize,
    /// Exchanges and requests that there was no room for.
    left_out: (u64, u64),
    last: Nanos,
}

/// Requests of a kind and status on both sides.
#[derive(Clone, Debug, Default)]
struct Pair {
    client: Histogram,
    /// Instants of all exchanges, those outside the phase included: how many, and the sums of sent and done, µs.
    all: (u64, i128, i128),
    /// Exchanges that were sent before the phase, and after it.
    outside: [u64; 2],
    servers: BTreeMap<u16, Server>,
}

/// One log as a whole.
#[derive(Clone, Debug, Default)]
struct Log {
    /// Requests that were not the run's.
    others: u64,
    /// Requests of the run.
    own: u64,
    /// How far its clock seems to be ahead, µs; 0 for that of this host.
    ahead_us: Option<i64>,
    resolution_us: u32,
    /// Whether its stamps are arrivals, and not the ends of exchanges.
    are_arrivals: bool,
    has_durations: bool,
    has_agents: bool,
}

impl SideSums {
    /// Nothing yet of a run of this plan that began at `origin_us`, µs since 1970, and is judged by its hold.
    pub fn new(plan: &Plan, origin_us: i64, hold: (Nanos, Nanos)) -> Self {
        Self {
            origin_us,
            hold,
            followed: followed(plan),
            pairs: BTreeMap::new(),
            bins: Bins::default(),
            logs: BTreeMap::new(),
            unsure: 0,
            left_out: (0, 0),
            last: Nanos::ZERO,
        }
    }

    /// The run is judged by this hold from now on; it agrees with that so far up to an instant ahead.
    pub fn steer(&mut self, hold: (Nanos, Nanos)) {
        self.hold = hold;
    }

    /// Exchanges and lines that nobody told.
    pub fn leave_out(&mut self, exchanges: u64, lines: u64) {
        self.left_out = (self.left_out.0 + exchanges, self.left_out.1 + lines);
    }

    /// An exchange of the run, `status` 0 where there was no reply; when it was sent and done.
    pub fn exchange(&mut self, kind: Option<Kind>, status: u16, (sent, done): (Nanos, Nanos)) {
        let time = done.since(sent);
        self.bins.client(done, time);
        self.last = self.last.max(done);
        let Some(kind) = kind else { return };
        let Some(pair) = pair(&mut self.pairs, kind, status) else {
            self.left_out.0 += 1;
            return;
        };
        let us = |instant: Nanos| i128::from(instant.0 / 1_000);
        pair.all = (pair.all.0 + 1, pair.all.1 + us(sent), pair.all.2 + us(done));
        if sent < self.hold.0 {
            pair.outside[0] += 1;
        } else if sent < self.hold.1 {
            pair.client.record(time.0);
        } else {
            pair.outside[1] += 1;
        }
    }

    /// A line of a log; `kind` is asked for those of the run.
    pub fn line(&mut self, entry: &Entry, is_own: bool, kind: impl FnOnce() -> Option<Kind>) {
        let phase_us = self.phase_us();
        let log = self.logs.entry(entry.log).or_default();
        log.has_agents |= entry.agent != Sender::Unknown;
        if !is_own {
            log.others += 1;
            return;
        }
        log.own += 1;
        log.resolution_us = log.resolution_us.max(entry.resolution_us);
        log.are_arrivals = entry.is_arrival;
        log.has_durations |= entry.duration_us.is_some();
        let (stamp_us, ended_us) = instants(entry, self.origin_us);
        let seen_us = (entry.seen.0 / 1_000) as i64;
        let ahead_us = *log.ahead_us.get_or_insert_with(|| match ended_us - seen_us {
            apart if apart.abs() <= SAME_CLOCK_US => 0,
            apart => apart,
        });
        let ended = nanos(ended_us.saturating_sub(ahead_us));
        self.bins.server(entry.log, ended, entry);
        let Some(kind) = kind() else {
            return;
        };
        let Some(pair) = pair(&mut self.pairs, kind, entry.status) else {
            self.left_out.1 += 1;
            return;
        };
        let server = pair.servers.entry(entry.log).or_default();
        server.all = (server.all.0 + 1, server.all.1 + i128::from(stamp_us));
        let at_us = stamp_us.saturating_sub(ahead_us);
        let is_within = phase_us.contains(&at_us);
        let line = Line { duration_us: entry.duration_us, upstream_us: entry.upstream_us, is_within };
        let place = match PhasePosition::classify(&phase_us, at_us, entry.resolution_us, ahead_us == 0) {
            PhasePosition::Unsure(end) if self.unsure >= UNSURE_MAX => match is_within {
                true => PhasePosition::Within,
                false => PhasePosition::Outside(end),
            },
            place => place,
        };
        self.unsure += usize::from(matches!(place, PhasePosition::Unsure(_)));
        server.add(place, line);
    }
    /// The phase that statistics are of, µs since the run's origin. Nothing is sent before the origin.
    fn phase_us(&self) -> Range<i64> {
        let us = |instant: Nanos| (instant.0 / 1_000) as i64;
        let from_us = if self.hold.0 == Nanos::ZERO { i64::MIN } else { us(self.hold.0) };
        from_us..us(self.hold.1)
    }

    /// What both sides came to, with the names of kinds. `None` when no log said anything of requests.
    pub fn finish(&self, name: impl Fn(Kind) -> String) -> Option<Sides> {
        result::result(self, name)
    }
}

/// The figures of a kind of requests; `None` when too many are told apart already.
fn pair(pairs: &mut BTreeMap<(Kind, u16), Pair>, kind: Kind, status: u16) -> Option<&mut Pair> {
    if pairs.len() >= PAIRS_MAX && !pairs.contains_key(&(kind, status)) {
        return None;
    }
    Some(pairs.entry((kind, status)).or_default())
}

/// Stamp of a request and end of its exchange, µs since the run's origin, by the log's clock. A stamp in whole seconds is
/// taken as the middle of its second.
fn instants(entry: &Entry, origin_us: i64) -> (i64, i64) {
    let stamp_us = entry.arrival_us.saturating_sub(origin_us);
    let stamp_us = stamp_us.saturating_add(i64::from(entry.resolution_us / 2));
    let duration_us = entry.duration_us.filter(|_| entry.is_arrival).unwrap_or(0);
    (stamp_us, stamp_us.saturating_add_unsigned(duration_us))
}

fn nanos(us: i64) -> Nanos {
    Nanos(u64::try_from(us).unwrap_or(0).saturating_mul(1_000))
}
