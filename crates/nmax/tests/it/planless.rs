//! `nmax run URL` with flags: what was asked for is what arrives, and what is counted.

use nmax_target::{Options, spawn};

use crate::bench::{Bench, count};
use crate::peers::{Listener, arrived, target};
use crate::schema::assert_summary;

#[test]
fn requests_are_as_many_as_asked_for() {
    let bench = Bench::new();
    // flags                                          requests  why this row
    let cases: [(&str, u64, &str); 10] = [
        ("-n 100 -c 10", 100, "closed"),
        ("-n 7 -c 3 --workers 2", 7, "no multiple of anything"),
        ("-n 2 -c 50", 2, "more users than requests"),
        ("-n 1", 1, "the least"),
        ("-n 20 -r 100/s", 20, "open, a number"),
        ("-r 50/s -d 1s", 50, "open, a time"),
        ("-r 40 -d 500ms", 20, "a bare rate, less than a second"),
        ("-r 50/s -d 1s --poisson", 50, "Poisson arrivals have a fixed count"),
        ("-n 5 -c 2 --close", 5, "a connection each"),
        ("-n 5 -c 2 --http1.0", 5, "HTTP/1.0"),
    ];
    for (flags, want, why) in cases {
        let target = target();
        let url = format!("{}/hello", target.url());
        let mut args = vec!["run", &url, "--json", "--exit-zero"];
        args.extend(flags.split(' '));
        let summary = bench.nmax(&args).exits(0).json();
        assert_summary(&summary);
        let total = &summary["total"];
        assert_eq!(count(&total["ok"]), want, "{why}: {flags}: {summary:#}");
        assert_eq!(count(&total["count"]), want, "{why}: {flags}");
        assert_eq!(count(&total["status"]["200"]), want, "{why}: {flags}");
        assert_eq!(arrived(&target), want, "{why}: {flags}: the server disagrees");
    }
}

#[test]
fn users_wait_for_their_replies_and_all_of_them_are_counted() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/20ms", target.url());
    let summary = bench.nmax(&["run", &url, "-c", "3", "-d", "1s", "--json", "--exit-zero"]).exits(0).json();
    let sent = count(&summary["total"]["count"]) + count(&summary["censored"]);
    assert_eq!(sent, arrived(&target), "{summary:#}");
    assert_eq!(summary["intended_rate_per_s"], serde_json::Value::Null);
    // 3 users with replies of 20 ms cannot do more than 150/s; the last ones start just before the end.
    assert!((3..=153).contains(&sent), "{sent}");
}

#[test]
fn errors_of_the_server_are_failures_of_the_client() {
    let bench = Bench::new();
    let target = spawn(Options { errors: "30%:503".parse().unwrap(), ..Options::default() }).unwrap();
    let url = format!("{}/hello", target.url());
    let summary = bench.nmax(&["run", &url, "-n", "60", "-c", "2", "--json", "--exit-zero"]).exits(0).json();
    let truth = crate::peers::truth(&target);
    let total = &summary["total"];
    let failed = count(&total["failed"]);
    assert!(failed > 0, "{summary:#}");
    assert_eq!(failed, count(&truth["errors"]));
    assert_eq!(failed, count(&total["status"]["503"]));
    assert_eq!(count(&total["ok"]) + failed, 60);
}

/// Redirects count as ok and errors of the whole target break a condition: neither passes without a word.
#[test]
fn a_target_that_only_redirects_or_refuses_is_told() {
    let (bench, target) = (Bench::new(), target());
    // path         verdict  code                       why
    let cases = [
        ("/status/302", "pass", Some("ONLY_REDIRECTS"), "a redirect is ok, and a warning"),
        ("/status/404", "fail", Some("STATUS_UNEXPECTED"), "nothing accepts it"),
        ("/status/200", "pass", None, "a page"),
    ];
    for (path, verdict, code, why) in cases {
        let url = format!("{}{path}", target.url());
        let mut args = vec!["run", &url, "-n", "10", "-c", "2", "--exit-zero"];
        let status = path.rsplit('/').next().unwrap();
        let table = bench.nmax(&args).exits(0).stdout;
        assert!(table.lines().any(|line| line == format!("status    {status} 10")), "{why}: {table}");
        args.push("--json");
        let summary = bench.nmax(&args).exits(0).json();
        // A busy machine may make it INVALID.
        assert!(summary["verdict"] == verdict || summary["verdict"] == "invalid", "{why}: {summary:#}");
        let reasons = summary["reasons"].as_array().unwrap();
        let odd = ["ONLY_REDIRECTS", "STATUS_UNEXPECTED"];
        let found = reasons.iter().filter_map(|reason| reason["code"].as_str()).find(|code| odd.contains(code));
        assert_eq!(found, code, "{why}: {summary:#}");
    }
}

