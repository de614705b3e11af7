//! The gate for a peak of the law: it is printed only where all conditions hold.

use crate::analysis::wording::{interval, list, number};
use crate::fit::{Estimate, Fit, Regression};
use crate::ladder::{self, LEAD, Rung};
use crate::model::{Curve, Model};

/// Nothing is printed beyond this many times what was measured, in N and in X.
pub const BEYOND: f64 = 2.0;
/// Distinct N that a peak of the law needs.
pub const LEVELS_MIN: usize = 6;
/// Degrees of freedom that a peak of the law needs.
const DF_MIN: usize = 3;
/// One-sided 95 %.
const P95_ONE_SIDED: f64 = 0.95;

/// What the gate looks at.
pub(crate) struct Evidence<'a> {
    pub fit: Option<&'a Fit>,
    pub ladder: &'a [Rung],
    /// Names of blocking findings.
    pub blocked: &'a [&'static str],
    /// Whether a change of shape was found.
    pub has_shape_change: bool,
    /// The most demanding resource, and the throughput that it allows, per second.
    pub ceiling: Option<(&'a str, &'a Estimate)>,
    /// Number of runs.
    pub runs: usize,
    /// Number of distinct N.
    pub levels: usize,
    /// The largest N measured.
    pub n_hi: f64,
    /// The largest X measured, per second.
    pub x_max: f64,
}

/// What a condition found: as `Ok` it holds.
type ConditionResult = Result<String, String>;

/// The seven conditions, in order.
pub(crate) fn gate(evidence: &Evidence) -> Vec<Hold> {
    let peak = evidence.fit.and_then(Fit::peak);
    let conditions: [(&'static str, ConditionResult); 7] = [
        ("no blocking finding", unblocked(evidence)),
        ("enough points", enough(evidence)),
        ("a sound fit", sound(evidence)),
        ("coherency above 0", coherent(evidence)),
        ("the law leads", law_leads(evidence)),
        ("near the data", near(evidence, peak.as_ref())),
        ("below the measured ceiling", below_ceiling(evidence, peak.as_ref())),
    ];
    let hold = |(name, found): (_, ConditionResult)| {
        let (Ok(text) | Err(text)) = &found;
        Hold { name, holds: found.is_ok(), text: text.clone() }
    };
    conditions.map(hold).into()
}

fn unblocked(evidence: &Evidence) -> ConditionResult {
    let names = evidence.blocked.iter().map(|name| (*name).to_owned());
    match evidence.blocked {
        [] => Ok("no finding forbids a conclusion".into()),
        _ => Err(format!("the data forbid conclusions: {}", list(names))),
    }
}

fn enough(evidence: &Evidence) -> ConditionResult {
    let Evidence { runs, levels, .. } = evidence;
    let text = format!("{} at {levels} distinct N", nmax_text::number::counted(*runs as u64, "run"));
    match *levels >= LEVELS_MIN && *runs >= 3 + DF_MIN {
        true => Ok(text),
        false => Err(format!("{text}; 6 distinct N and 6 runs are the least")),
    }
}

fn sound(evidence: &Evidence) -> ConditionResult {
    let fit = evidence.fit.ok_or("the law could not be fitted")?;
    if !fit.converged {
        return Err("the fit did not converge".into());
    }
    if fit.law.has_pole(BEYOND * evidence.n_hi) {
        return Err("the fitted curve has a pole at or below twice the largest N: its denominator vanishes".into());
    }
    if fit.law.contention >= 1.0 {
        return Err("α is not below 1, so throughput never rises".into());
    }
    if !fit.at_bound.is_empty() {
        let names = fit.at_bound.iter().map(|name| (*name).to_owned());
        return Err(format!("a bound decided {}, and not the data", list(names)));
    }
    Ok("the fit converged, without a pole, with α below 1".into())
}

fn coherent(evidence: &Evidence) -> ConditionResult {
    let fit = evidence.fit.ok_or("β is not known")?;
    let beta = fit.law.coherency;
    if beta <= 0.0 {
        return Err(format!("β is {}, not above 0: without coherency there is no peak", number(beta)));
    }
    let df = fit.n.saturating_sub(fit.k);
    let covariance = fit.covariance.filter(|_| df > 0).ok_or("β has no interval")?;
    let t = crate::quantile::student_t(P95_ONE_SIDED, df as f64);
    let low = beta - t * covariance[1][1].max(0.0).sqrt();
    let text = format!("β is at least {} (one-sided 95 %)", number(low));
    if low > 0.0 { Ok(format!("{text}, above 0")) } else { Err(format!("{text}, which is not above 0")) }
}

fn law_leads(evidence: &Evidence) -> ConditionResult {
    let ladder = evidence.ladder;
    if evidence.fit.is_some_and(|fit| fit.regression == Regression::ResponseTime) {
        let text = "R was fitted on X, since the load was open: no simpler model is held against the law, and no open load is \
                    steady past a peak";
        return Err(text.into());
    }
    let law = ladder::rung(ladder, Model::Usl)
        .filter(|rung| rung.aicc.is_finite())
        .ok_or("there are too few runs to hold the law against simpler models")?;
    let best = ladder::simpler(ladder).ok_or("no simpler model could be fitted beside the law")?;
    let lead = best.aicc - law.aicc;
    let name = model_words(best.model);
    if lead <= 0.0 {
        return Err(format!("{name} explains the data better, by {:.1} in AICc", -lead));
    }
    if lead <= LEAD {
        return Err(format!(
            "{name} explains the data about as well: the law leads by {lead:.1} in AICc, and more than 4 is needed"
        ));
    }
    // The ln-variant has a peak too, far away or nearer: where it is clearly the better model, that of the law is no answer.
    if let Some(variant) = ladder::rung(ladder, Model::Ln).filter(|rung| rung.aicc + LEAD < law.aicc) {
        let (name, lead) = (model_words(Model::Ln), law.aicc - variant.aicc);
        return Err(format!("{name} explains the data better than the law, by {lead:.1} in AICc"));
    }
    if evidence.has_shape_change {
        return Err("the shape of the data changes within the range".into());
    }
    Ok(format!("the law leads linear, Amdahl and knee by at least {lead:.1} in AICc"))
}

/// A model in a sentence.
pub(crate) const fn model_words(model: Model) -> &'static str {
    match model {
        Model::Linear => "a straight line (linear)",
        Model::Amdahl => "Amdahl's law",
        Model::Usl => "the USL",
        Model::Ln => "the ln-variant",
        Model::Knee => "a cap (knee)",
    }
}

