//! Hands iterations to virtual users: the pacer of open workloads, and the turn-taking of both kinds.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::Nanos;

use crate::context::{Assignment, Context, VuSlot};
use crate::driver::Drivers;
use crate::locations::LocationId;
use crate::runtime::{Runtime, Timer};
use crate::source::{ClosedSource, Kind, OpenSource, Source, Times};
use crate::vu::Vu;

/// What a closed VU remembers between its iterations.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Turn {
    /// Number of its next iteration.
    iteration: u64,
    /// It is active until then.
    active_until: Nanos,
    /// Earliest start of the next iteration by its pacing.
    paced: Nanos,
}

impl Turn {
    /// Of a VU that has done nothing yet, and whose first iteration has this number.
    pub(crate) fn new(first: u64) -> Self {
        Self { iteration: first, active_until: Nanos::ZERO, paced: Nanos::ZERO }
    }
}

/// Starts everything that starts iterations. Returns at once.
pub(crate) fn start<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, times: Times) {
    let main = &context.sources.main;
    let starters = match &main.kind {
        Kind::Open(_) => 1,
        Kind::Closed(closed) => main.share.count_below(closed.vus_total),
    };
    context.state.starters.set(starters);
    match &main.kind {
        Kind::Open(_) => {
            let context = Rc::clone(context);
            let runtime = context.runtime.clone();
            runtime.spawn(async move {
                let main = &context.sources.main;
                if let Kind::Open(open) = &main.kind {
                    pace(&context, main, open).await;
                    context.starts_ended(times.end);
                    // A planned end is kept, also when nothing more is due until then.
                    if let Some(end) = times.closes.and(times.end) {
                        main.timer.sleep_until(end).await;
                    }
                }
                context.starter_ended();
            });
        }
        Kind::Closed(closed) => spawn_closed(context, main, closed),
    }
    if let (0, Some(end), false) = (starters, times.closes, context.sources.background.is_empty()) {
        keep_open(context, end);
    }
    for number in 1..=context.sources.background.len() as u32 {
        start_background(context, number);
    }
}

/// A worker without users of the mix is there for the background, until the load ends.
fn keep_open<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, end: Nanos) {
    context.state.starters.set(1);
    let context = Rc::clone(context);
    let runtime = context.runtime.clone();
    runtime.spawn(async move {
        context.sources.main.timer.sleep_until(end).await;
        context.starter_ended();
    });
}

/// What is beside the mix starts iterations until the mix has ended.
fn start_background<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, number: u32) {
    let source = context.sources.get(number);
    match &source.kind {
        Kind::Open(_) => {
            let context = Rc::clone(context);
            let runtime = context.runtime.clone();
            runtime.spawn(async move {
                let source = context.sources.get(number);
                if let Kind::Open(open) = &source.kind {
                    pace(&context, source, open).await;
                }
            });
        }
        Kind::Closed(closed) => spawn_closed(context, source, closed),
    }
}

/// All users of a closed workload.
fn spawn_closed<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, source: &Source<R::Timer>, closed: &ClosedSource) {
    for j in 0..source.share.count_below(closed.vus_total) {
        let number = source.share.nth(j).unwrap_or(j);
        spawn_vu(context, source, number as u32, None);
    }
}

/// Starts the user of this number among those of its source.
fn spawn_vu<R: Runtime, D: Drivers>(
    context: &Rc<Context<R, D>>,
    source: &Source<R::Timer>,
    number: u32,
    first: Option<Assignment>,
) {
    let slot = Rc::new(VuSlot {
        number: source.vus_before.saturating_add(number),
        source: source.number,
        ..VuSlot::default()
    });
    slot.assignment.set(first);
    context.state.vus.borrow_mut().push(Rc::clone(&slot));
    let vu = Vu::new(Rc::clone(context), slot);
    context.runtime.spawn(vu.live());
}

