//! A fleet on NATS JetStream: where injectors agree, and where their results go.
//!
//! A connection has a thread of its own, on which everything waits; callers ask what is known now. Nothing here decides anything of
//! a run: `nmax-fleet` does, which is simulated with faults that this crate only has to bring about rarely. The server has to
//! sync each message to its disk (`sync_interval: always`); a client cannot make it.
//!
//! # Layout
//! - [`Access`]: where NATS is, as whom nmax connects, how the connection is protected; [`Broker`]: the connection
//! - `streams`: the streams of a fleet and their settings; `feed`: their messages from the first one on
//! - [`Agreement`]: records, leases, commands and clock of a run; `lease`: leases as messages that expire
//! - [`ResultPublisher`]: batches from the spool to the broker; [`Subscription`]: from there to a manager
//! - [`Worker`]: what injectors say of themselves; [`Offers`]: runs for them; [`Runs`]: how far these came; `files`: plans by their hash
//! - [`SpoolFolder`]: spools as files
//! - `troubles`: what fails at the moment, and what is refused
//! - [`check`]: whether a server can serve a fleet; `setup`: users and their permissions, certificate, configuration

mod access;
mod broker;
mod check;
mod coordinator;
mod disk;
mod error;
mod feed;
mod files;
mod lease;
mod publisher;
mod runs;
mod setup;
mod streams;
mod subscription;
mod troubles;
mod workers;

pub use access::{Access, Credentials, Protection, Servers, Tls};
pub use broker::{Broker, SharedClock};
pub use check::{Finding, Level, check};
pub use coordinator::{Agreement, order};
pub use disk::{LeftOver, SpoolFile, SpoolFolder};
pub use error::{NatsError, VERSION_MIN};
pub use feed::Reading;
pub use files::{get, hash, put};
pub use publisher::ResultPublisher;
pub use runs::{KnownRun, Runs};
pub use setup::{User, certificate, configuration, users};
pub use streams::{Sizes, look, prepare};
pub use subscription::{Arrival, Subscription};
pub use workers::{Announcement, Heard, Offer, Offers, Worker, Workers};
