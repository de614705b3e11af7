//! `nmax check --prove`: which of the values that a plan takes from replies must be fresh.
//!
//! The verdicts are [`nmax_import::prove`]'s; here are files, replays over the network, and words.
//!
//! # Layout
//! - `companions`: the files beside a plan; `replay`: one replay; `report`: what is printed

use std::path::Path;
use std::sync::Arc;

use nmax_engine::StartError;
use nmax_import::prove::{self, Evidence, ScenarioResult};
use nmax_plan::plan::Plan;
use nmax_run::load::is_url;
use nmax_run::secrets::Shown;
use nmax_run::{Exit, Trouble, hints, preflight};

use super::Ended;
use crate::args::CheckArgs;
use crate::{clearance, say};

mod companions;
mod replay;
mod report;

use companions::PlanCompanions;
use replay::Replayer;
pub(super) use report::Proof;

/// Proves the correlations of a plan.
pub fn prove(args: &CheckArgs, plan: Plan, shown: &Shown) -> Ended {
    if is_url(&args.what) {
        let help = "give a plan; `nmax record` and `nmax import` write one";
        return Err(Trouble::usage("--prove tries the values of a plan, and a URL has none", help));
    }
    let origins = preflight::origins(&plan)?;
    hints::warnings(&plan, &origins).into_iter().for_each(say::warning);
    let mut companions = PlanCompanions::read(Path::new(&args.what))?;
    let plan = Arc::new(plan);
    let cleared = clearance::clear(&args.safety, &plan, &origins)?;
    let settings = nmax_run::settings(&plan, &cleared.allow)?;
    let moment = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default();
    let mut replayer = Replayer::new(settings, moment);
    let found = trials(&plan, &companions.evidence, &mut replayer)?;
    for tried in found.iter().flat_map(|found| &found.tried) {
        if let Some(state) = tried.state {
            companions.evidence.record_outcome(&plan, &tried.site, state.name(), &shown.text(&tried.proof));
        }
    }
    companions.save().map_err(Trouble::unreachable)?;
    let report = report::ProofReport {
        plan: &plan,
        file: &args.what,
        found: &found,
        companions: &companions,
        replays: replayer.replays,
        shown,
    };
    if args.json {
        say::line(format_args!("{:#}", nmax_json::value::<report::Proof, _>(&report)));
    } else {
        say::document(&report.document(), false);
    }
    Ok(if found.iter().all(ScenarioResult::is_ok) { Exit::Pass } else { Exit::Failed })
}

/// Tries every value of every scenario.
fn trials(plan: &Arc<Plan>, evidence: &Evidence, replayer: &mut Replayer) -> Result<Vec<ScenarioResult>, StartError> {
    let sites = prove::sites(plan);
    (0..plan.scenarios.len()).map(|scenario| prove::scenario(plan, scenario, &sites, evidence, replayer)).collect()
}
