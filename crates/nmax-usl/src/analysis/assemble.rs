//! From observations to the whole answer.

use super::ceiling;
use super::levels::{Level, Noise, levels};
use super::spread::Spread;
use super::wording::number;
use super::{Analysis, Headline, Point};
use crate::class;
use crate::finding::data::{Sorted, sort_out};
use crate::finding::model::residual;
use crate::finding::{self, Code, Effect, Facts, Finding};
use crate::fit::{self, Estimate, Fit, Method, Regression};
use crate::gate::{self, BEYOND, Evidence};
use crate::headline;
use crate::ladder;
use crate::meaning;
use crate::observation::Observation;
use crate::observed;
use crate::options::Options;
use crate::zone;

/// Distinct N that the law needs.
const LEVELS_FITTED_MIN: usize = 3;

/// Everything that can be said about `observations`. Never fails: what cannot be said is `None`, and a finding says why.
///
/// No number in the answer is NaN, and none lies beyond twice the largest N or X measured, except AICc, which is infinite
/// for a model with too many coefficients for the data. O(n·log n) in the number of observations.
pub fn analyse(observations: &[Observation], options: &Options) -> Analysis {
    let is_open = options.regression == Regression::ResponseTime;
    let by_little = is_open.then(|| with_concurrency(observations, options.think_s));
    let Sorted { observations, left_out, findings: mut found } = sort_out(by_little.as_deref().unwrap_or(observations));
    let levels = levels(&observations);
    let (relative, chosen, trouble) = fits(&observations, &levels, options);
    let ladder = if levels.len() > 1 && !is_open { ladder::ladder(&observations) } else { Vec::new() };
    let winner = ladder::winner(&ladder);
    let x_max = observations.iter().map(|o| o.x).fold(0.0, f64::max);
    let n_hi = levels.last().map_or(0.0, |level| level.n);

    let residual = relative.as_ref().map(|fit| (fit.rss, fit.n.saturating_sub(fit.k)));
    let facts = Facts {
        options,
        observations: &observations,
        levels: &levels,
        fit: chosen.as_ref(),
        relative: relative.as_ref(),
        ladder: &ladder,
        noise: Noise::estimate(&levels, residual),
    };
    found.extend(trouble);
    found.extend(finding::findings(&facts));
    let demand = options.demand.as_ref();
    let ceiling = demand.and_then(|demand| ceiling::ceiling(demand, chosen.as_ref(), x_max));
    found.extend(ceiling.as_ref().and_then(|ceiling| ceiling::mismatch(ceiling, chosen.as_ref(), x_max)));
    found.sort_by_key(|finding| finding.effect);

    let blocked = finding::blocking(&found);
    let judged = class::judge(chosen.as_ref(), &levels, &ladder, winner, &blocked);
    let evidence = Evidence {
        fit: chosen.as_ref(),
        ladder: &ladder,
        blocked: &blocked,
        has_shape_change: found.iter().any(|finding| finding.code == Code::ShapeChange),
        ceiling: ceiling.as_ref().map(|ceiling| (ceiling.name.as_str(), &ceiling.throughput)),
        runs: observations.len(),
        levels: levels.len(),
        n_hi,
        x_max,
    };
    let gate = gate::gate(&evidence);
    let peak = gate::peak(&evidence, &gate);
    let points = points(&observations, &levels, chosen.as_ref(), options);
    let mut analysis = Analysis {
        options: options.clone(),
        left_out,
        winner,
        contention_sign: judged.contention,
        coherency_sign: judged.coherency,
        class: judged.class,
        class_text: judged.text,
        best: observed::best(&levels).map(|level| (level.n, level.x)),
        observed_peak: observed::observed_peak(&levels),
        peak,
        gate,
        roof: within(chosen.as_ref().and_then(Fit::roof), BEYOND * x_max),
        optimum: within(chosen.as_ref().and_then(Fit::optimum), BEYOND * n_hi),
        ceiling,
        findings: found,
        points,
        headline: Headline::default(),
        meaning: Default::default(),
        fit: chosen,
        ladder,
        observations,
    };
    analysis.headline = headline::headline(&analysis, &levels);
    analysis.meaning = meaning::meaning(&analysis, &levels);
    analysis
}

