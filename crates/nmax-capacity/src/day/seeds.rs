//! Many days, the same luck for every policy.

use nmax_usl::quantile::student_t;

use super::outcome::Outcome;
use super::overload::{Overload, overload};
use super::policy::Policy;
use super::search::Risk;
use super::simulate::run;
use super::world::World;

/// Normal quantile of two-sided 95 %.
const Z: f64 = 1.959_964;

/// A figure over days.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// Mean over the days.
    pub mean: f64,
    /// Its 95 % interval, by Student's t.
    pub interval: (f64, f64),
    /// Median over the days.
    pub median: f64,
}

impl Estimate {
    /// Of values, of which there is at least one; a value alone is its own interval.
    pub fn from_values(values: &[f64]) -> Self {
        let n = values.len().max(1) as f64;
        let mean = values.iter().sum::<f64>() / n;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half = if values.len() < 2 { 0.0 } else { student_t(0.975, n - 1.0) * (squares / (n - 1.0) / n).sqrt() };
        let mut sorted = values.to_vec();
        sorted.sort_by(f64::total_cmp);
        let at = |share: f64| sorted.get(((n - 1.0) * share) as usize).copied().unwrap_or(mean);
        let median = 0.5 * (at(0.5) + sorted.get(values.len() / 2).copied().unwrap_or(mean));
        Self { mean, interval: (mean - half, mean + half), median }
    }
}

/// A policy over many days.
#[derive(Clone, Debug, PartialEq)]
pub struct Strategy {
    /// What was done.
    pub policy: Policy,
    /// The day whose minutes out of the objective are the median, with its series.
    pub typical: Outcome,
    /// Requests that were lost.
    pub lost: Estimate,
    /// Attempts that failed.
    pub failed: Estimate,
    /// Requests that got a guess.
    pub guessed: Estimate,
    /// Minutes out of the objective.
    pub minutes_out: Estimate,
    /// Longest wait, s.
    pub longest_wait_s: Estimate,
    /// Sessions that ended for a lost request.
    pub sessions_lost: Estimate,
    /// Hours of nodes.
    pub node_hours: Estimate,
    /// Cost of the day.
    pub cost: Estimate,
    /// Cost of a request that was answered.
    pub cost_per_request: Estimate,
    /// Share of days with more minutes out than the risk allows, and its 95 % interval.
    pub risk: (f64, (f64, f64)),
    /// Whether that is within the risk.
    pub keeps_risk: bool,
    /// What it does above its usable capacity.
    pub overload: Overload,
}

/// A strategy less another, day by day.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Its place in [`Compared::strategies`].
    pub strategy: usize,
    /// Cost more than that of the best, on the same days.
    pub cost: Estimate,
    /// Minutes out more.
    pub minutes_out: Estimate,
    /// Requests lost more.
    pub lost: Estimate,
}

/// Strategies over the same days.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// In the order of the document.
    pub strategies: Vec<Strategy>,
    /// Their places, the best first: those that keep the risk by cost, then the others by risk.
    pub ranking: Vec<usize>,
    /// The others against the best, in the order of the ranking.
    pub differences: Vec<Difference>,
    /// Days of each.
    pub seeds: usize,
}

/// Simulates every policy on the same days. The i-th day has the seed `seed` + i. O(policies · seeds · seconds).
pub fn compare(world: &World, policies: &[Policy], risk: Risk, seeds: usize, seed: u64) -> Compared {
    let rates = world.course.rates();
    let all: Vec<Vec<Outcome>> = policies.iter().map(|policy| days(world, &rates, policy, seeds, seed)).collect();
    let strategies: Vec<Strategy> =
        policies.iter().zip(&all).map(|(policy, days)| summary(world, policy, days, risk)).collect();
    let mut ranking: Vec<usize> = (0..strategies.len()).collect();
    let order = |at: &usize| {
        let found = &strategies[*at];
        let risk = if found.keeps_risk { 0.0 } else { found.risk.0 };
        [risk, found.cost.mean, found.node_hours.mean, found.minutes_out.mean]
    };
    ranking.sort_by(|a, b| order(a).partial_cmp(&order(b)).unwrap_or(std::cmp::Ordering::Equal));
    let against = |strategy: usize| {
        let best = &all[ranking[0]];
        let of = |figure: fn(&Outcome) -> f64| {
            let pairs = all[strategy].iter().zip(best).map(|(day, other)| figure(day) - figure(other));
            Estimate::from_values(&pairs.collect::<Vec<f64>>())
        };
        let (cost, minutes_out, lost) = (of(|day| day.cost), of(|day| day.minutes_out), of(|day| day.lost));
        Difference { strategy, cost, minutes_out, lost }
    };
    let differences = ranking.iter().skip(1).map(|strategy| against(*strategy)).collect();
    Compared { strategies, ranking, differences, seeds }
}

/// Days without their series. Where chance decides nothing, one day is all of them.
fn days(world: &World, rates: &[f64], policy: &Policy, seeds: usize, seed: u64) -> Vec<Outcome> {
    let needed = if world.is_certain(policy) { 1 } else { seeds };
    let day = |index| run(world, rates, policy, seed.wrapping_add(index as u64), f64::INFINITY);
    let mut days: Vec<Outcome> = (0..needed).map(day).collect();
    let mut order: Vec<usize> = (0..needed).collect();
    order.sort_by(|a, b| days[*a].minutes_out.total_cmp(&days[*b].minutes_out));
    let typical = order[needed / 2];
    // Only the typical day keeps its series: 1000 of them would be 60 MB.
    days.iter_mut().enumerate().filter(|(at, _)| *at != typical).for_each(|(_, day)| day.series = Vec::new());
    if needed < seeds {
        let plain = Outcome { series: Vec::new(), ..days[0].clone() };
        days.resize(seeds, plain);
    }
    days
}

fn summary(world: &World, policy: &Policy, days: &[Outcome], risk: Risk) -> Strategy {
    let of = |figure: fn(&Outcome) -> f64| Estimate::from_values(&days.iter().map(figure).collect::<Vec<f64>>());
    let over = days.iter().filter(|day| day.minutes_out > risk.minutes).count();
    let typical = days.iter().find(|day| !day.series.is_empty()).unwrap_or(&days[0]).clone();
    Strategy {
        policy: policy.clone(),
        typical,
        lost: of(|day| day.lost),
        failed: of(|day| day.refused + day.timed_out),
        guessed: of(|day| day.guessed),
        minutes_out: of(|day| day.minutes_out),
        longest_wait_s: of(|day| day.longest_wait_s),
        sessions_lost: of(|day| day.sessions_lost),
        node_hours: of(|day| day.node_hours),
        cost: of(|day| day.cost),
        cost_per_request: of(|day| day.cost_per_request),
        risk: (over as f64 / days.len() as f64, wilson(over, days.len())),
        keeps_risk: over <= risk.allowed(days.len()),
        overload: overload(world, policy),
    }
}

/// 95 % interval of a share.
///
/// ```text
/// (p + z²/2n ± z·√(p(1−p)/n + z²/4n²)) / (1 + z²/n)
/// ```
///
/// Source: E. B. Wilson, *Probable inference, the law of succession, and statistical inference*, 1927.
pub fn wilson(hits: usize, n: usize) -> (f64, f64) {
    let (n, p) = (n.max(1) as f64, hits as f64 / n.max(1) as f64);
    let (middle, half) = (p + Z * Z / (2.0 * n), Z * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt());
    let whole = 1.0 + Z * Z / n;
    (((middle - half) / whole).max(0.0), ((middle + half) / whole).min(1.0))
}
