//! One numbers engine: the same quantity is the same number wherever it is printed.

use nmax_analysis::summary::{PHASES, SHOWN};
use nmax_analysis::{Ending, Reason, Verdict};
use nmax_metrics::{RequestStats, Section};
use nmax_plan::plan::{Background, Scenario, Visitor, Workload};
use nmax_report::terminal::Style;
use nmax_report::{View, csv, html, json, junit, number, terminal};
use proptest::prelude::*;
use serde_json::Value;

use crate::sample::{Run, Shape};

fn shapes() -> impl Strategy<Value = Shape> {
    (1.0..60.0_f64, 1..25_u64, 1..1000_u64, 1..8_usize).prop_map(|(rate_per_s, hold_s, seed, names)| Shape {
        names: (0..names).map(|index| format!("GET /page/{index}")).collect(),
        rate_per_s,
        hold_s,
        seed,
        ..Shape::default()
    })
}

/// The cells of a CSV line without quotes.
fn csv_row<'a>(text: &'a str, name: &str) -> Vec<&'a str> {
    let line = text.lines().find(|line| line.split(',').next() == Some(name)).expect("the name has a row");
    line.split(',').collect()
}

fn milliseconds(ns: Option<u64>) -> Option<f64> {
    ns.map(|ns| (ns as f64 / 1e3).round() / 1e3)
}

fn check_row(view: &View, name: &str, in_json: &Value, text: &str, page: &str) {
    let stats =
        view.summary.requests.iter().find(|(other, _)| other == name).map_or(&view.summary.total, |(_, stats)| stats);
    assert_eq!(in_json["count"].as_u64(), Some(stats.count), "{name}");
    assert_eq!(in_json["response_time_ms"]["p99"].as_f64(), milliseconds(stats.times.response.p99()), "{name}");
    let row = csv_row(text, name);
    assert_eq!(row[1], stats.count.to_string());
    let header: Vec<_> = text.lines().next().unwrap().split(',').collect();
    for (column, path) in [
        ("response_time_p50_ms", ["response_time_ms", "p50"]),
        ("response_time_p999_ms", ["response_time_ms", "p999"]),
        ("service_time_p95_ms", ["service_time_ms", "p95"]),
        ("send_lag_max_ms", ["send_lag_ms", "max"]),
        ("ttfb_p95_ms", ["ttfb_ms", "p95"]),
    ] {
        let index = header.iter().position(|title| *title == column).unwrap();
        assert_eq!(row[index].parse().ok(), in_json[path[0]][path[1]].as_f64(), "{name}: {column}");
    }
    let cell = |column: &str| row[header.iter().position(|title| *title == column).unwrap()];
    for counter in RequestStats::sums() {
        assert_eq!(cell(counter.name), (counter.get)(&stats.sums).to_string(), "{name}: {}", counter.name);
        assert_eq!(cell(counter.name), in_json[counter.name].to_string(), "{name}: {}", counter.name);
    }
    for phase in PHASES {
        let told = &in_json["phases"][phase];
        let count = told["count"].as_u64().unwrap_or(0);
        assert_eq!(cell(&format!("{phase}_count")), count.to_string(), "{name}");
        for stat in ["mean", "p95", "max"] {
            let column = format!("{phase}_{stat}_ms");
            assert_eq!(cell(&column).parse().ok(), told[stat].as_f64(), "{name}: {column}");
        }
    }
    let wide = terminal::table(view, Style { wide: true, ..Style::default() });
    let line = wide.lines().find(|line| line.starts_with(&format!("{name} "))).expect("the name has a line");
    // The rows of the table and of its details.
    let section = page.split("<section id=\"requests\">").nth(1).unwrap().split("</section>").next().unwrap();
    let rows = section.split("<tr").filter(|row| row.contains(&format!(">{name}</th>")));
    let cells: String = rows.map(|row| row.split("</tr>").next().unwrap()).collect();
    let (response, service) = (&stats.times.response, &stats.times.service);
    for ns in [
        response.p50(),
        response.p99(),
        response.max_ns,
        service.p95(),
        stats.times.send_lag.p99(),
        stats.times.ttfb.p95(),
    ] {
        let printed = number::time_or_unknown(ns);
        assert!(line.contains(&printed), "{printed} in {line}");
        assert!(cells.contains(&format!(">{printed}")), "{printed} in {cells}");
    }
    assert!(line.contains(&number::count(stats.count)) && cells.contains(&number::count(stats.count)));
}

