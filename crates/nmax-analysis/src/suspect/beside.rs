//! Other programs on nmax's host, where they use the processors that a suspect is short of.

use super::rules::said;
use super::{Kind, Suspect};
use crate::InjectorFacts;
use crate::culprits::CORES_MIN;
use crate::wording::digits;

/// Kind of the finding that names them.
pub(super) const KIND: &str = "processes";

/// Share of the processors from which other programs are named before all else.
const SHARE_MIN: f64 = 0.25;

/// Names the other programs in what is said of an injector's processors, and puts that suspect last: it is not the target
/// that is short of them.
pub(super) fn name(suspects: &mut Vec<Suspect>, injectors: &[InjectorFacts]) {
    let of_host = |suspect: &Suspect| {
        let is_cpu = suspect.resource.kind == Kind::Cpu;
        let facts = injectors.iter().find(|facts| is_cpu && facts.name == suspect.resource.host)?;
        facts.culprits.as_ref()
    };
    let Some((place, culprits)) = suspects.iter().enumerate().find_map(|(at, one)| Some((at, of_host(one)?))) else {
        return;
    };
    let (targets, others): (Vec<_>, Vec<_>) =
        culprits.processes.iter().filter(|one| one.cores >= CORES_MIN).partition(|one| one.is_target);
    let of_target: f64 = targets.iter().map(|one| one.cores).sum();
    let of_others: f64 = others.iter().map(|one| one.cores).sum();
    if of_others < (SHARE_MIN * culprits.cores).max(of_target) {
        return;
    }
    let mut suspect = suspects.remove(place);
    let each: Vec<String> = others.iter().map(|one| format!("{} {}", one.name, digits(one.cores))).collect();
    let names: Vec<&str> = others.iter().map(|one| one.name.as_str()).collect();
    let text = format!(
        "programs besides the target use {} of {} processors: {}",
        digits(of_others),
        digits(culprits.cores),
        each.join(", ")
    );
    suspect.findings.insert(0, said(KIND, text));
    suspect.falsify = format!(
        "stop {} if the target does not need them, and run the same plan again: response times must fall",
        names.join(" and ")
    );
    suspects.push(suspect);
}
