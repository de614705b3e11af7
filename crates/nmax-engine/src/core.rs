//! What the calls of one worker's virtual users share, whatever their protocol: plan, meter, names, state of the run. One
//! thread, no locks on the way.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;

use nmax_http::Notes;
use nmax_metrics::{Fence, Nanos, Section};
use nmax_plan::plan::Plan;

use crate::iteration::{Assignment, IterationEnd, VuSlot};
use crate::measure::meter::{Meter, WorkerEnd};
use crate::measure::names::NameBook;
use crate::run::settings::Known;
use crate::runtime::{Runtime, ThreadTime};
use crate::schedule::source::{Times, times};

/// What the calls of one worker's virtual users share.
pub struct Core<R: Runtime> {
    /// Clock, timers, tasks.
    pub runtime: R,
    /// The plan.
    pub plan: Arc<Plan>,
    /// Records.
    pub meter: RefCell<Meter>,
    /// Wall time at the run's origin, since 1970; for cookies and what templates make of the time.
    pub unix_origin: Nanos,
    /// Whether every exchange is reported.
    pub(crate) reports_exchanges: bool,
    pub(crate) names: NameBook,
    /// Who wants to know the secrets among the values of each call, before it is sent.
    pub(crate) known: Option<Known>,
    /// What the protocol noticed beside exchanges since it was last asked; whether that is the last time.
    pub(crate) notes: Box<dyn Fn(bool) -> Notes>,
    /// From when on nothing is started or sent.
    pub(crate) fence: Fence,
    pub(crate) state: State,
}

/// How near the end of the run is: each phase has what is said of those before it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Phase {
    /// Iterations start.
    #[default]
    Open,
    /// No iteration starts any more.
    Closing,
    /// The load has ended, as planned or because it was stopped: iterations that were given out begin no more.
    Over,
    /// Pauses are not waited for any more.
    Hurried,
    /// Exchanges are cut off.
    Cut,
}

/// How far the run is.
#[derive(Debug, Default)]
pub(crate) struct State {
    /// How near its end is; for [`State::close`].
    phase: Cell<Phase>,
    /// When that was decided, if not by the plan.
    pub closed_at: Cell<Option<Nanos>>,
    /// Everything has ended, and its instant is fixed: nothing is recorded any more.
    pub ended: Cell<bool>,
    /// When the last iteration of an open workload was started, or was to be, if that was later.
    pub load_ended: Cell<Option<Nanos>>,
    /// When the mix had nothing more to start: what is beside it is not due any more then.
    pub main_ended: Cell<Option<Nanos>>,
    /// Iterations in flight.
    pub active: Cell<u64>,
    /// Iterations given to a VU that has not begun them.
    pub handed: Cell<u64>,
    /// Closed VUs and pacer of the mix: who may still start iterations of it.
    pub starters: Cell<u64>,
    /// VUs that have yet to clear up what their setup made.
    pub teardowns: Cell<u64>,
    /// Everyone to wake when the run is cut.
    pub vus: RefCell<Vec<Rc<VuSlot>>>,
    /// The worker's main task.
    pub main: RefCell<Option<Waker>>,
    /// A virtual user broke.
    pub broke: Cell<bool>,
    /// Why the worker stopped starting iterations early.
    pub ended_early: RefCell<Option<String>>,
    /// The plan as it was steered last, for its stages.
    pub steered: RefCell<Option<Arc<Plan>>>,
}

impl State {
    /// Whether iterations may start.
    #[inline]
    pub(crate) fn may_start(&self) -> bool {
        self.phase.get() == Phase::Open
    }

    /// Whether the run is in this phase or a later one.
    #[inline]
    pub(crate) fn is(&self, phase: Phase) -> bool {
        self.phase.get() >= phase
    }

    /// Whether nothing is in flight and nothing will start.
    pub(crate) fn is_over(&self) -> bool {
        let is_idle = self.active.get() == 0 && self.handed.get() == 0;
        let is_done = is_idle && (self.starters.get() == 0 || !self.may_start());
        if !is_done || self.teardowns.get() == 0 || self.broke.get() {
            return is_done;
        }
        if self.may_start() {
            self.close(Phase::Closing); // Those who wait for an iteration are to clear up now.
        }
        false
    }

