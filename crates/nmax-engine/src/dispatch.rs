//! Hands iterations to virtual users: the pacer of open workloads, and the turn-taking of both kinds.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::Nanos;

use crate::context::{Assignment, Context, VuSlot};
use crate::driver::Drivers;
use crate::runtime::{Runtime, Timer};
use crate::source::{ClosedSource, Kind, OpenSource, Times, open_assignment};
use crate::vu::Vu;

/// What a closed VU remembers between its iterations.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Turn {
    /// Iterations started so far.
    iteration: u64,
    /// It is active until then.
    active_until: Nanos,
    /// Earliest start of the next iteration by its pacing.
    paced: Nanos,
}

/// Starts everything that starts iterations. Returns at once.
pub(crate) fn start<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, times: Times) {
    match &context.source.kind {
        Kind::Open(_) => {
            context.state.starters.set(1);
            let context = Rc::clone(context);
            let runtime = context.runtime.clone();
            runtime.spawn(async move {
                if let Kind::Open(open) = &context.source.kind {
                    pace(&context, open).await;
                    context.starts_ended(times.end);
                    // A planned end is kept, also when nothing more is due until then.
                    if let Some(end) = times.closes.and(times.end) {
                        context.source.timer.sleep_until(end).await;
                    }
                }
                context.state.starter_ended();
            });
        }
        Kind::Closed(closed) => {
            let owned = context.source.share.count_below(closed.vus_total);
            context.state.starters.set(owned);
            for j in 0..owned {
                let number = context.source.share.nth(j).unwrap_or(j);
                spawn_vu(context, number as u32, None);
            }
        }
    }
}

fn spawn_vu<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, number: u32, first: Option<Assignment>) {
    let slot = Rc::new(VuSlot {
        number,
        ..VuSlot::default()
    });
    slot.assignment.set(first);
    context.state.vus.borrow_mut().push(Rc::clone(&slot));
    let vu = Vu::new(Rc::clone(context), slot);
    context.runtime.spawn(vu.live());
}

/// Starts each iteration when it is due: on a free VU, on a new one, or, when the limit is reached, by the next VU
/// that becomes free.
async fn pace<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, open: &OpenSource) {
    let mut cursor = open.schedule.cursor();
    let (mix, seed) = (&context.program.mix, context.program.plan.seed);
    let mut now = context.runtime.now();
    while context.state.may_start() {
        let Some(number) = context.source.share.nth(open.next.get()) else {
            return;
        };
        let Some(intended) = cursor.offset_ns(number).map(Nanos) else {
            return;
        };
        if intended > now {
            now = context.runtime.now();
            if intended > now {
                context.source.timer.sleep_until(intended).await;
                now = context.runtime.now();
                if !context.state.may_start() {
                    return;
                }
            }
        }
        let assignment = || open_assignment(mix, seed, number, intended, now, Nanos::ZERO);
        let idle = open.idle.borrow_mut().pop();
        if let Some(vu) = idle {
            open.next.set(open.next.get() + 1);
            context.state.handed.set(context.state.handed.get() + 1);
            vu.assignment.set(Some(assignment()));
            vu.wake();
        } else if open.made.get() < open.vus_max {
            open.next.set(open.next.get() + 1);
            context.state.handed.set(context.state.handed.get() + 1);
            let made = open.made.get();
            open.made.set(made + 1);
            let number = context.source.share.nth(u64::from(made)).unwrap_or(u64::from(made));
            spawn_vu(context, number as u32, Some(assignment()));
        } else {
            open.starved_since.set(Some(now));
            poll_fn(|task| {
                open.pacer.replace(Some(task.waker().clone()));
                let is_over = open.starved_since.get().is_none() || !context.state.may_start();
                if is_over { Poll::Ready(()) } else { Poll::Pending }
            })
            .await;
            now = context.runtime.now();
        }
    }
}

/// The next iteration of a free VU of an open workload.
pub(crate) async fn next_open<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    open: &OpenSource,
    slot: &Rc<VuSlot>,
    done: Option<Nanos>,
) -> Option<Assignment> {
    if let Some(assignment) = take_handed(context, slot) {
        return Some(assignment);
    }
    if let Some(assignment) = done.and_then(|done| take_waiting(context, open, done)) {
        return Some(assignment);
    }
    if !context.state.may_start() {
        return None;
    }
    open.idle.borrow_mut().push(Rc::clone(slot));
    poll_fn(|_| match take_handed(context, slot) {
        Some(assignment) => Poll::Ready(Some(assignment)),
        None if context.state.closing.get() => Poll::Ready(None),
        None => Poll::Pending,
    })
    .await
}

