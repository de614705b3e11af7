//! `nmax scale`: levels against targets with known laws. Levels are short, so numbers are only looked at widely, and what
//! a busy machine makes INVALID is left out as the command does.

use std::path::{Path, PathBuf};

use nmax_target::{Options, Running, spawn};
use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, Job, count, lines, number, skip, until};
use crate::peers::{arrived, target};
use crate::ports::free_port;
use crate::schema::assert_schema;

/// Levels as short as they may be.
const SHORT: [&str; 4] = ["--level-time", "500ms", "--warm-up", "100ms"];

/// A target whose throughput peaks at about 15 users, with 170 per second.
fn peaking() -> Running {
    spawn(Options { services: vec!["usl:alpha=0.02,beta=0.0044,gamma=25".parse().unwrap()], ..Options::default() })
        .unwrap()
}

fn args<'a>(url: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let mut args = vec!["scale", url];
    args.extend(SHORT);
    args.extend(more);
    args
}

/// The directory of the only campaign.
fn campaign(bench: &Bench) -> PathBuf {
    let path = bench.run();
    assert!(path.join("campaign.json").is_file(), "{path:?}");
    path
}

/// Lines of the points without their header.
fn points(directory: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(directory.join("points.csv")).unwrap();
    assert!(text.starts_with("n,x,r_ms,level,run,count\n"), "{text}");
    text.lines().skip(1).map(str::to_owned).collect()
}

/// Law: what is fitted is what is used, and nothing that is INVALID is used.
#[track_caller]
fn assert_sound(directory: &Path) {
    let levels = lines(&directory.join("levels.jsonl"));
    let used: Vec<&Value> = levels.iter().filter(|level| level["used"] == true).collect();
    for level in &used {
        assert!(level["verdict"] == "pass" || level["verdict"] == "fail", "{level}");
        let run = directory.join(level["run"].as_str().unwrap());
        assert!(run.join("summary.json").is_file(), "{run:?}");
    }
    let fitted: Vec<String> = used.iter().map(|level| level["run"].as_str().unwrap().to_owned()).collect();
    let points: Vec<String> = points(directory).iter().map(|line| line.split(',').nth(4).unwrap().to_owned()).collect();
    assert_eq!(points, fitted);
    for (place, level) in levels.iter().enumerate() {
        assert_eq!(count(&level["number"]), place as u64 + 1);
    }
}

/// Whether two results are the same, but for the last digit of numbers that were written and read.
fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            let (a, b) = (a.as_f64().unwrap(), b.as_f64().unwrap());
            (a - b).abs() <= 1e-9 * a.abs().max(b.abs()).max(1e-6)
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| is_same(a, b)))
        }
        (a, b) => a == b,
    }
}

#[test]
fn given_levels_are_run_as_often_as_asked_for() {
    let bench = Bench::new();
    let target = target();
    let url = format!("{}/delay/20ms", target.url());
    let more = ["--axis", "vus=1,3", "--replicates", "2", "--count", "iterations", "--quiet", "--json", "--exit-zero"];
    let ended = bench.nmax(&args(&url, &more)).exits(0);
    assert_eq!(ended.stderr, "", "--quiet says nothing");
    let result = ended.json();
    assert_schema(&result, "scale");
    let levels = result["levels"].as_array().unwrap();
    let valid = |level: f64| {
        let of = levels.iter().filter(|one| one["level"] == level && one["used"] == true);
        of.count()
    };
    let invalid = levels.iter().any(|level| level["used"] == false);
    assert!(invalid || (valid(1.0), valid(3.0)) == (2, 2), "{levels:#?}");
    for level in levels.iter().filter(|level| level["used"] == true) {
        // At most 50/s for each user, whose requests take 20 ms; a window of 500 ms may hold one more.
        let (n, x) = (number(&level["n"]), number(&level["x"]));
        assert!(x > 0.0 && x <= n * (50.0 + 4.0), "{level}");
        assert!(number(&level["r_ms"]) >= 20.0, "{level}");
    }
    assert_eq!(result["run"]["count"], "iterations");
    assert_sound(&campaign(&bench));
}

