//! `workload` and the run's shape: mix, levels, stages, warm-up.

use std::time::Duration;

use super::DURATION_DEFAULT;
use super::cursor::{Decoder, Fields};
use super::decode::FLAG_DURATION;
use super::error::Kind;
use super::keys::{self, ARRIVALS};
use super::tree::{Entry, Node, Place, Value};
use crate::nearest::nearest;
use crate::plan::{Arrivals, Scenario, Workload};
use crate::schedule::{self, Stage, StageKind};

/// In-flight limit of open workloads that name none.
pub const MAX_IN_FLIGHT_DEFAULT: u32 = 10_000;
/// Most stages in a plan.
const STAGES_MAX: usize = 1_000;

/// What the workload says.
pub(super) struct Load {
    pub workload: Workload,
    pub stages: Vec<Stage>,
    pub iterations: Option<u64>,
}

/// Decodes workload and stages, and sets the scenarios' weights.
pub(super) fn decode(decoder: &mut Decoder, root: Fields, scenarios: &mut [Scenario]) -> Option<Load> {
    let fields = root.get("workload").and_then(|node| decoder.fields(node, &keys::WORKLOAD));
    let mix = fields.and_then(|fields| fields.entry("mix"));
    weights(decoder, mix, scenarios);
    let iterations = fields.and_then(|fields| fields.get("iterations")).and_then(|node| decoder.whole(node, 1, 1 << 53));
    let limited = fields.is_some_and(|fields| fields.get("iterations").is_some());
    let load = fields.and_then(|fields| workload(decoder, fields));
    if let Some((Workload::Open { .. }, _)) = load {
        if let Some(pacing) = root.get("scenarios").and_then(first_pacing) {
            let message = "`pacing` spaces the starts of a VU, but an open workload starts by its rate";
            decoder.problem(pacing.key_at, Kind::Conflict, message, "remove it, or write `closed: { vus: ... }`");
        }
    }
    let level = load.as_ref().map(|(workload, _)| level_of(workload));
    let stages = stages(decoder, root, level, limited);
    let (workload, at) = load?;
    let stages = stages?;
    check_total(decoder, at, &workload, &stages);
    Some(Load { workload, stages, iterations })
}

fn first_pacing(scenarios: &Node) -> Option<&Entry> {
    let Value::Map(scenarios) = &scenarios.value else { return None };
    scenarios.iter().find_map(|scenario| match &scenario.value.value {
        Value::Map(keys) => keys.iter().find(|entry| entry.key == "pacing"),
        _ => None,
    })
}

/// 100 %, in iterations per second or VUs, and which of the two.
#[derive(Clone, Copy)]
enum Level {
    PerSecond(f64),
    Vus(f64),
}

impl Level {
    fn full(self) -> f64 {
        let (Self::PerSecond(full) | Self::Vus(full)) = self;
        full
    }
}

fn level_of(workload: &Workload) -> Level {
    match workload {
        Workload::Open { rate_per_s, .. } => Level::PerSecond(*rate_per_s),
        Workload::Closed { vus } => Level::Vus(f64::from(*vus)),
    }
}

fn workload(decoder: &mut Decoder, fields: Fields) -> Option<(Workload, Place)> {
    match (fields.entry("open"), fields.entry("closed")) {
        (Some(open), None) => open_workload(decoder, open),
        (None, Some(closed)) => {
            let fields = decoder.fields(&closed.value, &keys::CLOSED)?;
            let node = fields.get("vus")?;
            let vus = decoder.whole(node, 1, 1_000_000)?;
            Some((Workload::Closed { vus: vus as u32 }, node.at))
        }
        (Some(open), Some(closed)) => {
            let second = open.key_at.max(closed.key_at);
            let remedy = "keep one of them; `--set workload.open=null` removes one on the command line";
            decoder.problem(second, Kind::Conflict, "a workload is either `open` or `closed`", remedy);
            None
        }
        (None, None) => {
            let remedy = "write `open: { rate: 50/s }` (a rate) or `closed: { vus: 10 }` (a number of users)";
            decoder.problem(fields.at, Kind::Missing, "the workload is neither `open` nor `closed`", remedy);
            None
        }
    }
}

