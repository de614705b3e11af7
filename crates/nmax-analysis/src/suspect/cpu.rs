//! Processors of a host: who runs, who waits for one, and whether a limit or a hypervisor takes them away.

use nmax_sources::{Figure, figures};

use super::measured::{Measured, Role};
use super::rules::{
    CGROUP, CPU_BUSY_MIN, CPU_FULL, CPU_ROOM_MAX, CPU_WAITING_MIN, CPU_WAITING_SHARE_MIN, SCHED, STEAL, STEAL_MAX,
    THROTTLED_MAX, USE, figure, percent, rule,
};
use super::span_readings::{SpanReadings, name_of};
use super::system::System;
use super::{Cell, Finding, Kind};
use crate::wording::{digits, share};

/// Utilization at which the estimate of the queue stops growing.
const UTILIZATION_MAX: f64 = 0.95;
/// How many times what a control group uses may be that of the processes in it: both are read one after the other.
const INSIDE_MAX: f64 = 1.1;
/// Share of what a control group uses that may be the agent's own.
const AGENT_SHARE_MAX: f64 = 0.5;

/// `None` when nothing was read of them.
pub(super) fn measure(look: &SpanReadings, system: &System, host: &str) -> Option<Measured> {
    let busy = look.mean(host, "cpu", figures::BUSY_CORES)?;
    let mut cpu = Measured::new(look, Kind::Cpu, host, "", ("cpu", figures::BUSY_CORES));
    let (own, own_waiting) = system.injector(host);
    let used = used(look, host, busy);
    let (busy, limit) = (used.busy, used.limit);
    let rest = (busy - own).max(0.0);
    let waiting = waiting(look, host, &used, system.in_flight());
    let rest_waiting = waiting.map_or(0.0, |waiting| (waiting - own_waiting).max(0.0));
    share_out(look, &mut cpu, rest, rest_waiting);
    cpu.utilization = limit.map(|limit| busy / limit);
    cpu.servers = limit.map(|limit| (cpu.service, limit));
    if system.is_of(host) {
        cpu.is_counted = true;
    } else {
        cpu.role = Role::Aside;
    }
    throttled(look, host, &mut cpu);
    let utilization = cpu.utilization.unwrap_or(0.0);
    // Where processes are observed, it is they who must be short of it, not the host.
    let theirs = if cpu.is_sure { cpu.service } else { busy };
    let waits = cpu.waiting >= CPU_WAITING_MIN && cpu.waiting >= CPU_WAITING_SHARE_MIN * cpu.service;
    let is_busy = limit.is_some_and(|limit| theirs >= CPU_BUSY_MIN * limit);
    cpu.is_pressed = is_busy || waits || !cpu.rules.is_empty();
    // Strangers may keep processors busy that those who are watched hardly wait for.
    let is_spared = cpu.is_sure && cpu.waiting < CPU_WAITING_SHARE_MIN * cpu.service;
    cpu.has_room = cpu.rules.is_empty() && (utilization < CPU_ROOM_MAX || is_spared);
    saturated(look, host, &used, waiting, &mut cpu);
    cpu.findings.push(Finding { kind: "utilization", text: said(look, host, &used, own, waiting), source: "" });
    cpu.cells = [
        match limit {
            Some(_) => percent(cpu.utilization),
            None => figure(Some(busy), "cores busy"),
        },
        figure(waiting, "waiting"),
        Cell::None,
    ];
    Some(cpu)
}

/// What is used of what there is.
struct Used {
    /// Processors that are busy, mean.
    busy: f64,
    /// How many there are.
    limit: Option<f64>,
    /// Both are those of the control group that the host was read from.
    is_of_group: bool,
}

/// The host's processors, of which `busy` are; or those of its reader's control group, where that is nearer to its quota.
///
/// In a container `/proc/stat` is that of the whole host: what the neighbors use says nothing of the quota. The group of an
/// agent that is alone in it, or that the observed processes are not in, says nothing of the system.
fn used(look: &SpanReadings, host: &str, busy: f64) -> Used {
    let cores = look.mean(host, "cpu", figures::CORES_COUNT).filter(|cores| *cores > 0.0);
    let quota = look.mean(host, "cgroup", figures::QUOTA_CORES).filter(|quota| *quota > 0.0);
    let of_processes = look.sum(host, &processes(look, host), figures::CPU_CORES).unwrap_or(0.0);
    let of_agent = look.sum(host, &look.named(host, "agent"), figures::COST_CORES).unwrap_or(0.0);
    let is_of_system = |inside: f64| of_processes <= INSIDE_MAX * inside && of_agent <= AGENT_SHARE_MAX * inside;
    let group = quota.zip(look.mean(host, "cgroup", figures::CPU_CORES));
    match group.filter(|(_, inside)| is_of_system(*inside)) {
        Some((quota, inside)) if cores.is_none_or(|cores| inside / quota > busy / cores) => {
            Used { busy: inside, limit: Some(quota), is_of_group: true }
        }
        _ => Used { busy, limit: cores, is_of_group: false },
    }
}

/// Observed processes of a host. Pages tell of the programs that serve them too; these may be the same, so they count where
/// the host's own processes were not read.
pub(super) fn processes<'a>(look: &SpanReadings<'a>, host: &str) -> Vec<&'a str> {
    let all = look.named(host, "process");
    let is_read = |source: &&str| look.track(host, source, figures::THREADS_COUNT).is_some();
    let (read, told): (Vec<&str>, Vec<&str>) = all.into_iter().partition(is_read);
    if read.is_empty() { told } else { read }
}

