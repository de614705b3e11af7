//! Ctrl-C, SIGTERM, SIGHUP and SIGQUIT, counted; a limit on the size of files as an error of the write and not the end of the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::signal::unix::{Signal, SignalKind, signal};

/// How often the person asked to end.
#[derive(Clone, Debug, Default)]
pub struct Interrupts(Arc<AtomicU32>);

impl Interrupts {
    /// Begins to count; the third one ends the process at once.
    pub fn listen() -> Self {
        let interrupts = Self::default();
        let counter = Arc::clone(&interrupts.0);
        let listener = std::thread::Builder::new().name("nmax-signals".into()).spawn(move || {
            let Ok(reactor) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
                return;
            };
            reactor.block_on(async move {
                let signals = [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::quit()];
                let [Ok(mut interrupt), Ok(mut terminate), Ok(mut quit)] = signals.map(signal) else {
                    return;
                };
                // A terminal that is closed, a connection that is lost: what was begun is undone all the same. Under
                // `nohup` the run goes on.
                let hangup = (!is_ignored(SignalKind::hangup())).then(|| signal(SignalKind::hangup()));
                let mut hangup = hangup.and_then(Result::ok);
                // Its handler stays for good: a write beyond the limit then fails and says why.
                let _too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
                loop {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
                        () = received(hangup.as_mut()) => {}
                        _ = quit.recv() => {}
                    }
                    if counter.fetch_add(1, Ordering::Relaxed) >= 2 {
                        #[expect(clippy::disallowed_methods, reason = "the third Ctrl-C: the person wants out now")]
                        std::process::exit(130);
                    }
                }
            });
        });
        drop(listener);
        interrupts
    }

    /// How many came so far.
    pub fn count(&self) -> u32 {
        self.0.load(Ordering::Relaxed)
    }
}

/// Waits for a signal; for ever without one to wait for.
async fn received(signal: Option<&mut Signal>) {
    match signal {
        Some(signal) => {
            signal.recv().await;
        }
        None => std::future::pending().await,
    }
}

/// Whether this process was started to ignore a signal.
fn is_ignored(kind: SignalKind) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (kind.as_raw_value() - 1) & 1 == 1)
}
