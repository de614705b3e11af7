//! The way of a virtual user through the actions of a scenario: what is decided between its exchanges.

use std::future::Future;
use std::pin::pin;

use nmax_metrics::{FailureExample, Group as Named, Nanos, Outcome};
use nmax_plan::plan::{Condition, PASSES_MAX, ThinkTime};
use nmax_plan::template::{Escape, Template};

use crate::context::Context;
use crate::core::{Core, Phase};
use crate::iteration::{Assignment, IterationEnd, StartTimes, StepEnd};
use crate::measure::tally::TimeSpan;
use crate::program::flow::{Action, Pass};
use crate::program::prepare::Ready;
use crate::protocol::Protocol;
use crate::runtime::Runtime;
use crate::schedule::turn;
use crate::user::scripted::{self, Halt};
use crate::user::site::Site;
use crate::user::vu::{Vu, yield_now};
use crate::user::walk_state::{Group, Round, Stage};

/// Kind of the failure of a plan that ends the iteration as failed.
pub(crate) const KIND_END: &str = "end";
/// Kind of the failure of a loop that does not end in time.
pub(crate) const KIND_LOOP: &str = "loop";
/// Kind of the failure of a value that cannot be computed.
pub(crate) const KIND_VALUE: &str = "value";

/// Longest value that a step sets, bytes.
const VALUE_BYTES_MAX: usize = 16 << 20;
/// After so many passes of loops every other user gets a turn, also when nothing was waited for.
pub(super) const PASSES_PER_TURN: u32 = 64;

/// What an action that is no exchange and no pause leads to.
enum Decision {
    /// Goes on there.
    To(usize),
    /// A pass of a loop begins.
    Pass(usize),
    /// The iteration ends here as planned.
    End,
    /// The iteration failed: kind and reason.
    Fail(&'static str, String),
}

impl<R: Runtime, P: Protocol> Vu<R, P> {
    /// Goes through a part of the scenario; returns when it was done, and how it ended.
    #[expect(clippy::manual_async_fn, reason = "an async function copies its arguments, and has room for both")]
    pub(crate) fn walk(
        &mut self,
        context: &Context<R, P>,
        assignment: &Assignment,
        stage: Stage,
    ) -> impl Future<Output = (Nanos, IterationEnd)> {
        async move {
            let mut start =
                StartTimes { intended: assignment.intended, begun: assignment.begun, slot_wait: assignment.slot_wait };
            let flow = &context.program.scenarios[assignment.scenario];
            let range = match stage {
                Stage::Steps => &flow.steps,
                Stage::Setup => &flow.setup,
                Stage::Teardown => &flow.teardown,
            };
            self.actor.walk.restart(stage);
            let (actions, mut at) = (&flow.actions[..range.end], range.start);
            let mut is_ok = true;
            let end = loop {
                let Some(action) = actions.get(at) else {
                    break IterationEnd::Ok;
                };
                let done = match action {
                    Action::Call(ready) => {
                        // Pinned where it is made: `await` alone would copy it.
                        let end = pin!(self.call(context, assignment, ready, start)).await;
                        self.note(start.intended, &end);
                        match end {
                            StepEnd::Next(done, step_is_ok) => {
                                is_ok &= step_is_ok;
                                done
                            }
                            StepEnd::Stop(done) => {
                                start.intended = done;
                                break IterationEnd::Failed;
                            }
                            StepEnd::Cut(now) => return (now, IterationEnd::Interrupted),
                        }
                    }
                    Action::Think(think) => {
                        let end = start.intended + self.think(context, assignment, at, *think);
                        self.actor.rest();
                        context.protocol.rest(&mut self.user);
                        if !turn::pause_until(context, &self.pause, end).await && !self.clears_up(context) {
                            return (context.runtime.now(), IterationEnd::Interrupted);
                        }
                        end
                    }
                    Action::Script => match Box::pin(scripted::play(self, context, assignment, at, start)).await {
                        (done, Ok(script_is_ok)) => {
                            is_ok &= script_is_ok;
                            done
                        }
                        (_, Err(Halt::Cut)) => return (context.runtime.now(), IterationEnd::Interrupted),
                        (done, Err(Halt::Failed(kind, why))) => {
                            start.intended = done;
                            self.keep_failure(context, assignment, done, kind, &why);
                            break IterationEnd::Failed;
                        }
                    },
                    decision => match self.decide(context, assignment, at, decision) {
                        Decision::To(next) => {
                            at = next;
                            continue;
                        }
                        Decision::Pass(next) => {
                            at = next;
                            if self.actor.walk.passes.is_multiple_of(u64::from(PASSES_PER_TURN)) {
                                yield_now().await;
                                if context.state.is(Phase::Cut) {
                                    return (context.runtime.now(), IterationEnd::Interrupted);
                                }
                            }
                            continue;
                        }
                        Decision::End => break IterationEnd::Ok,
                        Decision::Fail(kind, why) => {
                            self.keep_failure(context, assignment, start.intended, kind, &why);
                            break IterationEnd::Failed;
                        }
                    },
                };
                at += 1;
                start = StartTimes { intended: done, begun: done, slot_wait: Nanos::ZERO };
            };
            if !self.actor.walk.groups.is_empty() {
                self.end_groups(context, end == IterationEnd::Ok);
            }
            let done = if start.intended > assignment.intended {
                start.intended
            } else {
                context.runtime.now() // Nothing took time, so time goes by itself.
            };
            (done, if is_ok { end } else { IterationEnd::Failed })
        }
    }

