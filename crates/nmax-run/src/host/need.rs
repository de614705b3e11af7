//! What a plan asks of a host.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::time::Duration;

use nmax_http::{CONNECTIONS_PER_ORIGIN, Origin};
use nmax_plan::plan::{Connection, Discover, Plan, Scenario, Step, ThinkTime, Visitor, Workload};
use nmax_plan::schedule::Closed;
use nmax_plan::summary;

/// What a plan asks of a host.
#[derive(Clone, Debug, PartialEq)]
pub struct Need {
    /// Virtual users, or the most iterations in flight.
    pub users: u64,
    /// Whether the workload is closed.
    pub is_closed: bool,
    /// Connections open at once, at most: one per user and origin, six where pages have resources.
    pub connections: u64,
    /// Whether that many will be open for sure: users of a closed workload that keep theirs.
    pub is_sure: bool,
    /// New connections per second at the peak, at most; `None` when the target's speed decides.
    pub opened_per_s: Option<f64>,
    /// Whether connections are closed again and again.
    pub closes: bool,
    /// How long the load lasts, where the plan says so.
    pub length: Option<Duration>,
    /// Different sockets at which connections may arrive, at least 1.
    pub destinations: u64,
    /// Whether those are all that there can be: addresses, not names.
    pub is_literal: bool,
    /// Whether the busiest destination is on this host.
    pub is_loopback: bool,
    /// Local addresses that connections leave from, at least 1.
    pub sources: u64,
    /// Whether connections speak TLS.
    pub is_tls: bool,
    /// Worker threads.
    pub workers: u64,
}

impl Need {
    /// What `plan` asks with that many workers; `origins` are all that it names, the target first.
    pub fn for_plan(plan: &Plan, origins: &[Origin], workers: u64) -> Self {
        let most = match &plan.workload {
            Workload::Open { max_in_flight, .. } => u64::from(*max_in_flight).min(in_flight(plan)),
            Workload::Closed { .. } => Closed::new(&plan.stages).map_or(0, |schedule| schedule.vus_max()),
        };
        let mix = plan.iterations.map_or(most, |iterations| most.min(iterations));
        let users = mix.saturating_add(beside(plan));
        let defaults = &plan.defaults;
        let is_one_at_a_time = defaults.connection == Connection::PerRequest;
        let has_resources = plan.all_scenarios().flat_map(Scenario::calls).any(|request| {
            request.page().is_some_and(|page| !page.listed.is_empty() || page.discover != Discover::Nothing)
        });
        let of_origin = if has_resources { CONNECTIONS_PER_ORIGIN as u64 } else { 1 };
        let each = of_origin * if is_one_at_a_time { 1 } else { origins.len().max(1) as u64 };
        let is_keeping = closing_share(plan) == 0.0;
        let is_closed = matches!(plan.workload, Workload::Closed { .. });
        // How many of its connections a page uses, to where a script has some, and how many iterations an open background holds,
        // is not known.
        let is_declared = plan.all_scenarios().all(Scenario::is_declared);
        let is_bound =
            is_declared && !has_resources && plan.background.iter().all(|beside| is_of_vus(&beside.workload));
        let targets = targets(plan, origins);
        Self {
            users,
            is_closed,
            connections: users.saturating_mul(each),
            is_sure: is_keeping && is_closed && is_bound,
            opened_per_s: opened_per_s(plan, each).filter(|per_s| is_declared || *per_s == 0.0),
            closes: !is_keeping,
            length: summary::forecast(plan).duration,
            destinations: (targets.len() as u64).max(1),
            is_literal: is_declared && targets.iter().all(|(host, _)| host.parse::<IpAddr>().is_ok()),
            is_loopback: targets.iter().all(|(host, _)| is_loopback(host)),
            sources: (defaults.source_addresses.len() as u64).max(1),
            is_tls: origins.iter().any(|origin| origin.scheme == nmax_http::Scheme::Https),
            workers,
        }
    }
}

