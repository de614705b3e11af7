//! Gates of single injectors. The worst injector decides: one that is sick hides in sums over many that are not.

use std::cmp::Reverse;
use std::ops::Range;

use nmax_metrics::{Nanos, Section};
use nmax_text::number::trimmed;

use super::injector_lag;
use super::stretch::{Stretch, stretches};
use crate::thresholds::{Evaluated, evaluate_all};
use crate::wording::{count, counted};
use crate::{Evidence, Gate, InjectorFacts};

/// Gaps of an injector that are named.
const GAPS_NAMED_MAX: usize = 5;
/// Injectors besides the worst of which it is told what they lost.
const OTHERS_NAMED_MAX: usize = 5;

/// An injector and what it measured.
pub(super) struct Part<'a> {
    pub(super) facts: &'a InjectorFacts,
    pub(super) evidence: Evidence<'a>,
    pub(super) stretches: Vec<Stretch>,
}

/// Every injector of the run.
pub(super) fn parts<'a>(evidence: &Evidence<'a>) -> Vec<Part<'a>> {
    let part = |facts: &'a InjectorFacts| {
        let evidence = evidence.for_injector(facts);
        Part { facts, stretches: stretches(&evidence, facts), evidence }
    };
    evidence.injectors.iter().map(part).collect()
}

/// The worst that a gate says of an injector; where there are several with its name, and those of all that fail it.
pub(super) fn worst(parts: &[Part], of: impl Fn(&Part) -> Gate) -> Gate {
    let mut failing = Vec::new();
    let gates = parts.iter().map(|part| match parts.len() {
        1 => of(part),
        _ => {
            let (name, gate) = (&part.facts.name, of(part));
            failing.extend((!gate.holds).then(|| name.clone()));
            Gate { injector: Some(name.clone()), text: format!("injector {name}: {}", gate.text), ..gate }
        }
    });
    let worst = gates.min_by(|one, other| {
        let known = |gate: &Gate| (gate.holds, gate.value.is_none());
        let by_weight = known(one).cmp(&known(other)).then_with(|| weight(other).total_cmp(&weight(one)));
        by_weight.then_with(|| one.injector.cmp(&other.injector))
    });
    let worst = worst.expect("a run has an injector");
    failing.sort_unstable();
    Gate { failing, ..worst }
}

/// G8: at most 2 % of the windows of any injector are missing. What each of several lost is told in seconds.
pub(super) fn gaps(evidence: &Evidence, parts: &[Part]) -> Gate {
    let width = Nanos::from(evidence.plan.window);
    let windows = evidence.end.0.div_ceil(width.0.max(1));
    let seconds = |windows: u64| format!("{} s", trimmed(Nanos(windows * width.0).as_secs_f64(), 3));
    let told = |part: &Part| {
        let missing = part.facts.windows_lost();
        let figures = match parts.len() {
            1 => format!("{} of {} lack the report of a worker", count(missing), counted(windows, "window")),
            _ => format!("{} of {} are lost", seconds(missing), seconds(windows)),
        };
        figures + &numbers(&part.facts.gaps)
    };
    let mut lost: Vec<&Part> = parts.iter().filter(|part| part.facts.windows_lost() > 0).collect();
    lost.sort_by_key(|part| (Reverse(part.facts.windows_lost()), &part.facts.name));
    let mut others = lost.iter().skip(1).map(|part| format!("; injector {}: {}", part.facts.name, told(part)));
    let mut text: String = others.by_ref().take(OTHERS_NAMED_MAX).collect();
    let more = others.count();
    if more > 0 {
        let rest = lost[lost.len() - more..].iter().map(|part| part.facts.windows_lost()).sum();
        text += &format!("; {more} more injectors: {}", seconds(rest));
    }
    let of = |part: &Part| super::gaps(part.facts.windows_lost(), windows, (&told(part), &text));
    worst(parts, of)
}

/// Which windows never came.
fn numbers(gaps: &[Range<u64>]) -> String {
    let named = gaps.iter().take(GAPS_NAMED_MAX).map(|gap| match gap.end - gap.start {
        1 => gap.start.to_string(),
        _ => format!("{} to {}", gap.start, gap.end - 1),
    });
    let more = if gaps.len() > GAPS_NAMED_MAX { ", .." } else { "" };
    let named: Vec<String> = named.collect();
    if gaps.is_empty() { String::new() } else { format!(", windows {}{more}", named.join(", ")) }
}

/// How near its limit a value is, or how far beyond, whichever side of it is the good one.
fn weight(gate: &Gate) -> f64 {
    let (value, limit) = (gate.value.unwrap_or_default(), gate.limit.unwrap_or_default());
    match (value > limit) == gate.holds {
        true => limit / value,
        false if limit == 0.0 => value,
        false => value / limit,
    }
}

/// G3 of the run and of each injector: what lag changes for one may not show in the sum.
pub(super) fn lag(evidence: &Evidence, evaluated: &[Evaluated], parts: &[Part]) -> Gate {
    let of = |evidence: &Evidence, evaluated: &[Evaluated]| {
        injector_lag(evidence.totals.load(Section::Hold).injector_lag.count(), evaluated)
    };
    let own = |part: &Part| match part.facts.own {
        Some(_) => of(&part.evidence, &evaluate_all(&part.evidence)),
        None => of(evidence, evaluated),
    };
    Some(worst(parts, own)).filter(|gate| !gate.holds).unwrap_or_else(|| of(evidence, evaluated))
}
