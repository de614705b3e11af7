//! What observed processes use, in a bounded number of values.

use nmax_metrics::{Bin, Nanos, Reading};
use nmax_plan::plan::INJECTOR;

use crate::Observation;

/// What this host is called in the lines of older runs.
pub const LOCAL: &str = "local";
/// Narrower bins are of single readings.
const SECOND: Nanos = Nanos::from_secs(1);
/// Most values of a figure; beyond it every second one is dropped, and so is every second one that comes.
const VALUES_MAX: usize = 7_200;
/// Most figures; agents and pages may tell of any number of processes.
const FIGURES_MAX: usize = 1_000;

/// Figures as they come.
#[derive(Debug, Default)]
pub(super) struct Observed {
    pub(super) all: Vec<Observation>,
    /// By figure.
    kept: Vec<Thinned>,
}

/// How the values of a figure came.
#[derive(Debug)]
struct Thinned {
    /// How many did.
    came: u64,
    /// One in how many is kept.
    every: u64,
    /// Number of the bin of the last one, and what it is the mean of.
    last: (u64, Bin),
}

impl Observed {
    /// Takes readings of an observed process. Where bins are wider than a second, their mean is a value.
    pub(super) fn take(&mut self, Reading { resource, bin, .. }: &Reading, width: Nanos) {
        let Some(name) = resource.source.strip_prefix("process ") else {
            return;
        };
        let name = match resource.host.as_str() {
            INJECTOR | LOCAL => name.to_owned(),
            host => format!("{name} on {host}"),
        };
        let known = self.all.iter().position(|one| one.name == name && one.metric == resource.metric);
        if known.is_none() && self.all.len() >= FIGURES_MAX {
            return;
        }
        let index = known.unwrap_or_else(|| {
            self.all.push(Observation { name, metric: resource.metric.clone(), values: Vec::new() });
            self.kept.push(Thinned { came: 0, every: 1, last: (u64::MAX, *bin) });
            self.all.len() - 1
        });
        let Thinned { came, every, last } = &mut self.kept[index];
        let values = &mut self.all[index].values;
        let number = resource.at.0 / width.0;
        if width > SECOND && number == last.0 {
            last.1.merge(bin);
            let is_kept = (*came - 1).is_multiple_of(*every);
            if let (true, Some(mean), Some(value)) = (is_kept, last.1.mean(), values.last_mut()) {
                value.1 = mean;
            }
            return;
        }
        *last = (number, *bin);
        if came.is_multiple_of(*every) {
            values.push((resource.at, bin.mean().unwrap_or(resource.value)));
        }
        *came += 1;
        if values.len() > VALUES_MAX {
            let mut place = 0;
            values.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            *every *= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use nmax_metrics::Resource;

    use super::*;

    fn take(observed: &mut Observed, line: &Resource) {
        observed.take(&Reading::single(line.clone(), SECOND), SECOND);
    }

    /// An agent that makes up processes without end takes no more room, and those from before go on.
    #[test]
    fn processes_without_end_are_bounded() {
        let mut observed = Observed::default();
        let mut line = Resource {
            at: Nanos::ZERO,
            host: "db1".into(),
            source: String::new(),
            metric: "cpu_cores".into(),
            value: 1.0,
            unit: "cores".into(),
        };
        for number in 0..2 * FIGURES_MAX {
            line.source = format!("process p{number}");
            take(&mut observed, &line);
        }
        assert_eq!(observed.all.len(), FIGURES_MAX);
        line.source = "process p0".into();
        take(&mut observed, &line);
        assert_eq!(observed.all[0].values.len(), 2);
    }

    /// Law: whatever the number of readings, few are kept, evenly spread, the first and nearly the last among them.
    #[test]
    fn a_long_run_keeps_few_values_of_its_whole_length() {
        let mut observed = Observed::default();
        let readings = 100_000_u64;
        for second in 0..readings {
            take(
                &mut observed,
                &Resource {
                    at: Nanos::from_secs(second),
                    host: "local".into(),
                    source: "process it".into(),
                    metric: "memory_bytes".into(),
                    value: second as f64,
                    unit: "bytes".into(),
                },
            );
        }
        let values = &observed.all[0].values;
        assert!((VALUES_MAX / 3..=VALUES_MAX).contains(&values.len()), "{}", values.len());
        let steps: Vec<u64> = values.windows(2).map(|pair| pair[1].0.since(pair[0].0).0).collect();
        assert!(steps.iter().all(|step| *step == steps[0]));
        assert_eq!(values[0].1, 0.0);
        assert!(readings as f64 - values.last().unwrap().1 <= 40.0);
    }
}
