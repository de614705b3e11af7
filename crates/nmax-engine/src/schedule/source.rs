//! Where iterations come from: a schedule of starts (open) or of active VUs (closed), of one worker's share.
//!
//! The mix is one source; each scenario of the background is another, with a schedule and users of its own. All begin
//! at the run's origin and know nothing of each other: what is beside the mix changes none of its instants and choices.

use std::cell::{Cell, RefCell};
use std::num::NonZeroU64;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Waker;
use std::time::Duration;

use nmax_metrics::Nanos;
use nmax_plan::choice::{Choice, derive};
use nmax_plan::mix::Mix;
use nmax_plan::plan::{Arrivals, Feeder, Pick, Plan, Workload};
use nmax_plan::schedule::{self, Closed, Open, Stage, StageError};
use nmax_plan::share::Share;
use tokio::sync::Semaphore;

use crate::error::ProgramError;
use crate::iteration::{Assignment, VuSlot};
use crate::schedule::growth::Growth;
use crate::schedule::locations::Idle;

/// Slots of the iterations in flight: those of each open workload are one pool, from which all workers take.
#[derive(Clone, Debug)]
pub struct Slots(Vec<Arc<Semaphore>>);

impl Slots {
    /// Those of a share of a plan, free: those of all shares are together what the plan allows.
    pub fn new(plan: &Plan, share: Share) -> Self {
        let beside = plan.background.iter().map(|background| &background.workload);
        let pool = |workload: &Workload| match workload {
            Workload::Open { max_in_flight, .. } => {
                Arc::new(Semaphore::new(share.count_below(u64::from(*max_in_flight)) as usize))
            }
            Workload::Closed { .. } => Arc::new(Semaphore::new(0)),
        };
        Self(std::iter::once(&plan.workload).chain(beside).map(pool).collect())
    }
}

/// All iterations of one worker.
pub struct Sources<T> {
    /// Those of the mix: the run ends with them.
    pub main: Source<T>,
    /// Those beside the mix, in the order of the plan.
    pub background: Vec<Source<T>>,
    /// Users of all sources, in the whole run. A worker that has more than its part of an open workload's numbers theirs
    /// from there.
    pub(crate) vus_of_all: u32,
    /// From when on they are this worker's.
    pub(crate) from: Nanos,
    /// The worker's part of the run, 0 to 1.
    pub(crate) fraction: f64,
}

/// Iterations of one workload, of one worker's share.
pub struct Source<T> {
    /// How they start.
    pub kind: Kind,
    /// The worker's part of the run.
    pub share: Share,
    /// Which scenario an iteration runs.
    pub(crate) mix: Mix,
    /// Its place among the sources: 0 is the mix, n the n-th background.
    pub(crate) number: u32,
    /// Users of the sources before it, in the whole run: its own are numbered from there.
    pub(crate) vus_before: u32,
    /// Timer of the pacer.
    pub(crate) timer: T,
    /// When an iteration of it first found no row left.
    pub(crate) data_ended: Cell<Option<Nanos>>,
}

/// How iterations start.
pub enum Kind {
    /// By schedule.
    Open(OpenSource),
    /// By VUs that are free.
    Closed(ClosedSource),
}

/// A schedule that may be replaced by one that agrees with it up to an instant that lies ahead.
#[derive(Debug)]
pub struct Current<S> {
    schedule: RefCell<Rc<S>>,
    /// How often it was replaced.
    revision: Cell<u32>,
}

impl<S> Current<S> {
    fn new(schedule: S) -> Self {
        Self { schedule: RefCell::new(Rc::new(schedule)), revision: Cell::new(0) }
    }

    /// The schedule as it is now.
    pub fn get(&self) -> Rc<S> {
        Rc::clone(&self.schedule.borrow())
    }

    /// Tells one schedule from the next.
    #[inline]
    pub(crate) fn revision(&self) -> u32 {
        self.revision.get()
    }

