//! How well an autoscaler followed demand, after the elasticity metrics of SPEC RG.

/// Scores of supply beside demand, both in nodes and sampled at the same times.
///
/// Source: N. Herbst, S. Kounev, R. Reussner, *Elasticity in cloud computing: what it is, and what it is not*, 2013.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Elasticity {
    /// Nodes missing on average, Σ max(d−s, 0)/T.
    pub under: f64,
    /// Nodes too many on average, Σ max(s−d, 0)/T.
    pub over: f64,
    /// Nodes missing, each as a share of demand, on average.
    pub under_relative: f64,
    /// Nodes too many, each as a share of demand, on average.
    pub over_relative: f64,
    /// Share of samples with too few.
    pub time_under: f64,
    /// Share of samples with too many.
    pub time_over: f64,
    /// (changes of supply − changes of demand)/T.
    pub jitter: f64,
}

/// Scores `supply` against `demand`, which is above 0; `None` without a sample.
pub fn score(demand: &[f64], supply: &[f64]) -> Option<Elasticity> {
    let samples = demand.len().min(supply.len());
    let mean =
        |of: &dyn Fn(f64, f64) -> f64| demand.iter().zip(supply).map(|(d, s)| of(*d, *s)).sum::<f64>() / samples as f64;
    let changes = |of: &[f64]| of[..samples].windows(2).filter(|pair| pair[0] != pair[1]).count() as f64;
    (samples > 0).then(|| Elasticity {
        under: mean(&|d, s| (d - s).max(0.0)),
        over: mean(&|d, s| (s - d).max(0.0)),
        under_relative: mean(&|d, s| (d - s).max(0.0) / d),
        over_relative: mean(&|d, s| (s - d).max(0.0) / d),
        time_under: mean(&|d, s| f64::from(u8::from(s < d))),
        time_over: mean(&|d, s| f64::from(u8::from(s > d))),
        jitter: (changes(supply) - changes(demand)) / samples as f64,
    })
}
