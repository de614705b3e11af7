//! The driver of real runs: HTTP/1.1 over sockets.

use std::cell::RefCell;
use std::future::Future;
use std::rc::Rc;

use nmax_http::line::Line;
use nmax_http::url::Origin;
use nmax_http::{Alarm, Client, Exchange, Fields, Notes, Reply, Request, Shared};

use crate::http::driver::{Driver, Drivers};
use crate::runtime::real::RealClock;

/// Makes HTTP drivers that share a thread's TLS settings and resolved names.
pub struct HttpDrivers {
    shared: Rc<Shared<RealClock>>,
    /// Visitors whose connection is open already, for the first drivers that are made.
    ahead: RefCell<Vec<Client<RealClock>>>,
}

impl HttpDrivers {
    /// Drivers with these settings.
    pub fn new(shared: Shared<RealClock>) -> Self {
        Self { shared: Rc::new(shared), ahead: RefCell::default() }
    }
}

impl Drivers for HttpDrivers {
    type Driver = HttpDriver;

    fn make(&self, alarm: Alarm) -> HttpDriver {
        let client = match self.ahead.borrow_mut().pop() {
            Some(client) => client.with_alarm(alarm),
            None => Client::new(Rc::clone(&self.shared), alarm),
        };
        HttpDriver { client }
    }

    async fn open_ahead(&self, origin: &Origin, count: u32) {
        for _ in 0..count {
            let mut client = Client::new(Rc::clone(&self.shared), Alarm::default());
            if client.open_ahead(origin).await.is_err() {
                return;
            }
            self.ahead.borrow_mut().push(client);
        }
    }

    fn watching(&self) -> usize {
        self.shared.watching()
    }

    fn take_notes(&self, at_end: bool) -> Notes {
        self.shared.take_notes(at_end)
    }
}

/// One virtual user's connections.
pub struct HttpDriver {
    client: Client<RealClock>,
}

impl Driver for HttpDriver {
    fn exchange(&mut self, request: &Request<'_>, into: &mut Exchange) -> impl Future<Output = ()> {
        self.client.exchange_into(request, into)
    }

    fn sibling(&self, alarm: Alarm) -> Self {
        Self { client: self.client.sibling(alarm) }
    }

    fn concurrency(&self, origin: &Origin) -> usize {
        self.client.concurrency(origin)
    }

    fn abandon(&mut self) -> Exchange {
        self.client.abandon()
    }

    #[inline]
    fn reply(&self) -> Reply<'_> {
        self.client.reply()
    }

    fn remains(&self) -> (Fields<'_>, &[u8]) {
        self.client.remains()
    }

    fn rest(&mut self) {
        self.client.rest();
    }

    fn close(&mut self) {
        self.client.close();
    }

    fn set_line(&mut self, line: Option<Rc<Line>>) {
        self.client.set_line(line);
    }

    fn forget(&mut self) {
        self.client.forget();
    }
}
