//! Flags of the way to a server: where connections go and leave from, and that the safety policy is asked first.

use crate::bench::Bench;
use crate::peers::{Listener, arrived, target};

#[test]
fn resolve_leads_a_name_to_an_address() {
    let (bench, target) = (Bench::new(), target());
    let port = target.address().port();
    let url = format!("http://shop.invalid:{port}/hello");
    let resolve = format!("shop.invalid:{port}:127.0.0.1");
    bench.nmax(&["run", &url, "-n", "3", "-c", "1", "--resolve", &resolve, "--exit-zero"]).exits(0);
    assert_eq!(arrived(&target), 3);
    bench.nmax(&["run", &url, "-n", "1"]).exits(5).says(&["shop.invalid", "no address"]);
    let forbidden = format!("shop.invalid:{port}:169.254.169.254");
    bench.nmax(&["run", &url, "-n", "1", "--resolve", &forbidden]).exits(2).says(&["metadata"]);
    assert_eq!(arrived(&target), 3);
}

#[test]
fn a_proxy_gets_absolute_targets() {
    let (bench, proxy) = (Bench::new(), Listener::start());
    let (user, place) = ("http://ann:s3cret@", proxy.url().replace("http://", ""));
    let proxy_url = format!("{user}{place}");
    let args = ["run", "http://127.0.0.1:9/a", "-n", "1", "--proxy", &proxy_url, "--exit-zero"];
    bench.nmax(&args).exits(0);
    let heard = proxy.heard();
    let request = heard.last().unwrap();
    assert!(request.starts_with("GET http://127.0.0.1:9/a HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("proxy-authorization: Basic YW5uOnMzY3JldA==\r\n"), "{request}");
    let manifest = std::fs::read_to_string(bench.run().join("manifest.json")).unwrap();
    assert!(!manifest.contains("s3cret"), "{manifest}");
}

#[test]
fn connections_leave_from_the_addresses_in_turn() {
    let (bench, listener) = (Bench::new(), std::net::TcpListener::bind("127.0.0.1:0").unwrap());
    let url = format!("http://{}", listener.local_addr().unwrap());
    let job = bench.spawn(&["run", &url, "-n", "1", "--source", "127.0.0.8", "--exit-zero", "--timeout", "1s"]);
    let (stream, peer) = listener.accept().unwrap();
    drop((stream, listener));
    assert_eq!(peer.ip().to_string(), "127.0.0.8");
    job.wait();
}

#[test]
fn flags_of_curl_reach_the_wire() {
    let bench = Bench::new();
    bench.write("body.bin", "line 1\nline 2\n");
    // flags                               what the server hears
    let cases: [(&[&str], &[&str]); 4] = [
        (&["-b", "@body.bin"], &["POST / ", "content-length: 14\r\n", "\r\n\r\nline 1\nline 2\n"]),
        (&["--compressed"], &["accept-encoding: gzip, deflate, br, zstd\r\n"]),
        (&["--connection", "per-request"], &["connection: close\r\n"]),
        (&["--connection", "per-iteration"], &["connection: "]),
    ];
    for (flags, wanted) in cases {
        let listener = Listener::start();
        let url = listener.url();
        let mut args = vec!["run", &url, "-n", "1", "--exit-zero"];
        args.extend(flags);
        bench.nmax(&args).exits(0);
        let heard = listener.heard();
        let [request] = heard.as_slice() else { panic!("{heard:?}") };
        for want in wanted {
            assert!(request.contains(want), "{flags:?}: no {want:?} in {request:?}");
        }
    }
    let listener = Listener::start();
    bench.nmax(&["run", &listener.url(), "-b", "@none.bin"]).exits(2).says(&["-b @none.bin"]);
    assert!(listener.heard().is_empty());
}

#[test]
fn results_go_to_standard_output_for_a_dash() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/hello", target.url());
    let csv = bench.nmax(&["run", &url, "-n", "2", "-c", "1", "--csv", "-", "--exit-zero"]).exits(0);
    assert!(csv.stdout.lines().count() >= 2 && csv.stdout.lines().next().unwrap().contains(','), "{}", csv.stdout);
    assert!(!bench.path("-").exists());
    bench.nmax(&["run", &url, "-n", "1", "--csv", "-", "--json"]).exits(2).says(&["--json and --csv -"]);
}

#[test]
fn a_folder_that_is_no_run_is_called_so() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path("folder")).unwrap();
    bench.nmax(&["show", "folder"]).exits(2).says(&["folder: this is not a run", "manifest.json"]);
}

/// The connections of a slow server take all files but those that the run needs for itself.
#[test]
fn a_run_out_of_files_ends_regularly_and_keeps_everything() {
    let (bench, target) = (Bench::new(), target());
    let line = |limit: u32| {
        let url = target.url();
        format!("ulimit -n {limit} && exec \"$NMAX\" run {url}/delay/900ms -r 80/s -d 1500ms -q --workers 1")
    };
    bench.shell(&line(64)).exits(4).shows(&["! INVALID", "G4 injector errors"]);
    let run = bench.run();
    let summary: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(run.join("summary.json")).unwrap()).unwrap();
    let total = &summary["total"];
    let errors = total["error_kinds"]["injector"].as_u64().unwrap();
    assert!(errors > 10, "{total:#}");
    assert_eq!(total["count"], 120, "every start is accounted for: {total:#}");
    for file in ["names.json", "report.html", "windows.jsonl", "resources.jsonl"] {
        assert!(run.join(file).metadata().is_ok_and(|about| about.len() > 0), "{file}");
    }
    let failures = std::fs::read_to_string(run.join("failures.jsonl")).unwrap();
    assert!(failures.contains("too many open files (EMFILE)") && failures.contains("ulimit -n"), "{failures}");
}

#[test]
fn a_limit_of_files_that_leaves_no_connection_starts_no_run() {
    let (bench, target) = (Bench::new(), target());
    let line = format!("ulimit -n 30 && exec \"$NMAX\" run {} -r 9/s -d 1s --workers 1", target.url());
    bench.shell(&line).exits(2).says(&["error: 30 open files are too few", "each worker (1)", "`ulimit -n 1024`"]);
    assert!(bench.runs().is_empty());
}

/// Whoever loads two addresses of which one is down hears of it, though nothing failed.
#[test]
fn an_address_that_refuses_is_told() {
    let (bench, target) = (Bench::new(), target());
    let port = target.address().port();
    let url = format!("http://shop.invalid:{port}/hello");
    let resolve = format!("shop.invalid:{port}:127.0.0.1,127.0.0.9");
    let flags = ["-n", "6", "-c", "1", "--close", "--resolve", &resolve, "--exit-zero"];
    bench
        .nmax(&[&["run", &url][..], &flags].concat())
        .exits(0)
        .shows(&["addresses    127.0.0.1 6 (whole run)", "passed over  127.0.0.9 3 times"]);
    let summary = bench.nmax(&["show", "--json"]).exits(0).json();
    assert_eq!(summary["connections"]["passed_over"]["127.0.0.9"], 3, "{summary:#}");
    assert_eq!(summary["total"]["ok"], 6, "{summary:#}");
}
