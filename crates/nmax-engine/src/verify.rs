//! Whether a reply is what the plan expects, and the values that later steps take from it.

use nmax_extract::Reply as Found;
use nmax_http::{Exchange, Origin, Reply};
use nmax_metrics::{ErrorKind, Outcome};
use nmax_plan::choice::Choice;
use nmax_plan::plan::{MatchPick, Request, Test};
use nmax_plan::template::{Escape, Template, Values};

use crate::context::{Assignment, Context};
use crate::driver::{Driver, Drivers};
use crate::program::{Prepared, Probe};
use crate::runtime::Runtime;
use crate::vu::Vu;

/// What became of an exchange.
pub(crate) struct Verified {
    pub(crate) outcome: Outcome,
    /// What examples of it are grouped by; empty when it is ok or an error.
    pub(crate) kind: String,
    /// A step after it lacks a value.
    pub(crate) lacks_value: bool,
}

impl Verified {
    const OK: Self = Self {
        outcome: Outcome::Ok,
        kind: String::new(),
        lacks_value: false,
    };

    pub(crate) fn error(kind: ErrorKind) -> Self {
        Self {
            outcome: Outcome::Error(kind),
            ..Self::OK
        }
    }

    /// Not ok for this reason, unless there was one before.
    fn fail(&mut self, kind: impl FnOnce() -> String) {
        if self.outcome == Outcome::Ok {
            self.outcome = Outcome::Failed;
            self.kind = kind();
        }
    }
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    /// Looks at a reply: cookies, status, checks, extracted values.
    pub(crate) fn verify(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        step: &Request,
        origin: &Origin,
        exchange: &Exchange,
    ) -> Verified {
        let Some(status) = exchange.status else {
            let kind = exchange
                .error
                .as_ref()
                .map_or(ErrorKind::Protocol, |failure| failure.kind);
            let lacks_value = step.extract.iter().any(|extract| extract.default.is_none());
            self.use_defaults(step);
            return Verified {
                lacks_value,
                ..Verified::error(kind)
            };
        };
        let mut verified = Verified::OK;
        if !step
            .expect
            .status
            .iter()
            .any(|(low, high)| (*low..=*high).contains(&status))
        {
            verified.fail(|| format!("status {status}"));
        }
        let reply = self.driver.reply();
        if reply.has_set_cookie() {
            let target = prepared.fixed.as_ref().map_or_else(
                || String::from_utf8_lossy(&self.buffers.target),
                |fixed| std::borrow::Cow::Borrowed(fixed.target.as_str()),
            );
            for cookie in reply.set_cookies() {
                // A cookie that a browser would refuse is refused here too.
                let _ = self.jar.store(origin, &target, cookie, context.unix_now_s());
            }
        }
        if !prepared.checks.is_empty() {
            self.check(context, assignment, prepared, step, &mut verified);
        }
        if !prepared.extractors.is_empty() {
            self.extract(context, assignment, prepared, step, &mut verified);
        }
        verified
    }

    fn use_defaults(&mut self, step: &Request) {
        for extract in &step.extract {
            self.values.slots[extract.slot].clear();
            self.values.slots[extract.slot].push_str(extract.default.as_deref().unwrap_or_default());
        }
    }

    fn check(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        step: &Request,
        verified: &mut Verified,
    ) {
        for (number, probe) in &prepared.checks {
            let reply = self.driver.reply();
            let holds = match probe {
                Probe::Finds(extractor) => with_headers(&reply, |found| !extractor.matches(found).is_empty()),
                Probe::Text(index) => {
                    let text = &mut self.buffers.text;
                    holds(&step.expect.checks[*index].test, &reply, &self.values, text)
                }
            };
            let mut meter = context.meter.borrow_mut();
            let section = meter.section(assignment.intended);
            let stats = meter.window().aggregate.check_mut(section, *number);
            if holds {
                stats.passed += 1;
            } else {
                stats.failed += 1;
                verified.fail(|| format!("check `{}`", check_name(step, probe, context, *number)));
            }
        }
    }

    fn extract(
        &mut self,
        context: &Context<R, D>,
        assignment: &Assignment,
        prepared: &Prepared,
        step: &Request,
        verified: &mut Verified,
    ) {
        let scenario = &context.program.plan.scenarios[assignment.scenario];
        let (vu, iteration) = assignment.choice;
        let choice = Choice::new(context.program.plan.seed, vu, iteration, prepared.step as u64);
        for (index, (extract, extractor)) in step.extract.iter().zip(&prepared.extractors).enumerate() {
            let reply = self.driver.reply();
            let mut matches = with_headers(&reply, |found| extractor.matches(found));
            let count = matches.len();
            let place = match extract.pick {
                MatchPick::First => Some(0),
                MatchPick::Last => count.checked_sub(1),
                MatchPick::Nth(nth) => nth.checked_sub(1),
                // Draw 0 belongs to the step itself.
                MatchPick::Random => {
                    std::num::NonZeroU64::new(count as u64).map(|n| choice.below(1 + index as u64, n) as usize)
                }
            };
            let found = place
                .filter(|place| *place < count)
                .map(|place| matches.swap_remove(place));
            let is_missing = found.is_none() && extract.default.is_none();
            if is_missing {
                verified.lacks_value = true;
                verified.fail(|| format!("extract `{}`", scenario.slots[extract.slot]));
            }
            self.values.slots[extract.slot] = found.or_else(|| extract.default.clone()).unwrap_or_default();
        }
    }
}

fn check_name<R: Runtime, D: Drivers>(step: &Request, probe: &Probe, context: &Context<R, D>, number: usize) -> String {
    match probe {
        Probe::Text(index) => step.expect.checks[*index].name.clone(),
        Probe::Finds(_) => context.names.check(number),
    }
}

fn with_headers<T>(reply: &Reply<'_>, look: impl FnOnce(&Found<'_>) -> T) -> T {
    let headers: Vec<(&str, &[u8])> = reply.headers().collect();
    look(&Found {
        headers: &headers,
        body: reply.body(),
    })
}

/// Whether a text test holds; `text` is a scratch buffer.
fn holds(test: &Test, reply: &Reply<'_>, values: &impl Values, text: &mut Vec<u8>) -> bool {
    let mut rendered = |template: &Template| {
        text.clear();
        template.render(text, values, Escape::None);
        std::mem::take(text)
    };
    match test {
        Test::BodyContains(template) => {
            let wanted = rendered(template);
            let holds = contains(reply.body(), &wanted);
            *text = wanted;
            holds
        }
        Test::BodyLacks(template) => {
            let unwanted = rendered(template);
            let holds = !contains(reply.body(), &unwanted);
            *text = unwanted;
            holds
        }
        Test::HeaderContains(name, template) => {
            let wanted = rendered(template);
            let holds = reply
                .headers()
                .any(|(header, value)| header.eq_ignore_ascii_case(name) && contains(value, &wanted));
            *text = wanted;
            holds
        }
        Test::Finds(_) => false,
    }
}

/// Whether `needle` occurs in `text`. O(length) with a vectorized search for its first byte.
fn contains(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}
