//! Capacity and demand as they were measured over nodes, without a law: what can be said where none is supported.
//!
//! Source: S. Henning, W. Hasselbring, *Theodolite* (cau-se), which defines scalability by these two tables.

use nmax_usl::Observation;

#[cfg(test)]
mod tests;

/// Numbers of nodes that were measured, in order, and the smallest throughput of the runs of each, per second.
pub fn capacities(observations: &[Observation]) -> Vec<(f64, f64)> {
    let mut rows: Vec<(f64, f64)> = observations.iter().map(|one| (one.n, one.x)).collect();
    rows.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
    rows.dedup_by(|a, b| a.0 == b.0);
    rows
}

/// The least number of nodes measured that did `load`, per second; `None` when none did.
///
/// Law: the demand of the capacity of n nodes is at most n.
pub fn demand(capacities: &[(f64, f64)], load: f64) -> Option<f64> {
    capacities.iter().find(|(_, capacity)| *capacity >= load).map(|(n, _)| *n)
}
