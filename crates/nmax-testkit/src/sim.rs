//! The engine in a simulated world: one thread, a virtual clock that jumps to the next deadline, scripted servers.
//!
//! Nothing here reads a real clock or draws a random number, so that equal plans give equal transcripts.
//!
//! # Layout
//! - [`World`] and [`SimRuntime`]: clock, timers, tasks
//! - [`Call`], [`Answer`], [`Queue`], [`Freeze`]: what a server does
//! - [`SimDrivers`]: carries requests to it, with real replies
//! - [`simulate`]: a plan from its origin to its end

mod driver;
mod run;
mod server;
#[cfg(test)]
mod tests;
mod world;

pub use driver::{KeepRequests, Sent, SimDriver, SimDrivers};
pub use run::{Options, Simulated, simulate};
pub use server::{Answer, Call, Freeze, Queue, Server, instant, reply, reply_with};
pub use world::{SimRuntime, SimTimer, World};
