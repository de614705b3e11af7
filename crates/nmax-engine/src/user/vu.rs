//! A virtual user: its own cookies, connections, data and values, one iteration after the other.

use std::future::poll_fn;
use std::rc::Rc;
use std::sync::Arc;
use std::task::Poll;

use nmax_extract::resources::Resources;
use nmax_http::line::Line;
use nmax_http::{Alarm, Jar, RequestText, Url};
use nmax_metrics::Nanos;
use nmax_plan::choice::Choice;
use nmax_plan::plan::{AtEnd, Connection, Cookies, Per, Visitor};

use crate::context::{Context, Watched};
use crate::http::driver::{Driver, Drivers};
use crate::http::page::Cache;
use crate::http::render::BodyBuffer;
use crate::iteration::{Assignment, IterationEnd, VuSlot};
use crate::program::Records;
use crate::runtime::{Runtime, Timer};
use crate::schedule::source::{row, source_of};
use crate::schedule::turn;
use crate::schedule::turn::Turn;
use crate::user::setup::Setup;
use crate::user::values::{PER_REQUEST, VuValues};
use crate::user::way::{Stage, Way};

/// The choice of a new or returning visitor belongs to no step.
const VISITOR_STEP: u64 = u64::MAX;

/// Largest buffer that a user keeps while it thinks.
const BUFFER_KEPT_BYTES_MAX: usize = 4096;

/// A virtual user.
pub(crate) struct Vu<R: Runtime, D: Drivers> {
    pub(crate) context: Rc<Context<R, D>>,
    pub(crate) slot: Rc<VuSlot>,
    pub(crate) driver: D::Driver,
    pub(crate) jar: Jar,
    pub(crate) values: VuValues,
    pub(crate) buffers: Buffers,
    /// Where relative references start: the last URL requested.
    pub(crate) page: Option<Url>,
    /// Where it is in its scenario.
    pub(crate) way: Way,
    /// What became of the setup of each scenario; empty when no scenario has one.
    pub(crate) setups: Vec<Setup>,
    /// Bytes received for the document of the page under way.
    pub(crate) document_bytes: u64,
    /// What the document of the page under way names, when it was parsed anyway.
    pub(crate) named: Option<Resources>,
    /// What its browser remembers of resources; none before the first page.
    pub(crate) cache: Option<Box<Cache>>,
    /// Pauses.
    pub(crate) pause: R::Timer,
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
    pub(crate) request: RequestText,
    pub(crate) text: Vec<u8>,
}

impl Buffers {
    /// Gives large ones back: a user who thinks is not to hold what the last request took.
    pub(crate) fn release(&mut self) {
        for buffer in [&mut self.target, &mut self.body.bytes, &mut self.text] {
            if buffer.capacity() > BUFFER_KEPT_BYTES_MAX {
                *buffer = Vec::new();
            }
        }
        self.request.release(BUFFER_KEPT_BYTES_MAX);
    }
}

impl<R: Runtime, D: Drivers> Vu<R, D> {
    pub(crate) fn new(context: Rc<Context<R, D>>, slot: Rc<VuSlot>) -> Self {
        let plan = Arc::clone(&context.program.plan);
        let alarm = Alarm::default();
        Self {
            driver: context.drivers.make(Rc::clone(&alarm)),
            alarm,
            jar: Jar::new(),
            values: VuValues::new(plan, Arc::clone(&context.program.shared), slot.number),
            way: Way::default(),
            setups: Setup::all_due(&context.program),
            document_bytes: 0,
            named: None,
            cache: None,
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
        let (mut turn, mut done) = (Turn::new(context.program.first_iteration), None);
        while let Some(mut assignment) = self.next(&context, &mut turn, done).await {
            if self.slot.begun.get().is_none() {
                self.slot.begun.set(Some(assignment.begun));
            }
            if context.program.has_setups && !self.is_set_up(&context, &mut assignment).await {
                done = Some(context.runtime.now());
                continue;
            }
            let (at, end) = self.iterate(&context, &assignment).await;
            if end != IterationEnd::Ok || at == assignment.intended {
                // It may have ended without ever waiting, which must not keep the others from running.
                yield_now().await;
            }
            done = Some(at);
        }
        if context.program.has_setups {
            self.clear_up(&context).await;
        }
        turn::vu_ended(&context, &self.slot);
    }

    async fn next(&self, context: &Context<R, D>, turn: &mut Turn, done: Option<Nanos>) -> Option<Assignment> {
        turn::next(context, &self.slot, &self.pause, turn, done).await
    }

    /// Goes to where the user of an iteration is.
    #[cold]
    fn move_to(&self, context: &Context<R, D>, assignment: &Assignment) -> Option<Rc<Line>> {
        self.slot.location.set(assignment.location);
        let location = assignment.location?;
        context.locations.line(location, self.slot.number, context.runtime.clone())
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
        let (at, end) = self.walk(context, assignment, Stage::Steps).await;
        if context.program.plan.defaults.connection == Connection::PerIteration {
            self.driver.close();
        }
        if context.program.has_setups {
            self.keep_values(assignment.scenario);
        }
        context.end(assignment, at, end);
        (at, end)
    }

    /// What an iteration starts with: no values, its rows, and of the cookies those that the plan lets stay.
    pub(crate) fn prepare(&mut self, context: &Context<R, D>, assignment: &Assignment) {
        let plan = &context.program.plan;
        if assignment.location != self.slot.location.get() {
            let line = self.move_to(context, assignment);
            self.driver.set_line(line);
        }
        self.page = None;
        self.values.number = assignment.number;
        self.values.slots.iter_mut().for_each(String::clear);
        if context.program.has_setups {
            self.restore_values(assignment.scenario);
        }
        for (index, feeder) in plan.feeders.iter().enumerate() {
            if feeder.per == Per::Request {
                self.values.rows[index] = PER_REQUEST;
                continue;
            }
            let row = row(feeder, index, plan.seed, assignment);
            self.values.rows[index] = match context.program.records {
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
        if is_new {
            self.driver.forget();
            self.cache = None;
        }
        if is_new || plan.defaults.cookies == Cookies::PerIteration {
            self.jar.clear();
            if !is_new && let Some(Setup::Over { jar, .. }) = self.setups.get(assignment.scenario) {
                self.jar.clone_from(jar);
            }
        }
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
fn out_of_rows<R: Runtime, D: Drivers>(context: &Context<R, D>, assignment: &Assignment) -> Option<AtEnd> {
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
fn stop_for_data<R: Runtime, D: Drivers>(context: &Context<R, D>, assignment: &Assignment, rows: u64) {
    let number = source_of(assignment);
    if number > 0 {
        return context.sources.get(number).end(context.runtime.now());
    }
    let name = &context.program.plan.scenarios[assignment.scenario].name;
    context.data_ended(format!(
        "the data of scenario `{name}` ended: its {rows} rows are for the first {rows} iterations of the mix"
    ));
}
