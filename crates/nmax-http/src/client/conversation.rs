//! A request goes out and its reply comes in over one open connection, both at once.

use std::future::poll_fn;
use std::io;
use std::task::{Context, Poll};

use nmax_metrics::{Clock, Nanos};

use super::exchange::Request;
use super::progress::{Delivery, Progress};
use super::sending::Sending;
use super::{Client, Shared};
use crate::codec::{CodecError, Receiver};
use crate::connection::Stream;
use crate::failure::Failure;
use crate::wire::WireEvent;

/// Why a conversation ended without a valid reply.
#[derive(Debug)]
pub(super) enum Trouble {
    /// The connection failed.
    Io(io::Error),
    /// What came is no reply.
    Codec(CodecError),
    /// This end gave up.
    Own(Failure),
}

impl Trouble {
    /// The server hung up, as it may on an idle connection.
    pub(super) fn is_hang_up(&self) -> bool {
        match self {
            Self::Io(error) => is_hang_up(error),
            Self::Codec(error) => *error == CodecError::EndedBeforeReply,
            Self::Own(_) => false,
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Io(error) => Self::of_stream(&error),
            Trouble::Codec(error) => error.into(),
            Trouble::Own(failure) => failure,
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

impl<C: Clock + 'static> Client<C> {
    /// Sends a request and receives the reply, both at once: a server may answer before it has read all.
    pub(super) async fn converse(&mut self, stream: &mut Stream, request: &Request<'_>) -> Result<End, Trouble> {
        // Most requests have neither limits nor pauses; those are never looked for then.
        let is_attended = self.shared.is_limited || request.pause_at.is_some();
        let mut sending = Sending::new(request);
        self.progress.delivery = Delivery::AtOnce;
        self.progress.sent = Some(self.shared.clock.now());
        let result = poll_fn(|cx| {
            let polled = self.poll_conversation(stream, &mut sending, cx);
            if polled.is_pending()
                && is_attended
                && let Err(trouble) = self.attend(stream, &mut sending, cx)
            {
                return Poll::Ready(Err(trouble));
            }
            polled
        })
        .await;
        if result.is_err() {
            self.shared.tell(WireEvent::Closed);
        }
        result
    }

    fn poll_conversation(
        &mut self,
        stream: &mut Stream,
        sending: &mut Sending<'_>,
        cx: &mut Context<'_>,
    ) -> Poll<Result<End, Trouble>> {
        let Self {
            shared,
            receiver,
            progress,
            ..
        } = self;
        if sending.is_under_way() {
            sending.poll(shared, stream, progress, cx)?;
        }
        loop {
            match poll_receive(shared, receiver, progress, stream, cx)? {
                Poll::Ready(Some((at, is_closed))) => {
                    return Poll::Ready(Ok(End {
                        at,
                        all_sent: sending.is_sent(),
                        is_closed,
                    }));
                }
                Poll::Ready(None) if receiver.has_continued() && sending.pause_end().is_some() => {
                    sending.resume();
                    sending.poll(shared, stream, progress, cx)?;
                }
                Poll::Ready(None) => {}
                Poll::Pending => return Poll::Pending,
            }
        }
    }

    /// Ends a pause that lasted long enough and a phase that lasted too long; publishes when to come back.
    fn attend(&mut self, stream: &mut Stream, sending: &mut Sending<'_>, cx: &mut Context<'_>) -> Result<(), Trouble> {
        let Self {
            shared,
            receiver,
            progress,
            alarm,
            ..
        } = self;
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
            return Err(Trouble::Own(deadline.failure()));
        }
        let limit = deadline.map_or(Nanos::MAX, |deadline| deadline.at);
        let pause_end = sending.pause_end().filter(|_| is_open).unwrap_or(Nanos::MAX);
        alarm.set(Some(limit.min(pause_end)));
        Ok(())
    }
}

/// One receive call. When the reply is complete: the instant of its last byte, and whether the connection's end
/// was that of the reply.
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
                shared.tell(WireEvent::ClosedByServer);
            }
            return Err(Trouble::Io(error));
        }
        Poll::Pending => return Ok(Poll::Pending),
    };
    let at = shared.clock.now();
    if received == 0 {
        shared.tell(WireEvent::ClosedByServer);
        receiver.end().map_err(Trouble::Codec)?;
        return Ok(Poll::Ready(Some((at, true))));
    }
    progress.bytes_received += received as u64;
    shared.tell(WireEvent::Received(&scratch[..received]));
    let (was_at_start, informational) = (receiver.is_at_start(), receiver.informational());
    let pushed = receiver.push(&scratch[..received]);
    if was_at_start || receiver.informational() != informational {
        progress.first_byte = (!receiver.is_at_start()).then_some(at);
    }
    let is_complete = pushed.map_err(Trouble::Codec)?;
    Ok(Poll::Ready(is_complete.then_some((at, false))))
}

/// True when something came over an idle connection: its end, or bytes that belong to no request.
///
/// Costs no system call while nothing came, because the reactor would have said so.
pub(super) async fn is_disturbed<C: Clock>(shared: &Shared<C>, stream: &mut Stream) -> bool {
    poll_fn(|cx| {
        let mut scratch = shared.scratch.borrow_mut();
        Poll::Ready(match stream.poll_read(cx, &mut scratch) {
            Poll::Pending => false,
            Poll::Ready(Ok(received @ 1..)) => {
                shared.tell(WireEvent::Received(&scratch[..received]));
                shared.tell(WireEvent::Closed);
                true
            }
            Poll::Ready(Ok(0) | Err(_)) => {
                shared.tell(WireEvent::ClosedByServer);
                true
            }
        })
    })
    .await
}
