//! Servers that are killed.

use std::collections::BTreeSet;

use nmax_fleet::batch::Content;
use nmax_fleet::spool::Spool;
use nmax_fleet::{BatchId, Coordinator, Key, ResultSink};
use nmax_nats::{Access, Agreement, Broker, ResultPublisher, Servers, SpoolFolder, Subscription, prepare};

use crate::server::{Cluster, Nats, is_missing, until};
use crate::{SIZES, batch, broker, clock, id};

/// Batches of a run through a spool, while a server is killed after some of them, and is down after others; they arrive once each.
fn arrives(broker: &Broker, reader: &Broker, folder: &SpoolFolder, count: u64, mut fault: impl FnMut(u64) -> bool) {
    let clock = clock();
    let file = folder.create("r", "i").unwrap();
    let mut spool = Spool::new("r", file, ResultPublisher::new(broker, "r").unwrap());
    let mut results = Subscription::new(reader, "r", "m").unwrap();
    let (mut next, mut left, mut is_down) = (0, 0, false);
    let (mut ids, mut twice) = (BTreeSet::<BatchId>::new(), 0);
    until("all results", || {
        // Only a little ahead of acknowledgements, so that faults fall between.
        if next < count && (left < 4 || is_down) {
            spool.append(id(0, next), batch("r", id(0, next)).item).unwrap();
            is_down = fault(next);
            next += 1;
        }
        left = ResultSink::<Content>::advance(&mut spool, clock.now());
        while let Some(arrival) = results.take() {
            assert_eq!(arrival.batch, batch("r", arrival.batch.id));
            twice += u64::from(!ids.insert(arrival.batch.id));
            arrival.done();
        }
        (next == count && left == 0 && ids.len() as u64 == count).then_some(())
    });
    assert_eq!(ids, (0..count).map(|n| id(0, n)).collect(), "{twice} came twice");
}

#[test]
fn a_server_that_is_killed_loses_nothing_that_it_acknowledged() {
    if is_missing() {
        return;
    }
    let mut server = Nats::start();
    let broker = broker(&server);
    let folder = SpoolFolder::open(&server.folder().join("spools")).unwrap();
    let mut run = Agreement::new(&broker, "r", "i", Vec::new()).unwrap();
    until("the record", || run.once(Key::Claim(0), Some(b"before")));
    arrives(&broker, &broker, &folder, 120, |n| match n {
        30 | 70 => {
            server.kill();
            true
        }
        40 | 80 => {
            server.run();
            false
        }
        n => (30..40).contains(&n) || (70..80).contains(&n),
    });
}

/// All servers are dead for a while: records that are known stay known, and what was measured meanwhile comes.
#[test]
fn results_come_when_all_servers_are_back() {
    if is_missing() {
        return;
    }
    let mut server = Nats::start();
    let broker = broker(&server);
    let folder = SpoolFolder::open(&server.folder().join("spools")).unwrap();
    let mut run = Agreement::new(&broker, "r", "i", Vec::new()).unwrap();
    until("the record", || run.once(Key::Claim(0), Some(b"before")));
    server.kill();
    let clock = clock();
    let file = folder.create("r", "i").unwrap();
    let mut spool = Spool::new("r", file, ResultPublisher::new(&broker, "r").unwrap());
    for n in 0..50 {
        spool.append(id(0, n), batch("r", id(0, n)).item).unwrap();
        assert_eq!(ResultSink::<Content>::advance(&mut spool, clock.now()) as u64, n + 1);
        assert_eq!(run.once(Key::Claim(0), None).as_deref(), Some(&b"before"[..]));
    }
    assert_eq!(run.once(Key::Ended(0), Some(b"after")), None);
    server.run();
    until("acknowledgements", || (ResultSink::<Content>::advance(&mut spool, clock.now()) == 0).then_some(()));
    until("the record", || run.once(Key::Ended(0), Some(b"after")));
    assert_eq!(crate::results::taken(&broker, "r", "m", 50).len(), 50);
}

/// The server that leads the stream of results.
fn leader(urls: &[String], stream: &str) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let urls: Vec<async_nats::ServerAddr> = urls.iter().map(|url| url.parse().unwrap()).collect();
        let client = async_nats::ConnectOptions::new().ignore_discovered_servers().connect(urls).await.ok()?;
        let stream = async_nats::jetstream::new(client).get_stream(stream).await.ok()?;
        stream.cached_info().cluster.as_ref()?.leader.clone()
    })
}

#[test]
fn the_leader_of_three_may_die() {
    if is_missing() {
        return;
    }
    let mut cluster = Cluster::start();
    let access = Access { urls: cluster.urls(), servers: Servers::Named, ..Access::default() };
    let connect = || until("a connection", || Broker::connect(&access, clock()).ok());
    let (broker, reader) = (connect(), connect());
    // The three find each other first.
    until("streams", || prepare(&broker, SIZES).ok());
    let folder = SpoolFolder::open(&cluster.0["a"].folder().join("spools")).unwrap();
    let mut run = Agreement::new(&broker, "r", "i", Vec::new()).unwrap();
    until("the record", || run.once(Key::Claim(0), Some(b"i")));
    let urls = cluster.urls();
    let mut killed = None;
    arrives(&broker, &reader, &folder, 120, |n| {
        if n == 40 {
            let name = until("a leader", || leader(&urls, "NMAX_RES"));
            cluster.kill(&name);
            killed = Some(name);
        } else if n == 80
            && let Some(name) = killed.take()
        {
            cluster.run(&name);
        }
        false
    });
    until("another record", || run.once(Key::Ended(0), Some(b"i")));
    let mut late = Agreement::new(&connect(), "r", "late", Vec::new()).unwrap();
    until("all records", || late.once(Key::Ended(0), None).and(late.once(Key::Claim(0), None)));
}
