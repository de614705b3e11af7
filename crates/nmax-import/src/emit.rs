//! The plan as a document, its data files, and the evidence for its correlations.
//!
//! Everything in a recording is somebody else's text: it enters the plan as a text, never as a template, a comment of its
//! own or a name that the plan's language gives a meaning.
//!
//! # Layout
//! - here: the whole; `scenario`: steps in order; `request`: one request; `url`: its URL; `resources`: what comes with it
//! - `body`: what it sends; `headers`: profile and own
//! - `checks`: what a page is recognized by; `fill`: texts with variables; `evidence`: where values come from and go to

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use nmax_plan::document::DOCUMENT_BYTES_MAX;
use nmax_plan::document::write::Yaml;
use nmax_plan::units::format_duration;

use crate::correlate::Correlations;
use crate::journey::Journey;
use crate::options::{Load, Options};
use crate::parameters::{Feeder, Feeders, Parameters, free};
use crate::parts::split;
use crate::recording::{Recording, Skipped};
use crate::redact::Secrets;

mod body;
mod checks;
mod evidence;
mod files;
mod fill;
mod headers;
mod request;
mod resources;
mod scenario;
mod url;

use files::Files;
use headers::Profile;
use scenario::{Scenario, scenario};

pub use files::{File, stem};

/// Bodies above that many bytes are kept in files.
const BODY_BYTES_MAX: usize = 64 * 1024;
/// Bodies above that many bytes are kept in files when the plan would be too large.
const BODY_BYTES_LEAST: usize = 1024;
/// A plan that grows larger than this is made with smaller bodies, then with fewer steps.
const PLAN_BYTES_MAX: usize = DOCUMENT_BYTES_MAX - 64 * 1024;
/// Most requests of a scenario; plans have at most 10,000 steps, pauses and values included.
const STEPS_MAX: usize = 3000;
/// Shortest run that the plan asks for.
const RUN_MIN: Duration = Duration::from_secs(60);

/// A pause of users.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Pause {
    /// Always the same.
    Fixed(Duration),
    /// Lognormal.
    Lognormal {
        /// Half of the pauses are shorter.
        median: Duration,
        /// One in twenty is longer.
        p95: Duration,
    },
}

/// A recording and all that was understood of it: a scenario.
#[derive(Clone, Debug)]
pub struct AnalysedRecording<'a> {
    /// What was recorded.
    pub recording: &'a Recording,
    /// Position of the recording among those of the plan.
    pub number: usize,
    /// Its steps.
    pub journey: &'a Journey,
    /// Values that go from replies to requests.
    pub correlations: &'a Correlations,
    /// Values that differ from user to user.
    pub parameters: &'a Parameters,
    /// Pause before a step, by its entry.
    pub pauses: &'a HashMap<usize, Pause>,
}

/// A plan and what belongs to it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Converted {
    /// The plan as YAML; it reads without an error when `files` lie beside it.
    pub plan: String,
    /// Files beside the plan, those with secrets included.
    pub files: Vec<File>,
    /// `NAME.evidence.json`: where each correlated value comes from and goes to.
    pub evidence: String,
    /// What was made of the recordings.
    pub summary: Summary,
}

/// What was made of the recordings, in numbers and lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Entries of all recordings.
    pub entries: usize,
    /// Scenarios of the plan.
    pub scenarios: usize,
    /// Request steps of the plan.
    pub steps: usize,
    /// Redirects that the steps follow.
    pub redirects: usize,
    /// Resources that the steps list.
    pub resources: usize,
    /// Places in the recordings that hold secrets.
    pub redactions: usize,
    /// What was left out, with the reason.
    pub skipped: Vec<Skipped>,
    /// Correlations, in words, one each: `csrf: from GET /login to POST /login`.
    pub correlations: Vec<String>,
    /// What was recognized as different from user to user, in words.
    pub parameters: Vec<String>,
    /// What the person should know.
    pub warnings: Vec<String>,
}

/// What all scenarios of a plan share.
struct Shared<'a> {
    options: &'a Options,
    secrets: &'a Secrets,
    /// Scheme, host and port of the plan's target.
    target: &'a str,
    profile: Profile,
    /// Bodies above that many bytes are kept in files.
    body_bytes_max: usize,
    /// Most requests of a scenario.
    steps_max: usize,
}

