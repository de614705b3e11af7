//! What a run has come to, as points of metrics: a pure function of what a run's process and a follower of its files know.

use nmax_analysis::gates::reason_code;
use nmax_analysis::summary::shape;
use nmax_analysis::{Fold, Verdict};
use nmax_metrics::names::OTHER;
use nmax_metrics::{Aggregate, Catalog, Code, ErrorKind, LoadStats, Nanos, RequestStats, Section};
use nmax_plan::plan::{Plan, Workload};
use nmax_store::Manifest;

use crate::buckets::Buckets;
use crate::metric::{self, Metric};
use crate::requests::Requests;

/// Request names that are told apart; the others are added up as [`OTHER`], for each has some forty series and more.
pub const REQUESTS_MAX: usize = 200;

/// The metrics of a run at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// Id of the run.
    pub run_id: String,
    /// Its name.
    pub run_name: String,
    /// When it began, Unix ns.
    pub started_ns: u64,
    /// The instant, Unix ns.
    pub at_ns: u64,
    /// In the order of [`metric::ALL`]; what has no point is left out.
    pub families: Vec<Family>,
}

/// All points of a metric.
#[derive(Clone, Debug, PartialEq)]
pub struct Family {
    /// The metric.
    pub metric: &'static Metric,
    /// Its points.
    pub points: Vec<Point>,
}

/// A value with what it is of.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// Attributes, by name with dots.
    pub attributes: Vec<(&'static str, String)>,
    /// The value.
    pub value: Value,
}

/// A value of a metric.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Of a counter or gauge.
    Number(f64),
    /// Of a histogram.
    Buckets(Box<Buckets>),
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Number(number)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number as f64)
    }
}

impl From<bool> for Value {
    fn from(is: bool) -> Self {
        Self::Number(f64::from(u8::from(is)))
    }
}

impl From<Buckets> for Value {
    fn from(buckets: Buckets) -> Self {
        Self::Buckets(Box::new(buckets))
    }
}

/// What is known of a run while it goes on.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    /// What was known before it began.
    pub manifest: &'a Manifest,
    /// What is run.
    pub plan: &'a Plan,
    /// Everything so far.
    pub fold: &'a Fold,
    /// The names behind its numbers.
    pub catalog: &'a Catalog,
}

impl Snapshot {
    /// Of a run that goes on.
    ///
    /// - `at_ns`: the calendar when the last window ended, Unix ns
    ///
    /// O(names × buckets).
    pub fn new(known: &Known<'_>, at_ns: u64) -> Self {
        let Known { manifest, plan, fold, catalog } = known;
        let mut points = Points::default();
        requests(&mut points, fold.totals(), plan, catalog);
        for section in Section::ALL {
            load(&mut points, section, fold.totals().load(section));
            groups(&mut points, section, fold.totals(), catalog);
        }
        for (number, kind) in catalog.failures.iter().enumerate() {
            let of = |section: Section| fold.totals().failures.get(section, number).map_or(0, |stats| stats.count);
            points.add(&metric::FAILURES, [("nmax.failure", kind)], Section::ALL.map(of).iter().sum::<u64>());
        }
        now(&mut points, plan, fold);
        let standing = fold.standing(plan, catalog);
        for gate in &standing.gates {
            points.add(&metric::GATE, [("nmax.gate", reason_code(gate))], gate.holds);
        }
        for result in standing.thresholds.iter().filter(|result| result.value.is_some()) {
            points.add(&metric::CONDITION, [("nmax.condition", &result.condition)], result.holds);
        }
        let mut snapshot = Self {
            run_id: manifest.id.clone(),
            run_name: manifest.name.clone(),
            started_ns: unix_ns(&manifest.started_at).unwrap_or(at_ns),
            at_ns,
            families: points.0,
        };
        snapshot.judge(None);
        snapshot
    }

    /// The metric's points.
    pub fn points(&self, metric: &Metric) -> &[Point] {
        let family = self.families.iter().find(|family| std::ptr::eq(family.metric, metric));
        family.map_or(&[], |family| &family.points)
    }

