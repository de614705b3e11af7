//! Signals that ask the program to end, counted; a limit on the size of files as an error of the write and not the end
//! of the process.
//!
//! Each signal whose default ends a process asks for the end, and the first one of any kind begins it: a default would
//! leave what was done to the system under test as it is. Four kinds are not asked for: `KILL` cannot be; `PIPE` is
//! ignored, so that a write fails instead; `XFSZ` does the same; `ILL`, `FPE`, `SEGV` and `BUS` say that this process is
//! broken. What was ignored when the process started stays ignored, but for `INT`, `TERM` and `QUIT`: shells without
//! job control ignore these for whatever runs in the background.
//!
//! `TERM`, or the third signal, begins a [`Hurry`]: containers are killed 10 s after `TERM`.

use std::future::poll_fn;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::task::Poll;
use std::time::{Duration, Instant};

use rustix::process::Signal as Number;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Signals that always ask for the end.
const ASKING: [Number; 3] = [Number::INT, Number::TERM, Number::QUIT];
/// Signals that ask for the end unless they were ignored at the start. `ABORT` from outside does too; the one of a
/// process that aborts itself ends it all the same.
const ENDING: [Number; 13] = [
    Number::HUP,
    Number::USR1,
    Number::USR2,
    Number::ALARM,
    Number::VTALARM,
    Number::PROF,
    Number::XCPU,
    Number::IO,
    Number::POWER,
    Number::STKFLT,
    Number::TRAP,
    Number::ABORT,
    Number::SYS,
];
/// Real-time signals, which end a process too. The C library keeps those before for itself.
const REAL_TIME: std::ops::RangeInclusive<i32> = 34..=64;
/// From this signal on, only what must be undone keeps the process.
pub const IMPATIENT: u32 = 3;
/// How often it is looked whether the time of a hurry is over.
const LOOK: Duration = Duration::from_millis(50);

/// How the time after `TERM`, or after the third signal, is shared out. Each limit counts from that signal.
pub struct ShutdownLimits;

impl ShutdownLimits {
    /// Until then, requests under way may end.
    pub const REQUESTS: Duration = Duration::from_secs(4);
    /// Until then, the teardown of a plan may go on.
    pub const TEARDOWN: Duration = Duration::from_secs(7);
    /// Until then, undos are waited for, and then left to end by themselves.
    pub const UNDOS: Duration = Duration::from_secs(8);
    /// Then the process ends, whatever it does. Less than the 10 s of containers.
    pub const END: Duration = Duration::from_millis(9_500);
}

/// Begins to undo what is owed to the system under test, without waiting; true once nothing is owed any more.
pub type Undo = Box<dyn Fn() -> bool + Send>;

/// Whether somebody counts signals, and ends when asked to.
static IS_HEARD: AtomicBool = AtomicBool::new(false);

/// What is done before a signal ends the process at once.
static BEFORE_EXIT: OnceLock<fn()> = OnceLock::new();

/// What is to be done before a signal ends the process at once, where nothing is dropped; the first one counts.
pub fn before_exit(last: fn()) {
    let _ = BEFORE_EXIT.set(last);
}

/// Ends the first process of a container at the first signal, until somebody listens: signals without a handler have no
/// default there, and would be ignored. Elsewhere it does nothing.
pub fn end_in_container() {
    if std::process::id() != 1 {
        return;
    }
    let serve = |mut handlers: Handlers| async move {
        loop {
            handlers.next().await;
            if !IS_HEARD.load(Ordering::SeqCst) {
                exit();
            }
        }
    };
    // Without it, signals are ignored until somebody listens.
    drop(on_a_thread(serve));
}

/// Installs the handlers and serves them on a thread of its own; returns once they are there.
fn on_a_thread<F: Future<Output = ()>>(serve: impl FnOnce(Handlers) -> F + Send + 'static) -> io::Result<()> {
    let (ready_in, ready) = sync_channel(1);
    std::thread::Builder::new().name("nmax-signals".into()).spawn(move || {
        let reactor = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
            Ok(reactor) => reactor,
            Err(error) => return drop(ready_in.send(Err(error))),
        };
        reactor.block_on(async move {
            match Handlers::install() {
                Ok(handlers) => {
                    let _ = ready_in.send(Ok(()));
                    serve(handlers).await;
                }
                Err(error) => drop(ready_in.send(Err(error))),
            }
        });
    })?;
    ready.recv().unwrap_or_else(|_| Err(io::Error::other("the thread of signals ended")))
}

/// How often somebody asked for the end.
#[derive(Clone, Default)]
pub struct Interrupts(Arc<Shared>);

#[derive(Default)]
struct Shared {
    count: AtomicU32,
    /// When the hurry began.
    hurry: OnceLock<Instant>,
    undo: Mutex<Option<Undo>>,
}

