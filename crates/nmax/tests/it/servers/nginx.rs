//! nginx: policies of connections, framing, codings, redirects, and its ways to close a connection.

use std::path::Path;
use std::process::Command;

use super::access::{Access, connections};
use super::process::{Program, Server};
use super::{ITERATIONS, VUS, assert_all_ok, closed, run};
use crate::bench::{Bench, count};

const NGINX: Program = Program { name: "nginx", package: "nginx-light" };
/// Bytes of the page, much larger than what it takes in gzip.
const PAGE_BYTES: u64 = 20_000;

/// nginx with these blocks of `server`, which see `PORT0`, `PORT1`.. and `FOLDER`.
pub(super) fn nginx(bench: &Bench, ports: usize, blocks: &str) -> Server {
    Server::start(bench.path("nginx"), ports, |folder, ports| {
        let mut text = configuration(blocks).replace("FOLDER", folder.to_str().unwrap());
        for (index, port) in ports.iter().enumerate() {
            text = text.replace(&format!("PORT{index}"), &port.to_string());
        }
        std::fs::write(folder.join("nginx.conf"), text).unwrap();
        command(folder)
    })
}

fn command(folder: &Path) -> Command {
    let mut command = Command::new(NGINX.path());
    command.arg("-p").arg(folder).arg("-e").arg(folder.join("error.log"));
    command.arg("-c").arg(folder.join("nginx.conf"));
    command
}

fn configuration(blocks: &str) -> String {
    let temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
        .map(|what| format!("{what}_temp_path FOLDER/{what};"))
        .join(" ");
    format!(
        "daemon off; master_process off; worker_processes 1; pid FOLDER/pid; error_log FOLDER/error.log;\n\
         events {{ worker_connections 1000; }}\n\
         http {{ {temporary} default_type text/plain; types {{ text/html html; }}\n\
         log_format line '$connection|$request|$status|$http_connection|$http_authorization|$request_length|\
         $bytes_sent|$ssl_session_reused';\n\
         access_log FOLDER/access.log line;\n{blocks}\n}}\n"
    )
}

/// Its log.
pub(super) fn access(server: &Server) -> Access {
    Access(server.file("access.log"))
}

/// Every location of these tests that needs no server of its own.
const SITE: &str = "server { listen 127.0.0.1:PORT0; root FOLDER; keepalive_requests 100000;
    location / { return 200 'ok'; }
    location = /page.html { gzip on; gzip_min_length 1; }
    location = /parts.html { ssi on; }
    location /ten { keepalive_requests 10; return 200 'ok'; }
    location /idle { keepalive_timeout 1s; return 200 'ok'; }
    location /moved/301 { return 301 /landing; }
    location /moved/302 { return 302 /landing; }
    location /moved/303 { return 303 /landing; }
    location /moved/307 { return 307 /landing; }
    location /moved/308 { return 308 /landing; }
    location /loop { return 302 /loop; }
    location /away { return 302 http://127.0.0.1:PORT1/landing; }
    location /empty { return 204; }
  }
  server { listen 127.0.0.1:PORT1; location / { return 200 'ok'; } }";

fn site() -> (Bench, Server) {
    let bench = Bench::new();
    let server = nginx(&bench, 2, SITE);
    let words = "the same words again and again; ".repeat(1000);
    let page = format!("{}the last words\n", &words[..PAGE_BYTES as usize - 15]);
    std::fs::write(server.file("page.html"), page).unwrap();
    let parts = "before <!--#echo var='request_method' --> after\n";
    std::fs::write(server.file("parts.html"), parts).unwrap();
    (bench, server)
}

