//! One exchange: reuse or open a connection, send, receive, retry a stale connection once.

use std::fs::File;
use std::future::poll_fn;
use std::io;
use std::net::IpAddr;
use std::task::{Context, Poll};

use nmax_metrics::{Clock, Nanos, Network};

use super::progress::Progress;
use super::{Client, Shared};
use crate::codec::{CodecError, Expected, KeepBody, Receiver};
use crate::connection::Stream;
use crate::failure::Failure;
use crate::url::Origin;

/// A request as the engine rendered it.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// Where it goes.
    pub origin: &'a Origin,
    /// Complete head and body, as they go on the wire; or all that comes before `rest`.
    pub bytes: &'a [u8],
    /// What follows `bytes`: bodies that are not put together in memory.
    pub rest: &'a [Piece<'a>],
    /// Bytes of `bytes` to send before waiting for `100 Continue`, at most [`CONTINUE_WAIT`]; `None` sends all.
    pub pause_at: Option<usize>,
    /// The method is HEAD, whose reply has no body.
    pub is_head: bool,
    /// Sending it twice does no more than sending it once, so a stale connection is tried again.
    pub idempotent: bool,
    /// The request offers to keep the connection; false closes it after the reply.
    pub keep_alive: bool,
    /// What becomes of the reply's body.
    pub keep_body: KeepBody,
}

/// A part of a request.
#[derive(Clone, Copy, Debug)]
pub enum Piece<'a> {
    /// These bytes.
    Bytes(&'a [u8]),
    /// The first bytes of a file, read while they are sent.
    File {
        /// What an error calls it.
        name: &'a str,
        /// The file, read by position, so that many may share it.
        file: &'a File,
        /// Bytes to send; a shorter file is an error of kind `injector`.
        length: u64,
    },
}

/// How long a request waits for `100 Continue` before it sends its body all the same (RFC 9110, 10.1.1).
#[expect(dead_code, reason = "the wait is built on it")]
pub(super) const CONTINUE_WAIT: Nanos = Nanos::from_secs(1);

/// What one request and its reply measured. Instants are those of the shared clock.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Exchange {
    /// Just before the first byte was written, the second time when retried; `None` when nothing was ever sent.
    pub sent: Option<Nanos>,
    /// First byte of the final (non-1xx) reply.
    pub first_byte: Option<Nanos>,
    /// Last byte of the reply, or the error that ended it.
    pub done: Nanos,
    /// Spans of connecting, zero on a reused connection.
    pub network: Network,
    /// From the first byte written until the kernel had taken the last; zero when it took all at once.
    pub send: Nanos,
    /// Status of the valid reply; `None` beside an error.
    pub status: Option<u16>,
    /// Bytes received, heads and interim replies included, below TLS excluded.
    pub bytes_received: u64,
    /// Bytes sent, both times when retried, below TLS excluded.
    pub bytes_sent: u64,
    /// Bytes of the body once its content coding was undone; as received when it had none.
    pub bytes_decoded: u64,
    /// A kept connection was closed by the server before any byte of the reply, and a fresh one was used.
    pub retried: bool,
    /// The server address that a TCP connection was opened to; `None` when one was reused or none came about.
    pub opened: Option<IpAddr>,
    /// Whether the TLS handshake resumed a session; `None` without a handshake that succeeded.
    pub resumed: Option<bool>,
    /// Interim (1xx) replies that came before the final one.
    pub informational: u16,
    /// Why there is no valid reply.
    pub error: Option<Failure>,
}

/// Why a conversation ended without a valid reply.
#[derive(Debug)]
enum Trouble {
    Io(io::Error),
    Codec(CodecError),
}

impl Trouble {
    /// The server hung up, as it may on an idle connection.
    fn is_hang_up(&self) -> bool {
        match self {
            Self::Io(error) => is_hang_up(error),
            Self::Codec(error) => *error == CodecError::EndedBeforeReply,
        }
    }
}

impl From<Trouble> for Failure {
    fn from(trouble: Trouble) -> Self {
        match trouble {
            Trouble::Io(error) => Self::of_stream(&error),
            Trouble::Codec(error) => error.into(),
        }
    }
}

fn is_hang_up(error: &io::Error) -> bool {
    use io::ErrorKind::{BrokenPipe, ConnectionAborted, ConnectionReset};
    matches!(error.kind(), BrokenPipe | ConnectionAborted | ConnectionReset)
}

impl<C: Clock> Client<C> {
    /// Sends a request and receives its reply. A failed request is data, so this cannot fail.
    ///
    /// Cancel safe: when the future is dropped, the connection closes with it and
    /// [`Client::abandon`] tells what is known.
    pub async fn exchange(&mut self, request: &Request<'_>) -> Exchange {
        self.progress = Progress::default();
        self.start_receiver(request);
        match self.run(request).await {
            Ok(done) => Exchange {
                status: self.receiver.reply().status(),
                ..self.summary(done)
            },
            Err(failure) => {
                self.receiver.abort();
                Exchange {
                    error: Some(failure),
                    ..self.summary(self.shared.clock.now())
                }
            }
        }
    }

    fn start_receiver(&mut self, request: &Request<'_>) {
        self.receiver.start(Expected {
            is_head: request.is_head,
            keep_body: request.keep_body,
            body_limit: self.shared.config.body_limit,
        });
    }

    async fn run(&mut self, request: &Request<'_>) -> Result<Nanos, Failure> {
        if let Some(done) = self.run_on_kept(request).await? {
            return Ok(done);
        }
        let mut stream = self.open(request.origin).await?;
        let end = self.converse(&mut stream, request.bytes).await?;
        Ok(self.settle(request.origin.clone(), stream, request, end))
    }

