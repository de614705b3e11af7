//! One exchange: reuse or open a connection, send, receive, retry a stale connection once.

use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::rc::Rc;

use nmax_metrics::{Clock, Code, Nanos, Network};

use super::conversation::{Conversation, End, Trouble};
use super::progress::Progress;
use super::sending::Sending;
use super::visitor::Lease;
use super::{Alarm, Client, held};
use crate::codec::Expected;
use crate::failure::Failure;
use crate::line::Line;
use crate::message::{Request, RequestText};
use crate::url::Scheme;
use crate::wire::WireEvent;

/// What one request and its reply measured. Instants are those of the shared clock.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
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
    pub status: Option<Code>,
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
    /// The fence was reached before it was sent, or sent again.
    pub is_fenced: bool,
    /// Why there is no valid reply.
    pub error: Option<Failure>,
}

impl Exchange {
    /// One that ended before anything was sent.
    pub fn ended(done: Nanos) -> Self {
        Self { done, ..Self::default() }
    }
}

/// An exchange over a line, to a proxy, or both.
struct Special {
    line: Option<Rc<Line>>,
    /// Hears when the line is to be looked at.
    alarm: Alarm,
    /// The request as a proxy takes it: what goes to the server itself says only what is wanted, and not of whom.
    absolute: Option<RequestText>,
}

impl Special {
    /// The request that is sent in place of this one.
    fn rewritten<'a>(&'a self, request: &Request<'a>) -> Option<Request<'a>> {
        Some(Request { text: self.absolute.as_ref()?, ..*request })
    }

    /// Whatever was published before has been heard, or is published again.
    fn before_poll(&self) {
        self.alarm.take();
    }

    fn after_poll(&self, is_pending: bool) {
        let wanted = self.line.as_ref().and_then(|line| line.take_wanted());
        if let (true, Some(at)) = (is_pending, wanted) {
            let alarm = &self.alarm;
            alarm.set(Some(alarm.get().map_or(at, |other| other.min(at))));
        }
    }
}

