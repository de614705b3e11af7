//! The target over real sockets on the loopback. No test depends on how fast it runs.

#![allow(clippy::unwrap_used)]

mod bottlenecks;
mod client;
mod faults;
mod probes;
mod shop;
mod tls;
mod truth;

use nmax_target::{Options, Rule, Running, spawn};

/// A target with these services.
fn with_services(services: &[&str]) -> Running {
    let services = services.iter().map(|text| text.parse::<Rule>().unwrap()).collect();
    spawn(Options { services, ..Options::default() }).unwrap()
}