/// The law by relative errors, by the chosen method, and what kept the latter from being found.
fn fits(
    observations: &[Observation],
    levels: &[Level],
    options: &Options,
) -> (Option<Fit>, Option<Fit>, Option<Finding>) {
    if levels.len() < LEVELS_FITTED_MIN {
        return (None, None, None);
    }
    let relative = match options.regression {
        Regression::Throughput => fit::fit(observations, Method::Log),
        Regression::ResponseTime => fit::fit_open(observations, options.think_s),
    };
    let chosen = match (options.regression, options.method) {
        (Regression::ResponseTime, _) | (_, Method::Log) => relative.clone(),
        (Regression::Throughput, method) => fit::fit(observations, method),
    };
    let trouble = match &chosen {
        Ok(fit) => runaway(fit, observations),
        Err(error) => Some(format!("The law has no coefficients for these data: {error}.")),
    };
    let Some(trouble) = trouble else {
        return (relative.ok(), chosen.ok(), None);
    };
    let text = format!("{trouble} No model with a peak is fitted.");
    let finding = Finding::new(Code::NoFit, Effect::Block, Vec::new(), text);
    let relative = relative.ok().filter(|fit| runaway(fit, observations).is_none());
    (relative, None, Some(finding))
}

/// Open loads with N = X·(R + Z), by Little's law; without a usable R there is none.
fn with_concurrency(observations: &[Observation], think_s: f64) -> Vec<Observation> {
    let with = |o: &Observation| Observation {
        n: o.r_s.filter(|r_s| *r_s > 0.0).map_or(f64::NAN, |r_s| o.x * (r_s + think_s)),
        ..o.clone()
    };
    observations.iter().map(with).collect()
}

/// Why coefficients are no answer although they were found: one unit alone would do more than twice what was ever
/// measured, so α, β and γ together stand for a range of N that nobody has seen.
fn runaway(fit: &Fit, observations: &[Observation]) -> Option<String> {
    let x_max = observations.iter().map(|o| o.x).fold(0.0, f64::max);
    let least = observations.first().map_or(1.0, |o| o.n);
    (fit.law.unit_throughput > BEYOND * x_max).then(|| {
        format!(
            "These data do not determine the law: one unit alone would do more than twice the largest throughput measured, which is \
             {}/s, and the smallest N measured is {}. Measure at smaller N, best at 1 as well.",
            number(x_max),
            number(least)
        )
    })
}

/// A value that may be said, with the ends of its interval that may.
fn within(value: Option<Estimate>, limit: f64) -> Option<Estimate> {
    let value = value.filter(|value| value.estimate <= limit)?;
    Some(Estimate { high: value.high.filter(|high| *high <= limit), ..value })
}

fn points(observations: &[Observation], levels: &[Level], fit: Option<&Fit>, options: &Options) -> Vec<Point> {
    let one = levels.first().filter(|level| level.n == 1.0).map(|level| level.x);
    let gamma = fit.map(|fit| fit.law.unit_throughput).filter(|gamma| *gamma > 0.0);
    let spread = fit.and_then(Spread::from_fit);
    let is_open = options.regression == Regression::ResponseTime;
    let point = |o: &Observation| {
        let by_law = fit.map(|fit| fit.law.throughput_at(o.n)).filter(|x| x.is_finite() && *x > 0.0);
        let law = fit.filter(|_| by_law.is_some());
        let bounded = law.zip(spread.as_ref());
        Point {
            row: o.row,
            n: o.n,
            x: o.x,
            r_s: o.r_s.or_else(|| by_little(o, options)),
            capacity: one.or(gamma).map(|unit| o.x / unit),
            efficiency: one.map(|one| o.x / (o.n * one)),
            efficiency_of_law: gamma.map(|gamma| o.x / (o.n * gamma)),
            fitted: by_law.filter(|_| !is_open),
            band: bounded.and_then(|(fit, spread)| spread.band_at(&fit.law, o.n)),
            residual: law.and_then(|fit| match fit.regression {
                Regression::Throughput => Some(residual(fit, o)),
                Regression::ResponseTime => residual_of_time(fit, o, options.think_s),
            }),
            zone: bounded
                .filter(|_| !is_open)
                .and_then(|(fit, spread)| zone::zone(&fit.law, spread, (o.n, o.x), o.weight)),
        }
    };
    observations.iter().map(point).collect()
}

/// ln R − ln R̂ with R̂ = N(X)/X − Z on the branch below the peak.
fn residual_of_time(fit: &Fit, o: &Observation, think_s: f64) -> Option<f64> {
    let expected = fit.law.concurrency_at(o.x).ok()? / o.x - think_s;
    Some((o.r_s? / expected).ln()).filter(|residual| residual.is_finite())
}

/// R = N/X − Z, where N counts what is in the system.
fn by_little(o: &Observation, options: &Options) -> Option<f64> {
    let r_s = o.n / o.x - options.think_s;
    (options.dimension.counts_concurrency() && r_s > 0.0 && r_s.is_finite()).then_some(r_s)
}
