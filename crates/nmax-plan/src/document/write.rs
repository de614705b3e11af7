//! A plan as a document: resolved, complete, and read back to the same plan.
//!
//! Law: `parse(to_yaml(plan)) = plan` for validated plans, given the same data files.

use std::time::Duration;

use super::keys::{ARRIVALS, AT_END, MATCH_PICK, METHODS, Words};
use super::reply::source_entry;
use crate::plan::{
    Body, Expect, Extract, Feeder, FormPart, MatchPick, PartContent, Pick, Plan, Request, Rows, Scenario, Source, Step,
    Test, ThinkTime, Workload,
};
use crate::schedule::{Stage, StageKind};
use crate::template::{Labels, Template};
use crate::units::{format_duration, format_rate};

mod http;
mod yaml;
use yaml::Yaml;

/// The resolved plan as a document. O(size of the plan).
pub fn to_yaml(plan: &Plan) -> String {
    let mut map = vec![
        entry("nmax", plain(1)),
        entry("name", expanded(&plan.name)),
        entry("target", expanded(&plan.target)),
        http::defaults(plan),
    ];
    if !plan.hosts.is_empty() {
        map.push(http::hosts(&plan.hosts));
    }
    if !plan.feeders.is_empty() {
        let feeders = plan
            .feeders
            .iter()
            .map(|feeder| (feeder.name.clone(), data(feeder)))
            .collect();
        map.push(entry("data", Yaml::Map(feeders)));
    }
    let scenarios = plan
        .scenarios
        .iter()
        .map(|scenario| (scenario.name.clone(), self::scenario(scenario, &plan.feeders)))
        .collect();
    map.push(entry("scenarios", Yaml::Map(scenarios)));
    map.push(entry("workload", workload(plan)));
    map.extend(shape(plan));
    map.push(entry("graceful_stop", duration(plan.graceful_stop)));
    map.push(entry("seed", plain(plan.seed)));
    map.push(entry(
        "thresholds",
        Yaml::List(
            plan.thresholds
                .iter()
                .map(|threshold| expanded(&threshold.text))
                .collect(),
        ),
    ));
    map.push(entry("window", duration(plan.window)));
    Yaml::Map(map).to_string()
}

fn entry(key: &str, value: Yaml) -> (String, Yaml) {
    (key.to_owned(), value)
}

fn text(text: &str) -> Yaml {
    Yaml::Text(text.to_owned())
}

/// A text of a place where only `${env.NAME}` is replaced when it is read.
fn expanded(text: &str) -> Yaml {
    let has_hole = text.contains("${env.");
    Yaml::Text(if has_hole {
        text.replace('$', "$$")
    } else {
        text.to_owned()
    })
}

fn plain(value: impl ToString) -> Yaml {
    Yaml::Plain(value.to_string())
}

fn duration(duration: Duration) -> Yaml {
    Yaml::Plain(format_duration(duration))
}

/// The word of a choice.
fn word<T: PartialEq>(words: Words<T>, value: &T) -> Yaml {
    Yaml::Plain(
        words
            .iter()
            .find(|(_, known)| known == value)
            .map_or("", |(word, _)| word)
            .to_owned(),
    )
}

fn data(feeder: &Feeder) -> Yaml {
    let mut map = match &feeder.rows {
        Rows::File { file, .. } => vec![entry("csv", expanded(file))],
        Rows::Generated { generator, .. } => vec![entry("generate", expanded(&generator.spec().kind))],
    };
    let pick = match feeder.pick {
        Pick::Sequential => "sequential",
        Pick::Unique => "unique",
        Pick::Random => "random",
        Pick::Zipf { .. } => "zipf",
    };
    map.push(entry("pick", plain(pick)));
    match feeder.pick {
        Pick::Sequential | Pick::Unique => map.push(entry("at_end", word(AT_END, &feeder.at_end))),
        Pick::Zipf { exponent } => map.push(entry("exponent", plain(exponent))),
        Pick::Random => {}
    }
    Yaml::Map(map)
}

/// Names behind the indices of templates.
struct Scope<'a> {
    slots: &'a [String],
    feeders: &'a [Feeder],
}

