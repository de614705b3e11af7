//! The fold from windows, readings and events to [`Evidence`], live or read back from a directory: the same either way.
//!
//! O(names) a window, in bounded memory.
//!
//! A run that is planned to be long is looked at by windows that are added up to wider ones ([`Rollup`]): the numbers are the
//! same whether these are added up here, of the windows of a run that goes on, or were read from its directory.
//!
//! # Layout
//! - this file: everything that is summed up
//! - `tail`: the last part of the hold; `injector`; `observed`: what observed processes use
//! - [`happened`]: interventions as their events tell; `beside`: what else used the processors of the injector's host

use std::borrow::Cow;
use std::ops::Range;
use std::time::Duration;

use nmax_metrics::rollup::width_for;
use nmax_metrics::{Aggregate, Catalog, FailureExample, Nanos, Reading, Readings, Resource, Rolled, Rollup, Window};
use nmax_plan::plan::{INJECTOR, Intervention, Plan};
use nmax_plan::threshold::Within;
use nmax_sources::{RUN, figures};

use crate::breakdown::Sides;
use crate::judge::{Standing, so_far, standing};
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
pub use observed::LOCAL;
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
    /// Windows of which the next one of those that `over_time` is made of will be.
    rollup: Rollup,
    over_time: OverTime,
    /// Width of a window.
    window: Nanos,
    /// Width of those that `over_time` is made of.
    rolled: Nanos,
    /// The last part of the hold, for each span that thresholds ask for.
    last: Vec<Last>,
    failures: Vec<FailureExample>,
    events: Vec<Event>,
    /// What the plan does to the system under test, for what events say of it.
    timeline: Vec<Intervention>,
    happened: Vec<InterventionRecord>,
    observed: Observed,
    readings: Readings,
    last_end: Nanos,
    /// Numbers of the windows that no injector sent.
    missing: Vec<Range<u64>>,
    /// End of the last window that is known to be there.
    known_end: Nanos,
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

/// Everything that asks how numbers change.
#[derive(Clone, Debug)]
struct OverTime {
    series: SeriesBuilder,
    batches: Batches,
    course: CourseBuilder,
    /// What response times are taken apart from.
    stretches: Stretches,
}

impl OverTime {
    fn push(&mut self, rolled: &Rolled<'_>) {
        self.series.push_rolled(rolled);
        self.batches.push(&rolled.window);
        self.course.push_rolled(rolled);
        self.stretches.push(&rolled.window);
    }
}

impl Fold {
    /// Nothing yet of a run of this plan, whose statistics are of `hold` and whose load ends at `end`, as planned.
    pub fn new(plan: &Plan, hold: (Nanos, Nanos), end: Option<Nanos>) -> Self {
        Self::of_length(plan, hold, end, end)
    }

    /// The same of a run that is known to be of this length.
    pub fn of_length(plan: &Plan, hold: (Nanos, Nanos), end: Option<Nanos>, length: Option<Nanos>) -> Self {
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
        let window = Nanos::from(plan.window);
        // What an intervention does is seen in seconds.
        let finer = usize::from(!plan.timeline.is_empty());
        let rolled = length.map_or(window, |length| width_for(length, window, finer));
        let over_time = OverTime {
            series: end.map_or_else(
                || SeriesBuilder::new(Nanos::from_secs(60), BINS_MAX),
                |end| SeriesBuilder::in_order(end, BINS_MAX),
            ),
            batches: Batches::default(),
            course: CourseBuilder::new(plan, end),
            stretches: Stretches::default(),
        };
        Self {
            hold,
            totals: Aggregate::default(),
            rollup: Rollup::new(rolled),
            over_time,
            window,
            rolled,
            last: spans.into_iter().map(|span| Last::new(span, window, rolled)).collect(),
            failures: Vec::new(),
            events: Vec::new(),
            timeline: plan.timeline.clone(),
            happened: Vec::new(),
            observed: Observed::default(),
            readings: Readings::with_width(rolled.max(Nanos::from_secs(1))),
            last_end: Nanos::ZERO,
            missing: Vec::new(),
            known_end: Nanos::ZERO,
            injectors: vec![Injector::new(INJECTOR, None)],
            interrupted: false,
            aborted: None,
            load_ended: None,
            ended: None,
        }
    }

