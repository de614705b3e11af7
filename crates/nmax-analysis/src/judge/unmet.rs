//! What the plan wanted to happen and did not: interventions whose moment never came, locations without a user.

use nmax_metrics::Section;
use nmax_plan::plan::Moment;

use crate::Evidence;
use crate::wording::{share, time_ms};

/// Code, sentence and name of everything that did not happen.
pub(super) fn unmet(evidence: &Evidence) -> Vec<(&'static str, String, String)> {
    let mut unmet = interventions(evidence);
    unmet.extend(locations(evidence));
    unmet
}

fn interventions(evidence: &Evidence) -> Vec<(&'static str, String, String)> {
    let timeline = evidence.plan.timeline.iter();
    let missed = timeline.filter(|item| evidence.happened.iter().all(|happened| happened.name != item.name));
    let told = missed.map(|item| {
        let why = match item.at {
            Moment::Steady => "the run was never seen to be steady".to_owned(),
            Moment::At(at) => format!(
                "the load ended after {}, it was due at {}",
                time_ms(evidence.hold.1.as_millis_f64()),
                time_ms(at.as_secs_f64() * 1_000.0)
            ),
        };
        let text = format!("`{}` of the timeline was not done: {why}", item.name);
        ("INTERVENTION_NOT_DONE", text, item.name.clone())
    });
    told.collect()
}

/// Only locations with a share are looked at: others are for scenarios that may be rare.
fn locations(evidence: &Evidence) -> Vec<(&'static str, String, String)> {
    let totals = evidence.totals;
    let iterations = |index: usize| -> u64 {
        let of = |section| totals.locations.get(section, index).map_or(0, |stats| stats.iterations.count);
        Section::ALL.into_iter().map(of).sum()
    };
    let all = evidence.plan.locations.iter();
    let weights: f64 = all.clone().map(|location| location.weight).sum();
    let any = (0..all.len()).any(|index| iterations(index) > 0);
    let empty = all.enumerate().filter(|(index, location)| any && location.weight > 0.0 && iterations(*index) == 0);
    let told = empty.map(|(_, location)| {
        let text = format!(
            "no iteration ended at location `{}`, whose share is {} of the users: too few users or iterations for it",
            location.name,
            share(location.weight / weights)
        );
        ("LOCATION_EMPTY", text, location.name.clone())
    });
    told.collect()
}
