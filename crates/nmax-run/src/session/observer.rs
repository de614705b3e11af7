//! What a run watches: the injector itself, its host, and whatever the plan observes.

use std::path::Path;

use nmax_analysis::Fold;
use nmax_engine::Run;
use nmax_engine::measure::watch::{self, Watch};
use nmax_metrics::{Nanos, Resource};
use nmax_observe::host::Neighbours;
use nmax_observe::log::Tap;
use nmax_observe::{Happening, Seen, Watcher, open_all};
use nmax_plan::plan::Plan;
use nmax_sources::figures;
use nmax_store::{RunWriter, StoreError};

use super::beside;
use crate::host::need;
use crate::preflight;

/// What a person should know while the run goes on; the rest is in the result.
const SAID: [&str; 4] = ["SOURCE_LOST", "SOURCE_BACK", "CLOCK_OFFSET", "OBSERVED"];

/// Whether something that happened to a source is said at once.
pub(super) fn is_said(happening: &Happening) -> bool {
    SAID.contains(&happening.code)
}

/// Reads this process once per window, and takes what sources saw on their threads.
pub(super) struct Observer {
    watch: Watch,
    before: Option<(watch::Reading, Nanos)>,
    neighbours: Neighbours,
    watcher: Watcher,
}

impl Observer {
    /// Begins to watch, on the run's clock.
    pub(super) fn start(plan: &Plan, run: &Run, tap: &Tap) -> Self {
        let origins = preflight::origins(plan).unwrap_or_default();
        let served = need::port_here(plan, &origins);
        let mut neighbours = Neighbours::new(Path::new("/"), served);
        neighbours.poll(run.now(), run.times().hold);
        Self {
            watch: Watch::new(Path::new("/")),
            before: None,
            neighbours,
            watcher: Watcher::start(open_all(&plan.observe, served, tap), run.clock()),
        }
    }

    /// What was seen since the last call.
    pub(super) fn observe(&mut self, run: &Run) -> Seen {
        let mut resources = self.own(run.now());
        self.neighbours.poll(run.now(), run.times().hold);
        let seen = self.watcher.drain();
        resources.extend(seen.resources);
        Seen { resources, ..seen }
    }

    /// Ends all watching; what was seen until then. Takes as long as a source that is being read, a few seconds at most.
    pub(super) fn stop(&mut self) -> Seen {
        self.watcher.stop()
    }

    /// What else used the processors of this host in the hold, as lines of the end.
    pub(super) fn beside(&mut self, at: Nanos, hold: (Nanos, Nanos)) -> Vec<Resource> {
        self.neighbours.look_last(at, hold);
        self.neighbours.used().map_or_else(Vec::new, |used| beside::lines(at, &used))
    }

    /// What this process uses.
    fn own(&mut self, now: Nanos) -> Vec<Resource> {
        let reading = self.watch.read(now);
        let limit = self.watch.ports_limit().filter(|_| self.before.is_none());
        let limit = limit.map(|limit| watch::resource(now, "host", figures::PORTS_LIMIT_COUNT, limit as f64));
        let (before, before_at) = self.before.unwrap_or((reading, now));
        self.before = Some((reading, now));
        limit.into_iter().chain(reading.resources(now, &before, before_at)).collect()
    }
}

/// Writes readings, and counts them in.
pub(super) fn keep(resources: &[Resource], writer: &mut RunWriter, fold: &mut Fold) -> Result<(), StoreError> {
    for resource in resources {
        writer.resource(resource)?;
        fold.resource(resource);
    }
    Ok(())
}
