//! What a manager makes of the broker's batches, and what is compared of it.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use nmax_fleet::records::{Grant, Spec, Start, decode};
use nmax_fleet::results::Refused;
use nmax_fleet::{Arrivals, Batch, Key, Results, Taken};
use nmax_metrics::merger::Merged;
use nmax_metrics::names::{IdMap, NamesSent};
use nmax_metrics::{Aggregate, Catalog, Nanos, Section};

use super::broker::Broker;

/// Everything that came, folded.
#[derive(Debug)]
pub struct Folded {
    /// The fold.
    pub results: Results,
    /// All windows.
    pub whole: Aggregate,
    /// Iterations started, by shard and window.
    pub started: BTreeMap<(u32, u64), u64>,
    /// Bytes that are no batch.
    pub unreadable: u64,
    early: Vec<(Batch, Option<Nanos>)>,
    /// When they came.
    pub arrivals: Arrivals,
}

impl Folded {
    /// Nothing yet of a run that began at this instant of the broker's calendar.
    pub fn new(spec: &Spec, origin: u64) -> Self {
        Self {
            results: Results::new(spec, Catalog::default()),
            whole: Aggregate::default(),
            started: BTreeMap::new(),
            unreadable: 0,
            early: Vec::new(),
            arrivals: Arrivals::new(origin),
        }
    }

    /// Takes bytes that arrived at this instant of the run.
    pub fn take(&mut self, bytes: &[u8], arrived: Option<Nanos>) {
        match Batch::decode(bytes) {
            Ok(batch) => self.batch(batch, arrived),
            Err(_) => self.unreadable += 1,
        }
    }

    fn batch(&mut self, batch: Batch, arrived: Option<Nanos>) {
        match self.results.take(batch.clone(), arrived) {
            Ok(taken) => self.add(taken),
            Err(Refused::Early) => self.early.push((batch, arrived)),
            Err(_) => {}
        }
    }

    /// A shard was granted again.
    pub fn granted(&mut self, shard: u32, epoch: u32, grant: &Grant) {
        let taken = self.results.granted(shard, epoch, grant);
        self.add(taken);
        self.retry();
    }

    /// Takes again what came too early.
    pub fn retry(&mut self) {
        for (batch, arrived) in std::mem::take(&mut self.early) {
            self.batch(batch, arrived);
        }
    }

    /// Shows windows below this number.
    pub fn release(&mut self, below: u64) {
        let taken = self.results.release(below);
        self.add(taken);
    }

    /// Nothing more comes.
    pub fn close(&mut self) {
        self.retry();
        let taken = self.results.close();
        self.add(taken);
    }

    /// Adds what became of batches.
    pub fn add(&mut self, taken: Taken) {
        for Merged { window, parts } in taken.merged.into_iter().chain(taken.late) {
            self.whole.merge(&window.aggregate);
            for (shard, part) in parts {
                *self.started.entry((shard, window.index)).or_default() += started(&part.aggregate);
            }
        }
    }

    /// The sum under names in alphabetical order: what does not depend on who named what first.
    pub fn canonical(&self) -> Aggregate {
        canonical(&self.whole, self.results.catalog())
    }
}

/// Iterations started.
pub fn started(aggregate: &Aggregate) -> u64 {
    Section::ALL.iter().map(|section| aggregate.load(*section).started).sum()
}

/// An aggregate under names in alphabetical order.
pub fn canonical(whole: &Aggregate, of: &Catalog) -> Aggregate {
    let names: BTreeSet<&String> = of.requests.list().iter().collect();
    let mut sorted = Catalog::default();
    for name in names {
        sorted.requests.intern(name);
    }
    let mut ids = IdMap::default();
    sorted.adopt(&mut ids, &of.new_names(&mut NamesSent::default())).expect("both have the same names");
    let mut whole = whole.clone().remap(&ids).expect("each name has an id");
    for section in Section::ALL {
        let ids: Vec<_> = whole.requests(section).map(|(id, _)| id).collect();
        ids.into_iter().for_each(|id| whole.request_mut(section, id).status.sort_unstable());
    }
    whole
}

/// The grants that stand at the broker.
pub fn grants(broker: &Broker) -> Vec<(u32, u32, Grant)> {
    let all = broker.records().filter_map(|(key, value)| match key {
        Key::Grant(shard, epoch) => Some((shard, epoch, decode(&key.to_string(), value).ok()?)),
        _ => None,
    });
    all.collect()
}

/// How the run began, as it stands at the broker.
pub fn start(broker: &Broker) -> Option<Start> {
    decode("start", broker.record(Key::Start)?).ok()
}

/// Batches with the instants at which they came.
pub fn arrivals(origin: u64, broker: &Broker) -> Vec<(Rc<[u8]>, Option<Nanos>)> {
    let mut arrivals = Arrivals::new(origin);
    broker.batches(0).map(|(stamp, bytes)| (bytes, arrivals.at(stamp))).collect()
}
