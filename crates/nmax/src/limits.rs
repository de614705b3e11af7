//! Open files of this process: as many as the system allows, and enough for the plan.

use nmax_plan::plan::{Plan, Workload};
use nmax_plan::schedule::Closed;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Open files besides one connection per iteration in flight: the run's directory, runtimes, names being resolved.
const OTHER_FILES: u64 = 100;

/// Raises the soft limit of open files to the hard one. Where that is refused, the old limit stays.
pub fn raise() {
    let maximum = getrlimit(Resource::Nofile).maximum;
    let _ = setrlimit(
        Resource::Nofile,
        Rlimit {
            current: maximum,
            maximum,
        },
    );
}

/// Whether the plan fits into `limit` open files (`None`: no limit). Virtual users of a closed workload surely need
/// theirs, or it is an error; an open workload may stay far below its most iterations in flight, so it gets a warning.
pub fn fits(plan: &Plan, limit: Option<u64>) -> Result<Option<String>, String> {
    let Some(limit) = limit else { return Ok(None) };
    let (most, what) = match &plan.workload {
        Workload::Open { max_in_flight, .. } => (u64::from(*max_in_flight), "iterations in flight"),
        Workload::Closed { .. } => {
            let vus = Closed::new(&plan.stages).map_or(0, |schedule| schedule.vus_max());
            (vus, "virtual users")
        }
    };
    let most = plan.iterations.map_or(most, |iterations| most.min(iterations));
    let need = most.saturating_add(OTHER_FILES);
    if need <= limit {
        return Ok(None);
    }
    let says = |may: &str| {
        format!(
            "{most} {what} {may} {need} open files, but this process may have {limit}\n  \
             help: raise its limit with `ulimit -n {need}`, or use fewer {what}"
        )
    };
    match plan.workload {
        Workload::Open { .. } => Ok(Some(says("may need"))),
        Workload::Closed { .. } => Err(says("need")),
    }
}

/// Limit of open files as it is now; `None` when there is none.
pub fn open_files() -> Option<u64> {
    getrlimit(Resource::Nofile).current
}
