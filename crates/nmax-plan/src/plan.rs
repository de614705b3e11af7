//! The plan: scenarios, workload and limits, validated and resolved. Later code never meets an invalid value.

use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::schedule::Stage;
use crate::template::Template;
use crate::threshold::Threshold;

/// A validated plan. Built by [`crate::document::parse`] or [`Plan::for_url`].
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Short name, for directories and headings.
    pub name: String,
    /// Base URL (scheme, host, port) to which relative paths are appended.
    pub target: String,
    /// What holds for every request unless a step says otherwise.
    pub defaults: Defaults,
    /// Addresses given to host names in place of what the resolver says.
    pub hosts: Vec<HostOverride>,
    /// Data sources, in the order of the document; [`crate::template::Part::Feeder`] indexes them.
    pub feeders: Vec<Feeder>,
    /// Scenarios, in the order of the document.
    pub scenarios: Vec<Scenario>,
    /// How iterations start.
    pub workload: Workload,
    /// The run's shape: absolute levels (iterations per second or VUs), one after the other, warm-up included.
    pub stages: Vec<Stage>,
    /// Stop after that many iterations.
    pub iterations: Option<u64>,
    /// How long exchanges may go on after the last start, before they are censored.
    pub graceful_stop: Duration,
    /// Initial value of every choice.
    pub seed: u64,
    /// Conditions on the result, the defaults of the contract included.
    pub thresholds: Vec<Threshold>,
    /// Width of a window of measurements.
    pub window: Duration,
}

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
}

/// Longest timeout of an exchange unless the plan says otherwise.
pub const TIMEOUT_DEFAULT: Duration = Duration::from_secs(30);
/// Largest reply body unless the plan says otherwise.
pub const BODY_LIMIT_DEFAULT: u64 = 64 << 20;
/// Most redirects that a step follows when it follows any, as browsers' and other tools' limits are at least that.
pub const REDIRECTS_DEFAULT: u32 = 10;

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

/// A content coding (RFC 9110, 8.4.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// gzip
    Gzip,
    /// zlib data, or raw deflate as some servers send it
    Deflate,
    /// Brotli
    Brotli,
    /// Zstandard
    Zstd,
}

impl Coding {
    /// The token on the wire.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
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

/// A data source: rows of named columns.
#[derive(Clone, Debug, PartialEq)]
pub struct Feeder {
    /// Name used in `${name.column}`.
    pub name: String,
    /// The file it came from, as written in the plan.
    pub file: String,
    /// Column names.
    pub columns: Vec<String>,
    /// Row-major cells, `rows * columns.len()` of them.
    pub cells: Vec<String>,
    /// Which row an iteration reads.
    pub pick: Pick,
    /// What happens when rows run out (only for [`Pick::Sequential`] and [`Pick::Unique`]).
    pub at_end: AtEnd,
}

impl Feeder {
    /// Number of rows; never zero in a validated plan.
    pub fn rows(&self) -> usize {
        self.cells.len() / self.columns.len()
    }

    /// One cell.
    pub fn cell(&self, row: usize, column: usize) -> &str {
        &self.cells[row * self.columns.len() + column]
    }
}

/// Which row an iteration reads: a pure function of (seed, VU, iteration).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pick {
    /// Row n for iteration n.
    Sequential,
    /// Row n for iteration n, never twice (`at_end` is not `wrap`).
    Unique,
    /// Any row, equally likely.
    Random,
    /// Row r with probability proportional to 1 / r^exponent, r from 1.
    Zipf {
        /// Skew, above 0.
        exponent: f64,
    },
}

/// What a feeder does after its last row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AtEnd {
    /// Begins again.
    Wrap,
    /// The run stops starting iterations.
    Stop,
    /// The iteration fails.
    Error,
}

/// A named behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name in the document.
    pub name: String,
    /// Share in the mix, relative to the other scenarios'; 0 = never.
    pub weight: f64,
    /// Least time between two starts of the same VU (closed workloads).
    pub pacing: Option<Duration>,
    /// Steps in order.
    pub steps: Vec<Step>,
    /// Names of the values that `extract` defines; [`crate::template::Part::Slot`] indexes them.
    pub slots: Vec<String>,
}

/// An element of a scenario.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Sends a request and reads the reply.
    Request(Box<Request>),
    /// A user's pause.
    Think(ThinkTime),
}

/// A user's pause between two steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ThinkTime {
    /// Always the same.
    Fixed(Duration),
    /// Equally likely between the two.
    Uniform {
        /// Shortest.
        min: Duration,
        /// Longest.
        max: Duration,
    },
    /// Lognormal with this median and 95th percentile.
    Lognormal {
        /// Half of the pauses are shorter.
        median: Duration,
        /// One in twenty is longer.
        p95: Duration,
    },
}

