//! Whether a reply is what the plan expects, and the values that later steps take from it.

use std::num::NonZeroU64;

use nmax_extract::{Extractor, GaveUp, Page};
use nmax_http::Reply;
use nmax_metrics::{ErrorKind, Nanos, Outcome};
use nmax_plan::choice::Choice;
use nmax_plan::plan::{Call, Cookies, MatchPick, Test};
use nmax_plan::template::{Escape, Template, Values};

use crate::context::Context;
use crate::http::compose::Place;
use crate::http::driver::{Driver, Drivers};
use crate::http::page::is_html;
use crate::http::redirect::{self, Hop};
use crate::iteration::Assignment;
use crate::program::{KEPT_BODY_MAX, Prepared, Probe};
use crate::runtime::Runtime;
use crate::user::values::CallsOf;
use crate::user::vu::Vu;

/// Kind of the failure that a document or style sheet is which cannot be searched for what it needs.
pub(crate) const KIND_UNREAD: &str = "resources";
/// What reading a reply may take that came just within its time limit: the limit is the server's, not that of nmax.
const READ_TIME_MIN: Nanos = Nanos(100_000_000);

/// When the reading of a reply is given up that was complete at `done`, in an exchange with this deadline.
pub(crate) fn read_until(deadline: Nanos, done: Nanos) -> Nanos {
    deadline.max(done + READ_TIME_MIN)
}

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
    pub(crate) const OK: Self = Self { outcome: Outcome::Ok, kind: String::new(), text: None, lacks_value: false };

    pub(crate) fn error(kind: ErrorKind) -> Self {
        Self { outcome: Outcome::Error(kind), ..Self::OK }
    }

    /// Not ok for this reason, unless there was one before.
    fn fail(&mut self, kind: impl FnOnce() -> String) {
        self.fail_because(kind, None);
    }

    /// As [`Verified::fail`], with what the kind does not say.
    fn fail_because(&mut self, kind: impl FnOnce() -> String, text: Option<String>) {
        if self.outcome == Outcome::Ok {
            self.outcome = Outcome::Failed;
            self.kind = kind();
            self.text = text;
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
        step: &Call,
        hop: &Hop<'_>,
    ) -> Verified {
        let place = &hop.place;
        let Some(status) = hop.exchange.status else {
            let kind = hop.exchange.error.as_ref().map_or(ErrorKind::Protocol, |failure| failure.kind);
            let lacks_value = step.extract.iter().any(|extract| extract.default.is_none());
            self.use_defaults(step);
            return Verified { lacks_value, ..Verified::error(kind) };
        };
        let mut verified = Verified::OK;
        let is_accepted = step.expect.accepts(status);
        if prepared.redirects_max > 0 && !(is_accepted && step.expect.names_status()) {
            // What leads on was followed before: this one cannot be.
            if let Some(why) = self.refusal(prepared, place, status) {
                verified.fail_because(|| redirect::KIND_REFUSED.to_owned(), Some(why));
            }
        }
        if !is_accepted {
            verified.fail(|| format!("status {status}"));
        }
        self.keep_cookies(context, prepared, place);
        let searches = prepared.discovers() && is_html(&self.driver.reply());
        if prepared.checks.is_empty() && prepared.extractors.is_empty() && !searches {
            return verified;
        }
        let section = self.section(context, hop.turn.intended);
        if prepared.calls {
            self.values.count_calls_of(CallsOf::Checks);
        }
        let reply = self.driver.reply();
        let headers: Vec<(&str, &[u8])> = if prepared.parses() { reply.headers().collect() } else { Vec::new() };
        let is_cut = reply.body_truncated();
        let until = read_until(hop.deadline, hop.exchange.done);
        let has_passed = || context.runtime.now() >= until;
        let page = if is_cut { Page::beginning(&headers, reply.body()) } else { Page::new(&headers, reply.body()) };
        let page = page.until(&has_passed);
        let (values, text) = (&mut self.values, &mut self.buffers.text);
        for (number, probe) in &prepared.checks {
            let (holds, gave_up) = match probe {
                Probe::Finds(extractor) => {
                    extractor.occurs(&page).map_or_else(|why| (None, Some(why)), |it| (it, None))
                }
                Probe::Text(index) => (holds(&step.expect.checks[*index].test, &reply, values, text), None),
            };
            let trouble = if prepared.calls { values.take_trouble() } else { None };
            let trouble = trouble.or_else(|| gave_up.map(|why| why.to_string()));
            let holds = if trouble.is_some() { Some(false) } else { holds };
            context.count_check(section, *number, holds == Some(true));
            if holds != Some(true) {
                let kind = || format!("check \"{}\"", context.names.check(*number));
                verified.fail_because(kind, trouble.or_else(|| holds.is_none().then(undecided)));
            }
        }
        let picker = Picker { context, assignment, step: self.way.step(prepared.step) };
        for (index, (extract, extractor)) in step.extract.iter().zip(&prepared.extractors).enumerate() {
            // More of the body could change what matches, and which of the matches is the last.
            let is_decided = !(is_cut && extractor.reads_body());
            let found = if is_decided { picker.pick(extract.pick, index, extractor, &page) } else { Ok(None) };
            let trouble = found.as_ref().err().map(GaveUp::to_string).or_else(|| (!is_decided).then(undecided));
            let found = found.unwrap_or_default();
            let lacks_value = found.is_none() && extract.default.is_none();
            verified.lacks_value |= lacks_value;
            if lacks_value || trouble.is_some() {
                let slots = &context.program.plan.scenarios[assignment.scenario].slots;
                verified.fail_because(|| format!("extract `{}`", slots[extract.slot]), trouble);
            }
            values.slots[extract.slot] = found.or_else(|| extract.default.clone()).unwrap_or_default();
        }
        if searches && verified.outcome == Outcome::Ok {
            // Parsed at most once, for extractors too.
            match page.resources() {
                Ok(named) => self.named = Some(named),
                Err(why) => verified.fail_because(|| KIND_UNREAD.to_owned(), Some(why.to_string())),
            }
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

    pub(crate) fn use_defaults(&mut self, step: &Call) {
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
    step: u64,
}

impl<R: Runtime, D: Drivers> Picker<'_, R, D> {
    /// The match taken by extractor `index` of its step.
    fn pick(
        &self,
        pick: MatchPick,
        index: usize,
        extractor: &Extractor,
        page: &Page<'_>,
    ) -> Result<Option<String>, GaveUp> {
        let place = match pick {
            MatchPick::First => Some(0),
            MatchPick::Last => return extractor.last(page),
            MatchPick::Nth(nth) => nth.checked_sub(1),
            MatchPick::Random => {
                let (vu, iteration) = self.assignment.choice;
                let choice = Choice::new(self.context.program.plan.seed, vu, iteration, self.step);
                // Draw 0 belongs to the step itself.
                NonZeroU64::new(extractor.count(page)? as u64).map(|n| choice.below(1 + index as u64, n) as usize)
            }
        };
        place.map_or(Ok(None), |place| extractor.nth(page, place))
    }
}

/// Why a check neither holds nor fails.
fn undecided() -> String {
    let most = KEPT_BODY_MAX >> 20;
    format!("not decided: the body is longer than the {most} MiB that are looked at")
}

/// Whether a text test holds, `None` when what was kept of the body does not tell; `text` is a scratch buffer.
fn holds(test: &Test, reply: &Reply<'_>, values: &impl Values, text: &mut Vec<u8>) -> Option<bool> {
    let mut rendered = |template: &Template| {
        text.clear();
        template.render(text, values, Escape::None);
        std::mem::take(text)
    };
    match test {
        Test::BodyContains(template) => {
            let wanted = rendered(template);
            let is_found = contains(reply.body(), &wanted);
            *text = wanted;
            (is_found || !reply.body_truncated()).then_some(is_found)
        }
        Test::BodyLacks(template) => {
            let unwanted = rendered(template);
            let is_found = contains(reply.body(), &unwanted);
            *text = unwanted;
            (is_found || !reply.body_truncated()).then_some(!is_found)
        }
        Test::HeaderContains(name, template) => {
            let wanted = rendered(template);
            let holds =
                reply.headers().any(|(header, value)| header.eq_ignore_ascii_case(name) && contains(value, &wanted));
            *text = wanted;
            Some(holds)
        }
        Test::Finds(_) => Some(false),
    }
}

/// Whether `needle` occurs in `text`. O(length) with a vectorized search for its first byte.
fn contains(text: &[u8], needle: &[u8]) -> bool {
    memchr::memmem::find(text, needle).is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time limit is the server's: a reply that came just within it is not failed for the time that nmax needs.
    #[test]
    fn reading_ends_with_the_time_limit_and_has_a_moment_at_least() {
        let ms = |ms: u64| Nanos(ms * 1_000_000);
        let cases = [(3_000, 10, 3_000), (3_000, 2_950, 3_050), (3_000, 3_000, 3_100)];
        for (deadline, done, until) in cases {
            assert_eq!(read_until(ms(deadline), ms(done)), ms(until), "{deadline} {done}");
        }
    }
}
