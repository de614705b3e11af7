use super::*;

fn pauses(ms: impl IntoIterator<Item = u32>) -> Pauses {
    let mut pauses = Pauses::default();
    ms.into_iter().for_each(|ms| pauses.add(ms));
    pauses
}

/// Law: no pause of a few is drawn far beyond those that were seen.
#[test]
fn a_few_pauses_do_not_make_hours() {
    let few = pauses([500, 600, 700, 100_000]);
    let mut all = pauses((0..400).map(|at| 400 + 5 * at));
    all.merge(&few);
    let (alone, beside) = (few.fit().expect("a law"), few.fit_within(&all).expect("a law"));
    assert!(alone.p95_s <= 100.0, "{alone:?}");
    assert!(beside.p95_s < 60.0, "{beside:?}");
    assert_eq!(alone.median_s, beside.median_s);
    // Many pauses speak for themselves.
    let many = pauses((0..4_000).map(|at| (400.0 * 1.0005_f64.powi(at)) as u32));
    let (alone, beside) = (many.fit().expect("a law"), many.fit_within(&all).expect("a law"));
    assert!((alone.p95_s / beside.p95_s - 1.0).abs() < 0.01, "{alone:?} {beside:?}");
    assert_eq!(pauses([]).fit_within(&all), None);
}
