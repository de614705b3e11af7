//! What `nmax check` says of what a plan observes: each source is tried once.

use crate::bench::{Bench, Job, until};
use crate::peers::target;
use crate::ports::free_port;
use crate::schema::assert_schema;

/// A plan that observes this; the target does not have to be there.
fn plan(bench: &Bench, url: &str, observe: &str) {
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {url}\nscenarios: {{ get: {{ steps: [{{ get: / }}] }} }}\nworkload: {{ open: {{ rate: 1/s }} }}\n\
             observe:\n{observe}"
        ),
    );
}

/// An agent and its URL.
fn agent(bench: &Bench, token: &str) -> (Job, String) {
    bench.write("token", token);
    let args = ["agent", "--listen", "127.0.0.1:0", "--token-file", "token"];
    // It looks for processes that it is asked for once a second; this one it has found already.
    let job = bench.spawn(&[&args[..], &["--process", "nmax"]].concat());
    until("the agent's address", || job.printed().ends_with('\n'));
    let url = job.printed().trim().to_owned();
    (job, url)
}

const ACCESS: &str = "127.0.0.1 - - [10/Oct/2026:13:55:36 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"a\"\n";

/// What can be read says what it is, what cannot says why; the check has failed then. Nobody's secret is in it.
#[test]
fn every_source_of_a_plan_is_tried() {
    let bench = Bench::new();
    let (_agent, url) = agent(&bench, "s3cret-of-agents\n");
    bench.write("access.log", &ACCESS.repeat(20));
    let closed = free_port();
    let good = format!(
        "  - process: nmax\n  - {{ agent: '{url}', name: db1, token: s3cret-of-agents, processes: [nmax] }}\n  - log: access.log\n"
    );
    plan(&bench, "http://127.0.0.1:9", &good);
    let shown = bench.nmax(&["check", "plan.yaml"]).exits(0).shows(&[
        "# Whether what it observes can be read",
        "#   ✓ process nmax: ",
        "#   ✓ agent db1: an agent of nmax ",
        "its clock is ",
        "#   ✓ log access.log: an access log",
        "#     ! read as an access log in the format combined",
    ]);
    assert!(!shown.stdout.contains("s3cret"), "{}", shown.stdout);
    let bad = format!(
        "  - process: no-such\n  - {{ agent: '{url}', name: db3, token: another-s3cret }}\n  \
         - {{ agent: '{url}', name: db2, token: s3cret-of-agents, processes: [no-such] }}\n  - log: none.log\n  \
         - redis: redis://:s3cret-of-redis@127.0.0.1:{closed}\n"
    );
    plan(&bench, "http://127.0.0.1:9", &(good + &bad));
    let ended = bench.nmax(&["check", "plan.yaml", "--json"]).exits(3);
    assert!(!ended.stdout.contains("s3cret"), "{}", ended.stdout);
    let json = ended.json();
    assert_schema(&json, "check");
    let sources = json["sources"].as_array().unwrap();
    let ok: Vec<bool> = sources.iter().map(|source| source["ok"].as_bool().unwrap()).collect();
    assert_eq!(ok, [true, true, true, false, false, false, false, false], "{sources:#?}");
    let wants = [
        "no process is called `no-such`; write",
        "wants another token; give both sides the same",
        "no process is called `no-such`; write",
        "none.log: there is no such file",
        "onnection refused",
    ];
    for (source, want) in sources.iter().skip(3).zip(wants) {
        assert!(source["error"].as_str().unwrap().contains(want), "{want}: {source:#}");
    }
    assert!(sources[1]["clock"]["error_s"].as_f64().unwrap() > 0.0, "{:#}", sources[1]);
    assert!(sources[1]["figures"].as_u64().unwrap() > 10, "{:#}", sources[1]);
    // What takes seconds may be left out.
    let quick = bench.nmax(&["check", "plan.yaml", "--json", "--quick"]).exits(0).json();
    assert_schema(&quick, "check");
    assert!(quick["sources"].is_null(), "{:#}", quick["sources"]);
}

/// The same beside one iteration of each scenario.
#[test]
fn sources_are_tried_with_one_iteration() {
    let (bench, target) = (Bench::new(), target());
    bench.write("access.log", ACCESS);
    plan(&bench, &target.url(), "  - log: access.log\n");
    let once = bench.nmax(&["check", "plan.yaml", "--once"]).exits(0);
    once.shows(&["✓ GET /", "\nobserved\n✓ log access.log: an access log"]);
    plan(&bench, &target.url(), "  - log: none.log\n");
    let args = ["check", "plan.yaml", "--once", "--json"];
    let json = bench.nmax(&args).exits(3).json();
    assert_schema(&json, "once");
    assert_eq!(json["ok"], false);
    assert_eq!(json["scenarios"][0]["ok"], true, "{json:#}");
    assert_eq!(json["sources"][0]["ok"], false, "{json:#}");
    let quick = bench.nmax(&[&args[..], &["--quick"]].concat()).exits(0).json();
    assert_schema(&quick, "once");
}
