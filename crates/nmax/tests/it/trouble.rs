//! Servers that misbehave and certificates that do not fit: a named error, counted by kind, with its remedy.

use nmax_target::{Listen, Options, spawn};
use nmax_testkit::servers::{BadServer, Habit};

use crate::bench::{Bench, count};
use crate::peers::{arrived, target};

#[test]
fn each_habit_of_a_bad_server_has_its_name_and_remedy() {
    let bench = Bench::new();
    // habit                 kind        words of the remedy
    let cases = [
        (Habit::NotHttp, "protocol", "breaks the rules of HTTP/1.1"),
        (Habit::Silent, "timeout", "a time limit passed"),
        (Habit::ClosesMidReply, "reset", "server"),
        (Habit::Resets, "reset", "server"),
    ];
    for (habit, kind, remedy) in cases {
        let server = BadServer::start(habit);
        let url = server.url();
        let args = ["run", &url, "-n", "4", "-c", "1", "--timeout", "200ms", "--exit-zero"];
        let shown = bench.nmax(&args).exits(0);
        let shown = shown.shows(&["✗ failure_rate < 5%", &format!("✗ {kind}, 4 times: "), remedy]);
        assert!(shown.stderr.is_empty(), "{}", shown.stderr);
        let summary = bench.nmax(&["show", "--json"]).exits(0).json();
        let total = &summary["total"];
        assert_eq!(count(&total["errors"]), 4, "{habit:?}: {summary:#}");
        assert_eq!(count(&total["error_kinds"][kind]), 4, "{habit:?}: {summary:#}");
        assert_eq!(
            count(&total["by_outcome"]["error"]["response_time_ms"]["count"]),
            4,
            "{habit:?}: errors keep their times"
        );
    }
}

/// What is not sent twice meets the end of a kept connection: wherever the failure is told, that is told too.
#[test]
fn a_reset_on_a_kept_connection_says_so() {
    let (bench, server) = (Bench::new(), BadServer::start(Habit::LeavesAtReuse));
    let args = ["run", &server.url(), "-X", "POST", "-n", "4", "-c", "1", "--exit-zero"];
    // Lines are broken at 80 columns.
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let told =
        ["closed the kept connection (idle for ", ") before it answered; to avoid it, raise the server's idle limit"];
    let shown = flat(&bench.nmax(&args).exits(0).shows(&["✗ reset, 2 times: "]).stdout);
    assert!(told.iter().all(|words| shown.contains(words)), "{shown}");
    for file in ["failures.jsonl", "report.html"] {
        let text = std::fs::read_to_string(bench.run().join(file)).unwrap().replace("&#39;", "'");
        assert!(told.iter().all(|words| text.contains(words)), "{file}");
    }
    // A GET is sent again, and is no error.
    let summary = bench.nmax(&["run", &server.url(), "-n", "4", "-c", "1", "--json", "--exit-zero"]).exits(0).json();
    assert_eq!((count(&summary["total"]["ok"]), count(&summary["total"]["errors"])), (4, 0), "{summary:#}");
}

#[test]
fn a_connection_that_closes_after_a_reply_is_no_error() {
    let bench = Bench::new();
    let server = BadServer::start(Habit::ClosesAfterReply);
    let args = ["run", &server.url(), "-n", "4", "-c", "1", "--json", "--exit-zero"];
    let summary = bench.nmax(&args).exits(0).json();
    assert_eq!(count(&summary["total"]["ok"]), 4, "{summary:#}");
}

