//! What decides which steps of a scenario are done, and how often.

use super::{Comparison, Step};
use crate::template::Template;

/// Steps that a user feels as one thing: measured together under a name.
///
/// It lasts from the instant at which its first exchange is due to the end of its last one: pauses between them are part
/// of it, those before and after are not. It is ok when every exchange in it is. An iteration that fails ends the
/// transactions that it is in as failed; those without an exchange, and those that the end of the run cuts off, are not
/// counted.
#[derive(Clone, Debug, PartialEq)]
pub struct Transaction {
    /// Its name in the results.
    pub name: String,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// Steps that are done when a condition holds, and others when it does not.
#[derive(Clone, Debug, PartialEq)]
pub struct If {
    /// What decides.
    pub condition: Condition,
    /// Done when it holds.
    pub then: Vec<Step>,
    /// Done when it does not.
    pub otherwise: Vec<Step>,
}

/// Steps that are repeated.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// How often.
    pub until: LoopEnd,
    /// Slot that counts the passes, from 1.
    pub counter: Option<usize>,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// What ends a loop.
#[derive(Clone, Debug, PartialEq)]
pub enum LoopEnd {
    /// That many passes; a value that is no whole number fails the iteration.
    Times(Template),
    /// As long as the condition holds before a pass, at most `max` passes.
    While {
        /// Looked at before each pass.
        condition: Condition,
        /// Most passes.
        max: u32,
    },
}

/// Most passes of one loop, and the default of `while`.
pub const PASSES_MAX: u32 = 10_000;

/// One of several ways, taken by chance.
#[derive(Clone, Debug, PartialEq)]
pub struct Branch {
    /// Share relative to the other branches'.
    pub weight: f64,
    /// Its steps.
    pub steps: Vec<Step>,
}

/// What can be true or not when a step is reached.
#[derive(Clone, Debug, PartialEq)]
pub enum Condition {
    /// Compares two texts; as numbers when both are plain numbers, see [`Comparison::holds`].
    Compare {
        /// Left side.
        left: Template,
        /// How.
        comparison: Comparison,
        /// Right side.
        right: Template,
    },
    /// All of them hold.
    All(Vec<Condition>),
    /// One of them holds.
    Any(Vec<Condition>),
    /// It does not hold.
    Not(Box<Condition>),
}
