//! Plain HTTP: what the client gets is what the server sent, and so is what is recorded.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use nmax_import::recording::{Kind, header};
use nmax_target::Options;

use crate::bench::{Bench, server, settings};

#[test]
fn a_request_passes_and_is_recorded() {
    let target =
        nmax_target::spawn(Options { services: vec!["fixed:300ms".parse().unwrap()], ..Options::default() }).unwrap();
    let mut bench = Bench::new();
    let mut client = bench.client();
    let url = format!("{}/bytes/5000?a=1&b=%20", target.url());
    client.send(format!(
        "GET {url} HTTP/1.1\r\nHost: {}\r\nAccept: text/html,*/*\r\nCookie: a=1\r\nX-Twice: 1\r\nX-Twice: 2\r\n\
         Proxy-Connection: keep-alive\r\nProxy-Authorization: Basic eDp5\r\n\r\n",
        target.address()
    ));
    let answer = client.answer("GET");
    assert_eq!((answer.status(), answer.body.len()), (200, 5_000));
    let entry = bench.entry();
    assert_eq!((entry.number, entry.request.method.as_str()), (1, "GET"));
    assert_eq!(entry.request.url, url);
    assert_eq!(entry.kind, Kind::Document);
    assert_eq!(header(&entry.request.headers, "cookie"), Some("a=1"));
    let twice = entry.request.headers.iter().filter(|(name, _)| name == "x-twice").count();
    assert_eq!(twice, 2);
    assert!(entry.request.headers.iter().all(|(name, _)| !name.starts_with("proxy-")));
    let response = entry.response.as_ref().unwrap();
    assert_eq!((response.status, response.version.as_str()), (200, "HTTP/1.1"));
    assert_eq!(response.bytes, Some(5_000));
    let body = response.body.as_ref().unwrap();
    assert_eq!(body.bytes, answer.body);
    assert!(!body.is_cut && body.mime.starts_with("text/plain"));
    // Phases add up, and the first request opened a connection.
    let phases = entry.timings;
    assert!(phases.connect.is_some() && phases.dns.is_none() && phases.tls.is_none());
    let sum = phases.connect.unwrap() + phases.send.unwrap() + phases.wait.unwrap() + phases.receive.unwrap();
    let total = phases.total.unwrap();
    // Most of the time is the server's, so that a phase left out shows; between two of them the machine may be busy.
    let served = phases.send.unwrap() + phases.wait.unwrap();
    assert!(served.as_millis() >= 299, "{phases:?}");
    assert!(sum <= total && (total - sum).as_millis() < 250, "{phases:?}");
    // The second one did not.
    client.get(&url);
    let again = bench.entry();
    assert_eq!((again.timings.connect, again.comment.as_str()), (None, ""));
    assert!(again.sent_us >= entry.done_us() - 1, "one after the other");
}

#[test]
fn the_server_sees_what_the_client_said_but_for_what_is_between_client_and_proxy() {
    let target = nmax_target::spawn(Options::default()).unwrap();
    let bench = Bench::new();
    let mut client = bench.client();
    client.send(format!(
        "POST {}/echo HTTP/1.1\r\nHost: shop.test\r\nUser-Agent: x\r\nX-Caf\u{e9}: no\r\nX-Latin: caf\u{e9}\r\nTE: trailers, deflate\r\n\
         Connection: keep-alive, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nProxy-Authorization: Basic eDp5\r\n\
         Accept-Encoding: gzip, br\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        target.url()
    ));
    let answer = client.answer("POST");
    let seen: serde_json::Value = serde_json::from_slice(&answer.body).unwrap();
    assert_eq!((&seen["path"], &seen["body"]), (&"/echo".into(), &"abcde".into()), "{seen:#}");
    let headers = seen["headers"].as_array().unwrap();
    let value = |name: &str| {
        let found = headers.iter().find(|header| header[0] == name);
        found.map(|header| header[1].as_str().unwrap().to_owned())
    };
    assert_eq!(value("host").as_deref(), Some("shop.test"));
    assert_eq!(value("accept-encoding").as_deref(), Some("gzip, br"));
    assert_eq!(value("te").as_deref(), Some("trailers"));
    assert_eq!(value("x-latin").as_deref(), Some("caf\u{e9}"), "bytes beyond ASCII pass");
    for gone in ["x-hop", "keep-alive", "proxy-authorization", "proxy-connection"] {
        assert_eq!(value(gone), None, "{gone}");
    }
}

