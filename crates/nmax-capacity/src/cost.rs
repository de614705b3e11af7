//! Prices: what capacity costs on average and at the margin, the most profitable size, what a policy costs.
//!
//! All prices are in the currency of the document; costs and values per hour, rates per second. Capacity is usable
//! capacity, so cost is per usable request per second.
//!
//! # Layout
//! - [`sensitivity`]: which input moves an answer most
//! - [`vertical`]: more nodes against larger nodes
//! - [`study`]: all of it for a plan

use crate::supply::law::End;
use crate::supply::{Supply, Tier};

pub mod sensitivity;
pub mod study;
#[cfg(test)]
mod tests;
pub mod vertical;

/// Seconds of an hour.
const HOUR_S: f64 = 3600.0;
/// Hours of a month: a twelfth of 365 days.
pub const MONTH_H: f64 = 730.0;

/// What things cost.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// A node, per hour.
    pub node_per_h: Option<f64>,
    /// A request.
    pub request: f64,
    /// A gigabyte that is sent.
    pub gigabyte: f64,
    /// Size of a response, bytes.
    pub response_bytes: u64,
    /// An hour in which the objective is missed.
    pub hour_out_of_slo: Option<f64>,
    /// What one request per second is worth, for an hour.
    pub value_per_h: Option<f64>,
}

impl Prices {
    /// Price of a node of a tier, per hour: its own first.
    pub fn node(&self, tier: &Tier) -> Option<f64> {
        tier.price_per_h.or(self.node_per_h)
    }
}

/// What an hour costs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bill {
    /// Nodes.
    pub nodes: f64,
    /// Requests.
    pub requests: f64,
    /// What is sent.
    pub transfer: f64,
}

impl Bill {
    /// All of it.
    pub fn total(&self) -> f64 {
        self.nodes + self.requests + self.transfer
    }
}

/// What an hour of `nodes` of each tier costs at a mean rate of requests, per second. `None` when a node has no price.
pub fn bill(supply: &Supply, prices: &Prices, nodes: &[u32], mean_per_s: f64) -> Option<Bill> {
    let each = supply.tiers.iter().zip(nodes).map(|(tier, n)| Some(prices.node(tier)? * f64::from(*n)));
    let requests = mean_per_s * HOUR_S;
    Some(Bill {
        nodes: each.sum::<Option<f64>>()?,
        requests: prices.request * requests,
        transfer: prices.gigabyte * requests * prices.response_bytes as f64 / 1e9,
    })
}

/// What n nodes cost for what they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UnitCost {
    /// Nodes n.
    pub nodes: u32,
    /// X(n), per second.
    pub capacity_per_s: f64,
    /// Cost of a request per second, for an hour: c·n/X(n).
    pub average: f64,
    /// Cost of one more request per second; `None` where more nodes do not give more.
    pub marginal: Option<f64>,
}

/// Average and marginal cost of `n` nodes at `price` each.
///
/// ```text
/// average = c·n/X(n) = c·D(n)/γ,  marginal = c/(dX/dn) = c·D²/(γ(1−α−βn²))
/// ```
///
/// The average never falls with n while α, β ≥ 0.
pub fn unit_cost(tier: &Tier, n: u32, price: f64) -> UnitCost {
    let slope = slope(tier, f64::from(n));
    let capacity_per_s = tier.capacity(n, End::Estimate);
    UnitCost {
        nodes: n,
        capacity_per_s,
        average: price * f64::from(n) / capacity_per_s,
        marginal: (slope > 0.0).then(|| price / slope),
    }
}

/// dX/dn = γ(1−α−βn²)/D², per second.
fn slope(tier: &Tier, n: f64) -> f64 {
    let law = tier.law.law(End::Estimate);
    let d = law.denominator_at(n);
    tier.usable.value / tier.visits * (1.0 - law.contention - law.coherency * n * n) / (d * d)
}

/// The number of nodes that earns most.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Optimum {
    /// Where dX/dn = c/v, not rounded.
    pub at: f64,
    /// The better of the two whole numbers beside it.
    pub nodes: u32,
    /// v·X(n) − c·n, per hour.
    pub profit: f64,
}

/// The most profitable number of nodes when a request per second is worth `value` for an hour and all capacity is used.
///
/// ```text
/// γ(1−α−βn²)/D² = c/v;  for β = 0: n = 1 + (√(γ(1−α)v/c) − 1)/α
/// ```
///
/// `None` when even the first node costs more than it earns, and when every node earns more than it costs.
pub fn profit_optimum(tier: &Tier, price: f64, value: f64) -> Option<Optimum> {
    let wanted = price / value;
    let last = f64::from(crate::supply::law::NODES_MAX);
    // The slope falls from n = 1 to the peak.
    if slope(tier, 1.0) < wanted || slope(tier, last) >= wanted {
        return None;
    }
    let (mut low, mut high) = (1.0, last);
    while high - low > 1e-9 * high {
        let middle = f64::midpoint(low, high);
        if slope(tier, middle) >= wanted { low = middle } else { high = middle }
    }
    let profit = |n: u32| value * tier.capacity(n, End::Estimate) - price * f64::from(n);
    let (below, above) = (low.floor() as u32, low.ceil() as u32);
    let nodes = if profit(above) > profit(below) { above } else { below };
    Some(Optimum { at: low, nodes, profit: profit(nodes) })
}
