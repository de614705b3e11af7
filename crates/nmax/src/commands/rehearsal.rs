//! `nmax check --once`: one iteration of each scenario, with every request and reply.

use std::sync::Arc;

use nmax_engine::Settings;
use nmax_engine::run::rehearsal::rehearse;
use nmax_plan::plan::Plan;
use nmax_run::Exit;
use nmax_run::check::Sources;
use nmax_run::hints;
use nmax_run::preflight;
use nmax_run::rehearsal;
use nmax_run::secrets::Shown;

use super::Ended;
use crate::args::CheckArgs;
use crate::{clearance, say};

/// Sends one iteration of each scenario and shows everything.
pub fn show_rehearsal(args: &CheckArgs, plan: Plan, shown: &Shown) -> Ended {
    let origins = preflight::origins(&plan)?;
    hints::warnings(&plan, &origins).into_iter().for_each(say::warning);
    let plan = Arc::new(plan);
    let cleared = clearance::clear(&args.safety, &plan, &origins)?;
    let settings = Settings { known: Some(shown.known()), ..nmax_run::settings(&plan, &cleared.allow)? };
    let all = rehearse(&settings)?;
    for rehearsal in all.iter().filter(|_| !args.json) {
        say::line(format_args!("scenario {}", settings.plan.scenarios[rehearsal.scenario].name));
        rehearsal.exchanges.iter().for_each(|traced| say::text(rehearsal::text(traced, shown)));
        rehearsal::beside_exchanges(rehearsal)
            .for_each(|failure| say::line(format_args!("\n✗ {}: {}", failure.kind, shown.text(&failure.text))));
    }
    let sources = (!args.quick).then(|| Sources::ask(&settings.plan.observe));
    if args.json {
        let result = rehearsal::json(&all, &settings.plan, sources.as_ref(), shown);
        say::line(format_args!("{result:#}"));
    } else {
        let lines = sources.as_ref().map(Sources::lines).unwrap_or_default();
        if !lines.is_empty() {
            say::line("\nobserved");
        }
        lines.iter().for_each(|line| say::line(shown.text(line)));
    }
    Ok(if rehearsal::is_ok(&all, sources.as_ref()) { Exit::Pass } else { Exit::Failed })
}
