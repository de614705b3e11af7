//! Valid replies: framing on real sockets, reuse of connections, instants and counts.

use std::rc::Rc;

use nmax_http::{Alarm, Client, Config, KeepBody, Request, Scheme, Shared};
use nmax_metrics::{Code, Fence, Nanos, Network};
use tokio::io::AsyncWriteExt;

use crate::server::{
    GET, Readings, answer_always, client, client_with, config, get, give_up, origin, pause, read_request, serve,
    serve_always, serve_once, sized,
};

const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

#[tokio::test]
async fn one_connection_serves_many_exchanges() {
    let (origin, accepted) = serve_always(TINY).await;
    let mut client = client();
    for round in 0..5 {
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
        assert_eq!(exchange.opened.is_some(), round == 0);
        assert_eq!(exchange.network != Network::default(), round == 0);
        assert_eq!(exchange.bytes_sent, GET.len() as u64);
        assert_eq!(exchange.bytes_received, TINY.len() as u64);
        assert_eq!(client.reply().body(), b"ok");
        assert_eq!(client.open_connections(), 1);
    }
    assert_eq!(accepted.count(), 1);
    client.close();
    assert_eq!(client.open_connections(), 0);
}

/// The hot path reads the clock twice: before sending and after the one receive.
#[tokio::test]
async fn two_clock_readings_per_exchange() {
    let (origin, _) = serve_always(TINY).await;
    let clock = Readings::default();
    let mut client = Client::new(Rc::new(Shared::new(config(), clock.clone()).unwrap()), Alarm::default());
    client.exchange(&get(&origin)).await;
    for _ in 0..10 {
        let before = clock.count();
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!(clock.count() - before, 2);
        assert_eq!(exchange.sent.unwrap().0, before + 1);
        assert_eq!(exchange.first_byte, Some(exchange.done));
    }
}

/// Wherever the fence stands, no connection is opened and no byte sent at or after it, over a fresh connection or a kept one.
#[tokio::test]
async fn nothing_is_sent_from_the_fence_on() {
    let mut fenced = [0; 2];
    for fence in (1..30).map(Nanos) {
        let (origin, accepted) = serve_always(TINY).await;
        let mut client = client_with(Config { fence: Fence::at(fence), ..config() });
        for (round, fenced) in fenced.iter_mut().enumerate() {
            let exchange = client.exchange(&get(&origin)).await;
            assert_eq!(exchange.is_fenced, exchange.sent.is_none_or(|sent| sent >= fence), "{fence:?}, {round}");
            assert_eq!((exchange.bytes_sent == 0, exchange.error.is_some()), (exchange.is_fenced, exchange.is_fenced));
            *fenced += u32::from(exchange.is_fenced);
        }
        assert!(fence > Nanos(1) || accepted.count() == 0);
    }
    assert!(0 < fenced[0] && fenced[0] < fenced[1] && fenced[1] < 29, "{fenced:?}");
}

#[tokio::test]
async fn connections_that_must_close() {
    let closing = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok";
    let old = "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok";
    for (reply, keep_alive) in [(closing, true), (old, true), (TINY, false)] {
        let (origin, accepted) = serve_always(reply).await;
        let mut client = client();
        for _ in 0..2 {
            let exchange = client.exchange(&Request { keep_alive, ..get(&origin) }).await;
            assert_eq!((exchange.status, exchange.retried), (Some(Code::new(200)), false));
            assert_eq!(client.open_connections(), 0, "{reply:?}");
        }
        assert_eq!(accepted.count(), 2, "{reply:?}");
    }
}

#[tokio::test]
async fn bodies_in_pieces() {
    let chunked = &["HTTP/1.1 200 OK\r\ntransfer-enc", "oding: chunked\r\n\r\n5", "\r\nhel", "lo\r\n0\r\n\r\n"];
    let by_length = &["HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nh", "ello"];
    let until_close = &["HTTP/1.1 200 OK\r\n\r\n", "hel", "lo"];
    for pieces in [&chunked[..], by_length, until_close] {
        let (origin, _) = serve_once(pieces).await;
        let mut client = client();
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None), "{pieces:?}");
        assert_eq!(client.reply().body(), b"hello");
        assert_eq!(exchange.bytes_received, pieces.iter().map(|p| p.len() as u64).sum::<u64>());
        let (sent, first, done) = (exchange.sent.unwrap(), exchange.first_byte.unwrap(), exchange.done);
        assert!(sent < first && first < done, "{pieces:?}: {sent:?} {first:?} {done:?}");
    }
}

