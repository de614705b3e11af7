//! What a policy cannot choose: demand, what a node can do, regions, failures, clients, provisioning, prices.

use nmax_usl::Usl;
use nmax_usl::random::Random;
use statrs::distribution::{ContinuousCDF, Normal};

use super::demand::Course;
use super::policy::Policy;
use crate::cost;
use crate::supply::queue::Queue;

/// Everything around a policy.
#[derive(Clone, Debug, PartialEq)]
pub struct World {
    /// Demand of the day.
    pub course: Course,
    /// Standard deviation of ln(level of the day): how wrong the forecast may be; 0 when it is sure.
    pub uncertainty: f64,
    /// One node.
    pub node: Node,
    /// Where nodes stand, each an independent pool; never empty.
    pub regions: Vec<Region>,
    /// Zones of each region, at least 1.
    pub zones: usize,
    /// What fails, and when.
    pub failures: Vec<Failure>,
    /// How nodes come.
    pub provisioning: Provisioning,
    /// Who asks.
    pub clients: Clients,
    /// What they are promised.
    pub objective: Objective,
    /// What it costs.
    pub prices: Prices,
}

impl World {
    /// Whether chance decides nothing under a policy, so that all days are the same.
    pub fn is_certain(&self, policy: &Policy) -> bool {
        let launches = policy.autoscale.is_some() || !policy.schedule.is_empty();
        let comes = self.provisioning.quantiles.len() < 2 && [0.0, 1.0].contains(&self.provisioning.never);
        let happens = self.failures.iter().all(|failure| [0.0, 1.0].contains(&failure.chance));
        self.uncertainty == 0.0 && happens && (comes || !launches)
    }
}

/// What a node can do, and what many can.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Node {
    /// Largest load within the objective, 1/s.
    pub usable_per_s: f64,
    /// Throughput at saturation, 1/s; at least the usable one.
    pub saturation_per_s: f64,
    /// Mean time in service, s.
    pub service_s: f64,
    /// The node law: n nodes do C(n) = n/D(n) times what one does.
    pub law: Usl,
}

impl Node {
    /// C(n): what `n` nodes do, in nodes.
    pub fn scale(&self, n: usize) -> f64 {
        if n == 0 { 0.0 } else { n as f64 / self.law.denominator_at(n as f64) }
    }

    /// Number of nodes beyond which more do less; `most` where there is none before it.
    pub fn nodes_max(&self, most: usize) -> usize {
        self.law.peak_integer().map_or(most, |(n, _)| (n as usize).clamp(1, most))
    }

    /// Smallest number of nodes with this usable capacity; `None` when none has it.
    pub fn nodes_for(&self, load_per_s: f64, most: usize) -> Option<usize> {
        let top = self.nodes_max(most);
        let enough = |n: usize| self.usable_per_s * self.scale(n) >= load_per_s * (1.0 - 1e-12);
        enough(top).then(|| {
            let (mut low, mut high) = (0, top);
            while high - low > 1 {
                let middle = low + (high - low) / 2;
                if enough(middle) { high = middle } else { low = middle }
            }
            high
        })
    }
}

/// The largest load, 1/s, at which M/M/c answers the share `quantile` within `limit_s`; 0 when even an empty node does not.
///
/// ```text
/// P(R > t) = e^(−μt) + C·μ·(e^(−dt) − e^(−μt))/(μ − d),  d = cμ − λ,  c = X_max·S,  μ = 1/S
/// ```
///
/// - C: Erlang C at λ; S: `service_s`; X_max: `saturation_per_s`; t: `limit_s`
///
/// By bisection. The wait is exponential with rate d given that it is not zero, and independent of the service.
/// Source: D. Gross, C. M. Harris, *Fundamentals of Queueing Theory*, §2.3. Law: `usable_capacity_meets_its_quantile`.
pub fn usable_of_queue(saturation_per_s: f64, service_s: f64, quantile: f64, limit_s: f64) -> f64 {
    let (mut low, mut high) = (0.0, saturation_per_s);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if slower_than(limit_s, saturation_per_s, service_s, middle) <= 1.0 - quantile {
            low = middle
        } else {
            high = middle
        }
    }
    low
}

/// P(R > t) of M/M/c at load `load_per_s`; 1 from saturation on.
pub fn slower_than(limit_s: f64, saturation_per_s: f64, service_s: f64, load_per_s: f64) -> f64 {
    if load_per_s >= saturation_per_s {
        return 1.0;
    }
    let servers = (saturation_per_s * service_s).round().max(1.0);
    let mu = saturation_per_s / servers;
    let queue = Queue { servers: servers as u32, service_s: 1.0 / mu, arrival_rate_per_s: load_per_s };
    let (waits, drain) = (queue.waits().unwrap_or(1.0), saturation_per_s - load_per_s);
    let alone = (-mu * limit_s).exp();
    let gap = mu - drain;
    let later =
        if gap.abs() < 1e-9 * mu { mu * limit_s * alone } else { mu * ((-drain * limit_s).exp() - alone) / gap };
    (alone + waits * later).min(1.0)
}

