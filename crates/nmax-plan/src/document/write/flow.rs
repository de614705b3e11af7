//! Scenarios and their steps.

use super::request::request;
use super::yaml::Yaml;
use super::{Scope, duration, entry, expanded, plain};
use crate::document::scenario::condition_text;
use crate::plan::{Condition, If, Loop, LoopEnd, Plan, Scenario, Step, ThinkTime};

/// A scenario of the mix or the background.
pub(super) fn scenario(scenario: &Scenario, plan: &Plan) -> Yaml {
    let scope = Scope(plan.labels(scenario), &plan.tags);
    let mut map = vec![entry("weight", plain(scenario.weight))];
    if let Some(pacing) = scenario.pacing {
        map.push(entry("pacing", duration(pacing)));
    }
    let location = scenario.location.and_then(|location| plan.locations.get(location));
    map.extend(location.map(|location| entry("location", expanded(&location.name))));
    for (key, list) in [("setup", &scenario.setup), ("steps", &scenario.steps), ("teardown", &scenario.teardown)] {
        if key == "steps" || !list.is_empty() {
            map.push(entry(key, steps(list, &scope)));
        }
    }
    Yaml::Map(map)
}

/// `setup` and `teardown` of the run.
pub(super) fn run_steps(plan: &Plan) -> Vec<(String, Yaml)> {
    let written = |key: &str, scenario: &Option<Scenario>| {
        let scenario = scenario.as_ref()?;
        let steps = steps(&scenario.steps, &Scope(plan.labels(scenario), &plan.tags));
        Some(entry(key, Yaml::Map(vec![entry("steps", steps)])))
    };
    let both = [written("setup", &plan.setup), written("teardown", &plan.teardown)];
    both.into_iter().flatten().collect()
}

fn steps(list: &[Step], scope: &Scope) -> Yaml {
    Yaml::List(list.iter().map(|step| self::step(step, scope)).collect())
}

fn step(step: &Step, scope: &Scope) -> Yaml {
    Yaml::Map(match step {
        Step::Call(step) => return request(step, scope),
        Step::Think(time) => vec![entry("think", think(*time))],
        Step::Set(values) => {
            let values = values.iter().map(|(slot, value)| (scope.name(*slot), scope.text(value)));
            vec![entry("set", Yaml::Map(values.collect()))]
        }
        Step::Transaction(step) => {
            vec![entry("transaction", expanded(&step.name)), entry("steps", steps(&step.steps, scope))]
        }
        Step::If(step) => branch(step, scope),
        Step::Loop(step) => passes(step, scope),
        Step::Choose(branches) => {
            let branches = branches.iter().map(|branch| {
                Yaml::Map(vec![entry("weight", plain(branch.weight)), entry("steps", steps(&branch.steps, scope))])
            });
            vec![entry("choose", Yaml::List(branches.collect()))]
        }
        Step::End(None) => vec![entry("end", plain("ok"))],
        Step::End(Some(reason)) => vec![entry("fail", scope.text(reason))],
        Step::Script => vec![entry("script", plain("given beside the plan"))],
    })
}

fn branch(step: &If, scope: &Scope) -> Vec<(String, Yaml)> {
    let mut map = vec![entry("if", condition(&step.condition, scope)), entry("then", steps(&step.then, scope))];
    if !step.otherwise.is_empty() {
        map.push(entry("else", steps(&step.otherwise, scope)));
    }
    map
}

fn passes(step: &Loop, scope: &Scope) -> Vec<(String, Yaml)> {
    let mut map = match &step.until {
        LoopEnd::Times(times) => vec![entry("repeat", scope.text(times))],
        LoopEnd::While { condition, max } => {
            vec![entry("while", self::condition(condition, scope)), entry("max", plain(max))]
        }
    };
    map.extend(step.counter.map(|slot| entry("as", Yaml::Text(scope.name(slot)))));
    map.push(entry("steps", steps(&step.steps, scope)));
    map
}

fn condition(condition: &Condition, scope: &Scope) -> Yaml {
    let list = |items: &[Condition]| Yaml::List(items.iter().map(|item| self::condition(item, scope)).collect());
    match condition {
        Condition::Compare { left, comparison, right } => Yaml::Text(condition_text(left, *comparison, right, scope.0)),
        Condition::All(items) => Yaml::Map(vec![entry("all", list(items))]),
        Condition::Any(items) => Yaml::Map(vec![entry("any", list(items))]),
        Condition::Not(inner) => Yaml::Map(vec![entry("not", self::condition(inner, scope))]),
    }
}

fn think(time: ThinkTime) -> Yaml {
    match time {
        ThinkTime::Fixed(fixed) => duration(fixed),
        ThinkTime::Uniform { min, max } => Yaml::Map(vec![entry("min", duration(min)), entry("max", duration(max))]),
        ThinkTime::Lognormal { median, p95 } => {
            Yaml::Map(vec![entry("median", duration(median)), entry("p95", duration(p95))])
        }
    }
}
