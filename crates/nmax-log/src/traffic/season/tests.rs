use proptest::prelude::*;

use super::*;

/// Monday, 5 January 2026, 00:00 UTC, in µs.
const MONDAY_US: i64 = 1_767_571_200_000_000;

fn counter(utc_offset_s: i32, arrivals: impl IntoIterator<Item = i64>) -> Season {
    let mut counter = SeasonCounter::new(utc_offset_s);
    arrivals.into_iter().for_each(|at| counter.add(at));
    counter.finish()
}

/// `weeks` weeks with (hour + 1) requests in each hour of Monday to Friday, grown by `growth` of the first week a week.
fn weeks(count: i64, growth: i64) -> Vec<i64> {
    let mut arrivals = Vec::new();
    for hour in 0..count * 7 * 24 {
        let (week, weekday, of_day) = (hour / (7 * 24), hour / 24 % 7, hour % 24);
        let requests = if weekday < 5 { (of_day + 1) * (10 + growth * week) } else { 0 };
        arrivals.extend((0..requests).map(|n| MONDAY_US + hour * HOUR_US + n * HOUR_US / requests.max(1)));
    }
    arrivals
}

#[test]
fn the_week_comes_back() {
    let season = counter(0, weeks(2, 0));
    assert_eq!(season.week.len(), 7);
    assert_eq!(season.week[0][23], Some(240.0), "Monday, 23:00");
    assert_eq!(season.week[4][0], Some(10.0), "Friday, 0:00");
    assert_eq!(season.week[5][12], Some(0.0), "a Saturday between two weeks is empty");
    let busiest = season.busiest_hour.unwrap();
    assert_eq!((busiest.from_us, busiest.count), (MONDAY_US + 23 * HOUR_US, 240));
    assert_eq!(season.busiest_day.unwrap().from_us, MONDAY_US);
}

#[test]
fn offsets_move_hours_and_days() {
    // 23:30 UTC on Monday is Tuesday in Berlin.
    let season = counter(3_600, [MONDAY_US + 23 * HOUR_US + HOUR_US / 2]);
    assert_eq!(season.week[1][0], Some(1.0));
    assert_eq!(season.busiest_hour.unwrap().from_us, MONDAY_US + 23 * HOUR_US);
    assert_eq!(season.busiest_day.unwrap().from_us, MONDAY_US + 23 * HOUR_US);
}

#[test]
fn trends_are_robust() {
    let mut arrivals = weeks(8, 1);
    let found = counter(0, arrivals.clone()).trend_per_week.unwrap();
    // A tenth of the first week a week; the median of eight weeks is 1.35 times the first.
    assert!((found - 0.1 / 1.35).abs() < 0.01, "{found}");
    // A flood on one day does not move it much.
    arrivals.extend((0..50_000).map(|n| MONDAY_US + 50 * DAY_US + n));
    let flooded = counter(0, arrivals).trend_per_week.unwrap();
    assert!((flooded - found).abs() < 0.02, "{flooded} from {found}");
    assert_eq!(counter(0, weeks(2, 1)).trend_per_week, None, "two weeks have no trend");
}

#[test]
fn nothing_has_no_season() {
    assert_eq!(counter(0, []), Season::default());
}

#[test]
fn strays_change_nothing_else() {
    let arrivals = weeks(4, 1);
    let season = counter(0, arrivals.clone());
    assert_eq!((season.first_us, season.last_us), (MONDAY_US, *arrivals.last().unwrap()));
    // A clock of 1970, and a line of next year.
    let strays = [5_000_000, 5_500_000, MONDAY_US + 400 * DAY_US];
    let found = counter(0, strays.into_iter().chain(arrivals));
    let counts: Vec<u64> = found.strays.iter().map(|hour| hour.count).collect();
    assert_eq!((counts, found.strays[0].from_us), (vec![2, 1], 0));
    let without = Season { strays: Vec::new(), ..found };
    assert_eq!(without, season);
}

proptest! {
    /// Law: the order of records does not matter, and every record is counted.
    #[test]
    fn order_does_not_matter(mut at in prop::collection::vec(-1_000_000_000_000i64..1_000_000_000_000, 1..200), seed in any::<u64>()) {
        let season = counter(0, at.iter().copied());
        let all = season.hours.iter().chain(&season.strays);
        prop_assert_eq!(all.map(|hour| hour.count).sum::<u64>(), at.len() as u64);
        let shift = seed as usize % at.len();
        at.rotate_left(shift);
        at.reverse();
        prop_assert_eq!(counter(0, at), season);
    }
}

#[test]
fn minutes_come_back_in_local_time_without_strays() {
    let mut counter = SeasonCounter::new(3_600);
    for at in [0, 1, 61, 59, 60].map(|second| MONDAY_US + second * 1_000_000) {
        counter.add(at);
    }
    let first = (MONDAY_US / MINUTE_US) + 60;
    assert_eq!(counter.into_minutes(), [(first, 3), (first + 1, 2)]);
}
