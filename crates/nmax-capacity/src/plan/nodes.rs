//! How many nodes a load needs when some of them are lost, and into how many groups they are divided where one cannot
//! hold it.
//!
//! Survivors alone must hold the load: nothing is started while a zone is down. Loads are requests of users per second.

use nmax_text::number::{count, plain};

use crate::origin::{Assumptions, Figure};
use crate::supply::law::{End, NODES_MAX};
use crate::supply::{Supply, Tier};

#[cfg(test)]
mod tests;

nmax_text::named! {
    /// What a plan survives.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub enum Survive {
        /// Nothing.
        None = "none",
        /// The loss of the largest zone.
        #[default]
        Zone = "zone",
        /// The loss of two nodes: one planned, one not.
        TwoNodes = "n+2",
    }
    /// Its name in documents.
    name
}

impl Survive {
    /// In a sentence.
    pub const fn phrase(self) -> &'static str {
        match self {
            Self::None => "no loss",
            Self::Zone => "the loss of a zone",
            Self::TwoNodes => "the loss of two nodes",
        }
    }

    /// Nodes that are left of `n`; with a zone lost n − ⌈n/z⌉, since nodes are spread as evenly as possible.
    pub fn survivors(self, n: u32, zones: u32) -> u32 {
        match self {
            Self::None => n,
            Self::Zone => n - n.div_ceil(zones.max(1)),
            Self::TwoNodes => n.saturating_sub(2),
        }
    }
}

/// A number of nodes and what they do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeCount {
    /// Nodes n.
    pub nodes: u32,
    /// Nodes that are left after the loss.
    pub survivors: u32,
    /// Capacity of all nodes, per second.
    pub all_per_s: f64,
    /// Capacity of the survivors, per second.
    pub survivors_per_s: f64,
}

/// Groups that share nothing.
#[derive(Clone, Debug, PartialEq)]
pub struct Shards {
    /// Number of groups with the fewest nodes in all.
    pub groups: u32,
    /// One group of them.
    pub group: NodeCount,
    /// Every number of groups that was looked at, and nodes of a group; `None` where no number does it.
    pub tried: Vec<(u32, Option<u32>)>,
}

impl Shards {
    /// Nodes of all groups.
    pub const fn total(&self) -> u32 {
        self.groups * self.group.nodes
    }
}

/// An answer for one tier.
#[derive(Clone, Debug, PartialEq)]
pub enum Plan {
    /// One group holds the load.
    Group(NodeCount),
    /// No number of nodes in one group does; these groups together do.
    Shards(Shards),
    /// Neither does.
    Impossible,
}

impl Plan {
    /// The group, or one of them; `None` when nothing holds the load.
    pub const fn group(&self) -> Option<&NodeCount> {
        match self {
            Self::Group(group) | Self::Shards(Shards { group, .. }) => Some(group),
            Self::Impossible => None,
        }
    }

    /// Nodes in all; `None` when nothing holds the load.
    pub const fn nodes(&self) -> Option<u32> {
        match self {
            Self::Group(count) => Some(count.nodes),
            Self::Shards(shards) => Some(shards.total()),
            Self::Impossible => None,
        }
    }
}

/// What a tier needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Needed {
    /// Name of the tier.
    pub tier: String,
    /// The load with its margin, requests of users per second.
    pub need_per_s: f64,
    /// What is survived.
    pub survive: Survive,
    /// By the estimates.
    pub estimate: Plan,
    /// At the pessimistic end of α, β and the usable capacity.
    pub pessimistic: Plan,
    /// If n nodes did n times what one does.
    pub linear: NodeCount,
    /// The most that one group can do by the estimates, its nodes and their capacity per second; `None` while more nodes
    /// always give more.
    pub most: Option<(u32, f64)>,
    /// Nodes beyond which the law is not supported: twice those measured.
    pub reach: Option<f64>,
}

impl Needed {
    /// Whether the data support the answer; with groups, the size of one counts.
    pub fn is_supported(&self) -> bool {
        let group = self.pessimistic.group();
        self.reach.is_none_or(|reach| group.is_some_and(|group| f64::from(group.nodes) <= reach))
    }

    /// What contention and coherency cost: nodes beyond the linear answer.
    pub fn beyond_linear(&self) -> Option<u32> {
        Some(self.estimate.nodes()?.saturating_sub(self.linear.nodes))
    }

    /// Tells `about` what is not supported, and what would measure it.
    pub fn judge(&self, about: &mut Assumptions) {
        let (tier, need) = (&self.tier, plain(self.need_per_s));
        if matches!(self.pessimistic, Plan::Impossible) {
            about.unsupported.push(format!(
                "{need}/s at {tier} with {}: not supported by these data, because no number of nodes or groups holds it \
                 at the pessimistic end.",
                self.survive.phrase()
            ));
        }
        if let Some(reach) = self.reach.filter(|_| !self.is_supported()) {
            let nodes =
                self.pessimistic.nodes().map_or_else(String::new, |nodes| format!("{} nodes of ", count(nodes.into())));
            about.unsupported.push(format!(
                "{nodes}{tier} for {need}/s: not supported by these data, because the law of nodes was measured up to {} \
                 nodes, and nothing is said beyond twice that.",
                plain(reach / 2.0)
            ));
            let command =
                "nmax scale plan.yaml --axis nodes=8,16,32 --axis rate --apply './nodes {nodes}' --allow-exec";
            about.next.push((format!("Measure more nodes of {tier}"), command.into()));
        }
    }
}