#[test]
fn a_rate_is_an_axis_with_what_is_in_flight_as_n() {
    let bench = Bench::new();
    let target = target();
    let url = format!("{}/delay/50ms", target.url());
    let more = ["--axis", "rate=20/s,60/s", "--replicates", "1", "--json", "--exit-zero"];
    let result = bench.nmax(&args(&url, &more)).exits(0).json();
    assert_eq!(result["dimension"], "in_flight");
    for level in result["levels"].as_array().unwrap() {
        if level["used"] == true {
            // N = 50 ms times the rate, or a little more.
            let (rate, n) = (number(&level["level"]), number(&level["n"]));
            assert!(n > 0.3 * 0.05 * rate && n < 20.0 * 0.05 * rate, "{level}");
        }
    }
    assert_sound(&campaign(&bench));
}

/// Descriptors for a few connections only: the higher rate is INVALID for sure, is run again, then left out and said.
#[test]
fn levels_that_are_invalid_are_repeated_and_left_out() {
    let bench = Bench::new();
    let target = target();
    let url = format!("{}/delay/600ms", target.url());
    let line = format!(
        "ulimit -n 64; exec \"$NMAX\" scale {url} --axis rate=4/s,400/s --replicates 1 --level-time 1s --warm-up 300ms --json"
    );
    let ended = bench.shell(&line).exits(4);
    let result = ended.json();
    let levels = result["levels"].as_array().unwrap();
    let high: Vec<&Value> = levels.iter().filter(|level| level["level"] == 400.0).collect();
    assert!(high.iter().all(|level| level["used"] == false), "{high:#?}");
    let directory = campaign(&bench);
    assert_sound(&directory);
    assert!(points(&directory).iter().all(|line| !line.contains(",400,")));
    let is_invalid = high.iter().any(|level| level["verdict"] == "invalid");
    if is_invalid {
        assert_eq!(high.len(), 3, "twice again: {high:#?}");
        assert!(result["notes"].to_string().contains("400/s was left out after 3 runs"), "{}", result["notes"]);
    }
}

/// A script restarts the server with the number of places that it is told.
const RESTART: &str = r#"#!/bin/sh
if [ -f pid ]; then kill "$(cat pid)"; while kill -0 "$(cat pid)" 2>/dev/null; do sleep 0.02; done; fi
[ "$1" != 3 ] || { echo "three do not fit"; exit 7; }
rm -f ready
"$NMAX" target --listen "$2" --service mmc:servers=$1,rate=100 >ready 2>target.err &
echo $! >pid
until [ -s ready ]; do kill -0 $! || { cat target.err; exit 1; }; sleep 0.02; done
"#;

#[test]
fn a_knob_is_set_by_a_script_and_priced() {
    let bench = Bench::new();
    bench.write("restart", RESTART);
    let port = free_port();
    let (url, apply) = (format!("http://127.0.0.1:{port}"), format!("sh restart {{n}} {port}"));
    let more = [
        "--axis", "places=1,2,3,4", "--apply", &apply, "--allow-exec", "--max", "8", "--replicates", "2", "--budget",
        "30s", "--price", "0.36/h", "--json", "--exit-zero",
    ];
    let ended = bench.nmax(&args(&url, &more));
    bench.shell("kill $(cat pid)").exits(0);
    let ended = ended.exits(0).says(&["places=3: left out", "three do not fit", "code 7"]);
    let result = ended.json();
    assert_schema(&result, "scale");
    let knobs = result["knobs"].as_array().unwrap();
    assert_eq!(knobs.len(), 4, "{knobs:#?}");
    let stopped = result["stopped"].as_str().unwrap();
    assert!(stopped.ends_with("the command failed for 1 of 4"), "{stopped}");
    assert!(knobs[2]["x"].is_null() && knobs[2]["why"].to_string().contains("three do not fit"));
    for knob in knobs {
        let places: f64 = knob["values"]["places"].as_str().unwrap().parse().unwrap();
        let Some(x) = knob["x"].as_f64() else { continue };
        // Each place serves 100 per second on average; short levels of exponential times differ a lot.
        assert!(x > 0.0 && x < 100.0 * places * 2.0, "{knob}");
        assert!((number(&knob["price_per_h"]) - 0.36 * places).abs() < 1e-9);
        let per_million = number(&knob["price_per_million"]);
        assert!((per_million - 0.36 * places / (x * 3600.0) * 1e6).abs() < 1e-6 * per_million, "{knob}");
    }
    assert_sound(&campaign(&bench));
}

