//! A real Prometheus beside a run: it scrapes and is written to, every panel of the board in `examples/grafana` has data, and
//! totals are those of nmax's own summary.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use rustix::process::Signal;
use serde_json::Value;

use super::process::{Program, Server};
use crate::bench::{Bench, count, lines, skip, until};
use crate::peers::{Listener, target};
use crate::ports::free_port;

const PROMETHEUS: Program = Program { name: "prometheus", package: "prometheus" };

fn example(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/grafana").join(file)
}

/// One that scrapes this address as the example's configuration says, and takes remote write.
fn prometheus(bench: &Bench, scraped: &str) -> Server {
    let config = fs::read_to_string(example("prometheus.yml")).unwrap();
    assert!(config.contains("127.0.0.1:9464"));
    let config = config.replace("127.0.0.1:9464", scraped);
    Server::start(bench.path("prometheus"), 1, |folder, ports| {
        fs::write(folder.join("prometheus.yml"), &config).unwrap();
        let mut command = Command::new(PROMETHEUS.path());
        command.arg(format!("--config.file={}", folder.join("prometheus.yml").display()));
        command.arg(format!("--storage.tsdb.path={}", folder.join("data").display()));
        command.arg(format!("--web.listen-address=127.0.0.1:{}", ports[0]));
        command.arg("--web.enable-remote-write-receiver");
        command
    })
}

/// The series that an expression has now; `None` when it cannot be evaluated yet.
fn ask(bench: &Bench, server: &Server, expression: &str) -> Option<Vec<(Value, f64)>> {
    let url = format!("{}/api/v1/query", server.url(0));
    let mut curl = Command::new("curl");
    curl.current_dir(bench.path("")).args(["-s", "--data-urlencode", &format!("query={expression}"), &url]);
    let reply: Value = serde_json::from_slice(&curl.output().unwrap().stdout).ok()?;
    assert_ne!(reply["status"], "error", "{expression}: {}", reply["error"]);
    let series = reply["data"]["result"].as_array()?.iter();
    Some(series.map(|one| (one["metric"].clone(), one["value"][1].as_str().unwrap().parse().unwrap())).collect())
}

/// Every expression of the board: of its panels, and of its variables as they ask for a label.
fn expressions(board: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let panels = board["panels"].as_array().unwrap().iter().flat_map(|panel| {
        let targets = panel["targets"].as_array().unwrap().iter();
        targets.map(move |target| (text(&panel["title"]), text(&target["expr"])))
    });
    let variables = board["templating"]["list"].as_array().unwrap().iter().filter_map(|variable| {
        let inner = variable["query"].as_str()?.strip_prefix("label_values(")?.strip_suffix(')')?;
        let (selector, label) = inner.rsplit_once(", ").unwrap();
        Some((text(&variable["name"]), format!("count by ({label}) ({selector})")))
    });
    panels.chain(variables).collect()
}

