//! `--wire`: the bytes of one conversation.

use crate::bench::Bench;
use crate::peers::{Listener, arrived, target};

#[test]
fn every_byte_of_one_exchange_is_shown() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/hello?token=abcdef", target.url());
    for verb in ["run", "check"] {
        let shown = bench.nmax(&[verb, &url, "--wire", "-H", "Authorization: Bearer s3cret", "-c", "50"]).exits(0);
        let shown = shown.shows(&[
            "* connected from 127.0.0.1:",
            "> GET /hello?token=REDACTED HTTP/1.1\\r\\n\n",
            "> connection: keep-alive\\r\\n\n",
            "> Authorization: Bearer REDACTED\\r\\n\n",
            "< HTTP/1.1 200 OK\\r\\n\n",
            "< \\r\\n\n",
            "✓ GET /hello: status 200",
            "connect ",
            "wait ",
            "socket      kept for the next request",
        ]);
        assert!(!shown.stdout.contains("s3cret") && !shown.stdout.contains("abcdef"), "{}", shown.stdout);
    }
    assert_eq!(arrived(&target), 2, "one request each");
    assert!(bench.runs().is_empty(), "no run is kept");
    for flag in ["--json", "--junit=x", "--csv=x"] {
        bench.nmax(&["run", &url, "--wire", flag]).exits(2).says(&["--wire"]);
    }
    bench.nmax(&["check", &url, "--wire", "--once"]).exits(2).says(&["--wire"]);
    assert_eq!(arrived(&target), 2, "what is not done is not half done");
    let args = ["check", &url, "--wire", "--show-secrets", "-H", "Authorization: Bearer s3cret"];
    bench.nmax(&args).exits(0).shows(&["Bearer s3cret\\r\\n", "token=abcdef"]);
}

#[test]
fn a_socket_that_the_server_closes_is_told_from_one_that_it_holds() {
    let (bench, listener) = (Bench::new(), Listener::start());
    let url = listener.url();
    bench.nmax(&["check", &url, "--wire", "--close"]).exits(0).shows(&[
        "> connection: close\\r\\n",
        "the server closed the connection",
        "closed by the server ",
    ]);
    // It says that it closes, and does not.
    let holder = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", holder.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let mut held = Vec::new();
        // The first connection only asks whether somebody is there.
        for _ in 0..2 {
            let (mut stream, _) = holder.accept().unwrap();
            let mut chunk = [0; 4096];
            if std::io::Read::read(&mut stream, &mut chunk).unwrap() > 0 {
                let reply =
                    b"HTTP/1.1 200 OK\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n";
                std::io::Write::write_all(&mut stream, reply).unwrap();
                // Until the client has had enough.
                let _ = std::io::Read::read(&mut stream, &mut chunk);
            }
            held.push(stream);
        }
    });
    bench.nmax(&["check", &url, "--wire", "--close"]).exits(0).shows(&[
        "< 2\\r\\n\n",
        "< ok\\r\\n\n",
        "< 0\\r\\n\n",
        "the server has not closed the connection within 2s",
        "held: the server had not closed it",
    ]);
    thread.join().unwrap();
}

#[test]
fn the_named_request_comes_after_the_steps_before_it() {
    let (bench, target) = (Bench::new(), target());
    bench.write(
        "plan.yaml",
        &format!(
            "nmax: 1\ntarget: {}\nscenarios:\n  a:\n    steps:\n      - {{ get: /hello, name: first }}\n      - think: 1h\n      \
             - {{ get: /hello?2, name: second }}\n      - {{ get: /hello?3, name: third }}\n\
             workload: {{ closed: {{ vus: 1 }} }}\n",
            target.url()
        ),
    );
    let shown = bench.nmax(&["check", "plan.yaml", "--wire", "--request", "second"]).exits(0);
    let shown = shown.shows(&["✓ first", "✓ second", "GET /hello?2 HTTP/1.1", "on the connection of before"]);
    assert!(!shown.stdout.contains("hello?3"), "{}", shown.stdout);
    let first = bench.nmax(&["run", "plan.yaml", "--wire"]).exits(0);
    assert!(!first.stdout.contains("hello?2"), "{}", first.stdout);
    bench
        .nmax(&["check", "plan.yaml", "--wire", "--request", "nobody"])
        .exits(2)
        .says(&["no request `nobody`", "choose one of: first, second, third"]);
    bench.nmax(&["check", "plan.yaml", "--request", "first"]).exits(2);
}

#[test]
fn a_failed_exchange_shows_its_bytes_and_ends_with_3() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/status/404", target.url());
    bench.nmax(&["check", &url, "--wire"]).exits(3).shows(&["< HTTP/1.1 404 ", "✗ GET /status/404: status 404"]);
}

/// Nothing is awaited of a socket that the server has closed, or that this end closed after an error.
#[test]
fn only_a_socket_that_the_server_holds_is_waited_for() {
    //  reply                                       what is shown
    let cases: [(&'static str, &[&str]); 3] = [
        ("HTTP/1.0 200 OK\r\n\r\nuntil the end", &["✓ GET /", "closed by the server"]),
        ("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhalf", &["✗ GET /", "closed by the server"]),
        ("220 mail.test ready\r\n", &["✗ GET /: no valid reply"]),
    ];
    for (reply, want) in cases {
        let (bench, listener) = (Bench::new(), std::net::TcpListener::bind("127.0.0.1:0").unwrap());
        let url = format!("http://{}", listener.local_addr().unwrap());
        let thread = std::thread::spawn(move || {
            // The first connection only asks whether somebody is there.
            for _ in 0..2 {
                let (mut stream, _) = listener.accept().unwrap();
                let mut chunk = [0; 4096];
                if std::io::Read::read(&mut stream, &mut chunk).unwrap() > 0 {
                    std::io::Write::write_all(&mut stream, reply.as_bytes()).unwrap();
                }
            }
        });
        let shown = bench.nmax(&["check", &url, "--wire"]).shows(want);
        assert!(!shown.stdout.contains("held") && !shown.stdout.contains("within 2s"), "{}", shown.stdout);
        thread.join().unwrap();
    }
}
