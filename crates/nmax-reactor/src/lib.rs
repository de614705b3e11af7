//! One thread's tasks and what they wait for: a scheduler and a reactor over one `epoll`.
//!
//! A worker does nothing but wake, read, write and sleep, some hundred thousand times a second. Here a readiness costs a flag, a
//! wake-up a place in a queue and a poll one indirect call: nothing is shared between threads but the list of what
//! others woke. Futures are those of everyone: whatever does not need tokio's reactor or timer runs here, and all of tokio
//! does where a [`Reactor`] runs [within](Reactor::within) its runtime.
//!
//! # Layout
//! - [`tasks`]: which task is polled next, and who may wake it
//! - [`source`]: files that tell when they are ready
//! - [`socket`]: TCP connections, on this reactor or on tokio's

mod socket;
mod source;
mod tasks;

pub use socket::Socket;
pub use source::Source;
pub use tasks::{Reactor, can_spawn, spawn};