/// Smallest n with min(C(survivors), C(n)) ≥ `need` in capacities of one node, and n.
///
/// Both sides are checked, because beyond the peak more nodes give less. `capacity` rises to a single peak. O(n).
fn smallest(need: f64, zones: u32, survive: Survive, capacity: &dyn Fn(u32) -> f64) -> Option<u32> {
    // A load that came by logarithms is not to need a node more for its last digit.
    let need = need * (1.0 - 1e-9);
    let mut best = 0.0;
    for n in 1..=NODES_MAX {
        let survivors = survive.survivors(n, zones);
        let left = capacity(survivors);
        if left >= need {
            return (capacity(n) >= need).then_some(n);
        }
        if left < best {
            return None;
        }
        best = left;
    }
    None
}

/// The fewest nodes of one group that hold a load; `None` when no number does.
fn group(tier: &Tier, need: f64, survive: Survive, end: End) -> Option<NodeCount> {
    let capacity = |n: u32| tier.capacity(n, end);
    let nodes = smallest(need, tier.zones, survive, &capacity)?;
    let survivors = survive.survivors(nodes, tier.zones);
    Some(NodeCount { nodes, survivors, all_per_s: capacity(nodes), survivors_per_s: capacity(survivors) })
}

/// The plan of one tier for a load with its margin, `need_per_s`.
fn plan(tier: &Tier, need_per_s: f64, survive: Survive, end: End) -> Plan {
    let group = |need: f64| group(tier, need, survive, end);
    if let Some(count) = group(need_per_s) {
        return Plan::Group(count);
    }
    // The total is not monotone in the number of groups, since nodes are spread over zones; so all are tried, up to
    // as many as can share nothing, or as one survivor each holds.
    let one = tier.capacity(1, end);
    if one <= 0.0 || survive.survivors(NODES_MAX, tier.zones) == 0 {
        return Plan::Impossible;
    }
    let last = ((need_per_s / one).ceil() as u32).clamp(1, tier.groups);
    let mut best: Option<(u32, NodeCount)> = None;
    let mut tried = Vec::new();
    for groups in 1..=last {
        let found = group(need_per_s / f64::from(groups));
        tried.push((groups, found.map(|count| count.nodes)));
        if let Some(count) = found
            && best.is_none_or(|(groups, best)| groups * best.nodes > tried.len() as u32 * count.nodes)
        {
            best = Some((groups, count));
        }
    }
    let Some((groups, group)) = best else { return Plan::Impossible };
    Plan::Shards(Shards { groups, group, tried })
}

/// Nodes of each tier that hold `rate_per_s` requests of users with a margin on top (.2 is 20 %), by the estimates, at
/// the pessimistic end, and by the linear rule.
pub fn needed(supply: &Supply, rate_per_s: f64, margin: f64, survive: Survive) -> Vec<Needed> {
    let need_per_s = rate_per_s * (1.0 + margin);
    let of_end = |tier: &Tier, end| plan(tier, need_per_s, survive, end);
    let in_groups = |tier: &Tier, groups: u32| {
        let group = group(tier, need_per_s / f64::from(groups), survive, End::Estimate)?;
        Some(Plan::Shards(Shards { groups, group, tried: vec![(groups, Some(group.nodes))] }))
    };
    let of = |tier: &Tier| {
        let one = tier.usable.value / tier.visits;
        let linear = |n: u32| one * f64::from(n);
        let nodes = smallest(need_per_s, tier.zones, survive, &linear).unwrap_or(NODES_MAX);
        let survivors = survive.survivors(nodes, tier.zones);
        let linear = NodeCount { nodes, survivors, all_per_s: linear(nodes), survivors_per_s: linear(survivors) };
        let (estimate, pessimistic) = (of_end(tier, End::Estimate), of_end(tier, End::Pessimistic));
        // What needs groups to be sure is built as groups: otherwise more would be bought for the estimate than to be sure.
        let estimate = match (&estimate, &pessimistic) {
            (Plan::Group(_), Plan::Shards(sure)) => in_groups(tier, sure.groups).unwrap_or(estimate),
            _ => estimate,
        };
        Needed {
            tier: tier.name.clone(),
            need_per_s,
            survive,
            estimate,
            pessimistic,
            linear,
            most: tier.law.peak(End::Estimate).map(|(n, capacity)| (n, capacity * one)),
            reach: tier.law.reach(),
        }
    };
    supply.tiers.iter().map(of).collect()
}

/// What a system does, and the tier that limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capacity {
    /// Requests of users, per second.
    pub per_s: f64,
    /// Index of the tier that binds.
    pub binds: usize,
}

/// Capacity with its interval, per second, as [`capacity`] has it at each end.
pub fn capacity_figure(supply: &Supply, nodes: &[u32], survive: Survive) -> Figure {
    let at = |end| capacity(supply, nodes, survive, end).per_s;
    let bases = supply.tiers.iter().map(|tier| tier.usable.basis.max(tier.law.basis()));
    let interval = (at(End::Pessimistic), at(End::Optimistic));
    Figure {
        value: at(End::Estimate),
        interval: (interval.0 < interval.1).then_some(interval),
        basis: bases.max().unwrap_or_default(),
    }
}

/// Capacity of `nodes` of each tier after a loss: the smallest over tiers of min(X·C(survivors), X·C(n))/visits.
///
/// The largest zone of every tier is lost at once, as its tiers share zones; of nodes, two of each.
pub fn capacity(supply: &Supply, nodes: &[u32], survive: Survive, end: End) -> Capacity {
    let of = |(tier, n): (&Tier, &u32)| {
        let survivors = survive.survivors(*n, tier.zones);
        tier.capacity(survivors, end).min(tier.capacity(*n, end))
    };
    let each = supply.tiers.iter().zip(nodes).map(of).enumerate();
    let least = each.min_by(|a, b| a.1.total_cmp(&b.1));
    least.map_or(Capacity { per_s: 0.0, binds: 0 }, |(binds, per_s)| Capacity { per_s, binds })
}
