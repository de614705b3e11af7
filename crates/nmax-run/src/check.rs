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
use nmax_plan::plan::Plan;
use nmax_plan::summary::{Forecast, Peak, Requests, ScenarioForecast, forecast, policy};
use nmax_plan::units::format_duration;
use nmax_report::number;
use serde_json::{Value, json};

use crate::secrets::Shown;
use crate::{SessionError, hints, host, preflight};

mod advice;
mod effort;
mod sources;
mod written;

use advice::Advice;
pub use advice::Machine;
pub use sources::Sources;

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
    let together = |per_s: Option<f64>| per_s.map(|per_s| per_s + beside);
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

    /// For programs.
    pub fn json(&self) -> Value {
        let mut result = json(self.plan, &self.shown.plan(self.plan), &self.forecast, &self.warnings);
        result["machine"] = self.advice.machine_json();
        result["advice"] = self.advice.effort_json();
        result["sources"] = self.sources.as_ref().map_or(Value::Null, |sources| sources.json(self.shown));
        result
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
    line("requests", count(forecast.requests));
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

/// A number when it is the same each time, else what is known of it.
fn per_iteration(requests: &Requests) -> Value {
    match requests.most {
        Some(most) if most == requests.least => json!(most),
        most => json!({ "least": requests.least, "most": most, "expected": requests.expected }),
    }
}

fn json(plan: &Plan, yaml: &str, forecast: &Forecast, warnings: &[String]) -> Value {
    let scenarios: Vec<_> = forecast
        .scenarios
        .iter()
        .map(|scenario| {
            json!({
                "name": scenario.name, "share": scenario.share, "iterations": scenario.iterations,
                "requests": scenario.requests, "requests_per_iteration": per_iteration(&scenario.requests_per_iteration),
            })
        })
        .collect();
    let (peak_rate_per_s, peak_vus) = match forecast.peak {
        Peak::RatePerS(rate) => (Some(rate), None),
        Peak::Vus(vus) => (None, Some(vus)),
    };
    json!({
        "schema_version": 1, "name": plan.name, "target": plan.target, "plan": yaml,
        "duration_s": forecast.duration.map(|duration| duration.as_secs_f64()),
        "iterations": forecast.iterations, "requests": forecast.requests,
        "peak_rate_per_s": peak_rate_per_s, "peak_vus": peak_vus,
        "peak_requests_per_s": forecast.peak_requests_per_s, "scenarios": scenarios,
        "compress": plan.compress, "warnings": warnings,
    })
}
