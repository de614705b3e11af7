//! What else took this host's processors during the hold: steal, a control group, other processes by name.
//!
//! All of `/proc/PID/stat` is read about once a second, less often where that would cost more than one part of a core in
//! [`COST`]. What processes that began and ended between two looks used is known as a sum only.

use std::collections::HashMap;
use std::path::Path;

use nmax_metrics::Nanos;

use super::cgroup;
use super::cpu::{self, Modes};
use super::files::Files;
use super::reading::Pace;
use crate::process::listening::listening_on;
use crate::process::usage::parse_stat;

/// One part of a core in this many: 1 ms a second. It runs on a processor that a worker may need.
const COST: u64 = 1_000;
/// Least time between two looks.
const APART: Nanos = Nanos(500_000_000);
/// Processes that are named, those that used most; the target's always.
const NAMED_MAX: usize = 5;
/// Names that are told apart while the run goes on.
const NAMES_MAX: usize = 10_000;

/// What this process could not have, since it was first looked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Used {
    /// Length of what was looked at, s.
    pub span_s: f64,
    /// Processors of the host.
    pub cores: f64,
    /// Processors that the machine below took away, on average.
    pub steal_cores: f64,
    /// Idle processors, on average.
    pub idle_cores: f64,
    /// Processors that this process used, on average.
    pub own_cores: f64,
    /// Time for which the quota of this process's control group held it back, s.
    pub throttled_s: Option<f64>,
    /// Time for which the control group was frozen, s.
    pub frozen_s: Option<f64>,
    /// Other processes by name: processors used on average, those that used most first.
    pub processes: Vec<(String, f64)>,
    /// Processors used by all others that are not named here: small ones, and those that ended between two looks.
    pub others_cores: f64,
    /// Name of the process that serves the target's port.
    pub target: Option<String>,
}

/// Looks at the processes of a host again and again.
#[derive(Debug)]
pub struct Neighbours {
    files: Files,
    own: u32,
    levels: Vec<String>,
    target: Option<String>,
    pace: Pace,
    before: Option<Moment>,
    sums: Sums,
}

/// Everything at one instant, counted since the system began.
#[derive(Clone, Debug)]
struct Moment {
    at: Nanos,
    modes: Modes,
    cores: usize,
    own_s: f64,
    throttled_us: Option<u64>,
    frozen_us: Option<u64>,
    /// Begin and CPU time by number.
    processes: HashMap<u32, (f64, f64, String)>,
}

/// Growth over all looks that count.
#[derive(Debug, Default)]
struct Sums {
    span_s: f64,
    ticks: u64,
    steal: u64,
    idle: u64,
    busy: u64,
    cores: usize,
    own_s: f64,
    throttled_us: Option<u64>,
    frozen_us: Option<u64>,
    processes: HashMap<String, f64>,
}

impl Neighbours {
    /// Below `root`, which is `/` but in tests.
    ///
    /// - `served`: port of the target where it is on this host
    pub fn new(root: &Path, served: Option<u16>) -> Self {
        let mut files = Files::new(root);
        let own = std::process::id();
        let target = served.and_then(|port| listening_on(&mut files, port, own)).map(|(name, _)| name);
        let path = files.read("proc/self/cgroup").ok().and_then(cgroup::parse_path).map(str::to_owned);
        let levels = path.map(|path| cgroup::levels(&files, &path)).unwrap_or_default();
        Self { files, own, levels, target, pace: Pace::new(COST), before: None, sums: Sums::default() }
    }

    /// Looks unless it is too early. What happened since the look before counts if its middle lies in `hold`.
    pub fn poll(&mut self, now: Nanos, hold: (Nanos, Nanos)) {
        if self.before.as_ref().is_some_and(|before| now.since(before.at) < APART) {
            return;
        }
        let mut pace = self.pace;
        let moment = pace.run(now, || self.moment(now)).flatten();
        self.pace = pace;
        self.add(moment, now, hold);
    }

    /// Looks once more, however early: the load has ended, and a short one has not been looked at twice.
    pub fn look_last(&mut self, now: Nanos, hold: (Nanos, Nanos)) {
        let moment = self.moment(now);
        self.add(moment, now, hold);
    }

    fn add(&mut self, moment: Option<Moment>, now: Nanos, hold: (Nanos, Nanos)) {
        let Some(moment) = moment else { return };
        if let Some(before) = self.before.replace(moment.clone()) {
            let middle = Nanos(before.at.0.midpoint(now.0));
            if (hold.0..hold.1).contains(&middle) {
                self.sums.add(&before, &moment);
            }
        }
    }

