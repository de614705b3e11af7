use proptest::prelude::*;

use super::*;

mod closed;
mod level;
mod open;
mod poisson;

pub(super) const MS: u64 = 1_000_000;
pub(super) const S: u64 = 1_000_000_000;

/// A stage whose kind does not matter.
pub(super) fn stage(from: f64, to: f64, length_ns: u64) -> Stage {
    Stage { from, to, length_ns: Some(length_ns), kind: StageKind::Hold }
}

/// A stage that never ends.
pub(super) fn forever(level: f64) -> Stage {
    Stage { from: level, to: level, length_ns: None, kind: StageKind::Hold }
}

/// The offsets of iterations `n`, `n` + 1, ...
pub(super) fn offsets_from(open: &Open, n: u64) -> impl Iterator<Item = u64> {
    let mut cursor = open.cursor();
    (n..).map_while(move |n| cursor.offset_ns(n))
}

/// Lengths from nothing over less than a second to hours.
fn lengths() -> impl Strategy<Value = u64> {
    prop_oneof![Just(0), 1..50_u64, 1..S, S..100 * S, (0..7_200_u64).prop_map(|seconds| seconds * S)]
}

/// Levels: zero, fractions, usual and large ones.
fn levels(large: f64) -> impl Strategy<Value = f64> {
    prop_oneof![Just(0.0), 0.0..3.0_f64, (0..100_u32).prop_map(f64::from), 0.0..large]
}

/// A few stages, constant and ramps.
pub(super) fn stages(large: f64) -> impl Strategy<Value = Vec<Stage>> {
    let constant = (levels(large), lengths()).prop_map(|(level, length)| stage(level, level, length));
    let ramp = (levels(large), levels(large), lengths()).prop_map(|(from, to, length)| stage(from, to, length));
    prop::collection::vec(prop_oneof![constant, ramp], 1..5)
}

/// Independent oracle: the integral of the stages up to `t_ns`, by trapezoids.
pub(super) fn integral(stages: &[Stage], t_ns: u64) -> f64 {
    let mut left_ns = t_ns as f64;
    let mut sum = 0.0;
    for stage in stages {
        let length = stage.length_ns.map_or(f64::INFINITY, |length_ns| length_ns as f64);
        let taken = left_ns.min(length);
        let reached = if length > 0.0 { stage.from + (stage.to - stage.from) * (taken / length) } else { stage.from };
        sum += (stage.from + reached) / 2.0 * taken / 1e9;
        left_ns -= taken;
    }
    sum
}

fn kind(kind: StageKind, length_ns: Option<u64>) -> Stage {
    Stage { from: 1.0, to: 1.0, length_ns, kind }
}

#[test]
fn statistics_cover_the_holds() {
    use StageKind::{Hold, RampDown, RampUp, WarmUp};
    let s = |seconds: u64| Some(seconds * S);
    let cases: [(&[Stage], u64, Option<u64>, &str); 5] = [
        (&[kind(RampUp, s(1)), kind(WarmUp, s(2)), kind(Hold, s(4)), kind(RampDown, s(8))], 3, s(7), "one hold"),
        (&[kind(Hold, s(1)), kind(RampUp, s(2)), kind(Hold, s(4))], 0, s(7), "from the first to the last"),
        (&[kind(WarmUp, s(5)), kind(Hold, None)], 5, None, "no end"),
        (&[kind(RampUp, s(1)), kind(RampDown, s(2))], 0, s(3), "no hold: the whole"),
        (&[], 0, Some(0), "nothing"),
    ];
    for (stages, start_s, end_ns, why) in cases {
        assert_eq!(hold_span(stages), Span { start_ns: start_s * S, end_ns }, "{why}");
    }
    let spans: Vec<_> =
        phases(cases[0].0).iter().map(|phase| (phase.kind, phase.span.start_ns / S, phase.span.end_ns)).collect();
    assert_eq!(spans, [(RampUp, 0, s(1)), (WarmUp, 1, s(3)), (Hold, 3, s(7)), (RampDown, 7, s(15))]);
    let span = Span { start_ns: 3, end_ns: Some(5) };
    assert_eq!((2..6).map(|t_ns| span.contains(t_ns)).collect::<Vec<_>>(), [false, true, true, false]);
}