    /// Says what the run is: `None` while it goes on.
    pub fn judge(&mut self, verdict: Option<Verdict>) {
        self.families.retain(|family| *family.metric != metric::VERDICT);
        let mut points = Points(std::mem::take(&mut self.families));
        let is = verdict.map_or("running", Verdict::name);
        for name in ["running"].into_iter().chain(Verdict::ALL.map(Verdict::name)) {
            points.add(&metric::VERDICT, [("nmax.verdict", name)], is == name);
        }
        self.families = points.0;
    }
}

/// An instant of RFC 3339.
fn unix_ns(text: &str) -> Option<u64> {
    u64::try_from(text.parse::<jiff::Timestamp>().ok()?.as_nanosecond()).ok()
}

/// Points so far.
#[derive(Default)]
struct Points(Vec<Family>);

impl Points {
    fn add<'a, S: AsRef<str> + ?Sized + 'a>(
        &mut self,
        metric: &'static Metric,
        attributes: impl IntoIterator<Item = (&'static str, &'a S)>,
        value: impl Into<Value>,
    ) {
        let attributes = attributes.into_iter().map(|(name, value)| (name, value.as_ref().to_owned()));
        let point = Point { attributes: attributes.collect(), value: value.into() };
        match self.0.iter_mut().find(|family| std::ptr::eq(family.metric, metric)) {
            Some(family) => family.points.push(point),
            None => {
                let place = |of: &Metric| metric::ALL.iter().position(|known| std::ptr::eq(*known, of));
                let at = self.0.partition_point(|family| place(family.metric) < place(metric));
                self.0.insert(at, Family { metric, points: vec![point] });
            }
        }
    }

