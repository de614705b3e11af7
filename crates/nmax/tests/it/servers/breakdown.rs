//! Both sides of a run's response times: the client's, and what nginx logged while the run followed its log.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::Value;

use super::nginx::nginx;
use super::process::Server;
use crate::bench::{Bench, count, lines, number, until};
use crate::peers::target;

/// Stamps in ms, both times, and who asked.
const FORMAT: &str = "$remote_addr [$msec] \"$request\" $status $body_bytes_sent \"$http_user_agent\" $request_time \
                      $upstream_response_time";
const VUS: u64 = 4;
const ITERATIONS: u64 = 120;
/// Wait of the server behind, ms.
const DELAY_MS: f64 = 40.0;
/// Resolution of nginx's times, and of its clock, which it reads once per turn, ms.
const RESOLUTION_MS: f64 = 2.0;
/// Requests of somebody else.
const OTHERS: u64 = 3;

/// nginx in front of a target that takes its time.
fn front(bench: &Bench, behind: &str) -> Server {
    // Its variables would be filled in by the format of the test's own log.
    let blocks = format!(
        "log_format timed '{FORMAT}';
         server {{ listen 127.0.0.1:PORT0; keepalive_requests 100000; access_log FOLDER/timed.log timed;
           location / {{ proxy_pass {behind}; }} }}"
    );
    nginx(bench, 1, &blocks)
}

fn plan(server: &Server) -> String {
    let log = server.file("timed.log");
    format!(
        "nmax: 1\ntarget: {}\ndefaults: {{ connection: keep-alive }}\n\
         scenarios: {{ s: {{ steps: [{{ get: /delay/40ms }}, {{ get: /hello }}, \
         {{ get: /status/404, expect: {{ status: 404 }} }}, {{ think: 20ms }}] }} }}\n\
         workload: {{ closed: {{ vus: {VUS} }}, iterations: {ITERATIONS} }}\n\
         tags: {{ slow: '/delay/' }}\n\
         thresholds:\n  - response_time p50 >= 40ms for tag slow\n  - response_time count >= {} for tag \"not slow\"\n\
         observe:\n  - log: {}\n    name: front\n    format: '{FORMAT}'\n",
        server.url(0),
        2 * ITERATIONS,
        log.display()
    )
}

/// Somebody else asks for the same.
fn ask_as_another(server: &Server) {
    let address = server.url(0).replace("http://", "");
    let mut stream = TcpStream::connect(&address).unwrap();
    let request = format!("GET /hello HTTP/1.1\r\nhost: {address}\r\nuser-agent: someone\r\nconnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).unwrap();
    stream.read_to_end(&mut Vec::new()).unwrap();
}

/// Gives the log another name, as a program that rotates logs does.
fn rotate(server: &Server) {
    std::fs::rename(server.file("timed.log"), server.file("timed.log.1")).unwrap();
    let pid = std::fs::read_to_string(server.file("pid")).unwrap();
    let pid = rustix::process::Pid::from_raw(pid.trim().parse().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::USR1).unwrap();
}

fn logged(file: &Path) -> usize {
    std::fs::read_to_string(file).map_or(0, |text| text.lines().count())
}

#[test]
fn both_sides_of_a_run_are_told_beside_each_other() {
    let bench = Bench::new();
    let behind = target();
    let server = front(&bench, &format!("http://{}", behind.address()));
    // What was there before the run is not the run's.
    ask_as_another(&server);
    bench.write("plan.yaml", &plan(&server));
    let job = bench.spawn(&["run", "plan.yaml", "--json", "--exit-zero", "--workers", "1"]);
    until("the run has begun", || logged(&server.file("timed.log")) > 20);
    (0..OTHERS).for_each(|_| ask_as_another(&server));
    rotate(&server);
    let summary = job.wait().exits(0).json();
    for threshold in summary["thresholds"].as_array().unwrap() {
        assert_eq!(threshold["holds"], true, "{threshold:#}");
    }

    let text = std::fs::read_to_string(bench.run().join("breakdown.json")).unwrap();
    let sides: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(sides["logs"], serde_json::json!(["front"]));
    assert_eq!(count(&sides["others"]), OTHERS, "{sides:#}");
    let rows = sides["rows"].as_array().unwrap();
    assert_eq!(rows[0]["name"], "");
    for (name, status, want) in [
        ("", Value::Null, 3 * ITERATIONS),
        ("GET /delay/40ms", Value::Null, ITERATIONS),
        ("GET /hello", Value::Null, ITERATIONS),
    ] {
        let row = rows.iter().find(|row| row["name"] == name && row["status"] == status).unwrap();
        assert_eq!(count(&row["client"]["count"]), want, "{row:#}");
        assert_eq!(count(&row["server"]["count"]), want, "no line is lost by the rotation: {row:#}");
        let (client, server) = (number(&row["client"]["time"]["mean_ms"]), number(&row["server"]["time"]["mean_ms"]));
        assert!(client >= server - RESOLUTION_MS, "the server's time is a part of the client's: {row:#}");
        assert!((number(&row["outside_ms"]) - (client - server)).abs() < 1e-6);
        assert!(number(&row["upstream_ms"]) <= server + RESOLUTION_MS, "{row:#}");
    }
    let slow = rows.iter().find(|row| row["name"] == "GET /delay/40ms").unwrap();
    assert!(number(&slow["upstream_ms"]) >= DELAY_MS - RESOLUTION_MS, "{slow:#}");
    let offset = &sides["offset"];
    let (ahead_s, error_s) = (number(&offset["ahead_s"]), number(&offset["error_s"]));
    assert!(ahead_s.abs() <= error_s + RESOLUTION_MS / 1e3, "it is the same clock: {offset}");
    let over_time: u64 = sides["points"].as_array().unwrap().iter().map(|point| count(&point["server_count"])).sum();
    assert_eq!(over_time, 3 * ITERATIONS);

    let readings = lines(&bench.run().join("resources.jsonl"));
    let of_log = |metric: &str| readings.iter().any(|line| line["source"] == "log front" && line["metric"] == metric);
    for metric in ["up", "requests_per_s", "requests_per_s{status=\"4xx\"}", "upstream_ms"] {
        assert!(of_log(metric), "{metric}");
    }
}

/// As [`FORMAT`], of a server that tells nothing of the one behind it.
const TIMED: &str = "$remote_addr [$msec] \"$request\" $status $body_bytes_sent \"$http_user_agent\" $request_time";
/// Servers behind the balancer.
const SERVERS: usize = 3;

/// A balancer in front of servers that each write a log of their own, in front of a target that takes its time.
fn balanced(bench: &Bench, behind: &str) -> Server {
    let server = |number: usize, log: &str, to: &str| {
        format!(
            "server {{ listen 127.0.0.1:PORT{number}; keepalive_requests 100000; access_log FOLDER/{log}.log timed;
               location / {{ proxy_pass {to}; }} }}\n"
        )
    };
    let members: String = (1..=SERVERS).map(|number| format!("server 127.0.0.1:PORT{number};")).collect();
    let servers: String = (1..=SERVERS).map(|number| server(number, &format!("app{number}"), behind)).collect();
    let front = server(0, "front", "http://apps");
    let blocks = format!("log_format timed '{TIMED}';\nupstream apps {{ {members} }}\n{front}{servers}");
    nginx(bench, 1 + SERVERS, &blocks)
}

