use proptest::prelude::*;

use super::*;
use crate::fit::fit;
use crate::observation::Observation;

/// The OLS fit of `testdata/usl/cisco.csv`.
const CISCO: Usl = Usl { contention: 0.026_715_95, coherency: 0.000_769_093_9, unit_throughput: 995.6488 };

fn basis(curve: Curve, measured: Option<Measured>) -> Basis {
    Basis { by: By::Given, curve, fit: None, measured, think_s: 0.0, has_response_time: true }
}

fn up_to(n_hi: f64, x_max: f64) -> Measured {
    Measured { n_hi, x_max, bears_peak: true }
}

fn close(found: Option<Estimate>, want: f64) -> bool {
    found.is_some_and(|found| (found.estimate - want).abs() <= 2e-5 * want)
}

/// Published inverses of a published fit. Peer defects 1, 2 and 10 give 15.35 users, 28,485/s and 7,047.8/s here.
#[test]
fn inverses_are_those_of_the_reference() {
    let basis = basis(Curve::Usl(CISCO), None);
    let at = basis.predict(Question::Throughput(11_048.0));
    assert!(close(at.n, 19.9239) && close(at.r_s, 1.803_39e-3), "{at:?}");
    assert!((at.also_at.unwrap() - 63.5164).abs() < 1e-3, "{at:?}");
    let fast = basis.predict(Question::ResponseTime(2e-3));
    assert!(close(fast.n, 23.2339) && close(fast.x, 11_616.94), "{fast:?}");
    let slow = basis.predict(Question::ResponseTime(30e-3));
    assert!(close(slow.n, 177.698) && close(slow.x, 5923.28), "{slow:?}");
}

#[test]
fn above_the_peak_there_is_no_number() {
    let law = basis(Curve::Usl(CISCO), None);
    let above = law.predict(Question::Throughput(12_343.0));
    let why = above.refused.unwrap();
    assert!(why.contains("above the peak of the curve, 12,343/s at N = 35.57"), "{why}");
    assert_eq!((above.n, above.x, above.r_s, above.efficiency), (None, None, None, None));
    // A peak that the data do not bear is not named.
    let measured = Some(Measured { bears_peak: false, ..up_to(32.0, 12_211.41) });
    let unborne = basis(Curve::Usl(CISCO), measured);
    let why = unborne.predict(Question::Throughput(13_000.0)).refused.unwrap();
    assert!(why.contains("the largest one measured is 12,211/s") && !why.contains("12,343"), "{why}");
    let below = law.predict(Question::Throughput(900.0)).refused.unwrap();
    assert!(below.contains("less than one unit gives alone, 995.6/s"), "{below}");
    let fast = law.predict(Question::ResponseTime(1e-4)).refused.unwrap();
    assert!(fast.contains("below the least"), "{fast}");
}

#[test]
fn nothing_is_predicted_beyond_twice_what_was_measured() {
    let measured = Some(up_to(16.0, 9897.24));
    let law = basis(Curve::Usl(CISCO), measured);
    assert!(law.predict(Question::Concurrency(32.0)).refused.is_none());
    for asked in [Question::Concurrency(33.0), Question::ResponseTime(30e-3)] {
        let why = law.predict(asked).refused.unwrap();
        assert!(why.contains("beyond twice the largest N measured, 16"), "{why}");
        // The N that has this response time, 177.698, is no number to be quoted.
        assert!(!why.contains("177"), "{why}");
    }
    let steep = basis(Curve::Linear { unit_throughput: 1000.0 }, Some(up_to(16.0, 4000.0)));
    let why = steep.predict(Question::Concurrency(9.0)).refused.unwrap();
    assert!(why.contains("beyond twice the largest one measured, 4,000/s"), "{why}");
    assert!(law.predict(Question::Throughput(11_048.0)).also_at.is_none(), "63.5 is beyond 32");
}

