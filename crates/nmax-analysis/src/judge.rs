//! The verdict and its reasons: INVALID when a gate is closed, else FAIL when the target was overloaded or a
//! threshold does not hold, else PASS.

use nmax_metrics::{Histogram, LoadStats, Section, suggest_template};
use nmax_plan::plan::{Profile, Workload};
use nmax_plan::threshold::Metric;

use crate::arrivals::dispersion;
use crate::batches::{Dependence, NoInterval};
use crate::gates::{gaps_warning, gates_of, rate_warning, reason_code, run_queue_warning};
use crate::interval::{CONFIDENCE, samples_needed};
use crate::steady::{Steadiness, is_at_one_level, steadiness};
use crate::suspect::diagnose;
use crate::thresholds::{Evaluated, evaluate_all};
use crate::wording::{count, counted, digits, share, time_ms, value};
use crate::{Evidence, Gate, Judgement, Reason, ThresholdResult, Verdict, answer, breakdown, culprits, effects, lag};

mod iterations;
mod lost;
mod replies;
mod saturated;
mod unmet;
mod unserved;

pub use iterations::FAILED_SHARE_WARN;
pub use saturated::{ENDED_SHARE_MIN, STRETCHES_MIN};
pub use unserved::{UNSERVED_SHARE_MAX, WAITED_MS_MIN, WAITED_TIMES_MIN};

/// Hold from which on gates say something while a run goes on, s.
pub const SO_FAR_AFTER_S: f64 = 5.0;
/// Share of the due iterations that may wait for an in-flight slot before the target counts as overloaded.
///
/// Once a target stays behind the load, nearly every later iteration waits; a stall that it makes up for
/// holds up few.
pub const WAITED_SHARE_MAX: f64 = 0.25;
/// Share of the due iterations that waited beyond which a warning is given.
pub const WAITED_SHARE_WARN: f64 = 0.01;

/// Judges a run. Reasons that decide the verdict come first, warnings after them.
pub fn judge(evidence: &Evidence) -> Judgement {
    let evaluated = evaluate_all(evidence);
    let gates = gates_of(evidence, &evaluated);
    let withheld = lag::withheld(evidence);
    let steadiness = steadiness(evidence.course);
    let invalid: Vec<Reason> = gates.iter().filter(|gate| !gate.holds).map(closed_gate).collect();
    let mut failed: Vec<Reason> =
        evaluated.iter().filter(|evaluated| !evaluated.result.holds).map(failed_threshold).collect();
    if let Some(text) = evidence.aborted {
        failed.insert(0, ended_early(evidence, text));
    }
    let (unseen, failing): (Vec<_>, Vec<_>) =
        iterations::failed(evidence, &evaluated).into_iter().partition(|failing| failing.is_unseen);
    failed.extend(unseen.into_iter().map(failed_iterations));
    let mut warnings = warnings(evidence, &gates, &evaluated);
    warnings.extend(lag::warning(evidence, &withheld));
    warnings.extend(failing.into_iter().map(failed_iterations));
    warnings.extend(course_warnings(evidence, steadiness.as_ref()));
    match unserved::unserved(evidence) {
        Some(reason) if reason.decides => failed.push(reason),
        Some(reason) => warnings.push(reason),
        None => {}
    }
    if invalid.iter().chain(&warnings).any(|reason| is_of_lost_time(reason.code)) {
        warnings.extend(time_taken(evidence, &gates));
    }
    match overload(evidence, &evaluated) {
        Some(reason) if reason.decides => failed.insert(0, reason),
        Some(reason) => warnings.insert(0, reason),
        // Where slots were scarce, what was in flight could grow no further.
        None => drop(warnings.splice(0..0, saturated::saturated(evidence))),
    }
    let verdict = match (invalid.is_empty(), failed.is_empty()) {
        (false, _) => Verdict::Invalid,
        (true, false) => Verdict::Fail,
        (true, true) => Verdict::Pass,
    };
    if verdict == Verdict::Invalid {
        failed.iter_mut().for_each(|reason| reason.decides = false);
    }
    let reasons = invalid.into_iter().chain(failed).chain(warnings).collect();
    let thresholds: Vec<_> = evaluated.into_iter().map(|evaluated| evaluated.result).collect();
    Judgement {
        verdict,
        reasons,
        withheld,
        steadiness,
        answer: answer(evidence, &thresholds),
        effects: effects(evidence),
        diagnosis: diagnose(evidence, &gates),
        breakdown: breakdown(evidence, evidence.stretches),
        thresholds,
        gates,
    }
}

