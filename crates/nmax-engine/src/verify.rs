//! Whether a reply is what the plan expects, and the values that later steps take from it.

use std::num::NonZeroU64;

use nmax_extract::Page;
use nmax_http::{Exchange, Reply};
use nmax_metrics::{ErrorKind, Outcome};
use nmax_plan::choice::Choice;
use nmax_plan::plan::{Cookies, MatchPick, Request, Test};
use nmax_plan::template::{Escape, Template, Values};

use crate::compose::Place;
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
    /// What went wrong, where the kind does not say it.
    pub(crate) text: Option<String>,
    /// A step after it lacks a value.
    pub(crate) lacks_value: bool,
}

impl Verified {
    const OK: Self = Self {
        outcome: Outcome::Ok,
        kind: String::new(),
        text: None,
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
        place: &Place<'_>,
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
        self.keep_cookies(context, prepared, place);
        if prepared.checks.is_empty() && prepared.extractors.is_empty() {
            return verified;
        }
        let reply = self.driver.reply();
        let headers: Vec<(&str, &[u8])> = if prepared.parses() {
            reply.headers().collect()
        } else {
            Vec::new()
        };
        let page = Page::new(&headers, reply.body());
        let (values, text) = (&mut self.values, &mut self.buffers.text);
        for (number, probe) in &prepared.checks {
            let holds = match probe {
                Probe::Finds(extractor) => !extractor.matches(&page).is_empty(),
                Probe::Text(index) => holds(&step.expect.checks[*index].test, &reply, values, text),
            };
            context.count_check(assignment.intended, *number, holds);
            if !holds {
                verified.fail(|| format!("check \"{}\"", context.names.check(*number)));
            }
        }
        let picker = Picker {
            context,
            assignment,
            step: prepared.step,
        };
        for (index, (extract, extractor)) in step.extract.iter().zip(&prepared.extractors).enumerate() {
            let found = picker.pick(extract.pick, index, extractor.matches(&page));
            if found.is_none() && extract.default.is_none() {
                verified.lacks_value = true;
                let slots = &context.program.plan.scenarios[assignment.scenario].slots;
                verified.fail(|| format!("extract `{}`", slots[extract.slot]));
            }
            values.slots[extract.slot] = found.or_else(|| extract.default.clone()).unwrap_or_default();
        }
        verified
    }

    /// Keeps the cookies that the last reply sets.
    #[inline]
    pub(crate) fn keep_cookies(&mut self, context: &Context<R, D>, prepared: &Prepared, place: &Place<'_>) {
        let reply = self.driver.reply();
        if !reply.has_set_cookie() || context.program.plan.defaults.cookies == Cookies::Ignored {
            return;
        }
        let target = place.rendered.target(prepared, &self.buffers);
        for cookie in reply.set_cookies() {
            // A cookie that a browser would refuse is refused here too.
            let _ = self.jar.store(&place.origin, &target, cookie, context.unix_now_s());
        }
    }

    pub(crate) fn use_defaults(&mut self, step: &Request) {
        for extract in &step.extract {
            self.values.slots[extract.slot].clear();
            self.values.slots[extract.slot].push_str(extract.default.as_deref().unwrap_or_default());
        }
    }
}

/// Which of several matches an extractor takes.
struct Picker<'a, R: Runtime, D: Drivers> {
    context: &'a Context<R, D>,
    assignment: &'a Assignment,
    step: usize,
}

impl<R: Runtime, D: Drivers> Picker<'_, R, D> {
    /// The match taken by extractor `index` of its step.
    fn pick(&self, pick: MatchPick, index: usize, mut matches: Vec<String>) -> Option<String> {
        let place = match pick {
            MatchPick::First => Some(0),
            MatchPick::Last => matches.len().checked_sub(1),
            MatchPick::Nth(nth) => nth.checked_sub(1),
            MatchPick::Random => {
                let (vu, iteration) = self.assignment.choice;
                let choice = Choice::new(self.context.program.plan.seed, vu, iteration, self.step as u64);
                // Draw 0 belongs to the step itself.
                NonZeroU64::new(matches.len() as u64).map(|n| choice.below(1 + index as u64, n) as usize)
            }
        };
        place
            .filter(|place| *place < matches.len())
            .map(|place| matches.swap_remove(place))
    }
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
