//! The process side: listeners, worker threads, connections, shutdown.
//!
//! Acceptors run in the caller's runtime and hand connections round robin to the workers;
//! each worker is a thread with its own single-threaded runtime and timerfd.

use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpStream as StdTcpStream};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, mpsc, oneshot, watch};
use tokio::task::{JoinError, JoinSet, LocalSet};
use tokio_rustls::TlsAcceptor;

use crate::answer::{ResetOnPurpose, Site, answer};
use crate::options::{Listen, Options, Scheme};
use crate::throttle;
use crate::timers::Timers;
use crate::tls::Certificates;

/// Most open connections of a target; further ones wait in the kernel's backlog.
const CONNECTIONS_MAX: usize = 65_536;
/// Accepted connections that may wait for one worker.
const HANDOVER_MAX: usize = 1_024;
/// Longest TLS handshake.
const HANDSHAKE_MAX: Duration = Duration::from_secs(10);
/// Pause after a failed accept, such as one out of file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(10);

/// Why a target cannot start.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// No address to listen on.
    #[error("the target has no listener\n  help: give an address such as `127.0.0.1:8080`")]
    NoListener,
    /// The address cannot be bound.
    #[error("cannot listen on {address}: {source}\n  help: choose a free port, or 0 for any")]
    Bind {
        /// The address asked for.
        address: SocketAddr,
        /// The system's reason.
        source: io::Error,
    },
    /// The certificates cannot be made.
    #[error("cannot make the certificates: {problem}\n  help: check the names for the certificate")]
    Tls {
        /// The TLS library's reason.
        problem: String,
    },
    /// The authority's certificate cannot be written.
    #[error("cannot write {}: {source}\n  help: choose a writable path", path.display())]
    CaFile {
        /// The path asked for.
        path: std::path::PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A bottleneck cannot be made.
    #[error("{problem}\n  help: choose another size, or a folder that can be written")]
    Bottleneck {
        /// Which one, and the system's reason.
        problem: String,
    },
    /// A worker thread cannot start or has ended early.
    #[error("a worker failed: {0}\n  help: check the limits on threads and open files")]
    Worker(io::Error),
}

/// A target that listens but does not answer yet.
pub struct Target {
    listeners: Vec<(TcpListener, Listen)>,
    /// Where connections come in, and to which listener they are carried, when the network is scarce.
    lines: Vec<(TcpListener, SocketAddr)>,
    bytes_per_s: Option<u64>,
    certificates: Option<Certificates>,
    site: Arc<Site>,
    workers: usize,
    grace: Duration,
}

/// A connection on its way to a worker. The permit counts it until it closes.
struct Accepted {
    stream: StdTcpStream,
    tls: Option<TlsAcceptor>,
    permit: OwnedSemaphorePermit,
}

impl Target {
    /// Binds every listener, makes certificates when one is HTTPS, and writes the CA file.
    ///
    /// Must be called inside a tokio runtime with I/O and time.
    pub async fn bind(options: Options) -> Result<Self, Error> {
        if options.listen.is_empty() {
            return Err(Error::NoListener);
        }
        let bytes_per_s = options.bytes_per_s();
        let (mut listeners, mut lines) = (Vec::new(), Vec::new());
        for listen in &options.listen {
            let bind = |source| Error::Bind { address: listen.address, source };
            let mut listener = TcpListener::bind(listen.address).await.map_err(bind)?;
            let address = listener.local_addr().map_err(bind)?;
            if bytes_per_s.is_some() {
                let inside = TcpListener::bind(Listen::http().address).await.map_err(bind)?;
                let inside_address = inside.local_addr().map_err(bind)?;
                lines.push((std::mem::replace(&mut listener, inside), inside_address));
            }
            listeners.push((listener, Listen { scheme: listen.scheme, address }));
        }
        let encrypted = options.listen.iter().any(|listen| listen.scheme == Scheme::Https);
        let certificates = encrypted.then(|| Certificates::generate(&options.tls_names)).transpose()?;
        if let (Some(certificates), Some(path)) = (&certificates, &options.ca_file) {
            std::fs::write(path, certificates.ca_pem())
                .map_err(|source| Error::CaFile { path: path.clone(), source })?;
        }
        let site = Site::new(&options).map_err(|unmade| Error::Bottleneck { problem: unmade.to_string() })?;
        Ok(Self {
            listeners,
            lines,
            bytes_per_s,
            certificates,
            site: Arc::new(site),
            workers: options.workers.max(1),
            grace: options.grace,
        })
    }

