//! What the runs so far say: a peak, a knee or neither, how precisely, and what should be known better.

use crate::analysis::analyse;
use crate::design::choice::Question;
use crate::design::information::peak_of;
use crate::finding::Code;
use crate::fit::{self, Estimate, Fit, Method};
use crate::ladder::{aicc, parameters};
use crate::model::{Curve, Model};
use crate::observation::Observation;
use crate::options::Options;
use crate::quantile::student_t;

/// A term that adds at most this share to D at the largest N is negligible.
const NEGLIGIBLE: f64 = 0.05;
/// Runs from which AICc compares the law with a knee.
const RUNS_FOR_AICC: usize = 12;

/// A finding that blocks the answer because of the runs at one N.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Doubt {
    /// Its code.
    pub(crate) code: &'static str,
    /// N that it names.
    pub(crate) n: f64,
}

/// What more runs at some N may settle: runs there that exclude each other, or a first one that others exceed.
pub(crate) fn doubts(observations: &[Observation]) -> Vec<Doubt> {
    let mut doubts: Vec<Doubt> = Vec::new();
    for finding in analyse(observations, &Options::default()).findings {
        let code = finding.code.name();
        match finding.code {
            Code::NonStationary => {
                let named = observations.iter().filter(|run| finding.rows.contains(&run.row));
                doubts.extend(named.map(|run| Doubt { code, n: run.n }));
            }
            Code::EfficiencyOverOne => doubts.push(Doubt { code, n: 1.0 }),
            _ => {}
        }
    }
    doubts
}

/// The shape of the curve, as far as it is known.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    /// The law, with a peak within reach.
    Peak(Fit),
    /// A cap, reached at a knee.
    Knee(Knee),
    /// The law without a peak that the runs can confirm.
    Open(Fit),
    /// Nothing can be fitted yet.
    Unknown,
}

/// A fitted knee: X = min(γN, X_cap).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Knee {
    /// N at the knee, X_cap/γ.
    pub(crate) n: f64,
    /// Half-width of the 95 % interval of X_cap, relative; infinite without degrees of freedom.
    pub(crate) throughput: f64,
    /// Half-width of the 95 % interval of N at the knee, relative.
    pub(crate) concurrency: f64,
    /// Runs below the knee, and runs at it or above.
    pub(crate) runs: (usize, usize),
}

/// What the observations say.
pub(crate) fn shape(observations: &[Observation]) -> Shape {
    let Ok(fit) = fit::fit(observations, Method::Log) else {
        return Shape::Unknown;
    };
    if let Some(knee) = knee(observations, fit.rss) {
        return Shape::Knee(knee);
    }
    let high = observations.iter().map(|run| run.n).fold(0.0, f64::max);
    let within = peak_of(&fit.law).is_some_and(|n| n <= 2.0 * high);
    let sure = coherency_low(&fit).is_some_and(|low| low > 0.0);
    if within && sure { Shape::Peak(fit) } else { Shape::Open(fit) }
}

/// One-sided 95 % lower bound of β.
fn coherency_low(fit: &Fit) -> Option<f64> {
    let se = fit.covariance?[1][1].sqrt();
    Some(fit.law.coherency - student_t(0.95, fit.degrees() as f64) * se)
}

/// The knee, where it explains the runs better than the law (residual sum of squares `rss`) does.
fn knee(observations: &[Observation], rss: f64) -> Option<Knee> {
    let count = observations.len();
    let (Curve::Knee { unit_throughput, cap }, rss_knee) = fit::fit_model(observations, Model::Knee).ok()? else {
        return None;
    };
    // With few runs the correction of AICc would choose the model with fewer coefficients whatever the curve.
    let leads = if count >= RUNS_FOR_AICC {
        aicc(count, rss_knee, parameters(Model::Knee)) < aicc(count, rss, parameters(Model::Usl))
    } else {
        rss_knee < rss
    };
    if !leads {
        return None;
    }
    let n = cap / unit_throughput;
    let below = observations.iter().filter(|run| run.n < n).count();
    let above = count - below;
    if below == 0 || above == 0 {
        return None;
    }
    let sd = (rss_knee / (count - 2) as f64).sqrt();
    let half = |variance: f64| (student_t(0.975, (count - 2) as f64) * sd * variance.sqrt()).exp_m1();
    let (low, high) = (1.0 / below as f64, 1.0 / above as f64);
    Some(Knee { n, throughput: half(high), concurrency: half(low + high), runs: (below, above) })
}

/// Half-widths of the 95 % intervals of X_peak and N_peak, relative, as they will be printed; infinite with an open end,
/// `None` without a peak.
pub(crate) fn half_widths(fit: &Fit) -> Option<(f64, f64)> {
    let half =
        |value: Estimate| value.low.zip(value.high).map_or(f64::INFINITY, |(low, high)| (high / low).sqrt() - 1.0);
    let (concurrency, throughput) = fit.peak()?;
    Some((half(throughput), half(concurrency)))
}

/// Which coefficient keeps the class open: the sign of β, then that of α. `None` when both are decided.
pub(crate) fn undecided(fit: &Fit, high: f64) -> Option<Question> {
    let covariance = fit.covariance?;
    let t = student_t(0.975, fit.degrees() as f64);
    let d = fit.law.denominator_at(high);
    let decided = |value: f64, index: usize, factor: f64| {
        let half = t * covariance[index][index].sqrt();
        value.abs() > half || (value + half) * factor <= NEGLIGIBLE * d
    };
    if !decided(fit.law.coherency, 1, high * (high - 1.0)) {
        Some(Question::Coherency)
    } else if !decided(fit.law.contention, 0, high - 1.0) {
        Some(Question::Contention)
    } else {
        None
    }
}

/// N around which levels are refined: the peak or the knee, even if it is not yet certain.
pub(crate) fn centre(shape: &Shape, high: f64) -> Option<f64> {
    match shape {
        Shape::Knee(knee) => Some(knee.n),
        Shape::Peak(fit) | Shape::Open(fit) => peak_of(&fit.law).filter(|&n| n <= 2.0 * high),
        Shape::Unknown => None,
    }
}