/// Every model of the ladder has its inverse, and a knee its cap.
#[test]
fn other_models_are_inverted_too() {
    let measured = Some(up_to(100.0, 3000.0));
    let curves = [
        Curve::Linear { unit_throughput: 50.0 },
        Curve::Amdahl { contention: 0.02, unit_throughput: 100.0 },
        Curve::Ln { contention: 0.01, coherency: 0.005, unit_throughput: 100.0 },
        Curve::Knee { unit_throughput: 100.0, cap: 2000.0 },
    ];
    for curve in curves {
        let basis = basis(curve, measured);
        for n in [1.0, 3.5, 12.0, 19.0] {
            let x = curve.throughput_at(n);
            let back = basis.predict(Question::Throughput(x));
            assert!(close(back.n, n), "{curve:?} at {n}: {back:?}");
            let again = basis.predict(Question::ResponseTime(n / x));
            let is_flat = matches!(curve, Curve::Linear { .. } | Curve::Knee { .. });
            assert!(is_flat || close(again.n, n), "{curve:?} at {n}: {again:?}");
        }
    }
    let knee = basis(curves[3], measured);
    let why = knee.predict(Question::Throughput(2001.0)).refused.unwrap();
    assert!(why.contains("above the cap of the curve, 2,000/s"), "{why}");
    let behind = knee.predict(Question::ResponseTime(0.02));
    assert!(close(behind.n, 40.0), "N = X·R with the cap: {behind:?}");
    let roof = basis(curves[1], measured).predict(Question::Throughput(5001.0)).refused.unwrap();
    assert!(roof.contains("above the roof that the curve approaches, 5,000/s"), "{roof}");
}

#[test]
fn think_time_is_part_of_the_cycle() {
    let with = |think_s: f64| Basis { think_s, ..basis(Curve::Usl(CISCO), None) };
    let n = 20.0;
    let r_s = with(0.0).predict(Question::Concurrency(n)).r_s.unwrap().estimate;
    let thinking = with(1e-3).predict(Question::Concurrency(n)).r_s.unwrap().estimate;
    assert!((r_s - thinking - 1e-3).abs() < 1e-12);
    assert!(close(with(1e-3).predict(Question::ResponseTime(r_s - 1e-3)).n, n));
    // A think time longer than the cycle has no response time.
    assert_eq!(with(1.0).predict(Question::Concurrency(n)).r_s, None);
}

/// Superlinear growth makes response times fall before they rise: both loads are said.
#[test]
fn superlinear_laws_have_two_loads() {
    let law = Usl { contention: -0.05, coherency: 0.002, unit_throughput: 1.0 };
    let both = basis(Curve::Usl(law), None).predict(Question::ResponseTime(0.9));
    let (rising, falling) = (both.n.unwrap().estimate, both.also_at.unwrap());
    assert!(falling < 13.0 && rising > 13.0, "{both:?}");
    for n in [rising, falling] {
        assert!((law.denominator_at(n) - 0.9).abs() < 1e-9);
    }
}

