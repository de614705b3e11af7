//! A TCP connection over a line: what goes in and out waits in order until the line has carried it.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, ready};

use nix::sys::socket::{setsockopt, sockopt};
use nmax_metrics::Nanos;
use nmax_reactor::Socket;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::{Line, PIECE_BYTES_MAX, RECEIVE_BUFFER_BYTES};

/// Bytes under way to the visitor at most; the socket is not read beyond.
const DOWN_BYTES_MAX: usize = 256 * 1024;
/// Bytes that are taken from the visitor before the line has carried them, as a send buffer does.
const UP_BYTES_MAX: usize = 64 * 1024;

/// A TCP connection over a line.
#[derive(Debug)]
pub(crate) struct Shaped {
    stream: Socket,
    line: Rc<Line>,
    /// Its number among the connections of the line.
    number: u64,
    up: Pipe,
    down: Pipe,
    /// When the visitor notices the end of the stream, once the socket told of it.
    end: Option<Nanos>,
    /// Nobody waits for a reply: what the socket has came long ago.
    is_idle: bool,
}

impl Shaped {
    /// `stream` from now on goes over `line`.
    pub(crate) fn new(stream: Socket, line: Rc<Line>) -> Self {
        if line.rules.down_bytes_per_s.is_some() {
            // A buffer of the default size would hide a slow visitor from the server; the transfer works with any.
            let _ = setsockopt(&stream, sockopt::RcvBuf, &RECEIVE_BUFFER_BYTES);
        }
        Self {
            number: line.join(),
            stream,
            line,
            up: Pipe::default(),
            down: Pipe::default(),
            end: None,
            is_idle: false,
        }
    }

    /// Whether somebody waits for a reply; else everything that came is there at once.
    pub(crate) fn set_idle(&mut self, is_idle: bool) {
        self.is_idle = is_idle;
    }

    /// Hands the socket what has reached the server.
    fn deliver(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        loop {
            let due = self.up.due(self.line.now());
            if due.is_empty() {
                break;
            }
            match Pin::new(&mut self.stream).poll_write(cx, due) {
                Poll::Ready(Ok(written)) => self.up.consume(written),
                Poll::Ready(Err(error)) => return Err(error),
                Poll::Pending => return Ok(()),
            }
        }
        if let Some(at) = self.up.next_at() {
            self.line.want(at);
        }
        Ok(())
    }

    /// Puts what the socket has on the way to the visitor, as far as the line has room for it.
    fn fill(&mut self, cx: &mut Context<'_>) -> io::Result<()> {
        let piece = self.line.down.piece();
        while self.end.is_none() && self.down.len() < DOWN_BYTES_MAX {
            if self.stream.poll_readable(cx)?.is_pending() {
                self.line.leave(self.number);
                return Ok(());
            }
            let now = self.line.now();
            if !self.is_idle
                && self.line.rules.down_bytes_per_s.is_some()
                && let Err(at) = self.line.take_turn(self.number, now)
            {
                self.line.want(at);
                return Ok(());
            }
            let mut bytes = [0; PIECE_BYTES_MAX];
            match self.stream.try_read(&mut bytes[..piece]) {
                Ok(0) => self.end = Some(self.down.last.max(now + self.line.trip())),
                Ok(read) => {
                    let at = if self.is_idle { Nanos::ZERO } else { self.line.carry_down(now, read) };
                    self.down.push(&bytes[..read], at);
                }
                // Not ready after all: the next look says so, and waits.
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }
}

impl Drop for Shaped {
    fn drop(&mut self) {
        self.line.leave(self.number);
    }
}

impl AsyncRead for Shaped {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.deliver(cx)?;
        // What came before a broken connection is still handed over.
        let filled = this.fill(cx);
        let now = if this.is_idle { Nanos::MAX } else { this.line.now() };
        let due = this.down.due(now);
        if !due.is_empty() {
            let length = due.len().min(buffer.remaining());
            buffer.put_slice(&due[..length]);
            this.down.consume(length);
            return Poll::Ready(Ok(()));
        }
        if let Some(at) = this.down.next_at() {
            this.line.want(at);
            return Poll::Pending;
        }
        filled?;
        match this.end {
            Some(at) if now >= at => Poll::Ready(Ok(())),
            Some(at) => {
                this.line.want(at);
                Poll::Pending
            }
            None => Poll::Pending,
        }
    }
}

impl AsyncWrite for Shaped {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        this.deliver(cx)?;
        let room = UP_BYTES_MAX.saturating_sub(this.up.len());
        if room == 0 {
            return Poll::Pending; // Delivering has said when to come back.
        }
        let taken = &bytes[..bytes.len().min(room)];
        for piece in taken.chunks(this.line.up.piece()) {
            let at = this.line.carry_up(this.line.now(), piece.len());
            this.up.push(piece, at);
        }
        this.deliver(cx)?;
        Poll::Ready(Ok(taken.len()))
    }

    /// What was written is as good as in a send buffer.
    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(self.get_mut().deliver(cx))
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        this.deliver(cx)?;
        if this.up.len() > 0 {
            return Poll::Pending;
        }
        ready!(Pin::new(&mut this.stream).poll_shutdown(cx))?;
        Poll::Ready(Ok(()))
    }
}

/// Bytes under way in one direction, in order.
#[derive(Debug, Default)]
pub(super) struct Pipe {
    bytes: VecDeque<u8>,
    /// Lengths of pieces, and when each arrives.
    pieces: VecDeque<(usize, Nanos)>,
    /// When the last piece put in arrives.
    last: Nanos,
}

impl Pipe {
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// A piece that arrives at `at`, and not before those before it.
    pub(super) fn push(&mut self, bytes: &[u8], at: Nanos) {
        self.last = self.last.max(at);
        self.bytes.extend(bytes);
        self.pieces.push_back((bytes.len(), self.last));
    }

    /// Bytes that have arrived, as far as they lie in one place.
    pub(super) fn due(&self, now: Nanos) -> &[u8] {
        let arrived = self.pieces.iter().take_while(|(_, at)| *at <= now);
        let length: usize = arrived.map(|(length, _)| length).sum();
        let first = self.bytes.as_slices().0;
        &first[..length.min(first.len())]
    }

    /// When the next piece arrives.
    pub(super) fn next_at(&self) -> Option<Nanos> {
        self.pieces.front().map(|(_, at)| *at)
    }

    /// The first bytes are gone.
    pub(super) fn consume(&mut self, mut length: usize) {
        self.bytes.drain(..length);
        while let Some((left, _)) = self.pieces.front_mut().filter(|_| length > 0) {
            let part = length.min(*left);
            (*left, length) = (*left - part, length - part);
            if *left == 0 {
                self.pieces.pop_front();
            }
        }
        if self.bytes.is_empty() {
            // An idle connection holds no buffer.
            self.bytes = VecDeque::new();
            self.pieces = VecDeque::new();
        }
    }
}
