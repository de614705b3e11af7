//! The flags of a URL: its level, which a plan takes as well, and its request, which a plan has.

use clap::Args;
use nmax_plan::document::MAX_IN_FLIGHT_DEFAULT;
use nmax_plan::plan::{Arrivals, Connection, Workload};

use super::values::{choice, duration, header, method, rate};

/// The flags that make a plan of a URL.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "With a URL")]
pub struct PlanlessArgs {
    /// Virtual users, each waiting for its reply (like wrk -c, ab -c, k6 --vus) [default: 10]; with -r, most requests
    /// in flight. With a plan: in place of its level, profile and
    /// stages; the mix is kept
    #[arg(short = 'c', long = "vus", value_name = "VUS", value_parser = clap::value_parser!(u32).range(1..),
        help_heading = "Load")]
    pub vus: Option<u32>,
    /// Requests per second, whether replies come or not, as in 2000/s (like wrk2 -R); with a plan:
    /// iterations per second, in place of its level, profile and stages
    #[arg(short = 'r', long, value_name = "RATE", value_parser = rate, help_heading = "Load")]
    pub rate: Option<f64>,
    /// With -r: Poisson arrivals instead of evenly spaced ones
    #[arg(long, help_heading = "Load")]
    pub poisson: bool,
    /// Stop after this many requests (like ab -n, hey -n)
    #[arg(short = 'n', long, value_name = "REQUESTS", value_parser = clap::value_parser!(u64).range(1..))]
    pub requests: Option<u64>,
    /// Header (like curl -H); may be repeated
    #[arg(short = 'H', long = "header", value_name = "'NAME: VALUE'", value_parser = header)]
    pub headers: Vec<(String, String)>,
    /// Method (like curl -X) [default: GET, or POST with a body]
    #[arg(short = 'X', long, value_name = "METHOD", value_parser = method)]
    pub method: Option<nmax_plan::plan::Method>,
    /// Body; `@FILE` sends a file unchanged (like curl --data-binary)
    #[arg(short = 'b', long, value_name = "TEXT|@FILE")]
    pub body: Option<String>,
    /// Speak HTTP/1.0
    #[arg(long = "http1.0")]
    pub http10: bool,
    /// When connections are closed [default: keep-alive]
    #[arg(long, value_parser = choice(POLICIES), value_name = "POLICY", conflicts_with = "close")]
    pub connection: Option<Connection>,
    /// Close after each request and send `Connection: close` (as ab without -k): --connection per-request
    #[arg(long)]
    pub close: bool,
    /// Make each request a new visitor: new connection, new TLS session, no cookies
    #[arg(long)]
    pub new_visitors: bool,
    /// Follow redirects, at most 10 in a row (like curl -L)
    #[arg(long)]
    pub follow: bool,
    /// Accept gzip, deflate, br and zstd, and decode replies (like curl --compressed)
    #[arg(long)]
    pub compressed: bool,
    /// Time limit for a complete reply [default: 30s]
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<std::time::Duration>,
}

impl PlanlessArgs {
    /// The level, if one was given.
    pub fn level(&self) -> Option<Workload> {
        let open = self.rate.map(|rate_per_s| Workload::Open {
            rate_per_s,
            arrivals: if self.poisson { Arrivals::Poisson } else { Arrivals::Even },
            max_in_flight: self.vus.unwrap_or(MAX_IN_FLIGHT_DEFAULT),
        });
        open.or(self.vus.map(|vus| Workload::Closed { vus }))
    }

    /// The first flag that needs a URL, if one was given.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            (self.requests.is_some(), "-n"),
            (!self.headers.is_empty(), "-H"),
            (self.method.is_some(), "-X"),
            (self.body.is_some(), "-b"),
            (self.http10, "--http1.0"),
            (self.connection.is_some(), "--connection"),
            (self.close, "--close"),
            (self.new_visitors, "--new-visitors"),
            (self.follow, "--follow"),
            (self.compressed, "--compressed"),
            (self.poisson && self.rate.is_none(), "--poisson"),
            (self.timeout.is_some(), "--timeout"),
        ];
        flags.into_iter().find(|(is_given, _)| *is_given).map(|(_, flag)| flag)
    }
}

/// When connections are closed.
const POLICIES: [(&str, Connection, &str); 3] = [
    ("keep-alive", Connection::KeepAlive, "Kept by their virtual user"),
    ("per-iteration", Connection::PerIteration, "Closed at the end of each iteration"),
    ("per-request", Connection::PerRequest, "Close after each request and send `Connection: close`"),
];
