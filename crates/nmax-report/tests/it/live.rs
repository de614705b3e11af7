//! The live display.

use nmax_analysis::Reason;
use nmax_metrics::aggregate::FailureStats;
use nmax_metrics::{Aggregate, Catalog, Code, Group, Section};
use nmax_report::terminal::{Keys, LiveView, Room, SoFar, Style, panel, plain_line};
use proptest::prelude::*;

use crate::sample::{Run, Shape};

fn live(run: &Run, until: usize, reasons: &[Reason]) -> LiveView {
    let (totals, catalog) = so_far(run, until);
    let clock = (until as f64, Some(run.end.as_secs_f64()));
    let windows = &run.windows[until.saturating_sub(5)..until];
    LiveView::new(&run.plan, clock, windows, SoFar { totals: &totals, catalog: &catalog, reasons })
}

/// The sum of the first windows, in which some kinds failed.
fn so_far(run: &Run, until: usize) -> (Aggregate, Catalog) {
    let (mut totals, mut catalog) = (Aggregate::default(), run.catalog.clone());
    run.windows[..until].iter().for_each(|window| totals.merge(&window.aggregate));
    for (kind, count) in [("status 503", 12), ("timeout", 3), ("check \"Hello\"", 40), ("reset", 2), ("dns", 1)] {
        let number = catalog.intern(Group::Failure, kind);
        *totals.failures.get_mut(Section::Hold, number) = FailureStats { count, first: 0 };
    }
    (totals, catalog)
}

fn room(width: usize) -> Room {
    Room { style: Style { width, ..Style::default() }, rows: 40, keys: Keys::Hint }
}

fn lines(live: &LiveView, room: Room) -> Vec<String> {
    panel(live, room).iter().map(|line| line.to_string()).collect()
}

/// A gate as the judgement has it.
fn late() -> Reason {
    Reason {
        code: "G3_INJECTOR_LAG",
        text: "`response_time p95 < 400ms` cannot be answered: nmax sent up to 36 ms late, and 1.8 ms of 2.4 ms are its own".into(),
        evidence: Vec::new(),
        decides: true,
    }
}

#[test]
fn the_last_windows_and_all_so_far_are_told() {
    let run = Run::new(&Shape::default());
    let live = live(&run, 60, &[]);
    assert_eq!((live.stage, live.intended), ("hold", Some(200.0)));
    assert_eq!(live.next, Some(("ramp-down", 90.0)), "20 s, 10 s and 120 s come before it");
    let started = live.started_per_s.unwrap();
    assert!((started - 200.0).abs() < 1.0, "{started}");
    assert_eq!(live.history.iter().sum::<u64>(), live.count);
    let kinds: Vec<_> = live.failures.iter().map(|(kind, count)| (kind.as_str(), *count)).collect();
    assert_eq!(kinds[..2], [("check \"Hello\"", 40), ("status 503", 12)], "the most frequent first");
    let line = plain_line(&live);
    for part in
        ["1 min/2 min 42 s hold", "of 200 /s", "response p50", "service p95", "lag p99", "status 200", "timeout 3"]
    {
        assert!(line.contains(part), "{part} in {line}");
    }
}

/// Every response time is in one row, whose ends are round and rise.
#[test]
fn the_distribution_has_each_exchange_once() {
    for (rate_per_s, until) in [(5.0, 25), (20.0, 40), (200.0, 60)] {
        let run = Run::new(&Shape { rate_per_s, ..Shape::default() });
        let rows = live(&run, until, &[]).spread;
        let answered = so_far(&run, until).0.whole().total(Section::Hold).latencies().response.count();
        assert_eq!(rows.iter().map(|(_, count)| count).sum::<u64>(), answered);
        assert!((2..=8).contains(&rows.len()), "{rows:?}");
        assert!(rows.windows(2).all(|pair| pair[1].0.is_none_or(|end| pair[0].0 < Some(end))), "{rows:?}");
        assert!(rows.last().unwrap().0.is_none() && rows[0].0.is_some(), "{rows:?}");
    }
}

/// A person need not wait for the end to learn that the run judges nothing.
#[test]
fn what_spoils_the_run_is_told_while_it_happens() {
    let run = Run::new(&Shape::default());
    let view = live(&run, 60, &[late()]);
    for width in [60, 80] {
        let lines = lines(&view, room(width));
        let at = lines.iter().position(|line| line.starts_with("! INVALID so far: ")).unwrap();
        assert!(lines[at + 1].starts_with("  "), "{lines:#?}");
    }
    assert!(plain_line(&view).ends_with("[G3_INJECTOR_LAG]"), "{}", plain_line(&view));
}

#[test]
fn keys_are_told_where_somebody_can_press_them() {
    let view = live(&Run::new(&Shape::default()), 60, &[]);
    for (keys, told) in [
        (Keys::None, &[][..]),
        (Keys::Hint, &["q stop"]),
        (Keys::Help, &["q: stop", "p: hold", "?: hide"]),
        (Keys::Held, &["display held at 1 min"]),
    ] {
        let text = lines(&view, Room { keys, ..room(80) }).join("\n");
        let all = ["q stop", "q: stop", "p: hold", "?: hide", "display held at 1 min"];
        assert!(all.iter().all(|part| text.contains(part) == told.contains(part)), "{text}");
    }
}

#[test]
fn panels_are_golden() {
    let run = Run::new(&Shape::default());
    let mut view = live(&run, 60, &[late()]);
    view.status = ["200 9,812", "302 120", "404 3"].join(" · ");
    for width in [60, 80, 120] {
        let fresh = lines(&view, room(width)).join("\n") + "\n";
        crate::scalability::golden::is_golden(&format!("live-{width}.txt"), &fresh);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// Law: none of the lines is too wide, and one row stays free, at every moment of a run.
    #[test]
    fn displays_fit(
        until in 0..22_usize,
        width in prop_oneof![20..60_usize, 60..200_usize],
        rows in 2..60_usize,
        total in prop::option::of(0.0..1e6_f64),
        keys in prop::sample::select(vec![Keys::None, Keys::Hint, Keys::Help, Keys::Held]),
        is_late in any::<bool>(),
    ) {
        let run = Run::new(&Shape { hold_s: 5, rate_per_s: 20.0, ..Shape::default() });
        let mut live = live(&run, until, if is_late { std::slice::from_ref(&*LATE) } else { &[] });
        live.total_s = total;
        let lines = lines(&live, Room { rows, keys, ..room(width) });
        prop_assert!(lines.len() < rows, "{lines:#?}");
        prop_assert!(lines.iter().all(|line| line.chars().count() <= width), "{lines:#?}");
        prop_assert!(!plain_line(&live).contains(char::is_control));
    }
}

static LATE: std::sync::LazyLock<Reason> = std::sync::LazyLock::new(late);

/// Replies are told by status, in the order of codes.
#[test]
fn statuses_come_in_their_order() {
    let run = Run::new(&Shape::default());
    let status = live(&run, 60, &[]).status;
    let codes: Vec<Code> = status.split(" · ").filter_map(|one| Code::parse(one.split(' ').next()?)).collect();
    assert!(codes.len() > 1 && codes.is_sorted(), "{status}");
}
