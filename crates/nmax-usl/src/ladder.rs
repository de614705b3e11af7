//! The ladder of models: which one explains the data, by AICc of relative errors.

use crate::fit;
use crate::model::{Curve, Model};
use crate::observation::Observation;

/// Distance in AICc by which a model has to lead before it is said to be the better one.
pub const LEAD: f64 = 4.0;
/// Relative error that counts as none: no measurement has more digits, and a sum of squares of 0 has no logarithm.
const RELATIVE_ERROR_MIN: f64 = 1e-9;

/// AICc of a model with residual sum of squares `rss` over `n` observations.
///
/// ```text
/// AICc = n·ln(RSS/n) + 2k + 2k(k+1)/(n−k−1)
/// ```
///
/// - RSS: residual sum of squares of ln X, dimensionless
/// - k: parameters of the model and the variance
///
/// Infinite for n ≤ k + 1. Residuals below 1e-9 count as 1e-9.
///
/// Source: C. M. Hurvich, C.-L. Tsai, *Biometrika* 76 (1989), 297.
pub fn aicc(n: usize, rss: f64, k: usize) -> f64 {
    if n <= k + 1 || !rss.is_finite() {
        return f64::INFINITY;
    }
    let (n, k) = (n as f64, k as f64);
    let mean = (rss / n).max(RELATIVE_ERROR_MIN * RELATIVE_ERROR_MIN);
    n * mean.ln() + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
}

/// Parameters that AICc counts: coefficients and the variance.
pub const fn parameters(model: Model) -> usize {
    model.coefficients() + 1
}

/// Fits every model, in the order of [`Model::ALL`]; those that cannot be fitted are left out.
pub fn ladder(observations: &[Observation]) -> Vec<Rung> {
    let fitted = Model::ALL.into_iter().filter_map(|model| {
        let (curve, rss) = fit::fit_model(observations, model).ok()?;
        let k = parameters(model);
        Some(Rung { model, curve, k, rss, aicc: aicc(observations.len(), rss, k), delta: 0.0 })
    });
    let mut rungs: Vec<Rung> = fitted.collect();
    let best = rungs.iter().map(|rung| rung.aicc).fold(f64::INFINITY, f64::min);
    for rung in &mut rungs {
        rung.delta = if rung.aicc.is_finite() { rung.aicc - best } else { f64::INFINITY };
    }
    rungs
}

/// The model that leads every other by more than [`LEAD`]; none while one of them has too few observations to be
/// compared.
pub fn winner(ladder: &[Rung]) -> Winner {
    let comparable = ladder.len() > 1 && ladder.iter().all(|rung| rung.aicc.is_finite());
    let leading = ladder.iter().find(|rung| leads(ladder, &[rung.model], |other| other != rung.model));
    match leading {
        Some(rung) if comparable => Winner::One(rung.model),
        _ => Winner::NotDistinguishable,
    }
}

/// A model's rung.
pub(crate) fn rung(ladder: &[Rung], model: Model) -> Option<&Rung> {
    ladder.iter().find(|rung| rung.model == model)
}

/// The best of the models that are simpler than the law.
pub(crate) fn simpler(ladder: &[Rung]) -> Option<&Rung> {
    let simpler = ladder.iter().filter(|rung| matches!(rung.model, Model::Linear | Model::Amdahl | Model::Knee));
    simpler.min_by(|a, b| a.aicc.total_cmp(&b.aicc))
}

/// The least AICc of some models; infinite when there is none.
pub(crate) fn least(ladder: &[Rung], of: impl Fn(Model) -> bool) -> f64 {
    let chosen = ladder.iter().filter(|rung| of(rung.model));
    chosen.map(|rung| rung.aicc).fold(f64::INFINITY, f64::min)
}

/// Whether the best of `family` leads each of the `others` by more than [`LEAD`].
pub(crate) fn leads(ladder: &[Rung], family: &[Model], others: impl Fn(Model) -> bool) -> bool {
    least(ladder, |model| family.contains(&model)) + LEAD < least(ladder, others)
}

/// A model in the ladder.
#[derive(Clone, Debug, PartialEq)]
pub struct Rung {
    /// Which.
    pub model: Model,
    /// With its coefficients, by relative errors.
    pub curve: Curve,
    /// Parameters counted by AICc: coefficients and the variance.
    pub k: usize,
    /// Residual sum of squares of ln X.
    pub rss: f64,
    /// AICc; infinite with too few observations.
    pub aicc: f64,
    /// Distance to the best rung.
    pub delta: f64,
}

/// Which model leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Winner {
    /// It leads every other by more than 4.
    One(Model),
    /// Several are as good.
    NotDistinguishable,
}