    /// The same of several injectors, by the names of their hosts; [`Self::part`] takes what each measured.
    #[must_use]
    pub fn of_injectors(mut self, names: &[&str]) -> Self {
        self.tell_apart(names);
        self
    }

    /// The run is on several injectors, by the names of their hosts: before anything of them is added.
    pub fn tell_apart(&mut self, names: &[&str]) {
        let own = Some((&self.over_time.course, self.rolled));
        let mut injectors: Vec<_> = names.iter().map(|name| Injector::new(name, own)).collect();
        injectors.iter_mut().zip(0..).for_each(|(injector, shard)| injector.facts.shard = shard);
        self.injectors = injectors;
    }

    /// The run goes by the stages of this plan from now on, and its statistics are of `hold`: what was measured before an
    /// instant that lies ahead is of the same sections as it was.
    pub fn steer(&mut self, plan: &Plan, hold: (Nanos, Nanos)) {
        self.hold = hold;
        self.over_time.course.steer(plan);
        self.injectors.iter_mut().filter_map(|injector| injector.own.as_mut()).for_each(|own| own.course.steer(plan));
    }

    /// Adds what one of several injectors measured of a window, with the names of the run. As for [`Self::window`], windows
    /// may be added up, and come in order or count without a place on the time axis.
    pub fn part(&mut self, injector: usize, window: &Window) {
        self.injectors[injector].window(window);
    }

    /// How wide the windows are that it needs: narrower ones are added up to these.
    pub fn window_width(&self) -> Nanos {
        self.rolled
    }

    /// From when on it needs those of the run itself, when this is the end of the last one; [`Nanos::MAX`] for never.
    pub fn fine_from(&self, last_end: Nanos) -> Nanos {
        let end = self.hold.1.min(self.load_ended.unwrap_or(last_end));
        let all = self.last.iter().filter_map(|last| last.fine_from(end, self.rolled));
        all.min().unwrap_or(Nanos::MAX)
    }

    /// Adds a window, in order: of the run, or several that are added up to one of [`Self::window_width`].
    ///
    /// What came of an injector after later windows counts too, but not where it is asked how numbers changed.
    pub fn window(&mut self, window: &Window) {
        self.totals.merge(&window.aggregate);
        if window.start() < self.last_end {
            return self.found(window.index);
        }
        self.rollup.push(window, |rolled| self.over_time.push(&rolled));
        self.missing.extend(Some(self.missing_until(window.start())).filter(|gap| !gap.is_empty()));
        self.last_end = window.end();
        for last in &mut self.last {
            last.push(window, self.hold);
        }
    }

    /// There are windows up to `end`: those that do not come are missing.
    pub fn known_end(&mut self, end: Nanos) {
        self.known_end = end;
    }

    /// A window that was missing has come.
    fn found(&mut self, index: u64) {
        let around = |gap: &Range<u64>| match gap.contains(&index) {
            true => [gap.start..index, index + 1..gap.end],
            false => [gap.clone(), 0..0],
        };
        self.missing = self.missing.iter().flat_map(around).filter(|gap| !gap.is_empty()).collect();
    }

    /// Numbers of the windows from the last one to `until`.
    fn missing_until(&self, until: Nanos) -> Range<u64> {
        let number = |at: Nanos| at.0 / self.window.0.max(1);
        number(self.last_end)..number(until)
    }

    /// Windows that came of no injector and that are not in these gaps of one.
    fn missing_beside(&self, gaps: &[Range<u64>]) -> u64 {
        let last = self.missing_until(self.known_end);
        let beside = |missing: &Range<u64>| {
            let both = |gap: &Range<u64>| gap.end.min(missing.end).saturating_sub(gap.start.max(missing.start));
            missing.end.saturating_sub(missing.start) - gaps.iter().map(both).sum::<u64>()
        };
        self.missing.iter().chain([&last]).map(beside).sum()
    }

    /// Whether another failed exchange is kept.
    pub fn takes_failures(&self) -> bool {
        self.failures.len() < EXAMPLES_MAX
    }

