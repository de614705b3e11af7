//! The host alone: what its limits mean for load testing.

use nmax_engine::measure::watch::ports::{Range, Reuse, TIME_WAIT_S};
use nmax_report::number::{bytes, count, digits, share};

use super::{Finding, Host, Level};

/// Fewer open files than this are little for a load test.
const FILES_FEW: u64 = 10_000;
/// Local ports below Linux' own default range.
const PORTS_FEW: u64 = 28_000;
/// Share of the ports in TIME_WAIT from which they are in the way of a run.
const TIME_WAIT_SHARE: f64 = 0.5;
/// Share of the system's open files in use from which the next ones are in danger.
const SYSTEM_FILES_SHARE: f64 = 0.9;
/// Available memory below which a run is likely to be INVALID, and surely.
const MEMORY_SHARES: (f64, f64) = (0.1, nmax_analysis::gates::MEMORY_SHARE_MIN);
/// Tasks per CPU, of the last minute, from which a worker is likely to wait for its own.
const LOAD_PER_CPU_MAX: f64 = 0.5;
/// A thread that wakes later than this at p99 hides the p99 of targets that answer within 10 ms, ns.
const WAKE_NS_MAX: f64 = 1e6;
/// A clock reading that costs more than this is a system call, ns.
const CLOCK_NS_MAX: f64 = 200.0;
/// Clocks that are read through the bus, in a microsecond or so.
const SLOW_CLOCKS: [&str; 3] = ["acpi_pm", "hpet", "jiffies"];
/// Widest range of local ports, below which servers listen.
pub(super) const WIDEN_PORTS: &str = "sysctl -w net.ipv4.ip_local_port_range='10000 65535'";
/// Gives ports in TIME_WAIT out again.
pub(super) const REUSE_PORTS: &str = "sysctl -w net.ipv4.tcp_tw_reuse=1";

/// Everything that is known of the host; what is not known is left out.
pub fn checks(host: &Host) -> Vec<Finding> {
    [
        files(host),
        system_files(host),
        host.ports.as_ref().map(ports),
        host.reuse.map(reuse),
        time_wait(host),
        fin_timeout(host),
        memory(host),
        swap(host),
        cores(host),
        busy(host),
        governor(host),
        clock(host),
        timer_slack(host),
        wake(host),
    ]
    .into_iter()
    .flatten()
    .collect()
}

fn finding(code: &'static str, what: &'static str, value: String, meaning: impl Into<String>) -> Finding {
    Finding {
        code,
        level: Level::Ok,
        what,
        value,
        meaning: meaning.into(),
        figure: None,
        limit: None,
        remedy: String::new(),
    }
}

impl Finding {
    /// With its numbers.
    pub(super) fn with(self, figure: f64, limit: Option<f64>) -> Self {
        Self { figure: Some(figure), limit, ..self }
    }

    /// Raised to `level` when `is_so`, with what to do about it.
    fn raised(self, is_so: bool, level: Level, remedy: impl Into<String>) -> Self {
        if !is_so || level < self.level {
            return self;
        }
        Self { level, remedy: remedy.into(), ..self }
    }
}

fn files(host: &Host) -> Option<Finding> {
    let hard = host.files_hard.or(host.files_soft)?;
    let soft = host.files_soft.filter(|soft| *soft < hard);
    let value = soft.map_or_else(|| count(hard), |soft| format!("{} (soft {})", count(hard), count(soft)));
    let meaning = "connections that may be open at once; nmax raises the soft limit itself";
    let remedy = "raise the hard limit: `ulimit -Hn 1048576` as root, `nofile` in /etc/security/limits.conf, or \
                  LimitNOFILE= of the service";
    let found = finding("OPEN_FILES", "open files", value, meaning).with(hard as f64, None);
    Some(found.raised(hard < FILES_FEW, Level::Warning, remedy))
}

