//! Hands iterations to virtual users: who starts them, and the turn-taking of closed workloads. See [`crate::pace`] for
//! open ones.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::Nanos;

use crate::context::{Assignment, Context, VuSlot};
use crate::driver::Drivers;
use crate::pace;
use crate::runtime::{Runtime, Timer};
use crate::source::{ClosedSource, Kind, Source, Times};
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
                    pace::pace(&context, main, open, times.closes).await;
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
        start_background(context, number, times.closes);
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
fn start_background<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, number: u32, closes: Option<Nanos>) {
    let source = context.sources.get(number);
    match &source.kind {
        Kind::Open(_) => {
            let context = Rc::clone(context);
            let runtime = context.runtime.clone();
            runtime.spawn(async move {
                let source = context.sources.get(number);
                if let Kind::Open(open) = &source.kind {
                    pace::pace(&context, source, open, closes).await;
                }
            });
        }
        Kind::Closed(closed) => spawn_closed(context, source, closed),
    }
}

/// All users of a closed workload.
fn spawn_closed<R: Runtime, D: Drivers>(context: &Rc<Context<R, D>>, source: &Source<R::Timer>, closed: &ClosedSource) {
    for j in 0..source.share.count_below(closed.vus_total) {
        let number = source.share.nth(j).unwrap_or(j) as u32;
        spawn_vu(context, source, source.vus_before.saturating_add(number), None);
    }
}

/// Starts the user of this number in the run.
pub(crate) fn spawn_vu<R: Runtime, D: Drivers>(
    context: &Rc<Context<R, D>>,
    source: &Source<R::Timer>,
    number: u32,
    first: Option<Assignment>,
) {
    let slot = Rc::new(VuSlot { number, source: source.number, ..VuSlot::default() });
    slot.assignment.set(first);
    context.state.vus.borrow_mut().push(Rc::clone(&slot));
    let vu = Vu::new(Rc::clone(context), slot);
    context.runtime.spawn(vu.live());
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
        Kind::Open(open) => pace::next(context, open, slot).await,
        Kind::Closed(closed) => next_closed(context, source, closed, slot.number, timer, turn, done).await,
    }
}

/// A VU has no more iterations.
pub(crate) fn vu_ended<R: Runtime, D: Drivers>(context: &Context<R, D>, slot: &VuSlot) {
    if slot.source == 0 && matches!(context.sources.main.kind, Kind::Closed(_)) {
        context.starter_ended();
    }
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
