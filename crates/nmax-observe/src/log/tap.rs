//! What followed access logs say of single requests, for whoever holds it beside the client's side.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::{iter, thread};

use nmax_log::record::Record;
use nmax_metrics::Nanos;
use nmax_metrics::logged::{Entry, Sender};
use nmax_sources::Unit;

use super::Follower;
use crate::follow::Mark;
use crate::reach::PATIENCE;
use crate::source::Reading;

/// Most bytes of methods and targets that wait to be taken.
const TEXT_BYTES_MAX: usize = 32 << 20;
/// Most requests that wait to be taken.
const ENTRIES_MAX: usize = 500_000;

/// Where method and target are in the text of a batch: first byte and length.
#[derive(Clone, Copy, Debug)]
struct RequestSpans {
    method: (u32, u32),
    target: (u32, u32),
}

/// Requests that were read together.
#[derive(Debug, Default)]
pub struct Batch {
    entries: Vec<(Entry, RequestSpans)>,
    text: Vec<u8>,
    /// How many there was no room for.
    pub left_out: u64,
    log: u16,
    seen: Nanos,
    /// Nobody asks for it.
    is_off: bool,
    agent: Option<Arc<[u8]>>,
}

impl Batch {
    /// Adds a request.
    pub(super) fn add(&mut self, record: &Record<'_>) {
        if self.is_off {
            return;
        }
        let is_full = self.text.len() + record.method.len() + record.target.len() > TEXT_BYTES_MAX;
        if is_full || self.entries.len() >= ENTRIES_MAX {
            self.left_out += 1;
            return;
        }
        let agent = match &self.agent {
            Some(own) if !record.agent.is_empty() => match *record.agent == **own {
                true => Sender::Run,
                false => Sender::Other,
            },
            _ => Sender::Unknown,
        };
        let place =
            RequestSpans { method: put(&mut self.text, record.method), target: put(&mut self.text, record.target) };
        let entry = Entry {
            log: self.log,
            seen: self.seen,
            arrival_us: record.arrival_us,
            is_arrival: record.is_arrival,
            resolution_us: record.resolution_us,
            duration_us: record.duration_us,
            upstream_us: record.upstream_us,
            status: record.status,
            agent,
        };
        self.entries.push((entry, place));
    }

    /// Every request with its method and target.
    pub fn iter(&self) -> impl Iterator<Item = (&Entry, &[u8], &[u8])> {
        let piece = |(at, length): (u32, u32)| self.text.get(at as usize..(at + length) as usize).unwrap_or_default();
        self.entries.iter().map(move |(entry, place)| (entry, piece(place.method), piece(place.target)))
    }

    /// Adds those of another batch.
    fn append(&mut self, other: Self) {
        self.left_out += other.left_out;
        if self.text.len() + other.text.len() > TEXT_BYTES_MAX || self.entries.len() + other.entries.len() > ENTRIES_MAX
        {
            self.left_out += other.entries.len() as u64;
            return;
        }
        let shift = self.text.len() as u32;
        self.text.extend(other.text);
        let moved = |(at, length): (u32, u32)| (at + shift, length);
        self.entries.extend(other.entries.into_iter().map(|(entry, place)| {
            let place = RequestSpans { method: moved(place.method), target: moved(place.target) };
            (entry, place)
        }));
    }
}

fn put(text: &mut Vec<u8>, piece: &[u8]) -> (u32, u32) {
    let at = text.len() as u32;
    text.extend_from_slice(piece);
    (at, piece.len() as u32)
}

#[derive(Default)]
struct Inner {
    waiting: Batch,
    followers: Vec<Weak<Mutex<Follower>>>,
    marks: HashMap<String, Mark>,
}

/// Collects what followed access logs say of single requests. Bounded: what nobody takes is counted and left out. One that
/// was not asked for takes nothing.
#[derive(Clone, Default)]
pub struct Tap {
    inner: Option<Arc<Mutex<Inner>>>,
    agent: Option<Arc<[u8]>>,
}

impl Tap {
    /// One that collects. `agent` is the user agent of all of the run's requests, where they have one.
    pub fn open(agent: Option<&str>) -> Self {
        Self { inner: Some(Arc::default()), agent: agent.map(|agent| agent.as_bytes().into()) }
    }

    /// Remembers how long a file is now: what comes from here on is read, also before it is followed.
    pub fn mark(&self, file: &str) {
        if let Some(mut inner) = self.lock() {
            inner.marks.insert(file.to_owned(), Mark::new(Path::new(file)));
        }
    }

    /// How long a file was when it was marked.
    pub(super) fn marked(&self, file: &str) -> Option<Mark> {
        self.lock()?.marks.get(file).copied()
    }

    /// What came since the last call.
    pub fn drain(&self) -> Batch {
        self.lock().map_or_else(Batch::default, |mut inner| std::mem::take(&mut inner.waiting))
    }

    /// Reads what came since the logs were read last: at the end of a run the last second would be missing. Gives the
    /// counts among the readings, by the number of the log; rates of so short a time would say nothing. A log that hangs is
    /// given up.
    pub fn catch_up(&self, now: Nanos) -> Vec<(u16, Vec<Reading>)> {
        let followers = self.lock().map(|inner| inner.followers.clone()).unwrap_or_default();
        let (sender, receiver) = sync_channel(followers.len().max(1));
        for (number, follower) in (0..).zip(followers) {
            let Some(follower) = follower.upgrade() else { continue };
            let sender = sender.clone();
            let body = move || {
                let read = follower.lock().unwrap_or_else(PoisonError::into_inner).read(now);
                // What cannot be read was said when it was tried before.
                let mut readings = read.unwrap_or_default();
                readings.retain(|reading| reading.unit == Unit::Count);
                let _ = sender.send((number, readings));
            };
            // Without a thread for it, its last lines are missing.
            let _ = thread::Builder::new().name("nmax-log".into()).spawn(body);
        }
        drop(sender);
        let mut found: Vec<(u16, Vec<Reading>)> = iter::from_fn(|| receiver.recv_timeout(PATIENCE).ok()).collect();
        found.sort_by_key(|(number, _)| *number);
        found
    }

    /// Lets a follower fill it.
    pub(super) fn join(&self, follower: &Arc<Mutex<Follower>>) {
        let mut own = follower.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut inner) = self.lock() {
            own.number = inner.followers.len() as u16;
            inner.followers.push(Arc::downgrade(follower));
        }
        own.tap = self.clone();
    }

    /// An empty batch of a log.
    pub(super) fn batch(&self, log: u16, seen: Nanos) -> Batch {
        Batch { log, seen, is_off: self.inner.is_none(), agent: self.agent.clone(), ..Batch::default() }
    }

    /// Takes a batch.
    pub(super) fn take(&self, batch: Batch) {
        if let Some(mut inner) = self.lock() {
            inner.waiting.append(batch);
        }
    }

    fn lock(&self) -> Option<MutexGuard<'_, Inner>> {
        let inner = self.inner.as_ref()?;
        Some(inner.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