    /// Lets the main task look again.
    pub(crate) fn wake_main(&self) {
        if let Some(waker) = self.main.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }

    /// This phase is reached: all who wait look again.
    pub(crate) fn close(&self, phase: Phase) {
        self.phase.set(self.phase.get().max(phase));
        self.vus.borrow().iter().for_each(|vu| vu.wake());
        self.wake_main();
    }

    /// A virtual user broke in the middle of an iteration: the worker ends instead of waiting for it for ever.
    fn lost(&self) {
        self.active.set(self.active.get().saturating_sub(1));
        self.broke.set(true);
        let why = "a virtual user broke, which is a defect of nmax";
        self.ended_early.borrow_mut().get_or_insert_with(|| why.to_owned());
        self.close(Phase::Closing);
    }
}

/// Held while an iteration is under way, so that a panic in it is noticed.
pub(crate) struct Watched<'a>(pub(crate) &'a State);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.lost();
        }
    }
}

impl<R: Runtime> Core<R> {
    /// Ends every window that lies before `now`.
    #[inline]
    pub(crate) fn roll(&self, now: Nanos) {
        if self.meter.borrow().is_due(now) {
            self.end_windows(now);
        }
    }

    #[cold]
    fn end_windows(&self, now: Nanos) {
        self.is_fenced(now);
        let mut meter = self.meter.borrow_mut();
        meter.note(now, &(self.notes)(false));
        meter.roll(now, || self.runtime.thread_time());
    }

    /// Reports the last window, which ended at `at`; `time` is the thread's use of the processor until then.
    pub(crate) fn finish(&self, at: Nanos, time: ThreadTime, end: WorkerEnd) {
        let mut meter = self.meter.borrow_mut();
        meter.note(self.runtime.now(), &(self.notes)(true));
        meter.finish(at, time, end);
    }

    /// The plan whose stages the load goes by.
    pub(crate) fn course(&self) -> Arc<Plan> {
        self.state.steered.borrow().as_ref().map_or_else(|| Arc::clone(&self.plan), Arc::clone)
    }

    /// The planned times as they are, when they were these at first.
    pub(crate) fn times(&self, planned: Times) -> Times {
        self.state.steered.borrow().as_deref().map_or(planned, times)
    }

    /// Wall time since 1970.
    pub(crate) fn unix_now(&self) -> Nanos {
        self.unix_origin + self.runtime.now()
    }

    /// Wall time, seconds since 1970, for cookies.
    pub(crate) fn unix_now_s(&self) -> i64 {
        (self.unix_now().0 / 1_000_000_000) as i64
    }

    /// Nothing starts any more, and pauses are not waited for.
    pub fn stop(&self) {
        self.stop_at(self.runtime.now());
    }

    /// As [`Core::stop`], at an instant that may lie back.
    fn stop_at(&self, at: Nanos) {
        if self.state.closed_at.get().is_none() && !self.state.ended.get() {
            self.state.closed_at.set(Some(at));
            self.roll(at);
            self.meter.borrow_mut().end_hold(at, at);
        }
        self.state.close(Phase::Hurried);
    }

    /// Whether `now` is at or after the fence. The run is stopped there then, whenever that is noticed.
    #[inline]
    pub(crate) fn is_fenced(&self, now: Nanos) -> bool {
        let is_fenced = self.fence.is_reached(now);
        if is_fenced && !self.state.is(Phase::Hurried) {
            let at = self.fence.get();
            self.state.load_ended.set(self.state.load_ended.get().or(Some(at)));
            self.stop_at(at);
        }
        is_fenced
    }

    /// Whether an iteration that was given out came too late to begin. The last ones of a run that counts iterations do
    /// not, but what is beside the mix does when that has ended.
    pub(crate) fn is_too_late(&self, assignment: &Assignment) -> bool {
        self.state.is(Phase::Over) || (self.state.main_ended.get().is_some() && !assignment.is_of_mix())
    }

