//! What else used the processors of the injector's host, as lines of `resources.jsonl` and read back from them.

use nmax_analysis::culprits::{Culprits, Neighbour};
use nmax_metrics::{Nanos, Resource};
use nmax_observe::host::Used;
use nmax_plan::plan::INJECTOR;

/// Source of sums, and of processes with their name behind it.
const SOURCE: &str = "beside";
/// Processors that a process used, and those of the target's.
const CORES: &str = "cpu_cores";
const TARGET_CORES: &str = "target_cpu_cores";

/// Lines of the end of a run.
pub(crate) fn lines(at: Nanos, used: &Used) -> Vec<Resource> {
    let line = |source: String, metric: &str, value: f64, unit: &str| Resource {
        at,
        host: INJECTOR.into(),
        source,
        metric: metric.into(),
        value,
        unit: unit.into(),
    };
    let sums = [
        ("span_s", Some(used.span_s), "s"),
        ("host_cores", Some(used.cores), "cores"),
        ("steal_cores", Some(used.steal_cores), "cores"),
        ("idle_cores", Some(used.idle_cores), "cores"),
        ("own_cores", Some(used.own_cores), "cores"),
        ("others_cores", Some(used.others_cores), "cores"),
        ("throttled_s", used.throttled_s, "s"),
        ("frozen_s", used.frozen_s, "s"),
    ];
    let sums = sums.into_iter().filter_map(|(metric, value, unit)| Some(line(SOURCE.into(), metric, value?, unit)));
    let processes = used.processes.iter().map(|(name, cores)| {
        let metric = if used.target.as_ref() == Some(name) { TARGET_CORES } else { CORES };
        line(format!("{SOURCE} {name}"), metric, *cores, "cores")
    });
    sums.chain(processes).collect()
}

/// Whether a line is one of these.
pub(crate) fn is_line(resource: &Resource) -> bool {
    resource.host == INJECTOR
        && resource.source.strip_prefix(SOURCE).is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
}

/// Takes one of these lines.
pub(crate) fn take(culprits: &mut Culprits, resource: &Resource) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// What is stored reads back as it was, the target's process told apart.
    #[test]
    fn what_is_written_is_read() {
        let used = Used {
            span_s: 9.0,
            cores: 2.0,
            steal_cores: 0.2,
            idle_cores: 0.5,
            own_cores: 0.4,
            throttled_s: Some(0.1),
            frozen_s: None,
            processes: vec![("nginx".into(), 0.6), ("cc1 (x)".into(), 0.25)],
            others_cores: 0.05,
            target: Some("nginx".into()),
        };
        let mut read = Culprits::default();
        for line in lines(Nanos::from_secs(10), &used) {
            assert!(is_line(&line), "{line:?}");
            take(&mut read, &line);
        }
        let process = |name: &str, cores, is_target| Neighbour { name: name.into(), cores, is_target };
        let want = Culprits {
            span_s: 9.0,
            cores: 2.0,
            steal_cores: 0.2,
            idle_cores: 0.5,
            own_cores: 0.4,
            throttled_s: 0.1,
            frozen_s: 0.0,
            processes: vec![process("nginx", 0.6, true), process("cc1 (x)", 0.25, false)],
            others_cores: 0.05,
        };
        assert_eq!(read, want);
        let other = Resource { source: "besides".into(), ..lines(Nanos::ZERO, &used).remove(0) };
        assert!(!is_line(&other));
    }
}
