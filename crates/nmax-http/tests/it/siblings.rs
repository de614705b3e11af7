//! Several exchanges of one visitor at the same time.

use nmax_http::Alarm;
use nmax_metrics::Code;
use tokio::io::AsyncWriteExt;

use crate::server::{client, get, pauses, read_request, serve, serve_always};

const OK: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// Exchanges at the same time take a connection each; afterwards, any of them uses any of those.
#[tokio::test(flavor = "current_thread")]
async fn siblings_share_connections() {
    let (origin, accepted) = serve(|mut stream, _| async move {
        while read_request(&mut stream).await {
            pauses(3).await;
            if stream.write_all(OK.as_bytes()).await.is_err() {
                return;
            }
        }
    })
    .await;
    let mut first = client();
    let (mut second, mut third) = (first.sibling(Alarm::default()), first.sibling(Alarm::default()));
    let request = get(&origin);
    for round in 0..3 {
        let ended = tokio::join!(first.exchange(&request), second.exchange(&request), third.exchange(&request));
        assert!([ended.0, ended.1, ended.2].iter().all(|ended| ended.status == Some(Code::new(200))));
        assert_eq!(accepted.count(), 3, "round {round}");
    }
    for _ in 0..5 {
        assert_eq!(first.exchange(&request).await.status, Some(Code::new(200)));
    }
    assert_eq!((accepted.count(), first.open_connections()), (3, 3), "one after the other");
    drop((second, third));
    assert_eq!(first.open_connections(), 3, "what siblings opened is the visitor's");
    first.close();
    assert_eq!(first.open_connections(), 0);
}

/// What one exchange received is not what its sibling shows, and a sibling that is given up closes its own connection.
#[tokio::test(flavor = "current_thread")]
async fn siblings_have_replies_of_their_own() {
    let (origin, _) = serve_always(OK).await;
    let (silent, _) = serve(|mut stream, _| async move {
        read_request(&mut stream).await;
        std::future::pending::<()>().await;
    })
    .await;
    let mut first = client();
    let mut second = first.sibling(Alarm::default());
    assert_eq!(first.exchange(&get(&origin)).await.status, Some(Code::new(200)));
    let request = get(&silent);
    {
        let mut waiting = std::pin::pin!(second.exchange(&request));
        tokio::select! {
            ended = &mut waiting => panic!("{ended:?}"),
            () = pauses(5) => {}
        }
    }
    let known = second.abandon();
    assert!(known.sent.is_some() && known.first_byte.is_none());
    assert_eq!((second.reply().status(), first.reply().status()), (None, Some(200)));
    assert_eq!(first.open_connections(), 1);
}

/// A visitor without siblings keeps as many connections as ever; one with siblings keeps six to each of some origins.
#[tokio::test(flavor = "current_thread")]
async fn siblings_keep_more_connections() {
    let mut first = client();
    let mut siblings: Vec<_> = (0..5).map(|_| first.sibling(Alarm::default())).collect();
    for _ in 0..5 {
        let (origin, accepted) = serve_always(OK).await;
        let request = get(&origin);
        let mut under_way = Vec::new();
        for client in std::iter::once(&mut first).chain(&mut siblings) {
            under_way.push(Box::pin(client.exchange(&request)));
        }
        // All are begun before any ends, so each needs a connection.
        std::future::poll_fn(|task| {
            under_way.retain_mut(|exchange| exchange.as_mut().poll(task).is_pending());
            if under_way.is_empty() { std::task::Poll::Ready(()) } else { std::task::Poll::Pending }
        })
        .await;
        drop(under_way);
        assert_eq!(accepted.count(), 6);
    }
    assert_eq!(first.open_connections(), 30);
}
