//! `nmax agent` beside a run: asked and calling, killed and started again, with a wrong token and without one, on hosts whose
//! clocks are off.

use std::net::TcpListener;
use std::path::PathBuf;

use rustix::process::Signal;
use serde_json::Value;

use crate::bench::{Bench, Ended, Job, lines, number, until};
use crate::peers::target;
use crate::ports::free_port;

/// A plan that observes this, for longer than a test takes: [`ended`] ends its run.
fn plan(bench: &Bench, url: &str, observe: &str) {
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {url}\nscenarios: {{ get: {{ steps: [{{ get: / }}] }} }}\nworkload: {{ open: {{ rate: 20/s }} }}\n\
             duration: 10m\nobserve: {observe}"
        ),
    );
}

/// An agent and its URL.
fn agent(bench: &Bench, args: &[&str]) -> (Job, String) {
    let mut all = vec!["agent"];
    all.extend(args);
    let job = bench.spawn(&all);
    until("the agent's address", || job.printed().ends_with('\n'));
    let url = job.printed().trim().to_owned();
    (job, url)
}

/// Readings of the newest run that fit.
fn readings(bench: &Bench, host: &str, source: &str, metric: &str) -> Vec<Value> {
    let Some(run) = bench.runs().pop() else {
        return Vec::new();
    };
    let fits = |line: &Value| line["host"] == host && line["source"] == source && line["metric"] == metric;
    lines(&run.join("resources.jsonl")).into_iter().filter(fits).collect()
}

fn events(summary: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let events = summary["events"].as_array().unwrap().iter();
    events.map(|event| (text(&event["code"]), text(&event["text"]))).collect()
}

/// Ends a run that has seen enough.
fn ended(run: Job) -> Ended {
    run.signal(Signal::INT);
    run.wait().exits(130)
}

/// The host of the agent is in the run, on the run's clock, beside the injector's own; the token is not.
#[test]
fn an_agents_host_is_in_the_run() {
    let (bench, target) = (Bench::new(), target());
    bench.write("token", "s3cret-of-agents\n");
    let (agent, url) = agent(&bench, &["--listen", "127.0.0.1:0", "--token-file", "token"]);
    let observe = format!("[{{ agent: '{url}', name: db1, token: '${{env.AGENT_TOKEN}}', processes: [nmax] }}]");
    plan(&bench, &target.url(), &observe);
    let run = bench.spawn(&["run", "plan.yaml", "-e", "AGENT_TOKEN=s3cret-of-agents", "--json"]);
    let awaited = [
        ("db1", "cpu", "busy_cores"),
        ("db1", "agent db1", "clock_offset_s"),
        ("db1", "agent db1", "clock_error_s"),
        ("db1", "process nmax", "memory_bytes"),
        ("injector", "cpu", "busy_cores"),
    ];
    until("two readings of each", || {
        awaited.iter().all(|(host, source, metric)| readings(&bench, host, source, metric).len() >= 2)
    });
    let summary = ended(run).json();
    for (host, source, metric) in awaited {
        let found = readings(&bench, host, source, metric);
        let duration_s = summary["duration_s"].as_f64().unwrap();
        for line in &found {
            let t = line["t"].as_f64().unwrap();
            assert!((0.0..=duration_s + 1.0).contains(&t), "{line} of {duration_s} s");
        }
    }
    let stored = std::fs::read_to_string(bench.run().join("manifest.json")).unwrap();
    assert!(stored.contains("db1") && !stored.contains("s3cret-of-agents"), "{stored}");
    // What is shown again is what was shown.
    let again = bench.nmax(&["show", "--json"]).exits(0).json();
    assert_eq!(again["reasons"], summary["reasons"]);
    agent.signal(Signal::TERM);
    agent.wait().exits(0);
}

