//! How a user waits for its next iteration.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::Nanos;

use crate::context::Context;
use crate::core::Phase;
use crate::iteration::{Assignment, VuSlot};
use crate::protocol::Protocol;
use crate::runtime::{Runtime, Timer};
use crate::schedule::source::{ClosedSource, Kind, OpenSource, Source};

/// What a closed VU remembers between its iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Number of its next iteration.
    iteration: u64,
    /// It is active until then, by the schedule of this revision.
    active_until: Nanos,
    revision: u32,
    /// Earliest start of the next iteration by its pacing.
    paced: Nanos,
}

impl Turn {
    /// Of a VU that has done nothing yet, and whose first iteration has this number.
    pub(crate) fn new(first: u64) -> Self {
        Self { iteration: first, active_until: Nanos::ZERO, revision: 0, paced: Nanos::ZERO }
    }

    /// Whether its VU is known to be active at that instant.
    #[inline]
    fn is_active(&self, closed: &ClosedSource, at: Nanos) -> bool {
        at < self.active_until && self.revision == closed.schedule.revision()
    }
}

/// The next iteration of a VU that became free at `done`, as [`next`] gives it; pending when that has to wait.
#[inline]
pub(crate) fn at_once<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    slot: &VuSlot,
    turn: &mut Turn,
    done: Option<Nanos>,
) -> Poll<Option<Assignment>> {
    let source = context.sources.get(slot.source);
    match (&source.kind, done) {
        (Kind::Closed(closed), Some(done)) if turn.paced <= done && turn.is_active(closed, done) => {
            Poll::Ready(take(context, (source, closed), slot.own, turn, done))
        }
        _ => Poll::Pending,
    }
}

/// The next iteration of a VU that became free at `done`; `None` when there are no more for it.
pub(crate) async fn next<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    slot: &Rc<VuSlot>,
    timer: &R::Timer,
    turn: &mut Turn,
    done: Option<Nanos>,
) -> Option<Assignment> {
    let source = context.sources.get(slot.source);
    match &source.kind {
        Kind::Open(open) => next_open(context, open, slot).await,
        Kind::Closed(closed) => next_closed(context, (source, closed), slot.own, timer, turn, done).await,
    }
}

/// A VU has no more iterations by the schedule as it is.
pub(crate) fn vu_ended<R: Runtime, P: Protocol>(context: &Context<R, P>, slot: &Rc<VuSlot>, turn: Turn) {
    if let (0, Kind::Closed(closed)) = (slot.source, &context.sources.main.kind) {
        closed.ended.borrow_mut().push((Rc::clone(slot), turn.iteration));
        context.starter_ended();
    }
}

/// The next iteration of a closed VU that became free at `done`; waits until it is active and its pacing allows.
async fn next_closed<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    (source, closed): (&Source<R::Timer>, &ClosedSource),
    v: u64,
    timer: &R::Timer,
    turn: &mut Turn,
    done: Option<Nanos>,
) -> Option<Assignment> {
    // Making all users takes a moment; a user's own time begins after it.
    let free = done.unwrap_or_else(|| context.runtime.now());
    let mut intended = free.max(turn.paced);
    if intended > free && !rest_until(context, timer, intended).await {
        return None;
    }
    if !turn.is_active(closed, intended) {
        intended = wait_until_active(context, closed, v, timer, turn, intended).await?;
    }
    take(context, (source, closed), v, turn, intended)
}

/// The next iteration of a closed VU, due now that this VU may begin one; `None` when none may start any more.
#[inline(always)]
fn take<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    (source, closed): (&Source<R::Timer>, &ClosedSource),
    v: u64,
    turn: &mut Turn,
    intended: Nanos,
) -> Option<Assignment> {
    if context.is_now_fenced() || !context.state.may_start() || !take_one(context, closed, source.number == 0) {
        return None;
    }
    let program = &context.program;
    let iteration = turn.iteration;
    turn.iteration += 1;
    let scenario = source.mix.pick_closed(program.plan.seed, v, iteration);
    turn.paced = program.plan.scenarios[scenario].pacing.map_or(Nanos::ZERO, |pacing| intended + Nanos::from(pacing));
    Some(Assignment {
        number: iteration * closed.vus_total + v,
        choice: (source.user(v), iteration),
        scenario,
        location: context.locations.place(scenario, source.number, v),
        intended,
        begun: intended,
        slot_wait: Nanos::ZERO,
    })
}

/// Waits until VU `v` of its source is active; returns the instant from which it is.
async fn wait_until_active<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    closed: &ClosedSource,
    v: u64,
    timer: &R::Timer,
    turn: &mut Turn,
    earliest: Nanos,
) -> Option<Nanos> {
    let mut at = earliest;
    loop {
        let (schedule, revision) = (closed.schedule.get(), closed.schedule.revision());
        let change = schedule.next_change(v, at.0).map(Nanos);
        if schedule.active(v, at.0) {
            (turn.active_until, turn.revision) = (change.unwrap_or(Nanos::MAX), revision);
            return Some(at);
        }
        // A schedule that takes the place of this one may have an earlier change, or one where this has none.
        let change = change?;
        if !wait_until(timer, change, || !context.state.may_start() || closed.schedule.revision() != revision).await
            && !context.state.may_start()
        {
            return None;
        }
        if closed.schedule.revision() == revision {
            at = change;
        }
    }
}

/// Takes one of the iterations that may still start. After the last iteration of the mix, users stop waiting for a turn.
#[inline]
fn take_one<R: Runtime, P: Protocol>(context: &Context<R, P>, closed: &ClosedSource, is_main: bool) -> bool {
    let Some(left) = closed.remaining.get() else {
        return true;
    };
    let rest = left.checked_sub(1);
    closed.remaining.set(rest.or(Some(0)));
    if rest.unwrap_or(0) == 0 && is_main {
        context.main_ended();
        context.state.close(Phase::Closing);
    }
    rest.is_some()
}

/// Waits between two iterations until `at`; false once none may start, so that the user can clear up.
async fn rest_until<R: Runtime, P: Protocol>(context: &Context<R, P>, timer: &R::Timer, at: Nanos) -> bool {
    wait_until(timer, at, || !context.state.may_start()).await
}

/// Waits until `at`; false when the run does not wait for pauses any more.
pub(crate) async fn pause_until<R: Runtime, P: Protocol>(context: &Context<R, P>, timer: &R::Timer, at: Nanos) -> bool {
    wait_until(timer, at, || context.state.is(Phase::Hurried)).await
}

async fn wait_until(timer: &impl Timer, at: Nanos, is_over: impl Fn() -> bool) -> bool {
    let mut sleep = std::pin::pin!(timer.sleep_until(at));
    poll_fn(|task| {
        if is_over() {
            return Poll::Ready(false);
        }
        sleep.as_mut().poll(task).map(|()| true)
    })
    .await
}

/// The next iteration of a user of an open workload: the one that it was made for, or what the pacer hands to it.
pub(crate) async fn next_open<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
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
        None if !context.state.may_start() => Poll::Ready(None),
        None => Poll::Pending,
    })
    .await
}

/// The iteration that the pacer gave to this user.
fn take_handed<R: Runtime, P: Protocol>(context: &Context<R, P>, slot: &VuSlot) -> Option<Assignment> {
    let assignment = slot.assignment.take()?;
    context.state.handed.set(context.state.handed.get() - 1);
    Some(assignment)
}
