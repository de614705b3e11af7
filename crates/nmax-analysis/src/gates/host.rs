//! G4: what the injector's host ran short of: processors, descriptors, local ports, memory.

use nmax_metrics::LoadStats;
use nmax_plan::threshold::Op;

use super::Id;
use super::stretch::Stretch;
use crate::Gate;
use crate::wording::{count, counted, digits, share};

/// Share of the workers' time in which they may be ready and without a processor.
///
/// A worker that shares its core with one busy process waits for a third of the time or more (measured: 36 to 41 %), one
/// that has its core to itself for 2 to 4 %. In between are workers and a fast target on the same two cores (measured:
/// 13 to 15 %), whose waits are short: see [`RUN_WAIT_SHARE_WARN`].
pub const RUN_WAIT_SHARE_MAX: f64 = 0.25;
/// The same where the workers are confined to some of the host's processors: those are meant to be theirs, so whatever
/// else runs there starves them (measured: 16 to 41 % beside one busy process).
pub const RUN_WAIT_SHARE_CONFINED_MAX: f64 = 0.1;
/// Share from which a warning is given: a reply that comes while its worker waits is seen late.
pub const RUN_WAIT_SHARE_WARN: f64 = 0.1;
/// Less time of workers than this says nothing, s.
pub const RUN_WAIT_TIME_MIN_S: f64 = 0.5;
/// How long a scheduler lets others run at a time, s.
const PERIOD_S: f64 = 0.02;
/// Share of the descriptor limit from which it counts as reached.
pub const OPEN_FILES_SHARE_MAX: f64 = 0.95;
/// Share of the local ports towards one destination from which they count as used up.
pub const PORTS_SHARE_MAX: f64 = 0.95;
/// Share of the memory that must stay available.
pub const MEMORY_SHARE_MIN: f64 = 0.05;
/// Memory of the injector that may be swapped out within a run, bytes: pages of its start say nothing.
pub const SWAPPED_BYTES_MAX: u64 = 1 << 20;

pub(super) const RUN_QUEUE: Id = Id { code: "G4", name: "run queue", reason: "G4_RUN_QUEUE", op: Op::Below, unit: "%" };
pub(super) const OPEN_FILES: Id =
    Id { code: "G4", name: "open files", reason: "G4_OPEN_FILES", op: Op::Below, unit: "" };
pub(super) const PORTS: Id = Id { code: "G4", name: "local ports", reason: "G4_LOCAL_PORTS", op: Op::Below, unit: "" };
pub(super) const MEMORY: Id = Id { code: "G4", name: "memory", reason: "G4_MEMORY", op: Op::AtLeast, unit: "%" };
pub(super) const SWAP: Id = Id { code: "G4", name: "swap", reason: "G4_SWAP", op: Op::AtMost, unit: "bytes" };

/// The share of `time_s` that workers may wait: a short time may have more of it by chance.
///
/// Waits come in pieces of a scheduling period, so the share of workers that have what they need has the deviation
/// √(p(1 − p)·20 ms/t), with p = 15 % beside a fast target and 4 % on processors of their own; twice that is allowed.
pub(super) fn run_wait_limit(time_s: f64, is_confined: bool) -> f64 {
    let (limit, usual) =
        if is_confined { (RUN_WAIT_SHARE_CONFINED_MAX, 0.04_f64) } else { (RUN_WAIT_SHARE_MAX, 0.15_f64) };
    limit.max(usual + 2.0 * (usual * (1.0 - usual) * PERIOD_S / time_s).sqrt())
}

/// Workers that were ready to run got a processor: `run_wait / worker_time`, over all workers, of the hold, of each level
/// and of the worst stretch.
///
/// - `is_confined`: whether they may only run on some of the host's processors
pub(crate) fn run_queue(hold: &LoadStats, is_confined: bool, stretches: &[Stretch]) -> Gate {
    let time_s = hold.worker_time.as_secs_f64();
    if time_s < RUN_WAIT_TIME_MIN_S {
        return RUN_QUEUE.unknown("the hold is too short to tell whether workers got their processors");
    }
    let whole = (hold.run_wait.as_secs_f64() / time_s, run_wait_limit(time_s, is_confined), String::new());
    let parts = stretches.iter().map(|stretch| (stretch.run_wait(), stretch.run_wait_limit(), stretch.at.clone()));
    let (value, limit, at) = worst(whole, parts);
    let figures = |value: f64| format!("workers waited {} of their time for a processor{at}", share(value));
    RUN_QUEUE.at(value, limit).gate(figures, |value| {
        format!("{}, below {} is needed: something else keeps their cores busy", figures(value), share(limit))
    })
}

