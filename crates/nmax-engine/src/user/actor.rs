//! What a user's calls may use of it: its values, timers and place, whatever the protocol.

use std::rc::Rc;

use nmax_http::Alarm;
use nmax_metrics::{NameId, Nanos, Sample, Section};
use nmax_plan::choice::Choice;
use nmax_plan::template::{Escape, Template};

use crate::core::Core;
use crate::iteration::{Assignment, VuSlot};
use crate::program::prepare::Prepared;
use crate::runtime::Runtime;
use crate::user::values::{Address, CallsOf, VuValues};
use crate::user::walk_state::{Stage, WalkState};

/// Largest text that a user keeps while it thinks.
const TEXT_KEPT_BYTES_MAX: usize = 4096;

/// What a user's calls may use of it.
pub(crate) struct Actor<R: Runtime> {
    pub(crate) slot: Rc<VuSlot>,
    pub(crate) values: VuValues,
    /// Takes rendered templates, one after the other.
    pub(crate) text: Vec<u8>,
    /// Where it is in its scenario.
    pub(crate) walk: WalkState,
    /// Time limit of the exchange under way.
    pub(crate) limit: R::Timer,
    /// When the protocol wants to be polled.
    pub(crate) alarm: Alarm,
    /// The last exchange of a call that a script made.
    pub(crate) seen: Option<Box<Sample>>,
}

impl<R: Runtime> Actor<R> {
    /// The section of what was due at `intended`. Setup and teardown are never measured.
    #[inline]
    pub(crate) fn section(&self, core: &Core<R>, intended: Nanos) -> Section {
        if self.is_aside() {
            return Section::Outside;
        }
        core.meter.borrow().section(intended)
    }

    /// Whether the statistics exclude the current exchanges.
    #[inline]
    pub(crate) fn is_aside(&self) -> bool {
        self.walk.stage != Stage::Steps
    }

    /// Functions of this action are called from now on.
    pub(crate) fn stand_at(&mut self, core: &Core<R>, assignment: &Assignment, action: usize) {
        self.values.stand_at(Address {
            seed: core.plan.seed,
            choice: assignment.choice,
            step: self.walk.step(action),
            unix: core.unix_now(),
        });
    }

    /// The choices of an action.
    pub(crate) fn choice(&self, core: &Core<R>, assignment: &Assignment, action: usize) -> Choice {
        let (vu, iteration) = assignment.choice;
        Choice::new(core.plan.seed, vu, iteration, self.walk.step(action))
    }

    /// The name under which a call is measured.
    #[inline]
    pub(crate) fn name(&mut self, core: &Core<R>, call: &Prepared) -> NameId {
        if let Some(name) = call.name {
            return name;
        }
        self.values.count_calls_of(CallsOf::Name);
        self.render(&call.call.name);
        core.names.id(&String::from_utf8_lossy(&self.text))
    }

    /// Renders a template into its text.
    pub(crate) fn render(&mut self, template: &Template) {
        self.text.clear();
        template.render(&mut self.text, &self.values, Escape::None);
    }

    /// Gives a large text back: a user who thinks is not to hold what the last step took.
    pub(crate) fn rest(&mut self) {
        if self.text.capacity() > TEXT_KEPT_BYTES_MAX {
            self.text = Vec::new();
        }
    }
}
