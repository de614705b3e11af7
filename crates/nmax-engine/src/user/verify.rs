//! Whether a reply is what the plan expects, and the values that later steps take from it.

use std::num::NonZeroU64;
use std::time::Duration;

use nmax_extract::{Extractor, GaveUp, ReplyContent};
use nmax_metrics::{Code, ErrorKind, Group, Nanos, Outcome};
use nmax_plan::choice::Choice;
use nmax_plan::plan::{MatchPick, Test, Wanted};
use nmax_plan::template::{Escape, Template, Values};

use crate::program::prepare::{KEPT_BODY_MAX, Probe};
use crate::runtime::Runtime;
use crate::user::site::Site;
use crate::user::values::CallsOf;

/// Kind of the failure that a document or style sheet is which cannot be searched for what it needs.
pub(crate) const KIND_UNREAD: &str = "resources";
/// Characters of a value that a failed check shows.
const FOUND_CHARS_MAX: usize = 100;
/// What reading a reply may take that came just within its time limit: the limit is the server's, not that of nmax.
const READ_TIME_MIN: Nanos = Nanos(100_000_000);

/// When the reading of a reply is given up that was complete at `done`, in an exchange with this deadline.
pub(crate) fn read_until(deadline: Nanos, done: Nanos) -> Nanos {
    deadline.max(done + READ_TIME_MIN)
}

/// What became of an exchange.
pub(crate) struct Verified {
    pub(crate) outcome: Outcome,
    /// A step after it lacks a value.
    pub(crate) lacks_value: bool,
    /// Why it is not ok; `None` when it is ok or an error. Boxed, so that what is ok is small.
    pub(crate) why: Option<Box<FailureReason>>,
}

/// Why a reply is not ok.
pub(crate) struct FailureReason {
    /// What examples of it are grouped by.
    pub(crate) kind: String,
    /// What went wrong, where the kind does not say it.
    pub(crate) text: Option<String>,
}

impl Verified {
    pub(crate) const OK: Self = Self { outcome: Outcome::Ok, lacks_value: false, why: None };

    pub(crate) fn error(kind: ErrorKind) -> Self {
        Self { outcome: Outcome::Error(kind), ..Self::OK }
    }

    /// A reply with this status, which the call expects or not.
    #[inline]
    pub(crate) fn reply(status: Code, is_expected: bool) -> Self {
        if is_expected { Self::OK } else { Self::unexpected(status) }
    }

    #[cold]
    fn unexpected(status: Code) -> Self {
        Self::failed(format!("status {status}"), None)
    }

    /// A reply that is not ok: what examples of it are grouped by, and what that does not say.
    pub(crate) fn failed(kind: String, text: Option<String>) -> Self {
        Self { outcome: Outcome::Failed, lacks_value: false, why: Some(Box::new(FailureReason { kind, text })) }
    }

    /// Not ok for this reason, unless there was one before; `text` is what the kind does not say.
    pub(crate) fn fail_because(&mut self, kind: impl FnOnce() -> String, text: Option<String>) {
        if self.outcome == Outcome::Ok {
            let lacks_value = self.lacks_value;
            *self = Self { lacks_value, ..Self::failed(kind(), text) };
        }
    }
}

/// What came back, as checks and extractors see it.
pub trait Answer {
    /// Names and values of its headers.
    fn headers(&self) -> impl Iterator<Item = (&str, &[u8])>;
    /// Its body, or the beginning of it.
    fn body(&self) -> &[u8];
    /// Whether the body goes on beyond what was kept of it.
    fn is_cut(&self) -> bool;
}

