//! Reads the agent's host once a second, and keeps the lines of some minutes.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nmax_metrics::{Clock, Nanos};
use nmax_plan::plan::ProcessRef;
use nmax_sources::figures;

use super::stamp::{self, HostClock};
use super::wire::Shot;
use crate::host::Host;
use crate::source::{Reading, Source};

/// From one reading to the next.
const EVERY: Duration = Duration::from_secs(1);
/// Seconds that are kept.
const LINES_MAX: usize = 300;
/// Bytes that are kept; on hosts with very many figures that is fewer seconds.
const BYTES_MAX: usize = 8 << 20;
/// Notes that are kept for runs to come.
const NOTES_MAX: usize = 50;
/// Most processes that are watched.
pub(super) const PROCESSES_MAX: usize = 64;

/// What was read.
#[derive(Debug, Default)]
struct SampleBuffer {
    /// Lines, the number of the first one is `next` − their count.
    lines: VecDeque<String>,
    bytes: usize,
    next: u64,
    notes: Vec<String>,
    /// Names of processes that are to be watched.
    processes: Vec<String>,
}

impl SampleBuffer {
    fn push(&mut self, line: String) {
        self.bytes += line.len();
        self.lines.push_back(line);
        self.next += 1;
        while self.lines.len() > LINES_MAX || (self.bytes > BYTES_MAX && self.lines.len() > 1) {
            self.bytes -= self.lines.pop_front().map_or(0, |line| line.len());
        }
    }
}

/// The kept lines, shared between the thread that reads and those who ask.
#[derive(Clone, Debug, Default)]
pub(super) struct Ring(Arc<Mutex<SampleBuffer>>);

impl Ring {
    fn kept(&self) -> MutexGuard<'_, SampleBuffer> {
        // What another thread left behind is whole between any two statements.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lines from number `since` on, or none; and the number of the one to come.
    pub(super) fn since(&self, since: Option<u64>) -> (String, u64) {
        let kept = self.kept();
        let first = kept.next - kept.lines.len() as u64;
        let from = since.unwrap_or(kept.next).clamp(first, kept.next);
        let lines = kept.lines.range((from - first) as usize..);
        (lines.map(String::as_str).collect(), kept.next)
    }

    /// What is known of the host from before.
    pub(super) fn notes(&self) -> Vec<String> {
        self.kept().notes.clone()
    }

    /// Adds processes to those that are watched; whether there was room for all.
    pub(super) fn watch(&self, names: &[String]) -> bool {
        let mut kept = self.kept();
        for name in names {
            if !kept.processes.contains(name) {
                if kept.processes.len() >= PROCESSES_MAX {
                    return false;
                }
                kept.processes.push(name.clone());
            }
        }
        true
    }

    fn processes(&self) -> Vec<String> {
        self.kept().processes.clone()
    }

    /// Keeps a shot.
    pub(super) fn keep(&self, shot: &Shot) {
        let mut kept = self.kept();
        kept.push(shot.line());
        let room = NOTES_MAX.saturating_sub(kept.notes.len());
        let new: Vec<String> = shot.notes.iter().take(room).cloned().collect();
        kept.notes.extend(new);
    }
}

/// The thread that reads. Dropping it ends the thread.
#[derive(Debug)]
pub(super) struct Sampler {
    stop: SyncSender<()>,
    thread: Option<JoinHandle<()>>,
}

impl Sampler {
    pub(super) fn start(ring: Ring) -> io::Result<Self> {
        let (stop, stopped) = sync_channel(1);
        let thread = thread::Builder::new().name("nmax-agent".into()).spawn(move || sample(&ring, &stopped))?;
        Ok(Self { stop, thread: Some(thread) })
    }
}

impl Drop for Sampler {
    fn drop(&mut self) {
        let _ = self.stop.try_send(());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn sample(ring: &Ring, stopped: &Receiver<()>) {
    let mut watched = ring.processes();
    let mut host = host(&watched);
    let mut cost = Cost::default();
    let mut trouble = String::new();
    let mut due = HostClock.now();
    loop {
        let wanted = ring.processes();
        if wanted != watched {
            host = self::host(&wanted);
            watched = wanted;
        }
        let at = HostClock.now();
        let mut shot = Shot { at, ..Shot::default() };
        match host.read(at) {
            Ok(readings) => shot.readings = readings,
            Err(error) if error.text != trouble => {
                trouble.clone_from(&error.text);
                shot.notes.push(error.text);
            }
            Err(_) => {}
        }
        shot.readings.extend(cost.reading(at));
        shot.notes.extend(host.notes());
        shot.notes.extend(host.events().into_iter().map(|(_, text)| text));
        ring.keep(&shot);
        due = Nanos(due.0 + Nanos::from(EVERY).0).max(HostClock.now());
        let wait = Duration::from_nanos(due.since(HostClock.now()).0);
        if stopped.recv_timeout(wait) != Err(RecvTimeoutError::Timeout) {
            return;
        }
    }
}

fn host(processes: &[String]) -> Host {
    let process = |name: &String| (name.clone(), ProcessRef::Name(name.clone()));
    Host::new(Path::new("/"), processes.iter().map(process).collect())
}

/// What the agent itself costs.
#[derive(Default)]
struct Cost(Option<(Nanos, Nanos)>);

impl Cost {
    fn reading(&mut self, at: Nanos) -> Option<Reading> {
        let cpu = stamp::cpu();
        let (before_at, before) = self.0.replace((at, cpu))?;
        let span = at.since(before_at);
        let cores = cpu.since(before).0 as f64 / span.0 as f64;
        (span > Nanos::ZERO).then(|| Reading::new("agent", figures::COST_CORES, cores))
    }
}
