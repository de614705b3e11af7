//! An injector's way to the simulated broker: messages that may get lost, and are sent again.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

use nmax_fleet::lease::Renewal;
use nmax_fleet::records::Command;
use nmax_fleet::spool::{Disk, Publisher};
use nmax_fleet::{BatchId, Coordinator, Key, Lease};
use nmax_metrics::Nanos;
use nmax_metrics::clock::Stamps;

/// How often what has no answer is asked again.
const AGAIN: Nanos = Nanos::from_millis(900);
/// How often the clock is asked for, at first and later.
const CLOCK_EVERY: [Nanos; 2] = [Nanos::from_millis(700), Nanos::from_secs(5)];
/// Exchanges with the clock before it is asked for less often.
const CLOCK_FIRST: u64 = 8;

/// What is sent to the broker.
#[derive(Clone, Debug)]
pub enum Ask {
    /// Write a record, or look at it.
    Once(Key, Option<Vec<u8>>),
    /// Process, number of the request, shard, length.
    Lease(usize, u64, u32, Nanos),
    /// Shard and epoch.
    Release(u32, u32),
    /// What was asked of the run?
    Command,
    /// What time is it? Sent then.
    Clock(Nanos),
    /// A batch.
    Publish(BatchId, Rc<[u8]>),
    /// Batches from this number on.
    Fetch(usize),
}

/// What the broker answers.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A record.
    Record(Key, Vec<u8>),
    /// Number of the request, shard, epoch if it is granted.
    Lease(u64, u32, Option<u32>),
    /// What was asked of the run.
    Command(Option<Command>),
    /// When it was asked, arrived and answered.
    Clock(Nanos, Nanos, Nanos),
    /// The broker has a batch on its disk.
    Acknowledged(BatchId),
    /// Batches from this number on, each with its stamp.
    Batches(usize, Vec<(u64, Rc<[u8]>)>),
}

#[derive(Debug, Default)]
struct State {
    process: usize,
    now: Nanos,
    records: BTreeMap<Key, Vec<u8>>,
    asked: BTreeMap<(Key, bool), Nanos>,
    leases: BTreeMap<u32, (Renewal, Nanos)>,
    command: Option<Command>,
    command_asked: Option<Nanos>,
    clock_asked: Option<Nanos>,
    clocks: u64,
    stamps: Vec<Stamps>,
    acknowledged: Vec<BatchId>,
    outbox: Vec<Ask>,
    /// The disk that what is published has to be on.
    disk: Option<Drive>,
}

/// A handle of the way to the broker.
#[derive(Clone, Debug, Default)]
pub struct Client(Rc<RefCell<State>>);

impl Client {
    /// One of a process with this number and disk.
    pub fn on(process: usize, disk: Drive) -> Self {
        Self(Rc::new(RefCell::new(State { process, disk: Some(disk), ..State::default() })))
    }

    /// It is this instant.
    pub fn at(&self, now: Nanos) {
        self.0.borrow_mut().now = now;
    }

    /// What is to be sent.
    pub fn take(&self) -> Vec<Ask> {
        std::mem::take(&mut self.0.borrow_mut().outbox)
    }

    /// Sends something of its own.
    pub fn ask(&self, ask: Ask) {
        self.0.borrow_mut().outbox.push(ask);
    }

    /// The broker answered; at this instant.
    pub fn answered(&self, answer: Answer, now: Nanos) {
        let mut state = self.0.borrow_mut();
        match answer {
            Answer::Record(key, value) => drop(state.records.insert(key, value)),
            Answer::Lease(id, shard, epoch) => {
                if let Some((renewal, length)) = state.leases.get_mut(&shard) {
                    renewal.answered(id, epoch, *length);
                }
            }
            Answer::Command(command) => state.command = state.command.max(command),
            Answer::Clock(sent, arrived, answered) => {
                state.stamps.push(Stamps { sent, arrived, answered, received: now });
                state.clocks += 1;
            }
            Answer::Acknowledged(id) => state.acknowledged.push(id),
            Answer::Batches(..) => {}
        }
    }
}

