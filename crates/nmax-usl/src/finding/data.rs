//! Findings that need no fit: values, numbers of points, the generator, Little's law.

use std::collections::BTreeSet;

use nmax_text::number::counted;

use super::{Code, Effect, Facts, Finding};
use crate::analysis::wording::{number, percent, rows, unit};
use crate::gate::LEVELS_MIN;
use crate::observation::Observation;

/// Values beyond these are no measurement, and their squares and products leave the range of numbers.
const CONCURRENCY_MAX: f64 = 1e9;
const THROUGHPUT_MIN: f64 = 1e-12;
const THROUGHPUT_MAX: f64 = 1e15;
const WEIGHT_MIN: f64 = 1e-9;
const WEIGHT_MAX: f64 = 1e9;
const RESPONSE_TIME_MAX_S: f64 = 1e9;

/// Share of N by which X·(R+Z) may differ from it.
const LITTLE_SHARE: f64 = 0.05;

/// Observations that can be fitted, sorted by N, and the rows of those that cannot, with findings.
pub(crate) struct Sorted {
    pub observations: Vec<Observation>,
    pub left_out: Vec<usize>,
    pub findings: Vec<Finding>,
}

/// Leaves out rows that are no measurement of a law, and says so.
pub(crate) fn sort_out(observations: &[Observation]) -> Sorted {
    let (mut kept, mut unusable, mut below_one, mut times) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    for observation in observations {
        if !is_usable(observation) {
            unusable.push(observation.row);
        } else if observation.n < 1.0 {
            below_one.push(observation.row);
        } else {
            let r_s = observation.r_s.filter(|r_s| (0.0..=RESPONSE_TIME_MAX_S).contains(r_s));
            if r_s != observation.r_s {
                times.push(observation.row);
            }
            kept.push(Observation { r_s, ..observation.clone() });
        }
    }
    kept.sort_by(|a, b| a.n.total_cmp(&b.n));
    // Weights are relative: with mean 1, a deviation is that of a run of mean weight.
    let mean = kept.iter().map(|o| o.weight).sum::<f64>() / kept.len().max(1) as f64;
    for observation in &mut kept {
        observation.weight /= mean;
    }
    let mut findings = Vec::new();
    if !unusable.is_empty() {
        findings.push(unusable_value(&unusable));
    }
    if !times.is_empty() {
        let text = format!(
            "In {} the response time is below 0 or no number. It is left out; N and X of {} are kept.",
            rows(&times),
            if times.len() == 1 { "that row" } else { "those rows" },
        );
        findings.push(Finding::new(Code::UnusableValue, Effect::Warn, times, text));
    }
    if !below_one.is_empty() {
        findings.push(concurrency_below_one(&below_one));
    }
    let mut left_out = [unusable, below_one].concat();
    left_out.sort_unstable();
    Sorted { observations: kept, left_out, findings }
}

fn is_usable(observation: &Observation) -> bool {
    let Observation { n, x, weight, .. } = observation;
    *n > 0.0
        && *n <= CONCURRENCY_MAX
        && (THROUGHPUT_MIN..=THROUGHPUT_MAX).contains(x)
        && (WEIGHT_MIN..=WEIGHT_MAX).contains(weight)
}

fn unusable_value(found: &[usize]) -> Finding {
    let text = format!(
        "Left out: {}. N and X must be numbers above 0 (N at most 1e9, X from 1e-12 to 1e15 per second): a throughput of 0 has no \
         relative error, and no load has no throughput. Look at what these rows mean: a run that completed nothing is a \
         broken run, not a point of the curve.",
        rows(found),
    );
    Finding::new(Code::UnusableValue, Effect::Warn, found.to_vec(), text)
}

fn concurrency_below_one(found: &[usize]) -> Finding {
    let (count, verb) = (found.len(), if found.len() == 1 { "row has" } else { "rows have" });
    let text = format!(
        "Left out: {count} {verb} N below 1 ({}). There the denominator of the law drops below 1, so efficiency looks \
         better than 100 %. The law begins at N = 1.",
        rows(found),
    );
    Finding::new(Code::ConcurrencyBelowOne, Effect::Warn, found.to_vec(), text)
}

