//! Users who fail although their exchanges look well: one step of many that always fails.

use nmax_metrics::{RequestStats, Section};
use nmax_plan::threshold::{Limit, Metric, Op, Scope, Stat, Threshold, Within};

use crate::Evidence;
use crate::scope::{exchanges, own_names};
use crate::thresholds::Evaluated;
use crate::wording::{count, share};

/// Share of a scenario's iterations that may fail before a warning is given; of those that no failed exchange explains,
/// before the run is a FAIL.
pub const FAILED_SHARE_WARN: f64 = 0.05;

/// A scenario whose iterations failed.
pub(super) struct Failing {
    /// What is wrong, and what to do.
    pub text: String,
    /// Failed, of the completed ones.
    pub share: f64,
    /// More failed than exchanges did, so no condition on exchanges can see it.
    pub is_unseen: bool,
}

/// Scenarios whose iterations failed while every condition on failures holds, among them one on the exchanges
/// altogether. O(scenarios · request names).
pub(super) fn failed(evidence: &Evidence, evaluated: &[Evaluated]) -> Vec<Failing> {
    let conditions = evidence.plan.thresholds.iter().zip(evaluated);
    let on_failures: Vec<_> = conditions
        .filter(|(threshold, _)| matches!(threshold.metric, Metric::FailureRate | Metric::Failed | Metric::Errors))
        .collect();
    let looks_well = on_failures.iter().all(|(_, evaluated)| evaluated.result.holds)
        && on_failures
            .iter()
            .any(|(threshold, _)| threshold.metric == Metric::FailureRate && threshold.scope == Scope::Total);
    if !looks_well {
        return Vec::new();
    }
    let total = evidence.totals.total(Section::Hold);
    let (failed_exchanges, of_exchanges) = (total.failed() + total.errors(), total.failure_rate().unwrap_or(0.0));
    let counted = evidence.plan.scenarios.iter().zip(evidence.totals.scenarios.in_section(Section::Hold));
    let warned = counted.filter_map(|(scenario, stats)| {
        let failed_share = stats.failed as f64 / stats.completed.max(1) as f64;
        let unseen = stats.failed.saturating_sub(failed_exchanges) as f64 / stats.completed.max(1) as f64;
        let is_unseen = unseen > FAILED_SHARE_WARN;
        let remedy = match is_unseen {
            true => UNSEEN.to_owned(),
            false => remedy(evidence, &scenario.name),
        };
        let text = format!(
            "{} of {} iterations of `{}` failed, although only {} of the exchanges did: {remedy}",
            count(stats.failed),
            count(stats.completed),
            scenario.name,
            share(of_exchanges),
        );
        // Where exchanges fail as often, the figures already say it.
        (failed_share > FAILED_SHARE_WARN && failed_share > of_exchanges).then_some(Failing {
            text,
            share: failed_share,
            is_unseen,
        })
    });
    warned.collect()
}

/// What makes iterations fail without a failed exchange.
const UNSEEN: &str = "a user's setup, a `fail` of the plan, a value that was not found or a limit of a loop ended them; the \
                      examples of failures say which";

/// The condition that would have seen it: on the request of the scenario that failed most often.
fn remedy(evidence: &Evidence, scenario: &str) -> String {
    let rate = |name: &String| {
        let stats = exchanges(evidence, evidence.totals, &Scope::Request(name.clone())).ok();
        stats.as_ref().and_then(RequestStats::failure_rate)
    };
    let names = own_names(evidence.plan, scenario).unwrap_or_default();
    let rates = names.into_iter().filter_map(|name| Some((rate(&name)?, name)));
    match rates.max_by(|a, b| a.0.total_cmp(&b.0)) {
        Some((worst, name)) if worst > FAILED_SHARE_WARN => {
            format!("judge with `{}`", below(FAILED_SHARE_WARN, Scope::Request(name)))
        }
        _ => format!(
            "an iteration fails with any of its exchanges: judge with a lower limit, such as `{}`",
            below(FAILED_SHARE_WARN / 10.0, Scope::Scenario(scenario.to_owned()))
        ),
    }
}

fn below(limit: f64, scope: Scope) -> Threshold {
    Threshold {
        abort: None,
        text: String::new(),
        metric: Metric::FailureRate,
        stat: Stat::Value,
        op: Op::Below,
        limit: Limit::Ratio(limit),
        scope,
        within: Within::Hold,
    }
}

#[cfg(test)]
mod tests;
