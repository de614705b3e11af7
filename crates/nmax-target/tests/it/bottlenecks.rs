//! Bottlenecks are real: what they take can be seen from outside.

use std::collections::BTreeMap;
use std::time::Duration;

use nmax_target::{Bottleneck, Options, Running, spawn};
use rustix::time::{ClockId, clock_gettime};

use crate::client::Client;

const MS: u64 = 1_000_000;

fn with(bottlenecks: &[&str]) -> Running {
    spawn(options(bottlenecks)).unwrap()
}

fn options(bottlenecks: &[&str]) -> Options {
    Options {
        bottlenecks: bottlenecks.iter().map(|text| text.parse::<Bottleneck>().unwrap()).collect(),
        ..Options::default()
    }
}

/// Sends `count` requests at once and gives the clients whose replies are under way.
fn at_once(target: &Running, path: &str, count: usize) -> Vec<Client> {
    let mut clients: Vec<_> = (0..count).map(|_| Client::connect(target.address())).collect();
    clients[0].post("/_control/reset", "");
    for client in &mut clients {
        client.write("GET", path, "", "").unwrap();
    }
    clients
}

/// Replies of all, and the seconds until the last.
fn finish(clients: &mut [Client]) -> (Vec<u16>, f64) {
    let statuses = clients.iter_mut().map(|client| client.read("GET").unwrap().status).collect();
    (statuses, clients[0].truth()["since_reset_s"].as_f64().unwrap())
}

fn figures(target: &Running) -> BTreeMap<String, f64> {
    let reply = Client::connect(target.address()).get("/metrics");
    assert_eq!(reply.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    let lines = reply.text().lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let (name, value) = line.rsplit_once(' ').unwrap();
            (name.to_owned(), value.parse().unwrap())
        })
        .collect()
}

/// Waits until all these figures have these values in one reply; others move while requests are under way.
#[track_caller]
#[expect(clippy::disallowed_methods, reason = "a test watches a real process")]
fn until(target: &Running, wanted: &[(&str, f64)]) {
    let found = (0..30_000).any(|_| {
        let now = figures(target);
        std::thread::sleep(Duration::from_millis(1));
        wanted.iter().all(|(name, value)| now[*name] == *value)
    });
    assert!(found, "{wanted:?}: {:?}", figures(target));
}

#[test]
fn a_burnt_processor_is_processor_time() {
    let cpu_ns = || {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        time.tv_sec as u64 * 1_000 * MS + time.tv_nsec as u64
    };
    let target = with(&["cpu:work=20ms,threads=4"]);
    let before_ns = cpu_ns();
    let (statuses, _) = finish(&mut at_once(&target, "/", 4));
    assert_eq!(statuses, [200; 4]);
    assert!(cpu_ns() - before_ns >= 80 * MS);
}

#[test]
fn a_lock_is_held_by_one_at_a_time() {
    let target = with(&["lock:held=400ms,name=stock"]);
    let mut clients = at_once(&target, "/", 5);
    until(&target, &[("nmax_target_lock_holding{lock=\"stock\"}", 1.0)]);
    let (statuses, took_s) = finish(&mut clients);
    assert_eq!(statuses, [200; 5]);
    assert!(took_s >= 2.0, "{took_s}");
    let figures = figures(&target);
    assert_eq!(figures["nmax_target_lock_holding{lock=\"stock\"}"], 0.0);
    assert_eq!(figures["nmax_target_lock_waiting{lock=\"stock\"}"], 0.0);
}

#[test]
fn writes_reach_the_disk_and_leave_no_file() {
    // Not every kernel counts them.
    let written = || -> u64 {
        let text = std::fs::read_to_string("/proc/self/io").unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("write_bytes: "));
        line.map_or(0, |count| count.parse().unwrap())
    };
    let dir = std::env::temp_dir().join(format!("nmax-bottleneck-{}", std::process::id()));
    std::fs::create_dir(&dir).unwrap();
    let target = with(&[&format!("disk:bytes=64kB,writes=3,threads=2,dir={}", dir.display())]);
    let before = written();
    let statuses: Vec<_> = (0..4).map(|_| Client::connect(target.address()).get("/").status).collect();
    let after = written();
    let left = std::fs::read_dir(&dir).unwrap().count();
    drop(target);
    std::fs::remove_dir(&dir).unwrap();
    assert_eq!(statuses, [200; 4]);
    assert_eq!(left, 0, "files have no name");
    // A file system in memory writes nothing to a disk.
    if after > before {
        assert!(after - before >= 4 * 3 * 64_000, "{before} {after}");
    }
}