    /// Where it listens, in the order of the options, with the ports that were chosen.
    pub fn addresses(&self) -> Vec<Listen> {
        self.listeners.iter().map(|(_, listen)| *listen).collect()
    }

    /// The authority's certificate in PEM, when a listener is HTTPS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.certificates.as_ref().map(Certificates::ca_pem)
    }

    /// Serves until `shutdown` is ready, then lets open requests finish within the grace time.
    ///
    /// Dropping the returned future stops the workers too, within their grace time.
    /// Returns early, with an error, when a worker ends before the signal.
    pub async fn run(self, shutdown: impl Future<Output = ()>) -> Result<(), Error> {
        let (stop, stopped) = watch::channel(());
        let mut workers = Vec::new();
        for index in 0..self.workers {
            let site = Arc::clone(&self.site);
            workers.push(Worker::start(index, site, stopped.clone(), self.grace)?);
        }
        let senders: Arc<[_]> = workers.iter().map(|worker| worker.sender.clone()).collect();
        let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
        let mut acceptors = JoinSet::new();
        for (listener, listen) in self.listeners {
            let tls = match listen.scheme {
                Scheme::Http => None,
                Scheme::Https => self.certificates.as_ref().map(Certificates::acceptor),
            };
            acceptors.spawn(accept(listener, tls, Arc::clone(&permits), Arc::clone(&senders)));
        }
        drop(senders);
        // Open requests finish over their lines, so these outlive the acceptors.
        let mut lines = JoinSet::new();
        for (listener, inside) in self.lines {
            lines.spawn(throttle::carry(listener, inside, self.bytes_per_s.unwrap_or(u64::MAX)));
        }
        let mut threads = Vec::new();
        let mut ended = JoinSet::new();
        for worker in workers {
            ended.spawn(worker.done);
            threads.push(worker.thread);
        }
        let early = tokio::select! {
            () = shutdown => None,
            early = ended.join_next() => early,
        };
        acceptors.shutdown().await;
        drop(stop);
        let mut outcome = early.map_or(Ok(()), worker_outcome);
        while let Some(end) = ended.join_next().await {
            outcome = outcome.and(worker_outcome(end));
        }
        lines.shutdown().await;
        for thread in threads {
            // A panic was reported as a worker that ended without a result.
            let _ = thread.join();
        }
        outcome
    }
}

/// What a worker reported; a worker that panicked reports nothing.
fn worker_outcome(end: Result<Result<io::Result<()>, oneshot::error::RecvError>, JoinError>) -> Result<(), Error> {
    match end {
        Ok(Ok(result)) => result.map_err(Error::Worker),
        Ok(Err(_)) | Err(_) => Err(Error::Worker(io::Error::other("a worker died"))),
    }
}

/// Binds and runs in one call.
pub async fn run(options: Options, shutdown: impl Future<Output = ()>) -> Result<(), Error> {
    Target::bind(options).await?.run(shutdown).await
}

/// Hands connections to the workers in turn.
async fn accept(
    listener: TcpListener,
    tls: Option<TlsAcceptor>,
    permits: Arc<Semaphore>,
    senders: Arc<[mpsc::Sender<Accepted>]>,
) {
    for sender in senders.iter().cycle() {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else {
            return;
        };
        let stream = loop {
            match listener.accept().await {
                Ok((stream, _)) => match stream.into_std() {
                    Ok(stream) => break stream,
                    Err(_) => continue,
                },
                // Out of descriptors, or the peer left early: not a reason to end.
                Err(_) => tokio::time::sleep(ACCEPT_PAUSE).await,
            }
        };
        if sender.send(Accepted { stream, tls: tls.clone(), permit }).await.is_err() {
            return;
        }
    }
}

/// A worker thread, seen from outside.
struct Worker {
    sender: mpsc::Sender<Accepted>,
    done: oneshot::Receiver<io::Result<()>>,
    thread: JoinHandle<()>,
}

impl Worker {
    fn start(index: usize, site: Arc<Site>, stopped: watch::Receiver<()>, grace: Duration) -> Result<Self, Error> {
        let (sender, receiver) = mpsc::channel(HANDOVER_MAX);
        let (report, done) = oneshot::channel();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::Worker)?;
        let thread = std::thread::Builder::new()
            .name(format!("target-{index}"))
            .spawn(move || {
                let local = LocalSet::new();
                let result = local.block_on(&runtime, work(site, receiver, stopped, grace));
                // Nobody listens when the target's future was dropped.
                let _ = report.send(result);
            })
            .map_err(Error::Worker)?;
        Ok(Self { sender, done, thread })
    }
}