/// What is judged of a value, its limit and where it is of: the whole, unless only a part is beyond its limit.
pub(super) fn worst(whole: (f64, f64, String), parts: impl Iterator<Item = (f64, f64, String)>) -> (f64, f64, String) {
    if whole.0 >= whole.1 {
        return whole;
    }
    let beyond = parts.filter(|(value, limit, _)| value >= limit);
    beyond.max_by(|one, other| (one.0 / one.1).total_cmp(&(other.0 / other.1))).unwrap_or(whole)
}

/// What an open gate says when the workers waited often all the same.
pub(crate) fn run_queue_warning(gate: &Gate) -> Option<String> {
    let value = gate.value.filter(|value| *value >= RUN_WAIT_SHARE_WARN)?;
    (gate.holds && gate.name == RUN_QUEUE.name).then(|| {
        format!("workers waited {} of their time for a processor, so some replies were seen late", share(value))
    })
}

/// Descriptors stayed clear of their limit.
pub fn open_files(most: Option<u64>, limit: Option<u64>) -> Gate {
    let (Some(most), Some(allowed)) = (most, limit) else {
        return OPEN_FILES.unknown("open files or their limit are not known");
    };
    let figures = format!("{} of {} were in use", count(most), counted(allowed, "allowed descriptor"));
    let remedy = "raise the limit (`ulimit -n`) or use fewer connections";
    of_limit(OPEN_FILES, most, OPEN_FILES_SHARE_MAX * allowed as f64, &figures, remedy)
}

fn of_limit(id: Id, most: u64, limit: f64, figures: &str, remedy: &str) -> Gate {
    id.at(most as f64, limit).gate(|_| figures.to_owned(), |_| format!("{figures}: {remedy}"))
}

/// Local ports towards the busiest destination stayed clear of the range that the system gives out.
///
/// `most` counts those of one source address to one destination that cannot be given out again: connections, and
/// those in TIME_WAIT that are not reusable yet. `limit` is the number of ports in the range.
pub fn ports(most: Option<u64>, limit: Option<u64>) -> Gate {
    let (Some(most), Some(range)) = (most, limit) else {
        return PORTS.unknown("local ports in use or their range are not known");
    };
    let figures = format!("{} of {} towards one destination were in use", count(most), counted(range, "local port"));
    let remedy =
        "keep connections alive, leave from more addresses (`--source`), or widen net.ipv4.ip_local_port_range";
    of_limit(PORTS, most, PORTS_SHARE_MAX * range as f64, &figures, remedy)
}

/// Some memory stayed available; `least` is a share of all that this process may use, 0 to 1.
pub fn memory(least: Option<f64>) -> Gate {
    let Some(value) = least.filter(|value| value.is_finite()) else {
        return MEMORY.unknown("the memory that was available is not known");
    };
    let figures = |value: f64| format!("at least {} of the memory stayed available", share(value));
    MEMORY.at(value, MEMORY_SHARE_MIN).gate(figures, |value| {
        format!(
            "only {} of the memory was available at one time, {} must be: use fewer virtual users, smaller bodies or \
             a larger machine",
            share(value),
            share(MEMORY_SHARE_MIN)
        )
    })
}

/// The injector's memory was not swapped out during the run; `grown` in bytes.
pub fn swap(grown: Option<u64>) -> Gate {
    let Some(bytes) = grown else {
        return SWAP.unknown("the injector's memory on swap is not known");
    };
    let mebibytes = |bytes: f64| format!("{} MiB", digits(bytes / f64::from(1 << 20)));
    SWAP.at(bytes as f64, SWAPPED_BYTES_MAX as f64).gate(
        |value| match bytes {
            0 => "nothing of the injector was swapped out".into(),
            _ => format!("{} of the injector were swapped out", mebibytes(value)),
        },
        |value| {
            format!(
                "{} of the injector were swapped out, at most {} may be: its pauses are in the numbers; free memory, or \
                 use a machine without swap",
                mebibytes(value),
                mebibytes(SWAPPED_BYTES_MAX as f64)
            )
        },
    )
}
