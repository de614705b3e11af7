//! How requests travel: connections, visitors, cookies, codings, names, certificates and limits of time.

use core::net::{IpAddr, SocketAddr};
use std::time::Duration;

use super::Trace;
use crate::template::Template;

/// What holds for every request unless a step says otherwise.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// When connections are closed.
    pub connection: Connection,
    /// Whether a VU keeps what it learned between iterations.
    pub visitor: Visitor,
    /// What becomes of cookies.
    pub cookies: Cookies,
    /// HTTP version that requests state.
    pub version: Version,
    /// From intended send to last byte; the exchange then ends with a `timeout` error.
    pub timeout: Duration,
    /// Limits of single phases, within `timeout`.
    pub phase_timeouts: PhaseTimeouts,
    /// Most redirects that a step follows; 0 = none.
    pub redirects_max: u32,
    /// Content codings that requests accept, in order of preference; replies in them are decoded.
    pub compression: Vec<Coding>,
    /// Headers of every request, in order.
    pub headers: Vec<(String, Template)>,
    /// Largest reply body.
    pub body_limit_bytes: u64,
    /// PEM files with additional issuers.
    pub ca_files: Vec<String>,
    /// Accept any certificate.
    pub insecure: bool,
    /// Certificate that clients show when a server asks for one.
    pub client_certificate: Option<ClientCertificate>,
    /// How names are resolved.
    pub dns: Dns,
    /// Local addresses that connections leave from, in turn; empty = the system's choice.
    pub source_addresses: Vec<IpAddr>,
    /// URL of a proxy through which all requests go.
    pub proxy: Option<String>,
    /// The trace that requests carry; `None` = none.
    pub trace: Option<Trace>,
}

/// Longest timeout of an exchange unless the plan says otherwise.
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);
/// Largest reply body unless the plan says otherwise.
pub const BODY_LIMIT_DEFAULT: u64 = 64 << 20;
/// Most redirects that a step follows when it follows any, as browsers' and other tools' limits are at least that.
pub const REDIRECTS_DEFAULT: u32 = 10;
/// Most redirects that a plan may ask for.
pub const REDIRECTS_MAX: u32 = 50;

impl Default for Defaults {
    /// What holds when the plan says nothing.
    fn default() -> Self {
        Self {
            connection: Connection::KeepAlive,
            visitor: Visitor::Returning,
            cookies: Cookies::PerIteration,
            version: Version::Http11,
            timeout: TIMEOUT_DEFAULT,
            phase_timeouts: PhaseTimeouts::default(),
            redirects_max: 0,
            compression: Vec::new(),
            headers: Vec::new(),
            body_limit_bytes: BODY_LIMIT_DEFAULT,
            ca_files: Vec::new(),
            insecure: false,
            client_certificate: None,
            dns: Dns::default(),
            source_addresses: Vec::new(),
            proxy: None,
            trace: None,
        }
    }
}

/// Limits of the phases of an exchange; `None` = only the limit of the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseTimeouts {
    /// Name resolution.
    pub dns: Option<Duration>,
    /// TCP connect, all addresses tried together.
    pub connect: Option<Duration>,
    /// TLS handshake.
    pub tls: Option<Duration>,
    /// From the first byte of the request to its last.
    pub send: Option<Duration>,
    /// From the last byte of the request to the first of the reply.
    pub wait: Option<Duration>,
    /// From the first byte of the reply to its last.
    pub receive: Option<Duration>,
}

/// What becomes of a VU's cookies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cookies {
    /// Kept within an iteration.
    PerIteration,
    /// Kept as long as the VU lives; forgotten by a new visitor.
    Kept,
    /// Never kept nor sent.
    Ignored,
}

nmax_text::named! {
    /// A content coding (RFC 9110, 8.4.1), in the order in which browsers name them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Coding {
        /// gzip
        Gzip = "gzip",
        /// zlib data, or raw deflate as some servers send it
        Deflate = "deflate",
        /// Brotli
        Brotli = "br",
        /// Zstandard
        Zstd = "zstd",
    }
    /// The token on the wire.
    token
}

/// PEM files, as written in the plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClientCertificate {
    /// The certificate and those between it and its issuer.
    pub certificate_file: String,
    /// Its private key.
    pub key_file: String,
}

/// How names are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dns {
    /// How long an answer is believed; `None` = as long as the server says.
    pub ttl: Option<Duration>,
    /// Each VU asks for itself instead of one answer for all.
    pub per_vu: bool,
    /// Which addresses are used.
    pub family: Family,
    /// Servers to ask in place of the system's.
    pub servers: Vec<SocketAddr>,
}

/// Which addresses of a name are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Family {
    /// Both, IPv6 first where the host has a route.
    #[default]
    Any,
    /// IPv4 only.
    V4,
    /// IPv6 only.
    V6,
}

/// Addresses given to a host name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostOverride {
    /// The name.
    pub host: String,
    /// Only for this port.
    pub port: Option<u16>,
    /// Where connections to it go, in turn; a port of its own replaces that of the URL.
    pub addresses: Vec<(IpAddr, Option<u16>)>,
}

/// Connection policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Connection {
    /// Kept across iterations.
    KeepAlive,
    /// Closed at the end of each iteration.
    PerIteration,
    /// Closed after each request, and said so on the wire.
    PerRequest,
}

/// Whether a VU keeps what it learned between iterations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Visitor {
    /// Connections and TLS sessions stay.
    Returning,
    /// Everything is new in each iteration.
    New,
    /// This share of the iterations, between 0 and 1, is made by new visitors, the rest by returning ones.
    Mixed(f64),
}

/// HTTP version on the request line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// HTTP/1.0
    Http10,
    /// HTTP/1.1
    Http11,
}

/// A token of RFC 9110, 5.6.2.
pub(crate) fn is_token(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

/// Whether the program writes this header itself, from the connection policy and the body.
pub(crate) fn is_own_header(name: &str) -> bool {
    ["connection", "keep-alive", "content-length", "transfer-encoding"].iter().any(|own| name.eq_ignore_ascii_case(own))
}