/// Starts each iteration when it is due: on a free VU, on a new one, or, when the limit is reached, by the next VU
/// that becomes free.
async fn pace<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, source: &Source<R::Timer>, open: &OpenSource) {
    let mut cursor = open.schedule.cursor();
    let mut now = context.runtime.now();
    while context.state.may_start() {
        let j = open.next.get();
        let Some(number) = source.share.nth(j) else {
            return;
        };
        let Some(intended) = cursor.offset_ns(number).map(Nanos) else {
            return;
        };
        if intended > now {
            now = context.runtime.now();
            if intended > now {
                source.timer.sleep_until(intended).await;
                now = context.runtime.now();
                if !context.state.may_start() {
                    return;
                }
            }
        }
        let assignment = open_assignment(context, source, number, intended, now, Nanos::ZERO);
        if let Some(vu) = take_idle(open, assignment.location) {
            open.next.set(j + 1);
            context.state.handed.set(context.state.handed.get() + 1);
            vu.assignment.set(Some(assignment));
            vu.wake();
        } else if open.made.get() < open.vus_max {
            open.next.set(j + 1);
            context.state.handed.set(context.state.handed.get() + 1);
            let made = open.made.get();
            open.made.set(made + 1);
            let number = source.share.nth(u64::from(made)).unwrap_or(u64::from(made));
            spawn_vu(context, source, number as u32, Some(assignment));
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

/// A free user at this location; where no more users may be made, one of another location, who moves.
#[inline]
fn take_idle(open: &OpenSource, location: Option<LocationId>) -> Option<Rc<VuSlot>> {
    let mut idle = open.idle.borrow_mut();
    idle.pop(location).or_else(|| (location.is_some() && open.made.get() >= open.vus_max).then(|| idle.pop_any())?)
}

/// An iteration of an open workload.
#[inline]
fn open_assignment<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    source: &Source<R::Timer>,
    number: u64,
    intended: Nanos,
    begun: Nanos,
    slot_wait: Nanos,
) -> Assignment {
    let scenario = source.mix.pick_open(context.program.plan.seed, number);
    Assignment {
        number,
        choice: (source.user(0), number),
        scenario,
        location: context.locations.place(scenario, source.number, number),
        intended,
        begun,
        slot_wait,
    }
}

/// The next iteration of a VU that became free at `done`; `None` when there are no more for it.
#[inline]
pub(crate) async fn next<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    slot: &Rc<VuSlot>,
    timer: &R::Timer,
    turn: &mut Turn,
    done: Option<Nanos>,
) -> Option<Assignment> {
    let source = context.sources.get(slot.source);
    match &source.kind {
        Kind::Open(open) => next_open(context, source, open, slot, done).await,
        Kind::Closed(closed) => next_closed(context, source, closed, slot.number, timer, turn, done).await,
    }
}

/// A VU has no more iterations.
pub(crate) fn vu_ended<R: Runtime, D: Drivers>(context: &Context<R, D>, slot: &VuSlot) {
    if slot.source == 0 && matches!(context.sources.main.kind, Kind::Closed(_)) {
        context.starter_ended();
    }
}

/// The next iteration of a free VU of an open workload.
async fn next_open<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    slot: &Rc<VuSlot>,
    done: Option<Nanos>,
) -> Option<Assignment> {
    if let Some(assignment) = take_handed(context, slot) {
        return Some(assignment);
    }
    if let Some(assignment) = done.and_then(|done| take_waiting(context, source, open, done)) {
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
fn take_waiting<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    now: Nanos,
) -> Option<Assignment> {
    // What still waits at the end is dropped for want of a VU, so that state is kept.
    let starved_since = open.starved_since.get().filter(|_| context.state.may_start())?;
    let due = open.due(&source.share, open.next.get()).filter(|(_, intended)| *intended <= now);
    let Some((number, intended)) = due else {
        open.fed();
        return None;
    };
    let next = open.next.get() + 1;
    open.next.set(next);
    if open.due(&source.share, next).is_none() {
        open.fed(); // It was the last one, and the pacer is to know.
    }
    let slot_wait = now.since(intended.max(starved_since));
    Some(open_assignment(context, source, number, intended, now, slot_wait))
}

/// The next iteration of a closed VU that became free at `done`; waits until it is active and its pacing allows.
async fn next_closed<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    source: &Source<R::Timer>,
    closed: &ClosedSource,
    vu: u32,
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
    let v = u64::from(vu - source.vus_before);
    if intended >= turn.active_until {
        intended = wait_until_active(context, closed, v, timer, turn, intended).await?;
    }
    if !context.state.may_start() || !take_one(context, closed, source.number == 0) {
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
async fn wait_until_active<R: Runtime, D: Drivers>(
    context: &Context<R, D>,
    closed: &ClosedSource,
    v: u64,
    timer: &R::Timer,
    turn: &mut Turn,
    earliest: Nanos,
) -> Option<Nanos> {
    let mut at = earliest;
    while !closed.schedule.active(v, at.0) {
        at = Nanos(closed.schedule.next_change(v, at.0)?);
        if !rest_until(context, timer, at).await {
            return None;
        }
    }
    turn.active_until = closed.schedule.next_change(v, at.0).map_or(Nanos::MAX, Nanos);
    Some(at)
}

/// Takes one of the iterations that may still start. After the last one of the mix nobody waits for a turn any more.
fn take_one<R: Runtime, D: Drivers>(context: &Context<R, D>, closed: &ClosedSource, is_main: bool) -> bool {
    let Some(left) = closed.remaining.get() else {
        return true;
    };
    let rest = left.checked_sub(1);
    closed.remaining.set(rest.or(Some(0)));
    if rest.unwrap_or(0) == 0 && is_main {
        context.main_ended();
        context.state.close(false);
    }
    rest.is_some()
}

/// Waits between two iterations until `at`; false once none may start, so that the user can clear up.
async fn rest_until<R: Runtime, D: Drivers>(context: &Context<R, D>, timer: &R::Timer, at: Nanos) -> bool {
    wait_until(timer, at, || !context.state.may_start()).await
}

/// Waits until `at`; false when the run does not wait for pauses any more.
pub(crate) async fn pause_until<R: Runtime, D: Drivers>(context: &Context<R, D>, timer: &R::Timer, at: Nanos) -> bool {
    wait_until(timer, at, || context.state.hurried.get()).await
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
