//! What templates read.

use std::borrow::Cow;
use std::cell::{Cell, RefCell};
use std::sync::{Arc, PoisonError};

use nmax_metrics::Nanos;
use nmax_plan::choice::{Choice, derive};
use nmax_plan::plan::{Feeder, Plan, Scenario};
use nmax_plan::template::{Call, Escape, Template, Values};
use nmax_secrets::{Redactor, is_secret_name};

use crate::run::settings::Known;
use crate::schedule::source::row_at;
use crate::user::functions::{self, CallContext};

/// Sets the choices of functions apart from those of steps.
const FUNCTIONS: u64 = 0x6675_6e63_7469_6f6e;
/// Sets the rows that requests pick apart from both.
const ROWS: u64 = 0x726f_7773;
/// In the place of a row: each request picks its own.
pub(crate) const PER_REQUEST: u64 = u64::MAX;
/// Distance between the numbers of the calls in the parts of a request.
const CALLS_PER_PART: u64 = 1 << 32;

/// A part of a request. Calls are counted within it, so that a request that is sent again says the same.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CallsOf {
    Name,
    Target,
    Message,
    Checks,
    Resources,
}

/// What templates read. A row is that of the iteration, or [`PER_REQUEST`].
pub(crate) struct VuValues {
    plan: Arc<Plan>,
    shared: Arc<Vec<String>>,
    pub(crate) slots: Vec<String>,
    pub(crate) rows: Vec<u64>,
    pub(crate) number: u64,
    vu: u32,
    calls: Calls,
}

/// Where functions are called, and what could not be computed.
#[derive(Default)]
struct Calls {
    address: Address,
    /// How many were called since.
    count: Cell<u64>,
    trouble: RefCell<Option<String>>,
}

/// The place of the action under way.
#[derive(Clone, Copy, Default)]
pub(crate) struct Address {
    pub(crate) seed: u64,
    /// Coordinates of the iteration's choices.
    pub(crate) choice: (u64, u64),
    /// Number of the action and pass.
    pub(crate) step: u64,
    /// Wall time since 1970.
    pub(crate) unix: Nanos,
}

impl VuValues {
    pub(crate) fn new(plan: Arc<Plan>, shared: Arc<Vec<String>>, vu: u32) -> Self {
        let slots = plan.scenarios.iter().map(|scenario| scenario.slots.len()).max();
        Self {
            slots: vec![String::new(); slots.unwrap_or(0)],
            rows: vec![0; plan.feeders.len()],
            number: 0,
            vu,
            calls: Calls::default(),
            plan,
            shared,
        }
    }

    /// Functions are called, and rows picked, at this place from now on.
    pub(crate) fn stand_at(&mut self, address: Address) {
        self.calls.address = address;
        self.calls.count.set(0);
        self.calls.trouble.take();
    }

    /// The calls of this part of a request come next.
    pub(crate) fn count_calls_of(&self, part: CallsOf) {
        self.calls.count.set(part as u64 * CALLS_PER_PART);
    }

    /// Why something could not be computed, if so; asked once.
    pub(crate) fn take_trouble(&self) -> Option<String> {
        self.calls.trouble.take()
    }

    /// The row that the action under way picks: the same wherever it reads it.
    fn row_here(&self, feeder: &Feeder, index: usize) -> u64 {
        let Address { seed, choice: (vu, iteration), step, .. } = self.calls.address;
        let step = derive(step, index as u64);
        row_at(feeder, Choice::new(derive(seed, ROWS), vu, iteration, step))
    }

    /// Takes secrets out of what is kept of this scenario: those that the plan was read with, and by their names the
    /// values under way.
    pub(crate) fn redactor(&self, scenario: &Scenario) -> Redactor {
        let named = self.named(scenario);
        self.plan.redactor.knowing(named.iter().map(|(name, value)| (*name, value.as_ref())))
    }

    /// Tells somebody who shows exchanges which of their values are secrets.
    #[cold]
    pub(crate) fn share_secrets(&self, known: &Known, scenario: &Scenario) {
        let mut known = known.lock().unwrap_or_else(PoisonError::into_inner);
        let named = self.named(scenario);
        *known = known.knowing(named.iter().map(|(name, value)| (*name, value.as_ref())));
    }

    /// What the values under way are called: variables of the scenario and of the run's setup, columns of the rows.
    fn named<'a>(&'a self, scenario: &'a Scenario) -> Vec<(&'a str, Cow<'a, str>)> {
        let setup = self.plan.shared_names().iter().zip(self.shared.iter());
        let variables = scenario.slots.iter().zip(&self.slots).chain(setup);
        let mut named: Vec<_> = variables.map(|(name, value)| (name.as_str(), Cow::from(value))).collect();
        for (index, feeder) in self.plan.feeders.iter().enumerate() {
            for (column, name) in feeder.columns.iter().enumerate() {
                if is_secret_name(name) {
                    named.push((name, self.feeder(index, column)));
                }
            }
        }
        named
    }

    fn text(&self, template: &Template) -> String {
        let mut text = Vec::new();
        template.render(&mut text, self, Escape::None);
        String::from_utf8(text).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
    }
}

impl Values for VuValues {
    fn slot(&self, slot: usize) -> &str {
        self.slots.get(slot).map_or("", String::as_str)
    }
    fn feeder(&self, feeder: usize, column: usize) -> Cow<'_, str> {
        let source = &self.plan.feeders[feeder];
        let row = match self.rows[feeder] {
            PER_REQUEST => self.row_here(source, feeder),
            row => row,
        };
        source.cell(self.plan.seed, row, column)
    }
    fn iteration(&self) -> u64 {
        self.number
    }
    fn vu(&self) -> u32 {
        self.vu
    }
    fn shared(&self, slot: usize) -> &str {
        self.shared.get(slot).map_or("", String::as_str)
    }
    fn call(&self, call: &Call, out: &mut String) {
        let count = self.calls.count.get();
        self.calls.count.set(count + 1);
        let arguments: Vec<String> = call.arguments.iter().map(|argument| self.text(argument)).collect();
        let Address { seed, choice: (vu, iteration), step, unix } = self.calls.address;
        let context =
            CallContext { choice: Choice::new(derive(seed, FUNCTIONS), vu, iteration, derive(step, count)), unix };
        match functions::call(call.function, &arguments, &context) {
            Ok(made) => out.push_str(&made),
            Err(why) => {
                self.calls.trouble.borrow_mut().get_or_insert(why);
            }
        }
    }
}

/// The values of a request without holes.
pub(crate) struct NoValues;

impl Values for NoValues {
    fn slot(&self, _: usize) -> &str {
        ""
    }
    fn feeder(&self, _: usize, _: usize) -> Cow<'_, str> {
        Cow::Borrowed("")
    }
    fn shared(&self, _: usize) -> &str {
        ""
    }
    fn call(&self, _: &Call, _: &mut String) {}
    fn iteration(&self) -> u64 {
        0
    }
    fn vu(&self) -> u32 {
        0
    }
}