/// A request step.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// Name under which it is measured; defaults to method and path template.
    pub name: Template,
    /// Method token.
    pub method: Method,
    /// Path, or absolute URL, without the query of `query`.
    pub url: Template,
    /// Query parameters, encoded when sent.
    pub query: Vec<(Template, Template)>,
    /// Headers, in order, after the defaults (same name replaces).
    pub headers: Vec<(String, Template)>,
    /// Body.
    pub body: Body,
    /// What makes the reply *ok*.
    pub expect: Expect,
    /// Values taken from the reply.
    pub extract: Vec<Extract>,
    /// Overrides the default.
    pub timeout: Option<Duration>,
    /// Most redirects that are followed; overrides the default.
    pub redirects_max: Option<u32>,
    /// Sends the head with `expect: 100-continue`, and the body once the server asks for it or a second has passed.
    pub expect_continue: bool,
}

/// Request method.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Method {
    /// GET
    Get,
    /// HEAD
    Head,
    /// POST
    Post,
    /// PUT
    Put,
    /// PATCH
    Patch,
    /// DELETE
    Delete,
    /// OPTIONS
    Options,
}

impl Method {
    /// Every method.
    pub const ALL: [Self; 7] = [
        Self::Get,
        Self::Head,
        Self::Post,
        Self::Put,
        Self::Patch,
        Self::Delete,
        Self::Options,
    ];

    /// The token on the wire.
    pub const fn token(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Head => "HEAD",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
        }
    }

    /// Safe to send twice (RFC 9110, 9.2.2).
    pub const fn is_idempotent(self) -> bool {
        !matches!(self, Self::Post | Self::Patch)
    }
}

/// Request body.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// None.
    Empty,
    /// Sent as it is.
    Text(Template),
    /// A JSON text; `${...}` inside its strings is escaped for JSON when rendered.
    Json(Template),
    /// `application/x-www-form-urlencoded`; names and values are encoded when rendered.
    Form(Vec<(Template, Template)>),
    /// `multipart/form-data` (RFC 7578).
    Multipart(Vec<FormPart>),
    /// A file's bytes, read while they are sent.
    File(String),
}

/// A part of a `multipart/form-data` body.
#[derive(Clone, Debug, PartialEq)]
pub struct FormPart {
    /// Name of the field.
    pub name: Template,
    /// Its content.
    pub content: PartContent,
    /// Name of the file as told to the server.
    pub file_name: Option<Template>,
    /// Its type; `None` says nothing, or `application/octet-stream` for a file.
    pub content_type: Option<String>,
}

/// What a part holds.
#[derive(Clone, Debug, PartialEq)]
pub enum PartContent {
    /// A text.
    Text(Template),
    /// A file's bytes, read while they are sent.
    File(String),
}

/// What makes a reply *ok*.
#[derive(Clone, Debug, PartialEq)]
pub struct Expect {
    /// Accepted status codes, inclusive ranges.
    pub status: Vec<(u16, u16)>,
    /// Checks on body and headers, each counted by name.
    pub checks: Vec<Check>,
}

/// A test on one reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Name in the results.
    pub name: String,
    /// The test.
    pub test: Test,
}

/// What a check tests.
#[derive(Clone, Debug, PartialEq)]
pub enum Test {
    /// The body contains this text.
    BodyContains(Template),
    /// The body does not contain this text.
    BodyLacks(Template),
    /// The header is present and contains this text.
    HeaderContains(String, Template),
    /// An extractor finds something.
    Finds(Source),
}

/// A value taken from a reply.
#[derive(Clone, Debug, PartialEq)]
pub struct Extract {
    /// Index into [`Scenario::slots`].
    pub slot: usize,
    /// Where it comes from.
    pub source: Source,
    /// Which of several matches.
    pub pick: MatchPick,
    /// Used when nothing matches; without it the iteration fails.
    pub default: Option<String>,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum Source {
    /// Regular expression on the body; its group 1, or the whole match when it has no group.
    Regex(String),
    /// CSS selector; an attribute's value, or the element's text when `None`.
    Css {
        /// Selector.
        selector: String,
        /// Attribute name.
        attribute: Option<String>,
    },
    /// JSONPath (RFC 9535) on a JSON body.
    JsonPath(String),
    /// A header's value.
    Header(String),
}

/// Which of several matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MatchPick {
    /// The first.
    First,
    /// The last.
    Last,
    /// Any, equally likely, by the plan's choices.
    Random,
    /// The i-th, from 1.
    Nth(usize),
}

/// How iterations start. Levels are in [`Plan::stages`].
#[derive(Clone, Debug, PartialEq)]
pub enum Workload {
    /// By schedule, replies or not.
    Open {
        /// Iterations per second at 100 %.
        rate_per_s: f64,
        /// Law of the arrivals.
        arrivals: Arrivals,
        /// Iterations at once; due ones wait beyond it.
        max_in_flight: u32,
    },
    /// A fixed number of VUs, each starting its next iteration when the last is done.
    Closed {
        /// VUs at 100 %.
        vus: u32,
    },
}

/// Law of open arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arrivals {
    /// Evenly spaced.
    Even,
    /// A Poisson process given its total count per stage.
    Poisson,
}
