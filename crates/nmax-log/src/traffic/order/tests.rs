use proptest::prelude::*;

use super::*;

fn event(arrival_us: i64) -> Event {
    Event {
        arrival_us,
        visitor: 0,
        target: 0,
        referer: 0,
        duration_us: 0,
        kind: 0,
        is_resource: false,
        is_robot: false,
    }
}

/// What comes out: arrivals in order, late ones, restarts.
fn through(arrivals: impl IntoIterator<Item = i64>) -> (Vec<i64>, Vec<i64>, usize) {
    let (mut next, mut late, mut restarts) = (Vec::new(), Vec::new(), 0);
    let mut out = |ordered: Ordered| match ordered {
        Ordered::Next(event) => next.push(event.arrival_us),
        Ordered::Late(event) => late.push(event.arrival_us),
        Ordered::Restart => restarts += 1,
    };
    let mut order = Order::new();
    for arrival in arrivals {
        order.push(event(arrival), &mut out);
    }
    order.finish(&mut out);
    (next, late, restarts)
}

proptest! {
    /// Law: records that are out of order by less than the window come out in order, all of them.
    #[test]
    fn the_window_sorts(starts in prop::collection::vec((0..100_000_000_000i64, 0..115_000_000i64), 1..300)) {
        // Each is written when it ends.
        let mut written: Vec<(i64, i64)> = starts.iter().map(|(at, length)| (at + length, *at)).collect();
        written.sort_unstable();
        let (next, late, restarts) = through(written.iter().map(|(_, at)| *at));
        let mut want: Vec<i64> = starts.iter().map(|(at, _)| *at).collect();
        want.sort_unstable();
        prop_assert_eq!(next, want);
        prop_assert!(late.is_empty() && restarts == 0);
    }

    /// Law: wherever stamps of other years stand, all others come out in order.
    #[test]
    fn stamps_of_other_years_cost_nothing(
        gaps in prop::collection::vec(0..5_000_000_000i64, 20..400),
        strays in prop::collection::vec((any::<bool>(), 1..50i64), 1..80),
    ) {
        const YEAR_US: i64 = 365 * 86_400_000_000;
        let mut at = 0;
        let want: Vec<i64> = gaps.iter().map(|gap| { at += gap; at }).collect();
        // One before each fifth record, but not among the last: what comes last may be true.
        let mut strays = strays.into_iter().map(|(is_later, years)| if is_later { years * YEAR_US } else { -years * YEAR_US });
        let mut arrivals = Vec::new();
        for (n, at) in want.iter().enumerate() {
            let may_stray = n % 5 == 0 && n + 10 < want.len();
            arrivals.extend(strays.next().filter(|_| may_stray));
            arrivals.push(*at);
        }
        let is_true = |at: &i64| (0..YEAR_US / 2).contains(at);
        let (mut next, late, restarts) = through(arrivals);
        next.retain(is_true);
        prop_assert_eq!(next, want);
        prop_assert!(!late.iter().any(is_true) && restarts == 0);
    }

    /// Law: whatever the order, nothing is lost, and between restarts arrivals do not fall.
    #[test]
    fn nothing_is_lost(arrivals in prop::collection::vec(0..20_000_000_000i64, 1..3_000)) {
        let (next, late, _) = through(arrivals.iter().copied());
        let mut all: Vec<i64> = next.into_iter().chain(late).collect();
        all.sort_unstable();
        let mut want = arrivals;
        want.sort_unstable();
        prop_assert_eq!(all, want);
    }
}

#[test]
fn an_older_file_after_a_younger_one_is_read_in_order() {
    let file = |from_s: i64| (0..5_000).map(move |n| from_s * 1_000_000 + n * 10_000);
    let (next, late, restarts) = through(file(1_000_000).chain(file(0)));
    assert_eq!((next.len(), late.len(), restarts), (10_000, 0, 1));
    assert!(next[..5_000].is_sorted() && next[5_000..].is_sorted());
}

#[test]
fn a_single_stamp_of_the_future_costs_nothing() {
    let ordinary: Vec<i64> = (0..10_000).map(|n| n * 100_000).collect();
    for at in [0, 1, 5_000, 9_999] {
        let mut arrivals = ordinary.clone();
        arrivals.insert(at, 1 << 60);
        let (next, late, restarts) = through(arrivals);
        assert_eq!((&next, late, restarts), (&ordinary, vec![1 << 60], 0), "at {at}");
    }
}

/// After a pause of a night time goes on, whoever is the first to say so.
#[test]
fn time_goes_on_after_a_pause() {
    let hours = (0..400).map(|n| n * 3_600_000_000);
    let (next, late, restarts) = through(hours);
    assert!(next.len() == 400 && next.is_sorted() && late.is_empty() && restarts == 0);
}
