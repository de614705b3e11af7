//! The pacer of open workloads: starts each iteration when it is due, on a virtual user that is free.
//!
//! # Who runs an iteration
//! 1. It takes a slot: of `max_in_flight`, one pool over all workers. A wait for a slot is the target's.
//! 2. It takes an idle user, whose connection is open. Only where none is idle is a user made, and with it a connection.
//!    A wait for a user is the injector's.
//!
//! # When a user is made
//! A start that is on time gets one at once when starts are far apart. Where they are close, and for all that is late,
//! a user who is about to become free is worth more than a new connection: after a stall of some milliseconds thousands
//! of starts are due at once, and as many new connections would delay everything that follows. [`Growth`] therefore
//! looks once per period whether the head of the queue gets younger. Only if it does not, and the worker had time to
//! spare, more users are made, twice as many each time, at most at twice the planned rate.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::Nanos;

use crate::context::{Assignment, Context, VuSlot};
use crate::driver::Drivers;
use crate::locations::LocationId;
use crate::runtime::{Runtime, Timer};
use crate::source::{OpenSource, Source};

/// Starts that are at least this far apart get a user at once, while they are on time.
const APART: Nanos = Nanos::from_micros(200);
/// A start that is at most this late is on time.
const ON_TIME: Nanos = Nanos::from_millis(1);
/// Least time between two looks at whether users are too few.
const LOOK_MIN: Nanos = Nanos::from_micros(200);
/// Most time between two looks.
const LOOK_MAX: Nanos = Nanos::from_millis(10);
/// Time over which a queue must get younger, whatever it did from one look to the next.
const EPOCH: Nanos = Nanos::from_millis(5);
/// By this share of the time.
const EPOCH_GAIN_MIN: f64 = 0.05;
/// Share of a period in which the worker may compute: with more, users are not what it lacks.
const BUSY_SHARE_MAX: f64 = 0.8;
/// Starts on time, one after the other, that had to wait for a user: one more is needed.
const WAITS: u32 = 8;
/// Users that may be made before anything is known of the target: as many as are due within this time.
const FIRST: Nanos = Nanos::from_micros(100);
/// At most so many.
const FIRST_MAX: u32 = 8;

/// How many users an open workload makes, and how fast.
#[derive(Debug)]
pub(crate) struct Growth {
    /// Time between two starts at the highest rate of this worker.
    apart: Nanos,
    /// Users that may be made now.
    credit: Cell<u32>,
    /// Credit that the next period without progress gives.
    step: Cell<u32>,
    /// Starts on time that had to wait, since the last one that did not.
    waits: Cell<u32>,
    /// The period under way: since when, how late the head of the queue was, and the CPU time of the worker.
    period: Cell<Option<Period>>,
    /// Since when the queue is watched for [`EPOCH`], and how late its head was.
    epoch: Cell<Option<(Nanos, Nanos)>>,
}

#[derive(Clone, Copy, Debug)]
struct Period {
    since: Nanos,
    lateness: Nanos,
    cpu: Nanos,
}

impl Growth {
    /// For starts that are `apart` from each other at least.
    pub(crate) fn new(apart: Nanos) -> Self {
        let first = (FIRST.0 / apart.0.max(1)).clamp(1, u64::from(FIRST_MAX)) as u32;
        Self {
            apart,
            credit: Cell::new(first),
            step: Cell::new(1),
            waits: Cell::new(0),
            period: Cell::new(None),
            epoch: Cell::new(None),
        }
    }

    /// Whether a user may be made for the start at the head of the queue, who is late by this.
    fn allows(&self, lateness: Nanos) -> bool {
        if self.apart >= APART && lateness <= ON_TIME {
            return true;
        }
        let left = self.credit.get().checked_sub(1);
        left.inspect(|left| self.credit.set(*left)).is_some()
    }

    /// When to look again, from the beginning of a wait for a user on.
    fn next_look(&self, now: Nanos, lateness: Nanos, cpu: impl Fn() -> Nanos, connecting: Nanos) -> Nanos {
        let period = self.period.get().unwrap_or_else(|| {
            let period = Period { since: now, lateness, cpu: cpu() };
            self.period.set(Some(period));
            period
        });
        period.since + connecting.max(LOOK_MIN).min(LOOK_MAX)
    }

