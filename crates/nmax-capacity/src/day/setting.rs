//! A day as its document states it, before it is known what a node can do and what demand is forecast.

use nmax_usl::Usl;

use super::demand::{Base, Course};
use super::nodes::NODES_MAX;
use super::policy::{Autoscale, Policy};
use super::search::Risk;
use super::world::{Clients, Failure, Node, Objective, Prices, Provisioning, Region, World, usable_of_queue};

/// Nodes that a strategy may grow to, times those at midnight, where it does not say.
const GROWTH_MAX: usize = 20;
/// Shape of a day of which only the peak is known: the low as a share of it, and the hour of the peak.
const LOW: f64 = 0.3;
const PEAK_S: f64 = 20.0 * 3600.0;

/// `day` of the document.
#[derive(Clone, Debug, PartialEq)]
pub struct Setting {
    /// Length, s.
    pub length_s: usize,
    /// The base; by default the forecast peak with the shape of a day.
    pub base: Option<Base>,
    /// What multiplies it.
    pub events: Vec<super::demand::Event>,
    /// Standard deviation of ln(level).
    pub uncertainty: f64,
    /// A node, where `supply` does not say it.
    pub node: NodeGiven,
    /// Nodes at midnight, where a strategy does not say it.
    pub nodes: Option<usize>,
    /// Names and shares; never empty.
    pub regions: Vec<Region>,
    /// Zones of a region.
    pub zones: Option<usize>,
    /// What fails.
    pub failures: Vec<Failure>,
    /// How nodes come.
    pub provisioning: Provisioning,
    /// Who asks.
    pub clients: Clients,
    /// What they are promised.
    pub objective: Option<Objective>,
    /// What is done; empty for the two usual ones.
    pub strategies: Vec<Draft>,
    /// What may happen how often.
    pub risk: Risk,
    /// Number of days that are simulated for each strategy.
    pub seeds: usize,
}

/// What `day` says of a node.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NodeGiven {
    /// Usable load, 1/s.
    pub usable_per_s: Option<f64>,
    /// Throughput at saturation, 1/s.
    pub saturation_per_s: Option<f64>,
    /// Mean time in service, s.
    pub service_s: Option<f64>,
    /// α of the node law.
    pub alpha: Option<f64>,
    /// β of the node law.
    pub beta: Option<f64>,
}

/// A strategy whose numbers of nodes may be missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Draft {
    /// What it says.
    pub policy: Policy,
    /// Nodes at midnight.
    pub nodes: Option<usize>,
    /// Fewest nodes.
    pub least: Option<usize>,
    /// Most nodes.
    pub most: Option<usize>,
}

/// What other parts of the document know.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Given {
    /// Usable load of a node, 1/s.
    pub usable_per_s: Option<f64>,
    /// Throughput of a node at saturation, 1/s.
    pub saturation_per_s: Option<f64>,
    /// Mean time in service, s.
    pub service_s: Option<f64>,
    /// The node law.
    pub law: Option<Usl>,
    /// Zones of a region.
    pub zones: Option<usize>,
    /// Nodes that are there.
    pub nodes: Option<usize>,
    /// Forecast peak, 1/s.
    pub peak_per_s: Option<f64>,
    /// What users are promised.
    pub objective: Option<Objective>,
    /// Prices.
    pub prices: Prices,
}

impl Setting {
    /// The world and the strategies.
    ///
    /// # Errors
    /// What is missing: a sentence.
    pub fn world(&self, given: &Given) -> Result<(World, Vec<Policy>), String> {
        let objective = self.objective.or(given.objective).unwrap_or(Objective { limit_s: 1.0, share: 0.99 });
        let node = self.one_node(given, &objective)?;
        let shaped = given.peak_per_s.map(|peak_per_s| Base::Daily { peak_per_s, low: LOW, at_s: PEAK_S });
        let base = self.base.clone().or(shaped).ok_or(
            "the day has no demand: write `day: { demand: { peak: 4000/s } }`, or a `demand` that can be forecast",
        )?;
        let world = World {
            course: Course { length_s: self.length_s, base, events: self.events.clone() },
            uncertainty: self.uncertainty,
            node,
            regions: self.regions.clone(),
            zones: self.zones.or(given.zones).unwrap_or(3),
            failures: self.failures.clone(),
            provisioning: self.provisioning.clone(),
            clients: self.clients,
            objective,
            prices: given.prices,
        };
        let nodes = self.nodes.or(given.nodes).unwrap_or_else(|| plain_nodes(&world));
        let strategies: Vec<Policy> = if self.strategies.is_empty() {
            usual(nodes)
        } else {
            self.strategies.iter().map(|draft| draft.policy(nodes)).collect()
        };
        Ok((world, strategies))
    }

