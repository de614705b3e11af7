//! Control groups of version 2: how much processor and memory a group may have, and how often it was held back.

use nmax_sources::{Figure, figures};

use super::files::Files;
use super::pressure;
use super::reading::{HostReading, Previous, growth};

/// Groups above a group that are looked at, itself among them.
const LEVELS_MAX: usize = 8;
/// Where the tree of version 2 may be: alone, or beside version 1.
const TREES: [&str; 2] = ["sys/fs/cgroup", "sys/fs/cgroup/unified"];
/// What is told of pressure within a group, and as which figures.
const PRESSURES: [(&str, Figure, Figure); 3] = [
    ("cpu", figures::CPU_PRESSURE_SOME_RATIO, figures::CPU_PRESSURE_FULL_RATIO),
    ("memory", figures::MEMORY_PRESSURE_SOME_RATIO, figures::MEMORY_PRESSURE_FULL_RATIO),
    ("io", figures::IO_PRESSURE_SOME_RATIO, figures::IO_PRESSURE_FULL_RATIO),
];

/// The path of a process's group in the tree of version 2: the line `0::/path` of `/proc/PID/cgroup`.
pub(crate) fn parse_path(text: &str) -> Option<&str> {
    text.lines().find_map(|line| line.strip_prefix("0::")).map(str::trim_end)
}

/// Whether a tree of version 1 holds the process in a group of its own, where processors or memory may be limited.
fn is_in_version_1(text: &str) -> bool {
    text.lines().any(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(kinds), Some(path)) = (parts.next(), parts.next()) else {
            return false;
        };
        let limits = kinds.split(',').any(|kind| kind == "cpu" || kind == "memory");
        limits && path.trim_end() != "/"
    })
}

/// Cores that a group may use: `quota period` in µs, or `max period`.
fn parse_quota(text: &str) -> Option<f64> {
    let (quota, period) = text.trim().split_once(' ')?;
    let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
    (period > 0.0 && quota > 0.0).then_some(quota / period)
}

/// The number behind a name at the beginning of a line.
pub(super) fn field(text: &str, name: &str) -> Option<u64> {
    let number = |line: &str| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok();
    text.lines().find_map(number)
}

/// A group and those above it, the innermost first.
pub(crate) fn levels(files: &Files, path: &str) -> Vec<String> {
    let is_there = |tree: &str| files.path(&format!("{tree}/cgroup.controllers")).exists();
    let Some(tree) = TREES.into_iter().find(|tree| is_there(tree)) else {
        return Vec::new();
    };
    let mut inner = path.trim_matches('/');
    let mut levels = Vec::new();
    while !inner.is_empty() && levels.len() < LEVELS_MAX {
        levels.push(format!("{tree}/{inner}"));
        inner = inner.rsplit_once('/').map_or("", |(above, _)| above);
    }
    levels.push(tree.to_owned());
    levels
}

/// Memory that a group may still have, bytes: what is left below the tightest limit, caches of files counted as free.
pub(crate) fn available_bytes(files: &mut Files, path: &str) -> Option<u64> {
    let mut least = None;
    for level in levels(files, path) {
        let number = |files: &mut Files, name: &str| -> Option<u64> {
            files.read(&format!("{level}/{name}")).ok()?.trim().parse().ok()
        };
        let Some(limit) = number(files, "memory.max") else {
            continue;
        };
        let Some(used) = number(files, "memory.current") else {
            continue;
        };
        let text = files.read(&format!("{level}/memory.stat")).unwrap_or_default();
        let cached = field(text, "active_file").unwrap_or(0).saturating_add(field(text, "inactive_file").unwrap_or(0));
        let left = limit.saturating_sub(used.saturating_sub(cached));
        least = Some(least.map_or(left, |least: u64| least.min(left)));
    }
    least
}

/// What one level of a group has and used.
#[derive(Clone, Copy, Debug, Default)]
struct Level {
    quota_cores: Option<f64>,
    used_us: Option<u64>,
    periods: Option<u64>,
    throttled: Option<u64>,
    throttled_us: Option<u64>,
    memory_bytes: Option<u64>,
    memory_limit_bytes: Option<u64>,
    oom_kills: Option<u64>,
}

impl Level {
    fn read(files: &mut Files, level: &str) -> Self {
        let quota_cores = files.read(&format!("{level}/cpu.max")).ok().and_then(parse_quota);
        let cpu = files.read(&format!("{level}/cpu.stat")).unwrap_or_default();
        let (used_us, periods) = (field(cpu, "usage_usec"), field(cpu, "nr_periods"));
        let (throttled, throttled_us) = (field(cpu, "nr_throttled"), field(cpu, "throttled_usec"));
        let mut number = |name: &str| files.read(&format!("{level}/{name}")).ok()?.trim().parse().ok();
        let (memory_bytes, memory_limit_bytes) = (number("memory.current"), number("memory.max"));
        let events = files.read(&format!("{level}/memory.events")).unwrap_or_default();
        Self {
            quota_cores,
            used_us,
            periods,
            throttled,
            throttled_us,
            memory_bytes,
            memory_limit_bytes,
            oom_kills: field(events, "oom_kill"),
        }
    }

