//! What all virtual users of one worker share: protocol, program, where iterations come from, and the core of it.

use std::cell::RefCell;
use std::ops::Deref;
use std::rc::Rc;
use std::sync::Arc;

use nmax_metrics::{Fence, Nanos};
use nmax_plan::plan::Plan;
use nmax_plan::schedule::hold_gaps;

use crate::core::{Core, Phase, State};
use crate::error::ProgramError;
use crate::measure::meter::Meter;
use crate::measure::names::{NameBook, SharedCatalog};
use crate::program::Program;
use crate::protocol::Protocol;
use crate::runtime::Runtime;
use crate::schedule::dispatch;
use crate::schedule::locations::Locations;
use crate::schedule::source::{Sources, times};

/// What all virtual users of one worker share. It is its [`Core`], for whom the protocol does not matter.
pub struct Context<R: Runtime, P: Protocol> {
    core: Core<R>,
    /// Carries calls.
    pub protocol: Rc<P>,
    /// The plan made ready.
    pub program: Program<P::Prepared>,
    /// Where iterations come from.
    pub sources: Sources<R::Timer>,
    pub(crate) locations: Locations,
}

impl<R: Runtime, P: Protocol> Deref for Context<R, P> {
    type Target = Core<R>;

    #[inline]
    fn deref(&self) -> &Core<R> {
        &self.core
    }
}

impl<R: Runtime, P: Protocol> Context<R, P> {
    /// A context at the run's origin.
    pub fn new(
        runtime: R,
        protocol: P,
        program: Program<P::Prepared>,
        sources: Sources<R::Timer>,
        mut meter: Meter,
        catalog: SharedCatalog,
        unix_origin: Nanos,
    ) -> Self {
        let protocol = Rc::new(protocol);
        let noting = Rc::clone(&protocol);
        let core = Core {
            runtime,
            plan: Arc::clone(&program.plan),
            reports_exchanges: meter.exchange_events_mut().is_some(),
            meter: RefCell::new(meter),
            unix_origin,
            names: NameBook::new(catalog),
            known: program.known.clone(),
            notes: Box::new(move |is_last| noting.take_notes(is_last)),
            fence: Fence::default(),
            state: State::default(),
        };
        Self { locations: Locations::new(&program.plan), core, protocol, program, sources }
    }

    /// The same, whose load ends at this fence.
    #[must_use]
    pub fn fenced_by(mut self, fence: Fence) -> Self {
        self.core.fence = fence;
        self
    }

    /// The load goes by the stages of this plan from now on: they agree with those so far up to an instant that lies ahead
    /// ([`Plan::steer`]), so it does not matter when before it this is done.
    ///
    /// # Errors
    /// When its stages make no schedule.
    pub fn steer(self: &Rc<Self>, plan: &Arc<Plan>) -> Result<(), ProgramError> {
        self.sources.steer(plan)?;
        self.meter.borrow_mut().steer(self.runtime.now(), times(plan).hold, hold_gaps(&plan.stages));
        self.state.steered.replace(Some(Arc::clone(plan)));
        self.state.load_ended.set(None);
        dispatch::steered(self);
        Ok(())
    }

    /// One starter of the mix has no more iterations. What is beside the mix ends with the last one.
    pub(crate) fn starter_ended(&self) {
        let left = self.state.starters.get().saturating_sub(1);
        self.state.starters.set(left);
        if left == 0 && !self.sources.background.is_empty() && self.state.may_start() {
            self.main_ended();
            self.state.close(Phase::Closing);
        }
        self.state.wake_main();
    }
}
