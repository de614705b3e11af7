//! Levels of a campaign on a fleet: injectors as an axis, alone and against the threads of one.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::*;

/// A campaign of levels as short as they may be, without a request of its own.
const SHORT: [&str; 10] =
    ["scale", "plan.yaml", "--level-time", "500ms", "--warm-up", "100ms", "--replicates", "1", "--no-smoke", "--json"];

/// A plan of so many users for each injector, whose replies take 5 ms.
fn plan(fleet: &Fleet, url: &str, vus: u32) {
    let text = format!(
        "nmax: 1\ntarget: {url}\nscenarios: {{ a: {{ steps: [{{ get: /delay/5ms }}] }} }}\n\
         workload: {{ closed: {{ vus: {vus} }} }}\nduration: 1s\n"
    );
    fleet.bench.write("plan.yaml", &text);
}

/// Directories below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect()
}

/// The directory of the only campaign; injectors keep their parts beside it.
fn campaign(fleet: &Fleet) -> PathBuf {
    let all = below(&fleet.bench.path("runs"));
    all.into_iter().find(|path| path.join("campaign.json").is_file()).expect("a campaign")
}

fn json(file: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap()
}

/// Law: each level that is used was run by as many injectors as it says, with as many threads; all levels together are what
/// the target saw.
fn assert_sound(fleet: &Fleet, result: &Value, requests: u64) {
    let directory = campaign(fleet);
    let levels = result["levels"].as_array().unwrap();
    for level in levels.iter().filter(|level| level["used"] == true) {
        let n = level["level"].as_f64().unwrap() as u64;
        let run = directory.join(level["run"].as_str().unwrap());
        let is_tall = level["setting"] == "workers";
        let injectors = if is_tall { 1 } else { n };
        // One alone is not told apart from the whole.
        let told = json(&run.join("summary.json"))["injectors"].as_array().map_or(0, Vec::len) as u64;
        assert!(told == injectors || (told, injectors) == (0, 1), "{level}");
        let id = json(&run.join("manifest.json"))["id"].as_str().unwrap().to_owned();
        let tag = Value::from(format!("fleet:{id}"));
        let parts = below(&fleet.bench.path("runs")).into_iter().map(|path| path.join("manifest.json"));
        let parts = parts.filter(|file| file.is_file()).map(|file| json(&file));
        let threads: Vec<u64> = parts
            .filter(|part| part["tags"].as_array().unwrap().contains(&tag))
            .map(|part| count(&part["workers"]))
            .collect();
        assert_eq!(threads, vec![if is_tall { n } else { 1 }; injectors as usize], "{level}");
    }
    let runs = below(&directory.join("levels"));
    let windows = runs.iter().flat_map(|run| lines(&run.join("windows.jsonl")));
    assert_eq!(windows.map(|window| crate::bench::exchanges(&window)).sum::<u64>(), requests, "{levels:#?}");
}

/// The load grows with the injectors; more of them than are free is said before the first level.
#[test]
fn injectors_are_an_axis() {
    let Some(fleet) = Fleet::start(2) else { return };
    let target = target();
    plan(&fleet, &target.url(), 2);
    let url = fleet.nats.line.url();
    let before = arrived(&target);
    let scale = |axis: &str, more: &[&str]| {
        let args = [&SHORT[..], &["--axis", axis], more].concat();
        fleet.bench.nmax(&Fleet::with(&url, &args))
    };
    scale("injectors=1,2,3", &[]).exits(5).says(&["3 injectors are asked for, and 2 are free"]);
    scale("injectors=1", &["--workers", "2"])
        .exits(5)
        .says(&["1 injector with 2 threads is asked for, and 0 are free"]);
    scale("injectors=1", &["--fleet-key", "none.key"]).exits(2).says(&["none.key"]);
    let nowhere = [&SHORT[..], &["--axis", "injectors=1", "--nats", "nats://127.0.0.1:1"]].concat();
    fleet.bench.nmax(&nowhere).exits(5);
    assert_eq!(arrived(&target), before, "nothing was sent");
    // Nobody says how many: as many as are free.
    let ended = scale("injectors", &["--exit-zero"]).exits(0).says(&["at most 2 injectors are tried"]);
    let result = ended.json();
    crate::schema::assert_schema(&result, "scale");
    assert_eq!((&result["dimension"], &result["n_label"]), (&"injectors".into(), &"injectors".into()), "{result:#}");
    let tried = |n: f64| result["levels"].as_array().unwrap().iter().any(|level| level["level"] == n);
    assert!(tried(1.0) && tried(2.0) && !tried(4.0), "{:#}", result["levels"]);
    assert_sound(&fleet, &result, arrived(&target) - before);
    fleet.end();
}

/// N injectors of one thread against one injector of N threads, in turns; a level of two threads is left to the injector
/// that has two.
#[test]
fn injectors_are_compared_with_threads() {
    let Some(mut fleet) = Fleet::start(1) else { return };
    let target = target();
    plan(&fleet, &target.url(), 2);
    let url = fleet.nats.line.url();
    let two = ["fleet", "join", &url, "--capacity", "1000", "--workers", "2", "--spool", "two"];
    let job = fleet.bench.spawn(&[&two[..], &["--allow-target", "127.0.0.0/8"]].concat());
    until("an injector waits", || job.stderr_so_far().contains("it waits for runs"));
    fleet.injectors.push(job);
    let before = arrived(&target);
    let axes = ["--axis", "injectors=1,2", "--axis", "workers=1,2", "--exit-zero", "--svg", "both.svg"];
    let args = [&SHORT[..], &axes].concat();
    let result = fleet.bench.nmax(&Fleet::with(&url, &args)).exits(0).json();
    crate::schema::assert_schema(&result, "scale");
    assert_sound(&fleet, &result, arrived(&target) - before);
    let names: Vec<&Value> = result["versions"].as_array().unwrap().iter().map(|version| &version["name"]).collect();
    assert_eq!(names, ["injectors", "workers"], "{:#}", result["versions"]);
    assert_eq!(result["run"]["axes"], serde_json::json!(["injectors", "workers"]));
    assert!(result["sides"]["text"].as_str().unwrap().contains("ertical"), "{:#}", result["sides"]);
    let mut sides: Vec<&Value> = result["levels"].as_array().unwrap().iter().map(|level| &level["setting"]).collect();
    // A level that is run again for longer has no turn between.
    sides.dedup();
    assert_eq!(sides[..3], ["injectors", "workers", "injectors"], "in turns");
    assert!(std::fs::read_to_string(fleet.bench.path("both.svg")).unwrap().contains("workers"));
    // Read back, it says the same.
    let directory = campaign(&fleet);
    let shown = fleet.bench.nmax(&["show", directory.to_str().unwrap(), "--json"]).exits(0).json();
    assert_eq!((&shown["sides"], &shown["levels"]), (&result["sides"], &result["levels"]));
    fleet.end();
}