#[tokio::test]
async fn head_and_204_have_no_body() {
    let (origin, accepted) = serve_always("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\n").await;
    let mut client = client();
    for _ in 0..2 {
        let exchange = client.exchange(&Request { is_head: true, ..get(&origin) }).await;
        assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
    }
    assert_eq!(accepted.count(), 1);
    let (origin, _) = serve_always("HTTP/1.1 204 No Content\r\n\r\n").await;
    assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(204)));
    assert_eq!(client.open_connections(), 2, "one per origin");
}

#[tokio::test]
async fn the_first_byte_is_that_of_the_final_reply() {
    let (origin, _) = serve_once(&["HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n", TINY]).await;
    let mut client = client();
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!((exchange.status, exchange.informational), (Some(Code::new(200)), 1));
    assert_eq!(exchange.first_byte, Some(exchange.done), "not the instant of the interim reply");
    assert_eq!(client.reply().header("link"), None);
}

/// A close that was seen while idle costs a new connection and no retry, so a POST is safe too.
#[tokio::test]
async fn a_connection_closed_while_idle_is_not_used() {
    let (origin, accepted) = serve_once(&[TINY]).await;
    let mut client = client();
    for _ in 0..2 {
        let exchange = client.exchange(&Request { idempotent: false, ..get(&origin) }).await;
        assert_eq!((exchange.status, exchange.retried), (Some(Code::new(200)), false));
        assert!(exchange.opened.is_some());
        pause().await;
        pause().await;
    }
    assert_eq!(accepted.count(), 2);
}

/// The server closes the moment the second request arrives: only one that may be repeated is.
#[tokio::test]
async fn a_stale_connection_is_retried_once() {
    for idempotent in [true, false] {
        let (origin, accepted) = serve(|mut stream, number| async move {
            read_request(&mut stream).await;
            stream.write_all(TINY.as_bytes()).await.unwrap();
            if number == 0 {
                read_request(&mut stream).await;
            } else {
                answer_always(stream, TINY).await;
            }
        })
        .await;
        let mut client = client();
        let request = Request { idempotent, ..get(&origin) };
        let first = client.exchange(&request).await;
        let second = client.exchange(&request).await;
        assert_eq!(second.retried, idempotent);
        assert_eq!(second.status, idempotent.then_some(Code::new(200)));
        assert_eq!(second.error.is_none(), idempotent);
        assert_eq!(accepted.count(), 1 + usize::from(idempotent));
        let sends = 1 + u64::from(idempotent);
        assert_eq!(second.bytes_sent, sends * GET.len() as u64);
        assert!(second.sent.unwrap() > first.done);
    }
}

/// A fresh connection is never retried: the server would see two requests for one.
#[tokio::test]
async fn a_fresh_connection_is_not_retried() {
    let (origin, accepted) = serve_once(&[]).await;
    let exchange = client().exchange(&get(&origin)).await;
    assert!(exchange.error.is_some() && !exchange.retried);
    assert_eq!(accepted.count(), 1);
}

#[tokio::test]
async fn large_bodies_are_counted_or_kept_in_part() {
    const SIZE: usize = 3_000_000;
    let (origin, accepted) = serve(|mut stream, _| async move {
        while read_request(&mut stream).await {
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {SIZE}\r\n\r\n");
            stream.write_all(head.as_bytes()).await.unwrap();
            stream.write_all(&vec![b'x'; SIZE]).await.unwrap();
        }
    })
    .await;
    let mut client = client();
    for (keep_body, kept) in [(KeepBody::Discard, 0), (KeepBody::UpTo(1000), 1000)] {
        let exchange = client.exchange(&Request { keep_body, ..get(&origin) }).await;
        assert_eq!(exchange.error, None);
        assert!(exchange.bytes_received > SIZE as u64);
        let reply = client.reply();
        assert_eq!((reply.body().len(), reply.body_truncated()), (kept, kept > 0));
    }
    assert_eq!(accepted.count(), 1);
}