fn near(evidence: &Evidence, peak: Option<&(Estimate, Estimate)>) -> ConditionResult {
    let (n, x) = peak.ok_or(match evidence.fit {
        Some(_) => "the fitted law has no peak",
        None => "there is no law that could have one",
    })?;
    let (n_limit, x_limit) = (BEYOND * evidence.n_hi, BEYOND * evidence.x_max);
    if n.estimate > n_limit {
        return Err(format!("the peak would lie beyond twice the largest N measured, {}", number(n_limit)));
    }
    if n.high.is_none_or(|high| high > n_limit) {
        let limit = number(n_limit);
        return Err(format!("the interval of N_peak reaches beyond twice the largest N measured, {limit}"));
    }
    if x.estimate > x_limit {
        let limit = number(x_limit);
        return Err(format!("the peak would lie above twice the largest throughput measured, {limit}/s"));
    }
    Ok("N_peak with its interval and X_peak lie within twice what was measured".into())
}

fn below_ceiling(evidence: &Evidence, peak: Option<&(Estimate, Estimate)>) -> ConditionResult {
    let Some((name, ceiling)) = evidence.ceiling else {
        return Ok("no ceiling is known".into());
    };
    let (_, x) = peak.ok_or("the fitted law has no peak to compare with the ceiling")?;
    let least = x.low.unwrap_or(x.estimate);
    let most = ceiling.high.unwrap_or(ceiling.estimate);
    let of = format!("{name}, {}/s{}", number(ceiling.estimate), interval(ceiling));
    if least <= most {
        Ok(format!("the peak does not lie above the ceiling of {of}"))
    } else {
        Err(format!("the peak lies above the ceiling of {of}: it is physically impossible"))
    }
}

/// The peak of the law, for a gate that holds.
pub(crate) fn peak(evidence: &Evidence, gate: &[Hold]) -> Option<LawPeak> {
    let fit = evidence.fit.filter(|_| gate.iter().all(|hold| hold.holds))?;
    let (concurrency, throughput) = fit.peak()?;
    let limit = |(n, x): (f64, f64)| n <= BEYOND * evidence.n_hi && x <= BEYOND * evidence.x_max;
    let as_good = alternative(evidence.ladder);
    Some(LawPeak {
        concurrency,
        throughput: Estimate { high: throughput.high.filter(|high| *high <= BEYOND * evidence.x_max), ..throughput },
        integer: fit.law.peak_integer()?,
        alternative: as_good.flatten().filter(|peak| limit(*peak)),
        alternative_is_beyond: as_good.is_some_and(|peak| !peak.is_some_and(limit)),
    })
}

/// The peak of the ln-variant where it explains the data as well as the law, to within [`LEAD`], or better; `Some(None)`
/// where it does and has no peak.
fn alternative(ladder: &[Rung]) -> Option<Option<(f64, f64)>> {
    let law = ladder::rung(ladder, Model::Usl)?;
    let other = ladder::rung(ladder, Model::Ln).filter(|rung| rung.aicc <= law.aicc + LEAD)?;
    Some(match other.curve {
        curve @ Curve::Ln { .. } => curve.peak(),
        _ => None,
    })
}

/// The peak of the law.
#[derive(Clone, Debug, PartialEq)]
pub struct LawPeak {
    /// N_peak.
    pub concurrency: Estimate,
    /// X_peak, per second.
    pub throughput: Estimate,
    /// The better of the two integers beside N_peak, and X there.
    pub integer: (f64, f64),
    /// Peak of the ln-variant (N, X), when it explains the data nearly as well and its peak may be said.
    pub alternative: Option<(f64, f64)>,
    /// Whether the ln-variant explains the data nearly as well, and puts the peak beyond what may be said.
    pub alternative_is_beyond: bool,
}

/// A condition for printing the peak of the law.
#[derive(Clone, Debug, PartialEq)]
pub struct Hold {
    /// Its name, such as `enough points`.
    pub name: &'static str,
    /// Whether it holds.
    pub holds: bool,
    /// What was found, as one sentence.
    pub text: String,
}
