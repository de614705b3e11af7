//! A call under way, for the protocol that carries it: its values and time limit, and the record of its exchanges.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use nmax_http::Exchange;
use nmax_metrics::{ErrorKind, NameId, Nanos, Outcome, Sample, Section};
use nmax_plan::plan::TraceContext;
use nmax_plan::template::{Escape, Template, Values as _};
use nmax_secrets::Message;

use crate::core::{Core, Phase};
use crate::iteration::{Assignment, StartTimes, StepEnd};
use crate::measure::shown::{Shown, shown};
use crate::program::prepare::Prepared;
use crate::runtime::{Runtime, Timer};
use crate::user::actor::Actor;
use crate::user::verify::{Answer, Verified};

/// A call under way.
pub struct Site<'a, R: Runtime> {
    pub(crate) core: &'a Core<R>,
    pub(crate) actor: &'a mut Actor<R>,
    pub(crate) assignment: &'a Assignment,
    pub(crate) call: &'a Prepared,
    /// When its first exchange is due.
    pub(crate) start: StartTimes,
    /// Name of its first exchange.
    pub(crate) name: NameId,
    /// When all of it is given up.
    pub(crate) deadline: Nanos,
}

/// An exchange that ended by itself, or the end that was put to it.
#[derive(Debug)]
pub enum Carried<T> {
    /// By itself.
    Ended(T),
    /// By its time limit.
    TimedOut,
    /// By the end of the run.
    Cut,
}

/// An exchange and its place in the run.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    pub(crate) name: NameId,
    pub(crate) exchange: &'a Exchange,
    pub(crate) intended: Nanos,
}

