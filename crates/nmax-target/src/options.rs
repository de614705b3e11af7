//! What the target shall be: listeners, behaviour and limits, parsed once.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use crate::bottleneck::{Bottleneck, Scarce};
use crate::illness::{Drift, Leak};
use crate::model::Rule;
use crate::spec::SpecError;
use crate::stall::Stall;

/// Everything about a target.
#[derive(Clone, Debug)]
pub struct Options {
    /// Where to listen; at least one. Port 0 takes a free port.
    pub listen: Vec<Listen>,
    /// Worker threads, at least 1. Connections go round robin.
    pub workers: usize,
    /// Seed of every random choice.
    pub seed: u64,
    /// Service times by path; without a match the reply is immediate.
    pub services: Vec<Rule>,
    /// What requests pass after their service time, in this order.
    pub bottlenecks: Vec<Bottleneck>,
    /// Scheduled stalls.
    pub stalls: Vec<Stall>,
    /// How much longer replies take as time goes on.
    pub drift: Drift,
    /// Memory that is never given back.
    pub leak: Leak,
    /// Share of requests answered with an error status.
    pub errors: ErrorRate,
    /// Share of requests whose connection is reset instead of a reply.
    pub resets: Share,
    /// Size of the default reply in bytes; the text `hello` when absent.
    pub reply_bytes: Option<u64>,
    /// Serve the shop at `/`.
    pub shop: bool,
    /// Names for the certificate beside `localhost` and the loopback addresses.
    pub tls_names: Vec<String>,
    /// Where to write the authority's certificate (PEM), when there is an HTTPS listener.
    pub ca_file: Option<PathBuf>,
    /// How long open requests may take to finish after the shutdown signal.
    pub grace: Duration,
}

impl Default for Options {
    /// One plain listener on a free loopback port, one worker, immediate replies.
    fn default() -> Self {
        Self {
            listen: vec![Listen::http()],
            workers: 1,
            seed: 1,
            services: Vec::new(),
            bottlenecks: Vec::new(),
            stalls: Vec::new(),
            drift: Drift::default(),
            leak: Leak::default(),
            errors: ErrorRate::default(),
            resets: Share::default(),
            reply_bytes: None,
            shop: false,
            tls_names: Vec::new(),
            ca_file: None,
            grace: Duration::from_secs(2),
        }
    }
}

impl Options {
    /// Bytes per second of the network, when it is a bottleneck: of several the narrowest.
    pub(crate) fn bytes_per_s(&self) -> Option<u64> {
        let rates = self.bottlenecks.iter().filter_map(|bottleneck| match bottleneck.scarce {
            Scarce::Network { bytes_per_s } => Some(bytes_per_s),
            _ => None,
        });
        rates.min()
    }
}

/// Plain or encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheme {
    /// `http`
    Http,
    /// `https`
    Https,
}

impl Scheme {
    /// As in a URL.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

/// An address to listen on: `8080`, `127.0.0.1:8080`, `https://127.0.0.1:8443`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listen {
    /// Plain or encrypted.
    pub scheme: Scheme,
    /// IP address and port; port 0 takes a free one.
    pub address: SocketAddr,
}

impl Listen {
    /// Plain, on a free loopback port.
    pub fn http() -> Self {
        Self { scheme: Scheme::Http, address: SocketAddr::new(LOOPBACK, 0) }
    }

    /// Encrypted, on a free loopback port.
    pub fn https() -> Self {
        Self { scheme: Scheme::Https, address: SocketAddr::new(LOOPBACK, 0) }
    }
}

impl fmt::Display for Listen {
    /// As a URL without a path: `http://127.0.0.1:8080`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}://{}", self.scheme.as_str(), self.address)
    }
}

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

impl FromStr for Listen {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (scheme, rest) = match text.split_once("://") {
            None => (Scheme::Http, text),
            Some(("http", rest)) => (Scheme::Http, rest),
            Some(("https", rest)) => (Scheme::Https, rest),
            Some(_) => return Err(listen_error(text, "is neither http nor https")),
        };
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let rest = rest.replace("localhost", "127.0.0.1");
        let address = match rest.strip_prefix(':').unwrap_or(&rest).parse::<u16>() {
            Ok(port) => SocketAddr::new(LOOPBACK, port),
            Err(_) => rest.parse().map_err(|_| listen_error(text, "is not an IP address with a port"))?,
        };
        Ok(Self { scheme, address })
    }
}

fn listen_error(text: &str, problem: &str) -> SpecError {
    let remedy = "`8080`, `127.0.0.1:8080` or `https://127.0.0.1:8443`; port 0 takes a free one";
    SpecError::new("listener", text, problem, remedy)
}

/// A share of requests, 0 to 1, dimensionless: `1%` or `0.01`.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
pub struct Share(f64);

impl Share {
    /// The share, if it is between 0 and 1.
    pub fn new(share: f64) -> Option<Self> {
        (0.0..=1.0).contains(&share).then_some(Self(share))
    }

    /// Whether a uniform draw in (0, 1] falls into the share.
    pub(crate) fn holds(self, unit: f64) -> bool {
        unit <= self.0
    }

    /// Whether nothing falls into the share.
    pub(crate) fn is_none(self) -> bool {
        self.0 == 0.0
    }
}

impl FromStr for Share {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (number, scale) = match text.strip_suffix('%') {
            Some(number) => (number, 0.01),
            None => (text, 1.0),
        };
        let share = number.trim().parse().ok().and_then(|value: f64| Self::new(value * scale));
        share.ok_or_else(|| SpecError::new("share", text, "is not between 0 % and 100 %", "`1%` or `0.01`"))
    }
}

/// A share of error replies and their status: `1%` (503) or `1%:500`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ErrorRate {
    /// Share of requests.
    pub share: Share,
    /// 500 to 599.
    pub status: u16,
}

impl Default for ErrorRate {
    fn default() -> Self {
        Self { share: Share::default(), status: 503 }
    }
}

impl FromStr for ErrorRate {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let Some((share, status)) = text.split_once(':') else {
            return Ok(Self { share: text.parse()?, ..Self::default() });
        };
        let status = status.parse().ok().filter(|status| (500..600).contains(status));
        let status =
            status.ok_or_else(|| SpecError::new("error rate", text, "has a status outside 500 to 599", "`1%:503`"))?;
        Ok(Self { share: share.parse()?, status })
    }
}

#[cfg(test)]
mod tests;
