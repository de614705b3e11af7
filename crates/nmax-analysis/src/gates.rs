//! Validity gates: whether the injector, not the target, shaped the numbers.
//!
//! Each gate is a pure function of its figures. [`Gate::holds`] always follows from the [`Gate::value`] and
//! [`Gate::limit`] that it carries. A figure that is not known closes no gate: its value is `None`. Waiting
//! for the target never closes a gate.

mod host;
mod injectors;
mod little;
mod mix;
mod stretch;

use nmax_metrics::{Aggregate, ErrorKind, LoadStats, Nanos, Section};
use nmax_plan::plan::Workload;
use nmax_plan::threshold::Op;

use crate::thresholds::{Evaluated, evaluate_all};
use crate::wording::{count, counted, share, time_ms};
use crate::{Evidence, Gate, InjectorFacts};

use host::run_queue;
pub(crate) use host::run_queue_warning;
pub use host::{
    MEMORY_SHARE_MIN, OPEN_FILES_SHARE_MAX, PORTS_SHARE_MAX, RUN_WAIT_SHARE_CONFINED_MAX, RUN_WAIT_SHARE_MAX,
    RUN_WAIT_SHARE_WARN, RUN_WAIT_TIME_MIN_S, SWAPPED_BYTES_MAX, memory, open_files, ports, swap,
};
use injectors::{Part, lag, parts, worst};
pub use little::{LITTLE_ITERATIONS_MIN, LITTLE_SHARE_MAX, LITTLE_TIMES_MIN, little};
pub use mix::{MIX_DEVIATION_MAX, MIX_ERRORS_MAX, mix};
use stretch::Stretch;
pub(crate) use stretch::first_limited;

/// G1: least share of due iterations that started.
pub const RATE_SHARE_MIN: f64 = 0.98;
/// G1: share of due iterations below which a warning is given.
pub const RATE_SHARE_WARN: f64 = 0.99;
/// G4: share of a core from which a worker counts as saturated.
pub const CPU_SHARE_MAX: f64 = 0.95;
/// G8: time that a worker may stand still, ms, however short the hold.
pub const STALLED_MS_MAX: f64 = 100.0;
/// G8: share of the hold that a worker may stand still.
pub const STALLED_SHARE_MAX: f64 = 0.01;
/// G8: how far the clock of one of several injectors may be off, ms.
pub const CLOCK_MS_MAX: f64 = 50.0;
/// G8: largest share of windows that may be missing.
pub const GAPS_SHARE_MAX: f64 = 0.02;
/// G1: that many late or missing ones say nothing yet, however few there are in all.
pub const TOLERATED_COUNT: u64 = 3;

const RATE: Id = Id { code: "G1", name: "rate", reason: "G1_RATE", op: Op::AtLeast, unit: "%" };
const LAG: Id = Id { code: "G3", name: "injector lag", reason: "G3_INJECTOR_LAG", op: Op::AtMost, unit: "" };
const CPU: Id = Id { code: "G4", name: "injector CPU", reason: "G4_INJECTOR_CPU", op: Op::Below, unit: "%" };
const ERRORS: Id = Id { code: "G4", name: "injector errors", reason: "G4_INJECTOR_ERRORS", op: Op::AtMost, unit: "" };
const SAMPLES: Id = Id { code: "G8", name: "samples", reason: "G8_NO_SAMPLES", op: Op::AtLeast, unit: "" };
const STALLS: Id = Id { code: "G8", name: "stalls", reason: "G8_STALLS", op: Op::AtMost, unit: "ms" };
const CLOCK: Id = Id { code: "G8", name: "clock", reason: "G8_CLOCK", op: Op::AtMost, unit: "ms" };
const GAPS: Id = Id { code: "G8", name: "gaps", reason: "G8_GAPS", op: Op::AtMost, unit: "%" };

/// All gates, in order of their codes.
pub fn gates(evidence: &Evidence) -> Vec<Gate> {
    gates_of(evidence, &evaluate_all(evidence))
}

