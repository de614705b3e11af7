//! Every way to get no valid reply, and how it is counted.

use std::sync::Arc;

use nmax_http::{Config, Origin, Scheme};
use nmax_metrics::{Code, ErrorKind};
use tokio::net::TcpListener;

use crate::server::{client, client_with, config, get, origin, serve_always, serve_once};

/// The failure of one exchange, and that it left nothing behind.
async fn failure_of(config: Config, origin: &Origin) -> (ErrorKind, String) {
    let mut client = client_with(config);
    let exchange = client.exchange(&get(origin)).await;
    let failure = exchange.error.expect("the exchange must fail");
    assert_eq!((exchange.status, client.reply().status()), (None, None));
    assert_eq!(client.open_connections(), 0);
    assert!(exchange.done >= exchange.sent.unwrap_or_default());
    (failure.kind, failure.text.into_owned())
}

#[tokio::test]
async fn replies_that_break_off_or_are_none() {
    let cases: [(&'static [&'static str], ErrorKind, &str); 6] = [
        (&[], ErrorKind::Reset, "before it replied"),
        (&["HTTP/1.1 20"], ErrorKind::Reset, "the head"),
        (&["HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc"], ErrorKind::Reset, "the body"),
        (&["SSH-2.0-OpenSSH\r\n"], ErrorKind::Protocol, "\"SSH-2.0-OpenSSH\\r\\n\""),
        (&["HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab"], ErrorKind::Protocol, "more bytes"),
        (&["HTTP/1.1 200 OK\r\nbad header\r\n\r\n"], ErrorKind::Protocol, "head of the reply is broken"),
    ];
    for (pieces, kind, words) in cases {
        let (origin, _) = serve_once(pieces).await;
        let (found, text) = failure_of(config(), &origin).await;
        assert_eq!(found, kind, "{pieces:?}: {text}");
        assert!(text.contains(words), "{pieces:?}: {text}");
    }
}

#[tokio::test]
async fn a_refused_connection_names_the_address() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    drop(listener);
    let origin = origin(Scheme::Http, "127.0.0.1", address.port());
    let (kind, text) = failure_of(config(), &origin).await;
    assert_eq!(kind, ErrorKind::Connect);
    assert!(text.contains(&address.to_string()), "{text}");
}

/// A label longer than 63 bytes fails before any name server is asked.
#[tokio::test]
async fn an_unknown_name_is_a_dns_failure() {
    let origin = origin(Scheme::Http, &"a".repeat(64), 80);
    let (kind, text) = failure_of(config(), &origin).await;
    assert_eq!(kind, ErrorKind::Dns, "{text}");
}

#[tokio::test]
async fn a_blocked_address_is_never_connected() {
    let (literal, accepted) = serve_always("").await;
    for host in ["127.0.0.1", "localhost"] {
        let refuse = Config { allow: Arc::new(|host, ip| Err(format!("{host} at {ip} is off limits"))), ..config() };
        let (kind, text) = failure_of(refuse, &origin(Scheme::Http, host, literal.port)).await;
        assert_eq!(kind, ErrorKind::Blocked);
        assert!(text.starts_with(host) && text.ends_with("off limits"), "{text}");
    }
    assert_eq!(accepted.count(), 0);
}

#[tokio::test]
async fn a_body_beyond_the_limit() {
    for reply in [
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello",
        "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n",
    ] {
        let (origin, _) = serve_always(reply).await;
        let (kind, text) = failure_of(Config { body_limit: 4, ..config() }, &origin).await;
        assert_eq!(kind, ErrorKind::BodyLimit);
        assert!(text.contains("4 bytes"), "{text}");
    }
}

/// A failed request keeps its instants, and the next one starts afresh.
#[tokio::test]
async fn failures_do_not_stick() {
    let (bad, _) = serve_once(&["nonsense"]).await;
    let (good, _) = serve_always("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n").await;
    let mut client = client();
    let failed = client.exchange(&get(&bad)).await;
    assert!(failed.error.is_some() && failed.sent.unwrap() < failed.done);
    let fine = client.exchange(&get(&good)).await;
    assert_eq!((fine.status, fine.error), (Some(Code::new(200)), None));
}