/// Writes the plan of these recordings; the law is that it reads without an error. O(size of the recordings).
pub fn emit(
    analysed: &[AnalysedRecording<'_>],
    feeders: &Feeders,
    recordings: &[String],
    secrets: &Secrets,
    options: &Options,
) -> Converted {
    let name = plan_name(analysed, options);
    let target = target(analysed);
    let mut limits = (BODY_BYTES_MAX, STEPS_MAX);
    loop {
        let shared = Shared {
            options,
            secrets,
            target: &target,
            profile: Profile::from_recordings(analysed),
            body_bytes_max: limits.0,
            steps_max: limits.1,
        };
        let made = write(analysed, feeders, (&name, recordings), &shared);
        if made.plan.len() <= PLAN_BYTES_MAX || limits.1 <= 1 {
            return made;
        }
        limits = match limits {
            (bytes, steps) if bytes > BODY_BYTES_LEAST => (BODY_BYTES_LEAST, steps),
            (bytes, steps) => (bytes, steps.min(made.summary.steps) / 2),
        };
    }
}

fn write(
    analysed: &[AnalysedRecording<'_>],
    feeders: &Feeders,
    (name, recordings): (&str, &[String]),
    shared: &Shared<'_>,
) -> Converted {
    let mut files = Files::new(stem(name));
    let mut names: Vec<String> = Vec::new();
    let mut scenarios = Vec::new();
    for analysed in analysed {
        let own = fill::name(&analysed.journey.name, "visit");
        let own = free(&own, ' ', |name| !names.iter().any(|taken| taken == name));
        names.push(own.clone());
        scenarios.push(scenario(analysed, &own, shared, &mut files));
    }
    let data = data(feeders, &mut files);
    let mut map = vec![
        ("nmax".to_owned(), Yaml::plain(1).with_note(heading(analysed, &scenarios, files.stem()))),
        ("name".to_owned(), Yaml::text(fill::expanded(name))),
        ("target".to_owned(), Yaml::text(shared.target)),
        ("defaults".to_owned(), shared.profile.defaults()),
    ];
    if let Some(data) = data {
        map.push(("data".to_owned(), data));
    }
    if feeders.has_run {
        map.push(("setup".to_owned(), setup()));
    }
    let longest = analysed.iter().map(|analysed| length(analysed)).max().unwrap_or_default();
    map.push(("scenarios".to_owned(), scenarios_yaml(&scenarios)));
    map.extend(load(shared.options, longest));
    let requests = || scenarios.iter().flat_map(|scenario| &scenario.requests);
    let mut summary = Summary {
        steps: requests().count(),
        redirects: requests().map(|sent| sent.hops.len().saturating_sub(1)).sum(),
        resources: scenarios.iter().map(|scenario| scenario.resources).sum(),
        correlations: evidence::in_words(analysed, &scenarios),
        ..Summary::default()
    };
    let evidence = evidence::evidence(analysed, &scenarios, recordings, (&files.plan(), shared));
    for scenario in scenarios {
        summary.skipped.extend(scenario.skipped);
        for warning in scenario.warnings {
            if !summary.warnings.contains(&warning) {
                summary.warnings.push(warning);
            }
        }
    }
    for (variable, _) in &feeders.environment {
        summary.warnings.push(format!("the plan reads a secret from the environment: add `-e {variable}=VALUE`"));
    }
    Converted { plan: document(map), files: files.list, evidence, summary }
}

fn plan_name(analysed: &[AnalysedRecording<'_>], options: &Options) -> String {
    let own = analysed.first().map(|analysed| analysed.recording.name.as_str()).unwrap_or_default();
    fill::name(options.name.as_deref().unwrap_or(own), "recording")
}

/// Origin of the first step.
fn target(analysed: &[AnalysedRecording<'_>]) -> String {
    let first = analysed.iter().find_map(|analysed| {
        let step = analysed.journey.steps.first()?;
        Some(split(&analysed.recording.entries[step.entry].request.url).origin.to_owned())
    });
    first.unwrap_or_else(|| "http://127.0.0.1".to_owned())
}

/// The sections of the plan, with blank lines between those of more than a line.
fn document(sections: Vec<(String, Yaml)>) -> String {
    let mut text = String::new();
    for (key, yaml) in sections {
        let is_apart = matches!(key.as_str(), "defaults" | "data" | "setup" | "scenarios" | "workload" | "thresholds");
        text.push_str(if is_apart { "\n" } else { "" });
        text.push_str(&Yaml::Map(vec![(key, yaml)]).to_string());
    }
    text
}

/// Where the plan comes from and what to do with it.
fn heading(analysed: &[AnalysedRecording<'_>], scenarios: &[Scenario], stem: &str) -> String {
    let steps: usize = scenarios.iter().map(|scenario| scenario.requests.len()).sum();
    let what = match scenarios.len() {
        1 if steps == 1 => "What a user did, in one step: written by nmax from a recording.".to_owned(),
        1 => format!("What a user did, in {steps} steps: written by nmax from a recording."),
        many => format!("What users did, in {many} scenarios: written by nmax from recordings."),
    };
    let mut lines = vec![what];
    let creator = analysed.first().map(|analysed| analysed.recording.creator.trim()).unwrap_or_default();
    if !creator.is_empty() {
        lines.push(format!("Recorded by {}.", creator.chars().take(80).collect::<String>()));
    }
    lines.push(String::new());
    lines.push(format!("  nmax check {stem}.yaml --prove    replays it and tells which values must be fresh"));
    lines.push(format!("  nmax run {stem}.yaml              runs it with different users"));
    lines.join("\n")
}

/// How long the journey takes a user: its pauses and its exchanges. Clocks of entries may disagree, so that the instants of
/// the first and the last one say nothing.
fn length(analysed: &AnalysedRecording<'_>) -> Duration {
    let took = |entry: usize| analysed.recording.entries[entry].timings.total.unwrap_or_default();
    let steps = analysed.journey.steps.iter();
    let times = steps.map(|step| step.hops().map(took).fold(step.think.unwrap_or_default(), Duration::saturating_add));
    times.fold(Duration::ZERO, Duration::saturating_add)
}

fn scenarios_yaml(scenarios: &[Scenario]) -> Yaml {
    let one = |scenario: &Scenario| {
        let mut map = Vec::new();
        if scenarios.len() > 1 {
            map.push(("weight".to_owned(), Yaml::plain(1)));
        }
        map.push(("steps".to_owned(), Yaml::List(scenario.steps.clone())));
        (scenario.name.clone(), Yaml::Map(map))
    };
    Yaml::Map(scenarios.iter().map(one).collect())
}

/// Data sources, each with a word about where its values come from.
fn data(feeders: &Feeders, files: &mut Files) -> Option<Yaml> {
    let mut entries = Vec::new();
    for feeder in &feeders.list {
        let yaml = match feeder {
            Feeder::Generated { kind, unique, .. } => {
                let mut map = vec![("generate".to_owned(), Yaml::plain(kind))];
                map.extend(unique.as_ref().map(|unique| ("unique".to_owned(), Yaml::plain(unique))));
                let note = match unique {
                    Some(unique) => {
                        let unique = unique.replace('_', " ");
                        let again = match feeders.has_run {
                            true => "",
                            false => "\na second run on the same system needs other people: `--seed 2`",
                        };
                        format!("made up, iteration n is person n: no {unique} comes twice in a run{again}")
                    }
                    None => "made up, iteration n is person n".to_owned(),
                };
                Yaml::Map(map).on_one_line().with_note(note)
            }
            Feeder::File { name, columns, rows, is_secret, pick } => {
                let file = files.table(name, columns, &distinct(rows), *is_secret);
                let mut map = vec![("csv".to_owned(), Yaml::text(file))];
                if pick != "sequential" {
                    map.push(("pick".to_owned(), Yaml::plain(pick)));
                }
                let note = if *is_secret {
                    "what was recorded and is secret, kept out of this file and of version control\none line is one user: add lines for more, iteration n reads line n"
                } else {
                    "what was recorded: add lines for more"
                };
                Yaml::Map(map).on_one_line().with_note(note)
            }
        };
        entries.push((feeder.name().to_owned(), yaml));
    }
    (!entries.is_empty()).then_some(Yaml::Map(entries))
}

/// Each row once, in order.
fn distinct(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    let mut seen = HashSet::new();
    rows.iter().filter(|row| seen.insert(*row)).cloned().collect()
}

/// What is done once before a run: it notes when that is.
fn setup() -> Yaml {
    let set = |key: &str, value: Yaml| Yaml::Map(vec![(key.to_owned(), value)]);
    let run = set("run", Yaml::text("${now('ms')}")).on_one_line();
    let note = "the millisecond in which the run begins is a part of new users' names,\nso that no run makes those of another one again";
    set("steps", Yaml::List(vec![set("set", run)])).with_note(note)
}

/// Workload, length and conditions.
fn load(options: &Options, longest: Duration) -> Vec<(String, Yaml)> {
    let (kind, inner, note) = match options.load {
        Load::Rate { per_s } => (
            "open",
            vec![("rate".to_owned(), Yaml::plain(rate(per_s))), ("arrivals".to_owned(), Yaml::plain("poisson"))],
            "new users per second, however fast the system answers: increase it step by step",
        ),
        Load::Users { vus } => (
            "closed",
            vec![("vus".to_owned(), Yaml::plain(vus.max(1)))],
            "so many users at once, each beginning anew when it has finished: raise it step by step",
        ),
    };
    let workload = Yaml::Map(vec![(kind.to_owned(), Yaml::Map(inner).on_one_line())]).with_note(note);
    // Long enough for journeys to begin and to end.
    let seconds = longest.saturating_mul(3).max(RUN_MIN).as_secs().div_ceil(60) * 60;
    vec![
        ("workload".to_owned(), workload),
        ("duration".to_owned(), Yaml::plain(format_duration(Duration::from_secs(seconds.min(86_400))))),
        (
            "thresholds".to_owned(),
            Yaml::List(vec![Yaml::text("failure_rate < 1%")])
                .with_note("what the system must keep; add your own, such as `response_time p95 < 500ms`"),
        ),
    ]
}

/// A rate in a unit in which it is no small fraction.
fn rate(per_s: f64) -> String {
    let per_s = if per_s.is_finite() && per_s > 0.0 { per_s.min(1e6) } else { 1.0 };
    let (count, unit) = match per_s {
        rate if rate >= 1.0 => (rate, "s"),
        rate if rate * 60.0 >= 1.0 => (rate * 60.0, "m"),
        rate => ((rate * 3600.0).max(0.001), "h"),
    };
    format!("{}/{unit}", nmax_text::number::trimmed(count, 3))
}

#[cfg(test)]
mod tests;
