//! The client's side of a run beside what a followed access log says of the same requests.
//!
//! The run tells every exchange ([`ExchangeEvents`]), the log every request ([`Batch`]); both are summed up by method, path
//! template and status. They are not paired one by one: a log has no number of the exchange. The log's requests count when
//! the user agent is the run's, or, where the log has none, when the run asked for the same method and target.
//!
//! # Layout
//! - this file: what comes from both sides; [`SideSums`] adds it up
//! - `kinds`: what requests are called
//! - `json`: the same in the directory of the run

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};

use nmax_analysis::breakdown::SideSums;
use nmax_engine::measure::exchange_events::ExchangeEvents;
use nmax_metrics::logged::{Entry, Sender};
use nmax_metrics::{Catalog, NameId, Nanos, Resource};
use nmax_observe::log::{Batch, Tap};
use nmax_plan::plan::{ObservedAddress, Plan};
use nmax_secrets::Redactor;
use nmax_sources::kinds::{APPLICATION, KIND, LOG};

mod json;
mod kinds;

pub use json::{stored, write};
use kinds::Kinds;

/// Targets of the run that are remembered.
const ASKED_MAX: usize = 1_000_000;
/// Batches of the log that wait for the client's windows.
const WAITING_MAX: usize = 1_000;

/// Whether the run's exchanges must be told: it follows a log that may be an access log.
pub fn are_wanted(plan: &Plan) -> bool {
    let mut logs = plan.observe.iter().filter_map(|observed| observed.source(&LOG));
    logs.any(|log| log.text(&KIND) != Some(APPLICATION))
}

/// Remembers where the followed logs end before the run: its first requests are sent before anybody follows. What a setup
/// asks for is no part of the run's traffic, so behind one logs are followed from where they are then.
pub fn mark(plan: &Plan, tap: &Tap) {
    let files = plan.observe.iter().filter_map(|observed| match &observed.source(&LOG)?.reach {
        ObservedAddress::At(file) => Some(file),
        ObservedAddress::Calls(_) => None,
    });
    files.filter(|_| plan.setup.is_none()).for_each(|file| tap.mark(file));
}

/// What the last lines of followed logs say that adds up, read while they are still followed: what came since their last
/// reading would be missing.
pub fn last_readings(plan: &Plan, tap: &Tap, now: Nanos) -> Vec<Resource> {
    let followed = nmax_analysis::breakdown::followed(plan);
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
    /// Takes secrets out of names that are found in paths.
    redactor: Redactor,
    kinds: Kinds,
    sums: SideSums,
    asked: HashSet<u64>,
    /// What was read of logs and may be of exchanges that the run has not told yet.
    waiting: VecDeque<Batch>,
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
            redactor: plan.redactor.clone(),
            kinds: Kinds::default(),
            sums: SideSums::new(plan, origin_us, hold),
            asked: HashSet::new(),
            waiting: VecDeque::new(),
        }
    }

    /// The run is judged by this hold from now on.
    pub(crate) fn steer(&mut self, hold: (Nanos, Nanos)) {
        self.sums.steer(hold);
    }

    /// Takes the request names of the run as they are now; before exchanges under new ones.
    pub fn learn(&mut self, plan: &Plan, catalog: &Catalog) {
        self.kinds.learn(plan, catalog);
    }

    /// Takes the exchanges of a window that ends at `end`, and what logs said until then.
    pub fn window(&mut self, told: &ExchangeEvents, end: Nanos) {
        self.sums.leave_out(told.left_out, 0);
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
        let kind = self.kinds.of_exchange(one.name, one.method, one.target);
        self.sums.exchange(kind, one.status, (one.sent, one.done));
    }

    /// Takes requests of logs.
    fn log(&mut self, batch: &Batch) {
        self.sums.leave_out(0, batch.left_out);
        for (entry, method, target) in batch.iter() {
            self.line(entry, method, target);
        }
    }

    fn line(&mut self, entry: &Entry, method: &[u8], target: &[u8]) {
        let is_own = match entry.agent {
            Sender::Run => true,
            Sender::Other => false,
            Sender::Unknown => self.asked.contains(&key(method, target)),
        };
        self.sums.line(entry, is_own, || self.kinds.of_line(method, target));
    }

    /// What both sides came to. `None` when no log said anything of requests.
    pub fn finish(mut self) -> Option<nmax_analysis::breakdown::Sides> {
        self.waiting.push_back(self.tap.drain());
        while let Some(batch) = self.waiting.pop_front() {
            self.log(&batch);
        }
        self.sums.finish(|kind| self.redactor.url(&self.kinds.name(kind)))
    }
}

fn key(method: &[u8], target: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    (method, target).hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
