//! The pacer of open workloads: starts each iteration when it is due, on a virtual user that is free.
//!
//! # Who runs an iteration
//! 1. It takes a slot: of `max_in_flight`, one pool over all workers. A wait for a slot is the target's.
//! 2. It takes an idle user, whose connection is open. Only where none is idle is a user made, and with it a connection.
//!    A wait for a user is the injector's.
//!
//! # When a user is made
//! A start that is on time gets one at once where starts are far apart. Otherwise [`Growth`] limits their number: after a
//! stall of some milliseconds thousands of starts are late at once, and as many new connections would delay everything
//! that follows, while the few that are there work it off. The limit is twice what Little's law asks for and a few more.
//! It grows as long as the target completes less than is due, or the queue does not get younger, and the worker has time
//! to spare.
//!
//! Where more users brought no more completed iterations, the target is saturated: what is due waits for the target then,
//! in its queue or before it, and is counted so. The limit goes on growing, slowly.

use std::cell::Cell;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use nmax_http::Url;
use nmax_http::url::Origin;
use nmax_metrics::Nanos;
use nmax_plan::plan::{Connection, Plan, Visitor, Workload};

use crate::context::{Assignment, Context, VuSlot};
use crate::driver::Drivers;
use crate::locations::LocationId;
use crate::runtime::{Runtime, Timer};
use crate::source::{OpenSource, Source};

/// Starts that are at least this far apart get a user at once, while they are on time.
const APART: Nanos = Nanos::from_micros(200);
/// A start that is at most this late is on time.
const ON_TIME: Nanos = Nanos::from_millis(1);
/// How often the limit is set anew, once the run is four times as old; oftener before, when nothing is known yet.
const PERIOD: Nanos = Nanos::from_millis(100);
/// Least time until it is.
const PERIOD_MIN: Nanos = Nanos::from_millis(5);
/// Users that may always be made.
const USERS_MIN: f64 = 4.0;
/// Users that work off what is late: fewer would hardly be quicker than the schedule.
const LATE_USERS: u32 = 12;
/// Before the target has answered for the first time, as many more as are due within this time.
const FIRST: Nanos = Nanos::from_micros(100);
/// As many connections as are due within this time are opened ahead of the first start, [`USERS_MIN`] at most.
const AHEAD: Nanos = Nanos::from_millis(1);
/// How many times larger the limit becomes in one period, at most.
const GROWTH_MAX: f64 = 4.0;
/// In [`PERIOD`] where more users would bring little: the target completes what is due, or is saturated.
const GROWTH_SLOW: f64 = 1.125;
/// A target whose users became more by so much more than what it completes is saturated.
const SATURATED: f64 = 1.1;
/// It stays so until it completes so many times what it did, or nothing is late.
const SATURATED_GAIN: f64 = 1.25;
/// Share of what was due that a target completes when it keeps up.
const KEEPS_UP: f64 = 0.95;
/// How many times larger it becomes in a period in which nothing was answered since the start.
const GROWTH_FIRST: f64 = 2.0;
/// Share of a period in which the worker may compute or wait for a processor: with more, users are not what it lacks.
const BUSY_SHARE_MAX: f64 = 0.8;

/// Connections that a worker opens before the run begins, and where to: as many as are due within a millisecond, where
/// users keep theirs and all have the same line.
pub(crate) fn ahead(plan: &Plan, workers: u32) -> Option<(Origin, u32)> {
    let keeps = plan.defaults.connection == Connection::KeepAlive && plan.defaults.visitor == Visitor::Returning;
    let is_plain = plan.locations.is_empty() && plan.background.is_empty() && plan.setup.is_none();
    let is_open = matches!(plan.workload, Workload::Open { .. });
    let apart = Nanos::from(plan.starts_apart(&plan.workload, &plan.stages, workers));
    let count = (AHEAD.0 / apart.0.max(1)).min(USERS_MIN as u64) as u32;
    let target = Url::parse(&plan.target).ok()?;
    (keeps && is_plain && is_open && count > 0).then_some((target.origin, count))
}

/// How many users an open workload may make.
#[derive(Debug)]
pub(crate) struct Growth {
    /// Time between two starts at the highest rate of this worker.
    apart: Nanos,
    /// Users that may have been made.
    users_max: Cell<u32>,
    /// Iterations that users completed.
    completed: Cell<u64>,
    /// Where the period under way began.
    begun: Cell<Begun>,
    /// Users, and iterations completed per second, in the last period in which the target fell behind; once it is
    /// saturated, in that in which it was found to be.
    behind: Cell<Option<(f64, f64)>>,
    /// More users bring no more completed iterations.
    is_saturated: Cell<bool>,
    /// The same for long enough: what is due waits for the target.
    is_awaited: Cell<bool>,
    /// In the period under way the worker itself woke too late.
    is_own_stall: Cell<bool>,
}