fn open_workload(decoder: &mut Decoder, entry: &Entry) -> Option<(Workload, Place)> {
    let fields = decoder.fields(&entry.value, &keys::OPEN)?;
    let arrivals = fields.get("arrivals").and_then(|node| decoder.choose(node, ARRIVALS)).unwrap_or(Arrivals::Even);
    let in_flight = fields.get("max_in_flight").and_then(|node| decoder.whole(node, 1, 1_000_000));
    let max_in_flight = in_flight.map_or(MAX_IN_FLIGHT_DEFAULT, |limit| limit as u32);
    let node = fields.get("rate")?;
    let rate_per_s = decoder.rate(node)?;
    if rate_per_s == 0.0 {
        decoder.problem(node.at, Kind::Value, "the rate is 0/s, so no iteration ever starts", "give a rate above 0, such as `50/s`");
        return None;
    }
    Some((Workload::Open { rate_per_s, arrivals, max_in_flight }, node.at))
}

/// Weights: a scenario's own, else that of the mix, else 1 without a mix and 0 with one.
fn weights(decoder: &mut Decoder, mix: Option<&Entry>, scenarios: &mut [Scenario]) {
    let default = if mix.is_some() { 0.0 } else { 1.0 };
    for entry in mix.map(|mix| decoder.map(&mix.value, "`mix`")).unwrap_or_default() {
        let weight = decoder.number(&entry.value);
        let Some(scenario) = scenarios.iter_mut().find(|scenario| scenario.name == entry.key) else {
            let known: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
            let remedy = match nearest(&entry.key, known.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("its scenarios are: {}", known.join(", ")),
            };
            decoder.problem(entry.key_at, Kind::Undefined, format!("the plan has no scenario `{}`", entry.key), remedy);
            continue;
        };
        if scenario.weight.is_nan() {
            scenario.weight = weight.unwrap_or(1.0);
        } else {
            let message = format!("the weight of `{}` is here and in the scenario", entry.key);
            decoder.problem(entry.key_at, Kind::Conflict, message, "keep one of them");
        }
    }
    for scenario in &mut *scenarios {
        if scenario.weight.is_nan() {
            scenario.weight = default;
        }
    }
    let at = mix.map(|mix| mix.key_at).unwrap_or_default();
    if !scenarios.is_empty() && scenarios.iter().all(|scenario| scenario.weight == 0.0) {
        let at = if mix.is_some() { at } else { Place { line: 1, column: 1, ..at } };
        decoder.problem(at, Kind::Value, "all scenarios have weight 0, so none ever runs", "give one a weight above 0");
    }
}

/// The stages with absolute levels. Without a level (it was wrong), they are only checked.
fn stages(decoder: &mut Decoder, root: Fields, level: Option<Level>, limited: bool) -> Option<Vec<Stage>> {
    let duration = root.get("duration").and_then(|node| decoder.duration_above_zero(node));
    let warm_up = root.get("warm_up").and_then(|node| decoder.duration_above_zero(node));
    let mut stages = if let Some(node) = root.get("stages") {
        if let Some(entry) = root.entry("duration") {
            decoder.problem(entry.key_at, Kind::Conflict, "`duration` and `stages` both say how long the run is", "keep one of them");
        }
        if decoder.options.duration.is_some() {
            let at = Place { flag: Some(FLAG_DURATION), line: 1, column: 1 };
            decoder.problem(at, Kind::Conflict, "the plan has `stages`, which say how long the run is", "leave the argument out, or set `--set stages=null`");
        }
        staged(decoder, node, level)?
    } else {
        let given = decoder.options.duration.or(duration);
        let length = given.or((!limited).then_some(DURATION_DEFAULT));
        let full = level.map_or(1.0, Level::full);
        vec![Stage { from: full, to: full, length_ns: length.map(nanos), kind: StageKind::Hold }]
    };
    if let Some(length) = warm_up {
        insert_warm_up(decoder, root, &mut stages, length);
    }
    Some(stages)
}

