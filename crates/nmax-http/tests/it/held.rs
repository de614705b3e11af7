//! Sockets that servers keep open after a reply that should have ended them.

use std::rc::Rc;
use std::sync::Arc;

use nmax_http::{Client, Notes, Origin, Request, Shared};
use nmax_metrics::{Code, Nanos};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::sync::Semaphore;
use tokio::task::{LocalSet, spawn_local};

use crate::server::{Accepted, Hand, client_by_hand, config, get, pause, read_request, serve};

const CLOSING: &str = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 2\r\n\r\nok";
const OLD: &str = "HTTP/1.0 200 OK\r\ncontent-length: 2\r\n\r\nok";
const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

/// A server that answers and closes when it is let, and counts the connections that the client closed before.
async fn hold(reply: &'static str) -> (Origin, Arc<Semaphore>, Accepted) {
    let (let_go, closed_first) = (Arc::new(Semaphore::new(0)), Accepted::default());
    let (gate, counter) = (Arc::clone(&let_go), closed_first.clone());
    let (origin, _) = serve(move |mut stream, _| {
        let (gate, counter) = (Arc::clone(&gate), counter.clone());
        async move {
            read_request(&mut stream).await;
            stream.write_all(reply.as_bytes()).await.unwrap();
            tokio::select! {
                permit = gate.acquire() => permit.unwrap().forget(),
                _ = stream.read_u8() => counter.add(),
            }
        }
    })
    .await;
    (origin, let_go, closed_first)
}

fn closing(origin: &Origin) -> Request<'_> {
    Request { keep_alive: false, ..get(origin) }
}

/// Runs `test` in a task of a local set, as virtual users are.
async fn in_local_task<F: Future<Output = ()> + 'static>(test: F) {
    LocalSet::new().run_until(async { spawn_local(test).await.unwrap() }).await;
}

/// One exchange; the reply is complete at 1 s.
async fn exchange(client: &mut Client<Hand>, clock: &Hand, request: &Request<'_>) {
    clock.set(Nanos::from_secs(1));
    let exchange = client.exchange(request).await;
    assert_eq!((exchange.status, exchange.error), (Some(Code::new(200)), None));
    assert_eq!(exchange.done, Nanos::from_secs(1), "framing decides, not the close");
    assert_eq!(client.open_connections(), 0);
}

async fn notes_after(shared: &Rc<Shared<Hand>>, clock: &Hand, at: Nanos, let_go: &Semaphore) -> Notes {
    clock.set(at);
    let_go.add_permits(1);
    pause().await;
    shared.take_notes(false)
}

#[tokio::test]
async fn a_server_that_keeps_the_socket_after_a_complete_reply_is_noted() {
    in_local_task(async {
        for (reply, keep_alive) in [(TINY, false), (CLOSING, false), (CLOSING, true), (OLD, true)] {
            let (origin, let_go, closed_first) = hold(reply).await;
            let (mut client, shared, clock, _) = client_by_hand(config());
            let request = Request { keep_alive, ..get(&origin) };
            exchange(&mut client, &clock, &request).await;
            pause().await;
            assert_eq!(shared.take_notes(false), Notes::default(), "still open, and not for long");
            let notes = notes_after(&shared, &clock, Nanos::from_secs(4), &let_go).await;
            assert_eq!(notes.held, [Nanos::from_secs(3)], "{reply:?}");
            assert!(notes.held_open.is_empty());
            assert_eq!(closed_first.count(), 0, "TIME_WAIT would be on this end");
            assert_eq!(shared.take_notes(true), Notes::default(), "noted once");
        }
    })
    .await;
}

#[tokio::test]
async fn a_server_that_closes_soon_is_not_noted() {
    in_local_task(async {
        let (origin, let_go, closed_first) = hold(TINY).await;
        let (mut client, shared, clock, _) = client_by_hand(config());
        exchange(&mut client, &clock, &closing(&origin)).await;
        let soon = Nanos::from_secs(1) + Nanos::from_millis(100);
        assert_eq!(notes_after(&shared, &clock, soon, &let_go).await, Notes::default());
        clock.set(Nanos::from_secs(99));
        assert_eq!(shared.take_notes(true), Notes::default());
        assert_eq!(closed_first.count(), 0);
    })
    .await;
}

#[tokio::test]
async fn a_socket_that_stays_open_is_given_up() {
    in_local_task(async {
        for (age, is_end) in [(60, false), (7, true)] {
            let (origin, _let_go, closed_first) = hold(TINY).await;
            let (mut client, shared, clock, _) = client_by_hand(config());
            exchange(&mut client, &clock, &closing(&origin)).await;
            clock.set(Nanos::from_secs(age));
            assert_eq!(shared.take_notes(false), Notes::default(), "not old enough");
            clock.set(Nanos::from_secs(1 + age));
            let notes = shared.take_notes(is_end);
            assert_eq!(notes.held_open, [Nanos::from_secs(age)]);
            pause().await;
            assert_eq!(closed_first.count(), 1, "it is closed by this end then");
            assert_eq!(shared.take_notes(true), Notes::default());
        }
    })
    .await;
}

/// What a connection costs here is bounded, whatever the server does.
#[tokio::test]
async fn few_sockets_are_watched() {
    in_local_task(async {
        let (origin, _let_go, closed_first) = hold(TINY).await;
        let (mut client, shared, clock, _) = client_by_hand(config());
        for _ in 0..300 {
            exchange(&mut client, &clock, &closing(&origin)).await;
        }
        pause().await;
        assert_eq!(closed_first.count(), 300 - 256, "the rest is closed at once");
        clock.set(Nanos::from_secs(5));
        assert_eq!(shared.take_notes(true).held_open.len(), 256);
    })
    .await;
}

#[tokio::test]
async fn kept_connections_are_not_watched() {
    in_local_task(async {
        let (origin, _let_go, _) = hold(TINY).await;
        let (mut client, shared, clock, _) = client_by_hand(config());
        assert_eq!(client.exchange(&get(&origin)).await.status, Some(Code::new(200)));
        clock.set(Nanos::from_secs(50));
        assert_eq!((shared.take_notes(true), client.open_connections()), (Notes::default(), 1));
    })
    .await;
}

/// Outside of a local set nothing can wait, so the socket is closed at once.
#[tokio::test]
async fn without_a_local_set_the_socket_is_closed() {
    let (origin, _let_go, closed_first) = hold(TINY).await;
    let (mut client, shared, clock, _) = client_by_hand(config());
    exchange(&mut client, &clock, &closing(&origin)).await;
    pause().await;
    assert_eq!(closed_first.count(), 1);
    clock.set(Nanos::from_secs(50));
    assert_eq!(shared.take_notes(true), Notes::default());
}

/// A watch keeps neither the settings nor the process alive.
#[tokio::test]
async fn a_watch_ends_with_its_local_set() {
    let local = LocalSet::new();
    let (origin, _let_go, closed_first) = hold(TINY).await;
    let (client, shared, clock, _) = client_by_hand(config());
    let watching = Rc::downgrade(&shared);
    let talk = async move {
        let mut client = client;
        exchange(&mut client, &clock, &closing(&origin)).await;
        pause().await;
    };
    local.run_until(async { spawn_local(talk).await.unwrap() }).await;
    assert_eq!(closed_first.count(), 0);
    drop(shared);
    assert!(watching.upgrade().is_none());
    drop(local);
    pause().await;
    assert_eq!(closed_first.count(), 1);
}