#[test]
fn a_certificate_must_be_trusted_and_can_be() {
    let bench = Bench::new();
    let target = spawn(Options { listen: vec![Listen::https(), Listen::http()], ..Options::default() }).unwrap();
    bench.write("ca.pem", target.ca_pem().unwrap());
    let url = format!("{}/delay/30ms", target.url());
    let run = ["run", &url, "-n", "4", "-c", "1"];
    let wrong = bench.nmax(&run).exits(5);
    wrong.shows(&["✗ tls, 4 times", "unknown issuer", "--ca"]);
    assert_eq!(crate::bench::count(&last(&bench)["total"]["error_kinds"]["tls"]), 4);
    bench.nmax(&[&run[..], &["--exit-zero"]].concat()).exits(0);
    for flags in [&["--ca", "ca.pem"][..], &["--insecure"]] {
        bench.nmax(&[&run[..], flags, &["--exit-zero"]].concat()).exits(0);
        assert_eq!(count(&last(&bench)["total"]["ok"]), 4, "{flags:?}");
    }
    let plain = target.addresses()[1].to_string().replace("http:", "https:");
    bench.nmax(&["run", &plain, "-n", "4", "-c", "1"]).exits(5).shows(&["does not speak TLS"]);
}

#[test]
fn a_file_without_a_certificate_starts_nothing() {
    let (bench, target) = (Bench::new(), target());
    bench.write("not.pem", "this is not a certificate\n");
    let run = ["run", &target.url(), "-n", "1", "--ca"];
    bench.nmax(&[&run[..], &["not.pem"]].concat()).exits(2).says(&["no certificate"]);
    bench.nmax(&[&run[..], &["none.pem"]].concat()).exits(2).says(&["none.pem", "PEM"]);
    assert!(bench.runs().is_empty());
    assert_eq!(arrived(&target), 0);
}

fn last(bench: &Bench) -> serde_json::Value {
    bench.nmax(&["show", "last", "--json"]).exits(0).json()
}

/// Traps: elements that are nested without end take the square of their number, brackets of a path twice the time each.
#[test]
fn replies_that_are_made_to_hold_a_worker_fail_and_the_run_ends() {
    let bench = Bench::new();
    let server = BadServer::answering(|head| {
        let body = match head.split(' ').nth(1) {
            Some("/json") => "[".repeat(500_000),
            Some("/nul") => "\0".repeat(3_000_000),
            _ => "<div>".repeat(400_000),
        };
        format!("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: {}\r\n\r\n{body}", body.len())
    });
    let steps = "{ get: /css, extract: { v: { css: a, default: none } } }, { get: /finds, expect: { finds: { css: a } } }, \
                 { get: /page, resources: discover }, { get: /json, extract: { w: { json: $.a, default: none } } }, \
                 { get: /nul, extract: { v: { css: a, default: none } } }";
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {}\nworkload: {{ closed: {{ vus: 2 }}, iterations: 4 }}\nscenarios: {{ a: {{ steps: [{steps}] }} }}\n",
            server.url()
        ),
    );
    let shown = bench.nmax(&["run", "plan.yaml", "--exit-zero"]).exits(0);
    // Lines are broken at 80 columns.
    let shown = shown.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    for depth in [1024, 128] {
        assert!(shown.contains(&format!("the body is nested more than {depth} deep")), "{shown}");
    }
    let total = &last(&bench)["total"];
    assert_eq!((count(&total["ok"]), count(&total["failed"]), count(&total["errors"])), (4, 16, 0), "{total:#}");
}

#[test]
fn a_path_of_a_plan_that_is_nested_without_end_is_refused() {
    let bench = Bench::new();
    for path in ["$[?(@".repeat(100), format!("$[?{}", "(".repeat(4_000)), format!("$[?{}", "length(".repeat(20_000))] {
        bench.write(
            "plan.yaml",
            &format!(
                "nmax: 1\ntarget: http://127.0.0.1:1\nworkload: {{ closed: {{ vus: 1 }}, iterations: 1 }}\n\
                 scenarios: {{ a: {{ steps: [{{ get: /, extract: {{ v: {{ json: \"{path}\" }} }} }}] }} }}\n"
            ),
        );
        bench.nmax(&["check", "plan.yaml", "--quick"]).exits(2).says(&["is not a JSONPath"]);
    }
}
