//! The pacer of open workloads: starts each iteration when it is due, on a virtual user that is free.
//!
//! # Who runs an iteration
//! 1. It takes a slot: of `max_in_flight`, one pool over all workers. A wait for a slot is the target's.
//! 2. It takes an idle user, whose connection is open. Only where none is idle is a user made, and with it a connection.
//!    A wait for a user is the injector's.
//!
//! # When a user is made
//! A start that is on time gets one at once where starts are far apart. Otherwise [`crate::schedule::growth`] limits their number: after a
//! stall of some milliseconds thousands of starts are late at once, and as many new connections would delay everything
//! that follows, while the few that are there work it off. The limit is twice what Little's law asks for and a few more.
//! It grows as long as the target completes less than is due, or the queue does not get younger, and the worker has time
//! to spare.
//!
//! Where more users brought no more completed iterations, the target is saturated: what is due waits for the target then,
//! in its queue or before it, and is counted so. The limit goes on growing, slowly.

use std::future::{Future, poll_fn};
use std::pin::pin;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::Nanos;
use nmax_plan::plan::{Connection, Plan, Visitor, Workload};
use nmax_plan::schedule::Open;

use crate::context::Context;
use crate::iteration::{Assignment, LocationId, VuSlot};
use crate::protocol::Protocol;
use crate::runtime::{Runtime, Timer};
use crate::schedule::growth::{ON_TIME, USERS_MIN};
use crate::schedule::source::{OpenSource, Source};

/// As many connections as are due within this time are opened ahead of the first start, [`USERS_MIN`] at most.
const AHEAD: Nanos = Nanos::from_millis(1);

/// Connections that a worker with this part of the run opens before it begins: as many as are due within a millisecond, where
/// users keep theirs and all have the same line.
pub(crate) fn ahead(plan: &Plan, fraction: f64) -> Option<u32> {
    let keeps = plan.defaults.connection == Connection::KeepAlive && plan.defaults.visitor == Visitor::Returning;
    let is_plain = plan.locations.is_empty() && plan.background.is_empty() && plan.setup.is_none();
    let is_open = matches!(plan.workload, Workload::Open { .. });
    let apart = Nanos::from(plan.starts_apart(&plan.workload, &plan.stages, fraction));
    let count = (AHEAD.0 / apart.0.max(1)).min(USERS_MIN as u64) as u32;
    (keeps && is_plain && is_open && count > 0).then_some(count)
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
    pub(crate) fn free_slot(&self) {
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

/// Starts each iteration of a source when it is due, by the schedule as it is at that time; `closes` is the planned end of the
/// load. It ends when nothing more is due by the schedule of that instant.
pub(crate) async fn pace<R: Runtime, P: Protocol>(
    context: &Rc<Context<R, P>>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    closes: Option<Nanos>,
) {
    loop {
        let (schedule, revision) = (open.schedule.get(), open.schedule.revision());
        pace_by(context, source, (open, &schedule, revision), closes).await;
        if revision == open.schedule.revision() || !context.state.may_start() {
            return;
        }
    }
}

/// Waits until `at`, or until the schedule is another one.
pub(crate) async fn sleep_by(open: &OpenSource, revision: u32, timer: &impl Timer, at: Nanos) {
    let mut sleep = pin!(timer.sleep_until(at));
    poll_fn(|task| {
        open.watch_pacer(task.waker());
        if open.schedule.revision() != revision {
            return Poll::Ready(());
        }
        sleep.as_mut().poll(task)
    })
    .await;
}

/// As [`pace`], for as long as the schedule is this one.
async fn pace_by<R: Runtime, P: Protocol>(
    context: &Rc<Context<R, P>>,
    source: &Source<R::Timer>,
    (open, schedule, revision): (&OpenSource, &Open, u32),
    closes: Option<Nanos>,
) {
    let mut cursor = schedule.cursor();
    let mut now = context.runtime.now();
    while context.state.may_start() && open.schedule.revision() == revision {
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
            let end = closes.unwrap_or(Nanos::MAX).min(context.fence.get());
            let latest = end.since(Nanos(1)).max(intended);
            let wake = latest.min(intended + open.slack.get());
            sleep_by(open, revision, &source.timer, wake).await;
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
        let location = context.locations.place(source.scenario(context.plan.seed, number), source.number, number);
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
        if context.is_fenced(now) || !context.state.may_start() || open.is_ended() {
            open.free_slot();
            return;
        }
        let slot_wait = open.starved.get().map_or(Nanos::ZERO, |(since, until)| until.since(intended.max(since)));
        let assignment = assignment(context, source, (number, location), (intended, now, slot_wait));
        hand(context, source, open, idle, assignment);
    }
}

/// Takes a slot for the start that was due then, or waits for one; false when nothing may start any more.
async fn take_slot<R: Runtime, P: Protocol>(context: &Context<R, P>, open: &OpenSource, intended: Nanos) -> bool {
    if let Ok(slot) = open.slots.try_acquire() {
        slot.forget();
        open.taken.set(open.taken.get() + 1);
        return true;
    }
    let begun = context.runtime.now();
    open.awaits_slot.set(true);
    let mut slot = pin!(open.slots.acquire());
    let has_slot = poll_fn(|task| {
        open.watch_pacer(task.waker());
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
async fn await_user<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    intended: Nanos,
    location: Option<LocationId>,
) -> Option<Rc<VuSlot>> {
    open.awaits_user.set(true);
    let mut look = pin!(source.timer.sleep_until(open.growth.period_end()));
    let found = poll_fn(|task| {
        open.watch_pacer(task.waker());
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
fn end_period<R: Runtime, P: Protocol>(context: &Context<R, P>, open: &OpenSource, now: Nanos, lateness: Nanos) {
    let (made, busy) = (open.made.get(), open.busy());
    let time = context.runtime.thread_time();
    open.growth.end_period(now, (busy, made), open.next.get(), lateness, time.cpu + time.run_wait);
}

/// Gives an iteration to an idle user, or to a new one.
fn hand<R: Runtime, P: Protocol>(
    context: &Rc<Context<R, P>>,
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
            crate::schedule::dispatch::spawn_vu(
                context,
                source,
                (before.saturating_add(number as u32), number),
                Some(assignment),
            );
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
fn assignment<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    source: &Source<R::Timer>,
    (number, location): (u64, Option<LocationId>),
    (intended, begun, slot_wait): (Nanos, Nanos, Nanos),
) -> Assignment {
    let scenario = source.scenario(context.plan.seed, number);
    Assignment { number, choice: (source.user(0), number), scenario, location, intended, begun, slot_wait }
}