#[test]
fn a_grid_has_a_law_for_each_value_of_the_second_knob() {
    let bench = Bench::new();
    let target = target();
    let url = format!("{}/delay/10ms", target.url());
    let more = [
        "--axis", "count=1,2", "--axis", "size=small,large", "--apply", "echo {count} {size} >>set", "--allow-exec",
        "--max", "2", "--replicates", "1", "--price", "small=1/h,large=2/h", "--json", "--exit-zero",
    ];
    let result = bench.nmax(&args(&url, &more)).exits(0).json();
    let set = std::fs::read_to_string(bench.path("set")).unwrap();
    assert_eq!(set, "1 small\n2 small\n1 large\n2 large\n", "each setting once");
    let knobs = result["knobs"].as_array().unwrap();
    assert_eq!(knobs.len(), 4);
    assert_eq!(number(&knobs[3]["price_per_h"]), 4.0, "two large ones");
    let directory = campaign(&bench);
    for file in ["points-small.csv", "points-large.csv", "points.csv"] {
        assert!(directory.join(file).is_file() || knobs.iter().any(|knob| knob["x"].is_null()), "{file}");
    }
}

/// A campaign under way, at its second level or later.
fn under_way(bench: &Bench, url: &str) -> Job {
    let job = bench.spawn(&["scale", url, "--level-time", "1s", "--warm-up", "100ms", "--axis", "vus=1,2,3,4,5,6,7,8"]);
    // Between a level and its point a kill would leave one without the other.
    until("the first level and its point", || {
        let runs = bench.runs();
        let Some(run) = runs.first().filter(|run| run.join("points.csv").is_file()) else {
            return false;
        };
        let levels = lines(&run.join("levels.jsonl"));
        let used = levels.iter().filter(|level| level["used"] == true).count();
        used > 0 && points(run).len() == used
    });
    job
}

#[test]
fn an_interrupted_campaign_fits_what_it_has() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms", target.url());
    let job = under_way(&bench, &url);
    bench.nmax(&["runs"]).exits(0).shows(&["SCALE (running)"]);
    job.signal(Signal::INT);
    job.wait().exits(130).shows(&["interrupted"]);
    let directory = campaign(&bench);
    assert_sound(&directory);
    let result: Value = serde_json::from_str(&std::fs::read_to_string(directory.join("scale.json")).unwrap()).unwrap();
    assert_eq!(result["run"]["interrupted"], true);
    bench.nmax(&["runs"]).exits(0).shows(&["SCALE (interrupted)"]);
    assert!(arrived(&target) > 0);
}

#[test]
fn a_killed_campaign_reads_back_up_to_its_last_level() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms", target.url());
    let job = under_way(&bench, &url);
    job.signal(Signal::KILL);
    job.wait().exits(137);
    let directory = campaign(&bench);
    assert_sound(&directory);
    bench.nmax(&["runs"]).exits(0).shows(&["SCALE (cut off)"]);
    bench.nmax(&["show"]).exits(0).shows(&["cut off", "Levels in the order of their runs"]);
    let path = directory.display().to_string();
    let fit = bench.nmax(&["usl", "fit", &path, "--json", "--exit-zero"]).exits(0).json();
    assert_eq!(count(&fit["n"]), points(&directory).len() as u64);
}