    /// Adds a failed exchange kept for study.
    pub fn failure(&mut self, failure: FailureExample) {
        if self.takes_failures() {
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
        self.reading(&Reading::single(resource.clone(), self.readings.width()));
    }

    /// Takes what was read of one figure in a span as long as a window of [`Self::window_width`]. One that is no number is a
    /// gap.
    pub fn reading(&mut self, reading: &Reading) {
        let resource = &reading.resource;
        if !resource.value.is_finite() {
            return;
        }
        let injector = self.injectors.iter_mut().find(|injector| injector.facts.name == resource.host);
        let is_own = injector.is_some();
        if injector.is_some_and(|injector| injector.reading(reading)) {
            return;
        }
        self.observed.take(reading, self.readings.width());
        // What the run says of itself is not read again and again.
        if resource.source != RUN {
            return self.read(reading);
        }
        match figures::named(&resource.metric) {
            // The run ends with the last of its injectors.
            Some(figures::LOAD_ENDED_S) if is_own => self.load_ended = self.load_ended.max(Some(nanos(resource.value))),
            Some(figures::ENDED_S) if is_own => self.ended = self.ended.max(Some(nanos(resource.value))),
            Some(figures::INTERRUPTED) if is_own => self.interrupted |= resource.value > 0.0,
            _ => {}
        }
    }

    fn read(&mut self, Reading { resource, bin, .. }: &Reading) {
        if resource.host != observed::LOCAL {
            return self.readings.push_bin(resource, bin);
        }
        self.readings.push_bin(&Resource { host: INJECTOR.into(), ..resource.clone() }, bin);
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
        let steadiness = steadiness(&self.over_time.course.finish(catalog, hold));
        steadiness.is_some_and(|steadiness| steadiness.holds == Some(true))
    }

    /// Conditions of the plan that end a run and do not hold as far as it has come, by number.
    pub fn violated(&self, plan: &Plan, catalog: &Catalog) -> Vec<usize> {
        self.with_evidence(plan, catalog, &self.over_time, violated)
    }

    /// What spoils the run so far: reasons that decide its verdict as soon as it ends, and warnings.
    pub fn so_far(&self, plan: &Plan, catalog: &Catalog) -> Vec<Reason> {
        self.with_evidence(plan, catalog, &self.over_time, so_far)
    }

    /// Gates and conditions of the plan as they stand; O(names × buckets).
    pub fn standing(&self, plan: &Plan, catalog: &Catalog) -> Standing {
        self.with_evidence(plan, catalog, &self.over_time, standing)
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
        let mut over_time = Cow::Borrowed(&self.over_time);
        if let Some(open) = self.rollup.open() {
            over_time.to_mut().push(open);
        }
        self.with_evidence(plan, catalog, &over_time, |evidence| {
            let evidence = Evidence { sides, ..*evidence };
            let judgement = judge(&evidence);
            let summary = Summary::new(&evidence, &judgement, over_time.series.finish(), &self.failures, events);
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
    fn with_evidence<T>(
        &self,
        plan: &Plan,
        catalog: &Catalog,
        over_time: &OverTime,
        look: impl FnOnce(&Evidence<'_>) -> T,
    ) -> T {
        let ended = self.ended.unwrap_or(self.last_end);
        let load_ended = self.load_ended.unwrap_or(ended).min(ended);
        let hold = (self.hold.0.min(load_ended), self.hold.1.min(load_ended));
        let facts = |injector: &Injector| {
            let facts = injector.facts(&self.totals, catalog, hold);
            InjectorFacts { windows_missing: facts.windows_missing + self.missing_beside(&facts.gaps), ..facts }
        };
        let injectors: Vec<InjectorFacts> = self.injectors.iter().map(facts).collect();
        let last: Vec<Tail> = self.last.iter().map(|last| last.conclude(hold, plan)).collect();
        let course = over_time.course.finish(catalog, hold);
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
            batches: &over_time.batches,
            course: &course,
            observed: &self.observed.all,
            readings: &self.readings,
            happened: &self.happened,
            stretches: &over_time.stretches,
            sides: None,
        })
    }
}

fn nanos(seconds: f64) -> Nanos {
    Nanos((seconds * 1e9).round() as u64)
}