    fn one_node(&self, given: &Given, objective: &Objective) -> Result<Node, String> {
        let own = &self.node;
        let service_s = own.service_s.or(given.service_s);
        let usable = own.usable_per_s.or(given.usable_per_s);
        let saturation = own.saturation_per_s.or(given.saturation_per_s).or(usable);
        let saturation_per_s = saturation.ok_or(
            "it is not known what a node can do: write `supply: { usable: 1200/s }`, or `day: { node: { usable: 1200/s } }`",
        )?;
        let service_s = service_s.unwrap_or(0.0);
        let of_queue = || usable_of_queue(saturation_per_s, service_s, objective.share, objective.limit_s);
        let usable_per_s = usable.unwrap_or_else(of_queue).min(saturation_per_s);
        if usable_per_s <= 0.0 {
            return Err(format!(
                "a node that serves {saturation_per_s}/s, each in {service_s} s, keeps {} s for no load at all",
                objective.limit_s
            ));
        }
        let law = given.law.unwrap_or(Usl { contention: 0.0, coherency: 0.0, unit_throughput: 1.0 });
        let law = Usl {
            contention: own.alpha.unwrap_or(law.contention),
            coherency: own.beta.unwrap_or(law.coherency),
            unit_throughput: usable_per_s,
        };
        Ok(Node { usable_per_s, saturation_per_s, service_s, law })
    }
}

/// Nodes for the highest second without events, in as many regions as there are; as many as help when none are enough.
fn plain_nodes(world: &World) -> usize {
    let plain = Course { events: Vec::new(), ..world.course.clone() };
    let peak = plain.rates().into_iter().fold(0.0, f64::max);
    let node = &world.node;
    let of = |region: &Region| {
        let most = node.nodes_max(NODES_MAX);
        node.nodes_for(peak * region.share, most).unwrap_or(most)
    };
    world.regions.iter().map(of).sum::<usize>().max(world.regions.len())
}

fn usual(nodes: usize) -> Vec<Policy> {
    let standing = Policy { queue: Some(QUEUE_DEFAULT), ..Policy::standing("standing", nodes) };
    let scale = Autoscale { least: nodes, most: GROWTH_MAX * nodes, ..AUTOSCALE_DEFAULT };
    let autoscaled = Policy { name: "autoscaled".into(), autoscale: Some(scale), ..standing.clone() };
    vec![standing, autoscaled]
}

/// Requests that may wait at a node: the kernel's bound for connections that were not accepted yet (`somaxconn`).
pub const QUEUE_DEFAULT: f64 = 4096.0;

/// Autoscaling where a strategy says nothing of it; its numbers of nodes are those of the strategy.
pub const AUTOSCALE_DEFAULT: Autoscale = Autoscale {
    target: 0.6,
    least: 1,
    most: NODES_MAX,
    metric_s: 30.0,
    window_s: 60.0,
    decision_s: 15.0,
    cooldown_out_s: 60.0,
    cooldown_in_s: 300.0,
};

impl Draft {
    fn policy(&self, nodes: usize) -> Policy {
        let nodes = self.nodes.unwrap_or(nodes);
        let least = self.least.unwrap_or(nodes);
        let most = self.most.unwrap_or(GROWTH_MAX * nodes.max(least)).max(least);
        let autoscale = self.policy.autoscale.map(|scale| Autoscale { least, most, ..scale });
        Policy { nodes, autoscale, ..self.policy.clone() }
    }
}
