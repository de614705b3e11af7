//! How much n nodes do beside one: C(n) = n/D(n), from a fit over nodes or from coefficients that are stated.
//!
//! N is the number of nodes at a load in proportion. A law over users or threads of one system says nothing about more
//! nodes, so it is refused here.

use nmax_text::number::plain;
use nmax_usl::random::Random;
use nmax_usl::{Dimension, Fit, Model, Observation, Options, Usl, Winner, analyse, fit_model};

use crate::origin::{Assumptions, Basis, Figure};

#[cfg(test)]
mod tests;

/// Nothing is said beyond this many times what was measured.
const BEYOND: f64 = nmax_usl::gate::BEYOND;
/// Upper quantile of the normal distribution of a 95 % interval.
const Z: f64 = 1.959_963_985;
/// Contention that is assumed where nothing was measured: optimistic and realistic.
///
/// Source: the envelope of the eBay upgrade projection in N. J. Gunther, *Hotsos* slides, 2010.
pub const ENVELOPE: (f64, f64) = (0.005, 0.03);

/// Which end of an interval an answer is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The end of each interval that gives less capacity.
    Pessimistic,
    /// The estimates.
    Estimate,
    /// The end of each interval that gives more capacity.
    Optimistic,
}

impl End {
    /// The value of a figure of which more is better.
    pub fn value(self, figure: &Figure) -> f64 {
        match self {
            Self::Pessimistic => figure.low(),
            Self::Estimate => figure.value,
            Self::Optimistic => figure.high(),
        }
    }

    /// The value of a figure of which less is better.
    fn cost(self, figure: &Figure) -> f64 {
        match self {
            Self::Pessimistic => figure.high(),
            Self::Estimate => figure.value,
            Self::Optimistic => figure.low(),
        }
    }
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

    /// The law with coefficients at this end, and γ = 1.
    pub fn law(&self, end: End) -> Usl {
        let (contention, coherency) = (end.cost(&self.contention), end.cost(&self.coherency));
        Usl { contention, coherency, unit_throughput: 1.0 }
    }

    /// C(n): how many times one node n nodes do, n ≥ 1; 0 for none.
    ///
    /// ```text
    /// C(n) = n/D(n),  D(n) = 1 + α(n−1) + βn(n−1)
    /// ```
    ///
    /// Other ends are those of the 95 % band of a fit, C·exp(∓t·√(gᵀCov g)) with g the gradient of ln C by (α, β);
    /// without a fit, C with both coefficients at the ends of their intervals.
    pub fn capacity(&self, n: u32, end: End) -> f64 {
        if n == 0 {
            return 0.0;
        }
        let n = f64::from(n);
        let estimate = self.law(End::Estimate).throughput_at(n);
        let band = self.fit.as_ref().map(|fit| band(fit, n).unwrap_or((estimate, estimate)));
        match (end, band) {
            (End::Estimate, _) => estimate,
            (_, None) => self.law(end).throughput_at(n),
            (End::Pessimistic, Some((low, _))) => low.min(estimate),
            (End::Optimistic, Some((_, high))) => high.max(estimate),
        }
    }

    /// The number of nodes with the largest C, and that C; `None` while C never falls.
    pub fn peak(&self, end: End) -> Option<(u32, f64)> {
        // The band of a fit falls before its curve does.
        let law = self.law(if self.fit.is_some() { End::Estimate } else { end });
        let limit = law.peak_concurrency().map_or(NODES_MAX, |peak| (peak.ceil().max(1.0) as u32).min(NODES_MAX));
        let best = (1..=limit).map(|n| (n, self.capacity(n, end))).reduce(|a, b| if b.1 > a.1 { b } else { a })?;
        (best.0 < NODES_MAX).then_some(best)
    }

    /// γ of the fit, per second: what one node did.
    pub fn unit_throughput(&self) -> Option<f64> {
        self.fit.as_ref().map(|fit| fit.law.unit_throughput)
    }

    /// A law that is as likely as the interval of the coefficients says, none of them below 0, with γ = 1.
    pub fn draw(&self, random: &mut Random) -> Usl {
        let drawn = match &self.fit {
            Some(fit) => draw(fit, random),
            None => {
                let mut of = |figure: &Figure| match figure.interval {
                    Some((low, high)) => figure.value + random.normal() * (high - low) / (2.0 * Z),
                    None => figure.value,
                };
                Usl { contention: of(&self.contention), coherency: of(&self.coherency), unit_throughput: 1.0 }
            }
        };
        Usl { contention: drawn.contention.max(0.0), coherency: drawn.coherency.max(0.0), unit_throughput: 1.0 }
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

/// A law drawn from what a fit by relative errors leaves open: Student's t in (α, β, ln γ) with its covariance.
pub fn draw(fit: &Fit, random: &mut Random) -> Usl {
    let Some(covariance) = fit.covariance else { return fit.law };
    // Cholesky's factor, row by row; a variance of 0 gives a column of 0.
    let mut lower = [[0.0_f64; 3]; 3];
    for i in 0..3 {
        for j in 0..=i {
            let rest: f64 = covariance[i][j] - (0..j).map(|k| lower[i][k] * lower[j][k]).sum::<f64>();
            lower[i][j] = match i == j {
                true => rest.max(0.0).sqrt(),
                false if lower[j][j] > 0.0 => rest / lower[j][j],
                false => 0.0,
            };
        }
    }
    let degrees = fit.degrees().max(1);
    let square: f64 = (0..degrees).map(|_| random.normal().powi(2)).sum();
    let wide = (degrees as f64 / square).sqrt();
    let z = [random.normal(), random.normal(), random.normal()];
    let moved = |i: usize| wide * (0..3).map(|k| lower[i][k] * z[k]).sum::<f64>();
    Usl {
        contention: fit.law.contention + moved(0),
        coherency: fit.law.coherency + moved(1),
        unit_throughput: fit.law.unit_throughput * moved(2).exp(),
    }
}

/// The 95 % band of C at `n`, where the fit has a covariance.
fn band(fit: &Fit, n: f64) -> Option<(f64, f64)> {
    let (covariance, t) = (fit.covariance?, fit.quantile()?);
    let d = fit.law.denominator_at(n);
    if d.is_nan() || d <= 0.0 {
        return None;
    }
    let g = [-(n - 1.0) / d, -n * (n - 1.0) / d];
    let product = |i: usize, j: usize| g[i] * covariance[i][j] * g[j];
    let variance = product(0, 0) + 2.0 * product(0, 1) + product(1, 1);
    let half = t * variance.max(0.0).sqrt();
    Some((n / d * (-half).exp(), n / d * half.exp()))
}