    /// Ends a period: gives credit when nothing got better and the worker was not what held it up.
    fn look(&self, now: Nanos, lateness: Nanos, cpu: Nanos) {
        let Some(period) = self.period.replace(Some(Period { since: now, lateness, cpu })) else { return };
        let length = now.since(period.since);
        let is_busy = cpu.since(period.cpu).0 as f64 > BUSY_SHARE_MAX * length.0 as f64;
        if is_busy || (lateness < period.lateness && self.gains(now, lateness)) {
            return;
        }
        let step = self.step.get();
        let step_max = (2 * length.0 / self.apart.0.max(1)).clamp(1, u64::from(u32::MAX)) as u32;
        self.credit.set(self.credit.get().max(step.min(step_max)));
        self.step.set(step.saturating_mul(2).min(step_max));
    }

    /// Whether the queue got younger over the last epoch, as far as one has passed.
    fn gains(&self, now: Nanos, lateness: Nanos) -> bool {
        let (since, then) = self.epoch.get().unwrap_or((now, lateness));
        let length = now.since(since);
        let is_over = length >= EPOCH;
        self.epoch.set(Some(if is_over { (now, lateness) } else { (since, then) }));
        !is_over || then.since(lateness).0 as f64 >= EPOCH_GAIN_MIN * length.0 as f64
    }

    /// A start had to wait for a user that became idle.
    fn has_waited(&self, was_on_time: bool) {
        let waits = self.waits.get() + u32::from(was_on_time);
        self.waits.set(waits % WAITS);
        if waits == WAITS {
            self.credit.set(self.credit.get().max(1));
        }
    }

    /// Nothing is late any more.
    fn caught_up(&self) {
        self.period.set(None);
        self.epoch.set(None);
    }

    /// Users are enough: one was idle for a start that was on time.
    fn suffices(&self) {
        self.credit.set(0);
        self.step.set(1);
        self.waits.set(0);
    }
}

/// Starts each iteration of a source when it is due; `closes` is the planned end of the load.
pub(crate) async fn pace<R: Runtime, D: Drivers>(
    context: &Rc<Context<R, D>>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    closes: Option<Nanos>,
) {
    let mut cursor = open.schedule.cursor();
    let mut now = context.runtime.now();
    while context.state.may_start() {
        let next = source.share.nth(open.next.get());
        let Some((number, intended)) = next.and_then(|number| Some((number, Nanos(cursor.offset_ns(number)?)))) else {
            return;
        };
        if intended > now {
            now = context.runtime.now();
        }
        if intended > now {
            open.starved_since.set(None);
            open.growth.caught_up();
            // One wake-up serves all that is due within the slack; nothing starts before it is due, or after the end.
            let latest = closes.map_or(Nanos::MAX, |end| end.since(Nanos(1))).max(intended);
            source.timer.sleep_until(latest.min(intended + open.slack)).await;
            now = context.runtime.now();
            continue;
        }
        if !take_slot(context, open, now).await {
            return;
        }
        now = context.runtime.now();
        let slot_wait = open.starved_since.get().map_or(Nanos::ZERO, |since| now.since(intended.max(since)));
        let location = context.locations.place(source.scenario(context, number), source.number, number);
        let is_on_time = now.since(intended) <= ON_TIME;
        let idle = match take_idle(open, location) {
            Some(idle) => {
                if is_on_time {
                    open.growth.suffices();
                }
                Some(idle)
            }
            None if open.growth.allows(now.since(intended)) => None,
            None => {
                let idle = await_user(context, source, open, intended, location).await;
                if idle.is_some() {
                    open.growth.has_waited(is_on_time);
                }
                now = context.runtime.now();
                idle
            }
        };
        if !context.state.may_start() || open.is_ended() {
            open.slots.add_permits(1);
            return;
        }
        let assignment = assignment(context, source, (number, location), (intended, now, slot_wait));
        hand(context, source, open, idle, assignment);
    }
}