/// Whether there is anything to fit.
pub(crate) fn number_of_points(facts: &Facts) -> Option<Finding> {
    let (runs, distinct) = (facts.observations.len(), facts.levels.len());
    let all = || facts.observations.iter().map(|o| o.row).collect();
    let found = |code, effect, rows, text: String| Some(Finding::new(code, effect, rows, text));
    match distinct {
        0 => {
            let text = "There is nothing to fit: no row has an N of at least 1 and a throughput above 0.";
            found(Code::TooFewPoints, Effect::Block, Vec::new(), text.to_owned())
        }
        1 if runs > 1 => {
            let n = number(facts.levels[0].n);
            let text = format!(
                "All {runs} runs have N = {n}. One load says nothing about another: measure at least 3 loads, better 6, \
                 from N = 1 to beyond the largest throughput."
            );
            found(Code::OneConcurrency, Effect::Block, all(), text)
        }
        1 | 2 => {
            let text = format!(
                "Too few points: {} at {distinct} distinct N. The law has three coefficients, so it needs at least 3 \
                 different N; 8 to 12 runs are the useful minimum.",
                counted(runs as u64, "run"),
            );
            found(Code::TooFewPoints, Effect::Block, all(), text)
        }
        _ if distinct < LEVELS_MIN || runs < LEVELS_MIN => {
            let intervals = if runs == 3 { " Three runs give coefficients without intervals." } else { "" };
            let text = format!(
                "Few points: {} at {distinct} distinct N.{intervals} No peak of the law is stated below 6 distinct N; 8 to \
                 12 runs are the useful minimum.",
                counted(runs as u64, "run"),
            );
            found(Code::TooFewPoints, Effect::Warn, Vec::new(), text)
        }
        _ => None,
    }
}

/// Rows at which the generator was the bottleneck.
pub(crate) fn generator_saturated(facts: &Facts) -> Option<Finding> {
    let given: BTreeSet<usize> = facts.options.saturated.iter().copied().collect();
    let all = facts.observations.iter().map(|o| o.row);
    let mut found: Vec<usize> = all.filter(|row| given.contains(row)).collect();
    found.sort_unstable();
    let text = format!(
        "In {} the generator of the load was the bottleneck (late sends, or no processor time left). What bends there is \
         the generator's own curve. Use more workers or injectors and measure these rows again.",
        rows(&found),
    );
    (!found.is_empty()).then(|| Finding::new(Code::GeneratorSaturated, Effect::Block, found, text))
}

/// N against X·(R+Z).
pub(crate) fn little(facts: &Facts) -> Option<Finding> {
    if !facts.options.dimension.counts_concurrency() {
        return None;
    }
    let residual = |o: &Observation| Some((o.row, o.x * (o.r_s? + facts.options.think_s) / o.n));
    let wrong: Vec<(usize, f64)> = facts
        .observations
        .iter()
        .filter_map(residual)
        .filter(|(_, share)| (share - 1.0).abs() > LITTLE_SHARE)
        .collect();
    let mut found: Vec<usize> = wrong.iter().map(|(row, _)| *row).collect();
    found.sort_unstable();
    let (_, worst) = wrong.iter().copied().max_by(|(_, a), (_, b)| a.ln().abs().total_cmp(&b.ln().abs()))?;
    let text = format!(
        "Little's law N = X·(R + Z) does not hold in {}: X·(R + Z) is {} N at worst, and more than 5 % off is \
         too much. {} If N counts machines or workers, and not what is in the system, say so (`--dimension nodes`): Little's \
         law does not apply then. Until N, X and R agree, at least one of them is not what it is called.",
        rows(&found),
        share_words(worst),
        little_help(worst, unit(facts.options.dimension)),
    );
    Some(Finding::new(Code::LittleResidual, Effect::Block, found, text))
}

fn share_words(share: f64) -> String {
    if (0.01..10.0).contains(&share) { format!("{} of", percent(share)) } else { format!("{} times", number(share)) }
}

fn little_help(share: f64, unit: &str) -> String {
    match share {
        _ if (300.0..3000.0).contains(&share) => "R looks like milliseconds that were read as seconds.".to_owned(),
        _ if (3e5..3e6).contains(&share) => "R looks like microseconds that were read as seconds.".to_owned(),
        _ if share < 1.0 => format!(
            "Time is missing: is there a think time that was not given (Z), or does a {unit} wait outside of what R measures?"
        ),
        _ => "There is more in the system than N: is Z too large, or does R include waiting that N does not count?"
            .to_owned(),
    }
}
