//! The broker of the simulated world: a journal that is synced to a disk, and answers that wait for the sync.

use std::collections::BTreeMap;
use std::rc::Rc;

use nmax_fleet::Key;
use nmax_fleet::records::Command;
use nmax_metrics::Nanos;

use super::chance::{Chance, Clock};
use super::client::{Answer, Ask};

/// Batches of one answer.
const BATCHES_MAX: usize = 256;

/// Which rule the broker breaks, to see that a law notices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Broken {
    /// None.
    Nothing,
    /// It answers before what it answers is on its disk.
    AnswersEarly,
    /// It gives leases away that have not ended.
    LeasesEarly,
    /// It lets a record be written again.
    Overwrites,
}

/// What is written.
#[derive(Clone, Debug)]
enum Entry {
    Record(Key, Vec<u8>),
    /// Stamp on the broker's clock, ns since 1970.
    Batch(u64, Rc<[u8]>),
    /// Shard, epoch, holder.
    Lease(u32, u32, usize),
    Release(u32, u32),
    Command(Command),
}

#[derive(Clone, Copy, Debug, Default)]
struct LeaseOf {
    epoch: u32,
    holder: Option<usize>,
    until: Nanos,
}

/// The broker.
#[derive(Debug)]
pub struct Broker {
    /// Its steady clock.
    pub clock: Clock,
    /// What its calendar says more than its steady clock, ns.
    pub calendar: i64,
    /// Whether its process runs.
    pub is_up: bool,
    /// Which rule it breaks.
    pub broken: Broken,
    journal: Vec<Entry>,
    synced: usize,
    is_syncing: bool,
    waiting: Vec<(usize, usize, Answer)>,
    records: BTreeMap<Key, (usize, Vec<u8>)>,
    batches: Vec<usize>,
    leases: BTreeMap<u32, LeaseOf>,
    command: Option<(Command, usize)>,
}

impl Broker {
    /// One on which nothing stands.
    pub fn new(clock: Clock, calendar: i64, broken: Broken) -> Self {
        Self {
            clock,
            calendar,
            is_up: true,
            broken,
            journal: Vec::new(),
            synced: 0,
            is_syncing: false,
            waiting: Vec::new(),
            records: BTreeMap::new(),
            batches: Vec::new(),
            leases: BTreeMap::new(),
            command: None,
        }
    }

    /// What its calendar says, ns since 1970.
    pub fn calendar_at(&self, truly: u64) -> u64 {
        self.clock.at(truly).0.saturating_add_signed(self.calendar)
    }

    /// Whether a sync is to begin, and up to where.
    pub fn sync(&mut self) -> Option<usize> {
        let is_due = self.is_up && !self.is_syncing && self.synced < self.journal.len();
        self.is_syncing |= is_due;
        is_due.then_some(self.journal.len())
    }

    /// A sync has ended; answers that waited for it, with their receivers.
    pub fn synced(&mut self, to: usize) -> Vec<(usize, Answer)> {
        self.is_syncing = false;
        self.synced = to;
        let (ready, waiting) = std::mem::take(&mut self.waiting).into_iter().partition(|(at, _, _)| *at < to);
        self.waiting = waiting;
        let ready: Vec<(usize, usize, Answer)> = ready;
        ready.into_iter().map(|(_, to, answer)| (to, answer)).collect()
    }

    /// Its process, or its machine, ends: of what was not synced a part may survive, in order.
    pub fn end(&mut self, chance: &mut Chance) {
        let unsynced = (self.journal.len() - self.synced) as u64;
        self.journal.truncate(self.synced + chance.below(unsynced + 1) as usize);
        (self.is_up, self.is_syncing) = (false, false);
        self.waiting.clear();
    }

    /// It begins again with what is on its disk. Leases last from now on: nobody knows how old they are.
    pub fn begin(&mut self, truly: u64, longest: Nanos) {
        self.is_up = true;
        self.synced = self.journal.len();
        (self.records, self.leases) = Default::default();
        (self.batches, self.command) = Default::default();
        for (at, entry) in std::mem::take(&mut self.journal).into_iter().enumerate() {
            self.apply(at, &entry);
            self.journal.push(entry);
        }
        let until = self.clock.at(truly) + longest;
        self.leases.values_mut().for_each(|lease| lease.until = until);
    }

