//! The outgoing half of a conversation: bytes, then pieces, with a pause for `100 Continue` where one is asked for.
//!
//! Files are read by position into the thread's shared buffer and written from there. What the kernel does not take
//! is read again: the page cache is cheaper than a buffer for each visitor.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::task::{Context, Poll};

use nmax_metrics::{Clock, ErrorKind, Nanos};

use super::Shared;
use super::conversation::{Trouble, is_hang_up};
use super::progress::{Delivery, Progress};
use crate::connection::Stream;
use crate::failure::Failure;
use crate::message::{Piece, Request};
use crate::wire::WireEvent;

/// How long a request waits for `100 Continue` before it sends its body all the same (RFC 9110, 10.1.1).
const CONTINUE_WAIT: Nanos = Nanos::from_secs(1);
/// Bytes of files that one poll sends at most, so that an upload leaves room for the thread's other visitors.
const FILE_BYTES_PER_POLL_MAX: usize = 256 * 1024;

/// What of a request is still to be sent.
pub(super) struct Sending<'a> {
    /// What may be written now.
    now: &'a [u8],
    /// What follows once the server asks for it, or was waited for long enough.
    held_back: Option<&'a [u8]>,
    /// Whether something is, or was, held back.
    may_pause: bool,
    pieces: &'a [Piece<'a>],
    /// Bytes sent of the first piece, when that is a file.
    offset: u64,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    /// Nothing was done yet.
    Due,
    Writing,
    Flushing,
    /// Until the server asks for the rest, at most until this instant.
    Paused(Nanos),
    Sent,
    /// The server reads no more; its reply may still be on the way.
    HungUp,
}

impl<'a> Sending<'a> {
    /// All of `request`.
    #[inline]
    pub(super) fn new(request: &Request<'a>) -> Self {
        let (now, held_back) = match request.text.split() {
            (head, body) if request.waits && !(body.is_empty() && request.rest.is_empty()) => (head, Some(body)),
            _ => (request.text.bytes(), None),
        };
        Self { now, held_back, pieces: request.rest, may_pause: held_back.is_some(), offset: 0, state: State::Due }
    }

    /// Whether this is its beginning.
    #[inline]
    pub(super) fn begin(&mut self) -> bool {
        let begins = self.state == State::Due;
        if begins {
            self.state = State::Writing;
        }
        begins
    }

    /// Whether a part of it waits for the server to ask for it.
    #[inline]
    pub(super) fn may_pause(&self) -> bool {
        self.may_pause
    }

    /// True once the kernel has taken everything.
    pub(super) fn is_sent(&self) -> bool {
        self.state == State::Sent
    }

    /// True while more is to be sent and the server reads it.
    pub(super) fn is_under_way(&self) -> bool {
        !matches!(self.state, State::Sent | State::HungUp)
    }

    /// When the wait for `100 Continue` is over; `None` when nobody waits.
    pub(super) fn pause_end(&self) -> Option<Nanos> {
        match self.state {
            State::Paused(end) => Some(end),
            _ => None,
        }
    }

    /// Ends a pause.
    pub(super) fn resume(&mut self) {
        self.now = self.held_back.take().unwrap_or_default();
        self.state = State::Writing;
    }

    /// Sends as much as the kernel takes now.
    #[inline]
    pub(super) fn poll<C: Clock>(
        &mut self,
        shared: &Shared<C>,
        stream: &mut Stream,
        progress: &mut Progress,
        cx: &mut Context<'_>,
    ) -> Result<(), Trouble> {
        let mut budget = FILE_BYTES_PER_POLL_MAX;
        loop {
            let is_taken = match self.state {
                State::Writing if !self.now.is_empty() => self.write_bytes(shared, stream, progress, cx)?,
                State::Writing if self.held_back.is_none() && !self.pieces.is_empty() => {
                    self.write_piece(shared, stream, progress, cx, &mut budget)?
                }
                State::Writing | State::Flushing => self.flush(shared, stream, progress, cx)?,
                State::Due | State::Paused(_) | State::Sent | State::HungUp => return Ok(()),
            };
            if !is_taken {
                return Ok(());
            }
        }
    }

    /// Writes a part of what may be written; false when the kernel takes nothing now.
    #[inline]
    fn write_bytes<C: Clock>(
        &mut self,
        shared: &Shared<C>,
        stream: &mut Stream,
        progress: &mut Progress,
        cx: &mut Context<'_>,
    ) -> Result<bool, Trouble> {
        let Some(written) = self.write(shared, stream, progress, cx, self.now)? else {
            return Ok(false);
        };
        self.now = &self.now[written..];
        if !self.now.is_empty() {
            progress.delivery = Delivery::InPieces;
        } else if self.held_back.is_none() && self.pieces.is_empty() && !stream.has_buffer() {
            self.stop(State::Sent, shared, progress);
            return Ok(false);
        }
        Ok(true)
    }

