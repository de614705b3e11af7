//! One worker: a thread, a single-threaded runtime, its virtual users, from the run's origin to its end.

use std::future::poll_fn;
use std::rc::Rc;
use std::task::Poll;

use nmax_metrics::{Nanos, Section};
use nmax_plan::schedule::held;

use crate::context::Context;
use crate::core::Phase;
use crate::measure::meter::WorkerEnd;
use crate::protocol::Protocol;
use crate::runtime::{Runtime, Timer};
use crate::schedule::dispatch::{self};
use crate::schedule::source::{ClosedSource, Kind, OpenSource, Source, Times};
use crate::schedule::turn::pause_until;

/// How long a worker waits at its end for sockets that servers should close, so that a short run tells of them too.
const HELD_WAIT: Nanos = Nanos::from_secs(1);
/// How long after its end the load waits for starts that are late.
const LATE_WAIT: Nanos = Nanos::from_secs(1);
/// How often it looks whether they have begun.
const LATE_LOOK: Nanos = Nanos::from_millis(1);
/// How often it looks whether they are closed.
const HELD_LOOK: Nanos = Nanos::from_millis(10);

/// Runs a worker's share of the run on its own runtime, until everything has ended and is reported.
///
/// - `times`: planned statistics interval and end of the load
/// - `grace`: how long exchanges may go on after that, before they are cut off
pub async fn run<R: Runtime, P: Protocol>(context: Rc<Context<R, P>>, times: Times, grace: Nanos) {
    dispatch::start(&context, times);
    let ticker = Rc::clone(&context);
    context.runtime.spawn(async move { tick(&ticker).await });
    let heart = Rc::clone(&context);
    context.runtime.spawn(async move { beat(&heart, grace).await });
    let clock = Rc::clone(&context);
    context.runtime.spawn(async move { end_in_time(&clock, times, grace).await });
    poll_fn(|task| {
        context.state.main.replace(Some(task.waker().clone()));
        if context.state.is_over() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
    let now = context.runtime.now();
    context.roll(now);
    count_dropped(&context, context.times(times), now);
    let ended = |source: &Source<R::Timer>| Some((source.number, source.data_ended.get()?));
    let end = WorkerEnd {
        load_ended: context.state.load_ended.get(),
        broke: context.state.broke.get(),
        error: context.state.ended_early.borrow_mut().take(),
        background_ended: context.sources.background.iter().filter_map(ended).collect(),
    };
    for source in context.sources.all() {
        if let Kind::Open(open) = &source.kind {
            open.free_slots();
        }
    }
    let time = context.runtime.thread_time();
    context.state.ended.set(true);
    await_held(&context, now).await;
    context.finish(now, time, end);
}

/// Waits for sockets that servers should close, unless the run was cut. All that is measured ended at `now`, and does
/// not change by this. Servers that close at once cost no wait.
async fn await_held<R: Runtime, P: Protocol>(context: &Context<R, P>, now: Nanos) {
    let timer = context.runtime.timer();
    let end = now + HELD_WAIT;
    let mut look = now;
    while context.protocol.watching() > 0 && look < end && !context.state.is(Phase::Cut) {
        look = look + HELD_LOOK;
        timer.sleep_until(look).await;
    }
}

/// Ends windows in which nothing else happens, until nothing will happen any more.
async fn tick<R: Runtime, P: Protocol>(context: &Context<R, P>) {
    let timer = context.runtime.timer();
    loop {
        let end = context.meter.borrow_mut().window().end();
        timer.sleep_until(end).await;
        if context.state.ended.get() {
            return;
        }
        context.roll(context.runtime.now());
    }
}

/// Notices when this thread was not there and when the fence is reached, until nothing will happen any more. What is under
/// way at the fence may end within the grace.
async fn beat<R: Runtime, P: Protocol>(context: &Context<R, P>, grace: Nanos) {
    let timer = context.runtime.timer();
    let mut due = context.meter.borrow_mut().first_beat(context.runtime.now());
    loop {
        let fence = if context.fence.was_reached() { Nanos::MAX } else { context.fence.get() };
        timer.sleep_until(due.min(fence)).await;
        if context.state.ended.get() {
            return;
        }
        let now = context.runtime.now();
        context.roll(now);
        if context.is_fenced(now) && now >= context.fence.get() + grace {
            context.cut_off();
        }
        due = context.meter.borrow_mut().beat(now);
    }
}

/// Ends the load when planned, and cuts off what has not ended by the grace after that.
async fn end_in_time<R: Runtime, P: Protocol>(context: &Context<R, P>, times: Times, grace: Nanos) {
    let timer = context.runtime.timer();
    if let Some(end) = times.closes {
        if pause_until(context, &timer, end).await {
            await_late(context, &timer, end + grace.min(LATE_WAIT)).await;
            context.state.close(Phase::Over);
        }
        timer.sleep_until(end + grace).await;
        context.cut_off();
    }
}

/// Waits until what is late by the worker's own doing has started: late at the end is late, and not lost.
async fn await_late<R: Runtime, P: Protocol>(context: &Context<R, P>, timer: &R::Timer, until: Nanos) {
    let is_late = |source: &Source<R::Timer>| match &source.kind {
        Kind::Open(open) => open.awaits_user.get() && !open.awaits_target(),
        Kind::Closed(_) => false,
    };
    let mut look = context.runtime.now();
    while context.sources.all().any(is_late) && look < until && !context.state.is(Phase::Hurried) {
        look = look + LATE_LOOK;
        timer.sleep_until(look).await;
    }
}

/// Counts the iterations that were due before the end and never started.
fn count_dropped<R: Runtime, P: Protocol>(context: &Context<R, P>, times: Times, now: Nanos) {
    for source in context.sources.all() {
        match &source.kind {
            Kind::Open(open) => count_not_started(context, source, open, times, now),
            Kind::Closed(closed) => count_idle(context, source, closed, now),
        }
    }
    if let Kind::Closed(closed) = &context.sources.main.kind {
        count_unserved(context, closed, times, now);
    }
}

/// Counts the virtual users of the mix who began, and how long those waited who got no reply while the load went on. Where
/// a number of iterations ends the run, that is until now.
fn count_unserved<R: Runtime, P: Protocol>(context: &Context<R, P>, closed: &ClosedSource, times: Times, now: Nanos) {
    let planned = times.closes.filter(|_| closed.remaining.get().is_none()).unwrap_or(Nanos::MAX);
    let end = context.state.closed_at.get().unwrap_or(now).min(planned).min(now);
    let mut meter = context.meter.borrow_mut();
    let load = meter.window().aggregate.load_mut(Section::Hold);
    for vu in context.state.vus.borrow().iter().filter(|vu| vu.source == 0) {
        let Some(begun) = vu.begun.get() else { continue };
        load.users += 1;
        if vu.served.get().is_none_or(|served| served > end) {
            load.unserved.record(end.since(begun).0);
        }
    }
}

/// Counts the iterations of an open workload that were due before the end and never started.
fn count_not_started<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    source: &Source<R::Timer>,
    open: &OpenSource,
    times: Times,
    now: Nanos,
) {
    let state = &context.state;
    if state.ended_early.borrow().is_some() && !state.broke.get() {
        return; // The plan's data ended, so nothing more was due.
    }
    let share = &source.share;
    let started = open.next.get();
    let end = state
        .closed_at
        .get()
        .unwrap_or(now)
        .min(state.main_ended.get().unwrap_or(now))
        .min(times.closes.unwrap_or(Nanos::MAX));
    let due = |at: Nanos| open.due_before(share, at.min(end)).max(started);
    let parts = held(&context.course().stages, times.hold.0.0, times.hold.1.0);
    let hold: u64 = parts.iter().map(|part| due(Nanos(part.end)) - due(Nanos(part.start))).sum();
    let total = due(end) - started;
    let is_limit = open.awaits_target();
    let mut meter = context.meter.borrow_mut();
    for (section, count) in [(Section::Hold, hold), (Section::Outside, total.saturating_sub(hold))] {
        let load = meter.window().aggregate.load_mut(section);
        load.due += count;
        if is_limit {
            load.dropped_in_flight_limit += count;
        } else {
            load.dropped_injector += count;
        }
    }
}

/// Counts the virtual users of a closed workload that were to be active and never got to start an iteration.
fn count_idle<R: Runtime, P: Protocol>(
    context: &Context<R, P>,
    source: &Source<R::Timer>,
    closed: &ClosedSource,
    now: Nanos,
) {
    let state = &context.state;
    if closed.remaining.get() == Some(0) || state.ended_early.borrow().is_some() {
        return; // There was nothing left for them to do.
    }
    let end = state.closed_at.get().or(state.main_ended.get()).unwrap_or(now);
    let schedule = closed.schedule.get();
    let vus = state.vus.borrow();
    let own = vus.iter().filter(|vu| vu.source == source.number);
    for vu in own.filter(|vu| vu.begun.get().is_none()) {
        let from = context.sources.from.0;
        let at = match schedule.active(vu.own, from) {
            true => Some(from),
            false => schedule.next_change(vu.own, from),
        };
        if let Some(at) = at.map(Nanos).filter(|at| *at < end) {
            let mut meter = context.meter.borrow_mut();
            let section = meter.section(at);
            let load = meter.window().aggregate.load_mut(section);
            load.due += 1;
            load.dropped_injector += 1;
        }
    }
}
