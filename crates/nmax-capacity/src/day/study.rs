//! All that is said of a day: strategies compared, the cheapest that keeps the risk, what breaks it, and what it rests on.

use super::breaking::{Breaking, breaking, headroom_s};
use super::demand::{Base, Shape};
use super::nodes::NODES_MAX;
use super::policy::Policy;
use super::search::{Cheapest, Risk, SEEDS_MAX, cheapest};
use super::seeds::{Compared, Strategy, compare};
use super::setting::{Given, Setting};
use super::world::World;
use crate::origin::{Assumptions, Basis};

/// Doubling time of the headroom where no event doubles, s.
const DOUBLING_S: f64 = 1200.0;

/// A day with its answers.
#[derive(Clone, Debug, PartialEq)]
pub struct Study {
    /// What cannot be chosen.
    pub world: World,
    /// What may happen, and how often.
    pub risk: Risk,
    /// The strategies of the document.
    pub compared: Compared,
    /// Their cheapest forms that keep the risk.
    pub cheapest: Cheapest,
    /// What breaks the best of the strategies.
    pub breaking: Breaking,
    /// A doubling time, s, and how long the nodes of the best strategy at the busiest hour of a plain day meet it, s; `None`
    /// when they do not meet that hour.
    pub headroom: (f64, Option<f64>),
    /// Median time from the request for a node to its service, s.
    pub lag_s: f64,
    /// Highest demand, 1/s.
    pub peak_per_s: f64,
    /// Most that any number of nodes can do behind the best hit rate, within the objective, 1/s.
    pub most_per_s: f64,
}

/// Simulates and compares everything that a document asks. The i-th day has the seed `seed` + i.
///
/// # Errors
/// What is missing: a sentence.
pub fn study(setting: &Setting, given: &Given, seed: u64) -> Result<Study, String> {
    let (world, policies) = setting.world(given)?;
    let (risk, seeds) = (setting.risk, setting.seeds);
    let compared = compare(&world, &policies, risk, seeds, seed);
    let best = &policies[compared.ranking[0]];
    let doubling_s = world.course.events.iter().find_map(|event| match event.shape {
        Shape::Doubling(doubling_s) => Some(doubling_s),
        _ => None,
    });
    let doubling_s = doubling_s.unwrap_or(DOUBLING_S);
    let plain = super::Course { events: Vec::new(), ..world.course.clone() }.rates();
    let at_s = plain.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0.0, |(at, _)| at as f64);
    let serving = Policy { nodes: nodes_at(&compared.strategies[compared.ranking[0]], at_s), ..best.clone() };
    let survives = headroom_s(&world, &serving, at_s, doubling_s).filter(|seconds| *seconds > 0.0);
    let usable = |share: f64| {
        let top = world.node.nodes_max(NODES_MAX);
        world.node.usable_per_s * world.node.scale(top) / share
    };
    let largest = world.regions.iter().map(|region| region.share).fold(0.0, f64::max);
    let hit = policies.iter().map(Policy::hit).fold(0.0, f64::max);
    Ok(Study {
        cheapest: cheapest(&world, &policies, risk, seeds, seed),
        breaking: breaking(&world, best, risk, seeds.min(SEEDS_MAX), seed),
        headroom: (doubling_s, survives),
        lag_s: world.provisioning.quantile(0.5) + world.provisioning.after_s,
        peak_per_s: world.course.rates().into_iter().fold(0.0, f64::max),
        most_per_s: usable(largest) / (1.0 - hit),
        compared,
        risk,
        world,
    })
}

/// Nodes that serve on the typical day at that time.
fn nodes_at(strategy: &Strategy, at_s: f64) -> usize {
    let before = strategy.typical.series.iter().rfind(|point| point.at_s <= at_s);
    before.map_or(strategy.policy.nodes, |point| point.nodes.round() as usize).max(1)
}

impl Study {
    /// The best strategy of the document.
    pub fn best(&self) -> &Strategy {
        &self.compared.strategies[self.compared.ranking[0]]
    }

    /// What to do: the cheapest form that keeps the risk, if there is one.
    pub fn recommended(&self) -> Option<&Strategy> {
        self.cheapest.found.first().filter(|found| found.keeps_risk)
    }

    /// What the answers rest on, what they do not support, and what to measure next.
    pub fn assume(&self, setting: &Setting, about: &mut Assumptions) {
        let world = &self.world;
        let demand = match &world.course.base {
            Base::Constant(rate) => format!("{rate:.0}/s all day"),
            Base::Daily { peak_per_s, low, .. } => format!("peak {peak_per_s:.0}/s, low {:.0} % of it", 100.0 * low),
            Base::Curve(points) => format!("{} points of a table", points.len()),
        };
        let basis = if matches!(world.course.base, Base::Curve(_)) { Basis::Measured } else { Basis::Assumed };
        about.rest_on("demand of the day", demand, basis, "");
        for event in &world.course.events {
            let value = format!("{} times the demand for {:.0} min", event.factor, event.lasts_s / 60.0);
            about.rest_on(format!("event {}", event.name), value, Basis::Assumed, "");
        }
        let provisioning = &world.provisioning;
        let (half, most) = (provisioning.quantile(0.5), provisioning.quantile(0.95));
        let value = format!("median {half:.0} s, 95 % within {most:.0} s, {} % never", 100.0 * provisioning.never);
        about.rest_on(
            "time to provision a node",
            value,
            Basis::Assumed,
            "measure it: it decides what autoscaling is worth",
        );
        let value = format!("{:.0} s", provisioning.after_s);
        about.rest_on("boot, warm-up and registration of a node", value, Basis::Assumed, "");
        let clients = &world.clients;
        let quota = clients.budget.map_or_else(|| "no quota".into(), |budget| format!("quota {:.0} %", 100.0 * budget));
        let value = format!("leave after {} s, {} retries, {quota}", clients.timeout_s, clients.retries);
        about.rest_on("clients", value, Basis::Assumed, "");
        let caches = self.compared.strategies.iter().filter_map(|found| found.policy.cache);
        for cache in caches {
            let value = format!("{} % of requests", 100.0 * cache.hit);
            about.rest_on("hit rate of the cache", value, Basis::Measured, "as stated in the document");
        }
        if world.node.service_s <= 0.0 {
            about.rest_on(
                "time in service",
                "0 s",
                Basis::Assumed,
                "`service_time` of a node makes clients leave in time",
            );
        }
        if self.peak_per_s > self.most_per_s {
            about.unsupported.push(format!(
                "Serving the peak of {:.0}/s within the objective is not supported by these data, because more nodes than {} \
                 do less under the node law: at most {:.0}/s.",
                self.peak_per_s,
                world.node.nodes_max(NODES_MAX),
                self.most_per_s
            ));
        }
        for name in &self.cheapest.impossible {
            about.unsupported.push(format!(
                "A size of `{name}` that keeps the risk is not supported by these data, because no number of nodes up to the \
                 peak of the node law does."
            ));
        }
        if setting.seeds < SEEDS_MAX {
            about.unsupported.push(format!(
                "A risk of {:.0} % is not supported by these data, because {} simulated days do not show it; write `seeds: 50`.",
                100.0 * self.risk.chance,
                setting.seeds
            ));
        }
        let what =
            "Saturation, and what is left of the answers beyond it, by pushing one node to twice its usable load.";
        about.next.push((what.into(), "nmax run PLAN --set workload.open.rate=RATE".into()));
    }
}
