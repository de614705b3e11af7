//! One iteration of every scenario before a heavy profile: a wrong plan is stopped before it costs hours.

use nmax_engine::once::{Traced, once};
use nmax_metrics::Outcome;
use nmax_plan::plan::{Plan, Profile, Scenario};

use super::once::status;
use crate::exit::Exit;
use crate::say;
use crate::session::{self, Order};

/// Runs it, if the plan's profile asks for it. The error says what went wrong, and what to do.
pub fn smoke(order: &Order) -> Result<(), (String, Exit)> {
    let Some(profile) = order.plan.profile.filter(|profile| profile.is_heavy()) else {
        return Ok(());
    };
    let settings = session::settings(&order.plan, &order.allow).map_err(|error| (error.to_string(), Exit::Usage))?;
    let mut exchanges = 0;
    let running: Vec<usize> = running(&order.plan).collect();
    for index in &running {
        let traced = once(&settings, *index).map_err(|error| (error.to_string(), Exit::Usage))?;
        exchanges += traced.len();
        if let Some(failed) = traced
            .iter()
            .find(|traced| traced.measured.sample.outcome != Outcome::Ok)
        {
            let name = &order.plan.scenarios[*index].name;
            return Err((refusal(profile, name, failed), Exit::Usage));
        }
    }
    if !order.quiet {
        say::note(format_args!(
            "smoke: one iteration of {} before profile {} is ok ({} sent)",
            of_scenarios(running.len()),
            profile.name(),
            if exchanges == 1 {
                "1 request".to_owned()
            } else {
                format!("{exchanges} requests")
            }
        ));
    }
    Ok(())
}

fn of_scenarios(count: usize) -> String {
    match count {
        1 => "the scenario".to_owned(),
        count => format!("each of {count} scenarios"),
    }
}

/// The scenarios that the plan runs: those of the mix and of the background.
fn running(plan: &Plan) -> impl Iterator<Item = usize> {
    let is_beside = |index| plan.background.iter().any(|background| background.scenario == index);
    let runs = move |(index, scenario): &(usize, &Scenario)| scenario.weight > 0.0 || is_beside(*index);
    plan.scenarios.iter().enumerate().filter(runs).map(|(index, _)| index)
}

fn refusal(profile: Profile, scenario: &str, failed: &Traced) -> String {
    let why = failed
        .failure
        .as_ref()
        .map_or_else(|| status(&failed.measured.sample), |failure| failure.text.clone());
    format!(
        "profile {} does not begin: one iteration of scenario `{scenario}` failed at {}: {why}\n  help: see it with \
         `nmax check PLAN --once`; `--no-smoke` begins all the same",
        profile.name(),
        failed.name
    )
}
