use proptest::prelude::*;

use super::lines::{POINTS_MAX, gaps, is_of_time_before, line};
use super::panels::drawn;
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
        let figure = readings.iter().next().unwrap();
        let line = line("it", figure, &[], Nanos::from_secs(values.len() as u64));
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
    let recipe = recipe("disk", "queue", &[(figures::QUEUE_COUNT, "under way")]);
    let panels = drawn(&recipe, &figures, Nanos::from_secs(10));
    assert_eq!(panels[0].title, "Disk sda: queue");
    let known: Vec<bool> = panels[0].lines[0].points.iter().map(|(_, value)| value.is_some()).collect();
    assert_eq!(known, [true, true, false, false, false, false, false, false, true, false]);
    let row = row(figures[0].0, figures[0].1, (Nanos::from_secs(1), Nanos::from_secs(9)));
    assert_eq!((row.mean, row.max, row.covered), (Some(2.5), Some(3.0), 0.25));

    let quiet = readings("disk sda", "queue_count", &[(0, 0.0), (1, 0.0)]);
    assert!(drawn(&recipe, &quiet.iter().collect::<Vec<_>>(), Nanos::from_secs(2)).is_empty());
}

#[test]
fn what_is_read_seldom_has_no_gaps_for_that() {
    let all = readings("connections", "rtt_ms", &[(0, 1.0), (3, 2.0), (6, 3.0), (20, 4.0)]);
    let points = line("it", all.iter().next().unwrap(), &[], Nanos::from_secs(21)).points;
    let gaps: Vec<f64> = points.iter().filter(|(_, value)| value.is_none()).map(|(at_s, _)| *at_s).collect();
    assert_eq!(points.len() - gaps.len(), 4);
    assert_eq!(gaps.len(), 13, "only the long one, from 7 s to 20 s: {gaps:?}");
}

/// A reading of one figure, with its unit, at an instant in ms.
fn push(all: &mut Readings, at_ms: u64, (source, metric, unit): (&str, &str, &str), value: f64) {
    all.push(&Resource {
        at: Nanos(at_ms * 1_000_000),
        host: "db".into(),
        source: source.into(),
        metric: metric.into(),
        value,
        unit: unit.into(),
    });
}

proptest! {
    /// Law: wherever in its seconds a source is read, what passed in a second is drawn within that second, and what is of a
    /// moment at that moment.
    #[test]
    fn figures_stand_where_they_belong(after_ms in 0_u64..1_000, counts in prop::collection::vec(1.0..100.0_f64, 2..100)) {
        let (rate, gauge) = (("log app", "errors_per_s", "per s"), ("nginx web", "writing_count", "count"));
        let mut all = Readings::default();
        for (index, count) in counts.iter().enumerate() {
            // Read at the end of its time.
            let at_ms = after_ms + 1_000 * (index as u64 + 1);
            push(&mut all, at_ms, rate, *count);
            push(&mut all, at_ms, gauge, *count);
        }
        let end = Nanos::from_secs(counts.len() as u64 + 2);
        for (figure, track) in all.iter() {
            let points = line("it", (figure, track), &[], end).points;
            let drawn: Vec<(f64, f64)> = points.iter().filter_map(|(at_s, value)| Some((*at_s, (*value)?))).collect();
            prop_assert_eq!(drawn.len(), counts.len());
            for (index, (at_s, value)) in drawn.iter().enumerate() {
                let begin_s = after_ms as f64 / 1e3 + index as f64;
                let want_s = if figure.source == gauge.0 { begin_s + 1.0 } else { begin_s + 0.5 };
                prop_assert_eq!(*value, counts[index]);
                prop_assert!((at_s - want_s).abs() < 1e-3, "{} at {at_s} s, not {want_s}", figure.metric);
            }
        }
    }
}

#[test]
fn figures_of_the_time_before_are_told_from_those_of_a_moment() {
    let cases = [
        ("cpu", "busy_cores", "cores", true),
        ("cpu", "waiting_count", "count", true),
        ("cpu", "running_count", "count", false),
        ("cgroup", "quota_cores", "cores", false),
        ("pool http", "waiting_count", "count", false),
        ("pool cache thread", "in_use_count", "count", true),
        ("pool http", "in_use_count", "count", false),
        ("disk sda", "await_ms", "ms", true),
        ("connections", "rtt_ms", "ms", false),
        ("net eth0", "received_bytes_per_s", "bytes per s", true),
        ("log app", "errors_count{kind=\"panic\"}", "count", true),
        ("database shop", "wait_lock_count", "count", false),
    ];
    for (source, metric, unit, want) in cases {
        let figure = TrackKey { host: "db".into(), source: source.into(), metric: metric.into() };
        assert_eq!(is_of_time_before(&figure, unit), want, "{source} {metric}");
    }
}

