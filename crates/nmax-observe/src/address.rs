//! Where sources are: the addresses of a place, and which of them a source may connect to.
//!
//! Every connection of a source asks [`may_connect`] for all addresses that its place has at that moment. A cloud's
//! metadata address is refused under whatever name: it hands out credentials to whoever asks.

use std::fmt;
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use nmax_plan::addresses::{Class, classify};
use nmax_plan::plan::{AgentReach, Observed, ObservedSource, SourceKind};

use crate::place::Place;
use crate::postgres;
use crate::reach::{Broken, now};
use crate::{Trouble, agent};

/// How long the names of all places may take, for [`elsewhere`].
const LOOK_UP_MAX: Duration = Duration::from_secs(2);

/// An address that no source may read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0} is a cloud's metadata address and is never read, whatever the flags: it hands out credentials")]
pub(crate) struct Forbidden(IpAddr);

impl Forbidden {
    /// As the trouble of the source at `place`.
    pub(crate) fn trouble(self, place: &str) -> Trouble {
        Trouble::lasting(format!("{place}: {self}; take it out of `observe`"))
    }
}

/// Whether a source may connect to a place with these addresses: one that is forbidden forbids them all.
pub(crate) fn may_connect(addresses: impl IntoIterator<Item = SocketAddr>) -> Result<(), Forbidden> {
    let mut ips = addresses.into_iter().map(|address| address.ip());
    ips.find(|ip| classify(*ip) == Class::Metadata).map_or(Ok(()), |ip| Err(Forbidden(ip)))
}

/// Addresses of a host, all of which a source may connect to.
pub(crate) fn resolve(host: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Broken> {
    let addresses = look_up(host, port, deadline)?;
    may_connect(addresses.iter().copied()).map_err(Broken::Forbidden)?;
    Ok(addresses)
}

/// Addresses of a host. The system's lookup knows no limit, so it has a thread of its own, which is left behind when it
/// takes too long, and ends with its own limits.
fn look_up(host: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Broken> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (sender, found) = sync_channel(1);
    let pair = (host.to_owned(), port);
    let lookup = move || {
        let _ = sender.send(pair.to_socket_addrs().map(Vec::from_iter));
    };
    thread::Builder::new().name("nmax-lookup".into()).spawn(lookup)?;
    let left = deadline.saturating_duration_since(now());
    match found.recv_timeout(left) {
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(_)) => Err(Broken::Failed("its name is not found".into())),
        Err(_) => Err(Broken::Failed("its name is not found in time".into())),
    }
}

/// A source that is read beyond this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Elsewhere {
    /// Which of what is observed, from 0.
    pub index: usize,
    /// `host:port`, as the plan names it.
    pub place: String,
    /// Addresses beyond this host that the name has now; none where it is not found.
    pub addresses: Vec<IpAddr>,
    /// Why it will not be read, where one of them is a cloud's metadata address.
    pub forbidden: Option<Trouble>,
}

impl fmt::Display for Elsewhere {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.place)?;
        let is_literal = |ip: &IpAddr| self.place.contains(&ip.to_string());
        match self.addresses.as_slice() {
            [] => out.write_str(", whose name is not found"),
            [ip] if is_literal(ip) => Ok(()),
            ips => {
                let ips: Vec<String> = ips.iter().map(IpAddr::to_string).collect();
                write!(out, " ({})", ips.join(", "))
            }
        }
    }
}

/// What is observed over the network at addresses that are not this host's. Names are looked up, all at the same time, for
/// [`LOOK_UP_MAX`] at most; nothing connects.
pub fn elsewhere(observed: &[Observed]) -> Vec<Elsewhere> {
    let deadline = now() + LOOK_UP_MAX;
    let places = observed.iter().enumerate().filter_map(|(index, observed)| match observed {
        Observed::Process { .. } => None,
        Observed::Source(spec) => Some((index, place(spec)?)),
    });
    let places: Vec<(usize, Place)> = places.collect();
    let found: Vec<_> = thread::scope(|scope| {
        let look = |place: &Place| {
            let (host, port) = (place.host.clone(), place.port);
            scope.spawn(move || look_up(&host, port, deadline).unwrap_or_default())
        };
        let looks: Vec<_> = places.iter().map(|(_, place)| look(place)).collect();
        looks.into_iter().map(|look| look.join().unwrap_or_default()).collect()
    });
    let mut beyond = Vec::new();
    for ((index, place), found) in places.into_iter().zip(found) {
        let forbidden = may_connect(found.iter().copied()).err().map(|forbidden| forbidden.trouble(&place.title()));
        let is_found = !found.is_empty();
        let mut addresses: Vec<IpAddr> = found.iter().map(|address| address.ip().to_canonical()).collect();
        addresses.retain(|ip| classify(*ip) != Class::ThisHost);
        addresses.sort_unstable();
        addresses.dedup();
        if !is_found || !addresses.is_empty() {
            beyond.push(Elsewhere { index, place: place.title(), addresses, forbidden });
        }
    }
    beyond
}

/// Where a source connects to over the network; `None` for files, sockets in files, and agents that call.
fn place(spec: &ObservedSource) -> Option<Place> {
    let place = match &spec.kind {
        SourceKind::Prometheus { url, .. } | SourceKind::Nginx { url } => Place::parse(url, usual_port(url)),
        SourceKind::Agent { reach: AgentReach::Pull(url), .. } => Place::parse(url, agent::PORT),
        SourceKind::Postgres { url } => postgres::place(url),
        SourceKind::Redis { url } => Place::parse(url, crate::redis::PORT),
        SourceKind::Memcached { address } => Place::parse(address, crate::memcached::PORT),
        SourceKind::Agent { reach: AgentReach::Listen(_), .. } | SourceKind::Log { .. } => return None,
    };
    // What is wrong with it is said when it is read.
    place.ok().filter(|place| !place.host.starts_with('/'))
}

fn usual_port(url: &str) -> u16 {
    if url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:")) { 443 } else { 80 }
}

#[cfg(test)]
mod tests;
