//! Processors of a host: who runs, who waits for one, and whether a limit or a hypervisor takes them away.

use super::look::{Look, name_of};
use super::measured::{Measured, Role};
use super::rules::{
    CGROUP, CPU_BUSY_MIN, CPU_FULL, CPU_ROOM_MAX, CPU_WAITING_MIN, CPU_WAITING_SHARE_MIN, SCHED, STEAL, STEAL_MAX,
    THROTTLED_MAX, USE, figure, percent, rule,
};
use super::system::System;
use super::{Cell, Finding, Kind};
use crate::words::{digits, share};

/// Utilization at which the estimate of the queue stops growing.
const UTILIZATION_MAX: f64 = 0.95;

/// `None` when nothing was read of them.
pub(super) fn measure(look: &Look, system: &System, host: &str) -> Option<Measured> {
    let busy = look.mean(host, "cpu", "busy_cores")?;
    let mut cpu = Measured::new(look, Kind::Cpu, host, "", ("cpu", "busy_cores"));
    let is_injector = host == nmax_plan::plan::INJECTOR;
    let own = if is_injector { system.injector_busy } else { 0.0 };
    let cores = look.mean(host, "cpu", "cores_count").filter(|cores| *cores > 0.0);
    let quota = look.mean(host, "cgroup", "quota_cores").filter(|quota| *quota > 0.0);
    let limit = [cores, quota].into_iter().flatten().reduce(f64::min);
    let rest = (busy - own).max(0.0);
    let waiting = waiting(look, host, busy, limit);
    let own_waiting = if is_injector { system.injector_waiting } else { 0.0 };
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
    let used = if cpu.is_sure { cpu.service } else { busy };
    let waits = cpu.waiting >= CPU_WAITING_MIN && cpu.waiting >= CPU_WAITING_SHARE_MIN * cpu.service;
    let is_busy = limit.is_some_and(|limit| used >= CPU_BUSY_MIN * limit);
    cpu.is_pressed = is_busy || waits || !cpu.rules.is_empty();
    // Strangers may keep processors busy that those who are watched hardly wait for.
    let is_spared = cpu.is_sure && cpu.waiting < CPU_WAITING_SHARE_MIN * cpu.service;
    cpu.has_room = cpu.rules.is_empty() && (utilization < CPU_ROOM_MAX || is_spared);
    saturated(look, host, limit, waiting, &mut cpu);
    cpu.findings.push(Finding {
        kind: "utilization",
        text: said(look, host, busy, own, limit, waiting),
        source: "",
    });
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

/// What of `busy` processors and `waiting` tasks is that of the observed processes, and what is others'; all of it is the
/// system's, perhaps, where none is observed.
fn share_out(look: &Look, cpu: &mut Measured, busy: f64, waiting: f64) {
    let host = cpu.resource.host.clone();
    let processes = look.named(&host, "process");
    (cpu.service, cpu.waiting) = (busy, waiting);
    let Some(used) = look.sum(&host, &processes, "cpu_cores") else {
        cpu.is_sure = false;
        return;
    };
    cpu.service = used.min(busy);
    let part = if busy > 0.0 { cpu.service / busy } else { 0.0 };
    cpu.waiting = look.sum(&host, &processes, "waiting_count").unwrap_or(part * waiting);
    cpu.others = [busy - cpu.service, (waiting - cpu.waiting).max(0.0)];
}

/// Mean number of tasks that wait for a processor: measured by the scheduler, else the larger of what follows from the
/// stall information and from samples of the run queue. The first knows of the host as a whole only: where tasks may run on
/// some processors only, it is too small.
///
/// Of the share of time p in which at least one waits, the number follows as p / (1 − ρ): in M/M/c the queue is
/// geometric while it is not empty, with mean 1 / (1 − ρ).
fn waiting(look: &Look, host: &str, busy: f64, limit: Option<f64>) -> Option<f64> {
    if let Some(waiting) = look.mean(host, "cpu", "waiting_count") {
        return Some(waiting);
    }
    let utilization = (busy / limit?).min(UTILIZATION_MAX);
    let by_stalls = look
        .mean(host, "cpu", "pressure_some_ratio")
        .map(|some| some / (1.0 - utilization));
    let by_samples = look
        .mean(host, "cpu", "running_count")
        .map(|running| (running - busy).max(0.0));
    by_stalls.into_iter().chain(by_samples).reduce(f64::max)
}

/// Limits of control groups that were in the way.
fn throttled(look: &Look, host: &str, cpu: &mut Measured) {
    for group in std::iter::once("cgroup").chain(look.named(host, "cgroup")) {
        let ratio = look
            .mean(host, group, "throttled_ratio")
            .filter(|ratio| *ratio >= THROTTLED_MAX);
        let Some(ratio) = ratio else { continue };
        let name = match name_of(group) {
            "" => "its control group".to_owned(),
            name => format!("the control group of {name}"),
        };
        let quota = look.mean(host, group, "quota_cores");
        let quota = quota.map_or(String::new(), |quota| format!(", its quota is {} cores", digits(quota)));
        cpu.rules.push(rule(
            format!("{name} was throttled in {} of its periods{quota}", share(ratio)),
            CGROUP,
        ));
    }
}

/// Other rules.
fn saturated(look: &Look, host: &str, limit: Option<f64>, waiting: Option<f64>, cpu: &mut Measured) {
    let Some(limit) = limit else { return };
    if let Some(utilization) = cpu.utilization.filter(|utilization| *utilization >= CPU_FULL) {
        cpu.rules.push(rule(
            format!("{} of {} processors were busy", share(utilization), digits(limit)),
            USE,
        ));
    }
    if let Some(waiting) = waiting.filter(|waiting| *waiting >= limit) {
        cpu.rules.push(rule(
            format!(
                "{} tasks waited for {} processors at a time",
                digits(waiting),
                digits(limit)
            ),
            SCHED,
        ));
    }
    if let Some(steal) = look
        .mean(host, "cpu", "steal_cores")
        .filter(|steal| *steal >= STEAL_MAX * limit)
    {
        cpu.rules.push(rule(
            format!(
                "the hypervisor took {} of {} processors away",
                digits(steal),
                digits(limit)
            ),
            STEAL,
        ));
    }
}

fn said(look: &Look, host: &str, busy: f64, own: f64, limit: Option<f64>, waiting: Option<f64>) -> String {
    let of = limit.map_or(String::new(), |limit| format!(" of {}", digits(limit)));
    let mut text = format!("{}{of} cores busy", digits(busy));
    if own > 0.0 {
        text += &format!(", {} of them with the injector itself", digits(own));
    }
    if let Some(waiting) = waiting {
        text += &format!(", {} tasks waiting for one", digits(waiting));
    }
    let processes = look.named(host, "process").into_iter();
    let used = processes.filter_map(|source| Some((name_of(source), look.mean(host, source, "cpu_cores")?)));
    if let Some((name, cores)) = used.max_by(|a, b| a.1.total_cmp(&b.1)) {
        text += &format!("; {name} used {}", digits(cores));
    }
    text
}