    /// Goes on with the first piece; false when the kernel takes nothing now, or this poll has sent its share.
    #[cold]
    fn write_piece<C: Clock>(
        &mut self,
        shared: &Shared<C>,
        stream: &mut Stream,
        progress: &mut Progress,
        cx: &mut Context<'_>,
        budget: &mut usize,
    ) -> Result<bool, Trouble> {
        let Some((&first, others)) = self.pieces.split_first() else {
            return Ok(true);
        };
        progress.delivery = Delivery::InPieces;
        let (name, file, length) = match first {
            Piece::Bytes(bytes) => {
                (self.now, self.pieces) = (bytes, others);
                return Ok(true);
            }
            Piece::File { length, .. } if self.offset >= length => {
                (self.offset, self.pieces) = (0, others);
                return Ok(true);
            }
            Piece::File { name, file, length } => (name, file, length),
        };
        if *budget == 0 {
            cx.waker().wake_by_ref();
            return Ok(false);
        }
        let mut scratch = shared.scratch.borrow_mut();
        let part = read_part(name, file, self.offset, length, &mut scratch)?;
        let Some(written) = self.write(shared, stream, progress, cx, part)? else {
            return Ok(false);
        };
        self.offset += written as u64;
        *budget = budget.saturating_sub(written);
        Ok(true)
    }

    /// Hands what was written to the kernel, then pauses or ends; false when the kernel takes nothing now.
    #[cold]
    fn flush<C: Clock>(
        &mut self,
        shared: &Shared<C>,
        stream: &mut Stream,
        progress: &mut Progress,
        cx: &mut Context<'_>,
    ) -> Result<bool, Trouble> {
        self.state = State::Flushing;
        match stream.poll_flush(cx) {
            Poll::Pending => {
                progress.delivery = Delivery::InPieces;
                return Ok(false);
            }
            Poll::Ready(Ok(())) if self.held_back.is_some() => {
                progress.delivery = Delivery::InPieces;
                self.state = State::Paused(shared.clock.now() + CONTINUE_WAIT);
            }
            Poll::Ready(Ok(())) => self.stop(State::Sent, shared, progress),
            Poll::Ready(Err(error)) if is_hang_up(&error) => self.stop(State::HungUp, shared, progress),
            Poll::Ready(Err(error)) => return Err(Trouble::io(error)),
        }
        Ok(true)
    }

    /// One write call: how many bytes were taken; `None` when none are now, or ever again.
    #[inline]
    fn write<C: Clock>(
        &mut self,
        shared: &Shared<C>,
        stream: &mut Stream,
        progress: &mut Progress,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Result<Option<usize>, Trouble> {
        match stream.poll_write(cx, bytes) {
            Poll::Pending => progress.delivery = Delivery::InPieces,
            Poll::Ready(Ok(0)) => self.stop(State::HungUp, shared, progress),
            Poll::Ready(Ok(written)) => {
                progress.bytes_sent += written as u64;
                shared.emit(WireEvent::Sent(&bytes[..written]));
                return Ok(Some(written));
            }
            Poll::Ready(Err(error)) if is_hang_up(&error) => self.stop(State::HungUp, shared, progress),
            Poll::Ready(Err(error)) => return Err(Trouble::io(error)),
        }
        Ok(None)
    }

    /// Nothing more will be sent.
    #[inline]
    fn stop<C: Clock>(&mut self, state: State, shared: &Shared<C>, progress: &mut Progress) {
        self.state = state;
        if progress.delivery == Delivery::InPieces {
            progress.delivery = Delivery::Ended(shared.clock.now());
        }
    }
}

/// The next bytes of a file, at least one.
fn read_part<'b>(name: &str, file: &File, offset: u64, length: u64, buffer: &'b mut [u8]) -> Result<&'b [u8], Trouble> {
    let room = usize::try_from(length - offset).map_or(buffer.len(), |left| left.min(buffer.len()));
    let read = loop {
        match file.read_at(&mut buffer[..room], offset) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => break read,
        }
    };
    let text = match read {
        Ok(0) => format!("{name}: the file became shorter than the {length} bytes that it had before the run"),
        Ok(read) => return Ok(&buffer[..read]),
        Err(error) => format!("{name}: the file cannot be read: {error}"),
    };
    Err(Trouble::own(Failure::new(ErrorKind::Injector, text)))
}
