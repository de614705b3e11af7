use std::sync::mpsc::sync_channel;
use std::time::Instant;

use super::*;
use crate::fixture::{Fake, SLACK, read_head};

fn fetch(url: &str) -> Result<Fetched, Trouble> {
    Fetcher::new(url, "text/plain", None).fetch()
}

#[track_caller]
fn trouble_of(server: &Fake) -> String {
    #[expect(clippy::disallowed_methods, reason = "the limit is one of real time")]
    let begin = Instant::now();
    let trouble = fetch(&server.url("/metrics")).unwrap_err();
    assert!(begin.elapsed() < PATIENCE + SLACK, "{trouble}");
    assert!(!trouble.is_final, "{trouble}");
    assert!(trouble.text.starts_with(&server.url("/metrics")), "{trouble}");
    trouble.text
}

#[test]
fn a_page_comes_with_its_type() {
    let server = Fake::page("Text/Plain; version=0.0.4", "up 1\n");
    let fetched = fetch(&server.url("/metrics")).unwrap();
    assert_eq!(fetched.content_type, "text/plain; version=0.0.4");
    assert_eq!(fetched.text, "up 1\n");
}

#[test]
fn pages_in_chunks_are_joined() {
    let server = Fake::says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nup \r\n2\r\n1\n\r\n0\r\n\r\n");
    assert_eq!(fetch(&server.url("/")).unwrap().text, "up 1\n");
}

#[test]
fn user_password_and_token_are_sent_and_not_shown() {
    let (sender, heads) = sync_channel(4);
    let server = Fake::start(move |mut stream| {
        sender.send(read_head(&stream).join("\n")).unwrap();
        let _ = std::io::Write::write_all(&mut stream, b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
        None
    });
    let url = format!("http://monitor:s3%40cret@{}/metrics", server.address);
    let trouble = Fetcher::new(&url, "text/plain", None).fetch().unwrap_err();
    let head = heads.recv().unwrap().to_ascii_lowercase();
    let pair = STANDARD.encode("monitor:s3@cret").to_ascii_lowercase();
    assert!(head.contains(&format!("authorization: basic {pair}")), "{head}");
    assert!(trouble.is_final, "{trouble}");
    assert!(!trouble.text.contains("s3") && trouble.text.contains("403"), "{trouble}");

    let trouble = Fetcher::new(&url, "text/plain", Some("t0ken")).fetch().unwrap_err();
    let head = heads.recv().unwrap().to_ascii_lowercase();
    assert!(head.contains("authorization: bearer t0ken"), "{head}");
    assert!(!trouble.text.contains("t0ken"), "{trouble}");
}

#[test]
fn a_server_that_says_nothing_is_left_in_time() {
    let text = trouble_of(&Fake::hangs());
    assert!(text.contains("did not answer in full within 2 s"), "{text}");
}

#[test]
fn a_page_that_does_not_end_is_left_in_time() {
    let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nup 1\n";
    let server = Fake::start(move |mut stream| {
        read_head(&stream);
        let _ = std::io::Write::write_all(&mut stream, head.as_bytes());
        Some(stream)
    });
    let text = trouble_of(&server);
    assert!(text.contains("did not answer in full within 2 s"), "{text}");
}

#[test]
fn a_page_without_end_is_cut_off() {
    const LINE: &str = "metric_with_a_long_name_that_goes_on_and_on_and_on 1\n";
    let text = trouble_of(&Fake::endless("HTTP/1.1 200 OK\r\n\r\n", LINE));
    assert!(text.contains("gives more than 8 MiB") || text.contains("did not answer in full"), "{text}");
}

#[test]
fn what_is_no_http_is_said() {
    let text = trouble_of(&Fake::says("SSH-2.0-OpenSSH_9.6\r\n\r\n"));
    assert!(text.contains("does not speak HTTP"), "{text}");
    let text = trouble_of(&Fake::endless("HTTP/1.1 200 OK\r\n", "x-more: and-more-and-more\r\n"));
    assert!(text.contains("head") || text.contains("HTTP"), "{text}");
}

#[test]
fn redirects_are_said_and_not_followed() {
    let elsewhere = Fake::page("text/plain", "up 1\n");
    let location = elsewhere.url("/");
    let server = Fake::says(format!("HTTP/1.1 302 Found\r\nLocation: {location}\r\nContent-Length: 0\r\n\r\n"));
    let text = trouble_of(&server);
    assert!(text.contains("302") && text.contains("leads elsewhere"), "{text}");
}

#[test]
fn bytes_that_are_no_text_are_said() {
    let server = Fake::says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n\xff\xfe".to_vec());
    let text = trouble_of(&server);
    assert!(text.contains("UTF-8"), "{text}");
}

#[test]
fn nobody_there_is_said() {
    let server = Fake::hangs();
    let url = server.url("/metrics");
    drop(server);
    let trouble = fetch(&url).unwrap_err();
    assert!(trouble.text.contains("connection refused"), "{trouble}");
    let trouble = fetch("http://no space/").unwrap_err();
    assert!(trouble.is_final && trouble.text.contains("is not a URL"), "{trouble}");
}

#[test]
fn a_server_without_a_trusted_certificate_is_said() {
    // What answers is no TLS; that no certificate is taken blindly is rustls's own.
    let server = Fake::says("HTTP/1.1 400 Bad Request\r\n\r\n");
    let url = server.url("/").replace("http:", "https:");
    let trouble = fetch(&url).unwrap_err();
    assert!(!trouble.is_final && trouble.text.starts_with(&url), "{trouble}");
}
