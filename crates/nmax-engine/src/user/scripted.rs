//! A virtual user in the hands of a script.

use std::cell::Cell;
use std::convert::Infallible;
use std::future::{pending, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use nmax_metrics::{Group, Metric, Nanos};
use nmax_plan::plan::{AtEnd, Call, PASSES_MAX};
use nmax_plan::template::{Names, Part, Template};

use crate::context::Context;
use crate::core::Phase;
use crate::error::ProgramError;
use crate::iteration::{Assignment, StartTimes};
use crate::program::bound;
use crate::program::prepare::{Maker, Ready};
use crate::protocol::Protocol;
use crate::runtime::Runtime;
use crate::schedule::turn;
use crate::script::{Reply, User, Wait};
use crate::user::verify::Answer;
use crate::user::vu::{Vu, stop_for_data, yield_now};
use crate::user::walk::{KIND_LOOP, KIND_VALUE, PASSES_PER_TURN};
use crate::user::walk_state::Group as Open;

/// Kind of the failure of a script that says so, or cannot go on.
const KIND: &str = "script";

/// Why a script does not go on.
pub(super) enum Halt {
    /// The run's end cut it off.
    Cut,
    /// It failed: kind and reason.
    Failed(&'static str, String),
}

/// A virtual user in the hands of a script.
struct Scripted<'a, R: Runtime, P: Protocol> {
    vu: &'a mut Vu<R, P>,
    context: &'a Context<R, P>,
    assignment: &'a Assignment,
    /// Number of the action.
    action: usize,
    /// When its next exchange is due.
    start: StartTimes,
    /// When the exchange was due to which checks belong: the last one.
    checked: Nanos,
    is_ok: bool,
    /// Transactions around the script.
    depth: usize,
    /// Pauses in a row that took no time.
    idle: u32,
    halt: &'a Cell<Option<Halt>>,
}

/// Lets the script of an action go its way; when it ended, and whether all in it was ok.
pub(super) async fn play<R: Runtime, P: Protocol>(
    vu: &mut Vu<R, P>,
    context: &Context<R, P>,
    assignment: &Assignment,
    action: usize,
    start: StartTimes,
) -> (Nanos, Result<bool, Halt>) {
    let (halt, depth) = (Cell::new(None), vu.actor.walk.groups.len());
    vu.actor.stand_at(context, assignment, action);
    let (checked, halt) = (start.intended, &halt);
    let mut user = Scripted { vu, context, assignment, action, start, checked, is_ok: true, depth, idle: 0, halt };
    let ended = match &context.program.scripts[assignment.scenario] {
        None => Err(Halt::Failed(KIND, "the run was given no script for this scenario".into())),
        Some(script) => {
            let mut iteration = script.iterate(&mut user);
            poll_fn(|task| match (iteration.as_mut().poll(task), halt.take()) {
                (_, Some(why)) => Poll::Ready(Err(why)),
                (Poll::Ready(ended), None) => Poll::Ready(ended.map_err(|why| Halt::Failed(KIND, why))),
                (Poll::Pending, None) => Poll::Pending,
            })
            .await
        }
    };
    // One that the run's end cut off is not counted.
    while user.vu.actor.walk.groups.len() > depth && !matches!(ended, Err(Halt::Cut)) {
        user.vu.end_group(context, ended.is_ok());
    }
    (user.start.intended, ended.map(|()| user.is_ok))
}

impl<R: Runtime, P: Protocol> Scripted<'_, R, P> {
    /// A script that was told to end does not go on.
    async fn go(&self) {
        if let Some(why) = self.halt.take() {
            match self.stop(why).await {}
        }
    }

    /// The script does not go on.
    async fn stop(&self, why: Halt) -> Infallible {
        self.halt.set(Some(why));
        pending().await
    }

    /// The next exchange is due at `done`.
    fn go_on(&mut self, done: Nanos) {
        self.start = StartTimes { intended: done, begun: done, slot_wait: Nanos::ZERO };
        self.idle = 0;
    }

    /// A call of the script, as those of a plan are before the run.
    fn prepare(&self, call: Call) -> Result<Ready<P::Prepared>, ProgramError> {
        let (context, program) = (self.context, &self.context.program);
        let number = |group, name: &str| Some(context.number(group, name));
        let request = |name: &str| Some(context.names.id(name));
        let is_group = |name: &str| {
            let number = context.number(Group::Transaction, name);
            program.groups.contains(name) || self.vu.actor.walk.groups.iter().any(|open| open.number == number)
        };
        let (plan, files) = (&program.plan, &program.files);
        let maker = Maker { plan, files, is_group: &is_group, number: &number, request: &request };
        let call = maker.of_script(self.action, call)?;
        let scenario = (self.assignment.scenario, &plan.scenarios[self.assignment.scenario]);
        Ok(Ready { what: context.protocol.prepare(&maker, scenario, &call)?, call })
    }

    async fn carry(&mut self, call: Call) -> Reply {
        self.go().await;
        let context = self.context;
        // Each call makes choices of its own, as each pass of a loop does.
        self.vu.actor.walk.passes += 1;
        self.vu.actor.stand_at(context, self.assignment, self.action);
        let ready = match self.prepare(call) {
            Ok(ready) => ready,
            Err(error) => match self.stop(Halt::Failed(KIND, error.to_string())).await {},
        };
        let start = StartTimes { begun: self.start.begun.max(context.runtime.now()), ..self.start };
        let end = {
            let mut call = pin!(self.vu.call(context, self.assignment, &ready, start));
            poll_fn(|task| call.as_mut().poll(task)).await
        };
        self.vu.note(start.intended, &end);
        let (Some((done, is_ok)), Some(sample)) = (end.outcome(), self.vu.actor.seen.take()) else {
            match self.stop(Halt::Cut).await {}
        };
        self.is_ok &= is_ok;
        self.checked = start.intended;
        self.go_on(done);
        let answer = context.protocol.answer(&self.vu.user);
        let headers = answer.headers().map(|(name, value)| (name.to_owned(), value.to_vec())).collect();
        Reply { is_ok, sample: *sample, headers, body: answer.body().to_vec(), is_cut: answer.is_cut() }
    }

    async fn rest(&mut self, time: Nanos) {
        self.go().await;
        let (context, vu) = (self.context, &mut *self.vu);
        if time > Nanos::ZERO {
            let end = self.start.intended + time;
            vu.actor.rest();
            context.protocol.rest(&mut vu.user);
            if !turn::pause_until(context, &vu.pause, end).await && !vu.clears_up(context) {
                match self.stop(Halt::Cut).await {}
            }
            return self.go_on(end);
        }
        self.idle += 1;
        if self.idle > PASSES_MAX {
            let why = format!("the script paused {PASSES_MAX} times in a row for no time, and sent nothing");
            match self.stop(Halt::Failed(KIND_LOOP, why)).await {}
        }
        if self.idle.is_multiple_of(PASSES_PER_TURN) {
            yield_now().await;
            if context.state.is(Phase::Cut) {
                match self.stop(Halt::Cut).await {}
            }
        }
    }

    /// Whether a row of the iteration is there; without it the script does not go on.
    fn has_row(&self, part: &Part) -> bool {
        let Part::Feeder { feeder, .. } = part else { return true };
        let feeder = &self.context.plan.feeders[*feeder];
        let Some((rows, at_end)) = bound(feeder).filter(|(rows, _)| self.assignment.number >= *rows) else {
            return true;
        };
        self.halt.set(Some(match at_end {
            AtEnd::Stop => {
                stop_for_data(self.context, self.assignment, rows);
                Halt::Cut
            }
            _ => Halt::Failed(KIND_VALUE, format!("the {rows} rows of `{}` have ended", feeder.name)),
        }));
        false
    }
}