/// The thread or the handlers of signals could not be made: a signal would end the process and undo nothing.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen to signals: {0}\n  help: see the limits of threads and open files (`ulimit -a`)")]
pub struct SignalError(#[from] io::Error);

impl Interrupts {
    /// Begins to count; once this returns, no signal of these ends the process by its default.
    pub fn listen() -> Result<Self, SignalError> {
        let interrupts = Self::default();
        let shared = Arc::clone(&interrupts.0);
        on_a_thread(|handlers| async move { handlers.serve(&shared).await })?;
        IS_HEARD.store(true, Ordering::SeqCst);
        Ok(interrupts)
    }

    /// How many came so far.
    pub fn count(&self) -> u32 {
        self.0.count.load(Ordering::SeqCst)
    }

    /// How long ago the hurry began, if it did.
    pub fn hurried(&self) -> Option<Duration> {
        self.0.hurried()
    }

    /// What is to be undone before the process may end: done here too when a hurry begins, however busy the caller is.
    pub fn owe(&self, undo: Undo) {
        *self.0.undo.lock().unwrap_or_else(PoisonError::into_inner) = Some(undo);
    }
}

impl Shared {
    fn hurried(&self) -> Option<Duration> {
        self.hurry.get().map(Instant::elapsed)
    }

    #[expect(clippy::disallowed_methods, reason = "the time that a container leaves")]
    fn heard(&self, is_term: bool) {
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        if is_term || count >= IMPATIENT {
            self.hurry.get_or_init(Instant::now);
        }
        // Nothing holds back a person who wants out but what must be undone.
        if count >= IMPATIENT && self.is_undone() {
            exit();
        }
    }

    /// Undoes what is owed, and ends the process when its time is over.
    fn check_deadline(&self) {
        let Some(spent) = self.hurried() else { return };
        self.is_undone();
        if spent >= ShutdownLimits::END {
            exit();
        }
    }

    /// Begins what is owed; whether nothing is.
    fn is_undone(&self) -> bool {
        let undo = self.undo.lock().unwrap_or_else(PoisonError::into_inner);
        undo.as_ref().is_none_or(|undo| undo())
    }
}

#[expect(clippy::disallowed_methods, reason = "the third signal, or the end of the time that a container leaves")]
fn exit() -> ! {
    BEFORE_EXIT.get().into_iter().for_each(|last| last());
    std::process::exit(i32::from(crate::Exit::Interrupted.code()))
}

/// Handlers of signals, which stay for good.
struct Handlers {
    /// Each, and whether it is `TERM`.
    asking: Vec<(bool, Signal)>,
    /// A write beyond the limit then fails and says why.
    _too_large: Option<Signal>,
}

impl Handlers {
    fn install() -> io::Result<Self> {
        let kind = |number: Number| SignalKind::from_raw(number.as_raw());
        let mut asking = Vec::new();
        for number in ASKING {
            asking.push((number == Number::TERM, signal(kind(number))?));
        }
        let ignored = ignored();
        let ending = ENDING.into_iter().map(Number::as_raw).chain(REAL_TIME);
        // Which real-time signals there are, the C library decides.
        let ending = ending.filter(|raw| ignored >> (raw - 1) & 1 == 0).map(SignalKind::from_raw);
        asking.extend(ending.filter_map(|kind| Some((false, signal(kind).ok()?))));
        Ok(Self { asking, _too_large: signal(kind(Number::XFSZ)).ok() })
    }

    async fn serve(mut self, shared: &Shared) {
        loop {
            let is_hurried = shared.hurried().is_some();
            tokio::select! {
                is_term = self.next() => shared.heard(is_term),
                () = tokio::time::sleep(LOOK), if is_hurried => {}
            }
            shared.check_deadline();
        }
    }

    /// Waits for a signal; whether it was `TERM`.
    async fn next(&mut self) -> bool {
        poll_fn(|cx| {
            let came = self
                .asking
                .iter_mut()
                .find_map(|(is_term, signal)| signal.poll_recv(cx).is_ready().then_some(*is_term));
            came.map_or(Poll::Pending, Poll::Ready)
        })
        .await
    }
}

/// The signals that this process was started to ignore, the first one as the lowest bit.
fn ignored() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A container is killed 10 s after `TERM`; each part of the ending must fit before the next one.
    #[test]
    fn the_parts_of_a_hurry_fit_into_ten_seconds() {
        let ends = [
            ShutdownLimits::REQUESTS,
            ShutdownLimits::TEARDOWN,
            ShutdownLimits::UNDOS,
            ShutdownLimits::END,
            Duration::from_secs(10),
        ];
        assert!(ends.is_sorted_by(|one, next| one < next), "{ends:?}");
    }

    #[test]
    fn a_hurry_begins_with_term_or_the_third_signal_and_undoes_at_once() {
        for (signals, is_hurried) in [(vec![false, false], false), (vec![true], true), (vec![false; 3], true)] {
            let shared = Shared::default();
            let undone = Arc::new(AtomicU32::new(0));
            let count = Arc::clone(&undone);
            // Never over, or the third signal would end this process.
            let undo: Undo = Box::new(move || count.fetch_add(1, Ordering::SeqCst) > 1_000);
            *shared.undo.lock().unwrap() = Some(undo);
            for is_term in &signals {
                shared.heard(*is_term);
                shared.check_deadline();
            }
            assert_eq!(shared.hurried().is_some(), is_hurried, "{signals:?}");
            assert_eq!(undone.load(Ordering::SeqCst) > 0, is_hurried, "{signals:?}");
        }
    }
}
