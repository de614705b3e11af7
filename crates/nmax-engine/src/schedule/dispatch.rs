//! Hands iterations to virtual users: who starts them, and the turn-taking of closed workloads. See [`crate::schedule::pace`] for
//! open ones.

use std::rc::Rc;

use nmax_metrics::Nanos;

use crate::context::Context;
use crate::iteration::{Assignment, VuSlot};
use crate::protocol::Protocol;
use crate::runtime::{Runtime, Timer};
use crate::schedule::pace;
use crate::schedule::source::{ClosedSource, Kind, OpenSource, Source, Times};
use crate::user::vu::Vu;

/// Starts everything that starts iterations. Returns at once.
pub(crate) fn start<R: Runtime, P: Protocol>(context: &Rc<Context<R, P>>, times: Times) {
    let main = &context.sources.main;
    match &main.kind {
        Kind::Open(_) => {
            context.state.starters.set(1);
            let context = Rc::clone(context);
            let runtime = context.runtime.clone();
            runtime.spawn(async move {
                if let Kind::Open(open) = &context.sources.main.kind {
                    pace_main(&context, open, times).await;
                }
                context.starter_ended();
            });
        }
        Kind::Closed(closed) => {
            spawn_closed(context, main, closed);
            if let Some(end) = times.closes {
                keep_open(context, end);
            }
        }
    }
    for number in 1..=context.sources.background.len() as u32 {
        start_background(context, number, times.closes);
    }
}

/// Starts the iterations of an open mix until its load ends; a steered one may go on after its last iteration.
async fn pace_main<R: Runtime, P: Protocol>(context: &Rc<Context<R, P>>, open: &OpenSource, times: Times) {
    let main = &context.sources.main;
    loop {
        pace::pace(context, main, open, times.closes).await;
        let (revision, times) = (open.schedule.revision(), context.times(times));
        context.starts_ended(times.end);
        // A planned end is kept, also when nothing more is due until then.
        let Some(end) = times.closes.and(times.end) else { return };
        pace::sleep_by(open, revision, &main.timer, end).await;
        if open.schedule.revision() == revision {
            return;
        }
    }
}

/// The load of a closed mix lasts until its planned end, also where no user of this worker is active until then: it may be
/// steered, and what is beside it goes on.
fn keep_open<R: Runtime, P: Protocol>(context: &Rc<Context<R, P>>, end: Nanos) {
    context.state.starters.set(context.state.starters.get() + 1);
    let context = Rc::clone(context);
    let runtime = context.runtime.clone();
    runtime.spawn(async move {
        context.sources.main.timer.sleep_until(end).await;
        context.starter_ended();
    });
}

/// What is beside the mix starts iterations until the mix has ended.
fn start_background<R: Runtime, P: Protocol>(context: &Rc<Context<R, P>>, number: u32, closes: Option<Nanos>) {
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

/// All users of a closed workload that its schedule has and that were not made yet.
fn spawn_closed<R: Runtime, P: Protocol>(
    context: &Rc<Context<R, P>>,
    source: &Source<R::Timer>,
    closed: &ClosedSource,
) {
    let count = source.share.count_below(closed.schedule.get().vus_max());
    for j in closed.made.get()..count {
        let own = source.share.nth(j).unwrap_or(j);
        // More users than planned are numbered after those of all sources.
        let number = match own.checked_sub(closed.vus_total) {
            Some(beyond) => u64::from(context.sources.vus_of_all) + beyond,
            None => u64::from(source.vus_before) + own,
        };
        if source.number == 0 {
            context.state.starters.set(context.state.starters.get() + 1);
        }
        spawn_vu(context, source, (number as u32, own), None);
    }
    closed.made.set(count.max(closed.made.get()));
}

/// The load of the mix goes on by the stages of another plan: users that it needs besides are made, and all who wait look
/// again.
pub(crate) fn steered<R: Runtime, P: Protocol>(context: &Rc<Context<R, P>>) {
    let main = &context.sources.main;
    let Kind::Closed(closed) = &main.kind else { return };
    spawn_closed(context, main, closed);
    for (slot, iteration) in closed.ended.take() {
        context.state.starters.set(context.state.starters.get() + 1);
        context.runtime.spawn(Vu::new(Rc::clone(context), slot).live(iteration));
    }
    context.state.vus.borrow().iter().for_each(|vu| vu.wake());
}

/// Starts the user of this number in the run, and in its source.
pub(crate) fn spawn_vu<R: Runtime, P: Protocol>(
    context: &Rc<Context<R, P>>,
    source: &Source<R::Timer>,
    (number, own): (u32, u64),
    first: Option<Assignment>,
) {
    let slot = Rc::new(VuSlot { number, own, source: source.number, ..VuSlot::default() });
    slot.assignment.set(first);
    context.state.vus.borrow_mut().push(Rc::clone(&slot));
    let vu = Vu::new(Rc::clone(context), slot);
    context.runtime.spawn(vu.live(context.program.first_iteration));
}
