//! Ctrl-C and SIGTERM, counted; a limit on the size of files as an error of the write and not the end of the process.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use tokio::signal::unix::{SignalKind, signal};

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
                let (Ok(mut interrupt), Ok(mut terminate)) =
                    (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
                else {
                    return;
                };
                // Its handler stays for good: a write beyond the limit then fails and says why.
                let _too_large = signal(SignalKind::from_raw(rustix::process::Signal::XFSZ.as_raw()));
                loop {
                    tokio::select! {
                        _ = interrupt.recv() => {}
                        _ = terminate.recv() => {}
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
