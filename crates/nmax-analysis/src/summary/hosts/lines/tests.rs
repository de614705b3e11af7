use nmax_metrics::{Readings, Resource};

use super::super::panels::panels;
use super::*;

fn push(all: &mut Readings, at_ms: u64, (source, metric, unit): (&str, &str, &str), value: f64) {
    all.push(&Resource {
        at: Nanos::from_millis(at_ms),
        host: "web".into(),
        source: source.into(),
        metric: metric.into(),
        value,
        unit: unit.into(),
    });
}

/// Where there are several readings in a bin, each is of its own short time, and the earlier ones count as the later ones.
#[test]
fn several_readings_of_a_bin_stand_together() {
    let rate = ("nginx web", "accepted_per_s", "per s");
    let mut all = Readings::default();
    (1..51).for_each(|reading| push(&mut all, 200 * reading, rate, 1.0));
    let (figure, track) = all.iter().next().unwrap();
    let points = line("it", (figure, track), &[], Nanos::from_secs(10)).points;
    // Read at 1.0, 1.2, 1.4, 1.6 and 1.8 s, each of the 0.2 s before.
    assert!((points[1].0 - 1.3).abs() < 0.02, "{points:?}");

    let mut uneven = Readings::default();
    [500, 1_100, 1_200, 1_300].iter().for_each(|at_ms| push(&mut uneven, *at_ms, rate, 1.0));
    let (_, track) = uneven.iter().next().unwrap();
    let at_s = read_at_s(track, 0..2).unwrap();
    assert!((at_s - 4.1 / 4.0).abs() < 1e-3, "{at_s}");
}

/// A rate that is read at once is not drawn before the run.
#[test]
fn nothing_is_drawn_before_the_run() {
    let mut all = Readings::default();
    (0..5).for_each(|second| push(&mut all, 1_000 * second + 4, ("cpu", "busy_cores", "cores"), 1.0));
    let points = line("it", all.iter().next().unwrap(), &[], Nanos::from_secs(5)).points;
    assert_eq!(points[0].0, 0.0);
}

/// Figures of one source have one gap, also where a long run made the bins of some of them wider.
#[test]
fn bins_of_several_widths_have_their_gaps_in_common() {
    let mut all = Readings::default();
    // Longer than an hour in bins of a second.
    let until = 7_200;
    for second in (0..until).filter(|second| !(3_000..3_100).contains(second)) {
        push(&mut all, 1_000 * second, ("cpu", "busy_cores", "cores"), 1.0);
        if second < 10 {
            push(&mut all, 1_000 * second, ("cpu", "a_count", "count"), 1.0);
        }
    }
    let figures: Vec<(&TrackKey, &Track)> = all.iter().collect();
    assert!(figures[0].1.width < figures[1].1.width);
    let found = gaps(&figures, &["cpu"], Nanos::from_secs(until));
    assert_eq!(found.len(), 1, "{found:?}");
    let (begin_s, end_s) = found[0];
    assert!((begin_s - 2_999.0).abs() < 4.0 && (end_s - 3_100.0).abs() < 4.0, "{found:?}");
}

/// A source that is there only later has a gap until then; each picture of it shows it.
#[test]
fn every_picture_has_the_gaps_of_its_source() {
    let mut all = Readings::default();
    for second in (8..30).filter(|second| !(15..20).contains(second)) {
        push(&mut all, 1_000 * second, ("nginx web", "writing_count", "count"), 3.0);
        push(&mut all, 1_000 * second, ("cpu 0", "busy_ratio", "ratio"), 0.5);
        push(&mut all, 1_000 * second, ("cpu", "pressure_some_ratio", "ratio"), 0.5);
    }
    let figures: Vec<(&TrackKey, &Track)> = all.iter().collect();
    let drawn = panels(&figures, Nanos::from_secs(30));
    assert_eq!(drawn.len(), 3);
    for panel in drawn {
        assert_eq!(panel.gaps, [(0.0, 7.0), (14.0, 19.0)], "{}", panel.title);
    }
}
