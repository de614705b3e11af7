//! A socket that is read and written until an instant, and read up to a length.
//!
//! The limits are here, below TLS, which reads as often as it has to: whoever drips a handshake is left in time as well.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use rustix::io::Errno;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

use super::{ANSWER_BYTES_MAX, Broken, now, pause, resolve};
use crate::service_address::ServiceAddress;

/// From one attempt to the next where a server's queue is full.
const QUEUE_PAUSE: Duration = Duration::from_millis(20);

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

/// A socket with its limits.
pub(super) struct Wire {
    socket: Box<dyn Socket>,
    deadline: Instant,
    /// Bytes that have come since the last question.
    received: usize,
}

impl Wire {
    /// Connects over TCP, or to a socket in a file where the host is a path.
    pub(super) fn open(place: &ServiceAddress, deadline: Instant) -> Result<Self, Broken> {
        let socket: Box<dyn Socket> = if place.host.starts_with('/') {
            Box::new(connect_file(&place.host, deadline)?)
        } else {
            Box::new(connect_tcp(place, deadline)?)
        };
        Ok(Self { socket, deadline, received: 0 })
    }

    /// A new limit of time; `received` bytes count among those that may come until then.
    pub(super) fn begin(&mut self, deadline: Instant, received: usize) {
        self.deadline = deadline;
        self.received = received;
    }

    pub(super) fn deadline(&self) -> Instant {
        self.deadline
    }

    fn wait(&self) -> io::Result<()> {
        let left = left(self.deadline).map_err(|_| io::Error::from(ErrorKind::TimedOut))?;
        self.socket.limit(left)
    }
}

impl Read for Wire {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait()?;
        let count = self.socket.read(buffer)?;
        self.received += count;
        if self.received > ANSWER_BYTES_MAX {
            return Err(ErrorKind::FileTooLarge.into());
        }
        Ok(count)
    }
}

impl Write for Wire {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.wait()?;
        self.socket.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.socket.flush()
    }
}

fn connect_tcp(place: &ServiceAddress, deadline: Instant) -> Result<TcpStream, Broken> {
    let mut last = Broken::Failed("its name has no address".into());
    for address in resolve(&place.host, place.port, deadline)? {
        match TcpStream::connect_timeout(&address, left(deadline)?) {
            Ok(stream) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(error) => last = error.into(),
        }
    }
    Err(last)
}

/// Connects to a socket in a file. As long as the server's queue is full the system would wait, and know no limit.
fn connect_file(path: &str, deadline: Instant) -> Result<UnixStream, Broken> {
    let address = SocketAddrUnix::new(path).map_err(io::Error::from)?;
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None).map_err(io::Error::from)?;
    loop {
        match connect(&socket, &address) {
            Ok(()) => break,
            Err(Errno::AGAIN) => pause(left(deadline)?.min(QUEUE_PAUSE)),
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
    let stream = UnixStream::from(socket);
    stream.set_nonblocking(false)?;
    Ok(stream)
}

fn left(deadline: Instant) -> Result<Duration, Broken> {
    let left = deadline.saturating_duration_since(now());
    if left.is_zero() { Err(Broken::Late) } else { Ok(left) }
}