/// A server may refuse an upload before it has read it.
#[tokio::test]
async fn an_early_reply_ends_the_upload() {
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        stream.write_all(b"HTTP/1.1 413 Too Large\r\ncontent-length: 0\r\n\r\n").await.unwrap();
        std::future::pending::<()>().await;
    })
    .await;
    let (text, mut client) = (sized(20_000_000), client());
    let exchange = client.exchange(&Request { text: &text, ..get(&origin) }).await;
    assert_eq!(exchange.status, Some(Code::new(413)));
    assert!(exchange.bytes_sent < text.bytes().len() as u64);
    assert_eq!(client.open_connections(), 0, "the server would take the rest for a request");
}

#[tokio::test]
async fn a_dropped_exchange_tells_what_is_known() {
    let (origin, accepted) = serve(|mut stream, number| async move {
        if number == 0 {
            read_request(&mut stream).await;
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx").await.unwrap();
            std::future::pending::<()>().await;
        }
        answer_always(stream, TINY).await;
    })
    .await;
    let mut client = client();
    give_up(client.exchange(&get(&origin))).await;
    let known = client.abandon();
    assert!(known.sent.unwrap() < known.first_byte.unwrap() && known.first_byte.unwrap() < known.done);
    assert_eq!((known.bytes_sent, known.bytes_received), (GET.len() as u64, 39));
    assert_eq!((known.status, known.error), (None, None));
    assert_eq!((client.open_connections(), client.reply().status()), (0, None));
    assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(200)));
    assert_eq!(accepted.count(), 2);
}

#[tokio::test]
async fn a_server_that_never_answers_leaves_no_first_byte() {
    let (origin, _) = serve(|stream, _| async move {
        std::future::pending::<()>().await;
        drop(stream);
    })
    .await;
    let mut client = client();
    give_up(client.exchange(&get(&origin))).await;
    let known = client.abandon();
    assert!(known.sent.is_some() && known.first_byte.is_none() && known.opened.is_some());
}

/// A visitor of many origins holds few connections; the one unused for longest goes.
#[tokio::test]
async fn kept_connections_are_limited() {
    let mut client = client();
    let mut origins = Vec::new();
    for _ in 0..17 {
        origins.push(serve_always(TINY).await.0);
        client.exchange(&get(origins.last().unwrap())).await;
    }
    assert_eq!(client.open_connections(), 16);
    assert!(client.exchange(&get(&origins[1])).await.opened.is_none());
    assert!(client.exchange(&get(&origins[0])).await.opened.is_some());
}

/// Names go through the resolver once, and every address is shown to the hook.
#[tokio::test]
async fn names_are_resolved_and_cached() {
    let (literal, accepted) = serve_always(TINY).await;
    let seen = std::sync::Arc::new(std::sync::Mutex::new(Vec::new()));
    let log = std::sync::Arc::clone(&seen);
    let config = Config {
        allow: std::sync::Arc::new(move |host, address| {
            log.lock().unwrap().push((host.to_owned(), address));
            Ok(())
        }),
        ..config()
    };
    let mut client = crate::server::client_with(config);
    let origin = origin(Scheme::Http, "localhost", literal.port);
    let first = client.exchange(&get(&origin)).await;
    assert_eq!(first.status, Some(Code::new(200)), "{:?}", first.error);
    assert!(first.network.dns.0 > 0 && first.network.connect.0 > 0);
    assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(200)));
    assert_eq!(accepted.count(), 1);
    let seen = seen.lock().unwrap();
    assert!(seen.iter().all(|(host, address)| host == "localhost" && address.is_loopback()));
    assert!(seen.iter().any(|(_, address)| address.to_string() == "127.0.0.1"));
}
