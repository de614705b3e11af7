//! What is taken apart and what was watched: columns, both sides, errors of logs, events.

use nmax_analysis::Event;
use nmax_analysis::Latency;
use nmax_analysis::breakdown::{Breakdown, Dimension, Floor, Row, Side, SideRow, Sides};
use nmax_analysis::summary::{HostView, LogErrors, Panel, PanelLine};
use nmax_report::terminal::Style;
use nmax_report::{View, html, json, terminal};

use crate::sample::{Run, Shape};

fn view() -> View {
    let shape = Shape { hold_s: 3, rate_per_s: 10.0, ..Shape::default() };
    Run::new(&shape).view()
}

fn time(mean_ms: f64) -> Option<Latency> {
    Some(Latency { mean_ms, p50_ms: mean_ms, p95_ms: mean_ms, p99_ms: mean_ms })
}

/// Two templates of requests.
fn rows(floor: Option<Floor>) -> Vec<Row> {
    let row = |value: &str, floor| Row {
        dimension: Dimension::Template,
        value: value.into(),
        count: 7,
        rate_per_s: Some(1.0),
        failed: Some(0),
        response: time(20.0),
        connect_ms: Some(0.0),
        ttfb_ms: Some(10.0),
        receive_ms: Some(1.0),
        bytes: Some(5_000.0),
        floor,
        points: Vec::new(),
    };
    vec![row("/a", floor), row("/b", None)]
}

#[test]
fn a_column_that_no_row_knows_is_left_out() {
    let page = |floor| {
        let mut view = view();
        view.judgement.breakdown = Breakdown { rows: rows(floor), ..Breakdown::default() };
        html::page(&view)
    };
    let floor = Floor { floor_ms: 5.0, share: 0.25 };
    assert!(page(Some(floor)).contains("bytes need"));
    let without = page(None);
    assert!(!without.contains("bytes need") && without.contains("first byte"));
}

#[test]
fn the_logs_that_stand_for_the_server_are_named() {
    let mut view = view();
    let row = SideRow {
        client: Side { count: 9, time: time(20.0) },
        server: Side { count: 9, time: time(15.0) },
        upstream_ms: Some(11.0),
        ..SideRow::default()
    };
    view.judgement.breakdown.sides = Some(Sides {
        logs: vec!["front1".into(), "front2".into()],
        behind: vec!["app<1>".into()],
        rows: vec![row],
        ..Sides::default()
    });
    let page = html::page(&view);
    assert!(page.contains("by the logs front1, front2."), "added together");
    assert!(page.contains("Behind it: by the log app&lt;1&gt;."));
    let table = terminal::table(&view, Style::default());
    assert!(table.contains("front1, front2") && table.contains("as app<1> has it"), "{table}");
    let sides = &json::summary(&view)["breakdown"]["sides"];
    assert_eq!(sides["behind"], serde_json::json!(["app<1>"]));
}

/// Every output has the same numbers of errors, and none is larger than all.
#[test]
fn errors_of_logs_are_counted_by_kind() {
    let mut view = view();
    view.summary.watches = true;
    let row = nmax_analysis::summary::FigureRow {
        source: "log app".into(),
        metric: "errors_per_s".into(),
        unit: "per s".into(),
        mean: Some(0.26),
        max: Some(3.0),
        covered: 1.0,
    };
    view.summary.hosts = vec![HostView { name: "app1".into(), panels: Vec::new(), figures: vec![row], left_out: 0 }];
    view.summary.log_errors = vec![LogErrors {
        host: "app1".into(),
        source: "log app".into(),
        total: 10,
        kinds: vec![("panic".into(), 4), ("java.io.IOException".into(), 3)],
    }];
    let want = "log app: 10 errors: 4 panic, 3 java.io.IOException, 3 other";
    let table = terminal::table(&view, Style::default());
    assert!(table.contains(want) && !table.contains("0.26"), "{table}");
    assert!(html::page(&view).contains(want));
    let errors = &json::summary(&view)["log_errors"][0];
    assert_eq!((&errors["count"], &errors["kinds"]["panic"]), (&10.into(), &4.into()));
}

