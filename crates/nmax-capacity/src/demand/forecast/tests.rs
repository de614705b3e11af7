use jiff::civil::date;

use super::*;

fn of(weeks: usize, today: Option<Date>, value: impl Fn(usize, &mut Random) -> f64) -> (Forecast, Assumptions) {
    let mut random = Random::new(4);
    let values = (0..7 * weeks).map(|at| Some(value(at, &mut random))).collect();
    let series = Series { start: date(2026, 1, 5), values, source: "peaks.csv".into(), ..Series::default() };
    let demand = Demand { source: Source::Series(series), events: Vec::new() };
    let mut rest = Assumptions::default();
    let forecast = forecast(&demand, &Ahead { weeks: 8, today, seed: 1, ..Ahead::default() }, &mut rest).unwrap();
    (forecast, rest)
}

#[test]
fn a_band_holds_its_median_and_widens() {
    let (forecast, rest) = of(24, None, |at, random| 1000.0 * (0.004 * at as f64).exp() * random.lognormal(0.05));
    assert_eq!(forecast.method, Method::Model);
    assert_eq!((forecast.bands.len(), forecast.bands[0].date), (56, date(2026, 6, 22)));
    assert!(forecast.bands.iter().all(|band| band.low < band.median && band.median < band.high));
    let width = |band: &Band| (band.high / band.low).ln();
    let week = |at: usize| forecast.bands[at..at + 7].iter().map(width).sum::<f64>();
    assert!(week(49) > week(0));
    assert!(rest.unsupported[0].starts_with("A season of the year is not supported by these data, because"));
    assert_eq!(rest.unsupported.len(), 2, "{:?}", rest.unsupported);
}

#[test]
fn what_the_back_test_does_not_bear_gives_way_to_the_naive_forecast() {
    let (forecast, rest) = of(40, None, |at, random| if at < 180 { 1000.0 } else { 300.0 } * random.lognormal(0.05));
    assert_eq!(forecast.method, Method::Naive);
    assert!(forecast.bands.iter().all(|band| Some(band.median) == band.naive));
    assert!(rest.unsupported.iter().any(|text| text.contains("the naive forecast is used")), "{:?}", rest.unsupported);
}

#[test]
fn a_fortnight_has_no_trend() {
    let (forecast, rest) = of(2, None, |at, _| 1000.0 + at as f64);
    assert_eq!(forecast.method, Method::Naive);
    assert!(rest.unsupported[0].starts_with("Growth is not supported by these data, because 14 points"));
    assert!(!rest.next.is_empty());
}

#[test]
fn today_may_come_after_the_data() {
    let (forecast, _) = of(30, Some(date(2026, 8, 20)), |_, random| 1000.0 * random.lognormal(0.05));
    assert_eq!(forecast.bands.last().unwrap().date, date(2026, 10, 15));
    assert_eq!(forecast.ahead_of_today().next().unwrap().date, date(2026, 8, 20));
}