#[test]
fn the_board_shows_a_live_run() {
    let (bench, target) = (Bench::new(), target());
    let metrics = format!("127.0.0.1:{}", free_port());
    let server = prometheus(&bench, &metrics);
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {}\nscenarios: {{ get: {{ steps: [{{ get: /delay/2ms, name: 'a \"fast\" one' }}, \
             {{ get: /status/500, name: broken }}] }} }}\nworkload: {{ open: {{ rate: 20/s }} }}\nduration: 10m\n\
             thresholds: [failure_rate < 1%]\n",
            target.url()
        ),
    );
    let write = format!("{}/api/v1/write", server.url(0));
    let run = bench.spawn(&["run", "plan.yaml", "--json", "--prometheus", &metrics, "--remote-write", &write]);
    let board: Value = serde_json::from_str(&fs::read_to_string(example("dashboard.json")).unwrap()).unwrap();
    let expressions = expressions(&board);
    assert!(expressions.len() > 20, "{expressions:?}");
    let manifest = || -> Option<Value> {
        let text = fs::read_to_string(bench.runs().first()?.join("manifest.json")).ok()?;
        serde_json::from_str(&text).ok()
    };
    until("the run has a manifest", || manifest().is_some());
    let manifest = manifest().unwrap();
    let id = manifest["id"].as_str().unwrap();
    let of_run = |text: &str, job: &str| {
        text.replace("$job", job).replace("$run", id).replace("$request", ".*").replace("$__rate_interval", "15s")
    };
    for job in ["nmax-scrape", "nmax"] {
        for (title, expression) in &expressions {
            let expression = of_run(expression, job);
            assert!(!expression.contains('$'), "{expression}");
            until(&format!("{title} has data: {expression}"), || {
                let series = ask(&bench, &server, &expression).unwrap_or_default();
                series.iter().any(|(_, value)| value.is_finite())
            });
        }
    }
    run.signal(Signal::INT);
    let ended = run.wait().exits(130);
    if ended.stderr.contains("the last one was not") {
        return skip("this machine is too busy for Prometheus to take the last state in time");
    }
    let summary = ended.json();
    let total = |what: &str, of: &str| -> f64 {
        let expression = of_run(&format!("{what}{{job=\"$job\",nmax_run_id=\"$run\"{of}}}"), "nmax");
        let found = ask(&bench, &server, &expression).unwrap();
        found.iter().map(|(_, value)| value).sum()
    };
    let hold = ",nmax_phase=\"hold\"";
    let requests = summary["requests"].as_object().unwrap();
    assert_eq!(requests.len(), 2);
    for (name, row) in requests {
        let of = format!("{hold},nmax_request={name:?}");
        for counter in ["nmax_requests_total", "http_client_request_duration_seconds_count"] {
            assert_eq!(total(counter, &of), count(&row["count"]) as f64, "{counter} of {name}");
        }
        for (status, n) in row["status"].as_object().unwrap() {
            let of = format!("{of},http_response_status_code=\"{status}\"");
            assert_eq!(total("http_client_request_duration_seconds_count", &of), count(n) as f64, "{status} of {name}");
        }
        let times = &row["response_time_ms"];
        let sum_s = times["mean"].as_f64().unwrap() * count(&times["count"]) as f64 / 1e3;
        let found_s = total("http_client_request_duration_seconds_sum", &of);
        assert!((found_s - sum_s).abs() < 1e-3 * sum_s, "{name}: {found_s} s, not {sum_s} s");
    }
    let verdict = summary["verdict"].as_str().unwrap();
    assert_eq!(total("nmax_run_verdict", &format!(",nmax_verdict=\"{verdict}\"")), 1.0);
    assert_eq!(total("nmax_run_verdict", ""), 1.0);
}

/// What the server got is what the result names: traces of a failure and of the slowest requests, in files and reports.
#[test]
fn traces_of_failures_and_slow_requests_are_named() {
    let (bench, server) = (Bench::new(), Listener::answering(answer_with_status));
    let trace = "trace: { link: 'https://tempo.test/t/{trace_id}' }";
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {}\ndefaults: {{ {trace}, connection: per-request }}\nscenarios: {{ get: {{ steps: [{{ get: /200 }}, \
             {{ get: /500 }}] }} }}\nworkload: {{ closed: {{ vus: 1 }}, iterations: 3 }}\n",
            server.url()
        ),
    );
    let summary = bench.nmax(&["run", "plan.yaml", "--json", "--exit-zero"]).exits(0).json();
    let ids: BTreeSet<String> = server.heard().iter().filter_map(|text| trace_id(text)).collect();
    assert_eq!(ids.len(), 3, "a trace for each iteration: {ids:?}");
    let failures = lines(&bench.run().join("failures.jsonl"));
    assert_eq!(failures.len(), 3);
    for failure in &failures {
        let id = trace_id(failure["request"].as_str().unwrap()).expect("the header stays in the example");
        assert!(ids.contains(&id), "{failure}");
        assert!(
            failure["text"].as_str().unwrap().ends_with(&format!("[trace https://tempo.test/t/{id}]")),
            "{failure}"
        );
    }
    let events = |summary: &Value| -> Vec<String> {
        let events = summary["events"].as_array().unwrap().iter().filter(|event| event["code"] == "SLOW_TRACE");
        events.map(|event| event["text"].as_str().unwrap().to_owned()).collect()
    };
    let slow = events(&summary);
    assert_eq!(slow.len(), 3, "{summary:#}");
    let named: BTreeSet<String> = slow.iter().map(|text| text.rsplit('/').next().unwrap().to_owned()).collect();
    assert_eq!(named, ids);
    assert_eq!(events(&bench.nmax(&["show", "--json"]).exits(0).json()), slow);
    let page = fs::read_to_string(bench.run().join("report.html")).unwrap();
    assert!(ids.iter().all(|id| page.contains(id)), "the report names them");
}

