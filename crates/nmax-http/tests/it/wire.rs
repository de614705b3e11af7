//! The log of what goes over connections.

use std::sync::{Arc, Mutex};

use nmax_http::{Config, Request, WireEvent};

use crate::server::{GET, client_with, config, get, pause, serve_always, serve_once};

const TINY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok";

type Log = Arc<Mutex<Vec<String>>>;

/// Settings that log each event as words.
fn logging() -> (Config, Log) {
    let log = Log::default();
    let lines = Arc::clone(&log);
    let settings = Config {
        wire: Some(Arc::new(move |_, event: &WireEvent<'_>| {
            lines.lock().unwrap().push(in_words(event));
        })),
        ..config()
    };
    (settings, log)
}

fn in_words(event: &WireEvent<'_>) -> String {
    match event {
        WireEvent::Connected { local, peer } => {
            assert!(local.port() > 0 && local != peer);
            format!("connected to {peer}")
        }
        WireEvent::Sent(bytes) => format!("sent {}", bytes.escape_ascii()),
        WireEvent::Received(bytes) => format!("received {}", bytes.escape_ascii()),
        other => format!("{other:?}"),
    }
}

fn taken(log: &Log) -> Vec<String> {
    std::mem::take(&mut log.lock().unwrap())
}

#[tokio::test]
async fn every_event_in_order() {
    let (origin, _) = serve_always(TINY).await;
    let (settings, log) = logging();
    let mut client = client_with(settings);
    let sent = format!("sent {}", GET.escape_ascii());
    let received = format!("received {}", TINY.as_bytes().escape_ascii());

    client.exchange(&get(&origin)).await;
    let connected = format!("connected to 127.0.0.1:{}", origin.port);
    assert_eq!(taken(&log), [&*connected, &sent, &received, "Kept"]);

    let closing = Request { keep_alive: false, ..get(&origin) };
    client.exchange(&closing).await;
    assert_eq!(taken(&log), ["Reused", &sent, &received, "Closed"]);
}

#[tokio::test]
async fn the_servers_close_is_told() {
    let (settings, log) = logging();
    let mut client = client_with(settings);
    let (origin, _) = serve_once(&["HTTP/1.1 200 OK\r\n\r\nhi"]).await;
    client.exchange(&get(&origin)).await;
    let lines = taken(&log);
    assert_eq!(lines[lines.len() - 2..], ["ClosedByServer", "Closed"]);

    // Kept, and closed while idle: told when the next exchange wants it.
    let (origin, _) = serve_once(&[TINY]).await;
    client.exchange(&get(&origin)).await;
    pause().await;
    pause().await;
    taken(&log);
    client.exchange(&get(&origin)).await;
    let lines = taken(&log);
    assert_eq!(lines[0], "ClosedByServer");
    assert!(lines[1].starts_with("connected to"), "{lines:?}");
}
