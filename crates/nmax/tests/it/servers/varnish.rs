//! Varnish in front of nginx: replies from a cache, and those without a body.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::nginx::{self, nginx};
use super::process::{Program, Server};
use super::{ITERATIONS, VUS, assert_all_ok, closed, connections, run};
use crate::bench::{Bench, count};

const VARNISH: Program = Program { name: "varnishd", package: "varnish" };
const VARNISHSTAT: Program = Program { name: "varnishstat", package: "varnish" };

/// Varnish in front of an nginx that serves one page.
fn varnish(bench: &Bench) -> (Server, Server) {
    let site = "server { listen 127.0.0.1:PORT0; root FOLDER; add_header cache-control 'max-age=3600'; }";
    let origin = nginx(bench, 1, site);
    std::fs::write(origin.file("page.html"), "a page\n").unwrap();
    let program = VARNISH.path();
    let server = Server::start(bench.path("varnish"), 1, |folder, ports| {
        let port = origin.ports[0];
        let text = format!("vcl 4.1;\nbackend default {{ .host = \"127.0.0.1\"; .port = \"{port}\"; }}\n");
        std::fs::write(folder.join("site.vcl"), text).unwrap();
        let mut command = Command::new(&program);
        command.args(["-F", "-j", "none", "-a", &format!("127.0.0.1:{}", ports[0])]);
        command.arg("-n").arg(folder.join("work")).arg("-f").arg(folder.join("site.vcl"));
        command.args(["-s", "malloc,16m", "-p", "vsl_space=2m", "-p", "thread_pools=1"]);
        command
    });
    (origin, server)
}

/// Sessions and requests that varnish counted.
fn counted(folder: &Path) -> (u64, u64) {
    let mut command = Command::new(VARNISHSTAT.path());
    command.arg("-n").arg(folder.join("work")).args(["-1", "-j"]);
    let printed = command.output().unwrap().stdout;
    let json: Value = serde_json::from_slice(&printed).unwrap();
    let counters = &json["counters"];
    let of = |name: &str| count(&counters[name]["value"]);
    (of("MAIN.sess_conn"), of("MAIN.client_req"))
}

#[test]
fn a_cache_answers_each_policy_and_each_version() {
    let bench = Bench::new();
    let (origin, cache) = varnish(&bench);
    let cases = [
        ("connection: keep-alive", VUS),
        ("connection: per-request", ITERATIONS),
        ("version: 1.0", VUS),
        ("version: 1.0, connection: per-request", ITERATIONS),
    ];
    let step = "{ get: /page.html, expect: { contains: a page } }";
    // Varnish counts a request twice that waits for another one to fill the cache, so it is filled first.
    let warm = closed(&cache.url(0), "", step).replace("iterations: 80", "iterations: 1");
    assert_all_ok(&run(&bench, &warm), 1);
    for (defaults, opened) in cases {
        let before = counted(&cache.folder);
        let summary = run(&bench, &closed(&cache.url(0), defaults, step));
        assert_all_ok(&summary, ITERATIONS);
        crate::bench::until("varnish counts", || counted(&cache.folder).1 - before.1 >= ITERATIONS);
        let after = counted(&cache.folder);
        assert_eq!(after.1 - before.1, ITERATIONS, "{defaults}: each request arrives once");
        // The command looks before a run whether the target can be reached.
        let seen = after.0 - before.0;
        assert!((opened..=opened + 1).contains(&seen), "{defaults}: {seen} connections");
        assert_eq!(connections(&summary, "opened"), opened, "{defaults}");
    }
    nginx::access(&origin).lines(1);
}

#[test]
fn not_modified_has_no_body_whatever_its_head_says() {
    let bench = Bench::new();
    let (_origin, cache) = varnish(&bench);
    let steps = "{ get: /page.html, extract: { tag: { header: etag } } }, \
                 { get: /page.html, name: again, headers: { if-none-match: \"${tag}\" }, expect: { status: 304 } }";
    let summary = run(&bench, &closed(&cache.url(0), "", steps));
    assert_all_ok(&summary, 2 * ITERATIONS);
    assert_eq!(count(&summary["requests"]["again"]["status"]["304"]), ITERATIONS, "{summary:#}");
    assert_eq!(connections(&summary, "opened"), VUS, "a reply without a body lets its connection live");
}

#[test]
fn head_has_no_body_whatever_its_head_says() {
    let bench = Bench::new();
    let (_origin, cache) = varnish(&bench);
    let summary = run(&bench, &closed(&cache.url(0), "", "{ head: /page.html }, { get: /page.html }"));
    assert_all_ok(&summary, 2 * ITERATIONS);
    assert_eq!(connections(&summary, "opened"), VUS);
}
