//! The live display.

use nmax_metrics::{Histogram, Section, Window};
use nmax_report::terminal::{HoldSoFar, LiveView, Style, plain_line, progress};
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

/// A person need not wait for the end to learn that the injector is late; on time again, it is not said any more.
#[test]
fn a_late_injector_is_told_while_it_happens() {
    let run = Run::new(&Shape { hold_s: 30, rate_per_s: 20.0, ..Shape::default() });
    let is_hold = |window: &&Window| window.aggregate.load(Section::Hold).started > 0;
    let holds: Vec<Window> = run.windows.iter().filter(is_hold).cloned().collect();
    assert!(holds.len() >= 20, "{}", holds.len());
    // Response times of the sample are below a second.
    let late = |window: &Window, ms: u64| {
        let mut window = window.clone();
        let load = window.aggregate.load_mut(Section::Hold);
        load.injector_lag = Histogram::default();
        load.injector_lag.record_n(ms * 1_000_000, 20);
        window
    };
    let mut so_far = HoldSoFar::default();
    for (index, window) in holds.iter().take(6).enumerate() {
        so_far.push(&late(window, 900));
        assert_eq!(so_far.warning().is_some(), index >= 4, "after {} s", index + 1);
    }
    let mut live = live(&run, 20);
    live.warning = so_far.warning();
    let text = live.warning.clone().unwrap();
    assert!(text.starts_with("injector late so far: 900 ms of p99 "), "{text}");
    for width in [60, 80] {
        let lines = progress(&live, Style { color: false, width, wide: false });
        assert_eq!((lines.len(), &*lines[5]), (6, format!("! {text}").as_str()));
    }
    assert!(plain_line(&live).ends_with(&format!("; ! {text}")));
    // On time for so long that p99 is on time again.
    for _ in 0..100 {
        holds.iter().for_each(|window| so_far.push(&late(window, 0)));
    }
    assert_eq!(so_far.warning(), None);
    live.warning = None;
    assert_eq!(progress(&live, Style::default()).len(), 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Law: none of the lines is too wide, and from 60 columns on there is always the same number of them, at every moment
    /// of a run.
    #[test]
    fn displays_fit(until in 0..22_usize, width in prop_oneof![20..60_usize, 60..200_usize], total in prop::option::of(0.0..1e6_f64)) {
        let run = Run::new(&Shape { hold_s: 5, rate_per_s: 20.0, ..Shape::default() });
        let mut live = live(&run, until);
        live.total_s = total;
        let lines = progress(&live, Style { color: false, width, wide: false });
        prop_assert!(width < 60 || lines.len() == 5, "{lines:#?}");
        prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
        prop_assert!(!plain_line(&live).contains(char::is_control));
    }
}
