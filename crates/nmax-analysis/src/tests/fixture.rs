//! A healthy run to be spoiled by tests: 100/s for 10 s, 1,000 iterations of one exchange.

use std::time::Duration;

use nmax_metrics::{Aggregate, Catalog, ErrorKind, NameId, Names, Nanos, Network, Outcome, Sample, Section};
use nmax_plan::plan::{
    Arrivals, Call, Check, Connection, Defaults, Expect, Plan, Scenario, Step, Test, Version, Visitor, Workload,
};
use nmax_plan::schedule::{Stage, StageKind};
use nmax_plan::template::Template;
use nmax_plan::threshold::{Limit, Metric, Op, Scope, Stat, Threshold, Within};

use crate::{Evidence, InjectorFacts, Tail};

/// All that [`Evidence`] borrows.
#[derive(Clone)]
pub(crate) struct Run {
    pub(crate) plan: Plan,
    pub(crate) catalog: Catalog,
    pub(crate) totals: Aggregate,
    pub(crate) last: Vec<Tail>,
    pub(crate) hold: (Nanos, Nanos),
    pub(crate) end: Nanos,
    pub(crate) injector: InjectorFacts,
    pub(crate) interrupted: bool,
    pub(crate) batches: crate::Batches,
    pub(crate) course: crate::Course,
    pub(crate) observed: Vec<crate::Observation>,
    pub(crate) readings: nmax_metrics::Readings,
    pub(crate) happened: Vec<crate::InterventionRecord>,
    pub(crate) stretches: crate::Stretches,
}

impl Run {
    /// Scenario `browse` sends `home` (900 times) and scenario `sign-up` sends `form` (100 times), both answered
    /// in 20 ms after an injector lag of 50 µs.
    pub(crate) fn healthy() -> Self {
        let mut run = Self {
            plan: plan(),
            catalog: catalog(),
            totals: Aggregate::default(),
            last: Vec::new(),
            hold: (Nanos::ZERO, Nanos::from_secs(10)),
            end: Nanos::from_secs(10),
            batches: crate::Batches::default(),
            course: crate::Course::default(),
            observed: Vec::new(),
            readings: nmax_metrics::Readings::default(),
            happened: Vec::new(),
            stretches: crate::Stretches::default(),
            injector: InjectorFacts {
                name: nmax_plan::plan::INJECTOR.into(),
                workers: 1,
                cpu_utilization_max: Some(0.3),
                stalled_max_s: Some(0.0),
                cpus: Some(2),
                open_files_max: Some(80),
                open_files_limit: Some(1_024),
                ports_used_max: Some(64),
                ports_limit: Some(28_232),
                time_wait_max: Some(0),
                memory_available_min: Some(0.6),
                swapped_bytes: Some(0),
                windows_missing: 0,
                confined: false,
                culprits: None,
                ..InjectorFacts::default()
            },
            interrupted: false,
        };
        run.add(Section::Hold, 900, HOME, Outcome::Ok, 20.0, 0.05);
        run.add(Section::Hold, 100, FORM, Outcome::Ok, 20.0, 0.05);
        let load = run.totals.load_mut(Section::Hold);
        (load.due, load.started) = (1_000, 1_000);
        (load.in_flight_ns, load.worker_time, load.run_wait) =
            (1_000 * 30_000_000, Nanos::from_secs(10), Nanos::from_millis(100));
        for (index, iterations) in [(0, 900), (1, 100)] {
            let stats = run.totals.scenarios.get_mut(Section::Hold, index);
            (stats.started, stats.completed, stats.ended_within) = (iterations, iterations, iterations);
            stats.iteration_time.record_n(30_000_000, iterations);
            run.totals.checks.get_mut(Section::Hold, index).passed = iterations;
        }
        run
    }

    /// A run in which nothing happened.
    pub(crate) fn empty() -> Self {
        Self { totals: Aggregate::default(), ..Self::healthy() }
    }

    pub(crate) fn closed(mut self) -> Self {
        self.plan.workload = Workload::Closed { vus: 10 };
        self.totals.load_mut(Section::Hold).due = 0;
        self
    }

    /// Has that many iterations of a scenario started, in the hold.
    pub(crate) fn start_of(&mut self, scenario: usize, iterations: u64) {
        self.totals.scenarios.get_mut(Section::Hold, scenario).started = iterations;
    }

