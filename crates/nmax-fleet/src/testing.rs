//! What tests of this crate share: a run, and batches of it.

use nmax_metrics::names::NamesSent;
use nmax_metrics::{Catalog, Frame, Nanos, Network, Outcome, Sample, Section, Window};

use crate::batch::{Batch, BatchId, Content, Item};
use crate::records::{PROTOCOL, Policy, Spec};

/// A run of so many shards, 4 s long in windows of 1 s.
pub(crate) fn spec(shards: usize, policy: Policy) -> Spec {
    Spec {
        protocol: PROTOCOL,
        version: "1".into(),
        run: "r".into(),
        plan: "ab".into(),
        bundle: None,
        shards: vec![None; shards],
        workers: None,
        policy,
        window_ns: 1_000_000_000,
        end_ns: 4_000_000_000,
        hard_stop_ns: 10_000_000_000,
        lead_ns: 1_000_000_000,
        skew_max_ns: 50_000_000,
        warrant: None,
    }
}

/// An injector that sends batches.
#[derive(Default)]
pub(crate) struct Sender {
    catalog: Catalog,
    sequence: u64,
}

impl Sender {
    /// The next batch: a window in which so many iterations were started, each with one exchange of this name.
    pub(crate) fn window(&mut self, shard: u32, epoch: u32, index: u64, started: u64, name: &str) -> Batch {
        let mut window = Window::new(index, Nanos::from_secs(1));
        window.aggregate.load_mut(Section::Hold).started = started;
        let name = self.catalog.requests.intern(name);
        for n in 1..=started {
            window.aggregate.record(Section::Hold, &sample(name, index, n));
        }
        // All names so far: a batch can be read alone.
        let names = self.catalog.new_names(&mut NamesSent::default());
        let frame = Frame { injector: shard, names, window }.encode();
        let item = Item::Window { index, window: Content { frame, notes: String::new() } };
        self.batch(shard, epoch, item)
    }

    /// The end of its part.
    pub(crate) fn end(&mut self, shard: u32, epoch: u32, end: crate::batch::End) -> Batch {
        self.batch(shard, epoch, Item::End(end))
    }

    fn batch(&mut self, shard: u32, epoch: u32, item: Item<Content>) -> Batch {
        let sequence = self.sequence;
        self.sequence += 1;
        Batch { run: "r".into(), id: BatchId { shard, epoch, sequence }, item }
    }
}

fn sample(name: nmax_metrics::NameId, window: u64, n: u64) -> Sample {
    let intended = Nanos::from_secs(window);
    Sample {
        name,
        scenario: 0,
        outcome: Outcome::Ok,
        status: None,
        intended,
        sent: Some(intended),
        first_byte: Some(intended),
        done: intended + Nanos::from_millis(n),
        network: Network::default(),
        send: Nanos::ZERO,
        slot_wait: Nanos::ZERO,
        bytes_received: 0,
        bytes_sent: 0,
        bytes_decoded: 0,
    }
}
