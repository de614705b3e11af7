//! A plan made ready to run: extractors compiled, constant requests rendered once, names and checks numbered.
//!
//! Each worker builds its own from the shared plan; nothing in it is shared between threads.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;
use std::sync::Arc;

use nmax_metrics::{Catalog, Group, Names};
use nmax_plan::plan::{AtEnd, Feeder, Pick, Plan, Scenario, Step};
use nmax_plan::template::Part;

use crate::error::ProgramError;
use crate::http::names;
use crate::program::flow::Flow;
use crate::program::prepare::{Maker, Prepare, Ready};
use crate::run::settings::{Files, Known};
use crate::script::{Script, Scripts};

pub mod flow;
pub mod prepare;

/// A plan made ready to run.
#[derive(Debug)]
pub struct Program<Q> {
    /// The plan it was made from.
    pub plan: Arc<Plan>,
    /// Scenarios, in the order of the plan.
    pub scenarios: Vec<Flow<Box<Ready<Q>>>>,
    /// Whether some scenario has a setup or a teardown of its own.
    pub has_setups: bool,
    /// Values that the run's setup defined.
    pub shared: Arc<Vec<String>>,
    /// Which records of its feeders an iteration reads.
    pub records: Records,
    /// Number of the first iteration of each VU: 0, but for rehearsals that are not to repeat each other.
    pub first_iteration: u64,
    /// Scenarios that read a feeder which ends the run or the iteration: most rows they may ask for.
    pub rows_max: Vec<Option<(u64, AtEnd)>>,
    /// Who wants to know the secrets among the values of each exchange, before it is sent.
    pub known: Option<Known>,
    /// What does the iterations of scenarios that are not declared; for [`Program::with_scripts`].
    pub(crate) scripts: Vec<Option<Rc<dyn Script>>>,
    /// Files that bodies are made of.
    pub(crate) files: Files,
    /// Names that the plan gives to transactions.
    pub(crate) groups: HashSet<String>,
}

/// Which records of its feeders an iteration reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Records {
    /// Counted from the first one, as in any run.
    #[default]
    First,
    /// Counted back from the last one, so that what is tried before a run takes nothing away from it.
    Last,
}

/// All names and checks of a plan, as every worker numbers them.
pub fn catalog(plan: &Plan, names_max: usize) -> Catalog {
    let mut catalog = Catalog {
        requests: Names::new(names_max),
        scenarios: plan.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        locations: plan.locations.iter().map(|location| location.name.clone()).collect(),
        ..Catalog::default()
    };
    let groups = group_names(plan);
    for (scenario, step) in plan.scenarios.iter().flat_map(|s| s.all_steps().map(move |step| (s, step))) {
        match step {
            Step::Transaction(group) => names::add(&mut catalog.transactions, group.name.clone()),
            Step::Call(call) => {
                if let Some(name) = call.name.as_constant() {
                    catalog.requests.intern(name);
                }
                names::add_names(plan, scenario, call, &|name| groups.contains(name), &mut catalog);
                call.expect.checks.iter().for_each(|check| names::add(&mut catalog.checks, check.name.clone()));
            }
            _ => {}
        }
    }
    let pairs = names::transitions(plan, &catalog.pages);
    let named = |(from, to): (usize, usize)| format!("{} -> {}", catalog.pages[from], catalog.pages[to]);
    catalog.transitions = pairs.into_iter().map(named).collect();
    catalog
}

/// The names that the plan gives to transactions.
fn group_names(plan: &Plan) -> HashSet<String> {
    let steps = plan.scenarios.iter().flat_map(Scenario::all_steps);
    let names = steps.filter_map(|step| match step {
        Step::Transaction(group) => Some(group.name.clone()),
        _ => None,
    });
    names.collect()
}

impl<Q> Program<Q> {
    /// Makes a plan ready, with the numbers of `catalog` and the files that its bodies are made of.
    pub fn new(
        plan: Arc<Plan>,
        catalog: &Catalog,
        files: &Files,
        protocol: &impl Prepare<Prepared = Q>,
    ) -> Result<Self, ProgramError> {
        let numbers = Group::ALL.map(|group| {
            let names = catalog.list(group).iter().enumerate();
            names.map(|(index, name)| (name.as_str(), index)).collect::<HashMap<&str, usize>>()
        });
        let number = |group: Group, name: &str| numbers[group as usize].get(name).copied();
        let groups = group_names(&plan);
        let maker = Maker {
            plan: &plan,
            files,
            is_group: &|name| groups.contains(name),
            number: &number,
            request: &|name| catalog.requests.find(name),
        };
        let mut scenarios = Vec::with_capacity(plan.scenarios.len());
        for (index, scenario) in plan.scenarios.iter().enumerate() {
            let prepare = |action, call| {
                let call = maker.prepare(action, call)?;
                let what = protocol.prepare(&maker, (index, scenario), &call)?;
                Ok::<_, ProgramError>(Box::new(Ready { call, what }))
            };
            scenarios
                .push(flow::compile(scenario, prepare, |name| number(Group::Transaction, name).unwrap_or_default())?);
        }
        let has_setups =
            plan.scenarios.iter().any(|scenario| !scenario.setup.is_empty() || !scenario.teardown.is_empty());
        let rows_max = plan.scenarios.iter().map(|scenario| rows_max(&plan, scenario)).collect();
        Ok(Self {
            scenarios,
            has_setups,
            shared: Arc::default(),
            records: Records::First,
            known: None,
            first_iteration: 0,
            rows_max,
            scripts: vec![None; plan.scenarios.len()],
            files: Arc::clone(files),
            groups,
            plan,
        })
    }
}

impl<Q> Program<Q> {
    /// With a script of this worker's own for each scenario that is not declared.
    pub fn with_scripts(mut self, scripts: &Scripts) -> Result<Self, ProgramError> {
        for (script, scenario) in self.scripts.iter_mut().zip(&self.plan.scenarios) {
            if !scenario.is_declared() {
                let made = scripts.make(&scenario.name);
                *script = Some(made.ok_or_else(|| ProgramError::Script(scenario.name.clone()))?);
            }
        }
        Ok(self)
    }
}

/// The names of all files that bodies of a plan are made of, as the plan writes them; sorted, each once.
pub fn body_files(plan: &Plan) -> Vec<&str> {
    let calls = plan.scenarios.iter().flat_map(Scenario::calls);
    let mut names: Vec<&str> = calls.flat_map(|call| call.files()).collect();
    names.sort_unstable();
    names.dedup();
    names
}

/// The fewest rows of the feeders that steps of a scenario read and that do not start again. What a script reads is seen
/// when it does.
pub fn rows_max(plan: &Plan, scenario: &Scenario) -> Option<(u64, AtEnd)> {
    let mut read = Vec::new();
    let mut look = |part: &Part| {
        if let Part::Feeder { feeder, .. } = part {
            read.push(*feeder);
        }
    };
    if scenario.calls().next().is_some() {
        plan.defaults.headers.iter().for_each(|(_, value)| value.each_part(&mut look));
    }
    scenario.each_template(&mut |template| template.each_part(&mut look));
    read.into_iter().filter_map(|feeder| plan.feeders.get(feeder)).filter_map(bound).min_by_key(|(rows, _)| *rows)
}

/// The rows of a feeder that does not start again, and what happens at their end.
pub(crate) fn bound(feeder: &Feeder) -> Option<(u64, AtEnd)> {
    let ends = matches!(feeder.pick, Pick::Sequential | Pick::Unique) && feeder.at_end != AtEnd::Wrap;
    ends.then(|| (feeder.row_count(), feeder.at_end))
}
