//! `scenarios`, and `setup` and `teardown` of the run: who does what.

use nmax_text::meant;

use super::cursor::{Decoder, Fields};
use super::decode::is_name;
use super::keys;
use super::tree::{Entry, Node, NodePosition, Value};
use crate::plan::{Defaults, Feeder, Location, Scenario, Step};
use crate::template::{EnvFormat, Labels, Names};

mod condition;
mod page;
mod steps;
mod think;

pub(super) use condition::{condition_text, right_side, side_text};
pub(super) use page::{page, tags};

/// Most steps in a scenario, those within others included.
const STEPS_MAX: usize = 10_000;

/// What scenarios may refer to.
#[derive(Clone, Copy)]
pub(super) struct World<'a> {
    pub feeders: &'a [Feeder],
    pub defaults: &'a Defaults,
    /// Names of the values that the run's setup defines.
    pub shared: &'a [String],
    /// Scheme, host and port of the target.
    pub target: &'a str,
    pub locations: &'a [Location],
}

/// What is known while the steps of a scenario are read.
pub(super) struct Scene<'a> {
    /// Slots that earlier steps define, on whatever way through the scenario.
    pub slots: Vec<String>,
    /// Those that only an iteration has; see [`Names::slots_hidden`].
    slots_hidden: (usize, usize),
    /// Slots of all steps.
    slots_later: Vec<String>,
    /// Slots of the run's setup; `None` in the setup itself.
    shared: Option<&'a [String]>,
    feeders: &'a [Feeder],
    target: &'a str,
    pub defaults: &'a Defaults,
    env: &'a dyn Fn(&str) -> Option<String>,
    /// Steps around the present one.
    depth: usize,
    /// Steps until now.
    steps: usize,
    /// Transactions around the present step.
    open: Vec<String>,
    /// Transactions until now.
    transactions: Vec<(String, NodePosition)>,
}

impl<'a> Scene<'a> {
    fn new(
        decoder: &Decoder<'a>,
        world: World<'a>,
        shared: Option<&'a [String]>,
        slots: Vec<String>,
        lists: &[Option<&Node>],
    ) -> Self {
        let mut slots_later = slots.clone();
        lists.iter().flatten().for_each(|list| slots_of(list, &mut slots_later));
        Self {
            slots,
            slots_hidden: (0, 0),
            slots_later,
            shared,
            feeders: world.feeders,
            target: world.target,
            defaults: world.defaults,
            env: decoder.options.env,
            depth: 0,
            steps: 0,
            open: Vec::new(),
            transactions: Vec::new(),
        }
    }

    pub(super) fn names(&self, env_format: EnvFormat) -> Names<'_> {
        Names {
            slots: &self.slots,
            slots_hidden: self.slots_hidden,
            slots_later: &self.slots_later,
            shared: self.shared,
            feeders: self.feeders,
            target: Some(self.target),
            env: self.env,
            env_format,
        }
    }

    /// The slot of this name, from here on.
    pub(super) fn define(&mut self, name: &str) -> usize {
        let known = self.names(EnvFormat::Verbatim).slot(name);
        known.unwrap_or_else(|| {
            self.slots.push(name.to_owned());
            self.slots.len() - 1
        })
    }
}

/// Every scenario, in order; a weight that is absent is NaN until the mix is known.
pub(super) fn scenarios(decoder: &mut Decoder, node: &Node, world: World) -> Vec<Scenario> {
    let entries = decoder.map(node, "`scenarios`");
    if entries.is_empty() && matches!(node.value, Value::Map(_)) {
        decoder.wrong(node.at, "the plan has no scenario", "add `NAME: { steps: [{ get: / }] }`");
    }
    let mut transactions = Vec::new();
    let scenarios: Vec<Scenario> =
        entries.iter().map(|entry| scenario(decoder, entry, world, &mut transactions)).collect();
    refuse_names_of_requests(decoder, &scenarios, world, transactions);
    scenarios
}

fn scenario(
    decoder: &mut Decoder,
    entry: &Entry,
    world: World,
    transactions: &mut Vec<(String, NodePosition)>,
) -> Scenario {
    if !is_name(&entry.key) {
        let message = format!("`{}` cannot be the name of a scenario", entry.key);
        decoder.wrong(entry.key_at, message, "use 1 to 64 characters, without `/`");
    }
    let mut scenario = Scenario { weight: f64::NAN, ..Scenario::with_steps(&entry.key, Vec::new()) };
    let Some(fields) = decoder.fields(&entry.value, &keys::SCENARIO) else {
        return scenario;
    };
    fields.set(&mut scenario.weight, "weight", |node| decoder.number(node));
    scenario.pacing = fields.get("pacing").and_then(|node| decoder.duration_above_zero(node));
    scenario.location = fields.get("location").and_then(|node| location(decoder, node, world.locations));
    let lists = ["setup", "steps", "teardown"].map(|key| fields.get(key));
    let mut scene = Scene::new(decoder, world, Some(world.shared), Vec::new(), &lists);
    let [setup, steps, teardown] = lists;
    scenario.setup = list_of(decoder, setup, &mut scene, "setup");
    scenario.slots_kept = scene.slots.len();
    scenario.steps = list_of(decoder, steps, &mut scene, &entry.key);
    scene.slots_hidden = (scenario.slots_kept, scene.slots.len());
    scenario.teardown = list_of(decoder, teardown, &mut scene, "teardown");
    scenario.slots = scene.slots;
    transactions.append(&mut scene.transactions);
    scenario
}

