//! The figures of a simulated run in every format, each read back by a reader of its own.

use std::collections::BTreeMap;
use std::sync::Arc;

use nmax_analysis::{Fold, Verdict};
use nmax_metrics::{ErrorKind, Nanos, Section};
use nmax_plan::plan::Plan;
use nmax_store::{Hold, Manifest};
use nmax_testkit::plans::requests;
use nmax_testkit::sim::{Answer, Options, Simulated, reply_with, simulate};
use serde_json::{Value as Json, json};

use crate::buckets::BOUNDS_S;
use crate::metric::{ALL, Kind, Metric};
use crate::snapshot::{Known, Snapshot, Value};
use crate::{metric, otlp, prometheus, remote_write};

mod receivers;

/// A name that ends lines, quotes and labels in formats that do not escape it.
const HOSTILE: &str = "a\"} 1\\n\n# TYPE x counter \\ ünï {le=\"0\"}";

fn manifest() -> Manifest {
    Manifest {
        schema_version: nmax_store::SCHEMA_VERSION,
        nmax_version: String::new(),
        id: "run1".into(),
        name: format!("shop {HOSTILE}"),
        note: String::new(),
        tags: Vec::new(),
        started_at: "2026-11-26T12:00:00Z".into(),
        seed: 1,
        plan: String::new(),
        plan_sha256: String::new(),
        target: String::new(),
        machine: BTreeMap::new(),
        command: String::new(),
        workers: 1,
        window_ns: 1_000_000_000,
        hold: Hold { start_ns: 0, end_ns: None },
        authorization: None,
        scenarios: Vec::new(),
        checks: Vec::new(),
    }
}

/// A run with a ramp, replies of several statuses, errors, a check, a transaction, and a hostile name.
fn run() -> (Arc<Plan>, Simulated) {
    let steps = format!(
        "[{{ get: /ok, expect: {{ contains: hello }} }}, {{ post: /pay, name: {} }},
          {{ transaction: both, steps: [{{ get: /dead }}, {{ get: /ok }}] }}]",
        json!(HOSTILE)
    );
    let stages = "stages: [{ ramp: 3s, to: 100% }, { hold: 6s }]";
    let keys = format!("workload: {{ open: {{ rate: 30/s }} }}\n{stages}\nthresholds: [response_time p95 < 1ms]");
    let plan = requests("http://server.test:81", &steps, &keys);
    let server = |call: &nmax_testkit::sim::Call<'_>| {
        let at = call.at + Nanos(300_000 * (1 + call.number % 40));
        match call.target() {
            "/dead" => Answer::Breaks(at, ErrorKind::Reset),
            "/pay" if call.number.is_multiple_of(3) => Answer::Bytes(at, reply_with(503, "", "busy")),
            "/ok" if call.number.is_multiple_of(5) => Answer::Bytes(at, reply_with(200, "", "bye")),
            _ => Answer::Bytes(at, reply_with(200, "", "hello")),
        }
    };
    let simulated = simulate(&plan, server, &Options::all());
    (plan, simulated)
}

/// The run after each of its windows.
fn course() -> (Vec<Snapshot>, Fold, Arc<Plan>, Simulated) {
    let (plan, simulated) = run();
    let hold = (Nanos::from_secs(3), Nanos::from_secs(9));
    let mut fold = Fold::new(&plan, hold, Some(hold.1));
    let manifest = manifest();
    let begin_ns = 1_800_000_000_000_000_000;
    let mut snapshots = Vec::new();
    for window in &simulated.windows {
        fold.window(window);
        let known = Known { manifest: &manifest, plan: &plan, fold: &fold, catalog: &simulated.catalog };
        snapshots.push(Snapshot::new(&known, begin_ns + window.end().0));
    }
    (snapshots, fold, plan, simulated)
}

/// Samples by name and sorted labels; types by name.
type Page = (BTreeMap<(String, Vec<(String, String)>), f64>, BTreeMap<String, String>);

