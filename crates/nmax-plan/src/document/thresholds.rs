//! `thresholds`: conditions on the result, and what their names may refer to.

use nmax_text::nearest;

use super::cursor::Decoder;
use super::tree::{Node, NodePosition, Value};
use super::{THRESHOLDS_DEFAULT, keys};
use crate::plan::{Call, Defaults, Feeder, Location, Page, Scenario, Step};
use crate::tags::TagRule;
use crate::template::Labels;
use crate::threshold::{self, Limit, Metric, Op, Scope, Threshold};

/// What discovered resources of a page are, each measured together under the page's name and this word.
const RESOURCE_KINDS: [&str; 7] = ["image", "script", "style", "font", "frame", "media", "other"];
/// How a step becomes a transaction.
const FOLLOW: &str =
    "write `transaction: NAME` around its steps; a request that follows redirects (`redirects: 10`) is one too";
/// How a request becomes a page.
const PAGE: &str = "write `page: true` into the request of a page";

/// What conditions may refer to.
pub(super) struct Traffic<'a> {
    /// Every scenario, setup and teardown of the run included.
    pub scenarios: Vec<&'a Scenario>,
    /// Slots of the run's setup.
    pub shared: &'a [String],
    pub feeders: &'a [Feeder],
    pub locations: &'a [Location],
    /// Tags by expression; which requests have them is not known yet.
    pub tags: &'a [TagRule],
    /// What a request has that does not say otherwise.
    pub defaults: &'a Defaults,
    /// The scenarios have no error and no script, so all names are known.
    pub are_whole: bool,
    /// The workload as written has an intended rate.
    pub open: bool,
}

