//! Memory of a host: not how full it is, but who waits for it. What swaps waits at the disk, and the disk is not why.

use nmax_sources::{Figure, figures};

use super::measured::{Measured, Role, stalled};
use super::rules::{
    AVAILABLE_MIN, LIMIT_SHARE, MEMORY_FULL_MAX, MEMORY_SOME_MAX, PROC, PSI, SWAP_IN_MAX, figure, percent, rule,
};
use super::span_readings::{SpanReadings, name_of};
use super::system::System;
use super::{Cell, Finding, Kind};
use crate::wording::{digits, share};

/// Pressure on memory: of a host, and of a control group.
const SOME: [Figure; 2] = [figures::PRESSURE_SOME_RATIO, figures::MEMORY_PRESSURE_SOME_RATIO];
const FULL: [Figure; 2] = [figures::PRESSURE_FULL_RATIO, figures::MEMORY_PRESSURE_FULL_RATIO];

/// `None` when nothing was read of it. What is at the `disks` because memory is short, waits for memory.
pub(super) fn measure(look: &SpanReadings, system: &System, host: &str, disks: &[Measured]) -> Option<Measured> {
    let available = look.mean(host, "memory", figures::AVAILABLE_BYTES);
    let some = pressure(look, host, SOME);
    let key = match available {
        Some(_) => figures::AVAILABLE_BYTES,
        None => some.map(|_| figures::PRESSURE_SOME_RATIO)?,
    };
    let mut memory = Measured::new(look, Kind::Memory, host, "", ("memory", key));
    let full = pressure(look, host, FULL);
    let swap_in = look.mean(host, "memory", figures::SWAP_IN_BYTES_PER_S);
    memory.role = if system.is_of(host) { Role::Leaf } else { Role::Aside };
    memory.is_counted = system.is_of(host) && (some.is_some() || swap_in.is_some());
    let by_stalls = some.map_or(0.0, |some| stalled(some, system.in_flight()));
    let by_full = full.map_or(0.0, |full| full * system.in_flight());
    let at_disks: f64 = disks.iter().map(|disk| disk.contained).sum();
    // What is swapped is waited for by whoever needs it; stalls may be another's.
    memory.is_sure = at_disks > 0.0;
    memory.waiting = by_stalls.max(by_full).max(at_disks.min(system.in_flight()));
    let total = look.mean(host, "memory", figures::TOTAL_BYTES).filter(|total| *total > 0.0);
    memory.utilization = available.zip(total).map(|(available, total)| 1.0 - available / total);
    limits(look, host, &mut memory);
    rules(look, host, (some, full, swap_in), &mut memory);
    memory.is_pressed = !memory.rules.is_empty();
    let mut text = memory.utilization.map_or("its size was not read".into(), |used| format!("{} used", share(used)));
    if let Some(some) = some {
        text += &format!(", {} of the time something stalled for it", share(some));
    }
    if at_disks >= 0.005 {
        text += &format!(", {} requests at a time were at its disks for want of it", digits(at_disks));
    }
    memory.findings.push(Finding { kind: "utilization", text, source: "" });
    memory.cells = [
        percent(memory.utilization),
        match some {
            Some(some) => Cell::Observed(format!("{} stalled", share(some))),
            None => figure(swap_in, "bytes/s swapped in"),
        },
        figure(look.mean(host, "memory", figures::OOM_KILLS_PER_S), "kills/s"),
    ];
    if memory.figure.metric == figures::AVAILABLE_BYTES && some.is_some() {
        memory.figure.metric = figures::PRESSURE_SOME_RATIO.name.into();
    }
    Some(memory)
}

/// The largest share of time that anything stalled for memory: on the host, or in a control group of its own.
fn pressure(look: &SpanReadings, host: &str, [of_host, of_group]: [Figure; 2]) -> Option<f64> {
    let groups = std::iter::once("cgroup").chain(look.named(host, "cgroup"));
    let of_groups = groups.filter_map(|group| look.mean(host, group, of_group));
    look.mean(host, "memory", of_host).into_iter().chain(of_groups).reduce(f64::max)
}

