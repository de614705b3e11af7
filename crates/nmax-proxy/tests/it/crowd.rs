//! Many connections at once.

use std::collections::BTreeSet;

use nmax_proxy::Event;
use nmax_target::Options;

use crate::bench::Bench;

/// Connections at once, and requests of each.
const CONNECTIONS: usize = 200;
const REQUESTS: usize = 20;

#[test]
fn every_exchange_of_200_connections_is_recorded_once() {
    let target = nmax_target::spawn(Options::default()).unwrap();
    let mut bench = Bench::new();
    let mut clients: Vec<_> = (0..CONNECTIONS).map(|_| bench.client()).collect();
    let mut seen = BTreeSet::new();
    for round in 0..REQUESTS {
        for (number, client) in clients.iter_mut().enumerate() {
            let url = format!("{}/bytes/300?{number}-{round}", target.url());
            client.send(format!("GET {url} HTTP/1.1\r\nHost: x\r\n\r\n"));
        }
        for client in &mut clients {
            assert_eq!(client.answer("GET").body.len(), 300);
        }
        // Nobody took anything meanwhile: they wait in the queue.
        for _ in 0..CONNECTIONS {
            let entry = bench.entry();
            assert_eq!(entry.comment, "");
            assert!(seen.insert(entry.request.url.clone()), "twice: {}", entry.request.url);
        }
    }
    assert_eq!(seen.len(), CONNECTIONS * REQUESTS);
    let (events, _) = bench.end();
    assert!(!events.iter().any(|event| matches!(event, Event::Exchange(_))), "none too many");
}
