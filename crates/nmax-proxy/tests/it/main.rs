//! The recorder with real sockets on the loopback: what clients get, and what is recorded of it.
//!
//! - harness: `bench` (a recorder, servers with scripts, clients of bytes)
//! - tests: `plain`, `tls`, `sockets`, `trouble`, `crowd`

#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod bench;
mod crowd;
mod plain;
mod sockets;
mod tls;
mod trouble;
