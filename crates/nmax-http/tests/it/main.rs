//! The client against small hand-written servers on real sockets.

#![allow(clippy::unwrap_used, missing_docs)]

mod allocations;
mod failures;
mod held;
mod phases;
mod plain;
mod server;
mod tls;
mod traps;
mod uploads;
mod wire;