/// A worker's life: serve until stopped, then finish what is open within `grace`.
async fn work(
    site: Arc<Site>,
    mut receiver: mpsc::Receiver<Accepted>,
    stopped: watch::Receiver<()>,
    grace: Duration,
) -> io::Result<()> {
    let timers = Timers::new()?;
    let mut driver = tokio::task::spawn_local(timers.clone().drive());
    let mut connections = JoinSet::new();
    let mut stop = stopped.clone();
    loop {
        tokio::select! {
            accepted = receiver.recv() => match accepted {
                Some(accepted) => {
                    let (site, timers) = (Arc::clone(&site), timers.clone());
                    connections.spawn_local(connection(site, timers, accepted, stopped.clone()));
                }
                None => break,
            },
            _ = stop.changed() => break,
            _ = connections.join_next(), if !connections.is_empty() => {}
            ended = &mut driver => return ended.unwrap_or_else(|error| Err(io::Error::other(error))),
        }
    }
    // What is still open after the grace time is closed by dropping it.
    let _ = tokio::time::timeout(grace, async { while connections.join_next().await.is_some() {} }).await;
    Ok(())
}

/// One connection, until either side closes it.
async fn connection(site: Arc<Site>, timers: Timers, accepted: Accepted, stopped: watch::Receiver<()>) {
    let Accepted { stream, tls, permit: _counted } = accepted;
    let Ok(stream) = TcpStream::from_std(stream) else {
        return;
    };
    // Without it small replies could wait for acknowledgements; a failure only costs time.
    let _ = stream.set_nodelay(true);
    let Some(acceptor) = tls else {
        return exchange(&site, &timers, stream, |stream| stream, stopped).await;
    };
    let handshake = tokio::time::timeout(HANDSHAKE_MAX, acceptor.accept(stream));
    if let Ok(Ok(stream)) = handshake.await {
        exchange(&site, &timers, stream, |stream| stream.get_ref().0, stopped).await;
    }
}

/// Serves HTTP/1.1 on a stream, below which is a TCP stream; after the stop signal, finishes the request at hand.
async fn exchange<S>(
    site: &Site,
    timers: &Timers,
    stream: S,
    tcp: impl Fn(&S) -> &TcpStream,
    mut stopped: watch::Receiver<()>,
) where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let service = service_fn(|request| answer(site, timers, request));
    let mut served = Builder::new().serve_connection(TokioIo::new(stream), service);
    let ended = tokio::select! {
        biased;
        ended = &mut served => ended,
        _ = stopped.changed() => {
            Pin::new(&mut served).graceful_shutdown();
            (&mut served).await
        }
    };
    // A connection that broke is the client's to report; the truth counts what was answered. One that is to be reset is
    // closed with a reset, below TLS too, which so says no goodbye.
    if let Err(error) = ended
        && std::error::Error::source(&error).is_some_and(|cause| cause.is::<ResetOnPurpose>())
    {
        let _ = tcp(&served.into_parts().io.into_inner()).set_zero_linger();
    }
}

/// A target on threads of its own, for tests. Stops and cleans up when dropped.
pub struct Running {
    addresses: Vec<Listen>,
    ca_pem: Option<String>,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// Starts a target on its own threads and returns once it listens.
pub fn spawn(options: Options) -> Result<Running, Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(Error::Worker)?;
    let target = runtime.block_on(Target::bind(options))?;
    let addresses = target.addresses();
    let ca_pem = target.ca_pem().map(str::to_owned);
    let (stop, stopped) = oneshot::channel();
    let thread = std::thread::Builder::new()
        .name("target".to_owned())
        .spawn(move || {
            let shutdown = async {
                let _ = stopped.await;
            };
            // A worker that fails closes its connections, which the test then sees.
            let _ = runtime.block_on(target.run(shutdown));
        })
        .map_err(Error::Worker)?;
    Ok(Running { addresses, ca_pem, stop: Some(stop), thread: Some(thread) })
}

impl Running {
    /// Where it listens, in the order of the options.
    pub fn addresses(&self) -> &[Listen] {
        &self.addresses
    }

    /// IP address and port of the first listener.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0].address
    }

    /// URL of the first listener without a path, such as `http://127.0.0.1:40123`.
    pub fn url(&self) -> String {
        self.addresses[0].to_string()
    }

    /// The authority's certificate in PEM, when a listener is HTTPS.
    pub fn ca_pem(&self) -> Option<&str> {
        self.ca_pem.as_deref()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            let _ = stop.send(());
        }
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