/// The iteration that the pacer gave to this VU.
fn take_handed<R: Runtime, D: Drivers>(context: &Context<R, D>, slot: &VuSlot) -> Option<Assignment> {
    let assignment = slot.assignment.take()?;
    context.state.handed.set(context.state.handed.get() - 1);
    Some(assignment)
}

/// The iteration that has waited longest for a free VU, if any waits.
fn take_waiting<R: Runtime, D: Drivers>(context: &Context<R, D>, open: &OpenSource, now: Nanos) -> Option<Assignment> {
    // What still waits at the end is dropped for want of a VU, so that state is kept.
    let starved_since = open.starved_since.get().filter(|_| context.state.may_start())?;
    let due = open
        .due(&context.source.share, open.next.get())
        .filter(|(_, intended)| *intended <= now);
    let Some((number, intended)) = due else {
        open.fed();
        return None;
    };
    let next = open.next.get() + 1;
    open.next.set(next);
    if open.due(&context.source.share, next).is_none() {
        open.fed(); // It was the last one, and the pacer is to know.
    }
    let slot_wait = now.since(intended.max(starved_since));
    Some(open_assignment(
        &context.program.mix,
        context.program.plan.seed,
        number,
        intended,
        now,
        slot_wait,
    ))
}

/// The next iteration of a closed VU that became free at `done`; waits until it is active and its pacing allows.
pub(crate) async fn next_closed<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    closed: &ClosedSource,
    vu: u32,
    timer: &R::Timer,
    turn: &mut Turn,
    done: Option<Nanos>,
) -> Option<Assignment> {
    // Making all users takes a moment; a user's own time begins after it.
    let free = done.unwrap_or_else(|| context.runtime.now());
    let mut intended = free.max(turn.paced);
    if intended > free && !pause_until(context, timer, intended).await {
        return None;
    }
    if intended >= turn.active_until {
        intended = wait_until_active(context, closed, vu, timer, turn, intended).await?;
    }
    if !context.state.may_start() || !take_one(context, closed) {
        return None;
    }
    let (program, v) = (&context.program, u64::from(vu));
    let iteration = turn.iteration;
    turn.iteration += 1;
    let scenario = program.mix.pick_closed(program.plan.seed, v, iteration);
    turn.paced = program.plan.scenarios[scenario]
        .pacing
        .map_or(Nanos::ZERO, |pacing| intended + Nanos::from(pacing));
    Some(Assignment {
        number: iteration * closed.vus_total + v,
        choice: (v, iteration),
        scenario,
        intended,
        begun: intended,
        slot_wait: Nanos::ZERO,
    })
}

/// Waits until the VU is active; returns the instant from which it is.
async fn wait_until_active<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    closed: &ClosedSource,
    vu: u32,
    timer: &R::Timer,
    turn: &mut Turn,
    earliest: Nanos,
) -> Option<Nanos> {
    let mut at = earliest;
    let v = u64::from(vu);
    while !closed.schedule.active(v, at.0) {
        at = Nanos(closed.schedule.next_change(v, at.0)?);
        if !pause_until(context, timer, at).await {
            return None;
        }
    }
    turn.active_until = closed.schedule.next_change(v, at.0).map_or(Nanos::MAX, Nanos);
    Some(at)
}

/// Takes one of the iterations that may still start. After the last one nobody waits for a turn any more.
fn take_one<R: Runtime, D: Drivers>(context: &Context<R, D>, closed: &ClosedSource) -> bool {
    let Some(left) = closed.remaining.get() else {
        return true;
    };
    let rest = left.checked_sub(1);
    closed.remaining.set(rest.or(Some(0)));
    if rest.unwrap_or(0) == 0 {
        context.state.close(false);
    }
    rest.is_some()
}

/// Waits until `at`; false when the run does not wait for pauses any more.
pub(crate) async fn pause_until<R: Runtime, D: Drivers>(context: &Context<R, D>, timer: &R::Timer, at: Nanos) -> bool {
    let mut sleep = std::pin::pin!(timer.sleep_until(at));
    poll_fn(|task| {
        if context.state.hurried.get() {
            return Poll::Ready(false);
        }
        sleep.as_mut().poll(task).map(|()| true)
    })
    .await
}
