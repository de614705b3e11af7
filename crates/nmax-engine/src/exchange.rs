//! One exchange of a virtual user: rendered, sent within its time limit, verified and recorded.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use nmax_http::{Alarm, Exchange, Failure, Origin, Request as HttpRequest, Url};
use nmax_metrics::{ErrorKind, NameId, Nanos, Network, Outcome, Sample};
use nmax_plan::plan::{Method, Request, Step};
use nmax_plan::template::{Escape, Values};

use crate::context::{Assignment, Context};
use crate::driver::{Driver, Drivers};
use crate::examples::{self, Seen};
use crate::program::{Prepared, keeps_alive};
use crate::render;
use crate::runtime::{Runtime, Timer};
use crate::verify::Verified;
use crate::vu::{StepEnd, Turnstile, Vu};

/// Where a request goes, and where its bytes are.
pub(crate) struct Place<'a> {
    pub(crate) origin: Cow<'a, Origin>,
    /// The constant bytes of [`crate::program::Fixed`], or those in the VU's buffer.
    is_fixed: bool,
}

/// An exchange that ended by itself, or the end that was put to it.
enum Bounded {
    Finished(Exchange),
    TimedOut,
    Cut,
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// One exchange, from rendering to the record of it.
    pub(crate) async fn request(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        turn: Turnstile,
    ) -> StepEnd {
        let plan = &context.program.plan;
        let Step::Request(step) = &plan.scenarios[assignment.scenario].steps[prepared.step] else {
            return StepEnd::Stop(turn.begun);
        };
        let name = self.name(context, prepared, step);
        let place = match self.render(context, prepared, step) {
            Ok(place) => place,
            Err(text) => return self.unsendable(context, assignment, name, turn, text),
        };
        let bytes: &[u8] = match &prepared.fixed {
            Some(fixed) if place.is_fixed => &fixed.bytes,
            _ => &self.buffers.bytes,
        };
        let request = HttpRequest {
            origin: &place.origin,
            bytes,
            rest: &[],
            pause_at: None,
            is_head: step.method == Method::Head,
            idempotent: step.method.is_idempotent(),
            keep_alive: keeps_alive(plan),
            keep_body: prepared.keep_body,
        };
        let timeout = step.timeout.unwrap_or(plan.defaults.timeout);
        let deadline = turn.begun + Nanos::from(timeout);
        self.limit.arm(deadline);
        let exchange = match bounded(
            context,
            &self.limit,
            deadline,
            &self.alarm,
            self.driver.exchange(&request),
        )
        .await
        {
            Bounded::Finished(exchange) => exchange,
            Bounded::TimedOut => {
                let error = Failure::new(ErrorKind::Timeout, format!("no complete reply within {timeout:?}"));
                Exchange {
                    error: Some(error),
                    status: None,
                    ..self.driver.abandon()
                }
            }
            Bounded::Cut => {
                let now = self.driver.abandon().done;
                context.censor(turn.intended, now);
                return StepEnd::Cut(now);
            }
        };
        let verified = self.verify(context, assignment, prepared, step, &place.origin, &exchange);
        let seen = Seen {
            assignment,
            name,
            exchange: &exchange,
            intended: turn.intended,
        };
        self.record(context, &seen, turn.slot_wait, verified.outcome);
        if verified.outcome != Outcome::Ok {
            let sent: &[u8] = match &prepared.fixed {
                Some(fixed) if place.is_fixed => &fixed.bytes,
                _ => &self.buffers.bytes,
            };
            examples::keep(context, &seen, &verified, sent, Some(&self.driver.reply()));
        }
        if context.program.has_references {
            self.remember_page(prepared, &place);
        }
        if verified.lacks_value {
            StepEnd::Stop(exchange.done)
        } else {
            StepEnd::Next(exchange.done, verified.outcome == Outcome::Ok)
        }
    }

    /// A value that makes no URL: nothing can be sent, which is this exchange's failure.
    fn unsendable(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
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
        let seen = Seen {
            assignment,
            name,
            exchange: &exchange,
            intended: turn.intended,
        };
        let verified = Verified::error(ErrorKind::Protocol);
        self.record(context, &seen, turn.slot_wait, verified.outcome);
        examples::keep(context, &seen, &verified, &[], None);
        StepEnd::Stop(done)
    }

    fn name(&mut self, context: &Context<R, D>, prepared: &Prepared, step: &Request) -> NameId {
        if let Some(name) = prepared.name {
            return name;
        }
        self.buffers.text.clear();
        step.name.render(&mut self.buffers.text, &self.values, Escape::None);
        context.names.id(&String::from_utf8_lossy(&self.buffers.text))
    }

