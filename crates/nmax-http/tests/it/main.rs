//! The client against small hand-written servers on real sockets.

#![allow(clippy::unwrap_used, missing_docs)]

mod allocations;
mod client_certificates;
mod failures;
mod held;
mod hyper_agrees;
mod lines;
mod names;
mod phases;
mod plain;
mod proxy;
mod server;
mod siblings;
mod sources;
mod tls;
mod traps;
mod uploads;
mod wire;
