//! What a plan will send: known before the run, without sending anything.

use std::sync::Arc;
use std::time::Duration;

use crate::mix::Mix;
use crate::plan::{Plan, Scenario, Workload};
use crate::schedule::{Arrivals, Open, Total};

mod policy;
pub use policy::policy;

mod requests;
pub use requests::Requests;
use requests::requests;

/// How much a plan will send. Numbers that depend on the target's replies are `None`.
#[derive(Clone, Debug, PartialEq)]
pub struct Forecast {
    /// Scenarios, in the order of the plan.
    pub scenarios: Vec<ScenarioForecast>,
    /// Iterations that the plan starts; an upper bound in closed workloads.
    pub iterations: Option<u64>,
    /// Requests in those iterations on average, when none fails.
    pub requests: Option<u64>,
    /// Length of all stages, the graceful stop not included; `None` when only a number of iterations ends the run.
    pub duration: Option<Duration>,
    /// Highest level of the stages.
    pub peak: Peak,
    /// Requests per second at the peak of an open workload on average, when no iteration fails.
    pub peak_requests_per_s: Option<f64>,
}

/// The share of one scenario.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioForecast {
    /// Its name.
    pub name: String,
    /// Its part of the iterations, 0 to 1.
    pub share: f64,
    /// Requests in one iteration; those of setup and teardown are not among them.
    pub requests_per_iteration: Requests,
    /// Iterations; exact per full cycle of the mix, rounded within the last one.
    pub iterations: Option<u64>,
    /// Requests.
    pub requests: Option<u64>,
}

/// The highest level of the stages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Peak {
    /// Iterations started per second.
    RatePerS(f64),
    /// VUs.
    Vus(f64),
}

/// Computes the forecast. O(size of the plan), except that the mix takes O(scenarios * cycle) once.
pub fn forecast(plan: &Plan) -> Forecast {
    let level_max = plan.stages.iter().map(|stage| stage.from.max(stage.to)).fold(0.0, f64::max);
    let (iterations, peak) = match plan.workload {
        Workload::Open { .. } => (planned(plan), Peak::RatePerS(level_max)),
        Workload::Closed { .. } => (plan.iterations, Peak::Vus(level_max)),
    };
    let shares = shares(&plan.scenarios);
    let scenarios: Vec<ScenarioForecast> = plan
        .scenarios
        .iter()
        .zip(shares)
        .map(|(scenario, share)| {
            let requests_per_iteration = requests(&scenario.steps);
            let iterations = iterations.map(|total| (total as f64 * share).round() as u64);
            let requests = match iterations {
                Some(0) => Some(0),
                iterations => iterations
                    .zip(requests_per_iteration.expected)
                    .map(|(iterations, expected)| (iterations as f64 * expected).round() as u64),
            };
            ScenarioForecast { name: scenario.name.clone(), share, requests_per_iteration, iterations, requests }
        })
        .collect();
    let requests = scenarios.iter().try_fold(0_u64, |sum, scenario| Some(sum.saturating_add(scenario.requests?)));
    let mut taken = scenarios.iter().filter(|scenario| scenario.share > 0.0);
    let per_iteration =
        taken.try_fold(0.0, |sum, scenario| Some(sum + scenario.share * scenario.requests_per_iteration.expected?));
    let peak_requests_per_s = match peak {
        Peak::RatePerS(rate_per_s) => per_iteration.map(|per_iteration| rate_per_s * per_iteration),
        Peak::Vus(_) => None,
    };
    let length_ns: Option<u64> =
        plan.stages.iter().map(|stage| stage.length_ns).try_fold(0_u64, |sum, length_ns| sum.checked_add(length_ns?));
    Forecast {
        scenarios,
        iterations,
        requests,
        duration: length_ns.map(Duration::from_nanos),
        peak,
        peak_requests_per_s,
    }
}

/// Starts of an open workload.
fn planned(plan: &Plan) -> Option<u64> {
    let schedule = match plan.workload {
        // Read back from a run's manifest the list is empty, and the stages say about how many there were.
        Workload::Open { arrivals: crate::plan::Arrivals::Listed, .. } if !plan.starts.is_empty() => {
            Ok(Open::listed(Arc::clone(&plan.starts), 0))
        }
        _ => plan.open_schedule(Arrivals::Even),
    };
    let scheduled = schedule.ok().and_then(|schedule| match schedule.total() {
        Total::Finite(count) => Some(count),
        Total::Unbounded => None,
    });
    match (scheduled, plan.iterations) {
        (Some(scheduled), Some(limit)) => Some(scheduled.min(limit)),
        (scheduled, limit) => scheduled.or(limit),
    }
}

/// Shares as the mix will realize them; zeros when there is no mix.
fn shares(scenarios: &[Scenario]) -> Vec<f64> {
    let weights: Vec<f64> = scenarios.iter().map(|scenario| scenario.weight).collect();
    match Mix::new(&weights) {
        Ok(mix) => (0..weights.len()).map(|index| f64::from(mix.count(index)) / f64::from(mix.cycle())).collect(),
        Err(_) => vec![0.0; weights.len()],
    }
}

#[cfg(test)]
mod tests;