impl<R: Runtime, P: Protocol> User for Scripted<'_, R, P> {
    fn send(&mut self, call: Call) -> Wait<'_, Reply> {
        Box::pin(self.carry(call))
    }

    fn check(&mut self, name: &str, holds: bool) {
        let (context, actor) = (self.context, &mut self.vu.actor);
        let section = actor.section(context, self.checked);
        context.count_check(section, context.number(Group::Check, name), holds);
        self.is_ok &= holds;
        actor.walk.groups.iter_mut().for_each(|group| group.is_ok &= holds);
    }

    fn begin(&mut self, group: &str) {
        let number = self.context.number(Group::Transaction, group);
        self.vu.actor.walk.groups.push(Open { number, span: None, is_ok: true });
    }

    fn end(&mut self) {
        if self.vu.actor.walk.groups.len() > self.depth {
            self.vu.end_group(self.context, true);
        }
    }

    fn add(&mut self, metric: &Metric, number: f64) {
        let name = metric.to_string();
        if Metric::parse(&name).as_ref() != Some(metric) {
            let why = format!("a metric cannot be called `{name}`: its name, unit and tag have no white space");
            return self.halt.set(Some(Halt::Failed(KIND, why)));
        }
        let section = self.vu.actor.section(self.context, self.checked);
        self.context.count_number(section, &name, Some(number));
    }

    fn pause(&mut self, time: Duration) -> Wait<'_, ()> {
        Box::pin(self.rest(Nanos::from(time)))
    }

    fn value(&mut self, name: &str) -> Option<String> {
        let (plan, actor) = (&self.context.plan, &mut self.vu.actor);
        let names = Names {
            slots: &plan.scenarios[self.assignment.scenario].slots,
            shared: Some(plan.shared_names()),
            feeders: &plan.feeders,
            target: Some(&plan.target),
            ..Names::of_environment(&|_| None)
        };
        let template = Template::parse(&format!("${{{name}}}"), &names).ok()?;
        actor.render(&template);
        let text = String::from_utf8_lossy(&actor.text).into_owned();
        if let Some(why) = actor.values.take_trouble() {
            self.halt.set(Some(Halt::Failed(KIND_VALUE, why)));
            return None;
        }
        let mut has_rows = true;
        template.each_part(&mut |part| has_rows &= self.has_row(part));
        has_rows.then_some(text)
    }
}
