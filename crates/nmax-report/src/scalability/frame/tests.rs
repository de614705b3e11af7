use nmax_usl::{Observation, Options, Usl, analyse};
use proptest::prelude::*;

use super::*;

fn analysis(points: &[(f64, f64)]) -> Analysis {
    let rows = points.iter().enumerate();
    let observations: Vec<_> = rows
        .map(|(index, (n, x))| Observation { n: *n, x: *x, r_s: None, weight: 1.0, row: index + 1, count: None })
        .collect();
    analyse(&observations, &Options::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: whatever was measured, the axis ends between the largest N and twice it, and holds every point.
    #[test]
    fn axes_hold_the_points(points in prop::collection::vec((1.0..4000.0_f64, 1e-3..1e6_f64), 1..30)) {
        let frame = Frame::new(&analysis(&points)).expect("there are points");
        let (n_hi, x_hi) = points.iter().fold((0.0, 0.0), |(n, x), point| (f64::max(n, point.0), f64::max(x, point.1)));
        prop_assert!(frame.n_end >= n_hi && frame.n_end <= 2.0 * n_hi * (1.0 + 1e-12));
        prop_assert!(frame.x_max() >= x_hi);
        prop_assert!(frame.x_max() <= 20.0 * x_hi, "the points are not lost at the bottom: {} for {x_hi}", frame.x_max());
        let curves = [&frame.law, &frame.linear, &frame.amdahl, &frame.smooth];
        for (n, x) in curves.into_iter().flatten() {
            prop_assert!(n.is_finite() && x.is_finite() && *x >= 0.0 && *n <= frame.n_end * (1.0 + 1e-9));
        }
    }
}

#[test]
fn the_bound_lies_between_the_law_and_the_line() {
    let law = Usl { contention: 0.03, coherency: 5e-4, unit_throughput: 100.0 };
    let points: Vec<_> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0].iter().map(|n| (*n, law.throughput_at(*n))).collect();
    let frame = Frame::new(&analysis(&points)).expect("there are points");
    for ((bound, law), line) in frame.amdahl.iter().zip(&frame.law).zip(&frame.linear) {
        assert!(law.1 <= bound.1 * (1.0 + 1e-9) && bound.1 <= line.1 * (1.0 + 1e-9));
    }
    assert!(frame.zone_b.iter().zip(&frame.amdahl).all(|(zone, bound)| zone.1 <= bound.1 && bound.1 <= zone.2));
    assert!(frame.leader.is_none());
}

#[test]
fn the_leading_model_is_drawn_when_it_is_not_the_law() {
    let capped: Vec<_> = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0]
        .iter()
        .map(|n| (*n, f64::min(100.0 * n, 800.0) * (1.0 + n / 1e5)))
        .collect();
    let frame = Frame::new(&analysis(&capped)).expect("there are points");
    assert_eq!(frame.leader.map(|(model, _)| model), Some(Model::Knee));
}
