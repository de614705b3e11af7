//! The fold from windows, readings and events to [`Evidence`], live or read back from a directory: the same either way.
//!
//! O(names) a window, in bounded memory.
//!
//! # Layout
//! - this file: everything that is summed up
//! - `tail`: the last part of the hold; `injector`; `observed`: what observed processes use
//! - [`happened`]: interventions as their events tell; `beside`: what else used the processors of the injector's host

use std::time::Duration;

use nmax_metrics::{Aggregate, Catalog, FailureExample, Nanos, Readings, Resource, Window};
use nmax_plan::plan::{INJECTOR, Intervention, Plan};
use nmax_plan::threshold::Within;
use nmax_sources::{RUN, figures};

use crate::breakdown::Sides;
use crate::judge::so_far;
use crate::{
    Batches, CourseBuilder, Ending, Event, Evidence, InjectorFacts, InterventionRecord, Judged, Reason, SeriesBuilder,
    Stretches, Summary, Tail, judge, steadiness, violated,
};

mod beside;
pub mod happened;
mod injector;
mod observed;
mod tail;

pub use injector::Injector;
use observed::Observed;
use tail::Last;

/// A condition ended the run; the text says which. The judgement makes it a FAIL.
pub const ABORTED: &str = "THRESHOLD_ABORT";
/// Most bins of the charts over time.
const BINS_MAX: usize = 300;
/// Failure examples that a report may show.
const EXAMPLES_MAX: usize = 1_000;

/// Sums of a run that take what comes.
#[derive(Debug)]
pub struct Fold {
    hold: (Nanos, Nanos),
    totals: Aggregate,
    series: SeriesBuilder,
    batches: Batches,
    course: CourseBuilder,
    /// What response times are taken apart from.
    stretches: Stretches,
    /// The last part of the hold, for each span that thresholds ask for.
    last: Vec<Last>,
    failures: Vec<FailureExample>,
    events: Vec<Event>,
    /// What the plan does to the system under test, for what events say of it.
    timeline: Vec<Intervention>,
    happened: Vec<InterventionRecord>,
    observed: Observed,
    readings: Readings,
    windows: u64,
    last_end: Nanos,
    /// What is known of each injector.
    pub injectors: Vec<Injector>,
    /// The run was stopped by a person or a limit before its planned end.
    pub interrupted: bool,
    /// The condition that ended it.
    aborted: Option<String>,
    /// When the load ended, if not as planned.
    pub load_ended: Option<Nanos>,
    /// When everything had ended.
    pub ended: Option<Nanos>,
}

impl Fold {
    /// Nothing yet of a run of this plan, whose statistics are of `hold` and whose load ends at `end`, as planned.
    pub fn new(plan: &Plan, hold: (Nanos, Nanos), end: Option<Nanos>) -> Self {
        let mut spans: Vec<Duration> = plan
            .thresholds
            .iter()
            .filter_map(|threshold| match threshold.within {
                Within::Last(span) => Some(span),
                Within::Hold | Within::Whole => None,
            })
            .collect();
        spans.sort_unstable();
        spans.dedup();
        Self {
            hold,
            totals: Aggregate::default(),
            series: end.map_or_else(
                || SeriesBuilder::new(Nanos::from_secs(60), BINS_MAX),
                |end| SeriesBuilder::in_order(end, BINS_MAX),
            ),
            batches: Batches::default(),
            course: CourseBuilder::new(plan, end),
            stretches: Stretches::default(),
            last: spans.into_iter().map(Last::new).collect(),
            failures: Vec::new(),
            events: Vec::new(),
            timeline: plan.timeline.clone(),
            happened: Vec::new(),
            observed: Observed::default(),
            readings: Readings::default(),
            windows: 0,
            last_end: Nanos::ZERO,
            injectors: vec![Injector::new(INJECTOR, None)],
            interrupted: false,
            aborted: None,
            load_ended: None,
            ended: None,
        }
    }

    /// The same of several injectors, by the names of their hosts; [`Self::part`] takes what each measured.
    #[must_use]
    pub fn of_injectors(self, names: &[&str]) -> Self {
        let injectors = names.iter().map(|name| Injector::new(name, Some(&self.course))).collect();
        Self { injectors, ..self }
    }

    /// Adds what one of several injectors measured of a window, with the names of the run.
    pub fn part(&mut self, injector: usize, window: &Window) {
        self.injectors[injector].window(window);
    }

    /// Adds a window, in order.
    pub fn window(&mut self, window: &Window) {
        self.totals.merge(&window.aggregate);
        self.series.push(window);
        self.batches.push(window);
        self.course.push(window);
        self.stretches.push(window);
        let missing = window.index.saturating_sub(self.windows);
        self.injectors.iter_mut().for_each(|injector| injector.facts.windows_missing += missing);
        self.windows = window.index + 1;
        self.last_end = window.end();
        for last in &mut self.last {
            last.push(window, self.hold);
        }
    }

    /// Adds a failed exchange kept for study.
    pub fn failure(&mut self, failure: FailureExample) {
        if self.failures.len() < EXAMPLES_MAX {
            self.failures.push(failure);
        }
    }

