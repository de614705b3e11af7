//! The system under test as the client sees it: its hosts, throughput, and where the client's own clock says time went.

use nmax_metrics::{Histogram, Section};
use nmax_plan::plan::{INJECTOR, ObservedAddress, ObservedSource, Plan, Step, Workload};
use nmax_sources::kinds::AGENT;

use super::span_readings::SpanReadings;
use crate::Evidence;

/// Load and times of the phase. Times are means over all exchanges, s.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct System {
    /// Host that requests go to, as readings have it.
    pub(super) target: String,
    /// Whether that host is this one.
    pub(super) is_local: bool,
    /// Hosts of the system of which something was read, and the target's; in order.
    pub(super) hosts: Vec<String>,
    /// Exchanges that ended in the hold, per second.
    pub(super) throughput_per_s: f64,
    /// done − intended.
    pub(super) response_s: f64,
    /// Of it, what passed before a virtual user was free.
    pub(super) slot_wait_s: f64,
    /// Name resolution, connecting, handshake and sending.
    pub(super) reach_s: f64,
    /// From the first to the last byte of replies.
    pub(super) receive_s: f64,
    /// Median time of a connect in the whole run; `None` without one.
    pub(super) connect_s: Option<f64>,
    /// Whether users have lines of their own, whose round trip is in each connect and each exchange.
    pub(super) has_lines: bool,
    /// Longest connect of the whole run; 0 without one.
    pub(super) connect_s_max: f64,
    /// Bytes of a reply.
    pub(super) reply_bytes: f64,
    /// Time between two exchanges of a user, s; 0 where users do not wait for replies.
    pub(super) think_s: f64,
    /// Exchanges due in the hold that come whether others are replied to or not, 1/s; 0 where users wait for replies.
    pub(super) arrivals_per_s: f64,
    /// Hosts of injectors, the processors that each kept busy itself, and the mean number of its threads that waited for one.
    pub(super) injectors: Vec<(String, f64, f64)>,
}

impl System {
    /// `None` when no exchange ended in the hold.
    pub(super) fn from_evidence(evidence: &Evidence, look: &SpanReadings) -> Option<Self> {
        let total = evidence.totals.total(Section::Hold);
        let (exchanges, hold_s) = (total.count() as f64, evidence.hold_s());
        if exchanges == 0.0 || total.ended_within == 0 || hold_s <= 0.0 {
            return None;
        }
        let response_s = total.latencies().response.mean_ns()? / 1e9;
        let load = evidence.totals.load(Section::Hold);
        let slot_wait_s = (load.start_delay_ns as f64 / 1e9 / exchanges).min(response_s);
        let per_exchange = |times: &Histogram| times.mean_ns().unwrap_or(0.0) * times.count() as f64 / 1e9 / exchanges;
        let phases = total.phases.as_deref();
        let sum = |of: fn(&nmax_metrics::Phases) -> &Histogram| phases.map_or(0.0, |phases| per_exchange(of(phases)));
        let whole = evidence.totals.whole().total(Section::Hold);
        let connects = whole.phases.map(|phases| phases.connect.clone());
        let connect_s_max = connects.as_ref().and_then(Histogram::max_ns).unwrap_or(0) as f64 / 1e9;
        // Throughput counts exchanges that ended in the hold, and not those that were due in it and ended later.
        let throughput_per_s = total.ended_within as f64 / hold_s;
        let think_s = match evidence.plan.workload {
            Workload::Closed { .. } => {
                (load.in_flight_ns as f64 / 1e9 / hold_s / throughput_per_s - response_s).max(0.0)
            }
            Workload::Open { .. } => 0.0,
        };
        let arrivals_per_s = match evidence.plan.workload {
            Workload::Closed { .. } => 0.0,
            Workload::Open { .. } => exchanges / hold_s,
        };
        let (target, is_local) = target(evidence.plan, look);
        let own = |facts| {
            let load = evidence.for_injector(facts).totals.load(Section::Hold);
            (facts.name.clone(), load.cpu.as_secs_f64() / hold_s, load.run_wait.as_secs_f64() / hold_s)
        };
        let injectors: Vec<_> = evidence.injectors.iter().map(own).collect();
        Some(Self {
            hosts: hosts(look, &target, is_local, &injectors),
            target,
            is_local,
            throughput_per_s,
            response_s,
            slot_wait_s,
            reach_s: sum(|phases| &phases.dns)
                + sum(|phases| &phases.connect)
                + sum(|phases| &phases.tls)
                + sum(|phases| &phases.send),
            receive_s: sum(|phases| &phases.receive),
            connect_s: connects.and_then(|connects| connects.quantile_ns(0.5)).map(|ns| ns as f64 / 1e9),
            has_lines: !evidence.plan.locations.is_empty(),
            connect_s_max,
            reply_bytes: total.bytes_received as f64 / exchanges,
            think_s,
            arrivals_per_s,
            injectors,
        })
    }