/// A time that is mostly the injector's lag has a mark in the table, the page and JUnit; files keep it and say so.
#[test]
fn withheld_times_are_marked_everywhere() {
    let mut view = Run::new(&Shape::default()).view();
    let p99 = number::time_or_unknown(view.summary.total.times.response.p99());
    let one = nmax_analysis::Withheld { request: None, quantile: "p99", value_ms: 2.4, own_ms: 1.8 };
    view.judgement.withheld = vec![one.clone()];
    view.summary.total.withheld[3] = true;
    let said = "p99 not known: 1.8 ms of 2.4 ms are ours";
    let (table, page) = (terminal::table(&view, Style::default()), html::page(&view));
    let row = table.lines().find(|line| line.starts_with("total ")).unwrap();
    assert!(row.contains(" ? ") && !row.contains(&p99), "{row}");
    assert!(table.contains(said) && page.contains(said));
    assert!(page.split("<tr").find(|row| row.contains(">total</th>")).unwrap().contains(">?<"));
    let told = &json::summary(&view);
    assert_eq!(told["withheld"][0]["own_ms"].as_f64(), Some(1.8));
    assert!(told["total"]["response_time_ms"]["p99"].is_number(), "the measured value stays");
    assert_eq!(csv_row(csv::requests(&view).trim_end(), "total").last(), Some(&"p99"));
}

