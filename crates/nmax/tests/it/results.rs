//! Results after the run: `show`, `runs`, `report`, and the files beside them agree.

use std::fs;
use std::process::Command;

use nmax_analysis::Ending;
use nmax_metrics::Aggregate;
use nmax_report::json;
use nmax_run::Followed;
use nmax_store::{Follower, RunReader};
use nmax_testkit::servers::BadServer;
use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, count, lines, runs_in, skip, until};
use crate::peers::{arrived, target};
use crate::schema::{assert_schema, assert_summary};

/// Two small runs; the second has a note, labels and extra files.
fn two_runs() -> (Bench, Value) {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms", target.url());
    bench.nmax(&["run", &url, "-n", "3", "--exit-zero"]).exits(0);
    let noted = ["--note", "before <the> patch", "--tag", "nightly", "--tag", "eu", "--name", "second"];
    let files = ["--json", "--junit", "result.xml", "--csv", "result.csv", "--exit-zero"];
    let second = bench.nmax(&[&["run", &url, "-n", "8", "-c", "2"], &noted[..], &files].concat()).exits(0).json();
    (bench, second)
}

#[test]
fn json_is_the_summary_of_the_directory() {
    let (bench, printed) = two_runs();
    let file = fs::read_to_string(bench.runs()[1].join("summary.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&file).unwrap(), printed);
    assert_summary(&printed);
    for run in ["last", "second"] {
        let runs = bench.nmax(&["runs", "--json"]).exits(0).json();
        let id = if run == "last" { "last".into() } else { runs["runs"][0]["id"].as_str().unwrap().to_owned() };
        let shown = bench.nmax(&["show", &id, "--json"]).exits(0).json();
        assert_eq!(shown, printed, "read back from the files, {run}");
    }
    assert_eq!(bench.nmax(&["report", "last", "--format", "json"]).exits(0).json(), printed);
}

#[test]
fn no_sample_is_invented_between_the_files() {
    let (bench, printed) = two_runs();
    let windows = lines(&bench.runs()[1].join("windows.jsonl"));
    let histograms = windows.iter().flat_map(|window| window["histograms"].as_array().unwrap());
    let responses = histograms.filter(|line| line["tag"].as_str().unwrap().ends_with(".resp"));
    assert_eq!(responses.map(|line| count(&line["count"])).sum::<u64>(), 8);
    assert_eq!(count(&printed["total"]["response_time_ms"]["count"]), 8);
    assert_eq!(count(&printed["total"]["service_time_ms"]["count"]), 8);
}

/// A server that gives back what it is sent: carts of -2.5, -1.5, .. 96.5, of which the report says what is known.
#[test]
fn own_metrics_are_in_every_output() {
    let (bench, target) = (Bench::new(), target());
    let plan = "nmax: 1
name: carts
target: http://127.0.0.1:1
data: { carts: { csv: carts.csv } }
scenarios: { s: { steps: [{ get: \"/echo?total=${carts.total}\", tags: [shop], metric: {
  total: { json: $.path, match: 'total=(.*)', as: trend, unit: EUR }, bought: { header: x-none, as: rate } } }] } }
workload: { closed: { vus: 1 }, iterations: 100 }
thresholds: [\"failure_rate < 100%\"]
";
    let totals: Vec<String> = (0..100).map(|n| format!("{}", f64::from(n) - 2.5)).collect();
    fs::write(bench.path("carts.csv"), format!("total\n{}\n", totals.join("\n"))).unwrap();
    fs::write(bench.path("carts.yaml"), plan).unwrap();
    let run = ["run", "carts.yaml", "--target", &target.url(), "--workers", "2", "--exit-zero"];
    let ran = bench.nmax(&run).exits(0);
    ran.shows(&["Trends (phase ", "total (EUR) of shop", " 47 ", " 96.5 ", "Rates (phase "]);
    let shown = bench.nmax(&["show", "last", "--json"]).exits(0).json();
    assert_summary(&shown);
    let rows = shown["metrics"].as_array().unwrap();
    let names: Vec<_> = rows.iter().map(|row| (row["name"].as_str().unwrap(), row["tag"].as_str())).collect();
    assert_eq!(names, [("bought", None), ("bought", Some("shop")), ("total", None), ("total", Some("shop"))]);
    for row in &rows[2..] {
        assert_eq!((&row["kind"], &row["unit"], &row["count"]), (&"trend".into(), &"EUR".into(), &100.into()));
        let figure = |name: &str| row[name].as_f64().unwrap();
        assert_eq!(["sum", "mean", "min", "max", "last"].map(figure), [4_700.0, 47.0, -2.5, 96.5, 96.5]);
        assert!((figure("p50") - 46.5).abs() < 0.05, "{row}");
    }
    assert_eq!(
        (&rows[0]["count"], &rows[0]["unread"], &rows[0]["non_zero_share"]),
        (&0.into(), &100.into(), &Value::Null)
    );
    let page = fs::read_to_string(bench.runs()[0].join("report.html")).unwrap();
    assert!(page.contains("<h3>Trends</h3>") && page.contains("total (EUR) of shop"));
}

#[test]
fn runs_are_listed_and_found_by_name_prefix_and_path() {
    let (bench, _) = two_runs();
    let list = bench.nmax(&["runs", "--json"]).exits(0).json();
    assert_schema(&list, "runs");
    let [newest, oldest] = list["runs"].as_array().unwrap().as_slice() else { panic!("{list:#}") };
    assert_eq!((&newest["name"], &newest["note"]), (&"second".into(), &"before <the> patch".into()));
    assert_eq!(newest["tags"], serde_json::json!(["nightly", "eu"]));
    assert_eq!(newest["finished"], true);
    bench.nmax(&["runs"]).exits(0).shows(&["second", "[nightly, eu]", "before <the> patch"]);
    let tagged = bench.nmax(&["runs", "--json", "--tag", "eu"]).exits(0).json();
    assert_eq!(tagged["runs"].as_array().unwrap().len(), 1);
    let id = |run: &Value| run["id"].as_str().unwrap().to_owned();
    let (old_id, old_path) = (id(oldest), bench.runs()[0].clone());
    let new_id = id(newest);
    let shared = old_id.bytes().zip(new_id.bytes()).take_while(|(a, b)| a == b).count();
    for asked in [&old_id, &old_id[..=shared], old_path.to_str().unwrap()] {
        bench.nmax(&["show", asked]).exits(0).shows(&[&old_id]);
    }
    bench.nmax(&["show", &old_id[..shared]]).exits(2).says(&["help: "]);
    bench.nmax(&["show", "zzz"]).exits(2).says(&["no run `zzz`", &new_id]);
    bench.nmax(&["show", "last", "--runs-dir", "elsewhere"]).exits(2).says(&["elsewhere"]);
    bench.nmax(&["show"]).exits(0).shows(&["note      before <the> patch", "nightly"]);
}

#[test]
fn files_that_cannot_be_written_start_nothing() {
    let (bench, target) = (Bench::new(), target());
    for flag in ["--junit", "--csv"] {
        let run = ["run", &target.url(), "-n", "1", flag, "no/such/folder/result"];
        bench.nmax(&run).exits(2).says(&["no/such/folder/result: cannot write", "help: "]);
    }
    assert!(bench.runs().is_empty());
    assert_eq!(arrived(&target), 0);
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let (bench, _) = two_runs();
    let page = fs::read_to_string(bench.runs()[1].join("report.html")).unwrap();
    assert!(page.contains("before &lt;the&gt; patch"), "notes are text");
    for word in ["src=", "href=", "url(", "@import"] {
        for place in page.match_indices(word).map(|(at, _)| &page[at + word.len()..]) {
            let value = place.trim_start_matches(['"', '\'']);
            assert!(value.starts_with('#') || value.starts_with("data:"), "{word}{:.80}", place);
        }
    }
    assert!(!page.contains("<script src") && !page.contains("<iframe"));
    fs::remove_file(bench.runs()[1].join("report.html")).unwrap();
    let written = bench.nmax(&["report", "last"]).exits(0).stdout;
    let again = fs::read_to_string(bench.path(written.trim())).unwrap();
    assert_eq!(again.replace(' ', "").len(), page.replace(' ', "").len(), "the same page from the files");
}

#[test]
fn tables_for_machines_are_well_formed() {
    let (bench, printed) = two_runs();
    let csv = fs::read_to_string(bench.path("result.csv")).unwrap();
    // A head, a row per name and the total.
    let names = printed["requests"].as_object().unwrap().len();
    assert_eq!(csv.lines().count(), 1 + names + 1, "{csv}");
    let columns: Vec<usize> = csv.lines().map(|line| line.split(',').count()).collect();
    assert!(columns.windows(2).all(|pair| pair[0] == pair[1]), "{csv}");
    assert_eq!(csv.lines().last().unwrap().split(',').nth(1), Some("8"));
    assert_eq!(bench.nmax(&["report", "last", "--format", "csv"]).exits(0).stdout, csv);
    let xml = fs::read_to_string(bench.path("result.xml")).unwrap();
    assert_eq!(bench.nmax(&["report", "last", "--format", "junit"]).exits(0).stdout, xml);
    assert_balanced(&xml);
    let parse = "import sys, xml.dom.minidom as x; print(x.parse(sys.argv[1]).documentElement.tagName)";
    match Command::new("python3").args(["-c", parse]).arg(bench.path("result.xml")).output() {
        Ok(parsed) => assert_eq!(String::from_utf8_lossy(&parsed.stdout), "testsuites\n", "{parsed:?}"),
        Err(_) => skip("no python3 here: only the balance of the tags was tested"),
    }
}

/// Each element of the document ends, in order.
fn assert_balanced(xml: &str) {
    let mut open: Vec<&str> = Vec::new();
    for tag in xml.split('<').skip(1).map(|rest| rest.split_once('>').expect("a tag ends").0) {
        let name = tag.trim_start_matches('/').split_whitespace().next().unwrap();
        match (tag.strip_prefix('/'), tag.ends_with('/') || tag.starts_with('?')) {
            (Some(name), _) => assert_eq!(open.pop(), Some(name), "{xml}"),
            (None, true) => {}
            (None, false) => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn a_report_goes_where_it_is_sent() {
    let (bench, _) = two_runs();
    bench.nmax(&["report", "last", "--format", "text"]).exits(0).shows(&["second", "GET /delay/5ms"]);
    bench.nmax(&["report", "last", "-o", "page.html"]).exits(0).shows(&["page.html"]);
    assert!(fs::read_to_string(bench.path("page.html")).unwrap().starts_with("<!"));
    bench.nmax(&["report", "last", "-o", "-"]).exits(0).shows(&["</html>"]);
    bench.nmax(&["report", "last", "-o", "no/such/page.html"]).exits(2).says(&["no/such/page.html", "help: "]);
}

#[test]
fn the_command_of_the_manifest_repeats_the_run() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms?a=1&b=it's", target.url());
    bench.nmax(&["run", &url, "-n", "3", "--note", "with \"quotes\" $HOME", "--exit-zero"]).exits(0);
    let manifest = |index: usize| -> Value {
        serde_json::from_str(&fs::read_to_string(bench.runs()[index].join("manifest.json")).unwrap()).unwrap()
    };
    let command = manifest(0)["command"].as_str().unwrap().to_owned();
    assert!(command.starts_with("nmax run "), "{command}");
    bench.shell(&command.replacen("nmax", "\"$NMAX\"", 1)).exits(0);
    assert_eq!(arrived(&target), 6);
    let (first, second) = (manifest(0), manifest(1));
    for same in ["command", "note", "plan", "plan_sha256", "target", "seed"] {
        assert_eq!(first[same], second[same], "{same}");
    }
    assert_ne!(first["id"], second["id"]);
}

#[test]
fn runs_are_kept_where_the_environment_says_unless_a_flag_does() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms", target.url());
    let env = [("NMAX_RUNS_DIR", "of-environment")];
    bench.nmax_with(&env, &["run", &url, "-n", "1", "--exit-zero"]).exits(0);
    bench.nmax_with(&env, &["run", &url, "-n", "1", "--exit-zero", "--runs-dir", "of-flag"]).exits(0);
    let kept = ["runs", "of-environment", "of-flag"].map(|folder| runs_in(&bench.path(folder)).len());
    assert_eq!(kept, [0, 1, 1]);
}

/// A step that ends in an error page behind a redirect fails as a transaction, live and read back.
#[test]
fn conditions_on_transactions_are_judged_the_same_when_read_back() {
    let server = BadServer::answering(|head| {
        let reply = if head.starts_with("GET /a ") { "302 Found\r\nlocation: /b" } else { "500 Broken" };
        format!("HTTP/1.1 {reply}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
    });
    let bench = Bench::new();
    bench.write(
        "chain.yaml",
        &format!(
            "nmax: 1\ntarget: {}\ndefaults: {{ redirects: 5 }}\n\
             scenarios: {{ s: {{ steps: [{{ get: /a, name: enter }}, {{ get: /a, name: again, redirects: none }}] }} }}\n\
             workload: {{ closed: {{ vus: 1 }}, iterations: 4 }}\n\
             thresholds:\n  - transaction_time p95 < 30s for transaction enter\n  \
             - failure_rate < 1% for transaction enter\n  - failure_rate < 1% for request enter\n  \
             - failure_rate < 1% for scenario s\n",
            server.url()
        ),
    );
    // Replies come at once, so that a busy machine may call the run INVALID: it is never a PASS either.
    let printed = bench.nmax(&["run", "chain.yaml", "--json", "--exit-zero"]).exits(0).json();
    assert_summary(&printed);
    assert_ne!(printed["verdict"], "pass");
    let holds: Vec<(String, bool)> = printed["thresholds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| (row["condition"].as_str().unwrap().to_owned(), row["holds"].as_bool().unwrap()))
        .collect();
    let of = |text: &str| holds.iter().find(|(condition, _)| condition == text).unwrap().1;
    assert!(of("transaction_time p95 < 30s for transaction enter"), "{holds:?}");
    assert!(!of("failure_rate < 1% for transaction enter"), "{holds:?}");
    assert!(of("failure_rate < 1% for request enter"), "the redirect itself is ok: {holds:?}");
    assert!(!of("failure_rate < 1% for scenario s"), "{holds:?}");
    assert_eq!(bench.nmax(&["show", "last", "--json"]).exits(0).json(), printed);
}

/// What was done, what was observed and why the run ended are in its files: a run read back says what the live one said.
#[test]
fn a_run_that_a_condition_ended_is_read_back_as_it_was() {
    let (bench, target) = (Bench::new(), target());
    let (url, pid) = (target.url(), std::process::id());
    let plan = format!(
        "nmax: 1\ntarget: {url}\nscenarios: {{ s: {{ steps: [{{ get: /status/500 }}] }} }}\nworkload: {{ open: {{ rate: 50/s }} }}\n\
         duration: 20s\nwindow: 100ms\nthresholds: [{{ condition: \"failure_rate < 1%\", abort: 300ms }}]\n\
         timeline: [{{ name: poke, at: 200ms, http: {{ get: / }} }}, {{ name: later, at: 19s, http: {{ get: / }} }}]\n\
         observe: [{{ process: {{ pid: {pid} }}, name: tester }}]\n"
    );
    bench.write("plan.yaml", &plan);
    // Whether this machine was too busy for a lag of a millisecond is not the question here.
    let run = bench.nmax(&["run", "plan.yaml", "--json", "--exit-zero"]).exits(0);
    let printed = run.json();
    assert_summary(&printed);
    let codes: Vec<&str> =
        printed["reasons"].as_array().unwrap().iter().filter_map(|reason| reason["code"].as_str()).collect();
    assert!(codes.contains(&"THRESHOLD_ABORT") && !codes.contains(&"INTERRUPTED"), "{codes:?}");
    let verdict = printed["verdict"].as_str().unwrap();
    assert!(verdict == "fail" || verdict == "invalid", "{verdict}");
    assert_eq!(printed["timeline"].as_array().unwrap().len(), 1, "the later one never began");
    assert!(!printed["observed"].as_array().unwrap().is_empty());
    assert_eq!(bench.nmax(&["show", "last", "--json"]).exits(0).json(), printed);
    assert_eq!(bench.nmax(&["report", "last", "--format", "json"]).exits(0).json(), printed);
    bench.nmax(&["show", "last"]).exits(0).shows(&["ended early by a condition"]);
    bench.nmax(&["runs"]).exits(0).shows(&[&format!("{} (ended by a condition)", verdict.to_uppercase())]);
}

/// Law: a run that is followed while it is written is, at its end, the run that is read then: window by window, and judged.
#[test]
fn a_run_that_is_followed_is_the_one_that_is_read() {
    let (bench, target) = (Bench::new(), target());
    let steps = "scenarios: { get: { steps: [{ get: / }, { think: 5ms }] } }\nworkload: { closed: { vus: 2 } }";
    bench.write("plan.yaml", &format!("nmax: 1\ntarget: {}\n{steps}\nwindow: 100ms\nduration: 10m\n", target.url()));
    let job = bench.spawn(&["run", "plan.yaml"]);
    let written = || bench.runs().first().map(|run| run.join("windows.jsonl"));
    until("a window", || written().and_then(|file| fs::metadata(file).ok()).is_some_and(|file| file.len() > 0));
    let directory = bench.run();
    let mut follower = RunReader::open(&directory).unwrap().follow().unwrap();
    let mut followed = Followed::open(&directory).unwrap();
    let (mut sum, mut windows, mut seen) = (Aggregate::default(), 0, vec![0]);
    let mut take = |follower: &mut Follower| {
        follower.refresh().unwrap();
        while let Some(window) = follower.window().unwrap() {
            assert_eq!(window.index, windows, "each once, in order");
            windows += 1;
            sum.merge(&window.aggregate);
        }
    };
    while seen.len() < 5 {
        assert!(job.is_alive());
        take(&mut follower);
        let view = followed.refresh().unwrap().view;
        assert_eq!(view.ending, Ending::Running);
        if seen.last() != Some(&view.summary.total.count) {
            seen.push(view.summary.total.count);
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    assert!(seen.is_sorted(), "{seen:?}");
    job.signal(Signal::INT);
    job.wait().exits(130);
    take(&mut follower);
    let mut whole = Aggregate::default();
    for window in RunReader::open(&directory).unwrap().windows().unwrap() {
        whole.merge(&window.unwrap().aggregate);
    }
    assert!(sum == whole, "the sum of what was followed is that of what is read");
    let (last, read) = (followed.refresh().unwrap().view, nmax_run::read(&directory).unwrap().view);
    assert_eq!(json::summary(&last), json::summary(&read));
    assert!(last.summary.total.count >= seen[4] && last.ending == Ending::Interrupted);
}
