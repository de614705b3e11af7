//! Rungs of the ladder on the published sets: AICc of ln residuals, recomputed here from the sums of squares.

use crate::sets;
use nmax_usl::{Model, Observation, fit_model};

/// AICc with `k` parameters, the variance among them.
fn aicc(n: usize, k: usize, rss: f64) -> f64 {
    let (n, k) = (n as f64, k as f64);
    n * (rss / n).ln() + 2.0 * k + 2.0 * k * (k + 1.0) / (n - k - 1.0)
}

#[test]
fn aicc_of_every_rung() {
    let first_six = sets::raytracer()[..6].to_vec();
    #[rustfmt::skip]
    let cases: [(&str, Vec<Observation>, [f64; 5]); 7] = [
        // linear, Amdahl, USL, ln-variant, knee
        ("specsdm91", sets::specsdm91(), [2.9, -12.4, -12.3, -21.3, -26.3]),
        ("cisco", sets::cisco(), [-76.6, -187.7, -243.8, -243.0, -146.5]),
        ("raytracer", sets::raytracer(), [-12.2, -57.3, -52.1, -52.8, -30.9]),
        ("raytracer 6", first_six, [-8.6, -17.8, -1.4, -5.1, -12.1]),
        ("memcached", sets::memcached(), [-3.0, -15.2, -23.0, -12.8, -22.2]),
        ("sysbench", sets::sysbench(), [23.2, -35.3, -31.1, -35.6, -137.5]),
        ("synthetic", sets::synthetic(), [-3.1, -10.5, -105.3, 2.2, -18.1]),
    ];
    for (name, observations, want) in cases {
        for (model, want) in Model::ALL.into_iter().zip(want) {
            let (curve, rss) = fit_model(&observations, model).expect("a rung");
            assert_eq!(curve.model(), model);
            let found = aicc(observations.len(), model.coefficients() + 1, rss);
            assert!((found - want).abs() <= 0.05001, "{name} {}: {found:.2}, published {want}", model.name());
            let again: f64 = observations.iter().map(|o| (o.x.ln() - curve.throughput_at(o.n).ln()).powi(2)).sum();
            assert!((again - rss).abs() <= 1e-9 * rss + 1e-20, "{name} {}: {rss}, curve {again}", model.name());
        }
    }
}
