use proptest::prelude::*;

use super::*;

const DAY: i64 = 24 * 60;

/// Requests in every minute of `range`, `each` a minute.
fn busy(range: Range<i64>, each: u64) -> Vec<Minute> {
    range.map(|minute| (minute, each)).collect()
}

/// The minutes that are kept.
fn kept(minutes: &[Minute]) -> (i64, i64) {
    let range = together(minutes);
    (minutes[range.start].0, minutes[range.end - 1].0)
}

fn with(mut minutes: Vec<Minute>, others: &[Minute]) -> Vec<Minute> {
    minutes.extend(others);
    minutes.sort_unstable();
    minutes
}

#[test]
fn far_stamps_are_stray() {
    let week = busy(0..7 * DAY, 2);
    // (minutes, the first and the last that are kept, why)
    let cases = [
        (week.clone(), (0, 7 * DAY - 1), "a log without strays stays whole"),
        (with(week.clone(), &[(33 * DAY, 1)]), (0, 7 * DAY - 1), "a month later"),
        (with(week.clone(), &[(-20_000 * DAY, 1)]), (0, 7 * DAY - 1), "1970"),
        (
            with(week.clone(), &[(-20_000 * DAY, 1), (27_000 * DAY, 3), (28_000 * DAY, 1)]),
            (0, 7 * DAY - 1),
            "both, at several distances",
        ),
        (with(week, &[(7 * DAY + 600, 1)]), (0, 7 * DAY + 600), "ten hours after a week"),
        (with(busy(0..10, 60), &[(300, 1)]), (0, 9), "a wrong zone in ten minutes of a log"),
        (with(busy(0..10 * 60, 60), &[(24 * 60, 3)]), (0, DAY), "the next morning, after one day"),
        (with(busy(0..10, 1), &[(9_000_000, 1)]), (0, 9_000_000), "too few to tell"),
        (vec![(0, 90), (9_000_000, 1)], (0, 0), "a minute and a stray"),
        (vec![(0, 9), (9_000_000, 1)], (0, 9_000_000), "so few tell nothing"),
        (vec![(5, 1)], (5, 5), "one is together with itself"),
    ];
    for (minutes, want, why) in cases {
        assert_eq!(kept(&minutes), want, "{why}");
    }
}

/// A burst is no reason to set the quiet days around it apart.
#[test]
fn quiet_days_around_a_burst_are_no_strays() {
    let quiet: Vec<Minute> = (0..120).map(|n| (n * 360, 1)).collect();
    let burst = busy(60 * 360 + 1..60 * 360 + 61, 5_000);
    assert_eq!(kept(&with(quiet, &burst)), (0, 119 * 360));
}

/// Pauses as long as others of the log are none of a clock.
#[test]
fn pauses_that_are_usual_stay() {
    let days: Vec<Minute> = (0..20).flat_map(|day| busy(3 * day * DAY..3 * day * DAY + 300, 3)).collect();
    let last = (60 * DAY + 7, 1);
    assert_eq!(kept(&with(days, &[last])), (0, last.0));
}

proptest! {
    /// Law: any few stamps far out on either side are set apart, and nothing else is.
    #[test]
    fn strays_are_set_apart(
        gaps in prop::collection::vec(1..30i64, 200..400),
        early in prop::collection::btree_set(400 * DAY..40_000 * DAY, 0..3),
        late in prop::collection::btree_set(400 * DAY..40_000 * DAY, 0..3),
    ) {
        let mut at = 0;
        let log: Vec<Minute> = gaps.iter().map(|gap| { at += gap; (at, 1) }).collect();
        let (first, last) = (log[0].0, at);
        let strays: Vec<Minute> = early.iter().map(|far| (first - far, 1)).chain(late.iter().map(|far| (last + far, 1))).collect();
        prop_assert_eq!(kept(&with(log, &strays)), (first, last));
    }

    /// Law: whatever the minutes, most of them stay, and a range comes back.
    #[test]
    fn most_of_it_stays(gaps in prop::collection::vec((1..100_000i64, 1..50u64), 1..300)) {
        let mut at = 0;
        let log: Vec<Minute> = gaps.iter().map(|(gap, count)| { at += gap; (at, *count) }).collect();
        let range = together(&log);
        prop_assert!(range.start < range.end && range.end <= log.len());
        let set_apart = sum(&log) - sum(&log[range]);
        prop_assert!(set_apart * REQUESTS_FACTOR <= 2 * sum(&log));
    }
}
