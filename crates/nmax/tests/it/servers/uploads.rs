//! Uploads to nginx: what arrives is what the plan says, and what is refused is not sent.

use std::fs;

use super::nginx::{access, nginx};
use super::process::Server;
use super::{ITERATIONS, assert_all_ok, closed, connections, run};
use crate::bench::{Bench, count, until};

/// Bytes of the uploaded file: more than a socket buffers.
const FILE_BYTES: usize = 3_000_000;

/// `/store` keeps the body of each request in a file; `/small` refuses more than a KiB.
const STORE: &str = "server { listen 127.0.0.1:PORT0; client_max_body_size 100m;
    location /store { client_body_in_file_only on; proxy_pass http://127.0.0.1:PORT1/; }
    location /small { client_max_body_size 1k; return 200 'ok'; }
  }
  server { listen 127.0.0.1:PORT1; access_log off; client_max_body_size 100m; location / { return 200 'stored'; } }";

fn store() -> (Bench, Server, Vec<u8>) {
    let bench = Bench::new();
    let server = nginx(&bench, 2, STORE);
    let bytes: Vec<u8> = (0..FILE_BYTES).map(|at| (at * 31 % 251) as u8).collect();
    fs::write(bench.path("picture.png"), &bytes).unwrap();
    (bench, server, bytes)
}

/// Two iterations, one after the other.
fn two(server: &Server, step: &str) -> String {
    closed(&server.url(0), "", step)
        .replace(&format!("iterations: {ITERATIONS}"), "iterations: 2")
        .replace("vus: 4", "vus: 1")
}

/// The stored bodies.
fn stored(server: &Server, want: usize) -> Vec<Vec<u8>> {
    let folder = server.file("client_body");
    let files = || -> Vec<_> { fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect() };
    until("stored bodies", || files().len() == want);
    files().iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn a_body_from_a_file_arrives_whole() {
    let (bench, server, bytes) = store();
    let summary = run(&bench, &two(&server, "{ put: /store, file: picture.png }"));
    assert_all_ok(&summary, 2);
    assert!(stored(&server, 2).iter().all(|body| *body == bytes));
    let lines = access(&server).lines(2);
    assert_eq!(count(&summary["total"]["bytes_sent"]), lines.iter().map(|line| line.received).sum::<u64>());
}

#[test]
fn multipart_arrives_as_written_with_its_file() {
    let (bench, server, bytes) = store();
    let step = "{ post: /store, multipart: { note: 'a \"b\" c', picture: { file: picture.png, type: image/png, name: x.png } } }";
    let summary = run(&bench, &two(&server, step));
    assert_all_ok(&summary, 2);
    for body in stored(&server, 2) {
        let end = body.windows(2).position(|two| two == b"\r\n").unwrap();
        let boundary = &body[..end];
        let parts = parts(&body, boundary);
        assert_eq!(parts.len(), 2, "two parts between boundaries");
        let (head, text) = &parts[0];
        assert!(head.contains("name=\"note\"") && !head.contains("filename"), "{head}");
        assert_eq!(text, b"a \"b\" c");
        let (head, file) = &parts[1];
        assert!(head.contains("name=\"picture\"") && head.contains("filename=\"x.png\""), "{head}");
        assert!(head.to_ascii_lowercase().contains("content-type: image/png"), "{head}");
        assert!(*file == bytes, "{} of {} bytes, or others", file.len(), bytes.len());
        assert!(body.ends_with(&[boundary, b"--\r\n"].concat()), "closed by the last boundary");
    }
}

/// Parts as RFC 2046 section 5.1.1 delimits them: head and content.
fn parts(body: &[u8], boundary: &[u8]) -> Vec<(String, Vec<u8>)> {
    let find = |from: usize, what: &[u8]| {
        let at = body[from..].windows(what.len()).position(|part| part == what);
        at.map(|at| from + at)
    };
    let mut parts = Vec::new();
    let mut at = boundary.len() + 2;
    let delimiter = [b"\r\n", boundary].concat();
    while let Some(end) = find(at, &delimiter) {
        let blank = find(at, b"\r\n\r\n").unwrap();
        let head = String::from_utf8(body[at..blank].to_vec()).unwrap();
        parts.push((head, body[blank + 4..end].to_vec()));
        at = end + delimiter.len() + 2;
    }
    parts
}

#[test]
fn a_body_that_the_server_refuses_at_once_is_not_sent() {
    let (bench, server, _) = store();
    let step = "{ post: /small, file: picture.png, expect_continue: true, expect: { status: 413 } }";
    let summary = run(&bench, &two(&server, step));
    assert_all_ok(&summary, 2);
    for line in access(&server).lines(2) {
        assert_eq!(line.status, 413);
        assert!(line.received < 2000, "only the head came: {line:?}");
    }
    assert_eq!(connections(&summary, "informational"), 0);
    assert!(count(&summary["total"]["bytes_sent"]) < 4000, "{summary:#}");
}

#[test]
fn a_body_that_the_server_asks_for_is_sent_and_the_100_is_no_reply() {
    let (bench, server, bytes) = store();
    let summary = run(&bench, &two(&server, "{ post: /store, file: picture.png, expect_continue: true }"));
    assert_all_ok(&summary, 2);
    assert!(stored(&server, 2).iter().all(|body| *body == bytes));
    assert_eq!(connections(&summary, "informational"), 2);
    access(&server).lines(2);
}
