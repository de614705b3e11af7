//! What a run is made of beside its scenarios, as a document.

use std::time::Duration;

use super::super::keys::{ARRIVALS, METHODS};
use super::yaml::Yaml;
use super::{duration, entry, expanded, given, listed, named, plain, text, word};
use crate::plan::{Action, Background, Change, Intervention, Location, Moment, Plan, ProcessRef, Workload};
use crate::schedule::{Stage, StageKind};
use crate::threshold::Threshold;
use crate::units::{format_bit_rate, format_rate, format_share};

/// `workload`, and the run's shape.
pub(super) fn load(plan: &Plan) -> Vec<(String, Yaml)> {
    // A profile that has a workload of its own puts it in place of this one again.
    let mut workload = vec![workload(plan.written.as_ref().unwrap_or(&plan.workload))];
    let background = plan.background.iter().filter_map(|own| {
        let scenario = plan.scenarios.get(own.scenario)?;
        Some((scenario.name.clone(), self::background(own)))
    });
    workload.extend(named("background", background));
    workload.extend(given("iterations", plan.iterations, plain));
    let mut map = vec![entry("workload", Yaml::Map(workload))];
    map.extend(shape(plan));
    let changes = plan.steered.iter().flat_map(|steered| &steered.changes);
    map.extend(listed("steered", changes.map(|change| self::change(plan, change))));
    if plan.compress != 1.0 {
        map.push(entry("compressed", plain(plan.compress)));
    }
    map
}

/// What comes after the shape.
pub(super) fn rest(plan: &Plan) -> Vec<(String, Yaml)> {
    let mut map = vec![
        entry("graceful_stop", duration(plan.graceful_stop)),
        entry("seed", plain(plan.seed)),
        entry("thresholds", Yaml::List(plan.thresholds.iter().map(threshold).collect())),
        entry("window", duration(plan.window)),
    ];
    map.extend(given("pacing_slack", plan.pacing_slack, duration));
    map.extend(named("locations", plan.locations.iter().map(|of| (of.name.clone(), location(of)))));
    map.extend(listed("timeline", plan.timeline.iter().map(intervention)));
    map.extend(listed("observe", plan.observe.iter().map(super::observe::observed)));
    map.extend(named("tags", plan.tags.iter().map(|rule| (rule.name.clone(), text(&rule.pattern)))));
    map.extend(given("availability", plan.availability, |share| Yaml::Plain(format_share(share))));
    map.extend(given("source", plan.source.as_deref(), expanded));
    map
}

fn workload(workload: &Workload) -> (String, Yaml) {
    match workload {
        Workload::Open { rate_per_s, arrivals, max_in_flight } => {
            let open = vec![
                entry("rate", Yaml::Plain(format_rate(*rate_per_s))),
                entry("arrivals", word(ARRIVALS, arrivals)),
                entry("max_in_flight", plain(max_in_flight)),
            ];
            entry("open", Yaml::Map(open))
        }
        Workload::Closed { vus } => entry("closed", Yaml::Map(vec![entry("vus", plain(vus))])),
    }
}

fn background(background: &Background) -> Yaml {
    let mut map = vec![workload(&background.workload)];
    let length = |stage: &Stage| Some(duration(Duration::from_nanos(stage.length_ns?)));
    if let [before, _] = background.stages.as_slice() {
        map.extend(length(before).map(|start| entry("start", start)));
    }
    map.extend(background.stages.last().and_then(length).map(|length| entry("duration", length)));
    Yaml::Map(map)
}

