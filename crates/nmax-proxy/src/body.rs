//! Bodies on their way: handed on piece by piece as the other side takes them, remembered as they pass.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};
use tokio::sync::oneshot;
use tokio::time::{Sleep, sleep};

use crate::capture::{Capture, Guard, MessageKind};

/// A body of either direction.
pub(crate) type Passing = UnsyncBoxBody<Bytes, hyper::Error>;

/// How long a body waits for `100 Continue`.
const CONTINUE_WAIT: Duration = Duration::from_secs(1);

/// No bytes.
pub(crate) fn empty() -> Passing {
    Empty::new().map_err(|never| match never {}).boxed_unsync()
}

/// These bytes.
pub(crate) fn full(bytes: impl Into<Bytes>) -> Passing {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A request's body; `go` holds it back until the server says that it wants it, or says nothing for a second.
pub(crate) fn of_request(inner: Incoming, capture: Capture, go: Option<oneshot::Receiver<()>>) -> Passing {
    let gate = go.map(|go| Gate { go: Some(go), wait: Box::pin(sleep(CONTINUE_WAIT)) });
    let mut tee = Tee { inner, capture, kind: MessageKind::Request, gate, has_ended: false, guard: None };
    tee.look_for_the_end();
    tee.boxed_unsync()
}

/// A reply's body; its exchange ends with it.
pub(crate) fn of_reply(inner: Incoming, capture: Capture, guard: Option<Guard>) -> Passing {
    let mut tee = Tee { inner, capture, kind: MessageKind::Reply, gate: None, has_ended: false, guard };
    tee.look_for_the_end();
    tee.boxed_unsync()
}

/// Holds a body back.
struct Gate {
    /// The server's word; `None` once it cannot come any more.
    go: Option<oneshot::Receiver<()>>,
    /// The longest wait for it.
    wait: Pin<Box<Sleep>>,
}

/// Remembers what passes.
struct Tee {
    inner: Incoming,
    capture: Capture,
    kind: MessageKind,
    gate: Option<Gate>,
    has_ended: bool,
    /// Of a reply: tells when it is dropped before its end.
    guard: Option<Guard>,
}

impl Tee {
    /// Nobody asks a body for more once it says that nothing is left.
    fn look_for_the_end(&mut self) {
        if self.inner.is_end_stream() {
            self.end();
        }
    }

    fn end(&mut self) {
        if std::mem::replace(&mut self.has_ended, true) {
            return;
        }
        match self.kind {
            MessageKind::Request => self.capture.request_ended(),
            MessageKind::Reply => {
                self.capture.finish();
                self.guard = None;
            }
        }
    }
}

impl Body for Tee {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        if let Some(Gate { go, wait }) = &mut self.gate {
            // A sender that was dropped did not speak: the server has answered without the body.
            let is_wanted = match go {
                Some(asked) => match Pin::new(asked).poll(context) {
                    Poll::Ready(Ok(())) => true,
                    Poll::Ready(Err(_)) => {
                        *go = None;
                        false
                    }
                    Poll::Pending => false,
                },
                None => false,
            };
            if !is_wanted && wait.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.gate = None;
        }
        let polled = Pin::new(&mut self.inner).poll_frame(context);
        match &polled {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    self.capture.bytes(self.kind, data);
                }
                self.look_for_the_end();
            }
            Poll::Ready(Some(Err(error))) => match self.kind {
                MessageKind::Request => self.capture.note("the request's body broke off"),
                MessageKind::Reply => self.capture.fail(&format!("the reply's body broke off: {error}")),
            },
            Poll::Ready(None) => self.end(),
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
