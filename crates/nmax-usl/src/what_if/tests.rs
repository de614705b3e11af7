//! Tests of what-ifs.

use proptest::prelude::*;

use super::*;

const LAW: Usl = Usl { contention: 0.03, coherency: 0.0005, unit_throughput: 1000.0 };
const MEASURED: Measured = Measured { n_hi: 60.0, x_max: 13_600.0, bears_peak: true };

fn assume(assumed: Override) -> Outlook {
    what_if(&LAW, Some(MEASURED), &WhatIf { assumed, ..WhatIf::default() }).expect("a right question")
}

#[track_caller]
fn close(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-6 * expected, "{found}, expected {expected}");
}

#[test]
fn capacity_of_changed_coefficients() {
    let alpha = |value| Override { contention: Some(value), ..Override::default() };
    let beta = Override { coherency: Some(0.00025), ..Override::default() };
    let gamma = Override { unit_throughput: Some(1250.0), ..Override::default() };
    let cases = [
        (Override::default(), 44.04543, 13_597.04, Some(11_363.64)),
        (alpha(0.005), 44.60942, 20_362.69, Some(15_564.20)),
        (alpha(0.015), 44.38468, 16_982.35, None),
        (beta, 62.28965, 16_421.76, None),
        (gamma, 44.04543, 16_996.30, Some(14_204.55)),
    ];
    for (change, n_peak, x_peak, x_20) in cases {
        let outlook = assume(change);
        assert_eq!(outlook.label, "assumed");
        let (n, x) = outlook.assumed_peak.expect("within twice the data");
        close(n, n_peak);
        close(x, x_peak);
        if let Some(x_20) = x_20 {
            close(outlook.assumed.throughput_at(20.0), x_20);
        }
        let told = change.is_empty() || outlook.text.iter().any(|text| text.contains("Assumed, not measured"));
        assert!(told, "{:?}", outlook.text);
    }
}

#[test]
fn weeks_of_growth_have_an_envelope() {
    let question = WhatIf {
        assumed: Override::default(),
        optimistic: Some(Override { contention: Some(0.005), ..Override::default() }),
        realistic: Some(Override { coherency: Some(0.002), ..Override::default() }),
        growth: Some(Growth { per_week: 0.03, weeks: 26, load: 20.0 }),
    };
    let outlook = what_if(&LAW, Some(MEASURED), &question).expect("a right question");
    assert_eq!(outlook.weeks.len(), 27);
    close(outlook.weeks[26].place.n, 20.0 * 1.03_f64.powi(26));
    for week in &outlook.weeks {
        let CurvePoint { law, optimistic, realistic, .. } = week.place;
        assert!(realistic < law && law < optimistic, "{week:?}");
    }
    let text = outlook.text.join(" ");
    // √(.97/.002) = 22.02 is passed in week 4, at 22.5.
    for part in [
        "Assumed for the optimistic edge: α = 0.005",
        "the realistic law in week 4",
        "growth of 3.0 % a week (assumed)",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
}

#[test]
fn growth_ends_at_the_limit() {
    let growth = Some(Growth { per_week: 0.10, weeks: 52, load: 50.0 });
    let outlook = what_if(&LAW, Some(MEASURED), &WhatIf { growth, ..WhatIf::default() }).expect("a right question");
    // 50·1.1⁹ = 117.9, 50·1.1¹⁰ = 129.7.
    assert!(outlook.weeks[9].place.law.is_some() && outlook.weeks[10].place.law.is_none());
    assert!(outlook.text.join(" ").contains("From week 10 on nothing is said"), "{:?}", outlook.text);
}

#[test]
fn all_errors_are_told_at_once() {
    let question = WhatIf {
        assumed: Override { contention: Some(2.0), coherency: Some(-1.0), unit_throughput: Some(0.0) },
        growth: Some(Growth { per_week: -2.0, weeks: 5, load: 10.0 }),
        ..WhatIf::default()
    };
    let errors = what_if(&LAW, None, &question).expect_err("four errors");
    assert_eq!(errors.len(), 4, "{errors:?}");
    let pole = WhatIf { assumed: Override { contention: Some(-0.5), ..Override::default() }, ..WhatIf::default() };
    let errors = what_if(&LAW, Some(MEASURED), &pole).expect_err("a pole");
    assert!(matches!(errors[..], [WhatIfError::Pole { name: "assumed", .. }]), "{errors:?}");
}

fn coefficient() -> impl Strategy<Value = Option<f64>> {
    prop::option::of(prop_oneof![4 => 0.0..1.0_f64, 1 => any::<f64>()])
}

proptest! {
    /// Nothing is said beyond twice the data, whatever is assumed, and nothing is NaN.
    #[test]
    fn nothing_beyond_twice_the_data(
        (contention, coherency, unit_throughput) in (coefficient(), coefficient(), coefficient()),
        per_week in -1.5..3.0_f64,
        weeks in 0..600_usize,
        load in 0.0..200.0_f64,
        is_measured in any::<bool>(),
    ) {
        let question = WhatIf {
            assumed: Override { contention, coherency, unit_throughput },
            optimistic: Some(Override { contention, ..Override::default() }),
            realistic: None,
            growth: Some(Growth { per_week, weeks, load }),
        };
        let Ok(outlook) = what_if(&LAW, is_measured.then_some(MEASURED), &question) else {
            return Ok(());
        };
        let told = format!("{outlook:?}");
        prop_assert!(!told.contains("NaN") && !told.contains("inf,"), "{}", told);
        if is_measured {
            for place in outlook.curve.iter().chain(outlook.weeks.iter().map(|week| &week.place)) {
                for x in [place.law, place.assumed, place.optimistic, place.realistic].into_iter().flatten() {
                    prop_assert!(x <= 2.0 * MEASURED.x_max && place.n <= 2.0 * MEASURED.n_hi);
                }
            }
        }
    }
}

/// A peak that its gate refused is not said by the way.
#[test]
fn refused_peaks_stay_unsaid() {
    let measured = Measured { bears_peak: false, ..MEASURED };
    let question = WhatIf {
        assumed: Override { contention: Some(0.005), ..Override::default() },
        growth: Some(Growth { per_week: 0.05, weeks: 20, load: 30.0 }),
        ..WhatIf::default()
    };
    let outlook = what_if(&LAW, Some(measured), &question).expect("a right question");
    assert_eq!(outlook.peak, None);
    let text = outlook.text.join(" ");
    assert!(!text.contains("44.05") && !text.contains("the law as it is"), "{text}");
    // Another α leaves the β that the data do not bear: its peak at 44.6 is as little known.
    assert_eq!(outlook.assumed_peak, None);
    assert!(!text.contains("44.6") && !text.contains("past the peak"), "{text}");
    // A β that is assumed brings its own peak.
    let question = WhatIf { assumed: Override { coherency: Some(0.00025), ..Override::default() }, ..question };
    let outlook = what_if(&LAW, Some(measured), &question).expect("a right question");
    close(outlook.assumed_peak.expect("β is assumed").0, 62.289_65);
    assert!(outlook.text.join(" ").contains("of the assumed law"), "{:?}", outlook.text);
}
