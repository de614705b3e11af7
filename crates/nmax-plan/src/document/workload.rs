//! `workload`: the mix, how iterations start, and what runs beside them.

use std::time::Duration;

use nmax_text::meant;

use super::cursor::{Decoder, Fields};
use super::keys::{self, ARRIVALS};
use super::stages::{check_flag, level_of, stages};
use super::tree::{Entry, Node, NodePosition};
use super::{background, profile};
use crate::plan::{Arrivals, Background, Profile, Scenario, Workload};
use crate::profile::Shape;
use crate::schedule::{self, Stage, StageKind};

/// In-flight limit of open workloads that name none.
pub const MAX_IN_FLIGHT_DEFAULT: u32 = 10_000;

/// What the workload says, with every length as written.
pub(super) struct Load {
    pub workload: Workload,
    /// What is written, where the profile has a workload of its own.
    pub written: Option<Workload>,
    /// The workload as written has a rate; that of a profile or of the command may have none.
    pub is_written_open: bool,
    pub stages: Vec<Stage>,
    pub iterations: Option<u64>,
    pub profile: Option<Profile>,
    pub background: Vec<Background>,
}

impl Load {
    /// When the stages end; `None` when only a number of iterations ends the run.
    pub(super) fn end(&self) -> Option<Duration> {
        schedule::phases(&self.stages).last().and_then(|last| last.span.end_ns).map(Duration::from_nanos)
    }
}

/// Decodes profile, workload, stages and background, and sets the scenarios' weights.
pub(super) fn decode(decoder: &mut Decoder, root: Fields, scenarios: &mut [Scenario]) -> Option<Load> {
    let fields = root.get("workload").and_then(|node| decoder.fields(node, &keys::WORKLOAD));
    let background = background::entries(decoder, fields);
    let mix = fields.and_then(|fields| fields.entry("mix"));
    weights(decoder, mix, background, scenarios);
    let iterations =
        fields.and_then(|fields| fields.get("iterations")).and_then(|node| decoder.whole(node, 1, 1 << 53));
    let limited = fields.is_some_and(|fields| fields.get("iterations").is_some());
    let written = fields.and_then(|fields| workload(decoder, fields, "the workload"));
    let is_open = matches!(written, Some((Workload::Open { .. }, _)));
    check_pacing(decoder, root, is_open, background);
    check_flag(decoder);
    let level = decoder.options.level;
    let mut named = profile::named(decoder, root);
    if let Some((written, _)) = &written {
        named = named.filter(|named| !is_replaced(decoder, named, written));
    }
    let profile = named.as_ref().map(|named| named.profile);
    let load = written.map(|(written, at)| (crate::profile::workload(profile, level.cloned().unwrap_or(written)), at));
    let workload = load.as_ref().map(|((workload, _), _)| workload);
    let stages = match &named {
        Some(named) => profile::stages(decoder, root, named, workload),
        None => stages(decoder, root, workload.map(level_of), limited),
    };
    let Some((((workload, written), at), stages)) = load.zip(stages) else {
        background::decode(decoder, background, scenarios, None);
        return None;
    };
    check_total(decoder, at, &workload, &stages);
    let mut load =
        Load { workload, written, is_written_open: is_open, stages, iterations, profile, background: Vec::new() };
    load.background = background::decode(decoder, background, scenarios, load.end());
    Some(load)
}

/// Whether a flag replaces the profile of the plan: a level does, and a length where it has more than one hold.
fn is_replaced(decoder: &Decoder, named: &profile::Named, written: &Workload) -> bool {
    let has_one_hold = || {
        let (workload, _) = crate::profile::workload(Some(named.profile), written.clone());
        let stages = Shape::usual(named.profile, &workload).stages();
        stages.iter().filter(|stage| stage.kind == StageKind::Hold).count() == 1
    };
    let options = decoder.options;
    !named.from_flag && (options.level.is_some() || (options.duration.is_some() && !has_one_hold()))
}

/// `pacing` is for scenarios whose workload is closed.
fn check_pacing(decoder: &mut Decoder, root: Fields, mix_is_open: bool, background: &[Entry]) {
    let is_open = |scenario: &Entry| match background.iter().find(|entry| entry.key == scenario.key) {
        Some(own) => own.value.key("open").is_some(),
        None => mix_is_open,
    };
    let scenarios = root.get("scenarios").map(Node::entries).unwrap_or_default();
    let mut keys = scenarios.iter().filter(|scenario| is_open(scenario)).flat_map(|scenario| scenario.value.entries());
    let pacing = keys.find(|entry| entry.key == "pacing");
    if let Some(pacing) = pacing {
        let message = "`pacing` spaces the starts of a VU, but an open workload starts by its rate";
        decoder.wrong(pacing.key_at, message, "remove it, or write `closed: { vus: ... }`");
    }
}

