//! Which sources are beyond this host.

use std::fmt;
use std::net::IpAddr;
use std::thread;
use std::time::Duration;

use nmax_plan::addresses::{Class, classify};
use nmax_plan::plan::{Observed, ObservedSource};

use crate::Trouble;
use crate::address::may_connect;
use crate::reach::look_up;
use crate::reach::now;
use crate::service_address::ServiceAddress;
use crate::services;

/// How long the names of all places may take, for [`remote_sources`].
const LOOK_UP_MAX: Duration = Duration::from_secs(2);

/// A source that is read beyond this host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSource {
    /// Which of what is observed, from 0.
    pub index: usize,
    /// `host:port`, as the plan names it.
    pub place: String,
    /// Addresses beyond this host that the name has now; none where it is not found.
    pub addresses: Vec<IpAddr>,
    /// Why it will not be read, where one of them is a cloud's metadata address.
    pub forbidden: Option<Trouble>,
}

impl fmt::Display for RemoteSource {
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
pub fn remote_sources(observed: &[Observed]) -> Vec<RemoteSource> {
    let deadline = now() + LOOK_UP_MAX;
    let places = observed.iter().enumerate().filter_map(|(index, observed)| match observed {
        Observed::Process { .. } => None,
        Observed::Source(spec) => Some((index, place(spec)?)),
    });
    let places: Vec<(usize, ServiceAddress)> = places.collect();
    let found: Vec<_> = thread::scope(|scope| {
        let look = |place: &ServiceAddress| {
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
            beyond.push(RemoteSource { index, place: place.title(), addresses, forbidden });
        }
    }
    beyond
}

/// Where a source connects to over the network; `None` for files, sockets in files, and agents that call.
fn place(spec: &ObservedSource) -> Option<ServiceAddress> {
    // What is wrong with it is said when it is read.
    services::place(spec)?.ok().filter(|place| !place.host.starts_with('/'))
}

#[cfg(test)]
mod tests;