/// A killed agent is a gap with a reason; the run goes on, and takes the one that is started again.
#[test]
fn an_agent_that_is_killed_is_a_gap() {
    let (bench, target) = (Bench::new(), target());
    let listen = format!("127.0.0.1:{}", free_port());
    let (first, url) = agent(&bench, &["--listen", &listen]);
    plan(&bench, &target.url(), &format!("[{{ agent: '{url}', name: db1 }}]"));
    let run = bench.spawn(&["run", "plan.yaml", "--json"]);
    let seen = || readings(&bench, "db1", "cpu", "busy_cores").len();
    until("two readings", || seen() >= 2);
    first.signal(Signal::KILL);
    first.wait().exits(137);
    until("the loss is said", || run.stderr_so_far().contains("SOURCE_LOST: agent db1 on db1 cannot be read"));
    let up = || -> Vec<f64> {
        let found = readings(&bench, "db1", "agent db1", "up");
        found.iter().map(|line| number(&line["value"])).collect()
    };
    // Seconds of which the next one has no line.
    until("it is away for three seconds", || up().iter().filter(|up| **up == 0.0).count() >= 3);
    let _second = agent(&bench, &["--listen", &listen]);
    until("its return is said", || run.stderr_so_far().contains("SOURCE_BACK: agent db1 on db1"));
    until("it is read again", || up().last() == Some(&1.0));
    let summary = ended(run).json();
    let events = events(&summary);
    assert!(events.iter().any(|(code, text)| code == "SOURCE_NOTE" && text.contains("started again")), "{events:?}");
    let reasons = summary["reasons"].as_array().unwrap();
    assert!(reasons.iter().any(|reason| reason["code"] == "SOURCE_LOST"), "{reasons:?}");
    let up = up();
    assert!(up.contains(&0.0) && up.first() == Some(&1.0) && up.last() == Some(&1.0), "{up:?}");
}

/// The library that shows a process another calendar.
fn faketime() -> PathBuf {
    let folders = std::fs::read_dir("/usr/lib").unwrap();
    let mut libraries = folders.map(|folder| folder.unwrap().path().join("faketime/libfaketime.so.1"));
    libraries.find(|library| library.exists()).unwrap_or_else(|| {
        panic!("libfaketime is missing: install the Debian package `libfaketime`, or run scripts/install-test-deps.sh")
    })
}

/// An agent on a host whose calendar is off, such as by `+5m`.
fn agent_off(bench: &Bench, off: &str, args: &str) -> Job {
    // The shell itself does without: what the library shares would outlive it.
    let line = format!(
        "exec env LD_PRELOAD='{}' FAKETIME={off} DONT_FAKE_MONOTONIC=1 \"$NMAX\" agent {args}",
        faketime().display()
    );
    let (job, _) = bench.shell_typing(&line, &[]);
    job
}

/// Hosts whose clocks are off by minutes: it is said, it moves none of their readings, and the run goes on.
#[test]
fn clocks_that_are_off_by_minutes_move_nothing() {
    let (bench, target) = (Bench::new(), target());
    let ahead = agent_off(&bench, "+5m", "--listen 127.0.0.1:0");
    until("the agent's address", || ahead.printed().ends_with('\n'));
    let (url, port) = (ahead.printed(), free_port());
    let behind = agent_off(&bench, "-3m", &format!("--push http://127.0.0.1:{port} --name db2"));
    let mark = format!("mark{}", std::process::id());
    let observe = format!(
        "\n  - {{ agent: '{}', name: db1, processes: [{mark}] }}\n  - {{ agent: {{ listen: '127.0.0.1:{port}' }}, name: db2, \
         processes: [{mark}] }}\n  - process: {mark}",
        url.trim()
    );
    plan(&bench, &target.url(), &observe);
    let run = bench.spawn(&["run", "plan.yaml", "--json"]);
    let hosts = [("db1", 300.0, "ahead of"), ("db2", -180.0, "behind")];
    until("both hosts are in the run", || {
        let seen = |host: &str| readings(&bench, host, "cpu", "busy_cores").len() >= 2;
        hosts.iter().all(|(host, ..)| seen(host))
    });
    // What all of them see: a process that begins.
    let begin = format!("cp \"$(command -v sleep)\" {mark}; exec ./{mark} 600");
    let (marked, _) = bench.shell_typing(&begin, &[]);
    let of_mark = |host: &str| readings(&bench, host, &format!("process {mark}"), "threads_count");
    until("all hosts have seen it", || ["injector", "db1", "db2"].iter().all(|host| of_mark(host).len() >= 2));
    let summary = ended(run).json();
    drop(marked);
    let duration_s = number(&summary["duration_s"]);
    let seen = |host: &str| number(&of_mark(host)[0]["t"]);
    let here = seen("injector");
    for (host, off_s, way) in hosts {
        // A host that is busy looks late, but by no minutes.
        assert!((seen(host) - here).abs() < 15.0, "{host}: {} s, {here} s", seen(host));
        for line in lines(&bench.run().join("resources.jsonl")) {
            let t = number(&line["t"]);
            assert!(line["host"] != host || t <= duration_s + 1.0, "{line} of {duration_s} s");
        }
        let source = format!("agent {host}");
        for (metric, want, slack) in [("clock_offset_s", off_s, 5.0), ("clock_error_s", 0.0, 5.0)] {
            let found = readings(&bench, host, &source, metric);
            let is_near = |line: &Value| (number(&line["value"]) - want).abs() < slack;
            assert!(found.len() >= 2 && found.iter().all(is_near), "{metric}: {found:?}");
        }
        let said: Vec<_> = events(&summary)
            .into_iter()
            .filter(|(code, text)| code == "CLOCK_OFFSET" && text.contains(&format!(" on {host}: ")))
            .collect();
        assert!(said.len() == 1 && said[0].1.contains(way), "said once: {said:?}");
    }
    let lost = summary["reasons"].as_array().unwrap().iter();
    assert_eq!(lost.filter(|reason| reason["code"] == "SOURCE_LOST").count(), 0);
    bench.nmax(&["report", "last"]).exits(0);
    let page = std::fs::read_to_string(bench.run().join("report.html")).unwrap();
    assert!(page.contains("<rect class=\"mark\""), "it is marked on the time axis");
    for agent in [ahead, behind] {
        agent.signal(Signal::TERM);
        agent.wait().exits(0);
    }
}

