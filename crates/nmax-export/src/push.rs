//! Snapshots to a server that collects metrics: on a thread of its own, so that no server holds up a run.
//!
//! One snapshot waits while another is sent. What is offered meanwhile takes its place: figures are cumulative, so what is
//! left out is detail over time, and it is counted.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use nmax_observe::Fetcher;

use crate::snapshot::Snapshot;
use crate::{otlp, remote_write};

/// Longest time of one request.
pub(crate) const SEND_MAX: Duration = Duration::from_secs(3);

/// How metrics are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Protocol {
    /// OpenTelemetry's over HTTP.
    Otlp,
    /// Prometheus' remote write.
    RemoteWrite,
}

/// Where to, in which protocol, with which headers.
#[derive(Clone, Debug)]
pub(crate) struct Destination {
    pub(crate) protocol: Protocol,
    pub(crate) url: String,
    pub(crate) headers: Vec<(String, String)>,
}

/// Sends until it is finished.
pub(crate) struct Pusher {
    /// The protocol.
    pub(crate) name: &'static str,
    shown: String,
    slot: Arc<Slot>,
}

#[derive(Default)]
struct Slot {
    state: Mutex<State>,
    changed: Condvar,
}

/// What became of the snapshots.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// Sent and taken.
    pub(crate) sent: u64,
    /// Refused, or not sent at all.
    pub(crate) failed: u64,
    /// Never tried, for one was still being sent.
    pub(crate) skipped: u64,
    /// Why the last one failed, with its URL without secrets; `None` when it did not.
    pub(crate) trouble: Option<String>,
}

#[derive(Default)]
struct State {
    waiting: Option<Arc<Snapshot>>,
    /// No snapshot comes after that.
    is_last: bool,
    /// The thread has ended.
    is_over: bool,
    tally: Tally,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Pusher {
    /// Begins to wait for snapshots.
    ///
    /// # Errors
    /// When no thread can be started.
    pub(crate) fn start(destination: Destination) -> std::io::Result<Self> {
        let fetcher = Fetcher::patient(&destination.url, "*/*", None, SEND_MAX);
        let name = if destination.protocol == Protocol::Otlp { "OTLP" } else { "remote write" };
        let shown = fetcher.shown().to_owned();
        let slot = Arc::<Slot>::default();
        let of_thread = Arc::clone(&slot);
        let work = move || work(&of_thread, &destination, &fetcher);
        std::thread::Builder::new().name("export".into()).spawn(work)?;
        Ok(Self { name, shown, slot })
    }

    /// Hands over the state; never waits.
    pub(crate) fn offer(&self, snapshot: Arc<Snapshot>) {
        let mut state = self.slot.lock();
        state.tally.skipped += u64::from(state.waiting.replace(snapshot).is_some());
        self.slot.changed.notify_all();
    }

    /// So far.
    pub(crate) fn tally(&self) -> Tally {
        self.slot.lock().tally.clone()
    }

    /// Hands over the last state, and waits for its end for `limit` at most. A request that takes longer is left behind.
    pub(crate) fn finish(&self, last: Arc<Snapshot>, limit: Duration) -> Tally {
        self.slot.lock().is_last = true;
        self.offer(last);
        let wait = self.slot.changed.wait_timeout_while(self.slot.lock(), limit, |state| !state.is_over);
        let (state, _) = wait.unwrap_or_else(PoisonError::into_inner);
        let mut tally = state.tally.clone();
        if !state.is_over {
            tally.failed += 1;
            tally.trouble =
                tally.trouble.or_else(|| Some(format!("{}: no answer within {} s", self.shown, limit.as_secs())));
        }
        tally
    }
}

impl Drop for Pusher {
    /// Lets the thread end; it is not waited for.
    fn drop(&mut self) {
        self.slot.lock().is_last = true;
        self.slot.changed.notify_all();
    }
}

fn work(slot: &Slot, destination: &Destination, fetcher: &Fetcher) {
    let mut state = slot.lock();
    loop {
        if let Some(snapshot) = state.waiting.take() {
            drop(state);
            let result = send(destination, fetcher, &snapshot);
            state = slot.lock();
            let (count, trouble) = match result {
                Ok(()) => (&mut state.tally.sent, None),
                Err(trouble) => (&mut state.tally.failed, Some(trouble)),
            };
            *count += 1;
            state.tally.trouble = trouble;
        } else if state.is_last {
            state.is_over = true;
            slot.changed.notify_all();
            return;
        } else {
            state = slot.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn send(destination: &Destination, fetcher: &Fetcher, snapshot: &Snapshot) -> Result<(), String> {
    let (bodies, own): (_, &[(&str, &str)]) = match destination.protocol {
        Protocol::Otlp => {
            (vec![otlp::request(snapshot).to_string().into_bytes()], &[("content-type", "application/json")])
        }
        Protocol::RemoteWrite => (
            remote_write::requests(snapshot),
            &[
                ("content-type", "application/x-protobuf"),
                ("content-encoding", "snappy"),
                ("x-prometheus-remote-write-version", "0.1.0"),
            ],
        ),
    };
    let given = destination.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    let headers: Vec<_> = own.iter().copied().chain(given).collect();
    for body in bodies {
        let (status, reply) = fetcher.post(&headers, &body).map_err(|trouble| trouble.text)?;
        if !(200..300).contains(&status) {
            return Err(answered(fetcher.shown(), status, &reply));
        }
        if destination.protocol == Protocol::Otlp
            && let Some(why) = otlp::rejected(&reply)
        {
            return Err(format!("{}: {why}", fetcher.shown()));
        }
    }
    Ok(())
}

/// What a reply says that is not a success: its status, and the beginning of its text.
pub(crate) fn answered(url: &str, status: u16, reply: &str) -> String {
    let words: Vec<&str> = reply.split_whitespace().collect();
    let said: String = words.join(" ").chars().take(200).collect();
    format!("{url} answered {status}{}{said}", if said.is_empty() { "" } else { ": " })
}
