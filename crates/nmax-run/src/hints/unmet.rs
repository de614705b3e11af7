//! What a plan wants that cannot come: locations without users, interventions that wait for what is too short.

use std::time::Duration;

use nmax_plan::plan::{Moment, Plan};
use nmax_plan::schedule::StageKind;
use nmax_plan::summary::{Peak, forecast};
use nmax_plan::units::format_duration;
use nmax_report::number;

/// A sentence for each of them.
pub(super) fn unmet(plan: &Plan) -> Vec<String> {
    let mut unmet = locations(plan);
    unmet.extend(interventions(plan));
    unmet
}

fn locations(plan: &Plan) -> Vec<String> {
    if plan.locations.is_empty() {
        return Vec::new();
    }
    let forecast = forecast(plan);
    let (count, of) = match forecast.peak {
        Peak::Vus(vus) => (vus as u64, "VUs"),
        Peak::RatePerS(_) => (forecast.iterations.unwrap_or(u64::MAX), "iterations"),
    };
    let weights: f64 = plan.locations.iter().map(|location| location.weight).sum();
    let told = nmax_engine::without_users(plan, count).into_iter().map(|(index, needed)| {
        let location = &plan.locations[index];
        format!(
            "no user is at location `{}`: its share, {}, is none of {} {of}; {} are enough",
            location.name,
            number::share(location.weight / weights),
            number::count(count),
            number::count(needed)
        )
    });
    told.collect()
}

/// Items of the timeline that wait for a steady state which no hold is long enough for.
fn interventions(plan: &Plan) -> Vec<String> {
    let holds = plan.stages.iter().filter(|stage| stage.kind == StageKind::Hold);
    let lengths: Option<Vec<u64>> = holds.map(|stage| stage.length_ns).collect();
    let longest = lengths.and_then(|lengths| lengths.into_iter().max());
    let needed = plan.window * nmax_analysis::steady::POINTS_MIN as u32;
    let Some(longest) = longest.map(Duration::from_nanos).filter(|longest| *longest < needed) else {
        return Vec::new();
    };
    let waiting = plan.timeline.iter().filter(|item| item.at == Moment::Steady);
    let told = waiting.map(|item| {
        format!(
            "`{}` of the timeline will not be done: nothing is seen to be steady within a hold of {}, that takes {} at least",
            item.name,
            format_duration(longest),
            format_duration(needed)
        )
    });
    told.collect()
}
