//! What virtual users count beside exchanges: checks, transactions, pages, transitions.

use std::cell::Cell;

use nmax_metrics::{Group, Nanos, Section};

use crate::core::Core;
use crate::iteration::LocationId;
use crate::runtime::Runtime;

impl<R: Runtime> Core<R> {
    /// The number of a name of a group, given while the run goes on: what it is counted under from now on.
    pub fn number(&self, group: Group, name: &str) -> usize {
        self.names.number(group, name)
    }

    /// A check held, or not.
    pub(crate) fn count_check(&self, section: Section, number: usize, holds: bool) {
        let mut meter = self.meter.borrow_mut();
        let stats = meter.window().aggregate.checks.get_mut(section, number);
        if holds {
            stats.passed += 1;
        } else {
            stats.failed += 1;
        }
    }

    /// Something failed so, in an iteration in which something had failed `before`, or not. Returns the number of that.
    #[cold]
    pub(crate) fn count_failure(&self, section: Section, kind: &str, before: &Cell<Option<usize>>) -> Option<usize> {
        let number = self.number(Group::Failure, kind);
        let first = before.get();
        before.set(first.or(Some(number)));
        let mut meter = self.meter.borrow_mut();
        let stats = meter.window().aggregate.failures.get_mut(section, number);
        stats.count += 1;
        stats.first += u64::from(first.is_none());
        first
    }

    /// A number of one of the user's own metrics has come, or something that is none. `metric` is the text of a
    /// [`nmax_metrics::Metric`].
    pub(crate) fn count_number(&self, section: Section, metric: &str, number: Option<f64>) {
        let (metric, now) = (self.number(Group::Metric, metric), self.runtime.now());
        self.roll(now);
        self.meter.borrow_mut().window().aggregate.metrics.get_mut(section, metric).record(now, number);
    }

    /// An exchange is cut off by the end of the run.
    pub(crate) fn censor(&self, section: Section, intended: Nanos, now: Nanos) {
        self.roll(now);
        let mut meter = self.meter.borrow_mut();
        let load = meter.window().aggregate.load_mut(section);
        load.censored.record(now.since(intended).0);
    }

    /// An exchange leads on.
    pub(crate) fn count_redirect(&self, section: Section) {
        self.meter.borrow_mut().window().aggregate.load_mut(section).redirects += 1;
    }

    /// A transaction has ended.
    pub(crate) fn count_transaction(&self, section: Section, number: usize, is_ok: bool, took: TimeSpan) {
        let mut meter = self.meter.borrow_mut();
        let stats = meter.window().aggregate.transactions.get_mut(section, number);
        stats.record(is_ok, took.time().0);
        if let Some(hold) = meter.hold_of(took.done) {
            hold.transactions.get_mut(Section::Hold, number).ended_within += 1;
        }
    }

    /// A page is complete, and the user came to it by this transition.
    pub(crate) fn count_page(&self, section: Section, visit: &Visit, is_ok: bool, took: TimeSpan) {
        let mut meter = self.meter.borrow_mut();
        let time = took.time();
        let aggregate = &mut meter.window().aggregate;
        let stats = aggregate.pages.get_mut(section, visit.page);
        stats.pages.record(is_ok, time.0);
        let fetched = &visit.fetched;
        stats.resources += fetched.resources;
        stats.cached += fetched.cached;
        stats.unchanged += fetched.unchanged;
        stats.resources_failed += fetched.failed;
        stats.left_out += fetched.left_out;
        stats.bytes_received += visit.bytes_received + fetched.bytes_received;
        if let Some(location) = visit.location {
            aggregate.locations.get_mut(section, usize::from(location)).pages.record(is_ok, time.0);
        }
        if let Some(transition) = visit.transition {
            aggregate.transitions.get_mut(section, transition).record(is_ok, time.0);
        }
        if let Some(hold) = meter.hold_of(took.done) {
            hold.pages.get_mut(Section::Hold, visit.page).pages.ended_within += 1;
            if let Some(location) = visit.location {
                hold.locations.get_mut(Section::Hold, usize::from(location)).pages.ended_within += 1;
            }
            if let Some(transition) = visit.transition {
                hold.transitions.get_mut(Section::Hold, transition).ended_within += 1;
            }
        }
    }
}

/// From when to when something took that a user feels as one.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TimeSpan {
    /// Intended start of the first exchange.
    pub(crate) from: Nanos,
    /// End of the last.
    pub(crate) done: Nanos,
}

impl TimeSpan {
    fn time(self) -> Nanos {
        self.done.since(self.from)
    }
}

/// What was fetched along with a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Fetched {
    /// Resources that belong to it.
    pub(crate) resources: u64,
    /// Of those, the ones that needed no exchange.
    pub(crate) cached: u64,
    /// Of those, the ones that had not changed.
    pub(crate) unchanged: u64,
    /// Of those, the ones that were not ok.
    pub(crate) failed: u64,
    /// Resources beyond the most of a page, which were not asked for.
    pub(crate) left_out: u64,
    /// Bytes received for them.
    pub(crate) bytes_received: u64,
}

/// A page that a user looks at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// Number in the catalog.
    pub(crate) page: usize,
    /// Number in the catalog of the transition from the page before, when there was one.
    pub(crate) transition: Option<usize>,
    /// Bytes received for the document, redirects included.
    pub(crate) bytes_received: u64,
    /// What was fetched along with it.
    pub(crate) fetched: Fetched,
    /// Where its user is.
    pub(crate) location: Option<LocationId>,
}
