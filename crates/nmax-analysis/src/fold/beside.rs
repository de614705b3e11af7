//! What else used the processors of the injector's host, as readings at the end of a run tell it.

use nmax_metrics::Resource;
use nmax_sources::{BESIDE, figures};

use crate::culprits::{Culprits, Neighbour};

/// Whether a source of the injector's is one of these.
pub(super) fn is_source(source: &str) -> bool {
    source.strip_prefix(BESIDE).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Takes a reading of such a source.
pub(super) fn take(culprits: &mut Culprits, resource: &Resource) {
    let value = resource.value;
    if let Some(name) = resource.source.strip_prefix(BESIDE).and_then(|rest| rest.strip_prefix(' ')) {
        let is_target = resource.metric == figures::TARGET_CPU_CORES;
        return culprits.processes.push(Neighbour { name: name.into(), cores: value, is_target });
    }
    match figures::named(&resource.metric) {
        Some(figures::SPAN_S) => culprits.span_s = value,
        Some(figures::HOST_CORES) => culprits.cores = value,
        Some(figures::STEAL_CORES) => culprits.steal_cores = value,
        Some(figures::IDLE_CORES) => culprits.idle_cores = value,
        Some(figures::OWN_CORES) => culprits.own_cores = value,
        Some(figures::OTHERS_CORES) => culprits.others_cores = value,
        Some(figures::THROTTLED_S) => culprits.throttled_s = value,
        Some(figures::FROZEN_S) => culprits.frozen_s = value,
        _ => {}
    }
}