    /// The same, unless nothing was measured.
    fn add_times<const N: usize>(
        &mut self,
        metric: &'static Metric,
        attributes: [(&'static str, &str); N],
        times: Buckets,
    ) {
        if times.count() > 0 {
            self.add(metric, attributes, times);
        }
    }
}

const fn phase(section: Section) -> (&'static str, &'static str) {
    ("nmax.phase", if matches!(section, Section::Hold) { "hold" } else { "outside" })
}

fn requests(points: &mut Points, totals: &Aggregate, plan: &Plan, catalog: &Catalog) {
    let known = Requests::new(plan);
    for section in Section::ALL {
        let mut rest = RequestStats::default();
        for (id, stats) in totals.requests(section) {
            let name = catalog.requests.name(id);
            if id.0 as usize >= REQUESTS_MAX || name == OTHER {
                rest.merge(stats);
            } else {
                request(points, section, (name, &known), stats);
            }
        }
        request(points, section, (OTHER, &known), &rest);
    }
}

fn request(points: &mut Points, section: Section, (name, known): (&str, &Requests), stats: &RequestStats) {
    if stats.is_empty() {
        return;
    }
    let of = [("nmax.request", name), phase(section)];
    let outcomes = [("ok", stats.ok()), ("failed", stats.failed()), ("error", stats.errors())];
    for (outcome, count) in outcomes {
        points.add(&metric::REQUESTS, of.into_iter().chain([("nmax.outcome", outcome)]), count);
    }
    for kind in ErrorKind::ALL {
        let count = stats.errors[kind.index()];
        if count > 0 {
            points.add(&metric::ERRORS, of.into_iter().chain([("error.type", kind.name())]), count);
        }
    }
    points.add(&metric::SENT, of, stats.bytes_sent);
    points.add(&metric::RECEIVED, of, stats.bytes_received);
    let mut service = Buckets::default();
    stats.outcomes.iter().flatten().for_each(|set| service.merge(&(&set.service).into()));
    points.add_times(&metric::SERVICE, of, service);
    let about = known.attributes(name);
    for (status, times) in by_status(stats) {
        let code = status.map(|status| status.to_string());
        let is_error = status.is_some_and(|status| status.number().is_none_or(|number| number >= 400));
        let status = code.iter().flat_map(|code| {
            let error = is_error.then_some(("error.type", code.as_str()));
            std::iter::once(("http.response.status_code", code.as_str())).chain(error)
        });
        let about = about.iter().map(|(name, value)| (*name, value.as_str()));
        points.add(&metric::DURATION, of.into_iter().chain(about).chain(status), times);
    }
    let errors = stats.outcomes[2].as_ref().map(|set| Buckets::from(&set.response)).unwrap_or_default();
    if errors.count() > 0 {
        // Their times are not told apart by kind; `nmax.request.errors` counts each.
        let about = about.iter().map(|(name, value)| (*name, value.as_str()));
        points.add(&metric::DURATION, of.into_iter().chain(about).chain([("error.type", "_OTHER")]), errors);
    }
}

/// Response times of valid replies by status. Where a request had too many statuses to tell their times apart, those of the
/// others are together, without one.
fn by_status(stats: &RequestStats) -> Vec<(Option<Code>, Buckets)> {
    let mut usual = Buckets::default();
    stats.outcomes[..2].iter().flatten().for_each(|set| usual.merge(&(&set.response).into()));
    let others = stats.status_times.iter().map(|(status, times)| (Some(*status), Buckets::from(times)));
    let mut all: Vec<_> = others.collect();
    all.iter().for_each(|(_, times)| usual.remove(times));
    all.push((stats.tells_status_times().then_some(RequestStats::USUAL_STATUS), usual));
    all.retain(|(_, times)| times.count() > 0);
    all
}

fn load(points: &mut Points, section: Section, load: &LoadStats) {
    let of = [phase(section)];
    let dropped = load.dropped();
    for (reason, count) in [("injector", dropped.injector), ("in_flight_limit", dropped.in_flight_limit)] {
        points.add(&metric::DROPPED, of.into_iter().chain([("nmax.reason", reason)]), count);
    }
    points.add(&metric::DUE, of, load.due);
    points.add(&metric::STARTED, of, load.started);
    points.add(&metric::WAITED, of, load.waited);
    points.add(&metric::IN_FLIGHT, of, load.in_flight_ns as f64 / 1e9);
    points.add(&metric::CONNECTIONS, of, load.connections);
    points.add(&metric::CPU, of, load.cpu.as_secs_f64());
    points.add(&metric::WORKER, of, load.worker_time.as_secs_f64());
    points.add_times(&metric::LAG, of, (&load.injector_lag).into());
}

/// Scenarios, transactions and checks.
fn groups(points: &mut Points, section: Section, totals: &Aggregate, catalog: &Catalog) {
    for (name, stats) in totals.scenarios.named(section, &catalog.scenarios) {
        for (outcome, count) in [("ok", stats.completed - stats.failed), ("failed", stats.failed)] {
            let of = [("nmax.scenario", name), phase(section), ("nmax.outcome", outcome)];
            points.add(&metric::ITERATIONS, of, count);
        }
    }
    for (name, stats) in totals.transactions.named(section, &catalog.transactions) {
        points.add_times(&metric::TRANSACTION, [("nmax.transaction", name), phase(section)], (&stats.time).into());
    }
    for (name, stats) in totals.checks.named(section, &catalog.checks) {
        for (outcome, count) in [("passed", stats.passed), ("failed", stats.failed)] {
            points.add(&metric::CHECKS, [("nmax.check", name), phase(section), ("nmax.outcome", outcome)], count);
        }
    }
}

/// Where the run is.
fn now(points: &mut Points, plan: &Plan, fold: &Fold) {
    const OF_THE_RUN: [(&str, &str); 0] = [];
    let end = fold.last_end();
    let width = Nanos::from(plan.window).0.max(1);
    let level = shape::mean_level(&plan.stages, Nanos(end.0.saturating_sub(width)), end);
    let metric = match plan.workload {
        Workload::Open { .. } => &metric::RATE,
        Workload::Closed { .. } => &metric::VUS,
    };
    if level.is_finite() {
        points.add(metric, OF_THE_RUN, level);
    }
    points.add(&metric::ELAPSED, OF_THE_RUN, end.as_secs_f64());
    if let Some(planned) = shape::end(&plan.stages).filter(|_| plan.iterations.is_none()) {
        points.add(&metric::PLANNED, OF_THE_RUN, planned.as_secs_f64());
    }
}
