//! Reads sources, each on a thread of its own, until it is stopped.

use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, sync_channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use nmax_metrics::{Clock, Nanos, Resource};
use nmax_sources::figures::UP;

use crate::odd::Odd;
use crate::source::{Reading, Source, Trouble};

/// Readings that wait to be taken; what comes beyond them is left out, and its gap shows.
const WAITING_MAX: usize = 4_096;
/// Most losses of a source that are said, each with its end.
const LOSSES_MAX: u32 = 20;
/// Most reasons that are said of one loss.
const REASONS_MAX: usize = 3;
/// How long the end waits for a source that is being read.
const PATIENCE: Duration = Duration::from_secs(3);

/// Where in its period a source of figures of a moment is read, as shares of the period, or of a second if that is shorter: after
/// all others, and early enough to be of the same second.
const MOMENTS: (f64, f64) = (0.2, 0.6);
/// The golden ratio less one: multiples of it are spread evenly, however many there are.
const GOLDEN: f64 = 0.618_033_988_749_894_9;

/// A source, how it is called and how often it is read.
pub struct Watched {
    /// Host that its figures belong to.
    pub host: String,
    /// Its own name in results: `postgres orders`.
    pub name: String,
    /// From one reading to the next.
    pub every: Duration,
    /// What is read.
    pub source: Box<dyn Source>,
}

/// What happened to a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Happening {
    /// When.
    pub at: Nanos,
    /// `SOURCE_LOST`, `SOURCE_BACK`, `SOURCE_NOTE`, or a code of the source's own, such as `CLOCK_OFFSET`.
    pub code: &'static str,
    /// One sentence.
    pub text: String,
}

/// What was seen since the last look.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Figures, with `up` (1 or 0) of each source each time that it was read.
    pub resources: Vec<Resource>,
    /// Sources that went, came back, or have something to say.
    pub happenings: Vec<Happening>,
}

enum Message {
    Resources(Vec<Resource>),
    Happening(Happening),
}

/// Sources under observation. Dropping it ends their threads.
pub struct Watcher {
    messages: Receiver<Message>,
    threads: Vec<(SyncSender<()>, JoinHandle<()>)>,
    ended: Receiver<()>,
}

impl Watcher {
    /// Begins to read.
    pub fn start<C>(sources: Vec<Watched>, clock: C) -> Self
    where
        C: Clock + Clone + Send + 'static,
    {
        let (sender, messages) = sync_channel(WAITING_MAX);
        let (done, ended) = sync_channel::<()>(1);
        let threads = sources
            .into_iter()
            .filter_map(|watched| {
                let (stop, stopped) = sync_channel(1);
                let reader = Reader {
                    host: watched.host,
                    name: watched.name,
                    is_up: None,
                    lost_at: Nanos::ZERO,
                    losses: 0,
                    reasons: Vec::new(),
                    odd: Odd::default(),
                    sender: sender.clone(),
                };
                let title = reader.title();
                let (now, done) = (clock.now(), done.clone());
                let (source, every, clock) = (watched.source, watched.every, clock.clone());
                let body = move || {
                    reader.run(source, every, &clock, &stopped);
                    drop(done);
                };
                let thread = thread::Builder::new().name("nmax-observe".into()).spawn(body);
                let thread = thread.map_err(|error| {
                    let text = format!("{title} cannot be read: no thread can be started for it: {error}");
                    let _ = sender.try_send(Message::Happening(Happening { at: now, code: "SOURCE_LOST", text }));
                });
                Some((stop, thread.ok()?))
            })
            .collect();
        Self { messages, threads, ended }
    }

    /// What was seen since the last call.
    pub fn drain(&mut self) -> Seen {
        let mut seen = Seen::default();
        for message in self.messages.try_iter() {
            match message {
                Message::Resources(resources) => seen.resources.extend(resources),
                Message::Happening(happening) => seen.happenings.push(happening),
            }
        }
        seen
    }

    /// Ends all threads; what they saw until then. One that hangs in a read is left behind: it ends with the process.
    pub fn stop(&mut self) -> Seen {
        let threads = std::mem::take(&mut self.threads);
        drop(threads.iter().map(|(stop, _)| stop.try_send(())).collect::<Vec<_>>());
        // All hold a sender of `ended`; the last one to go closes it.
        let _ = self.ended.recv_timeout(PATIENCE);
        for (_, thread) in threads {
            if thread.is_finished() {
                let _ = thread.join();
            }
        }
        self.drain()
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.stop();
    }
}

