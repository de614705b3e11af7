//! A run that never happened: ramp, warm-up, hold with a stall of one second, failures of several kinds.

use std::time::Duration;

use nmax_analysis::{
    Answer, Effect, Ending, Event, Evidence, Figures, Finding, Gate, InjectorFacts, InterventionRecord, Judged,
    Judgement, Observation, Own, Reason, Recovery, SeriesBuilder, SeriesTest, Steadiness, Summary, ThresholdResult,
    Verdict, judge,
};
use nmax_metrics::aggregate::count_address;
use nmax_metrics::sample::Network;
use nmax_metrics::{
    Aggregate, Catalog, Code, ErrorKind, FailureExample, NameId, Nanos, Outcome, Sample, Section, Window,
};
use nmax_plan::plan::{Arrivals, Connection, Defaults, Plan, Profile, Version, Visitor, Workload};
use nmax_plan::schedule::{Stage, StageKind};
use nmax_report::{RunContext, RunInfo, View};

/// All inputs of a report.
pub(crate) struct Run {
    pub(crate) plan: Plan,
    pub(crate) catalog: Catalog,
    pub(crate) windows: Vec<Window>,
    pub(crate) failures: Vec<FailureExample>,
    pub(crate) info: RunInfo,
    pub(crate) hold: (Nanos, Nanos),
    pub(crate) end: Nanos,
    pub(crate) judgement: Judgement,
    pub(crate) observed: Vec<Observation>,
}

/// Knobs of [`Run::new`].
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) names: Vec<String>,
    pub(crate) rate_per_s: f64,
    pub(crate) hold_s: u64,
    pub(crate) seed: u64,
    pub(crate) failures: usize,
    pub(crate) text: String,
}

impl Default for Shape {
    fn default() -> Self {
        let names = ["GET /", "GET /search", "GET /item/{id}", "GET /image/large.jpg", "POST /signup"];
        Self {
            names: names.map(str::to_owned).to_vec(),
            rate_per_s: 200.0,
            hold_s: 120,
            seed: 1,
            failures: 12,
            text: "connection closed before the reply was complete".into(),
        }
    }
}

/// Lengths of ramp-up, warm-up and ramp-down, s: short runs have short ones.
fn around(shape: &Shape) -> [u64; 3] {
    [20, 10, 10].map(|seconds| shape.hold_s.min(seconds))
}

const DRAIN_S: u64 = 2;

/// A small generator (xorshift64*), so that runs repeat.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn lognormal(&mut self, median: f64, spread: f64) -> f64 {
        let sum: f64 = (0..12).map(|_| self.unit()).sum::<f64>() - 6.0;
        median * (spread * sum).exp()
    }
}

impl Run {
    pub(crate) fn new(shape: &Shape) -> Self {
        let plan = plan(shape);
        let [ramp_s, warm_up_s, down_s] = around(shape);
        let hold_start = ramp_s + warm_up_s;
        let hold = (Nanos::from_secs(hold_start), Nanos::from_secs(hold_start + shape.hold_s));
        let end = hold.1 + Nanos::from_secs(down_s + DRAIN_S);
        let mut catalog = Catalog { scenarios: vec!["browse".into(), "sign-up".into()], ..Catalog::default() };
        catalog.transactions = vec!["find and open".into()];
        catalog.pages = vec!["home".into(), "item".into()];
        catalog.transitions = vec!["home -> item".into(), "item -> home".into()];
        catalog.locations = vec!["adsl".into(), "fibre".into()];
        catalog.checks = vec!["body contains \"basket\"".into(), "status 302".into()];
        let ids: Vec<_> = shape.names.iter().map(|name| catalog.requests.intern(name)).collect();
        let count = end.0 / 1_000_000_000;
        let windows = (0..count).map(|index| Window::new(index, Nanos::from_secs(1))).collect();
        let mut run = Self {
            plan,
            catalog,
            windows,
            failures: Vec::new(),
            info: info(),
            hold,
            end,
            judgement: judgement(),
            observed: vec![memory()],
        };
        run.fill(shape, &ids);
        run.failures = (0..shape.failures).map(|index| failure(shape, index)).collect();
        run
    }

