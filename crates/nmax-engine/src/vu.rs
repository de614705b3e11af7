//! A virtual user: its own cookies, connections, data and values, one iteration after the other.

use std::borrow::Cow;
use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use nmax_http::{Alarm, Jar, Url};
use nmax_metrics::Nanos;
use nmax_plan::choice::Choice;
use nmax_plan::plan::{AtEnd, Connection, Cookies, Plan, Step, ThinkTime, Visitor};
use nmax_plan::template::{Call, Values};

use crate::context::{Assignment, Context, IterationEnd, VuSlot, Watched};
use crate::dispatch::{self, Turn};
use crate::driver::{Driver, Drivers};
use crate::program::Action;
use crate::render::BodyBuffer;
use crate::runtime::{Runtime, Timer};
use crate::source::{Kind, row};

/// The choice of a new or returning visitor belongs to no step.
const VISITOR_STEP: u64 = u64::MAX;

/// Largest buffer that a user keeps while it thinks.
const BUFFER_KEPT_BYTES_MAX: usize = 4096;

/// A virtual user.
pub(crate) struct Vu<R: Runtime, D: Drivers> {
    pub(crate) context: Rc<Context<R, D>>,
    slot: Rc<VuSlot>,
    pub(crate) driver: D::Driver,
    pub(crate) jar: Jar,
    pub(crate) values: VuValues,
    pub(crate) buffers: Buffers,
    /// Where relative references start: the last URL requested.
    pub(crate) page: Option<Url>,
    /// Pauses.
    pause: R::Timer,
    /// Time limit of the exchange under way.
    pub(crate) limit: R::Timer,
    /// When the driver wants to be polled.
    pub(crate) alarm: Alarm,
}

/// Reused by every exchange.
#[derive(Default)]
pub(crate) struct Buffers {
    pub(crate) target: Vec<u8>,
    pub(crate) body: BodyBuffer,
    pub(crate) bytes: Vec<u8>,
    pub(crate) text: Vec<u8>,
}

impl Buffers {
    /// Gives large ones back: a user who thinks is not to hold what the last request took.
    fn release(&mut self) {
        for buffer in [&mut self.target, &mut self.body.bytes, &mut self.bytes, &mut self.text] {
            if buffer.capacity() > BUFFER_KEPT_BYTES_MAX {
                *buffer = Vec::new();
            }
        }
    }
}

/// What templates read.
pub(crate) struct VuValues {
    plan: Arc<Plan>,
    pub(crate) slots: Vec<String>,
    rows: Vec<u64>,
    number: u64,
    vu: u32,
}

impl Values for VuValues {
    fn slot(&self, slot: usize) -> &str {
        self.slots.get(slot).map_or("", String::as_str)
    }
    fn feeder(&self, feeder: usize, column: usize) -> Cow<'_, str> {
        self.plan.feeders[feeder].cell(self.plan.seed, self.rows[feeder], column)
    }
    fn iteration(&self) -> u64 {
        self.number
    }
    fn vu(&self) -> u32 {
        self.vu
    }
    fn shared(&self, _slot: usize) -> &str {
        ""
    }
    fn call(&self, _call: &Call, _out: &mut String) {}
}

/// A request's place in its run.
#[derive(Clone, Copy)]
pub(crate) struct Turnstile {
    /// When it is due.
    pub(crate) intended: Nanos,
    /// When its turn came: `intended`, or later when the VU was not free.
    pub(crate) begun: Nanos,
    /// How long the iteration waited for a slot; on its first request only.
    pub(crate) slot_wait: Nanos,
}

/// How a step ended.
pub(crate) enum StepEnd {
    /// The iteration goes on from this instant; whether the step was ok.
    Next(Nanos, bool),
    /// Later steps lack a value: the iteration ends, failed.
    Stop(Nanos),
    /// The run's end cut it off.
    Cut(Nanos),
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    pub(crate) fn new(context: Rc<Context<R, D>>, slot: Rc<VuSlot>) -> Self {
        let plan = Arc::clone(&context.program.plan);
        let slots = plan
            .scenarios
            .iter()
            .map(|scenario| scenario.slots.len())
            .max()
            .unwrap_or(0);
        let alarm = Alarm::default();
        Self {
            driver: context.drivers.make(Rc::clone(&alarm)),
            alarm,
            jar: Jar::new(),
            values: VuValues {
                slots: vec![String::new(); slots],
                rows: vec![0; plan.feeders.len()],
                number: 0,
                vu: slot.number,
                plan,
            },
            buffers: Buffers::default(),
            page: None,
            pause: context.runtime.timer(),
            limit: context.runtime.timer(),
            context,
            slot,
        }
    }

    /// Runs iterations until there are no more.
    pub(crate) async fn live(mut self) {
        poll_fn(|task| {
            self.slot.waker.replace(Some(task.waker().clone()));
            self.limit.watch(task.waker());
            Poll::Ready(())
        })
        .await;
        let context = Rc::clone(&self.context);
        let (mut turn, mut done) = (Turn::default(), None);
        while let Some(assignment) = self.next(&context, &mut turn, done).await {
            self.slot.has_begun.set(true);
            let (at, end) = self.iterate(&context, &assignment).await;
            if end != IterationEnd::Ok {
                // It may have failed without ever waiting, which must not keep the others from running.
                yield_now().await;
            }
            done = Some(at);
        }
        if let Kind::Closed(_) = context.source.kind {
            context.state.starter_ended();
        }
    }

