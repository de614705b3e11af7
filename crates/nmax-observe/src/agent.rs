//! `nmax agent`: the readings of another host, on the run's clock.
//!
//! An agent reads its host once a second by its own clock and keeps the readings of some minutes, so a network that is
//! slow or gone for a while loses none. A run asks for those that it does not have yet. Who connects to whom is a matter of
//! firewalls: the run to the agent, or the agent to the run; the questions are the same over either connection.
//!
//! # The protocol
//! `GET /v1/readings?since=N&instance=I&process=NAME` with `authorization: Bearer TOKEN` gives lines of JSON: a head with the
//! stamps of the exchange, then a line for each second. An agent that calls upgrades its connection with
//! `upgrade: nmax-agent`, and answers from then on.
//!
//! # Layout
//! - `wire`: the lines; [`token`]: who may ask
//! - `sampler`: reads the host; [`server`]: answers, or calls; `connection_limiter`: who is connected to it
//! - `link`: the run's connection; `client`: the source of a run; `clock_alignment`: which lines it takes, and when they were;
//!   `calendar`: when to say that the other calendar is off

mod calendar;
mod client;
mod clock_alignment;
mod connection_limiter;
mod link;
mod sampler;
pub mod server;
mod stamp;
pub mod token;
mod wire;

pub(crate) use client::source;
pub use server::{Agent, AgentOptions, Endpoint};

/// Where an agent is asked unless its URL says otherwise.
pub(crate) const PORT: u16 = 80;
/// Version of the protocol.
const PROTOCOL: u64 = 1;
/// What an agent that calls upgrades its connection to.
const UPGRADE: &str = "nmax-agent";
/// Header in which an agent that calls says its name.
const NAME_HEADER: &str = "nmax-agent-name";

#[cfg(test)]
mod tests;
