//! Steps made flat: one list of actions, with jumps in the place of nested steps.
//!
//! A scenario of plain requests and pauses compiles to as many actions as it has steps, in their order. The number of an
//! action is the address of its choices, so setup and teardown share the list and come after the steps.

use std::ops::Range;
use std::sync::Arc;

use nmax_plan::plan::{Branch, Call, Condition, Loop, LoopEnd, PASSES_MAX, Scenario, Step, ThinkTime};
use nmax_plan::template::Template;

mod reach;
#[cfg(test)]
mod tests;

/// The steps of a scenario made flat; `Q` is what stands for a request.
#[derive(Debug)]
pub struct Flow<Q> {
    /// Actions of steps, setup and teardown, in this order.
    pub actions: Vec<Action<Q>>,
    /// Where the steps are.
    pub steps: Range<usize>,
    /// Where the setup is.
    pub setup: Range<usize>,
    /// Where the teardown is.
    pub teardown: Range<usize>,
}

/// One thing that a virtual user does or decides.
#[derive(Debug)]
pub enum Action<Q> {
    /// A call.
    Call(Q),
    /// A pause.
    Think(ThinkTime),
    /// Slots, and what they become, one after the other.
    Set(Vec<(usize, Template)>),
    /// Goes there unless the condition holds.
    Unless(Condition, usize),
    /// Goes there.
    Jump(usize),
    /// Begins a loop. With a text it is the number of passes; without one there are as many as its condition allows.
    Enter(Option<Template>),
    /// Begins the next pass of the innermost loop, or leaves it.
    Next(Pass),
    /// Goes one of several ways, by chance.
    Choose(WeightedBranches),
    /// Begins a transaction, given its number in the catalog.
    Begin(usize),
    /// Ends the transaction that began last.
    Finish,
    /// Ends the iteration; with a text it failed.
    End(Option<Template>),
    /// What the script of the scenario does.
    Script,
}

/// What begins a pass of a loop.
#[derive(Debug)]
pub struct Pass {
    /// Has to hold.
    pub condition: Option<Condition>,
    /// Most passes.
    pub max: u32,
    /// Slot that counts the passes, from 1.
    pub counter: Option<usize>,
    /// The action after the loop.
    pub end: usize,
}

/// Branches with weights, one of which is taken.
#[derive(Debug)]
pub struct WeightedBranches {
    /// Weight of each way and of all before it.
    cumulative: Vec<f64>,
    /// First action of each.
    targets: Vec<usize>,
}

impl WeightedBranches {
    /// The way at this share of the sum of all weights, in [0, 1).
    pub fn at(&self, share: f64) -> Option<usize> {
        let weight = share * self.cumulative.last()?;
        let way = self.cumulative.partition_point(|upto| *upto <= weight);
        self.targets.get(way.min(self.targets.len() - 1)).copied()
    }
}

/// Makes the steps of a scenario flat.
///
/// - `request` makes what stands for a request, given the number of its action
/// - `transaction` tells the number of a transaction
pub(crate) fn compile<'a, Q, E>(
    scenario: &'a Scenario,
    mut request: impl FnMut(usize, &'a Arc<Call>) -> Result<Q, E>,
    transaction: impl Fn(&str) -> usize,
) -> Result<Flow<Q>, E> {
    let mut compiler = Compiler {
        actions: Vec::with_capacity(scenario.steps.len()),
        request: &mut request,
        transaction: &transaction,
    };
    let steps = compiler.part(&scenario.steps)?;
    let setup = compiler.part(&scenario.setup)?;
    let teardown = compiler.part(&scenario.teardown)?;
    Ok(Flow { actions: compiler.actions, steps, setup, teardown })
}

/// A jump whose target is not known yet.
const OPEN: usize = usize::MAX;

struct Compiler<'c, 'a, Q, E> {
    actions: Vec<Action<Q>>,
    request: &'c mut dyn FnMut(usize, &'a Arc<Call>) -> Result<Q, E>,
    transaction: &'c dyn Fn(&str) -> usize,
}

impl<'a, Q, E> Compiler<'_, 'a, Q, E> {
    fn part(&mut self, steps: &'a [Step]) -> Result<Range<usize>, E> {
        let start = self.actions.len();
        self.steps(steps)?;
        Ok(start..self.actions.len())
    }

    fn steps(&mut self, steps: &'a [Step]) -> Result<(), E> {
        for step in steps {
            let here = self.actions.len();
            match step {
                Step::Call(request) => {
                    let request = (self.request)(here, request)?;
                    self.actions.push(Action::Call(request));
                }
                Step::Think(think) => self.actions.push(Action::Think(*think)),
                Step::Set(values) => self.actions.push(Action::Set(values.clone())),
                Step::End(reason) => self.actions.push(Action::End(reason.clone())),
                Step::Script => self.actions.push(Action::Script),
                Step::Transaction(group) => {
                    self.actions.push(Action::Begin((self.transaction)(&group.name)));
                    self.steps(&group.steps)?;
                    self.actions.push(Action::Finish);
                }
                Step::If(step) => self.branch(&step.condition, &step.then, &step.otherwise)?,
                Step::Loop(step) => self.repeat(step)?,
                Step::Choose(branches) => self.choose(branches)?,
            }
        }
        Ok(())
    }

    fn branch(&mut self, condition: &Condition, then: &'a [Step], otherwise: &'a [Step]) -> Result<(), E> {
        let test = self.actions.len();
        self.actions.push(Action::Unless(condition.clone(), OPEN));
        self.steps(then)?;
        let jump = self.actions.len();
        if !otherwise.is_empty() {
            self.actions.push(Action::Jump(OPEN));
        }
        let target = self.actions.len();
        self.actions[test] = Action::Unless(condition.clone(), target);
        if !otherwise.is_empty() {
            self.steps(otherwise)?;
            self.actions[jump] = Action::Jump(self.actions.len());
        }
        Ok(())
    }

    fn repeat(&mut self, step: &'a Loop) -> Result<(), E> {
        let (times, condition, max) = match &step.until {
            LoopEnd::Times(times) => (Some(times.clone()), None, PASSES_MAX),
            LoopEnd::While { condition, max } => (None, Some(condition.clone()), *max),
        };
        self.actions.push(Action::Enter(times));
        let next = self.actions.len();
        self.actions.push(Action::Jump(OPEN));
        self.steps(&step.steps)?;
        self.actions.push(Action::Jump(next));
        self.actions[next] = Action::Next(Pass { condition, max, counter: step.counter, end: self.actions.len() });
        Ok(())
    }

    fn choose(&mut self, branches: &'a [Branch]) -> Result<(), E> {
        let choice = self.actions.len();
        self.actions.push(Action::Jump(OPEN));
        let (mut cumulative, mut targets, mut jumps) = (Vec::new(), Vec::new(), Vec::new());
        let mut sum = 0.0;
        for branch in branches.iter().filter(|branch| branch.weight > 0.0) {
            sum += branch.weight;
            cumulative.push(sum);
            targets.push(self.actions.len());
            self.steps(&branch.steps)?;
            jumps.push(self.actions.len());
            self.actions.push(Action::Jump(OPEN));
        }
        let end = self.actions.len();
        for jump in jumps {
            self.actions[jump] = Action::Jump(end);
        }
        if !targets.is_empty() {
            self.actions[choice] = Action::Choose(WeightedBranches { cumulative, targets });
        } else {
            self.actions[choice] = Action::Jump(end);
        }
        Ok(())
    }
}
