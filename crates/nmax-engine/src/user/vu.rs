//! A virtual user: its own data, values and what the protocol has of it, one iteration after the other.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use nmax_http::Alarm;
use nmax_http::line::Line;
use nmax_metrics::Nanos;
use nmax_plan::choice::Choice;
use nmax_plan::plan::{AtEnd, Per, Visitor};

use crate::context::Context;
use crate::core::Watched;
use crate::iteration::{Assignment, IterationEnd, VuSlot};
use crate::program::Records;
use crate::protocol::Protocol;
use crate::runtime::{Runtime, Timer};
use crate::schedule::source::{row, source_of};
use crate::schedule::turn::{self, Turn};
use crate::user::actor::Actor;
use crate::user::setup::Setup;
use crate::user::values::{PER_REQUEST, VuValues};
use crate::user::walk_state::{Stage, WalkState};

/// The choice of a new or returning visitor belongs to no step.
const VISITOR_STEP: u64 = u64::MAX;

/// A virtual user.
pub(crate) struct Vu<R: Runtime, P: Protocol> {
    pub(crate) context: Rc<Context<R, P>>,
    /// What its calls may use of it.
    pub(crate) actor: Actor<R>,
    /// What the protocol has of it.
    pub(crate) user: P::User,
    /// What became of the setup of each scenario; empty when no scenario has one.
    pub(crate) setups: Vec<Setup<P::SetupState>>,
    /// Pauses.
    pub(crate) pause: R::Timer,
}

impl<R: Runtime, P: Protocol> Vu<R, P> {
    pub(crate) fn new(context: Rc<Context<R, P>>, slot: Rc<VuSlot>) -> Self {
        let alarm = Alarm::default();
        Self {
            user: context.protocol.user(Rc::clone(&alarm)),
            actor: Actor {
                values: VuValues::new(Arc::clone(&context.plan), Arc::clone(&context.program.shared), slot.number),
                text: Vec::new(),
                walk: WalkState::default(),
                limit: context.runtime.timer(),
                alarm,
                seen: None,
                slot,
            },
            setups: Setup::all_due(&context.program),
            pause: context.runtime.timer(),
            context,
        }
    }

    /// Its task is this one from now on.
    pub(crate) async fn arrive(&self) {
        poll_fn(|task| {
            self.actor.slot.waker.replace(Some(task.waker().clone()));
            self.actor.limit.watch(task.waker());
            Poll::Ready(())
        })
        .await;
    }

    /// Runs iterations from this number on until there are no more.
    #[expect(clippy::manual_async_fn, reason = "an async function copies its arguments, and has room for both")]
    pub(crate) fn live(mut self, first: u64) -> impl Future<Output = ()> {
        async move {
            self.arrive().await;
            let context = Rc::clone(&self.context);
            let (mut turn, mut done) = (Turn::new(first), None);
            loop {
                let next = match turn::at_once(&context, &self.actor.slot, &mut turn, done) {
                    Poll::Ready(next) => next,
                    Poll::Pending => turn::next(&context, &self.actor.slot, &self.pause, &mut turn, done).await,
                };
                let Some(mut assignment) = next else { break };
                if self.actor.slot.begun.get().is_none() {
                    self.actor.slot.begun.set(Some(assignment.begun));
                }
                if context.program.has_setups && !self.is_set_up(&context, &mut assignment).await {
                    done = Some(context.runtime.now());
                    continue;
                }
                let (at, end) = if let Some(at) = self.lacks_row(&context, &assignment) {
                    (at, IterationEnd::Failed)
                } else {
                    context.begin(&assignment);
                    let _watched = Watched(&context.state);
                    self.prepare(&context, &assignment);
                    let (at, end) = self.walk(&context, &assignment, Stage::Steps).await;
                    context.protocol.end(&mut self.user);
                    if context.program.has_setups {
                        self.keep_values(assignment.scenario);
                    }
                    context.end(&assignment, at, end);
                    (at, end)
                };
                if end != IterationEnd::Ok || at == assignment.intended {
                    // It may have ended without ever waiting, which must not keep the others from running.
                    yield_now().await;
                }
                done = Some(at);
            }
            if context.program.has_setups {
                self.clear_up(&context).await;
            }
            turn::vu_ended(&context, &self.actor.slot, turn);
        }
    }

