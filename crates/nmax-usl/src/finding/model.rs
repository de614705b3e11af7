//! What the fits say about the data: signs, outliers, caps, bounds, and what was not measured.

use super::{Code, Effect, Facts, Finding};
use crate::analysis::spread::Spread;
use crate::analysis::wording::{interval, list, number, percent, units};
use crate::class::is_rounding;
use crate::fit::{Estimate, Fit, Regression, Scale};
use crate::gate::BEYOND;
use crate::ladder::{self, Winner};
use crate::model::{Curve, Model};
use crate::observation::Observation;
use crate::observed;

/// Chance of a false alarm that all points share when outliers are looked for.
const FAMILY: f64 = 0.05;
/// Share by which throughput at the largest N has to be lower than the largest to have fallen.
const FALLEN: f64 = 0.05;
/// Relative residuals below this are rounding.
const ROUNDING: f64 = 1e-6;

/// α or β below 0.
pub(crate) fn negative_coefficient(facts: &Facts) -> Option<Finding> {
    let (fit, last) = (facts.fit?, facts.levels.last()?);
    let (n, d) = (last.n, fit.law.denominator_at(last.n));
    let is_negative = |of: &Estimate, factor: f64| of.estimate < 0.0 && !is_rounding(of, |value| value * factor / d);
    let alpha = is_negative(&fit.contention, n - 1.0).then(|| alpha_text(fit, BEYOND * last.n));
    let beta = is_negative(&fit.coherency, n * (n - 1.0)).then(|| beta_text(fit));
    let texts: Vec<String> = alpha.into_iter().chain(beta).collect();
    let text = texts.join(" ");
    (!texts.is_empty()).then(|| Finding::new(Code::NegativeCoefficient, Effect::Warn, Vec::new(), text))
}

fn alpha_text(fit: &Fit, n_max: f64) -> String {
    let alpha = &fit.contention;
    let value = format!("Contention α is {}{}", number(alpha.estimate), interval(alpha));
    if alpha.high.is_some_and(|high| high < 0.0) {
        let until = fit
            .law
            .payback()
            .filter(|n| *n <= n_max)
            .map_or_else(String::new, |n| format!(", and is paid back from N = {} on", number(n)));
        format!(
            "{value}, below 0: growth is superlinear, a hidden boost of capacity that is real only with a cause{until}. \
             First suspect the data: X(1) too low, caches that grow with N, another dimension that grew along."
        )
    } else if alpha.low.is_none() {
        format!("{value}; with so few runs it has no interval, so nothing follows from its sign.")
    } else {
        format!("{value}; it cannot be told from 0, so no contention is seen in these data.")
    }
}

fn beta_text(fit: &Fit) -> String {
    let beta = &fit.coherency;
    let value = format!("Coherency β is {}{}", number(beta.estimate), interval(beta));
    if beta.high.is_some_and(|high| high < 0.0) {
        format!(
            "{value}, below 0, which no system has: the data bend upwards at large N. There is no peak; only a straight line \
             and Amdahl's law remain."
        )
    } else if beta.low.is_none() {
        format!(
            "{value}; with so few runs it has no interval, so nothing follows from its sign. Without a β above 0 the law has no \
             peak, so none is printed."
        )
    } else {
        format!(
            "{value}; it cannot be told from 0. The law becomes Amdahl's law, which has no peak, so none is printed."
        )
    }
}

/// Points far from the law, by externally studentized residuals.
///
/// ```text
/// t_i = e_i / (s_(i)·√(1−h_i)),  |t_i| > t(1 − .05/(2n), n−k−1)
/// ```
///
/// - e: residual; h: leverage; s_(i): residual deviation without point i
///
/// Bonferroni over all points: in 95 of 100 clean sets nothing is flagged.
///
/// Source: R. D. Cook, S. Weisberg, *Residuals and Influence in Regression* (1982), sect. 2.2.
pub(crate) fn outlier(facts: &Facts) -> Option<Finding> {
    let fit = facts.fit.filter(|fit| fit.regression == Regression::Throughput)?;
    let spread = Spread::from_fit(fit)?;
    let df = spread.df.checked_sub(1).filter(|df| *df >= 1)? as f64;
    let limit = crate::quantile::student_t(1.0 - FAMILY / (2.0 * facts.observations.len() as f64), df);
    let studentized = |o: &Observation| -> Option<f64> {
        let residual = residual(fit, o);
        let relative = (o.x / fit.law.throughput_at(o.n) - 1.0).abs();
        let leverage = o.weight * spread.variance_of(spread.scale.gradient(&fit.law, o.n)) / spread.variance;
        let free = 1.0 - leverage;
        let square = o.weight * residual * residual / free;
        let others = (fit.rss - square) / df;
        (relative > ROUNDING && free > 1e-9).then(|| (square / others.max(0.0)).sqrt())
    };
    let far: Vec<&Observation> =
        facts.observations.iter().filter(|o| studentized(o).is_some_and(|t| t > limit)).collect();
    let places = far.iter().map(|o| {
        let apart = o.x / fit.law.throughput_at(o.n) - 1.0;
        let side = if apart < 0.0 { "below" } else { "above" };
        format!("N = {} ({} {side} the law)", number(o.n), percent(apart.abs()))
    });
    let text = format!(
        "Outlier at {}: its studentized residual is beyond {}, which in clean data happens to one set in 20. It is kept in the \
         fit. Find out what was different in that run before it is left out, and say so when it is.",
        list(places),
        number(limit),
    );
    let found = far.iter().map(|o| o.row).collect::<Vec<_>>();
    (!found.is_empty()).then(|| Finding::new(Code::Outlier, Effect::Warn, found, text))
}