    fn apply(&mut self, at: usize, entry: &Entry) {
        match entry {
            Entry::Record(key, value) => drop(self.records.insert(*key, (at, value.clone()))),
            Entry::Batch(..) => self.batches.push(at),
            Entry::Lease(shard, epoch, holder) => {
                let lease = self.leases.entry(*shard).or_default();
                (lease.epoch, lease.holder) = (*epoch, Some(*holder));
            }
            Entry::Release(shard, epoch) => {
                if let Some(lease) = self.leases.get_mut(shard).filter(|lease| lease.epoch == *epoch) {
                    lease.holder = None;
                }
            }
            Entry::Command(command) => self.command = self.command.max(Some((*command, at))),
        }
    }

    /// Writes an entry; where it stands.
    fn write(&mut self, entry: Entry) -> usize {
        let at = self.journal.len();
        self.apply(at, &entry);
        self.journal.push(entry);
        at
    }

    /// A person asks something of the run.
    pub fn command(&mut self, command: Command) {
        self.write(Entry::Command(command));
    }

    /// Puts a record there.
    pub fn put(&mut self, key: Key, value: Vec<u8>) {
        self.write(Entry::Record(key, value));
    }

    /// A record that is on the disk.
    pub fn record(&self, key: Key) -> Option<&[u8]> {
        self.records.get(&key).filter(|(at, _)| *at < self.synced).map(|(_, value)| &value[..])
    }

    /// All records on the disk.
    pub fn records(&self) -> impl Iterator<Item = (Key, &[u8])> {
        self.records.iter().filter(|(_, (at, _))| *at < self.synced).map(|(key, (_, value))| (*key, &value[..]))
    }

    /// All batches on the disk, each with its stamp.
    pub fn batches(&self, from: usize) -> impl Iterator<Item = (u64, Rc<[u8]>)> {
        let synced = self.batches.iter().skip(from).take_while(|at| **at < self.synced);
        synced.filter_map(|at| match &self.journal[*at] {
            Entry::Batch(stamp, bytes) => Some((*stamp, Rc::clone(bytes))),
            _ => None,
        })
    }

    /// Takes what `from` asks for; answers that can be given at once.
    pub fn asked(&mut self, from: usize, ask: Ask, truly: u64) -> Option<Answer> {
        let (at, answer) = match ask {
            Ask::Once(key, value) => {
                let known = self.records.get(&key).filter(|_| self.broken != Broken::Overwrites || value.is_none());
                match (known.cloned(), value) {
                    (Some((at, known)), _) => (at, Answer::Record(key, known)),
                    (None, Some(value)) => (self.write(Entry::Record(key, value.clone())), Answer::Record(key, value)),
                    (None, None) => return None,
                }
            }
            Ask::Lease(process, id, shard, length) => {
                let (at, epoch) = self.lease(process, shard, length, truly);
                (at, Answer::Lease(id, shard, epoch))
            }
            Ask::Release(shard, epoch) => {
                self.write(Entry::Release(shard, epoch));
                return None;
            }
            Ask::Command => match self.command {
                Some((command, at)) => (at, Answer::Command(Some(command))),
                None => return Some(Answer::Command(None)),
            },
            Ask::Clock(sent) => {
                let now = Nanos(self.calendar_at(truly));
                return Some(Answer::Clock(sent, now, now));
            }
            Ask::Publish(id, bytes) => {
                let stamp = self.calendar_at(truly);
                (self.write(Entry::Batch(stamp, bytes)), Answer::Acknowledged(id))
            }
            Ask::Fetch(first) => {
                return Some(Answer::Batches(first, self.batches(first).take(BATCHES_MAX).collect()));
            }
        };
        if at < self.synced || self.broken == Broken::AnswersEarly {
            return Some(answer);
        }
        self.waiting.push((at, from, answer));
        None
    }

    /// Who may have a shard: where that stands, and the epoch of a process.
    fn lease(&mut self, process: usize, shard: u32, length: Nanos, truly: u64) -> (usize, Option<u32>) {
        let now = self.clock.at(truly);
        let length = if self.broken == Broken::LeasesEarly { Nanos(length.0 / 3) } else { length };
        let lease = self.leases.entry(shard).or_default();
        let is_over = lease.holder.is_none() || lease.until <= now;
        if !is_over && lease.holder != Some(process) {
            return (0, None);
        }
        lease.until = now + length;
        if !is_over {
            // Its grant may not be on the disk yet.
            return (self.journal.len().saturating_sub(1), Some(lease.epoch));
        }
        let epoch = lease.epoch + 1;
        (self.write(Entry::Lease(shard, epoch, process)), Some(epoch))
    }
}
