//! The run's connection to an agent: it connects, or waits to be called.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use http_body_util::{BodyExt, Empty, Limited};
use hyper::body::Bytes;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper::header::{AUTHORIZATION, HOST};
use hyper::{Request, StatusCode};
use hyper_util::rt::TokioIo;
use nmax_metrics::{Clock, Nanos};
use nmax_plan::plan::ObservedAddress;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, lookup_host};
use tokio::runtime::{Builder, Runtime};
use tokio::time::timeout;

use super::stamp::{HostClock, calendar};
use super::token::Token;
use super::{NAME_HEADER, PORT, UPGRADE};
use crate::address::may_connect;
use crate::source::Trouble;

/// Longest question and answer, with the connection.
const ASK_MAX: Duration = Duration::from_millis(2_500);
/// Longest wait for a caller to say who it is.
const GREET_MAX: Duration = Duration::from_millis(500);
/// Longest wait for the first call: an agent that was there before the run tries once a second.
const FIRST_CALL_MAX: Duration = Duration::from_millis(2_000);
/// Most callers that are heard in one reading.
const CALLERS_MAX: usize = 4;
/// Most reasons why callers were refused that are remembered.
const REFUSED_MAX: usize = 4;
/// Most characters of a caller's name that are shown.
const NAME_CHARS: usize = 64;
/// Longest answer.
const BODY_BYTES_MAX: usize = 16 << 20;
/// Longest greeting.
const GREETING_BYTES_MAX: usize = 4_096;

/// What an agent answered, and when, on this host's clock.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) sent: Nanos,
    pub(super) received: Nanos,
    /// What the calendar said then, ns since 1970.
    pub(super) calendar: Nanos,
    pub(super) status: StatusCode,
    pub(super) text: String,
}

/// A connection that is made when it is needed, and kept.
#[derive(Debug)]
pub(super) struct Link {
    reach: ObservedAddress,
    /// What a caller must say that it is.
    name: String,
    token: Option<Token>,
    runtime: Option<Runtime>,
    listener: Option<TcpListener>,
    sender: Option<SendRequest<Empty<Bytes>>>,
    /// Why callers were refused since one was taken.
    refused: Vec<String>,
}

/// Why a caller is not taken.
#[derive(Debug)]
struct Refusal {
    /// What it is told: status and words.
    reply: (u16, &'static str),
    /// What the run is told, after `what calls at ADDRESS from ADDRESS`.
    why: String,
}

impl Refusal {
    fn new(status: u16, words: &'static str, why: impl Into<String>) -> Self {
        Self { reply: (status, words), why: why.into() }
    }
}

impl Link {
    /// Not connected yet.
    pub(super) fn new(reach: &ObservedAddress, name: &str, token: Option<Token>) -> Self {
        Self {
            reach: reach.clone(),
            name: name.to_owned(),
            token,
            runtime: None,
            listener: None,
            sender: None,
            refused: Vec::new(),
        }
    }

    /// Asks for a path; connects, if need be. It takes a few seconds at most.
    pub(super) fn ask(&mut self, path: &str) -> Result<Answer, Trouble> {
        let runtime = match self.runtime.take() {
            Some(runtime) => runtime,
            None => Builder::new_current_thread()
                .enable_all()
                .build()
                .map_err(|error| Trouble::passing(format!("no connection can be made: {error}")))?,
        };
        let answer = runtime.block_on(async {
            match timeout(ASK_MAX, self.ask_now(path)).await {
                Ok(answer) => answer,
                Err(_) => {
                    self.sender = None;
                    let text = format!("no answer from {} within {} s", self.place(), ASK_MAX.as_secs_f64());
                    Err(Trouble::passing(text))
                }
            }
        });
        self.runtime = Some(runtime);
        answer
    }

    /// Callers that were refused before the one that was taken, and why.
    pub(super) fn refused(&mut self) -> Vec<String> {
        std::mem::take(&mut self.refused)
    }

    /// Where the agent is, as messages say it.
    pub(super) fn place(&self) -> String {
        match &self.reach {
            ObservedAddress::At(url) => crate::service_address::shown(url),
            ObservedAddress::Calls(address) => format!("the agent that calls at {address}"),
        }
    }

