//! The client's side of a run beside what a followed access log says of the same requests.
//!
//! The run tells every exchange ([`Tellings`]), the log every request ([`Batch`]); both are summed up by method, path
//! template and status. They are not paired one by one: a log has no number of the exchange. The log's requests count when
//! the user agent is the run's, or, where the log has none, when the run asked for the same method and target.
//!
//! # Layout
//! - this file: what comes from both sides, and where it is summed up
//! - `kinds`: what requests are called; `bins`: both sides over time
//! - `layers`: which of several logs are the server's side; `server`: which lines are of the phase
//! - `result`: what both sides came to
//! - `json`: the same in the directory of the run

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use nmax_engine::measure::told::Tellings;
use nmax_metrics::{Catalog, Histogram, NameId, Nanos, Resource};
use nmax_observe::log::{Agent, Batch, Entry, Tap};
use nmax_plan::plan::{Plan, Reach};
use nmax_secrets::Redactor;
use nmax_sources::kinds::{APPLICATION, KIND, LOG};

mod bins;
mod json;
mod kinds;
mod layers;
mod result;
mod server;

use bins::Bins;
pub use json::{stored, write};
use kinds::{Kind, Kinds};
use layers::Followed;
use server::{Line, Place, Server};

/// Targets of the run that are remembered.
const ASKED_MAX: usize = 1_000_000;
/// Kinds of requests, by type and status, that are told apart; each has a few distributions.
const PAIRS_MAX: usize = 2_000;
/// Batches of the log that wait for the client's windows.
const WAITING_MAX: usize = 1_000;
/// Lines near the ends of the phase that are kept aside.
const UNSURE_MAX: usize = 200_000;
/// Clocks that are apart by more than that are not those of one host, µs. A line may be read that long after its stamp.
const SAME_CLOCK_US: i64 = 10_000_000;

/// Whether the run's exchanges must be told: it follows a log that may be an access log.
pub fn are_wanted(plan: &Plan) -> bool {
    let mut logs = plan.observe.iter().filter_map(|observed| observed.source(&LOG));
    logs.any(|log| log.text(&KIND) != Some(APPLICATION))
}

/// Remembers where the followed logs end before the run: its first requests are sent before anybody follows. What a setup
/// asks for is no part of the run's traffic, so behind one logs are followed from where they are then.
pub fn mark(plan: &Plan, tap: &Tap) {
    let files = plan.observe.iter().filter_map(|observed| match &observed.source(&LOG)?.reach {
        Reach::At(file) => Some(file),
        Reach::Calls(_) => None,
    });
    files.filter(|_| plan.setup.is_none()).for_each(|file| tap.mark(file));
}

/// What the last lines of followed logs say that adds up, read while they are still followed: what came since their last
/// reading would be missing.
pub fn last_readings(plan: &Plan, tap: &Tap, now: Nanos) -> Vec<Resource> {
    let followed = layers::followed(plan);
    let last = tap.catch_up(now).into_iter();
    let of_log = last.filter_map(|(number, readings)| Some((followed.get(usize::from(number))?, readings)));
    of_log.flat_map(|(log, readings)| readings.into_iter().map(|reading| reading.resource(now, &log.host))).collect()
}

/// The user agent that all requests of a plan have; `None` when they differ, or scripts send some.
pub fn agent(plan: &Plan) -> Option<String> {
    const OWN: &str = concat!("nmax/", env!("CARGO_PKG_VERSION"));
    let given = |headers: &[(String, nmax_plan::template::Template)]| {
        let found = headers.iter().rev().find(|(name, _)| name.eq_ignore_ascii_case("user-agent"));
        found.map(|(_, value)| value.as_constant().map(str::to_owned))
    };
    let usual = given(&plan.defaults.headers).unwrap_or_else(|| Some(OWN.to_owned()));
    let requests = plan.scenarios.iter().flat_map(|scenario| scenario.calls());
    let requests = requests.filter_map(|call| call.http());
    let mut agents: Vec<Option<String>> =
        requests.map(|request| given(&request.headers).unwrap_or_else(|| usual.clone())).collect();
    agents.sort();
    agents.dedup();
    match agents.as_slice() {
        [one] if plan.scenarios.iter().all(|scenario| scenario.is_declared()) => one.clone(),
        _ => None,
    }
}

/// Sums up both sides.
pub struct Sides {
    tap: Tap,
    origin_us: i64,
    hold: (Nanos, Nanos),
    /// Takes secrets out of names that are found in paths.
    redactor: Redactor,
    /// The logs of the plan, by number.
    followed: Vec<Followed>,
    kinds: Kinds,
    pairs: BTreeMap<(Kind, u16), Pair>,
    bins: Bins,
    logs: BTreeMap<u16, Log>,
    asked: HashSet<u64>,
    /// What was read of logs and may be of exchanges that the run has not told yet.
    waiting: VecDeque<Batch>,
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

/// An exchange of the run.
#[derive(Clone, Copy, Debug)]
struct Exchange<'a> {
    name: NameId,
    method: &'a [u8],
    target: &'a [u8],
    /// 0: there was no reply.
    status: u16,
    sent: Nanos,
    done: Nanos,
}

