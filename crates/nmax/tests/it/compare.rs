//! Before and after: `nmax compare`, `nmax trend`, and choices of `nmax runs`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::bench::Bench;
use crate::peers::target;
use crate::schema::assert_schema;

/// A plan with a request of one name, whatever its path.
const PLAN: &str = r#"
nmax: 1
name: shop
target: http://127.0.0.1:1
scenarios:
  visit:
    steps:
      - { name: item, get: "/delay/${env.DELAY}" }
workload: { open: { rate: 60/s } }
duration: 2s
"#;

/// A run with these delays, and its id.
fn run(bench: &Bench, url: &str, delay: &str, more: &[&str]) -> String {
    let delay = format!("DELAY={delay}");
    let args = ["run", "plan.yaml", "--target", url, "-e", &delay, "--exit-zero", "--json"];
    let summary = bench.nmax(&[&args[..], more].concat()).exits(0).json();
    summary["run"]["id"].as_str().unwrap().to_owned()
}

/// Copies a run, with other times: factor of all that `summary.json` says of the total and the request.
pub(crate) fn copy(
    bench: &Bench,
    from: &Path,
    number: usize,
    factor: f64,
    change: impl Fn(&mut Value, &mut Value),
) -> String {
    let id = format!("copy{number:03}");
    let place = bench.path("runs").join(&id);
    fs::create_dir_all(&place).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), place.join(entry.file_name())).unwrap();
    }
    let read = |name: &str| -> Value { serde_json::from_str(&fs::read_to_string(from.join(name)).unwrap()).unwrap() };
    let (mut manifest, mut summary) = (read("manifest.json"), read("summary.json"));
    let (hour, minute) = (number / 60, number % 60);
    manifest["id"] = json!(id);
    manifest["started_at"] = json!(format!("2026-01-31T{hour:02}:{minute:02}:00Z"));
    summary["verdict"] = json!("pass");
    summary["withheld"] = json!([]);
    for stats in ["/total", "/requests/item"] {
        for time in ["response_time_ms", "service_time_ms"] {
            for figure in ["mean", "p50", "p95", "p99"] {
                let place = summary.pointer_mut(&format!("{stats}/{time}/{figure}")).unwrap();
                *place = json!(10.0 * factor);
            }
        }
    }
    change(&mut manifest, &mut summary);
    fs::write(place.join("manifest.json"), manifest.to_string()).unwrap();
    fs::write(place.join("summary.json"), summary.to_string()).unwrap();
    id
}

/// A small run, moved out of the way, to be copied.
pub(crate) fn original(bench: &Bench) -> PathBuf {
    let target = target();
    bench.write("plan.yaml", PLAN);
    run(bench, &target.url(), "1ms", &[]);
    let place = bench.path("original");
    fs::rename(bench.run(), &place).unwrap();
    place
}

/// Noise that is the same at every run: up to 1 % of either side.
fn noise(place: usize) -> f64 {
    1.0 + 0.002 * (((place * 7) % 11) as f64 - 5.0)
}

