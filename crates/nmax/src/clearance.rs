//! Whether a plan may be run, as a person is told: notes on standard error, refusals as errors.

use std::sync::Arc;

use nmax_http::Origin;
use nmax_plan::plan::Plan;
use nmax_run::Trouble;
use nmax_run::preflight::{self, Cleared};

use crate::args::SafetyArgs;
use crate::say;

/// [`preflight::clear`] with what the user opens.
pub fn clear(safety: &SafetyArgs, plan: &Arc<Plan>, origins: &[Origin]) -> Result<Cleared, Trouble> {
    let cleared = preflight::clear(&safety.consent(), plan, origins)?;
    cleared.notes.iter().for_each(note);
    Ok(cleared)
}

/// [`preflight::observed`].
pub fn observed(plan: &Plan) -> Result<(), String> {
    preflight::observed(plan)?.iter().for_each(note);
    Ok(())
}

fn note(text: &String) {
    say::note(format_args!("note: {text}"));
}