    fn replace(&self, schedule: S) {
        self.schedule.replace(Rc::new(schedule));
        self.revision.set(self.revision.get() + 1);
    }
}

/// Iterations by schedule, run by a pool of VUs.
pub struct OpenSource {
    /// When iterations start.
    pub schedule: Current<Open>,
    /// Most VUs of this worker.
    pub vus_max: u32,
    /// Of them, those that have numbers among the users of the source.
    pub(crate) vus_own: u32,
    /// One wake-up serves all starts that are due within this time.
    pub(crate) slack: Cell<Nanos>,
    /// Slots of iterations in flight, shared with the other workers.
    pub(crate) slots: Arc<Semaphore>,
    /// When VUs are made.
    pub(crate) growth: Growth,
    /// Which of the worker's iterations is next.
    pub(crate) next: Cell<u64>,
    /// VUs without work.
    pub(crate) idle: RefCell<Idle>,
    /// VUs made so far.
    pub(crate) made: Cell<u32>,
    /// From when to when due iterations waited for the target, if any is still late by that.
    pub(crate) starved: Cell<Option<(Nanos, Nanos)>>,
    /// The pacer waits for a slot, or did so when the load ended.
    pub(crate) awaits_slot: Cell<bool>,
    /// Slots that this worker has.
    pub(crate) taken: Cell<u32>,
    /// The pacer waits for a VU.
    pub(crate) awaits_user: Cell<bool>,
    /// The pacer while it waits.
    pub(crate) pacer: RefCell<Option<Waker>>,
}

/// Iterations by VUs that are free.
pub struct ClosedSource {
    /// Which VUs are active.
    pub schedule: Current<Closed>,
    /// VUs of the whole run, as planned: iterations are numbered by it.
    pub vus_total: u64,
    /// Iterations that this worker may still start.
    pub(crate) remaining: Cell<Option<u64>>,
    /// VUs of this worker that were made.
    pub(crate) made: Cell<u64>,
    /// Those that ended because they are not active any more, each with the number of its next iteration.
    pub(crate) ended: RefCell<Vec<(Rc<VuSlot>, u64)>>,
}

/// When the statistics interval and the load end, as planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Times {
    /// Statistics interval; open-ended ones end at [`Nanos::MAX`].
    pub hold: (Nanos, Nanos),
    /// End of what is due; `None` when only a number of closed iterations ends it.
    pub end: Option<Nanos>,
    /// When nothing starts any more, late or not. A number of iterations is started however late.
    pub closes: Option<Nanos>,
}

/// The planned times of a run. A number of open iterations ends the load when the next one would be due.
pub fn times(plan: &Plan) -> Times {
    let span = schedule::hold_span(&plan.stages);
    let planned = schedule::phases(&plan.stages).last().and_then(|phase| phase.span.end_ns);
    let limited = match (&plan.workload, plan.iterations) {
        (Workload::Open { arrivals, .. }, Some(n)) => {
            unlimited_schedule(plan, *arrivals).ok().and_then(|open| open.offset_ns(n))
        }
        _ => None,
    };
    let end = planned.into_iter().chain(limited).min();
    // A number of iterations is started however late, so only the run itself knows when its hold ends.
    let hold_end = span.end_ns;
    Times {
        hold: (Nanos(span.start_ns), hold_end.map_or(Nanos::MAX, Nanos)),
        end: end.map(Nanos),
        closes: planned.map(Nanos),
    }
}

/// The schedule of the mix, when that is an open workload.
pub fn open_schedule(plan: &Plan, arrivals: Arrivals) -> Result<Open, ProgramError> {
    let open = unlimited_schedule(plan, arrivals)?;
    Ok(match plan.iterations {
        Some(limit) => open.limit(limit),
        None => open,
    })
}

