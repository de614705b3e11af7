//! A fleet as `nmax serve` shows it, over a real NATS server: servers that die, share a folder, and end runs.

use std::fs;
use std::path::Path;

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::bench::{count, exchanges, lines, number, runs_in, until};
use crate::fleet::Fleet;
use crate::peers::{arrived, target};
use crate::serving::Serving;

/// A server of this fleet that writes into a folder.
fn serve(fleet: &Fleet, folder: &str) -> Serving {
    let url = fleet.nats.line.url();
    Serving::start(&fleet.bench, &["--nats", &url, "--runs-dir", folder])
}

/// What it says of itself, where it has ended.
fn summary(directory: &Path) -> Option<Value> {
    serde_json::from_slice(&fs::read(directory.join("summary.json")).ok()?).ok()
}

fn state(server: &Serving, run: &str) -> Value {
    let fleet = server.get("/api/fleet");
    let runs = fleet["runs"].as_array().unwrap();
    runs.iter().find(|one| one["run"] == run).map_or(Value::Null, |one| one["state"].clone())
}

/// Whether its list has the run with this state.
fn lists(server: &Serving, run: &str, state: &str) -> bool {
    let list = server.get("/api/runs");
    list["runs"].as_array().unwrap().iter().any(|row| row["id"] == run && row["state"] == state)
}

/// Three servers of two folders: one is killed and comes back, one is killed and another takes over. Neither the injectors nor
/// the one who ordered the run notice, and all of them count what the target saw.
#[test]
fn servers_may_die_and_return() {
    let Some(fleet) = Fleet::start(2) else { return };
    let target = target();
    fleet.plan(&target.url(), 40, "1h");
    let (first, second) = (serve(&fleet, "first"), serve(&fleet, "shared"));
    let injectors = |server: &Serving| server.get("/api/fleet")["injectors"].as_array().unwrap().clone();
    let is_known = |one: &Value| one["clock_error_ms"].as_f64().is_some_and(|error| error > 0.0);
    until("two injectors with clocks", || injectors(&first).iter().filter(|one| is_known(one)).count() == 2);
    for one in injectors(&first) {
        assert_eq!([&one["health"], &one["state"], &one["run"]], [&json!("free"), &json!("free"), &Value::Null]);
        assert_eq!((count(&one["capacity_per_s"]), number(&one["silent_s"]) < 60.0), (1_000, true), "{one}");
    }
    let before = arrived(&target);
    let url = fleet.nats.line.url();
    let order = ["fleet", "run", "plan.yaml", "--injectors", "2", "--json", "--exit-zero"];
    let manager = fleet.bench.spawn(&Fleet::with(&url, &order));
    until("load", || arrived(&target) > before + 40);
    let run = first.running();
    until("both follow", || lists(&second, &run, "running"));
    // This one comes second, and leaves the run to the one before.
    let third = serve(&fleet, "shared");
    until("it is seen", || lists(&third, &run, "running"));
    for server in [&first, &third] {
        until("it is one of the fleet", || server.get(&format!("/api/runs/{run}"))["is_of_fleet"] == true);
        let loads = |one: &Value| one["health"] == "loads" && one["run"] == run.as_str();
        until("both load", || injectors(server).iter().filter(|one| loads(one)).count() == 2);
    }
    for server in [first, second] {
        server.job.signal(Signal::KILL);
        server.job.wait();
    }
    let first = serve(&fleet, "first");
    until("both go on", || [&first, &third].iter().all(|server| lists(server, &run, "running")));
    let at_return = arrived(&target);
    until("more load", || arrived(&target) > at_return + 40);
    let visitor = third.visitor();
    third.change(&visitor, &format!("POST /api/runs/{run}/steer"), &json!({"revision": 0, "action": "stop"})).is(200);
    let ordered = manager.wait().exits(0).json();
    let total = |folder: &str| {
        runs_in(&fleet.bench.path(folder)).iter().find_map(|run| summary(run)).map(|of| of["total"].clone())
    };
    until("both folders have the result", || total("first").is_some() && total("shared").is_some());
    assert_eq!(count(&ordered["total"]["count"]), arrived(&target) - before, "{ordered:#}");
    assert_eq!([total("first"), total("shared")], [Some(ordered["total"].clone()), Some(ordered["total"].clone())]);
    assert!(ordered["injectors"].as_array().unwrap().iter().all(|one| number(&one["lost_s"]) == 0.0), "{ordered:#}");
    let ended = |server: &Serving| !lists(server, &run, "running") && state(server, &run) == "ended";
    until("both lists have the end", || ended(&first) && ended(&third));
    assert_eq!(third.get("/api/fleet")["here"], json!([run]));
    for folder in ["first", "shared"] {
        assert_eq!(runs_in(&fleet.bench.path(folder)).len(), 1, "{folder}");
    }
    third.job.signal(Signal::INT);
    third.job.wait().exits(0);
    fleet.end();
}

/// A run is ended from its page, and one that begins later from the page of the fleet; an injector that dies is shown as silent.
#[test]
fn runs_are_ended_from_the_page() {
    let Some(mut fleet) = Fleet::start(2) else { return };
    let target = target();
    fleet.plan(&target.url(), 20, "1h");
    let (url, server) = (fleet.nats.line.url(), serve(&fleet, "served"));
    let visitor = server.visitor();
    let order = Fleet::with(&url, &["fleet", "run", "plan.yaml", "--injectors", "2", "--quiet"]);
    for how in ["steer", "end"] {
        let before = arrived(&target);
        let manager = fleet.bench.spawn(&order);
        until("load", || arrived(&target) > before + 20);
        manager.signal(Signal::KILL);
        manager.wait();
        let run = server.running();
        let wish = |action: &str| json!({"revision": 0, "action": action, "level": 5});
        let (steer, end) = (format!("POST /api/runs/{run}/steer"), format!("POST /api/fleet/runs/{run}/end"));
        server.ask(&end, &[], r#"{"how":"stop"}"#).is(401);
        server.change(&visitor, &steer, &wish("load")).is(400);
        let told = match how {
            "steer" => server.change(&visitor, &steer, &wish("stop")),
            _ => server.change(&visitor, &end, &json!({"how": "stop"})),
        };
        assert_eq!(told.is(200).json()["text"], "all injectors are asked to end");
        until("the end", || state(&server, &run) == "ended" && !lists(&server, &run, "running"));
        let directory = runs_in(&fleet.bench.path("served"))
            .into_iter()
            .find(|path| path.to_str().unwrap().ends_with(&run))
            .unwrap();
        let summary = summary(&directory).unwrap();
        assert!(summary["reasons"].to_string().contains("INTERRUPTED"), "{summary:#}");
        let sent: u64 = lines(&directory.join("windows.jsonl")).iter().map(exchanges).sum();
        assert_eq!(sent, arrived(&target) - before);
        server.change(&visitor, &end, &json!({"how": "stop"})).is(404);
    }
    let lost = fleet.injectors.pop().unwrap();
    lost.signal(Signal::KILL);
    lost.wait();
    let silent =
        || server.get("/api/fleet")["injectors"].as_array().unwrap().iter().any(|one| one["health"] == "silent");
    until("an injector is silent", silent);
    fleet.end();
}
