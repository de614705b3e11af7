//! nginx with TLS: certificates of clients, sessions taken up again or not.

use serde_json::Value;

use super::nginx::{access, nginx};
use super::process::Server;
use super::{ITERATIONS, assert_all_ok, certificates, closed, connections, run};
use crate::bench::{Bench, count};

/// By port: sessions by tickets; none; a certificate of the client demanded; TLS 1.2 with tickets.
const TLS: &str = "ssl_certificate FOLDER/server.pem; ssl_certificate_key FOLDER/server.key; ssl_session_cache off;
  server { listen 127.0.0.1:PORT0 ssl; ssl_protocols TLSv1.3; ssl_session_tickets on; location / { return 200 'ok'; } }
  server { listen 127.0.0.1:PORT1 ssl; ssl_protocols TLSv1.3; ssl_session_tickets off; location / { return 200 'ok'; } }
  server { listen 127.0.0.1:PORT2 ssl; ssl_client_certificate FOLDER/ca.pem; ssl_verify_client on;
    location / { return 200 'ok'; } }
  server { listen 127.0.0.1:PORT3 ssl; ssl_protocols TLSv1.2; ssl_session_tickets on; location / { return 200 'ok'; } }";

fn tls() -> (Bench, Server) {
    let bench = Bench::new();
    let folder = bench.path("nginx");
    std::fs::create_dir_all(&folder).unwrap();
    certificates::write(&folder);
    let server = nginx(&bench, 4, TLS);
    (bench, server)
}

fn target(server: &Server, index: usize) -> String {
    server.url(index).replace("http:", "https:")
}

/// One VU, a connection per iteration. Gives the summary.
fn one_visitor(bench: &Bench, server: &Server, index: usize, visitor: &str) -> Value {
    let defaults = format!("connection: per-iteration, visitor: {visitor}, tls: {{ ca: nginx/ca.pem }}");
    let plan = closed(&target(server, index), &defaults, "{ get: / }").replace("vus: 4", "vus: 1");
    run(bench, &plan)
}

#[test]
fn a_returning_visitor_takes_up_its_session_and_a_new_one_cannot() {
    let (bench, server) = tls();
    let log = access(&server);
    // port  visitor       resumed          why
    let cases = [
        (0, "returning", ITERATIONS - 1, "tickets of TLS 1.3"),
        (3, "returning", ITERATIONS - 1, "tickets of TLS 1.2"),
        (0, "new", 0, "a new visitor has none"),
        (1, "returning", 0, "the server gives none"),
    ];
    for (index, visitor, resumed, why) in cases {
        log.clear();
        let summary = one_visitor(&bench, &server, index, visitor);
        assert_all_ok(&summary, ITERATIONS);
        let seen = log.lines(ITERATIONS).iter().filter(|line| line.resumed).count() as u64;
        assert_eq!(seen, resumed, "the server says: {why}");
        assert_eq!(connections(&summary, "tls_resumed"), resumed, "{why}");
        assert_eq!(connections(&summary, "tls_handshakes"), ITERATIONS, "{why}");
    }
}

#[test]
fn visitors_do_not_share_their_sessions() {
    let (bench, server) = tls();
    let defaults = "connection: per-iteration, tls: { ca: nginx/ca.pem }";
    let summary = run(&bench, &closed(&target(&server, 0), defaults, "{ get: / }"));
    assert_all_ok(&summary, ITERATIONS);
    let lines = access(&server).lines(ITERATIONS);
    let full = lines.iter().filter(|line| !line.resumed).count() as u64;
    assert_eq!(full, super::VUS, "the first connection of each: {lines:#?}");
}

#[test]
fn a_certificate_of_the_client_opens_the_door() {
    let (bench, server) = tls();
    let step = "{ get: / }";
    let with = "tls: { ca: nginx/ca.pem, certificate: nginx/client.pem, key: nginx/client.key }";
    let summary = run(&bench, &closed(&target(&server, 2), with, step));
    assert_all_ok(&summary, ITERATIONS);
    access(&server).lines(ITERATIONS);
    // Without one nginx does not end the handshake but answers 400.
    let without = run(&bench, &closed(&target(&server, 2), "tls: { ca: nginx/ca.pem }", step));
    assert_eq!(count(&without["total"]["ok"]), 0, "{without:#}");
    assert_eq!(count(&without["total"]["status"]["400"]), ITERATIONS, "{without:#}");
}
