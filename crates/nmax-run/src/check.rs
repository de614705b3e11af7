//! The plan as resolved, how much it will send and how, whether this machine can, how much testing it deserves. Nothing is
//! sent to the target; what the plan observes is asked once.
//!
//! # Layout
//! - `advice`: whether this machine can, and how much testing the load deserves, which `effort` decides
//! - `sources`: whether what is observed can be read; `written`: what a plan does beside its mix

use std::sync::Arc;
use std::time::Duration;

use nmax_engine::http::state::HttpPlan;
use nmax_engine::program::Program;
use nmax_engine::{Allow, StartError};
use nmax_json::schemars::{JsonSchema, Schema, SchemaGenerator};
use nmax_json::{Version, records};
use nmax_plan::plan::Plan;
use nmax_plan::summary::{Forecast, Peak, Requests, ScenarioForecast, forecast, policy};
use nmax_plan::units::format_duration;
use nmax_report::number;
use serde_json::Value;

use crate::secrets::Shown;
use crate::{SessionError, hints, host, preflight};

mod advice;
mod effort;
mod sources;
mod written;

use advice::Advice;
pub use advice::Machine;
pub use sources::{Source, Sources};

/// How long wakes of threads are measured.
const WAKE_LENGTH: Duration = Duration::from_millis(500);

/// A plan that could be run.
pub struct Checked<'a> {
    plan: &'a Plan,
    shown: &'a Shown,
    forecast: Forecast,
    warnings: Vec<String>,
    advice: Advice,
    /// `None` when nothing was asked.
    sources: Option<Sources<'a>>,
}

/// Checks a plan.
///
/// - `measure`: measures this machine with so many workers; without it neither that nor what is observed is tried
/// - `warn`: is told what may not be as it was meant, before anything is measured
///
/// # Errors
/// Why no run of the plan would start.
pub fn check<'a>(
    plan: &'a Arc<Plan>,
    shown: &'a Shown,
    measure: Option<fn(u32) -> Result<Machine, String>>,
    warn: &mut dyn FnMut(&str),
) -> Result<Checked<'a>, String> {
    let origins = preflight::origins(plan)?;
    let warnings = hints::warnings(plan, &origins);
    startable(plan).map_err(|error| error.to_string())?;
    warnings.iter().for_each(|warning| warn(warning));
    let forecast = forecast(plan);
    // A profile of one user says nothing about the load that the system is for.
    let intended = written::as_written(plan)
        .map_or(forecast.peak_requests_per_s, |plan| nmax_plan::summary::forecast(&plan).peak_requests_per_s);
    let beside = written::beside_per_s(plan);
    let together = |per_s: Option<f64>| Some(per_s? + beside?);
    let advice = Advice {
        machine: measure.map(|measure| measure(host::workers(None, plan, &origins))),
        wake: measure.and_then(|_| host::measure_wake(WAKE_LENGTH)),
        needed_per_s: together(forecast.peak_requests_per_s),
        effort: effort::effort(together(intended), plan.availability),
    };
    let sources = measure.map(|_| Sources::ask(&plan.observe));
    Ok(Checked { plan, shown, forecast, warnings, advice, sources })
}

impl Checked<'_> {
    /// How many of the observed sources cannot be read.
    pub fn failed(&self) -> usize {
        self.sources.as_ref().map_or(0, Sources::failed)
    }

    /// For programs; [`schema`] describes it.
    pub fn json(&self) -> Value {
        nmax_json::value::<Answer, _>(self)
    }

    /// For people: the plan, and the rest as its comment.
    pub fn text(&self) -> String {
        let lines = self.sources.as_ref().map(Sources::lines).unwrap_or_default();
        let text = text(self.plan, &self.forecast) + &self.advice.text() + &sources_text(&lines);
        format!("{}\n{}", self.shown.plan(self.plan), self.shown.text(&text))
    }
}

/// Lines on sources as those of a plan's comment.
fn sources_text(lines: &[String]) -> String {
    if lines.is_empty() {
        return String::new();
    }
    let lines: String = lines.iter().map(|line| format!("#   {line}\n")).collect();
    format!("#\n# Whether what it observes can be read\n{lines}")
}

/// Whether a run of the plan would start: its files are there and can be used, its requests can be made.
fn startable(plan: &Arc<Plan>) -> Result<(), SessionError> {
    let nowhere: Allow = Arc::new(|_, _| Err("nothing is sent".into()));
    let settings = crate::settings(plan, &nowhere)?;
    nmax_engine::http::network::config(&settings).map_err(StartError::from)?;
    let names = nmax_engine::program::catalog(plan, settings.names_max);
    let of = HttpPlan::new(plan, &names).map_err(StartError::from)?;
    Program::new(Arc::clone(plan), &names, &settings.files, &of).map_err(StartError::from)?;
    Ok(())
}