#[test]
fn two_runs_tell_a_large_change_and_call_it_weak() {
    let (bench, target) = (Bench::new(), target());
    bench.write("plan.yaml", PLAN);
    // Whether this machine let the generator work is not the question here: a quantile that is mostly lag is withheld,
    // so replies take much longer than the lag of a busy machine.
    let files = ["-o", "c.html", "-o", "c.md", "-o", "c.json", "--force"];
    let tell = || {
        let fast = run(&bench, &target.url(), "40ms", &["--note", "before the <patch>"]);
        run(&bench, &target.url(), "400ms", &[]);
        let worse = bench.nmax(&[&["compare", &fast, "last", "--json"], &files[..]].concat());
        (fast, worse.code, worse.json())
    };
    let median = |answer: &Value| {
        let rows = answer["rows"].as_array().unwrap();
        rows.iter().find(|row| row["metric"] == "response_time p50").cloned()
    };
    let mut told = std::iter::repeat_with(tell).take(5);
    let is_told = |(_, code, answer): &(String, i32, Value)| *code == 3 && median(answer).is_some();
    let (fast, _, answer) = told.find(is_told).expect("a median in one of five");
    assert_schema(&answer, "compare");
    assert_eq!((&answer["said"], &answer["weak"]), (&json!("worse"), &json!(true)));
    let p50 = median(&answer).unwrap();
    assert_eq!((&p50["request"], &p50["said"]), (&json!("item"), &json!("worse")));
    assert!(p50["change"].as_f64().unwrap() > 5.0, "{p50}");
    let read = |name: &str| fs::read_to_string(bench.path(name)).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&read("c.json")).unwrap(), answer);
    assert!(read("c.html").contains("before the &lt;patch&gt;") && read("c.html").matches("<script").count() == 1);
    assert!(read("c.md").starts_with("## ✗ WORSE, weak: "), "{}", read("c.md"));
    let better = bench.nmax(&["compare", "last", &fast, "--force"]).exits(0).stdout;
    assert!(better.contains("BETTER, weak") && better.contains("response_time p50"), "{better}");
    assert!(better.lines().all(|line| line.chars().count() <= 80), "{better}");
    bench.nmax(&["compare", &fast, "last", "--force", "--exit-zero"]).exits(0);
}

