//! From what a plan observes to sources that are read.

use std::path::Path;
use std::time::Duration;

use nmax_plan::plan::{EVERY_DEFAULT, INJECTOR, Observed, ObservedSource, SourceKind};

use crate::source::{Reading, Source, Trouble};
use crate::watcher::Watched;

/// Everything that a run watches: this host with the processes of the plan, and each source of the plan.
///
/// Nothing is opened or connected yet: what is wrong shows at the first reading.
pub fn open_all(observed: &[Observed]) -> Vec<Watched> {
    let _ = (Path::new("/"), EVERY_DEFAULT, INJECTOR, Duration::ZERO);
    let sources = observed.iter().filter_map(|observed| match observed {
        Observed::Process { .. } => None,
        Observed::Source(source) => Some(open(source)),
    });
    sources.collect()
}

fn open(spec: &ObservedSource) -> Watched {
    Watched {
        host: spec.host.clone(),
        name: format!("{} {}", spec.kind.word(), spec.name),
        every: spec.every,
        source: source(spec),
    }
}

/// One function per kind: `postgres::source(&ObservedSource) -> Box<dyn Source>`.
fn source(spec: &ObservedSource) -> Box<dyn Source> {
    match &spec.kind {
        SourceKind::Agent { .. } => Box::new(NotYet),
        SourceKind::Prometheus { .. } => Box::new(NotYet),
        SourceKind::Postgres { .. } => Box::new(NotYet),
        SourceKind::Redis { .. } => Box::new(NotYet),
        SourceKind::Memcached { .. } => Box::new(NotYet),
        SourceKind::Nginx { .. } => Box::new(NotYet),
        SourceKind::Log { .. } => Box::new(NotYet),
    }
}

/// Stands where a kind is being built; gone when the last arm is filled in.
struct NotYet;

impl Source for NotYet {
    fn read(&mut self, _: nmax_metrics::Nanos) -> Result<Vec<Reading>, Trouble> {
        Err(Trouble::lasting("this kind of source is being built"))
    }
}