    /// Goes to where the user of an iteration is.
    #[cold]
    fn move_to(&self, context: &Context<R, P>, assignment: &Assignment) -> Option<Rc<Line>> {
        self.actor.slot.location.set(assignment.location);
        let location = assignment.location?;
        context.locations.line(location, self.actor.slot.number, context.runtime.clone())
    }

    /// When an iteration ended for which there is no row; `None` of one that can be done.
    #[inline]
    fn lacks_row(&self, context: &Context<R, P>, assignment: &Assignment) -> Option<Nanos> {
        let at_end = out_of_rows(context, assignment)?;
        let now = context.runtime.now();
        if at_end == AtEnd::Error {
            context.begin(assignment);
            context.end(assignment, now, IterationEnd::Failed);
        }
        Some(now)
    }

    /// What an iteration starts with: no values, its rows, and of the cookies those that the plan lets stay.
    pub(crate) fn prepare(&mut self, context: &Context<R, P>, assignment: &Assignment) {
        let plan = &context.plan;
        if assignment.location != self.actor.slot.location.get() {
            let line = self.move_to(context, assignment);
            context.protocol.set_line(&mut self.user, line);
        }
        self.actor.values.number = assignment.number;
        self.actor.values.slots.iter_mut().for_each(String::clear);
        if context.program.has_setups {
            self.restore_values(assignment.scenario);
        }
        for (index, feeder) in plan.feeders.iter().enumerate() {
            if feeder.per == Per::Request {
                self.actor.values.rows[index] = PER_REQUEST;
                continue;
            }
            let row = row(feeder, index, plan.seed, assignment);
            self.actor.values.rows[index] = match context.program.records {
                Records::First => row,
                Records::Last => feeder.row_count().saturating_sub(1 + row),
            };
        }
        let is_new = match plan.defaults.visitor {
            Visitor::Returning => false,
            Visitor::New => true,
            Visitor::Mixed(share) => {
                let (vu, iteration) = assignment.choice;
                Choice::new(plan.seed, vu, iteration, VISITOR_STEP).unit(0) < share
            }
        };
        let kept = match self.setups.get(assignment.scenario) {
            Some(Setup::Over { kept, .. }) => Some(kept),
            _ => None,
        };
        context.protocol.begin(&mut self.user, is_new, kept);
    }
}

/// Lets every other task that is ready run first.
pub(crate) async fn yield_now() {
    let mut has_yielded = false;
    poll_fn(|task| {
        if std::mem::replace(&mut has_yielded, true) {
            return Poll::Ready(());
        }
        task.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// What happens to an iteration whose rows have run out. With [`AtEnd::Stop`] nothing starts any more of the mix, or of
/// the background that it belongs to.
#[inline]
fn out_of_rows<R: Runtime, P: Protocol>(context: &Context<R, P>, assignment: &Assignment) -> Option<AtEnd> {
    let (rows, at_end) = context.program.rows_max[assignment.scenario]?;
    if assignment.number < rows {
        return None;
    }
    if at_end == AtEnd::Stop {
        stop_for_data(context, assignment, rows);
    }
    Some(at_end)
}

#[cold]
pub(super) fn stop_for_data<R: Runtime, P: Protocol>(context: &Context<R, P>, assignment: &Assignment, rows: u64) {
    let number = source_of(assignment);
    if number > 0 {
        return context.sources.get(number).end(context.runtime.now());
    }
    let name = &context.plan.scenarios[assignment.scenario].name;
    context.data_ended(format!(
        "the data of scenario `{name}` ended: its {rows} rows are for the first {rows} iterations of the mix"
    ));
}