impl Coordinator for Client {
    fn once(&mut self, key: Key, value: Option<&[u8]>) -> Option<Vec<u8>> {
        let mut state = self.0.borrow_mut();
        if let Some(known) = state.records.get(&key) {
            return Some(known.clone());
        }
        let now = state.now;
        let last = state.asked.get(&(key, value.is_some())).copied();
        if last.is_none_or(|last| now.since(last) >= AGAIN) {
            state.asked.insert((key, value.is_some()), now);
            state.outbox.push(Ask::Once(key, value.map(<[u8]>::to_vec)));
        }
        None
    }

    fn lease(&mut self, shard: u32, length: Nanos) -> Option<Lease> {
        let mut state = self.0.borrow_mut();
        let (now, process) = (state.now, state.process);
        let (renewal, of) = state.leases.entry(shard).or_default();
        *of = length;
        let (id, known) = (renewal.ask(now, length), renewal.known());
        state.outbox.extend(id.map(|id| Ask::Lease(process, id, shard, length)));
        known
    }

    fn release(&mut self, shard: u32) {
        let mut state = self.0.borrow_mut();
        let held = state.leases.get_mut(&shard).and_then(|(renewal, _)| renewal.release());
        state.outbox.extend(held.map(|epoch| Ask::Release(shard, epoch)));
    }

    fn command(&mut self) -> Option<Command> {
        let mut state = self.0.borrow_mut();
        let now = state.now;
        if state.command_asked.is_none_or(|last| now.since(last) >= AGAIN) {
            state.command_asked = Some(now);
            state.outbox.push(Ask::Command);
        }
        state.command
    }

    fn stamps(&mut self, now: Nanos) -> Vec<Stamps> {
        let mut state = self.0.borrow_mut();
        let every = CLOCK_EVERY[usize::from(state.clocks > CLOCK_FIRST)];
        if state.clock_asked.is_none_or(|last| now.since(last) >= every) {
            state.clock_asked = Some(now);
            state.outbox.push(Ask::Clock(now));
        }
        std::mem::take(&mut state.stamps)
    }
}

impl Publisher for Client {
    fn publish(&mut self, id: BatchId, bytes: Vec<u8>) {
        let mut state = self.0.borrow_mut();
        let is_kept = state.disk.as_ref().is_some_and(|disk| disk.has(&bytes));
        assert!(is_kept, "law: a batch is on the disk before it is sent; {id:?} is not");
        state.outbox.push(Ask::Publish(id, bytes.into()));
    }

    fn acknowledged(&mut self) -> Vec<BatchId> {
        std::mem::take(&mut self.0.borrow_mut().acknowledged)
    }
}

/// A file on an injector's disk, which survives the injector.
#[derive(Clone, Debug, Default)]
pub struct Drive(Rc<RefCell<File>>);

#[derive(Debug, Default)]
struct File {
    bytes: Vec<u8>,
    /// Where the record that was read last is.
    read: Range<usize>,
    is_full: bool,
}

impl Drive {
    /// Whether nothing can be appended any more.
    pub fn fill(&self, is_full: bool) {
        self.0.borrow_mut().is_full = is_full;
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.0.borrow().bytes.len() as u64
    }

    /// The machine lost power while it wrote this: nobody was told that it is there.
    pub fn tear(&self, bytes: &[u8]) {
        self.0.borrow_mut().bytes.extend_from_slice(bytes);
    }

    fn has(&self, bytes: &[u8]) -> bool {
        let file = self.0.borrow();
        file.bytes.get(file.read.clone()) == Some(bytes)
    }
}

impl Disk for Drive {
    fn append(&mut self, at: u64, bytes: &[u8]) -> Result<(), String> {
        let mut file = self.0.borrow_mut();
        if file.is_full {
            return Err("no space left on device".into());
        }
        file.bytes.truncate(at as usize);
        file.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn read(&mut self, range: Range<u64>) -> Result<Vec<u8>, String> {
        let mut file = self.0.borrow_mut();
        let range = range.start as usize..range.end as usize;
        let bytes = file.bytes.get(range.clone()).map(<[u8]>::to_vec).ok_or("beyond the end of the file")?;
        file.read = range;
        Ok(bytes)
    }
}
