//! Behaviours that are not declared as steps: the seam for script engines.
//!
//! A run is given a [`Script`] for each scenario with a [`nmax_plan::plan::Step::Script`]; it does what it does as a [`User`],
//! who has the connections, cookies, values and clock of any virtual user. What a script sends is measured like the calls of
//! a plan, and each of its connections is asked for like theirs.

use std::collections::BTreeMap;
use std::fmt;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use nmax_metrics::{Metric, Sample};
use nmax_plan::plan::Call;

/// What takes its time.
pub type Wait<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Makes a worker's script of a scenario.
type Make = Arc<dyn Fn() -> Rc<dyn Script> + Send + Sync>;

/// What makes the scripts of a run, by the names of their scenarios.
#[derive(Clone, Default)]
pub struct Scripts(BTreeMap<String, Make>);

impl Scripts {
    /// And what makes that of a scenario, for each worker one of its own.
    #[must_use]
    pub fn with<S: Script>(mut self, scenario: &str, make: impl Fn() -> S + Send + Sync + 'static) -> Self {
        self.0.insert(scenario.to_owned(), Arc::new(move || Rc::new(make())));
        self
    }

    /// A script for a worker.
    pub(crate) fn make(&self, scenario: &str) -> Option<Rc<dyn Script>> {
        self.0.get(scenario).map(|make| make())
    }
}

impl fmt::Debug for Scripts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// A behaviour. One value serves all users of a worker.
pub trait Script: 'static {
    /// Does an iteration as `user`. The error says why it failed, for a person.
    ///
    /// Where the run ends first it is dropped at a wait. One that does not wait holds up its worker, so an engine of
    /// scripts needs a limit for that; one that waits for nothing again and again has an end here.
    fn iterate<'a>(&'a self, user: &'a mut dyn User) -> Wait<'a, Result<(), String>>;
}

impl<F: AsyncFn(&mut dyn User) -> Result<(), String> + 'static> Script for F {
    fn iterate<'a>(&'a self, user: &'a mut dyn User) -> Wait<'a, Result<(), String>> {
        Box::pin(self(user))
    }
}

impl fmt::Debug for dyn Script {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Script")
    }
}

/// A virtual user in the hands of a script. An iteration in which an exchange or a check is not ok has failed, and so has
/// each group around it.
pub trait User {
    /// Makes a call, follows its redirects, and returns what came back last. It is due when what came before has ended.
    ///
    /// Its templates are constant, and it extracts nothing: a call that cannot be made ends the iteration, failed.
    fn send(&mut self, call: Call) -> Wait<'_, Reply>;

    /// Counts a check of what came back, by its name.
    fn check(&mut self, name: &str, holds: bool);

    /// Begins a group, which is counted as a transaction. The script's end ends those that are left.
    fn begin(&mut self, group: &str);

    /// Ends the group that the script began last.
    fn end(&mut self);

    /// Adds a number to a metric of the user's own.
    fn add(&mut self, metric: &Metric, number: f64);

    /// Waits as a user does who thinks; the run's end ends the wait, and the iteration.
    fn pause(&mut self, time: Duration) -> Wait<'_, ()>;

    /// What `${name}` is in a plan: a cell of the iteration's row, a value of a setup, `iteration`, `vu`, or what a function
    /// makes, the same whenever the plan is run. `None` when there is none of that name.
    fn value(&mut self, name: &str) -> Option<String>;
}

/// What came of a call.
#[derive(Clone, Debug, PartialEq)]
pub struct Reply {
    /// Whether the call was ok, as its `expect` says.
    pub is_ok: bool,
    /// Its last exchange as measured.
    pub sample: Sample,
    /// Names and values of its headers; none when it has no valid reply.
    pub headers: Vec<(String, Vec<u8>)>,
    /// Its body, or the beginning of it.
    pub body: Vec<u8>,
    /// Whether the body goes on beyond what was kept of it.
    pub is_cut: bool,
}