    /// Adds exchanges with this response time, of which `lag_ms` are the injector's.
    pub(crate) fn add(
        &mut self,
        section: Section,
        n: u64,
        name: NameId,
        outcome: Outcome,
        response_ms: f64,
        lag_ms: f64,
    ) {
        let ns = |ms: f64| Nanos((ms * 1e6) as u64);
        let sample = Sample {
            name,
            scenario: 0,
            outcome,
            status: None,
            intended: Nanos::ZERO,
            sent: Some(ns(lag_ms)),
            first_byte: Some(ns((lag_ms + response_ms) / 2.0)),
            done: ns(response_ms),
            network: Network::default(),
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 500,
            bytes_sent: 100,
            bytes_decoded: 0,
        };
        (0..n).for_each(|_| self.totals.record(section, &sample));
    }

    pub(crate) fn add_errors(&mut self, n: u64, kind: ErrorKind) {
        self.add(Section::Hold, n, HOME, Outcome::Error(kind), 20.0, 0.05);
    }

    /// Adds a condition on the 99th percentile of the response times.
    pub(crate) fn expect_p99_below(&mut self, limit_ms: f64) {
        let p99 = threshold(Metric::ResponseTime, Stat::Quantile(0.99), Op::Below, ms(limit_ms));
        self.plan.thresholds.push(p99);
    }

    pub(crate) fn evidence(&self) -> Evidence<'_> {
        Evidence {
            plan: &self.plan,
            catalog: &self.catalog,
            totals: &self.totals,
            hold: self.hold,
            end: self.end,
            last: &self.last,
            injectors: std::slice::from_ref(&self.injector),
            interrupted: self.interrupted,
            aborted: None,
            batches: &self.batches,
            course: &self.course,
            observed: &self.observed,
            readings: &self.readings,
            happened: &self.happened,
            stretches: &self.stretches,
            sides: None,
        }
    }
}

pub(crate) const HOME: NameId = NameId(0);
pub(crate) const FORM: NameId = NameId(1);

/// A condition on the whole traffic of the hold.
pub(crate) fn threshold(metric: Metric, stat: Stat, op: Op, limit: Limit) -> Threshold {
    Threshold {
        abort: None,
        text: format!("{metric:?} {stat:?}"),
        metric,
        stat,
        op,
        limit,
        scope: Scope::Total,
        within: Within::Hold,
    }
}

pub(crate) fn ms(ms: f64) -> Limit {
    Limit::Nanos(ms * 1e6)
}

fn catalog() -> Catalog {
    let mut requests = Names::default();
    assert_eq!((requests.intern("home"), requests.intern("form")), (HOME, FORM));
    let list = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    Catalog {
        requests,
        scenarios: list(["browse", "sign-up"]),
        checks: list(["shows items", "shows form"]),
        ..Catalog::default()
    }
}

fn plan() -> Plan {
    Plan {
        name: "shop".into(),
        defaults: Defaults {
            connection: Connection::KeepAlive,
            visitor: Visitor::Returning,
            version: Version::Http11,
            timeout: Duration::from_secs(30),
            headers: Vec::new(),
            body_limit_bytes: 1 << 20,
            ca_files: Vec::new(),
            insecure: false,
            ..Defaults::default()
        },
        scenarios: vec![
            Scenario { weight: 90.0, ..scenario("browse", "home", "shows items") },
            Scenario { weight: 10.0, ..scenario("sign-up", "form", "shows form") },
        ],
        workload: Workload::Open { rate_per_s: 100.0, arrivals: Arrivals::Even, max_in_flight: 50 },
        stages: vec![Stage { from: 100.0, to: 100.0, length_ns: Some(10_000_000_000), kind: StageKind::Hold }],
        seed: 1,
        thresholds: vec![
            threshold(Metric::FailureRate, Stat::Value, Op::Below, Limit::Ratio(0.05)),
            threshold(Metric::Dropped, Stat::Value, Op::Below, Limit::Ratio(0.01)),
        ],
        ..Plan::minimal("http://127.0.0.1:8080")
    }
}

pub(crate) fn scenario(name: &str, request: &str, check: &str) -> Scenario {
    let test = Test::BodyContains(Template::text("item"));
    let request = Call {
        name: Template::text(request),
        expect: Expect { status: vec![(200, 399)], checks: vec![Check { name: check.into(), test }] },
        ..Call::get("/")
    };
    Scenario::with_steps(name, vec![Step::Call(std::sync::Arc::new(request))])
}
