//! `/metrics` of a live run, for Prometheus to scrape: on a thread of its own, in bounded connections and bytes.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{CONTENT_TYPE, HOST, HeaderValue};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::timeout;

use crate::prometheus;
use crate::snapshot::Snapshot;

/// Connections at once; further ones wait.
const CONNECTIONS_MAX: usize = 16;
/// Longest head of a request.
const HEAD_BYTES_MAX: usize = 16 << 10;
/// Longest life of a connection: a scraper that holds it opens another one.
const CONNECTION_MAX: Duration = Duration::from_secs(60);
/// Longest wait for the head of a request.
const HEAD_MAX: Duration = Duration::from_secs(10);
/// After an accept that failed.
const PAUSE: Duration = Duration::from_millis(100);

/// A page that is there as long as this is.
#[derive(Debug)]
pub(crate) struct Endpoint {
    address: SocketAddr,
    shared: Arc<Shared>,
    ends: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    scraped: Condvar,
}

#[derive(Debug, Default)]
struct State {
    latest: Option<Arc<Snapshot>>,
    /// Scrapes so far.
    scrapes: u64,
}

impl Endpoint {
    /// Takes the address, and answers from then on.
    ///
    /// # Errors
    /// When the address cannot be taken, or no thread be started.
    pub(crate) fn start(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let shared = Arc::new(Shared::default());
        let (ends, ended) = oneshot::channel();
        let of_thread = Arc::clone(&shared);
        let serve = move || {
            runtime.block_on(async {
                tokio::select! {
                    _ = ended => {}
                    () = listen(listener, of_thread, address.ip()) => {}
                }
            });
        };
        let thread = std::thread::Builder::new().name("metrics".into()).spawn(serve)?;
        Ok(Self { address, shared, ends: Some(ends), thread: Some(thread) })
    }

    /// Where it is.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/metrics", self.address)
    }

    /// What is scraped from now on.
    pub(crate) fn show(&self, snapshot: Arc<Snapshot>) {
        self.lock().latest = Some(snapshot);
    }

    /// Waits until the last state was scraped, where somebody scrapes; for `limit` at most.
    pub(crate) fn wait_for_scrape(&self, limit: Duration) {
        let state = self.lock();
        let scrapes = state.scrapes;
        if scrapes > 0 {
            let wait = self.shared.scraped.wait_timeout_while(state, limit, |state| state.scrapes == scrapes);
            drop(wait.unwrap_or_else(PoisonError::into_inner));
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.shared.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        drop(self.ends.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

async fn listen(listener: TcpListener, shared: Arc<Shared>, own: IpAddr) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else { return };
    let permits = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    loop {
        let Ok(permit) = Arc::clone(&permits).acquire_owned().await else { return };
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(PAUSE).await;
            continue;
        };
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let service = service_fn(|request: Request<Incoming>| {
                let reply = answer(&shared, own, &request);
                async move { Ok::<_, Infallible>(reply) }
            });
            let mut builder = Builder::new();
            let builder = builder.timer(TokioTimer::new()).header_read_timeout(HEAD_MAX).max_buf_size(HEAD_BYTES_MAX);
            // The server closes the connection of a scraper that hangs, and goes on answering the others.
            let _ = timeout(CONNECTION_MAX, builder.serve_connection(TokioIo::new(stream), service)).await;
            drop(permit);
        });
    }
}

fn answer(shared: &Shared, own: IpAddr, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let host = request.headers().get(HOST).and_then(|host| host.to_str().ok());
    let (status, text) = match (request.method(), request.uri().path()) {
        // A page of another site must not read it by a name that leads to this host.
        _ if !host.is_some_and(|host| is_host_of(own, host)) => {
            (StatusCode::MISDIRECTED_REQUEST, "nmax: this host name is not served here\n".to_owned())
        }
        (&Method::GET, "/metrics") => {
            let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            state.scrapes += 1;
            let latest = state.latest.clone();
            drop(state);
            let page = latest.map_or_else(String::new, |latest| prometheus::text(&[&latest]));
            shared.scraped.notify_all();
            (StatusCode::OK, page)
        }
        (_, "/metrics") => (StatusCode::METHOD_NOT_ALLOWED, "nmax: metrics are got with GET\n".to_owned()),
        _ => (StatusCode::NOT_FOUND, "nmax: metrics are at /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    let kind = if status == StatusCode::OK { prometheus::CONTENT_TYPE } else { "text/plain; charset=utf-8" };
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

/// Whether a `Host` may name a server at `own`: a name of loopback for one on loopback. On any other address the
/// server takes every name.
fn is_host_of(own: IpAddr, host: &str) -> bool {
    if !own.is_loopback() {
        return true;
    }
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let address = name.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    name.eq_ignore_ascii_case("localhost") || address.is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_others_are_refused_on_loopback() {
        let (own, open): (IpAddr, IpAddr) = ("127.0.0.1".parse().unwrap(), "0.0.0.0".parse().unwrap());
        let cases = [
            ("127.0.0.1:9464", true),
            ("localhost", true),
            ("LOCALHOST:1", true),
            ("[::1]:80", true),
            ("evil.test", false),
            ("evil.test:9464", false),
            ("127.0.0.1.evil.test", false),
            ("10.0.0.1", false),
            ("", false),
        ];
        for (host, want) in cases {
            assert_eq!(is_host_of(own, host), want, "{host}");
            assert!(is_host_of(open, host));
        }
    }
}
