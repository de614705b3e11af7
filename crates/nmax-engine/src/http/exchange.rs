//! One exchange of a virtual user: rendered, sent within its time limit, verified and recorded.

use std::future::{Future as _, poll_fn};
use std::pin::pin;
use std::task::Poll;

use nmax_http::{Alarm, Exchange, Failure, Request as HttpRequest, RequestText};
use nmax_metrics::{ErrorKind, NameId, Nanos, Network, Outcome, Sample, Section};
use nmax_plan::plan::{Call, Method};
use nmax_plan::template::Values;

use crate::context::Context;
use crate::http::compose::Place;
use crate::http::driver::{Driver, Drivers};
use crate::http::page::Fetched;
use crate::http::redirect::{Chain, Hop};
use crate::http::render;
use crate::iteration::{Assignment, StepEnd, Turnstile};
use crate::measure::examples::{self, Seen, Sent};
use crate::measure::tally::Took;
use crate::program::{Prepared, keeps_alive};
use crate::runtime::{Runtime, Timer};
use crate::user::verify::Verified;
use crate::user::vu::Vu;

/// An exchange that ended by itself, or the end that was put to it.
pub(crate) enum Carried {
    Ended(Exchange),
    /// By its time limit.
    TimedOut,
    /// By the end of the run.
    Cut,
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// One step: an exchange and the redirects that it follows, from rendering to the record of it.
    pub(crate) async fn request(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        turn: Turnstile,
    ) -> StepEnd {
        let plan = &context.program.plan;
        let step = prepared.request.as_ref();
        if prepared.calls {
            self.stand_at(context, assignment, prepared.step);
        }
        let name = self.name(context, prepared, step);
        let place = match self.render(context, prepared, step) {
            Ok(place) => place,
            Err(text) => return self.unsendable(context, assignment, prepared, name, turn, text),
        };
        if let Some(known) = &context.program.known {
            self.values.tell(known, &plan.scenarios[assignment.scenario]);
        }
        let deadline = turn.begun + Nanos::from(step.timeout.unwrap_or(plan.defaults.timeout));
        let exchange = match self.carry(context, prepared, step, &place, deadline).await {
            Carried::Ended(exchange) => exchange,
            Carried::TimedOut => self.timed_out(context, step, 0),
            Carried::Cut => return self.cut_off(context, turn.intended),
        };
        let first = Hop { turn, place, name, exchange, deadline };
        let target = match prepared.redirects_max {
            0 => None,
            _ => self.leads_to(prepared, &first.place, &first.exchange),
        };
        let end = match target {
            None => self.conclude(context, assignment, prepared, step, &first),
            Some(target) => {
                let chain = Chain { assignment, prepared, step, deadline };
                // Boxed, so that users who follow nothing have no room for it.
                Box::pin(self.follow(context, &chain, first, target)).await
            }
        };
        self.end_chain(context, prepared, turn.intended, &end);
        if prepared.page.is_none() {
            return end;
        }
        // Boxed, so that users who load no pages have no room for it.
        let (end, fetched) = Box::pin(self.fetch_page(context, assignment, prepared, end)).await;
        self.end_page(context, assignment, prepared, turn.intended, &end, fetched);
        end
    }

    /// Ends the transaction that a step and the redirects it follows are, due at `intended`.
    #[inline]
    fn end_chain(&self, context: &Context<R, D>, prepared: &Prepared, intended: Nanos, end: &StepEnd) {
        if let (Some(number), Some((done, is_ok))) = (prepared.transaction, end.outcome()) {
            let section = self.section(context, intended);
            context.count_transaction(section, number, is_ok, Took { from: intended, done });
        }
    }

