//! `nmax check --prove`: which of the values that a plan takes from replies must be fresh.
//!
//! Each scenario is replayed twice as a new user: these are the baselines. Then it is replayed once for each value, with
//! that one value left as it was in the recording, or in the first baseline. When a later reply differs from those of the
//! baselines, while a replay with a fresh value after it does not, and the old value makes the same difference again, the
//! value is *proved*; else it is *harmless*. What a reply is, is its structure and not only its status: see
//! [`nmax_import::structure`].
//!
//! # Layout
//! - `sites`: where a plan takes and sends values; `replay`: one replay
//! - `evidence`: what was recorded; `trial`: the verdicts; `told`: what is printed

use std::path::Path;
use std::sync::Arc;

use nmax_engine::StartError;
use nmax_plan::plan::Plan;
use nmax_run::Exit;
use nmax_run::preflight;
use nmax_run::secrets::Shown;

use super::run::complain;
use crate::args::CheckArgs;
use crate::{clearance, hints, load, say};

mod evidence;
mod replay;
mod schema;
mod sites;
mod told;
mod trial;

use evidence::Evidence;
use replay::Replayer;
pub use schema::schema;
use trial::Found;

/// Proves the correlations of a plan.
pub fn prove(args: &CheckArgs, plan: Plan, shown: &Shown) -> Exit {
    match tried(args, plan, shown) {
        Ok(exit) => exit,
        Err((text, exit)) => complain(&text, exit),
    }
}

fn tried(args: &CheckArgs, plan: Plan, shown: &Shown) -> Result<Exit, (String, Exit)> {
    let usage = |text: String| (text, Exit::Usage);
    if load::is_url(&args.what) {
        let help = "give a plan; `nmax record` and `nmax import` write one";
        return Err(usage(format!("--prove tries the values of a plan, and a URL has none\n  help: {help}")));
    }
    let origins = preflight::origins(&plan).map_err(usage)?;
    hints::say(&hints::warnings(&plan, &origins));
    let mut evidence = Evidence::beside(Path::new(&args.what)).map_err(usage)?;
    let plan = Arc::new(plan);
    let cleared = clearance::clear(&args.safety, &plan, &origins)?;
    let settings = nmax_run::settings(&plan, &cleared.allow).map_err(|error| usage(error.to_string()))?;
    let moment = u64::try_from(jiff::Timestamp::now().as_millisecond()).unwrap_or_default();
    let mut replayer = Replayer::new(settings, moment);
    let found = trials(&plan, &evidence, &mut replayer).map_err(|error| usage(error.to_string()))?;
    for tried in found.iter().flat_map(|found| &found.tried) {
        if let Some(state) = tried.state {
            evidence.settle(&plan, &tried.site, state.name(), &shown.text(&tried.proof));
        }
    }
    evidence.save().map_err(|text| (text, Exit::Unreachable))?;
    let told = told::Told {
        plan: &plan,
        file: &args.what,
        found: &found,
        evidence: &evidence,
        replays: replayer.replays,
        shown,
    };
    if args.json {
        say::line(format_args!("{:#}", told.json()));
    } else {
        say::text(told.text());
    }
    Ok(if found.iter().all(Found::is_ok) { Exit::Pass } else { Exit::Failed })
}

/// Tries every value of every scenario.
fn trials(plan: &Arc<Plan>, evidence: &Evidence, replayer: &mut Replayer) -> Result<Vec<Found>, StartError> {
    let sites = sites::of(plan);
    (0..plan.scenarios.len()).map(|scenario| trial::scenario(plan, scenario, &sites, evidence, replayer)).collect()
}