    /// Makes a call and returns how it ended.
    pub(super) fn call<'a>(
        &'a mut self,
        context: &'a Context<R, P>,
        assignment: &'a Assignment,
        ready: &'a Ready<P::Prepared>,
        start: StartTimes,
    ) -> impl Future<Output = StepEnd> + 'a {
        let (core, call, actor): (&Core<R>, _, _) = (context, &ready.call, &mut self.actor);
        if call.calls {
            actor.stand_at(core, assignment, call.step);
        }
        let name = actor.name(core, call);
        let deadline = start.begun + Nanos::from(call.call.timeout.unwrap_or(core.plan.defaults.timeout));
        let site = Site { core, actor, assignment, call, start, name, deadline };
        context.protocol.call(site, &mut self.user, &ready.what)
    }

    /// A user who clears up does so without its pauses once the run is to end.
    pub(super) fn clears_up(&self, context: &Context<R, P>) -> bool {
        self.actor.walk.stage == Stage::Teardown && !context.state.is(Phase::Cut)
    }

    fn think(&self, context: &Context<R, P>, assignment: &Assignment, action: usize, think: ThinkTime) -> Nanos {
        let choice = self.actor.choice(context, assignment, action);
        match think {
            ThinkTime::Fixed(time) => Nanos::from(time),
            ThinkTime::Uniform { min, max } => {
                let width_ns = max.saturating_sub(min).as_nanos() as f64;
                Nanos::from(min) + Nanos((choice.unit(0) * width_ns) as u64)
            }
            ThinkTime::Lognormal { median, p95 } => {
                Nanos(choice.lognormal(0, median.as_nanos() as f64, p95.as_nanos() as f64) as u64)
            }
        }
    }

    /// Does what an action says that takes no time.
    fn decide(
        &mut self,
        context: &Context<R, P>,
        assignment: &Assignment,
        at: usize,
        action: &Action<Box<Ready<P::Prepared>>>,
    ) -> Decision {
        self.actor.stand_at(context, assignment, at);
        let next = at + 1;
        let decision = match action {
            Action::Jump(target) => Decision::To(*target),
            Action::Unless(condition, target) => Decision::To(if self.holds(condition) { next } else { *target }),
            Action::Set(values) => self.set(context, assignment, values, next),
            Action::Enter(times) => self.enter(times.as_ref(), next),
            Action::Next(pass) => self.next_pass(pass, next),
            Action::Choose(ways) => {
                let share = self.actor.choice(context, assignment, at).unit(0);
                Decision::To(ways.at(share).unwrap_or(next))
            }
            Action::Begin(number) => {
                self.actor.walk.groups.push(Group { number: *number, span: None, is_ok: true });
                Decision::To(next)
            }
            Action::Finish => {
                self.end_group(context, true);
                Decision::To(next)
            }
            Action::End(None) => Decision::End,
            Action::End(Some(reason)) => Decision::Fail(KIND_END, self.text(reason).to_owned()),
            Action::Call(_) | Action::Think(_) | Action::Script => Decision::To(next),
        };
        match self.actor.values.take_trouble() {
            Some(why) => Decision::Fail(KIND_VALUE, why),
            None => decision,
        }
    }

    /// A rendered template.
    fn text(&mut self, template: &Template) -> &str {
        self.actor.render(template);
        std::str::from_utf8(&self.actor.text).unwrap_or_default()
    }

    fn holds(&mut self, condition: &Condition) -> bool {
        match condition {
            Condition::Compare { left, comparison, right } => {
                let text = &mut self.actor.text;
                text.clear();
                left.render(text, &self.actor.values, Escape::None);
                let middle = text.len();
                right.render(text, &self.actor.values, Escape::None);
                let (left, right) = text.split_at(middle);
                comparison.holds(&String::from_utf8_lossy(left), &String::from_utf8_lossy(right))
            }
            Condition::All(conditions) => conditions.iter().all(|condition| self.holds(condition)),
            Condition::Any(conditions) => conditions.iter().any(|condition| self.holds(condition)),
            Condition::Not(condition) => !self.holds(condition),
        }
    }

    fn set(
        &mut self,
        context: &Context<R, P>,
        assignment: &Assignment,
        values: &[(usize, Template)],
        next: usize,
    ) -> Decision {
        for (slot, template) in values {
            self.text(template);
            let text = &self.actor.text;
            if text.len() > VALUE_BYTES_MAX {
                let name = &context.plan.scenarios[assignment.scenario].slots[*slot];
                let why = format!("`{name}` would have {} bytes; {VALUE_BYTES_MAX} is the limit", text.len());
                return Decision::Fail(KIND_VALUE, why);
            }
            let value = &mut self.actor.values.slots[*slot];
            value.clear();
            value.push_str(&String::from_utf8_lossy(text));
        }
        Decision::To(next)
    }

    fn enter(&mut self, times: Option<&Template>, next: usize) -> Decision {
        let planned = match times {
            None => None,
            Some(times) => {
                let text = self.text(times).trim();
                match text.parse::<u64>() {
                    Ok(passes) if passes <= u64::from(PASSES_MAX) => Some(passes as u32),
                    Ok(_) => {
                        let why = format!("`repeat` is to do {text} passes; {PASSES_MAX} is the limit");
                        return Decision::Fail(KIND_LOOP, why);
                    }
                    Err(_) => {
                        let why = format!("`repeat` is to do `{text}` passes, which is not a whole number");
                        return Decision::Fail(KIND_LOOP, why);
                    }
                }
            }
        };
        self.actor.walk.loops.push(Round { done: 0, planned });
        Decision::To(next)
    }

    fn next_pass(&mut self, pass: &Pass, next: usize) -> Decision {
        let condition_holds = match &pass.condition {
            Some(condition) => self.holds(condition),
            None => true,
        };
        let Some(round) = self.actor.walk.loops.last_mut() else {
            return Decision::To(pass.end);
        };
        if !condition_holds || round.planned == Some(round.done) {
            self.actor.walk.loops.pop();
            return Decision::To(pass.end);
        }
        if round.done == pass.max {
            let why = format!("the condition of `while` still holds after {} passes, its `max`", pass.max);
            return Decision::Fail(KIND_LOOP, why);
        }
        round.done += 1;
        if let Some(counter) = pass.counter {
            self.actor.values.slots[counter] = round.done.to_string();
        }
        self.actor.walk.passes += 1;
        Decision::Pass(next)
    }

    #[inline]
    pub(super) fn note(&mut self, intended: Nanos, end: &StepEnd) {
        if !self.actor.walk.groups.is_empty()
            && let Some((done, is_ok)) = end.outcome()
        {
            self.actor.walk.note(intended, done, is_ok);
        }
    }

    /// Ends the transactions that the iteration is in, the innermost one first.
    fn end_groups(&mut self, context: &Context<R, P>, is_ok: bool) {
        while !self.actor.walk.groups.is_empty() {
            self.end_group(context, is_ok);
        }
    }

    /// Ends the innermost transaction. One without an exchange is not counted.
    pub(super) fn end_group(&mut self, context: &Context<R, P>, is_ok: bool) {
        let Some(group) = self.actor.walk.groups.pop() else { return };
        let Some((begun, done)) = group.span else { return };
        let section = self.actor.section(context, begun);
        context.count_transaction(section, group.number, group.is_ok && is_ok, TimeSpan { from: begun, done });
    }

    /// Counts an iteration that failed otherwise than by an exchange, and keeps an example of it. That has the name of the
    /// scenario.
    #[cold]
    pub(crate) fn keep_failure(
        &self,
        context: &Context<R, P>,
        assignment: &Assignment,
        at: Nanos,
        kind: &str,
        why: &str,
    ) {
        let section = self.actor.section(context, assignment.intended);
        let first = context.count_failure(section, kind, &self.actor.walk.failed);
        let mut meter = context.meter.borrow_mut();
        if !meter.wants_example(kind) {
            return;
        }
        let scenario = &context.plan.scenarios[assignment.scenario];
        meter.keep_example(FailureExample {
            at,
            name: scenario.name.clone(),
            scenario: scenario.name.clone(),
            outcome: Outcome::Failed,
            kind: kind.to_owned(),
            after: first.map(|first| context.names.name_of(Named::Failure, first)),
            status: None,
            text: self.actor.values.redactor(scenario).text(why),
            request: String::new(),
            reply: String::new(),
            response_time: at.since(assignment.intended),
        });
    }
}