#[test]
fn replies_without_a_body_end_at_their_head() {
    let target = nmax_target::spawn(Options::default()).unwrap();
    let mut bench = Bench::new();
    let mut client = bench.client();
    for (method, path, status, length) in [
        ("HEAD", "/bytes/1000", 200, Some("1000")),
        ("GET", "/status/204", 204, None),
        ("GET", "/status/304", 304, None),
        ("GET", "/status/404", 404, Some("14")),
        ("GET", "/bytes/0", 200, Some("0")),
    ] {
        client.send(format!("{method} {}{path} HTTP/1.1\r\nHost: x\r\n\r\n", target.url()));
        let answer = client.answer(method);
        assert_eq!(answer.status(), status, "{method} {path}");
        assert_eq!(answer.header("content-length"), length, "{method} {path}: {}", answer.head);
        let entry = bench.entry();
        assert_eq!((entry.request.method.as_str(), entry.comment.as_str()), (method, ""), "{path}");
        assert_eq!(entry.response.unwrap().status, status, "{method} {path}");
    }
}

#[test]
fn bodies_beyond_the_limit_pass_whole_and_are_counted() {
    let target = nmax_target::spawn(Options::default()).unwrap();
    let mut settings = settings();
    settings.body_bytes_max = 1_000;
    let mut bench = Bench::with(&settings);
    let mut client = bench.client();
    let sent = "x".repeat(50_000);
    client.send(format!(
        "POST {}/chunked/3000000 HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n{sent}",
        target.url(),
        sent.len()
    ));
    assert_eq!(client.answer("POST").body.len(), 3_000_000);
    let entry = bench.entry();
    let request = entry.request.body.unwrap();
    assert_eq!((request.bytes.len(), request.is_cut), (1_000, true));
    let response = entry.response.unwrap();
    assert_eq!(response.bytes, Some(3_000_000));
    let body = response.body.unwrap();
    assert_eq!((body.bytes.len(), body.is_cut), (1_000, true));
}

#[test]
fn codings_pass_and_are_undone_in_the_recording() {
    // `gzip -n` of "hello hello hello\n", as gzip 1.12 writes it.
    let coded: &[u8] = &[
        0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x03, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57, 0xc8, 0x40,
        0x90, 0x5c, 0x00, 0x3b, 0x7c, 0x8a, 0xdf, 0x12, 0x00, 0x00, 0x00,
    ];
    let url = server(move |mut client| {
        client.head();
        client.send(format!(
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Type: text/plain\r\nContent-Length: {}\r\n\r\n",
            coded.len()
        ));
        client.send(coded);
    });
    let mut bench = Bench::new();
    let answer = bench.client().get(&url);
    assert_eq!((answer.body.as_slice(), answer.header("content-encoding")), (coded, Some("gzip")));
    let entry = bench.entry();
    let response = entry.response.unwrap();
    assert_eq!(response.body.unwrap().bytes, b"hello hello hello\n", "{}", entry.comment);
    assert_eq!(response.bytes, Some(coded.len() as u64));
}

