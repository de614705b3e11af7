//! Kinds of sources: how each is opened, and where it connects to. A new kind is a module here and a row of [`OPENERS`].

use nmax_plan::plan::{ObservedAddress, ObservedSource};
use nmax_sources::kind::SourceKind;
use nmax_sources::kinds::{
    self, AGENT, LOG, MEMCACHED, MEMCACHED_PORT, NGINX, POSTGRES, PROCESSES, PROMETHEUS, REDIS, REDIS_PORT, TOKEN,
};

use crate::log::{LogKind, Tap};
use crate::prometheus::Neighbours;
use crate::service_address::ServiceAddress;
use crate::source::{Source, Trouble};
use crate::{agent, log, prometheus};

mod memcached;
mod nginx;
mod postgres;
mod redis;

/// What a source is opened with.
pub(crate) struct Opening<'a> {
    /// What the plan says of it.
    pub(crate) spec: &'a ObservedSource,
    /// What else is read of its host.
    pub(crate) neighbours: Neighbours,
    /// Takes what followed access logs say of single requests.
    pub(crate) tap: &'a Tap,
}

type Open = fn(&str, &Opening) -> Box<dyn Source>;
type Locate = fn(&str) -> Result<ServiceAddress, Trouble>;

/// The constructor of each kind, which takes its place; and where that is in the network.
static OPENERS: [(&SourceKind, Open, Option<Locate>); 7] = [
    (
        &AGENT,
        |_, open| {
            let spec = open.spec;
            agent::source(&spec.name, &spec.reach, spec.text(&TOKEN), spec.list(&PROCESSES))
        },
        Some(|url| ServiceAddress::parse(url, agent::PORT)),
    ),
    (
        &PROMETHEUS,
        |url, open| {
            let spec = open.spec;
            prometheus::source(url, spec.text(&TOKEN), &spec.name, spec.resources(), open.neighbours)
        },
        Some(page),
    ),
    (&POSTGRES, |url, open| postgres::source(url, &open.spec.name, open.spec.every), Some(postgres::place)),
    (&REDIS, |url, open| redis::source(url, &open.spec.name), Some(|url| ServiceAddress::parse(url, REDIS_PORT))),
    (
        &MEMCACHED,
        |at, open| memcached::source(at, &open.spec.name),
        Some(|at| ServiceAddress::parse(at, MEMCACHED_PORT)),
    ),
    (&NGINX, |url, open| nginx::source(url, &open.spec.name), Some(page)),
    (
        &LOG,
        |file, open| {
            let spec = open.spec;
            let kind = spec.text(&kinds::KIND).and_then(LogKind::named);
            log::source(&spec.name, file, spec.text(&kinds::FORMAT), kind, open.tap)
        },
        None,
    ),
];

fn row(kind: &SourceKind) -> &'static (&'static SourceKind, Open, Option<Locate>) {
    OPENERS.iter().find(|(known, ..)| *known == kind).expect("every kind but processes has a row")
}

/// Opens a source; nothing is connected yet.
pub(crate) fn open(opening: &Opening) -> Box<dyn Source> {
    let (ObservedAddress::At(place) | ObservedAddress::Calls(place)) = &opening.spec.reach;
    row(opening.spec.kind).1(place, opening)
}

/// Where a source connects to; `None` for files and for those that call.
pub(crate) fn place(spec: &ObservedSource) -> Option<Result<ServiceAddress, Trouble>> {
    match &spec.reach {
        ObservedAddress::At(place) => row(spec.kind).2.map(|locate| locate(place)),
        ObservedAddress::Calls(_) => None,
    }
}

/// A page over HTTP.
fn page(url: &str) -> Result<ServiceAddress, Trouble> {
    let is_https = url.get(..6).is_some_and(|scheme| scheme.eq_ignore_ascii_case("https:"));
    ServiceAddress::parse(url, if is_https { 443 } else { 80 })
}

#[cfg(test)]
mod tests;
