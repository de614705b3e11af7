//! One iteration of every scenario before a heavy profile: a wrong plan is stopped before it costs hours.

use nmax_engine::run::rehearsal::{Rehearsal, rehearse};
use nmax_text::number::counted;

use crate::{Order, Trouble};

/// Runs it, if the plan's profile asks for it; says that it is ok.
///
/// # Errors
/// What went wrong, and what to do.
pub fn smoke(order: &Order) -> Result<Option<String>, Trouble> {
    match order.plan.profile.filter(|profile| profile.is_heavy()) {
        Some(profile) => rehearsal(order, &format!("profile {}", profile.name())).map(Some),
        None => Ok(None),
    }
}

/// Runs it before `what`; says that it is ok.
///
/// # Errors
/// What went wrong, and what to do.
pub fn rehearsal(order: &Order, what: &str) -> Result<String, Trouble> {
    let all = rehearse(&crate::settings(&order.plan, &order.allow)?)?;
    // Scenarios that neither the mix nor the background runs are rehearsed for nothing.
    let runs = |scenario: usize| {
        order.plan.scenarios[scenario].weight > 0.0
            || order.plan.background.iter().any(|background| background.scenario == scenario)
    };
    let all: Vec<Rehearsal> = all.into_iter().filter(|one| runs(one.scenario)).collect();
    if let Some(failed) = all.iter().find(|one| !one.is_ok) {
        let name = &order.plan.scenarios[failed.scenario].name;
        return Err(refusal(what, name, failed));
    }
    let requests: usize = all.iter().map(|one| one.exchanges.len()).sum();
    let (scenarios, requests) = (counted(all.len() as u64, "scenario"), counted(requests as u64, "request"));
    Ok(format!("smoke: one iteration of {scenarios} before {what} is ok ({requests} sent)"))
}

fn refusal(what: &str, scenario: &str, failed: &Rehearsal) -> Trouble {
    let why = failed.failures.first().map_or_else(
        || "it did not come to its end".to_owned(),
        |failure| format!("{}: {}", failure.name, failure.text),
    );
    Trouble::usage(
        format_args!("{what} does not begin: one iteration of scenario `{scenario}` failed: {why}"),
        "see it with `nmax check PLAN --once`; `--no-smoke` begins all the same",
    )
}
