//! Disks of a host: how many requests are in each, which is the time that matters; how busy one is says nothing of those
//! that serve many at a time.

use nmax_sources::figures;

use super::measured::{Measured, Role, stalled};
use super::rules::{
    AWAIT_LONG_MS, AWAIT_TIMES_MAX, DISK_QUEUE_IDLE, DISK_QUEUE_MAX, IO_SOME_MAX, IOSTATS, PSI, percent, rule,
};
use super::span_readings::{SpanReadings, name_of};
use super::system::System;
use super::{Cell, Finding, Kind};
use crate::wording::{digits, share, time_ms};

/// Fewest readings of the time in a disk before any is called its idlest.
const READINGS_MIN: usize = 10;
/// Beginnings of devices that lie upon others, whose transfers are those of the disks below once more.
const UPON: [&str; 2] = ["dm-", "md"];
/// How many times the bytes of the observed processes their work may be at the disk: journals, metadata.
const BYTES_TIMES: f64 = 3.0;

/// Every disk of a host; where none was read but I/O stalls were, one without a name. `swapped` is the share of their work
/// that comes of a shortage of memory.
pub(super) fn measure(look: &SpanReadings, system: &System, host: &str, swapped: f64) -> Vec<Measured> {
    let disks = names(look, host).into_iter();
    let disks: Vec<Measured> = disks.filter_map(|source| disk(look, system, host, source, swapped)).collect();
    if !disks.is_empty() {
        return disks;
    }
    let Some(some) = look.mean(host, "io", figures::PRESSURE_SOME_RATIO) else {
        return disks;
    };
    let mut all = Measured::new(look, Kind::Disk, host, "", ("io", figures::PRESSURE_SOME_RATIO));
    all.role = role(system, host);
    all.is_counted = system.is_of(host);
    all.is_sure = false;
    let waiting = stalled(some, system.in_flight());
    (all.waiting, all.contained) = ((1.0 - swapped) * waiting, swapped * waiting);
    stalls(Some(some), &mut all);
    all.is_pressed = !all.rules.is_empty();
    all.cells[1] = Cell::Observed(format!("{} stalled", share(some)));
    vec![all]
}

/// Disks of a host. A page may tell of devices that lie upon others as well; they count where nothing below them was read.
pub(super) fn names<'a>(look: &SpanReadings<'a>, host: &str) -> Vec<&'a str> {
    let all = look.named(host, "disk");
    let is_upon = |source: &&str| UPON.iter().any(|begin| name_of(source).starts_with(begin));
    let (upon, below): (Vec<&str>, Vec<&str>) = all.into_iter().partition(is_upon);
    if below.is_empty() { upon } else { below }
}

fn role(system: &System, host: &str) -> Role {
    if system.is_of(host) { Role::Leaf } else { Role::Aside }
}