/// What else a call wants of the reply that its extractors have looked at; an error when that was given up.
pub(crate) type Also<'a> = &'a mut dyn FnMut(&ReplyContent<'_>) -> Result<(), GaveUp>;

impl<R: Runtime> Site<'_, R> {
    /// An exchange without a valid reply: what would be extracted has its defaults.
    pub(crate) fn error(&mut self, kind: ErrorKind) -> Verified {
        self.use_defaults();
        Verified { lacks_value: self.lacks_defaults(), ..Verified::error(kind) }
    }

    /// Checks the reply of an exchange that was due at `intended` and complete at `done`, and takes the values that later
    /// steps need from it.
    #[inline]
    pub(crate) fn read(
        &mut self,
        verified: &mut Verified,
        answer: &impl Answer,
        (intended, done): (Nanos, Nanos),
        also: Option<Also<'_>>,
    ) {
        if self.call.is_read || also.is_some() {
            self.search(verified, answer, (intended, done), also);
        }
    }

    fn search(
        &mut self,
        verified: &mut Verified,
        answer: &impl Answer,
        (intended, done): (Nanos, Nanos),
        also: Option<Also<'_>>,
    ) {
        let until = read_until(self.deadline, done);
        let call = self.call;
        let (core, step, section) = (self.core, call.call.as_ref(), self.section(intended));
        if call.calls {
            self.actor.values.count_calls_of(CallsOf::Checks);
        }
        let headers: Vec<(&str, &[u8])> = if call.parses() { answer.headers().collect() } else { Vec::new() };
        let is_cut = answer.is_cut();
        let has_passed = || core.runtime.now() >= until;
        let page = if is_cut {
            ReplyContent::beginning(&headers, answer.body())
        } else {
            ReplyContent::new(&headers, answer.body())
        };
        let page = page.until(&has_passed);
        let ((vu, iteration), number) = (self.assignment.choice, self.actor.walk.step(call.step));
        // Only extractors that draw among their matches need the choices of the step.
        let choice = || Choice::new(core.plan.seed, vu, iteration, number);
        let (values, text) = (&mut self.actor.values, &mut self.actor.text);
        for (number, probe) in &call.checks {
            let test = |index: &usize| &step.expect.checks[*index].test;
            let (holds, found) = match probe {
                Probe::Finds(extractor) => (extractor.occurs(&page), None),
                Probe::Value(extractor, index) => is_as_wanted(extractor, test(index), &page, values, text),
                Probe::Text(index) => match test(index) {
                    Test::MaxTime(limit) => within(*limit, done.since(intended)),
                    test => (Ok(holds(test, answer, values, text)), None),
                },
            };
            let trouble = if call.calls { values.take_trouble() } else { None };
            let trouble = trouble.or_else(|| holds.as_ref().err().map(GaveUp::to_string));
            let holds = if trouble.is_some() { Some(false) } else { holds.unwrap_or_default() };
            core.count_check(section, *number, holds == Some(true));
            if holds != Some(true) {
                let kind = || format!("check \"{}\"", core.names.name_of(Group::Check, *number));
                verified.fail_because(kind, trouble.or_else(|| holds.map_or_else(|| Some(undecided()), |_| found)));
            }
        }
        for (index, (extract, extractor)) in step.extract.iter().zip(&call.extractors).enumerate() {
            // More of the body could change what matches, and which of the matches is the last.
            let is_decided = !(is_cut && extractor.reads_body());
            let found = if is_decided { pick(extract.pick, (&choice, index), extractor, &page) } else { Ok(None) };
            let trouble = found.as_ref().err().map(GaveUp::to_string).or_else(|| (!is_decided).then(undecided));
            let found = found.unwrap_or_default();
            let lacks_value = found.is_none() && extract.default.is_none();
            verified.lacks_value |= lacks_value;
            if lacks_value || trouble.is_some() {
                let slots = &core.plan.scenarios[self.assignment.scenario].slots;
                verified.fail_because(|| format!("extract `{}`", slots[extract.slot]), trouble);
            }
            values.slots[extract.slot] = found.or_else(|| extract.default.clone()).unwrap_or_default();
        }
        for (index, (of, (extractor, names))) in step.metrics.iter().zip(&call.metrics).enumerate() {
            let is_decided = !(is_cut && extractor.reads_body());
            let place = (&choice, step.extract.len() + index);
            let found = if is_decided { pick(of.pick, place, extractor, &page) } else { Ok(None) };
            let number = found.ok().flatten().and_then(|text| text.trim().parse().ok());
            names.iter().for_each(|name| core.count_number(section, name, number));
        }
        if let Some(also) = also.filter(|_| verified.outcome == Outcome::Ok)
            && let Err(why) = also(&page)
        {
            verified.fail_because(|| KIND_UNREAD.to_owned(), Some(why.to_string()));
        }
    }

    /// Whether a later step lacks a value when nothing is extracted.
    pub(crate) fn lacks_defaults(&self) -> bool {
        self.call.call.extract.iter().any(|extract| extract.default.is_none())
    }

    /// What would be extracted has its defaults.
    pub(crate) fn use_defaults(&mut self) {
        for extract in &self.call.call.extract {
            let slot = &mut self.actor.values.slots[extract.slot];
            slot.clear();
            slot.push_str(extract.default.as_deref().unwrap_or_default());
        }
    }
}

