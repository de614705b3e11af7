//! Servers that misbehave, one test for each trap that some load generator fell into.

use nmax_http::{Config, KeepBody, Origin, PhaseLimits, Request};
use nmax_metrics::{Code, ErrorKind, Nanos};
use tokio::io::AsyncWriteExt;

use crate::server::{
    Accepted, by_alarm, client, client_by_hand, client_with, config, get, give_up, pause, read_request, serve,
    serve_always, serve_once,
};

const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A server that answers once and keeps the socket open, as if it had said keep-alive.
async fn answer_and_stay(reply: &'static str) -> (Origin, Accepted) {
    serve(move |mut stream, _| async move {
        read_request(&mut stream).await;
        stream.write_all(reply.as_bytes()).await.unwrap();
        std::future::pending::<()>().await;
    })
    .await
}

/// Waiting for the end of the connection took another tool 15 s in place of 0.1 s.
#[tokio::test]
async fn an_http_1_0_reply_with_a_length_ends_at_its_length() {
    let (origin, _) = answer_and_stay("HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    let mut client = client();
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!((exchange.status, client.reply().body()), (Some(Code::new(200)), &b"ok"[..]));
    assert_eq!(client.open_connections(), 0, "the server did not offer to keep it");
}

#[tokio::test]
async fn an_http_1_0_reply_without_a_length_ends_at_the_close() {
    let (origin, _) = serve_once(&["HTTP/1.0 200 OK\r\n\r\n", "ok"]).await;
    let mut client = client();
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!((exchange.status, client.reply().body()), (Some(Code::new(200)), &b"ok"[..]));

    let (origin, _) = answer_and_stay("HTTP/1.0 200 OK\r\n\r\nok").await;
    // More of the body may come.
    give_up(client.exchange(&get(&origin))).await;
}

#[tokio::test]
async fn an_http_1_0_reply_with_keep_alive_keeps_the_connection() {
    let reply = "HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nok";
    let (origin, accepted) = serve_always(reply).await;
    let mut client = client();
    for _ in 0..3 {
        assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(200)));
    }
    assert_eq!(accepted.count(), 1);
}

/// Whoever looks for `Content-length: ` as text hangs on a kept connection.
#[tokio::test]
async fn header_names_have_no_case() {
    for reply in [
        "HTTP/1.1 200 OK\r\nCONTENT-LENGTH:2\r\n\r\nok",
        "HTTP/1.1 200 OK\r\ncOnTeNt-LeNgTh: \t2 \r\n\r\nok",
        "HTTP/1.1 200 OK\r\nTRANSFER-ENCODING:CHUNKED\r\n\r\n2;x=y\r\nok\r\n0\r\nTrailer: t\r\n\r\n",
        "HTTP/1.1 200 OK\r\nX-Content-Length: 9\r\ncontent-length: 2\r\n\r\nok",
    ] {
        let (origin, accepted) = serve_always(reply).await;
        let mut client = client();
        for _ in 0..2 {
            let exchange = client.exchange(&get(&origin)).await;
            assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None), "{reply:?}");
            assert_eq!(client.reply().body(), b"ok", "{reply:?}");
        }
        assert_eq!(accepted.count(), 1, "{reply:?}");
        let (origin, accepted) =
            serve_always("HTTP/1.1 200 OK\r\nCONNECTION: Close\r\ncontent-length: 0\r\n\r\n").await;
        for _ in 0..2 {
            client.exchange(&get(&origin)).await;
        }
        assert_eq!(accepted.count(), 2);
    }
}

/// A server that sends a body byte by byte.
async fn drip(length: usize) -> Origin {
    let (origin, _) = serve(move |mut stream, _| async move {
        stream.set_nodelay(true).unwrap();
        read_request(&mut stream).await;
        let head = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
        stream.write_all(head).await.unwrap();
        for _ in 0..length {
            for byte in b"1\r\nx\r\n" {
                if stream.write_all(&[*byte]).await.is_err() {
                    return;
                }
                tokio::task::yield_now().await;
            }
        }
        stream.write_all(b"0\r\n\r\n").await.unwrap();
        pause().await;
    })
    .await;
    origin
}

#[tokio::test]
async fn a_body_that_drips_is_received_for_as_long_as_it_drips() {
    let mut client = client();
    let exchange = client.exchange(&get(&drip(100).await)).await;
    assert_eq!((exchange.status, client.reply().body().len()), (Some(Code::new(200)), 100));
    let receive = exchange.done.since(exchange.first_byte.unwrap());
    assert!(receive.0 >= 10, "many receives make many readings: {receive:?}");
}

#[tokio::test]
async fn a_body_that_drips_for_ever_ends_at_the_body_limit() {
    let mut client = client_with(Config { body_limit: 50, ..config() });
    let exchange = client.exchange(&Request { keep_body: KeepBody::Discard, ..get(&drip(usize::MAX).await) }).await;
    assert_eq!(exchange.error.unwrap().kind, ErrorKind::BodyLimit);
}

