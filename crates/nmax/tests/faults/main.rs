//! Real faults of a fleet: processes in network namespaces, three servers of NATS, and a target that logs each request.
//!
//! Each test is a world of its own (`world`): the test program starts itself again in new namespaces of processes, mounts and
//! networks, and all that it started ends with it. There `fleet` has machines with links that can be cut. `law` compares the
//! report with the target's log: each iteration has its number in its URL, so what was loaded twice is seen by name.
//!
//! `NMAX_FAULTS` names a file to which each test appends what it counted, as a line of JSON.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests watch real processes in real time")]
#![allow(clippy::print_stderr, reason = "a test that skips itself says so")]

#[path = "../it/bench.rs"]
#[allow(dead_code, reason = "the tests of the command as a whole need more of it")]
mod bench;
mod fleet;
mod law;
mod world;

mod brokers;
mod injectors;
mod regions;