    /// Sends what was rendered, and waits for the reply within the step's time limit.
    #[inline]
    pub(crate) async fn carry(
        &mut self,
        context: &Context<R, D>,
        prepared: &Prepared,
        step: &Call,
        place: &Place<'_>,
        deadline: Nanos,
    ) -> Carried {
        let plan = &context.program.plan;
        let rest = place.rendered.pieces(prepared, &self.buffers, place.form);
        let waits = render::waits_for_continue(plan, step.http(), place.form);
        let request = HttpRequest {
            origin: &place.origin,
            text: place.rendered.text(prepared, &self.buffers),
            rest: &rest,
            waits,
            is_head: place.form.method == Method::Head,
            idempotent: place.form.method.is_idempotent(),
            keep_alive: keeps_alive(plan),
            keep_body: prepared.keep_body,
        };
        self.limit.arm(deadline);
        let (limit, alarm) = (&self.limit, &self.alarm);
        let mut exchange = pin!(self.driver.exchange(&request));
        poll_fn(|task| match exchange.as_mut().poll(task) {
            Poll::Ready(exchange) => Poll::Ready(Carried::Ended(exchange)),
            Poll::Pending => put_end(context, limit, deadline, alarm),
        })
        .await
    }

    /// The end of the run ended an exchange that was due at `intended`: it is counted with its age.
    #[cold]
    pub(crate) fn cut_off(&mut self, context: &Context<R, D>, intended: Nanos) -> StepEnd {
        let now = self.driver.abandon().done;
        context.censor(self.section(context, intended), intended, now);
        StepEnd::Cut(now)
    }

    /// What is known of an exchange that its time limit ended.
    #[cold]
    pub(crate) fn timed_out(&mut self, context: &Context<R, D>, step: &Call, redirects: usize) -> Exchange {
        let timeout = step.timeout.unwrap_or(context.program.plan.defaults.timeout);
        let mut text = format!("no complete reply within {timeout:?}");
        if redirects > 0 {
            text.push_str(&format!(", redirects included ({redirects})"));
        }
        Exchange { error: Some(Failure::new(ErrorKind::Timeout, text)), status: None, ..self.driver.abandon() }
    }

    /// Verifies and records the last exchange of a step.
    #[inline]
    pub(crate) fn conclude(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        step: &Call,
        hop: &Hop<'_>,
    ) -> StepEnd {
        let verified = self.verify(context, assignment, prepared, step, hop);
        self.settle(context, assignment, prepared, hop, verified)
    }

    /// Records the last exchange of a step.
    #[inline]
    pub(crate) fn settle(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        hop: &Hop<'_>,
        verified: Verified,
    ) -> StepEnd {
        let seen = Seen { assignment, name: hop.name, exchange: &hop.exchange, intended: hop.turn.intended };
        let sample = self.record(context, &seen, hop.turn.slot_wait, verified.outcome);
        if context.tells {
            let text = hop.place.rendered.text(prepared, &self.buffers);
            self.tell_exchange(context, assignment, &sample, text);
        }
        if verified.outcome != Outcome::Ok {
            let Place { rendered, form, .. } = &hop.place;
            let sent = Sent {
                text: rendered.text(prepared, &self.buffers),
                rest: &rendered.pieces(prepared, &self.buffers, *form),
            };
            examples::keep(context, &seen, &verified, Some(sent), (&self.values, &self.driver));
        }
        if prepared.page.is_some() {
            self.document_bytes += hop.exchange.bytes_received;
        }
        if context.program.has_references || prepared.page.is_some() {
            self.page = Some(self.url(prepared, &hop.place));
        }
        if verified.lacks_value {
            StepEnd::Stop(hop.exchange.done)
        } else {
            StepEnd::Next(hop.exchange.done, verified.outcome == Outcome::Ok)
        }
    }