/// The same, given what the conditions came to.
pub(crate) fn gates_of(evidence: &Evidence, evaluated: &[Evaluated]) -> Vec<Gate> {
    let hold = evidence.totals.load(Section::Hold);
    let censored = Section::ALL.map(|section| evidence.totals.load(section).censored.count());
    let parts = parts(evidence);
    let worst = |of: fn(&Part) -> Gate| worst(&parts, of);
    let has_clocks = parts.len() > 1 || parts.iter().any(|part| clock_ms(part.facts).is_some());
    let mut gates = vec![
        match evidence.plan.workload {
            Workload::Open { .. } => rate(hold),
            Workload::Closed { .. } => users_started(hold.dropped_injector, users(evidence)),
        },
        mix(evidence.plan, evidence.totals, users(evidence)),
        lag(evidence, evaluated, &parts),
        worst(|Part { facts, stretches, .. }| injector_cpu(facts.cpu_utilization_max, stretches)),
        worst(|Part { facts, evidence, stretches }| {
            run_queue(evidence.totals.load(Section::Hold), facts.confined, stretches)
        }),
        worst(|part| injector_errors(exchanges(part.evidence.totals).1)),
        worst(|Part { facts, .. }| open_files(facts.open_files_max, facts.open_files_limit)),
        worst(|Part { facts, .. }| ports(facts.ports_used_max, facts.ports_limit)),
        worst(|Part { facts, .. }| memory(facts.memory_available_min)),
        worst(|Part { facts, .. }| swap(facts.swapped_bytes)),
        little::gate(evidence),
        samples_exist(exchanges(evidence.totals).0, censored.iter().sum()),
        injectors::gaps(evidence, &parts),
        worst(|Part { facts, evidence, .. }| stalls(stalled_ms(facts, evidence), evidence.hold_s())),
    ];
    gates.extend(has_clocks.then(|| worst(|Part { facts, .. }| clock(facts))));
    gates
}

/// Exchanges that were completed in the whole run, and errors of the injector's own.
fn exchanges(totals: &Aggregate) -> (u64, u64) {
    let all = Section::ALL.into_iter().flat_map(|section| totals.requests(section));
    all.fold((0, 0), |(samples, errors), (_, stats)| {
        (samples + stats.count(), errors + stats.errors[ErrorKind::Injector.index()])
    })
}

/// G1, open workloads: share of the due iterations that started, leaving out what waited for an in-flight slot.
///
/// ```text
/// value = (started − waited) / (due − waited − dropped at the in-flight limit)
/// limit = min(0.98, 1 − 3 / (due − waited − dropped at the in-flight limit))
/// ```
///
/// What the injector dropped counts against it.
pub fn rate(hold: &LoadStats) -> Gate {
    let (started, free) = free_starts(hold);
    if free == 0 {
        let why = if hold.due == 0 { "no iteration was due" } else { "every due iteration had to wait for the target" };
        return RATE.unknown(why);
    }
    let limit = tolerant(RATE_SHARE_MIN, free);
    let figures = |value: f64| {
        let iterations = counted(free, "due iteration");
        format!("{} of {iterations} with a free slot started ({})", count(started), share(value))
    };
    RATE.at(started as f64 / free as f64, limit).gate(figures, |value| {
        let remedy = "use more workers or injectors, or a lower rate";
        format!("the injector missed the intended rate: {}, at least {} must: {remedy}", figures(value), share(limit))
    })
}

/// Virtual users of a plan at its highest level.
fn users(evidence: &Evidence) -> u64 {
    let levels = evidence.plan.stages.iter().map(|stage| stage.from.max(stage.to));
    levels.fold(0.0, f64::max).ceil() as u64
}

/// G1, closed workloads: share of the planned virtual users that got to start; tested once some did not.
///
/// `idle` is what the engine counts as dropped by the injector: each such user is one iteration that was due.
pub fn users_started(idle: u64, planned: u64) -> Gate {
    if idle == 0 {
        return RATE.unknown("closed workloads have no intended rate");
    }
    let planned = planned.max(idle);
    let limit = tolerant(RATE_SHARE_MIN, planned);
    let figures = |value: f64| {
        let (users, all) = (counted(idle, "virtual user"), counted(planned, "virtual user"));
        format!("{users} never got to start; {} of {all} did", share(value))
    };
    RATE.at((planned - idle) as f64 / planned as f64, limit).gate(figures, |value| {
        let remedy = "use more workers or injectors, or fewer virtual users";
        format!("the injector missed the intended load: {}, at least {} must: {remedy}", figures(value), share(limit))
    })
}

/// What G1 has to warn of: a miss beyond 1 % that does not yet close the gate.
pub(crate) fn rate_warning(gate: &Gate, hold: &LoadStats) -> Option<String> {
    let value = gate.value.filter(|_| gate.code == RATE.code && gate.holds)?;
    let (_, free) = free_starts(hold);
    (value < tolerant(RATE_SHARE_WARN, free))
        .then(|| format!("the injector was close to missing the intended load: {}", gate.text))
}

