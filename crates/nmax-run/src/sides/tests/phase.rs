//! Which lines are of the phase.

use super::*;

/// Both sides of these exchanges of a run that began at `origin_us` and is judged by `hold`, in the order of their ends.
fn judged_by(hold: (Nanos, Nanos), ways: &[TimedExchange], origin_us: i64, resolution_us: u32) -> Sides {
    let mut sides = Sides::new(Tap::default(), &following(&[None]), origin_us, hold);
    let mut ways = ways.to_vec();
    ways.sort_by_key(|(sent, way, took)| sent + way + took);
    for way in ways {
        sides.exchange(&exchange(way));
        sides.line(&entry(0, way, (origin_us, resolution_us)), b"GET", b"/a");
    }
    sides
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: both sides have the same requests of the phase, wherever in a second of the log's clock the run and its phase
    /// begin and end, if the phase is longer than the second and the way.
    #[test]
    fn both_sides_have_the_same_requests(
        ways in proptest::collection::vec((0..6_000_000_u64, 0..50_000_u64, 1..500_000_u64), 1..100),
        origin_us in 1_700_000_000_000_000..1_700_000_001_000_000_i64,
        (from_ms, length_ms) in (prop_oneof![Just(0), 0..3_000_u64], prop_oneof![Just(6_000_u64), 1_300..3_000_u64]),
        resolution_us in prop_oneof![Just(1), Just(1_000), Just(1_000_000)],
    ) {
        let hold = (Nanos::from_millis(from_ms), Nanos::from_millis(from_ms + length_ms));
        let sides = judged_by(hold, &ways, origin_us, resolution_us).finish().unwrap();
        let want = ways.iter().filter(|(sent, ..)| hold.0 <= Nanos(sent * 1_000) && Nanos(sent * 1_000) < hold.1).count();
        for row in &sides.rows {
            prop_assert_eq!((row.client.count, row.server.count), (want as u64, want as u64));
        }
        prop_assert_eq!(sides.notes, Vec::<String>::new());
    }
}

/// Of lines whose second is cut by the phase, those that ended last are of what began later.
#[test]
fn the_order_of_the_log_says_which_lines_are_of_the_phase() {
    // Ten a second; those before the phase take 1 ms, those in it 50 ms, those after it 9 ms.
    let took = |sent_ms: u64| match sent_ms {
        0..2_300 => 1_000,
        2_300..4_600 => 50_000,
        _ => 9_000,
    };
    let ways: Vec<TimedExchange> = (0..60).map(|index| (index * 100_000, 10, took(index * 100))).collect();
    let hold = (Nanos::from_millis(2_300), Nanos::from_millis(4_600));
    let found = judged_by(hold, &ways, 1_700_000_000_000_000, 1_000_000).finish().unwrap();
    let server = found.rows[0].server;
    assert_eq!(server.count, 23);
    assert!((server.time.unwrap().mean_ms - 50.0).abs() < 1e-9, "{server:?}");
}

/// Lines of requests that the run did not send itself are of the phase when the middle of their stamp is.
#[test]
fn stamps_decide_of_requests_of_others() {
    let hold = (Nanos::from_millis(1_950), Nanos::from_millis(3_950));
    let mut sides = Sides::new(Tap::default(), &following(&[None]), 0, hold);
    for index in 0..60 {
        let way = (index * 100_000, 10, 1_000);
        sides.exchange(&exchange(way));
        (0..3).for_each(|_| sides.line(&entry(0, way, (0, 1)), b"GET", b"/a"));
    }
    let found = sides.finish().unwrap();
    assert_eq!((found.rows[0].client.count, found.rows[0].server.count), (20, 60));
}

/// The sides may have as many requests in all, and not in the phase.
#[test]
fn other_numbers_in_the_phase_are_said() {
    let hold = (Nanos::from_secs(2), Nanos::from_secs(4));
    let ways: Vec<TimedExchange> = (0..60).map(|index| (index * 100_000, 10, 1_000)).collect();
    let mut sides = judged_by(hold, &ways, 0, 1);
    // The log lacks what the client had in the phase, and has as many after it.
    for way in &ways[25..35] {
        sides.exchange(&exchange(*way));
        sides.line(&entry(0, (5_000_000 + way.0 / 10, 10, 1_000), (0, 1)), b"GET", b"/a");
    }
    let notes = sides.finish().unwrap().notes;
    assert!(notes.iter().any(|note| note.contains("in the phase, the run sent 30")), "{notes:?}");
}