impl<C: Clock + 'static> Client<C> {
    /// Sends a request and receives its reply. A failed request is data, so this cannot fail.
    ///
    /// Cancel safe: when the future is dropped, the connection closes with it and
    /// [`Client::abandon`] tells what is known.
    pub async fn exchange(&mut self, request: &Request<'_>) -> Exchange {
        let mut exchange = Exchange::ended(Nanos::ZERO);
        self.exchange_into(request, &mut exchange).await;
        exchange
    }

    /// As [`Client::exchange`], of which `into` tells once it has ended: it is large, and so is not handed on.
    #[expect(clippy::manual_async_fn, reason = "an async function copies its arguments, and has room for both")]
    pub fn exchange_into(&mut self, request: &Request<'_>, into: &mut Exchange) -> impl Future<Output = ()> {
        async move {
            self.begin(request);
            // Nearly all exchanges go over a kept connection and end well: those take little room and few steps.
            let lease = if self.is_special(request) { None } else { self.visitor.lease(request.origin) };
            let broken = match lease {
                None => None,
                Some(mut lease) => {
                    let mut sending = Sending::new(request);
                    match poll_fn(|cx| self.conversation().poll(&mut lease, &mut sending, cx)).await {
                        Ok(end) => {
                            *into = self.replied(lease, request, &end);
                            return;
                        }
                        Err(trouble) => Some((lease, trouble)),
                    }
                }
            };
            *into = self.exchange_otherwise(request, broken).await;
        }
    }

    #[inline]
    fn begin(&mut self, request: &Request<'_>) {
        self.progress = Progress::default();
        if let Some(ahead) = self.visitor.take_ahead() {
            (self.progress.opened, self.progress.resumed) = (Some(ahead.address), ahead.resumed);
        }
        self.alarm.set(None);
        self.start_receiver(request);
    }

    /// The same where it is special, where no connection is kept, or where that one broke. Boxed, because every visitor
    /// holds room for its exchange all the time.
    #[cold]
    fn exchange_otherwise<'a>(
        &'a mut self,
        request: &'a Request<'_>,
        broken: Option<(Lease, Trouble)>,
    ) -> Pin<Box<dyn Future<Output = Exchange> + 'a>> {
        Box::pin(async move {
            let result = match broken.map(|(lease, trouble)| self.retry(request, lease, trouble)) {
                Some(Err(failure)) => Err(failure),
                None if self.is_special(request) => self.run_special(request).await,
                Some(Ok(())) | None => self.run_afresh(request).await,
            };
            result.unwrap_or_else(|failure| {
                self.receiver.abort();
                Exchange { error: Some(failure), ..self.summary(self.shared.clock.now()) }
            })
        })
    }

    /// Whether it goes over a line, or to a proxy that is to read it.
    #[inline]
    fn is_special(&self, request: &Request<'_>) -> bool {
        let has_proxy = self.shared.config.proxy.is_some();
        (has_proxy && request.origin.scheme == Scheme::Http) || self.visitor.has_line()
    }

    /// Does it over a line, to a proxy, or both.
    async fn run_special(&mut self, request: &Request<'_>) -> Result<Exchange, Failure> {
        let proxy = self.shared.config.proxy.as_ref();
        let proxy = proxy.filter(|_| request.origin.scheme == Scheme::Http);
        let special = Special {
            line: self.visitor.line(),
            alarm: Rc::clone(&self.alarm),
            absolute: proxy.map(|proxy| proxy.absolute(request.text, request.origin)),
        };
        let rewritten = special.rewritten(request);
        let mut run = pin!(self.run(rewritten.as_ref().unwrap_or(request)));
        poll_fn(|cx| {
            special.before_poll();
            let polled = run.as_mut().poll(cx);
            special.after_poll(polled.is_pending());
            polled
        })
        .await
    }

    #[inline]
    fn start_receiver(&mut self, request: &Request<'_>) {
        self.receiver.start(Expected {
            is_head: request.is_head,
            keep_body: request.keep_body,
            body_limit: self.shared.config.body_limit,
            decode: self.shared.config.decode,
            keep_failed_bytes: self.shared.config.keep_failed_bytes,
        });
    }

    #[inline]
    fn conversation(&mut self) -> Conversation<'_, C> {
        let Self { shared, receiver, progress, alarm, .. } = self;
        Conversation { shared, receiver, progress, alarm }
    }

    async fn run(&mut self, request: &Request<'_>) -> Result<Exchange, Failure> {
        if let Some(mut lease) = self.visitor.lease(request.origin) {
            match self.converse(&mut lease, request).await {
                Ok(end) => return Ok(self.replied(lease, request, &end)),
                Err(trouble) => self.retry(request, lease, trouble)?,
            }
        }
        self.run_afresh(request).await
    }

    /// Does it over a connection of its own.
    async fn run_afresh(&mut self, request: &Request<'_>) -> Result<Exchange, Failure> {
        self.shared.pass_fence(&mut self.progress)?;
        let mut lease = Lease::opened(request.origin, self.open(request.origin).await?);
        let end = self.converse(&mut lease, request).await?;
        Ok(self.replied(lease, request, &end))
    }

    async fn converse(&mut self, lease: &mut Lease, request: &Request<'_>) -> Result<End, Trouble> {
        let mut sending = Sending::new(request);
        poll_fn(|cx| self.conversation().poll(lease, &mut sending, cx)).await
    }

    /// Closes a kept connection that there was trouble with. A fresh one is tried when the server had closed it before.
    fn retry(&mut self, request: &Request<'_>, lease: Lease, trouble: Trouble) -> Result<(), Failure> {
        if trouble.is_stale() {
            return Ok(());
        }
        if !self.may_retry(request, &trouble) {
            return Err(self.failure_on_kept(trouble, lease.idle_since()));
        }
        self.progress.retried = true;
        self.start_receiver(request);
        Ok(())
    }

    /// What a person is told: that the connection was kept, which may be why it broke.
    #[cold]
    fn failure_on_kept(&self, trouble: Trouble, idle_since: Option<Nanos>) -> Failure {
        let is_unanswered = self.progress.bytes_received == 0 && trouble.is_hang_up();
        let idle = self.progress.sent.zip(idle_since).map_or(Nanos::ZERO, |(sent, since)| sent.since(since));
        Failure::from(trouble).on_kept(idle, is_unanswered)
    }

    fn may_retry(&self, request: &Request<'_>, trouble: &Trouble) -> bool {
        request.idempotent && self.progress.bytes_received == 0 && trouble.is_hang_up()
    }

    /// Keeps the connection after a complete reply, or leaves its end to the server.
    #[inline(always)]
    fn replied(&mut self, lease: Lease, request: &Request<'_>, end: &End) -> Exchange {
        if request.keep_alive && end.all_sent && self.receiver.is_persistent() {
            self.shared.emit(WireEvent::Kept);
            self.visitor.give_back(lease, end.at);
        } else {
            self.leave(lease, end);
        }
        Exchange { status: self.receiver.status().map(Code::new), ..self.summary(end.at) }
    }

    #[cold]
    fn leave(&self, lease: Lease, end: &End) {
        self.shared.emit(WireEvent::Closed);
        if end.all_sent && !end.is_closed {
            held::watch(&self.shared, lease.into_stream(), end.at);
        }
    }
}
