//! What else used the processors of the injector's host, as readings at the end of a run tell it.

use nmax_metrics::Resource;

use crate::culprits::{Culprits, Neighbour};

/// Source of sums, and of processes with their name behind it.
pub const SOURCE: &str = "beside";
/// Processors that a process used.
pub const CORES: &str = "cpu_cores";
/// Processors that the target's process used.
pub const TARGET_CORES: &str = "target_cpu_cores";

/// Whether a source of the injector's is one of these.
pub(super) fn is_source(source: &str) -> bool {
    source.strip_prefix(SOURCE).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Takes a reading of such a source.
pub(super) fn take(culprits: &mut Culprits, resource: &Resource) {
    let value = resource.value;
    if let Some(name) = resource.source.strip_prefix(SOURCE).and_then(|rest| rest.strip_prefix(' ')) {
        let is_target = resource.metric == TARGET_CORES;
        return culprits.processes.push(Neighbour { name: name.into(), cores: value, is_target });
    }
    match resource.metric.as_str() {
        "span_s" => culprits.span_s = value,
        "host_cores" => culprits.cores = value,
        "steal_cores" => culprits.steal_cores = value,
        "idle_cores" => culprits.idle_cores = value,
        "own_cores" => culprits.own_cores = value,
        "others_cores" => culprits.others_cores = value,
        "throttled_s" => culprits.throttled_s = value,
        "frozen_s" => culprits.frozen_s = value,
        _ => {}
    }
}
