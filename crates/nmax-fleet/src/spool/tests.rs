use std::cell::RefCell;
use std::rc::Rc;

use proptest::prelude::*;

use super::*;
use crate::batch::{Content, End};

/// A file of which everybody has a handle.
#[derive(Clone, Debug, Default)]
struct Memory(Rc<RefCell<Vec<u8>>>);

impl Disk for Memory {
    fn append(&mut self, at: u64, bytes: &[u8]) -> Result<(), String> {
        self.0.borrow_mut().truncate(at as usize);
        self.0.borrow_mut().extend_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, String> {
        Ok(self.0.borrow()[range.start as usize..range.end as usize].to_vec())
    }
}

/// What was sent; acknowledges what it is told to. It looks whether what it gets is on the disk.
#[derive(Clone, Debug, Default)]
struct Broker {
    disk: Memory,
    sent: Rc<RefCell<Vec<Batch>>>,
    acknowledged: Rc<RefCell<Vec<BatchId>>>,
}

impl Publisher for Broker {
    fn publish(&mut self, id: BatchId, bytes: Vec<u8>) {
        let batch = Batch::decode(&bytes).unwrap();
        assert_eq!(batch.id, id);
        assert!(self.disk.0.borrow().windows(bytes.len()).any(|window| window == bytes), "sent before it was kept");
        self.sent.borrow_mut().push(batch);
    }

    fn acknowledged(&mut self) -> Vec<BatchId> {
        self.acknowledged.take()
    }
}

fn id(sequence: u64) -> BatchId {
    BatchId { shard: 3, epoch: 1, sequence }
}

fn window(sequence: u64) -> Item<Content> {
    let content = Content { frame: vec![b'\n', 0, sequence as u8], notes: format!("{{\"n\":{sequence}}}\n") };
    Item::Window { index: 7 + sequence, window: content }
}

fn new() -> (Broker, Spool<Memory, Broker>) {
    let broker = Broker::default();
    (broker.clone(), Spool::new("r", broker.disk.clone(), broker))
}

#[test]
fn batches_are_sent_in_order_and_again_until_they_are_acknowledged() {
    let (broker, mut spool) = new();
    for sequence in 0..3 {
        spool.append(id(sequence), window(sequence)).unwrap();
    }
    spool.append(id(3), Item::<Content>::End(End { windows: 10, ..End::default() })).unwrap();
    let mut advance = |s| ResultSink::<Content>::advance(&mut spool, Nanos::from_secs(s));
    assert_eq!((advance(0), advance(1)), (4, 4));
    let sequences = || broker.sent.take().iter().map(|batch| batch.id.sequence).collect::<Vec<_>>();
    assert_eq!(sequences(), [0, 1, 2, 3], "none is sent again at once");
    broker.acknowledged.borrow_mut().extend([id(0), id(2), id(9)]);
    assert_eq!((advance(2), advance(6)), (2, 2));
    assert_eq!(sequences(), [1, 3]);
    broker.acknowledged.borrow_mut().extend([id(1), id(3)]);
    assert_eq!((advance(7), advance(100)), (0, 0));
    assert!(sequences().is_empty());
}

proptest! {
    /// Law: of a spool that was cut anywhere, everything that is whole is sent once more, and nothing else.
    #[test]
    fn what_is_whole_survives(batches in 0..6_u64, cut in any::<prop::sample::Index>(), flip in any::<Option<prop::sample::Index>>()) {
        let (broker, mut spool) = new();
        let mut ends = vec![0];
        for sequence in 0..batches {
            spool.append(id(sequence), window(sequence)).unwrap();
            ends.push(broker.disk.0.borrow().len());
        }
        let length = cut.index(broker.disk.0.borrow().len() + 1);
        broker.disk.0.borrow_mut().truncate(length);
        let mut whole = ends.iter().filter(|end| **end <= length).count() - 1;
        if let Some(flip) = flip.filter(|_| length > 0) {
            let at = flip.index(length);
            broker.disk.0.borrow_mut()[at] ^= 0x55;
            whole = whole.min(ends.iter().filter(|end| **end <= at).count() - 1);
        }
        let mut spool = Spool::open("r", broker.disk.clone(), broker.clone(), length as u64).unwrap();
        prop_assert_eq!(ResultSink::<Content>::advance(&mut spool, Nanos::ZERO), whole);
        let want: Vec<_> = (0..whole as u64).map(|n| Batch { run: "r".into(), id: id(n), item: window(n) }).collect();
        prop_assert_eq!(broker.sent.take(), want);
    }

    /// Law: bytes that are no batch are refused, and never panic.
    #[test]
    fn damaged_batches_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..60), at in any::<prop::sample::Index>()) {
        let _ = Batch::decode(&bytes);
        let mut whole = Batch { run: "r".into(), id: id(1), item: window(1) }.encode();
        let at = at.index(whole.len());
        whole.splice(at..at, bytes);
        let _ = Batch::decode(&whole);
    }
}