    async fn next(&self, context: &Context<R, D>, turn: &mut Turn, done: Option<Nanos>) -> Option<Assignment> {
        match &context.source.kind {
            Kind::Open(open) => dispatch::next_open(context, open, &self.slot, done).await,
            Kind::Closed(closed) => {
                dispatch::next_closed(context, closed, self.slot.number, &self.pause, turn, done).await
            }
        }
    }

    /// Runs one iteration; returns when it was done, and how it ended.
    async fn iterate(&mut self, context: &Context<R, D>, assignment: &Assignment) -> (Nanos, IterationEnd) {
        if let Some(at_end) = out_of_rows(context, assignment) {
            let now = context.runtime.now();
            if at_end == AtEnd::Error {
                context.begin(assignment);
                context.end(assignment, now, IterationEnd::Failed);
            }
            return (now, IterationEnd::Failed);
        }
        context.begin(assignment);
        let _watched = Watched(&context.state);
        self.prepare(context, assignment);
        let (at, end) = self.steps(context, assignment).await;
        if context.program.plan.defaults.connection == Connection::PerIteration {
            self.driver.close();
        }
        context.end(assignment, at, end);
        (at, end)
    }

    async fn steps(&mut self, context: &Context<R, D>, assignment: &Assignment) -> (Nanos, IterationEnd) {
        let mut turn = Turnstile {
            intended: assignment.intended,
            begun: assignment.begun,
            slot_wait: assignment.slot_wait,
        };
        let mut is_ok = true;
        for action in &context.program.scenarios[assignment.scenario] {
            let at = match action {
                Action::Think(step) => {
                    let at = turn.intended + self.think(context, assignment, *step);
                    self.buffers.release();
                    self.driver.rest();
                    if !dispatch::pause_until(context, &self.pause, at).await {
                        return (context.runtime.now(), IterationEnd::Interrupted);
                    }
                    at
                }
                Action::Request(prepared) => match self.request(context, assignment, prepared, turn).await {
                    StepEnd::Next(done, step_is_ok) => {
                        is_ok &= step_is_ok;
                        done
                    }
                    StepEnd::Stop(done) => return (done, IterationEnd::Failed),
                    StepEnd::Cut(now) => return (now, IterationEnd::Interrupted),
                },
            };
            turn = Turnstile {
                intended: at,
                begun: at,
                slot_wait: Nanos::ZERO,
            };
        }
        (
            turn.intended,
            if is_ok { IterationEnd::Ok } else { IterationEnd::Failed },
        )
    }

    /// What an iteration starts with: no values, its rows, and of the cookies those that the plan lets stay.
    fn prepare(&mut self, context: &Context<R, D>, assignment: &Assignment) {
        let plan = &context.program.plan;
        self.page = None;
        self.values.number = assignment.number;
        self.values.slots.iter_mut().for_each(String::clear);
        for (index, feeder) in plan.feeders.iter().enumerate() {
            self.values.rows[index] = row(feeder, index, plan.seed, assignment);
        }
        let is_new = match plan.defaults.visitor {
            Visitor::Returning => false,
            Visitor::New => true,
            Visitor::Mixed(share) => {
                let (vu, iteration) = assignment.choice;
                Choice::new(plan.seed, vu, iteration, VISITOR_STEP).unit(0) < share
            }
        };
        if is_new {
            self.driver.forget();
        }
        if is_new || plan.defaults.cookies == Cookies::PerIteration {
            self.jar.clear();
        }
    }

    fn think(&self, context: &Context<R, D>, assignment: &Assignment, step: usize) -> Nanos {
        let plan = &context.program.plan;
        let Step::Think(think) = &plan.scenarios[assignment.scenario].steps[step] else {
            return Nanos::ZERO;
        };
        let choice = Choice::new(plan.seed, assignment.choice.0, assignment.choice.1, step as u64);
        match think {
            ThinkTime::Fixed(time) => Nanos::from(*time),
            ThinkTime::Uniform { min, max } => {
                let width_ns = max.saturating_sub(*min).as_nanos() as f64;
                Nanos::from(*min) + Nanos((choice.unit(0) * width_ns) as u64)
            }
            ThinkTime::Lognormal { median, p95 } => {
                Nanos(choice.lognormal(0, median.as_nanos() as f64, p95.as_nanos() as f64) as u64)
            }
        }
    }
}

/// Lets every other task that is ready run first.
async fn yield_now() {
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

/// What happens to an iteration whose rows have run out. With [`AtEnd::Stop`] nothing starts any more.
fn out_of_rows<R: Runtime, D: Drivers>(context: &Context<R, D>, assignment: &Assignment) -> Option<AtEnd> {
    let (rows, at_end) = context.program.rows_max[assignment.scenario]?;
    if assignment.number < rows {
        return None;
    }
    if at_end == AtEnd::Stop {
        let name = &context.program.plan.scenarios[assignment.scenario].name;
        let why = format!("the data of scenario `{name}` ended after {rows} rows");
        context.data_ended(why);
    }
    Some(at_end)
}