    /// What a request spends in the system and on the way to it, s.
    pub(super) fn served_s(&self) -> f64 {
        self.response_s - self.slot_wait_s
    }

    /// Mean number of requests in the system, by Little's law.
    pub(super) fn in_flight(&self) -> f64 {
        self.throughput_per_s * self.served_s()
    }

    /// Seconds of each request, of a mean number of requests.
    pub(super) fn seconds(&self, number: f64) -> f64 {
        number / self.throughput_per_s
    }

    /// What an injector on this host takes of its processors itself, as in `injectors`.
    pub(super) fn injector(&self, host: &str) -> (f64, f64) {
        let own = self.injectors.iter().find(|(name, ..)| name == host);
        own.map_or((0.0, 0.0), |(_, busy, waiting)| (*busy, *waiting))
    }

    /// Whether this host's processors, disks and memory serve requests.
    pub(super) fn is_of(&self, host: &str) -> bool {
        self.hosts.iter().any(|known| known == host)
    }
}

/// Hosts of the system: the target's and every other one that is observed. An injector's own is one of them when the
/// target runs there, or a service that the plan observes.
fn hosts(look: &SpanReadings, target: &str, is_local: bool, injectors: &[(String, f64, f64)]) -> Vec<String> {
    let has_service = |host: &str| {
        let kinds = ["pool", "lock", "dependency", "database", "gc"];
        kinds.iter().any(|kind| !look.named(host, kind).is_empty())
    };
    let is_injector = |host: &str| injectors.iter().any(|(name, ..)| name == host);
    let of_system = |host: &&str| !is_injector(host) || is_local || has_service(host);
    let mut hosts: Vec<String> = look.hosts().into_iter().filter(of_system).map(str::to_owned).collect();
    if !hosts.iter().any(|host| host == target) {
        hosts.push(target.to_owned());
    }
    hosts.sort();
    hosts
}

/// How readings call the host that requests go to, and whether it is this one.
fn target(plan: &Plan, look: &SpanReadings) -> (String, bool) {
    let name = host_of(&url(plan)).unwrap_or_default();
    let overridden = plan.hosts.iter().find(|entry| entry.host == name);
    let address = overridden.and_then(|entry| entry.addresses.first()).map(|(address, _)| *address);
    let is_local = match address.or_else(|| name.trim_matches(['[', ']']).parse().ok()) {
        Some(address) => address.is_loopback(),
        None => name == "localhost" || name.ends_with(".localhost"),
    };
    if is_local {
        return (INJECTOR.to_owned(), true);
    }
    // An agent may have been given a name of its own; its URL says which host it is on.
    let shown = address.map_or(name, |address| address.to_string());
    let mut agents = plan.observe.iter().filter_map(|observed| observed.source(&AGENT));
    let is_there = |agent: &&ObservedSource| matches!(&agent.reach, ObservedAddress::At(url) if host_of(url).as_ref() == Some(&shown));
    let agent = agents.find(is_there).map(|agent| agent.host.clone());
    let known = agent.filter(|host| look.hosts().contains(host.as_str()));
    (known.unwrap_or(shown), false)
}

/// The base URL of the plan, or that of its first request.
fn url(plan: &Plan) -> String {
    if !plan.target.is_empty() {
        return plan.target.clone();
    }
    let mut steps = plan.scenarios.iter().flat_map(|scenario| &scenario.steps);
    let first = steps.find_map(|step| match step {
        Step::Call(request) => Some(request.method_and_url().1.as_constant().unwrap_or_default().to_owned()),
        _ => None,
    });
    first.unwrap_or_default()
}

/// The host in a URL, in small letters, without user and port; an IPv6 address without its brackets.
fn host_of(url: &str) -> Option<String> {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let authority = rest.split(['/', '?', '#']).next()?;
    let place = authority.rsplit_once('@').map_or(authority, |(_, place)| place);
    let host = match place.strip_prefix('[') {
        Some(inner) => inner.split(']').next()?,
        None => place.split(':').next()?,
    };
    (!host.is_empty()).then(|| host.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::host_of;

    #[test]
    fn hosts_of_urls() {
        let cases = [
            ("http://127.0.0.1:8080", Some("127.0.0.1")),
            ("https://user:a%40b@Shop.example/x?y#z", Some("shop.example")),
            ("http://[::1]:80/", Some("::1")),
            ("db1:9797", Some("db1")),
            ("", None),
        ];
        for (url, want) in cases {
            assert_eq!(host_of(url).as_deref(), want, "{url}");
        }
    }
}