/// Control groups at their limit.
fn limits(look: &SpanReadings, host: &str, memory: &mut Measured) {
    for group in std::iter::once("cgroup").chain(look.named(host, "cgroup")) {
        let of = |metric| look.mean(host, group, metric);
        let Some((used, limit)) = of(figures::MEMORY_BYTES).zip(of(figures::MEMORY_LIMIT_BYTES)) else {
            continue;
        };
        if used >= LIMIT_SHARE * limit && memory.waiting > 0.0 {
            let name = if name_of(group).is_empty() { "its control group" } else { name_of(group) };
            let mebibytes = |bytes: f64| digits(bytes / f64::from(1 << 20));
            memory.findings.push(Finding {
                kind: "limit",
                text: format!("{name} uses {} of {} MiB allowed", mebibytes(used), mebibytes(limit)),
                source: super::rules::CGROUP,
            });
        }
    }
}

fn rules(look: &SpanReadings, host: &str, of: (Option<f64>, Option<f64>, Option<f64>), memory: &mut Measured) {
    let (some, full, swap_in) = of;
    if let Some(some) = some.filter(|some| *some >= MEMORY_SOME_MAX) {
        memory.rules.push(rule(format!("something stalled for memory in {} of the time", share(some)), PSI));
    }
    if let Some(full) = full.filter(|full| *full >= MEMORY_FULL_MAX) {
        memory.rules.push(rule(format!("everything stalled for memory in {} of the time", share(full)), PSI));
    }
    if let Some(bytes) = swap_in.filter(|bytes| *bytes > SWAP_IN_MAX) {
        memory.rules.push(rule(format!("{} bytes/s were swapped in", digits(bytes)), PROC));
    }
    if look.max(host, "memory", figures::OOM_KILLS_PER_S).is_some_and(|kills| kills > 0.0) {
        memory.rules.push(rule("the kernel killed processes for want of memory".into(), PROC));
    }
    if memory.utilization.is_some_and(|used| 1.0 - used < AVAILABLE_MIN) {
        let text = format!("less than {} of the memory was available", share(AVAILABLE_MIN));
        memory.rules.push(rule(text, PROC));
    }
}

/// Share of the work of a host's disks that comes of a shortage of memory, 0 to 1.
///
/// Who waits for a page to come back stalls for memory and for I/O at once, who waits for a file stalls for I/O alone.
/// So the share is `some` of memory over `some` of I/O, or that of swapped bytes in all bytes of the disks if larger.
pub(super) fn of_disks(look: &SpanReadings, host: &str) -> f64 {
    let some = pressure(look, host, SOME).filter(|some| *some >= MEMORY_SOME_MAX);
    let swaps_in = look.mean(host, "memory", figures::SWAP_IN_BYTES_PER_S).is_some_and(|bytes| bytes > SWAP_IN_MAX);
    if some.is_none() && !swaps_in {
        return 0.0;
    }
    let sources = super::disk::names(look, host);
    let bytes = [figures::READ_BYTES_PER_S, figures::WRITTEN_BYTES_PER_S];
    let moved: f64 = bytes.into_iter().filter_map(|metric| look.sum(host, &sources, metric)).sum();
    let by_bytes = if moved > 0.0 { swapped_bytes(look, host) / moved } else { 0.0 };
    let by_stalls = match (some, look.mean(host, "io", figures::PRESSURE_SOME_RATIO)) {
        (Some(memory), Some(io)) if io > 0.0 => memory / io,
        _ => 0.0,
    };
    by_bytes.max(by_stalls).clamp(0.0, 1.0)
}

/// Bytes per second that go to and come from swap.
pub(super) fn swapped_bytes(look: &SpanReadings, host: &str) -> f64 {
    let of = |metric| look.mean(host, "memory", metric).unwrap_or(0.0);
    of(figures::SWAP_IN_BYTES_PER_S) + of(figures::SWAP_OUT_BYTES_PER_S)
}
