//! One iteration of every scenario before a heavy profile: a wrong plan is stopped before it costs hours.

use nmax_engine::run::once::{Rehearsal, rehearse};
use nmax_run::Exit;
use nmax_run::Order;

use crate::say;

/// Runs it, if the plan's profile asks for it. The error says what went wrong, and what to do.
pub fn smoke(order: &Order, is_quiet: bool) -> Result<(), (String, Exit)> {
    match order.plan.profile.filter(|profile| profile.is_heavy()) {
        Some(profile) => rehearsal(order, &format!("profile {}", profile.name()), is_quiet),
        None => Ok(()),
    }
}

/// Runs it before `what`.
pub fn rehearsal(order: &Order, what: &str, is_quiet: bool) -> Result<(), (String, Exit)> {
    let settings = nmax_run::settings(&order.plan, &order.allow).map_err(|error| (error.to_string(), Exit::Usage))?;
    let all = rehearse(&settings).map_err(|error| (error.to_string(), Exit::Usage))?;
    // Scenarios that neither the mix nor the background runs are rehearsed for nothing.
    let runs = |scenario: usize| {
        order.plan.scenarios[scenario].weight > 0.0
            || order.plan.background.iter().any(|background| background.scenario == scenario)
    };
    let all: Vec<Rehearsal> = all.into_iter().filter(|one| runs(one.scenario)).collect();
    if let Some(failed) = all.iter().find(|one| !one.is_ok) {
        let name = &order.plan.scenarios[failed.scenario].name;
        return Err((refusal(what, name, failed), Exit::Usage));
    }
    if !is_quiet {
        let requests: usize = all.iter().map(|one| one.exchanges.len()).sum();
        say::note(format_args!(
            "smoke: one iteration of {} before {what} is ok ({} sent)",
            counted(all.len(), "scenario"),
            counted(requests, "request")
        ));
    }
    Ok(())
}

fn counted(count: usize, what: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {what}{plural}")
}

fn refusal(what: &str, scenario: &str, failed: &Rehearsal) -> String {
    let why = failed.failures.first().map_or_else(
        || "it did not come to its end".to_owned(),
        |failure| format!("{}: {}", failure.name, failure.text),
    );
    format!(
        "{what} does not begin: one iteration of scenario `{scenario}` failed: {why}\n  help: see it with \
         `nmax check PLAN --once`; `--no-smoke` begins all the same"
    )
}
