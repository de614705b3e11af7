//! The page of `nmax serve` as its user meets it, in a real Chromium: `tests/browser/serve.mjs` does what a user does, and
//! judges what it sees. And the page as it is committed.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::bench::{Bench, skip};
use crate::compare::{copy, original};
use crate::peers::{shop, target};
use crate::record_story::{browser_tests, chromium, lacking};
use crate::served::{ASSUMED, question};
use crate::serving::{Serving, lawful};

/// Most bytes of the page's script as it is sent, compressed.
const SCRIPT_BYTES_MAX: usize = 150_000;

/// What is missing of the browser and of axe-core.
fn missing() -> Option<String> {
    let is_there = browser_tests().join("node_modules/axe-core").is_dir();
    lacking().or_else(|| (!is_there).then(|| "axe-core is missing: run scripts/install-test-deps.sh".to_owned()))
}

/// Takes these steps.
#[track_caller]
fn takes(server: &Serving, site: &str, steps: &str) {
    let mut node = Command::new("node");
    node.current_dir(browser_tests()).arg("serve.mjs").arg(chromium()).args([&server.opening(), site, steps]);
    let ended = node.output().unwrap();
    let (out, err) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success(), "after {out}: {err}");
}

/// Two short runs, a campaign, two plans and two questions of capacity, one of each wrong.
fn prepared(bench: &Bench, site: &str) {
    let place = original(bench);
    for at in 0..2 {
        copy(bench, &place, at, 1.0, |manifest, _| manifest["name"] = "short".into());
    }
    let target = target();
    bench.nmax(&["scale", &target.url(), "--budget", "2s", "--level-time", "500ms", "--warm-up", "100ms"]);
    let is_campaign = |run: &PathBuf| run.join("campaign.json").is_file();
    lawful(&bench.runs().into_iter().find(is_campaign).unwrap());
    fs::remove_file(bench.path("plan.yaml")).unwrap();
    bench.write("capacity.yaml", &question(ASSUMED));
    bench.write("wrong-capacity.yaml", "capacity: 1\nfoo: 3\n");
    bench.write("wrong.yaml", "nmax: 1\ntarget: x\nfoo: 3\n");
    let steps = "[{ get: /, name: home, tags: [front] }, { get: /search, name: search, query: { q: oak } }]";
    let text = format!(
        "nmax: 1\nname: shop\ntarget: {site}\nscenarios: {{ buy: {{ steps: {steps} }} }}\nworkload:\n  open:\n    rate: 20/s\n\
         duration: 300s\nwindow: 500ms\nthresholds: [failure_rate < 5%]\n"
    );
    bench.write("shop.yaml", &text);
}

#[test]
fn the_page_does_what_its_user_wants() {
    if let Some(missing) = missing() {
        return skip(&missing);
    }
    let (bench, shop) = (Bench::new(), shop());
    prepared(&bench, &shop.url());
    let server = Serving::start(&bench, &[]);
    takes(
        &server,
        &shop.url(),
        "enter,list,record,edit,start,watch,steer,stop,note,read,facets,compare,scale,capacity,keys,looks",
    );
}

#[cfg(feature = "nats")]
#[test]
fn a_fleet_is_shown_as_it_is() {
    use crate::bench::until;
    use crate::fleet::Fleet;
    use crate::peers::arrived;

    if let Some(missing) = missing() {
        return skip(&missing);
    }
    let Some(mut fleet) = Fleet::start(0) else { return };
    for region in ["eu", "us"] {
        fleet.join(&format!("spool-{region}"), &["--allow-target", "127.0.0.0/8", "--region", region]);
    }
    for injector in &fleet.injectors {
        until("an injector waits", || injector.stderr_so_far().contains("it waits for runs"));
    }
    let (target, url) = (target(), fleet.nats.line.url());
    fleet.plan(&target.url(), 20, "1h");
    let before = arrived(&target);
    let order = Fleet::with(&url, &["fleet", "run", "plan.yaml", "--region", "eu=1,us=1", "--quiet"]);
    let manager = fleet.bench.spawn(&order);
    until("load", || arrived(&target) > before + 20);
    let server = Serving::start(&fleet.bench, &["--nats", &url, "--runs-dir", "served"]);
    server.running();
    takes(&server, &target.url(), "enter,fleet");
    manager.wait();
    fleet.end();
}

/// So small that a slow line carries it at once.
#[test]
fn the_script_of_the_page_is_small() {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist/app.js");
    let packed = Command::new("gzip").args(["-9", "-c"]).arg(script).output().unwrap();
    assert!((1_000..SCRIPT_BYTES_MAX).contains(&packed.stdout.len()), "{} bytes", packed.stdout.len());
}

/// The types are those of the API, and the files are those that npm makes of the sources.
#[test]
fn the_committed_page_is_what_its_sources_make() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    if !root.join("ui/node_modules/vite").is_dir() {
        return skip("ui/node_modules is missing: run scripts/install-test-deps.sh");
    }
    let ended = Command::new("bash").arg(root.join("scripts/ui.sh")).arg("--check").env("NMAX_INSTALL", "0").output();
    let ended = ended.unwrap();
    let said = [ended.stdout, ended.stderr].concat();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&said));
}