    /// Uses the kept connection; `None` when there is none, or the server closed it and a fresh one may be tried.
    async fn run_on_kept(&mut self, request: &Request<'_>) -> Result<Option<Nanos>, Failure> {
        let Some((origin, mut stream)) = self.take_kept(request.origin) else {
            return Ok(None);
        };
        if is_disturbed(&self.shared, &mut stream).await {
            return Ok(None);
        }
        match self.converse(&mut stream, request.bytes).await {
            Ok(end) => Ok(Some(self.settle(origin, stream, request, end))),
            Err(trouble) if self.may_retry(request, &trouble) => {
                self.progress.retried = true;
                self.start_receiver(request);
                Ok(None)
            }
            Err(trouble) => Err(trouble.into()),
        }
    }

    fn may_retry(&self, request: &Request<'_>, trouble: &Trouble) -> bool {
        request.idempotent && self.progress.bytes_received == 0 && trouble.is_hang_up()
    }

    /// Keeps or closes the connection after a complete reply; returns the instant of its last byte.
    fn settle(&mut self, origin: Origin, stream: Stream, request: &Request<'_>, end: End) -> Nanos {
        if request.keep_alive && end.all_sent && self.receiver.is_persistent() {
            self.keep(origin, stream);
        }
        end.at
    }

    /// Sends `bytes` and receives the reply, both at once: a server may answer before it has read all.
    async fn converse(&mut self, stream: &mut Stream, bytes: &[u8]) -> Result<End, Trouble> {
        let Self {
            shared,
            receiver,
            progress,
            ..
        } = self;
        let mut sending = Sending {
            rest: bytes,
            state: SendState::Writing,
        };
        progress.sent = Some(shared.clock.now());
        poll_fn(|cx| {
            sending.poll(stream, progress, cx)?;
            loop {
                match poll_receive(shared, receiver, progress, stream, cx) {
                    Poll::Ready(Ok(Some(at))) => {
                        let all_sent = sending.state == SendState::Sent;
                        return Poll::Ready(Ok(End { at, all_sent }));
                    }
                    Poll::Ready(Ok(None)) => {}
                    Poll::Ready(Err(trouble)) => return Poll::Ready(Err(trouble)),
                    Poll::Pending => return Poll::Pending,
                }
            }
        })
        .await
    }
}

/// How a conversation ended well.
struct End {
    /// When the last byte was received.
    at: Nanos,
    /// False when the reply was complete before the request was.
    all_sent: bool,
}

/// The outgoing half of a conversation.
struct Sending<'a> {
    rest: &'a [u8],
    state: SendState,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SendState {
    Writing,
    Flushing,
    Sent,
    /// The server reads no more; its reply may still be on the way.
    HungUp,
}

impl Sending<'_> {
    /// Sends as much as the kernel takes now.
    fn poll(&mut self, stream: &mut Stream, progress: &mut Progress, cx: &mut Context<'_>) -> Result<(), Trouble> {
        while matches!(self.state, SendState::Writing | SendState::Flushing) {
            let polled = if self.rest.is_empty() {
                self.state = SendState::Flushing;
                stream.poll_flush(cx).map_ok(|()| 0)
            } else {
                stream.poll_write(cx, self.rest)
            };
            match polled {
                Poll::Pending => return Ok(()),
                Poll::Ready(Ok(_)) if self.state == SendState::Flushing => self.state = SendState::Sent,
                Poll::Ready(Ok(0)) => self.state = SendState::HungUp,
                Poll::Ready(Ok(written)) => {
                    self.rest = &self.rest[written..];
                    progress.bytes_sent += written as u64;
                }
                Poll::Ready(Err(error)) if is_hang_up(&error) => self.state = SendState::HungUp,
                Poll::Ready(Err(error)) => return Err(Trouble::Io(error)),
            }
        }
        Ok(())
    }
}

/// One receive call; the instant of the last byte when the reply is complete.
fn poll_receive<C: Clock>(
    shared: &Shared<C>,
    receiver: &mut Receiver,
    progress: &mut Progress,
    stream: &mut Stream,
    cx: &mut Context<'_>,
) -> Poll<Result<Option<Nanos>, Trouble>> {
    let mut scratch = shared.scratch.borrow_mut();
    let received = match stream.poll_read(cx, &mut scratch) {
        Poll::Ready(Ok(received)) => received,
        Poll::Ready(Err(error)) => return Poll::Ready(Err(Trouble::Io(error))),
        Poll::Pending => return Poll::Pending,
    };
    let at = shared.clock.now();
    progress.bytes_received += received as u64;
    let is_complete = if received == 0 {
        receiver.end().map(|()| true)
    } else {
        let (was_at_start, informational) = (receiver.is_at_start(), receiver.informational());
        let pushed = receiver.push(&scratch[..received]);
        if was_at_start || receiver.informational() != informational {
            progress.first_byte = (!receiver.is_at_start()).then_some(at);
        }
        pushed
    };
    Poll::Ready(
        is_complete
            .map(|complete| complete.then_some(at))
            .map_err(Trouble::Codec),
    )
}

/// True when something came over an idle connection: its end, or bytes that belong to no request.
///
/// Costs no system call while nothing came, because the reactor would have said so.
async fn is_disturbed<C: Clock>(shared: &Shared<C>, stream: &mut Stream) -> bool {
    poll_fn(|cx| {
        let mut scratch = shared.scratch.borrow_mut();
        Poll::Ready(stream.poll_read(cx, &mut scratch).is_ready())
    })
    .await
}
