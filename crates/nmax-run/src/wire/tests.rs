use nmax_http::WireEvent;
use nmax_plan::planless::Planless;
use nmax_secrets::Redactor;

use super::lines::unchunked;
use super::log::{Seen, WireEntry};
use super::*;

fn sent(at_ms: u64, text: &str) -> Seen {
    Seen { at: Nanos(at_ms * 1_000_000), what: WireEntry::Sent(text.as_bytes().to_vec()) }
}

fn received(at_ms: u64, bytes: &[u8]) -> Seen {
    Seen { at: Nanos(at_ms * 1_000_000), what: WireEntry::Received(bytes.to_vec()) }
}

fn printed(show_secrets: bool, events: &[Seen]) -> String {
    let mut printer =
        Printer::new(Shown::new(show_secrets, &Redactor::new(&[("API_TOKEN".into(), "t0psecret".into())])));
    let mut text: String = events.iter().map(|event| printer.event(event)).collect();
    text.push_str(&printer.rest());
    text
}

#[test]
fn each_byte_has_its_place() {
    let text = printed(
        false,
        &[
            sent(1, "POST / HTTP/1.1\r\nhost: a\r\n\r\nx=1"),
            received(2, b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ntransfer-enc"),
            received(3, b"oding: chunked\r\n\r\n3\r\na\tb\r\n0\r\n\r\n"),
        ],
    );
    let want = "    1.00 ms > POST / HTTP/1.1\\r\\n\n    1.00 ms > host: a\\r\\n\n    1.00 ms > \\r\\n\n    1.00 ms > x=1\n    \
                2.00 ms < HTTP/1.1 100 Continue\\r\\n\n    2.00 ms < \\r\\n\n    2.00 ms < HTTP/1.1 200 OK\\r\\n\n    \
                2.00 ms < transfer-encoding: chunked\\r\\n\n    3.00 ms < \\r\\n\n    3.00 ms < 3\\r\\n\n    \
                3.00 ms < a\\tb\\r\\n\n    3.00 ms < 0\\r\\n\n    3.00 ms < \\r\\n\n";
    let squeezed = |text: &str| text.replace(' ', "");
    assert_eq!(squeezed(&text), squeezed(want), "{text}");
}

/// The frames of chunks hide no secret that stands in two of them.
#[test]
fn secrets_in_two_chunks_are_taken_out() {
    let head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".as_slice();
    let body = b"4\r\n{\"to\r\n16\r\nken\":\"hunter2abc\",\"x\":1\r\n1\r\n}\r\n0\r\n\r\n".as_slice();
    let text = printed(false, &[received(0, &[head, body].concat())]);
    assert!(!text.contains("hunter2") && text.contains("\"x\":1"), "{text}");
    assert_eq!(unchunked(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n").0, b"abcde");
    for cut in [b"zz\r\nabc".as_slice(), b"ffffffffffffffff\r\nabc", b"3", b""] {
        unchunked(cut);
    }
}

#[test]
fn what_does_not_print_is_hexadecimal() {
    let text = printed(false, &[received(0, b"HTTP/1.1 200 OK\r\n\r\n\x00\x1b[31m\xff \xc3\xa4 \xe2\x80\xae\n")]);
    assert!(text.contains("\\x00\\x1b[31m\\xff ä \\xe2\\x80\\xae\\n"), "{text}");
    assert!(!text.contains('\x1b'));
}

/// A secret that comes in two pieces is one secret.
#[test]
fn secrets_are_taken_out_unless_asked_for() {
    let events = [
        sent(0, "GET /?token=abcdef HTTP/1.1\r\nauthorization: Bea"),
        sent(1, "rer s3cret\r\n\r\n"),
        received(2, b"HTTP/1.1 200 OK\r\nset-cookie: sid=s3cret\r\n\r\n{\"password\": \"s3cret\"}"),
    ];
    let text = printed(false, &events);
    assert!(!text.contains("s3cret") && !text.contains("abcdef"), "{text}");
    assert!(text.contains("authorization: Bearer REDACTED\\r\\n"), "{text}");
    let text = printed(true, &events);
    assert_eq!(text.matches("s3cret").count(), 3, "{text}");
}

/// The tunnel's head is not the request's: both begin a message, and the secrets of both are taken out.
#[test]
fn a_proxys_credentials_are_taken_out() {
    let events = [
        sent(0, "CONNECT a:443 HTTP/1.1\r\nhost: a:443\r\nproxy-authorization: Basic s3cret\r\n\r\n"),
        received(1, b"HTTP/1.1 200 Connection established\r\n\r\n"),
        Seen { at: Nanos(2_000_000), what: WireEntry::Note("TLS".into()) },
        sent(3, "GET / HTTP/1.1\r\nauthorization: Bearer s3cret\r\n\r\n"),
    ];
    let text = printed(false, &events);
    assert!(text.contains("> CONNECT a:443") && text.contains("< HTTP/1.1 200 Connection"), "{text}");
    assert!(!text.contains("s3cret") && text.matches("REDACTED").count() == 2, "{text}");
}

/// As in the examples of failures: a part whose name is a secret's, however its lines come.
#[test]
fn parts_with_secret_names_are_taken_out() {
    let head = "POST / HTTP/1.1\r\ncontent-type: multipart/form-data; boundary=b0\r\n\r\n";
    let part = |name: &str, content: &str| {
        format!("--b0\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{content}\r\n")
    };
    let body = part("password", "hunter2\r\nhunter3") + &part("note", "kept") + "--b0--\r\n";
    let whole = printed(false, &[sent(0, &format!("{head}{body}"))]);
    assert!(!whole.contains("hunter"), "{whole}");
    assert!(whole.contains("> kept\\r\\n") && whole.matches("REDACTED\\r\\n").count() == 2, "{whole}");
    // An early reply breaks a line of the request anywhere.
    for at in 0..body.len() {
        let events = [
            sent(0, &format!("{head}{}", &body[..at])),
            received(1, b"HTTP/1.1 413 Content Too Large\r\n\r\nno"),
            sent(2, &body[at..]),
        ];
        let text = printed(false, &events);
        assert!(!text.contains("hunter2") && !text.contains("hunter3"), "{at}: {text}");
    }
    assert!(printed(true, &[sent(0, &format!("{head}{body}"))]).contains("hunter2"));
}

#[test]
fn values_of_secret_variables_are_taken_out() {
    let events = [sent(0, "GET /t0psecret/x HTTP/1.1\r\n\r\n")];
    assert!(printed(false, &events).contains("GET /REDACTED/x HTTP"));
    assert!(printed(true, &events).contains("GET /t0psecret/x HTTP"));
}

#[test]
fn long_bodies_are_cut_and_their_bytes_counted() {
    let body: String = (0..10_000).map(|n| if n % 100 == 99 { '\n' } else { 'x' }).collect();
    let reply = format!("HTTP/1.1 200 OK\r\n\r\n{body}");
    let text = printed(false, &[received(0, reply.as_bytes())]);
    assert!(text.contains("< [6,000 more bytes]"), "{text}");
    // One line without an end, in pieces.
    let mut events = vec![received(0, b"HTTP/1.1 200 OK\r\n\r\n")];
    events.extend((0..10).map(|_| received(1, &[b'y'; 1_000])));
    let text = printed(false, &events);
    assert!(text.contains("[line of 4,000 bytes]") && text.contains("[6,000 more bytes]"), "{text}");
}

/// A second request on the connection starts with a head again.
#[test]
fn heads_and_bodies_are_told_apart_in_every_message() {
    let exchange = |n: u64| {
        [
            sent(n, "GET / HTTP/1.1\r\ncookie: a=secret1\r\n\r\n"),
            received(n, b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"),
        ]
    };
    let between = Seen { at: Nanos(1_000_000), what: WireEntry::Note("on the connection of before".into()) };
    let text = printed(false, &[exchange(1).as_slice(), &[between], &exchange(2)].concat());
    assert!(!text.contains("secret1"), "{text}");
    assert_eq!(text.matches("cookie: a=REDACTED").count(), 2, "{text}");
}

#[test]
fn the_end_of_the_socket_is_told() {
    let at = |ms: u64| Nanos(ms * 1_000_000);
    let after = |events: &[(u64, WireEvent)]| {
        let log = Arc::new(Log::default());
        let hook = log.hook();
        events.iter().for_each(|(ms, event)| hook(at(*ms), event));
        log.socket()
    };
    let reply = (5, WireEvent::Received(b"x"));
    assert_eq!(after(&[]), None);
    assert_eq!(after(&[reply, (5, WireEvent::Kept)]), Some(Socket::Kept));
    let closed = [reply, (5, WireEvent::Closed), (5, WireEvent::Awaited), (17, WireEvent::ClosedByServer)];
    assert_eq!(after(&closed), Some(Socket::ClosedAfter(at(12))));
    assert_eq!(after(&closed[..3]), Some(Socket::Held(at(2_000))));
    // This end closed it, as after an error: nothing is awaited.
    assert_eq!(after(&closed[..2]), None);
    // The end of the connection was the end of the reply, or broke it off.
    let ended = [reply, (17, WireEvent::ClosedByServer), (17, WireEvent::Closed)];
    assert_eq!(after(&ended), Some(Socket::ClosedAfter(at(12))));
}

#[test]
fn the_wanted_request_is_the_last_one_sent() {
    let mut plan = Plan::for_url(&Planless::get("http://127.0.0.1/a?b=c")).unwrap();
    assert_eq!(cut(&mut plan, None), Ok(0));
    assert_eq!(cut(&mut plan, Some("GET /a")), Ok(0));
    let error = cut(&mut plan, Some("other")).unwrap_err();
    assert!(error.contains("choose one of: GET /a"), "{error}");
}