    /// Whether it can hold anything back.
    fn is_limited(&self) -> bool {
        self.quota_cores.is_some() || self.memory_limit_bytes.is_some()
    }

    fn left_bytes(&self) -> Option<u64> {
        Some(self.memory_limit_bytes?.saturating_sub(self.memory_bytes?))
    }
}

/// A control group over time.
#[derive(Debug)]
pub(super) struct Group {
    pub(super) path: String,
    levels: Vec<String>,
    before: Previous<Vec<Level>>,
    stalled: [Previous<pressure::Stalled>; 3],
}

impl Group {
    pub(super) fn new(files: &Files, path: &str) -> Self {
        Self {
            path: path.to_owned(),
            levels: levels(files, path),
            before: Previous::default(),
            stalled: Default::default(),
        }
    }

    /// That of this process, and what cannot be seen of it.
    pub(super) fn own(look: &mut HostReading<'_>) -> Option<Self> {
        let text = look.files.read("proc/self/cgroup").ok()?.to_owned();
        if is_in_version_1(&text) {
            look.notes
                .note_once("control groups of version 1 are in use here; their limits and throttling are not seen");
        }
        Some(Self::new(look.files, parse_path(&text)?))
    }

    /// Figures of the level that decides: the one with the smallest quota, and the one with the least memory left. A group
    /// that is not limited has none.
    pub(super) fn read(&mut self, look: &mut HostReading<'_>, source: &str) {
        let now: Vec<Level> = self.levels.iter().map(|level| Level::read(look.files, level)).collect();
        let before = self.before.replace(look.now, now.clone());
        if !now.iter().any(Level::is_limited) {
            return;
        }
        let quota = |index: &usize| now[*index].quota_cores;
        let smallest = (0..now.len())
            .filter(|index| quota(index).is_some())
            .min_by(|one, other| quota(one).partial_cmp(&quota(other)).unwrap_or(std::cmp::Ordering::Equal));
        let tightest = (0..now.len()).filter(|index| now[*index].left_bytes().is_some());
        let tightest = now[tightest.min_by_key(|index| now[*index].left_bytes()).unwrap_or(0)];
        let number = |value: Option<u64>| value.map(|value| value as f64);
        let figures = [
            (figures::QUOTA_CORES, smallest.and_then(|index| now[index].quota_cores)),
            (figures::MEMORY_BYTES, number(tightest.memory_bytes)),
            (figures::MEMORY_LIMIT_BYTES, number(tightest.memory_limit_bytes)),
        ];
        look.put_all(source, &figures);
        if let Some((span_s, before)) = before {
            let index = smallest.unwrap_or(0);
            put_rates(look, source, &now[index], &before[index], span_s);
            let kills = growth(now[0].oom_kills, before[0].oom_kills).map(|kills| kills / span_s);
            look.put(source, figures::OOM_KILLS_PER_S, kills);
        }
        self.read_pressure(look, source);
    }

    fn read_pressure(&mut self, look: &mut HostReading<'_>, source: &str) {
        let Some(level) = self.levels.first() else { return };
        for (since, (resource, of_some, of_full)) in self.stalled.iter_mut().zip(PRESSURES) {
            let Ok(text) = look.files.read(&format!("{level}/{resource}.pressure")) else {
                continue;
            };
            let now = pressure::parse(text);
            let Some((span_s, before)) = since.replace(look.now, now) else {
                continue;
            };
            let [some, full] = pressure::ratios(now, before, span_s);
            look.put_all(source, &[(of_some, some), (of_full, full)]);
        }
    }
}

/// What a group used of its processors, and how often it had used up its part of a period.
fn put_rates(look: &mut HostReading<'_>, source: &str, now: &Level, before: &Level, span_s: f64) {
    let per_s = |now, before| growth(now, before).map(|grown_us| grown_us / 1e6 / span_s);
    let throttled = growth(now.throttled, before.throttled);
    let periods = growth(now.periods, before.periods);
    // A group that did not run in any period was held back in none.
    let ratio = throttled.zip(periods).map(|(throttled, periods)| (throttled / periods.max(1.0)).min(1.0));
    let figures = [
        (figures::CPU_CORES, per_s(now.used_us, before.used_us)),
        (figures::THROTTLED_RATIO, ratio),
        (figures::THROTTLED_S_PER_S, per_s(now.throttled_us, before.throttled_us)),
    ];
    look.put_all(source, &figures);
}

#[cfg(test)]
mod tests;