fn fitted(law: Usl, noise: &[f64]) -> Basis {
    let at = |(index, noise): (usize, &f64)| {
        let n = [1.0, 2.0, 4.0, 8.0, 12.0, 16.0, 24.0, 32.0, 48.0, 64.0][index];
        Observation { n, x: law.throughput_at(n) * noise.exp(), r_s: None, weight: 1.0, row: index + 1, count: None }
    };
    let observations: Vec<Observation> = noise.iter().enumerate().map(at).collect();
    let fit = fit(&observations, Method::Log).unwrap();
    let most = observations.iter().map(|one| one.x).fold(0.0, f64::max);
    Basis { fit: Some(fit.clone()), ..basis(Curve::Usl(fit.law), Some(up_to(64.0, most))) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Law: asking for X at N and then for N at that X comes back, and the ends of the interval of N are the loads
    /// whose band ends at X. Nothing is ever NaN, beyond twice the data, or above the peak.
    #[test]
    fn predictions_and_intervals_agree(
        alpha in 0.005..0.2_f64,
        beta in 1e-5..2e-3_f64,
        noise in prop::collection::vec(-0.03..0.03_f64, 10),
        n in 1.0..128.0_f64,
    ) {
        let law = Usl { contention: alpha, coherency: beta, unit_throughput: 700.0 };
        let basis = fitted(law, &noise);
        let there = basis.predict(Question::Concurrency(n));
        let x = there.x.unwrap();
        prop_assert!(x.low.unwrap() <= x.estimate && x.estimate <= x.high.unwrap());
        let efficiency = there.efficiency.unwrap();
        prop_assert!(efficiency.low.is_none_or(|low| low <= efficiency.estimate));
        prop_assert!(efficiency.high.is_none_or(|high| efficiency.estimate <= high));
        let back = basis.predict(Question::Throughput(x.estimate));
        let Some(found) = back.n else {
            // Behind the peak a throughput may be one that less than one unit gives.
            prop_assert!(back.refused.is_some());
            return Ok(());
        };
        let candidates = [Some(found.estimate), back.also_at];
        prop_assert!(candidates.iter().flatten().any(|back| (back - n).abs() <= 1e-6 * n), "{n}: {back:?}");
        let ends = [(found.low, true), (found.high, false)];
        for (end, is_upper) in ends {
            if let Some(end) = end {
                let band = basis.band_at(end).unwrap();
                let edge = if is_upper { band.1 } else { band.0 };
                prop_assert!((edge / x.estimate - 1.0).abs() < 1e-6, "{end}: {edge} is not {}", x.estimate);
            }
        }
        prop_assert!(found.low.is_none_or(|low| low <= found.estimate * (1.0 + 1e-9)));
        prop_assert!(found.high.is_none_or(|high| high >= found.estimate * (1.0 - 1e-9)));
    }

    /// Law: whatever is asked, there is an answer in finite numbers or a reason in words.
    #[test]
    fn every_question_is_answered_or_refused(
        alpha in -0.05..1.5_f64,
        beta in -1e-3..0.1_f64,
        value in prop::sample::select(vec![1e-300_f64, 1e-9, 0.5, 1.0, 1.9, 64.0, 1e4, 1e300]),
        think_s in prop::sample::select(vec![0.0, 0.1, 1e9]),
        has_data in any::<bool>(),
    ) {
        let law = Usl { contention: alpha, coherency: beta, unit_throughput: 100.0 };
        prop_assume!(!law.has_pole(1e4));
        let basis = Basis { think_s, ..basis(Curve::Usl(law), has_data.then_some(up_to(50.0, 1000.0))) };
        let questions = [Question::Concurrency(value.max(1.0)), Question::Throughput(value), Question::ResponseTime(value)];
        for asked in questions {
            let answer = basis.predict(asked);
            prop_assert_eq!(answer.refused.is_some(), answer.n.is_none());
            let numbers = [answer.n, answer.x, answer.r_s, answer.efficiency];
            for number in numbers.into_iter().flatten() {
                prop_assert!(number.estimate.is_finite(), "{:?}: {answer:?}", asked);
            }
            if has_data {
                prop_assert!(answer.n.is_none_or(|n| n.estimate <= 100.0));
                prop_assert!(answer.x.is_none_or(|x| x.estimate <= 2000.0 * (1.0 + 1e-9)));
            }
        }
    }
}

/// N that counts machines says nothing about response times: N/X would be a number that looks like one.
#[test]
fn sizes_have_no_response_time() {
    let nodes = Basis { has_response_time: false, ..basis(Curve::Usl(CISCO), None) };
    for asked in [Question::Concurrency(20.0), Question::Throughput(11_048.0)] {
        let found = nodes.predict(asked);
        assert!(found.n.is_some() && found.r_s.is_none(), "{found:?}");
    }
    let found = nodes.predict(Question::ResponseTime(2e-3));
    assert!(found.n.is_none() && found.refused.unwrap().contains("Little's law"));
}

/// The ends of intervals keep the limit too: four runs know little of X at twice their N.
#[test]
fn no_end_of_an_interval_lies_beyond_twice_the_data() {
    let law = Usl { contention: 0.02, coherency: 1e-4, unit_throughput: 100.0 };
    let basis = fitted(law, &[0.05, -0.05, 0.1, -0.1]);
    let basis = Basis { measured: basis.measured.map(|measured| Measured { n_hi: 8.0, ..measured }), ..basis };
    let most = BEYOND * basis.measured.unwrap().x_max;
    let wide = basis.fit.as_ref().unwrap().band_at(16.0).unwrap();
    assert!(wide.1 > most, "the case is not a case: {wide:?}, {most}");
    let found = basis.predict(Question::Concurrency(16.0)).x.unwrap();
    assert_eq!(found.high, None, "{found:?}");
}