impl<'a, R: Runtime> Site<'a, R> {
    /// The call, made ready.
    pub fn call(&self) -> &'a Prepared {
        self.call
    }

    /// Now, since the run's origin.
    pub fn now(&self) -> Nanos {
        self.core.runtime.now()
    }

    /// A template with the values of this user.
    pub fn text(&self, template: &Template) -> String {
        let mut text = Vec::new();
        template.render(&mut text, &self.actor.values, Escape::None);
        String::from_utf8_lossy(&text).into_owned()
    }

    /// The trace of the iteration; `None` when the plan asks for none.
    #[inline]
    pub(crate) fn trace(&self) -> Option<TraceContext> {
        let trace = self.core.plan.defaults.trace.as_ref()?;
        Some(trace.context(self.core.plan.seed, self.actor.values.vu(), self.assignment.number))
    }

    /// Waits for an exchange within the time limit of the call. One that has not ended by itself must be abandoned. It is
    /// pinned where it is made, since handing it over would copy it.
    #[inline]
    pub fn within<T>(&self, mut exchange: Pin<&mut impl Future<Output = T>>) -> impl Future<Output = Carried<T>> {
        self.announce();
        self.actor.limit.arm(self.deadline);
        poll_fn(move |task| match exchange.as_mut().poll(task) {
            Poll::Ready(exchange) => Poll::Ready(Carried::Ended(exchange)),
            Poll::Pending => self.put_end(),
        })
    }

    /// The end of an exchange that is still under way: by its time limit, or by that of the run.
    #[inline]
    fn put_end<T>(&self) -> Poll<Carried<T>> {
        if self.core.state.is(Phase::Cut) {
            return Poll::Ready(Carried::Cut);
        }
        let (limit, alarm) = (&self.actor.limit, self.actor.alarm.take());
        if limit.has_fired() {
            if self.now() >= self.deadline {
                return Poll::Ready(Carried::TimedOut);
            }
            // An alarm fired, so the time limit needs the timer again.
            limit.arm(alarm.map_or(self.deadline, |at| at.min(self.deadline)));
        } else if let Some(at) = alarm {
            limit.arm(at.min(self.deadline));
        }
        Poll::Pending
    }

    /// Verifies and records the only exchange of a call, and keeps what was sent and received if it is not ok. `answer` is
    /// what came back, if its exchange has a status, and `is_expected` whether the call expects that.
    pub fn conclude(&mut self, exchange: &Exchange, is_expected: bool, sent: &[u8], answer: &impl Answer) -> StepEnd {
        let mut verified = match exchange.status {
            None => self.error(exchange.error.as_ref().map_or(ErrorKind::Protocol, |failure| failure.kind)),
            Some(status) => Verified::reply(status, is_expected),
        };
        if exchange.status.is_some() {
            self.read(&mut verified, answer, (self.start.intended, exchange.done), None);
        }
        let seen = Seen { name: self.name, exchange, intended: self.start.intended };
        let sample = self.sample(&seen, self.start.slot_wait, verified.outcome);
        self.record(&sample, exchange);
        self.show(&sample);
        if verified.outcome != Outcome::Ok {
            let received = if exchange.status.is_some() { answer.body() } else { &[] };
            self.keep(&seen, &verified, |redactor| {
                let [request, reply] =
                    [sent, received].map(|bytes| shown(Message::new(&[], std::iter::empty(), bytes), &redactor));
                Shown { redactor, request, reply }
            });
        }
        verified.end(exchange.done)
    }

    /// The end of the run ended the only exchange of a call: it is counted with its age.
    pub fn cut(&self) -> StepEnd {
        self.cut_off(self.start.intended, self.now())
    }

    /// The end of the run ended an exchange that was due at `intended`, now: it is counted with its age.
    #[cold]
    pub(crate) fn cut_off(&self, intended: Nanos, now: Nanos) -> StepEnd {
        self.core.censor(self.section(intended), intended, now);
        StepEnd::Cut(now)
    }

    /// The section of what was due at `intended`.
    #[inline]
    pub(crate) fn section(&self, intended: Nanos) -> Section {
        self.actor.section(self.core, intended)
    }

    /// Tells who shows exchanges which values of this call are secrets: it is about to be sent.
    #[inline]
    fn announce(&self) {
        if let Some(known) = &self.core.known {
            self.actor.values.share_secrets(known, &self.core.plan.scenarios[self.assignment.scenario]);
        }
    }

    /// An exchange as it is recorded.
    #[inline]
    pub(crate) fn sample(&self, seen: &Seen<'_>, slot_wait: Nanos, outcome: Outcome) -> Sample {
        let exchange = seen.exchange;
        // After a stale connection the first attempt's wait is the server's doing, not the injector's.
        let slot_wait = match exchange.sent.filter(|_| exchange.retried) {
            Some(sent) => sent.since(seen.intended + exchange.network.total()),
            None => slot_wait,
        };
        Sample {
            name: seen.name,
            scenario: self.assignment.scenario as u16,
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
        }
    }

    /// Records an exchange.
    pub(crate) fn record(&self, sample: &Sample, exchange: &Exchange) {
        let (core, actor) = (self.core, &*self.actor);
        if exchange.status.is_some() && actor.slot.served.get().is_none() {
            actor.slot.served.set(Some(exchange.done));
        }
        core.roll(exchange.done);
        let mut meter = core.meter.borrow_mut();
        let (vu, number) = (actor.values.vu(), self.assignment.number);
        if actor.is_aside() {
            meter.record_aside(sample, vu, number);
        } else {
            meter.record(sample, vu, number);
            if let Some(location) = self.assignment.location {
                meter.record_at(location, sample);
            }
        }
        if exchange.opened.is_some() || exchange.retried || exchange.informational > 0 {
            drop(meter);
            self.count_beside(sample.intended, exchange);
        }
    }

    /// Counts what an exchange needed beside a kept connection.
    #[cold]
    fn count_beside(&self, intended: Nanos, exchange: &Exchange) {
        let section = self.section(intended);
        let mut meter = self.core.meter.borrow_mut();
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

    /// Shows an exchange of the call itself to a script that made it.
    #[inline]
    pub(crate) fn show(&mut self, sample: &Sample) {
        if self.call.is_seen {
            self.actor.seen = Some(Box::new(*sample));
        }
    }

    /// Tells an exchange with its method and target; those of setup and teardown are no part of the traffic.
    #[cold]
    pub(crate) fn report_exchange(&self, sample: &Sample, request: (&[u8], &[u8])) {
        let mut meter = self.core.meter.borrow_mut();
        if let Some(events) = meter.exchange_events_mut().filter(|_| !self.actor.is_aside()) {
            events.add(sample, self.assignment, request);
        }
    }
}

impl Verified {
    /// How a call ends whose last exchange, verified so, was complete at `done`.
    pub(crate) fn end(&self, done: Nanos) -> StepEnd {
        if self.lacks_value { StepEnd::Stop(done) } else { StepEnd::Next(done, self.outcome == Outcome::Ok) }
    }
}
