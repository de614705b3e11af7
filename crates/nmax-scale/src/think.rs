//! How long a user pauses in an iteration and how many exchanges it has, where the plan says so.

use nmax_plan::plan::{LoopEnd, Plan, Scenario, Step, ThinkTime, all_steps};

/// z of the 95th percentile of a normal distribution.
const Z95: f64 = 1.644_853_626_951_472_2;

/// Mean pause of an iteration of the mix, seconds; `None` where replies, data, pacing or scripts decide.
pub(crate) fn mean_s(plan: &Plan) -> Option<f64> {
    // Pacing pauses as long as replies leave.
    let is_paced = |scenario: &Scenario| scenario.pacing.is_some();
    if mix(plan).any(is_paced) {
        return None;
    }
    of_mix(plan, &|step| match step {
        Step::Think(pause) => Some(mean_of(*pause)),
        Step::Script => None,
        _ => Some(0.0),
    })
}

/// Mean number of exchanges of an iteration of the mix; `None` where replies, data or scripts decide.
pub(crate) fn exchanges(plan: &Plan) -> Option<f64> {
    of_mix(plan, &|step| match step {
        Step::Call(request) => (request.page().is_none() && request.redirects_max(&plan.defaults) == 0).then_some(1.0),
        Step::Script => None,
        _ => Some(0.0),
    })
}

fn mix(plan: &Plan) -> impl Iterator<Item = &Scenario> {
    plan.scenarios.iter().filter(|scenario| scenario.weight > 0.0)
}

/// Mean over the mix of what `of` says of a step, added up over an iteration.
fn of_mix(plan: &Plan, of: &dyn Fn(&Step) -> Option<f64>) -> Option<f64> {
    let weights: f64 = mix(plan).map(|scenario| scenario.weight).sum();
    let mut sum = 0.0;
    for scenario in mix(plan) {
        sum += scenario.weight * of_steps(&scenario.steps, of)?;
    }
    (weights > 0.0).then(|| sum / weights)
}

fn of_steps(steps: &[Step], of: &dyn Fn(&Step) -> Option<f64>) -> Option<f64> {
    steps.iter().map(|step| of_step(step, of)).sum()
}

fn of_step(step: &Step, of: &dyn Fn(&Step) -> Option<f64>) -> Option<f64> {
    let is_free = |steps: &[Step]| all_steps(steps).all(|step| of(step) == Some(0.0));
    match step {
        Step::Think(_) | Step::Call(_) | Step::Set(_) | Step::End(_) => of(step),
        Step::Script => None,
        Step::Transaction(transaction) => of_steps(&transaction.steps, of),
        Step::If(step) => (is_free(&step.then) && is_free(&step.otherwise)).then_some(0.0),
        Step::Loop(step) if is_free(&step.steps) => Some(0.0),
        Step::Loop(step) => match &step.until {
            LoopEnd::Times(times) => {
                Some(times.as_constant()?.trim().parse::<f64>().ok()? * of_steps(&step.steps, of)?)
            }
            LoopEnd::While { .. } => None,
        },
        Step::Choose(branches) => {
            let weights: f64 = branches.iter().map(|branch| branch.weight).sum();
            let mut sum = 0.0;
            for branch in branches {
                sum += branch.weight * of_steps(&branch.steps, of)?;
            }
            (weights > 0.0).then(|| sum / weights)
        }
    }
}

/// Mean of a pause, seconds. That of a lognormal one is median·exp(σ²/2), σ = ln(p95/median)/z₉₅.
fn mean_of(pause: ThinkTime) -> f64 {
    match pause {
        ThinkTime::Fixed(pause) => pause.as_secs_f64(),
        ThinkTime::Uniform { min, max } => (min + max).as_secs_f64() / 2.0,
        ThinkTime::Lognormal { median, p95 } => {
            let sigma = (p95.as_secs_f64() / median.as_secs_f64()).ln() / Z95;
            let mean = median.as_secs_f64() * (sigma * sigma / 2.0).exp();
            if mean.is_finite() { mean } else { 0.0 }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(steps: &str) -> std::sync::Arc<Plan> {
        nmax_testkit::plans::requests("http://server.test", steps, "workload: { closed: { vus: 1 } }")
    }

    fn mean(steps: &str) -> Option<f64> {
        mean_s(&plan(steps))
    }

    #[test]
    fn exchanges_are_counted_where_the_plan_knows_them() {
        // steps                                                        mean
        let cases = [
            ("[{ get: / }, { think: 100ms }]", Some(1.0)),
            ("[{ get: / }, { repeat: 4, steps: [{ get: /a }, { think: 1s }] }]", Some(5.0)),
            ("[{ get: / }, { if: '1 == 1', then: [{ get: / }] }]", None),
            ("[{ choose: [{ weight: 3, steps: [{ get: / }] }, { weight: 1, steps: [{ think: 1s }] }] }]", Some(0.75)),
        ];
        for (steps, want) in cases {
            assert_eq!(exchanges(&plan(steps)), want, "{steps}");
        }
    }

    #[test]
    fn pauses_are_added_up() {
        // steps                                                        mean, s
        let cases = [
            ("[{ get: / }]", Some(0.0)),
            ("[{ get: / }, { think: 500ms }]", Some(0.5)),
            ("[{ get: / }, { think: { min: 1s, max: 3s } }, { think: 1s }]", Some(3.0)),
            ("[{ repeat: 4, steps: [{ get: / }, { think: 1s }] }]", Some(4.0)),
            ("[{ if: '1 == 1', then: [{ get: / }] }, { think: 1s }]", Some(1.0)),
            ("[{ if: '1 == 1', then: [{ get: / }, { think: 1s }] }]", None),
            ("[{ choose: [{ weight: 3, steps: [{ think: 4s }] }, { weight: 1, steps: [{ get: / }] }] }]", Some(3.0)),
        ];
        for (steps, want) in cases {
            assert_eq!(mean(steps), want, "{steps}");
        }
    }

    #[test]
    fn scripts_pause_as_they_like() {
        let mut plan = plan("[{ get: / }]").as_ref().clone();
        plan.scenarios[0].steps.push(Step::Script);
        assert_eq!((mean_s(&plan), exchanges(&plan)), (None, None));
    }

    #[test]
    fn a_lognormal_pause_is_longer_on_average_than_its_median() {
        let pause = ThinkTime::Lognormal {
            median: std::time::Duration::from_secs(1),
            p95: std::time::Duration::from_secs_f64(Z95.exp()),
        };
        // σ = 1, so the mean is √e.
        assert!((mean_of(pause) - 1.0_f64.exp().sqrt()).abs() < 1e-6);
    }
}
