//! The fold from windows, readings and events to [`Evidence`], live or read back from a directory: the same either way.
//!
//! O(names) a window, in bounded memory.
//!
//! # Layout
//! - this file: everything that is summed up
//! - `tail`: the last part of the hold; `observed`: what observed processes use
//! - [`happened`]: interventions as their events tell; [`beside`]: what else used the processors of the injector's host

use std::time::Duration;

use nmax_metrics::{Aggregate, Catalog, FailureExample, Nanos, Readings, Resource, Section, Window};
use nmax_plan::plan::{INJECTOR, Intervention, Plan};
use nmax_plan::threshold::Within;

use crate::breakdown::Sides;
use crate::{
    Batches, CourseBuilder, Ending, Event, Evidence, Happened, InjectorFacts, Judged, SeriesBuilder, Stretches,
    Summary, Tail, judge, steadiness, violated,
};

pub mod beside;
pub mod happened;
mod observed;
mod tail;

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
    happened: Vec<Happened>,
    observed: Observed,
    readings: Readings,
    windows: u64,
    last_end: Nanos,
    cpu: (Nanos, Nanos),
    /// The injector's memory on swap at its first reading, bytes.
    swapped_first: Option<u64>,
    /// What is known of the injector.
    pub facts: InjectorFacts,
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
            cpu: (Nanos::ZERO, Nanos::ZERO),
            swapped_first: None,
            facts: InjectorFacts::default(),
            load_ended: None,
            ended: None,
        }
    }

    /// Adds a window, in order.
    pub fn window(&mut self, window: &Window) {
        self.totals.merge(&window.aggregate);
        self.series.push(window);
        self.batches.push(window);
        self.course.push(window);
        self.stretches.push(window);
        self.facts.windows_missing += window.index.saturating_sub(self.windows);
        self.windows = window.index + 1;
        self.last_end = window.end();
        let load = window.aggregate.load(Section::Hold);
        self.cpu = (self.cpu.0 + load.cpu, self.cpu.1 + load.worker_time);
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
            self.facts.aborted = Some(text.into());
        }
        self.events.push(Event { at_s: at.as_secs_f64(), code: code.into(), text: text.into() });
    }

    /// Takes a reading; what it says of the injector or of the run's end.
    pub fn resource(&mut self, resource: &Resource) {
        let is_own = resource.host == INJECTOR;
        if is_own && beside::is_source(&resource.source) {
            return beside::take(self.facts.culprits.get_or_insert_default(), resource);
        }
        self.observed.take(resource);
        // What the run says of itself is not read again and again.
        if resource.source != "run" {
            self.read(resource);
        }
        if !is_own || !["process", "host", "run"].contains(&resource.source.as_str()) {
            return;
        }
        let value = resource.value;
        let most = |known: &mut Option<u64>| most_of(known, value as u64);
        match resource.metric.as_str() {
            "open_files_count" => most(&mut self.facts.open_files_max),
            "ports_used_count" => most(&mut self.facts.ports_used_max),
            "ports_limit_count" => self.facts.ports_limit = Some(value as u64),
            "time_wait_count" => most(&mut self.facts.time_wait_max),
            "memory_available_ratio" => {
                let least = &mut self.facts.memory_available_min;
                *least = Some(least.unwrap_or(1.0).min(value));
            }
            "swapped_bytes" => {
                // What was out before the run says nothing about it.
                let first = *self.swapped_first.get_or_insert(value as u64);
                most_of(&mut self.facts.swapped_bytes, (value as u64).saturating_sub(first));
            }
            "open_files_limit_count" => self.facts.open_files_limit = Some(value as u64),
            "workers_cpus_count" => self.facts.cpus = Some(value as u32),
            "workers_count" => self.facts.workers = value as u32,
            "stalled_hold_max_s" => self.facts.stalled_max_s = Some(value),
            "cpu_utilization_hold_max" => self.facts.cpu_utilization_max = Some(value),
            "load_ended_s" => self.load_ended = Some(nanos(value)),
            "ended_s" => self.ended = Some(nanos(value)),
            "windows_missing_count" => self.facts.windows_missing += value as u64,
            "workers_confined" => self.facts.confined = value > 0.0,
            "interrupted" => self.facts.interrupted = value > 0.0,
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
        match (&self.facts.aborted, self.facts.interrupted) {
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
        let mean = (self.cpu.1 > Nanos::ZERO).then(|| self.cpu.0.0 as f64 / self.cpu.1.0 as f64);
        let facts = InjectorFacts {
            cpu_utilization_mean: mean,
            cpu_utilization_max: self.facts.cpu_utilization_max.or(mean),
            ..self.facts.clone()
        };
        let last: Vec<Tail> = self.last.iter().map(|last| last.conclude(hold, plan)).collect();
        let course = self.course.finish(catalog, hold);
        look(&Evidence {
            plan,
            catalog,
            totals: &self.totals,
            hold,
            end: ended,
            last: &last,
            injector: &facts,
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

fn most_of(known: &mut Option<u64>, value: u64) {
    *known = Some(known.unwrap_or(0).max(value));
}

fn nanos(seconds: f64) -> Nanos {
    Nanos((seconds * 1e9).round() as u64)
}
