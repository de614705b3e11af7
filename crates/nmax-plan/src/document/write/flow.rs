//! Scenarios and their steps.

use super::request::request;
use super::yaml::Yaml;
use super::{Scope, duration, entry, expanded, given, listed, plain};
use crate::document::scenario::condition_text;
use crate::plan::{Condition, If, Loop, LoopEnd, Plan, Scenario, Step, ThinkTime};

/// A scenario of the mix or the background.
pub(super) fn scenario(scenario: &Scenario, plan: &Plan) -> Yaml {
    let scope = Scope(plan.labels(scenario), &plan.tags);
    let mut map = vec![entry("weight", plain(scenario.weight))];
    map.extend(given("pacing", scenario.pacing, duration));
    let location = scenario.location.and_then(|location| plan.locations.get(location));
    map.extend(given("location", location, |location| expanded(&location.name)));
    map.extend(some_steps("setup", &scenario.setup, &scope));
    map.push(entry("steps", steps(&scenario.steps, &scope)));
    map.extend(some_steps("teardown", &scenario.teardown, &scope));
    Yaml::Map(map)
}

/// `setup` and `teardown` of the run.
pub(super) fn run_steps(plan: &Plan) -> Vec<(String, Yaml)> {
    let written = |scenario: &Scenario| {
        let steps = steps(&scenario.steps, &Scope(plan.labels(scenario), &plan.tags));
        Yaml::Map(vec![entry("steps", steps)])
    };
    let setup = given("setup", plan.setup.as_ref(), written);
    setup.into_iter().chain(given("teardown", plan.teardown.as_ref(), written)).collect()
}

/// Steps that are left out where there are none.
fn some_steps(key: &str, list: &[Step], scope: &Scope) -> Option<(String, Yaml)> {
    listed(key, list.iter().map(|step| self::step(step, scope)))
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
    map.extend(some_steps("else", &step.otherwise, scope));
    map
}

fn passes(step: &Loop, scope: &Scope) -> Vec<(String, Yaml)> {
    let mut map = match &step.until {
        LoopEnd::Times(times) => vec![entry("repeat", scope.text(times))],
        LoopEnd::While { condition, max } => {
            vec![entry("while", self::condition(condition, scope)), entry("max", plain(max))]
        }
    };
    map.extend(given("as", step.counter, |slot| Yaml::Text(scope.name(slot))));
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