/// A disk that did something.
fn disk(look: &SpanReadings, system: &System, host: &str, source: &str, swapped: f64) -> Option<Measured> {
    let queue = look.mean(host, source, figures::QUEUE_COUNT)?;
    let mut disk = Measured::new(look, Kind::Disk, host, name_of(source), (source, figures::QUEUE_COUNT));
    let busy = look.mean(host, source, figures::BUSY_RATIO);
    let some = look.mean(host, "io", figures::PRESSURE_SOME_RATIO);
    let theirs = of_processes(look, host);
    disk.is_sure = theirs.is_some();
    let part = (1.0 - swapped) * theirs.unwrap_or_else(|| awaited(look, host, some, busy));
    let served = busy.unwrap_or(queue).min(queue);
    (disk.service, disk.waiting) = (part * served, part * (queue - served));
    disk.contained = swapped * queue;
    disk.role = role(system, host);
    disk.is_counted = system.is_of(host);
    disk.utilization = busy;
    let await_ms = look.weighted(host, source, figures::AWAIT_MS, &[figures::READS_PER_S, figures::WRITES_PER_S]);
    let idle_ms = idlest(look, host, source);
    disk.is_pressed = part * queue >= DISK_QUEUE_IDLE || (part > 0.5 && await_ms.is_some_and(|ms| ms >= AWAIT_LONG_MS));
    let mut text = format!("{} requests in it at a time", digits(queue));
    if let Some(ms) = await_ms {
        text += &format!(", each for {}", time_ms(ms));
    }
    if let Some(idle_ms) = idle_ms {
        text += &format!(" ({} in its idlest time)", time_ms(idle_ms));
    }
    if part < 0.9 && queue >= DISK_QUEUE_IDLE {
        text += &format!("; {} of that is the requests' own", share(part));
    }
    disk.findings.push(Finding { kind: "utilization", text, source: IOSTATS });
    // Where observed processes tell their part, what others queue is none of the requests' business.
    let own = if theirs.is_some() { part * queue } else { queue };
    if let (Some(ms), Some(idle_ms)) = (await_ms, idle_ms)
        && own > DISK_QUEUE_MAX
        && ms >= AWAIT_TIMES_MAX * idle_ms
    {
        let text =
            format!("a request takes {}, {} times as long as in its idlest time", time_ms(ms), digits(ms / idle_ms));
        disk.rules.push(rule(text, IOSTATS));
    }
    if part * queue > DISK_QUEUE_MAX {
        stalls(some, &mut disk);
    }
    disk.cells = [percent(busy), Cell::Observed(format!("{} queued", digits(queue))), Cell::NotObserved];
    Some(disk)
}

fn stalls(some: Option<f64>, disk: &mut Measured) {
    if let Some(some) = some.filter(|some| *some >= IO_SOME_MAX) {
        disk.rules.push(rule(format!("something stalled for I/O in {} of the time", share(some)), PSI));
    }
}

/// Share of a disk's queue that somebody waits for: where all do, something stalls whenever the disk is busy.
///
/// The kernel gives the mean of its processors, so the share of time is up to as many times larger.
fn awaited(look: &SpanReadings, host: &str, some: Option<f64>, busy: Option<f64>) -> f64 {
    let cores = look.mean(host, "cpu", figures::CORES_COUNT).unwrap_or(1.0).max(1.0);
    match (some, busy) {
        (Some(some), Some(busy)) if busy > 0.0 => (cores * some / busy).min(1.0),
        _ => 1.0,
    }
}

/// Share of the bytes of all disks, without what is swapped, that can be the work of the observed processes; `None` when
/// none is observed, or the bytes of one are not told.
fn of_processes(look: &SpanReadings, host: &str) -> Option<f64> {
    let processes = super::cpu::processes(look, host);
    let disks = names(look, host);
    let moved = |sources: &[&str]| {
        let of = |metric| look.sum(host, sources, metric);
        let (read, written) = (of(figures::READ_BYTES_PER_S), of(figures::WRITTEN_BYTES_PER_S));
        (read.is_some() || written.is_some()).then(|| read.unwrap_or(0.0) + written.unwrap_or(0.0))
    };
    // Of the processes of other users the kernel tells no bytes: then nobody knows their part.
    let is_told = |process: &&str| moved(&[*process]).is_some();
    if !processes.iter().all(is_told) {
        return None;
    }
    let theirs = moved(&processes)?;
    let all = moved(&disks)? - super::memory::swapped_bytes(look, host);
    Some(if all > 0.0 { (BYTES_TIMES * theirs / all).min(1.0) } else { 1.0 })
}

/// The time of a request in the idlest tenth of the run, ms.
fn idlest(look: &SpanReadings, host: &str, source: &str) -> Option<f64> {
    let mut all: Vec<f64> = look.track(host, source, figures::AWAIT_MS)?.points().map(|(_, ms)| ms).collect();
    all.sort_unstable_by(f64::total_cmp);
    (all.len() >= READINGS_MIN).then(|| all[all.len() / 10]).filter(|ms| *ms > 0.0)
}
