//! The agent's side: it answers whoever knows the token, or calls a run and answers that.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONNECTION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1::Builder;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use nmax_metrics::{Clock, Nanos};
use rustix::net::sockopt::set_tcp_user_timeout;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::{JoinSet, yield_now};
use tokio::time::{sleep, timeout};

use super::connection_limiter::{ConnectionLimiter, Guest};
use super::sampler::{Ring, Sampler};
use super::stamp::{HostClock, calendar};
use super::token::Token;
use super::wire::Head;
use super::{NAME_HEADER, UPGRADE};

/// Longest head of a question.
const HEAD_BYTES_MAX: usize = 32 << 10;
/// A connection of a caller who knows the token and asks nothing for so long is closed.
const IDLE_MAX: Duration = Duration::from_secs(90);
/// A client that takes nothing of its answer for so long is cut off.
const TAKE_MAX: Duration = Duration::from_secs(10);
/// Longest wait for a run that is called.
const CALL_MAX: Duration = Duration::from_secs(5);
/// Between two calls.
const CALL_PAUSE: Duration = Duration::from_secs(1);
/// Longest reply to a call.
const REPLY_BYTES_MAX: usize = 4_096;

/// Where an agent meets runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Runs ask at this address.
    Listen(SocketAddr),
    /// It calls the run at `host:port`, as often as it takes, and says this name.
    Call {
        /// `host:port`
        place: String,
        /// The agent's host, as the plan calls it; `None`: whatever the plan says.
        name: Option<String>,
    },
}

/// What an agent is told.
#[derive(Clone, Debug)]
pub struct AgentOptions {
    /// Where it meets runs.
    pub endpoint: Endpoint,
    /// Who may ask; `None`: anybody.
    pub token: Option<Token>,
    /// Names of processes that it watches besides those that runs ask for.
    pub processes: Vec<String>,
}

/// An agent that is there, and does not answer yet.
#[derive(Debug)]
pub struct Agent {
    desk: Arc<Desk>,
    binding: Binding,
    _sampler: Sampler,
}

#[derive(Debug)]
enum Binding {
    Listen(TcpListener),
    Call { place: String, name: Option<String> },
}

/// What every answer needs.
#[derive(Debug)]
struct Desk {
    ring: Ring,
    token: Option<Token>,
    instance: String,
}

impl Agent {
    /// Begins to read the host, and takes the address.
    pub async fn bind(options: AgentOptions) -> io::Result<Self> {
        let binding = match options.endpoint {
            Endpoint::Listen(address) => Binding::Listen(TcpListener::bind(address).await?),
            Endpoint::Call { place, name } => Binding::Call { place, name },
        };
        let ring = Ring::default();
        ring.watch(&options.processes);
        let sampler = Sampler::start(ring.clone())?;
        Ok(Self {
            desk: Arc::new(Desk {
                ring,
                token: options.token,
                instance: format!("{:x}-{:x}", calendar().0, std::process::id()),
            }),
            binding,
            _sampler: sampler,
        })
    }

    /// Where it listens; `None` when it calls.
    pub fn address(&self) -> Option<SocketAddr> {
        match &self.binding {
            Binding::Listen(listener) => listener.local_addr().ok(),
            Binding::Call { .. } => None,
        }
    }

    /// Answers until `end`. `say` is told what a person should know: nobody answers a call, somebody does.
    pub async fn run(self, end: impl Future<Output = ()>, say: impl Fn(&str)) {
        let work = async {
            match &self.binding {
                Binding::Listen(listener) => listen(listener, &self.desk).await,
                Binding::Call { place, name } => call(place, name.as_deref(), &self.desk, &say).await,
            }
        };
        let (work, end) = (pin!(work), pin!(end));
        tokio::select! {
            () = work => {}
            () = end => {}
        }
    }
}

async fn listen(listener: &TcpListener, desk: &Arc<Desk>) {
    let limiter = ConnectionLimiter::new();
    let mut guests = JoinSet::new();
    loop {
        while guests.try_join_next().is_some() {}
        let Ok((stream, _)) = listener.accept().await else {
            // Out of descriptors, say: it may pass.
            sleep(CALL_PAUSE / 10).await;
            continue;
        };
        let desk = Arc::clone(desk);
        limiter.enter(|guest| {
            guests.spawn(async move {
                tokio::select! {
                    () = serve(stream, &desk, Some(&guest)) => {}
                    () = guest.is_late() => {}
                }
            })
        });
        // What it has said already is read before the next ones come in, of whom there may be many.
        yield_now().await;
    }
}

/// Answers on one connection until it is closed. `guest`: the caller, who has to show the token; `None`: a run that was
/// called.
async fn serve(stream: TcpStream, desk: &Desk, guest: Option<&Guest>) {
    let _ = stream.set_nodelay(true);
    // The kernel gives up what nobody takes, so a client that reads nothing does not keep its seat.
    let _ = set_tcp_user_timeout(&stream, TAKE_MAX.as_millis() as u32);
    let service = service_fn(|request: Request<Incoming>| {
        let arrived = HostClock.now();
        let refused = guest.and_then(|guest| desk.refuse(&request, guest));
        let response = refused.unwrap_or_else(|| desk.answer(&request, arrived));
        async move { Ok::<_, Infallible>(response) }
    });
    let mut builder = Builder::new();
    let builder = builder.timer(TokioTimer::new()).header_read_timeout(IDLE_MAX).max_buf_size(HEAD_BYTES_MAX);
    // A client that breaks off is no concern of the others.
    let _ = builder.serve_connection(TokioIo::new(stream), service).await;
}