/// Iterations that started and that were due, both without those that waited for the target.
fn free_starts(hold: &LoadStats) -> (u64, u64) {
    let held_up = hold.waited.saturating_add(hold.dropped_in_flight_limit);
    (hold.started.saturating_sub(hold.waited), hold.due.saturating_sub(held_up))
}

/// The least share of `n`, or all but a few when `n` is small.
fn tolerant(share: f64, n: u64) -> f64 {
    share.min(n.saturating_sub(TOLERATED_COUNT) as f64 / n.max(1) as f64)
}

/// G3: no condition has another answer without what the injector itself added to response times.
///
/// An upper limit that holds with the lag holds without it, so lag never closes the gate for it.
pub(crate) fn injector_lag(exchanges: u64, evaluated: &[Evaluated]) -> Gate {
    if exchanges == 0 {
        return LAG.unknown("no exchange tells how late the injector was");
    }
    let changed: Vec<&Evaluated> = evaluated.iter().filter(|evaluated| evaluated.lag_decides()).collect();
    LAG.at(changed.len() as f64, 0.0).gate(
        |_| "the injector's lag changed the answer of no condition".into(),
        |_| {
            let told: Vec<String> = changed.iter().filter_map(|evaluated| evaluated.lag_text()).collect();
            format!("{}: nmax sent too late to answer", told.join("; "))
        },
    )
}

/// G4: the busiest worker left its core some rest during the hold, and all of them at each level and in the worst stretch.
/// `utilization` from 0 to 1.
pub(crate) fn injector_cpu(utilization: Option<f64>, stretches: &[Stretch]) -> Gate {
    let Some(value) = utilization.filter(|value| value.is_finite()) else {
        return CPU.unknown("the CPU time of the workers is not known");
    };
    let parts = stretches.iter().map(|stretch| (stretch.cpu(), stretch.cpu_limit(), stretch.at.clone()));
    let (value, limit, at) = host::worst((value, CPU_SHARE_MAX, String::new()), parts);
    let figures = |value: f64| match at.is_empty() {
        true => format!("the busiest worker used {} of a core", share(value)),
        false => format!("workers used {} of their processors{at}", share(value)),
    };
    CPU.at(value, limit).gate(figures, |value| format!("{}, below {} is needed", figures(value), share(limit)))
}

/// G4: no exchange of the whole run failed because this machine ran out of something.
pub fn injector_errors(errors: u64) -> Gate {
    ERRORS.at(errors as f64, 0.0).gate(
        |_| "the injector did its part of every exchange".into(),
        |_| format!("{} of the injector's own making: {}", counted(errors, "error"), ErrorKind::Injector.remedy()),
    )
}

/// G8: at least one exchange was completed in the whole run.
pub fn samples_exist(samples: u64, censored: u64) -> Gate {
    SAMPLES.at(samples as f64, 1.0).gate(
        |_| format!("{} completed", counted(samples, "exchange")),
        |_| match censored {
            0 => "no exchange was completed: check that the run was long enough to send one".into(),
            _ => format!(
                "no exchange was completed and {} cut off at the end: check that the target answers, or run longer",
                if censored == 1 { "1 was".to_owned() } else { format!("{} were", count(censored)) }
            ),
        },
    )
}

/// G8: at most 2 % of the windows lack the report of a worker; `figures` says which, and `others` what is missing besides.
fn gaps(missing: u64, windows: u64, (figures, others): (&str, &str)) -> Gate {
    let value = missing as f64 / windows.max(missing).max(1) as f64;
    GAPS.at(value, GAPS_SHARE_MAX).gate(
        |_| match missing {
            0 => format!("{} without a gap", counted(windows, "window")),
            _ => format!("{figures}{others}"),
        },
        |value| {
            format!(
                "{figures} ({}, limit {}){others}: what happened then is not known; repeat the run",
                share(value),
                share(GAPS_SHARE_MAX)
            )
        },
    )
}

/// How far the clock of an injector may have been off: its uncertainty or a jump; `None` for one that was not compared.
fn clock_ms(facts: &InjectorFacts) -> Option<f64> {
    let size_s = [facts.clock_error_s, facts.clock_jump_s].into_iter().flatten().reduce(f64::max)?;
    Some(size_s * 1e3).filter(|ms| ms.is_finite())
}