/// Iterations of an open workload that are in flight at the peak, at most: those that start while the longest one goes
/// on, L = λ W (Little 1961, equation 1), with λ in 1/s and W in s. It goes on for as long as its time limits let it, and no
/// longer than the load.
fn in_flight(plan: &Plan) -> u64 {
    let mix = plan.scenarios.iter().filter(|scenario| scenario.weight > 0.0);
    let longest = mix.map(|scenario| longest(plan, scenario)).max().unwrap_or_default();
    let forecast = summary::forecast(plan);
    let longest = longest.min(forecast.duration.unwrap_or(Duration::MAX));
    match forecast.peak {
        summary::Peak::RatePerS(rate) => (rate * longest.as_secs_f64()).ceil().max(1.0) as u64,
        summary::Peak::Vus(_) => u64::MAX,
    }
}

/// Virtual users, or the most iterations in flight, of all backgrounds.
fn beside(plan: &Plan) -> u64 {
    let most = plan.background.iter().map(|beside| match &beside.workload {
        Workload::Closed { vus } => u64::from(*vus),
        Workload::Open { rate_per_s, max_in_flight, .. } => {
            let scenario = plan.scenarios.get(beside.scenario);
            let longest = scenario.map_or(Duration::MAX, |scenario| longest(plan, scenario));
            let at_once = (rate_per_s * longest.as_secs_f64()).ceil().max(1.0) as u64;
            u64::from(*max_in_flight).min(at_once)
        }
    });
    most.fold(0, u64::saturating_add)
}

fn is_of_vus(workload: &Workload) -> bool {
    matches!(workload, Workload::Closed { .. })
}

/// The longest that an iteration can take.
fn longest(plan: &Plan, scenario: &Scenario) -> Duration {
    let step = |step: &Step| match step {
        Step::Call(request) => {
            request.timeout.unwrap_or(plan.defaults.timeout).saturating_mul(request.redirects_max(&plan.defaults) + 1)
        }
        Step::Think(ThinkTime::Fixed(pause) | ThinkTime::Uniform { max: pause, .. }) => *pause,
        Step::Think(ThinkTime::Lognormal { .. }) => Duration::MAX,
        // Sums what is within them, once; loops and scripts may take any time.
        Step::Loop(_) | Step::Script => Duration::MAX,
        _ => Duration::ZERO,
    };
    scenario.all_steps().map(step).fold(Duration::ZERO, Duration::saturating_add)
}

/// The share of iterations whose connections are closed at their end or before.
fn closing_share(plan: &Plan) -> f64 {
    match (plan.defaults.connection, plan.defaults.visitor) {
        (Connection::KeepAlive, Visitor::Returning) => 0.0,
        (Connection::KeepAlive, Visitor::Mixed(share)) => share,
        _ => 1.0,
    }
}

/// New connections per second at the peak of an open workload; those of the start do not count.
fn opened_per_s(plan: &Plan, each: u64) -> Option<f64> {
    let forecast = summary::forecast(plan);
    if plan.defaults.connection == Connection::PerRequest {
        return forecast.peak_requests_per_s;
    }
    match forecast.peak {
        summary::Peak::RatePerS(rate) => Some(rate * closing_share(plan) * each as f64),
        summary::Peak::Vus(_) if closing_share(plan) == 0.0 => Some(0.0),
        summary::Peak::Vus(_) => None,
    }
}

/// Where the target's connections arrive: the addresses given to it, else its host; that of a proxy in its place.
pub(super) fn targets(plan: &Plan, origins: &[Origin]) -> BTreeSet<(String, u16)> {
    let proxy = nmax_engine::http::network::proxy(plan).ok().flatten();
    let Some(origin) = proxy.map(|proxy| proxy.origin).or_else(|| origins.first().cloned()) else {
        return BTreeSet::new();
    };
    let given = plan.hosts.iter().find(|given| {
        given.host.eq_ignore_ascii_case(&origin.host) && given.port.is_none_or(|port| port == origin.port)
    });
    match given {
        Some(given) => {
            given.addresses.iter().map(|(address, port)| (address.to_string(), port.unwrap_or(origin.port))).collect()
        }
        None => BTreeSet::from([(origin.host.clone(), origin.port)]),
    }
}

/// Port of the target, where it is on this host and there is one.
pub(crate) fn port_here(plan: &Plan, origins: &[Origin]) -> Option<u16> {
    let targets = targets(plan, origins);
    let (host, port) = targets.first().filter(|_| targets.len() == 1)?;
    is_loopback(host).then_some(*port)
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse().is_ok_and(|address: IpAddr| address.is_loopback())
}

#[cfg(test)]
mod tests;
