//! A fleet's rules on real NATS servers, which are killed, filled and lied to.
//!
//! # Layout
//! - [`server`]: nats-servers, alone and three together
//! - tests: [`connecting`], [`agreeing`], [`results`], [`workers`], [`faults`]

// Servers take a moment, and tests wait for what they do.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stderr)]

mod agreeing;
mod connecting;
mod faults;
mod results;
mod server;
mod workers;

use std::sync::Arc;
use std::time::Instant;

use nmax_fleet::batch::Content;
use nmax_fleet::{Batch, BatchId, Item};
use nmax_metrics::{Clock, Nanos};
use nmax_nats::{Access, Broker, SharedClock, Sizes, prepare};

use server::Nats;

/// A monotonic clock.
struct Real(Instant);

impl Clock for Real {
    fn now(&self) -> Nanos {
        self.0.elapsed().into()
    }
}

fn clock() -> SharedClock {
    Arc::new(Real(Instant::now()))
}

/// Streams for tests: small ones.
const SIZES: Sizes = Sizes { control_bytes: 8 << 20, results_bytes: 32 << 20, files_bytes: 8 << 20 };

/// A connection to a server on which all is made.
fn broker(server: &Nats) -> Broker {
    let broker = Broker::connect(&Access::to(&server.line.url()), clock()).unwrap();
    prepare(&broker, SIZES).unwrap();
    broker
}

fn id(shard: u32, sequence: u64) -> BatchId {
    BatchId { shard, epoch: 1, sequence }
}

/// A window that can be told from others.
fn batch(run: &str, id: BatchId) -> Batch {
    let frame = vec![id.sequence as u8; 4096];
    let window = Content { frame, notes: String::new() };
    Batch { run: run.into(), id, item: Item::Window { index: id.sequence, window } }
}