    async fn ask_now(&mut self, path: &str) -> Result<Answer, Trouble> {
        if let Some(mut sender) = self.sender.take()
            && sender.ready().await.is_ok()
            && let Ok(answer) = self.ask_over(&mut sender, path).await
        {
            self.sender = Some(sender);
            return answer;
        }
        // A connection that was kept may have been closed in the meantime; a new one says what is wrong.
        let mut sender = self.connect().await?;
        match self.ask_over(&mut sender, path).await {
            Ok(answer) => {
                self.sender = Some(sender);
                answer
            }
            Err(error) => Err(Trouble::passing(format!("{} breaks off: {}", self.place(), reason(&error)))),
        }
    }

    /// One question; the outer error is that of the connection.
    async fn ask_over(
        &self,
        sender: &mut SendRequest<Empty<Bytes>>,
        path: &str,
    ) -> Result<Result<Answer, Trouble>, hyper::Error> {
        let mut request = Request::get(path).header(HOST, "nmax");
        if let (ObservedAddress::At(_), Some(token)) = (&self.reach, &self.token) {
            request = request.header(AUTHORIZATION, token.header());
        }
        let request = match request.body(Empty::new()) {
            Ok(request) => request,
            Err(error) => return Ok(Err(Trouble::lasting(format!("the question cannot be put: {error}")))),
        };
        let sent = HostClock.now();
        let response = sender.send_request(request).await?;
        let (received, calendar) = (HostClock.now(), calendar());
        let status = response.status();
        let body = Limited::new(response.into_body(), BODY_BYTES_MAX).collect().await;
        let body = match body {
            Ok(body) => body.to_bytes(),
            Err(error) => {
                let text = format!("the answer of {} breaks off: {error}", self.place());
                return Ok(Err(Trouble::passing(text)));
            }
        };
        Ok(Ok(Answer { sent, received, calendar, status, text: String::from_utf8_lossy(&body).into_owned() }))
    }

    async fn connect(&mut self) -> Result<SendRequest<Empty<Bytes>>, Trouble> {
        let stream = match self.reach.clone() {
            ObservedAddress::At(url) => {
                let place = url.split_once("://").map_or(url.as_str(), |(_, place)| place);
                let has_port = place.rsplit_once(':').is_some_and(|(_, port)| !port.ends_with(']'));
                let place = if has_port { place.to_owned() } else { format!("{place}:{PORT}") };
                let gone = |error: io::Error| {
                    Trouble::passing(format!(
                        "{}: {error}; is `nmax agent` running there?",
                        crate::service_address::shown(&url)
                    ))
                };
                let addresses: Vec<SocketAddr> = lookup_host(&place).await.map_err(gone)?.collect();
                may_connect(addresses.iter().copied())
                    .map_err(|forbidden| forbidden.trouble(&crate::service_address::shown(&url)))?;
                TcpStream::connect(&addresses[..]).await.map_err(gone)?
            }
            ObservedAddress::Calls(address) => self.caller(&address).await?,
        };
        let _ = stream.set_nodelay(true);
        let (sender, connection) = handshake(TokioIo::new(stream))
            .await
            .map_err(|error| Trouble::passing(format!("{}: {}", self.place(), reason(&error))))?;
        tokio::spawn(connection);
        Ok(sender)
    }

    /// A caller that knows the token and has the right name.
    async fn caller(&mut self, address: &str) -> Result<TcpStream, Trouble> {
        let (listener, patience) = match self.listener.take() {
            Some(listener) => (listener, GREET_MAX),
            None => (bind(address).await?, FIRST_CALL_MAX),
        };
        // In all it takes no longer than the wait for the first call, so that some time is left for the question.
        let found = timeout(FIRST_CALL_MAX, async {
            for _ in 0..CALLERS_MAX {
                let Ok(Ok((mut stream, from))) = timeout(patience, listener.accept()).await else {
                    break;
                };
                match timeout(GREET_MAX, self.greeted(&mut stream)).await {
                    Ok(Ok(())) => return Some(stream),
                    Ok(Err(why)) => self.refuse(format!("what calls at {address} from {} {why}", from.ip())),
                    Err(_) => {}
                }
            }
            None
        })
        .await;
        self.listener = Some(listener);
        found.ok().flatten().ok_or_else(|| {
            Trouble::passing(if self.refused.is_empty() {
                format!("no agent calls at {address}; start it with {}", self.command())
            } else {
                self.refused.join("; ")
            })
        })
    }