impl Desk {
    /// What a caller is told who does not know the token, or for whom there is no permit.
    fn refuse(&self, request: &Request<Incoming>, guest: &Guest) -> Option<Response<Full<Bytes>>> {
        let header = request.headers().get(AUTHORIZATION);
        let may_ask = |token: &Token| header.is_some_and(|header| token.is(header.as_bytes()));
        let mut refused = if !self.token.as_ref().is_none_or(may_ask) {
            let mut refused = text(StatusCode::UNAUTHORIZED, "this agent wants its token\n");
            refused.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            refused
        } else if !guest.sit_down() {
            text(StatusCode::SERVICE_UNAVAILABLE, "this agent is asked by as many as it can answer\n")
        } else {
            return None;
        };
        refused.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        Some(refused)
    }

    fn answer(&self, request: &Request<Incoming>, arrived: Nanos) -> Response<Full<Bytes>> {
        if request.uri().path() != "/v1/readings" {
            return text(StatusCode::NOT_FOUND, "nmax agent: readings are at /v1/readings\n");
        }
        if request.method() != Method::GET {
            return text(StatusCode::METHOD_NOT_ALLOWED, "readings are got with GET\n");
        }
        let question = Question::parse(request.uri().query().unwrap_or_default());
        let mut notes = if question.since.is_none() { self.ring.notes() } else { Vec::new() };
        if !self.ring.watch(&question.processes) {
            notes.push("it watches too many processes already; start it again".to_owned());
        }
        // Numbers of lines are those of one process.
        let since = question.since.filter(|_| question.instance == self.instance);
        let (lines, next) = self.ring.since(since);
        let head = Head {
            instance: self.instance.clone(),
            version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            arrived,
            calendar: calendar(),
            answered: HostClock.now(),
            next,
            notes,
        };
        let mut response = text(StatusCode::OK, &(head.line() + &lines));
        let lines = HeaderValue::from_static("application/x-ndjson");
        response.headers_mut().insert(CONTENT_TYPE, lines);
        response
    }
}

fn text(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text.to_owned()));
    *response.status_mut() = status;
    response
}

/// What is asked.
#[derive(Debug, Default, PartialEq, Eq)]
struct Question {
    since: Option<u64>,
    instance: String,
    processes: Vec<String>,
}

impl Question {
    fn parse(query: &str) -> Self {
        let mut question = Self::default();
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let value = nmax_text::percent::decode_lossy(value);
            match name {
                "since" => question.since = value.parse().ok(),
                "instance" => question.instance = value,
                "process" if is_name(&value) => question.processes.push(value),
                _ => {}
            }
        }
        question
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 64 && !name.contains(|c: char| c == '/' || c.is_control())
}

/// Calls a run again and again, and answers the one that takes the call.
async fn call(place: &str, name: Option<&str>, desk: &Arc<Desk>, say: &impl Fn(&str)) {
    let mut said = String::new();
    let mut tell = |text: String| {
        if text != said {
            say(&text);
            said = text;
        }
    };
    loop {
        match timeout(CALL_MAX, greet(place, name, desk.token.as_ref())).await {
            Ok(Ok(stream)) => {
                tell(format!("a run at {place} asks"));
                serve(stream, desk, None).await;
                tell(format!("the run at {place} has ended; calling until the next one answers"));
            }
            Ok(Err(error)) if error.kind() == io::ErrorKind::ConnectionRefused => {
                tell(format!("no run listens at {place}; calling until one does"));
            }
            Ok(Err(error)) => tell(format!("{place}: {error}; calling on")),
            Err(_) => tell(format!("{place} does not answer; calling on")),
        }
        sleep(CALL_PAUSE).await;
    }
}

/// Connects to a run and says who calls; the connection on which it will ask.
async fn greet(place: &str, name: Option<&str>, token: Option<&Token>) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(place).await?;
    let authorization = token.map_or_else(String::new, |token| format!("authorization: {}\r\n", token.header()));
    let name = name.map_or_else(String::new, |name| format!("{NAME_HEADER}: {name}\r\n"));
    let call = format!(
        "GET /v1/agent HTTP/1.1\r\nhost: {place}\r\nconnection: upgrade\r\nupgrade: {UPGRADE}\r\n{authorization}{name}\r\n"
    );
    stream.write_all(call.as_bytes()).await?;
    let mut reply = Vec::new();
    // Not a byte of the first question may be taken for a part of the reply.
    while !reply.ends_with(b"\r\n\r\n") {
        if reply.len() >= REPLY_BYTES_MAX {
            return Err(io::Error::other("the server at this address is not a run of nmax"));
        }
        reply.push(stream.read_u8().await?);
    }
    let reply = String::from_utf8_lossy(&reply);
    if reply.starts_with("HTTP/1.1 101 ") {
        return Ok(stream);
    }
    let status = reply.lines().next().unwrap_or_default();
    Err(io::Error::other(format!("the run refuses: {}", nmax_text::shown(status))))
}
