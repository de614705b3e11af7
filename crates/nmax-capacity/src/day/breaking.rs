//! Which variable breaks a day first.

use super::outcome::Outcome;
use super::policy::{Cache, Policy};
use super::search::{Risk, misses_at};
use super::simulate::simulate;
use super::world::{Failure, Loss, World};

/// Outage of the management plane that counts as a whole one, s: 4.5 hours.
const OUTAGE_S: f64 = 16_200.0;
/// Largest factor on load and on the time of provisioning.
const FACTOR_MAX: f64 = 16.0;
/// Steps of a bisection: a factor of 16 is known to 1 %.
const STEPS: usize = 8;

/// Something that may be worse than the document says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variable {
    /// The demand, as a multiple.
    Load,
    /// Time until a node serves, as a multiple.
    Provisioning,
    /// Probability that a node never comes.
    Never,
    /// Length of an outage of the management plane, s.
    Outage,
    /// Probability of an outage of the management plane.
    Chance,
    /// Attempts after the first.
    Retries,
    /// Hit rate of the cache.
    Hit,
    /// A zone at the busiest time, for an hour: share of nodes.
    Zone,
    /// The largest region at the busiest time, for an hour: share of demand.
    Region,
    /// The cache is emptied at the busiest time: share of requests.
    Cold,
}

impl Variable {
    /// All of them.
    pub const ALL: [Self; 10] = [
        Self::Load,
        Self::Provisioning,
        Self::Never,
        Self::Outage,
        Self::Chance,
        Self::Retries,
        Self::Hit,
        Self::Zone,
        Self::Region,
        Self::Cold,
    ];

    /// In tables: `load`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Load => "load",
            Self::Provisioning => "time until a node serves",
            Self::Never => "nodes that never come",
            Self::Outage => "outage of the management plane",
            Self::Chance => "chance of an outage of the management plane",
            Self::Retries => "retries",
            Self::Hit => "hit rate",
            Self::Zone => "loss of a zone at the peak",
            Self::Region => "loss of a region at the peak",
            Self::Cold => "loss of the cache at the peak",
        }
    }
}

/// How far a variable is from the edge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limit {
    /// Which.
    pub variable: Variable,
    /// Its value now.
    pub now: f64,
    /// Its value from which on the risk is missed or, where it is missed already, up to which it is kept; `None` when no
    /// value that was tried changes the answer.
    pub edge: Option<f64>,
    /// Size of that change as a share of the value now or, where that is 0, of the worst value: 4.5 h of outage, all nodes
    /// never coming, seven retries.
    pub change: Option<f64>,
}

/// The variables of a policy, the one with the smallest change first.
#[derive(Clone, Debug, PartialEq)]
pub struct Breaking {
    /// Whether the risk is kept as the day is.
    pub keeps_risk: bool,
    /// All that matter to the policy.
    pub limits: Vec<Limit>,
}

impl Breaking {
    /// What breaks the day first or, where it is broken, what would mend it first.
    pub fn first(&self) -> Option<&Limit> {
        self.limits.first().filter(|limit| limit.change.is_some())
    }
}

/// Moves one variable at a time until the risk is missed; where it is missed already, until it is kept.
///
/// Load and the time until a node serves are bisected on their logarithm, the others evenly; the loss of a zone, a region
/// or the cache is tried as it is. The smallest change of all names the variable that breaks the day.
pub fn breaking(world: &World, policy: &Policy, risk: Risk, seeds: usize, seed: u64) -> Breaking {
    let rates = world.course.rates();
    let keeps_risk = !misses_at(world, &rates, policy, risk, seeds, seed);
    let busiest = rates.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(at, _)| at);
    // The hour around it, as far as the day has one.
    let busiest_s = busiest.saturating_sub(1800).min(rates.len().saturating_sub(3600)) as f64;
    let first_s = world.course.events.first().map_or(busiest_s, |event| event.at_s);
    let changes = |variable: Variable, value: f64| {
        let (mut world, mut policy, mut rates) = (world.clone(), policy.clone(), rates.clone());
        let provisioning = &mut world.provisioning;
        match variable {
            Variable::Load => rates.iter_mut().for_each(|rate| *rate *= value),
            Variable::Provisioning => {
                provisioning.quantiles.iter_mut().for_each(|(_, time)| *time *= value);
                provisioning.after_s *= value;
            }
            Variable::Never => provisioning.never = value,
            Variable::Outage => {
                if outage(&world).is_none() {
                    world.failures.push(lost(Loss::Management, first_s, value));
                }
                outages(&mut world).for_each(|failure| failure.lasts_s = value);
            }
            Variable::Chance => outages(&mut world).for_each(|failure| failure.chance = value),
            Variable::Retries => world.clients.retries = value.round() as usize,
            Variable::Hit => policy.cache = policy.cache.map(|cache| Cache { hit: value, ..cache }),
            Variable::Zone => world.failures.push(lost(Loss::Zone(0), busiest_s, 3600.0)),
            Variable::Region => world.failures.push(lost(Loss::Region(largest(&world)), busiest_s, 3600.0)),
            Variable::Cold => world.failures.push(lost(Loss::Cache, busiest_s, 0.0)),
        }
        misses_at(&world, &rates, &policy, risk, seeds, seed) == keeps_risk
    };
    let range = |variable: Variable| range(variable, world, policy, keeps_risk);
    let limits = Variable::ALL.into_iter().filter_map(|variable| {
        let (now, far) = range(variable)?;
        let edge = changes(variable, far).then(|| match variable {
            Variable::Zone | Variable::Region | Variable::Cold => far,
            _ => edge(variable, now, far, |value| changes(variable, value)),
        });
        let whole = if now > 0.0 { now } else { worst(variable) };
        Some(Limit { variable, now, edge, change: edge.map(|edge| (edge - now).abs() / whole) })
    });
    let mut limits: Vec<Limit> = limits.collect();
    limits.sort_by(|a, b| a.change.unwrap_or(f64::INFINITY).total_cmp(&b.change.unwrap_or(f64::INFINITY)));
    Breaking { keeps_risk, limits }
}

