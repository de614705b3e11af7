//! What servers and injectors feel during a run: hosts, agents, exporters, databases and logs, on the run's clock.
//!
//! Each source is read on a thread of its own, so one that hangs holds up nobody. A source that goes away is a gap with a
//! reason; the run goes on.
//!
//! # Layout
//! - [`open`]: from a plan's `observe` to sources
//! - [`source`]: what can be read, and why it could not be
//! - [`address`]: which addresses no source may connect to; [`remote_sources`]: which sources are beyond this host
//! - `fetch`: one page over HTTP, in bounded time and size
//! - `service_address`, `rates`: URLs as people write them; counters since the reading before
//! - [`host`]: this host; [`process`]: which processes a name means; [`connections`]: TCP of this process's own
//! - [`agent`]: readings of other hosts
//! - `prometheus`: pages of metrics
//! - `reach`, `tls`: conversations in bounded time and size; which servers are believed
//! - `numbers`: readings from names and numbers
//! - `services`: the constructor of each kind, and a module for each server that says figures of itself
//! - [`follow`]: files that others append to; [`log`](mod@log): what followed logs say
//! - [`watcher`]: reads sources until it is stopped; `odd`: figures that cannot be
//! - [`trial`]: one attempt at each source, before any load

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod address;
pub mod agent;
pub mod connections;
mod fetch;
pub mod follow;
pub mod host;
pub mod log;
mod numbers;
mod odd;
pub mod open;
pub mod process;
mod prometheus;
mod rates;
mod reach;
pub mod remote_sources;
mod service_address;
mod services;
pub mod source;
mod tls;
pub mod trial;
pub mod watcher;

#[cfg(test)]
mod fixture;

pub use fetch::Fetcher;
pub use open::open_all;
#[doc(hidden)]
pub use prometheus::readings_of_pages;
pub use source::{Reading, Source, Trouble};
pub use watcher::{Happening, Seen, Watched, Watcher};
