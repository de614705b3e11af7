//! The whole plan from its tree.

use std::sync::Arc;
use std::time::Duration;

use nmax_secrets::Redactor;

use super::cursor::{Decoder, Fields};
use super::keys;
use super::stages::flag;
use super::thresholds::{self, Traffic};
use super::tree::Node;
use super::workload::Load;
use super::{SEED_DEFAULT, background, data, http, locations, observe, scenario, steered, tags, timeline, workload};
use crate::addresses;
use crate::plan::{Intervention, Moment, PACING_SLACK_MAX, Plan, Profile, Scenario, Workload};
use crate::profile::{COMPRESS_MAX, compress, compressed};

/// The place of an error in `--target`.
pub(super) const FLAG_TARGET: u32 = u32::MAX;

/// The place of an error in `--profile`.
pub(super) const FLAG_PROFILE: u32 = u32::MAX - 2;
/// The place of an error in `--compress`.
pub(super) const FLAG_COMPRESS: u32 = u32::MAX - 3;

const ORIGIN_REMEDY: &str = "write scheme, host and port, such as `https://shop.test`; paths belong into the steps";
const SECOND: Duration = Duration::from_secs(1);

/// Decodes the tree; a plan that comes with problems is not valid.
pub(super) fn plan(decoder: &mut Decoder, root: &Node) -> Option<Plan> {
    let fields = decoder.fields(root, &keys::ROOT)?;
    version(decoder, fields);
    let name = name(decoder, fields);
    let target = target(decoder, fields);
    let feeders = fields.get("data").map(|node| data::feeders(decoder, node)).unwrap_or_default();
    let shared = scenario::setup_names(fields);
    // Without one the plan is not valid, and holes are not to blame.
    let origin = target.as_deref().unwrap_or_default();
    let defaults = http::defaults(decoder, fields.get("defaults"), &feeders, &shared, origin);
    let hosts = fields.get("hosts").map(|node| http::hosts(decoder, node)).unwrap_or_default();
    let locations = fields.get("locations").map(|node| locations::decode(decoder, node)).unwrap_or_default();
    let world = scenario::World {
        feeders: &feeders,
        defaults: &defaults,
        shared: &shared,
        target: origin,
        locations: &locations,
    };
    let problems_before = decoder.problems.len();
    let (setup, teardown) = scenario::run_steps(decoder, fields, world);
    let mut scenarios =
        fields.get("scenarios").map(|node| scenario::scenarios(decoder, node, world)).unwrap_or_default();
    let are_whole = !scenarios.is_empty() && decoder.problems.len() == problems_before;
    let load = workload::decode(decoder, fields, &mut scenarios);
    let all: Vec<&Scenario> = scenarios.iter().chain(&setup).chain(&teardown).collect();
    if are_whole {
        silent(decoder, fields, &scenarios, load.as_ref());
        if let Some(node) = fields.get("locations") {
            locations::check(decoder, node, &locations, &scenarios);
            locations::check_tags(decoder, node, &all);
        }
        background::check_rows(decoder, fields, &scenarios, &feeders, &defaults);
    }
    let graceful_stop = fields.get("graceful_stop").and_then(|node| decoder.duration(node));
    let seed = fields.get("seed").and_then(|node| decoder.whole(node, 0, u64::MAX));
    let tags = fields.get("tags").map(|node| tags::decode(decoder, node, &all, &locations)).unwrap_or_default();
    let traffic = Traffic {
        tags: &tags,
        scenarios: all,
        shared: setup.as_ref().map_or(&[], |setup| &setup.slots),
        feeders: &feeders,
        locations: &locations,
        defaults: &defaults,
        are_whole: are_whole && scenarios.iter().all(Scenario::is_declared),
        open: load.as_ref().is_none_or(|load| load.is_written_open),
    };
    let mut thresholds = thresholds::decode(decoder, fields.get("thresholds"), &traffic);
    let window = fields.get("window").and_then(|node| window(decoder, node));
    let pacing_slack = fields.get("pacing_slack").and_then(|node| pacing_slack(decoder, node));
    let end = load.as_ref().and_then(Load::end);
    let timeline = fields.get("timeline").map(|node| timeline::decode(decoder, node, end));
    let observe = fields.get("observe").map(|node| observe::decode(decoder, node));
    let availability = fields.get("availability").and_then(|node| availability(decoder, node));
    let source = fields.get("source").and_then(|node| source(decoder, node));
    let factors = factors(decoder, fields);
    let mut load = load?;
    if load.profile == Some(Profile::Smoke) {
        thresholds::for_one_user(&mut thresholds);
    }
    if load.is_written_open && matches!(load.workload, Workload::Closed { .. }) {
        thresholds::without_rate(&mut thresholds);
    }
    let mut timeline = timeline.unwrap_or_default();
    shorten(&mut load, &mut timeline, factors.now);
    let plan = Plan {
        name,
        target: target?,
        defaults,
        hosts,
        feeders,
        scenarios,
        setup,
        teardown,
        workload: load.workload,
        written: load.written,
        stages: load.stages,
        steered: None,
        iterations: load.iterations,
        graceful_stop: graceful_stop.unwrap_or(30 * SECOND),
        seed: decoder.options.seed.or(seed).unwrap_or(SEED_DEFAULT),
        thresholds,
        window: window.unwrap_or(SECOND),
        pacing_slack,
        profile: load.profile,
        compress: factors.now * factors.before,
        background: load.background,
        locations,
        timeline,
        observe: observe.unwrap_or_default(),
        tags,
        availability,
        source,
        starts: Arc::default(),
        redactor: Redactor::default(),
    };
    Some(steered::decode(decoder, fields, plan, factors.now))
}