/// G8: the clock of an injector agreed with the others to within 50 ms.
///
/// What an injector starts, and the window that it is counted in, are off by as much as its clock is.
fn clock(facts: &InjectorFacts) -> Gate {
    let Some(value) = clock_ms(facts) else {
        return CLOCK.unknown("the clock was not compared with those of other injectors");
    };
    let figures = |value: f64| match facts.clock_jump_s.is_some_and(|jump_s| jump_s * 1e3 >= value) {
        true => format!("the clock jumped by {}", time_ms(value)),
        false => format!("the clock agrees with the others to within {}", time_ms(value)),
    };
    CLOCK.at(value, CLOCK_MS_MAX).gate(figures, |value| {
        format!(
            "{}, limit {}: its load and its windows may be at other instants than those of the others; synchronize its \
             clock, or use a path to the broker with a shorter round trip",
            figures(value),
            time_ms(CLOCK_MS_MAX)
        )
    })
}

/// Time that the worst worker stood still in the hold; `None` in runs that did not look.
fn stalled_ms(facts: &InjectorFacts, evidence: &Evidence) -> Option<f64> {
    let hold = evidence.totals.load(Section::Hold);
    let sum_s = (!hold.pickup_delay.is_empty() || hold.stalled > Nanos::ZERO).then(|| hold.stalled.as_secs_f64());
    facts.stalled_max_s.or(sum_s).map(|seconds| seconds * 1e3)
}

/// G8: no worker stood still for more than 1 % of the hold, nor for more than 100 ms of a short one.
///
/// Standing still is time without a beat of the worker's own timer, in stretches longer than a busy worker takes. A reply
/// that came meanwhile was seen late, which a closed workload cannot tell from a slow server.
pub fn stalls(stalled_ms: Option<f64>, hold_s: f64) -> Gate {
    let Some(value) = stalled_ms.filter(|value| value.is_finite()) else {
        return STALLS.unknown("the run did not look whether its workers stood still");
    };
    let limit = STALLED_MS_MAX.max(STALLED_SHARE_MAX * hold_s * 1e3);
    let figures = |value: f64| format!("nmax stood still for {} of {}", time_ms(value), time_ms(hold_s * 1e3));
    STALLS.at(value, limit).gate(
        |value| match value > 0.0 {
            true => figures(value),
            false => "no worker stood still".to_owned(),
        },
        |value| {
            format!(
                "{}, at most {} may be: replies that came meanwhile were seen late; something stopped it or took its \
                 processor (a stopped process, a frozen or throttled control group, a paused virtual machine, a busy host)",
                figures(value),
                time_ms(limit)
            )
        },
    )
}

/// What G8 has to warn of: a gap too small to close the gate.
pub(crate) fn gaps_warning(gate: &Gate) -> Option<String> {
    let is_gap = gate.holds && gate.value.is_some_and(|value| value > 0.0);
    (is_gap && gate.name == GAPS.name).then(|| gate.text.clone())
}

/// The stable code of the reason that a closed gate is.
pub fn reason_code(gate: &Gate) -> &'static str {
    ALL.iter().find(|id| id.code == gate.code && id.name == gate.name).map_or(gate.code, |id| id.reason)
}

/// Every gate, in order of their codes.
pub(crate) static ALL: [Id; 15] = [
    RATE,
    mix::MIX,
    LAG,
    CPU,
    host::RUN_QUEUE,
    ERRORS,
    host::OPEN_FILES,
    host::PORTS,
    host::MEMORY,
    host::SWAP,
    little::LITTLE,
    SAMPLES,
    GAPS,
    STALLS,
    CLOCK,
];

/// A gate: how it is called, and how its value is compared.
#[derive(Clone, Copy)]
pub(crate) struct Id {
    code: &'static str,
    name: &'static str,
    /// Code of the reason that it is when closed.
    pub(crate) reason: &'static str,
    op: Op,
    unit: &'static str,
}

impl Id {
    const fn at(self, value: f64, limit: f64) -> Tested {
        Tested { id: self, value, limit }
    }

    fn unknown(self, why: &str) -> Gate {
        let (Self { code, name, unit, .. }, text) = (self, format!("not tested: {why}"));
        Gate { code, name, injector: None, failing: Vec::new(), value: None, limit: None, unit, holds: true, text }
    }
}

/// A value against its limit; the only way to a [`Gate`] that can be closed.
struct Tested {
    id: Id,
    value: f64,
    limit: f64,
}

impl Tested {
    fn gate(self, open: impl Fn(f64) -> String, closed: impl Fn(f64) -> String) -> Gate {
        let Self { id: Id { code, name, op, unit, .. }, value, limit } = self;
        let holds = op.holds(value, limit);
        let text = if holds { open(value) } else { closed(value) };
        Gate {
            code,
            name,
            injector: None,
            failing: Vec::new(),
            value: Some(value),
            limit: Some(limit),
            unit,
            holds,
            text,
        }
    }
}

#[cfg(test)]
mod tests;
