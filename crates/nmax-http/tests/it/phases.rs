//! Limits of the phases of an exchange, and the time that sending takes.

use std::rc::Rc;
use std::time::Duration;

use nmax_http::{Alarm, Client, Config, Origin, PhaseLimits, Request, Scheme, Shared};
use nmax_metrics::{Clock, Code, ErrorKind, Nanos};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::server::{
    GET, Readings, by_alarm, client, client_by_hand, config, get, give_up, origin, pause, read_request, serve,
    serve_always, sized,
};

const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A listener whose backlog is full drops further connects without a word.
async fn silent_address() -> (Origin, TcpListener, Vec<TcpStream>) {
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut waiting = Vec::new();
    while let Ok(Ok(stream)) =
        tokio::time::timeout(Duration::from_millis(50), TcpStream::connect(("127.0.0.1", port))).await
    {
        waiting.push(stream);
        assert!(waiting.len() < 100, "the backlog never fills");
    }
    (origin(Scheme::Http, "127.0.0.1", port), listener, waiting)
}

/// A server that accepts and then does nothing.
async fn deaf() -> Origin {
    let (origin, _) = serve(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    origin
}

/// Seconds of each phase, all different, so that a text tells whose limit it was.
fn limits() -> PhaseLimits {
    let secs = |secs| Some(Nanos::from_secs(secs));
    PhaseLimits { dns: secs(1), connect: secs(2), tls: secs(3), send: secs(4), wait: secs(5), receive: secs(6) }
}

fn limited() -> Config {
    Config { phase_limits: limits(), ..config() }
}

async fn check(settings: Config, origin: &Origin, bytes: usize, phase: &str, limit_s: u64) {
    let (mut client, _, clock, alarm) = client_by_hand(settings);
    clock.set(Nanos::from_millis(500));
    let text = sized(bytes);
    let request = Request { text: &text, ..get(origin) };
    let (exchange, visited) = by_alarm(&clock, &alarm, client.exchange(&request)).await;
    let failure = exchange.error.expect("nothing ever comes");
    assert_eq!(failure.kind, ErrorKind::Timeout, "{phase}: {}", failure.text);
    let words = [format!("limit of phase {phase}"), format!("{limit_s}s")];
    assert!(words.iter().all(|w| failure.text.contains(w)), "{}", failure.text);
    let due = Nanos::from_millis(500) + Nanos::from_secs(limit_s);
    assert_eq!((visited, exchange.done), (vec![due], due), "{phase}");
    assert_eq!(client.open_connections(), 0);
    let before = exchange.sent.unwrap_or(exchange.done).since(Nanos::from_millis(500));
    assert!(exchange.network.total() <= before, "{phase}: {:?}", exchange.network);
}

#[tokio::test]
async fn each_phase_ends_at_its_own_limit() {
    let silent_server = tokio::net::UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let mut asking = limited();
    asking.names.servers = vec![silent_server.local_addr().unwrap()];
    let named = origin(Scheme::Http, "shop.test", 80);
    check(asking, &named, GET.len(), "dns", 1).await;

    let (silent, listener, waiting) = silent_address().await;
    check(limited(), &silent, GET.len(), "connect", 2).await;
    drop((listener, waiting));

    let deaf = deaf().await;
    let https = Origin { scheme: Scheme::Https, ..deaf.clone() };
    check(limited(), &https, GET.len(), "tls", 3).await;
    check(limited(), &deaf, 20_000_000, "send", 4).await;
    check(limited(), &deaf, GET.len(), "wait", 5).await;

    let (slow, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        let part = b"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx";
        stream.write_all(part).await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    check(limited(), &slow, GET.len(), "receive", 6).await;
}

/// An interim reply is no first byte, however it comes: the wait goes on, from its own beginning.
#[tokio::test]
async fn an_interim_reply_does_not_end_the_wait() {
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 103 Early ").await.unwrap();
        pause().await;
        stream.write_all(b"Hints\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    check(limited(), &origin, GET.len(), "wait", 5).await;
}

/// Each reply comes at once, so no limit passes, and none of an earlier phase sticks.
#[tokio::test]
async fn limits_that_are_kept_change_nothing() {
    let (origin, accepted) = serve_always(TINY).await;
    let (mut client, _, clock, _) = client_by_hand(limited());
    for round in 0..20 {
        clock.set(Nanos::from_secs(round * 100));
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
    }
    assert_eq!(accepted.count(), 1);
}

#[tokio::test]
async fn without_limits_no_alarm_is_set() {
    let (mut client, _, _, alarm) = client_by_hand(config());
    let origin = deaf().await;
    give_up(client.exchange(&get(&origin))).await;
    assert_eq!(alarm.get(), None);
}

/// A small request is taken by one write, and its send takes no time by definition. A large one waits for the
/// server to read; that is part of the time to first byte.
#[tokio::test]
async fn sending_has_a_time_of_its_own() {
    const SIZE: usize = 20_000_000;
    let (origin, _) = serve(|mut stream, _| async move {
        let mut request = vec![0; SIZE];
        while stream.read_exact(&mut request).await.is_ok() {
            stream.write_all(TINY.as_bytes()).await.unwrap();
        }
    })
    .await;
    let (large, mut client) = (sized(SIZE), client());
    for _ in 0..2 {
        let exchange = client.exchange(&Request { text: &large, ..get(&origin) }).await;
        assert_eq!((exchange.status, exchange.bytes_sent), (Some(Code::new(200)), SIZE as u64));
        let ttfb = exchange.first_byte.unwrap().since(exchange.sent.unwrap());
        assert!(exchange.send > Nanos::ZERO && exchange.send <= ttfb, "{exchange:?}");
    }
    let (origin, _) = serve_always(TINY).await;
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!((exchange.status, exchange.send), (Some(Code::new(200)), Nanos::ZERO));
}

/// The time of an upload that was cut off is known, too.
#[tokio::test]
async fn a_dropped_upload_tells_how_long_it_was_sent() {
    let (mut client, _, clock, _) = client_by_hand(config());
    let (origin, large) = (deaf().await, sized(20_000_000));
    let request = Request { text: &large, ..get(&origin) };
    give_up(client.exchange(&request)).await;
    clock.set(Nanos::from_secs(9));
    let known = client.abandon();
    assert_eq!((known.send, known.first_byte), (Nanos::from_secs(9), None));
    pause().await;
}

/// Law: DNS + connect + TLS <= sent - start, for the time that a client needs lies between its phases.
#[tokio::test]
async fn the_spans_of_connecting_lie_before_the_sending() {
    let (literal, _) = serve_always(TINY).await;
    let named = origin(Scheme::Http, "localhost", literal.port);
    let clock = Readings::default();
    let shared = Rc::new(Shared::new(config(), clock.clone()).unwrap());
    let mut client = Client::new(shared, Alarm::default());
    for round in 0..3 {
        let start = clock.now();
        let exchange = client.exchange(&get(&named)).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
        let before = exchange.sent.unwrap().since(start);
        assert!(exchange.network.total() <= before);
        assert_eq!(exchange.network.total() > Nanos::ZERO, round == 0, "a kept connection has none");
    }
}
