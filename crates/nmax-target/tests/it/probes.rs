use nmax_target::{Listen, Options, spawn};

use crate::client::Client;

#[test]
fn bodies_have_their_size_and_framing() {
    let target = spawn(Options::default()).unwrap();
    let mut client = Client::connect(target.address());
    for bytes in [0, 1, 65_520, 65_521, 1_000_000] {
        let whole = client.get(&format!("/bytes/{bytes}"));
        assert_eq!(whole.header("content-length"), Some(bytes.to_string().as_str()));
        let chunked = client.get(&format!("/chunked/{bytes}"));
        assert_eq!(chunked.header("transfer-encoding"), Some("chunked"), "{bytes}");
        assert_eq!(chunked.body.len(), bytes);
        assert_eq!(chunked.body, whole.body, "the same pattern");
    }
    let slow = client.get("/drip?bytes=1003&for=50ms");
    assert_eq!(slow.body, client.get("/bytes/1003").body);
}

#[test]
fn statuses_headers_and_echo() {
    let target = spawn(Options::default()).unwrap();
    let mut client = Client::connect(target.address());
    for code in [200, 204, 301, 304, 404, 418, 503, 599] {
        assert_eq!(client.get(&format!("/status/{code}")).status, code);
    }
    let names = client.get("/headers?n=50");
    assert_eq!(names.headers.iter().filter(|(name, _)| name.starts_with("x-nmax-")).count(), 50);
    let echo = client.send("PUT", "/echo?a=1", "text/plain", "some text").unwrap().json();
    assert_eq!(echo["method"], "PUT");
    assert_eq!(echo["path"], "/echo?a=1");
    assert_eq!(echo["body"], "some text");
    assert_eq!(echo["headers"][0], serde_json::json!(["host", "target"]));
    assert_eq!(client.send("HEAD", "/hello", "", "").unwrap().header("content-length"), Some("5"));
}

#[test]
fn wrong_paths_are_replies_not_failures() {
    let target = spawn(Options::default()).unwrap();
    let mut client = Client::connect(target.address());
    let cases = [
        ("/nothing", 404),
        ("/bytes/many", 400),
        ("/bytes/1073741825", 400),
        ("/status/100", 400),
        ("/delay/11m", 400),
        ("/delay/", 400),
        ("/drip?bytes=1", 400),
        ("/headers?n=1001", 400),
        ("/_control/reset", 405),
        ("/_other", 404),
        ("//", 404),
    ];
    for (path, want) in cases {
        assert_eq!(client.get(path).status, want, "{path}");
    }
    let large = "x".repeat((1 << 20) + 1);
    let refused = Client::connect(target.address()).send("POST", "/echo", "text/plain", &large);
    assert_eq!(refused.unwrap().status, 413);
}

#[test]
fn close_closes_and_hello_does_not() {
    let options = Options { reply_bytes: Some(10), ..Options::default() };
    let target = spawn(options).unwrap();
    let mut client = Client::connect(target.address());
    assert_eq!(client.get("/").body, b"abcdefghij");
    assert_eq!(client.get("/hello").body.len(), 10);
    let last = client.get("/close");
    assert_eq!(last.header("connection"), Some("close"));
    assert!(client.is_closed());
}

#[test]
fn several_ports_and_workers_share_one_truth() {
    let listen = vec![Listen::http(); 3];
    let target = spawn(Options { listen, workers: 2, ..Options::default() }).unwrap();
    let mut clients: Vec<_> = target.addresses().iter().map(|listen| Client::connect(listen.address)).collect();
    assert_eq!(clients.len(), 3);
    for client in &mut clients {
        assert_eq!(client.get("/").text(), "hello");
    }
    assert_eq!(clients[0].truth()["requests"], 3);
}

#[test]
fn dropping_it_frees_the_port() {
    let target = spawn(Options::default()).unwrap();
    let address = target.address();
    let mut client = Client::connect(address);
    client.get("/");
    drop(target);
    assert!(client.is_closed(), "an idle connection ends with the target");
    let again = spawn(Options { listen: vec![Listen { address, ..Listen::http() }], ..Options::default() });
    assert_eq!(again.unwrap().address(), address);
}

#[test]
fn a_taken_port_is_a_named_error() {
    let target = spawn(Options::default()).unwrap();
    let listen = vec![target.addresses()[0]];
    let error = spawn(Options { listen, ..Options::default() }).err().unwrap().to_string();
    assert!(error.contains("cannot listen on 127.0.0.1:"), "{error}");
    let error = spawn(Options { listen: Vec::new(), ..Options::default() }).err().unwrap();
    assert!(error.to_string().contains("has no listener"), "{error}");
}

#[test]
fn a_slow_body_takes_its_time_at_any_size() {
    let target = spawn(Options::default()).unwrap();
    let mut client = Client::connect(target.address());
    for bytes in [1, 99, 101, 10_000_000] {
        client.post("/_control/reset", "");
        let slow = client.get(&format!("/drip?bytes={bytes}&for=40ms"));
        assert_eq!(slow.body.len(), bytes);
        assert!(slow.body.iter().zip((b'a'..=b'z').cycle()).all(|(found, want)| *found == want));
        let since_reset_s = client.truth()["since_reset_s"].as_f64().unwrap();
        assert!(since_reset_s >= 0.04, "{bytes} bytes: {since_reset_s}");
    }
    assert_eq!(client.get("/drip?bytes=0&for=1h").status, 400);
    assert_eq!(client.get("/drip?bytes=0&for=1ms").body, b"");
}

#[test]
fn a_stop_lets_open_requests_finish() {
    let options = Options { grace: std::time::Duration::from_secs(60), ..Options::default() };
    let target = spawn(options).unwrap();
    let mut client = Client::connect(target.address());
    let mut observer = Client::connect(target.address());
    client.write("GET", "/delay/3s", "", "").unwrap();
    while observer.truth()["in_flight"] != 1 {}
    drop(target);
    let reply = client.read("GET").unwrap();
    assert_eq!((reply.status, reply.header("connection")), (200, Some("close")));
    assert!(client.is_closed());
}

#[test]
fn a_stop_does_not_wait_for_ever() {
    let grace = std::time::Duration::from_millis(50);
    let target = spawn(Options { grace, ..Options::default() }).unwrap();
    let mut client = Client::connect(target.address());
    let mut observer = Client::connect(target.address());
    client.write("GET", "/delay/10m", "", "").unwrap();
    while observer.truth()["in_flight"] != 1 {}
    drop(target);
    assert!(client.read("GET").is_err(), "it was cut off");
}