/// Residual of an observation in the scale of the fit.
pub(crate) fn residual(fit: &Fit, observation: &Observation) -> f64 {
    let fitted = fit.law.throughput_at(observation.n);
    match fit.scale {
        Scale::Log => (observation.x / fitted).ln(),
        Scale::Linear => observation.x - fitted,
    }
}

/// Coefficients of the law that a bound decided.
pub(crate) fn at_bound(facts: &Facts) -> Option<Finding> {
    let fit = facts.fit.filter(|fit| !fit.at_bound.is_empty())?;
    let text = format!(
        "A bound decided {}, and not the data: the value has no interval, and what follows from it is the bound's. No peak is \
         stated.",
        list(fit.at_bound.iter().map(|name| (*name).to_owned())),
    );
    Some(Finding::new(Code::AtBound, Effect::Warn, Vec::new(), text))
}

/// Models of the ladder that sit on a bound of theirs: each is named, since a bound is no result.
pub(crate) fn at_bound_of_ladder(facts: &Facts) -> Option<Finding> {
    let held = |curve: &Curve| match *curve {
        Curve::Amdahl { contention, .. } if contention <= 0.0 => {
            Some("α = 0 in Amdahl's law, which makes it a straight line")
        }
        Curve::Amdahl { contention, .. } if contention >= 1.0 => Some("α = 1 in Amdahl's law"),
        Curve::Ln { contention, .. } if contention <= -1.0 => Some("α = -1 in the ln-variant"),
        Curve::Ln { coherency, .. } if coherency <= 0.0 => Some("β = 0 in the ln-variant, which makes it Amdahl's law"),
        Curve::Usl(law) if law.coherency <= 0.0 => Some("β = 0 in the law, which makes it Amdahl's law"),
        Curve::Usl(law) if law.contention <= 0.0 => Some("α = 0 in the law"),
        _ => None,
    };
    let names: Vec<String> = facts.ladder.iter().filter_map(|rung| held(&rung.curve)).map(str::to_owned).collect();
    let text = format!(
        "At a bound in the ladder of models, where α and β are not allowed to be negative: {}. A bound is not a result.",
        list(names.iter().cloned())
    );
    (!names.is_empty()).then(|| Finding::new(Code::AtBound, Effect::Note, Vec::new(), text))
}

/// Nothing measured beyond the peak: neither an observed peak, nor a point beyond that of the law.
pub(crate) fn nothing_past_peak(facts: &Facts) -> Option<Finding> {
    // An open load is never steady past a peak, so there is nothing to ask for.
    let fit = facts.fit.filter(|fit| fit.regression == Regression::Throughput)?;
    let last = facts.levels.last()?;
    let is_capped = ladder::winner(facts.ladder) == Winner::One(Model::Knee);
    let is_past = fit.law.peak_concurrency().is_some_and(|n| n <= last.n);
    if is_capped || is_past || observed::observed_peak(facts.levels).is_some() {
        return None;
    }
    let top = observed::best(facts.levels)?;
    if top.n < last.n && last.x < top.x * (1.0 - FALLEN) {
        return None;
    }
    let state = if top.n == last.n {
        "throughput was still the largest there".to_owned()
    } else {
        format!("throughput was the largest at N = {} and has not fallen beyond noise", number(top.n))
    };
    let text = format!(
        "Nothing was measured past a peak: the largest N is {}, and {state}. Where throughput falls, and whether it does, is \
         extrapolation from here. Measure at up to {} {}, while the system bears it.",
        number(last.n),
        number(BEYOND * last.n),
        units(facts.options.dimension),
    );
    let effect = if fit.law.coherency > 0.0 { Effect::Warn } else { Effect::Note };
    Some(Finding::new(Code::NothingPastPeak, effect, facts.rows_of([last]), text))
}