#[test]
fn a_body_waits_for_the_server_that_was_asked() {
    let url = server(|mut client| {
        let head = client.head();
        if head.starts_with("POST /no") {
            client.send("HTTP/1.1 417 No\r\nContent-Length: 3\r\nConnection: close\r\n\r\nno\n");
            return;
        }
        assert!(head.to_ascii_lowercase().contains("expect: 100-continue"), "{head}");
        client.send("HTTP/1.1 100 Continue\r\n\r\n");
        let body = client.bytes(5);
        client.send(format!("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{}", String::from_utf8(body).unwrap()));
    });
    let mut bench = Bench::new();
    let mut client = bench.client();
    let ask = |path: &str| {
        format!("POST {url}{path} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
    };
    client.send(ask("/yes"));
    assert!(client.head().starts_with("HTTP/1.1 100 "), "the client is told to go on");
    client.send("hello");
    assert_eq!(client.answer("POST").text(), "hello");
    assert_eq!(bench.entry().request.body.unwrap().bytes, b"hello");
    // A refusal comes in place of it, and no byte of the body was sent.
    let mut client = bench.client();
    client.send(ask("/no"));
    assert_eq!(client.answer("POST").status(), 417);
    assert_eq!(bench.entry().response.unwrap().status, 417);
}

#[test]
fn trailers_and_interim_replies_do_not_disturb() {
    let url = server(|mut client| {
        client.head();
        client.send("HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n");
        client.send(
            "HTTP/1.1 200 OK\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\nX-Sum: 7\r\n\r\n",
        );
    });
    let mut bench = Bench::new();
    let mut client = bench.client();
    client.send(format!("GET {url}/ HTTP/1.1\r\nHost: x\r\nTE: trailers\r\n\r\n"));
    let answer = client.answer("GET");
    assert_eq!((answer.text().as_str(), answer.header("x-sum")), ("abc", Some("7")), "{}", answer.head);
    assert_eq!(bench.entry().response.unwrap().body.unwrap().bytes, b"abc");
}

#[test]
fn a_kept_connection_that_the_server_closed_is_opened_again() {
    let connections = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&connections);
    // One reply for each connection, without a word that it closes.
    let url = server(move |mut client| {
        seen.fetch_add(1, Ordering::Relaxed);
        client.head();
        client.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    });
    let mut bench = Bench::new();
    let mut client = bench.client();
    for round in 1..=20 {
        assert_eq!(client.get(&url).text(), "ok", "round {round}");
        assert_eq!(bench.entry().comment, "", "round {round}");
    }
    assert_eq!(connections.load(Ordering::Relaxed), 20);
}

#[test]
fn each_client_has_connections_of_its_own() {
    let connections = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&connections);
    let url = server(move |mut client| {
        seen.fetch_add(1, Ordering::Relaxed);
        loop {
            client.head();
            client.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        }
    });
    let bench = Bench::new();
    let mut clients = [bench.client(), bench.client(), bench.client()];
    for _ in 0..5 {
        for client in &mut clients {
            client.get(&url);
        }
    }
    assert_eq!(connections.load(Ordering::Relaxed), 3);
}

#[test]
fn old_clients_and_servers_are_understood() {
    let url = server(|mut client| {
        client.head();
        client.send("HTTP/1.0 200 Fine\r\nContent-Type: text/html\r\n\r\nuntil the end");
    });
    let mut bench = Bench::new();
    let mut client = bench.client();
    client.send(format!("GET {url}/x HTTP/1.0\r\nBad Header: x\r\nOdd : y\r\n\r\n"));
    assert_eq!(client.answer("GET").text(), "until the end");
    let entry = bench.entry();
    let response = entry.response.unwrap();
    assert_eq!(
        (response.version.as_str(), response.body.unwrap().bytes.as_slice()),
        ("HTTP/1.0", &b"until the end"[..])
    );
}

#[test]
fn a_request_that_a_closing_server_took_is_sent_again_only_when_that_is_safe() {
    // It answers once, takes the next request, and goes away.
    let url = server(|mut client| {
        client.head();
        client.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        client.head();
    });
    let mut bench = Bench::new();
    for (method, status) in [("GET", 200), ("POST", 502)] {
        let mut client = bench.client();
        client.get(&url);
        client.send(format!("{method} {url} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n"));
        assert_eq!(client.answer(method).status(), status, "{method}");
        bench.entry();
        let entry = bench.entry();
        assert_eq!(entry.comment.is_empty(), status == 200, "{method}: {}", entry.comment);
    }
}
