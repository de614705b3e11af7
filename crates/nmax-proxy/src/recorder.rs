//! The recorder: a thread with a listener, and its end.

use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::{Semaphore, mpsc, oneshot};

use crate::authority::{Authority, Ca};
use crate::capture::{EVENTS_MAX, Memory};
use crate::client::ProxyContext;
use crate::clock::Clock;
use crate::event::Events;
use crate::exchange::Forwarder;
use crate::guests::Client;
use crate::settings::{Settings, StartError};
use crate::tally::{Summary, Tally};
use crate::trust::Trust;
use crate::upstream::Opener;

/// Connections of clients; further ones wait in the kernel's backlog.
const CONNECTIONS_MAX: usize = 2_048;
/// Pause after a failed accept, such as one out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// A recorder at work. It stops when dropped.
pub struct Recorder {
    /// Where it listens.
    pub address: SocketAddr,
    /// The authority whose certificates clients get to see.
    pub ca: Ca,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    tally: Tally,
}

impl Recorder {
    /// Starts one, and gives what will happen in it.
    pub fn start(settings: &Settings) -> Result<(Self, Events), StartError> {
        let clock = Clock::start();
        let authority = Authority::new(&settings.hosts, &clock)?;
        let ca = authority.ca();
        let trust = Trust::new(settings)?;
        let bind = |source| StartError::Bind { address: settings.listen, source };
        let listener = std::net::TcpListener::bind(settings.listen).map_err(bind)?;
        listener.set_nonblocking(true).map_err(bind)?;
        let address = listener.local_addr().map_err(bind)?;
        let (queue, events) = mpsc::channel(EVENTS_MAX);
        let memory = Arc::new(Memory::new(clock, settings.body_bytes_max, queue));
        let tally = Tally::new(Arc::clone(&memory));
        let hosts = Arc::new(settings.hosts.clone());
        let context = ProxyContext {
            forwarder: Forwarder {
                memory: Arc::clone(&memory),
                opener: Opener { trust, clock, own: address, client: Client::Elsewhere, hosts: Arc::clone(&hosts) },
                upstreams: Arc::default(),
            },
            hosts,
            is_browser_silenced: settings.is_browser_silenced,
            authority: Arc::new(authority),
            ca: Arc::new(ca.clone()),
            tally: tally.clone(),
        };
        let (stop, stopped) = oneshot::channel();
        let reactor = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(StartError::Thread)?;
        let thread = std::thread::Builder::new().name("nmax-recorder".into());
        let thread = thread
            .spawn(move || {
                reactor.block_on(async {
                    tokio::select! {
                        // Only an error of the listener ends it, and there is nothing left to accept then.
                        () = accept(listener, context) => {}
                        _ = stopped => {}
                    }
                });
                memory.end();
                // Drops every task; each hands over what it has of its exchange.
                drop(reactor);
            })
            .map_err(StartError::Thread)?;
        let recorder = Self { address, ca, stop: Some(stop), thread: Some(thread), tally };
        let events = Events { queue: events, body_bytes_max: settings.body_bytes_max, exchanges: 0 };
        Ok((recorder, events))
    }

    /// What it has seen beside exchanges so far.
    pub fn summary(&self) -> Summary {
        self.tally.summary()
    }

    /// Ends it: what is under way is handed over as far as it came, and [`Events`] end after it.
    pub fn stop(&mut self) {
        // A thread that has ended needs no word.
        let _ = self.stop.take().map(|stop| stop.send(()));
        if let Some(thread) = self.thread.take() {
            // A panic of it has been shown.
            let _ = thread.join();
        }
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Drop for Recorder {
    fn drop(&mut self) {
        self.stop();
    }
}

async fn accept(listener: std::net::TcpListener, context: ProxyContext) {
    let Ok(listener) = TcpListener::from_std(listener) else {
        return;
    };
    let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                let context = context.for_client(Client::from_stream(&stream));
                tokio::spawn(async move {
                    context.serve(stream).await;
                    drop(permit);
                });
            }
            // Out of descriptors, or the peer left early: not a reason to end.
            Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
        }
    }
}
