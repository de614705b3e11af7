//! Gates of single injectors. The worst injector decides: one that is sick hides in sums over many that are not.

use nmax_metrics::Section;

use super::injector_lag;
use super::stretch::{Stretch, stretches};
use crate::thresholds::{Evaluated, evaluate_all};
use crate::{Evidence, Gate, InjectorFacts};

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

/// The worst that a gate says of an injector, with its name where there are several.
pub(super) fn worst(parts: &[Part], of: impl Fn(&Part) -> Gate) -> Gate {
    let gates = parts.iter().map(|part| match parts.len() {
        1 => of(part),
        _ => {
            let gate = of(part);
            Gate {
                injector: Some(part.facts.name.clone()),
                text: format!("{}: {}", part.facts.name, gate.text),
                ..gate
            }
        }
    });
    let worst = gates.min_by(|one, other| {
        let known = |gate: &Gate| (gate.holds, gate.value.is_none());
        let by_weight = known(one).cmp(&known(other)).then_with(|| weight(other).total_cmp(&weight(one)));
        by_weight.then_with(|| one.injector.cmp(&other.injector))
    });
    worst.expect("a run has an injector")
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