/// Each byte wakes the exchange, and none of them may put off the limit.
#[tokio::test]
async fn a_body_that_drips_does_not_put_off_the_receive_limit() {
    let limit = Nanos::from_secs(2);
    let (mut client, _, clock, alarm) = client_by_hand(Config {
        phase_limits: PhaseLimits { receive: Some(limit), ..PhaseLimits::default() },
        ..config()
    });
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        let head = "HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\n";
        stream.write_all(head.as_bytes()).await.unwrap();
        while stream.write_all(b"x").await.is_ok() {
            pause().await;
        }
    })
    .await;
    let request = get(&origin);
    let mut exchange = std::pin::pin!(client.exchange(&request));
    for at_ms in 0.. {
        clock.set(Nanos::from_millis(at_ms * 100));
        tokio::select! {
            exchange = &mut exchange => {
                let failure = exchange.error.unwrap();
                assert_eq!(failure.kind, ErrorKind::Timeout, "{}", failure.text);
                assert!(exchange.done >= limit && exchange.done < limit + limit, "{:?}", exchange.done);
                assert!(exchange.bytes_received > 50, "it dripped all the time");
                return;
            }
            () = pause() => assert!(at_ms < 100, "the alarm of {:?} was put off", alarm.get()),
        }
    }
}

/// The server resets the connection in the middle of a body: an error, and no second attempt.
#[tokio::test]
async fn a_reset_in_the_middle_of_a_body_is_final() {
    let (origin, accepted) = serve(|mut stream, number| async move {
        read_request(&mut stream).await;
        stream.write_all(TINY.as_bytes()).await.unwrap();
        read_request(&mut stream).await;
        assert_eq!(number, 0);
        let part = b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc";
        stream.write_all(part).await.unwrap();
        pause().await;
        stream.set_zero_linger().unwrap();
    })
    .await;
    let mut client = client();
    client.exchange(&get(&origin)).await;
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!(exchange.error.unwrap().kind, ErrorKind::Reset);
    assert!(!exchange.retried && exchange.first_byte.is_some());
    assert_eq!((accepted.count(), client.open_connections()), (1, 0));
}

#[tokio::test]
async fn surplus_bytes_in_the_same_segment_are_an_error() {
    let (origin, _) = answer_and_stay("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok\r\n").await;
    let mut client = client();
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!(exchange.error.unwrap().kind, ErrorKind::Protocol);
    assert_eq!(client.open_connections(), 0);
}

/// The second reply of a server that answers twice must not be taken for the reply to the next request.
#[tokio::test]
async fn surplus_bytes_between_exchanges_close_the_connection() {
    let (origin, accepted) = serve(|mut stream, number| async move {
        while read_request(&mut stream).await {
            stream.write_all(TINY.as_bytes()).await.unwrap();
            if number == 0 {
                pause().await;
                let second = b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n";
                stream.write_all(second).await.ok();
            }
        }
    })
    .await;
    let mut client = client();
    for _ in 0..3 {
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!((exchange.status, exchange.retried), (Some(Code::new(200)), false));
        pause().await;
        pause().await;
    }
    assert_eq!(accepted.count(), 2);
}

/// Interim replies counted as replies would inflate the rate.
#[tokio::test]
async fn interim_replies_are_no_replies() {
    let hints = "HTTP/1.1 103 Early Hints\r\nlink: </a.css>; rel=preload\r\n\r\n";
    let processing = "HTTP/1.1 102 Processing\r\n\r\n";
    let (origin, _) = serve_once(Box::leak(Box::new([processing, hints, hints, TINY]))).await;
    let mut client = client();
    let exchange = client.exchange(&get(&origin)).await;
    assert_eq!((exchange.status, exchange.informational), (Some(Code::new(200)), 3));
    assert_eq!(exchange.first_byte, Some(exchange.done), "that of the final reply");
    assert_eq!(client.reply().header("link"), None);
}

#[tokio::test]
async fn a_100_continue_that_nobody_asked_for_is_skipped() {
    let (origin, accepted) =
        serve_always("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok").await;
    let mut client = client();
    for _ in 0..3 {
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!((exchange.status, exchange.informational), (Some(Code::new(200)), 1));
        assert_eq!(client.reply().body(), b"ok");
    }
    assert_eq!(accepted.count(), 1);
}

/// How the server takes leave of a kept connection, just as the next request comes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Leave {
    /// It read the request and closes.
    Fin,
    /// It resets the connection.
    Reset,
    /// It sends one byte of a reply before.
    AfterOneByte,
}