    fn fill(&mut self, shape: &Shape, ids: &[NameId]) {
        let mut random = Random(shape.seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let starts_end = Nanos(self.end.0 - Nanos::from_secs(DRAIN_S).0);
        let (mut at_s, mut n) = (0.0, 0u64);
        while at_s < starts_end.as_secs_f64() {
            let level = level(&self.plan, at_s).max(2.0);
            self.exchange(&mut random, ids, at_s, n);
            at_s += 1.0 / level;
            n += 1;
        }
        for window in &mut self.windows {
            let load = window.aggregate.load_mut(Section::Hold);
            load.cpu = Nanos(40_000_000);
            load.worker_time = Nanos::from_secs(2);
        }
    }

    fn exchange(&mut self, random: &mut Random, ids: &[NameId], at_s: f64, n: u64) {
        let intended = Nanos((at_s * 1e9) as u64);
        let popular = (random.unit().powi(2) * ids.len() as f64) as usize;
        let pick = if ids.len() > 100 { n as usize % ids.len() } else { popular };
        let stall_s = self.hold.0.as_secs_f64() + 0.55 * self.hold.1.since(self.hold.0).as_secs_f64();
        let stalled = (stall_s..stall_s + 1.0).contains(&at_s);
        let wait_s = if stalled { (stall_s + 1.0 - at_s) * 0.9 } else { 0.0 };
        let lag_s = random.lognormal(25e-6, 0.5) + if stalled && n.is_multiple_of(2) { 0.3 * wait_s } else { 0.0 };
        let medians = [0.0042, 0.0125, 0.0061, 0.046, 0.021];
        let service_s = random.lognormal(medians[pick % 5], 0.45) + if random.unit() < 0.004 { 0.18 } else { 0.0 };
        let is_new = n < 40 || n.is_multiple_of(23);
        let connect_s = if is_new { random.lognormal(0.0008, 0.4) } else { 0.0 };
        let tls_s = if is_new { random.lognormal(0.0031, 0.4) } else { 0.0 };
        let lag_s = lag_s + connect_s + tls_s;
        let done_s = at_s + lag_s.max(0.0) + service_s + wait_s;
        let (outcome, status) = outcome(random.unit(), stalled);
        let at = |seconds: f64| Nanos((seconds * 1e9) as u64);
        let sample = Sample {
            name: ids[pick],
            scenario: 0,
            outcome,
            status: status.map(Code::new),
            intended,
            sent: (outcome != Outcome::Error(ErrorKind::Connect)).then(|| at(at_s + lag_s)),
            first_byte: status.map(|_| at(at_s + lag_s + 0.6 * service_s)),
            done: at(done_s),
            network: Network {
                dns: if n < 2 { Nanos::from_millis(3) } else { Nanos::ZERO },
                connect: at(connect_s),
                tls: at(tls_s),
            },
            send: if pick % 5 == 4 && status.is_some() { at(0.1 * service_s) } else { Nanos::ZERO },
            slot_wait: Nanos::ZERO,
            bytes_received: 900 + (random.unit() * 20_000.0) as u64,
            bytes_sent: 210,
            bytes_decoded: 3_200 + (random.unit() * 70_000.0) as u64,
        };
        let section = if intended >= self.hold.0 && intended < self.hold.1 { Section::Hold } else { Section::Outside };
        let last = self.windows.len() - 1;
        let start = (at_s as usize).min(last);
        let load = self.windows[start].aggregate.load_mut(section);
        load.due += 1;
        load.started += 1;
        load.connections += u64::from(is_new);
        load.tls_handshakes += u64::from(is_new);
        load.tls_resumed += u64::from(is_new && n >= 40);
        load.retries += u64::from(n.is_multiple_of(997));
        load.redirects += u64::from(n.is_multiple_of(101));
        load.informational += u64::from(n.is_multiple_of(503));
        if is_new {
            load.count_address([192, 0, 2, 10 + (n % 3) as u8].into(), 1);
        }
        if is_new && n.is_multiple_of(3) {
            count_address(&mut load.passed_over, [192, 0, 2, 14].into(), 1);
        }
        if n.is_multiple_of(211) {
            load.held.record(15_000_000_000 + n);
            load.held_open += n % 2;
        }
        load.in_flight_ns += u128::from(sample.response_time().0);
        let aggregate = &mut self.windows[(done_s as usize).min(last)].aggregate;
        aggregate.record(section, &sample);
        let check = aggregate.checks.get_mut(section, 0);
        if outcome == Outcome::Failed {
            check.failed += 1
        } else {
            check.passed += 1
        }
        if n.is_multiple_of(3) {
            let transaction = aggregate.transactions.get_mut(section, 0);
            transaction.count += 1;
            transaction.failed += u64::from(outcome != Outcome::Ok);
            transaction.time.record(2 * sample.response_time().0);
        }
        let (ok, time) = (outcome == Outcome::Ok, sample.response_time().0);
        if n.is_multiple_of(5) {
            let page = aggregate.pages.get_mut(section, (n % 2) as usize);
            page.pages.record(ok, 3 * time);
            page.resources += 6;
            page.cached += n % 4;
            page.unchanged += n % 3;
            page.resources_failed += n % 2;
            page.bytes_received += 90_000;
            aggregate.transitions.get_mut(section, (n % 2) as usize).record(ok, 3 * time);
        }
        let location = aggregate.locations.get_mut(section, (n % 2) as usize);
        location.exchanges.record(ok, time);
        location.iterations.record(ok, time);
        location.pages.record(ok, 3 * time);
        let scenario = aggregate.scenarios.get_mut(section, usize::from(pick == 4));
        scenario.started += 1;
        scenario.completed += 1;
        scenario.failed += u64::from(outcome != Outcome::Ok);
        scenario.iteration_time.record(sample.response_time().0);
    }

    /// Sum of the windows.
    pub(crate) fn totals(&self) -> Aggregate {
        let mut totals = Aggregate::default();
        self.windows.iter().for_each(|window| totals.merge(&window.aggregate));
        totals
    }

    pub(crate) fn view(&self) -> View {
        self.view_of(&[facts()])
    }

    /// The same run on injectors of these names and regions, which measured its windows in turn. The last one is sick.
    pub(crate) fn fleet(&self, names: &[(&str, Option<&str>)]) -> View {
        let own = |number: usize| {
            let mut totals = Aggregate::default();
            let windows = self.windows.iter().skip(number).step_by(names.len());
            windows.for_each(|window| totals.merge(&window.aggregate));
            Some(Box::new(Own { totals, course: nmax_analysis::Course::default() }))
        };
        let injector = |(number, (name, region)): (usize, &(&str, Option<&str>))| InjectorFacts {
            name: (*name).to_owned(),
            region: region.map(str::to_owned),
            shard: number as u32,
            own: own(number),
            clock_error_s: Some(0.0034),
            ..facts()
        };
        let mut injectors: Vec<_> = names.iter().enumerate().map(injector).collect();
        if let Some(sick) = injectors.last_mut() {
            (sick.cpu_utilization_max, sick.clock_error_s, sick.clock_jump_s) = (Some(0.97), Some(0.12), Some(2.0));
            sick.gaps.push(120..132);
        }
        self.view_of(&injectors)
    }

    fn view_of(&self, injectors: &[InjectorFacts]) -> View {
        let mut builder = SeriesBuilder::new(self.end, 300);
        self.windows.iter().for_each(|window| builder.push(window));
        let totals = self.totals();
        let mut batches = nmax_analysis::Batches::default();
        self.windows.iter().for_each(|window| batches.push(window));
        let evidence = Evidence {
            plan: &self.plan,
            catalog: &self.catalog,
            totals: &totals,
            hold: self.hold,
            end: self.end,
            last: &[],
            injectors,
            interrupted: false,
            aborted: None,
            batches: &batches,
            course: &nmax_analysis::Course::default(),
            observed: &self.observed,
            readings: &nmax_metrics::Readings::default(),
            happened: &[],
            stretches: &nmax_analysis::Stretches::default(),
            sides: None,
        };
        let event = Event { at_s: 30.0, code: "hold".into(), text: "hold began".into() };
        let judged = judge(&evidence);
        let judgement = match injectors {
            [_] => Judgement { diagnosis: judged.diagnosis, ..self.judgement.clone() },
            _ => judged,
        };
        let summary = Summary::new(&evidence, &judgement, builder.finish(), &self.failures, vec![event]);
        let judged = Judged { ending: Ending::Complete, summary, judgement };
        View::new(&judged, &self.plan, RunContext { run: self.info.clone(), ..RunContext::default() })
    }
}

/// What is known of an injector that is well.
fn facts() -> InjectorFacts {
    InjectorFacts {
        workers: 2,
        cpu_utilization_max: Some(0.21),
        open_files_max: Some(131),
        open_files_limit: Some(1024),
        ports_used_max: Some(104),
        time_wait_max: Some(2_611),
        ..InjectorFacts::default()
    }
}

fn level(plan: &Plan, at_s: f64) -> f64 {
    let mut start_s = 0.0;
    for stage in &plan.stages {
        let length_s = stage.length_ns.unwrap_or(0) as f64 / 1e9;
        if at_s < start_s + length_s {
            return stage.from + (stage.to - stage.from) * (at_s - start_s) / length_s;
        }
        start_s += length_s;
    }
    0.0
}

fn outcome(draw: f64, stalled: bool) -> (Outcome, Option<u16>) {
    match draw {
        _ if stalled && draw < 0.1 => (Outcome::Failed, Some(503)),
        _ if stalled && draw < 0.14 => (Outcome::Error(ErrorKind::Timeout), None),
        _ if draw < 0.0015 => (Outcome::Failed, Some(500)),
        _ if draw < 0.0025 => (Outcome::Error(ErrorKind::Reset), None),
        _ if draw < 0.0027 => (Outcome::Error(ErrorKind::Connect), None),
        _ => (Outcome::Ok, Some(200)),
    }
}

fn plan(shape: &Shape) -> Plan {
    let rate = shape.rate_per_s;
    let [ramp_s, warm_up_s, down_s] = around(shape);
    let stage = |from, to, seconds: u64, kind| Stage { from, to, length_ns: Some(seconds * 1_000_000_000), kind };
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
        scenarios: Vec::new(),
        workload: Workload::Open { rate_per_s: rate, arrivals: Arrivals::Even, max_in_flight: 1000 },
        stages: vec![
            stage(0.0, rate, ramp_s, StageKind::RampUp),
            stage(rate, rate, warm_up_s, StageKind::WarmUp),
            stage(rate, rate, shape.hold_s, StageKind::Hold),
            stage(rate, 0.0, down_s, StageKind::RampDown),
        ],
        seed: 42,
        ..Plan::minimal("https://shop.test")
    }
}