/// Metrics of the user's own are in table and page with the figures of their kind, and nothing speaks of them without any.
#[test]
fn own_metrics_are_shown_by_kind() {
    let mut run = Run::new(&Shape::default());
    let (table, page) = (|view: &View| terminal::table(view, Style::default()), html::page);
    let without = run.view();
    assert_eq!(json::summary(&without).get("metrics"), None);
    for heading in SHOWN.map(|(_, heading, _)| heading) {
        assert!(!table(&without).contains(heading) && !page(&without).contains(&format!("<h3>{heading}")), "{heading}");
    }
    let names = ["counter items", "gauge depth", "rate hit #<b>", "trend cart_total EUR #b"];
    run.catalog.metrics = names.map(str::to_owned).to_vec();
    for (n, window) in run.windows.iter_mut().enumerate() {
        for index in 0..names.len() {
            let number = [3.0, n as f64 - 2.5, (n % 2) as f64, 2_500.0][index];
            let at = window.start();
            window.aggregate.metrics.get_mut(Section::Hold, index).record(at, (n != 7).then_some(number));
        }
    }
    let view = run.view();
    let (count, last) = (run.windows.len() - 1, run.windows.len() as f64 - 3.5);
    let rows = [
        ("items", vec![number::count(count as u64), format!("{}", 3 * count), "1".into()]),
        ("depth", vec![number::digits(last), number::digits(-2.5)]),
        ("hit of <b>", vec![number::share((count / 2) as f64 / count as f64)]),
        ("cart_total (EUR) of b", vec!["2.50 k".into()]),
    ];
    let told = &json::summary(&view)["metrics"];
    assert_eq!(
        (&told[3]["name"], &told[3]["sum"], &told[3]["kind"]),
        (&"items".into(), &(3.0 * count as f64).into(), &"counter".into())
    );
    assert_eq!((&told[1]["last"], &told[1]["unread"], &told[2]["tag"]), (&last.into(), &1.into(), &"<b>".into()));
    assert_eq!(told[2]["non_zero_share"], told[2]["mean"]);
    let (table, page) = (table(&view), page(&view));
    for (name, figures) in rows {
        let line = table.lines().find(|line| line.starts_with(&format!("{name} "))).expect("the name has a line");
        let name = name.replace('<', "&lt;").replace('>', "&gt;");
        let cells = page.split("<tr").find(|row| row.contains(&format!(">{name}</th>"))).expect("the page has a row");
        for figure in figures {
            assert!(
                line.contains(&format!(" {figure}")) && cells.contains(&format!(">{figure}<")),
                "{figure} {line} {cells}"
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    /// Law: table, JSON, CSV, JUnit and page agree on every row, and rows add up to the total.
    #[test]
    fn outputs_agree(shape in shapes()) {
        let view = Run::new(&shape).view();
        let (summary, text, page) = (json::summary(&view), csv::requests(&view), html::page(&view));
        for (name, _) in &view.summary.requests {
            check_row(&view, name, &summary["requests"][name], &text, &page);
        }
        if view.summary.requests.len() > 1 {
            check_row(&view, "total", &summary["total"], &text, &page);
        }
        let sum = |key: &str| summary["requests"].as_object().unwrap().values().map(|row| row[key].as_u64().unwrap()).sum::<u64>();
        let sums = RequestStats::sums().map(|counter| counter.name);
        for key in ["count", "ok", "failed", "errors"].into_iter().chain(sums) {
            prop_assert_eq!(sum(key), summary["total"][key].as_u64().unwrap(), "{}", key);
        }
        prop_assert_eq!(sum("ok") + sum("failed") + sum("errors"), sum("count"));
        let table = terminal::table(&view, Style::default());
        prop_assert!(table.contains(&number::rate_or_unknown(view.summary.achieved_rate_per_s)));
        prop_assert!(page.contains(&number::rate_or_unknown(view.summary.achieved_rate_per_s)));
        let cases = junit::xml(&view);
        let median = number::time_or_unknown(view.summary.requests[0].1.times.response.p50());
        let told = cases.contains(&format!("response p50 {median}"));
        prop_assert!(told);
    }

    /// Law: connections, phases and transactions are the same numbers in table, JSON, JUnit and page.
    #[test]
    fn outputs_agree_on_connections(shape in shapes()) {
        let view = Run::new(&shape).view();
        let (summary, page, table) = (json::summary(&view), html::page(&view), terminal::table(&view, Style::default()));
        let (connections, told) = (&view.summary.connections, &summary["connections"]);
        let counts = [
            ("opened", connections.opened, "Connections opened"),
            ("retries", connections.retries, "Repeated on a new connection"),
            ("redirects", connections.redirects, "Redirects followed"),
            ("informational", connections.informational, "Interim (1xx) replies"),
        ];
        for (key, count, title) in counts {
            prop_assert_eq!(told[key].as_u64(), Some(count), "{}", key);
            let row = format!("<dt>{title}</dt><dd>{}</dd>", number::count(count));
            prop_assert!(page.contains(&row), "{row}");
        }
        let of_tls = format!("{} handshakes, {} resumed", told["tls_handshakes"], told["tls_resumed"]);
        prop_assert_eq!(table.contains(&of_tls), connections.tls_handshakes > 0, "{}", of_tls);
        prop_assert_eq!(told["resumed_share"].is_null(), connections.tls_handshakes == 0);
        let unwrapped = table.split_whitespace().collect::<Vec<_>>().join(" ");
        for (address, count) in &connections.addresses {
            prop_assert_eq!(told["addresses"][address].as_u64(), Some(*count));
            let named = format!("{address} {}", number::count(*count));
            prop_assert!(unwrapped.contains(&named), "{named}");
            let row = format!(">{address}</th><td data-t=\"connections\">{}</td>", number::count(*count));
            prop_assert!(page.contains(&row), "{row}");
        }
        for (address, count) in &connections.passed_over {
            prop_assert_eq!(told["passed_over"][address].as_u64(), Some(*count));
            let named = format!("{address} {} times", number::count(*count));
            prop_assert!(unwrapped.contains(&named), "{named}");
            prop_assert!(page.contains(&named), "{named}");
        }
        let held = told["held"]["seconds"]["p50"].as_f64().map(|seconds| (seconds * 1e9).round() as u64);
        prop_assert_eq!(held.map(|ns| ns / 1_000), connections.held.p50().map(|ns| (ns as f64 / 1e3).round() as u64));
        for phase in &view.summary.total.phases {
            let p95 = number::time_or_unknown(phase.time.p95());
            let named = format!("p95 {p95}");
            prop_assert!(unwrapped.contains(&named), "{}: {named} in {table}", phase.name);
            prop_assert!(page.contains(&format!(" data-t=\"p95\">{p95}</td>")), "{} p95 {p95}", phase.name);
        }
        for row in &view.summary.transactions {
            let told = &summary["transactions"][&row.name];
            prop_assert_eq!((told["count"].as_u64(), told["failed"].as_u64()), (Some(row.count), Some(row.failed)));
            let p95 = number::time_or_unknown(row.time.p95());
            let line = table.lines().find(|line| line.starts_with(&row.name)).expect("the transaction has a line");
            let named = format!("p95 {p95}");
            prop_assert!(line.contains(&p95) && junit::xml(&view).contains(&named), "{line}");
            let cells = page.split("<tr").find(|cells| cells.contains(&format!(">{}</th>", row.name))).expect("its row");
            prop_assert!(cells.contains(&format!("p95\">{p95}")), "{p95} in {cells}");
        }
    }

    /// Law: the phases of a name add up to the mean of what an exchange took on the network.
    #[test]
    fn phases_add_up(shape in shapes()) {
        let run = Run::new(&shape);
        let view = run.view();
        let sum: f64 = view.summary.total.phases.iter().map(|phase| phase.per_exchange_ns).sum();
        let total = run.totals().total(nmax_metrics::Section::Hold);
        let spans = total.phases.clone().unwrap_or_default();
        let network = [&spans.dns, &spans.connect, &spans.tls].map(|span| span.exact().sum_ns).iter().sum::<u128>();
        let latencies = total.latencies();
        let want = (network + latencies.ttfb.exact().sum_ns + spans.receive.exact().sum_ns) as f64 / total.count() as f64;
        prop_assert!((sum - want).abs() <= 1e-9 * want.max(1.0), "{sum} {want}");
    }

    /// Law: the intended rate is what the windows were filled with.
    #[test]
    fn achieved_rate_is_the_intended_one(rate_per_s in 5.0..80.0_f64) {
        let view = Run::new(&Shape { rate_per_s, hold_s: 20, ..Shape::default() }).view();
        let (intended, achieved) = (view.summary.intended_rate_per_s.unwrap(), view.summary.achieved_rate_per_s.unwrap());
        prop_assert!((intended - rate_per_s).abs() < 1e-9);
        prop_assert!((achieved - rate_per_s).abs() <= 0.11, "{achieved} of {rate_per_s}");
    }
}

/// Pages, transitions, locations and what the run says beyond its numbers are told by table, JSON and page alike.
#[test]
fn outputs_agree_on_what_users_do() {
    let view = Run::new(&Shape::default()).view();
    let (summary, page) = (json::summary(&view), html::page(&view));
    let table = terminal::table(&view, Style::default());
    let times = [
        ("pages", "item", "page_time_ms", &view.summary.pages[1].pages.time),
        ("transitions", "home -> item", "transition_time_ms", &view.summary.transitions[0].time),
        ("locations", "adsl", "response_time_ms", &view.summary.locations[0].exchanges.time),
    ];
    for (group, name, time, dist) in times {
        let name = if group == "transitions" { &view.summary.transitions[0].name } else { name };
        assert_eq!(summary[group][name][time]["p95"].as_f64(), milliseconds(dist.p95()), "{group}");
        let printed = number::time_or_unknown(dist.p95());
        let escaped = name.replace('>', "&gt;");
        let row = page.split(&format!(">{escaped}</th>")).nth(1).expect("a row of the page");
        assert!(row.split("</tr>").next().unwrap().contains(&printed), "{group} in the page");
        assert!(table.lines().any(|line| line.starts_with(name) && line.contains(&printed)), "{group} in {table}");
    }
    for text in ["it breaks at 412/s (398/s to 431/s)", "node down: p95 62 ms before, 840 ms during"] {
        assert!(table.contains(text) && page.contains(text), "{text}");
    }
    assert_eq!(summary["profile"]["findings"][0]["low"], 398.0);
    assert_eq!(summary["steady"]["holds"], false);
    assert_eq!(summary["timeline"][0]["during"]["p95_ms"], 840.0);
    assert_eq!(summary["timeline"][0]["after"], serde_json::Value::Null);
    assert_eq!(summary["observed"][0]["last"], 5e8 + 17_000.0 * 149.0);
    assert!(table.contains("postgres memory: 500 MB at first"));
}

/// What ran shorter than written says so in every heading.
#[test]
fn compression_is_told_everywhere() {
    let mut run = Run::new(&Shape::default());
    run.plan.compress = 60.0;
    let view = run.view();
    let first = |text: &str| text.lines().next().unwrap_or_default().to_owned();
    assert!(first(&terminal::table(&view, Style::default())).contains("compressed 60"));
    assert!(html::page(&view).contains("FAIL, compressed 60"));
    assert_eq!(json::summary(&view)["compress"], 60.0);
}

#[test]
fn what_runs_beside_the_mix_is_named() {
    let mut run = Run::new(&Shape::default());
    run.plan.background = vec![Background { scenario: 1, workload: Workload::Closed { vus: 1 }, stages: Vec::new() }];
    let named = |name: &str| Scenario { weight: 0.0, ..Scenario::with_steps(name, Vec::new()) };
    run.plan.scenarios = vec![named("browse"), named("sign-up")];
    assert_eq!(run.view().summary.background, ["sign-up"]);
}

/// Law: a cause counts once: as the failure of a threshold, or of the verdict where no threshold says it, or as the error of an
/// INVALID run, whose thresholds judge nothing.
#[test]
fn junit_counts_a_cause_once() {
    let mut view = Run::new(&Shape { hold_s: 5, ..Shape::default() }).view();
    let reason = |code| Reason { code, text: format!("told by {code}"), evidence: Vec::new(), decides: true };
    let failing = vec![reason("THRESHOLD")];
    let aborted = vec![reason("THRESHOLD_ABORT"), reason("THRESHOLD")];
    let overloaded = vec![reason("TARGET_OVERLOADED"), reason("THRESHOLD")];
    let late = vec![reason("G3_INJECTOR_LAG")];
    // verdict, how it ended, reasons, whether a threshold fails; failures, errors, skipped, why this row
    let thresholds = view.judgement.thresholds.len();
    let cases = [
        (Verdict::Pass, Ending::Complete, vec![], false, [0, 0, 0], "all is well"),
        (Verdict::Fail, Ending::Complete, failing.clone(), true, [1, 0, 1], "the threshold is the failure"),
        (Verdict::Fail, Ending::Aborted, aborted.clone(), true, [1, 0, 1], "and why the run ended"),
        (Verdict::Fail, Ending::Aborted, aborted, false, [1, 0, 0], "it held again at the end"),
        (Verdict::Fail, Ending::Complete, overloaded, true, [2, 0, 0], "two causes"),
        (Verdict::Fail, Ending::Interrupted, failing, true, [1, 1, 1], "a failure, and a run that is not complete"),
        (Verdict::Pass, Ending::CutOff, vec![], false, [0, 1, 0], "not a success"),
        (Verdict::Invalid, Ending::Complete, late.clone(), true, [0, 1, thresholds], "thresholds judge nothing"),
        (Verdict::Invalid, Ending::Interrupted, late, false, [0, 1, thresholds], "one error, not two"),
    ];
    for (verdict, ending, reasons, fails, [failures, errors, skipped], why) in cases {
        view.ending = ending;
        (view.judgement.verdict, view.judgement.reasons) = (verdict, reasons);
        view.judgement.thresholds.iter_mut().for_each(|result| result.holds = true);
        view.judgement.thresholds[1].holds = !fails;
        let xml = junit::xml(&view);
        let counted = ["<failure", "<error", "<skipped"].map(|element| xml.matches(element).count());
        assert_eq!(counted, [failures, errors, skipped], "{why}: {xml}");
        let tests = xml.matches("<testcase").count();
        let said = format!("tests=\"{tests}\" failures=\"{failures}\" errors=\"{errors}\" skipped=\"{skipped}\"");
        assert_eq!(xml.matches(&said).count(), 2, "{why}: of the suite and of all");
        let time = format!("time=\"{:.3}\"", view.summary.duration_s);
        assert_eq!(xml.matches(&time).count(), 3, "{why}: the verdict alone takes the whole time");
        let named = view.judgement.gates.iter().all(|gate| xml.contains(&format!("{} {}: ", gate.code, gate.name)));
        assert!(named && !xml.contains("nmax.gate"), "gates are told with the verdict");
    }
}

#[test]
fn without_a_hold_the_whole_run_counts() {
    let mut run = Run::new(&Shape { hold_s: 5, ..Shape::default() });
    run.hold = (run.hold.0, run.hold.0);
    let view = run.view();
    let total: u64 = run.totals().whole().total(nmax_metrics::Section::Hold).count();
    assert_eq!((view.summary.phase.name, view.summary.total.count), ("whole", total));
    assert_eq!(view.summary.phase.length_s(), run.end.as_secs_f64());
}

#[test]
fn intervals_are_those_of_the_judgement() {
    let run = Run::new(&Shape { hold_s: 20, ..Shape::default() });
    let latencies = run.totals().total(nmax_metrics::Section::Hold).latencies();
    let mut batches = nmax_analysis::Batches::default();
    run.windows.iter().for_each(|window| batches.push(window));
    let view = run.view();
    for (index, (name, q)) in nmax_analysis::QUANTILES.into_iter().enumerate() {
        let dist = &view.summary.total.times.response;
        assert_eq!(dist.quantiles_ns[index], latencies.response.quantile_ns(q), "{name}");
        let value = |rank| latencies.response.value_at_rank_ns(rank).expect("a rank of the run");
        let interval = batches.total().ranks(q).map(|(low, high)| (value(low), value(high)));
        assert_eq!(dist.intervals_ns[index], interval, "{name}");
    }
    assert!(view.summary.total.times.response.intervals_ns[0].is_ok());
    let (summary, page) = (json::summary(&view), html::page(&view));
    let total = |time: &str| summary["total"][time].clone();
    assert!(total("response_time_ms")["ci95"]["p50"].is_array());
    assert_eq!(total("response_time_ms")["ci95_missing"]["p50"], Value::Null);
    assert_eq!(total("service_time_ms")["ci95"], Value::Null);
    assert_eq!(total("service_time_ms")["ci95_missing"]["p50"], "not examined");
    assert_eq!(total("response_time_ms")["ci95_missing"]["p999"], "too few values");
    assert!(page.contains("<small>too few values</small>"));
}

/// A target that is slow for half of the hold leaves no interval, and both outputs say why.
#[test]
fn intervals_that_would_mislead_are_withheld() {
    let mut run = Run::new(&Shape { hold_s: 40, ..Shape::default() });
    let half = run.windows.len() / 2;
    for window in &mut run.windows[..half] {
        if let Some(set) = &mut window.aggregate.request_mut(Section::Hold, nmax_metrics::NameId(0)).outcomes[0] {
            set.response.record_n(5_000_000_000, 400);
        }
    }
    let view = run.view();
    let times = &json::summary(&view)["total"]["response_time_ms"];
    assert_eq!(times["ci95"], Value::Null, "{times}");
    assert_eq!(
        (&times["ci95_missing"]["p50"], &times["ci95_missing"]["p95"]),
        (&"too dependent".into(), &"too dependent".into())
    );
    let page = html::page(&view);
    assert!(page.contains("no interval: too dependent") && page.contains("<small>too dependent</small>"));
}

/// A gate without a figure is neither held nor failed; shares are ratios for programs.
#[test]
fn what_was_not_tested_is_not_shown_as_held() {
    let mut run = Run::new(&Shape::default());
    let tested = html::page(&run.view()).matches("✓ holds").count();
    run.judgement.gates[0].value = None;
    let view = run.view();
    let page = html::page(&view);
    assert_eq!(page.matches("✓ holds").count(), tested - 1);
    assert_eq!(page.matches("– not tested").count(), 1);
    let gate = &json::summary(&view)["gates"][0];
    assert_eq!(
        (&gate["holds"], &gate["value"], &gate["unit"]),
        (&Value::Bool(true), &Value::Null, &Value::from("ratio"))
    );
}

/// Figures of one visitor who stays and of new ones are two things, and so are proven and unproven servers.
#[test]
fn the_policy_says_new_visitors_and_certificates_that_prove_nothing() {
    let mut run = Run::new(&Shape { hold_s: 1, ..Shape::default() });
    let of = |run: &Run| (terminal::table(&run.view(), Style::default()), html::page(&run.view()));
    run.plan.defaults.visitor = Visitor::Returning;
    let (table, page) = of(&run);
    assert!(table.contains("opened, keep-alive"), "{table}");
    assert!(!page.contains("any certificate accepted"));
    run.plan.defaults.visitor = Visitor::New;
    run.plan.defaults.insecure = true;
    let (table, page) = of(&run);
    assert!(table.contains("opened, new visitors"), "{table}");
    assert!(page.contains("any certificate accepted (--insecure): no proof of anything about trust"));
}

/// Of two addresses one refused everything: the one that is left is named, and what it stood in for.
#[test]
fn a_refusing_address_is_told_although_all_connections_went_to_another() {
    let mut run = Run::new(&Shape { hold_s: 1, ..Shape::default() });
    for window in &mut run.windows {
        for section in Section::ALL {
            let load = window.aggregate.load_mut(section);
            load.addresses.retain(|(address, _)| address.to_string() == "192.0.2.10");
        }
    }
    let view = run.view();
    let text = terminal::table(&view, Style::default());
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!((view.summary.connections.addresses.len(), view.summary.connections.passed_over.len()), (1, 1));
    assert!(text.contains("addresses 192.0.2.10 "), "{text}");
    assert!(text.contains("passed over 192.0.2.14 "), "{text}");
    assert!(text.contains("times: refused or silent"), "{text}");
}

/// Where there is nothing to say of connections, nothing is said.
#[test]
fn quiet_connections_take_no_line() {
    let mut run = Run::new(&Shape { hold_s: 1, ..Shape::default() });
    let talkative = terminal::table(&run.view(), Style::default());
    run.windows.clear();
    run.catalog.transactions.clear();
    let table = terminal::table(&run.view(), Style::default());
    for word in
        ["connections ", "tls ", "addresses ", "passed over", "phases ", "redirects ", "bodies ", "Transactions"]
    {
        assert!(talkative.contains(word) && !table.contains(word), "{word}");
    }
    assert!(!html::page(&run.view()).contains("id=\"phases"));
}
