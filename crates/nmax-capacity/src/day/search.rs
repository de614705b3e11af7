//! The cheapest policy that keeps a risk.

use super::nodes::NODES_MAX;
use super::policy::{Autoscale, Policy};
use super::seeds::{Strategy, compare};
use super::simulate::run;
use super::world::World;

/// Numbers of nodes up to which each is tried, since retries may make one node more worse; beyond them it is bisected.
const EACH: usize = 64;
/// Most days of a search, and most nodes that its answer gets more.
pub const SEEDS_MAX: usize = 20;
const MORE: usize = 8;
/// Targets of autoscaling that are tried.
const TARGETS: [f64; 7] = [0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9];

/// What may happen, and how often.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Risk {
    /// Minutes out of the objective that a day may have.
    pub minutes: f64,
    /// Share of days that may have more.
    pub chance: f64,
}

impl Risk {
    /// How many of so many days may have more.
    pub fn allowed(&self, days: usize) -> usize {
        (self.chance * days as f64 + 1e-9) as usize
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq)]
pub struct Cheapest {
    /// The best of each strategy that can keep the risk with some number of nodes, the cheapest first.
    pub found: Vec<Strategy>,
    /// Those that cannot.
    pub impossible: Vec<String>,
}

/// Whether a policy misses a risk: more than the allowed days have more minutes out of the objective. Days end as soon as
/// they are over, and the search as soon as the answer is known.
pub fn misses(world: &World, policy: &Policy, risk: Risk, seeds: usize, seed: u64) -> bool {
    misses_at(world, &world.course.rates(), policy, risk, seeds, seed)
}

pub(super) fn misses_at(world: &World, rates: &[f64], policy: &Policy, risk: Risk, seeds: usize, seed: u64) -> bool {
    let seeds = if world.is_certain(policy) { 1 } else { seeds };
    let (allowed, mut over) = (risk.allowed(seeds), 0);
    for index in 0..seeds {
        if over + seeds - index <= allowed {
            return false;
        }
        let day = run(world, rates, policy, seed.wrapping_add(index as u64), risk.minutes);
        over += usize::from(day.minutes_out > risk.minutes);
        if over > allowed {
            return true;
        }
    }
    false
}

/// The cheapest form of each policy that keeps the risk: the fewest nodes and, where it autoscales, each of seven targets.
///
/// Fixed numbers of nodes up to 64 are tried one by one, since with retries more may be worse; larger ones, and the fewest
/// nodes of autoscaling, are bisected. The search looks at up to [`SEEDS_MAX`] days, the answer at all of them: while it
/// misses the risk there, it gets a node more.
pub fn cheapest(world: &World, policies: &[Policy], risk: Risk, seeds: usize, seed: u64) -> Cheapest {
    let rates = world.course.rates();
    let some = seeds.min(SEEDS_MAX);
    let top = world.node.nodes_max(NODES_MAX).saturating_mul(world.regions.len());
    let (mut found, mut impossible) = (Vec::new(), Vec::new());
    for policy in policies {
        let forms = targets(policy);
        let each = if policy.autoscale.is_none() { EACH } else { 0 };
        let sized = forms.iter().filter_map(|form| {
            let fits = |n: usize| !misses_at(world, &rates, &with_nodes(form, n), risk, some, seed);
            fewest(world.regions.len(), each, top, fits).map(|n| with_nodes(form, n))
        });
        let sized: Vec<Policy> = sized.collect();
        let best = compare(world, &sized, risk, some, seed).ranking.first().map(|best| sized[*best].clone());
        let Some(mut best) = best else {
            impossible.push(policy.name.clone());
            continue;
        };
        for _ in 0..MORE {
            if !misses_at(world, &rates, &best, risk, seeds, seed) {
                break;
            }
            best = with_nodes(&best, best.nodes + 1);
        }
        found.extend(compare(world, &[best], risk, seeds, seed).strategies);
    }
    let order = |strategy: &Strategy| (!strategy.keeps_risk, strategy.cost.mean, strategy.node_hours.mean);
    found.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
    Cheapest { found, impossible }
}

fn targets(policy: &Policy) -> Vec<Policy> {
    match policy.autoscale {
        None => vec![policy.clone()],
        Some(scale) => {
            let of = |target| Policy { autoscale: Some(Autoscale { target, ..scale }), ..policy.clone() };
            TARGETS.into_iter().map(of).collect()
        }
    }
}

/// The same policy with so many nodes at midnight; its schedule grows in proportion.
pub fn with_nodes(policy: &Policy, nodes: usize) -> Policy {
    let scaled = |n: usize| (n * nodes).div_ceil(policy.nodes.max(1)).min(NODES_MAX);
    Policy {
        nodes,
        schedule: policy.schedule.iter().map(|(at_s, n)| (*at_s, scaled(*n))).collect(),
        autoscale: policy.autoscale.map(|scale| Autoscale { least: nodes, most: scale.most.max(nodes), ..scale }),
        ..policy.clone()
    }
}

/// The smallest number from `low` to `top` that fits; numbers up to `each` are tried one by one.
fn fewest(low: usize, each: usize, top: usize, fits: impl Fn(usize) -> bool) -> Option<usize> {
    let tried = each.min(top);
    if let Some(n) = (low..=tried).find(|n| fits(*n)) {
        return Some(n);
    }
    // Nothing up to `below` fits.
    let mut below = tried.max(low.saturating_sub(1));
    let mut above = (2 * below).clamp(low, top);
    while above < top && !fits(above) {
        (below, above) = (above, (2 * above).min(top));
    }
    if above <= below || !fits(above) {
        return None;
    }
    while above - below > 1 {
        let middle = below + (above - below) / 2;
        if fits(middle) { above = middle } else { below = middle }
    }
    Some(above)
}