fn info() -> RunInfo {
    let machine = [("cpu", "AMD EPYC 9R14, 2 cores"), ("memory", "7.7 GB"), ("kernel", "6.12.8"), ("os", "Debian 12")];
    RunInfo {
        id: "7kq2xw9d".into(),
        name: "shop, peak hour".into(),
        note: "Before the new search index.".into(),
        tags: vec!["nightly".into(), "search".into()],
        started_at: "2026-03-14T09:26:53Z".into(),
        seed: 42,
        plan_sha256: "6f1ed002ab5595859014ebf0951522d9b7c6d1a3f0c5a8e2b0d4c6e8f0a1b3c5".into(),
        plan_yaml: "nmax: 1\ntarget: https://shop.test\nworkload:\n  open: { rate: 200/s }\n".into(),
        target: "https://shop.test".into(),
        machine: machine.map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
        command: "nmax run shop.yaml --seed 42 --target https://shop.test".into(),
        nmax_version: "0.1.0".into(),
    }
}

fn judgement() -> Judgement {
    let threshold = |condition: &str, value, limit: f64, unit, holds| ThresholdResult {
        condition: condition.into(),
        value: Some(value),
        limit,
        unit,
        margin: Some((limit - value) / limit),
        holds,
    };
    let gate = |code, name, value, limit, unit, text: &str| Gate {
        code,
        name,
        injector: None,
        failing: Vec::new(),
        value: Some(value),
        limit: Some(limit),
        unit,
        holds: true,
        text: text.into(),
    };
    let reason = |code, text: &str, decides| Reason { code, text: text.into(), evidence: Vec::new(), decides };
    Judgement {
        verdict: Verdict::Fail,
        reasons: vec![
            reason("THRESHOLD", "response_time p99 < 150ms does not hold: 203 ms, 36 % above the limit", true),
            reason("CENSORED", "3 exchanges were unfinished at the end of the run", false),
            reason(
                "SOCKET_HELD",
                "the server kept 142 sockets open after complete replies, for 15 s (median), 15 s (longest): a client \
                 that waits for the close (ab without -k, HTTP/1.0) waits that long; the server should close a \
                 connection that it says or was asked to close as soon as the reply is sent",
                false,
            ),
        ],
        thresholds: vec![
            threshold("response_time p95 < 400ms", 64.2, 400.0, "ms", true),
            threshold("response_time p99 < 150ms", 203.4, 150.0, "ms", false),
            threshold("failure_rate < 5%", 0.004, 0.05, "%", true),
            threshold("dropped < 1%", 0.0, 0.01, "%", true),
        ],
        withheld: Vec::new(),
        steadiness: Some(steadiness()),
        answer: Some(answer()),
        effects: vec![effect()],
        diagnosis: Default::default(),
        breakdown: Default::default(),
        gates: vec![
            gate("G1", "rate", 0.999, 0.98, "%", "the intended load was sent"),
            gate("G3", "injector lag", 0.0, 0.0, "", "the injector's lag changed the answer of no condition"),
            gate("G4", "injector resources", 0.21, 0.95, "%", "the injector had room"),
        ],
    }
}

