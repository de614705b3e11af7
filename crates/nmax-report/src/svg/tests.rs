use proptest::prelude::*;

use super::*;

proptest! {
    /// Law: an axis holds every value, marks few, and in order.
    #[test]
    fn axes_hold_their_values(values in prop::collection::vec(1e-3..1e13_f64, 1..50)) {
        for scale in [Scale::linear(values.iter().copied()), Scale::log(values.iter().copied())] {
            let ticks = scale.ticks();
            prop_assert!((2..=12).contains(&ticks.len()), "{scale:?}: {ticks:?}");
            prop_assert!(ticks.windows(2).all(|pair| pair[0] < pair[1]));
            let (low, high) = match scale { Scale::Linear { max } => (0.0, max), Scale::Log { low, high } => (low, high) };
            prop_assert!(values.iter().all(|value| (low * 0.999..=high * 1.001).contains(value)), "{scale:?}");
        }
    }

    /// Law: the order of places is the order of values.
    #[test]
    fn places_are_monotone(a in 1e-3..1e9_f64, b in 1e-3..1e9_f64) {
        for scale in [Scale::linear([a, b].into_iter()), Scale::log([a, b].into_iter())] {
            prop_assert_eq!(a <= b, scale.place(a) <= scale.place(b) || a == b);
        }
    }

    /// Law: ticks of time begin at zero, stay on the axis and are few.
    #[test]
    fn time_ticks_are_few(end_s in 1e-2..1e7_f64, count in 1..20_usize) {
        let ticks = time_ticks(end_s, count);
        prop_assert_eq!(ticks[0], 0.0);
        prop_assert!(ticks.len() <= 2 * count + 1);
        prop_assert!(ticks.iter().all(|tick| *tick <= end_s * 1.000_001));
    }
}

#[test]
fn missing_values_break_the_line() {
    let chart = Chart {
        id: "c".into(),
        title: "<t>".into(),
        description: "d".into(),
        end_s: 10.0,
        marks: vec![(2.0, 3.0)],
        gaps: vec![(4.0, 6.0), (7.0, 8.0)],
        stages: Vec::new(),
        load: None,
        has_names: false,
        scale: Scale::Linear { max: 1.0 },
        label: |value| value.to_string(),
        heat: None,
        lines: vec![Line {
            name: "l".into(),
            class: "c1",
            area: false,
            points: vec![(0.0, Some(0.0)), (1.0, None), (2.0, Some(1.0))],
        }],
        height: 200.0,
    };
    let svg = chart.render(400.0).svg();
    let line = svg.split("class=\"line c1\" d=\"").nth(1).unwrap();
    assert_eq!(line.split('"').next().unwrap().matches('M').count(), 2);
    assert!(svg.contains("&lt;t&gt;") && !svg.contains("<t>"));
    let count = |class: &str| svg.matches(&format!("<rect class=\"{class}\"")).count();
    assert_eq!((count("mark"), count("gap")), (1, 2));
}