/// How many times shorter the run is made.
struct Factors {
    /// By the command; the document's lengths are divided by it.
    now: f64,
    /// Before the document was written; its lengths are that many times shorter already.
    before: f64,
}

fn factors(decoder: &mut Decoder, fields: Fields) -> Factors {
    let remedy = "write a number from 1 up, such as `60`: an hour becomes a minute";
    let is_factor = |factor: &f64| (1.0..=COMPRESS_MAX).contains(factor);
    let now = decoder.options.compress.unwrap_or(1.0);
    if !is_factor(&now) {
        decoder.wrong(flag(FLAG_COMPRESS), format!("a run cannot be made {now} times shorter"), remedy);
    }
    let before = fields.get("compressed").and_then(|node| {
        let factor = decoder.number(node)?;
        if !is_factor(&factor) {
            decoder.wrong(node.at, format!("`{factor}` is not how many times shorter lengths are"), remedy);
        }
        Some(factor)
    });
    Factors { now, before: before.unwrap_or(1.0) }
}

/// Divides every length of stages, background and timeline; limits, windows and pauses stay.
fn shorten(load: &mut Load, timeline: &mut [Intervention], by: f64) {
    compress(&mut load.stages, by);
    for background in &mut load.background {
        compress(&mut background.stages, by);
    }
    for intervention in timeline {
        if let Moment::At(at) = &mut intervention.at {
            *at = compressed(*at, by);
        }
        intervention.lasts = intervention.lasts.map(|lasts| compressed(lasts, by));
    }
}

fn availability(decoder: &mut Decoder, node: &Node) -> Option<f64> {
    let share = decoder.share(node)?;
    if !(share > 0.0 && share <= 1.0) {
        decoder.wrong(node.at, "an availability is above 0% and at most 100%", "write it as `99.99%`");
    }
    Some(share)
}

/// The file of a traffic profile, which must be there.
fn source(decoder: &mut Decoder, node: &Node) -> Option<String> {
    let file = decoder.expanded(node)?;
    if let Err(why) = (decoder.options.exists)(&file) {
        let remedy = "write its path relative to the plan; `nmax import log` writes such files";
        decoder.wrong(node.at, format!("cannot read `{file}`: {why}"), remedy);
    }
    Some(file)
}

/// Complains about scenarios of which none that runs sends anything.
fn silent(decoder: &mut Decoder, fields: Fields, scenarios: &[Scenario], load: Option<&Load>) {
    let background = load.map_or(&[][..], |load| &load.background);
    let behind = background.iter().filter_map(|own| scenarios.get(own.scenario));
    let mix = scenarios.iter().filter(|scenario| scenario.weight > 0.0);
    let mut run = mix.chain(behind).peekable();
    let sends = |scenario: &Scenario| scenario.calls().next().is_some() || !scenario.is_declared();
    let Some(entry) = fields.entry("scenarios").filter(|_| run.peek().is_some()) else {
        return;
    };
    if !run.any(sends) {
        decoder.wrong(
            entry.key_at,
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
        decoder.wrong(node.at, message, "write `nmax: 1`");
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
        decoder.wrong(node.at, format!("`{name}` cannot be a name"), "use 1 to 64 characters, without `/`");
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
        (Some(target), _) => (target.to_owned(), flag(FLAG_TARGET)),
        (None, Some(node)) => (decoder.expanded(node)?, node.at),
        (None, None) if fields.is_misspelled("target") => return None,
        (None, None) => {
            let remedy = "add `target: https://...`, or `--target URL` on the command";
            return decoder.wrong(fields.at, "the plan has no target", remedy).none();
        }
    };
    match addresses::origin(&text) {
        Ok(origin) => Some(origin),
        Err(message) => decoder.wrong(at, message, ORIGIN_REMEDY).none(),
    }
}

fn pacing_slack(decoder: &mut Decoder, node: &Node) -> Option<Duration> {
    let slack = decoder.duration(node)?;
    if slack > PACING_SLACK_MAX {
        let help = "write a duration up to 1ms, such as `100us`; `0s` starts each iteration by itself";
        decoder.wrong(node.at, "a pacing slack is longer than 1ms", help);
    }
    Some(slack)
}

fn window(decoder: &mut Decoder, node: &Node) -> Option<Duration> {
    let window = decoder.duration(node)?;
    if !(Duration::from_millis(10)..=60 * SECOND).contains(&window) {
        decoder.wrong(
            node.at,
            "a window is shorter than 10ms or longer than 60s",
            "write a duration between them, such as `1s`",
        );
    }
    Some(window)
}
