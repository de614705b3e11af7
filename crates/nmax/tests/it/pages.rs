//! Pages of reports as they are read: in a real Chromium, on wide and narrow screens, in light and dark, on paper, with
//! and without their script. `tests/browser/look.mjs` looks; what it saw is judged here.

use std::path::{Path, PathBuf};
use std::process::Command;

use nmax_target::{Options, spawn};
use serde_json::Value;

use crate::bench::{Bench, count, number, skip};
use crate::peers::target;
use crate::record_story::{browser_tests, chromium, lacking};

/// Most pixels of the report of one scenario of eight requests, 1280 pixels wide.
const HEIGHT_MAX: u64 = 6_000;

/// One scenario of eight requests.
const EIGHT: &str = r#"
nmax: 1
name: shop checkout
target: http://127.0.0.1:1
scenarios:
  buy:
    steps:
      - { get: /, name: home }
      - get: /app.css
      - get: /app.js
      - get: /logo.png
      - { get: /search, name: search, query: { q: oak }, extract: { item: { css: "a.item@href", pick: random } } }
      - { get: "${item}", name: "item <b>of</b> `wood`" }
      - { get: /signup, name: sign-up page }
      - { get: /account, expect: { status: [200, 302] } }
workload: { open: { rate: 10/s } }
stages: [{ ramp: 1s, to: 100% }, { hold: 5s }]
thresholds: [failure_rate < 1%]
"#;

/// What the browser saw of each page.
fn looked_at(pages: &[PathBuf]) -> Vec<Value> {
    let node = Command::new("node").current_dir(browser_tests()).arg("look.mjs").arg(chromium()).args(pages).output();
    let node = node.unwrap();
    assert!(node.status.success(), "{}", String::from_utf8_lossy(&node.stderr));
    serde_json::from_slice(&node.stdout).unwrap()
}

/// Law of every page: whatever the screen, nothing is too wide, cut, covered, pale, blank or raw; it loads nothing, complains of
/// nothing, and lets nothing in; its links lead somewhere; all of it can be read without its script.
#[track_caller]
fn assert_readable(seen: &Value) {
    let page = &seen["page"];
    let screens = seen["screens"].as_array().unwrap().iter().flat_map(|one| [&one["closed"], &one["opened"]]);
    for view in screens.chain([&seen["paper"]]) {
        for wrong in ["beyond", "cut", "covered", "alike", "faint", "blank", "raw"] {
            assert_eq!(view[wrong], Value::Array(Vec::new()), "{wrong} in {page}, {} pixels wide", view["innerWidth"]);
        }
        assert_eq!(view["scrollWidth"], view["innerWidth"], "{page}");
    }
    assert_eq!((count(&seen["paper"]["open"]), count(&seen["paper"]["folds"])), (0, 0), "{page} on paper");
    for empty in ["/said", "/asked", "/links/wrong", "/plain/closed/sections", "/plain/opened/sections"] {
        assert_eq!(seen.pointer(empty), Some(&Value::Array(Vec::new())), "{empty} of {page}");
    }
    assert_eq!(seen["policy"].as_array().unwrap().len(), 3, "{page}: {}", seen["policy"]);
    let opened = &seen["plain"]["opened"];
    assert_eq!((count(&opened["folds"]), count(&opened["tables"])), (0, 0), "{page} without its script: {opened}");
    assert_eq!(count(&opened["doors"]), 0, "{page} offers without its script what it cannot do");
}

/// The row in which a place of the time axis lies.
fn row(picture: &Value, share: f64) -> usize {
    (share * number(&picture["end"]) / number(&picture["row"])) as usize
}

/// Law: a cross line stands in each picture over time, at a share of what is shown of its axis, with the values that the
/// table below it has for that row; of other pictures than the first, the first four.
#[track_caller]
fn assert_values(pictures: &Value, at: f64, row: usize) {
    let pictures = pictures.as_array().unwrap();
    assert!(pictures.len() > 5, "{pictures:#?}");
    for picture in pictures {
        let id = &picture["id"];
        let (cross, axis) = (number(&picture["cross"]), &picture["axis"]);
        let place = number(&picture["left"]) + at * number(&axis["width"]);
        assert!((cross - place).abs() < 2.0, "{id}: {cross} is not {place}");
        assert_eq!(picture["inside"], true, "{id}");
        let told = picture["tip"].as_array().unwrap().chunks(2);
        let told: Vec<(&Value, &Value)> = told.map(|pair| (&pair[0], &pair[1])).collect();
        let heads = picture["heads"].as_array().unwrap().iter();
        let Some(cells) = picture["rows"][row].as_array() else { panic!("{id} has no row {row}") };
        let all: Vec<(&Value, &Value)> = heads.zip(cells).skip(1).collect();
        assert!(!told.is_empty() && all.starts_with(&told), "{id}: {told:?} is not of {all:?}");
        assert!(told.len() == all.len() || told.len() >= 4, "{id}: {told:?}");
    }
}

