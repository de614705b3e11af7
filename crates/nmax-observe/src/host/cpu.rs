//! Processors: time by mode, tasks that run and wait, load.

use nmax_sources::figures;

use super::files::{Absence, CachedFile};
use super::reading::{HostReading, Previous};
use super::waits::Waits;

/// Processors that are shown one by one; the rest is in the total only.
const CORES_MAX: usize = 128;
/// The part of a core that looking at each thread may take: one in this many.
const THREADS_COST: u64 = 1_000;
/// Where the scheduler tells how long tasks waited for each processor.
const SCHEDSTAT: &str = "/proc/schedstat";

/// Time of one processor or of all by mode, hundredths of a second.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Modes {
    user: u64,
    system: u64,
    idle: u64,
    iowait: u64,
    irq: u64,
    pub(super) steal: u64,
}

impl Modes {
    /// Fields of a line of `/proc/stat` behind its name (proc_stat(5)); those that an old kernel does not have are 0.
    /// Time of guests is in that of users already.
    fn parse<'a>(words: impl Iterator<Item = &'a str>) -> Option<Self> {
        let mut all = [0_u64; 8];
        let mut known = 0;
        for (field, word) in all.iter_mut().zip(words) {
            *field = word.parse().ok()?;
            known += 1;
        }
        let [user, nice, system, idle, iowait, irq, softirq, steal] = all;
        (known >= 4).then_some(Self {
            user: user.saturating_add(nice),
            system,
            idle,
            iowait,
            irq: irq.saturating_add(softirq),
            steal,
        })
    }

    fn each(&self) -> [u64; 6] {
        [self.user, self.system, self.idle, self.iowait, self.irq, self.steal]
    }

    pub(super) fn total(&self) -> u64 {
        self.each().into_iter().fold(0, u64::saturating_add)
    }

    /// What each mode grew by. Idle time and that of waiting for disks go back by a hundredth at times; that is none.
    /// `None` when the whole went back or stood still.
    pub(super) fn since(&self, before: &Self) -> Option<Self> {
        self.total().checked_sub(before.total()).filter(|total| *total > 0)?;
        Some(Self {
            user: self.user.saturating_sub(before.user),
            system: self.system.saturating_sub(before.system),
            idle: self.idle.saturating_sub(before.idle),
            iowait: self.iowait.saturating_sub(before.iowait),
            irq: self.irq.saturating_sub(before.irq),
            steal: self.steal.saturating_sub(before.steal),
        })
    }

    /// Neither idle nor waiting for a disk nor taken away by the machine below.
    pub(super) fn busy(&self) -> u64 {
        self.user.saturating_add(self.system).saturating_add(self.irq)
    }

    /// Idle, or idle while a disk is waited for.
    pub(super) fn rest(&self) -> u64 {
        self.idle.saturating_add(self.iowait)
    }
}

/// `/proc/stat`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Stat {
    pub(super) all: Option<Modes>,
    pub(super) cores: Vec<(u32, Modes)>,
    running: Option<u64>,
    blocked: Option<u64>,
}

pub(super) fn parse(text: &str) -> Stat {
    let mut stat = Stat::default();
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        let Some(name) = words.next() else { continue };
        match name {
            "cpu" => stat.all = Modes::parse(words),
            "procs_running" => stat.running = words.next().and_then(|word| word.parse().ok()),
            "procs_blocked" => stat.blocked = words.next().and_then(|word| word.parse().ok()),
            _ => {
                let number = name.strip_prefix("cpu").and_then(|number| number.parse().ok());
                let core = number.and_then(|number| Some((number, Modes::parse(words)?)));
                stat.cores.extend(core);
            }
        }
    }
    stat
}

/// The first of the three means in `/proc/loadavg`.
fn parse_load(text: &str) -> Option<f64> {
    let load: f64 = text.split_ascii_whitespace().next()?.parse().ok()?;
    (load >= 0.0).then_some(load)
}

/// Time that all tasks were ready to run and waited for a processor, ns: the eighth number of each line `cpuN` of
/// `/proc/schedstat` (kernel: `Documentation/scheduler/sched-stats.rst`). `Some(None)`: the counters are switched off.
fn parse_waits(text: &str) -> Option<Option<u64>> {
    let (mut all, mut ran, mut is_any) = (0_u64, false, false);
    for line in text.lines().filter(|line| line.starts_with("cpu")) {
        let mut numbers = line.split_ascii_whitespace().skip(7).map(str::parse::<u64>);
        let (Some(Ok(run)), Some(Ok(wait))) = (numbers.next(), numbers.next()) else {
            continue;
        };
        is_any = true;
        ran |= run > 0;
        all = all.saturating_add(wait);
    }
    is_any.then_some(ran.then_some(all))
}