/// `warm_up`, `stages`; nothing for a single unbounded hold, which `iterations` implies. The stages of a profile are
/// within it.
fn shape(plan: &Plan) -> Vec<(String, Yaml)> {
    let length = |stage: &Stage| stage.length_ns.map(Duration::from_nanos);
    let planned = plan.planned_stages();
    let warm_up = planned.iter().find(|stage| stage.kind == StageKind::WarmUp).and_then(length);
    let mut map: Vec<_> = given("warm_up", warm_up, duration).into_iter().collect();
    let others: Vec<&Stage> = planned.iter().filter(|stage| stage.kind != StageKind::WarmUp).collect();
    let stages: Option<Vec<Yaml>> = others
        .iter()
        .map(|stage| {
            let length = duration(length(stage)?);
            let key = if stage.kind == StageKind::Hold { "hold" } else { "ramp" };
            Some(Yaml::Map(vec![entry(key, length), entry("to", level(plan, stage.to))]))
        })
        .collect();
    let stages = stages.map(|stages| entry("stages", Yaml::List(stages)));
    match plan.profile {
        Some(profile) => {
            let shape = Yaml::Map(stages.into_iter().collect());
            map.push(entry("profile", Yaml::Map(vec![entry(profile.name(), shape)])));
        }
        None => map.extend(stages),
    }
    map
}

fn level(plan: &Plan, level: f64) -> Yaml {
    let is_open = matches!(plan.workload, Workload::Open { .. });
    if is_open { Yaml::Plain(format_rate(level)) } else { plain(level) }
}

fn change(plan: &Plan, change: &Change) -> Yaml {
    let mut map = vec![entry("at", duration(change.at))];
    map.extend(given("to", change.to, |to| level(plan, to)));
    map.extend(given("ramp", Some(change.ramp).filter(|ramp| !ramp.is_zero()), duration));
    Yaml::Map(map)
}

fn threshold(threshold: &Threshold) -> Yaml {
    match threshold.abort {
        None => expanded(&threshold.text),
        Some(abort) => Yaml::Map(vec![entry("condition", expanded(&threshold.text)), entry("abort", duration(abort))]),
    }
}

fn location(location: &Location) -> Yaml {
    let bit_rate = |rate| Yaml::Plain(format_bit_rate(rate));
    let time = |time: Duration| Some(time).filter(|time| !time.is_zero());
    let mut map: Vec<_> = given("down", location.down_bits_per_s, bit_rate).into_iter().collect();
    map.extend(given("up", location.up_bits_per_s, bit_rate));
    map.extend(given("round_trip", time(location.round_trip), duration));
    map.extend(given("jitter", time(location.jitter), duration));
    map.push(entry("weight", plain(location.weight)));
    Yaml::Map(map)
}

fn intervention(intervention: &Intervention) -> Yaml {
    let mut map = vec![entry("name", expanded(&intervention.name))];
    map.push(match intervention.at {
        Moment::At(at) => entry("at", duration(at)),
        Moment::Steady => entry("when", plain("steady")),
    });
    map.push(action(&intervention.action));
    map.push(entry("limit", duration(intervention.limit)));
    map.extend(given("for", intervention.lasts, duration));
    map.extend(given("undo", intervention.undo.as_ref(), |undo| Yaml::Map(vec![action(undo)])));
    Yaml::Map(map)
}

fn action(action: &Action) -> (String, Yaml) {
    match action {
        Action::Command(line) => entry("command", expanded(line)),
        Action::Http { method, url, body } => {
            let key = METHODS.iter().find(|(_, known)| known == method).map_or("get", |(key, _)| key);
            let mut call = vec![entry(key, expanded(url))];
            if !body.is_empty() {
                call.push(entry("body", expanded(body)));
            }
            entry("http", Yaml::Map(call))
        }
        Action::Signal { signal, process } => {
            let map = vec![entry("process", self::process(process)), entry("send", expanded(signal))];
            entry("signal", Yaml::Map(map))
        }
    }
}

pub(super) fn process(process: &ProcessRef) -> Yaml {
    match process {
        ProcessRef::Pid(pid) => Yaml::Map(vec![entry("pid", plain(pid))]),
        ProcessRef::PidFile(file) => Yaml::Map(vec![entry("pid_file", expanded(file))]),
        ProcessRef::Name(name) => expanded(name),
    }
}