fn steadiness() -> Steadiness {
    let test = |name, drift, holds| SeriesTest {
        name,
        drift: Some(drift),
        drift_limit: 0.05,
        kpss: Some(0.31),
        adf: Some(-9.2),
        holds: Some(holds),
    };
    Steadiness {
        holds: Some(false),
        transient_s: Some(5.0),
        series: vec![test("throughput", 0.001, true), test("response p95", 0.21, false)],
        text: "not steady: response p95 drifted by 21 % over the hold".into(),
    }
}

fn answer() -> Answer {
    let finding = |code, subject: &str, value, interval, unit, text: &str, is_trouble| Finding {
        code,
        subject: subject.into(),
        value,
        interval,
        unit,
        text: text.into(),
        is_trouble,
    };
    Answer {
        profile: Profile::Stress,
        headline: "it breaks at 412/s (398/s to 431/s)".into(),
        findings: vec![
            finding(
                "BREAK_POINT",
                "",
                Some(412.0),
                Some((398.0, 431.0)),
                "/s",
                "beyond 412/s response times leave their limit for good",
                true,
            ),
            finding("KNEE", "GET /search", None, None, "/s", "throughput follows the load to the end", false),
        ],
    }
}

fn effect() -> Effect {
    let figures = |failure_rate, p95_ms| {
        Some(Figures {
            length_s: 10.0,
            throughput_per_s: 198.4,
            failure_rate,
            p50_ms: Some(12.0),
            p95_ms: Some(p95_ms),
        })
    };
    Effect {
        happened: InterventionRecord { name: "node down".into(), start_s: 40.0, end_s: Some(50.0), error: None },
        phases: [figures(0.0, 62.0), figures(0.034, 840.0), None],
        recovery: Recovery::NotSeen,
        worst_p95_ms: Some(910.0),
        text: "node down: p95 62 ms before, 840 ms during".into(),
    }
}

