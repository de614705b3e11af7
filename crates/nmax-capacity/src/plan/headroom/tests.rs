use proptest::prelude::*;

use super::elasticity::score;
use super::*;
use crate::tests::close;

fn headroom(capacity_per_s: f64) -> Headroom {
    let parts = [30.0, 60.0, 15.0, 90.0, 30.0, 45.0, 30.0].map(|seconds| (seconds, Basis::Assumed));
    Headroom { actuation_s: Actuation { parts }.total_s(), capacity_per_s, load_per_s: 2000.0 }
}

#[test]
fn headroom_for_each_shape_of_load() {
    let of = headroom(5000.0);
    close(of.actuation_s, 300.0);
    close(of.doubling(600.0).needed, std::f64::consts::SQRT_2);
    for (h, tau) in [(1.5, 512.853), (2.0, 300.0), (3.0, 189.279)] {
        close(headroom(2000.0 * h).doubling_min_s().unwrap(), tau);
    }
    close(of.ramp(5.0).needed, 1.75);
    for (timeout_s, needed, exact) in [(10.0, 2.903_226, 2.9), (60.0, 2.5, 2.4)] {
        let step = Step { factor: 3.0, timeout_s };
        close(of.step(step).needed, needed);
        close(of.step_exact(step), exact);
    }
    let left = of.backlog(Step { factor: 3.0, timeout_s: 60.0 }, 9000.0);
    close(left.requests, 300_000.0);
    close(left.longest_wait_s, 50.0);
    close(left.drained_s, 100.0);
}

/// Longest wait and time of drain of a step by a fluid simulation in steps of 10 ms, with first in, first out.
fn fluid(of: &Headroom, step: Step, then_per_s: f64) -> (f64, f64) {
    let (dt, mut backlog, mut longest, mut drained) = (0.01, 0.0, 0.0_f64, 0.0);
    for tick in 0..200_000 {
        let at = f64::from(tick) * dt;
        let capacity = if at < of.actuation_s { of.capacity_per_s } else { then_per_s };
        // Who arrives now waits until what is before him is served.
        let before = (of.actuation_s - at).max(0.0) * of.capacity_per_s;
        let wait = if backlog <= before {
            backlog / of.capacity_per_s
        } else {
            (of.actuation_s - at).max(0.0) + (backlog - before) / then_per_s
        };
        longest = longest.max(wait);
        backlog = (backlog + (step.factor * of.load_per_s - capacity) * dt).max(0.0);
        if backlog > 0.0 {
            drained = at + dt - of.actuation_s;
        }
    }
    (longest, drained)
}

#[test]
fn a_fluid_simulation_has_the_same_waits() {
    let (of, step) = (headroom(5000.0), Step { factor: 3.0, timeout_s: 60.0 });
    let (longest, drained) = fluid(&of, step, 9000.0);
    let left = of.backlog(step, 9000.0);
    assert!(
        (longest - left.longest_wait_s).abs() < 0.1 && (drained - left.drained_s).abs() < 0.1,
        "{longest} {drained}"
    );
}

#[test]
fn the_target_is_a_product() {
    let target = Target {
        usable: 0.8,
        survivors: survivors(Survive::Zone, 3, 20),
        flash: 1.0 / headroom(1.0).doubling(600.0).needed,
    };
    close(target.value(), 0.377_123_6);
    close(target.usable * target.survivors, 0.533_333_3);
    close(target.flash, std::f64::consts::FRAC_1_SQRT_2);
    assert!(target.is_reactive() && !Target { flash: 0.5, ..target }.is_reactive());
    for (zones, left) in [(2, 0.5), (3, 0.667), (4, 0.75), (6, 0.833)] {
        assert!((survivors(Survive::Zone, zones, 9) - left).abs() < 5e-4);
    }
    let product: f64 = reserves(0.2, Survive::Zone, 2.0 / 3.0, Some(std::f64::consts::SQRT_2))
        .iter()
        .map(|(_, factor)| factor)
        .product();
    close(product, 2.545_584);
    assert_eq!(reserves(0.0, Survive::None, 1.0, None), []);
}

#[test]
fn an_autoscaler_is_scored() {
    let found = score(&[4.0, 6.0, 8.0, 8.0, 5.0, 4.0], &[4.0, 4.0, 6.0, 8.0, 8.0, 5.0]).unwrap();
    close(found.under, 0.666_666_7);
    close(found.over, 0.666_666_7);
    close(found.under_relative, 0.097_222_2);
    close(found.over_relative, 0.141_666_7);
    close(found.time_under, 0.333_333_3);
    close(found.time_over, 0.333_333_3);
    close(found.jitter, -0.166_666_7);
    assert_eq!(score(&[], &[]), None);
}

#[test]
fn assumed_parts_ask_for_a_measurement() {
    let mut about = Assumptions::default();
    let mut actuation = Actuation { parts: [(30.0, Basis::Assumed); 7] };
    actuation.parts[4].1 = Basis::Measured;
    judge(&actuation, &mut about);
    assert_eq!((about.list.len(), about.list[4].basis), (7, Basis::Measured));
    assert!(about.next[0].0.starts_with("Measure warm-up of a node"), "{about:?}");
}

proptest! {
    /// Law: a shape is survived for D_act exactly when the headroom is what it needs.
    #[test]
    fn time_and_headroom_agree(h in 1.01..10.0_f64, tau in 10.0..5000.0_f64, ramp in 0.1..100.0_f64) {
        let of = headroom(2000.0 * h);
        for answer in [of.doubling(tau), of.ramp(ramp)] {
            if (answer.needed / h - 1.0).abs() > 1e-9 {
                prop_assert_eq!(h > answer.needed, answer.survived_s > of.actuation_s, "{:?}", answer);
            }
        }
        let fastest = of.doubling_min_s().unwrap();
        prop_assert!((of.doubling(fastest).needed / h - 1.0).abs() < 1e-9);
    }

    /// Law: the conservative form asks for no less than the exact one.
    #[test]
    fn the_conservative_form_is_conservative(factor in 1.0..20.0_f64, timeout_s in 0.0..3000.0_f64) {
        let (of, step) = (headroom(5000.0), Step { factor, timeout_s });
        prop_assert!(of.step(step).needed >= of.step_exact(step) * (1.0 - 1e-12));
    }
}