fn nanos(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

fn insert_warm_up(decoder: &mut Decoder, root: Fields, stages: &mut Vec<Stage>, length: Duration) {
    let first = stages.iter().position(|stage| stage.kind == StageKind::Hold);
    match (first, root.entry("warm_up")) {
        (Some(first), _) => {
            let level = stages[first].from;
            stages.insert(first, Stage { from: level, to: level, length_ns: Some(nanos(length)), kind: StageKind::WarmUp });
        }
        (None, Some(entry)) => {
            decoder.problem(entry.key_at, Kind::Conflict, "a warm-up precedes the first hold, and the stages have none", "add `{ hold: 1m }` to `stages`");
        }
        (None, None) => {}
    }
}

fn staged(decoder: &mut Decoder, node: &Node, level: Option<Level>) -> Option<Vec<Stage>> {
    let items = decoder.list(node, "`stages`");
    if items.is_empty() {
        decoder.problem(node.at, Kind::Value, "there is no stage", "add `- { hold: 1m }`, or remove the key");
        return None;
    }
    if items.len() > STAGES_MAX {
        decoder.problem(node.at, Kind::Limit, format!("more than {STAGES_MAX} stages"), "join some of them");
        return None;
    }
    let mut stages: Vec<Stage> = Vec::new();
    for item in items {
        let before = stages.last().map(|stage| stage.to);
        stages.extend(stage(decoder, item, level, before));
    }
    let complete = stages.len() == items.len();
    if complete && stages.iter().all(|stage| stage.from == 0.0 && stage.to == 0.0) {
        decoder.problem(node.at, Kind::Value, "every stage is at level 0, so no iteration ever starts", "let a stage reach a level above 0, such as `to: 100%`");
    }
    complete.then_some(stages)
}

/// One stage, given the level at which the last one ended.
fn stage(decoder: &mut Decoder, node: &Node, level: Option<Level>, before: Option<f64>) -> Option<Stage> {
    let fields = decoder.fields(node, &keys::STAGE)?;
    let to = fields.get("to").map(|node| target_level(decoder, node, level));
    let full = level.map_or(1.0, Level::full);
    match (fields.get("ramp"), fields.entry("hold")) {
        (Some(length), None) => {
            let length = decoder.duration_above_zero(length);
            let Some(to) = to else {
                decoder.problem(node.at, Kind::Missing, "the ramp does not say where it leads", "add `to: 100%`");
                return None;
            };
            let (length, to, from) = (length?, to?, before.unwrap_or(0.0));
            let kind = if to < from { StageKind::RampDown } else { StageKind::RampUp };
            Some(Stage { from, to, length_ns: Some(nanos(length)), kind })
        }
        (None, Some(hold)) => {
            let length = decoder.duration_above_zero(&hold.value);
            let level = match to {
                Some(to) => to?,
                None => before.unwrap_or(full),
            };
            Some(Stage { from: level, to: level, length_ns: Some(nanos(length?)), kind: StageKind::Hold })
        }
        (Some(_), Some(hold)) => {
            decoder.problem(hold.key_at, Kind::Conflict, "a stage ramps or holds, not both", "begin a new stage with `- `");
            None
        }
        (None, None) => {
            decoder.problem(node.at, Kind::Missing, "the stage neither ramps nor holds", "write `{ ramp: 30s, to: 100% }` or `{ hold: 2m }`");
            None
        }
    }
}

/// A share of the workload, a rate (open) or a number of VUs (closed).
fn target_level(decoder: &mut Decoder, node: &Node, level: Option<Level>) -> Option<f64> {
    let text = decoder.expanded(node)?;
    if text.ends_with('%') {
        let full = level.map_or(1.0, Level::full);
        let reached = decoder.share(node)? * full;
        return within_limits(decoder, node, level, reached);
    }
    if text == "0" {
        return Some(0.0);
    }
    match level {
        Some(Level::PerSecond(_)) => {
            let reached = decoder.rate(node)?;
            within_limits(decoder, node, level, reached)
        }
        Some(Level::Vus(_)) if text.contains('/') => {
            decoder.problem(node.at, Kind::Value, format!("`{text}` is a rate, but a closed workload has VUs"), "write a number of VUs or a share, such as `50` or `100%`");
            None
        }
        Some(Level::Vus(_)) => {
            let reached = decoder.number(node)?;
            within_limits(decoder, node, level, reached)
        }
        None => Some(1.0), // the workload's error is reported already
    }
}

fn within_limits(decoder: &mut Decoder, node: &Node, level: Option<Level>, reached: f64) -> Option<f64> {
    let (max, unit) = match level {
        Some(Level::Vus(_)) => (1e6, " VUs"),
        _ => (crate::units::RATE_PER_S_MAX, "/s"),
    };
    if reached <= max {
        return Some(reached);
    }
    decoder.problem(node.at, Kind::Limit, format!("the stage reaches {reached}{unit}, more than {max}{unit}"), "write a lower level");
    None
}

/// The schedule's own limits: number of starts, and total time.
fn check_total(decoder: &mut Decoder, at: Place, workload: &Workload, stages: &[Stage]) {
    let built = match workload {
        Workload::Open { .. } => schedule::Open::new(stages, schedule::Arrivals::Even).map(|_| ()),
        Workload::Closed { .. } => schedule::Closed::new(stages).map(|_| ()),
    };
    if let Err(error) = built {
        decoder.problem(at, Kind::Limit, error.to_string(), "write lower levels or shorter stages");
    }
}
