//! From observations to the whole answer.

use super::ceiling;
use super::levels::{Level, Noise, levels};
use super::spread::Spread;
use super::{Analysis, Options, Point};
use crate::class;
use crate::finding::data::{Sorted, sort_out};
use crate::finding::model::residual;
use crate::finding::{self, Code, Effect, Facts, Finding};
use crate::fit::{self, Estimate, Fit, Method};
use crate::gate::{self, BEYOND, Evidence};
use crate::ladder;
use crate::meaning;
use crate::observation::Observation;
use crate::observed;
use crate::zone;

/// Distinct N that the law needs.
const LEVELS_FITTED_MIN: usize = 3;

/// Everything that can be said about `observations`. Never fails: what cannot be said is `None`, and a finding says why.
///
/// No number in the answer is NaN, and none lies beyond twice the largest N or X measured, except AICc, which is infinite
/// for a model with too many coefficients for the data. O(n·log n) in the number of observations.
pub fn analyse(observations: &[Observation], options: &Options) -> Analysis {
    let Sorted {
        observations,
        left_out,
        findings: mut found,
    } = sort_out(observations);
    let levels = levels(&observations);
    let (relative, chosen, trouble) = fits(&observations, &levels, options.method);
    let ladder = if levels.len() > 1 {
        ladder::ladder(&observations)
    } else {
        Vec::new()
    };
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
        noise: Noise::of(&levels, residual),
    };
    found.extend(trouble);
    found.extend(finding::findings(&facts));
    let demand = options.demand.as_ref();
    let ceiling = demand.and_then(|demand| ceiling::ceiling(demand, chosen.as_ref(), x_max));
    found.extend(
        ceiling
            .as_ref()
            .and_then(|ceiling| ceiling::mismatch(ceiling, chosen.as_ref(), x_max)),
    );
    found.sort_by_key(|finding| finding.effect.rank());

    let blocked = blocking(&found);
    let judged = class::judge(chosen.as_ref(), &levels, &ladder, winner, &blocked);
    let evidence = Evidence {
        fit: chosen.as_ref(),
        ladder: &ladder,
        blocked: &blocked,
        has_shape_change: found.iter().any(|finding| finding.code == Code::ShapeChange),
        ceiling: ceiling.as_ref(),
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
        meaning: Default::default(),
        fit: chosen,
        ladder,
        observations,
    };
    analysis.meaning = meaning::meaning(&analysis, &levels);
    analysis
}

/// The law by relative errors, by the chosen method, and what kept the latter from being found.
fn fits(observations: &[Observation], levels: &[Level], method: Method) -> (Option<Fit>, Option<Fit>, Option<Finding>) {
    if levels.len() < LEVELS_FITTED_MIN {
        return (None, None, None);
    }
    let relative = fit::fit(observations, Method::Log);
    let chosen = match method {
        Method::Log => relative.clone(),
        _ => fit::fit(observations, method),
    };
    let trouble = chosen.as_ref().err().map(|error| {
        let text = format!("The law has no coefficients for these data: {error}. No model with a peak is fitted.");
        Finding::new(Code::NoFit, Effect::Block, Vec::new(), text)
    });
    (relative.ok(), chosen.ok(), trouble)
}

/// Names of blocking findings, each once.
fn blocking(findings: &[Finding]) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = findings
        .iter()
        .filter(|finding| finding.effect == Effect::Block)
        .map(|finding| finding.code.name())
        .collect();
    names.dedup();
    names
}

/// A value that may be said, with the ends of its interval that may.
fn within(value: Option<Estimate>, limit: f64) -> Option<Estimate> {
    let value = value.filter(|value| value.estimate <= limit)?;
    Some(Estimate {
        high: value.high.filter(|high| *high <= limit),
        ..value
    })
}

fn points(observations: &[Observation], levels: &[Level], fit: Option<&Fit>, options: &Options) -> Vec<Point> {
    let one = levels.first().filter(|level| level.n == 1.0).map(|level| level.x);
    let gamma = fit.map(|fit| fit.law.unit_throughput).filter(|gamma| *gamma > 0.0);
    let spread = fit.and_then(Spread::of);
    let point = |o: &Observation| {
        let fitted = fit
            .map(|fit| fit.law.throughput_at(o.n))
            .filter(|x| x.is_finite() && *x > 0.0);
        let law = fit.filter(|_| fitted.is_some());
        let bounded = law.zip(spread.as_ref());
        Point {
            row: o.row,
            n: o.n,
            x: o.x,
            r_s: o.r_s.or_else(|| by_little(o, options)),
            capacity: one.or(gamma).map(|unit| o.x / unit),
            efficiency: one.map(|one| o.x / (o.n * one)),
            efficiency_of_law: gamma.map(|gamma| o.x / (o.n * gamma)),
            fitted,
            band: bounded.and_then(|(fit, spread)| spread.band_at(&fit.law, o.n)),
            residual: law.map(|fit| residual(fit, o)),
            zone: bounded.and_then(|(fit, spread)| zone::zone(&fit.law, spread, (o.n, o.x), o.weight)),
        }
    };
    observations.iter().map(point).collect()
}

/// R = N/X − Z, where N counts what is in the system.
fn by_little(o: &Observation, options: &Options) -> Option<f64> {
    let r_s = o.n / o.x - options.think_s;
    (options.dimension.counts_concurrency() && r_s > 0.0 && r_s.is_finite()).then_some(r_s)
}