    fn moment(&mut self, at: Nanos) -> Option<Moment> {
        let stat = cpu::parse(self.files.read("proc/stat").ok()?);
        let mut processes = HashMap::new();
        for pid in self.files.list("proc")?.iter().filter_map(|name| name.parse::<u32>().ok()) {
            let Ok(text) = self.files.read(&format!("proc/{pid}/stat")) else { continue };
            if let Some((name, usage)) = name_of(text).zip(parse_stat(text)) {
                processes.insert(pid, (usage.began_s, usage.cpu_s, name));
            }
        }
        let mut most = |file: &str, name: &str| {
            let each = self.levels.iter().filter_map(|level| {
                let text = self.files.read(&format!("{level}/{file}")).ok()?;
                cgroup::field(text, name)
            });
            each.max()
        };
        let (throttled_us, frozen_us) = (most("cpu.stat", "throttled_usec"), most("cgroup.stat.local", "frozen_usec"));
        let own_s = processes.remove(&self.own).map_or(0.0, |(_, cpu_s, _)| cpu_s);
        Some(Moment { at, modes: stat.all?, cores: stat.cores.len(), own_s, throttled_us, frozen_us, processes })
    }

    /// What was used in all that counted; `None` where nothing could be read.
    pub fn used(&self) -> Option<Used> {
        let sums = &self.sums;
        if sums.ticks == 0 || sums.span_s <= 0.0 {
            return None;
        }
        let cores = sums.cores.max(1) as f64;
        let part = |ticks: u64| ticks as f64 / sums.ticks as f64 * cores;
        let mut processes: Vec<_> =
            sums.processes.iter().map(|(name, cpu_s)| (name.clone(), cpu_s / sums.span_s)).collect();
        processes.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        let mut place = 0;
        processes.retain(|(name, _)| {
            place += 1;
            place <= NAMED_MAX || self.target.as_ref() == Some(name)
        });
        let own_cores = sums.own_s / sums.span_s;
        let known: f64 = own_cores + processes.iter().map(|(_, cores)| cores).sum::<f64>();
        let seconds = |us: Option<u64>| us.map(|us| us as f64 / 1e6);
        Some(Used {
            span_s: sums.span_s,
            cores,
            steal_cores: part(sums.steal),
            idle_cores: part(sums.idle),
            own_cores,
            throttled_s: seconds(sums.throttled_us),
            frozen_s: seconds(sums.frozen_us),
            others_cores: (part(sums.busy) - known).max(0.0),
            processes,
            target: self.target.clone(),
        })
    }
}

impl Sums {
    fn add(&mut self, before: &Moment, now: &Moment) {
        let Some(spent) = now.modes.since(&before.modes) else { return };
        self.span_s += now.at.since(before.at).as_secs_f64();
        self.ticks += spent.total();
        self.steal += spent.steal;
        self.idle += spent.rest();
        self.busy += spent.busy();
        self.cores = now.cores;
        self.own_s += (now.own_s - before.own_s).max(0.0);
        let grow = |sum: &mut Option<u64>, now: Option<u64>, before: Option<u64>| {
            if let Some(grown) = now.zip(before).and_then(|(now, before)| now.checked_sub(before)) {
                *sum = Some(sum.unwrap_or(0) + grown);
            }
        };
        grow(&mut self.throttled_us, now.throttled_us, before.throttled_us);
        grow(&mut self.frozen_us, now.frozen_us, before.frozen_us);
        for (pid, (began_s, cpu_s, name)) in &now.processes {
            // Whoever was not there at the look before has begun since.
            let known = before.processes.get(pid).filter(|(began, _, _)| began == began_s);
            let used_s = cpu_s - known.map_or(0.0, |(_, cpu_s, _)| *cpu_s);
            if used_s > 0.0 && (self.processes.len() < NAMES_MAX || self.processes.contains_key(name)) {
                *self.processes.entry(name.clone()).or_default() += used_s;
            }
        }
    }
}

/// The name of a process in `/proc/PID/stat`; threads of the kernel without the number of their processor.
fn name_of(stat: &str) -> Option<String> {
    let (name, _) = stat.split_once('(')?.1.rsplit_once(')')?;
    Some(name.split('/').next().unwrap_or(name).to_owned())
}

#[cfg(test)]
mod tests;