    /// How an agent that calls is started.
    fn command(&self) -> String {
        format!("`nmax agent --push http://INJECTOR:PORT --name {}`", self.name)
    }

    /// Remembers why a caller was refused. The same ones call again and again.
    fn refuse(&mut self, why: String) {
        if self.refused.len() < REFUSED_MAX && !self.refused.contains(&why) {
            self.refused.push(why);
        }
    }

    /// Hears who calls, and takes the call.
    async fn greeted(&self, stream: &mut TcpStream) -> Result<(), String> {
        let mut greeting = Vec::new();
        while !greeting.ends_with(b"\r\n\r\n") {
            if greeting.len() >= GREETING_BYTES_MAX {
                return Err(self.no_agent().why);
            }
            greeting.push(stream.read_u8().await.map_err(|_| self.no_agent().why)?);
        }
        let refusal = self.refusal(&String::from_utf8_lossy(&greeting));
        let reply = match &refusal {
            None => format!("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: {UPGRADE}\r\n\r\n"),
            Some(Refusal { reply, .. }) => {
                let (status, words) = reply;
                format!("HTTP/1.1 {status} {words}\r\nconnection: close\r\ncontent-length: 0\r\n\r\n")
            }
        };
        let sent = stream.write_all(reply.as_bytes()).await;
        match refusal {
            Some(refusal) => Err(refusal.why),
            None => sent.map_err(|error| format!("is an agent that breaks off: {error}")),
        }
    }

    fn no_agent(&self) -> Refusal {
        let why = format!("is not an agent; start one with {}", self.command());
        Refusal::new(404, "Not An Agent", why)
    }

    /// Why a caller is refused.
    fn refusal(&self, greeting: &str) -> Option<Refusal> {
        let mut lines = greeting.split("\r\n");
        if !lines.next().unwrap_or_default().starts_with("GET /v1/agent HTTP/1.") {
            return Some(self.no_agent());
        }
        let headers: Vec<(&str, &str)> = lines.filter_map(|line| line.split_once(": ")).collect();
        let header = |name: &str| {
            let found = headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
            found.map(|(_, value)| *value)
        };
        if header("upgrade") != Some(UPGRADE) {
            let why = "is not an agent of this version; use the same nmax on both sides";
            return Some(Refusal::new(400, "Agent Of Another Version", why));
        }
        if let Some(token) = &self.token {
            let why = match header("authorization") {
                Some(value) if token.is(value.as_bytes()) => None,
                Some(_) => {
                    Some("is an agent with another token than the plan's, and is refused; give both sides the same")
                }
                None => Some("is an agent without a token, and is refused; give it the plan's with --token-file"),
            };
            if let Some(why) = why {
                return Some(Refusal::new(401, "Its Token Is Wrong", why));
            }
        }
        let other = header(NAME_HEADER).filter(|name| *name != self.name)?;
        let other: String = other.chars().take(NAME_CHARS).collect();
        let why = format!(
            "is an agent that calls itself `{}` and not `{}`, and is refused; give both sides the same name",
            nmax_text::shown(&other),
            self.name
        );
        Some(Refusal::new(403, "It Has Another Name Than The Plan Says", why))
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        // A name that is being looked up is not waited for.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

async fn bind(address: &str) -> Result<TcpListener, Trouble> {
    let wrong = |error: &dyn std::fmt::Display| {
        Trouble::passing(format!("no agent can call at {address}: {error}; name a free address of this host"))
    };
    let socket: SocketAddr = address.parse().map_err(|error| wrong(&error))?;
    TcpListener::bind(socket).await.map_err(|error| wrong(&error))
}

/// Why a connection broke, without its causes twice.
fn reason(error: &hyper::Error) -> String {
    let cause = std::error::Error::source(error);
    let io = cause.and_then(|cause| cause.downcast_ref::<io::Error>());
    if error.is_parse() {
        return "what answers does not speak HTTP".to_owned();
    }
    io.map_or_else(|| error.to_string(), io::Error::to_string)
}
