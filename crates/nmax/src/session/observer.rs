//! The injector watches itself, and the processes that the plan observes.

use std::path::Path;

use nmax_engine::Run;
use nmax_engine::watch::{self, Watch};
use nmax_metrics::Nanos;
use nmax_plan::plan::Plan;
use nmax_store::{RunWriter, StoreError};

use super::processes::Processes;
use crate::tally::Tally;

/// Reads this process and the observed ones once per window.
pub(super) struct Observer {
    watch: Watch,
    processes: Processes,
    before: Option<(watch::Reading, Nanos)>,
}

impl Observer {
    pub(super) fn new(plan: &Plan) -> Self {
        Self {
            processes: Processes::new(Path::new("/"), &plan.observe),
            watch: Watch::new(Path::new("/")),
            before: None,
        }
    }

    /// Writes down what this process, its host and the observed processes use.
    pub(super) fn observe(&mut self, writer: &mut RunWriter, tally: &mut Tally, run: &Run) -> Result<(), StoreError> {
        let now = run.now();
        let reading = self.watch.read(now);
        if self.before.is_none()
            && let Some(limit) = self.watch.ports_limit()
        {
            let limit = watch::resource(now, "host", "ports_limit_count", limit as f64, "count");
            writer.resource(&limit)?;
            tally.resource(&limit);
        }
        let (before, before_at) = self.before.unwrap_or((reading, now));
        self.before = Some((reading, now));
        for resource in reading.resources(now, &before, before_at) {
            writer.resource(&resource)?;
            tally.resource(&resource);
        }
        let (lines, changes) = self.processes.read(now);
        for resource in lines {
            writer.resource(&resource)?;
            tally.resource(&resource);
        }
        for change in changes {
            writer.event(now, "OBSERVED", &change)?;
            tally.event(now, "OBSERVED", &change);
        }
        Ok(())
    }
}
