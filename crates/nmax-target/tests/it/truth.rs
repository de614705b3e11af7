use nmax_target::{Options, Stall, spawn};
use serde_json::Value;

use crate::client::{Client, Reply};
use crate::with_services;

const MS: u64 = 1_000_000;

#[test]
fn truth_counts_every_request_and_its_time() {
    let target = with_services(&["uniform:0ms..2ms"]);
    let mut client = Client::connect(target.address());
    let replies: Vec<Reply> = (0..50).map(|_| client.get("/")).collect();
    let truth = client.truth();
    assert_eq!(truth["requests"], 50);
    assert_eq!(truth["in_flight"], 0);
    assert_eq!(truth["in_flight_max"], 1);
    // Headers and truth are the same measurement.
    let times_ns: Vec<_> = replies.iter().map(Reply::service_time_ns).collect();
    let close = |key: &str, want_ns: u64| {
        let found_ms = truth["service_time_ms"][key].as_f64().unwrap();
        assert!((found_ms - want_ns as f64 / 1e6).abs() < 0.001, "{key}: {found_ms} for {want_ns}");
    };
    close("mean", times_ns.iter().sum::<u64>() / 50);
    close("min", *times_ns.iter().min().unwrap());
    close("max", *times_ns.iter().max().unwrap());
    for (reply, time_ns) in replies.iter().zip(times_ns) {
        let timing = reply.header("server-timing").unwrap().strip_prefix("app;dur=").unwrap();
        let timing_ms: f64 = timing.parse().unwrap();
        assert!((timing_ms - time_ns as f64 / 1e6).abs() <= 0.000_501);
    }
}

#[test]
fn a_reset_starts_again() {
    let target = with_services(&["uniform:0ms..2ms"]);
    let mut client = Client::connect(target.address());
    client.get("/");
    assert_eq!(client.post("/_control/reset", "").status, 204);
    let truth = client.truth();
    assert_eq!(truth["requests"], 0);
    assert_eq!(truth["service_time_ms"]["count"], 0);
    assert!(truth["service_time_ms"]["p50"].is_null(), "unknown, not zero");
}

#[test]
fn services_follow_the_longest_prefix() {
    let target = with_services(&["fixed:1ms", "/hello=fixed:20ms", "/hel=fixed:5s", "/echo=fixed:0ms"]);
    let mut client = Client::connect(target.address());
    assert!(client.get("/").service_time_ns() >= MS);
    let long_ns = client.get("/hello").service_time_ns();
    assert!((20 * MS..5_000 * MS).contains(&long_ns), "{long_ns}");
}

#[test]
fn every_model_takes_at_least_its_time() {
    let cases = [
        ("fixed:3ms", 3 * MS),
        ("uniform:2ms..3ms", 2 * MS),
        ("cpu:2ms", 2 * MS),
        ("lock:2ms", 2 * MS),
        ("fixed:1ms+cpu:1ms+lock:1ms", 3 * MS),
        ("usl:alpha=0.5,beta=0.5,gamma=250", 2 * MS), // Half of the mean at least.
    ];
    for (spec, least_ns) in cases {
        let target = with_services(&[spec]);
        let taken_ns = Client::connect(target.address()).get("/").service_time_ns();
        assert!(taken_ns >= least_ns, "{spec}: {taken_ns}");
    }
    let target = with_services(&["mm1:rate=1000"]);
    assert_eq!(Client::connect(target.address()).get("/").status, 200);
    let target = with_services(&[]);
    assert!(Client::connect(target.address()).get("/delay/4ms").service_time_ns() >= 4 * MS);
}

/// With α = 1 the law's throughput is γ whatever the number in service: four at once take as long as four in a row.
#[test]
fn usl_slows_down_with_the_number_in_service() {
    let target = with_services(&["usl:alpha=1,beta=0,gamma=20"]);
    let mut clients: Vec<_> = (0..4).map(|_| Client::connect(target.address())).collect();
    clients[0].post("/_control/reset", "");
    for client in &mut clients {
        client.write("GET", "/", "", "").unwrap();
    }
    for client in &mut clients {
        client.read("GET").unwrap();
    }
    let since_reset_s = clients[0].truth()["since_reset_s"].as_f64().unwrap();
    // 0.5 each, and an even spread of four over [0, 1) has the sum 1.2 at least.
    assert!(since_reset_s >= 3.2 / 20.0, "{since_reset_s}");
}