/// Every condition, those of [`THRESHOLDS_DEFAULT`] included.
pub(super) fn decode(decoder: &mut Decoder, node: Option<&Node>, traffic: &Traffic) -> Vec<Threshold> {
    let mut thresholds = Vec::new();
    let items = node.map(|node| decoder.list(node, "`thresholds`")).unwrap_or_default();
    for item in items {
        let (condition, abort) = match &item.value {
            Value::Map(_) => {
                let Some(fields) = decoder.fields(item, &keys::CONDITION) else {
                    continue;
                };
                let abort = fields.get("abort").and_then(|node| decoder.duration(node));
                match fields.get("condition") {
                    Some(condition) => (condition, abort),
                    None => continue,
                }
            }
            _ => (item, None),
        };
        let Some(text) = decoder.expanded(condition) else {
            continue;
        };
        match threshold::parse(&text) {
            Ok(threshold) => {
                refers(decoder, condition.at, &threshold, traffic);
                thresholds.push(Threshold { abort, ..threshold });
            }
            Err(error) => _ = decoder.wrong(condition.at, error.message, error.remedy),
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

/// Leaves out shares of an intended rate, which a closed workload in place of an open one does not have.
pub(super) fn without_rate(thresholds: &mut Vec<Threshold>) {
    thresholds.retain(|threshold| threshold.metric != Metric::Rate || !matches!(threshold.limit, Limit::Ratio(_)));
}

/// Leaves out what one user cannot keep: the share of an intended rate, and least amounts of load.
pub(super) fn for_one_user(thresholds: &mut Vec<Threshold>) {
    thresholds.retain(|threshold| {
        let is_least = matches!(threshold.op, Op::Above | Op::AtLeast);
        match threshold.metric {
            Metric::Rate => !is_least && !matches!(threshold.limit, Limit::Ratio(_)),
            Metric::Throughput | Metric::Iterations | Metric::Bytes => !is_least,
            _ => true,
        }
    });
}

/// Checks what a condition refers to.
fn refers(decoder: &mut Decoder, at: NodePosition, threshold: &Threshold, traffic: &Traffic) {
    if !traffic.open && threshold.metric == Metric::Rate && matches!(threshold.limit, Limit::Ratio(_)) {
        let message = "a closed workload has no intended rate, so no share of it";
        decoder.wrong(at, message, "write a rate, such as `rate >= 50/s`");
    }
    // What is wrong with the scenarios was reported; a name may well be meant to be there.
    let is_known = match &threshold.scope {
        Scope::Scenario(_) => !traffic.scenarios.is_empty(),
        _ => traffic.are_whole,
    };
    if is_known {
        let before = decoder.problems.len();
        scope(decoder, at, threshold, traffic);
        if decoder.problems.len() == before && traffic.are_whole {
            has_checks(decoder, at, threshold, traffic);
        }
    }
}

fn scope(decoder: &mut Decoder, at: NodePosition, threshold: &Threshold, traffic: &Traffic) {
    let metric = threshold.metric;
    let (what, name, known, none) = match &threshold.scope {
        Scope::Total => {
            let (missing, remedy) = match metric {
                Metric::TransactionTime => (traffic.transactions().is_empty(), ("transaction", FOLLOW)),
                Metric::PageTime => (traffic.pages().is_empty(), ("page", PAGE)),
                _ => return,
            };
            if missing {
                decoder.wrong(at, format!("the plan has no {}", remedy.0), remedy.1);
            }
            return;
        }
        Scope::Scenario(name) => ("scenario", name, traffic.scenario_names(), ""),
        Scope::Request(name) if metric == Metric::PageTime => ("page", name, traffic.pages(), PAGE),
        Scope::Request(name) if traffic.is_hop(name) => return,
        Scope::Request(name) => ("request", name, traffic.requests(), "add a request"),
        Scope::Transaction(name) => ("transaction", name, traffic.transactions(), FOLLOW),
        Scope::Tag(name) => {
            of_tag(decoder, at, metric, name, traffic);
            let none = "write `tags: [...]` into requests, or name a location";
            ("tag or location", name, traffic.tags_and_locations(), none)
        }
    };
    if known.contains(name) {
        return;
    }
    let plural = if what == "tag or location" { "tags and locations".to_owned() } else { format!("{what}s") };
    let remedy = match nearest(name, known.iter().map(String::as_str)) {
        Some(near) => format!("did you mean `{near}`?"),
        None if known.is_empty() => none.to_owned(),
        None => format!("its {plural} are: {}", known[..known.len().min(20)].join(", ")),
    };
    decoder.wrong(at, format!("the plan has no {what} `{name}`"), remedy);
}

/// Tags gather requests, locations users: each has metrics of its own.
fn of_tag(decoder: &mut Decoder, at: NodePosition, metric: Metric, name: &str, traffic: &Traffic) {
    let of_locations =
        [Metric::ResponseTime, Metric::FailureRate, Metric::PageTime, Metric::IterationTime, Metric::Iterations];
    let is_location = traffic.locations.iter().any(|location| location.name == name);
    if is_location && !of_locations.contains(&metric) {
        let names: Vec<String> = of_locations.iter().map(|metric| format!("`{}`", metric.name())).collect();
        let message = format!("`{}` is not measured for locations", metric.name());
        decoder.wrong(at, message, format!("write one of {}", names.join(", ")));
    } else if !is_location && matches!(metric, Metric::IterationTime | Metric::Iterations) {
        let message = format!("`{}` belongs to scenarios and locations, not to tags of requests", metric.name());
        decoder.wrong(at, message, "write `for scenario NAME`, or the name of a location");
    }
    let tagged = |request: &Call| request.tags.iter().any(|tag| tag == name);
    let has_page = is_location || !traffic.names(|request| tagged(request) && request.page().is_some()).is_empty();
    if metric == Metric::PageTime && !has_page && !traffic.names(tagged).is_empty() {
        decoder.wrong(at, format!("no request with the tag `{name}` is a page"), PAGE);
    }
}

/// A condition on checks is on requests that have some.
fn has_checks(decoder: &mut Decoder, at: NodePosition, threshold: &Threshold, traffic: &Traffic) {
    if threshold.metric != Metric::Checks {
        return;
    }
    let checked = |request: &Call| !request.expect.checks.is_empty();
    let (known, what) = match &threshold.scope {
        Scope::Total => (!traffic.names(checked).is_empty(), "the plan".to_owned()),
        Scope::Request(name) => (traffic.names(checked).contains(name), format!("request `{name}`")),
        Scope::Tag(tag) => {
            let tagged = |request: &Call| checked(request) && request.tags.contains(tag);
            let by_rule = traffic.has_rule(tag) && !traffic.names(checked).is_empty();
            (by_rule || !traffic.names(tagged).is_empty(), format!("tag `{tag}`"))
        }
        Scope::Scenario(name) => {
            let scenario = traffic.scenarios.iter().find(|scenario| scenario.name == *name);
            let has = scenario.is_none_or(|scenario| scenario.calls().any(|request| checked(request)));
            (has, format!("scenario `{name}`"))
        }
        Scope::Transaction(_) => return,
    };
    if !known {
        let message = format!("{what} has no check, so none can hold");
        decoder.wrong(at, message, "add a check to `expect`, such as `contains: \"...\"`");
    }
}

impl Traffic<'_> {
    /// Whether an expression gives this tag, or takes it away.
    fn has_rule(&self, tag: &str) -> bool {
        self.tags.iter().any(|rule| rule.name == tag || rule.inverse() == tag)
    }

    fn scenario_names(&self) -> Vec<String> {
        self.scenarios.iter().map(|scenario| scenario.name.clone()).collect()
    }

    fn labels<'a>(&'a self, scenario: &'a Scenario) -> Labels<'a> {
        Labels { slots: &scenario.slots, feeders: self.feeders, shared: self.shared }
    }

    /// Names of the requests that `wanted` picks, with their holes as written; sorted, each once.
    fn names(&self, wanted: impl Fn(&Call) -> bool) -> Vec<String> {
        let mut names = Vec::new();
        for scenario in &self.scenarios {
            for request in scenario.calls().filter(|request| wanted(request)) {
                names.push(request.name.display(self.labels(scenario)));
            }
        }
        sorted(names)
    }

    /// Every request, and what is fetched with pages.
    fn requests(&self) -> Vec<String> {
        let mut names = self.names(|_| true);
        for scenario in &self.scenarios {
            for request in scenario.calls() {
                let Some(Page { listed, .. }) = request.page() else {
                    continue;
                };
                let page = request.name.display(self.labels(scenario));
                names.extend(RESOURCE_KINDS.map(|kind| format!("{page} {kind}")));
                let listed = listed.iter().map(|url| url.display(self.labels(scenario)));
                names.extend(listed.map(|url| format!("GET {url}")));
            }
        }
        sorted(names)
    }

    fn pages(&self) -> Vec<String> {
        self.names(|request| request.page().is_some())
    }

    fn tags_and_locations(&self) -> Vec<String> {
        let requests = self.scenarios.iter().flat_map(|scenario| scenario.calls());
        let tags = requests.flat_map(|request| request.tags.clone());
        let rules = self.tags.iter().flat_map(|rule| [rule.name.clone(), rule.inverse()]);
        sorted(tags.chain(rules).chain(self.locations.iter().map(|location| location.name.clone())).collect())
    }

    /// Groups of steps; and a step that may follow redirects is a transaction, named like its request.
    fn transactions(&self) -> Vec<String> {
        let mut names = self.names(|request| request.redirects_max(self.defaults) > 0);
        let steps = self.scenarios.iter().flat_map(|scenario| scenario.all_steps());
        names.extend(steps.filter_map(|step| match step {
            Step::Transaction(transaction) => Some(transaction.name.clone()),
            _ => None,
        }));
        sorted(names)
    }

    /// Whether this is the name of a redirect that a step may follow: `sign-up +1`.
    fn is_hop(&self, name: &str) -> bool {
        name.rsplit_once(" +").is_some_and(|(step, hop)| {
            let hop: u32 = hop.parse().unwrap_or(0);
            hop > 0 && self.names(|request| request.redirects_max(self.defaults) >= hop).iter().any(|name| name == step)
        })
    }
}

fn sorted(mut names: Vec<String>) -> Vec<String> {
    names.sort();
    names.dedup();
    names
}
