//! From an optimum to a [`Fit`]: covariance, intervals, band and peak.

use super::search::Optimum;
use super::solve::State;
use super::table::Table;
use super::{Estimate, Fit, Method, Regression, Scale, profile};
use crate::law::Usl;
use crate::observation::Observation;
use crate::quantile::student_t;

/// Symmetric 3×3, of (α, β, γ or ln γ).
type Covariance = [[f64; 3]; 3];

/// What a search found, in the terms that every fit shares.
pub(crate) struct Assembly {
    pub(crate) method: Method,
    pub(crate) regression: Regression,
    pub(crate) scale: Scale,
    pub(crate) law: Usl,
    pub(crate) rss: f64,
    /// (JᵀWJ)⁻¹ of (α, β, γ or ln γ).
    pub(crate) inverse: Option<Covariance>,
    pub(crate) converged: bool,
    pub(crate) at_bound: Vec<&'static str>,
}

/// Puts together a fit of X on N.
pub(crate) fn assemble(observations: &[Observation], table: &Table, method: Method, found: &Optimum) -> Fit {
    let state = &found.solution.state;
    let unit_throughput = match table.scale {
        Scale::Log => state.gain.exp(),
        Scale::Linear => state.gain,
    };
    let assembly = Assembly {
        method,
        regression: Regression::Throughput,
        scale: table.scale,
        law: Usl { contention: state.alpha, coherency: state.beta, unit_throughput },
        rss: state.rss,
        inverse: inverse(state, !method.takes_unit()),
        converged: found.solution.converged(),
        at_bound: found.at_bound.clone(),
    };
    let mut fit = assemble_from(observations, assembly);
    if method == Method::Log {
        profile::refine(&mut fit, table);
    }
    fit
}

/// Adds covariance, intervals and peak to what a search found.
pub(crate) fn assemble_from(observations: &[Observation], found: Assembly) -> Fit {
    let Assembly { method, regression, scale, law, rss, inverse, converged, at_bound } = found;
    let (n, k) = (observations.len(), method.coefficients());
    let degrees = n.saturating_sub(k);
    let sound = degrees > 0 && converged && at_bound.is_empty();
    let covariance = inverse.filter(|_| sound).map(|inverse| inverse.map(|row| row.map(|v| v * rss / degrees as f64)));
    let quantile = covariance.map(|_| student_t(0.975, degrees as f64));
    let value = |name, estimate| Estimate { at_bound: at_bound.contains(&name), ..Estimate::bare(estimate) };
    let mut fit = Fit {
        method,
        regression,
        law,
        scale,
        n,
        k,
        rss,
        covariance,
        converged,
        r_squared: r_squared(observations, &law),
        contention: value("contention", law.contention),
        coherency: value("coherency", law.coherency),
        unit_throughput: value("unit_throughput", law.unit_throughput),
        at_bound,
        profiled: Vec::new(),
        peak: None,
        quantile,
    };
    fit.fill_intervals();
    fit.peak = fit.peak_by_delta();
    fit
}

/// (JᵀWJ)⁻¹ from the projected columns: with A their normal matrix and p what γ's column explains of each, its blocks
/// are A⁻¹ for (α, β), −A⁻¹p, and 1/|c_γ|² + pᵀA⁻¹p for γ.
fn inverse(state: &State, unit_fitted: bool) -> Option<Covariance> {
    let [aa, ab, bb] = state.normal;
    let det = aa * bb - ab * ab;
    if !(det > 0.0 && det.is_finite()) {
        return None;
    }
    let mut c = [[bb / det, -ab / det, 0.0], [-ab / det, aa / det, 0.0], [0.0; 3]];
    if unit_fitted {
        let p = state.explained;
        let along = [c[0][0] * p[0] + c[0][1] * p[1], c[1][0] * p[0] + c[1][1] * p[1]];
        for i in 0..2 {
            c[i][2] = -along[i];
            c[2][i] = -along[i];
        }
        c[2][2] = 1.0 / state.gain_square + p[0] * along[0] + p[1] * along[1];
    }
    c.iter().flatten().all(|v| v.is_finite()).then_some(c)
}

/// 1 − RSS/TSS of X; 0 when all X are equal.
fn r_squared(observations: &[Observation], law: &Usl) -> f64 {
    let mean = observations.iter().map(|o| o.x).sum::<f64>() / observations.len() as f64;
    let total: f64 = observations.iter().map(|o| (o.x - mean).powi(2)).sum();
    let rest: f64 = observations.iter().map(|o| (o.x - law.throughput_at(o.n)).powi(2)).sum();
    let r_squared = 1.0 - rest / total;
    if r_squared.is_finite() { r_squared } else { 0.0 }
}

impl Fit {
    /// Degrees of freedom, n − k.
    pub fn degrees(&self) -> usize {
        self.n.saturating_sub(self.k)
    }

    /// Residual standard deviation √(RSS/(n−k)), in the scale's units; `None` without degrees of freedom.
    pub fn residual_sd(&self) -> Option<f64> {
        (self.degrees() > 0).then(|| (self.rss / self.degrees() as f64).sqrt())
    }

    /// Student's t of the 95 % intervals, t(.975, n−k).
    pub fn quantile(&self) -> Option<f64> {
        self.quantile
    }

    /// Standard errors of (α, β, γ or ln γ). `None` where there is no covariance; γ that was given has 0.
    pub fn standard_errors(&self) -> Option<[f64; 3]> {
        self.covariance.map(|c| [c[0][0].sqrt(), c[1][1].sqrt(), c[2][2].sqrt()])
    }