/// A closed system of N users who come back at once: its throughput is never above X(N) of the law on the rising branch, and not
/// far below as soon as the machine has some time to spare.
#[test]
fn closed_users_get_the_throughput_of_the_law() {
    // X(1) = 50/s, X(6) = 211/s; a request takes 20 to 30 ms.
    let target = spawn(Options {
        workers: 2,
        services: vec!["usl:alpha=0.05,beta=0.005,gamma=50".parse().unwrap()],
        ..Options::default()
    })
    .unwrap();
    for (users, each, law_per_s) in [(1_usize, 20, 50.0), (6, 30, 300.0 / 1.4)] {
        let is_near = (0..20).any(|_| throughput_of_users(&target, users, each, law_per_s) >= law_per_s * 0.5);
        assert!(is_near, "never near {law_per_s}/s with {users} users");
    }
}

/// Completions per second of this many users with so many requests each; checks what holds on every machine.
fn throughput_of_users(target: &nmax_target::Running, users: usize, each: usize, law_per_s: f64) -> f64 {
    let mut clients: Vec<_> = (0..users).map(|_| Client::connect(target.address())).collect();
    clients[0].post("/_control/reset", "");
    std::thread::scope(|scope| {
        for client in &mut clients {
            scope.spawn(move || {
                for _ in 0..each {
                    client.get("/");
                }
            });
        }
    });
    let truth = clients[0].truth();
    let count = (users * each) as f64;
    assert_eq!(truth["service_time_ms"]["count"].as_f64(), Some(count));
    // Little's law with the target's own times: N = X·R, of which only the way to and from the client is missing.
    let in_flight =
        count / truth["since_reset_s"].as_f64().unwrap() * truth["service_time_ms"]["mean"].as_f64().unwrap() / 1e3;
    let throughput_per_s = count / truth["since_reset_s"].as_f64().unwrap();
    let text = format!("{throughput_per_s}/s for {law_per_s}/s, {in_flight} of {users} in flight");
    // Even spreading of the work lets the sum of few requests be off by one request.
    assert!(throughput_per_s <= law_per_s * 1.05, "{text}");
    assert!(in_flight <= users as f64 * 1.01, "{text}");
    throughput_per_s
}

/// The serial part: four requests that hold the lock 5 ms each take 5, 10, 15, 20 ms or more.
#[test]
fn a_lock_serializes() {
    let options = Options { workers: 2, services: vec!["lock:5ms".parse().unwrap()], ..Options::default() };
    let target = spawn(options).unwrap();
    let mut clients: Vec<_> = (0..4).map(|_| Client::connect(target.address())).collect();
    clients[0].post("/_control/reset", "");
    for client in &mut clients {
        client.write("GET", "/", "", "").unwrap();
    }
    for client in &mut clients {
        client.read("GET").unwrap();
    }
    let since_reset_s = clients[0].truth()["since_reset_s"].as_f64().unwrap();
    assert!(since_reset_s >= 0.02, "{since_reset_s}");
}

#[test]
fn a_stall_holds_replies_until_its_end() {
    let stalls: Vec<Stall> = vec!["at=0s,for=300ms".parse().unwrap()];
    let target = spawn(Options { stalls, ..Options::default() }).unwrap();
    let (mut client, mut observer) = (Client::connect(target.address()), Client::connect(target.address()));
    // The origin moves to the reset, so that the stall is on when the request arrives.
    observer.post("/_control/reset", "");
    client.write("GET", "/", "", "").unwrap();
    let seen = loop {
        let truth = observer.truth();
        if truth["requests"] == 1 {
            break truth;
        }
    };
    let reply = client.read("GET").unwrap();
    let offset_s = |truth: &Value| truth["since_reset_s"].as_f64().unwrap();
    assert!(offset_s(&observer.truth()) >= 0.3);
    // It arrived before it was seen, so it waited at least for the rest of the stall.
    let waited_s = reply.service_time_ns() as f64 / 1e9;
    assert!(waited_s >= 0.3 - offset_s(&seen), "{waited_s}, seen {seen}");
}

#[test]
fn a_stall_catches_requests_in_service() {
    let options = Options {
        stalls: vec!["at=100ms,for=200ms".parse().unwrap()],
        services: vec!["fixed:150ms".parse().unwrap()],
        ..Options::default()
    };
    let target = spawn(options).unwrap();
    let mut client = Client::connect(target.address());
    client.post("/_control/reset", "");
    client.get("/");
    // Whenever it arrived, before or in the stall, it cannot be out before the end.
    let since_reset_s = client.truth()["since_reset_s"].as_f64().unwrap();
    assert!(since_reset_s >= 0.3, "{since_reset_s}");
}