/// An agent that calls gives the same; the one with a wrong token gives nothing.
#[test]
fn agents_may_call() {
    let (bench, target) = (Bench::new(), target());
    let port = free_port();
    bench.write("token", "s3cret-of-agents");
    bench.write("wrong", "another-token");
    let url = format!("http://127.0.0.1:{port}");
    let call = |token: &str| bench.spawn(&["agent", "--push", &url, "--token-file", token, "--name", "db1"]);
    let wrong = call("wrong");
    until("nobody listens yet", || wrong.stderr_so_far().contains("no run listens"));
    let observe = format!("[{{ agent: {{ listen: '127.0.0.1:{port}' }}, name: db1, token: '${{env.AGENT_TOKEN}}' }}]");
    plan(&bench, &target.url(), &observe);
    let run = bench.spawn(&["run", "plan.yaml", "-e", "AGENT_TOKEN=s3cret-of-agents"]);
    until("the refusal is said", || wrong.stderr_so_far().contains("Its Token Is Wrong"));
    // Not that nobody calls.
    until("why it is lost is said", || {
        run.stderr_so_far().contains("from 127.0.0.1 is an agent with another token than the plan's, and is refused")
    });
    let right = call("token");
    until("its host is in the run", || readings(&bench, "db1", "cpu", "busy_cores").len() >= 2);
    right.signal(Signal::TERM);
    right.wait().exits(0);
    ended(run);
    assert!(readings(&bench, "db1", "agent db1", "up").iter().any(|line| line["value"] == 0.0));
}

/// Flags observe without a plan, and a wrong one sends nothing.
#[test]
fn flags_observe_without_a_plan() {
    let (bench, target) = (Bench::new(), target());
    let (_agent, url) = agent(&bench, &["--listen", "127.0.0.1:0"]);
    let observe = format!("agent={url}");
    let run = bench.spawn(&["run", &target.url(), "-c", "1", "-d", "10m", "--observe", &observe, "-q"]);
    until("two readings", || readings(&bench, "127.0.0.1", "cpu", "busy_cores").len() >= 2);
    ended(run);
    let wrong = ["run", &target.url(), "--observe", "postgres=http://u:s3cret@h"];
    let ended = bench.nmax(&wrong).exits(2).says(&["--observe postgres=http://REDACTED@h", "postgres://"]);
    assert!(!ended.stderr.contains("s3cret"), "{}", ended.stderr);
}

#[test]
fn what_cannot_be_an_agent_says_why() {
    let bench = Bench::new();
    let usage = |args: &[&str], words: &[&str]| {
        let mut all = vec!["agent"];
        all.extend(args);
        bench.nmax(&all).exits(2).says(words);
    };
    usage(&["--listen", "0.0.0.0:0"], &["needs a token", "NMAX_AGENT_TOKEN"]);
    usage(&["--push", "http://10.0.0.5:9798"], &["needs a token"]);
    usage(&["--push", "https://h:1"], &["--push", "http://HOST:PORT"]);
    usage(&["--token-file", "none"], &["--token-file none"]);
    bench.write("empty", " \n");
    usage(&["--token-file", "empty"], &["this is not a token"]);
    usage(&["--process", "a/b"], &["is not the name of a process"]);
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    usage(&["--listen", &address], &["cannot listen on", "free port"]);
}