/// What a run that follows these logs says of both sides.
fn sides_of(bench: &Bench, server: &Server, logs: &[&str]) -> Value {
    let observed: String = logs
        .iter()
        .map(|name| {
            let file = server.file(&format!("{name}.log"));
            format!("  - {{ log: {}, name: {name}, format: '{TIMED}' }}\n", file.display())
        })
        .collect();
    let plan = format!(
        "nmax: 1\ntarget: {}\ndefaults: {{ connection: keep-alive }}\n\
         scenarios: {{ s: {{ steps: [{{ get: /delay/20ms }}, {{ get: /hello }}] }} }}\n\
         workload: {{ closed: {{ vus: {VUS} }}, iterations: {ITERATIONS} }}\nobserve:\n{observed}",
        server.url(0)
    );
    bench.write("plan.yaml", &plan);
    bench.nmax(&["run", "plan.yaml", "--json", "--exit-zero", "--workers", "1"]).exits(0);
    let text = std::fs::read_to_string(bench.runs().last().unwrap().join("breakdown.json")).unwrap();
    serde_json::from_str(&text).unwrap()
}

/// Every row has all requests on both sides.
fn assert_all_are_there(sides: &Value) {
    let rows = sides["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["", "GET /delay/20ms", "GET /hello"]);
    for (row, want) in rows.iter().zip([2 * ITERATIONS, ITERATIONS, ITERATIONS]) {
        assert_eq!(count(&row["client"]["count"]), want, "{row:#}");
        assert_eq!(count(&row["server"]["count"]), want, "{row:#}");
    }
    assert_eq!(sides["notes"], serde_json::json!([]));
}

#[test]
fn logs_of_several_servers_are_one_side() {
    let bench = Bench::new();
    let behind = target();
    let server = balanced(&bench, &format!("http://{}", behind.address()));
    let apps = ["app1", "app2", "app3"];
    let sides = sides_of(&bench, &server, &apps);
    assert_eq!((&sides["logs"], &sides["behind"]), (&serde_json::json!(apps), &serde_json::json!([])));
    assert_all_are_there(&sides);

    // A balancer that writes a log, too, is the server's side, and they are what is behind it.
    let sides = sides_of(&bench, &server, &["front", "app1", "app2", "app3"]);
    assert_eq!((&sides["logs"], &sides["behind"]), (&serde_json::json!(["front"]), &serde_json::json!(apps)));
    assert_all_are_there(&sides);
    let slow = &sides["rows"][1];
    let (server, upstream) = (number(&slow["server"]["time"]["mean_ms"]), number(&slow["upstream_ms"]));
    assert!((20.0 - RESOLUTION_MS..=server).contains(&upstream), "{slow:#}");
    assert!((number(&slow["front_ms"]) - (server - upstream)).abs() < 1e-6);
}
