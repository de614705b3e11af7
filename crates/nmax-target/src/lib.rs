//! The calibrated target: a real HTTP and HTTPS server whose true behaviour is known.
//!
//! Load generators are judged against it. Each reply carries the service time that the
//! target itself measured (`nmax-service-time-ns`, `server-timing`), and `GET /_truth`
//! returns the totals, so that a measurement can be compared with the truth one by one
//! and as a whole.
//!
//! Service time follows a [`Service`]: a law (USL, distribution, queue) waited for with a
//! `timerfd`, or real work. [`Bottleneck`]s are real too: threads, locks, files, memory, calls. [`Stall`]s, error replies and connection resets are part of
//! the [`Options`]. Every random choice is a pure function of the seed and of the
//! request's number since the last reset.
//!
//! It does not know plans, virtual users or the load generator's HTTP code.
//!
//! # Layout
//!
//! - pure: [`random`](Random), `spec`, [`model`](Service), [`stall`](Stall), [`bottleneck`](Bottleneck), `queue`,
//!   `processor_sharing`
//! - shell: `clock`, `timers` (timerfd), `truth` (counters), `body`, `tls`
//! - bottlenecks: `station` (threads and pools that requests pass), `throttle` (the network), `metrics` (`GET /metrics`)
//! - requests: `shared_server` (those who share a law), `answer` (one request's life), `routes` (probe paths), `replies`, `shop`
//! - process: `options`, `server` (listeners, workers, shutdown)

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod random;
mod spec;

mod bottleneck;
mod illness;
mod model;
mod processor_sharing;
mod queue;
mod stall;

mod body;
mod clock;
mod timers;
mod tls;
mod truth;

mod answer;
mod metrics;
mod replies;
mod routes;
mod shared_server;
mod shop;
mod station;
mod throttle;

mod options;
mod server;

pub use bottleneck::{Bottleneck, Scarce};
pub use illness::{Drift, Leak};
pub use model::{Model, Rule, Service, Usl};
pub use options::{ErrorRate, Listen, Options, Scheme, Share};
pub use queue::Queue;
pub use random::Random;
pub use server::{Error, Running, Target, run, spawn};
pub use spec::{SpecError, parse_span};
pub use stall::Stall;
pub use tls::Certificates;
