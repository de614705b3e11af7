//! Hands iterations to virtual users: who starts them, and the turn-taking of closed workloads. See [`crate::schedule::pace`] for
//! open ones.

use std::rc::Rc;

use nmax_metrics::Nanos;

use crate::context::Context;
use crate::iteration::{Assignment, VuSlot};
use crate::protocol::Protocol;
use crate::runtime::{Runtime, Timer};
use crate::schedule::pace;
use crate::schedule::source::{ClosedSource, Kind, Source, Times};
use crate::user::vu::Vu;

/// Starts everything that starts iterations. Returns at once.
pub(crate) fn start<R: Runtime, P: Protocol>(context: &Rc<Context<R, P>>, times: Times) {
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
fn keep_open<R: Runtime, P: Protocol>(context: &Rc<Context<R, P>>, end: Nanos) {
    context.state.starters.set(1);
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

/// All users of a closed workload.
fn spawn_closed<R: Runtime, P: Protocol>(
    context: &Rc<Context<R, P>>,
    source: &Source<R::Timer>,
    closed: &ClosedSource,
) {
    for j in 0..source.share.count_below(closed.vus_total) {
        let number = source.share.nth(j).unwrap_or(j) as u32;
        spawn_vu(context, source, source.vus_before.saturating_add(number), None);
    }
}

/// Starts the user of this number in the run.
pub(crate) fn spawn_vu<R: Runtime, P: Protocol>(
    context: &Rc<Context<R, P>>,
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