    /// Adds something that happened.
    pub fn event(&mut self, at: Nanos, code: &str, text: &str) {
        happened::take(&mut self.happened, &self.timeline, at.as_secs_f64(), code, text);
        if code == ABORTED {
            self.aborted = Some(text.into());
        }
        self.events.push(Event { at_s: at.as_secs_f64(), code: code.into(), text: text.into() });
    }

    /// Takes a reading; what it says of an injector or of the run's end.
    pub fn resource(&mut self, resource: &Resource) {
        let injector = self.injectors.iter_mut().find(|injector| injector.facts.name == resource.host);
        let is_own = injector.is_some();
        if injector.is_some_and(|injector| injector.resource(resource)) {
            return;
        }
        self.observed.take(resource);
        // What the run says of itself is not read again and again.
        if resource.source != RUN {
            return self.read(resource);
        }
        match figures::named(&resource.metric) {
            Some(figures::LOAD_ENDED_S) if is_own => self.load_ended = Some(nanos(resource.value)),
            Some(figures::ENDED_S) if is_own => self.ended = Some(nanos(resource.value)),
            Some(figures::INTERRUPTED) if is_own => self.interrupted = resource.value > 0.0,
            _ => {}
        }
    }

    fn read(&mut self, resource: &Resource) {
        if resource.host != observed::LOCAL {
            return self.readings.push(resource);
        }
        self.readings.push(&Resource { host: INJECTOR.into(), ..resource.clone() });
    }

    /// End of the last window.
    pub fn last_end(&self) -> Nanos {
        self.last_end
    }

    /// Sums so far.
    pub fn totals(&self) -> &Aggregate {
        &self.totals
    }

    /// Whether the measurements of the hold so far stand still.
    pub fn is_steady(&self, catalog: &Catalog) -> bool {
        let hold = (self.hold.0, self.hold.1.min(self.last_end));
        let steadiness = steadiness(&self.course.finish(catalog, hold));
        steadiness.is_some_and(|steadiness| steadiness.holds == Some(true))
    }

    /// Conditions of the plan that end a run and do not hold as far as it has come, by number.
    pub fn violated(&self, plan: &Plan, catalog: &Catalog) -> Vec<usize> {
        self.with_evidence(plan, catalog, violated)
    }

    /// What spoils the run so far: reasons that decide its verdict as soon as it ends, and warnings.
    pub fn so_far(&self, plan: &Plan, catalog: &Catalog) -> Vec<Reason> {
        self.with_evidence(plan, catalog, so_far)
    }

    /// The judgement of everything so far; O(names × buckets).
    ///
    /// - `ending`: how far the run came, where that is not in what was folded
    /// - `sides`: the client's side beside a server's log
    pub fn judge(&self, plan: &Plan, catalog: &Catalog, ending: Option<Ending>, sides: Option<&Sides>) -> Judged {
        let mut events = self.events.clone();
        if ending == Some(Ending::Running) {
            let text = "the run goes on; these are its numbers so far";
            events.push(Event { at_s: self.last_end.as_secs_f64(), code: "RUNNING".into(), text: text.into() });
        }
        // Sources tell of a second later than the run itself.
        events.sort_by(|one, other| one.at_s.total_cmp(&other.at_s));
        self.with_evidence(plan, catalog, |evidence| {
            let evidence = Evidence { sides, ..*evidence };
            let judgement = judge(&evidence);
            let summary = Summary::new(&evidence, &judgement.withheld, self.series.finish(), &self.failures, events);
            Judged { ending: ending.unwrap_or_else(|| self.ending()), summary, judgement }
        })
    }

    /// How far the run came, as far as events and readings tell.
    fn ending(&self) -> Ending {
        match (&self.aborted, self.interrupted) {
            (Some(_), _) => Ending::Aborted,
            (None, true) => Ending::Interrupted,
            (None, false) => Ending::Complete,
        }
    }

    /// Hands over everything so far.
    fn with_evidence<T>(&self, plan: &Plan, catalog: &Catalog, look: impl FnOnce(&Evidence<'_>) -> T) -> T {
        let ended = self.ended.unwrap_or(self.last_end);
        let load_ended = self.load_ended.unwrap_or(ended).min(ended);
        let hold = (self.hold.0.min(load_ended), self.hold.1.min(load_ended));
        let facts = self.injectors.iter().map(|injector| injector.facts(&self.totals, catalog, hold));
        let injectors: Vec<InjectorFacts> = facts.collect();
        let last: Vec<Tail> = self.last.iter().map(|last| last.conclude(hold, plan)).collect();
        let course = self.course.finish(catalog, hold);
        look(&Evidence {
            plan,
            catalog,
            totals: &self.totals,
            hold,
            end: ended,
            last: &last,
            injectors: &injectors,
            interrupted: self.interrupted,
            aborted: self.aborted.as_deref(),
            batches: &self.batches,
            course: &course,
            observed: &self.observed.all,
            readings: &self.readings,
            happened: &self.happened,
            stretches: &self.stretches,
            sides: None,
        })
    }
}

fn nanos(seconds: f64) -> Nanos {
    Nanos((seconds * 1e9).round() as u64)
}
