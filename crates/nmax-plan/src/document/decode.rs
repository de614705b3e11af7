//! The whole plan from its tree.

use std::time::Duration;

use super::cursor::{Decoder, Fields};
use super::error::Kind;
use super::keys;
use super::tree::{Node, Place};
use super::{SEED_DEFAULT, THRESHOLDS_DEFAULT, data, http, scenario, workload};
use crate::addresses;
use crate::nearest::nearest;
use crate::plan::{Feeder, Plan, Request, Scenario, Workload};
use crate::template::Labels;
use crate::threshold::{self, Limit, Metric, Scope, Threshold};

/// The place of an error in `--target`.
pub(super) const FLAG_TARGET: u32 = u32::MAX;
/// The place of an error in `--duration`.
pub(super) const FLAG_DURATION: u32 = u32::MAX - 1;

const ORIGIN_REMEDY: &str = "write scheme, host and port, such as `https://shop.test`; paths belong into the steps";
const SECOND: Duration = Duration::from_secs(1);

/// Decodes the tree; a plan that comes with problems is not valid.
pub(super) fn plan(decoder: &mut Decoder, root: &Node) -> Option<Plan> {
    let fields = decoder.fields(root, &keys::ROOT)?;
    version(decoder, fields);
    let name = name(decoder, fields);
    let target = target(decoder, fields);
    let feeders = fields
        .get("data")
        .map(|node| data::feeders(decoder, node))
        .unwrap_or_default();
    let defaults = http::defaults(decoder, fields.get("defaults"), &feeders);
    let hosts = fields
        .get("hosts")
        .map(|node| http::hosts(decoder, node))
        .unwrap_or_default();
    let problems_before = decoder.problems.len();
    let mut scenarios = fields
        .get("scenarios")
        .map(|node| scenario::scenarios(decoder, node, &feeders, &defaults))
        .unwrap_or_default();
    let are_whole = !scenarios.is_empty() && decoder.problems.len() == problems_before;
    let load = workload::decode(decoder, fields, &mut scenarios);
    if are_whole {
        silent(decoder, fields, &scenarios);
    }
    let graceful_stop = fields.get("graceful_stop").and_then(|node| decoder.duration(node));
    let seed = fields.get("seed").and_then(|node| decoder.whole(node, 0, u64::MAX));
    let open = load
        .as_ref()
        .is_none_or(|load| matches!(load.workload, Workload::Open { .. }));
    let thresholds = thresholds(
        decoder,
        fields.get("thresholds"),
        &Traffic {
            scenarios: &scenarios,
            feeders: &feeders,
            redirects_max: defaults.redirects_max,
            are_whole,
            open,
        },
    );
    let window = fields.get("window").and_then(|node| window(decoder, node));
    let load = load?;
    Some(Plan {
        name,
        target: target?,
        defaults,
        hosts,
        feeders,
        scenarios,
        setup: None,
        teardown: None,
        workload: load.workload,
        stages: load.stages,
        iterations: load.iterations,
        graceful_stop: graceful_stop.unwrap_or(30 * SECOND),
        seed: decoder.options.seed.or(seed).unwrap_or(SEED_DEFAULT),
        thresholds,
        window: window.unwrap_or(SECOND),
        profile: None,
        compress: 1.0,
        background: Vec::new(),
        locations: Vec::new(),
        timeline: Vec::new(),
        observe: Vec::new(),
        availability: None,
    })
}

/// Complains about scenarios of which none that runs sends anything.
fn silent(decoder: &mut Decoder, fields: Fields, scenarios: &[Scenario]) {
    let mut run = scenarios.iter().filter(|scenario| scenario.weight > 0.0).peekable();
    let sends = |scenario: &Scenario| scenario.requests().next().is_some();
    let Some(entry) = fields.entry("scenarios").filter(|_| run.peek().is_some()) else {
        return;
    };
    if !run.any(sends) {
        decoder.problem(
            entry.key_at,
            Kind::Missing,
            "no scenario that runs has a request, so nothing is ever sent",
            "add a step such as `- get: /`",
        );
    }
}

fn version(decoder: &mut Decoder, fields: Fields) {
    let Some(node) = fields.get("nmax") else { return };
    if let Some(text) = decoder.text(node)
        && text != "1"
    {
        let message = format!("`nmax: {text}` is not a version of the document that this program reads");
        decoder.problem(node.at, Kind::Value, message, "write `nmax: 1`");
    }
}

fn name(decoder: &mut Decoder, fields: Fields) -> String {
    let Some(node) = fields.get("name") else {
        let file = decoder.options.file.rsplit(['/', '\\']).next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        return if is_name(stem) { stem.to_owned() } else { "plan".into() };
    };
    let name = decoder.expanded(node).unwrap_or_default();
    if !is_name(&name) {
        decoder.problem(
            node.at,
            Kind::Value,
            format!("`{name}` cannot be a name"),
            "use 1 to 64 characters, without `/`",
        );
    }
    name
}

/// Whether it can be the name of a plan, a scenario or a directory.
pub(super) fn is_name(text: &str) -> bool {
    let legal = |c: char| !c.is_control() && !matches!(c, '/' | '\\');
    !text.trim().is_empty() && text.chars().count() <= 64 && text.chars().all(legal) && text.trim() == text
}

