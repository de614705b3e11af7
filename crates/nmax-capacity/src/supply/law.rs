//! How much n nodes do beside one: C(n) = n/D(n), from a fit over nodes or from coefficients that are stated.
//!
//! N is the number of nodes at a load in proportion. A law over users or threads of one system says nothing about more
//! nodes, so it is refused here.

use nmax_text::number::plain;
use nmax_usl::{Dimension, Fit, Model, Observation, Options, Usl, Winner, analyse, fit_model};

use crate::origin::{Assumptions, Basis, Figure};

#[cfg(test)]
mod tests;

/// Nothing is said beyond this many times what was measured.
const BEYOND: f64 = nmax_usl::gate::BEYOND;
/// Contention that is assumed where nothing was measured: optimistic and realistic.
///
/// Source: the envelope of the eBay upgrade projection in N. J. Gunther, *Hotsos* slides, 2010.
pub const ENVELOPE: (f64, f64) = (0.005, 0.03);

/// Which end of an interval an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The estimates.
    Estimate,
    /// The end of each interval that gives less capacity.
    Pessimistic,
}

/// The law of nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct NodeLaw {
    /// α of nodes.
    pub contention: Figure,
    /// β of nodes.
    pub coherency: Figure,
    /// Largest number of nodes measured; `None` when the coefficients were not measured.
    pub tested: Option<f64>,
    /// What it was fitted to; empty without a fit.
    pub observations: Vec<Observation>,
    /// The free fit, which has the band of its curve.
    fit: Option<Fit>,
}

impl NodeLaw {
    /// From coefficients that are stated, none below 0.
    pub const fn stated(contention: Figure, coherency: Figure, tested: Option<f64>) -> Self {
        Self { contention, coherency, tested, observations: Vec::new(), fit: None }
    }

    /// The envelope of contention that is assumed where nothing was measured.
    pub const fn assumed() -> Self {
        let contention = Figure { value: ENVELOPE.1, interval: Some(ENVELOPE), basis: Basis::Assumed };
        Self::stated(contention, Figure::assumed(0.0), None)
    }

    /// Fits throughput over nodes. What the data leave open goes to `about`; `tier` is the name in its sentences.
    ///
    /// # Errors
    /// Why these data give no law of nodes, as what follows `because`.
    pub fn fitted(
        observations: &[Observation],
        dimension: Dimension,
        tier: &str,
        about: &mut Assumptions,
    ) -> Result<Self, String> {
        if !matches!(dimension, Dimension::Nodes | Dimension::Other) {
            return Err(format!(
                "its N counts {}, and a law over them on one system says nothing about more nodes",
                dimension.name().replace('_', " ")
            ));
        }
        let analysis = analyse(observations, &Options { dimension: Dimension::Nodes, ..Options::default() });
        if let Some(why) = analysis.blocked() {
            return Err(why);
        }
        let fit = analysis.fit.clone().ok_or("the law cannot be fitted to these points")?;
        let tested = observations.iter().map(|one| one.n).fold(1.0, f64::max);
        // Within α, β ≥ 0: with a growing throughput per node it promises less than such data do.
        let law = fit_model(observations, Model::Usl).ok().and_then(|(curve, _)| curve.law()).unwrap_or(fit.law);
        let figure = |value: f64, of: nmax_usl::Estimate| Figure {
            value,
            interval: of.low.zip(of.high).map(|(low, high)| (low.max(0.0), high.max(value))),
            basis: Basis::Measured,
        };
        for (name, of, means) in [
            ("α", &fit.contention, "contention between nodes"),
            ("β", &fit.coherency, "coherency of nodes, which makes throughput fall"),
        ] {
            if let (Some(low), Some(high)) = (of.low, of.high)
                && low <= 0.0
            {
                about.unsupported.push(format!(
                    "That there is any {means} at {tier}: not supported by these data, because the interval of {name}, \
                     {} to {}, contains 0. Counts at the pessimistic end are for its upper end.",
                    plain(low),
                    plain(high)
                ));
            }
        }
        if fit.covariance.is_none() {
            about.unsupported.push(format!(
                "How sure the law of nodes at {tier} is: not supported by these data, because as many runs as \
                 coefficients leave nothing over for an interval."
            ));
        }
        if analysis.winner == Winner::One(Model::Knee) {
            about.unsupported.push(format!(
                "A smooth law of nodes at {tier}: not supported by these data, because a cap explains them better. A \
                 resource that all nodes share was full."
            ));
        }
        Ok(Self {
            contention: figure(law.contention, fit.contention),
            coherency: figure(law.coherency, fit.coherency),
            tested: Some(tested),
            observations: observations.to_vec(),
            fit: Some(fit),
        })
    }