/// By default a target on this host is left a core, where there are two or more.
#[test]
fn a_target_on_this_host_is_left_a_core() {
    let (bench, target) = (Bench::new(), target());
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u64);
    let url = format!("{}/hello", target.url());
    let workers = |flags: &[&str]| {
        let args: Vec<&str> =
            ["run", &url, "-n", "4", "--json", "--exit-zero"].into_iter().chain(flags.iter().copied()).collect();
        count(&bench.nmax(&args).exits(0).json()["injector"]["workers"])
    };
    assert_eq!(workers(&[]), (cores - 1).max(1));
    assert_eq!(workers(&["--workers", "3"]), 3);
    let name = format!("shop.test:80:{}", url.trim_start_matches("http://").trim_end_matches("/hello"));
    let through = bench
        .nmax(&["run", "http://shop.test/hello", "--resolve", &name, "-n", "4", "--json", "--exit-zero"])
        .exits(0)
        .json();
    assert_eq!(count(&through["injector"]["workers"]), (cores - 1).max(1), "its address decides");
}

/// What used the processors of this host beside nmax is kept with the run, the target's process by its name.
#[test]
fn what_ran_beside_a_run_is_kept() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/hello", target.url());
    bench.nmax(&["run", &url, "-c", "4", "-d", "2s", "--exit-zero"]).exits(0);
    let kept = crate::bench::lines(&bench.run().join("resources.jsonl"));
    let beside: Vec<_> = kept.iter().filter(|line| line["source"].as_str().unwrap().starts_with("beside")).collect();
    for metric in ["span_s", "host_cores", "steal_cores", "idle_cores", "own_cores", "others_cores"] {
        let found: Vec<_> = beside.iter().filter(|line| line["metric"] == metric).collect();
        assert_eq!(found.len(), 1, "{metric}: {beside:?}");
    }
    assert!(beside.iter().any(|line| line["metric"] == "target_cpu_cores"), "{beside:?}");
}

#[test]
fn flags_reach_the_wire() {
    let bench = Bench::new();
    // flags                                   what the server hears
    let cases: [(&[&str], &[&str]); 5] = [
        (&[], &["GET /a?b=c HTTP/1.1\r\n", "connection: keep-alive\r\n"]),
        (&["--close"], &["GET /a?b=c HTTP/1.1\r\n", "connection: close\r\n"]),
        (&["--http1.0"], &["GET /a?b=c HTTP/1.0\r\n"]),
        (&["-b", "x=1&y"], &["POST /a?b=c ", "content-length: 5\r\n", "\r\n\r\nx=1&y"]),
        (
            &["-X", "put", "-H", "X-Why: because", "-H", "host: other.test"],
            &["PUT /a?b=c ", "x-why: because\r\n", "host: other.test\r\n"],
        ),
    ];
    for (flags, wanted) in cases {
        let listener = Listener::start();
        let url = format!("{}/a?b=c", listener.url());
        let mut args = vec!["run", &url, "-n", "1", "--exit-zero"];
        args.extend(flags);
        bench.nmax(&args).exits(0);
        let heard = listener.heard();
        let [request] = heard.as_slice() else { panic!("{heard:?}") };
        let request = request.replace("X-Why", "x-why").replace("Host:", "host:");
        for want in wanted {
            assert!(request.contains(want), "{flags:?}: no {want:?} in {request:?}");
        }
    }
}

#[test]
fn an_address_without_a_scheme_is_understood_but_not_guessed() {
    let (bench, target) = (Bench::new(), target());
    let address = target.url().replace("http://", "");
    let meant = format!("did you mean {}?", target.url());
    bench.nmax(&["run", &address, "-n", "1"]).exits(2).says(&[&meant]);
    assert_eq!(arrived(&target), 0);
}
