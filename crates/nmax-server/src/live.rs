//! Runs as they go on: a thread follows the files of each run that somebody watches, once, however many watch it, and hands
//! each window on as a frame. The last frames are kept, so that who comes back after a break misses nothing.

use std::collections::{HashMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use nmax_metrics::{Nanos, Reading};
use nmax_report::number;
use nmax_report::report::injectors;
use nmax_run::{Followed, RunRecord, times};
use nmax_store::RunReader;
use serde_json::Value;
use tokio::sync::broadcast::{self, Receiver, Sender};

use crate::api::{self, ReportMark};
use crate::course;

/// Between two looks at the files.
const LOOK: Duration = Duration::from_millis(200);
/// Between two judgements at least; they take at most this part of the time.
const GATES: Duration = Duration::from_secs(2);
const GATES_PART: u32 = 100;
/// Frames that are kept: a quarter of an hour of seconds. Who comes back later reads the course again.
const RING_MAX: usize = 900;
/// Frames of the time before a run was followed.
const FIRST_MAX: usize = 30;
/// Frames that a viewer may be behind before it is told to read everything again.
const BEHIND_MAX: usize = 256;
/// The thread follows a run for so long after its last viewer has left.
const UNWATCHED: Duration = Duration::from_secs(10);
/// Seconds of readings that a frame looks back.
const RECENT: Nanos = Nanos::from_secs(10);
/// Place of the 95th percentile in [`nmax_analysis::QUANTILES`].
const P95: usize = 2;
/// Most kinds of errors.
const ERRORS_MAX: usize = 10;

/// What viewers are sent.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    pub(crate) name: &'static str,
    /// Of a frame: its end, ms of the run.
    pub(crate) id: Option<u64>,
    /// Of a frame: its beginning, ms.
    begins: u64,
    pub(crate) data: Arc<str>,
}

impl Message {
    pub(crate) fn new(name: &'static str, data: &impl crate::api::Out) -> Self {
        Self { name, id: None, begins: 0, data: data.json().into() }
    }
}

/// Everything that is followed.
#[derive(Clone)]
pub(crate) struct Hub {
    runs: Arc<Mutex<HashMap<PathBuf, Arc<Channel>>>>,
    list: Sender<Message>,
}

struct Channel {
    sender: Sender<Message>,
    kept: Mutex<History>,
}

#[derive(Default)]
struct History {
    frames: VecDeque<Message>,
    gates: Option<Message>,
    ended: Option<Message>,
}

/// What a viewer gets first, and what then follows.
pub(crate) struct Watch {
    pub(crate) first: Vec<Message>,
    pub(crate) then: Receiver<Message>,
    /// The viewer has frames up to these ms, and none was found yet that follows.
    after: Option<u64>,
}