fn text(plan: &Plan, forecast: &Forecast) -> String {
    let mut text = format!("# What it will send to {}\n", plan.target);
    let unknown = || "as many as the replies allow".to_owned();
    let count = |count: Option<u64>| count.map_or_else(unknown, number::count);
    let length = forecast.duration.map_or_else(|| "until all iterations are done".to_owned(), format_duration);
    let length = match plan.compress > 1.0 {
        true => format!("{length} (compressed {} x)", number::digits(plan.compress)),
        false => length,
    };
    let peak = match forecast.peak {
        Peak::RatePerS(rate) => format!("{} iterations per second", number::digits(rate)),
        Peak::Vus(vus) => format!("{} VUs", number::digits(vus)),
    };
    let mut line = |name: &str, value: String| text.push_str(&format!("#   {name:<12}{value}\n"));
    line("length", length);
    line("peak", peak);
    line("iterations", count(forecast.iterations));
    let is_known = forecast.scenarios.iter().all(|scenario| scenario.requests_per_iteration.least.is_some());
    line("requests", if is_known { count(forecast.requests) } else { "unknown: a script sends them".to_owned() });
    if let Some(rate) = forecast.peak_requests_per_s {
        line("at the peak", format!("{} requests per second", number::digits(rate)));
    }
    for scenario in mix(plan, forecast) {
        let iterations = scenario.iterations.map_or_else(String::new, |n| format!(", {} iterations", number::count(n)));
        let share = number::share(scenario.share);
        line("scenario", format!("`{}`: {share}, {} each{iterations}", scenario.name, scenario.requests_per_iteration));
    }
    if let Some(words) = written::on_top(plan) {
        text.push_str(&format!("#   {:<12}{words}\n", "not counted"));
    }
    written::besides(plan).iter().for_each(|(topic, words)| text.push_str(&format!("#   {topic:<12}{words}\n")));
    text.push_str("#\n# How it will send\n");
    for (topic, words) in policy(plan) {
        text.push_str(&format!("#   {topic:<12}{words}\n"));
    }
    text
}

/// The scenarios of the mix.
fn mix<'a>(plan: &'a Plan, forecast: &'a Forecast) -> impl Iterator<Item = &'a ScenarioForecast> {
    let is_beside = |index: usize| plan.background.iter().any(|beside| beside.scenario == index);
    let all = forecast.scenarios.iter().enumerate();
    all.filter(move |(index, _)| !is_beside(*index)).map(|(_, scenario)| scenario)
}

/// The JSON Schema of what `nmax check --json` prints.
pub fn schema() -> Value {
    nmax_json::schema::<Answer>("nmax check", "")
}

records! {
    struct Answer(of: &Checked<'_>) {
        schema_version: Version = Version;
        name: String = &of.plan.name;
        target: String = &of.plan.target;
        plan: String = of.shown.plan(of.plan), "As resolved, YAML; secrets are blanked.";
        duration_s: Option<f64> = of.forecast.duration.map(|duration| duration.as_secs_f64()),
            "Null when only a number of iterations ends the run.";
        iterations: Option<u64> = of.forecast.iterations, "Null: as many as the replies allow.";
        requests: Option<u64> = of.forecast.requests, "On average, when none fails.";
        peak_rate_per_s: Option<f64> = if let Peak::RatePerS(rate) = of.forecast.peak { Some(rate) } else { None },
            "Iterations per second of an open workload.";
        peak_vus: Option<f64> = if let Peak::Vus(vus) = of.forecast.peak { Some(vus) } else { None },
            "Virtual users of a closed one.";
        peak_requests_per_s: Option<f64> = of.forecast.peak_requests_per_s;
        scenarios: Vec<OfScenario> = &of.forecast.scenarios;
        compress: f64 = of.plan.compress, "How many times shorter than written.";
        warnings: Vec<String>;
        machine: Option<advice::MachineRow> = of.advice.machine.as_ref().map(|_| &of.advice),
            "What this machine can; null with --quick.";
        advice: advice::EffortRow = &of.advice.effort;
        sources: Option<Vec<sources::Source>> = of.sources.as_ref().map(|sources| sources.rows(of.shown)),
            "What is observed, each tried once; null with --quick.";
    }
    struct OfScenario(scenario: &ScenarioForecast) {
        name: String;
        share: f64, "Of the iterations, 0 to 1.";
        iterations: Option<u64>;
        requests: Option<u64>;
        #[schemars(schema_with = "number_or_range")]
        requests_per_iteration: Value = per_iteration(&scenario.requests_per_iteration),
            "A number where each iteration makes as many; null where a script decides.";
    }
    struct Range(of: &(u64, &Requests)) {
        least: u64 = of.0;
        most: Option<u64> = of.1.most;
        expected: Option<f64> = of.1.expected, "On average.";
    }
}

fn number_or_range(generator: &mut SchemaGenerator) -> Schema {
    let mut schema = Range::json_schema(generator);
    schema.insert("type".into(), ["integer", "object", "null"].as_slice().into());
    schema
}

/// A number when it is the same each time, else what is known of it; null when nothing is.
fn per_iteration(requests: &Requests) -> Value {
    match (requests.least, requests.most) {
        (None, _) => Value::Null,
        (Some(least), Some(most)) if most == least => most.into(),
        (Some(least), _) => nmax_json::value::<Range, _>(&(least, requests)),
    }
}

#[cfg(test)]
mod tests {
    use nmax_plan::plan::Step;
    use nmax_plan::planless::Planless;

    use super::*;

    #[test]
    fn what_scripts_send_is_unknown_and_not_nothing() {
        let mut plan =
            Plan::for_url(&Planless { rate_per_s: Some(5.0), ..Planless::get("http://127.0.0.1/") }).unwrap();
        plan.scenarios[0].steps = vec![Step::Script];
        let forecast = forecast(&plan);
        let text = text(&plan, &forecast);
        for line in ["#   requests    unknown: a script sends them\n", "100 %, an unknown number of requests each"] {
            assert!(text.contains(line), "{text}");
        }
        assert!(!text.contains("at the peak"), "{text}");
        let json = nmax_json::value::<OfScenario, _>(&forecast.scenarios[0]);
        assert_eq!((&json["requests"], &json["requests_per_iteration"]), (&Value::Null, &Value::Null));
        let stages = plan.stages.clone();
        let workload = plan.workload.clone();
        plan.background = vec![nmax_plan::plan::Background { scenario: 0, workload, stages }];
        assert_eq!(written::beside_per_s(&plan), None);
    }
}