fn each<'a>(pictures: &'a Value, of: &'a str) -> impl Iterator<Item = &'a Value> {
    pictures.as_array().unwrap().iter().map(move |picture| &picture[of])
}

/// Laws of what the script of a run's report adds.
fn assert_lively(acts: &Value) {
    let (hover, zoomed, back) = (&acts["hover"], &acts["zoomed"], &acts["back"]);
    assert_values(hover, 0.55, row(&hover[0], 0.55));
    let ticks = |pictures: &Value| each(pictures, "ticks").cloned().collect::<Vec<_>>();
    // A drag zooms all of them, to the part of the axis over which it went.
    assert!(each(zoomed, "back").all(|buttons| count(buttons) == 1), "{zoomed:#}");
    assert!(ticks(hover).iter().zip(ticks(zoomed)).all(|(whole, part)| *whole != part), "{zoomed:#}");
    assert_values(&acts["zoomedHover"], 0.5, row(&hover[0], 0.5));
    assert_eq!(ticks(back), ticks(hover), "not back");
    // A line goes and comes, by pointer and by key.
    let lines = |act: &str| count(&acts[act][0]["shown"]);
    let all = lines("back");
    assert_eq!([lines("off"), lines("on"), lines("offByKey")], [all - 1, all, all - 1]);
    // Two keys to the right: the second row. The next one halves the axis, the last one is back.
    let arrows = &acts["arrows"];
    assert_values(arrows, 1.5 * number(&arrows[0]["row"]) / number(&arrows[0]["end"]), 1);
    assert!(each(&acts["zoomedByKey"], "back").all(|buttons| count(buttons) == 1));
    assert_eq!(ticks(&acts["escaped"]), ticks(hover), "not back by key");
}

#[test]
fn a_report_is_short_readable_and_lively() {
    if let Some(missing) = lacking() {
        return skip(&missing);
    }
    let bench = Bench::new();
    bench.write("eight.yaml", EIGHT);
    let shop = spawn(Options { shop: true, errors: "10%:503".parse().unwrap(), ..Options::default() }).unwrap();
    bench.nmax(&["run", "eight.yaml", "--target", &shop.url(), "--exit-zero"]).exits(0);
    let seen = looked_at(&[bench.run().join("report.html")]).remove(0);
    assert_readable(&seen);
    for screen in &seen["screens"].as_array().unwrap()[..2] {
        assert!(count(&screen["closed"]["height"]) <= HEIGHT_MAX, "{} pixels", screen["closed"]["height"]);
    }
    assert!(count(&seen["links"]["all"]) >= 8, "{}", seen["links"]);
    assert_lively(&seen["acts"]);
}

#[test]
fn pages_about_several_runs_are_readable() {
    if let Some(missing) = lacking() {
        return skip(&missing);
    }
    let bench = Bench::new();
    let target = target();
    let url = target.url();
    bench.nmax(&["scale", &url, "--budget", "4s", "--level-time", "500ms", "--warm-up", "100ms"]);
    let scale = bench.run().join("report.html");
    for seed in ["1", "2", "3"] {
        bench.nmax(&["run", &url, "-r", "50/s", "-d", "1s", "--seed", seed, "--name", "plain", "--exit-zero"]).exits(0);
    }
    bench.nmax(&["compare", "--before", "name:plain", "--after", "name:plain", "--force", "-o", "compare.html"]);
    bench.nmax(&["trend", "plain", "--metric", "throughput", "-o", "trend.html"]).exits(0);
    let ids: Vec<_> = bench.runs().into_iter().filter(|run| !run.join("campaign.json").is_file()).collect();
    bench.nmax(&[vec!["report".into(), "--exit-zero".into(), "-o".into(), bench.path("series.html")], ids].concat());
    let pages = [scale].into_iter().chain(["compare.html", "trend.html", "series.html"].map(|name| bench.path(name)));
    let pages: Vec<PathBuf> = pages.collect();
    assert!(pages.iter().all(|page| Path::is_file(page)), "{pages:?}");
    looked_at(&pages).iter().for_each(assert_readable);
}