#[test]
fn what_may_not_be_compared_is_refused_with_every_reason() {
    let bench = Bench::new();
    let original = original(&bench);
    let one = copy(&bench, &original, 1, 1.0, |_, _| {});
    let invalid = copy(&bench, &original, 2, 1.0, |manifest, summary| {
        summary["verdict"] = json!("invalid");
        summary["intended_rate_per_s"] = json!(90.0);
        manifest["tags"] = json!(["odd"]);
    });
    bench.nmax(&["compare", &one, "tag:odd", "-o", "odd.html"]).exits(4).says(&["copy002 is INVALID"]);
    assert!(fs::read_to_string(bench.path("odd.html")).unwrap().contains("copy002 is INVALID"));
    let refused = bench.nmax(&["compare", &one, &invalid]).exits(4);
    for part in ["copy002 is INVALID", "different loads: 60/s and 90/s", "help: --force"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    let forced = bench.nmax(&["compare", &one, &invalid, "--force"]).exits(0);
    assert!(forced.stdout.contains("copy002 is INVALID"), "{}", forced.stdout);
    bench.nmax(&["compare", &one, &invalid, "--exit-zero"]).exits(0);
    bench.nmax(&["compare", &one, &one]).exits(4);
    for (args, want) in [
        (vec!["compare"], "no runs are given"),
        (vec!["compare", &one], "one side alone"),
        (vec!["compare", &one, "nothing"], "nothing"),
        (vec!["compare", &one, "tag:none"], "tag:none: no such run"),
        (vec!["compare", &one, "odd"], "write `tag:odd`"),
        (vec!["compare", &one, &invalid, "--force", "--request", "none"], "no such request"),
        (vec!["compare", &one, &invalid, "--metric", "p50"], "response_time p50"),
        (vec!["compare", &one, &invalid, "-o", "c.txt"], ".html, .md or .json"),
    ] {
        let ended = bench.nmax(&args).exits(2);
        assert!(ended.stderr.contains(want), "{args:?}: {}", ended.stderr);
    }
}

/// A run that is loaded unlike the others of its side is named, with the call that leaves it out; a page says so too.
#[test]
fn the_run_to_leave_out_is_named() {
    let bench = Bench::new();
    let original = original(&bench);
    for place in 0..4 {
        copy(&bench, &original, place, noise(place), |manifest, summary| {
            manifest["tags"] = json!([if place < 3 { "before" } else { "after" }]);
            summary["intended_rate_per_s"] = json!(if place == 1 { 90.0 } else { 60.0 });
        });
    }
    let refused = bench.nmax(&["compare", "tag:before", "tag:after", "-o", "c.md", "-o", "c.json"]).exits(4);
    for part in [
        "copy001, both before, have different loads: 60/s and 90/s",
        "help: without copy001: `nmax compare --before copy002 copy000 --after copy003`; --force",
    ] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    let page = fs::read_to_string(bench.path("c.md")).unwrap();
    assert!(page.starts_with("## ? NOT COMPARED: ") && page.contains("both before"), "{page}");
    let answer: Value = serde_json::from_str(&fs::read_to_string(bench.path("c.json")).unwrap()).unwrap();
    assert_schema(&answer, "compare");
    bench.nmax(&["compare", "--before", "copy002", "copy000", "--after", "copy003"]).exits(0);
}

/// A quantile that the run itself withholds is no figure to compare; the others are, and nothing is refused.
#[test]
fn what_a_run_withholds_is_left_out() {
    let bench = Bench::new();
    let original = original(&bench);
    let one = copy(&bench, &original, 1, 1.0, |_, _| {});
    let other = copy(&bench, &original, 2, 9.0, |_, summary| {
        let withheld = |request| json!({ "request": request, "quantile": "p99", "value_ms": 90.0, "own_ms": 60.0 });
        summary["withheld"] = json!([withheld(Value::Null), withheld(json!("item"))]);
    });
    let answer = bench.nmax(&["compare", &one, &other, "--json"]).exits(3).json();
    let has = |metric: &str| answer["rows"].as_array().unwrap().iter().any(|row| row["metric"] == metric);
    assert!(has("response_time p95") && !has("response_time p99"), "{answer}");
}

/// Where all runs of a label are INVALID, the call is right and the runs judge nothing.
#[test]
fn runs_that_are_all_invalid_are_no_wrong_call() {
    let bench = Bench::new();
    let original = original(&bench);
    for place in 0..3 {
        copy(&bench, &original, place, noise(place), |manifest, summary| {
            manifest["tags"] = json!([if place < 1 { "sound" } else { "invalid" }]);
            summary["verdict"] = json!(if place < 1 { "pass" } else { "invalid" });
        });
    }
    let refused = bench.nmax(&["compare", "tag:sound", "tag:invalid"]).exits(4);
    for part in ["this may not be compared", "copy002 is INVALID", "copy001 is INVALID"] {
        assert!(refused.stderr.contains(part), "{part}: {}", refused.stderr);
    }
    bench.nmax(&["compare", "tag:none", "tag:invalid"]).exits(2);
}

/// Three runs of which 2 % fail against one that answers 500 to everything, at once: worse, and no quick reply is better.
#[test]
fn a_release_that_fails_everything_does_not_pass() {
    let bench = Bench::new();
    let original = original(&bench);
    for place in 0..4 {
        let (factor, rate) = if place < 3 { (1.0, 0.02) } else { (0.1, 1.0) };
        copy(&bench, &original, place, factor * noise(place), |_, summary| {
            for stats in ["/total", "/requests/item"] {
                let stats = summary.pointer_mut(stats).unwrap();
                stats["failed"] = json!((stats["count"].as_f64().unwrap() * rate).round());
            }
        });
    }
    let args = ["compare", "--json", "--before", "copy000", "copy001", "copy002", "--after", "copy003"];
    let answer = bench.nmax(&args).exits(3).json();
    assert_eq!(answer["said"], "worse", "{answer:#}");
    let rows = answer["rows"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["said"] != "better"), "{answer:#}");
    assert!(answer["caveats"].to_string().contains("item: failure rates differ"), "{answer:#}");
}

