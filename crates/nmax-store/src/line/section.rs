//! Counts of one section of a window: requests, scenarios, checks, groups, load.

use std::net::IpAddr;

use nmax_metrics::aggregate::count_address;
use nmax_metrics::{Aggregate, CheckStats, ErrorKind, LoadStats, NameId, Nanos, RequestStats, ScenarioStats, Section};
use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::groups::Groups;
use crate::tag::Limits;

#[derive(Serialize, Deserialize)]
pub(super) struct SectionLine {
    requests: Vec<RequestLine>,
    scenarios: Vec<ScenarioLine>,
    checks: Vec<CheckLine>,
    #[serde(flatten)]
    groups: Groups,
    load: LoadLine,
}

#[derive(Serialize, Deserialize)]
struct RequestLine {
    id: u32,
    ok: u64,
    failed: u64,
    errors: u64,
    status: Counts,
    error_kinds: Counts,
    bytes_received: u64,
    bytes_sent: u64,
    #[serde(default)]
    bytes_decoded: u64,
    /// Of the hold what was due in it in directories of earlier versions.
    #[serde(default)]
    ended_within: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct ScenarioLine {
    id: usize,
    started: u64,
    completed: u64,
    failed: u64,
    interrupted: u64,
    #[serde(default)]
    ended_within: Option<u64>,
}

#[derive(Serialize, Deserialize)]
struct CheckLine {
    id: usize,
    passed: u64,
    failed: u64,
}

#[derive(Serialize, Deserialize)]
struct LoadLine {
    due: u64,
    started: u64,
    waited: u64,
    dropped_injector: u64,
    dropped_in_flight_limit: u64,
    in_flight_ns: u128,
    in_flight_max: u64,
    cpu_ns: u64,
    worker_time_ns: u64,
    connections: u64,
    retries: u64,
    informational: u64,
    #[serde(default)]
    redirects: u64,
    #[serde(default)]
    tls_handshakes: u64,
    #[serde(default)]
    tls_resumed: u64,
    #[serde(default)]
    addresses: Counts,
    #[serde(default)]
    passed_over: Counts,
    #[serde(default)]
    held_open: u64,
    #[serde(default)]
    start_delay_ns: u128,
    #[serde(default)]
    run_wait_ns: u64,
    #[serde(default)]
    stalled_ns: u64,
    #[serde(default)]
    users: u64,
    #[serde(default)]
    samples_left_out: u64,
}

impl SectionLine {
    pub(super) fn of(aggregate: &Aggregate, section: Section) -> Self {
        let scenarios = (0..aggregate.scenario_count()).filter_map(|id| Some((id, aggregate.scenario(section, id)?)));
        let checks = (0..aggregate.check_count()).filter_map(|id| Some((id, aggregate.check(section, id)?)));
        Self {
            requests: aggregate
                .requests(section)
                .filter(|(_, stats)| !stats.is_blank())
                .map(|(name, stats)| RequestLine::of(name, stats))
                .collect(),
            scenarios: scenarios.filter_map(|(id, stats)| ScenarioLine::of(id, stats)).collect(),
            checks: checks
                .filter(|(_, check)| **check != CheckStats::default())
                .map(|(id, check)| CheckLine { id, passed: check.passed, failed: check.failed })
                .collect(),
            groups: Groups::of(aggregate, section),
            load: LoadLine::of(aggregate.load(section)),
        }
    }

    pub(super) fn restore(self, aggregate: &mut Aggregate, section: Section, limits: Limits) -> Result<(), String> {
        for line in self.requests {
            if line.id as usize >= limits.requests {
                return Err(format!("request {} has no name in names.json", line.id));
            }
            line.restore(aggregate.request_mut(section, NameId(line.id)), section)?;
        }
        for line in self.scenarios {
            if line.id >= limits.scenarios {
                return Err(format!("scenario {} has no name in names.json", line.id));
            }
            line.restore(aggregate.scenario_mut(section, line.id), section);
        }
        for line in self.checks {
            if line.id >= limits.checks {
                return Err(format!("check {} has no name in names.json", line.id));
            }
            *aggregate.check_mut(section, line.id) = CheckStats { passed: line.passed, failed: line.failed };
        }
        self.groups.restore(aggregate, section, limits)?;
        self.load.restore(aggregate.load_mut(section))
    }
}

/// What ended within the hold, as it was written; `count` was due in it.
pub(super) fn ended_within(section: Section, written: Option<u64>, count: u64) -> u64 {
    match section {
        Section::Hold => written.unwrap_or(count),
        Section::Outside => 0,
    }
}

impl RequestLine {
    fn of(name: NameId, stats: &RequestStats) -> Self {
        let kinds = ErrorKind::ALL.iter().zip(stats.errors).filter(|(_, count)| *count > 0);
        let status = stats.status.iter().filter(|(_, count)| *count > 0);
        Self {
            id: name.0,
            ok: stats.ok(),
            failed: stats.failed(),
            errors: stats.errors(),
            status: Counts(status.map(|(code, count)| (code.to_string(), *count)).collect()),
            error_kinds: Counts(kinds.map(|(kind, count)| (kind.name().to_owned(), count)).collect()),
            bytes_received: stats.bytes_received,
            bytes_sent: stats.bytes_sent,
            bytes_decoded: stats.bytes_decoded,
            ended_within: Some(stats.ended_within),
        }
    }