    /// The mix starts nothing more, and so nothing else is due.
    pub(crate) fn main_ended(&self) {
        if self.state.main_ended.get().is_none() {
            self.state.main_ended.set(Some(self.runtime.now()));
        }
    }

    /// The same of this instant. A turn may have come while this thread stood still, so what is due does not tell.
    #[inline]
    pub(crate) fn is_now_fenced(&self) -> bool {
        self.fence.is_set() && self.is_fenced(self.runtime.now())
    }

    /// Every iteration of an open workload was started: the load ends now, or when planned if that is later.
    pub(crate) fn starts_ended(&self, planned: Option<Nanos>) {
        if self.state.may_start() {
            let now = self.runtime.now();
            let end = now.max(planned.unwrap_or(Nanos::ZERO));
            self.state.load_ended.set(Some(end));
            self.meter.borrow_mut().end_hold(now, end);
        }
    }

    /// The plan's data ended: nothing starts any more on this worker, and what is under way may end.
    pub(crate) fn data_ended(&self, why: String) {
        if self.state.ended_early.borrow().is_none() {
            let now = self.runtime.now();
            self.state.ended_early.replace(Some(why));
            self.state.load_ended.set(Some(now));
            self.roll(now);
            self.meter.borrow_mut().end_hold(now, now);
        }
        self.state.close(Phase::Closing);
    }

    /// Everything is cut off where it is.
    pub fn cut_off(&self) {
        self.stop();
        self.state.close(Phase::Cut);
    }

    /// An iteration begins.
    pub(crate) fn begin(&self, assignment: &Assignment) {
        let now = assignment.begun;
        self.state.active.set(self.state.active.get() + 1);
        self.roll(now);
        let mut meter = self.meter.borrow_mut();
        meter.in_flight(now, true);
        let section = meter.section(assignment.intended);
        let aggregate = &mut meter.window().aggregate;
        aggregate.scenarios.get_mut(section, assignment.scenario).started += 1;
        // What starts beside the mix would hide what the mix lacks.
        if assignment.is_of_mix() {
            let load = aggregate.load_mut(section);
            load.due += 1;
            load.started += 1;
            load.waited += u64::from(assignment.slot_wait > Nanos::ZERO);
        }
    }

    /// An iteration ends at `done`.
    pub(crate) fn end(&self, assignment: &Assignment, done: Nanos, end: IterationEnd) {
        self.is_fenced(done);
        self.roll(done);
        let mut meter = self.meter.borrow_mut();
        meter.in_flight(done, false);
        let section = meter.section(assignment.intended);
        let stats = meter.window().aggregate.scenarios.get_mut(section, assignment.scenario);
        match end {
            IterationEnd::Interrupted => stats.interrupted += 1,
            IterationEnd::Ok | IterationEnd::Failed => {
                stats.completed += 1;
                stats.failed += u64::from(end == IterationEnd::Failed);
                let time_ns = done.since(assignment.intended).0;
                stats.iteration_time.record(time_ns);
                let aggregate = &mut meter.window().aggregate;
                if assignment.begun > assignment.intended {
                    let delay = assignment.begun.since(assignment.intended);
                    aggregate.load_mut(section).start_delay_ns += u128::from(delay.0);
                }
                if let Some(location) = assignment.location {
                    let stats = aggregate.locations.get_mut(section, usize::from(location));
                    stats.iterations.record(end == IterationEnd::Ok, time_ns);
                }
                if let Some(hold) = meter.hold_of(done) {
                    hold.scenarios.get_mut(Section::Hold, assignment.scenario).ended_within += 1;
                    if let Some(location) = assignment.location {
                        hold.locations.get_mut(Section::Hold, usize::from(location)).iterations.ended_within += 1;
                    }
                }
            }
        }
        self.state.active.set(self.state.active.get() - 1);
        if self.state.active.get() == 0 {
            self.state.wake_main();
        }
    }
}