#[test]
fn several_runs_a_side_are_judged_by_ranks() {
    let bench = Bench::new();
    let original = original(&bench);
    for place in 0..20 {
        let (factor, tag) = if place < 10 { (1.0, "before") } else { (1.05, "after") };
        copy(&bench, &original, place, factor * noise(place), |manifest, _| manifest["tags"] = json!([tag, "all"]));
    }
    let answer = bench.nmax(&["compare", "tag:before", "tag:after", "--json"]).exits(3).json();
    assert_eq!((&answer["weak"], answer["before"].as_array().unwrap().len()), (&json!(false), 10));
    let p95 = &answer["rows"].as_array().unwrap()[2];
    assert_eq!((&p95["metric"], &p95["said"]), (&json!("response_time p95"), &json!("worse")));
    let change = p95["change"].as_f64().unwrap();
    assert!((1.04..1.06).contains(&change), "{change}");
    let same = ["copy000", "copy002", "copy004", "copy006", "copy008"];
    let other = ["copy001", "copy003", "copy005", "copy007", "copy009"];
    // No failure among some 600 requests is no proof of fewer than 0.5 %, nor, at every draw of arrivals, of 2 %.
    let few = ["compare", "--json", "--failure-margin", "3%", "--before"];
    let few = [&few[..], &same[..], &["--after"], &other[..]].concat();
    let answer = bench.nmax(&few).exits(0).json();
    assert_eq!(answer["said"], "equivalent", "{answer:#}");
    let strict = bench.nmax(&["compare", "copy000", "copy001", "--no-history", "--strict"]).exits(4);
    assert!(strict.stdout.contains("inconclusive"), "{}", strict.stdout);
}