/// Only pictures of what was lost have a gap, it is where the readings are missing, and no line goes across it.
#[test]
fn gaps_are_those_of_the_source_that_is_drawn() {
    let mut all = Readings::default();
    for second in 0..20 {
        let at_ms = 1_000 * second;
        push(&mut all, at_ms, ("nginx web", "writing_count", "count"), 3.0);
        // Lost from 6 s to 11 s; one reading is missing at 15 s.
        if (7..11).contains(&second) || second == 15 {
            push(&mut all, at_ms, ("cpu", "up", "count"), 0.0);
            continue;
        }
        push(&mut all, at_ms, ("cpu", "running_count", "count"), 2.0);
        if second % 3 == 0 || second == 11 {
            push(&mut all, at_ms, ("cpu", "waiting_count", "count"), 1.0);
        }
    }
    let (figures, end) = (all.iter().collect::<Vec<_>>(), Nanos::from_secs(20));
    assert_eq!(gaps(&figures, &["nginx web"], end), []);
    assert_eq!(gaps(&figures, &["cpu"], end), [(6.0, 10.0)]);
    assert_eq!(gaps(&figures, &["cpu", "nginx web"], end), [], "one of them was read");
    assert_eq!(gaps(&figures, &["cpu"], Nanos::from_secs(30)).last(), Some(&(19.0, 30.0)));
    let panels = super::panels::panels(&figures, end);
    let of = |title: &str| panels.iter().find(|panel| panel.title.starts_with(title)).unwrap();
    assert_eq!(of("Nginx web").gaps, []);
    let tasks = of("Tasks that run");
    assert_eq!(tasks.gaps, [(6.0, 10.0)]);
    for line in &tasks.lines {
        let breaks = line.points.windows(2).filter(|pair| pair[0].1.is_some() && pair[1].1.is_none());
        let broken: Vec<f64> = breaks.map(|pair| pair[0].0).collect();
        assert!(broken.iter().any(|at_s| (4.0..=6.0).contains(at_s)), "{}: {broken:?}", line.name);
    }
}

/// An application's log has lines, and no requests.
#[test]
fn lines_of_a_log_are_not_called_requests() {
    for (metric, title) in [("lines_per_s", "lines in the log"), ("requests_per_s", "requests in the log")] {
        let mut all = Readings::default();
        for second in 1..4 {
            push(&mut all, 1_000 * second, ("log app", metric, "per s"), 2.0);
            push(&mut all, 1_000 * second, ("log app", "errors_per_s", "per s"), 1.0);
        }
        let panels = super::panels::panels(&all.iter().collect::<Vec<_>>(), Nanos::from_secs(4));
        let titles: Vec<&str> = panels.iter().map(|panel| panel.title.as_str()).collect();
        assert_eq!(titles, [format!("Log app: {title}")]);
    }
}

/// What a server was asked for has pictures of its own, beside its connections; each line has its name.
#[test]
fn operations_of_services_are_drawn() {
    let mut all = Readings::default();
    let figures = [
        ("nginx front door", "accepted_per_s", 1.0),
        ("operations disk reads", "operations_per_s", 7.0),
        ("operations front door requests", "operations_per_s", 187.0),
        ("operations shop rows", "operations_per_s", 5_000.0),
        ("operations shop transactions", "operations_per_s", 12.0),
        ("operations shop blocks", "operations_per_s", 0.0),
    ];
    for second in 1..4 {
        for (source, metric, value) in figures {
            push(&mut all, 1_000 * second, (source, metric, "per s"), value);
        }
    }
    let panels = super::panels::panels(&all.iter().collect::<Vec<_>>(), Nanos::from_secs(4));
    let drawn: Vec<(&str, &str, Option<f64>)> = panels
        .iter()
        .flat_map(|panel| panel.lines.iter().map(|line| (&*panel.title, line)))
        .map(|(title, line)| (title, &*line.name, line.points.iter().find_map(|(_, value)| *value)))
        .collect();
    assert_eq!(
        drawn,
        [
            ("Front door: requests per second", "requests", Some(187.0)),
            ("Shop: rows per second", "rows", Some(5_000.0)),
            ("Shop: transactions per second", "transactions", Some(12.0)),
            ("Nginx front door: per s", "accepted_per_s", Some(1.0)),
        ]
    );
}

/// A host of many processors keeps its memory and its services in the table, and percentiles have no mean.
#[test]
fn what_a_host_has_many_of_gives_way() {
    let mut all = readings("cpu 0", "busy_ratio", &[(0, 0.5)]);
    let more = (1..2 * FIGURES_MAX).map(|core| (format!("cpu {core}"), "busy_ratio"));
    let sources = [("cpu", "busy_cores"), ("memory", "available_bytes"), ("pool a", "in_use_count")];
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