/// What a person should know before a run has ended, by the gates that will judge it: those that are closed so far decide.
/// Nothing before the hold has lasted for [`SO_FAR_AFTER_S`].
pub(crate) fn so_far(evidence: &Evidence) -> Vec<Reason> {
    if evidence.hold_s() < SO_FAR_AFTER_S {
        return Vec::new();
    }
    let gates = gates_of(evidence, &evaluate_all(evidence));
    let closed = gates.iter().filter(|gate| !gate.holds).map(closed_gate);
    closed.chain(lag::warning(evidence, &lag::withheld(evidence))).collect()
}

/// Gates and conditions of the plan as they stand while a run goes on. Nothing before the hold has lasted for
/// [`SO_FAR_AFTER_S`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Standing {
    /// Every gate that was looked at.
    pub gates: Vec<Gate>,
    /// In the order of the plan.
    pub thresholds: Vec<ThresholdResult>,
}

pub(crate) fn standing(evidence: &Evidence) -> Standing {
    if evidence.hold_s() < SO_FAR_AFTER_S {
        return Standing::default();
    }
    let evaluated = evaluate_all(evidence);
    let gates = gates_of(evidence, &evaluated);
    Standing { gates, thresholds: evaluated.into_iter().map(|evaluated| evaluated.result).collect() }
}

/// Codes that say that nmax was late: whatever took its time is worth a name.
fn is_of_lost_time(code: &str) -> bool {
    code.starts_with("G3_")
        || code.to_ascii_lowercase().contains("stall")
        || matches!(code, "G4_RUN_QUEUE" | "G4_INJECTOR_CPU")
}

/// What took the injector's time, once for all that it spoiled; of several the time of the first that a gate names.
fn time_taken(evidence: &Evidence, gates: &[Gate]) -> Option<Reason> {
    let late = gates.iter().filter(|gate| is_of_lost_time(reason_code(gate)) && gate.injector.is_some());
    let late = late.min_by_key(|gate| gate.holds).and_then(|gate| gate.injector.as_deref());
    let facts = evidence.injectors.iter().find(|facts| late.is_none_or(|late| facts.name == late))?;
    let text = culprits::told(facts)?;
    let text = late.map_or_else(|| text.clone(), |late| format!("{late}: {text}"));
    let known = facts.culprits.as_ref()?;
    let figures = [("steal_cores", known.steal_cores), ("idle_cores", known.idle_cores), ("cores", known.cores)];
    Some(Reason::new("TIME_TAKEN", text, figures.map(|(name, cores)| (name, digits(cores)))))
}

fn closed_gate(gate: &Gate) -> Reason {
    let figures = [("value", gate.value), ("limit", gate.limit)].into_iter();
    let figures = figures.filter_map(|(name, figure)| Some((name, value(figure?, gate.unit))));
    Reason::new(reason_code(gate), gate.text.clone(), figures).deciding(true)
}

fn failed_threshold(evaluated: &Evaluated) -> Reason {
    let result = &evaluated.result;
    let why = evaluated.why.as_deref().unwrap_or("not measured");
    let figures = [("value", result.value), ("limit", Some(result.limit))].into_iter();
    let figures = figures.filter_map(|(name, figure)| Some((name, value(figure?, result.unit))));
    Reason::new("THRESHOLD", format!("`{}` does not hold: {why}", result.condition), figures).deciding(true)
}

fn failed_iterations(failing: iterations::Failing) -> Reason {
    Reason::new("ITERATIONS_FAILED", failing.text, [("value", share(failing.share))]).deciding(failing.is_unseen)
}

/// A condition with `abort` ended the run: it stays broken, also where what came to its end afterwards mended it.
fn ended_early(evidence: &Evidence, text: &str) -> Reason {
    let end = time_ms(evidence.end.as_millis_f64());
    let text = format!("ended early by a condition after {end}: {text}");
    Reason::new("THRESHOLD_ABORT", text, [("end", end)]).deciding(true)
}

