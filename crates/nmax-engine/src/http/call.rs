//! HTTP as what carries calls: a request, the redirects that it follows, and the page that it begins.
//!
//! The time of a page begins when its document is due, the redirects that it follows included, and ends with the last
//! resource.

use std::future::Future;
use std::rc::Rc;

use nmax_http::line::Line;
use nmax_http::{Alarm, Exchange, Failure, Jar, Notes};
use nmax_metrics::ErrorKind;
use nmax_plan::plan::{Connection, Cookies, Scenario};

use crate::error::ProgramError;
use crate::http::driver::{Driver, Drivers};
use crate::http::exchange::Hop;
use crate::http::follow::{follow, leads_to};
use crate::http::page::fetch_page;
use crate::http::prepared::HttpPrepared;
use crate::http::shown::messages;
use crate::http::state::{Buffers, Http, HttpUser, Work};
use crate::iteration::StepEnd;
use crate::measure::tally::{Fetched, TimeSpan, Visit};
use crate::program::prepare::{Maker, Prepare as _, Prepared};
use crate::protocol::Protocol;
use crate::runtime::Runtime;
use crate::user::site::{Seen, Site};
use crate::user::verify::{Answer, Verified};

impl<D: Drivers> Protocol for Http<D> {
    type Prepared = HttpPrepared;
    type User = HttpUser<D::Driver>;
    /// A user who logged in during its setup stays so, as long as it is the same visitor.
    type SetupState = Jar;

    fn user(&self, alarm: Alarm) -> Self::User {
        HttpUser {
            driver: self.drivers.make(alarm),
            jar: Jar::new(),
            buffers: Buffers::default(),
            page: None,
            document_bytes: 0,
            named: None,
            cache: None,
        }
    }

    #[inline]
    fn begin(&self, user: &mut Self::User, is_new: bool, kept: Option<&Jar>) {
        user.page = None;
        if is_new {
            user.driver.forget();
            user.cache = None;
        }
        if is_new || self.of.plan.defaults.cookies == Cookies::PerIteration {
            user.jar.clear();
            if !is_new && let Some(jar) = kept {
                user.jar.clone_from(jar);
            }
        }
    }

    #[inline]
    fn end(&self, user: &mut Self::User) {
        if self.of.plan.defaults.connection == Connection::PerIteration {
            user.driver.close();
        }
    }

    fn keep(&self, user: &Self::User) -> Jar {
        user.jar.clone()
    }

    fn rest(&self, user: &mut Self::User) {
        user.buffers.release();
        user.driver.rest();
    }

    fn set_line(&self, user: &mut Self::User, line: Option<Rc<Line>>) {
        user.driver.set_line(line);
    }

    fn prepare(
        &self,
        maker: &Maker<'_>,
        scenario: (usize, &Scenario),
        call: &Prepared,
    ) -> Result<HttpPrepared, ProgramError> {
        self.of.prepare(maker, scenario, call)
    }

    fn answer<'u>(&self, user: &'u Self::User) -> impl Answer + use<'u, D> {
        user.driver.reply()
    }

    fn call<'a, R: Runtime>(
        &'a self,
        site: Site<'a, R>,
        user: &'a mut Self::User,
        prepared: &'a HttpPrepared,
    ) -> impl Future<Output = StepEnd> + 'a {
        request(Work { site, user, http: self, prepared })
    }

    fn open_ahead(&self, count: u32) -> impl Future<Output = ()> {
        self.drivers.open_ahead(&self.of.base.origin, count)
    }

    fn watching(&self) -> usize {
        self.drivers.watching()
    }

    fn take_notes(&self, is_last: bool) -> Notes {
        self.drivers.take_notes(is_last)
    }
}

/// An exchange, the redirects that it follows and its page, from rendering to the record of it.
#[expect(clippy::manual_async_fn, reason = "an async function copies its arguments, and has room for both")]
fn request<'a, R: Runtime, D: Drivers>(mut work: Work<'a, R, D>) -> impl Future<Output = StepEnd> + 'a {
    async move {
        let outgoing = match work.render() {
            Ok(outgoing) => outgoing,
            Err(text) => return unsendable(&mut work, text),
        };
        let mut hop = Hop::new(work.site.start, outgoing, work.site.name);
        if let Err(cut) = work.carry(&mut hop, 0).await {
            return cut;
        }
        let target = match work.prepared.redirects_max {
            0 => None,
            _ => leads_to(&work, &hop.outgoing, &hop.exchange),
        };
        let end = match target {
            None => work.conclude(&hop),
            // Boxed, so that users who follow nothing have no room for it.
            Some(target) => Box::pin(follow(&mut work, hop, target)).await,
        };
        end_chain(&work, &end);
        if work.prepared.page.is_none() {
            return end;
        }
        // Boxed, so that users who load no pages have no room for it.
        let (end, fetched) = Box::pin(fetch_page(&mut work, end)).await;
        end_page(&mut work, &end, fetched);
        end
    }
}

/// Ends the transaction that a call and the redirects it follows are.
#[inline]
fn end_chain<R: Runtime, D: Drivers>(work: &Work<'_, R, D>, end: &StepEnd) {
    if let (Some(number), Some((done, is_ok))) = (work.prepared.transaction, end.outcome()) {
        let from = work.site.start.intended;
        work.site.core.count_transaction(work.site.section(from), number, is_ok, TimeSpan { from, done });
    }
}

/// Ends the page whose document ended like this. Other requests are none.
fn end_page<R: Runtime, D: Drivers>(work: &mut Work<'_, R, D>, end: &StepEnd, fetched: Fetched) {
    let Some(page) = work.prepared.page else { return };
    let bytes_received = std::mem::take(&mut work.user.document_bytes);
    let Some((done, is_ok)) = end.outcome() else { return };
    let site = &mut work.site;
    let before = site.actor.walk.come_to(page);
    let visit = Visit {
        page,
        transition: before.and_then(|before| work.http.of.transitions.get(&(before, page)).copied()),
        bytes_received,
        fetched,
        location: site.assignment.location.filter(|_| !site.actor.is_aside()),
    };
    let from = site.start.intended;
    site.core.count_page(site.section(from), &visit, is_ok, TimeSpan { from, done });
}

/// A value that makes no URL, or cannot be computed: nothing can be sent, which is this exchange's failure.
#[cold]
fn unsendable<R: Runtime, D: Drivers>(work: &mut Work<'_, R, D>, text: String) -> StepEnd {
    let done = work.site.now();
    let exchange = Exchange { error: Some(Failure::new(ErrorKind::Protocol, text)), ..Exchange::ended(done) };
    let start = work.site.start;
    let seen = Seen { name: work.site.name, exchange: &exchange, intended: start.intended };
    let verified = Verified::error(ErrorKind::Protocol);
    let sample = work.site.sample(&seen, start.slot_wait, verified.outcome);
    work.site.record(&sample, &exchange);
    work.site.show(&sample);
    work.site.keep(&seen, &verified, |redactor| messages(None, &exchange, &work.user.driver, redactor));
    let end = StepEnd::Stop(done);
    end_chain(work, &end);
    end_page(work, &end, Fetched::default());
    end
}
