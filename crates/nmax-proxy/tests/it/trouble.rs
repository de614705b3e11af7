//! What goes wrong is said: to the client, and in the recording.

use nmax_import::recording::Entry;
use nmax_proxy::{Event, Hosts};
use nmax_target::Options;
use nmax_testkit::servers::{BadServer, Habit, refusing_url};

use crate::bench::{Bench, settings};

fn exchanges(events: Vec<Event>) -> Vec<Entry> {
    let exchange = |event| match event {
        Event::Exchange(entry) => Some(*entry),
        _ => None,
    };
    events.into_iter().filter_map(exchange).collect()
}

#[test]
fn a_server_that_cannot_be_asked_is_named() {
    let refusing = refusing_url();
    let silent = BadServer::start(Habit::NotHttp);
    // url                                   status  words
    let cases = [
        (refusing.clone(), 502, vec!["127.0.0.1", "refused", "start the server"]),
        ("http://nobody.invalid/".into(), 502, vec!["nobody.invalid", "cannot be resolved", "spelling"]),
        (silent.url(), 502, vec!["sent no valid reply"]),
    ];
    let mut settings = settings();
    settings.hosts.add("nobody.invalid").unwrap();
    let mut bench = Bench::with(&settings);
    for (url, status, words) in cases {
        let answer = bench.client().get(&url);
        assert_eq!(answer.status(), status, "{url}");
        for word in &words {
            assert!(answer.text().contains(word), "{url}: {word}: {}", answer.text());
        }
        let entry = bench.entry();
        assert!(entry.response.is_none(), "{url}");
        assert!(entry.comment.contains(words[0]), "{url}: {}", entry.comment);
    }
    // A browser gets a page, and what it shows cannot become markup.
    let mut client = bench.client();
    client.send(format!("GET {refusing} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\n\r\n"));
    let answer = client.answer("GET");
    assert!(answer.text().contains("<h1>No reply</h1>"), "{}", answer.text());
}

#[test]
fn a_reply_that_breaks_off_is_recorded_as_far_as_it_came() {
    let server = BadServer::start(Habit::ClosesMidReply);
    let mut bench = Bench::new();
    let mut client = bench.client();
    client.send(format!("GET {} HTTP/1.1\r\nHost: x\r\n\r\n", server.url()));
    assert!(client.head().contains("content-length: 100"));
    let entry = bench.entry();
    let response = entry.response.unwrap();
    let body = response.body.unwrap();
    assert_eq!((body.bytes.as_slice(), body.is_cut), (&b"abc"[..], true));
    assert!(entry.comment.contains("broke off"), "{}", entry.comment);
}

#[test]
fn the_proxy_does_not_ask_itself() {
    let bench = Bench::new();
    let own = bench.address();
    let front = bench.client().get(&format!("http://{own}/"));
    assert!(front.status() == 200 && front.text().contains("nmax is recording"));
    let pem = bench.client().get("/ca.pem");
    assert_eq!(pem.text(), bench.recorder.ca.pem);
    assert_eq!(bench.client().get("/ca.crt").body, bench.recorder.ca.der);
    let missing = bench.client().get("/favicon.ico");
    assert!(missing.status() == 404 && missing.text().contains(&own.to_string()), "{}", missing.text());
    // Through a tunnel and by a name, too.
    let mut settings = settings();
    settings.hosts = Hosts::of_page("shop.test").unwrap();
    let bench = Bench::with(&settings);
    let mut client = bench.client();
    client.send(format!("CONNECT localhost:{0} HTTP/1.1\r\nHost: x\r\n\r\n", bench.address().port()));
    assert_eq!(client.answer("CONNECT").status(), 508);
    let (events, _) = bench.end();
    assert_eq!(exchanges(events), []);
}

#[test]
fn what_is_no_http_is_counted() {
    let bench = Bench::new();
    for garbage in [&b"\x00\x01\x02\x03\r\n\r\n"[..], b"EHLO mail.test\r\n\r\n", b"\x16\x03\x01\x00\x05hello"] {
        let mut client = bench.client();
        client.send(garbage);
        let mut rest = Vec::new();
        // An answer or none, but an end.
        let _ = std::io::Read::read_to_end(&mut client.stream, &mut rest);
    }
    let (_, summary) = bench.end();
    assert_eq!(summary.garbage, 3);
}

#[test]
fn the_end_takes_what_is_under_way() {
    let target = nmax_target::spawn(Options::default()).unwrap();
    let bench = Bench::new();
    let mut body = bench.client();
    body.send(format!("GET {}/drip?bytes=1000000&for=60s HTTP/1.1\r\nHost: x\r\n\r\n", target.url()));
    body.head();
    body.bytes(100);
    let mut head = bench.client();
    head.send(format!("GET {}/delay/60s HTTP/1.1\r\nHost: x\r\n\r\n", target.url()));
    let mut gone = bench.client();
    gone.send(format!("GET {}/drip?bytes=1000000&for=61s HTTP/1.1\r\nHost: x\r\n\r\n", target.url()));
    gone.head();
    drop(gone);
    let mut done = bench.client();
    done.get(&format!("{}/hello", target.url()));
    let (events, _) = bench.end();
    let entries = exchanges(events);
    let of = |path: &str| entries.iter().find(|entry| entry.request.url.contains(path)).unwrap();
    assert_eq!(entries.len(), 4, "each once: {entries:#?}");
    let body = of("for=60s");
    assert!(body.comment.contains("recording ended"), "{}", body.comment);
    let kept = body.response.as_ref().unwrap().body.as_ref().unwrap();
    assert!(kept.bytes.len() >= 100 && kept.is_cut);
    assert!(of("delay").response.is_none());
    assert!(of("for=61s").comment.contains("client closed"), "{}", of("for=61s").comment);
    assert_eq!(of("hello").comment, "");
}

#[test]
fn plain_requests_to_other_hosts_pass_and_are_listed() {
    let target = nmax_target::spawn(Options::default()).unwrap();
    let mut settings = settings();
    settings.hosts = Hosts::of_page("shop.test").unwrap();
    let bench = Bench::with(&settings);
    assert_eq!(bench.client().get(&format!("{}/hello", target.url())).text(), "hello");
    let (events, summary) = bench.end();
    assert_eq!(events, [Event::Passed("127.0.0.1".into())]);
    assert_eq!(summary.passed["127.0.0.1"].count, 1);
}

#[test]
fn a_browser_that_asks_its_maker_is_refused_without_asking_anybody() {
    let mut settings = settings();
    settings.is_browser_silenced = true;
    let bench = Bench::with(&settings);
    let mut client = bench.client();
    client.send("CONNECT update.googleapis.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_eq!(client.answer("CONNECT").status(), 403);
    assert_eq!(bench.client().get("http://clients2.google.com/time").status(), 403);
    let (events, summary) = bench.end();
    assert!(events.is_empty(), "{events:?}");
    assert_eq!(summary.refused.keys().collect::<Vec<_>>(), ["clients2.google.com", "update.googleapis.com"]);
    // One that is recorded belongs to the site.
    settings.hosts.add("accounts.google.com").unwrap();
    let bench = Bench::with(&settings);
    let mut client = bench.client();
    client.send("CONNECT accounts.google.com:443 HTTP/1.1\r\nHost: x\r\n\r\n");
    // Into the recorder, which asks nobody yet.
    assert!(client.head().starts_with("HTTP/1.1 200 "));
}
