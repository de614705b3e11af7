//! One exchange of a call: sent within its time limit, verified and recorded.

use std::pin::pin;

use nmax_extract::ReplyContent;
use nmax_http::{Exchange, Failure, Reply, Request};
use nmax_metrics::{Code, ErrorKind, NameId, Outcome};
use nmax_plan::plan::{Cookies, Method};

use crate::http::compose::OutgoingRequest;
use crate::http::driver::{Driver, Drivers};
use crate::http::page::is_html;
use crate::http::prepared::keeps_alive;
use crate::http::redirect;
use crate::http::render;
use crate::http::shown::{Sent, messages};
use crate::http::state::Work;
use crate::iteration::{StartTimes, StepEnd};
use crate::runtime::Runtime;
use crate::user::site::{Carried, Seen};
use crate::user::verify::{Answer, Verified};

/// One exchange of a call.
pub(crate) struct Hop<'a> {
    pub(crate) start: StartTimes,
    pub(crate) outgoing: OutgoingRequest<'a>,
    pub(crate) name: NameId,
    /// What is known of it once it has ended.
    pub(crate) exchange: Exchange,
}

impl<'a> Hop<'a> {
    /// One that is to be sent.
    #[inline]
    pub(crate) fn new(start: StartTimes, outgoing: OutgoingRequest<'a>, name: NameId) -> Self {
        Self { start, outgoing, name, exchange: Exchange::ended(start.intended) }
    }
}

impl Answer for Reply<'_> {
    fn headers(&self) -> impl Iterator<Item = (&str, &[u8])> {
        Reply::headers(self)
    }
    fn body(&self) -> &[u8] {
        Reply::body(self)
    }
    fn is_cut(&self) -> bool {
        self.body_truncated()
    }
}

impl<'a, R: Runtime, D: Drivers> Work<'a, R, D> {
    /// Sends what was rendered, and waits for the reply within the time limit of the call, to which `redirects` led. The error
    /// is how the call ends when the end of the run cuts it off.
    #[expect(clippy::manual_async_fn, reason = "an async function copies its arguments, and has room for both")]
    pub(crate) fn carry(&mut self, hop: &mut Hop<'_>, redirects: usize) -> impl Future<Output = Result<(), StepEnd>> {
        async move {
            let (prepared, plan, buffers, outgoing) =
                (self.prepared, &self.http.of.plan, &self.user.buffers, &hop.outgoing);
            let pieces;
            let rest = if prepared.files.is_empty() {
                &[][..]
            } else {
                pieces = outgoing.rendered.pieces(prepared, buffers, outgoing.form);
                &pieces
            };
            let request = Request {
                origin: &outgoing.origin,
                text: outgoing.rendered.text(prepared, buffers),
                rest,
                waits: render::waits_for_continue(plan, &prepared.request, outgoing.form),
                is_head: outgoing.form.method == Method::Head,
                idempotent: outgoing.form.method.is_idempotent(),
                keep_alive: keeps_alive(plan),
                keep_body: prepared.keep_body,
            };
            let ended = {
                let exchange = pin!(self.user.driver.exchange(&request, &mut hop.exchange));
                self.site.within(exchange).await
            };
            match ended {
                Carried::Ended(()) if hop.exchange.is_fenced => {
                    Err(self.site.cut_off(hop.start.intended, hop.exchange.done))
                }
                Carried::Ended(()) => Ok(()),
                Carried::TimedOut => {
                    hop.exchange = self.timed_out(redirects);
                    Ok(())
                }
                Carried::Cut => {
                    let now = self.user.driver.abandon().done;
                    Err(self.site.cut_off(hop.start.intended, now))
                }
            }
        }
    }

    /// What is known of an exchange that its time limit ended.
    #[cold]
    fn timed_out(&mut self, redirects: usize) -> Exchange {
        let timeout = self.site.call.call.timeout.unwrap_or(self.http.of.plan.defaults.timeout);
        let mut text = format!("no complete reply within {timeout:?}");
        if redirects > 0 {
            text.push_str(&format!(", redirects included ({redirects})"));
        }
        Exchange { error: Some(Failure::new(ErrorKind::Timeout, text)), status: None, ..self.user.driver.abandon() }
    }