/// How things were when a period began.
#[derive(Clone, Copy, Debug, Default)]
struct Begun {
    at: Nanos,
    completed: u64,
    due: u64,
    lateness: Nanos,
    /// Time in which the worker computed or waited for a processor.
    computing: Nanos,
}

impl Growth {
    /// For starts that are `apart` from each other at least.
    pub(crate) fn new(apart: Nanos) -> Self {
        let first = USERS_MIN + FIRST.0 as f64 / apart.0.max(1) as f64;
        Self {
            apart,
            users_max: Cell::new(first as u32),
            completed: Cell::new(0),
            begun: Cell::default(),
            behind: Cell::new(None),
            is_saturated: Cell::new(false),
            is_awaited: Cell::new(false),
            is_own_stall: Cell::new(false),
        }
    }

    /// Whether one more than these users may be at work for the start at the head of the queue, which is late by this.
    fn allows(&self, busy: u32, lateness: Nanos) -> bool {
        let is_apart = self.apart >= APART && lateness <= ON_TIME;
        let at_least = if lateness > ON_TIME { LATE_USERS } else { 0 };
        is_apart || busy < self.users_max.get().max(at_least)
    }

    /// When the period under way ends.
    #[inline]
    fn period_end(&self) -> Nanos {
        let begun = self.begun.get().at;
        begun + Nanos(begun.0 / 4).clamp(PERIOD_MIN, PERIOD)
    }

    /// Ends a period and sets the limit: `busy` of `made` users are in an iteration, `due` is the number of the start at
    /// the head of the queue, which is late by `lateness`.
    fn end_period(&self, now: Nanos, (busy, made): (u32, u32), due: u64, lateness: Nanos, computing: Nanos) {
        let end = Begun { at: now, completed: self.completed.get(), due, lateness, computing };
        let begun = self.begun.replace(end);
        let length = now.since(begun.at).0 as f64;
        let late_starts = lateness.since(begun.lateness).0 as f64 / self.apart.0.max(1) as f64;
        let (completed, due) = ((end.completed - begun.completed) as f64, (end.due - begun.due) as f64 + late_starts);
        let is_computing = computing.since(begun.computing).0 as f64 > BUSY_SHARE_MAX * length;
        let is_own_stall = self.is_own_stall.take();
        let made = f64::from(made);
        let slowly = made * GROWTH_SLOW.powf(length / PERIOD.0 as f64);
        if lateness <= ON_TIME || is_computing || is_own_stall || completed >= KEEPS_UP * due {
            self.behind.set(None);
            self.is_saturated.set(false);
            self.is_awaited.set(false);
        }
        let users_max = if lateness <= ON_TIME {
            2.0 * f64::from(busy) + USERS_MIN
        } else if is_computing || is_own_stall {
            made
        } else if end.completed == 0 {
            made * GROWTH_FIRST
        } else if completed < KEEPS_UP * due {
            let per_s = completed * 1e9 / length;
            let (users, before_per_s) = self.behind.get().unwrap_or((made, per_s));
            let gain = (per_s / before_per_s.max(1.0)).max(1.0);
            if self.is_saturated.get() {
                self.is_saturated.set(gain < SATURATED_GAIN);
            } else {
                self.behind.set(Some((made, per_s)));
                self.is_saturated.set(made / users > SATURATED * gain);
            }
            // Too little is completed in a short period to blame the target.
            self.is_awaited.set(self.is_saturated.get() && length >= PERIOD.0 as f64);
            if self.is_saturated.get() { slowly } else { made * (due / completed.max(1.0)).min(GROWTH_MAX) }
        } else if lateness >= begun.lateness {
            slowly + 1.0
        } else {
            made
        };
        self.users_max.set(users_max.max(USERS_MIN) as u32);
    }

    /// A user completed an iteration.
    #[inline]
    fn has_completed(&self) {
        self.completed.set(self.completed.get() + 1);
    }
}

impl OpenSource {
    /// The start that was due at `intended` waited for the target from `since` to `until`; those before it may have done
    /// so since earlier.
    fn starves(&self, intended: Nanos, since: Nanos, until: Nanos) {
        let earlier = self.starved.get().filter(|(_, until)| *until >= intended);
        self.starved.set(Some((earlier.map_or(since, |(begun, _)| begun), until)));
    }

    /// Whether the target is what due iterations wait for.
    pub(crate) fn awaits_target(&self) -> bool {
        self.awaits_slot.get() || self.growth.is_awaited.get()
    }

    /// Gives a slot back.
    #[inline]
    fn free_slot(&self) {
        self.taken.set(self.taken.get().saturating_sub(1));
        self.slots.add_permits(1);
    }

