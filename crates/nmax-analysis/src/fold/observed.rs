//! What observed processes use, in a bounded number of values.

use nmax_metrics::Resource;
use nmax_plan::plan::INJECTOR;

use crate::Observation;

/// What this host is called in the lines of older runs.
pub(super) const LOCAL: &str = "local";
/// Most values of a figure; beyond it every second one is dropped, and so is every second one that comes.
const VALUES_MAX: usize = 7_200;
/// Most figures; agents and pages may tell of any number of processes.
const FIGURES_MAX: usize = 1_000;

/// Figures as they come.
#[derive(Debug, Default)]
pub(super) struct Observed {
    pub(super) all: Vec<Observation>,
    /// How many values came, and one in how many is kept, by figure.
    kept: Vec<(u64, u64)>,
}

impl Observed {
    /// Takes a line about an observed process.
    pub(super) fn take(&mut self, resource: &Resource) {
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
            self.kept.push((0, 1));
            self.all.len() - 1
        });
        let (came, every) = &mut self.kept[index];
        let values = &mut self.all[index].values;
        if came.is_multiple_of(*every) {
            values.push((resource.at, resource.value));
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
    use nmax_metrics::Nanos;

    use super::*;

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
            observed.take(&line);
        }
        assert_eq!(observed.all.len(), FIGURES_MAX);
        line.source = "process p0".into();
        observed.take(&line);
        assert_eq!(observed.all[0].values.len(), 2);
    }

    /// Law: whatever the number of readings, few are kept, evenly spread, the first and nearly the last among them.
    #[test]
    fn a_long_run_keeps_few_values_of_its_whole_length() {
        let mut observed = Observed::default();
        let readings = 100_000_u64;
        for second in 0..readings {
            observed.take(&Resource {
                at: Nanos::from_secs(second),
                host: "local".into(),
                source: "process it".into(),
                metric: "memory_bytes".into(),
                value: second as f64,
                unit: "bytes".into(),
            });
        }
        let values = &observed.all[0].values;
        assert!((VALUES_MAX / 3..=VALUES_MAX).contains(&values.len()), "{}", values.len());
        let steps: Vec<u64> = values.windows(2).map(|pair| pair[1].0.since(pair[0].0).0).collect();
        assert!(steps.iter().all(|step| *step == steps[0]));
        assert_eq!(values[0].1, 0.0);
        assert!(readings as f64 - values.last().unwrap().1 <= 40.0);
    }
}