/// `open` or `closed`; `what` has it.
pub(super) fn workload(decoder: &mut Decoder, fields: Fields, what: &str) -> Option<(Workload, NodePosition)> {
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
            decoder.wrong(second, "a workload is either `open` or `closed`", remedy).none()
        }
        (None, None) => {
            let remedy = "write `open: { rate: 50/s }` (a rate) or `closed: { vus: 10 }` (a number of users)";
            decoder.wrong(fields.at, format!("{what} is neither `open` nor `closed`"), remedy).none()
        }
    }
}

fn open_workload(decoder: &mut Decoder, entry: &Entry) -> Option<(Workload, NodePosition)> {
    let fields = decoder.fields(&entry.value, &keys::OPEN)?;
    let arrivals = fields.get("arrivals").and_then(|node| decoder.choose(node, ARRIVALS)).unwrap_or(Arrivals::Even);
    let in_flight = fields.get("max_in_flight").and_then(|node| decoder.whole(node, 1, 1_000_000));
    let max_in_flight = in_flight.map_or(MAX_IN_FLIGHT_DEFAULT, |limit| limit as u32);
    let node = fields.get("rate")?;
    let rate_per_s = decoder.rate(node)?;
    if rate_per_s == 0.0 {
        decoder.wrong(node.at, "the rate is 0/s, so no iteration ever starts", "give a rate above 0, such as `50/s`");
        return None;
    }
    Some((Workload::Open { rate_per_s, arrivals, max_in_flight }, node.at))
}

/// Complains about a name that no scenario has.
pub(super) fn no_scenario(decoder: &mut Decoder, entry: &Entry, scenarios: &[Scenario]) {
    let known: Vec<&str> = scenarios.iter().map(|scenario| scenario.name.as_str()).collect();
    let remedy = meant(&entry.key, &known, "its scenarios are");
    decoder.wrong(entry.key_at, format!("the plan has no scenario `{}`", entry.key), remedy);
}

/// Weights: a scenario's own, else that of the mix, else 1 without a mix and 0 with one. The background has none.
fn weights(decoder: &mut Decoder, mix: Option<&Entry>, background: &[Entry], scenarios: &mut [Scenario]) {
    let default = if mix.is_some() { 0.0 } else { 1.0 };
    let mut all_known = true;
    for entry in mix.map(|mix| decoder.map(&mix.value, "`mix`")).unwrap_or_default() {
        let weight = decoder.number(&entry.value);
        if scenarios.is_empty() {
            // Reported already.
            continue;
        }
        let Some(scenario) = scenarios.iter_mut().find(|scenario| scenario.name == entry.key) else {
            all_known = false;
            no_scenario(decoder, entry, scenarios);
            continue;
        };
        if scenario.weight.is_nan() {
            scenario.weight = weight.unwrap_or(1.0);
        } else {
            let message = format!("the weight of `{}` is here and in the scenario", entry.key);
            decoder.wrong(entry.key_at, message, "keep one of them");
        }
    }
    for scenario in &mut *scenarios {
        let behind = background.iter().find(|entry| entry.key == scenario.name);
        if let Some(entry) = behind
            && scenario.weight > 0.0
        {
            let message = format!("`{}` is in the background and has a weight in the mix", entry.key);
            decoder.wrong(entry.key_at, message, "keep one of them");
        }
        if behind.is_some() {
            scenario.weight = 0.0;
        } else if scenario.weight.is_nan() {
            scenario.weight = default;
        }
    }
    let none_runs = all_known && !scenarios.is_empty() && scenarios.iter().all(|scenario| scenario.weight == 0.0);
    let all_behind = || {
        let is_behind = |scenario: &Scenario| background.iter().any(|entry| entry.key == scenario.name);
        background.first().filter(|_| scenarios.iter().all(is_behind))
    };
    if let Some(first) = none_runs.then(all_behind).flatten() {
        let message = "all scenarios run in the background, so the mix has none";
        decoder.wrong(first.key_at, message, "leave one out of the background");
    } else if none_runs {
        let beginning = NodePosition { line: 1, column: 1, ..NodePosition::default() };
        decoder.wrong(
            mix.map_or(beginning, |mix| mix.key_at),
            "all scenarios have weight 0, so none ever runs",
            "give one a weight above 0",
        );
    }
}

/// The schedule's own limits: number of starts, and total time.
pub(super) fn check_total(decoder: &mut Decoder, at: NodePosition, workload: &Workload, stages: &[Stage]) {
    let built = match workload {
        Workload::Open { .. } => schedule::Open::new(stages, schedule::Arrivals::Even).map(|_| ()),
        Workload::Closed { .. } => schedule::Closed::new(stages).map(|_| ()),
    };
    if let Err(error) = built {
        decoder.wrong(at, error.to_string(), "write lower levels or shorter stages");
    }
}