/// Where nodes stand.
#[derive(Clone, Debug, PartialEq)]
pub struct Region {
    /// Its name.
    pub name: String,
    /// Its share of the demand and of the nodes; all together 1.
    pub share: f64,
}

/// What is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The largest zone of a region.
    Zone(usize),
    /// A region: others take its load.
    Region(usize),
    /// The management plane: nothing is launched or ended.
    Management,
    /// What is in the cache.
    Cache,
}

/// Something that fails.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Failure {
    /// What.
    pub loss: Loss,
    /// When, s.
    pub at_s: f64,
    /// For how long, s.
    pub lasts_s: f64,
    /// Probability that it happens on this day.
    pub chance: f64,
}

/// Time until a node that was asked for serves.
#[derive(Clone, Debug, PartialEq)]
pub struct Provisioning {
    /// Quantiles of the time that provisioning takes: probability and seconds, both rising, at least one.
    pub quantiles: Vec<(f64, f64)>,
    /// Probability that a node never comes.
    pub never: f64,
    /// After how long a node that did not come is asked for again, s.
    pub gives_up_s: f64,
    /// Factor on the time while an event is on, since everybody asks.
    pub crowded: f64,
    /// Boot, warm-up and registration, s.
    pub after_s: f64,
}

impl Provisioning {
    /// Quantiles of a lognormal time with this median (s) and this standard deviation of its logarithm.
    pub fn lognormal(median_s: f64, spread: f64) -> Vec<(f64, f64)> {
        let normal = Normal::standard();
        let points = [0.001, 0.01, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999];
        if spread <= 0.0 {
            return vec![(0.5, median_s)];
        }
        points.iter().map(|p| (*p, median_s * (spread * normal.inverse_cdf(*p)).exp())).collect()
    }

    /// Seconds that provisioning takes, or `None` for never. Two draws, whatever they give.
    pub fn draw(&self, random: &mut Random) -> Option<f64> {
        let (comes, p) = (random.uniform() >= self.never, random.uniform());
        comes.then(|| self.quantile(p))
    }

    /// A quantile, s: on straight lines through the logarithms of the listed ones, never beyond them.
    pub fn quantile(&self, p: f64) -> f64 {
        let after = self.quantiles.partition_point(|(q, _)| *q <= p);
        match (after.checked_sub(1).map(|before| self.quantiles[before]), self.quantiles.get(after)) {
            (Some((p0, t0)), Some((p1, t1))) if t0 > 0.0 => t0 * (t1 / t0).powf((p - p0) / (p1 - p0)),
            (Some((_, time)), _) | (None, Some(&(_, time))) => time,
            (None, None) => 0.0,
        }
    }
}

/// Who asks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clients {
    /// After how long a client leaves, s; infinite when it never does.
    pub timeout_s: f64,
    /// Attempts after the first, at most [`super::clients::RETRIES_MAX`].
    pub retries: usize,
    /// Pause before the first of them, s; each later one is twice as long.
    pub backoff_s: f64,
    /// Retries per request that a client allows itself over time; `None` without a quota.
    pub budget: Option<f64>,
    /// Share of users who try again by hand when all attempts failed.
    pub by_hand: f64,
    /// After how long they do, s.
    pub pause_s: f64,
    /// Requests of a session.
    pub session_requests: f64,
}

/// What users are promised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Objective {
    /// Response time, s.
    pub limit_s: f64,
    /// Share of requests that are answered within it: .99.
    pub share: f64,
}

/// Prices, in one currency.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Prices {
    /// A node for an hour.
    pub node_hour: f64,
    /// A request.
    pub request: f64,
    /// Worth of an answer; that of a guess is a share of it.
    pub answer: f64,
    /// An hour out of the objective.
    pub hour_out: f64,
}

impl From<&cost::Prices> for Prices {
    /// What is not stated costs nothing. A response costs its gigabytes with its request.
    fn from(stated: &cost::Prices) -> Self {
        Self {
            node_hour: stated.node_per_h.unwrap_or(0.0),
            request: stated.request + stated.gigabyte * stated.response_bytes as f64 / 1e9,
            answer: stated.value_per_h.unwrap_or(0.0) / 3600.0,
            hour_out: stated.hour_out_of_slo.unwrap_or(0.0),
        }
    }
}