    /// Gives all slots back: the worker has ended, and the others go on.
    pub(crate) fn free_slots(&self) {
        self.slots.add_permits(self.taken.take() as usize);
    }

    /// Users in an iteration.
    fn busy(&self) -> u32 {
        self.made.get().saturating_sub(self.idle.borrow().count() as u32)
    }

    /// Whether a user may be made for a start that is late by this. Those who are idle at another location are not in the
    /// way.
    fn allows_user(&self, lateness: Nanos) -> bool {
        self.growth.allows(self.busy(), lateness)
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
            open.starved.set(None);
            // One wake-up serves all that is due within the slack; nothing starts before it is due, or after the end.
            let latest = closes.map_or(Nanos::MAX, |end| end.since(Nanos(1))).max(intended);
            let wake = latest.min(intended + open.slack);
            source.timer.sleep_until(wake).await;
            now = context.runtime.now();
            if now.since(wake) > ON_TIME {
                open.growth.is_own_stall.set(true);
            }
            continue;
        }
        if !take_slot(context, open, intended).await {
            return;
        }
        now = context.runtime.now();
        if now >= open.growth.period_end() {
            end_period(context, open, now, now.since(intended));
        }
        let location = context.locations.place(source.scenario(context, number), source.number, number);
        let idle = match take_idle(open, location) {
            Some(idle) => Some(idle),
            None if open.allows_user(now.since(intended)) => None,
            None => {
                // Others may need the slot meanwhile.
                open.free_slot();
                let idle = await_user(context, source, open, intended, location).await;
                if !take_slot(context, open, intended).await {
                    return;
                }
                now = context.runtime.now();
                idle
            }
        };
        if open.growth.is_awaited.get() {
            open.starves(intended, now, now);
        }
        if !context.state.may_start() || open.is_ended() {
            open.free_slot();
            return;
        }
        let slot_wait = open.starved.get().map_or(Nanos::ZERO, |(since, until)| until.since(intended.max(since)));
        let assignment = assignment(context, source, (number, location), (intended, now, slot_wait));
        hand(context, source, open, idle, assignment);
    }
}

/// Takes a slot for the start that was due then, or waits for one; false when nothing may start any more.
async fn take_slot<R: Runtime, D: Drivers>(context: &Context<R, D>, open: &OpenSource, intended: Nanos) -> bool {
    if let Ok(slot) = open.slots.try_acquire() {
        slot.forget();
        open.taken.set(open.taken.get() + 1);
        return true;
    }
    let begun = context.runtime.now();
    open.awaits_slot.set(true);
    let mut slot = pin!(open.slots.acquire());
    let has_slot = poll_fn(|task| {
        open.pacer.replace(Some(task.waker().clone()));
        if open.is_ended() || !context.state.may_start() {
            return Poll::Ready(false);
        }
        slot.as_mut().poll(task).map(|slot| slot.map(|slot| slot.forget()).is_ok())
    })
    .await;
    if has_slot {
        open.awaits_slot.set(false);
        open.taken.set(open.taken.get() + 1);
        open.starves(intended, begun, context.runtime.now());
    }
    has_slot
}

/// Waits until a user is idle, or one may be made, which is `None`; that too when nothing may start any more.
async fn await_user<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    intended: Nanos,
    location: Option<LocationId>,
) -> Option<Rc<VuSlot>> {
    open.awaits_user.set(true);
    let mut look = pin!(source.timer.sleep_until(open.growth.period_end()));
    let found = poll_fn(|task| {
        open.pacer.replace(Some(task.waker().clone()));
        if open.is_ended() || !context.state.may_start() {
            return Poll::Ready(None);
        }
        if let Some(idle) = take_idle(open, location) {
            return Poll::Ready(Some(idle));
        }
        if look.as_mut().poll(task).is_pending() {
            return Poll::Pending;
        }
        let now = context.runtime.now();
        let lateness = now.since(intended);
        end_period(context, open, now, lateness);
        if open.allows_user(lateness) {
            return Poll::Ready(None);
        }
        look.set(source.timer.sleep_until(open.growth.period_end()));
        let _ = look.as_mut().poll(task);
        Poll::Pending
    })
    .await;
    open.awaits_user.set(false);
    found
}

#[cold]
fn end_period<R: Runtime, D: Drivers>(context: &Context<R, D>, open: &OpenSource, now: Nanos, lateness: Nanos) {
    let (made, busy) = (open.made.get(), open.busy());
    let time = context.runtime.thread_time();
    open.growth.end_period(now, (busy, made), open.next.get(), lateness, time.cpu + time.run_wait);
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
    open.free_slot();
    open.growth.has_completed();
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
