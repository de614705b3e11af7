//! What else used the processors of the injector's host, as lines of `resources.jsonl`.

use nmax_engine::measure::watch::resource;
use nmax_metrics::{Nanos, Resource};
use nmax_observe::host::Used;
use nmax_sources::{BESIDE, figures};

/// Lines of the end of a run.
pub(super) fn lines(at: Nanos, used: &Used) -> Vec<Resource> {
    let sums = [
        (figures::SPAN_S, Some(used.span_s)),
        (figures::HOST_CORES, Some(used.cores)),
        (figures::STEAL_CORES, Some(used.steal_cores)),
        (figures::IDLE_CORES, Some(used.idle_cores)),
        (figures::OWN_CORES, Some(used.own_cores)),
        (figures::OTHERS_CORES, Some(used.others_cores)),
        (figures::THROTTLED_S, used.throttled_s),
        (figures::FROZEN_S, used.frozen_s),
    ];
    let sums = sums.into_iter().filter_map(|(figure, value)| Some(resource(at, BESIDE, figure, value?)));
    let processes = used.processes.iter().map(|(name, cores)| {
        let is_target = used.target.as_ref() == Some(name);
        let figure = if is_target { figures::TARGET_CPU_CORES } else { figures::CPU_CORES };
        resource(at, &format!("{BESIDE} {name}"), figure, *cores)
    });
    sums.chain(processes).collect()
}

#[cfg(test)]
mod tests {
    use nmax_analysis::Fold;
    use nmax_analysis::culprits::{Culprits, Neighbour};
    use nmax_plan::plan::Plan;

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
        let mut fold = Fold::new(&Plan::minimal("http://127.0.0.1:1"), (Nanos::ZERO, Nanos::MAX), None);
        lines(Nanos::from_secs(10), &used).iter().for_each(|line| fold.resource(line));
        let read = fold.injectors[0].facts.culprits.take().unwrap();
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
        fold.resource(&Resource { source: "besides".into(), ..lines(Nanos::ZERO, &used).remove(0) });
        assert_eq!(fold.injectors[0].facts.culprits, None);
    }
}