/// A server that answers once and leaves when the next request comes. Later connections are answered, or left at
/// once.
async fn leaving(leave: Leave, answers: bool) -> (Origin, Accepted) {
    serve(move |mut stream, number| async move {
        read_request(&mut stream).await;
        if number == 0 {
            stream.write_all(TINY.as_bytes()).await.unwrap();
            read_request(&mut stream).await;
        } else if answers {
            stream.write_all(TINY.as_bytes()).await.unwrap();
            return;
        }
        match leave {
            Leave::Fin => {}
            Leave::Reset => stream.set_zero_linger().unwrap(),
            Leave::AfterOneByte => stream.write_all(b"H").await.unwrap(),
        }
    })
    .await
}

#[tokio::test]
async fn an_idle_connection_closed_at_reuse_is_retried_once() {
    for leave in [Leave::Fin, Leave::Reset] {
        let (origin, accepted) = leaving(leave, true).await;
        let mut client = client();
        let first = client.exchange(&get(&origin)).await;
        let second = client.exchange(&get(&origin)).await;
        assert_eq!((second.status, second.error), (Some(Code::new(200)), None), "{leave:?}");
        assert!(second.retried && second.opened.is_some(), "{leave:?}");
        assert!(second.sent.unwrap() > first.done);
        assert_eq!(accepted.count(), 2);
    }
}

/// The server may have acted on it.
#[tokio::test]
async fn a_post_is_not_retried() {
    for leave in [Leave::Fin, Leave::Reset] {
        let (origin, accepted) = leaving(leave, true).await;
        let mut client = client();
        let post = Request { idempotent: false, ..get(&origin) };
        assert_eq!(client.exchange(&post).await.status, Some(Code::new(200)));
        let exchange = client.exchange(&post).await;
        let error = exchange.error.unwrap();
        assert_eq!(error.kind, ErrorKind::Reset, "{leave:?}");
        assert!(error.text.contains("closed the kept connection (idle for "), "{leave:?}: {}", error.text);
        assert!(!exchange.retried);
        assert_eq!(accepted.count(), 1);
    }
}

#[tokio::test]
async fn a_reply_that_began_is_not_retried() {
    let (origin, accepted) = leaving(Leave::AfterOneByte, true).await;
    let mut client = client();
    client.exchange(&get(&origin)).await;
    let exchange = client.exchange(&get(&origin)).await;
    let error = exchange.error.unwrap();
    assert_eq!(error.kind, ErrorKind::Reset);
    assert!(
        error.text.contains("in the middle of") && error.text.contains("kept connection, idle for "),
        "{}",
        error.text
    );
    assert_eq!((exchange.retried, exchange.bytes_received), (false, 1));
    assert_eq!(accepted.count(), 1);
}

#[tokio::test]
async fn a_retry_that_fails_is_final() {
    for leave in [Leave::Fin, Leave::Reset] {
        let (origin, accepted) = leaving(leave, false).await;
        let mut client = client();
        client.exchange(&get(&origin)).await;
        let exchange = client.exchange(&get(&origin)).await;
        assert_eq!(exchange.error.unwrap().kind, ErrorKind::Reset, "{leave:?}");
        assert!(exchange.retried);
        assert_eq!(accepted.count(), 2, "one retry, not more");
    }
}

/// How long a connection was idle is counted from the last reply over it, or from its opening.
#[tokio::test]
async fn a_reset_tells_how_long_a_kept_connection_was_idle() {
    let (origin, _) = leaving(Leave::Fin, true).await;
    let (mut client, _, clock, _) = client_by_hand(config());
    let post = Request { idempotent: false, ..get(&origin) };
    assert_eq!(client.exchange(&post).await.status, Some(Code::new(200)));
    clock.set(Nanos::from_millis(98));
    let error = client.exchange(&post).await.error.unwrap();
    let told = "the server closed the kept connection (idle for 98 ms) before it answered; to avoid it, raise";
    assert!(error.text.starts_with(told), "{}", error.text);
    // What a fresh connection does was not kept.
    let (origin, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
    })
    .await;
    let error = client.exchange(&Request { idempotent: false, ..get(&origin) }).await.error.unwrap();
    assert!(error.kind == ErrorKind::Reset && !error.text.contains("kept"), "{}", error.text);
}

/// A retry begins with limits of its own and forgets what the first attempt learned.
#[tokio::test]
async fn a_retry_has_its_own_limits() {
    let (origin, _) = serve(|mut stream, number| async move {
        read_request(&mut stream).await;
        if number == 0 {
            stream.write_all(TINY.as_bytes()).await.unwrap();
            read_request(&mut stream).await;
        } else {
            std::future::pending::<()>().await;
        }
    })
    .await;
    let (mut client, _, clock, alarm) = client_by_hand(Config {
        phase_limits: PhaseLimits { wait: Some(Nanos::from_secs(3)), ..PhaseLimits::default() },
        ..config()
    });
    client.exchange(&get(&origin)).await;
    let request = get(&origin);
    let (exchange, visited) = by_alarm(&clock, &alarm, client.exchange(&request)).await;
    assert_eq!(exchange.error.unwrap().kind, ErrorKind::Timeout);
    assert!(exchange.retried);
    assert_eq!(visited, [Nanos::from_secs(3)]);
}
