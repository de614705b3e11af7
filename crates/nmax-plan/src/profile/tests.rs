use proptest::prelude::*;

use super::*;
use crate::plan::Arrivals;
use crate::schedule::{self, Closed, Open, StageKind, phases};

fn open(rate_per_s: f64) -> Workload {
    Workload::Open { rate_per_s, arrivals: Arrivals::Even, max_in_flight: 10 }
}

/// Level, minutes and kind of each stage.
fn minutes(stages: &[Stage]) -> Vec<(f64, f64, u64, StageKind)> {
    let ns = 60_000_000_000;
    stages.iter().map(|stage| (stage.from, stage.to, stage.length_ns.unwrap() / ns, stage.kind)).collect()
}

#[test]
fn usual_shapes_worked_by_hand() {
    use StageKind::{Hold, RampDown, RampUp};
    let vus = |vus| Workload::Closed { vus };
    let cases = [
        (Profile::Smoke, vus(50), vec![(1.0, 1.0, 20, Hold)]),
        (Profile::Smoke, open(50.0), vec![(1.0, 1.0, 20, Hold)]),
        (Profile::Ladder, vus(1), vec![(1.0, 1.0, 5, Hold)]),
        (Profile::Ladder, vus(100), vec![(1.0, 1.0, 5, Hold), (10.0, 10.0, 5, Hold), (100.0, 100.0, 5, Hold)]),
        (Profile::Ladder, vus(25), vec![(1.0, 1.0, 5, Hold), (10.0, 10.0, 5, Hold), (25.0, 25.0, 5, Hold)]),
        (Profile::Ladder, open(200.0), vec![(2.0, 2.0, 5, Hold), (20.0, 20.0, 5, Hold), (200.0, 200.0, 5, Hold)]),
        (
            Profile::Peak,
            open(200.0),
            vec![(0.0, 200.0, 30, RampUp), (200.0, 200.0, 120, Hold), (200.0, 0.0, 5, RampDown)],
        ),
        (Profile::Stress, open(200.0), vec![(0.0, 400.0, 480, RampUp)]),
        (Profile::Stress, vus(10), vec![(0.0, 20.0, 480, RampUp)]),
        (Profile::Soak, vus(10), vec![(0.0, 10.0, 30, RampUp), (10.0, 10.0, 1440, Hold)]),
        (Profile::Flood, vus(10), vec![(10.0, 10.0, 120, Hold)]),
    ];
    for (profile, written, want) in cases {
        let stages = Shape::usual(profile, &workload(Some(profile), written.clone()).0).stages();
        assert_eq!(minutes(&stages), want, "{profile:?} of {written:?}");
    }
}

#[test]
fn a_length_does_not_vanish() {
    let ns = Duration::from_nanos;
    assert_eq!(compressed(ns(1), 1e6), ns(1));
    assert_eq!(compressed(ns(0), 1e6), ns(0), "an instant stays one");
    assert_eq!(compressed(ns(5), 2.0), ns(3), "to the nearest, half away from zero");
}

fn stages() -> impl Strategy<Value = Vec<Stage>> {
    let step = (0..50_u32, 1..10_000_u64, any::<bool>());
    proptest::collection::vec(step, 1..6).prop_map(|steps| {
        let mut before = 0.0;
        let mut stages = Vec::new();
        for (to, length_ms, ramps) in steps {
            let to = f64::from(to);
            let from = if ramps { before } else { to };
            stages.push(Stage { from, to, length_ns: Some(length_ms * 1_000_000), kind: StageKind::Hold });
            before = to;
        }
        stages
    })
}

proptest! {
    /// Law: the compressed shape at t / K is the shape at t, and it has a K-th of the starts.
    ///
    /// Whole K divide the lengths (multiples of 1 ms) exactly, so the two schedules are the same up to rounding.
    #[test]
    fn compressing_keeps_the_shape(stages in stages(), by in prop::sample::select(vec![1_u64, 2, 5, 10, 60, 1000]), at in 0.0..1.0_f64) {
        let exact: Vec<Stage> = stages
            .iter()
            .map(|stage| Stage { length_ns: stage.length_ns.map(|ns| ns * by), ..*stage })
            .collect();
        let mut shorter = exact.clone();
        compress(&mut shorter, by as f64);
        prop_assert_eq!(&shorter, &stages);
        let end = phases(&stages).last().unwrap().span.end_ns.unwrap();
        let t = (end as f64 * at) as u64;
        prop_assert_eq!(Closed::new(&shorter).unwrap().level_at(t), Closed::new(&exact).unwrap().level_at(t * by));
        let count = |stages: &[Stage], t| {
            Open::new(stages, schedule::Arrivals::Even).unwrap().count_at(t) as f64
        };
        let (few, many) = (count(&shorter, t), count(&exact, t * by));
        // Each count is of whole starts at or before an instant: one more or less on either side.
        prop_assert!((many - few * by as f64).abs() <= 1.0 + by as f64, "{} and {}", few, many);
    }

    /// Law: lengths shrink by K to the nearest ns and never vanish; by 1 they stay exactly.
    #[test]
    fn lengths_are_divided(ns in 0..u64::MAX / 2, by in 1.0..1e6_f64) {
        let length = Duration::from_nanos(ns);
        prop_assert_eq!(compressed(length, 1.0), length);
        let shorter = compressed(length, by);
        prop_assert_eq!(shorter.is_zero(), length.is_zero());
        prop_assert!(shorter <= length);
        let error = (shorter.as_nanos() as f64 * by - ns as f64).abs();
        prop_assert!(error <= by + ns as f64 * 1e-12, "{:?} / {} = {:?}", length, by, shorter);
    }

    /// Law: a shape begins where nothing runs or at its level at once, and its stages join without a gap in level.
    #[test]
    fn stages_of_a_profile_join(profile in prop::sample::select(Profile::ALL.to_vec()), rate in 1e-3..1e6_f64) {
        let stages = Shape::usual(profile, &workload(Some(profile), open(rate)).0).stages();
        prop_assert!(!stages.is_empty());
        for pair in stages.windows(2) {
            let joins = pair[0].to == pair[1].from || pair[1].kind == StageKind::Hold;
            prop_assert!(joins, "{:?}", pair);
        }
    }
}
