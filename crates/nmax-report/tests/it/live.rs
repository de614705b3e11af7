//! The live display.

use nmax_report::terminal::{LiveView, Style, plain_line, progress};
use proptest::prelude::*;

use crate::sample::{Run, Shape};

fn live(run: &Run, until: usize) -> LiveView {
    LiveView::new(&run.plan, until as f64, Some(run.end.as_secs_f64()), &run.windows[until.saturating_sub(5)..until])
}

#[test]
fn the_last_windows_are_told() {
    let run = Run::new(&Shape::default());
    let live = live(&run, 60);
    assert_eq!((live.stage, live.intended), ("hold", Some(200.0)));
    let started = live.started_per_s.unwrap();
    assert!((started - 200.0).abs() < 1.0, "{started}");
    assert_eq!(live.history.iter().sum::<u64>(), live.count);
    let line = plain_line(&live);
    for part in ["1 min/2 min 42 s hold", "of 200 /s", "response p50", "service p95", "lag p99"] {
        assert!(line.contains(part), "{part} in {line}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Law: always the same number of lines, none too wide, at every moment of a run.
    #[test]
    fn displays_fit(until in 0..22_usize, width in 60..200_usize, total in prop::option::of(0.0..1e6_f64)) {
        let run = Run::new(&Shape { hold_s: 5, rate_per_s: 20.0, ..Shape::default() });
        let mut live = live(&run, until);
        live.total_s = total;
        let lines = progress(&live, Style { color: false, width, wide: false });
        prop_assert_eq!(lines.len(), 5);
        prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
        prop_assert!(!plain_line(&live).contains(char::is_control));
    }
}