    /// Correlations (α β, α γ, β γ). `None` where there is no covariance, 0 with a given γ.
    pub fn correlations(&self) -> Option<[f64; 3]> {
        let c = self.covariance?;
        let of = |i: usize, j: usize| {
            let product = c[i][i] * c[j][j];
            if product > 0.0 { c[i][j] / product.sqrt() } else { 0.0 }
        };
        Some([of(0, 1), of(0, 2), of(1, 2)])
    }

    /// Intervals of the coefficients from the covariance: estimate ± t·SE, γ by exp(ln γ ± t·SE) in the log scale.
    fn fill_intervals(&mut self) {
        let (Some(se), Some(t)) = (self.standard_errors(), self.quantile) else {
            return;
        };
        let around = |e: &mut Estimate, se: f64| {
            e.low = Some(e.estimate - t * se);
            e.high = Some(e.estimate + t * se);
        };
        around(&mut self.contention, se[0]);
        around(&mut self.coherency, se[1]);
        if self.method.takes_unit() {
            return;
        }
        match self.scale {
            Scale::Linear => around(&mut self.unit_throughput, se[2]),
            Scale::Log => self.unit_throughput = exponential(self.unit_throughput.estimate, t * se[2]),
        }
    }

    /// Gradient of X̂(N) (or of ln X̂(N) in the log scale) by (α, β, γ or ln γ).
    pub fn gradient_at(&self, n: f64) -> [f64; 3] {
        self.scale.gradient(&self.law, n)
    }

    /// 95 % band of the mean throughput at `n`, per second: X̂ ± t·√(fᵀ Cov f), or exp of that for ln X̂. It varies
    /// with N. `None` without covariance or where the law has a pole up to `n`.
    pub fn band_at(&self, n: f64) -> Option<(f64, f64)> {
        let (c, t) = (self.covariance?, self.quantile?);
        if n.is_nan() || n < 1.0 || self.law.has_pole(n) {
            return None;
        }
        let half = t * quadratic(&c, self.gradient_at(n)).sqrt();
        self.scale.around(self.law.throughput_at(n), half)
    }

    /// N_peak and X_peak (per second) of the law with their intervals, whether or not they may be believed. `None`
    /// without a peak.
    pub fn peak(&self) -> Option<(Estimate, Estimate)> {
        self.peak
    }

    /// Intervals by the delta method in ln N_peak, gradient (−1/(2(1−α)), −1/(2β), 0), and in ln X_peak, gradient
    /// f(N_peak) since dX/dN = 0 there.
    fn peak_by_delta(&self) -> Option<(Estimate, Estimate)> {
        let (n, x) = (self.law.peak_concurrency()?, self.law.peak_throughput()?);
        let at_bound = !self.at_bound.is_empty();
        let bare = |estimate| Estimate { at_bound, ..Estimate::bare(estimate) };
        let (Some(c), Some(t)) = (self.covariance, self.quantile) else {
            return Some((bare(n), bare(x)));
        };
        let place = [-0.5 / (1.0 - self.law.contention), -0.5 / self.law.coherency, 0.0];
        let height = match self.scale {
            Scale::Log => self.gradient_at(n),
            Scale::Linear => self.gradient_at(n).map(|g| g / x),
        };
        Some((exponential(n, t * quadratic(&c, place).sqrt()), exponential(x, t * quadratic(&c, height).sqrt())))
    }

    /// γ/α, per second, with its interval. `None` without contention. The interval is by the delta method in
    /// ln γ − ln α; where that of α reaches 0 there is no upper end.
    pub fn roof(&self) -> Option<Estimate> {
        let roof = self.law.roof()?;
        let slope = match self.scale {
            Scale::Log => 1.0,
            Scale::Linear => 1.0 / self.law.unit_throughput,
        };
        Some(self.over_contention(roof, slope))
    }

    /// 1/α with its interval. `None` without contention.
    pub fn optimum(&self) -> Option<Estimate> {
        Some(self.over_contention(self.law.optimum()?, 0.0))
    }

    /// Interval of a value whose logarithm has the gradient (−1/α, 0, `unit`).
    fn over_contention(&self, estimate: f64, unit: f64) -> Estimate {
        let (Some(c), Some(t)) = (self.covariance, self.quantile) else {
            return Estimate { at_bound: self.at_bound.contains(&"contention"), ..Estimate::bare(estimate) };
        };
        let half = t * quadratic(&c, [-1.0 / self.law.contention, 0.0, unit]).sqrt();
        let mut value = exponential(estimate, half);
        if self.contention.low.is_none_or(|low| low <= 0.0) {
            value.high = None;
        }
        value
    }
}

/// fᵀ C f, not below 0.
pub(crate) fn quadratic(c: &Covariance, f: [f64; 3]) -> f64 {
    let mut sum = 0.0;
    for i in 0..3 {
        for j in 0..3 {
            sum += f[i] * c[i][j] * f[j];
        }
    }
    sum.max(0.0)
}

/// exp(ln value ± half); an end that overflows is left open.
fn exponential(value: f64, half: f64) -> Estimate {
    let finite = |end: f64| Some(end).filter(|end| end.is_finite());
    Estimate { estimate: value, low: finite(value * (-half).exp()), high: finite(value * half.exp()), at_bound: false }
}
