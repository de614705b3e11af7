//! What a plan does beside its mix, and the load that it is for.

use std::time::Duration;

use nmax_plan::plan::{
    Action, Discover, EVERY_DEFAULT, INJECTOR, Intervention, Moment, Observed, Plan, ProcessRef, Scenario, Workload,
};
use nmax_plan::schedule::{Stage, StageKind};
use nmax_plan::summary;
use nmax_plan::units::format_duration;
use nmax_report::number;

use crate::hints;

/// The plan with the workload that is written, at its full level, where a profile has put another in its place.
pub(crate) fn as_written(plan: &Plan) -> Option<Plan> {
    let workload = plan.written.clone()?;
    let level = nmax_plan::profile::full(&workload);
    let stages = vec![Stage { from: level, to: level, length_ns: Some(1_000_000_000), kind: StageKind::Hold }];
    Some(Plan { workload, stages, ..plan.clone() })
}

/// Requests per second of all open backgrounds together, at their peaks; those of closed ones are a result, and those of
/// scripts unknown.
pub(crate) fn beside_per_s(plan: &Plan) -> Option<f64> {
    let forecast = summary::forecast(plan);
    plan.background.iter().try_fold(0.0, |sum, beside| {
        match (&beside.workload, forecast.scenarios.get(beside.scenario)) {
            (Workload::Open { rate_per_s, .. }, Some(scenario)) => {
                let requests = scenario.requests_per_iteration;
                requests.least.map(|_| sum + rate_per_s * requests.expected.unwrap_or_default())
            }
            _ => Some(sum),
        }
    })
}

/// What is sent besides the requests of the steps and depends on replies: resources of pages, what redirects lead to.
pub(crate) fn on_top(plan: &Plan) -> Option<String> {
    let requests = || plan.scenarios.iter().flat_map(Scenario::calls);
    let pages = || requests().filter_map(|request| request.page());
    let listed: usize = pages().map(|page| page.listed.len()).sum();
    let mut parts = Vec::new();
    if listed > 0 {
        let word = if listed == 1 { "resource" } else { "resources" };
        parts.push(format!("{listed} listed {word} of pages, unless cached"));
    }
    if pages().any(|page| page.discover != Discover::Nothing) {
        parts.push("what pages name".to_owned());
    }
    if requests().any(|request| request.redirects_max(&plan.defaults) > 0) {
        parts.push("what redirects lead to".to_owned());
    }
    (!parts.is_empty()).then(|| format!("on top of these: {}", parts.join("; ")))
}

/// Topics and words: backgrounds, interventions, what is observed.
pub(crate) fn besides(plan: &Plan) -> Vec<(&'static str, String)> {
    let mut lines = Vec::new();
    for beside in &plan.background {
        let name = plan.scenarios.get(beside.scenario).map_or("", |scenario| scenario.name.as_str());
        let load = match beside.workload {
            Workload::Open { rate_per_s, .. } => format!("{} iterations per second", number::digits(rate_per_s)),
            Workload::Closed { vus: 1 } => "1 VU".to_owned(),
            Workload::Closed { vus } => format!("{vus} VUs"),
        };
        lines.push(("background", format!("{name}: {load}{}", span(&beside.stages))));
    }
    lines.extend(plan.timeline.iter().map(|item| ("timeline", intervention(item))));
    if hints::acts_here(plan).next().is_some() {
        lines.push(("", "it acts on this host: `nmax run` wants --allow-exec for it".to_owned()));
    }
    lines.extend(plan.observe.iter().map(|observed| ("observes", self::observed(observed))));
    lines
}

/// What is observed, without its secrets.
fn observed(observed: &Observed) -> String {
    let source = match observed {
        Observed::Process { name, process } => return format!("{name}: {}", self::process(process)),
        Observed::Source(source) => source,
    };
    let whose = if source.name == source.host || source.host == INJECTOR {
        String::new()
    } else {
        format!(" on {}", source.host)
    };
    let every = match source.every {
        EVERY_DEFAULT => String::new(),
        every => format!(", every {}", format_duration(every)),
    };
    let place = source.place();
    format!("{}{whose}: {} {place}{every}", source.name, source.kind.word)
}

/// Where something that is observed is, without its secrets.
pub(crate) fn place(observed: &Observed) -> String {
    match observed {
        Observed::Process { process, .. } => self::process(process),
        Observed::Source(source) => source.place(),
    }
}

/// When a background runs.
fn span(stages: &[Stage]) -> String {
    let length = |stage: &Stage| stage.length_ns.map(Duration::from_nanos);
    let start = match stages {
        [before, _] => length(before).unwrap_or_default(),
        _ => Duration::ZERO,
    };
    let lasts =
        stages.last().and_then(length).map_or_else(String::new, |length| format!(" for {}", format_duration(length)));
    format!(", from {} on{lasts}", format_duration(start))
}

fn intervention(item: &Intervention) -> String {
    let at = match item.at {
        Moment::At(at) => format!("at {}", format_duration(at)),
        Moment::Steady => "when steady".to_owned(),
    };
    let undone = item.undo.as_ref().map_or_else(String::new, |undo| {
        let when =
            item.lasts.map_or_else(|| "at the end".to_owned(), |lasts| format!("{} later", format_duration(lasts)));
        format!("; undone {when} by {}", action(undo))
    });
    format!("{}: {at}, {}{undone}", item.name, action(&item.action))
}

fn action(action: &Action) -> String {
    match action {
        Action::Command(line) => format!("command `{line}`"),
        Action::Http { method, url, .. } => {
            format!("{} {}", method.token(), nmax_secrets::masked_url(url))
        }
        Action::Signal { signal, process } => format!("signal {signal} to {}", self::process(process)),
    }
}

fn process(process: &ProcessRef) -> String {
    match process {
        ProcessRef::Pid(pid) => format!("process {pid}"),
        ProcessRef::PidFile(file) => format!("the process of {file}"),
        ProcessRef::Name(name) => format!("process {name}"),
    }
}