    /// Puts the request's bytes together. The error says why there is no URL to send it to.
    fn render<'a>(
        &mut self,
        context: &Context<R, D>,
        prepared: &'a Prepared,
        step: &Request,
    ) -> Result<Place<'a>, String> {
        if let Some(fixed) = &prepared.fixed {
            let is_fixed = self.jar.is_empty()
                || !self.insert_cookies(context, &prepared.origin, &fixed.bytes, fixed.cookies_at, &fixed.target);
            return Ok(Place {
                origin: Cow::Borrowed(&prepared.origin),
                is_fixed,
            });
        }
        let (plan, buffers) = (&context.program.plan, &mut self.buffers);
        buffers.target.clear();
        step.url.render(&mut buffers.target, &self.values, Escape::Path);
        let origin = if buffers.target.first() == Some(&b'/') && buffers.target.get(1) != Some(&b'/') {
            Cow::Borrowed(&prepared.origin)
        } else {
            let text = String::from_utf8_lossy(&buffers.target);
            let base = self.page.as_ref().unwrap_or(&context.program.base);
            let url = base
                .join(&text)
                .map_err(|error| format!("`{text}` is no URL to request: {error}"))?;
            buffers.target.clear();
            buffers.target.extend_from_slice(url.target.as_bytes());
            Cow::Owned(url.origin)
        };
        if let Some(fragment) = buffers.target.iter().position(|byte| *byte == b'#') {
            buffers.target.truncate(fragment);
        }
        render::query(&step.query, &self.values, &mut buffers.target);
        let authority = match &origin {
            Cow::Borrowed(_) => Cow::Borrowed(prepared.authority.as_str()),
            Cow::Owned(origin) => Cow::Owned(origin.authority()),
        };
        buffers.text.clear();
        let cookies_at = render::message(
            plan,
            step,
            &buffers.target,
            &authority,
            &self.values,
            &mut buffers.body,
            &mut buffers.text,
        );
        if self.jar.is_empty() {
            std::mem::swap(&mut self.buffers.text, &mut self.buffers.bytes);
        } else {
            let (bytes, target) = (
                std::mem::take(&mut self.buffers.text),
                std::mem::take(&mut self.buffers.target),
            );
            if !self.insert_cookies(context, &origin, &bytes, cookies_at, &String::from_utf8_lossy(&target)) {
                self.buffers.bytes.clear();
                self.buffers.bytes.extend_from_slice(&bytes);
            }
            (self.buffers.text, self.buffers.target) = (bytes, target);
        }
        Ok(Place {
            origin,
            is_fixed: false,
        })
    }

    /// Copies a request into the buffer with its cookies; false when none belong to it.
    fn insert_cookies(
        &mut self,
        context: &Context<R, D>,
        origin: &Origin,
        bytes: &[u8],
        at: usize,
        target: &str,
    ) -> bool {
        let out = &mut self.buffers.bytes;
        out.clear();
        out.extend_from_slice(&bytes[..at]);
        out.extend_from_slice(b"cookie: ");
        if !self.jar.write(origin, target, context.unix_now_s(), out) {
            return false;
        }
        out.extend_from_slice(b"\r\n");
        out.extend_from_slice(&bytes[at..]);
        true
    }

    fn remember_page(&mut self, prepared: &Prepared, place: &Place<'_>) {
        let target = match &prepared.fixed {
            Some(fixed) => fixed.target.clone(),
            None => String::from_utf8_lossy(&self.buffers.target).into_owned(),
        };
        self.page = Some(Url {
            origin: place.origin.clone().into_owned(),
            target,
        });
    }

    fn record(&self, context: &Context<R, D>, seen: &Seen<'_>, slot_wait: Nanos, outcome: Outcome) {
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
        context.roll(exchange.done);
        let mut meter = context.meter.borrow_mut();
        meter.record(&sample, self.values.vu(), seen.assignment.number);
        if exchange.opened.is_some() || exchange.retried || exchange.informational > 0 {
            let section = meter.section(seen.intended);
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
    }
}

/// Waits for an exchange, its time limit, or the end of the run.
async fn bounded<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    limit: &R::Timer,
    deadline: Nanos,
    alarm: &Alarm,
    exchange: impl Future<Output = Exchange>,
) -> Bounded {
    let mut exchange = pin!(exchange);
    poll_fn(|task| {
        if let Poll::Ready(exchange) = exchange.as_mut().poll(task) {
            return Poll::Ready(Bounded::Finished(exchange));
        }
        if let Some(at) = alarm.take() {
            limit.arm(at.min(deadline));
        }
        if context.state.cut.get() {
            return Poll::Ready(Bounded::Cut);
        }
        if limit.has_fired() && context.runtime.now() >= deadline {
            return Poll::Ready(Bounded::TimedOut);
        }
        Poll::Pending
    })
    .await
}
