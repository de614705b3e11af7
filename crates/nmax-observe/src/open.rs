//! From what a plan observes to sources that are read.

use std::path::Path;

use nmax_plan::plan::{EVERY_DEFAULT, INJECTOR, Observed, ObservedSource};
use nmax_sources::kinds;

use crate::connections::Connections;
use crate::host::Host;
use crate::log::Tap;
use crate::prometheus::Neighbours;
use crate::services::{self, Opening};
use crate::source::Source;
use crate::watcher::Watched;

/// What plans may call this host, besides [`INJECTOR`].
const LOCAL: &str = "local";

/// Everything that a run watches: this host with the processes of the plan, and each source of the plan.
///
/// Nothing is opened or connected yet: what is wrong shows at the first reading.
/// - `served`: port of the target where it is on this host; the process behind it is read without being in the plan
///
/// What followed access logs say of single requests goes into `tap`.
pub fn open_all(observed: &[Observed], served: Option<u16>, tap: &Tap) -> Vec<Watched> {
    let processes = observed.iter().filter_map(|observed| match observed {
        Observed::Process { name, process } => Some((name.clone(), process.clone())),
        Observed::Source(_) => None,
    });
    let host = Host::new(Path::new("/"), processes.collect()).also_serving(served);
    let here = [here("host", Box::new(host)), here("connections", Box::new(Connections::new()))];
    let sources = specs(observed).map(|spec| Watched {
        host: spec.host.clone(),
        name: format!("{} {}", spec.kind.word, spec.name),
        every: spec.every,
        source: open(spec, observed, tap),
    });
    here.into_iter().chain(sources).collect()
}

/// What is observed besides processes of this host.
fn specs(observed: &[Observed]) -> impl Iterator<Item = &ObservedSource> + Clone {
    observed.iter().filter_map(|observed| match observed {
        Observed::Process { .. } => None,
        Observed::Source(source) => Some(source),
    })
}

/// A source of this host.
fn here(name: &str, source: Box<dyn Source>) -> Watched {
    Watched { host: INJECTOR.to_owned(), name: name.to_owned(), every: EVERY_DEFAULT, source }
}

/// What else is read of the host of a source.
fn neighbours(spec: &ObservedSource, observed: &[Observed]) -> Neighbours {
    let of_host = specs(observed).filter(|other| host(other) == host(spec));
    let is_page = |other: &&ObservedSource| other.kind == &kinds::PROMETHEUS;
    let has_agent = of_host.clone().any(|other| other.kind == &kinds::AGENT);
    Neighbours {
        is_host_read: host(spec) == INJECTOR || has_agent,
        has_other_page: of_host.filter(is_page).count() > 1,
    }
}

/// The host of a source; this one has two names.
fn host(spec: &ObservedSource) -> &str {
    if spec.host == LOCAL { INJECTOR } else { &spec.host }
}

/// A source of what is `observed`, as a run of it reads it.
pub(crate) fn open(spec: &ObservedSource, observed: &[Observed], tap: &Tap) -> Box<dyn Source> {
    services::open(&Opening { spec, neighbours: neighbours(spec, observed), tap })
}

#[cfg(test)]
mod tests;
