//! Batches on the injector's disk until the broker has acknowledged them.
//!
//! A batch is appended and synced before it is sent, so what was sent is on the disk, and an id is never used for two batches.
//! Batches are sent in order, some at once, and again when no acknowledgement comes. After the end of the process, or of the
//! machine, the next process opens the spool and goes on sending: receivers know a batch by its id.
//!
//! A record is the length of the batch and its CRC-32, both as 4 bytes, least first, and the batch. What follows a record that is
//! cut off or damaged was never synced.

use std::collections::BTreeMap;
use std::ops::Range;

use nmax_metrics::Nanos;

use crate::batch::{Batch, BatchError, BatchId, Item, Payload};
use crate::coordinator::ResultSink;

/// Batches that may be under way at once.
const UNDER_WAY_MAX: usize = 64;
/// After this time without an acknowledgement a batch is sent again.
const AGAIN: Nanos = Nanos::from_secs(5);
/// Bytes before each batch.
const HEAD: usize = 8;

/// A file that grows.
pub trait Disk {
    /// Writes bytes at `at`, where the file ends as far as it counts, and makes sure that they survive the end of the
    /// machine. What is behind `at` was written only in part, and goes.
    ///
    /// # Errors
    /// Why they do not.
    fn append(&mut self, at: u64, bytes: &[u8]) -> Result<(), String>;

    /// Bytes of a range that was appended.
    ///
    /// # Errors
    /// Why they cannot be read.
    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, String>;
}

/// The way to the broker.
pub trait Publisher {
    /// Sends a batch. It may get lost, or arrive twice.
    fn publish(&mut self, id: BatchId, bytes: Vec<u8>);

    /// Ids that the broker has acknowledged since the last call: it has them on its disk.
    fn acknowledged(&mut self) -> Vec<BatchId>;
}

/// Why a spool cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpoolError {
    /// The file cannot be read.
    #[error("{0}")]
    Disk(String),
    /// A record is whole and is no batch.
    #[error(transparent)]
    Batch(#[from] BatchError),
}

/// A sink that keeps batches on a disk and sends them.
#[derive(Debug)]
pub struct Spool<D, P> {
    run: String,
    disk: D,
    publisher: P,
    /// Where the next record goes.
    end: u64,
    /// Batches that are not acknowledged, in order.
    left: BTreeMap<BatchId, Record>,
}

#[derive(Clone, Debug)]
struct Record {
    bytes: Range<u64>,
    sent: Option<Nanos>,
}

impl<D: Disk, P: Publisher> Spool<D, P> {
    /// An empty spool of a run.
    pub fn new(run: &str, disk: D, publisher: P) -> Self {
        Self { run: run.into(), disk, publisher, end: 0, left: BTreeMap::new() }
    }

    /// The spool of a process that ended: everything in it that is whole is sent once more.
    ///
    /// - `length`: bytes of the file
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn open(run: &str, mut disk: D, publisher: P, length: u64) -> Result<Self, SpoolError> {
        let (mut end, mut left) = (0, BTreeMap::new());
        while let Some((id, bytes)) = record(&mut disk, end, length)? {
            end = bytes.end;
            left.insert(id, Record { bytes, sent: None });
        }
        Ok(Self { run: run.into(), disk, publisher, end, left })
    }

    /// What sends.
    pub fn publisher(&mut self) -> &mut P {
        &mut self.publisher
    }
}

/// BatchId and bytes of the record at `at`; `None` when none is whole there.
fn record<D: Disk>(disk: &mut D, at: u64, length: u64) -> Result<Option<(BatchId, Range<u64>)>, SpoolError> {
    let from = at + HEAD as u64;
    if from > length {
        return Ok(None);
    }
    let head = disk.read(at..from).map_err(SpoolError::Disk)?;
    let number =
        |range: Range<usize>| head[range].iter().rev().fold(0_u32, |number, byte| number << 8 | u32::from(*byte));
    let to = from + u64::from(number(0..4));
    if to > length {
        return Ok(None);
    }
    let bytes = disk.read(from..to).map_err(SpoolError::Disk)?;
    if crc32fast::hash(&bytes) != number(4..8) {
        return Ok(None);
    }
    Ok(Some((Batch::decode(&bytes)?.id, from..to)))
}

impl<D: Disk, P: Publisher, W: Payload> ResultSink<W> for Spool<D, P> {
    fn append(&mut self, id: BatchId, item: Item<W>) -> Result<(), String> {
        let item = match item {
            Item::Window { index, window } => Item::Window { index, window: window.content(id.shard) },
            Item::End(end) => Item::End(end),
        };
        let batch = Batch { run: self.run.clone(), id, item }.encode();
        let mut bytes = (batch.len() as u32).to_le_bytes().to_vec();
        bytes.extend_from_slice(&crc32fast::hash(&batch).to_le_bytes());
        bytes.extend_from_slice(&batch);
        self.disk.append(self.end, &bytes)?;
        let from = self.end + HEAD as u64;
        self.end += bytes.len() as u64;
        self.left.insert(id, Record { bytes: from..self.end, sent: None });
        Ok(())
    }

    fn advance(&mut self, now: Nanos) -> usize {
        for id in self.publisher.acknowledged() {
            self.left.remove(&id);
        }
        for (id, record) in self.left.iter_mut().take(UNDER_WAY_MAX) {
            if record.sent.is_some_and(|sent| now.since(sent) < AGAIN) {
                continue;
            }
            // A disk that cannot be read now may be read later.
            if let Ok(bytes) = self.disk.read(record.bytes.clone()) {
                self.publisher.publish(*id, bytes);
                record.sent = Some(now);
            }
        }
        self.left.len()
    }
}

#[cfg(test)]
mod tests;