/// The status that the path asks for.
fn answer_with_status(request: &str) -> String {
    let path = request.split(' ').nth(1).unwrap_or_default();
    let status = path.trim_start_matches('/').parse::<u16>().unwrap_or(200);
    format!("HTTP/1.1 {status} X\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
}

fn trace_id(request: &str) -> Option<String> {
    let header = request.lines().find_map(|line| line.strip_prefix("traceparent: "))?;
    Some(header.split('-').nth(1)?.to_owned())
}

/// Panels have ids of their own, titles and descriptions, and do not lie on each other.
#[test]
fn the_board_is_one_that_grafana_can_place() {
    let board: Value = serde_json::from_str(&fs::read_to_string(example("dashboard.json")).unwrap()).unwrap();
    let mut cells: BTreeMap<(u64, u64), u64> = BTreeMap::new();
    for panel in board["panels"].as_array().unwrap() {
        let id = count(&panel["id"]);
        assert!(panel["title"].is_string() && panel["description"].is_string(), "{id}");
        let place = ["x", "y", "w", "h"].map(|key| count(&panel["gridPos"][key]));
        assert!(place[0] + place[2] <= 24, "{id} is within the width");
        for x in place[0]..place[0] + place[2] {
            for y in place[1]..place[1] + place[3] {
                assert_eq!(cells.insert((x, y), id), None, "{id} lies on another");
            }
        }
    }
}

/// The verdict goes to the webhook and into the summary of the job, and what goes wrong there changes nothing.
#[test]
fn a_webhook_and_a_job_are_told_of_the_end() {
    let (bench, target, hook) = (Bench::new(), target(), Listener::start());
    let url = format!("{}/delay/1ms", target.url());
    let secret = format!("{}/services/T0/hunter2", hook.url());
    let link = ["--webhook-link", "https://ci.test/runs/{run_id}"];
    let base = ["run", &url, "-n", "4", "--quiet", "--exit-zero"];
    let told = [&base[..], &["--webhook", &secret, "--ci-summary", "summary.md"], &link].concat();
    bench.nmax(&told).exits(0);
    let heard = hook.heard();
    assert_eq!(heard.len(), 1, "{heard:?}");
    let (head, body) = heard[0].split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("POST /services/T0/hunter2 HTTP/1.1"), "{head}");
    let body: Value = serde_json::from_str(body).unwrap();
    crate::schema::assert_schema(&body, "webhook");
    let summary: Value = serde_json::from_str(&fs::read_to_string(bench.run().join("summary.json")).unwrap()).unwrap();
    assert_eq!(body["verdict"], summary["verdict"]);
    assert_eq!(body["figures"]["requests"], 4);
    let id = summary["run"]["id"].as_str().unwrap();
    assert_eq!(body["report"]["url"], format!("https://ci.test/runs/{id}"));
    let manifest = fs::read_to_string(bench.run().join("manifest.json")).unwrap();
    assert!(!manifest.contains("hunter2") && manifest.contains("--webhook"), "{manifest}");
    let page = fs::read_to_string(bench.path("summary.md")).unwrap();
    assert!(page.starts_with("## ") && page.len() < 61_000, "{page}");

    bench.write("summary.md", &"x".repeat(199_990));
    bench.nmax(&[&base[..], &["--ci-summary", "summary.md"]].concat()).exits(0).says(&["too long already"]);
    let page = fs::read_to_string(bench.path("summary.md")).unwrap();
    assert!(page.len() < 200_500 && page.contains("The report is left out"), "{}", page.len());

    let refused = Listener::answering(|_| "HTTP/1.1 500 Oops\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".into());
    let secret = format!("{}/hunter2", refused.url());
    let ended = bench.nmax(&[&base[..], &["--webhook", &secret, "--ci-summary", "none/summary.md"]].concat()).exits(0);
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
    ended.says(&["warning: webhook: ", "answered 500", "none/summary.md: cannot write"]);
    assert_eq!(refused.heard().len(), 2, "there are two attempts");
    bench.nmax(&[&base[..], &["--webhook", &secret, "--webhook-required"]].concat()).exits(5);
    let ended = bench.nmax(&[&base[..], &["--webhook", "ftp://hunter2@a.test"]].concat()).exits(2);
    assert!(!ended.stderr.contains("hunter2"), "{}", ended.stderr);
}
