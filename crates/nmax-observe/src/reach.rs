//! A conversation over a socket, in bounded time and size: what Redis, memcached and PostgreSQL are asked with.
//!
//! # Layout
//! - [`wire`]: the socket, with its limits

mod wire;

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, ToSocketAddrs};
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use rustls::ClientConnection;

use crate::address::{Forbidden, may_connect};
use crate::service_address::ServiceAddress;
use crate::{Trouble, tls};

use wire::Wire;

/// Longest time for one question with its answer, connecting included.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Longest answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Length of what is repeated of a server's words.
const SAID_CHARS: usize = 160;
/// Characters of a secret below which it may be part of any word.
const SHORT_SECRET_CHARS: usize = 4;

/// Why a conversation broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The other side closed; one that was idle may just be old.
    Gone,
    /// No answer in time.
    Late,
    /// The answer is too long.
    Long,
    /// No source may connect there.
    Forbidden(Forbidden),
    /// Anything else that the system says.
    Failed(String),
}

impl Broken {
    /// In words, `title` being who was asked.
    pub(crate) fn trouble(&self, title: &str) -> Trouble {
        Trouble::passing(match self {
            Self::Forbidden(forbidden) => return forbidden.trouble(title),
            Self::Gone => format!("{title} closed the connection"),
            Self::Late => format!("{title} did not answer within {} s", PATIENCE.as_secs()),
            Self::Long => format!("{title} gives more than {} MiB", ANSWER_BYTES_MAX >> 20),
            Self::Failed(text) => format!("{title}: {text}"),
        })
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        if let Some(error) = tls::reason(&error) {
            return Self::Failed(tls::in_words(error));
        }
        match error.kind() {
            // Of a `Wire`; no socket says so.
            ErrorKind::FileTooLarge => Self::Long,
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::Late,
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe => Self::Gone,
            _ => Self::Failed(plain(&error)),
        }
    }
}

/// A connection to a service.
pub(crate) struct Link {
    wire: Wire,
    tls: Option<Box<ClientConnection>>,
    /// What came and was not taken.
    waiting: Vec<u8>,
}

impl Link {
    /// Connects over TCP, or to a socket in a file where the host is a path.
    pub(crate) fn open(place: &ServiceAddress) -> Result<Self, Broken> {
        Self::open_before(place, now() + PATIENCE)
    }

    /// Another connection in the place of this one, in the time that is left of its own.
    pub(crate) fn open_again(&mut self, place: &ServiceAddress) -> Result<(), Broken> {
        *self = Self::open_before(place, self.wire.deadline())?;
        Ok(())
    }

    fn open_before(place: &ServiceAddress, deadline: Instant) -> Result<Self, Broken> {
        Ok(Self { wire: Wire::open(place, deadline)?, tls: None, waiting: Vec::new() })
    }

    /// Goes on over TLS. What came before and was not read is lost: whoever stands in between may have sent it.
    pub(crate) fn encrypt(&mut self, mut session: ClientConnection) -> io::Result<()> {
        self.waiting.clear();
        while session.is_handshaking() {
            session.complete_io(&mut self.wire)?;
        }
        self.tls = Some(Box::new(session));
        Ok(())
    }

    /// A new question begins: it has its own time, and its answer its own length.
    pub(crate) fn begin(&mut self, patience: Duration) {
        self.wire.begin(now() + patience, self.waiting.len());
    }

    /// Sends a part of a question.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        match &mut self.tls {
            None => Ok(self.wire.write_all(bytes)?),
            Some(session) => send_sealed(session, &mut self.wire, bytes),
        }
    }

    /// The next line, without its end.
    pub(crate) fn line(&mut self) -> Result<Vec<u8>, Broken> {
        let mut from = 0;
        loop {
            if let Some(end) = self.waiting[from..].iter().position(|&byte| byte == b'\n') {
                let mut line: Vec<u8> = self.waiting.drain(..=from + end).collect();
                line.pop();
                if line.last() == Some(&b'\r') {
                    line.pop();
                }
                return Ok(line);
            }
            from = self.waiting.len();
            self.receive()?;
        }
    }

    /// The next bytes.
    pub(crate) fn bytes(&mut self, count: usize) -> Result<Vec<u8>, Broken> {
        if count > ANSWER_BYTES_MAX {
            return Err(Broken::Long);
        }
        while self.waiting.len() < count {
            self.receive()?;
        }
        Ok(self.waiting.drain(..count).collect())
    }

    fn receive(&mut self) -> Result<(), Broken> {
        let mut buffer = [0; 16 << 10];
        let count = match &mut self.tls {
            None => self.wire.read(&mut buffer)?,
            Some(session) => rustls::Stream::new(session.as_mut(), &mut self.wire).read(&mut buffer)?,
        };
        if count == 0 {
            return Err(Broken::Gone);
        }
        self.waiting.extend_from_slice(&buffer[..count]);
        Ok(())
    }

    /// What came and was not taken.
    pub(crate) fn waiting(&self) -> &[u8] {
        &self.waiting
    }
}