#[test]
fn each_policy_opens_its_connections_and_sends_each_request_once() {
    let (bench, server) = site();
    let log = access(&server);
    // defaults                                       connections     said          version
    let cases = [
        ("connection: keep-alive", VUS, "", "HTTP/1.1"),
        ("connection: per-iteration", ITERATIONS, "", "HTTP/1.1"),
        ("connection: per-request", 2 * ITERATIONS, "close", "HTTP/1.1"),
        ("version: 1.0", VUS, "keep-alive", "HTTP/1.0"),
        ("version: 1.0, connection: per-request", 2 * ITERATIONS, "close", "HTTP/1.0"),
    ];
    for (defaults, opened, said, version) in cases {
        log.clear();
        let summary = run(&bench, &closed(&server.url(0), defaults, "{ get: /a }, { get: /b }"));
        assert_all_ok(&summary, 2 * ITERATIONS);
        let lines = log.lines(2 * ITERATIONS);
        for target in ["/a", "/b"] {
            let arrived = lines.iter().filter(|line| line.target == target).count() as u64;
            assert_eq!(arrived, ITERATIONS, "{defaults}: {target}");
        }
        assert_eq!(connections(&lines), opened, "{defaults}: {lines:#?}");
        assert_eq!(super::connections(&summary, "opened"), opened, "{defaults}");
        assert_eq!(super::connections(&summary, "retries"), 0, "{defaults}");
        for line in &lines {
            assert_eq!((line.status, line.version.as_str()), (200, version), "{defaults}: {line:?}");
            assert!(said.is_empty() || line.said == said, "{defaults}: {line:?}");
        }
    }
}

#[test]
fn bytes_are_those_that_the_server_counted() {
    let (bench, server) = site();
    let summary = run(&bench, &closed(&server.url(0), "", "{ get: /page.html, name: page }, { get: /empty }"));
    assert_all_ok(&summary, 2 * ITERATIONS);
    let lines = access(&server).lines(2 * ITERATIONS);
    let of = |bytes: fn(&super::access::Line) -> u64| lines.iter().map(bytes).sum::<u64>();
    assert_eq!(count(&summary["total"]["bytes_received"]), of(|line| line.sent));
    assert_eq!(count(&summary["total"]["bytes_sent"]), of(|line| line.received));
}

#[test]
fn gzip_is_undone_and_both_sizes_are_counted() {
    let (bench, server) = site();
    let step = "{ get: /page.html, name: page, expect: { contains: the last words } }";
    let summary = run(&bench, &closed(&server.url(0), "compression: gzip", step));
    assert_all_ok(&summary, ITERATIONS);
    let lines = access(&server).lines(ITERATIONS);
    let wire: u64 = lines.iter().map(|line| line.sent).sum();
    let page = &summary["requests"]["page"];
    assert_eq!(count(&page["bytes_received"]), wire, "{page:#}");
    assert_eq!(count(&page["bytes_decoded"]), ITERATIONS * PAGE_BYTES, "{page:#}");
    assert!(wire * 10 < ITERATIONS * PAGE_BYTES, "the server compressed: {wire} bytes");
    assert_eq!(connections(&lines), VUS, "a coded, chunked reply lets its connection live");
}

#[test]
fn without_compression_nothing_is_asked_for_and_nothing_is_coded() {
    let (bench, server) = site();
    let step = "{ get: /page.html, expect: { contains: the last words } }";
    assert_all_ok(&run(&bench, &closed(&server.url(0), "", step)), ITERATIONS);
    for line in access(&server).lines(ITERATIONS) {
        assert!(line.sent > PAGE_BYTES, "{line:?}");
    }
}

#[test]
fn chunks_end_by_themselves_and_without_chunks_the_close_ends_the_reply() {
    let (bench, server) = site();
    let log = access(&server);
    let step = "{ get: /parts.html, expect: { contains: before GET after } }";
    // To HTTP/1.0 the server can send no chunks, knows no length, and so closes.
    for (defaults, opened) in [("version: 1.1", VUS), ("version: 1.0", ITERATIONS)] {
        log.clear();
        let summary = run(&bench, &closed(&server.url(0), defaults, step));
        assert_all_ok(&summary, ITERATIONS);
        assert_eq!(connections(&log.lines(ITERATIONS)), opened, "{defaults}");
        assert_eq!(super::connections(&summary, "opened"), opened, "{defaults}");
    }
}

#[test]
fn a_server_that_closes_after_ten_requests_fails_none() {
    let (bench, server) = site();
    let summary = run(&bench, &closed(&server.url(0), "", "{ get: /ten }"));
    assert_all_ok(&summary, ITERATIONS);
    let lines = access(&server).lines(ITERATIONS);
    let opened = connections(&lines);
    assert!(opened >= ITERATIONS / 10, "{opened}");
    assert_eq!(super::connections(&summary, "opened"), opened);
    assert_eq!(super::connections(&summary, "retries"), 0, "the reply said that it is the last one");
}