#[test]
fn what_is_wrong_is_said_before_anything_is_sent() {
    let (bench, target) = (Bench::new(), target());
    let url = target.url();
    // flags                                            words
    let cases: [(&[&str], &[&str]); 26] = [
        (&["--axis", "nodes=1,2"], &["nothing sets it", "--apply"]),
        (&["--apply", "true"], &["no knob to set"]),
        (&["--axis", "nodes=1,2", "--apply", "true"], &["does not use {nodes}"]),
        (&["--axis", "nodes"], &["needs its values"]),
        (&["--axis", "vus=0"], &["`0` is not a level"]),
        (&["--max", "0"], &["--max 0", "not a load"]),
        (&["--min", "9", "--max", "3"], &["above the highest"]),
        (&["--count", "clicks"], &["--count clicks", "transaction:NAME"]),
        (&["--find", "p95"], &["--find 'p95'", "help:"]),
        (&["--price", "3"], &["--price 3", "/h"]),
        (&["--demand", "disk"], &["--demand disk", "disk=2ms"]),
        (&["--precision", "0%"], &["--precision 0%"]),
        (&["--budget", "1s", "--level-time", "2s"], &["longer --budget"]),
        (&["--profile", "stress"], &["--profile does not go with"]),
        (&["-d", "10s"], &["--level-time"]),
        (&["--level-time", "0s"], &["500ms or more"]),
        (&["--level-time", "499ms"], &["500ms or more"]),
        (&["-c", "4"], &["--axis vus"]),
        (&["-r", "10/s"], &["--axis rate"]),
        (&["--axis", "injectors=0"], &["`0` is not a level"]),
        (&["--axis", "injectors=1", "--axis", "injectors=2"], &["an axis of load already"]),
        (&["--axis", "injectors", "--axis", "workers=1,2"], &["the levels of both"]),
        (&["--axis", "injectors", "--pin", "0"], &["--pin does not go with"]),
        (
            &["--axis", "injectors=1", "--axis", "workers=1", "--find", "p95 < 1s"],
            &["--find: injectors against workers"],
        ),
        (
            &["--axis", "injectors", "--axis", "n=1,2", "--apply", "set {n}", "--allow-exec"],
            &["--axis injectors: a knob"],
        ),
        (&["--axis", "injectors"], &["fleet.key", "nmax fleet key"]),
    ];
    for (flags, words) in cases {
        let mut args = vec!["scale", &url];
        args.extend(flags);
        bench.nmax(&args).exits(2).says(words);
    }
    let many = ["scale", &url, "--axis", "nodes", "--count", "x", "--price", "y"];
    bench.nmax(&many).exits(2).says(&["needs its values", "--count x", "--price y"]);
    bench.nmax(&["scale", "no-such-plan.yaml"]).exits(2).says(&["no-such-plan.yaml"]);
    bench.nmax(&["scale", "http://127.0.0.1:1"]).exits(5).says(&["127.0.0.1:1"]);
    let refused = ["scale", &url, "--axis", "n=1,2", "--apply", "echo {n} too much; exit 3", "--allow-exec"];
    bench.nmax(&refused).exits(2).says(&["--apply", "1 too much", "code 3", "nothing was sent"]);
    let slow =
        ["scale", &url, "--axis", "n=1,2", "--apply", "sleep 60; echo {n}", "--apply-time", "100ms", "--allow-exec"];
    bench.nmax(&slow).exits(2).says(&["did not end within 100ms"]);
    assert_eq!(arrived(&target), 0);
    assert!(bench.runs().is_empty(), "nothing is left behind");
    let error = format!("{url}/status/500");
    bench.nmax(&["scale", &error]).exits(2).says(&["the campaign does not begin", "--no-smoke"]);
    let broken = bench.nmax(&args(&error, &["--no-smoke"])).exits(4);
    // On a busy machine the level is INVALID before that.
    let said = ["the first level says nothing", "[not used]: G"];
    assert!(said.iter().any(|words| broken.stderr.contains(words)), "{}", broken.stderr);
}

