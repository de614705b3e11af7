//! Another server that is asked over HTTP.

use std::io;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use http_body_util::{BodyExt, Empty};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::HOST;
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::{Gauge, Refused};

/// Most connections that are kept while they are not used.
const IDLE_MAX: usize = 256;

type Connection = SendRequest<Empty<Bytes>>;

/// The other server, with connections to it.
pub(super) struct Dependency {
    address: SocketAddr,
    path: String,
    reply_max: Duration,
    idle: Mutex<Vec<Connection>>,
    in_flight: Gauge,
    calls: AtomicU64,
    errors: AtomicU64,
}

impl Dependency {
    pub(super) fn new(address: SocketAddr, path: &str, reply_max: Duration) -> Self {
        Self {
            address,
            path: path.to_owned(),
            reply_max,
            idle: Mutex::default(),
            in_flight: Gauge::default(),
            calls: AtomicU64::new(0),
            errors: AtomicU64::new(0),
        }
    }

    /// Asks once. Every reply but a success is an error, with 502 to our own client.
    pub(super) async fn ask(&self) -> Result<(), Refused> {
        let _inside = self.in_flight.enter();
        self.calls.fetch_add(1, Ordering::Relaxed);
        let outcome = match tokio::time::timeout(self.reply_max, self.exchange()).await {
            Ok(outcome) => outcome,
            Err(_) => Err(io::Error::other("no reply in time")),
        };
        outcome.map_err(|error| {
            self.errors.fetch_add(1, Ordering::Relaxed);
            Refused { status: StatusCode::BAD_GATEWAY, text: format!("{} did not answer: {error}", self.address) }
        })
    }

    async fn exchange(&self) -> io::Result<()> {
        let mut connection = match self.kept() {
            Some(connection) => connection,
            None => self.connect().await?,
        };
        let request = Request::get(&self.path)
            .header(HOST, self.address.to_string())
            .body(Empty::new())
            .map_err(io::Error::other)?;
        let reply = connection.send_request(request).await.map_err(io::Error::other)?;
        let status = reply.status();
        let mut body = reply.into_body();
        while let Some(frame) = body.frame().await {
            frame.map_err(io::Error::other)?;
        }
        self.keep(connection);
        if !status.is_success() {
            return Err(io::Error::other(format!("status {}", status.as_u16())));
        }
        Ok(())
    }

    fn kept(&self) -> Option<Connection> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        std::iter::from_fn(|| idle.pop()).find(Connection::is_ready)
    }

    fn keep(&self, connection: Connection) {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(connection);
        }
    }

    async fn connect(&self) -> io::Result<Connection> {
        let stream = TcpStream::connect(self.address).await?;
        stream.set_nodelay(true)?;
        let (connection, driver) = handshake(TokioIo::new(stream)).await.map_err(io::Error::other)?;
        // It ends with the connection; what goes wrong shows at the request.
        tokio::spawn(driver);
        Ok(connection)
    }

    pub(super) fn figures(&self) -> [(&'static str, u64); 3] {
        [
            ("in_flight", self.in_flight.value()),
            ("calls_total", self.calls.load(Ordering::Relaxed)),
            ("errors_total", self.errors.load(Ordering::Relaxed)),
        ]
    }
}
