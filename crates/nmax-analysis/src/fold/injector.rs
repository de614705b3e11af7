//! What is known of an injector, as readings of its host tell it.

use std::borrow::Cow;

use nmax_metrics::{Aggregate, Catalog, Nanos, Reading, Rollup, Section, Window};
use nmax_sources::{RUN, figures};

use super::beside;
use crate::evidence::{Own, busy};
use crate::{CourseBuilder, InjectorFacts};

/// An injector of the run that is folded.
#[derive(Debug, Default)]
pub struct Injector {
    /// What is known of it.
    pub facts: InjectorFacts,
    /// Its memory on swap at the first reading, bytes.
    swapped_first: Option<u64>,
    /// What it measured, where there are several.
    pub(super) own: Option<Box<Measured>>,
}

/// What one of several injectors measured.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    totals: Aggregate,
    last_end: Nanos,
    rollup: Rollup,
    pub(super) course: CourseBuilder,
}

impl Measured {
    fn finish(&self, catalog: &Catalog, hold: (Nanos, Nanos)) -> Own {
        let mut course = Cow::Borrowed(&self.course);
        if let Some(open) = self.rollup.open() {
            course.to_mut().push_rolled(open);
        }
        Own { totals: self.totals.clone(), course: course.finish(catalog, hold) }
    }
}

impl Injector {
    /// `own`: what takes its windows, and how wide those are that a course is made of; `None` for the only one of a run.
    pub(super) fn new(name: &str, own: Option<(&CourseBuilder, Nanos)>) -> Self {
        let own = own.map(|(course, width)| {
            let (totals, rollup) = (Aggregate::default(), Rollup::new(width));
            Box::new(Measured { totals, last_end: Nanos::ZERO, rollup, course: course.clone() })
        });
        Self { facts: InjectorFacts { name: name.to_owned(), ..InjectorFacts::default() }, own, swapped_first: None }
    }

    pub(super) fn window(&mut self, window: &Window) {
        if let Some(own) = self.own.as_deref_mut() {
            own.totals.merge(&window.aggregate);
            if window.start() >= own.last_end {
                own.last_end = window.end();
                // Of an injector it is only asked how its load went.
                let mut load = Window::new(window.index, window.width);
                for section in Section::ALL {
                    load.aggregate.load_mut(section).clone_from(window.aggregate.load(section));
                }
                own.rollup.push(&load, |rolled| own.course.push_rolled(&rolled));
            }
        }
    }

    /// Takes readings of its host; whether they are of those that stand for themselves.
    pub(super) fn reading(&mut self, Reading { resource, first, bin }: &Reading) -> bool {
        let Self { facts, swapped_first, .. } = self;
        if beside::is_source(&resource.source) {
            beside::take(facts.culprits.get_or_insert_default(), resource);
            return true;
        }
        if !["process", "host", RUN].contains(&resource.source.as_str()) {
            return false;
        }
        let value = resource.value;
        let most = |known: &mut Option<u64>, value: u64| *known = Some(known.unwrap_or(0).max(value));
        let largest =
            |known: &mut Option<f64>, value: f64| *known = Some(known.map_or(value, |known| known.max(value)));
        match figures::named(&resource.metric) {
            Some(figures::OPEN_FILES_COUNT) => most(&mut facts.open_files_max, bin.max as u64),
            Some(figures::PORTS_USED_COUNT) => most(&mut facts.ports_used_max, bin.max as u64),
            Some(figures::PORTS_LIMIT_COUNT) => facts.ports_limit = Some(value as u64),
            Some(figures::TIME_WAIT_COUNT) => most(&mut facts.time_wait_max, bin.max as u64),
            Some(figures::MEMORY_AVAILABLE_RATIO) => {
                facts.memory_available_min = Some(facts.memory_available_min.unwrap_or(1.0).min(bin.min));
            }
            Some(figures::SWAPPED_BYTES) => {
                // What was out before the run says nothing about it.
                let first = *swapped_first.get_or_insert(*first as u64);
                most(&mut facts.swapped_bytes, (bin.max as u64).saturating_sub(first));
            }
            Some(figures::OPEN_FILES_LIMIT_COUNT) => facts.open_files_limit = Some(value as u64),
            Some(figures::WORKERS_CPUS_COUNT) => facts.cpus = Some(value as u32),
            Some(figures::WORKERS_COUNT) => facts.workers = value as u32,
            Some(figures::STALLED_HOLD_MAX_S) => facts.stalled_max_s = Some(value),
            Some(figures::CPU_UTILIZATION_HOLD_MAX) => facts.cpu_utilization_max = Some(value),
            Some(figures::WINDOWS_MISSING_COUNT) => facts.windows_missing += bin.sum as u64,
            Some(figures::CLOCK_ERROR_S) => largest(&mut facts.clock_error_s, bin.max),
            Some(figures::CLOCK_JUMP_S) => largest(&mut facts.clock_jump_s, bin.max.max(-bin.min)),
            Some(figures::WORKERS_CONFINED) => facts.confined = value > 0.0,
            _ => {}
        }
        false
    }

    /// All of it so far; `totals` are those of the run.
    pub(super) fn facts(&self, totals: &Aggregate, catalog: &Catalog, hold: (Nanos, Nanos)) -> InjectorFacts {
        let own = self.own.as_deref().map(|own| Box::new(own.finish(catalog, hold)));
        let mean = busy(own.as_ref().map_or(totals, |own| &own.totals));
        let facts = self.facts.clone();
        InjectorFacts { cpu_utilization_max: facts.cpu_utilization_max.or(mean), own, ..facts }
    }
}