fn unlimited_schedule(plan: &Plan, arrivals: Arrivals) -> Result<Open, ProgramError> {
    if arrivals == Arrivals::Listed {
        let last = schedule::phases(&plan.stages).last().and_then(|phase| phase.span.end_ns);
        return Ok(Open::listed(Arc::clone(&plan.starts), last.unwrap_or(0)));
    }
    plan.open_schedule(law_of(arrivals, plan.seed)).map_err(no_schedule)
}

fn law_of(arrivals: Arrivals, seed: u64) -> schedule::Arrivals {
    match arrivals {
        // Only the mix can have a list.
        Arrivals::Even | Arrivals::Listed => schedule::Arrivals::Even,
        Arrivals::Poisson => schedule::Arrivals::Poisson { seed },
    }
}

fn no_schedule(error: StageError) -> ProgramError {
    ProgramError::Stages(error.to_string())
}

/// VUs that a workload may have at most, in the whole run.
fn vus_max(workload: &Workload, stages: &[Stage]) -> Result<u64, ProgramError> {
    match workload {
        Workload::Open { max_in_flight, .. } => Ok(u64::from(*max_in_flight)),
        Workload::Closed { .. } => closed(stages).map(|closed| closed.vus_max()),
    }
}

fn closed(stages: &[Stage]) -> Result<Closed, ProgramError> {
    Closed::new(stages).map_err(no_schedule)
}

/// One worker's part of a run.
#[derive(Clone, Copy)]
struct Part {
    whole: Share,
    share: Share,
    k: u32,
    workers: u32,
}

impl<T> Sources<T> {
    /// The iterations of worker `k` of `workers` within `share`; each source gets a timer. All workers take from the same
    /// slots.
    pub fn new(
        plan: &Plan,
        slots: &Slots,
        whole: Share,
        (k, workers): (u32, u32),
        timer: impl Fn() -> T,
    ) -> Result<Self, ProgramError> {
        let share =
            whole.split(k, workers).map_err(|error| ProgramError::Stages(format!("share of worker {k}: {error}")))?;
        let (part, fraction) = (Part { whole, share, k, workers }, share.fraction());
        let mix = |weights: &[f64]| Mix::new(weights).map_err(|error| ProgramError::Mix(error.to_string()));
        let weights: Vec<f64> = plan.scenarios.iter().map(|scenario| scenario.weight).collect();
        let main = Source {
            kind: match plan.workload {
                Workload::Open { arrivals, max_in_flight, .. } => {
                    let apart = plan.starts_apart(&plan.workload, &plan.stages, fraction);
                    part.open(plan, open_schedule(plan, arrivals)?, max_in_flight, &slots.0[0], apart)
                }
                Workload::Closed { .. } => {
                    let planned = closed(plan.planned_stages())?.vus_max();
                    part.closed(plan.closed_schedule().map_err(no_schedule)?, planned, plan.iterations)
                }
            },
            share,
            mix: mix(&weights)?,
            number: 0,
            vus_before: 0,
            timer: timer(),
            data_ended: Cell::new(None),
        };
        let mut vus_before = vus_max(&plan.workload, plan.planned_stages())?;
        let mut background = Vec::with_capacity(plan.background.len());
        for (beside, number) in plan.background.iter().zip(1..) {
            let only: Vec<f64> =
                (0..plan.scenarios.len()).map(|scenario| if scenario == beside.scenario { 1.0 } else { 0.0 }).collect();
            background.push(Source {
                kind: match beside.workload {
                    Workload::Open { arrivals, max_in_flight, .. } => {
                        let seed = derive(plan.seed, u64::from(number));
                        let apart = plan.starts_apart(&beside.workload, &beside.stages, fraction);
                        let schedule = Open::new(&beside.stages, law_of(arrivals, seed)).map_err(no_schedule)?;
                        part.open(plan, schedule, max_in_flight, &slots.0[number as usize], apart)
                    }
                    Workload::Closed { .. } => {
                        let schedule = closed(&beside.stages)?;
                        let vus = schedule.vus_max();
                        part.closed(schedule, vus, None)
                    }
                },
                share,
                mix: mix(&only)?,
                number,
                vus_before: vus_before as u32,
                timer: timer(),
                data_ended: Cell::new(None),
            });
            vus_before += vus_max(&beside.workload, &beside.stages)?;
        }
        Ok(Self { main, background, vus_of_all: vus_before as u32, from: Nanos::ZERO, fraction })
    }