/// What of `busy` processors and `waiting` tasks is that of the observed processes, and what is others'; all of it is the
/// system's, perhaps, where none is observed.
fn share_out(look: &SpanReadings, cpu: &mut Measured, busy: f64, waiting: f64) {
    let host = cpu.resource.host.clone();
    let processes = processes(look, &host);
    (cpu.service, cpu.waiting) = (busy, waiting);
    let Some(used) = look.sum(&host, &processes, figures::CPU_CORES) else {
        cpu.is_sure = false;
        return;
    };
    cpu.service = used.min(busy);
    let part = if busy > 0.0 { cpu.service / busy } else { 0.0 };
    cpu.waiting = look.sum(&host, &processes, figures::WAITING_COUNT).unwrap_or(part * waiting);
    cpu.others = [busy - cpu.service, (waiting - cpu.waiting).max(0.0)];
}

/// Mean number of tasks that wait for a processor: measured by the scheduler, else what follows from the stall information,
/// else from samples of the run queue. The first knows of the host as a whole only: where tasks may run on some processors
/// only, it is too small. Of a control group it follows from its own stall information, where that is known.
fn waiting(look: &SpanReadings, host: &str, used: &Used, in_flight: f64) -> Option<f64> {
    let by_stalls = |source: &str, figure: Figure, most: f64| {
        let some = look.mean(host, source, figure)?;
        Some(queued(some, used.busy / used.limit?, most))
    };
    let of_group = by_stalls("cgroup", figures::CPU_PRESSURE_SOME_RATIO, in_flight).filter(|_| used.is_of_group);
    if let Some(waiting) = of_group.or_else(|| look.mean(host, "cpu", figures::WAITING_COUNT)) {
        return Some(waiting);
    }
    used.limit?;
    let by_samples = look.mean(host, "cpu", figures::RUNNING_COUNT).map(|running| (running - used.busy).max(0.0));
    by_stalls("cpu", figures::PRESSURE_SOME_RATIO, by_samples.unwrap_or(in_flight)).or(by_samples)
}

/// Mean number that waits, of the share of time in which at least one does.
///
/// ```text
/// N̂ = min(p / (1 − ρ), most), at least p
/// ```
///
/// - p: share of time in which at least one waits, 0 to 1 (`some` of PSI)
/// - ρ: utilization; in M/M/c the queue is geometric while it is not empty, with mean 1 / (1 − ρ)
/// - most: what is known besides: tasks in samples of the run queue without those that run, else requests in the system
///
/// Near ρ = 1 the first says little: an error of 1 % of ρ may double it. O(1).
pub(super) fn queued(some: f64, utilization: f64, most: f64) -> f64 {
    (some / (1.0 - utilization.min(UTILIZATION_MAX))).min(most).max(some)
}

/// Limits of control groups that were in the way.
fn throttled(look: &SpanReadings, host: &str, cpu: &mut Measured) {
    for group in std::iter::once("cgroup").chain(look.named(host, "cgroup")) {
        let ratio = look.mean(host, group, figures::THROTTLED_RATIO).filter(|ratio| *ratio >= THROTTLED_MAX);
        let Some(ratio) = ratio else { continue };
        let name = match name_of(group) {
            "" => "its control group".to_owned(),
            name => format!("the control group of {name}"),
        };
        let quota = look.mean(host, group, figures::QUOTA_CORES);
        let quota = quota.map_or(String::new(), |quota| format!(", its quota is {} cores", digits(quota)));
        cpu.rules.push(rule(format!("{name} was throttled in {} of its periods{quota}", share(ratio)), CGROUP));
    }
}

/// Other rules.
fn saturated(look: &SpanReadings, host: &str, used: &Used, waiting: Option<f64>, cpu: &mut Measured) {
    let Some(limit) = used.limit else { return };
    if let Some(utilization) = cpu.utilization.filter(|utilization| *utilization >= CPU_FULL) {
        let whose = if used.is_of_group { " of its control group" } else { "" };
        cpu.rules.push(rule(format!("{} of {} processors{whose} were busy", share(utilization), digits(limit)), USE));
    }
    if let Some(waiting) = waiting.filter(|waiting| *waiting >= limit) {
        cpu.rules
            .push(rule(format!("{} tasks waited for {} processors at a time", digits(waiting), digits(limit)), SCHED));
    }
    if let Some(steal) = look.mean(host, "cpu", figures::STEAL_CORES).filter(|steal| *steal >= STEAL_MAX * limit) {
        cpu.rules
            .push(rule(format!("the hypervisor took {} of {} processors away", digits(steal), digits(limit)), STEAL));
    }
}

fn said(look: &SpanReadings, host: &str, used: &Used, own: f64, waiting: Option<f64>) -> String {
    let of = used.limit.map_or(String::new(), |limit| format!(" of {}", digits(limit)));
    let whose = if used.is_of_group { " of its control group" } else { "" };
    let mut text = format!("{}{of} cores{whose} busy", digits(used.busy));
    if own > 0.0 {
        text += &format!(", {} of them with the injector itself", digits(own));
    }
    if let Some(waiting) = waiting {
        text += &format!(", {} tasks waiting for one", digits(waiting));
    }
    let processes = processes(look, host).into_iter();
    let each = processes.filter_map(|source| Some((name_of(source), look.mean(host, source, figures::CPU_CORES)?)));
    if let Some((name, cores)) = each.max_by(|a, b| a.1.total_cmp(&b.1)) {
        text += &format!("; {name} used {}", digits(cores));
    }
    text
}
