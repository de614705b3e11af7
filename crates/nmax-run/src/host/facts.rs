//! The facts, from `/proc` and `/sys`.

use std::fs;
use std::path::Path;
use std::time::Duration;

use nmax_engine::measure::watch::memory::{self, Memory};
use nmax_engine::measure::watch::ports::{self, Range, Reuse};

use super::clock;
use super::wake::{Lateness, measure};

/// How long wakes are measured.
const WAKE_LENGTH: Duration = Duration::from_secs(1);

/// What is known of this host.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Host {
    /// Open files that this process may have now.
    pub files_soft: Option<u64>,
    /// Open files that this process may raise its limit to.
    pub files_hard: Option<u64>,
    /// Open files of the whole system: in use, and allowed.
    pub files_system: Option<(u64, u64)>,
    /// Local ports that the system gives out.
    pub ports: Option<Range>,
    /// When ports in TIME_WAIT are given out again.
    pub reuse: Option<Reuse>,
    /// Connections in TIME_WAIT.
    pub time_wait: Option<u64>,
    /// Time in FIN-WAIT-2 of a connection that nobody holds any more, s.
    pub fin_timeout_s: Option<u64>,
    /// Memory within the tightest bound on this process.
    pub memory: Option<Memory>,
    /// Swap in use, bytes.
    pub swap_used_bytes: Option<u64>,
    /// CPUs that this process may run on.
    pub cpus: Option<u64>,
    /// Tasks that ran or waited to run, on average over the last minute.
    pub load: Option<f64>,
    /// Cores' worth of CPU time that its control groups allow it.
    pub quota_cores: Option<f64>,
    /// How the first CPU's frequency is governed.
    pub governor: Option<String>,
    /// What the kernel takes the time from.
    pub clock_source: Option<String>,
    /// Cost of a reading of the clock, ns; measured.
    pub clock_ns: Option<f64>,
    /// How late a thread woke; measured.
    pub wake: Option<Lateness>,
    /// How much later than asked the kernel may wake this process, ns.
    pub timer_slack_ns: Option<u64>,
}

impl Host {
    /// This host, its clock and its timers measured, in a second.
    pub fn here() -> Self {
        Self { clock_ns: Some(clock::reading_ns()), wake: measure(WAKE_LENGTH), ..Self::read(Path::new("/")) }
    }

    /// What can be read below `root`.
    pub fn read(root: &Path) -> Self {
        let text = |path: &str| fs::read_to_string(root.join(path)).ok();
        let word = |path: &str| text(path).map(|text| text.trim().to_owned());
        let number = |path: &str| word(path)?.parse().ok();
        let limits = text("proc/self/limits").unwrap_or_default();
        let (files_soft, files_hard) = open_files(&limits);
        let status = text("proc/self/status").unwrap_or_default();
        Self {
            files_soft,
            files_hard,
            files_system: text("proc/sys/fs/file-nr").as_deref().and_then(system_files),
            ports: ports::range(root),
            reuse: ports::reuse(root),
            time_wait: ports::time_wait(root),
            fin_timeout_s: number("proc/sys/net/ipv4/tcp_fin_timeout"),
            memory: memory::tightest(root),
            swap_used_bytes: text("proc/meminfo").as_deref().and_then(swap_used),
            cpus: status.lines().find_map(|line| line.strip_prefix("Cpus_allowed_list:")).and_then(cpus),
            load: text("proc/loadavg").and_then(|text| text.split_ascii_whitespace().next()?.parse().ok()),
            quota_cores: quota(root),
            governor: word("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
            clock_source: word("sys/devices/system/clocksource/clocksource0/current_clocksource"),
            clock_ns: None,
            wake: None,
            timer_slack_ns: number("proc/self/timerslack_ns"),
        }
    }

    /// Cores that this process can use: those it may run on, or what its quota is worth.
    pub fn cores(&self) -> Option<f64> {
        let cpus = self.cpus.map(|cpus| cpus as f64);
        match (cpus, self.quota_cores) {
            (Some(cpus), Some(quota)) => Some(cpus.min(quota)),
            (cpus, quota) => cpus.or(quota),
        }
    }
}

/// Soft and hard limit; `unlimited` is nothing to run into, and absent.
fn open_files(limits: &str) -> (Option<u64>, Option<u64>) {
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"));
    let mut numbers = line.unwrap_or_default().split_ascii_whitespace();
    let mut number = || numbers.next()?.parse().ok();
    (number(), number())
}

/// In use and allowed, of `fs.file-nr`.
fn system_files(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split_ascii_whitespace();
    Some((numbers.next()?.parse().ok()?, numbers.nth(1)?.parse().ok()?))
}

fn swap_used(meminfo: &str) -> Option<u64> {
    let total = memory::kilobytes(meminfo, "SwapTotal:")?;
    Some(total.saturating_sub(memory::kilobytes(meminfo, "SwapFree:")?))
}

/// How many CPUs a list such as `0-3,8` names.
fn cpus(list: &str) -> Option<u64> {
    let count = |span: &str| {
        let (first, last) = span.split_once('-').unwrap_or((span, span));
        let (first, last): (u64, u64) = (first.trim().parse().ok()?, last.trim().parse().ok()?);
        last.checked_sub(first)?.checked_add(1)
    };
    list.trim().split(',').map(count).try_fold(0_u64, |sum, n| sum.checked_add(n?))
}

/// The smallest `cpu.max` of the control groups, in cores.
fn quota(root: &Path) -> Option<f64> {
    let of_group = |text: String| {
        let (quota, period) = text.trim().split_once(' ')?;
        let (quota, period): (f64, f64) = (quota.parse().ok()?, period.parse().ok()?);
        (period > 0.0).then_some(quota / period)
    };
    let groups = memory::groups(root);
    let texts = groups.iter().filter_map(|group| fs::read_to_string(group.join("cpu.max")).ok());
    texts.filter_map(of_group).reduce(f64::min)
}

#[cfg(test)]
mod tests;