/// The match that an extractor takes, given what tells the choices of its step and its number among the extractors of that.
fn pick(
    pick: MatchPick,
    (choice, index): (&impl Fn() -> Choice, usize),
    extractor: &Extractor,
    page: &ReplyContent<'_>,
) -> Result<Option<String>, GaveUp> {
    let place = match pick {
        MatchPick::First => Some(0),
        MatchPick::Last => return extractor.last(page),
        MatchPick::Nth(nth) => nth.checked_sub(1),
        // Draw 0 belongs to the step itself.
        MatchPick::Random => {
            NonZeroU64::new(extractor.count(page)? as u64).map(|n| choice().below(1 + index as u64, n) as usize)
        }
    };
    place.map_or(Ok(None), |place| extractor.nth(page, place))
}

/// Why a check neither holds nor fails.
fn undecided() -> String {
    let most = KEPT_BODY_MAX >> 20;
    format!("not decided: the body is longer than the {most} MiB that are looked at")
}

/// Whether a test holds, or why reading was given up, and what was found where it does not.
type Tested = (Result<Option<bool>, GaveUp>, Option<String>);

/// Whether what an extractor finds is as a test wants it; `text` is a scratch buffer.
fn is_as_wanted(
    extractor: &Extractor,
    test: &Test,
    page: &ReplyContent<'_>,
    values: &impl Values,
    text: &mut Vec<u8>,
) -> Tested {
    match test {
        Test::Value(_, Wanted::Absent) => (extractor.occurs(page).map(|occurs| occurs.map(|occurs| !occurs)), None),
        Test::Value(_, Wanted::Compared(comparison, right)) => {
            text.clear();
            right.render(text, values, Escape::None);
            let right = String::from_utf8_lossy(text);
            let mut found = None;
            let all = extractor.all(page, &mut |left| {
                let holds = comparison.holds(left, &right);
                if !holds {
                    found = Some(format!("found `{}`", left.chars().take(FOUND_CHARS_MAX).collect::<String>()));
                }
                holds
            });
            (all, found.or_else(|| Some("found no value".to_owned())))
        }
        _ => (extractor.occurs(page), None),
    }
}

/// Whether a reply came within a limit.
fn within(limit: Duration, took: Nanos) -> Tested {
    let holds = took <= Nanos::from(limit);
    (Ok(Some(holds)), (!holds).then(|| format!("the reply took {:?}", Duration::from_nanos(took.0))))
}

/// Whether a text test holds, `None` when what was kept of the body does not tell; `text` is a scratch buffer.
fn holds(test: &Test, answer: &impl Answer, values: &impl Values, text: &mut Vec<u8>) -> Option<bool> {
    let mut rendered = |template: &Template| {
        text.clear();
        template.render(text, values, Escape::None);
        std::mem::take(text)
    };
    match test {
        Test::BodyContains(template) => {
            let wanted = rendered(template);
            let is_found = contains(answer.body(), &wanted);
            *text = wanted;
            (is_found || !answer.is_cut()).then_some(is_found)
        }
        Test::BodyLacks(template) => {
            let unwanted = rendered(template);
            let is_found = contains(answer.body(), &unwanted);
            *text = unwanted;
            (is_found || !answer.is_cut()).then_some(!is_found)
        }
        Test::HeaderContains(name, template) => {
            let wanted = rendered(template);
            let holds =
                answer.headers().any(|(header, value)| header.eq_ignore_ascii_case(name) && contains(value, &wanted));
            *text = wanted;
            Some(holds)
        }
        Test::Finds(_) | Test::Value(..) | Test::MaxTime(_) => Some(false),
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
