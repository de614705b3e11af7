//! Several source addresses: what the server sees.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex};

use nmax_http::{Config, HostOverride, NameRules, Request, Scheme};
use nmax_metrics::{Code, ErrorKind};
use tokio::net::TcpListener;

use crate::server::{answer_always, client_with, config, get, origin, serve_always};

const EMPTY: &str = "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n";

/// Two sources and two addresses make four pairs, of which none is left out: each has ports of its own.
#[tokio::test]
async fn every_source_reaches_every_address() {
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let pairs: Arc<Mutex<BTreeMap<(IpAddr, IpAddr), usize>>> = Arc::default();
    let seen = Arc::clone(&pairs);
    tokio::spawn(async move {
        while let Ok((stream, peer)) = listener.accept().await {
            let local = stream.local_addr().unwrap().ip();
            *seen.lock().unwrap().entry((peer.ip(), local)).or_default() += 1;
            tokio::spawn(answer_always(stream, EMPTY));
        }
    });
    let ip = |last| IpAddr::from([127, 0, 0, last]);
    let hosts =
        vec![HostOverride { host: "shop.test".into(), port: None, addresses: vec![(ip(1), None), (ip(2), None)] }];
    let mut client = client_with(Config {
        sources: vec![ip(11), ip(12)],
        names: NameRules { hosts, ..NameRules::default() },
        ..config()
    });
    let origin = origin(Scheme::Http, "shop.test", port);
    for _ in 0..8 {
        let request = Request { keep_alive: false, ..get(&origin) };
        assert_eq!(client.exchange(&request).await.status, Some(Code::new(200)));
    }
    let want = [(11, 1), (11, 2), (12, 1), (12, 2)].map(|(from, to)| ((ip(from), ip(to)), 2));
    assert_eq!(*pairs.lock().unwrap(), BTreeMap::from(want));
}

/// Addresses that no connection can leave from are a mistake here and never one of the server.
#[tokio::test]
async fn sources_that_cannot_be_used() {
    let (origin, accepted) = serve_always(EMPTY).await;
    for (source, words) in [("192.0.2.1", "not an address of this host"), ("::1", "no source address is IPv4")] {
        let mut client = client_with(Config { sources: vec![source.parse().unwrap()], ..config() });
        let exchange = client.exchange(&get(&origin)).await;
        let failure = exchange.error.unwrap();
        assert_eq!((failure.kind, exchange.opened), (ErrorKind::Injector, None));
        assert!(failure.text.contains(words), "{}", failure.text);
    }
    assert_eq!(accepted.count(), 0);
}
