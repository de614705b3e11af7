//! One exchange of a virtual user: rendered, sent within its time limit, verified and recorded.

use std::borrow::Cow;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;

use nmax_http::{Alarm, Exchange, Failure, Origin, Piece, Request as HttpRequest, Url};
use nmax_metrics::{ErrorKind, NameId, Nanos, Network, Outcome, Sample};
use nmax_plan::plan::{Method, Request, Step};
use nmax_plan::template::{Escape, Values};

use crate::context::{Assignment, Context};
use crate::driver::{Driver, Drivers};
use crate::examples::{self, Seen, SentBytes};
use crate::program::{Prepared, keeps_alive};
use crate::redirect::{Chain, Hop};
use crate::render::{self, Form, Layout, Message};
use crate::runtime::{Runtime, Timer};
use crate::verify::Verified;
use crate::vu::{Buffers, StepEnd, Turnstile, Vu};

/// Where a request goes, how, and where its bytes are.
pub(crate) struct Place<'a> {
    pub(crate) origin: Cow<'a, Origin>,
    pub(crate) form: Form,
    pub(crate) rendered: Rendered,
}

/// Where the bytes of a request are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Rendered {
    source: Source,
    /// Where the body begins.
    body_at: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// All in [`crate::program::Fixed`].
    Fixed,
    /// The same with cookies, which is in the VU's buffer.
    FixedWithCookies,
    /// All in the VU's buffers.
    Buffers,
}

impl Rendered {
    /// Head, and body up to its first file.
    fn bytes<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers) -> &'a [u8] {
        match (self.source, &prepared.fixed) {
            (Source::Fixed, Some(fixed)) => &fixed.bytes,
            _ => &buffers.bytes,
        }
    }

    /// What follows the bytes.
    fn pieces<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers, form: Form) -> Vec<Piece<'a>> {
        if prepared.files.is_empty() || !form.has_body {
            return Vec::new();
        }
        match (self.source, &prepared.fixed) {
            (Source::Fixed | Source::FixedWithCookies, Some(fixed)) => {
                render::pieces(prepared, &fixed.body, &fixed.marks)
            }
            _ => render::pieces(prepared, &buffers.body.bytes, &buffers.body.marks),
        }
    }

    /// Path and query, for cookies and relative references.
    pub(crate) fn target<'a>(self, prepared: &'a Prepared, buffers: &'a Buffers) -> Cow<'a, str> {
        match (self.source, &prepared.fixed) {
            (Source::Fixed | Source::FixedWithCookies, Some(fixed)) => Cow::Borrowed(&fixed.target),
            _ => String::from_utf8_lossy(&buffers.target),
        }
    }
}

/// An exchange that ended by itself, or the end that was put to it.
enum Bounded {
    Finished(Exchange),
    TimedOut,
    Cut,
}