    /// A value that makes no URL, or cannot be computed: nothing can be sent, which is this exchange's failure.
    fn unsendable(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        name: NameId,
        turn: Turnstile,
        text: String,
    ) -> StepEnd {
        let done = context.runtime.now();
        let exchange = Exchange {
            sent: None,
            first_byte: None,
            done,
            network: Network::default(),
            status: None,
            bytes_received: 0,
            bytes_sent: 0,
            send: Nanos::ZERO,
            bytes_decoded: 0,
            retried: false,
            opened: None,
            resumed: None,
            informational: 0,
            error: Some(Failure::new(ErrorKind::Protocol, text)),
        };
        let seen = Seen { assignment, name, exchange: &exchange, intended: turn.intended };
        let verified = Verified::error(ErrorKind::Protocol);
        self.record(context, &seen, turn.slot_wait, verified.outcome);
        examples::keep(context, &seen, &verified, None, (&self.values, &self.driver));
        let end = StepEnd::Stop(done);
        self.end_chain(context, prepared, turn.intended, &end);
        self.end_page(context, assignment, prepared, turn.intended, &end, Fetched::default());
        end
    }

    #[inline]
    pub(crate) fn record(
        &self,
        context: &Context<R, D>,
        seen: &Seen<'_>,
        slot_wait: Nanos,
        outcome: Outcome,
    ) -> Sample {
        let exchange = seen.exchange;
        // After a stale connection the first attempt's wait is the server's doing, not the injector's.
        let slot_wait = match exchange.sent.filter(|_| exchange.retried) {
            Some(sent) => sent.since(seen.intended + exchange.network.total()),
            None => slot_wait,
        };
        let sample = Sample {
            name: seen.name,
            scenario: seen.assignment.scenario as u16,
            outcome,
            status: exchange.status,
            intended: seen.intended,
            sent: exchange.sent,
            first_byte: exchange.first_byte,
            done: exchange.done,
            network: exchange.network,
            send: exchange.send,
            slot_wait,
            bytes_received: exchange.bytes_received,
            bytes_sent: exchange.bytes_sent,
            bytes_decoded: exchange.bytes_decoded,
        };
        if exchange.status.is_some() && self.slot.served.get().is_none() {
            self.slot.served.set(Some(exchange.done));
        }
        context.roll(exchange.done);
        let mut meter = context.meter.borrow_mut();
        let (vu, number) = (self.values.vu(), seen.assignment.number);
        if self.is_aside() {
            meter.record_aside(&sample, vu, number);
        } else {
            meter.record(&sample, vu, number);
            if let Some(location) = seen.assignment.location {
                meter.record_at(location, &sample);
            }
        }
        if exchange.opened.is_some() || exchange.retried || exchange.informational > 0 {
            let section = if self.is_aside() { Section::Outside } else { meter.section(seen.intended) };
            let load = meter.window().aggregate.load_mut(section);
            if let Some(address) = exchange.opened {
                load.connections += 1;
                load.count_address(address, 1);
            }
            if let Some(resumed) = exchange.resumed {
                load.tls_handshakes += 1;
                load.tls_resumed += u64::from(resumed);
            }
            load.retries += u64::from(exchange.retried);
            load.informational += u64::from(exchange.informational);
        }
        sample
    }

    /// Tells an exchange with this request; those of setup and teardown are no part of the traffic.
    #[cold]
    pub(crate) fn tell_exchange(
        &self,
        context: &Context<R, D>,
        assignment: &Assignment,
        sample: &Sample,
        request: &RequestText,
    ) {
        let mut meter = context.meter.borrow_mut();
        if let Some(told) = meter.told_mut().filter(|_| !self.is_aside()) {
            told.add(sample, assignment, request);
        }
    }
}

/// The end of an exchange that is still under way: by its time limit, or by that of the run.
#[inline]
fn put_end<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    limit: &R::Timer,
    deadline: Nanos,
    alarm: &Alarm,
) -> Poll<Carried> {
    if context.state.cut.get() {
        return Poll::Ready(Carried::Cut);
    }
    let alarm = alarm.take();
    if limit.has_fired() {
        if context.runtime.now() >= deadline {
            return Poll::Ready(Carried::TimedOut);
        }
        // An alarm fired, so the time limit needs the timer again.
        limit.arm(alarm.map_or(deadline, |at| at.min(deadline)));
    } else if let Some(at) = alarm {
        limit.arm(at.min(deadline));
    }
    Poll::Pending
}