/// A picture of one line says which it is, and only that of what was not read has a shade, with a name.
#[test]
fn pictures_of_hosts_name_their_lines_and_shades() {
    let panel = |title: &str, gaps: &[(f64, f64)]| Panel {
        title: title.into(),
        unit: "cores".into(),
        lines: vec![PanelLine {
            name: format!("line of {title}"),
            points: vec![(0.5, Some(0.0004)), (1.5, None), (2.5, Some(0.0002))],
        }],
        gaps: gaps.to_vec(),
    };
    let mut view = view();
    view.judgement.effects.clear();
    view.summary.hosts = vec![HostView {
        name: "web".into(),
        panels: vec![panel("nginx", &[]), panel("redis", &[(0.5, 2.0)])],
        figures: Vec::new(),
        left_out: 0,
    }];
    view.summary.events =
        vec![Event { at_s: 0.5, code: "SOURCE_LOST".into(), text: "redis on web cannot be read: refused".into() }];
    let page = html::page(&view);
    let figures: Vec<&str> = page.split("<figure ").filter(|part| part.contains("line of")).collect();
    assert_eq!(figures.len(), 2);
    for (figure, gaps) in figures.iter().zip([0, 2]) {
        // One in each of the two drawings, and one in the legend.
        assert_eq!(figure.matches("class=\"gap\"").count(), gaps);
        assert_eq!(figure.matches("class=\"fill gap\"").count(), gaps / 2);
        assert_eq!(figure.contains("no readings</li>"), gaps > 0);
        assert_eq!(figure.matches("<ul class=\"legend\"><li>").count(), 1);
        assert!(!figure.contains("class=\"mark\""), "nothing was done to the system");
        assert!(figure.contains(">0.0004</text>"), "small values have an axis: {figure}");
    }
}

/// A clock that was found off is marked in the pictures of its host, and in no others.
#[test]
fn clocks_are_marked_where_they_are_off() {
    let host = |name: &str| HostView {
        name: name.into(),
        panels: vec![Panel {
            title: name.into(),
            unit: "cores".into(),
            lines: vec![PanelLine {
                name: format!("line of {name}"),
                points: vec![(0.5, Some(1.0)), (2.5, Some(2.0))],
            }],
            gaps: Vec::new(),
        }],
        figures: Vec::new(),
        left_out: 0,
    };
    let mut view = view();
    view.judgement.effects.clear();
    view.summary.hosts = vec![host("db"), host("web")];
    view.summary.events = vec![Event {
        at_s: 1.5,
        code: "CLOCK_OFFSET".into(),
        text: "agent on web: its clock is 7.0 s ahead of this host's".into(),
    }];
    let page = html::page(&view);
    let figures: Vec<&str> = page.split("<figure ").filter(|part| part.contains("line of")).collect();
    for (figure, marks) in figures.iter().zip([0, 2]) {
        assert_eq!(figure.matches("class=\"mark\"").count(), marks, "{figure}");
        assert_eq!(figure.matches("class=\"fill mark\"").count(), marks / 2, "{figure}");
        assert_eq!(figure.contains("clock found off</li>"), marks > 0);
    }
}

/// What sources tell of themselves stands apart from what happened.
#[test]
fn notes_of_sources_do_not_bury_events() {
    let event = |at_s, code: &str| Event { at_s, code: code.into(), text: format!("{code} at {at_s}") };
    let mut view = view();
    view.summary.events = (0..200).map(|at_s| event(f64::from(at_s), "SOURCE_NOTE")).collect();
    view.summary.events.push(event(500.0, "SOURCE_LOST"));
    let page = html::page(&view);
    let (lost, notes) = (page.find("SOURCE_LOST at 500"), page.find("200 notes of sources"));
    assert!(lost.is_some() && lost < notes, "{lost:?}, {notes:?}");
    assert!(page.contains("… 100 more notes"));
    view.summary.events.retain(|event| event.code == "SOURCE_LOST");
    assert!(!html::page(&view).contains("notes of sources"));
}