fn system_files(host: &Host) -> Option<Finding> {
    let (used, most) = host.files_system?;
    // The kernel's largest number stands for no limit.
    let value = if most > i64::MAX as u64 / 2 {
        format!("{} in use, no limit", count(used))
    } else {
        format!("{} of {}", count(used), count(most))
    };
    let found = finding("SYSTEM_FILES", "system files", value, "open files of all processes together");
    let is_tight = used as f64 >= SYSTEM_FILES_SHARE * most as f64;
    let found = found.with(used as f64, Some(most as f64));
    Some(found.raised(is_tight, Level::Warning, "raise it: `sysctl -w fs.file-max=2097152`"))
}

fn ports(range: &Range) -> Finding {
    let ports = range.count();
    let value = format!("{} ({} to {})", count(ports), range.first, range.last);
    let meaning = format!(
        "connections at once from one address to one destination; when nmax closes first, {} new {} per second for \
         long, as each port rests for {TIME_WAIT_S} s",
        count(ports / TIME_WAIT_S),
        if ports / TIME_WAIT_S == 1 { "one" } else { "ones" }
    );
    let remedy = format!("widen the range: `{WIDEN_PORTS}`, or leave from more addresses: `--source`");
    finding("LOCAL_PORTS", "local ports", value, meaning).with(ports as f64, None).raised(
        ports < PORTS_FEW,
        Level::Warning,
        remedy,
    )
}

fn reuse(reuse: Reuse) -> Finding {
    let (value, figure, meaning) = match reuse {
        Reuse::Never => ("never", 0.0, "ports in TIME_WAIT rest for the whole 60 s"),
        Reuse::Always => ("always", 1.0, "ports in TIME_WAIT are given out again after one second"),
        Reuse::Loopback => (
            "loopback",
            2.0,
            "on the loopback, ports in TIME_WAIT are given out again after one second; elsewhere they rest for 60 s",
        ),
    };
    let remedy = format!("for many new connections per second: `{REUSE_PORTS}`");
    finding("PORT_REUSE", "port reuse", value.into(), meaning).with(figure, None).raised(
        reuse != Reuse::Always,
        Level::Note,
        remedy,
    )
}

fn time_wait(host: &Host) -> Option<Finding> {
    let waiting = host.time_wait?;
    let ports = host.ports.as_ref().map(Range::count);
    let is_many = ports.is_some_and(|ports| waiting as f64 >= TIME_WAIT_SHARE * ports as f64);
    let meaning = "closed connections of all processes that still hold their port";
    let found = finding("TIME_WAIT", "TIME_WAIT", count(waiting), meaning);
    let found = found.with(waiting as f64, ports.map(|ports| ports as f64));
    let remedy = "wait a minute before the run: what ran before holds these ports";
    Some(found.raised(is_many, Level::Warning, remedy))
}

fn fin_timeout(host: &Host) -> Option<Finding> {
    let seconds = host.fin_timeout_s?;
    let meaning = "how long a server that never closes its side is waited for; it does not shorten TIME_WAIT";
    let found = finding("FIN_TIMEOUT", "FIN timeout", format!("{seconds} s"), meaning);
    Some(found.with(seconds as f64, None))
}

fn memory(host: &Host) -> Option<Finding> {
    let memory = host.memory?;
    let available = memory.available_ratio();
    let value = format!("{} of {}", bytes(memory.available_bytes as f64), bytes(memory.total_bytes as f64));
    let meaning = format!("available to nmax; a run with less than {} of it free is INVALID", share(MEMORY_SHARES.1));
    let remedy = "end other programs, or use a larger machine";
    let found = finding("MEMORY", "memory", value, meaning);
    let found = found.with(memory.available_bytes as f64, Some(memory.total_bytes as f64));
    let found = found.raised(available < MEMORY_SHARES.0, Level::Warning, remedy);
    Some(found.raised(available < MEMORY_SHARES.1, Level::Error, remedy))
}

fn swap(host: &Host) -> Option<Finding> {
    let used = host.swap_used_bytes?;
    let meaning = "memory on disk; a run whose own memory goes there is INVALID";
    let found = finding("SWAP", "swap in use", bytes(used as f64), meaning).with(used as f64, None);
    Some(found.raised(used > 0, Level::Note, "for measurements: `swapoff -a`"))
}

