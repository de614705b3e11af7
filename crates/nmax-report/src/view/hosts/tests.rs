use proptest::prelude::*;

use super::panels::{POINTS_MAX, drawn, line};
use super::recipes::recipe;
use super::*;
use nmax_metrics::{Readings, Resource};

fn readings(source: &str, metric: &str, values: &[(u64, f64)]) -> Readings {
    let mut readings = Readings::default();
    for (second, value) in values {
        readings.push(&Resource {
            at: Nanos::from_secs(*second),
            host: "db".into(),
            source: source.into(),
            metric: metric.into(),
            value: *value,
            unit: "count".into(),
        });
    }
    readings
}

proptest! {
    /// Law: however long a run is, a line has few points, in the order of time, and their mean is that of the readings.
    #[test]
    fn lines_are_short_and_true(values in prop::collection::vec(0.0..1e3_f64, 1..1_000)) {
        let numbered: Vec<(u64, f64)> = values.iter().enumerate().map(|(index, value)| (index as u64, *value)).collect();
        let readings = readings("disk sda", "queue_count", &numbered);
        let track = readings.get("db", "disk sda", "queue_count").unwrap();
        let line = line("it", track, Nanos::from_secs(values.len() as u64));
        prop_assert!(line.points.len() <= POINTS_MAX);
        prop_assert!(line.points.windows(2).all(|pair| pair[0].0 < pair[1].0));
        let per = values.len().div_ceil(POINTS_MAX);
        let first: f64 = values[..per.min(values.len())].iter().sum::<f64>() / per.min(values.len()) as f64;
        prop_assert!((line.points[0].1.unwrap() - first).abs() < 1e-6);
    }
}

#[test]
fn gaps_stay_gaps_and_what_is_always_zero_is_no_picture() {
    let all = readings("disk sda", "queue_count", &[(0, 1.0), (1, 2.0), (8, 3.0)]);
    let figures: Vec<_> = all.iter().collect();
    let recipe = recipe("disk", "queue", &[("queue_count", "under way")]);
    let panels = drawn(&recipe, &figures, Nanos::from_secs(10));
    assert_eq!(panels[0].title, "Disk sda: queue");
    let known: Vec<bool> = panels[0].lines[0]
        .points
        .iter()
        .map(|(_, value)| value.is_some())
        .collect();
    assert_eq!(
        known,
        [true, true, false, false, false, false, false, false, true, false]
    );
    let row = row(figures[0].0, figures[0].1, (Nanos::from_secs(1), Nanos::from_secs(9)));
    assert_eq!((row.mean, row.max, row.covered), (Some(2.5), Some(3.0), 0.25));

    let quiet = readings("disk sda", "queue_count", &[(0, 0.0), (1, 0.0)]);
    assert!(drawn(&recipe, &quiet.iter().collect::<Vec<_>>(), Nanos::from_secs(2)).is_empty());
}

#[test]
fn what_is_read_seldom_has_no_gaps_for_that() {
    let all = readings("connections", "rtt_ms", &[(0, 1.0), (3, 2.0), (6, 3.0), (20, 4.0)]);
    let track = all.get("db", "connections", "rtt_ms").unwrap();
    let points = line("it", track, Nanos::from_secs(21)).points;
    let gaps: Vec<f64> = points
        .iter()
        .filter(|(_, value)| value.is_none())
        .map(|(at_s, _)| *at_s)
        .collect();
    assert_eq!(points.len() - gaps.len(), 4);
    assert_eq!(gaps.len(), 13, "only the long one, from 7 s to 20 s: {gaps:?}");
}

/// A host of many processors keeps its memory and its services in the table, and percentiles have no mean.
#[test]
fn what_a_host_has_many_of_gives_way() {
    let mut all = readings("cpu 0", "busy_ratio", &[(0, 0.5)]);
    let more = (1..2 * FIGURES_MAX).map(|core| (format!("cpu {core}"), "busy_ratio"));
    let sources = [
        ("cpu", "busy_cores"),
        ("memory", "available_bytes"),
        ("pool a", "in_use_count"),
    ];
    let sources = sources.map(|(source, metric)| (source.to_owned(), metric));
    let logs = ["duration_ms", "duration_p95_ms"].map(|metric| ("log a".to_owned(), metric));
    for (source, metric) in more.chain(sources).chain(logs) {
        all.push(&Resource {
            at: Nanos::ZERO,
            host: "db".into(),
            source,
            metric: metric.into(),
            value: 3.0,
            unit: "count".into(),
        });
    }
    let phase = (Nanos::ZERO, Nanos::from_secs(1));
    let rows = rows(&all.iter().collect::<Vec<_>>(), phase);
    let first: Vec<(&str, Option<f64>)> = rows.iter().take(6).map(|row| (row.metric.as_str(), row.mean)).collect();
    assert_eq!(
        first,
        [
            ("busy_cores", Some(3.0)),
            ("duration_ms", Some(3.0)),
            ("duration_p95_ms", None),
            ("available_bytes", Some(3.0)),
            ("in_use_count", Some(3.0)),
            ("busy_ratio", Some(0.5)),
        ]
    );
    assert_eq!(rows[2].max, Some(3.0), "the largest of them was there");
}