/// A plan for `url`, with more lines.
fn plan(url: &str, step: &str, more: &str) -> String {
    format!(
        "nmax: 1\nname: p\ntarget: {url}\nscenarios:\n  ask: {{ steps: [ {{ get: \"{step}\" }} ] }}\nworkload: {{ \
         closed: {{ vus: 1 }} }}\n{more}"
    )
}

/// Sixteen users of 20 ms read 120 rows in 150 ms: no throughput is averaged over what is empty behind them.
#[test]
fn a_level_whose_data_end_is_no_measurement() {
    let bench = Bench::new();
    let target = target();
    let rows: String = (0..120).map(|row| format!("{row}\n")).collect();
    bench.write("ids.csv", &format!("id\n{rows}"));
    for at_end in ["stop", "error"] {
        let data = format!("data:\n  ids: {{ csv: ids.csv, pick: unique, at_end: {at_end} }}\n");
        bench.write("p.yaml", &plan(&target.url(), "/delay/20ms?q=${ids.id}", &data));
        let levels = ["--axis", "vus=1,16", "--replicates", "1", "--level-time", "1s", "--warm-up", "100ms"];
        let ended = bench.nmax(&[&["scale", "p.yaml", "--json", "--exit-zero"][..], &levels].concat());
        let result = ended.exits(0).says(&["each level reads the 120 rows of scenario `ask`"]).json();
        let levels = result["levels"].as_array().unwrap();
        let ended = levels.iter().filter(|level| level["level"] == 16.0);
        for level in ended {
            assert_eq!(level["used"], false, "{level}");
            assert!(level["why"].as_str().unwrap().contains("data of scenario `ask` ended"), "{level}");
        }
    }
    bench.write("few.csv", "id\n1\n2\n");
    let data = "data:\n  ids: { csv: few.csv, pick: unique, at_end: stop }\n";
    bench.write("few.yaml", &plan(&target.url(), "/delay/20ms?q=${ids.id}", data));
    let first = ["scale", "few.yaml", "--axis", "vus=1,2", "--level-time", "500ms"];
    bench.nmax(&first).exits(2).says(&["the first level says nothing", "its 2 rows", "at_end: wrap"]);
    let rate = ["scale", "few.yaml", "--axis", "rate=50/s,60/s", "--level-time", "1s"];
    bench.nmax(&rate).exits(2).says(&["the 2 rows of scenario `ask` do not last", "at 50/s"]);
}

#[test]
fn a_first_level_that_says_nothing_ends_it_by_its_reason() {
    let bench = Bench::new();
    let target = target();
    let abort = "thresholds:\n  - { condition: \"response_time p95 < 1ms\", abort: 0s }\n";
    bench.write("p.yaml", &plan(&target.url(), "/delay/20ms", abort));
    let short = ["--axis", "vus=1,2", "--level-time", "1s", "--warm-up", "100ms"];
    bench
        .nmax(&[&["scale", "p.yaml"][..], &short].concat())
        .exits(3)
        .says(&["the first level says nothing", "response_time p95 < 1ms"]);
    let url = format!("{}/delay/2s", target.url());
    let slow = ["--axis", "vus=1,2", "--level-time", "500ms", "--warm-up", "100ms"];
    bench.nmax(&[&["scale", &url][..], &slow].concat()).exits(2).says(&[
        "nothing was completed in the measured part",
        "a reply takes 2",
        "--level-time of ",
    ]);
}

#[test]
fn a_disk_without_room_is_said_as_that() {
    let bench = Bench::new();
    let target = target();
    let url = format!("{}/delay/5ms", target.url());
    let line = format!(
        "trap '' XFSZ; ulimit -f 64; exec \"$NMAX\" scale {url} --axis vus=1,2 --level-time 500ms --warm-up 100ms"
    );
    let ended = bench.shell(&line).exits(5).says(&["cannot write", "with room"]);
    assert!(!ended.stderr.contains("not reachable"), "{}", ended.stderr);
}