    /// The law of the estimates, with γ = 1.
    pub const fn law(&self) -> Usl {
        Usl { contention: self.contention.value, coherency: self.coherency.value, unit_throughput: 1.0 }
    }

    /// C(n): how many times one node n nodes do, n ≥ 1; 0 for none.
    ///
    /// ```text
    /// C(n) = n/D(n),  D(n) = 1 + α(n−1) + βn(n−1)
    /// ```
    ///
    /// At the pessimistic end, the lower end of the 95 % band of a fit, C·exp(−t·√(gᵀCov g)) with g the gradient of
    /// ln C by (α, β); without a fit, C with both coefficients at the upper ends of their intervals.
    pub fn capacity(&self, n: u32, end: End) -> f64 {
        if n == 0 {
            return 0.0;
        }
        let n = f64::from(n);
        let estimate = self.law().throughput_at(n);
        match (end, &self.fit) {
            (End::Estimate, _) => estimate,
            (End::Pessimistic, None) => {
                let law = Usl { contention: self.contention.high(), coherency: self.coherency.high(), ..self.law() };
                law.throughput_at(n).min(estimate)
            }
            (End::Pessimistic, Some(fit)) => band_low(fit, n).map_or(estimate, |low| low.min(estimate)),
        }
    }

    /// The number of nodes with the largest C, and that C; `None` while C never falls.
    pub fn peak(&self, end: End) -> Option<(u32, f64)> {
        let limit = match (end, &self.fit) {
            (End::Pessimistic, None) => {
                let law = Usl { contention: self.contention.high(), coherency: self.coherency.high(), ..self.law() };
                law.peak_concurrency()
            }
            _ => self.law().peak_concurrency(),
        };
        // The band of a fit falls before its curve does.
        let limit = limit.map_or(NODES_MAX, |peak| (peak.ceil().max(1.0) as u32).min(NODES_MAX));
        let best = (1..=limit).map(|n| (n, self.capacity(n, end))).reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        (best.0 < NODES_MAX).then_some(best)
    }

    /// Largest number of nodes that the data support: twice those measured. `None` where nothing was measured.
    pub fn reach(&self) -> Option<f64> {
        self.tested.map(|tested| BEYOND * tested)
    }

    /// Where its coefficients come from: measured when both were.
    pub fn basis(&self) -> Basis {
        self.contention.basis.max(self.coherency.basis)
    }
}

/// Most nodes of a group that are looked at.
pub const NODES_MAX: u32 = 100_000;

/// The lower end of the 95 % band of C at `n`, where the fit has a covariance.
fn band_low(fit: &Fit, n: f64) -> Option<f64> {
    let (covariance, t) = (fit.covariance?, fit.quantile()?);
    let d = fit.law.denominator_at(n);
    if d.is_nan() || d <= 0.0 {
        return None;
    }
    let gradient = [-(n - 1.0) / d, -n * (n - 1.0) / d];
    let variance: f64 = (0..2)
        .flat_map(|i| (0..2).map(move |j| (i, j)))
        .map(|(i, j)| gradient[i] * covariance[i][j] * gradient[j])
        .sum();
    Some(n / d * (-t * variance.max(0.0).sqrt()).exp())
}