impl Sides {
    /// Nothing yet of a run of this plan that began at `origin_us`, µs since 1970, and is judged by its hold.
    pub fn new(tap: Tap, plan: &Plan, origin_us: i64, hold: (Nanos, Nanos)) -> Self {
        Self {
            tap,
            origin_us,
            hold,
            redactor: plan.redactor.clone(),
            followed: layers::followed(plan),
            kinds: Kinds::default(),
            pairs: BTreeMap::new(),
            bins: Bins::default(),
            logs: BTreeMap::new(),
            asked: HashSet::new(),
            waiting: VecDeque::new(),
            unsure: 0,
            left_out: (0, 0),
            last: Nanos::ZERO,
        }
    }

    /// Takes the request names of the run as they are now; before exchanges under new ones.
    pub fn learn(&mut self, plan: &Plan, catalog: &Catalog) {
        self.kinds.learn(plan, catalog);
    }

    /// Takes the exchanges of a window that ends at `end`, and what logs said until then.
    pub fn window(&mut self, told: &Tellings, end: Nanos) {
        self.left_out.0 += told.left_out;
        for (one, method, target) in told.iter() {
            self.exchange(&Exchange {
                name: one.name,
                method,
                target,
                status: one.status.unwrap_or(0),
                sent: one.sent,
                done: one.done,
            });
        }
        self.waiting.push_back(self.tap.drain());
        if self.waiting.len() > WAITING_MAX
            && let Some(oldest) = self.waiting.pop_front()
        {
            self.log(&oldest);
        }
        while let Some(batch) = self.waiting.pop_front() {
            if batch.iter().any(|(entry, ..)| entry.seen > end) {
                self.waiting.push_front(batch);
                break;
            }
            self.log(&batch);
        }
    }

    fn exchange(&mut self, one: &Exchange<'_>) {
        if self.asked.len() < ASKED_MAX {
            self.asked.insert(key(one.method, one.target));
        }
        let time = one.done.since(one.sent);
        self.bins.client(one.done, time);
        self.last = self.last.max(one.done);
        let Some(kind) = self.kinds.of_exchange(one.name, one.method, one.target) else {
            return;
        };
        let Some(pair) = pair(&mut self.pairs, kind, one.status) else {
            self.left_out.0 += 1;
            return;
        };
        let us = |instant: Nanos| i128::from(instant.0 / 1_000);
        pair.all = (pair.all.0 + 1, pair.all.1 + us(one.sent), pair.all.2 + us(one.done));
        if one.sent < self.hold.0 {
            pair.outside[0] += 1;
        } else if one.sent < self.hold.1 {
            pair.client.record(time.0);
        } else {
            pair.outside[1] += 1;
        }
    }

    /// Takes requests of logs.
    fn log(&mut self, batch: &Batch) {
        self.left_out.1 += batch.left_out;
        for (entry, method, target) in batch.iter() {
            self.line(entry, method, target);
        }
    }

    fn line(&mut self, entry: &Entry, method: &[u8], target: &[u8]) {
        let phase_us = self.phase_us();
        let log = self.logs.entry(entry.log).or_default();
        let is_own = match entry.agent {
            Agent::Run => true,
            Agent::Other => false,
            Agent::Unknown => self.asked.contains(&key(method, target)),
        };
        log.has_agents |= entry.agent != Agent::Unknown;
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
        let Some(kind) = self.kinds.of_line(method, target) else {
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
        let place = match Place::of(&phase_us, at_us, entry.resolution_us, ahead_us == 0) {
            Place::Unsure(end) if self.unsure >= UNSURE_MAX => match is_within {
                true => Place::Within,
                false => Place::Outside(end),
            },
            place => place,
        };
        self.unsure += usize::from(matches!(place, Place::Unsure(_)));
        server.add(place, line);
    }

    /// The phase that statistics are of, µs since the run's origin. Nothing is sent before the origin.
    fn phase_us(&self) -> Range<i64> {
        let us = |instant: Nanos| (instant.0 / 1_000) as i64;
        let from_us = if self.hold.0 == Nanos::ZERO { i64::MIN } else { us(self.hold.0) };
        from_us..us(self.hold.1)
    }

    /// What both sides came to. `None` when no log said anything of requests.
    pub fn finish(mut self) -> Option<nmax_analysis::breakdown::Sides> {
        self.waiting.push_back(self.tap.drain());
        while let Some(batch) = self.waiting.pop_front() {
            self.log(&batch);
        }
        result::result(self)
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

fn key(method: &[u8], target: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (method, target).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
