//! A plan as a document: resolved, complete, and read back to the same plan.
//!
//! Law: `parse(to_yaml(plan)) = plan` for validated plans, given the same data files. A script is named and not read back:
//! it is no part of a plan.

use std::time::Duration;

use super::keys::Words;
use crate::plan::Plan;
use crate::tags::TagRule;
use crate::template::{Labels, Template};
use crate::units::format_duration;

mod data;
mod flow;
mod http;
mod observe;
mod request;
mod run;
mod yaml;
pub use request::source;
pub use yaml::Yaml;

/// The resolved plan as a document. O(size of the plan).
pub fn to_yaml(plan: &Plan) -> String {
    let mut map = vec![
        entry("nmax", plain(1)),
        entry("name", expanded(&plan.name)),
        entry("target", expanded(&plan.target)),
        http::defaults(plan),
    ];
    map.extend(named("hosts", plan.hosts.iter().map(http::host)));
    map.extend(named("data", plan.feeders.iter().map(|feeder| (feeder.name.clone(), data::data(feeder)))));
    map.extend(flow::run_steps(plan));
    let scenarios =
        plan.scenarios.iter().map(|scenario| (scenario.name.clone(), flow::scenario(scenario, plan))).collect();
    map.push(entry("scenarios", Yaml::Map(scenarios)));
    map.extend(run::load(plan));
    map.extend(run::rest(plan));
    Yaml::Map(map).to_string()
}

fn entry(key: &str, value: Yaml) -> (String, Yaml) {
    (key.to_owned(), value)
}

/// A map by name; none without an entry.
fn named(key: &str, entries: impl Iterator<Item = (String, Yaml)>) -> Option<(String, Yaml)> {
    let entries: Vec<_> = entries.collect();
    (!entries.is_empty()).then(|| entry(key, Yaml::Map(entries)))
}

/// A list; none without an item.
fn listed(key: &str, items: impl Iterator<Item = Yaml>) -> Option<(String, Yaml)> {
    let items: Vec<_> = items.collect();
    (!items.is_empty()).then(|| entry(key, Yaml::List(items)))
}

/// A value that may be absent.
fn given<T>(key: &str, value: Option<T>, write: impl FnOnce(T) -> Yaml) -> Option<(String, Yaml)> {
    value.map(|value| entry(key, write(value)))
}

fn text(text: &str) -> Yaml {
    Yaml::Text(text.to_owned())
}

/// A text of a place where only `${env.NAME}` is replaced when it is read.
fn expanded(text: &str) -> Yaml {
    let has_hole = text.contains("${env.");
    Yaml::Text(if has_hole { text.replace('$', "$$") } else { text.to_owned() })
}

fn plain(value: impl ToString) -> Yaml {
    Yaml::Plain(value.to_string())
}

fn duration(duration: Duration) -> Yaml {
    Yaml::Plain(format_duration(duration))
}

/// The word of a choice.
fn word<T: PartialEq>(words: Words<T>, value: &T) -> Yaml {
    Yaml::Plain(words.iter().find(|(_, known)| known == value).map_or("", |(word, _)| word).to_owned())
}

/// Names behind the indices of templates, and the tags that requests do not have by themselves.
struct Scope<'a>(Labels<'a>, &'a [TagRule]);

impl Scope<'_> {
    fn source(&self, template: &Template) -> String {
        template.source(self.0)
    }

    fn text(&self, template: &Template) -> Yaml {
        Yaml::Text(self.source(template))
    }

    /// The name of a slot.
    fn name(&self, slot: usize) -> String {
        self.0.slots.get(slot).cloned().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