/// With nothing else running.
mod serial {
    use super::*;

    #[test]
    fn a_peak_that_is_known_is_found() {
        let bench = Bench::exclusive();
        let target = peaking();
        let url = target.url();
        let flags =
            ["--level-time", "600ms", "--warm-up", "200ms", "--budget", "25s", "--max", "64", "--json", "--exit-zero"];
        let mut all = vec!["scale", &url];
        all.extend(flags);
        let result = bench.nmax(&all).exits(0).json();
        assert_schema(&result, "scale");
        let directory = campaign(&bench);
        assert_sound(&directory);
        let levels = result["levels"].as_array().unwrap();
        let used = levels.iter().filter(|level| level["used"] == true);
        let mut different: Vec<u64> = used.map(|level| number(&level["n"]) as u64).collect();
        different.sort_unstable();
        different.dedup();
        if different.len() < 5 || *different.last().unwrap() < 16 {
            return skip("this machine is too busy for levels that are valid");
        }
        // √((1 − 0.02)/0.0044) = 14.9
        let (alpha, beta) = (number(&result["alpha"]["estimate"]), number(&result["beta"]["estimate"]));
        let peak = ((1.0 - alpha) / beta).sqrt();
        assert!((peak / 14.9 - 1.0).abs() < 0.25, "{peak}: {result:#}");
        assert!(result["stopped"].as_str().unwrap().len() > 10);
        let stored: Value =
            serde_json::from_str(&std::fs::read_to_string(directory.join("scale.json")).unwrap()).unwrap();
        assert!(is_same(&stored, &result), "what is printed is what is stored");
        let page = std::fs::read_to_string(directory.join("report.html")).unwrap();
        assert!(page.contains("</html>"));
        // Read back: the same numbers by each way.
        let shown = bench.nmax(&["show", "--json"]).exits(0).json();
        for key in ["alpha", "beta", "gamma", "peak", "levels", "stopped", "points", "notes", "run"] {
            assert!(is_same(&shown[key], &result[key]), "{key}: {:#}\n{:#}", shown[key], result[key]);
        }
        let directory = directory.display().to_string();
        let fitted = bench.nmax(&["usl", "fit", &directory, "--json", "--exit-zero"]).exits(0).json();
        assert!(is_same(&fitted["alpha"], &result["alpha"]));
        bench.nmax(&["runs"]).exits(0).shows(&["SCALE  "]);
        bench.nmax(&["report", "last", "--format", "text"]).exits(0).shows(&["Levels in the order of their runs"]);
        bench.nmax(&["report", "last", "--format", "junit"]).exits(2).says(&["help:"]);
        let id = result["run"]["id"].as_str().unwrap();
        bench.nmax(&["show", id]).exits(0).shows(&[id]);
    }

    #[test]
    fn the_highest_load_that_holds_an_objective_is_found() {
        let bench = Bench::exclusive();
        let target = spawn(Options { services: vec!["lock:10ms".parse().unwrap()], ..Options::default() }).unwrap();
        let url = target.url();
        // One at a time, 10 ms each: n users wait 10·n ms.
        let more = ["--axis", "vus", "--max", "32", "--budget", "20s", "--find", "p95 < 85ms", "--json", "--exit-zero"];
        let result = bench.nmax(&args(&url, &more)).exits(0).json();
        assert_schema(&result, "scale");
        let found = &result["find"];
        assert!(found["text"].as_str().unwrap().contains("p95 < 85ms"), "{found}");
        if let Some(level) = found["level"].as_f64() {
            assert!((3.0..=12.0).contains(&level), "{found}");
        }
        let never = ["--axis", "vus=1,2", "--replicates", "1", "--find", "p95 < 1ms"];
        let ended = bench.nmax(&args(&url, &never));
        assert!(ended.code == 3 || ended.code == 4, "{}: {}", ended.code, ended.stdout);
    }
}