/// Takes a slot, or waits for one; false when nothing may start any more.
async fn take_slot<R: Runtime, D: Drivers>(context: &Context<R, D>, open: &OpenSource, now: Nanos) -> bool {
    if let Ok(slot) = open.slots.try_acquire() {
        slot.forget();
        return true;
    }
    open.starved_since.set(open.starved_since.get().or(Some(now)));
    let mut slot = pin!(open.slots.acquire());
    poll_fn(|task| {
        open.pacer.replace(Some(task.waker().clone()));
        if open.is_ended() || !context.state.may_start() {
            return Poll::Ready(false);
        }
        slot.as_mut().poll(task).map(|slot| slot.map(|slot| slot.forget()).is_ok())
    })
    .await
}

/// Waits until a user is idle, or one may be made, which is `None`; that too when nothing may start any more.
async fn await_user<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    intended: Nanos,
    location: Option<LocationId>,
) -> Option<Rc<VuSlot>> {
    let cpu = || context.runtime.thread_time().cpu;
    loop {
        let now = context.runtime.now();
        let look = open.growth.next_look(now, now.since(intended), cpu, context.state.connecting.get());
        let mut alarm = pin!(source.timer.sleep_until(look));
        open.awaits_user.set(true);
        let found = poll_fn(|task| {
            open.pacer.replace(Some(task.waker().clone()));
            if open.is_ended() || !context.state.may_start() {
                return Poll::Ready(Some(None));
            }
            match take_idle(open, location) {
                Some(idle) => Poll::Ready(Some(Some(idle))),
                None => alarm.as_mut().poll(task).map(|()| None),
            }
        })
        .await;
        open.awaits_user.set(false);
        let now = context.runtime.now();
        if now >= look {
            open.growth.look(now, now.since(intended), cpu());
        }
        match found {
            Some(idle) => return idle,
            None if open.growth.allows(now.since(intended)) => return None,
            None => {}
        }
    }
}

/// Gives an iteration to an idle user, or to a new one.
fn hand<R: Runtime, D: Drivers>(
    context: &Rc<Context<R, D>>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    idle: Option<Rc<VuSlot>>,
    assignment: Assignment,
) {
    open.next.set(open.next.get() + 1);
    context.state.handed.set(context.state.handed.get() + 1);
    match idle {
        Some(vu) => {
            vu.assignment.set(Some(assignment));
            vu.wake();
        }
        None => {
            let made = open.made.get();
            open.made.set(made + 1);
            let number = source.share.nth(u64::from(made)).unwrap_or(u64::from(made));
            let before = if made < open.vus_own { source.vus_before } else { context.sources.vus_of_all };
            crate::dispatch::spawn_vu(context, source, before.saturating_add(number as u32), Some(assignment));
        }
    }
}

/// An idle user at this location; where no more users may be made, one of another location, who moves.
#[inline]
fn take_idle(open: &OpenSource, location: Option<LocationId>) -> Option<Rc<VuSlot>> {
    let mut idle = open.idle.borrow_mut();
    idle.pop(location).or_else(|| (location.is_some() && open.made.get() >= open.vus_max).then(|| idle.pop_any())?)
}

/// An iteration: its number and place, when it was due, when it is handed over, and its wait for a slot.
#[inline]
fn assignment<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    source: &Source<R::Timer>,
    (number, location): (u64, Option<LocationId>),
    (intended, begun, slot_wait): (Nanos, Nanos, Nanos),
) -> Assignment {
    let scenario = source.scenario(context, number);
    Assignment { number, choice: (source.user(0), number), scenario, location, intended, begun, slot_wait }
}

/// The next iteration of a user of an open workload: the one that it was made for, or what the pacer hands to it.
pub(crate) async fn next<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    open: &OpenSource,
    slot: &Rc<VuSlot>,
) -> Option<Assignment> {
    if let Some(assignment) = take_handed(context, slot) {
        return Some(assignment);
    }
    open.idle.borrow_mut().push(Rc::clone(slot));
    open.slots.add_permits(1);
    if open.awaits_user.get() {
        open.wake_pacer();
    }
    poll_fn(|_| match take_handed(context, slot) {
        Some(assignment) => Poll::Ready(Some(assignment)),
        None if context.state.closing.get() => Poll::Ready(None),
        None => Poll::Pending,
    })
    .await
}

/// The iteration that the pacer gave to this user.
fn take_handed<R: Runtime, D: Drivers>(context: &Context<R, D>, slot: &VuSlot) -> Option<Assignment> {
    let assignment = slot.assignment.take()?;
    context.state.handed.set(context.state.handed.get() - 1);
    Some(assignment)
}