/// All processors.
#[derive(Debug)]
pub(super) struct Cpu {
    stat: CachedFile,
    load: CachedFile,
    schedule: CachedFile,
    before: Previous<Stat>,
    waits: Previous<u64>,
    /// In place of the scheduler's own sums, where there are none.
    by_thread: Waits,
}

impl Cpu {
    pub(super) fn new() -> Self {
        Self {
            stat: CachedFile::new("proc/stat"),
            load: CachedFile::new("proc/loadavg"),
            schedule: CachedFile::new("proc/schedstat"),
            before: Previous::default(),
            waits: Previous::default(),
            by_thread: Waits::new(THREADS_COST),
        }
    }

    pub(super) fn read(&mut self, look: &mut HostReading<'_>) {
        if let Ok(stat) = self.stat.read(look.files).map(parse) {
            self.show(look, stat);
        }
        let load = self.load.read(look.files).ok().and_then(parse_load);
        look.put("cpu", figures::LOAD1, load);
        self.read_waits(look);
    }

    fn show(&mut self, look: &mut HostReading<'_>, stat: Stat) {
        let cores = stat.cores.len() as f64;
        // The one that reads is running while it does.
        let running = stat.running.map(|running| running.saturating_sub(1) as f64);
        look.put("cpu", figures::CORES_COUNT, (cores > 0.0).then_some(cores));
        look.put("cpu", figures::RUNNING_COUNT, running);
        look.put("cpu", figures::BLOCKED_COUNT, stat.blocked.map(|count| count as f64));
        let now = look.now;
        let (all, shown) = (stat.all, stat.cores.clone());
        let Some((_, before)) = self.before.replace(now, stat) else {
            return;
        };
        if let Some(spent) = all.zip(before.all).and_then(|(all, before)| all.since(&before)) {
            let total = spent.each().into_iter().fold(0, u64::saturating_add).max(1) as f64;
            let part = |ticks: u64| Some(ticks as f64 / total * cores);
            let figures = [
                (figures::BUSY_CORES, part(spent.busy())),
                (figures::USER_CORES, part(spent.user)),
                (figures::SYSTEM_CORES, part(spent.system)),
                (figures::IOWAIT_CORES, part(spent.iowait)),
                (figures::IRQ_CORES, part(spent.irq)),
                (figures::STEAL_CORES, part(spent.steal)),
            ];
            look.put_all("cpu", &figures);
        }
        for (number, modes) in shown.iter().take(CORES_MAX) {
            let known = before.cores.iter().find(|(known, _)| known == number);
            let spent = known.and_then(|(_, before)| modes.since(before));
            let ratio = spent.map(|spent| spent.busy() as f64 / spent.total().max(1) as f64);
            look.put(&format!("cpu {number}"), figures::BUSY_RATIO, ratio);
        }
        if shown.len() > CORES_MAX {
            let text = format!("only the first {CORES_MAX} processors are shown one by one; all are in the total");
            look.notes.note_once(&text);
        }
    }

    /// Mean number of tasks that waited for a processor: time waited per time.
    fn read_waits(&mut self, look: &mut HostReading<'_>) {
        match self.schedule.read(look.files).map(parse_waits) {
            Ok(Some(Some(waits))) => {
                let before = self.waits.replace(look.now, waits);
                let waiting = before.and_then(|(span_s, before)| {
                    let waited_ns = waits.checked_sub(before)? as f64;
                    Some(waited_ns / 1e9 / span_s)
                });
                look.put("cpu", figures::WAITING_COUNT, waiting);
            }
            Ok(Some(None)) => look.notes.note_once(&format!(
                "the scheduler does not count how long tasks wait for a processor ({SCHEDSTAT} has zeros); \
                 `sysctl kernel.sched_schedstats=1` switches it on"
            )),
            Ok(None) | Err(Absence::Missing) => {
                look.notes.note_once(&format!(
                    "this kernel does not tell how long all tasks wait for a processor (no {SCHEDSTAT}); it is added up over \
                     threads, and those that end between two looks are missing"
                ));
                let waiting = self.by_thread.mean(look, |look| {
                    let names = look.files.list("proc").unwrap_or_default();
                    names.iter().filter_map(|name| name.parse().ok()).collect()
                });
                look.put("cpu", figures::WAITING_COUNT, waiting);
            }
            Err(Absence::Forbidden) => look.notes.note_once(&format!("{SCHEDSTAT} may not be read here")),
            Err(Absence::Disabled | Absence::Failed) => {}
        }
    }
}

#[cfg(test)]
mod tests;
