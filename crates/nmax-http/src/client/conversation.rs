//! A request goes out and its reply comes in over one open connection, both at once.

use std::io;
use std::task::{Context, Poll};

use nmax_metrics::{Clock, Nanos};

use super::progress::{Delivery, Progress};
use super::sending::Sending;
use super::visitor::Lease;
use super::{Alarm, Shared};
use crate::codec::{CodecError, Receiver};
use crate::connection::Stream;
use crate::failure::Failure;
use crate::wire::WireEvent;

/// Receive calls of one poll: a long reply leaves room for the thread's other visitors.
const PIECES_PER_POLL_MAX: usize = 64;

/// Why a conversation ended without a valid reply. Boxed, so that results without trouble fit into registers.
#[derive(Debug)]
pub(super) struct Trouble(Box<Reason>);

#[derive(Debug)]
enum Reason {
    /// Something came over the connection before it was used again.
    Stale,
    /// The connection failed.
    Io(io::Error),
    /// What came is no reply.
    Codec(CodecError),
    /// This end gave up.
    Own(Failure),
}

impl Trouble {
    #[cold]
    fn stale() -> Self {
        Self(Box::new(Reason::Stale))
    }

    /// The connection could not be used again, and nothing was sent over it.
    pub(super) fn is_stale(&self) -> bool {
        matches!(*self.0, Reason::Stale)
    }

    #[cold]
    pub(super) fn io(error: io::Error) -> Self {
        Self(Box::new(Reason::Io(error)))
    }

    #[cold]
    pub(super) fn codec(error: CodecError) -> Self {
        Self(Box::new(Reason::Codec(error)))
    }

    #[cold]
    pub(super) fn own(failure: Failure) -> Self {
        Self(Box::new(Reason::Own(failure)))
    }

    /// The server hung up, as it may on an idle connection.
    pub(super) fn is_hang_up(&self) -> bool {
        match &*self.0 {
            Reason::Io(error) => is_hang_up(error),
            Reason::Codec(error) => *error == CodecError::EndedBeforeReply,
            Reason::Stale | Reason::Own(_) => false,
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match *trouble.0 {
            Reason::Io(error) => Self::of_stream(&error),
            Reason::Codec(error) => error.into(),
            Reason::Own(failure) => failure,
            Reason::Stale => CodecError::EndedBeforeReply.into(),
        }
    }
}

pub(super) fn is_hang_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
}

/// How a conversation ended well.
pub(super) struct End {
    /// When the last byte was received.
    pub(super) at: Nanos,
    /// False when the reply was complete before the request was.
    pub(super) all_sent: bool,
    /// The end of the connection was the end of the reply.
    pub(super) is_closed: bool,
}

/// An exchange over a connection, while it lasts.
pub(super) struct Conversation<'a, C> {
    pub(super) shared: &'a Shared<C>,
    pub(super) receiver: &'a mut Receiver,
    pub(super) progress: &'a mut Progress,
    pub(super) alarm: &'a Alarm,
}

