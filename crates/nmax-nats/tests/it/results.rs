//! Batches on their way from injectors to managers.

use std::collections::BTreeSet;

use nmax_fleet::batch::Content;
use nmax_fleet::spool::{Publisher, Spool};
use nmax_fleet::{BatchId, ResultSink};
use nmax_metrics::Nanos;
use nmax_nats::{Broker, NatsError, ResultPublisher, Sizes, SpoolFolder, Subscription, prepare};

use crate::server::{Nats, is_missing, until};
use crate::{batch, broker, clock, id};

/// Sends batches of shard 0, and returns what was acknowledged.
pub(crate) fn sent(broker: &Broker, run: &str, count: u64) -> BTreeSet<BatchId> {
    let mut publisher = ResultPublisher::new(broker, run).unwrap();
    (0..count).for_each(|n| publisher.publish(id(0, n), batch(run, id(0, n)).encode()));
    let mut acknowledged = BTreeSet::new();
    until("acknowledgements", || {
        acknowledged.extend(publisher.acknowledged());
        (acknowledged.len() as u64 == count).then_some(())
    });
    acknowledged
}

/// So many different batches of a run, as a manager gets them.
pub(crate) fn taken(broker: &Broker, run: &str, manager: &str, count: usize) -> BTreeSet<BatchId> {
    let mut results = Subscription::new(broker, run, manager).unwrap();
    let mut ids = BTreeSet::new();
    until("results", || {
        while let Some(arrival) = results.take() {
            assert_eq!(arrival.batch, batch(run, arrival.batch.id));
            ids.insert(arrival.batch.id);
            arrival.done();
        }
        (ids.len() == count).then_some(())
    });
    ids
}

#[test]
fn managers_get_all_from_the_first_one_on() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let all = sent(&broker, "r", 600);
    sent(&broker, "other", 1);
    assert_eq!(taken(&broker, "r", "m", 600), all);
    // One that starts again, and one beside it.
    assert_eq!(taken(&broker, "r", "m", 600), all);
    assert_eq!(taken(&broker, "r", "page", 600), all);
}

#[test]
fn what_is_not_dealt_with_comes_again() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    sent(&broker, "r", 2);
    let mut results = Subscription::new(&broker, "r", "m").unwrap();
    let mut times = [0; 2];
    until("the first one twice", || {
        while let Some(arrival) = results.take() {
            let n = arrival.batch.id.sequence as usize;
            times[n] += 1;
            if n == 0 && times[0] == 1 { arrival.again() } else { arrival.done() }
        }
        (times == [2, 1]).then_some(())
    });
}

#[test]
fn messages_of_strangers_are_counted() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let mut publisher = ResultPublisher::new(&broker, "r").unwrap();
    publisher.publish(id(0, 0), batch("another", id(0, 0)).encode());
    publisher.publish(id(0, 1), batch("r", id(1, 1)).encode());
    publisher.publish(id(0, 2), b"not a batch".to_vec());
    publisher.publish(id(0, 3), batch("r", id(0, 3)).encode());
    let mut results = Subscription::new(&broker, "r", "m").unwrap();
    let arrival = until("the only one", || results.take());
    assert_eq!(arrival.batch.id, id(0, 3));
    arrival.done();
    until("the others", || {
        let refused: Vec<u64> = broker.refusals().into_values().collect();
        (refused == [2, 1]).then_some(())
    });
    assert!(results.take().is_none());
}

#[test]
fn a_full_stream_is_named_and_the_spool_keeps() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = Broker::connect(&nmax_nats::Access::to(&server.line.url()), clock()).unwrap();
    prepare(&broker, Sizes { results_bytes: 64 << 10, ..crate::SIZES }).unwrap();
    let folder = SpoolFolder::open(&server.folder().join("spools")).unwrap();
    let file = folder.create("r", "i").unwrap();
    let mut spool = Spool::new("r", file, ResultPublisher::new(&broker, "r").unwrap());
    for n in 0..32 {
        spool.append(id(0, n), batch("r", id(0, n)).item).unwrap();
    }
    let full = until("a refusal", || {
        ResultSink::<Content>::advance(&mut spool, Nanos::ZERO);
        broker.troubles().pop()
    });
    assert!(matches!(&full, NatsError::Full { .. }), "{full}");
    assert!(full.to_string().contains("stays on the injector's disk"), "{full}");
    let left = ResultSink::<Content>::advance(&mut spool, Nanos::ZERO);
    assert!((16..32).contains(&left), "{left}");
}

#[test]
fn a_batch_that_is_too_large_is_named() {
    if is_missing() {
        return;
    }
    let server = Nats::with(&format!("{}max_payload: 4096\n", crate::server::SYNCED));
    let broker = broker(&server);
    let mut publisher = ResultPublisher::new(&broker, "r").unwrap();
    publisher.publish(id(0, 0), batch("r", id(0, 0)).encode());
    let problem = until("a refusal", || broker.troubles().pop());
    assert!(matches!(problem, NatsError::Large { max: 4096, .. }), "{problem}");
}

/// What an injector left on its disk when it was killed, the next one sends.
#[test]
fn left_over_spools_are_sent_on() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let folder = SpoolFolder::open(&server.folder().join("spools")).unwrap();
    let mut dead = Spool::new("r", folder.create("r", "dead").unwrap(), ResultPublisher::new(&broker, "r").unwrap());
    for n in 0..5 {
        dead.append(id(2, n), batch("r", id(2, n)).item).unwrap();
    }
    assert!(folder.left_over().unwrap().is_empty(), "its process lives");
    drop(dead);
    let [left] = <[_; 1]>::try_from(folder.left_over().unwrap()).unwrap();
    assert_eq!(left.run, "r");
    let path = left.file.path().to_owned();
    let publisher = ResultPublisher::new(&broker, &left.run).unwrap();
    let mut spool = Spool::open(&left.run, left.file, publisher, left.length).unwrap();
    assert!(folder.left_over().unwrap().is_empty(), "it has an owner");
    let mut s = 0;
    until("acknowledgements", || {
        s += 1;
        (ResultSink::<Content>::advance(&mut spool, Nanos::from_secs(s)) == 0).then_some(())
    });
    std::fs::remove_file(path).unwrap();
    assert_eq!(taken(&broker, "r", "m", 5), (0..5).map(|n| id(2, n)).collect());
}