/// Reads the text format by its grammar, byte by byte.
fn parsed(page: &str) -> Page {
    let (mut samples, mut types) = (BTreeMap::new(), BTreeMap::new());
    let mut family = String::new();
    for line in page.lines() {
        if let Some(head) = line.strip_prefix("# TYPE ") {
            let (name, kind) = head.split_once(' ').unwrap();
            assert!(types.insert(name.to_owned(), kind.to_owned()).is_none(), "{name} stands together");
            name.clone_into(&mut family);
        } else if !line.starts_with("# HELP ") {
            let (name, rest) = line.split_at(line.find('{').expect("every series has labels"));
            assert!(name.starts_with(&family), "{line}");
            let (labels, value) = labels(&rest[1..]);
            let value = value.strip_prefix(' ').unwrap().parse().unwrap();
            assert!(samples.insert((name.to_owned(), labels), value).is_none(), "{line} is there twice");
        }
    }
    (samples, types)
}

fn labels(text: &str) -> (Vec<(String, String)>, &str) {
    let mut labels: Vec<(String, String)> = Vec::new();
    let mut rest = text;
    loop {
        let (name, after) = rest.split_once("=\"").unwrap();
        assert!(name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_'), "{name}");
        let (mut value, mut chars) = (String::new(), after.char_indices());
        let end = loop {
            match chars.next().expect("a quote ends the value") {
                (_, '\\') => value.push(match chars.next().unwrap().1 {
                    'n' => '\n',
                    escaped @ ('\\' | '"') => escaped,
                    other => panic!("\\{other} is no escape"),
                }),
                (end, '"') => break end,
                (_, plain) => value.push(plain),
            }
        };
        labels.push((name.to_owned(), value));
        rest = &after[end + 1..];
        match rest.split_at(1) {
            (",", more) => rest = more,
            ("}", more) => {
                labels.sort();
                return (labels, more);
            }
            _ => panic!("{rest}"),
        }
    }
}

fn sum(page: &Page, name: &str, of: &[(&str, &str)]) -> f64 {
    let fits = |labels: &[(String, String)]| {
        of.iter().all(|(name, value)| labels.iter().any(|(known, found)| known == name && found == value))
    };
    page.0.iter().filter(|((known, labels), _)| known == name && fits(labels)).map(|(_, value)| value).sum()
}

/// Law: the page is one by the grammar; what only grows never falls and no series of it goes; buckets hold those below.
#[test]
fn counters_never_fall() {
    let (snapshots, ..) = course();
    let mut before: Page = Page::default();
    for snapshot in &snapshots {
        let page = parsed(&prometheus::text(&[snapshot]));
        for (series, was) in &before.0 {
            let family = ["_bucket", "_sum", "_count"].iter().find_map(|suffix| series.0.strip_suffix(suffix));
            let kind = page.1.get(family.unwrap_or(&series.0)).or_else(|| page.1.get(&series.0));
            if kind.is_some_and(|kind| kind != "gauge") {
                assert!(page.0.get(series).is_some_and(|is| is >= was), "{series:?} was {was}");
            }
        }
        let mut histograms: BTreeMap<_, Vec<(f64, f64)>> = BTreeMap::new();
        for ((name, labels), value) in page.0.iter().filter(|((name, _), _)| name.ends_with("_bucket")) {
            let (bound, others): (Vec<_>, Vec<_>) = labels.iter().partition(|(label, _)| label == "le");
            let bound = bound[0].1.replace("+Inf", "inf").parse().unwrap();
            histograms.entry((name.clone(), others)).or_default().push((bound, *value));
        }
        for ((name, labels), mut buckets) in histograms.clone() {
            buckets.sort_by(|a, b| a.0.total_cmp(&b.0));
            assert_eq!(buckets.len(), BOUNDS_S.len() + 1, "{name}");
            assert!(buckets.is_sorted_by(|a, b| a.1 <= b.1), "{name} {buckets:?}");
            let of: Vec<_> = labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
            let count = sum(&page, &name.replace("_bucket", "_count"), &of);
            assert!(buckets.last().is_some_and(|(bound, all)| bound.is_infinite() && *all <= count), "{name}");
        }
        before = page;
    }
    assert!(before.1.len() > 20, "{:?}", before.1.keys());
}

/// Law: counts and sums are those of the run's own totals, and those of the hold are what its summary says.
#[test]
fn totals_are_those_of_the_summary() {
    let (snapshots, fold, plan, simulated) = course();
    let page = parsed(&prometheus::text(&[snapshots.last().unwrap()]));
    let judged = fold.judge(&plan, &simulated.catalog, None, None);
    let hold = [("nmax_phase", "hold")];
    let total = |name: &str, of: &[(&str, &str)]| sum(&page, name, &[&hold, of].concat());
    let totals = fold.totals().total(Section::Hold);
    let response = totals.latencies().response;
    let near = |a: f64, b: f64| (a - b).abs() <= 1e-9 * a.abs().max(1.0);
    assert!(near(total("http_client_request_duration_seconds_sum", &[]), response.exact().sum_ns as f64 / 1e9));
    for (name, want) in [
        ("http_client_request_duration_seconds_count", judged.summary.total.count),
        ("nmax_requests_total", judged.summary.total.count),
        ("nmax_request_service_duration_seconds_count", totals.latencies().service.count()),
        ("nmax_request_errors_total", totals.errors()),
        ("nmax_iterations_started_total", fold.totals().load(Section::Hold).started),
        ("nmax_transaction_duration_seconds_count", judged.summary.transactions[0].count),
    ] {
        assert!(want > 0 && near(total(name, &[]), want as f64), "{name}: {want}");
    }
    let outcomes = [("ok", totals.ok()), ("failed", totals.failed()), ("error", totals.errors())];
    for (outcome, want) in outcomes {
        assert_eq!(total("nmax_requests_total", &[("nmax_outcome", outcome)]), want as f64, "{outcome}");
    }
    for (status, count) in &totals.status {
        let of = [("http_response_status_code", &*status.to_string())];
        assert_eq!(total("http_client_request_duration_seconds_count", &of), *count as f64, "{status}");
    }
    for check in &judged.summary.checks {
        let of = [("nmax_check", check.name.as_str()), ("nmax_outcome", "failed")];
        assert_eq!(total("nmax_checks_total", &of), check.failed as f64, "{}", check.name);
    }
    let whole = fold.totals().whole().total(Section::Hold).count();
    assert_eq!(sum(&page, "nmax_requests_total", &[]), whole as f64, "hold and outside are all");
    let hostile = [("nmax_request", HOSTILE), ("http_request_method", "POST"), ("server_port", "81")];
    assert!(total("http_client_request_duration_seconds_count", &hostile) > 0.0, "the name is as it was");
    assert_eq!(sum(&page, "nmax_condition_holds", &[("nmax_condition", "response_time p95 < 1ms")]), 0.0);
    assert!(page.0.keys().any(|(name, _)| name == "nmax_gate_holds"));
    let rates = [2, 5].map(|n| sum(&parsed(&prometheus::text(&[&snapshots[n]])), "nmax_rate_intended_per_second", &[]));
    assert!(near(rates[0], 25.0) && near(rates[1], 30.0), "of the ramp's last second, and of the hold: {rates:?}");
}

/// Law: what a run is is one of four, and several runs are one page, told apart by their ids.
#[test]
fn runs_stand_side_by_side() {
    let (snapshots, ..) = course();
    let mut one = snapshots.last().unwrap().clone();
    let other = Snapshot { run_id: "run2".into(), ..one.clone() };
    one.judge(Some(Verdict::Fail));
    let page = parsed(&prometheus::text(&[&one, &other]));
    let is = |run, verdict| sum(&page, "nmax_run_verdict", &[("nmax_run_id", run), ("nmax_verdict", verdict)]);
    assert_eq!(
        (is("run1", "fail"), is("run1", "running"), is("run2", "fail"), is("run2", "running")),
        (1.0, 0.0, 0.0, 1.0)
    );
    assert_eq!(sum(&page, "nmax_run_verdict", &[]), 2.0);
    assert_eq!(prometheus::text(&[]), "");
}

/// Law: names beyond the cap are added up, so that totals stay and the page is bounded.
#[test]
fn names_beyond_the_cap_are_one() {
    let steps: Vec<String> = (0..300).map(|n| format!("{{ get: /{n} }}")).collect();
    let keys = "workload: { closed: { vus: 1 }, iterations: 3 }";
    let plan = requests("http://server.test", &format!("[{}]", steps.join(", ")), keys);
    let simulated = simulate(&plan, nmax_testkit::sim::instant(Nanos::from_millis(1)), &Options::all());
    let mut fold = Fold::new(&plan, (Nanos::ZERO, Nanos::MAX), None);
    simulated.windows.iter().for_each(|window| fold.window(window));
    let manifest = manifest();
    let known = Known { manifest: &manifest, plan: &plan, fold: &fold, catalog: &simulated.catalog };
    let page = parsed(&prometheus::text(&[&Snapshot::new(&known, 1)]));
    assert_eq!(sum(&page, "nmax_requests_total", &[]), 900.0);
    assert_eq!(sum(&page, "nmax_requests_total", &[("nmax_request", "other")]), 300.0);
}

/// Law: a request of OpenTelemetry's protocol has the fields of its published mapping and no others, 64-bit integers as texts,
/// and the same numbers as the page.
#[test]
fn otlp_follows_its_mapping() {
    let (snapshots, ..) = course();
    let snapshot = snapshots.last().unwrap();
    let request: Json = serde_json::from_str(&otlp::request(snapshot).to_string()).unwrap();
    assert_eq!(receivers::otlp_problems(&request), Vec::<String>::new());
    let metrics = request["resourceMetrics"][0]["scopeMetrics"][0]["metrics"].as_array().unwrap();
    assert_eq!(metrics.len(), snapshot.families.len());
    let page = parsed(&prometheus::text(&[snapshot]));
    for (metric, family) in metrics.iter().zip(&snapshot.families) {
        let name = family.metric.prometheus_name();
        assert_eq!(metric["name"], family.metric.name);
        let (key, suffix, value) = match family.metric.kind {
            Kind::Counter => ("sum", "", "asDouble"),
            Kind::Gauge => ("gauge", "", "asDouble"),
            Kind::Histogram => ("histogram", "_count", "count"),
        };
        let number = |value: &Json| value.as_f64().or_else(|| value.as_str()?.parse().ok()).unwrap();
        let points = metric[key]["dataPoints"].as_array().unwrap();
        let found: f64 = points.iter().map(|point| number(&point[value])).sum();
        let want = sum(&page, &format!("{name}{suffix}"), &[]);
        assert!((found - want).abs() <= 1e-9 * want.abs(), "{name}: {found} of {want}");
    }
    let mut broken = request;
    broken["resourceMetrics"][0]["scopeMetrics"][0]["metrics"][0]["histogram"]["dataPoints"][0]["count"] = json!(7);
    assert!(!receivers::otlp_problems(&broken).is_empty(), "the judge sees what is wrong");
}

/// Law: remote write carries the series of the page, labels sorted, once each.
#[test]
fn remote_write_carries_the_page() {
    let (snapshots, ..) = course();
    let snapshot = snapshots.last().unwrap();
    let mut carried = BTreeMap::new();
    for request in remote_write::requests(snapshot) {
        for (mut labels, value, at_ms) in receivers::time_series(&request) {
            assert!(labels.is_sorted(), "{labels:?}");
            assert_eq!(at_ms, snapshot.at_ns / 1_000_000);
            let mut take = |name: &str| {
                let place = labels.iter().position(|(known, _)| known == name).unwrap();
                labels.remove(place).1
            };
            assert_eq!((take("job"), take("instance")), ("nmax".to_owned(), "run1".to_owned()));
            let name = take("__name__");
            assert!(carried.insert((name, labels), value).is_none());
        }
    }
    assert_eq!(carried, parsed(&prometheus::text(&[snapshot])).0);
}

/// Law: every metric says what it is of by its declared attributes only.
#[test]
fn attributes_are_declared() {
    let (snapshots, ..) = course();
    let undeclared = |metric: &Metric, name: &str| !metric.attributes.contains(&name);
    for family in &snapshots.last().unwrap().families {
        for point in &family.points {
            let odd: Vec<_> = point.attributes.iter().filter(|(name, _)| undeclared(family.metric, name)).collect();
            assert!(odd.is_empty(), "{}: {odd:?}", family.metric.name);
            let is_histogram = matches!(point.value, Value::Buckets(_));
            assert_eq!(is_histogram, family.metric.kind == Kind::Histogram, "{}", family.metric.name);
        }
    }
    let seen: Vec<_> = snapshots.last().unwrap().families.iter().map(|family| family.metric.name).collect();
    let missing: Vec<_> = ALL.iter().map(|metric| metric.name).filter(|name| !seen.contains(name)).collect();
    assert_eq!(missing, [metric::VUS.name], "of an open run that has everything");
}