#[test]
fn a_log_is_one_side() {
    let (bench, target) = (Bench::new(), target());
    bench.write("plan.yaml", &PLAN.replace("/delay/${env.DELAY}", "/delay/2ms?user=${iteration}"));
    run(&bench, &target.url(), "2ms", &[]);
    let mut log = String::new();
    for second in 0..300 {
        let stamp = format!("31/Jan/2026:10:{:02}:{:02} +0000", second / 60, second % 60);
        let seconds = 0.8 + 0.001 * f64::from(second % 20);
        let _ = writeln!(
            log,
            r#"10.0.0.{} - - [{stamp}] "GET /delay/2ms?user={second} HTTP/1.1" 200 512 {seconds:.3}"#,
            second % 9
        );
        let _ = writeln!(log, r#"10.0.0.{} - - [{stamp}] "GET /other HTTP/1.1" 200 512 0.010"#, second % 9);
    }
    bench.write("access.log", &log);
    let format = r#"$remote_addr - $remote_user [$time_local] "$request" $status $body_bytes_sent $request_time"#;
    let args = ["compare", "access.log", "last", "--format", format, "--force", "--json"];
    let answer = bench.nmax(&args).exits(0).json();
    assert_schema(&answer, "compare");
    assert_eq!(answer["before"][0]["kind"], "log");
    let rows = answer["rows"].as_array().unwrap();
    let is_meant = |row: &&Value| row["request"] == "item" && row["metric"] == "service_time p50";
    let p50 = rows.iter().find(is_meant).unwrap();
    assert_eq!(p50["said"], "better", "{answer:#}");
    assert!((780.0..840.0).contains(&p50["before"].as_f64().unwrap()), "{p50}");
    assert!(
        rows.iter().all(|row| row["metric"] != "bytes"),
        "a log's bytes are of bodies, a run's with heads: {answer:#}"
    );
    assert_eq!(answer["only_before"], json!(["GET /other"]));
    assert!(answer["caveats"].to_string().contains("measured at the server"));
}

#[test]
fn a_trend_finds_the_run_where_it_changed() {
    let bench = Bench::new();
    let original = original(&bench);
    for place in 0..24 {
        let factor = if place < 14 { 1.0 } else { 1.2 };
        let note = if place == 14 { "new pool" } else { "" };
        copy(&bench, &original, place, factor * noise(place), |manifest, _| manifest["note"] = json!(note));
    }
    copy(&bench, &original, 30, 9.0, |_, summary| summary["verdict"] = json!("invalid"));
    let found = bench.nmax(&["trend", "shop", "--gate", "--json", "-o", "t.html"]).exits(3).json();
    assert_schema(&found, "trend");
    let changes = found["changes"].as_array().unwrap();
    assert_eq!((changes.len(), &changes[0]["run"], &changes[0]["said"]), (1, &json!("copy014"), &json!("worse")));
    assert_eq!(found["runs"].as_array().unwrap().len(), 24, "an INVALID run judges nothing");
    let page = fs::read_to_string(bench.path("t.html")).unwrap();
    assert!(page.contains("<svg") && page.contains("new pool"));
    let text = bench.nmax(&["trend", "shop"]).exits(0).stdout;
    assert!(text.contains("worse from run copy014 (2026-01-31 00:14) on: new pool"), "{text}");
    bench.nmax(&["trend", "shop", "--last", "10", "--gate"]).exits(0);
    bench.nmax(&["trend", "shop", "--last", "4", "--gate"]).exits(4).shows(&["? too few runs to tell: 3 runs  "]);
    bench.nmax(&["trend", "shop", "--last", "2"]).exits(0).shows(&["? too few runs to tell: 1 run  "]);
    bench.nmax(&["trend", "shop", "--metric", "throughput", "--gate"]).exits(0);
    for (args, want) in [
        (vec!["trend", "none"], "no runs: named none"),
        (vec!["trend", "shop", "--request", "none"], "no response_time p95 of none"),
        (vec!["trend", "shop", "-o", "t.md"], "has no Markdown"),
    ] {
        let ended = bench.nmax(&args).exits(2);
        assert!(ended.stderr.contains(want), "{args:?}: {}", ended.stderr);
    }
}

/// The last three of seventeen runs answer 500 to everything, at once: no better trend, and no pass.
#[test]
fn a_trend_of_failures_is_not_better() {
    let bench = Bench::new();
    let original = original(&bench);
    for place in 0..17 {
        let (factor, rate) = if place < 14 { (1.0, 0.006) } else { (0.05, 1.0) };
        copy(&bench, &original, place, factor * noise(place), |_, summary| {
            let total = summary.pointer_mut("/total").unwrap();
            total["errors"] = json!(0);
            total["failed"] = json!(total["count"].as_f64().unwrap() * rate);
        });
    }
    let found = bench.nmax(&["trend", "shop", "--gate", "--json"]).exits(3).json();
    assert_schema(&found, "trend");
    assert_eq!(found["changes"][0]["said"], "changed", "{found:#}");
    for note in ["failures rose from run copy014 on", "neither better nor worse"] {
        assert!(found["notes"].to_string().contains(note), "{found:#}");
    }
}

#[test]
fn runs_are_chosen_by_name_label_target_and_verdict() {
    let bench = Bench::new();
    let original = original(&bench);
    for place in 0..6 {
        copy(&bench, &original, place, 1.0, |manifest, summary| {
            manifest["name"] = json!(if place < 4 { "shop" } else { "blog" });
            manifest["tags"] = json!(if place % 2 == 0 { vec!["even", "all"] } else { vec!["all"] });
            manifest["target"] = json!(if place == 5 { "http://10.0.0.1:80" } else { "http://127.0.0.1:8080" });
            summary["verdict"] = json!(if place == 1 { "fail" } else { "pass" });
        });
    }
    for (args, want) in [
        (vec!["--name", "shop"], vec![3, 2, 1, 0]),
        (vec!["--tag", "even", "--tag", "all"], vec![4, 2, 0]),
        (vec!["--target", "http://10.0.0.1/"], vec![5]),
        (vec!["--verdict", "fail"], vec![1]),
        (vec!["--name", "shop", "--last", "2"], vec![3, 2]),
        (vec!["--name", "none"], vec![]),
    ] {
        let list = bench.nmax(&[&["runs", "--json"], &args[..]].concat()).exits(0).json();
        let ids: Vec<&str> = list["runs"].as_array().unwrap().iter().map(|run| run["id"].as_str().unwrap()).collect();
        let want: Vec<String> = want.iter().map(|number| format!("copy{number:03}")).collect();
        assert_eq!(ids, want, "{args:?}");
    }
    let none = bench.nmax(&["runs", "--name", "none"]).exits(0);
    assert!(none.stderr.contains("no runs of the name `none`"), "{}", none.stderr);
}
