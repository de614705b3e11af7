//! The engine in simulated time against models and closed forms, then over real sockets. Nothing gates on wall time.

#![allow(clippy::unwrap_used)]

mod allocations;
mod background;
mod bodies;
mod choices;
mod closed;
mod ends;
mod exchange_events;
mod fences;
mod fixtures;
mod flow;
mod hostile;
mod injectors;
mod memory;
mod metrics;
mod pages;
mod places;
mod protocol;
mod records;
mod redirects;
mod requests;
mod rows;
mod schedule;
mod scripts;
mod setups;
mod shares;
mod sockets;
mod stalls;
mod steered;
mod traces;
mod transcripts;

use std::sync::Arc;

use nmax_metrics::Nanos;
use nmax_plan::plan::Plan;

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

const fn s(secs: u64) -> Nanos {
    Nanos::from_secs(secs)
}

/// The plan with this changed in it.
fn changed(plan: &Plan, change: impl FnOnce(&mut Plan)) -> Arc<Plan> {
    let mut plan = plan.clone();
    change(&mut plan);
    Arc::new(plan)
}