/// Sends over TLS. Where that fails, an alert that came before says why.
fn send_sealed(session: &mut ClientConnection, wire: &mut Wire, bytes: &[u8]) -> Result<(), Broken> {
    let mut stream = rustls::Stream::new(session, wire);
    let Err(error) = stream.write_all(bytes).and_then(|()| stream.flush()) else {
        return Ok(());
    };
    let heard = session.read_tls(wire).ok();
    let reason = heard.and_then(|_| session.process_new_packets().err());
    Err(reason.map_or_else(|| error.into(), |reason| Broken::Failed(tls::in_words(&reason))))
}

/// What a server said, as it may be shown: short, in one line, and without the secret.
pub(crate) fn server_text(text: &[u8], secret: Option<&str>) -> String {
    let text = String::from_utf8_lossy(text);
    let text = match secret.filter(|secret| !secret.is_empty()) {
        Some(secret) => without(&text, secret),
        None => text.into_owned(),
    };
    let text: String = text.trim().chars().take(SAID_CHARS).collect();
    nmax_text::shown(&text).into_owned()
}

/// A text without a secret that is not empty. A short one goes where it stands alone, so that it takes no letters out of
/// other words, which would tell what it is.
fn without(text: &str, secret: &str) -> String {
    let is_short = secret.chars().count() < SHORT_SECRET_CHARS;
    let mut shown = String::with_capacity(text.len());
    let mut done = 0;
    for (at, _) in text.match_indices(secret) {
        let before = text[..at].chars().next_back();
        let after = text[at + secret.len()..].chars().next();
        let is_part = [before, after].iter().flatten().any(|letter| letter.is_alphanumeric());
        if !(is_short && is_part) {
            shown.push_str(&text[done..at]);
            shown.push_str("***");
            done = at + secret.len();
        }
    }
    shown.push_str(&text[done..]);
    shown
}

/// Waits on the thread of a source, which is its own.
#[expect(clippy::disallowed_methods, reason = "the thread is the source's own")]
pub(crate) fn pause(time: Duration) {
    thread::sleep(time);
}

/// Limits of sockets are in real time, also where a run's time is simulated.
#[expect(clippy::disallowed_methods, reason = "limits of sockets are in real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// A service that is asked the same question again and again over one connection.
pub(crate) struct Service {
    pub(crate) place: Result<ServiceAddress, Trouble>,
    link: Option<Link>,
}

impl Service {
    /// A service at a place, or what is wrong with the place.
    pub(crate) fn new(place: Result<ServiceAddress, Trouble>) -> Self {
        Self { place, link: None }
    }

    /// Asks. `greet` is said once on each new connection. A kept connection that turns out to be closed is made anew once:
    /// servers close idle ones.
    pub(crate) fn ask<T>(
        &mut self,
        greet: impl Fn(&mut Link, &ServiceAddress) -> Result<(), QueryError>,
        question: impl Fn(&mut Link) -> Result<T, QueryError>,
    ) -> Result<T, Trouble> {
        let place = self.place.clone()?;
        let in_words = |asked| match asked {
            QueryError::Broken(broken) => Broken::trouble(&broken, &place.title()),
            QueryError::Refused(trouble) | QueryError::Barred(trouble) => {
                Trouble { text: format!("{}: {}", place.title(), trouble.text), ..trouble }
            }
        };
        if let Some(mut link) = self.link.take() {
            link.begin(PATIENCE);
            match question(&mut link) {
                Ok(answer) => {
                    self.link = Some(link);
                    return Ok(answer);
                }
                Err(QueryError::Broken(Broken::Gone)) => {}
                Err(asked) => return Err(in_words(asked)),
            }
        }
        let mut link = Link::open(&place).map_err(|broken| in_words(broken.into()))?;
        greet(&mut link, &place)
            .and_then(|()| question(&mut link))
            .inspect(|_| self.link = Some(link))
            .map_err(in_words)
    }
}

/// Why a question has no answer.
pub(crate) enum QueryError {
    /// The conversation broke off.
    Broken(Broken),
    /// The server said so, or spoke another language.
    Refused(Trouble),
    /// The same of what may go well over a connection with TLS, or without.
    Barred(Trouble),
}

impl From<Broken> for QueryError {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<Trouble> for QueryError {
    fn from(trouble: Trouble) -> Self {
        Self::Refused(trouble)
    }
}

/// An error of the system without its number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

/// Addresses of a host, all of which a source may connect to.
pub(crate) fn resolve(host: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Broken> {
    let addresses = look_up(host, port, deadline)?;
    may_connect(addresses.iter().copied()).map_err(Broken::Forbidden)?;
    Ok(addresses)
}

/// Addresses of a host. The system's lookup knows no limit, so it has a thread of its own, which is left behind when it
/// takes too long, and ends with its own limits.
pub(crate) fn look_up(host: &str, port: u16, deadline: Instant) -> Result<Vec<SocketAddr>, Broken> {
    if let Ok(address) = host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (sender, found) = sync_channel(1);
    let pair = (host.to_owned(), port);
    let lookup = move || {
        let _ = sender.send(pair.to_socket_addrs().map(Vec::from_iter));
    };
    thread::Builder::new().name("nmax-lookup".into()).spawn(lookup)?;
    let left = deadline.saturating_duration_since(now());
    match found.recv_timeout(left) {
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(_)) => Err(Broken::Failed("its name is not found".into())),
        Err(_) => Err(Broken::Failed("its name is not found in time".into())),
    }
}

#[cfg(test)]
mod tests;