impl Scope<'_> {
    fn source(&self, template: &Template) -> String {
        template.source(Labels {
            slots: self.slots,
            feeders: self.feeders,
            shared: &[],
        })
    }

    fn text(&self, template: &Template) -> Yaml {
        Yaml::Text(self.source(template))
    }
}

fn scenario(scenario: &Scenario, feeders: &[Feeder]) -> Yaml {
    let scope = Scope {
        slots: &scenario.slots,
        feeders,
    };
    let mut map = vec![entry("weight", plain(scenario.weight))];
    if let Some(pacing) = scenario.pacing {
        map.push(entry("pacing", duration(pacing)));
    }
    let steps = scenario.steps.iter().map(|step| match step {
        Step::Request(step) => request(step, &scope),
        Step::Think(time) => Yaml::Map(vec![entry("think", think(*time))]),
        _ => Yaml::Map(Vec::new()),
    });
    map.push(entry("steps", Yaml::List(steps.collect())));
    Yaml::Map(map)
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

fn request(request: &Request, scope: &Scope) -> Yaml {
    let method = METHODS
        .iter()
        .find(|(_, method)| *method == request.method)
        .map_or("get", |(key, _)| key);
    let mut map = vec![
        entry(method, scope.text(&request.url)),
        entry("name", scope.text(&request.name)),
    ];
    if !request.query.is_empty() {
        map.push(entry("query", pairs(&request.query, scope)));
    }
    if !request.headers.is_empty() {
        map.push(entry("headers", headers(&request.headers, scope)));
    }
    match &request.body {
        Body::Empty => {}
        Body::Text(body) => map.push(entry("body", scope.text(body))),
        Body::Json(body) => map.push(entry("json", scope.text(body))),
        Body::Form(form) => map.push(entry("form", pairs(form, scope))),
        Body::Multipart(parts) => map.push(entry("multipart", multipart(parts, scope))),
        Body::File(file) => map.push(entry("file", expanded(file))),
    }
    if request.expect_continue {
        map.push(entry("expect_continue", plain(true)));
    }
    map.push(entry("expect", expect(&request.expect, scope)));
    if !request.extract.is_empty() {
        let extracts = request
            .extract
            .iter()
            .map(|extract| (scope.slots[extract.slot].clone(), self::extract(extract)));
        map.push(entry("extract", Yaml::Map(extracts.collect())));
    }
    if let Some(timeout) = request.timeout {
        map.push(entry("timeout", duration(timeout)));
    }
    if let Some(redirects) = request.redirects_max {
        map.push(entry("redirects", http::redirects(redirects)));
    }
    Yaml::Map(map)
}

fn headers(headers: &[(String, Template)], scope: &Scope) -> Yaml {
    Yaml::Map(
        headers
            .iter()
            .map(|(name, value)| (name.clone(), scope.text(value)))
            .collect(),
    )
}

fn pairs(pairs: &[(Template, Template)], scope: &Scope) -> Yaml {
    by_name(
        pairs
            .iter()
            .map(|(name, value)| (scope.source(name), scope.text(value)))
            .collect(),
    )
}

fn multipart(parts: &[FormPart], scope: &Scope) -> Yaml {
    by_name(
        parts
            .iter()
            .map(|part| (scope.source(&part.name), self::part(part, scope)))
            .collect(),
    )
}

/// A text alone is written as such.
fn part(part: &FormPart, scope: &Scope) -> Yaml {
    let mut map = match &part.content {
        PartContent::Text(content) if part.content_type.is_none() && part.file_name.is_none() => {
            return scope.text(content);
        }
        PartContent::Text(content) => vec![entry("text", scope.text(content))],
        PartContent::File(file) => vec![entry("file", expanded(file))],
    };
    if let Some(content_type) = &part.content_type {
        map.push(entry("type", expanded(content_type)));
    }
    if let Some(name) = &part.file_name {
        map.push(entry("name", scope.text(name)));
    }
    Yaml::Map(map)
}

/// A map when every name is there once, else a list of maps.
fn by_name(entries: Vec<(String, Yaml)>) -> Yaml {
    let repeated = entries
        .iter()
        .enumerate()
        .any(|(index, (name, _))| entries[..index].iter().any(|(other, _)| other == name));
    if repeated {
        Yaml::List(entries.into_iter().map(|entry| Yaml::Map(vec![entry])).collect())
    } else {
        Yaml::Map(entries)
    }
}

fn expect(expect: &Expect, scope: &Scope) -> Yaml {
    let status = |(low, high): &(u16, u16)| {
        if low == high {
            plain(low)
        } else {
            plain(format!("{low}-{high}"))
        }
    };
    let mut map = vec![entry("status", Yaml::List(expect.status.iter().map(status).collect()))];
    let (mut contains, mut lacks, mut header, mut finds) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for check in &expect.checks {
        match &check.test {
            Test::BodyContains(text) => contains.push(scope.text(text)),
            Test::BodyLacks(text) => lacks.push(scope.text(text)),
            Test::HeaderContains(name, text) => header.push((name.clone(), scope.text(text))),
            Test::Finds(source) => finds.push(Yaml::Map(vec![self::source(source)])),
        }
    }
    for (key, list) in [("contains", contains), ("lacks", lacks)] {
        if !list.is_empty() {
            map.push(entry(key, Yaml::List(list)));
        }
    }
    if !header.is_empty() {
        map.push(entry("header", Yaml::Map(header)));
    }
    if !finds.is_empty() {
        map.push(entry("finds", Yaml::List(finds)));
    }
    Yaml::Map(map)
}

fn source(source: &Source) -> (String, Yaml) {
    let (key, value) = source_entry(source);
    entry(key, Yaml::Text(value))
}

fn extract(extract: &Extract) -> Yaml {
    let pick = match &extract.pick {
        MatchPick::Nth(number) => plain(number),
        word => self::word(MATCH_PICK, word),
    };
    let mut map = vec![source(&extract.source), entry("pick", pick)];
    if let Some(default) = &extract.default {
        map.push(entry("default", text(default)));
    }
    Yaml::Map(map)
}

fn workload(plan: &Plan) -> Yaml {
    let mut map = match &plan.workload {
        Workload::Open {
            rate_per_s,
            arrivals,
            max_in_flight,
        } => {
            let open = vec![
                entry("rate", Yaml::Plain(format_rate(*rate_per_s))),
                entry("arrivals", word(ARRIVALS, arrivals)),
                entry("max_in_flight", plain(max_in_flight)),
            ];
            vec![entry("open", Yaml::Map(open))]
        }
        Workload::Closed { vus } => vec![entry("closed", Yaml::Map(vec![entry("vus", plain(vus))]))],
    };
    if let Some(iterations) = plan.iterations {
        map.push(entry("iterations", plain(iterations)));
    }
    Yaml::Map(map)
}

/// `warm_up`, `stages`; nothing for a single unbounded hold, which `iterations` implies.
fn shape(plan: &Plan) -> Vec<(String, Yaml)> {
    let is_open = matches!(plan.workload, Workload::Open { .. });
    let length = |stage: &Stage| stage.length_ns.map(Duration::from_nanos);
    let mut map = Vec::new();
    let warm_up = plan.stages.iter().find(|stage| stage.kind == StageKind::WarmUp);
    if let Some(length) = warm_up.and_then(length) {
        map.push(entry("warm_up", duration(length)));
    }
    let others: Vec<&Stage> = plan
        .stages
        .iter()
        .filter(|stage| stage.kind != StageKind::WarmUp)
        .collect();
    let stages: Option<Vec<Yaml>> = others
        .iter()
        .map(|stage| {
            let length = duration(length(stage)?);
            let key = if stage.kind == StageKind::Hold { "hold" } else { "ramp" };
            let to = if is_open {
                Yaml::Plain(format_rate(stage.to))
            } else {
                plain(stage.to)
            };
            Some(Yaml::Map(vec![entry(key, length), entry("to", to)]))
        })
        .collect();
    map.extend(stages.map(|stages| entry("stages", Yaml::List(stages))));
    map
}

#[cfg(test)]
mod tests;