/// What the in-flight limit says of the target.
///
/// It was overloaded when many due iterations had to wait for a slot, or when so many never got one that a
/// threshold on `dropped` does not hold. Less is a warning.
fn overload(evidence: &Evidence, evaluated: &[Evaluated]) -> Option<Reason> {
    let Workload::Open { max_in_flight, .. } = evidence.plan.workload else {
        return None;
    };
    let LoadStats { due, waited, .. } = evidence.totals.load(Section::Hold);
    let dropped = evidence.totals.load(Section::Hold).dropped();
    let never = dropped.in_flight_limit;
    let held_up = waited.saturating_add(never);
    let held_up_share = held_up as f64 / (*due).max(held_up).max(1) as f64;
    let drops_fail = evidence.plan.thresholds.iter().zip(evaluated).any(|(threshold, evaluated)| {
        threshold.metric == Metric::Dropped && evaluated.result.value.is_some() && !evaluated.result.holds
    });
    let decides = held_up_share > WAITED_SHARE_MAX || (never > 0 && never >= dropped.injector && drops_fail);
    if !decides && never == 0 && held_up_share <= WAITED_SHARE_WARN {
        return None;
    }
    let limit = counted(u64::from(max_in_flight), "slot");
    let figures = format!(
        "{} of {} ({}) had to wait for the target ({limit}), and {} of them never started",
        count(held_up),
        counted(*due, "due iteration"),
        share(held_up_share),
        count(never)
    );
    let text = match decides {
        true => format!("the target was overloaded: {figures}; lower the rate, or find what holds the target up"),
        false => format!(
            "the target filled the in-flight limit for a while: {figures}; their response times include the wait"
        ),
    };
    let figures = [
        ("due", *due),
        ("waited", *waited),
        ("dropped.in_flight_limit", never),
        ("max_in_flight", u64::from(max_in_flight)),
    ];
    let figures = figures.map(|(name, figure)| (name, figure.to_string()));
    Some(Reason::new("TARGET_OVERLOADED", text, figures).deciding(decides))
}

fn warnings(evidence: &Evidence, gates: &[Gate], evaluated: &[Evaluated]) -> Vec<Reason> {
    let mut warnings = Vec::new();
    let mut warn = |code, text: String, figure: String| warnings.push(Reason::new(code, text, [("value", figure)]));
    if evidence.interrupted && evidence.aborted.is_none() {
        let end = time_ms(evidence.end.as_millis_f64());
        warn("INTERRUPTED", format!("the run was stopped after {end}, before its planned end"), end);
    }
    for happened in evidence.happened {
        if let Some(why) = &happened.error {
            let text = format!("`{}` of the timeline failed: {why}", happened.name);
            warn("INTERVENTION_FAILED", text, happened.name.clone());
        }
    }
    for (code, text, name) in unmet::unmet(evidence) {
        warn(code, text, name);
    }
    for (code, text, replies) in replies::odd(evidence) {
        warn(code, text, count(replies));
    }
    for (text, figure) in lost::lost(evidence) {
        warn("SOURCE_LOST", text, figure);
    }
    for gate in gates {
        let figure = value(gate.value.unwrap_or_default(), gate.unit);
        if let Some(text) = rate_warning(gate, evidence.totals.load(Section::Hold)) {
            warn(reason_code(gate), text, figure);
        } else if let Some(text) = gaps_warning(gate).or_else(|| run_queue_warning(gate)) {
            warn(reason_code(gate), text, figure);
        }
    }
    let counts = [
        ("CENSORED", censored(evidence)),
        ("SOCKET_HELD", socket_held(evidence)),
        ("NAMES_OVERFLOWED", names_overflowed(evidence)),
        ("CLAMPED", clamped(evidence)),
    ];
    for (code, found) in counts {
        if let Some((text, n)) = found {
            warn(code, text, count(n));
        }
    }
    for (text, samples) in few_samples(evidence, evaluated) {
        warn("FEW_SAMPLES", text, count(samples));
    }
    warnings
}

/// What the course of the run says of the target and of the load. None of it decides: whether a target stands still is
/// a property of the target, and the numbers are those that it had.
fn course_warnings(evidence: &Evidence, steadiness: Option<&Steadiness>) -> Vec<Reason> {
    let mut warnings = Vec::new();
    let mut warn = |code, text, figures: Vec<(&'static str, f64, &str)>| {
        let figures = figures.into_iter().map(|(name, figure, unit)| (name, value(figure, unit)));
        warnings.push(Reason::new(code, text, figures));
    };
    // These profiles are about change.
    let changes = matches!(evidence.plan.profile, Some(Profile::Ladder | Profile::Stress | Profile::Flood));
    if let Some(steadiness) = steadiness.filter(|steadiness| steadiness.holds == Some(false) && !changes) {
        let moving = steadiness.series.iter().filter(|test| test.holds == Some(false));
        let figures = moving.filter_map(|test| Some((test.name, test.drift?, "%"))).collect();
        warn("G6_NOT_STEADY", steadiness.text.clone(), figures);
    }
    if let Some(dispersion) = dispersion(evidence.plan, evidence.course).filter(|dispersion| !dispersion.holds()) {
        let index = crate::wording::digits(dispersion.index);
        let text = format!(
            "starts per window vary {index} times as much as those of a Poisson process (1 ± {} in {})",
            crate::wording::digits(dispersion.limit),
            counted(dispersion.windows as u64, "window")
        );
        warn("G7_ARRIVALS", text, vec![("value", dispersion.index, ""), ("limit", dispersion.limit, "")]);
    }
    let dependence = evidence.batches.total().dependence().filter(Dependence::matters);
    // From level to level times differ, whatever they depend on.
    if let Some(dependence) = dependence.filter(|_| !changes && is_at_one_level(evidence.course)) {
        let figures = vec![("lag1", dependence.lag1, ""), ("n_eff", dependence.effective, "")];
        let response = evidence.batches.total();
        let without = [("p50", 0.5), ("p95", 0.95), ("p99", 0.99)]
            .into_iter()
            .filter(|(_, q)| response.ranks(*q) == Err(NoInterval::TooDependent));
        let without: Vec<&str> = without.map(|(name, _)| name).collect();
        warn("AUTOCORRELATED", dependence.text(&without), figures);
    }
    warnings
}

