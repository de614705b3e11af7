//! `scenarios`: steps, thinking and pacing.

use std::sync::Arc;

use super::cursor::{Decoder, Fields};
use super::decode::is_name;
use super::error::Kind;
use super::keys;
use super::request;
use super::tree::{Entry, Node, Place, Value};
use crate::plan::{Defaults, Feeder, Scenario, Step, ThinkTime};
use crate::template::{EnvFormat, Names};

/// Most steps in a scenario.
const STEPS_MAX: usize = 2_000;

/// What is known while the steps of a scenario are read.
pub(super) struct Scene<'a> {
    /// Slots that earlier steps define.
    pub slots: Vec<String>,
    /// Slots of all steps.
    pub slots_later: &'a [String],
    pub feeders: &'a [Feeder],
    pub defaults: &'a Defaults,
    pub env: &'a dyn Fn(&str) -> Option<String>,
}

impl Scene<'_> {
    pub(super) fn names(&self, env_format: EnvFormat) -> Names<'_> {
        Names {
            slots: &self.slots,
            slots_hidden: (0, 0),
            slots_later: self.slots_later,
            shared: Some(&[]),
            feeders: self.feeders,
            env: self.env,
            env_format,
        }
    }
}

/// Every scenario, in order; a weight that is absent is NaN until the mix is known.
pub(super) fn scenarios(decoder: &mut Decoder, node: &Node, feeders: &[Feeder], defaults: &Defaults) -> Vec<Scenario> {
    let entries = decoder.map(node, "`scenarios`");
    if entries.is_empty() && matches!(node.value, Value::Map(_)) {
        decoder.problem(
            node.at,
            Kind::Missing,
            "the plan has no scenario",
            "add `NAME: { steps: [{ get: / }] }`",
        );
    }
    entries
        .iter()
        .map(|entry| scenario(decoder, entry, feeders, defaults))
        .collect()
}

fn scenario(decoder: &mut Decoder, entry: &Entry, feeders: &[Feeder], defaults: &Defaults) -> Scenario {
    if !is_name(&entry.key) {
        let message = format!("`{}` cannot be the name of a scenario", entry.key);
        decoder.problem(
            entry.key_at,
            Kind::Value,
            message,
            "use 1 to 64 characters, without `/`",
        );
    }
    let mut scenario = Scenario {
        name: entry.key.clone(),
        weight: f64::NAN,
        pacing: None,
        location: None,
        setup: Vec::new(),
        steps: Vec::new(),
        teardown: Vec::new(),
        slots: Vec::new(),
        slots_kept: 0,
    };
    let Some(fields) = decoder.fields(&entry.value, &keys::SCENARIO) else {
        return scenario;
    };
    if let Some(weight) = fields.get("weight").and_then(|node| decoder.number(node)) {
        scenario.weight = weight;
    }
    scenario.pacing = fields.get("pacing").and_then(|node| decoder.duration_above_zero(node));
    let Some(node) = fields.get("steps") else {
        return scenario;
    };
    let items = decoder.list(node, "`steps`");
    if items.is_empty() && matches!(node.value, Value::List(_)) {
        decoder.problem(
            node.at,
            Kind::Missing,
            format!("scenario `{}` has no step", entry.key),
            "add a step such as `- get: /`",
        );
    }
    if items.len() > STEPS_MAX {
        decoder.problem(
            node.at,
            Kind::Limit,
            format!("more than {STEPS_MAX} steps"),
            "split the scenario",
        );
        return scenario;
    }
    let slots_later = slots_of(items);
    let env = decoder.options.env;
    let mut scene = Scene {
        slots: Vec::new(),
        slots_later: &slots_later,
        feeders,
        defaults,
        env,
    };
    scenario.steps = items
        .iter()
        .filter_map(|item| step(decoder, item, &mut scene))
        .collect();
    scenario.slots = scene.slots;
    scenario
}

/// Names of all slots, for messages.
fn slots_of(items: &[Node]) -> Vec<String> {
    let map = |node: &Node| {
        if let Value::Map(entries) = &node.value {
            entries.clone()
        } else {
            Vec::new()
        }
    };
    items
        .iter()
        .flat_map(map)
        .filter(|entry| entry.key == "extract")
        .flat_map(|entry| map(&entry.value))
        .map(|entry| entry.key)
        .collect()
}