/// One source's thread.
struct Reader {
    host: String,
    name: String,
    /// Whether the last read worked; `None` before the first.
    is_up: Option<bool>,
    lost_at: Nanos,
    /// How often it was lost.
    losses: u32,
    /// What was said of the loss.
    reasons: Vec<String>,
    odd: Odd,
    sender: SyncSender<Message>,
}

impl Reader {
    fn run(mut self, mut source: Box<dyn Source>, every: Duration, clock: &impl Clock, stopped: &Receiver<()>) {
        let mut due = clock.now();
        let (mut reading, is_of_a_moment) = (0_u32, source.is_of_a_moment());
        loop {
            let now = clock.now();
            let read = source.read(now);
            let is_final = matches!(&read, Err(trouble) if trouble.is_final);
            self.report(now, read);
            for (code, text) in source.events() {
                self.happened(now, code, format!("{}: {text}", self.title()));
            }
            for text in source.notes() {
                self.happened(now, "SOURCE_NOTE", format!("{}: {text}", self.title()));
            }
            // A reading that took long is not followed by others that make up for it.
            due = Nanos(due.0 + every.as_nanos() as u64).max(clock.now());
            reading = reading.wrapping_add(1);
            let later = if is_of_a_moment { moment(reading, every) } else { Duration::ZERO };
            let wait = Duration::from_nanos(due.since(clock.now()).0) + later;
            match stopped.recv_timeout(wait) {
                Err(RecvTimeoutError::Timeout) if !is_final => {}
                _ => return,
            }
        }
    }

    fn title(&self) -> String {
        format!("{} on {}", self.name, self.host)
    }

    fn report(&mut self, now: Nanos, read: Result<Vec<Reading>, Trouble>) {
        let was_up = self.is_up;
        self.is_up = Some(read.is_ok());
        let up = Reading::new(&self.name, UP, f64::from(u8::from(read.is_ok())));
        let mut resources = vec![up.resource(now, &self.host)];
        match read {
            Ok(mut readings) => {
                if was_up == Some(false) {
                    self.is_back(now);
                }
                for text in self.odd.sift(&mut readings) {
                    self.happened(now, "SOURCE_NOTE", format!("{}: {text}", self.title()));
                }
                resources.extend(readings.into_iter().map(|reading| reading.resource(now, &self.host)));
            }
            Err(trouble) => {
                if was_up != Some(false) {
                    self.lost_at = now;
                    self.losses = self.losses.saturating_add(1);
                }
                self.lost(now, trouble);
            }
        }
        self.send(Message::Resources(resources));
    }

    fn is_back(&mut self, now: Nanos) {
        self.reasons.clear();
        if self.losses <= LOSSES_MAX {
            let gap_s = now.since(self.lost_at).as_secs_f64();
            let text = format!("{} is there again after {gap_s:.0} s", self.title());
            self.happened(now, "SOURCE_BACK", text);
        }
    }

    /// Says why it cannot be read, and again when there is another reason.
    fn lost(&mut self, now: Nanos, trouble: Trouble) {
        let is_said = self.reasons.contains(&trouble.text);
        let is_enough = self.losses > LOSSES_MAX || self.reasons.len() >= REASONS_MAX;
        if !trouble.is_final && (is_said || is_enough) {
            return;
        }
        let is = if self.reasons.is_empty() { "cannot" } else { "still cannot" };
        let rest = if trouble.is_final {
            "; it is not tried again"
        } else if self.losses == LOSSES_MAX && self.reasons.is_empty() {
            "; it comes and goes, and further losses are only counted"
        } else {
            ""
        };
        let text = format!("{} {is} be read: {}{rest}", self.title(), trouble.text);
        self.happened(now, "SOURCE_LOST", text);
        self.reasons.push(trouble.text);
    }

    fn happened(&self, at: Nanos, code: &'static str, text: String) {
        self.send(Message::Happening(Happening { at, code, text }));
    }

    /// What nobody takes is left out, and shows as a gap: a thread never waits for a run that does not listen.
    fn send(&self, message: Message) {
        match self.sender.try_send(message) {
            Ok(()) | Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) => {}
        }
    }
}

/// How long after the beginning of its period reading number `reading` takes place, where it must not always be at the same
/// moment as others.
fn moment(reading: u32, every: Duration) -> Duration {
    let (first, last) = MOMENTS;
    let place = first + (last - first) * (f64::from(reading) * GOLDEN).fract();
    every.min(Duration::from_secs(1)).mul_f64(place)
}

#[cfg(test)]
mod tests;