/// A failure that is sure.
fn lost(loss: Loss, at_s: f64, lasts_s: f64) -> Failure {
    Failure { loss, at_s, lasts_s, chance: 1.0 }
}

fn outage(world: &World) -> Option<&Failure> {
    world.failures.iter().find(|failure| failure.loss == Loss::Management)
}

fn outages(world: &mut World) -> impl Iterator<Item = &mut Failure> {
    world.failures.iter_mut().filter(|failure| failure.loss == Loss::Management)
}

fn largest(world: &World) -> usize {
    let shares = world.regions.iter().map(|region| region.share).enumerate();
    shares.max_by(|a, b| a.1.total_cmp(&b.1)).map_or(0, |(at, _)| at)
}

/// The value now and the one to move to; `None` where the variable is of no matter to the policy.
fn range(variable: Variable, world: &World, policy: &Policy, keeps_risk: bool) -> Option<(f64, f64)> {
    let launches = policy.autoscale.is_some() || !policy.schedule.is_empty();
    let towards = |worse: f64, better: f64| if keeps_risk { worse } else { better };
    let range = match variable {
        Variable::Load => (1.0, towards(FACTOR_MAX, 1.0 / FACTOR_MAX)),
        Variable::Provisioning if launches => (1.0, towards(FACTOR_MAX, 1.0 / FACTOR_MAX)),
        Variable::Never if launches => (world.provisioning.never, towards(worst(variable), 0.0)),
        Variable::Outage if launches => {
            let now = outage(world).map_or(0.0, |failure| failure.lasts_s);
            (now, towards(worst(variable).max(4.0 * now), 0.0))
        }
        Variable::Chance if launches => (outage(world)?.chance, towards(worst(variable), 0.0)),
        Variable::Retries => (world.clients.retries as f64, towards(worst(variable), 0.0)),
        Variable::Hit => (policy.cache?.hit, towards(0.0, 0.99)),
        Variable::Zone if keeps_risk => (0.0, 1.0 / world.zones as f64),
        Variable::Region if keeps_risk && world.regions.len() > 1 => (0.0, world.regions[largest(world)].share),
        Variable::Cold if keeps_risk => (0.0, policy.cache?.hit),
        _ => return None,
    };
    (range.0 != range.1).then_some(range)
}

/// What a change from 0 is a share of.
fn worst(variable: Variable) -> f64 {
    match variable {
        Variable::Outage => OUTAGE_S,
        Variable::Retries => super::clients::RETRIES_MAX as f64,
        _ => 1.0,
    }
}

/// The value nearest to `now` at which `changes` holds, which it does at `far`, by bisection.
fn edge(variable: Variable, now: f64, far: f64, changes: impl Fn(f64) -> bool) -> f64 {
    if variable == Variable::Retries {
        let (now, far) = (now as usize, far as usize);
        let towards = |step: usize| if far > now { now + step } else { now - step };
        let steps = (1..=far.abs_diff(now)).map(|step| towards(step) as f64);
        return steps.into_iter().find(|value| changes(*value)).unwrap_or(far as f64);
    }
    let on_log = matches!(variable, Variable::Load | Variable::Provisioning);
    let middle = |a: f64, b: f64| if on_log { (a * b).sqrt() } else { 0.5 * (a + b) };
    let (mut near, mut far) = (now, far);
    for _ in 0..STEPS {
        let half = middle(near, far);
        if changes(half) { far = half } else { near = half }
    }
    far
}

/// Headroom as a time, from simulation: how long after its begin a doubling of the demand is met within the objective by the
/// nodes of midnight.
///
/// ```text
/// t = τ·log₂(C/λ)
/// ```
///
/// - τ: `doubling_s`; C, λ: usable capacity and demand at the begin. Law: `headroom_is_the_formula`
pub fn headroom_s(world: &World, policy: &Policy, at_s: f64, doubling_s: f64) -> Option<f64> {
    use super::demand::{Event, Shape};
    let growth = Event {
        name: String::new(),
        at_s,
        factor: 1024.0,
        shape: Shape::Doubling(doubling_s),
        lasts_s: f64::INFINITY,
        decays_s: 0.0,
    };
    let mut world = World { failures: Vec::new(), uncertainty: 0.0, ..world.clone() };
    world.course.events = vec![growth];
    let fixed = Policy { autoscale: None, schedule: Vec::new(), ..policy.clone() };
    let day: Outcome = simulate(&world, &fixed, 1);
    let width = day.series.get(1)?.at_s;
    let first = day.series.iter().find(|point| point.at_s + width > at_s && point.out > 0.0)?;
    Some((first.at_s + width * (1.0 - first.out) - at_s).max(0.0))
}
