//! A conversation over a socket, in bounded time and size: what Redis, memcached and PostgreSQL are asked with.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::sync_channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::Trouble;
use crate::fetch::plain;
use crate::place::Place;

/// Longest time for one question with its answer, connecting included.
pub(crate) const PATIENCE: Duration = Duration::from_secs(2);
/// Longest answer.
pub(crate) const ANSWER_BYTES_MAX: usize = 1 << 20;
/// Length of what is repeated of a server's words.
const SAID_CHARS: usize = 160;

/// Why a conversation broke off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// The other side closed; one that was idle may just be old.
    Gone,
    /// No answer in time.
    Late,
    /// The answer is too long.
    Long,
    /// Anything else that the system says.
    Failed(String),
}

impl Broken {
    /// In words, `title` being who was asked.
    pub(crate) fn trouble(&self, title: &str) -> Trouble {
        Trouble::passing(match self {
            Self::Gone => format!("{title} closed the connection"),
            Self::Late => format!("{title} did not answer within {} s", PATIENCE.as_secs()),
            Self::Long => format!("{title} gives more than {} MiB", ANSWER_BYTES_MAX >> 20),
            Self::Failed(text) => format!("{title}: {text}"),
        })
    }
}

impl From<io::Error> for Broken {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => Self::Late,
            ErrorKind::UnexpectedEof
            | ErrorKind::ConnectionReset
            | ErrorKind::ConnectionAborted
            | ErrorKind::BrokenPipe => Self::Gone,
            _ => Self::Failed(plain(&error)),
        }
    }
}

/// A socket whose every wait is limited.
trait Socket: Read + Write + Send {
    fn limit(&self, wait: Duration) -> io::Result<()>;
}

impl Socket for TcpStream {
    fn limit(&self, wait: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(wait))?;
        self.set_write_timeout(Some(wait))
    }
}

impl Socket for UnixStream {
    fn limit(&self, wait: Duration) -> io::Result<()> {
        self.set_read_timeout(Some(wait))?;
        self.set_write_timeout(Some(wait))
    }
}

/// A connection to a service.
pub(crate) struct Link {
    socket: Box<dyn Socket>,
    deadline: Instant,
    /// What came and was not taken.
    waiting: Vec<u8>,
    /// What has come since the last question.
    received: usize,
}

impl Link {
    /// Connects over TCP, or to a socket in a file where the host is a path.
    pub(crate) fn open(place: &Place) -> Result<Self, Broken> {
        let deadline = now() + PATIENCE;
        if place.host.starts_with('/') {
            return Ok(Self::new(Box::new(UnixStream::connect(&place.host)?), deadline));
        }
        let mut last = Broken::Failed("its name has no address".into());
        for address in resolve(place, deadline)? {
            match TcpStream::connect_timeout(&address, left(deadline)?) {
                Ok(stream) => {
                    let _ = stream.set_nodelay(true);
                    return Ok(Self::new(Box::new(stream), deadline));
                }
                Err(error) => last = error.into(),
            }
        }
        Err(last)
    }

    fn new(socket: Box<dyn Socket>, deadline: Instant) -> Self {
        Self {
            socket,
            deadline,
            waiting: Vec::new(),
            received: 0,
        }
    }

    /// A new question begins: it has its own time, and its answer its own length.
    pub(crate) fn begin(&mut self, patience: Duration) {
        self.deadline = now() + patience;
        self.received = self.waiting.len();
    }

    /// Sends a part of a question.
    pub(crate) fn send(&mut self, bytes: &[u8]) -> Result<(), Broken> {
        self.socket.limit(left(self.deadline)?)?;
        Ok(self.socket.write_all(bytes)?)
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
        self.socket.limit(left(self.deadline)?)?;
        let mut buffer = [0; 16 << 10];
        let count = self.socket.read(&mut buffer)?;
        self.received += count;
        match count {
            0 => Err(Broken::Gone),
            _ if self.received > ANSWER_BYTES_MAX => Err(Broken::Long),
            _ => {
                self.waiting.extend_from_slice(&buffer[..count]);
                Ok(())
            }
        }
    }
}

/// What a server said, as it may be shown: short, in one line, and without the secret.
pub(crate) fn said(text: &[u8], secret: Option<&str>) -> String {
    let mut text = String::from_utf8_lossy(text).into_owned();
    if let Some(secret) = secret.filter(|secret| !secret.is_empty()) {
        text = text.replace(secret, "***");
    }
    let text: String = text.trim().chars().take(SAID_CHARS).collect();
    text.escape_debug().to_string()
}

/// Addresses of a place. The system's lookup knows no limit, so it has a thread of its own, which is left behind when it
/// takes too long, and ends with its own limits.
fn resolve(place: &Place, deadline: Instant) -> Result<Vec<SocketAddr>, Broken> {
    if let Ok(address) = place.host.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, place.port)]);
    }
    let (sender, found) = sync_channel(1);
    let pair = (place.host.clone(), place.port);
    let lookup = move || {
        let _ = sender.send(pair.to_socket_addrs().map(Vec::from_iter));
    };
    thread::Builder::new().name("nmax-lookup".into()).spawn(lookup)?;
    match found.recv_timeout(left(deadline)?) {
        Ok(Ok(addresses)) => Ok(addresses),
        Ok(Err(_)) => Err(Broken::Failed("its name is not found".into())),
        Err(_) => Err(Broken::Failed("its name is not found in time".into())),
    }
}

fn left(deadline: Instant) -> Result<Duration, Broken> {
    let left = deadline.saturating_duration_since(now());
    if left.is_zero() { Err(Broken::Late) } else { Ok(left) }
}

/// Limits of sockets are in real time, also where a run's time is simulated.
#[expect(clippy::disallowed_methods, reason = "limits of sockets are in real time")]
pub(crate) fn now() -> Instant {
    Instant::now()
}

/// A service that is asked the same question again and again over one connection.
pub(crate) struct Service {
    pub(crate) place: Result<Place, Trouble>,
    link: Option<Link>,
}

impl Service {
    /// A service at a place; `default_port` where the text has none.
    pub(crate) fn new(text: &str, default_port: u16) -> Self {
        Self {
            place: Place::parse(text, default_port),
            link: None,
        }
    }

    /// Asks. `greet` is said once on each new connection. A kept connection that turns out to be closed is made anew once:
    /// servers close idle ones.
    pub(crate) fn ask<T>(
        &mut self,
        greet: impl Fn(&mut Link, &Place) -> Result<(), Asked>,
        question: impl Fn(&mut Link) -> Result<T, Asked>,
    ) -> Result<T, Trouble> {
        let place = self.place.clone()?;
        let in_words = |asked| match asked {
            Asked::Broken(broken) => Broken::trouble(&broken, &place.title()),
            Asked::Refused(trouble) => Trouble {
                text: format!("{}: {}", place.title(), trouble.text),
                ..trouble
            },
        };
        if let Some(mut link) = self.link.take() {
            link.begin(PATIENCE);
            match question(&mut link) {
                Ok(answer) => {
                    self.link = Some(link);
                    return Ok(answer);
                }
                Err(Asked::Broken(Broken::Gone)) => {}
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
pub(crate) enum Asked {
    /// The conversation broke off.
    Broken(Broken),
    /// The server said so, or spoke another language.
    Refused(Trouble),
}

impl From<Broken> for Asked {
    fn from(broken: Broken) -> Self {
        Self::Broken(broken)
    }
}

impl From<Trouble> for Asked {
    fn from(trouble: Trouble) -> Self {
        Self::Refused(trouble)
    }
}

#[cfg(test)]
mod tests;
