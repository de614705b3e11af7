use jiff::civil::date;

use super::*;

fn daily(days: &[(i8, f64)]) -> Vec<Point> {
    days.iter().map(|(day, value)| Point { at: date(2026, 11, *day).at(0, 0, 0, 0), value: *value }).collect()
}

#[test]
fn disorder_is_mended_and_named() {
    let points = daily(&[(3, 30.0), (1, 10.0), (2, 20.0), (2, 25.0), (6, 60.0), (7, 70.0)]);
    let series = Series::new(points, "peaks.csv", Peak::Maximum).unwrap();
    assert_eq!(series.values, [Some(10.0), Some(25.0), Some(30.0), None, None, Some(60.0), Some(70.0)]);
    assert_eq!(series.last(), date(2026, 11, 7));
    assert_eq!(
        series.notes,
        [
            "peaks.csv: rows are not in the order of time; they were sorted",
            "peaks.csv: more than one value at 2026-11-02; the largest is used",
            "peaks.csv: 2 days missing (2026-11-04 to 2026-11-05); gaps are not filled, the fit uses what is there",
        ]
    );
}

#[test]
fn weeks_and_months_are_told() {
    let every = |days: i8| -> Vec<Point> {
        let start = date(2026, 1, 1);
        let at = |k: i64| start.saturating_add((k * i64::from(days)).days()).at(0, 0, 0, 0);
        (0..6).map(|k| Point { at: at(k), value: 1.0 + k as f64 }).collect()
    };
    assert_eq!(Series::new(every(7), "x", Peak::Maximum).unwrap().step, Step::Week);
    assert_eq!(
        Series::new(every(30), "x", Peak::Maximum).unwrap_err(),
        "x: a point every 30 days is not supported, because a season of the week needs days and a trend needs weeks"
    );
}

#[test]
fn hours_become_peaks_of_whole_days() {
    // Two whole days and a third of which six hours are there.
    let value = |hour: i64| if hour % 24 == 14 { 200.0 + (hour / 24) as f64 } else { 50.0 };
    let start = date(2026, 11, 2).at(0, 0, 0, 0);
    let points = (0..54).map(|hour| Point { at: start.saturating_add(hour.hours()), value: value(hour) }).collect();
    let series = Series::new(points, "m.json", Peak::Maximum).unwrap();
    assert_eq!((series.step, series.values.as_slice()), (Step::Day, &[Some(200.0), Some(201.0)][..]));
    assert!(series.notes[0].contains("1 day not whole (2026-11-04)"), "{:?}", series.notes);
    let burst = series.burst.unwrap();
    assert_eq!(burst.step_s, 3600.0);
    assert!(burst.shape.is_empty(), "no weekend was seen");
}

/// A fifth of the time at 10, else at 0: mean 2, so the peak is 5 times the mean, and a fifth is above it.
#[test]
fn burst_of_a_square_wave() {
    let loads: Vec<f64> = (0..100).map(|at| if at % 5 == 0 { 10.0 } else { 0.0 }).collect();
    let burst = Burst::new(&loads, 60.0);
    assert_eq!((burst.mean, burst.peak_to_mean, burst.above_mean), (2.0, 5.0, 0.2));
}

#[test]
fn minutes_become_peaks_of_days() {
    let monday = date(2026, 11, 2).duration_since(date(1970, 1, 1)).as_secs() / 60;
    // From Monday 12:00 to Friday 00:30: Tuesday to Thursday are whole; nothing was asked on Wednesday.
    let minutes: Vec<(i64, u64)> = (12 * 60..4 * DAY_MIN + 30)
        .filter(|minute| minute / DAY_MIN != 2)
        .map(|minute| (monday + minute, if minute % DAY_MIN == 840 { 600 } else { 60 + minute as u64 % 20 }))
        .collect();
    let series = Series::of_minutes(&minutes, "access.log", Peak::Maximum).unwrap();
    assert_eq!((series.start, series.values.as_slice()), (date(2026, 11, 3), &[Some(10.0), None, Some(10.0)][..]));
    assert_eq!(series.notes.len(), 1, "{:?}", series.notes);
    let burst = series.burst.unwrap();
    assert!((burst.mean - 2.0 / 3.0 * (69.5 * 1439.0 / 60.0 + 10.0) / 1440.0).abs() < 0.01, "{burst:?}");
    let quiet = Series::of_minutes(&minutes, "access.log", Peak::P99).unwrap();
    assert!(quiet.values[0].unwrap() < 1.4, "the 99th percentile leaves a lone minute out");
    assert!(Series::of_minutes(&minutes[..600], "access.log", Peak::Maximum).is_err(), "no day is whole");
}