    /// Verifies and records the last exchange of a call.
    #[inline]
    pub(crate) fn conclude(&mut self, hop: &Hop<'_>) -> StepEnd {
        let verified = self.verify(hop);
        self.finish_call(hop, verified)
    }

    /// Looks at a reply: cookies, status, checks, extracted values.
    fn verify(&mut self, hop: &Hop<'_>) -> Verified {
        let Some(status) = hop.exchange.status else {
            return self.site.error(hop.exchange.error.as_ref().map_or(ErrorKind::Protocol, |failure| failure.kind));
        };
        let expect = &self.site.call.call.expect;
        let mut verified = Verified::reply(status, status.number().is_some_and(|status| expect.accepts(status)));
        if self.prepared.redirects_max > 0
            && !(verified.outcome == Outcome::Ok && expect.names_status())
            && let Some(why) = self.refusal(&hop.outgoing, status)
        {
            // What leads on was followed before: this one cannot be.
            verified = Verified::failed(redirect::KIND_REFUSED.to_owned(), Some(why));
        }
        self.keep_cookies(&hop.outgoing);
        if !self.site.call.is_read && !self.prepared.discovers {
            return verified;
        }
        let reply = self.user.driver.reply();
        let named = &mut self.user.named;
        let mut search = |page: &ReplyContent<'_>| {
            *named = Some(page.resources()?);
            Ok(())
        };
        let searches = self.prepared.discovers && is_html(&reply);
        let times = (hop.start.intended, hop.exchange.done);
        self.site.read(&mut verified, &reply, times, searches.then_some(&mut search));
        verified
    }

    /// Why the last reply, which has this status, is a redirect that cannot be followed; `None` when it is none or can.
    fn refusal(&self, outgoing: &OutgoingRequest<'_>, status: Code) -> Option<String> {
        status.number().filter(|status| (301..=308).contains(status))?;
        redirect::location(&self.user.driver.reply(), &self.url(outgoing))?.err()
    }

    /// Keeps the cookies that the last reply sets.
    #[inline]
    pub(crate) fn keep_cookies(&mut self, outgoing: &OutgoingRequest<'_>) {
        let reply = self.user.driver.reply();
        if !reply.has_set_cookie() || self.http.of.plan.defaults.cookies == Cookies::Ignored {
            return;
        }
        let target = outgoing.rendered.text(self.prepared, &self.user.buffers).target();
        for cookie in reply.set_cookies() {
            // A cookie that a browser would refuse is refused here too.
            let _ = self.user.jar.store(&outgoing.origin, target, cookie, self.site.core.unix_now_s());
        }
    }

    /// Records the last exchange of a call.
    #[inline]
    pub(crate) fn finish_call(&mut self, hop: &Hop<'_>, verified: Verified) -> StepEnd {
        let seen = self.record(hop, verified.outcome);
        if verified.outcome != Outcome::Ok {
            let OutgoingRequest { rendered, form, .. } = &hop.outgoing;
            let buffers = &self.user.buffers;
            let rest = rendered.pieces(self.prepared, buffers, *form);
            let sent = Sent { text: rendered.text(self.prepared, buffers), rest: &rest };
            let show = |redactor| messages(Some(sent), &hop.exchange, &self.user.driver, redactor);
            self.site.keep(&seen, &verified, show);
        }
        if self.http.of.has_references || self.prepared.page.is_some() {
            self.user.page = Some(self.url(&hop.outgoing));
        }
        verified.end(hop.exchange.done)
    }

    /// Records an exchange of the call itself, and reports it.
    #[inline]
    pub(crate) fn record<'h>(&mut self, hop: &'h Hop<'_>, outcome: Outcome) -> Seen<'h> {
        let seen = Seen { name: hop.name, exchange: &hop.exchange, intended: hop.start.intended };
        let sample = self.site.sample(&seen, hop.start.slot_wait, outcome);
        self.site.record(&sample, &hop.exchange);
        self.site.show(&sample);
        if self.site.core.reports_exchanges {
            let text = hop.outgoing.rendered.text(self.prepared, &self.user.buffers);
            self.site.report_exchange(&sample, (text.method(), text.target()));
        }
        if self.prepared.page.is_some() {
            self.user.document_bytes += hop.exchange.bytes_received;
        }
        seen
    }
}