    /// Completes `stats`, whose histograms are already there.
    fn restore(&self, stats: &mut RequestStats, section: Section) -> Result<(), String> {
        if (stats.ok(), stats.failed(), stats.errors()) != (self.ok, self.failed, self.errors) {
            return Err(format!("counts of request {} are not those of its histograms", self.id));
        }
        for (code, count) in &self.status.0 {
            let code = code.parse().map_err(|_| format!("`{code}` is not a status code"))?;
            stats.status.push((code, *count));
        }
        for (name, count) in &self.error_kinds.0 {
            let kind = ErrorKind::ALL.into_iter().find(|kind| kind.name() == name);
            stats.errors[kind.ok_or_else(|| format!("`{name}` is not a kind of error"))?.index()] = *count;
        }
        (stats.bytes_received, stats.bytes_sent) = (self.bytes_received, self.bytes_sent);
        stats.bytes_decoded = self.bytes_decoded;
        stats.ended_within = ended_within(section, self.ended_within, stats.count());
        Ok(())
    }
}

impl ScenarioLine {
    fn of(id: usize, stats: &ScenarioStats) -> Option<Self> {
        let ScenarioStats { started, completed, ended_within, failed, interrupted, .. } = *stats;
        let is_empty = [started, completed, ended_within, failed, interrupted] == [0; 5];
        let ended_within = Some(ended_within);
        (!is_empty).then_some(Self { id, started, completed, failed, interrupted, ended_within })
    }

    fn restore(&self, stats: &mut ScenarioStats, section: Section) {
        stats.ended_within = ended_within(section, self.ended_within, self.completed);
        stats.started = self.started;
        stats.completed = self.completed;
        stats.failed = self.failed;
        stats.interrupted = self.interrupted;
    }
}

impl LoadLine {
    fn of(load: &LoadStats) -> Self {
        let by_address = |counts: &[(IpAddr, u64)]| {
            let named = counts.iter().map(|(address, count)| (address.to_string(), *count));
            Counts(named.collect())
        };
        Self {
            due: load.due,
            started: load.started,
            waited: load.waited,
            dropped_injector: load.dropped.injector,
            dropped_in_flight_limit: load.dropped.in_flight_limit,
            in_flight_ns: load.in_flight_ns,
            in_flight_max: load.in_flight_max,
            cpu_ns: load.cpu.0,
            worker_time_ns: load.worker_time.0,
            connections: load.connections,
            retries: load.retries,
            informational: load.informational,
            redirects: load.redirects,
            tls_handshakes: load.tls_handshakes,
            tls_resumed: load.tls_resumed,
            addresses: by_address(&load.addresses),
            passed_over: by_address(&load.passed_over),
            held_open: load.held_open,
            start_delay_ns: load.start_delay_ns,
            run_wait_ns: load.run_wait.0,
            stalled_ns: load.stalled.0,
            users: load.users,
            samples_left_out: load.samples_left_out,
        }
    }

    /// Completes `load`, whose histograms are already there.
    fn restore(&self, load: &mut LoadStats) -> Result<(), String> {
        load.due = self.due;
        load.started = self.started;
        load.waited = self.waited;
        load.dropped.injector = self.dropped_injector;
        load.dropped.in_flight_limit = self.dropped_in_flight_limit;
        load.in_flight_ns = self.in_flight_ns;
        load.in_flight_max = self.in_flight_max;
        (load.cpu, load.worker_time) = (Nanos(self.cpu_ns), Nanos(self.worker_time_ns));
        load.connections = self.connections;
        load.retries = self.retries;
        load.informational = self.informational;
        load.redirects = self.redirects;
        (load.tls_handshakes, load.tls_resumed) = (self.tls_handshakes, self.tls_resumed);
        for (from, to) in [(&self.addresses, &mut load.addresses), (&self.passed_over, &mut load.passed_over)] {
            for (text, count) in &from.0 {
                let address = text.parse().map_err(|_| format!("`{text}` is not an address"))?;
                count_address(to, address, *count);
            }
        }
        load.held_open = self.held_open;
        load.samples_left_out = self.samples_left_out;
        (load.start_delay_ns, load.run_wait) = (self.start_delay_ns, Nanos(self.run_wait_ns));
        (load.stalled, load.users) = (Nanos(self.stalled_ns), self.users);
        Ok(())
    }
}