fn censored(evidence: &Evidence) -> Option<(String, u64)> {
    let ages = Section::ALL.map(|section| &evidence.totals.load(section).censored);
    let unfinished: u64 = ages.iter().map(|ages| ages.count()).sum();
    let oldest_ns = ages.iter().filter_map(|ages| ages.max_ns()).max()?;
    let (exchanges, oldest) = (counted(unfinished, "exchange"), time_ms(oldest_ns as f64 / 1e6));
    let text = format!("{exchanges} unfinished at the end, the oldest after {oldest}: high quantiles are lower bounds");
    Some((text, unfinished))
}

/// Sockets that servers kept open after complete replies, in the whole run.
fn socket_held(evidence: &Evidence) -> Option<(String, u64)> {
    let (mut held, mut open) = (Histogram::new(), 0);
    for load in Section::ALL.map(|section| evidence.totals.load(section)) {
        held.merge(&load.held);
        open += load.held_open;
    }
    let time = |ns: u64| time_ms(ns as f64 / 1e6);
    let (median, longest) = (time(held.quantile_ns(0.5)?), time(held.max_ns()?));
    let still = match open {
        0 => String::new(),
        _ => format!(", {} of them still open when given up", count(open)),
    };
    let text = format!(
        "the server kept {} open after complete replies, for {median} (median), {longest} (longest){still}: a client \
         that waits for the close (ab without -k, HTTP/1.0) waits that long; the server should close a connection that \
         it says or was asked to close as soon as the reply is sent",
        counted(held.count(), "socket")
    );
    Some((text, held.count()))
}

fn names_overflowed(evidence: &Evidence) -> Option<(String, u64)> {
    let names = &evidence.catalog.requests;
    if names.overflowed() == 0 {
        return None;
    }
    let remedy = match suggest_template(names.list()) {
        Some(template) => format!("give the request a `name` such as `{template}`"),
        None => "give requests with varying paths a fixed `name`".to_owned(),
    };
    let known = names.list().len() as u64;
    Some((
        format!("there were more than {}: the rest is counted as `other`; {remedy}", counted(known, "request name")),
        names.overflowed(),
    ))
}

/// Latencies, ages and iteration times beyond the histogram's range, in the whole run.
fn clamped(evidence: &Evidence) -> Option<(String, u64)> {
    let totals = evidence.totals;
    let of_section = |section| {
        let sets = totals.requests(section).flat_map(|(_, stats)| stats.outcomes.iter().flatten());
        let latencies: u64 = sets.map(|set| set.response.exact().clamped).sum();
        let scenarios = totals.scenarios.in_section(section);
        let iterations: u64 = scenarios.map(|stats| stats.iteration_time.exact().clamped).sum();
        latencies + iterations + totals.load(section).censored.exact().clamped
    };
    let clamped: u64 = Section::ALL.into_iter().map(of_section).sum();
    let times = if clamped == 1 { "1 time was".into() } else { format!("{} times were", count(clamped)) };
    (clamped > 0).then(|| (format!("{times} over one hour and counted as one hour"), clamped))
}

/// Quantiles without an interval: p99 of the whole traffic, and those that thresholds test.
fn few_samples(evidence: &Evidence, evaluated: &[Evaluated]) -> Vec<(String, u64)> {
    let total = evidence.totals.requests(Section::Hold).map(|(_, stats)| stats.count()).sum();
    let tested = evaluated.iter().filter_map(|evaluated| {
        let (q, samples) = evaluated.quantile?;
        Some((format!("`{}`", evaluated.result.condition), q, samples))
    });
    let all = std::iter::once(("p99 of the hold".to_owned(), 0.99, total)).chain(tested);
    let short = all.filter_map(|(what, q, samples)| {
        let needed = samples_needed(q, CONFIDENCE).filter(|needed| (1..*needed).contains(&samples))?;
        let samples_text = counted(samples, "sample");
        Some((
            format!("{what} rests on {samples_text}, too few for an interval ({} are needed)", count(needed)),
            samples,
        ))
    });
    short.collect()
}

#[cfg(test)]
mod tests;
