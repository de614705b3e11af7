//! What would help: the plan with one thing of a tier changed. A change never moves the usable capacity of a node but for
//! a faster one; it moves C(n).

use super::nodes::{Plan, Survive, needed};
use crate::supply::law::End;
use crate::supply::{Supply, Tier};

#[cfg(test)]
mod tests;

/// A change of a tier, and what it does.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Name of the tier.
    pub tier: String,
    /// What is changed.
    pub what: &'static str,
    /// N_peak and X_peak then, requests of users per second; `None` without a peak.
    pub peak: Option<(f64, f64)>,
    /// Nodes of the tier then, by the estimates.
    pub plan: Plan,
}

/// Something that is done to a tier.
type Alteration = fn(&mut Tier);

/// What can be changed.
const CHANGES: [(&str, Alteration); 3] = [
    ("half the contention between nodes", |tier| tier.law.contention.value /= 2.0),
    ("half the coherency of nodes", |tier| tier.law.coherency.value /= 2.0),
    ("nodes that are 25 % faster", |tier| tier.usable.value *= 1.25),
];

/// Every change of every tier, without those of a coefficient that is 0.
pub fn changes(supply: &Supply, rate_per_s: f64, margin: f64, survive: Survive) -> Vec<Change> {
    let mut found = Vec::new();
    for tier in &supply.tiers {
        for (what, change) in CHANGES {
            let mut changed = tier.clone();
            change(&mut changed);
            if changed == *tier {
                continue;
            }
            let law = changed.law.law(End::Estimate);
            let one = changed.usable.value / changed.visits;
            let peak = law.peak_concurrency().zip(law.peak_throughput()).map(|(n, c)| (n, one * c));
            let plans = needed(&Supply { tiers: vec![changed] }, rate_per_s, margin, survive);
            found.extend(plans.into_iter().map(|need| Change { tier: need.tier, what, peak, plan: need.estimate }));
        }
    }
    found
}