#[test]
fn a_pool_lends_its_slots_and_sends_away_who_waits_too_long() {
    let target = with(&["/hello=pool:size=2,held=3s,timeout=100ms,name=orders", "/b=pool:size=1,name=idle"]);
    let mut clients = at_once(&target, "/hello", 4);
    until(&target, &[("nmax_target_pool_in_use{pool=\"orders\"}", 2.0)]);
    let (mut statuses, took_s) = finish(&mut clients);
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 200, 503, 503]);
    assert!(took_s >= 3.0, "{took_s}");
    let figures = figures(&target);
    let of = |name: &str, pool: &str| figures[&format!("nmax_target_pool_{name}{{pool=\"{pool}\"}}")];
    assert_eq!((of("limit", "orders"), of("limit", "idle")), (2.0, 1.0));
    assert_eq!((of("in_use", "orders"), of("waiting", "orders")), (0.0, 0.0));
    assert_eq!((of("timeouts_total", "orders"), of("timeouts_total", "idle")), (2.0, 0.0));
    assert_eq!(figures["nmax_target_errors_total"], 2.0);
    assert_eq!(figures["nmax_target_requests_total"], 4.0);
    assert_eq!(figures["nmax_target_service_time_seconds_count"], 4.0);
}

/// The slot is kept while the request is at what comes after the pool.
#[test]
fn a_slot_is_held_until_the_reply() {
    let target = with(&["pool:size=1,name=outer", "lock:held=1s,name=inner"]);
    let mut clients = at_once(&target, "/", 3);
    // Who has the slot passes through `waiting` of the lock before it holds the lock.
    let waiting = ("nmax_target_pool_waiting{pool=\"outer\"}", 2.0);
    let inner = [("nmax_target_lock_holding{lock=\"inner\"}", 1.0), ("nmax_target_lock_waiting{lock=\"inner\"}", 0.0)];
    until(&target, &[waiting, inner[0], inner[1]]);
    let (_, took_s) = finish(&mut clients);
    assert!(took_s >= 3.0, "{took_s}");
}

#[test]
fn memory_is_there_and_is_touched() {
    let resident = || -> u64 {
        let text = std::fs::read_to_string("/proc/self/statm").unwrap();
        text.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * rustix::param::page_size() as u64
    };
    let before = resident();
    let target = with(&["memory:bytes=64MB,touch=1MB,threads=2"]);
    let after = resident();
    // Other tests of this process come and go.
    assert!(after > before + 32_000_000, "{before} {after}");
    assert_eq!(Client::connect(target.address()).get("/").status, 200);
}

#[test]
fn a_network_carries_so_many_bytes_per_second_for_all() {
    let target = with(&["network:bytes_per_s=500kB"]);
    let mut clients = at_once(&target, "/bytes/30000", 5);
    let bodies: Vec<_> = clients.iter_mut().map(|client| client.read("GET").unwrap().body.len()).collect();
    assert_eq!(bodies, [30_000; 5]);
    let took_s = clients[0].truth()["since_reset_s"].as_f64().unwrap();
    assert!(took_s >= 0.29, "150 kB in {took_s} s");
}

#[test]
fn a_dependency_is_asked_and_its_failure_is_ours() {
    let other = crate::with_services(&["fixed:3s"]);
    let url = format!("{}/hello", other.url());
    let target = with(&[&format!("dependency:url={url},name=stock")]);
    let mut clients = at_once(&target, "/", 3);
    until(&target, &[("nmax_target_dependency_in_flight{dependency=\"stock\"}", 3.0)]);
    assert_eq!(finish(&mut clients).0, [200; 3]);
    assert_eq!(Client::connect(other.address()).truth()["requests"], 3);
    drop(other);
    let reply = clients[0].get("/");
    assert_eq!(reply.status, 502, "{}", reply.text());
    let figures = figures(&target);
    assert_eq!(figures["nmax_target_dependency_calls_total{dependency=\"stock\"}"], 4.0);
    assert_eq!(figures["nmax_target_dependency_errors_total{dependency=\"stock\"}"], 1.0);
}

#[test]
fn paths_without_a_bottleneck_pass() {
    let target = with(&["/slow=pool:size=1,held=10s"]);
    assert_eq!(Client::connect(target.address()).get("/hello").status, 200);
}

#[test]
fn what_cannot_be_made_is_said() {
    let error = |bottlenecks: &[&str]| spawn(options(bottlenecks)).err().unwrap().to_string();
    let text = error(&["disk:bytes=1kB,dir=/nowhere/at/all"]);
    assert!(text.contains("files in /nowhere/at/all") && text.contains("help:"), "{text}");
    let text = error(&["pool:size=1,name=a", "/x=pool:size=2,name=a"]);
    assert!(text.contains("same name"), "{text}");
    spawn(options(&["pool:size=1,name=a", "lock:held=1ms,name=a"])).unwrap();
}
