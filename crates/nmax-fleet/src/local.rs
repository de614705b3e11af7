//! A fleet of one: what it agrees on with itself, and results that go nowhere.

use std::collections::{BTreeMap, VecDeque};

use nmax_metrics::Nanos;
use nmax_metrics::clock::Stamps;

use crate::batch::{BatchId, Item};
use crate::coordinator::{Coordinator, Key, Lease, ResultSink};
use crate::injector::FIRST_EPOCH;
use crate::records::{Command, Spec, encode};

/// What one injector agrees on with itself: everything is known at once, and its leases never end.
#[derive(Clone, Debug, Default)]
pub struct Local {
    records: BTreeMap<Key, Vec<u8>>,
    command: Option<Command>,
}

impl Local {
    /// That of this run.
    pub fn new(spec: &Spec) -> Self {
        Self { records: BTreeMap::from([(Key::Spec, encode(spec))]), command: None }
    }

    /// Asks something of the run; the strongest command counts.
    pub fn ask(&mut self, command: Command) {
        self.command = self.command.max(Some(command));
    }
}

impl Coordinator for Local {
    fn once(&mut self, key: Key, value: Option<&[u8]>) -> Option<Vec<u8>> {
        if let Some(value) = value {
            self.records.entry(key).or_insert_with(|| value.to_vec());
        }
        self.records.get(&key).cloned()
    }

    fn lease(&mut self, _: u32, _: Nanos) -> Option<Lease> {
        Some(Lease::Mine { epoch: FIRST_EPOCH, until: Nanos::MAX })
    }

    fn release(&mut self, _: u32) {}

    fn command(&mut self) -> Option<Command> {
        self.command
    }

    fn stamps(&mut self, now: Nanos) -> Vec<Stamps> {
        vec![Stamps { sent: now, arrived: now, answered: now, received: now }]
    }
}

/// Results that the caller of the injector takes, as they are.
#[derive(Debug)]
pub struct Direct<W>(VecDeque<(BatchId, Item<W>)>);

impl<W> Default for Direct<W> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<W> Direct<W> {
    /// The next result.
    pub fn take(&mut self) -> Option<(BatchId, Item<W>)> {
        self.0.pop_front()
    }
}

impl<W> ResultSink<W> for Direct<W> {
    fn append(&mut self, id: BatchId, item: Item<W>) -> Result<(), String> {
        self.0.push_back((id, item));
        Ok(())
    }

    /// What was handed over is where it should be.
    fn advance(&mut self, _: Nanos) -> usize {
        0
    }
}