    /// The same, of which what is due before this instant is not the worker's.
    #[must_use]
    pub fn starting_at(self, from: Nanos) -> Self {
        for source in self.all() {
            if let Kind::Open(open) = &source.kind {
                open.next.set(open.due_before(&source.share, from));
                open.growth.begin(from, open.next.get());
            }
        }
        Self { from, ..self }
    }

    /// The source of this number.
    #[inline]
    pub(crate) fn get(&self, number: u32) -> &Source<T> {
        match number {
            0 => &self.main,
            _ => &self.background[number as usize - 1],
        }
    }

    /// The mix goes by the stages of this plan from now on, which agree with those so far up to an instant ahead.
    /// VUs that it needs besides are still to be made.
    pub(crate) fn steer(&self, plan: &Plan) -> Result<(), ProgramError> {
        match (&self.main.kind, &plan.workload) {
            (Kind::Open(open), Workload::Open { arrivals, .. }) => {
                let apart = plan.starts_apart(&plan.workload, &plan.stages, self.fraction);
                open.steer(open_schedule(plan, *arrivals)?, apart.into(), plan.slack(apart).into());
            }
            (Kind::Closed(closed), Workload::Closed { .. }) => {
                closed.schedule.replace(plan.closed_schedule().map_err(no_schedule)?);
            }
            _ => {} // A plan keeps its workload.
        }
        Ok(())
    }

    /// Every source, the mix first.
    pub(crate) fn all(&self) -> impl Iterator<Item = &Source<T>> {
        std::iter::once(&self.main).chain(&self.background)
    }
}

impl Part {
    fn open(self, plan: &Plan, schedule: Open, max_in_flight: u32, slots: &Arc<Semaphore>, apart: Duration) -> Kind {
        Kind::Open(OpenSource {
            schedule: Current::new(schedule),
            vus_max: self.whole.count_below(u64::from(max_in_flight)) as u32,
            vus_own: self.share.count_below(u64::from(max_in_flight)) as u32,
            slack: Cell::new(plan.slack(apart).into()),
            slots: Arc::clone(slots),
            growth: Growth::new(apart.into()),
            awaits_user: Cell::new(false),
            next: Cell::new(0),
            idle: RefCell::default(),
            made: Cell::new(0),
            starved: Cell::new(None),
            awaits_slot: Cell::new(false),
            taken: Cell::new(0),
            pacer: RefCell::default(),
        })
    }

    fn closed(self, schedule: Closed, vus_total: u64, iterations: Option<u64>) -> Kind {
        let remaining = iterations.map(|n| iterations_of(n, self.whole, self.k, self.workers, vus_total));
        Kind::Closed(ClosedSource {
            schedule: Current::new(schedule),
            vus_total,
            remaining: Cell::new(remaining),
            made: Cell::new(0),
            ended: RefCell::default(),
        })
    }
}

impl<T> Source<T> {
    /// The iterations of the background have coordinates of their own, beside those of the mix:
    /// the first one of (user, iteration) holds the source above 32 bits.
    #[inline]
    pub(crate) fn user(&self, vu: u64) -> u64 {
        u64::from(self.number) << 32 | vu
    }

    /// The scenario of an iteration of an open workload.
    #[inline]
    pub(crate) fn scenario(&self, seed: u64, number: u64) -> usize {
        self.mix.pick_open(seed, number)
    }

