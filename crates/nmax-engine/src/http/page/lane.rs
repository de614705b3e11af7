//! One exchange of a page, beside others of the same user.

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::task::{Context as Task, Poll};

use nmax_http::{Alarm, Exchange, Failure, KeepBody, Request, RequestText};
use nmax_metrics::{Clock, ErrorKind, Nanos};

use super::queue::Resource;
use crate::core::{Core, Phase};
use crate::http::driver::Driver;
use crate::http::prepared::keeps_alive;
use crate::runtime::{Runtime, Timer};

/// A request that is ready to be sent.
pub(super) struct Job {
    pub(super) resource: Resource,
    /// Number of its origin in the queue.
    pub(super) origin: usize,
    pub(super) text: RequestText,
    pub(super) keep_body: KeepBody,
    /// It asks whether what is stored has changed.
    pub(super) is_check: bool,
    /// Time that it waited for a connection of its origin.
    pub(super) wait: Nanos,
}

/// An exchange that has ended.
pub(super) struct Done<D> {
    pub(super) job: Job,
    pub(super) driver: D,
    pub(super) alarm: Alarm,
    /// `None` when the end of the run cut it off, at this instant.
    pub(super) exchange: Result<Exchange, Nanos>,
}

/// An exchange under way.
struct Lane<'a, D> {
    work: Pin<Box<dyn Future<Output = Done<D>> + 'a>>,
    alarm: Alarm,
    /// When its driver wants to be polled.
    wanted: Option<Nanos>,
}

/// The exchanges of a page that are under way.
pub(super) struct Lanes<'a, D> {
    lanes: Vec<Lane<'a, D>>,
    /// When all of them are given up.
    deadline: Nanos,
}

impl<'a, D: Driver> Lanes<'a, D> {
    pub(super) fn until(deadline: Nanos) -> Self {
        Self { lanes: Vec::new(), deadline }
    }

    pub(super) fn len(&self) -> usize {
        self.lanes.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }

    /// Sends a request over `driver`, which sets `alarm`.
    pub(super) fn start<R: Runtime>(&mut self, core: &'a Core<R>, job: Job, driver: D, alarm: Alarm) {
        self.lanes.push(Lane {
            work: Box::pin(carry(core, job, driver, Alarm::clone(&alarm), self.deadline)),
            alarm,
            wanted: None,
        });
    }

    /// The exchange that ends next. The timer wakes the user's task when a driver wants it, and at the deadline.
    pub(super) async fn next(&mut self, timer: &impl Timer, clock: &impl Clock) -> Done<D> {
        poll_fn(|task| self.poll(task, timer, clock)).await
    }

    fn poll(&mut self, task: &mut Task<'_>, timer: &impl Timer, clock: &impl Clock) -> Poll<Done<D>> {
        for index in 0..self.lanes.len() {
            let lane = &mut self.lanes[index];
            if let Poll::Ready(done) = lane.work.as_mut().poll(task) {
                self.lanes.remove(index);
                return Poll::Ready(done);
            }
            // What was wanted for an instant that has passed is done.
            lane.wanted = lane.alarm.take().or(lane.wanted.filter(|at| *at > clock.now()));
        }
        let wanted = self.lanes.iter().filter_map(|lane| lane.wanted).min();
        timer.arm(wanted.map_or(self.deadline, |at| at.min(self.deadline)));
        Poll::Pending
    }
}

/// One exchange until it ends by itself, by the page's deadline or by the end of the run.
async fn carry<R: Runtime, D: Driver>(
    core: &Core<R>,
    job: Job,
    mut driver: D,
    alarm: Alarm,
    deadline: Nanos,
) -> Done<D> {
    let request = Request {
        origin: &job.resource.url.origin,
        text: &job.text,
        rest: &[],
        waits: false,
        is_head: false,
        idempotent: true,
        keep_alive: keeps_alive(&core.plan),
        keep_body: job.keep_body,
    };
    let mut exchange = Exchange::ended(Nanos::ZERO);
    let has_ended = {
        let mut ending = pin!(driver.exchange(&request, &mut exchange));
        poll_fn(|task| match ending.as_mut().poll(task) {
            Poll::Ready(()) => Poll::Ready(true),
            Poll::Pending if core.state.is(Phase::Cut) || core.runtime.now() >= deadline => Poll::Ready(false),
            Poll::Pending => Poll::Pending,
        })
        .await
    };
    let exchange = match has_ended {
        true if exchange.is_fenced => Err(exchange.done),
        true => Ok(exchange),
        false if core.state.is(Phase::Cut) => Err(driver.abandon().done),
        false => Ok(Exchange {
            error: Some(Failure::new(
                ErrorKind::Timeout,
                "not complete within the time limit of its page, which begins when the document is complete",
            )),
            status: None,
            ..driver.abandon()
        }),
    };
    Done { job, driver, alarm, exchange }
}