impl<C: Clock> Conversation<'_, C> {
    /// Sends a request and receives the reply, both at once: a server may answer before it has read all.
    ///
    /// Nothing is sent over a kept connection on which something came meanwhile; that is [`Trouble::is_stale`].
    #[inline(always)]
    pub(super) fn poll(
        mut self,
        lease: &mut Lease,
        sending: &mut Sending<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<End, Trouble>> {
        let polled = match self.poll_both(lease, sending, cx) {
            // Most requests have neither limits nor pauses; those are never looked for then.
            Poll::Pending if self.shared.is_limited || sending.may_pause() => {
                match self.attend(lease.stream(), sending, cx) {
                    Ok(()) => Poll::Pending,
                    Err(trouble) => Poll::Ready(Err(trouble)),
                }
            }
            polled => polled,
        };
        if let Poll::Ready(Err(trouble)) = &polled
            && !trouble.is_stale()
        {
            self.shared.emit(WireEvent::Closed);
        }
        polled
    }

    #[inline(always)]
    fn poll_both(
        &mut self,
        lease: &mut Lease,
        sending: &mut Sending<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<End, Trouble>> {
        let (is_kept, stream) = (lease.idle_since().is_some(), lease.stream());
        let Self { shared, receiver, progress, .. } = self;
        let mut is_silent = false;
        if sending.begin() {
            if is_kept {
                // Costs no system call while nothing came, because the reactor would have said so.
                is_silent = stream.is_silent(cx);
                if !is_silent && has_come(shared, stream, cx) {
                    return Poll::Ready(Err(Trouble::stale()));
                }
                shared.emit(WireEvent::Reused);
            }
            progress.delivery = Delivery::AtOnce;
            progress.sent = Some(shared.pass_fence(progress).map_err(Trouble::own)?);
        }
        if sending.is_under_way() {
            sending.poll(shared, stream, progress, cx)?;
            if is_silent && sending.is_sent() {
                // The reactor was asked just before, and will tell of what comes.
                return Poll::Pending;
            }
        }
        for _ in 0..PIECES_PER_POLL_MAX {
            match poll_receive(shared, receiver, progress, stream, cx)? {
                Poll::Ready(Some((at, is_closed))) => {
                    return Poll::Ready(Ok(End { at, all_sent: sending.is_sent(), is_closed }));
                }
                Poll::Ready(None) if receiver.has_continued() && sending.pause_end().is_some() => {
                    sending.resume();
                    sending.poll(shared, stream, progress, cx)?;
                }
                Poll::Ready(None) => {}
                Poll::Pending => return Poll::Pending,
            }
        }
        cx.waker().wake_by_ref();
        Poll::Pending
    }

    /// Ends a pause that lasted long enough and a phase that lasted too long; publishes when to come back.
    #[cold]
    fn attend(&mut self, stream: &mut Stream, sending: &mut Sending<'_>, cx: &mut Context<'_>) -> Result<(), Trouble> {
        let Self { shared, receiver, progress, alarm, .. } = self;
        let now = shared.clock.now();
        // A server that began to answer wants no body any more.
        let is_open = progress.first_byte.is_none();
        // One that asked for the body before it had all of the head was heard before the pause began.
        let is_over = |end| now >= end || receiver.has_continued();
        if is_open && sending.pause_end().is_some_and(is_over) {
            sending.resume();
            sending.poll(shared, stream, progress, cx)?;
        }
        let deadline = progress.deadline(&shared.config.phase_limits, sending.is_under_way());
        if let Some(deadline) = deadline
            && now >= deadline.at
        {
            return Err(Trouble::own(deadline.failure()));
        }
        let limit = deadline.map_or(Nanos::MAX, |deadline| deadline.at);
        let pause_end = sending.pause_end().filter(|_| is_open).unwrap_or(Nanos::MAX);
        alarm.set(Some(limit.min(pause_end)));
        Ok(())
    }
}

/// One receive call. When the reply is complete: the instant of its last byte, and whether the connection's end
/// was that of the reply.
#[inline]
fn poll_receive<C: Clock>(
    shared: &Shared<C>,
    receiver: &mut Receiver,
    progress: &mut Progress,
    stream: &mut Stream,
    cx: &mut Context<'_>,
) -> Result<Poll<Option<(Nanos, bool)>>, Trouble> {
    let mut scratch = shared.scratch.borrow_mut();
    let received = match stream.poll_read(cx, &mut scratch) {
        Poll::Ready(Ok(received)) => received,
        Poll::Ready(Err(error)) => {
            if is_hang_up(&error) {
                shared.emit(WireEvent::ClosedByServer);
            }
            return Err(Trouble::io(error));
        }
        Poll::Pending => return Ok(Poll::Pending),
    };
    let at = shared.clock.now();
    if received == 0 {
        shared.emit(WireEvent::ClosedByServer);
        receiver.end().map_err(Trouble::codec)?;
        return Ok(Poll::Ready(Some((at, true))));
    }
    progress.bytes_received += received as u64;
    shared.emit(WireEvent::Received(&scratch[..received]));
    let (was_at_start, informational) = (receiver.is_at_start(), receiver.informational());
    let pushed = receiver.push(&scratch[..received]);
    if was_at_start || receiver.informational() != informational {
        progress.first_byte = (!receiver.is_at_start()).then_some(at);
    }
    let is_complete = pushed.map_err(Trouble::codec)?;
    Ok(Poll::Ready(is_complete.then_some((at, false))))
}

/// Whether something came over an idle connection: its end, or bytes that belong to no request.
#[cold]
fn has_come<C: Clock>(shared: &Shared<C>, stream: &mut Stream, cx: &mut Context<'_>) -> bool {
    let mut scratch = shared.scratch.borrow_mut();
    stream.set_idle(true);
    let polled = stream.poll_read(cx, &mut scratch);
    stream.set_idle(false);
    match polled {
        Poll::Pending => false,
        Poll::Ready(Ok(received @ 1..)) => {
            shared.emit(WireEvent::Received(&scratch[..received]));
            shared.emit(WireEvent::Closed);
            true
        }
        Poll::Ready(Ok(0) | Err(_)) => {
            shared.emit(WireEvent::ClosedByServer);
            true
        }
    }
}
