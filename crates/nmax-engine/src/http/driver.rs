//! What carries a request to a server and its reply back: HTTP over sockets, or a simulation in tests.

use std::future::Future;
use std::rc::Rc;

use nmax_http::line::Line;
use nmax_http::{Alarm, Exchange, Fields, Notes, Origin, Reply, Request};

/// Carries exchanges for one virtual user.
pub trait Driver: Sized + 'static {
    /// Sends one request and waits for its reply, of which `into` tells then; a failure is part of that.
    ///
    /// When the future is dropped before its end, [`Driver::abandon`] must be called next.
    fn exchange(&mut self, request: &Request<'_>, into: &mut Exchange) -> impl Future<Output = ()>;

    /// A driver for another exchange of the same user at the same time, with an alarm of its own: both use the
    /// connections that either keeps.
    #[must_use]
    fn sibling(&self, alarm: Alarm) -> Self;

    /// Exchanges that its user may have under way with `origin` at the same time, one for each sibling.
    fn concurrency(&self, origin: &Origin) -> usize;

    /// What is known of an exchange that was cut off; its connection is closed.
    fn abandon(&mut self) -> Exchange;

    /// The reply of the last exchange.
    fn reply(&self) -> Reply<'_>;

    /// What came of a reply that never was complete or valid: its head, or what stood in the place of one and has no
    /// fields, and the beginning of its body. Both empty after a good one.
    fn remains(&self) -> (Fields<'_>, &[u8]) {
        (Fields::default(), &[])
    }

    /// Gives the memory of a large body back, and the body with it: its user thinks.
    fn rest(&mut self) {}

    /// Closes all connections.
    fn close(&mut self);

    /// Its user is at the end of another line, or of none: connections over the one before are closed.
    fn set_line(&mut self, line: Option<Rc<Line>>);

    /// Closes all connections and forgets what was learned from them (TLS tickets).
    fn forget(&mut self);
}

/// Makes the drivers of a worker's virtual users.
pub trait Drivers: 'static {
    /// What it makes.
    type Driver: Driver;

    /// A driver without connections, which sets `alarm` to when it wants to be polled.
    fn make(&self, alarm: Alarm) -> Self::Driver;

    /// Opens connections, one after the other, for the first users that are made. One that does not come about is left
    /// to the exchange that needs it, which tells why.
    fn open_ahead(&self, _origin: &Origin, _count: u32) -> impl Future<Output = ()> {
        std::future::ready(())
    }

    /// Sockets that servers should close and that are still watched.
    fn watching(&self) -> usize {
        0
    }

    /// What the drivers noticed beside exchanges since the last call.
    fn take_notes(&self, _at_end: bool) -> Notes {
        Notes::default()
    }
}
