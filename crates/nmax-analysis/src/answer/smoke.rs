//! Smoke: does the plan work, and at the rate that its users can reach?

use nmax_metrics::{Histogram, Section};
use nmax_plan::plan::Workload;
use nmax_plan::schedule::mean_level;

use crate::Evidence;
use crate::wording::{count, counted, share, value};

use super::say::span;
use super::{Finding, nothing};

/// How far the measured rate may be from 1/(R + Z).
const RATE_DEVIATION_MAX: f64 = 0.05;
/// Names of failing requests that are listed.
const NAMES_MAX: usize = 3;

/// The rate per user against 1/(R + Z), the users that the written rate takes or the rate that its users make, and
/// failures.
///
/// ```text
/// X = 1 / (R + Z),   N = X·(R + Z)
/// ```
///
/// - X: iterations per user and second
/// - R: time that an iteration waits for replies, s, measured
/// - Z: time that its user thinks or waits for the next start, s: what else an iteration takes, up to its pacing
/// - N: users that the rate of the workload takes, or users of the workload
pub(super) fn answer(evidence: &Evidence) -> (String, Vec<Finding>) {
    let Some(measured) = Measured::from_evidence(evidence) else {
        return nothing("no iteration was completed");
    };
    let failures = failures(evidence);
    let rate = measured.finding();
    let users = measured.users(evidence);
    let headline = match (&failures, rate.is_trouble) {
        (Some(failures), _) => failures.text.clone(),
        (None, true) => rate.text.clone(),
        (None, false) => {
            format!("the plan works: {} without a failure; {}", counted(measured.iterations, "iteration"), rate.text)
        }
    };
    (headline, failures.into_iter().chain([rate, users]).collect())
}

struct Measured {
    iterations: u64,
    /// Mean VUs.
    users: f64,
    /// Iterations per user and second.
    rate_per_s: f64,
    /// R, s.
    waiting_s: f64,
    /// Z, s.
    thinking_s: f64,
}

impl Measured {
    fn from_evidence(evidence: &Evidence) -> Option<Self> {
        let (plan, totals) = (evidence.plan, evidence.totals);
        let (start, end) = evidence.hold;
        let users = match plan.workload {
            Workload::Closed { .. } => mean_level(&plan.stages, start.0, end.0),
            Workload::Open { .. } => totals.load(Section::Hold).in_flight_ns as f64 / end.since(start).0 as f64,
        };
        let counted = plan.scenarios.iter().zip(totals.scenarios.in_section(Section::Hold));
        let (mut iterations, mut cycles_s) = (0, 0.0);
        for (scenario, stats) in counted.filter(|(scenario, _)| scenario.weight > 0.0) {
            iterations += stats.completed;
            let pacing_s = scenario.pacing.map_or(0.0, |pacing| pacing.as_secs_f64());
            cycles_s += cycles(&stats.iteration_time, pacing_s);
        }
        let waiting: f64 = totals
            .requests(Section::Hold)
            .filter_map(|(_, stats)| {
                let times = stats.latencies().response;
                Some(times.mean_ns()? / 1e9 * times.count() as f64)
            })
            .sum();
        let n = iterations as f64;
        let hold_s = evidence.hold_s();
        (iterations > 0 && users > 0.0 && hold_s > 0.0 && cycles_s > 0.0).then(|| {
            let waiting_s = (waiting / n).min(cycles_s / n);
            Self { iterations, users, rate_per_s: n / hold_s / users, waiting_s, thinking_s: cycles_s / n - waiting_s }
        })
    }

    fn cycle_s(&self) -> f64 {
        self.waiting_s + self.thinking_s
    }

    fn finding(&self) -> Finding {
        let possible = 1.0 / self.cycle_s();
        let deviation = self.rate_per_s / possible - 1.0;
        // The iteration that each user was in at the end is not among those that were completed.
        let tolerated = RATE_DEVIATION_MAX + self.users / self.iterations as f64;
        let is_off = deviation.abs() > tolerated;
        let text = format!(
            "one user makes {} iterations, {} 1/(R + Z) = {}, with R = {} of waiting for replies and Z = {} of thinking",
            value(self.rate_per_s, "/s"),
            match is_off {
                true => format!("{} off", share(deviation.abs())),
                false => "as".to_owned(),
            },
            value(possible, "/s"),
            span(self.waiting_s),
            span(self.thinking_s)
        );
        Finding::says("RATE_PER_USER", text).value(self.rate_per_s, "/s").trouble_if(is_off)
    }

    /// What the workload that is written takes, or comes to.
    fn users(&self, evidence: &Evidence) -> Finding {
        let plan = evidence.plan;
        match plan.written.as_ref().unwrap_or(&plan.workload) {
            Workload::Open { rate_per_s, .. } => {
                let users = rate_per_s * self.cycle_s();
                let text = format!(
                    "the intended rate of {} takes about {} as fast as this one, N = X(R + Z)",
                    value(*rate_per_s, "/s"),
                    counted(users.ceil() as u64, "user")
                );
                Finding::says("USERS_NEEDED", text).value(users, "VUs")
            }
            Workload::Closed { vus } => {
                let rate_per_s = f64::from(*vus) / self.cycle_s();
                let text = format!(
                    "{} as fast as this one make about {} iterations, X = N/(R + Z)",
                    counted(u64::from(*vus), "user"),
                    value(rate_per_s, "/s")
                );
                Finding::says("RATE_OF_USERS", text).value(rate_per_s, "/s")
            }
        }
    }
}

/// Sum of what iterations took, each at least the pacing, s.
fn cycles(times: &Histogram, pacing_s: f64) -> f64 {
    if pacing_s == 0.0 {
        return times.mean_ns().unwrap_or(0.0) / 1e9 * times.count() as f64;
    }
    let middle_s = |low: u64, high: u64| (low as f64 + high as f64) / 2e9;
    let recorded = times.recorded();
    recorded.map(|(low, high, count)| middle_s(low, high).max(pacing_s) * count as f64).sum()
}

/// Exchanges and iterations that failed, if some did.
fn failures(evidence: &Evidence) -> Option<Finding> {
    let totals = evidence.totals.whole();
    let failed = |name_failed: &(&str, u64)| name_failed.1 > 0;
    let of_request = totals.requests(Section::Hold).map(|(name, stats)| {
        let name = evidence.catalog.requests.name(name);
        (name, stats.failed() + stats.errors())
    });
    let mut names: Vec<(&str, u64)> = of_request.filter(failed).collect();
    names.sort_by_key(|(_, failed)| u64::MAX - failed);
    let exchanges: u64 = names.iter().map(|(_, failed)| failed).sum();
    let iterations: u64 = totals.scenarios.in_section(Section::Hold).map(|stats| stats.failed).sum();
    if exchanges == 0 && iterations == 0 {
        return None;
    }
    let listed: Vec<String> =
        names.iter().take(NAMES_MAX).map(|(name, failed)| format!("`{name}` ({})", count(*failed))).collect();
    let at = match listed.is_empty() {
        true => String::new(),
        false => format!(", most of {}", listed.join(", ")),
    };
    let text = format!(
        "with one user already {} and {} failed{at}",
        counted(exchanges, "exchange"),
        counted(iterations, "iteration")
    );
    let finding = Finding::says("FAILURES", text).value(exchanges as f64, "").trouble_if(true);
    Some(match names.first() {
        Some((name, _)) => finding.about(name),
        None => finding,
    })
}