fn target(decoder: &mut Decoder, fields: Fields) -> Option<String> {
    let (text, at) = match (decoder.options.target, fields.get("target")) {
        (Some(target), _) => (
            target.to_owned(),
            Place {
                flag: Some(FLAG_TARGET),
                line: 1,
                column: 1,
            },
        ),
        (None, Some(node)) => (decoder.expanded(node)?, node.at),
        (None, None) if fields.is_misspelled("target") => return None,
        (None, None) => {
            decoder.problem(
                fields.at,
                Kind::Missing,
                "the plan has no target",
                "add `target: https://...`, or `--target URL` on the command",
            );
            return None;
        }
    };
    match addresses::origin(&text) {
        Ok(origin) => Some(origin),
        Err(message) => {
            decoder.problem(at, Kind::Value, message, ORIGIN_REMEDY);
            None
        }
    }
}

fn window(decoder: &mut Decoder, node: &Node) -> Option<Duration> {
    let window = decoder.duration(node)?;
    if !(Duration::from_millis(10)..=60 * SECOND).contains(&window) {
        decoder.problem(
            node.at,
            Kind::Value,
            "a window is shorter than 10ms or longer than 60s",
            "write a duration between them, such as `1s`",
        );
    }
    Some(window)
}

/// How a step becomes a transaction.
const FOLLOW: &str = "a request that follows redirects is one: write `redirects: 10` in its step or in `defaults`";

/// What conditions may refer to.
struct Traffic<'a> {
    scenarios: &'a [Scenario],
    feeders: &'a [Feeder],
    /// Most redirects of a request that does not say how many.
    redirects_max: u32,
    /// The scenarios have no error, so all names are known.
    are_whole: bool,
    /// The workload has an intended rate.
    open: bool,
}

fn thresholds(decoder: &mut Decoder, node: Option<&Node>, traffic: &Traffic) -> Vec<Threshold> {
    let mut thresholds = Vec::new();
    let items = node.map(|node| decoder.list(node, "`thresholds`")).unwrap_or_default();
    for item in items {
        let Some(text) = decoder.expanded(item) else { continue };
        match threshold::parse(&text) {
            Ok(threshold) => {
                scope(decoder, item.at, &threshold, traffic);
                if !traffic.open && threshold.metric == Metric::Rate && matches!(threshold.limit, Limit::Ratio(_)) {
                    let message = "a closed workload has no intended rate, so no share of it";
                    decoder.problem(item.at, Kind::Conflict, message, "write a rate, such as `rate >= 50/s`");
                }
                thresholds.push(threshold);
            }
            Err(error) => decoder.problem(item.at, Kind::Value, error.message, error.remedy),
        }
    }
    add_default_thresholds(&mut thresholds);
    thresholds
}

/// Appends the conditions of [`THRESHOLDS_DEFAULT`] whose metric has none of its own.
pub(crate) fn add_default_thresholds(thresholds: &mut Vec<Threshold>) {
    for text in THRESHOLDS_DEFAULT {
        let default = threshold::parse(text).expect("the defaults are conditions");
        let overridden = |own: &Threshold| own.metric == default.metric && own.scope == Scope::Total;
        if !thresholds.iter().any(overridden) {
            thresholds.push(default);
        }
    }
}

fn scope(decoder: &mut Decoder, at: Place, threshold: &Threshold, traffic: &Traffic) {
    let (what, name, known) = match &threshold.scope {
        // What is wrong with the scenarios was reported; a name may well be meant to be there.
        Scope::Scenario(_) if traffic.scenarios.is_empty() => return,
        Scope::Request(_) | Scope::Transaction(_) if !traffic.are_whole => return,
        Scope::Total => {
            if threshold.metric == Metric::TransactionTime && traffic.are_whole && traffic.transactions().is_empty() {
                decoder.problem(at, Kind::Undefined, "the plan has no transaction", FOLLOW);
            }
            return;
        }
        Scope::Scenario(name) => (
            "scenario",
            name,
            traffic.scenarios.iter().map(|scenario| scenario.name.clone()).collect(),
        ),
        Scope::Tag(_) => return,
        Scope::Request(name) if traffic.is_hop(name) => return,
        Scope::Request(name) => ("request", name, traffic.names(|_| true)),
        Scope::Transaction(name) => ("transaction", name, traffic.transactions()),
    };
    if known.contains(name) {
        return;
    }
    let remedy = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => FOLLOW.to_owned(),
        None => format!(
            "its {what}s are: {}",
            known.iter().take(20).map(String::as_str).collect::<Vec<_>>().join(", ")
        ),
    };
    decoder.problem(at, Kind::Undefined, format!("the plan has no {what} `{name}`"), remedy);
}

impl Traffic<'_> {
    /// Names of the requests that `wanted` picks, with their holes as written; sorted, each once.
    fn names(&self, wanted: impl Fn(&Request) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        for scenario in self.scenarios {
            for request in scenario.requests().filter(|request| wanted(request)) {
                let labels = Labels {
                    slots: &scenario.slots,
                    feeders: self.feeders,
                    shared: &[],
                };
                names.push(request.name.display(labels));
            }
        }
        names.sort();
        names.dedup();
        names
    }

    /// A step that may follow redirects is a transaction, named like its request.
    fn transactions(&self) -> Vec<String> {
        self.names(|request| request.redirects_max.unwrap_or(self.redirects_max) > 0)
    }

    /// Whether this is the name of a redirect that a step may follow: `sign-up +1`.
    fn is_hop(&self, name: &str) -> bool {
        name.rsplit_once(" +").is_some_and(|(step, hop)| {
            let hop: u32 = hop.parse().unwrap_or(0);
            hop > 0
                && self
                    .names(|request| request.redirects_max.unwrap_or(self.redirects_max) >= hop)
                    .iter()
                    .any(|name| name == step)
        })
    }
}
