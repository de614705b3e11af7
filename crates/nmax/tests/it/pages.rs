//! Pages of reports as they are read: in a real Chromium, on wide and narrow screens, in light and dark, on paper, with
//! and without their script. `tests/browser/look.mjs` looks; what it saw is judged here.

use std::path::{Path, PathBuf};
use std::process::Command;

use nmax_target::{Options, spawn};
use serde_json::Value;

use crate::bench::{Bench, count, number, skip};
use crate::compare::{copy, original};
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
      - { get: "${item}", name: "item <b>of</b> wood" }
      - { get: /signup, name: sign-up page }
      - { get: /account, expect: { status: [200, 302] } }
workload: { open: { rate: 30/s } }
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

/// Law: a cross line stands in each picture over time, at a share of what is shown of its axis, with the values that the
/// table below it has for that share of the run; of other pictures than the first, the first four.
#[track_caller]
fn assert_values(pictures: &Value, at: f64, of_run: f64) {
    let pictures = pictures.as_array().unwrap();
    assert!(pictures.len() > 5, "{pictures:#?}");
    for picture in pictures {
        let id = &picture["id"];
        // A pixel is a few hundredths of a row: beside an edge it may be in either.
        let row = of_run * number(&picture["end"]) / number(&picture["row"]);
        let rows = [row - 0.05, row + 0.05].map(|row| row as usize);
        let (cross, axis) = (number(&picture["cross"]), &picture["axis"]);
        let place = number(&picture["left"]) + at * number(&axis["width"]);
        assert!((cross - place).abs() < 2.0, "{id}: {cross} is not {place}");
        assert_eq!(picture["inside"], true, "{id}");
        let told = picture["tip"].as_array().unwrap().chunks(2);
        let told: Vec<(&Value, &Value)> = told.map(|pair| (&pair[0], &pair[1])).collect();
        let heads = picture["heads"].as_array().unwrap().iter();
        assert!(told.len() + 1 == heads.len() || told.len() >= 4, "{id}: {told:?}");
        let is_of = |row: usize| {
            let cells = picture["rows"][row].as_array().unwrap_or_else(|| panic!("{id} has no row {row}"));
            heads.clone().zip(cells).skip(1).collect::<Vec<_>>().starts_with(&told)
        };
        assert!(!told.is_empty() && rows.into_iter().any(is_of), "{id}: {told:?} is not of row {row}");
    }
}

fn each<'a>(pictures: &'a Value, of: &'a str) -> impl Iterator<Item = &'a Value> {
    pictures.as_array().unwrap().iter().map(move |picture| &picture[of])
}

/// Laws of what the script of a run's report adds.
fn assert_lively(acts: &Value) {
    let (hover, zoomed, back) = (&acts["hover"], &acts["zoomed"], &acts["back"]);
    assert_values(hover, 0.55, 0.55);
    let ticks = |pictures: &Value| each(pictures, "ticks").cloned().collect::<Vec<_>>();
    // A drag zooms all of them, to the part of the axis over which it went.
    assert!(each(zoomed, "back").all(|buttons| count(buttons) == 1), "{zoomed:#}");
    assert!(ticks(hover).iter().zip(ticks(zoomed)).all(|(whole, part)| *whole != part), "{zoomed:#}");
    assert_values(&acts["zoomedHover"], 0.5, 0.5);
    assert_eq!(ticks(back), ticks(hover), "not back");
    // A line goes and comes, by pointer and by key.
    let lines = |act: &str| count(&acts[act][0]["shown"]);
    let all = lines("back");
    assert_eq!([lines("off"), lines("on"), lines("offByKey")], [all - 1, all, all - 1]);
    // Two keys to the right: the second row. The next one halves the axis, the last one is back.
    let arrows = &acts["arrows"];
    let second = 1.5 * number(&arrows[0]["row"]) / number(&arrows[0]["end"]);
    assert_values(arrows, second, second);
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
    let place = original(&bench);
    let ids: Vec<String> =
        (0..8).map(|number| copy(&bench, &place, number, if number < 4 { 1.0 } else { 1.5 }, |_, _| {})).collect();
    let before: Vec<PathBuf> = bench.runs();
    let target = target();
    bench.nmax(&["scale", &target.url(), "--budget", "4s", "--level-time", "500ms", "--warm-up", "100ms"]);
    let scale = bench.runs().into_iter().find(|run| !before.contains(run)).unwrap().join("report.html");
    bench.nmax(&["compare", &ids[0], &ids[4], "--force", "--exit-zero", "-o", "compare.html"]).exits(0);
    bench.nmax(&["trend", "shop", "-o", "trend.html"]).exits(0);
    bench.nmax(&["report", &ids[0], &ids[4], "--exit-zero", "-o", "series.html"]).exits(0);
    let pages = ["compare.html", "trend.html", "series.html"].map(|name| bench.path(name));
    let pages: Vec<PathBuf> = [scale].into_iter().chain(pages).collect();
    assert!(pages.iter().all(|page| Path::is_file(page)), "{pages:?}");
    looked_at(&pages).iter().for_each(assert_readable);
}