/// Ramps between holds are outside, as those before and after; without a hold the whole is one.
#[test]
fn what_lies_between_holds_is_left_out() {
    use StageKind::{Hold, RampDown, RampUp, WarmUp};
    let s = |seconds: u64| Some(seconds * S);
    let seconds =
        |ranges: Vec<Range<u64>>| ranges.iter().map(|part| (part.start / S, part.end / S)).collect::<Vec<_>>();
    let ladder = [kind(WarmUp, s(1)), kind(Hold, s(10)), kind(RampUp, s(5)), kind(Hold, s(20)), kind(RampDown, s(3))];
    assert_eq!(seconds(hold_gaps(&ladder)), [(11, 16)]);
    assert_eq!(seconds(held(&ladder, S, 36 * S)), [(1, 11), (16, 36)]);
    for (from, to, parts) in [(1, 14, vec![(1, 11)]), (1, 5, vec![(1, 5)]), (12, 15, vec![]), (13, 20, vec![(16, 20)])]
    {
        assert_eq!(seconds(held(&ladder, from * S, to * S)), parts, "{from} to {to}");
    }
    let steps = [kind(Hold, s(1)), kind(Hold, s(2)), kind(Hold, None)];
    assert!(hold_gaps(&steps).is_empty());
    assert_eq!(seconds(held(&steps, 0, u64::MAX)), [(0, u64::MAX / S)]);
    assert!(hold_gaps(&[kind(RampUp, s(1)), kind(RampDown, s(2))]).is_empty(), "stress");
}

#[test]
fn impossible_stages_are_refused() {
    let refused = |stages: &[Stage]| {
        let error = Open::new(stages, Arrivals::Even).expect_err("refused");
        assert_eq!(Closed::new(stages).expect_err("refused").to_string(), error.to_string());
        error
    };
    assert_eq!(refused(&[stage(1.0, -1.0, S)]), StageError::NotALevel { stage: 0, level: -1.0 });
    assert_eq!(refused(&[stage(1.0, 1.0, S), forever(1e13)]), StageError::NotALevel { stage: 1, level: 1e13 });
    assert!(matches!(refused(&[stage(f64::NAN, 1.0, S)]), StageError::NotALevel { stage: 0, .. }));
    assert_eq!(refused(&[forever(1.0), stage(1.0, 1.0, S)]), StageError::UnboundedBeforeLast { stage: 0 });
    assert_eq!(refused(&[Stage { to: 2.0, ..forever(1.0) }]), StageError::UnboundedRamp { stage: 0 });
    assert_eq!(refused(&[stage(1.0, 1.0, S), stage(1.0, 1.0, u64::MAX)]), StageError::TooLong { stage: 1 });
}

proptest! {
    /// Law: the search finds the boundary from any guess.
    #[test]
    fn least_finds_the_boundary(guess: u64, boundary: u64, max: u64) {
        let found = least(guess, max, |t| t >= boundary);
        prop_assert_eq!(found, (boundary <= max).then_some(boundary));
    }

    /// Law: removing noise keeps the order and moves nothing far.
    #[test]
    fn snap_is_monotone(x in 0.0..1e15_f64, steps in 0..40_u64) {
        for x in [x, x.round()] {
            let y = f64::from_bits(x.to_bits() + steps);
            prop_assert!(snap(x) <= snap(y), "{} became {}, {} became {}", x, snap(x), y, snap(y));
            prop_assert!((snap(x) - x).abs() <= 0.25 + x * 4e-15);
        }
    }
}