#[test]
fn a_connection_closed_while_a_user_thinks_fails_nothing() {
    let (bench, server) = site();
    let steps = "{ get: /idle/a }, { think: 3s }, { get: /idle/b }";
    let plan = closed(&server.url(0), "", steps).replace(&ITERATIONS.to_string(), &VUS.to_string());
    let summary = run(&bench, &plan);
    assert_all_ok(&summary, 2 * VUS);
    let lines = access(&server).lines(2 * VUS);
    assert_eq!(connections(&lines), 2 * VUS, "{lines:#?}");
    assert_eq!(super::connections(&summary, "opened"), 2 * VUS);
}

#[test]
fn redirects_keep_or_change_the_method_as_they_must() {
    let (bench, server) = site();
    let log = access(&server);
    // status  method  arrives with  why
    let cases = [
        (301, "post", "GET", "as browsers do"),
        (302, "post", "GET", "as browsers do"),
        (303, "post", "GET", "see other"),
        (307, "post", "POST", "the same again"),
        (308, "post", "POST", "the same again"),
        (301, "put", "PUT", "only POST changes"),
        (303, "put", "GET", "see other"),
        (302, "get", "GET", "nothing to change"),
    ];
    for (status, method, arrives, why) in cases {
        log.clear();
        let body = if method == "get" { "" } else { ", body: 'twelve bytes'" };
        let step = format!("{{ {method}: /moved/{status}, redirects: follow{body} }}");
        let summary = run(&bench, &closed(&server.url(0), "", &step));
        assert_all_ok(&summary, 2 * ITERATIONS);
        assert_eq!(super::connections(&summary, "redirects"), ITERATIONS);
        let lines = log.lines(2 * ITERATIONS);
        let (moved, landed): (Vec<_>, Vec<_>) = lines.iter().partition(|line| line.target != "/landing");
        assert_eq!(moved.len(), landed.len(), "{status} {method}");
        for line in landed {
            assert_eq!((line.method.as_str(), line.status), (arrives, 200), "{status} {method}: {why}");
            let with_body = moved[0].received - moved[0].target.len() as u64;
            let same_size = line.received - line.target.len() as u64 == with_body;
            assert_eq!(
                same_size,
                arrives != "GET" || method == "get",
                "{status} {method}: the body goes along: {line:?}"
            );
        }
        assert_eq!(super::connections(&summary, "opened"), VUS, "{status} {method}");
    }
}

#[test]
fn without_follow_a_redirect_is_the_reply() {
    let (bench, server) = site();
    let summary = run(&bench, &closed(&server.url(0), "", "{ get: /moved/302, expect: { status: 302 } }"));
    assert_all_ok(&summary, ITERATIONS);
    access(&server).lines(ITERATIONS);
}

#[test]
fn a_redirect_to_a_stranger_does_not_carry_the_password() {
    let (bench, server) = site();
    let step = "{ get: /away, redirects: follow, headers: { authorization: Basic c2VjcmV0 } }";
    let summary = run(&bench, &closed(&server.url(0), "", step));
    assert_all_ok(&summary, 2 * ITERATIONS);
    for line in access(&server).lines(2 * ITERATIONS) {
        let wanted = if line.target == "/away" { "Basic c2VjcmV0" } else { "-" };
        assert_eq!(line.authorization, wanted, "{line:?}");
    }
}

#[test]
fn redirects_in_a_circle_end_at_the_limit_and_fail() {
    let (bench, server) = site();
    let summary = run(&bench, &closed(&server.url(0), "", "{ get: /loop, redirects: 3 }"));
    // The request itself and three more; each reply was valid, so nothing is an error.
    let lines = access(&server).lines(4 * ITERATIONS);
    assert_eq!(connections(&lines), VUS);
    let total = &summary["total"];
    assert_eq!(count(&total["errors"]), 0, "{summary:#}");
    assert_eq!(count(&total["failed"]), ITERATIONS, "the last one of each chain: {summary:#}");
    assert_eq!(super::connections(&summary, "redirects"), 3 * ITERATIONS);
}
