//! What a virtual user remembers on its way through a scenario.

use std::cell::Cell;

use nmax_metrics::Nanos;

/// Where the passes begin in the number of a step.
const PASSES_BIT: u32 = 16;

/// Which part of a scenario is gone through.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Stage {
    /// Before the first iteration.
    Setup,
    /// An iteration.
    #[default]
    Steps,
    /// After the last iteration.
    Teardown,
}

/// What a user remembers on its way.
#[derive(Debug, Default)]
pub(crate) struct WalkState {
    pub(super) stage: Stage,
    /// Passes of loops begun so far.
    pub(super) passes: u64,
    /// Loops that it is in, the innermost one last.
    pub(super) loops: Vec<Round>,
    /// Transactions that it is in, the innermost one last.
    pub(super) groups: Vec<Group>,
    /// The page that it looks at.
    page: Option<usize>,
    /// Number of the kind of what failed first in the iteration, if something did.
    pub(crate) failed: Cell<Option<usize>>,
}

/// A loop that a user is in.
#[derive(Debug)]
pub(super) struct Round {
    /// Passes begun.
    pub(super) done: u32,
    /// Passes to do; `None` as long as a condition holds.
    pub(super) planned: Option<u32>,
}

/// A transaction that a user is in.
#[derive(Debug)]
pub(super) struct Group {
    /// Number in the catalog.
    pub(super) number: usize,
    /// When its first exchange was due and the last one ended, once there was one.
    pub(super) span: Option<(Nanos, Nanos)>,
    /// Whether every exchange in it was ok so far.
    pub(super) is_ok: bool,
}

impl WalkState {
    pub(super) fn restart(&mut self, stage: Stage) {
        self.stage = stage;
        self.passes = 0;
        self.loops.clear();
        self.groups.clear();
        self.page = None;
        self.failed.set(None);
    }

    /// The number by which choices of this action differ from those of others and of other passes.
    pub(crate) fn step(&self, action: usize) -> u64 {
        action as u64 + (self.passes << PASSES_BIT)
    }

    /// Goes on to a page; which one was before.
    pub(crate) fn come_to(&mut self, page: usize) -> Option<usize> {
        self.page.replace(page)
    }

    /// An exchange that was due at `intended` has ended.
    pub(super) fn note(&mut self, intended: Nanos, done: Nanos, is_ok: bool) {
        for group in &mut self.groups {
            let begun = group.span.map_or(intended, |(begun, _)| begun);
            group.span = Some((begun, done));
            group.is_ok &= is_ok;
        }
    }
}