/// The memory of a process that leaks.
fn memory() -> Observation {
    let at = |second: u64| (Nanos::from_secs(second), 5e8 + 17_000.0 * second as f64);
    Observation { name: "postgres".into(), metric: "memory_bytes".into(), values: (0..150).map(at).collect() }
}

fn failure(shape: &Shape, index: usize) -> FailureExample {
    let kinds = [("reset", None), ("status 503", Some(503)), ("timeout", None), ("status 500", Some(500))];
    let (kind, status) = kinds[index % 4];
    FailureExample {
        at: Nanos::from_millis(96_000 + 137 * index as u64),
        name: shape.names[index % shape.names.len()].clone(),
        scenario: "browse".into(),
        outcome: match kind {
            "reset" => Outcome::Error(ErrorKind::Reset),
            "timeout" => Outcome::Error(ErrorKind::Timeout),
            _ => Outcome::Failed,
        },
        kind: kind.into(),
        after: None,
        status: status.map(Code::new),
        text: shape.text.clone(),
        request: format!("GET /search?q=tea HTTP/1.1\r\nhost: shop.test\r\naccept: */*\r\n\r\n{}", shape.text),
        reply: if status.is_some() {
            format!("HTTP/1.1 {kind}\r\ncontent-type: text/html\r\n\r\n<h1>{}</h1>", shape.text)
        } else {
            String::new()
        },
        response_time: Nanos::from_millis(420 + index as u64),
    }
}
