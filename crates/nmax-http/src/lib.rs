//! HTTP/1.1 client: sans-I/O codec, URLs, cookies, TLS, DNS and connections with phases.
//!
//! A [`Client`] belongs to one virtual user and does one [`Client::exchange`] at a time. What it
//! measures is an [`Exchange`]; a failed request is data and never an `Err`. Clients of one worker
//! thread share a [`Shared`]: settings, TLS roots, the DNS cache, the clock and one read buffer.
//!
//! In steady state an exchange costs one send, one receive, two clock readings and no allocation.
//! It follows no redirect and speaks no HTTP/2.
//!
//! # Layout
//!
//! - [`url`]: URLs, origins and relative references
//! - [`cookies`]: one visitor's cookies
//! - `message`: requests and replies, with the parts of their heads
//! - [`codec`]: replies from bytes, without I/O
//! - `coding`: content codings of replies, undone piece by piece
//! - `failure`: why there was no valid reply, in words
//! - `connection`: the way to a server
//! - `client`: one exchange after another
//! - [`line`]: where a visitor is: bandwidth, round trip and jitter
//! - `wire`: what goes over a connection, for a person who watches it

pub mod codec;
pub mod cookies;
pub mod line;
pub mod url;

mod client;
mod coding;
mod connection;
mod failure;
mod message;
mod wire;

pub use client::{Alarm, CONNECTIONS_PER_ORIGIN, Client, Exchange, Notes, Shared};
pub use coding::{Undone, undo};
pub use connection::dns::{Lack, WireName, name_servers, texts};
pub use connection::proxy::Proxy;
pub use connection::sockets::SocketBudget;
pub use connection::tls::{ClientProblem, ConfigError};
pub use connection::{Allow, ClientCertificate, Config, Family, HostOverride, NameRules, PhaseLimits};
pub use cookies::{Jar, parse_date};
pub use failure::Failure;
pub use message::{Field, Fields, HeadText, KeepBody, Piece, Reply, ReplyHead, Request, RequestHead, RequestText};
pub use url::{Origin, Scheme, Url, UrlError};
pub use wire::{WireEvent, WireLog};
