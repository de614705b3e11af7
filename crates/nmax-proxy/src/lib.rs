//! A proxy that records what a browser or any other client sends through it.
//!
//! It speaks HTTP/1.1 towards the client and HTTP/1.1 or HTTP/2 towards servers, decrypts the hosts that it was told to
//! record with a certificate authority made for one recording, and passes everything else through untouched.
//!
//! A [`Recorder`] has a thread of its own, so that whoever takes its [`Events`] may take its time: what waits is bounded
//! in number ([`EVENTS_MAX`]) and in bytes ([`WAITING_BYTES_MAX`]), and when it is too much, clients wait.
//!
//! # Layout
//!
//! - what is wanted: [`Settings`], [`Hosts`] (which hosts are recorded), `clock`
//! - trust: `authority` (the recording's own certificates), `trust` (whom it believes as a client)
//! - `recorder`: the thread, the listener, the end; `tally`: what passed by undecrypted, who did not trust us
//! - `client`: one connection of a client, plain or encrypted; `guests`: whom it leads where; `own`: pages of the recorder
//!   itself
//! - `exchange`: one request and its reply; `headers`, `upstream` (connections to servers), `problem` (why there is no
//!   reply), `body` (bytes on their way), `socket` and `frames` (WebSockets and other upgrades)
//! - `capture`: what is remembered of an exchange; [`Event`]: what becomes of it; `kind`: what the browser wanted it for;
//!   `stream`: events of a stream
//!
//! It keeps nothing, prints nothing and knows nothing of secrets: redaction is the caller's, before anything is stored.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clock;
mod hosts;
mod settings;

mod authority;
mod trust;

mod recorder;
mod tally;

mod client;
mod guests;
mod own;

mod body;
mod exchange;
mod frames;
mod headers;
mod problem;
mod socket;
mod upstream;

mod capture;
mod event;
mod kind;
mod stream;

pub use authority::Ca;
pub use capture::{EVENTS_MAX, WAITING_BYTES_MAX};
pub use event::{Event, Events};
pub use hosts::{HostError, Hosts};
pub use recorder::Recorder;
pub use settings::{BODY_BYTES_MAX, Settings, StartError};
pub use tally::{Passed, Summary, Untrusted};