    /// Its data ended: it starts nothing more, and what is under way may end. The others go on.
    pub(crate) fn end(&self, now: Nanos) {
        self.data_ended.set(self.data_ended.get().or(Some(now)));
        match &self.kind {
            Kind::Open(open) => {
                // No schedule has an iteration of that number.
                open.next.set(u64::MAX);
                open.wake_pacer();
            }
            Kind::Closed(closed) => closed.remaining.set(Some(0)),
        }
    }
}

/// The number of the source that an iteration comes from: see [`Source::user`].
pub(crate) fn source_of(assignment: &Assignment) -> u32 {
    (assignment.choice.0 >> 32) as u32
}

/// Worker k's part of `n` iterations, in proportion to the VUs that it owns. All workers of all shares do `n`.
fn iterations_of(n: u64, whole: Share, k: u32, workers: u32, vus_total: u64) -> u64 {
    let upto = |of: u64, vus: u64, all: u64| (u128::from(of) * u128::from(vus) / u128::from(all.max(1))) as u64;
    let vus = whole.count_below(vus_total);
    let of_vu = |vu: u64| upto(n, vu + 1, vus_total) - upto(n, vu, vus_total);
    let own = match vus == vus_total {
        true => n,
        false => (0..vus).filter_map(|j| whole.nth(j)).map(of_vu).sum(),
    };
    let owned = |k: u32| whole.split(k, workers).map_or(0, |share| share.count_below(vus_total));
    let before: u64 = (0..k).map(owned).sum();
    upto(own, before + owned(k), vus) - upto(own, before, vus)
}

impl OpenSource {
    /// How many of the worker's iterations are due before `at`.
    pub(crate) fn due_before(&self, share: &Share, at: Nanos) -> u64 {
        at.0.checked_sub(1).map_or(0, |last| share.count_below(self.schedule.get().count_at(last)))
    }

    /// Whether its data ended: see [`Source::end`].
    pub(crate) fn is_ended(&self) -> bool {
        self.next.get() == u64::MAX
    }

    /// The pacer's task is this one.
    pub(crate) fn watch_pacer(&self, waker: &Waker) {
        let mut pacer = self.pacer.borrow_mut();
        if !pacer.as_ref().is_some_and(|known| known.will_wake(waker)) {
            *pacer = Some(waker.clone());
        }
    }

    /// Goes by another schedule from now on, which agrees with this one up to an instant ahead: its starts are `apart`
    /// from each other at least.
    fn steer(&self, schedule: Open, apart: Nanos, slack: Nanos) {
        self.schedule.replace(schedule);
        self.growth.apart.set(apart);
        self.slack.set(slack);
        self.wake_pacer();
    }

    /// Lets the pacer look again.
    pub(crate) fn wake_pacer(&self) {
        if let Some(waker) = self.pacer.borrow().as_ref() {
            waker.wake_by_ref();
        }
    }
}

/// The row of a feeder that an iteration reads.
pub(crate) fn row(feeder: &Feeder, index: usize, seed: u64, assignment: &Assignment) -> u64 {
    if matches!(feeder.pick, Pick::Sequential | Pick::Unique) {
        return assignment.number % feeder.row_count().max(1);
    }
    // Steps count from 0, so these addresses are nobody else's.
    let step = (1 << 32) + index as u64;
    row_at(feeder, Choice::new(seed, assignment.choice.0, assignment.choice.1, step))
}

/// The row of a feeder that is picked at random by this choice.
pub(crate) fn row_at(feeder: &Feeder, choice: Choice) -> u64 {
    let rows = feeder.row_count();
    let Some(count) = NonZeroU64::new(rows) else {
        return 0;
    };
    let row = match feeder.pick {
        Pick::Sequential | Pick::Unique => 0,
        Pick::Random => choice.below(0, count),
        Pick::Zipf { exponent } => choice.zipf(0, count, exponent).saturating_sub(1),
    };
    row.min(rows - 1)
}