impl Watch {
    /// A message as this viewer gets it: nothing in place of a frame that it has, and before the first one that does not
    /// follow what it has, the word to read everything again.
    pub(crate) fn passed(&mut self, message: Message) -> [Option<Message>; 2] {
        let (Some(id), Some(after)) = (message.id, self.after) else { return [None, Some(message)] };
        if id <= after {
            return [None, None];
        }
        self.after = None;
        let is_next = message.begins <= after + 1;
        [(!is_next).then(|| Message::new("resync", &())), Some(message)]
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Hub {
    pub(crate) fn new() -> Self {
        Self { runs: Arc::default(), list: broadcast::channel(BEHIND_MAX).0 }
    }

    /// Tells of a change of the list.
    pub(crate) fn publish(&self, message: Message) {
        // An error says that there is no viewer.
        let _ = self.list.send(message);
    }

    /// Changes of the list.
    pub(crate) fn list(&self) -> Receiver<Message> {
        self.list.subscribe()
    }

    /// A run as it goes on, from the frame on that ends after `after` ms; `None`: from now on.
    pub(crate) fn watch(&self, path: &Path, after: Option<u64>) -> Watch {
        let channel = {
            let mut runs = lock(&self.runs);
            let open = runs.get(path).map(Arc::clone);
            open.unwrap_or_else(|| {
                let channel = Arc::new(Channel { sender: broadcast::channel(BEHIND_MAX).0, kept: Mutex::default() });
                runs.insert(path.to_owned(), Arc::clone(&channel));
                let (of, runs, path) = (Arc::clone(&channel), Arc::clone(&self.runs), path.to_owned());
                let follow = move || {
                    follow(&of, &path);
                    lock(&runs).remove(&path);
                };
                let thread = std::thread::Builder::new().name("nmax-follow".into());
                if thread.spawn(follow).is_err() {
                    lock(&self.runs).retain(|_, other| !Arc::ptr_eq(other, &channel));
                }
                channel
            })
        };
        // In this order nothing falls between what is kept and what follows.
        let kept = lock(&channel.kept);
        let then = channel.sender.subscribe();
        let mut first: Vec<Message> = Vec::new();
        let begins = kept.frames.front().map(|frame| frame.begins);
        match (after, begins) {
            (Some(after), Some(begins)) if begins <= after + 1 => {
                first.extend(kept.frames.iter().filter(|frame| frame.id > Some(after)).cloned());
            }
            (Some(_), Some(_)) => first.push(Message::new("resync", &())),
            _ => {}
        }
        first.extend(kept.gates.clone());
        first.extend(kept.ended.clone());
        Watch { first, then, after: after.filter(|_| begins.is_none()) }
    }
}

impl Channel {
    fn send(&self, message: Message) {
        let mut kept = lock(&self.kept);
        match message.name {
            "frame" => {
                kept.frames.push_back(message.clone());
                if kept.frames.len() > RING_MAX {
                    kept.frames.pop_front();
                }
            }
            "gates" => kept.gates = Some(message.clone()),
            "end" | "gone" => kept.ended = Some(message.clone()),
            _ => {}
        }
        let _ = self.sender.send(message);
    }
}

/// Follows a run until it ends or nobody watches it.
fn follow(channel: &Channel, path: &Path) {
    // Of a run that has ended there is nothing to wait for.
    if RunReader::open_damaged(path).is_ok_and(|run| !run.is_running()) {
        return channel.send(Message::new("end", &Value::Null));
    }
    let mut followed = match Followed::open(path) {
        Ok(followed) => followed,
        Err(why) => {
            let gone = if path.exists() { "end" } else { "gone" };
            return channel.send(Message::new(gone, &why));
        }
    };
    let mut recent: VecDeque<Reading> = VecDeque::new();
    let mut unwatched = Duration::ZERO;
    let mut next_gates = now();
    // What was there before is read by the course, but for what came since a viewer read it.
    let mut is_first = true;
    loop {
        let mut frames = VecDeque::new();
        let mut events = Vec::new();
        let mut readings = Vec::new();
        let read = followed.read_on(&mut |told| match told {
            RunRecord::Window(window) => {
                frames.push_back(window.clone());
                if is_first && frames.len() > FIRST_MAX {
                    frames.pop_front();
                }
            }
            RunRecord::Event(event) if !is_first => {
                events.push(api::Event {
                    at_s: event.at.as_secs_f64(),
                    code: event.code.clone(),
                    text: event.text.clone(),
                });
            }
            RunRecord::Reading(reading) => readings.push(reading.clone()),
            RunRecord::Event(_) => {}
        });
        let is_running = match read {
            Ok(is_running) => is_running,
            Err(why) => {
                let gone = if path.exists() { "end" } else { "gone" };
                return channel.send(Message::new(gone, &why));
            }
        };
        recent.extend(readings);
        let newest = recent.back().map_or(Nanos::ZERO, |reading| reading.resource.at);
        while recent.front().is_some_and(|reading| newest.since(reading.resource.at) > RECENT) {
            recent.pop_front();
        }
        let plan = followed.plan();
        let end = times(plan).1;
        for window in &frames {
            let frame = course::frame(plan, window, recent.make_contiguous(), end);
            let id = Some(window.end().0 / 1_000_000);
            let begins = window.start().0 / 1_000_000;
            channel.send(Message { id, begins, ..Message::new("frame", &frame) });
        }
        for event in &events {
            channel.send(Message::new("event", event));
        }
        if now() >= next_gates || !is_running {
            let begun = now();
            if let Ok(standing) = standing(&mut followed, is_running, path) {
                channel.send(Message::new("gates", &standing));
            }
            next_gates = now() + GATES.max((now() - begun) * GATES_PART);
        }
        if !is_running {
            let gone = if path.exists() { "end" } else { "gone" };
            return channel.send(Message::new(gone, &Value::Null));
        }
        if !path.exists() {
            return channel.send(Message::new("gone", &Value::Null));
        }
        is_first = false;
        unwatched = if channel.sender.receiver_count() == 0 { unwatched + LOOK } else { Duration::ZERO };
        if unwatched >= UNWATCHED {
            return;
        }
        pause(LOOK);
    }
}

#[expect(clippy::disallowed_methods, reason = "when files are looked at")]
fn now() -> Instant {
    Instant::now()
}

#[expect(clippy::disallowed_methods, reason = "a thread of its own waits between two looks at the files")]
fn pause(time: Duration) {
    std::thread::sleep(time);
}

/// What may be said of a run so far.
fn standing(followed: &mut Followed, is_running: bool, path: &Path) -> Result<api::Standing, String> {
    // What comes meanwhile is read next time, when it is handed on.
    let view = followed.result(is_running)?.view;
    let (judgement, summary) = (&view.judgement, &view.summary);
    let decides = judgement.reasons.iter().any(|reason| reason.decides);
    let failing = judgement.thresholds.iter().any(|threshold| !threshold.holds && threshold.value.is_some());
    let (mark, word) = match view.judgement.verdict {
        nmax_analysis::Verdict::Invalid if decides => (ReportMark::Invalid, "INVALID so far"),
        _ if failing => (ReportMark::Fail, "FAIL so far"),
        nmax_analysis::Verdict::Pass => (ReportMark::Pass, "PASS so far"),
        _ => (ReportMark::None, "no verdict yet"),
    };
    let thresholds = judgement.thresholds.iter().map(|threshold| api::StandingThreshold {
        text: threshold.condition.clone(),
        value: number::with_unit(threshold.value, threshold.unit),
        holds: threshold.holds,
    });
    let errors = summary.problems.iter().take(ERRORS_MAX).map(|problem| api::StandingError {
        kind: problem.kind.clone(),
        count: problem.count,
        remedy: problem.remedy.to_owned(),
        example: problem.examples.first().map(|example| api::ErrorExample {
            at_s: example.at.as_secs_f64(),
            request: example.name.clone(),
            status: example.status.map(|status| status.to_string()).unwrap_or_default(),
            text: example.text.clone(),
        }),
    });
    let injectors = summary.injectors.iter().map(|row| {
        let (mark, word) = injectors::health(row);
        api::StandingInjector {
            name: row.name.clone(),
            region: row.region.clone(),
            mark: crate::page::mark(mark),
            word,
            started_share: row.started_share,
            rate: row.exchanges.rate_per_s,
            lag_p99_ms: row.lag.p99().map(|ns| ns as f64 / 1e6),
            cpu_utilization: row.cpu_utilization,
            clock_error_ms: row.clock_error_s.map(|seconds| seconds * 1e3),
            lost_s: row.lost_s,
        }
    });
    let reasons = judgement.reasons.iter().map(|reason| api::StandingReason {
        code: reason.code.to_owned(),
        text: reason.text.clone(),
        decides: reason.decides,
    });
    Ok(api::Standing {
        mark,
        word: word.to_owned(),
        reasons: reasons.collect(),
        thresholds: thresholds.collect(),
        errors: errors.collect(),
        injectors: injectors.collect(),
        rate: summary.achieved_rate_per_s,
        p95_ms: summary.total.response_ns(P95).map(|ns| ns as f64 / 1e6),
        failure_rate: summary.total.failure_rate,
        revision: crate::steer::revision(path),
    })
}