fn cores(host: &Host) -> Option<Finding> {
    let cpus = host.cpus?;
    let Some(quota) = host.quota_cores.filter(|quota| *quota < cpus as f64) else {
        let meaning = "workers run on them, one each; leave one to the system where it matters";
        return Some(finding("CORES", "cores", count(cpus), meaning).with(cpus as f64, None));
    };
    let value = format!("{} of {}", digits(quota), count(cpus));
    let meaning = "the control group gives less CPU time than there are CPUs: the kernel stops the process for \
                   milliseconds, which shows as injector lag";
    let workers = (quota.floor() as u64).max(1);
    let remedy = format!("`--workers {workers}`, or a larger `cpu.max` (Kubernetes: no CPU limit)");
    let found = finding("CORES", "cores", value, meaning).with(quota, Some(cpus as f64));
    Some(found.raised(true, Level::Warning, remedy))
}

fn busy(host: &Host) -> Option<Finding> {
    let (load, cpus) = (host.load?, host.cpus? as f64);
    let value = format!("{} tasks on {} CPUs", digits(load), count(cpus as u64));
    let meaning = "tasks that ran or waited to run, on average over the last minute; where other programs take the CPUs, \
                   requests leave late, and a run is INVALID";
    let remedy = "end what else runs here, or wait a minute if it has ended; a lower `nice` helps little";
    let found = finding("BUSY", "load average", value, meaning).with(load, Some(LOAD_PER_CPU_MAX * cpus));
    Some(found.raised(load > LOAD_PER_CPU_MAX * cpus, Level::Warning, remedy))
}

fn governor(host: &Host) -> Option<Finding> {
    let governor = host.governor.clone()?;
    let is_fast = governor == "performance";
    let meaning = "how the CPU's frequency is chosen; with others than `performance` short idle times slow it down";
    let found = finding("GOVERNOR", "CPU governor", governor, meaning);
    Some(found.raised(!is_fast, Level::Note, "for measurements: `cpupower frequency-set -g performance`"))
}

fn clock(host: &Host) -> Option<Finding> {
    let source = host.clock_source.clone();
    let is_slow = source.as_deref().is_some_and(|source| SLOW_CLOCKS.contains(&source))
        || host.clock_ns.is_some_and(|ns| ns > CLOCK_NS_MAX);
    let cost = host.clock_ns.map(|ns| format!("{} ns a reading", digits(ns)));
    let value = match (source, cost) {
        (Some(source), Some(cost)) => format!("{source}, {cost}"),
        (source, cost) => source.or(cost)?,
    };
    let meaning = "each exchange reads the clock a few times";
    let remedy = "a slow clock costs a core its rate: see /sys/devices/system/clocksource/clocksource0/\
                  available_clocksource for tsc or kvm-clock, or use another machine";
    let found = Finding {
        figure: host.clock_ns,
        limit: host.clock_ns.map(|_| CLOCK_NS_MAX),
        ..finding("CLOCK", "clock", value, meaning)
    };
    Some(found.raised(is_slow, Level::Warning, remedy))
}

fn timer_slack(host: &Host) -> Option<Finding> {
    let slack_ns = host.timer_slack_ns?;
    let value = format!("{} µs", digits(slack_ns as f64 / 1e3));
    let meaning = "how late the kernel may wake a process; nmax sets it to 1 ns for its workers";
    Some(finding("TIMER_SLACK", "timer slack", value, meaning).with(slack_ns as f64, None))
}

fn wake(host: &Host) -> Option<Finding> {
    let late = host.wake?;
    let found = finding("WAKE", "wakes", late.value(), late.meaning()).with(late.p99_ns as f64, Some(WAKE_NS_MAX));
    let remedy = "end what else runs here; on a virtual machine, use one with dedicated cores, or another machine";
    Some(found.raised(late.p99_ns as f64 > WAKE_NS_MAX, Level::Warning, remedy))
}

#[cfg(test)]
mod tests;