/// The steps of a list that is to have some.
fn list_of(decoder: &mut Decoder, node: Option<&Node>, scene: &mut Scene, name: &str) -> Vec<Step> {
    let Some(node) = node else { return Vec::new() };
    if matches!(&node.value, Value::List(items) if items.is_empty()) {
        let what =
            if matches!(name, "setup" | "teardown") { format!("`{name}`") } else { format!("scenario `{name}`") };
        decoder.wrong(node.at, format!("{what} has no step"), "add a step such as `- get: /`");
    }
    steps::list(decoder, node, scene)
}

fn location(decoder: &mut Decoder, node: &Node, locations: &[Location]) -> Option<usize> {
    let name = decoder.expanded(node)?;
    let found = locations.iter().position(|location| location.name == name);
    if found.is_none() {
        let names: Vec<&str> = locations.iter().map(|location| location.name.as_str()).collect();
        let remedy = match names.as_slice() {
            [] => format!("add `locations: {{ {name}: {{ ... }} }}` to the plan"),
            names => meant(&name, names, "its locations are"),
        };
        decoder.wrong(node.at, format!("the plan has no location `{name}`"), remedy);
    }
    found
}

/// A request that follows redirects is a transaction of its own name already.
fn refuse_names_of_requests(
    decoder: &mut Decoder,
    scenarios: &[Scenario],
    world: World,
    transactions: Vec<(String, NodePosition)>,
) {
    if transactions.is_empty() {
        return;
    }
    let mut names = std::collections::HashSet::new();
    for scenario in scenarios {
        let labels = Labels { slots: &scenario.slots, feeders: world.feeders, shared: world.shared };
        let follows = scenario.calls().filter(|request| request.redirects_max(world.defaults) > 0);
        names.extend(follows.map(|request| request.name.display(labels)));
    }
    for (name, at) in transactions {
        if names.contains(&name) {
            let message = format!("request `{name}` follows redirects, so it is a transaction of that name already");
            decoder.wrong(at, message, "give one of them another name");
        }
    }
}

/// Names of the values of the run's setup, in the order in which its steps define them.
pub(super) fn setup_names(root: Fields) -> Vec<String> {
    let mut names = Vec::new();
    let steps = root.get("setup").and_then(|node| node.key("steps"));
    steps.iter().for_each(|list| slots_of(list, &mut names));
    names
}

/// What is done once before and after the run. The teardown has the values of the setup, and those that it defines.
pub(super) fn run_steps(decoder: &mut Decoder, root: Fields, world: World) -> (Option<Scenario>, Option<Scenario>) {
    let mut read = |key: &str, table, slots: Vec<String>, shared| {
        let fields = decoder.fields(root.get(key)?, table)?;
        let list = fields.get("steps");
        let mut scene = Scene::new(decoder, world, shared, slots, &[list]);
        let mut scenario = Scenario { weight: 0.0, ..Scenario::with_steps(key, Vec::new()) };
        scenario.slots_kept = scene.slots.len();
        scenario.steps = list_of(decoder, list, &mut scene, key);
        scenario.slots = scene.slots;
        Some(scenario)
    };
    let setup = read("setup", &keys::RUN_SETUP, Vec::new(), None);
    let slots = setup.as_ref().map(|setup| setup.slots.clone()).unwrap_or_default();
    let teardown = read("teardown", &keys::RUN_TEARDOWN, slots, Some(world.shared));
    (setup, teardown)
}

/// Adds the names of all values that steps define, each once, in the order in which the steps are read.
fn slots_of(list: &Node, names: &mut Vec<String>) {
    let add = |names: &mut Vec<String>, name: &str| {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_owned());
        }
    };
    for step in list.items() {
        let maps = ["extract", "set"].into_iter().filter_map(|key| step.key(key));
        maps.flat_map(Node::entries).for_each(|entry| add(names, &entry.key));
        if let Some(Value::Scalar(counter)) = step.key("as").map(|node| &node.value) {
            add(names, &counter.text);
        }
        let lists = ["then", "else", "steps"].into_iter().filter_map(|key| step.key(key));
        let branches = step.key("choose").map(Node::items).unwrap_or_default();
        let lists = lists.chain(branches.iter().filter_map(|branch| branch.key("steps")));
        lists.for_each(|list| slots_of(list, names));
    }
}