fn step(decoder: &mut Decoder, node: &Node, scene: &mut Scene) -> Option<Step> {
    let fields = decoder.fields(node, &keys::STEP)?;
    let mut methods: Vec<_> = keys::METHODS
        .iter()
        .filter_map(|(key, method)| fields.entry(key).map(|entry| (entry, *method)))
        .collect();
    methods.sort_by_key(|(entry, _)| entry.key_at);
    match (methods.as_slice(), fields.entry("think")) {
        ([], Some(entry)) => {
            let others = keys::STEP
                .keys
                .iter()
                .filter(|key| key.name != "think")
                .find_map(|key| fields.entry(key.name));
            if let Some(other) = others {
                let message = format!("`{}` belongs to a request, this step thinks", other.key);
                decoder.problem(
                    other.key_at,
                    Kind::Conflict,
                    message,
                    "write `think` as a step of its own",
                );
            }
            think(decoder, &entry.value).map(Step::Think)
        }
        ([(entry, method)], None) => request::decode(decoder, fields, (&entry.value, *method), scene)
            .map(|request| Step::Request(Arc::new(request))),
        ([_, (second, _), ..], _) => {
            let message = format!("a step has one method, `{}` is the second", second.key);
            decoder.problem(second.key_at, Kind::Conflict, message, "begin a new step with `- `");
            None
        }
        ([_], Some(entry)) => {
            decoder.problem(
                entry.key_at,
                Kind::Conflict,
                "a step requests or thinks, not both",
                "write `think` as a step of its own: `- think: ...`",
            );
            None
        }
        ([], None) => {
            no_method(decoder, node, fields);
            None
        }
    }
}

fn no_method(decoder: &mut Decoder, node: &Node, fields: Fields) {
    // A misspelled or later key was reported already, and is likely the method.
    let Value::Map(entries) = &node.value else { return };
    if entries.iter().all(|entry| {
        keys::STEP
            .keys
            .iter()
            .any(|key| key.name == entry.key && entry.value.value != Value::Null)
    }) {
        decoder.problem(
            fields.at,
            Kind::Missing,
            "the step has neither a method nor `think`",
            "write `get: /path`, `post: /path` or `think: 2s`",
        );
    }
}

fn think(decoder: &mut Decoder, node: &Node) -> Option<ThinkTime> {
    if !matches!(node.value, Value::Map(_)) {
        return decoder.duration(node).map(ThinkTime::Fixed);
    }
    let fields = decoder.fields(node, &keys::THINK)?;
    let mut get = |name: &str| fields.get(name).map(|node| (decoder.duration(node), node.at));
    let given = (get("fixed"), get("min"), get("max"), get("median"), get("p95"));
    match given {
        (Some((fixed, _)), None, None, None, None) => fixed.map(ThinkTime::Fixed),
        (None, Some((min, _)), Some((max, at)), None, None) => {
            let (min, max) = (min?, max?);
            ordered(decoder, at, min <= max, "`max` is below `min`");
            Some(ThinkTime::Uniform { min, max })
        }
        (None, None, None, Some((median, median_at)), Some((p95, at))) => {
            let (median, p95) = (median?, p95?);
            ordered(
                decoder,
                median_at,
                !median.is_zero(),
                "a median of zero has no distribution",
            );
            ordered(decoder, at, median <= p95, "`p95` is below `median`");
            Some(ThinkTime::Lognormal { median, p95 })
        }
        _ => {
            decoder.problem(
                node.at,
                Kind::Value,
                "a think time is `fixed`, or `min` and `max`, or `median` and `p95`",
                "write `think: 2s`, `think: { min: 1s, max: 3s }` or `think: { median: 3s, p95: 9s }`",
            );
            None
        }
    }
}

fn ordered(decoder: &mut Decoder, at: Place, holds: bool, message: &str) {
    if !holds {
        decoder.problem(at, Kind::Value, message, "write a longer duration there");
    }
}