/// An exchange that ended, or the instant at which the end of the run cut it off.
pub(crate) enum Carried {
    Ended(Exchange),
    Cut(Nanos),
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
        let Step::Request(step) = &plan.scenarios[assignment.scenario].steps[prepared.step] else {
            return StepEnd::Stop(turn.begun);
        };
        let name = self.name(context, prepared, step);
        let place = match self.render(context, prepared, step) {
            Ok(place) => place,
            Err(text) => return self.unsendable(context, assignment, prepared, name, turn, text),
        };
        let deadline = turn.begun + Nanos::from(step.timeout.unwrap_or(plan.defaults.timeout));
        let exchange = match self.carry(context, prepared, step, &place, deadline, 0).await {
            Carried::Ended(exchange) => exchange,
            Carried::Cut(now) => {
                context.censor(turn.intended, now);
                return StepEnd::Cut(now);
            }
        };
        let first = Hop {
            turn,
            place,
            name,
            exchange,
        };
        if prepared.redirects_max == 0 {
            return self.conclude(context, assignment, prepared, step, first);
        }
        let end = match self.leads_to(prepared, &first.place, &first.exchange) {
            None => self.conclude(context, assignment, prepared, step, first),
            Some(target) => {
                let chain = Chain {
                    assignment,
                    prepared,
                    step,
                    name,
                    deadline,
                };
                // Boxed, so that users who follow nothing have no room for it.
                Box::pin(self.follow(context, &chain, first, target)).await
            }
        };
        context.count_transaction(prepared, turn.intended, &end);
        end
    }

    /// Sends what was rendered, and waits for the reply within the step's time limit.
    pub(crate) async fn carry(
        &mut self,
        context: &Context<R, D>,
        prepared: &Prepared,
        step: &Request,
        place: &Place<'_>,
        deadline: Nanos,
        redirects: usize,
    ) -> Carried {
        let plan = &context.program.plan;
        let rest = place.rendered.pieces(prepared, &self.buffers, place.form);
        let waits = step.expect_continue && render::waits_for_continue(plan, step, place.form);
        let request = HttpRequest {
            origin: &place.origin,
            bytes: place.rendered.bytes(prepared, &self.buffers),
            rest: &rest,
            pause_at: waits.then_some(place.rendered.body_at),
            is_head: place.form.method == Method::Head,
            idempotent: place.form.method.is_idempotent(),
            keep_alive: keeps_alive(plan),
            keep_body: prepared.keep_body,
        };
        self.limit.arm(deadline);
        let exchange = self.driver.exchange(&request);
        match bounded(context, &self.limit, deadline, &self.alarm, exchange).await {
            Bounded::Finished(exchange) => Carried::Ended(exchange),
            Bounded::TimedOut => {
                let timeout = step.timeout.unwrap_or(plan.defaults.timeout);
                let mut text = format!("no complete reply within {timeout:?}");
                if redirects > 0 {
                    text.push_str(&format!(", redirects included ({redirects})"));
                }
                Carried::Ended(Exchange {
                    error: Some(Failure::new(ErrorKind::Timeout, text)),
                    status: None,
                    ..self.driver.abandon()
                })
            }
            Bounded::Cut => Carried::Cut(self.driver.abandon().done),
        }
    }

    /// Verifies and records the last exchange of a step.
    pub(crate) fn conclude(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        step: &Request,
        hop: Hop<'_>,
    ) -> StepEnd {
        let verified = self.verify(context, assignment, prepared, step, &hop.place, &hop.exchange);
        self.settle(context, assignment, prepared, hop, verified)
    }

    /// Records the last exchange of a step.
    pub(crate) fn settle(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        hop: Hop<'_>,
        verified: Verified,
    ) -> StepEnd {
        let seen = Seen {
            assignment,
            name: hop.name,
            exchange: &hop.exchange,
            intended: hop.turn.intended,
        };
        self.record(context, &seen, hop.turn.slot_wait, verified.outcome);
        if verified.outcome != Outcome::Ok {
            let Place { rendered, form, .. } = hop.place;
            let sent = SentBytes {
                bytes: rendered.bytes(prepared, &self.buffers),
                rest: &rendered.pieces(prepared, &self.buffers, form),
            };
            examples::keep(context, &seen, &verified, sent, &self.driver);
        }
        if context.program.has_references {
            self.page = Some(self.url(prepared, &hop.place));
        }
        if verified.lacks_value {
            StepEnd::Stop(hop.exchange.done)
        } else {
            StepEnd::Next(hop.exchange.done, verified.outcome == Outcome::Ok)
        }
    }

    /// A value that makes no URL: nothing can be sent, which is this exchange's failure.
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
        let seen = Seen {
            assignment,
            name,
            exchange: &exchange,
            intended: turn.intended,
        };
        let verified = Verified::error(ErrorKind::Protocol);
        self.record(context, &seen, turn.slot_wait, verified.outcome);
        examples::keep(context, &seen, &verified, SentBytes::NONE, &self.driver);
        let end = StepEnd::Stop(done);
        context.count_transaction(prepared, turn.intended, &end);
        end
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
        let form = Form::of(step);
        if let Some(fixed) = &prepared.fixed {
            let layout = Layout {
                cookies_at: fixed.cookies_at,
                body_at: fixed.body_at,
            };
            let added = if self.jar.is_empty() {
                None
            } else {
                self.insert_cookies(context, &prepared.origin, &fixed.bytes, layout, &fixed.target)
            };
            return Ok(Place {
                origin: Cow::Borrowed(&prepared.origin),
                form,
                rendered: Rendered {
                    source: if added.is_some() {
                        Source::FixedWithCookies
                    } else {
                        Source::Fixed
                    },
                    body_at: fixed.body_at + added.unwrap_or(0),
                },
            });
        }
        let buffers = &mut self.buffers;
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
        let rendered = self.compose(context, prepared, step, form, &origin, &authority);
        Ok(Place { origin, form, rendered })
    }

    /// Writes the request for the target that is in its buffer, with its cookies.
    pub(crate) fn compose(
        &mut self,
        context: &Context<R, D>,
        prepared: &Prepared,
        step: &Request,
        form: Form,
        origin: &Origin,
        authority: &str,
    ) -> Rendered {
        let buffers = &mut self.buffers;
        let message = Message {
            plan: &context.program.plan,
            request: step,
            prepared,
            form,
            authority,
            target: &buffers.target,
        };
        buffers.text.clear();
        let layout = message.write(&self.values, &mut buffers.body, &mut buffers.text);
        let mut added = None;
        if !self.jar.is_empty() {
            let (bytes, target) = (
                std::mem::take(&mut self.buffers.text),
                std::mem::take(&mut self.buffers.target),
            );
            added = self.insert_cookies(context, origin, &bytes, layout, &String::from_utf8_lossy(&target));
            (self.buffers.text, self.buffers.target) = (bytes, target);
        }
        if added.is_none() {
            std::mem::swap(&mut self.buffers.text, &mut self.buffers.bytes);
        }
        Rendered {
            source: Source::Buffers,
            body_at: layout.body_at + added.unwrap_or(0),
        }
    }

    /// Copies a request into the buffer with its cookies; how many bytes they are, `None` when none belong to it.
    fn insert_cookies(
        &mut self,
        context: &Context<R, D>,
        origin: &Origin,
        bytes: &[u8],
        layout: Layout,
        target: &str,
    ) -> Option<usize> {
        let out = &mut self.buffers.bytes;
        out.clear();
        out.extend_from_slice(&bytes[..layout.cookies_at]);
        out.extend_from_slice(b"cookie: ");
        if !self.jar.write(origin, target, context.unix_now_s(), out) {
            return None;
        }
        out.extend_from_slice(b"\r\n");
        let added = out.len() - layout.cookies_at;
        out.extend_from_slice(&bytes[layout.cookies_at..]);
        Some(added)
    }

    /// Where the last rendered request went.
    pub(crate) fn url(&self, prepared: &Prepared, place: &Place<'_>) -> Url {
        Url {
            origin: place.origin.clone().into_owned(),
            target: place.rendered.target(prepared, &self.buffers).into_owned(),
        }
    }

    pub(crate) fn record(&self, context: &Context<R, D>, seen: &Seen<'_>, slot_wait: Nanos, outcome: Outcome) {
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
        if context.state.cut.get() {
            return Poll::Ready(Bounded::Cut);
        }
        let alarm = alarm.take();
        if limit.has_fired() {
            if context.runtime.now() >= deadline {
                return Poll::Ready(Bounded::TimedOut);
            }
            // An alarm fired, so the time limit needs the timer again.
            limit.arm(alarm.map_or(deadline, |at| at.min(deadline)));
        } else if let Some(at) = alarm {
            limit.arm(at.min(deadline));
        }
        Poll::Pending
    })
    .await
}
