//! What a virtual user does once: the setup before its first iteration of a scenario, the teardown when the run ends.
//!
//! Neither is measured: exchanges, checks, transactions and pages of both are counted outside the statistics, whenever
//! they happen. An iteration that waits for its setup is due when that is done.

use nmax_metrics::Nanos;

use crate::context::Context;
use crate::core::{Phase, Watched};
use crate::iteration::{Assignment, IterationEnd};
use crate::program::Program;
use crate::protocol::Protocol;
use crate::runtime::Runtime;
use crate::schedule::turn;
use crate::user::vu::Vu;
use crate::user::walk_state::Stage;

/// Kind of the failure of an iteration whose setup failed before.
pub(crate) const KIND: &str = "setup";
/// How long a user whose setup failed rests after an iteration that it could not do.
const REST: Nanos = Nanos::from_secs(1);

/// What became of the setup of a scenario.
#[derive(Debug)]
pub(crate) enum Setup<K> {
    /// It is to be done.
    Due,
    /// It was begun and is over, and is not tried again: the teardown is owed, whatever came of it.
    Over {
        /// Without it the user does no iteration.
        is_ok: bool,
        /// The values that stay.
        values: Vec<String>,
        /// What the protocol keeps of it.
        kept: K,
        /// The iteration before which it was done: the teardown makes its choices and reads its records.
        assignment: Assignment,
    },
}

impl<K> Setup<K> {
    /// Those of a program's scenarios, none done; empty when no scenario has one.
    pub(crate) fn all_due<Q>(program: &Program<Q>) -> Vec<Self> {
        let count = if program.has_setups { program.scenarios.len() } else { 0 };
        (0..count).map(|_| Self::Due).collect()
    }
}

impl<R: Runtime, P: Protocol> Vu<R, P> {
    /// Whether the setup of the assignment's scenario is done and the iteration may begin. Without the setup it fails;
    /// one that could only begin after the end of the load is cut off before.
    pub(crate) async fn is_set_up(&mut self, context: &Context<R, P>, assignment: &mut Assignment) -> bool {
        if let Setup::Due = self.setups[assignment.scenario] {
            // Boxed, so that users without a setup have no room for it.
            let end = Box::pin(self.set_up(context, assignment)).await;
            let is_too_late = end == IterationEnd::Ok && context.is_too_late(assignment);
            if end == IterationEnd::Interrupted || is_too_late {
                context.begin(assignment);
                context.end(assignment, assignment.begun, IterationEnd::Interrupted);
                return false;
            }
        }
        if let Setup::Over { is_ok: true, .. } = self.setups[assignment.scenario] {
            return true;
        }
        context.begin(assignment);
        context.end(assignment, assignment.begun, IterationEnd::Failed);
        turn::pause_until(context, &self.pause, assignment.begun + REST).await;
        false
    }

    /// Does the setup; afterwards the iteration is due now.
    async fn set_up(&mut self, context: &Context<R, P>, assignment: &mut Assignment) -> IterationEnd {
        let flow = &context.program.scenarios[assignment.scenario];
        if flow.setup.is_empty() {
            self.setups[assignment.scenario] = self.over(context, assignment, true);
            return IterationEnd::Ok;
        }
        let (done, end) = self.aside(context, assignment, Stage::Setup).await;
        if end == IterationEnd::Failed {
            let number = self.actor.slot.number;
            let why = format!("the setup of VU {number} failed: it does no iteration of this scenario");
            self.keep_failure(context, assignment, done, KIND, &why);
        }
        self.setups[assignment.scenario] = self.over(context, assignment, end == IterationEnd::Ok);
        assignment.intended = done;
        assignment.begun = done;
        assignment.slot_wait = Nanos::ZERO;
        end
    }

    /// The setup has ended like that; from now on the run waits for its teardown.
    fn over(&self, context: &Context<R, P>, assignment: &Assignment, is_ok: bool) -> Setup<P::SetupState> {
        let kept = context.plan.scenarios[assignment.scenario].slots_kept;
        if !context.program.scenarios[assignment.scenario].teardown.is_empty() {
            context.state.teardowns.set(context.state.teardowns.get() + 1);
        }
        Setup::Over {
            is_ok,
            values: self.actor.values.slots[..kept].to_vec(),
            kept: context.protocol.keep(&self.user),
            assignment: *assignment,
        }
    }

    /// Goes through a setup or teardown while the run waits for it.
    async fn aside(&mut self, context: &Context<R, P>, assignment: &Assignment, stage: Stage) -> (Nanos, IterationEnd) {
        let active = &context.state.active;
        active.set(active.get() + 1);
        let _watched = Watched(&context.state);
        self.prepare(context, assignment);
        let ended = self.walk(context, assignment, stage).await;
        active.set(active.get() - 1);
        context.state.wake_main();
        ended
    }

    /// Does the teardown of every scenario whose setup was begun: one that failed half way may have left something too.
    pub(crate) async fn clear_up(&mut self, context: &Context<R, P>) {
        for scenario in 0..self.setups.len() {
            let Setup::Over { assignment, .. } = self.setups[scenario] else {
                continue;
            };
            if context.program.scenarios[scenario].teardown.is_empty() {
                continue;
            }
            let now = context.runtime.now();
            if !context.state.is(Phase::Cut) && !context.is_fenced(now) {
                let assignment = Assignment { intended: now, begun: now, slot_wait: Nanos::ZERO, ..assignment };
                Box::pin(self.aside(context, &assignment, Stage::Teardown)).await;
            }
            context.state.teardowns.set(context.state.teardowns.get().saturating_sub(1));
            context.state.wake_main();
        }
    }

    /// The values of a scenario's setup are there when an iteration begins.
    pub(crate) fn restore_values(&mut self, scenario: usize) {
        if let Setup::Over { values, .. } = &mut self.setups[scenario] {
            self.actor.values.slots[..values.len()].swap_with_slice(values);
        }
    }

    /// The values of a scenario's setup stay when an iteration ends.
    pub(crate) fn keep_values(&mut self, scenario: usize) {
        self.restore_values(scenario);
    }
}
