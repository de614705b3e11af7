//! The whole way: a real Chromium, driven by Playwright, signs up, logs in and orders in the shop through the recorder,
//! and the plan that comes of it runs, as it is, with fifty other users.

use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::bench::{Bench, count, skip};
use crate::peers::{shop, truth};
use crate::record::{Recording, entries};

/// Users of the plan.
const USERS: u64 = 50;

/// What is missing for a script that clicks in a browser; nothing when it can.
pub(crate) fn lacking() -> Option<String> {
    let missing = if !browser_tests().join("node_modules/playwright-core").is_dir() {
        "tests/browser/node_modules"
    } else if program("chromium").is_none() {
        "chromium"
    } else if program("node").is_none() {
        "node"
    } else {
        return None;
    };
    Some(format!("{missing} is missing: run scripts/install-test-deps.sh"))
}

/// `tests/browser` of the repository.
pub(crate) fn browser_tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/browser")
}

/// The browser.
pub(crate) fn chromium() -> PathBuf {
    program("chromium").expect("somebody has looked whether it is lacking")
}

fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap();
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// Lets the browser do its visit; tells the recorder the name of each thing that it does.
fn visit(recording: &mut Recording<'_>, site: &str) -> String {
    let mut node = Command::new("node")
        .current_dir(browser_tests())
        .args(["shop.mjs", &recording.proxy, site])
        .arg(chromium())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typing = node.stdin.take().unwrap();
    let mut last = String::new();
    for line in BufReader::new(node.stdout.take().unwrap()).lines() {
        last = line.unwrap();
        if let Some(name) = last.strip_prefix("next ") {
            recording.types(name);
            recording.until_shown(&format!("--- {name} ---"));
            typing.write_all(b"go\n").unwrap();
        }
    }
    assert!(node.wait().unwrap().success(), "the browser got as far as: {last}");
    last
}

#[test]
fn a_visit_in_a_browser_becomes_a_plan_that_many_users_run() {
    if let Some(missing) = lacking() {
        return skip(&missing);
    }
    let bench = Bench::new();
    let shop = shop();
    let mut recording = Recording::start(&bench, &[&shop.url(), "--no-browser", "-o", "buy", "--json"]);
    let end = visit(&mut recording, &shop.url());
    assert!(end.contains("/order/"), "{end}");
    let told = recording.end().exits(0).json();
    assert_eq!(count(&told["scenarios"]), 1, "{told:#}");
    assert!(count(&told["redactions"]) > 0, "{told:#}");
    let kept = entries(&bench, "buy.har");
    assert!(kept.iter().all(|entry| entry["response"]["status"] != 0), "{kept:#?}");
    // What was typed is in no file that may be shared.
    for name in ["buy.har", "buy.yaml", "buy.evidence.json"] {
        let text = std::fs::read_to_string(bench.path(name)).unwrap();
        assert!(!text.contains("Correct-Horse-42"), "{name}");
    }
    let before = truth(&shop);
    let users = USERS.to_string();
    let iterations = format!("workload.iterations={users}");
    let run = ["run", "buy.yaml", "--json", "--set", "workload.open.rate=10/s", "--set", &iterations, "--exit-zero"];
    let summary = bench.nmax(&run).exits(0).json();
    assert_eq!((count(&summary["total"]["failed"]), count(&summary["total"]["errors"])), (0, 0), "{summary:#}");
    for (name, check) in summary["checks"].as_object().unwrap() {
        assert_eq!(count(&check["failed"]), 0, "{name}: {summary:#}");
        assert!(count(&check["passed"]) > 0, "{name}");
    }
    for scenario in summary["scenarios"].as_object().unwrap().values() {
        assert_eq!((count(&scenario["iterations"]), count(&scenario["failed"])), (USERS, 0), "{summary:#}");
    }
    // Of the whole run, not of its hold only. A second sign-up with the same e-mail address would be among them.
    let failures = std::fs::read_to_string(bench.run().join("failures.jsonl")).unwrap();
    assert_eq!(failures, "");
    // Each user asked for all that the browser had asked for.
    let sent = count(&truth(&shop)["requests"]) - count(&before["requests"]);
    assert_eq!(sent, USERS * kept.len() as u64);
    proves_what_is_needed(&bench);
}

/// Replays with old values tell what must be fresh: the token and the order, and nothing that is not needed.
fn proves_what_is_needed(bench: &Bench) {
    let answer = bench.nmax(&["check", "buy.yaml", "--prove", "--json"]).exits(0).json();
    let scenario = &answer["scenarios"][0];
    let values = scenario["correlations"].as_array().unwrap();
    let of_state = |state: &str| {
        let of_it = values.iter().filter(|value| value["state"] == state);
        of_it.map(|value| value["name"].as_str().unwrap()).collect::<Vec<_>>()
    };
    let proved = of_state("proved");
    assert!(proved.iter().any(|name| name.starts_with("csrf")), "{answer:#}");
    assert!(proved.contains(&"order"), "{answer:#}");
    let is_needed = |name: &&str| name.starts_with("csrf") || *name == "order";
    assert!(proved.iter().all(is_needed), "{answer:#}");
    let item = values.iter().find(|value| value["name"].as_str().unwrap().starts_with("item"));
    let item = item.unwrap_or_else(|| panic!("no item: {answer:#}"));
    assert_eq!(item["state"], "harmless", "{answer:#}");
    assert!(!item["evidence"].as_str().unwrap().is_empty(), "{answer:#}");
    assert_eq!(of_state("harmless").len() + proved.len(), values.len(), "{answer:#}");
    assert_eq!(scenario["jar"][0]["name"], "sid", "{answer:#}");
}
