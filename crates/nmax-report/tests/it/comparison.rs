//! Comparisons and histories: the outputs agree, fit their width, load nothing and escape what comes from outside.

use nmax_analysis::compare::{Caveat, Comparison, Conclusion, Kind, Metric, Origin, Row};
use nmax_analysis::history::history;
use nmax_report::comparison::{ComparisonView, HistoryRun, HistoryView};
use nmax_report::doc::Document;
use nmax_report::terminal::{Glyphs, Style};
use nmax_report::{json, report};
use nmax_text::is_hidden;
use proptest::prelude::*;

use crate::schema::{check, is_fresh};

fn row(request: &str, metric: Metric, change: f64, said: Conclusion) -> Row {
    let width = 0.01 + change.abs() / 20.0;
    Row {
        request: request.into(),
        metric,
        before: 12.5,
        after: 12.5 * change,
        change: Some(change),
        interval: Some((change - width, change + width)),
        p: 0.000_2,
        p_adjusted: 0.004,
        is_weak: true,
        said,
    }
}

fn origin(label: &str, note: &str, kind: Kind) -> Origin {
    Origin {
        label: label.into(),
        name: "shop".into(),
        note: note.into(),
        started_at: "2026-01-31T12:00:05Z".into(),
        target: "http://127.0.0.1:8080".into(),
        verdict: "pass".into(),
        kind,
        is_complete: true,
        hold_s: 60.0,
        ..Origin::default()
    }
}

fn view(name: &str) -> ComparisonView {
    let rows = vec![
        row("total", Metric::ResponseP95, 1.21, Conclusion::Worse),
        row("total", Metric::FailureRate, 0.012, Conclusion::Worse),
        row("total", Metric::Bytes, 1.0, Conclusion::Equivalent),
        Row { change: None, interval: None, ..row(name, Metric::ResponseP99, 3_000.0, Conclusion::Inconclusive) },
        row(name, Metric::Throughput, 1.08, Conclusion::Better),
        row(name, Metric::ResponseMean, 0.004, Conclusion::Better),
    ];
    ComparisonView {
        nmax_version: "0.0.0".into(),
        before: vec![origin("a1", name, Kind::Run)],
        after: vec![origin("access.log", "", Kind::Log)],
        caveats: vec![Caveat { text: format!("{name} is INVALID"), refuses: true }],
        answer: Comparison {
            runs: (1, 1),
            rows,
            family: 5,
            margin: 0.05,
            failure_margin: 0.005,
            runs_needed: 5,
            only_before: vec![name.to_owned()],
            silent: 7,
            ..Comparison::default()
        },
    }
}

fn followed(name: &str, values: &[f64]) -> HistoryView {
    let run = |(place, value): (usize, &f64)| HistoryRun {
        id: format!("r{place}"),
        name: name.into(),
        started_at: "2026-01-31T12:00:05Z".into(),
        note: name.into(),
        verdict: "pass".into(),
        value: *value,
        ..HistoryRun::default()
    };
    HistoryView {
        nmax_version: "0.0.0".into(),
        title: name.into(),
        metric: Metric::ResponseP95,
        request: name.into(),
        margin: 0.05,
        runs: values.iter().enumerate().map(run).collect(),
        history: history(Metric::ResponseP95, values, 0.05).unwrap(),
        notes: vec![format!("{name} is left out")],
    }
}

/// Ten runs at 10 ms, ten at 14.
fn stepped() -> Vec<f64> {
    (0..20).map(|place| (if place < 10 { 10.0 } else { 14.0 }) + 0.1 * f64::from(place % 3)).collect()
}

#[test]
fn the_committed_schemas_are_fresh() {
    is_fresh("compare.schema.json", &json::comparison_schema());
    is_fresh("trend.schema.json", &json::history_schema());
}

#[test]
fn json_satisfies_its_schema() {
    let root = json::comparison_schema();
    let printed = json::comparison(&view("home"));
    assert_eq!(check(&printed, &root, &root, "compare"), Vec::<String>::new());
    let mut wrong = printed;
    wrong["rows"][0]["said"] = "maybe".into();
    assert_eq!(check(&wrong, &root, &root, "compare").len(), 1);
    let root = json::history_schema();
    let printed = json::history(&followed("shop", &stepped()));
    assert_eq!(check(&printed, &root, &root, "trend"), Vec::<String>::new());
    assert_eq!(printed["changes"][0]["run"], "r10");
}

/// Below six runs nothing is told, from there on something is, in every output.
#[test]
fn few_runs_tell_nothing() {
    let cases = [
        (1, "? too few runs to tell: 1 run", "invalid"),
        (5, "? too few runs to tell: 5 runs", "invalid"),
        (6, "= no change in 6 runs", "pass"),
    ];
    for (count, line, class) in cases {
        let view = followed("shop", &stepped()[..count]);
        let text = crate::written::text::history(&view, Style::default(), Glyphs::Unicode);
        assert!(text.starts_with(&format!("{line}  shop\n")), "{text}");
        let page = crate::written::page::history(&view);
        let banner = format!("<section class=\"banner {class}\" aria-label=\"Answer\"><strong>{line}</strong>");
        assert!(page.contains(&banner), "{count}");
    }
}

/// Every output says the same of every row.
#[test]
fn outputs_agree() {
    let view = view("home");
    let text = crate::written::text::comparison(&view, Style { wide: true, ..Style::default() });
    let (page, note) = (crate::written::page::comparison(&view), crate::written::note(&view));
    for part in [
        "×1.21 ", "[1.14, 1.28]", "+1.20 pt", "[+0.14, +2.26]", "×1.08", "≤0.01", "12.5 ms", "only before: home",
        "7 rows that cannot tell",
    ] {
        assert!(text.contains(part), "{part} in\n{text}");
        assert!(page.contains(part.trim_end()), "{part} in the page");
        assert!(note.replace('\\', "").contains(part.trim_end()), "{part} in\n{note}");
    }
    for text in [text.to_lowercase(), page.to_lowercase(), note.to_lowercase()] {
        assert!(text.contains("worse, weak") || text.contains("worse (weak)"), "{text}");
        assert!(text.contains("2 worse, 2 better, 1 equivalent, 1 inconclusive"), "{text}");
        assert!(text.contains("from 5 runs a side ranks decide"), "{text}");
    }
}

#[test]
fn a_history_is_told_alike() {
    let view = followed("shop", &stepped());
    let (text, page) =
        (crate::written::text::history(&view, Style::default(), Glyphs::Unicode), crate::written::page::history(&view));
    for text in [&*text, &page] {
        assert!(text.contains("one change in 20 runs"), "{text}");
        assert!(text.contains("worse from run r10 (2026-01-31 12:00) on: shop: ×1.40"), "{text}");
    }
    assert!(text.contains("▁▁▁") && text.contains('█') && text.contains("          ^"), "{text}");
    let ascii = crate::written::text::history(&view, Style::default(), Glyphs::Ascii);
    assert!(ascii.contains('@') && !ascii.contains('█'), "{ascii}");
}

#[test]
fn what_comes_from_outside_is_no_markup() {
    let evil = "<script>alert(1)</script>|`*_[x](javascript:y)\u{1b}[31m\u{202e}\u{2028}\u{9b}";
    let (compared, followed) = (view(evil), followed(evil, &stepped()));
    for page in [crate::written::page::comparison(&compared), crate::written::page::history(&followed)] {
        let page = crate::escaping::markup(&page);
        assert!(!page.contains("<script") && !page.contains("http-equiv=\"refresh"), "{page}");
        assert!(!page.contains("src=") && !page.contains("<link"), "it loads nothing");
        assert!(!page.contains('\u{1b}'));
    }
    let note = crate::written::note(&compared);
    assert!(
        !note.contains("<script") && !note.replace("\\]", "").contains("](java") && !note.contains('\u{1b}'),
        "{note}"
    );
    for line in note.lines().filter(|line| line.starts_with("| ")) {
        let bars = line.replace("\\|", "").matches('|').count();
        assert_eq!(bars, 8, "{line}");
    }
    for text in [
        crate::written::text::comparison(&compared, Style::default()),
        crate::written::text::history(&followed, Style::default(), Glyphs::Unicode),
    ] {
        assert!(!text.contains(|c| is_hidden(c) && c != '\n'), "{text}");
    }
    for page in [&note, &crate::written::page::comparison(&compared), &crate::written::page::history(&followed)] {
        assert!(!page.contains(|c| is_hidden(c) && c != '\n'), "{page}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]
    /// No line is wider than the terminal, every row is there, and odd figures break nothing.
    #[test]
    fn lines_fit(
        name in "[A-Za-z/ {}]{1,90}", columns in 20..140_usize, change in prop_oneof![Just(0.0), 1e-9..1e9_f64, -1.0..1.0_f64],
        count in 0..150_usize,
    ) {
        let mut view = view(&name);
        view.answer.rows.push(Row {
            after: 0.5,
            interval: Some((-1.0, 1.0)),
            ..row("z", Metric::FailureRate, change.clamp(-1.0, 1.0), Conclusion::Changed)
        });
        view.answer.rows.push(row("z", Metric::ServiceMean, change.abs(), Conclusion::Changed));
        let style = Style { width: columns, wide: true, ..Style::default() };
        let values: Vec<f64> = (0..count).map(|place| 1.0 + change.abs() + place as f64).collect();
        let texts = [
            crate::written::text::comparison(&view, style),
            crate::written::text::history(&followed(&name, &values), style, Glyphs::Ascii),
        ];
        for line in texts.iter().flat_map(|text| text.lines()) {
            prop_assert!(line.chars().count() <= columns, "{} of {columns}: {line}", line.chars().count());
        }
        let rows = texts[0].lines().filter(|line| line.contains("_time ")).count();
        prop_assert!(columns < 60 || rows >= 4, "{}", texts[0]);
        for page in [crate::written::page::comparison(&view), crate::written::page::history(&followed(&name, &values))] {
            prop_assert!(!page.contains("NaN") && !page.contains("inf"), "a number that is none is on the page");
        }
    }
}

/// Sides that may not be compared have a page that says why, in every form.
#[test]
fn a_refusal_is_told_with_its_reasons() {
    let view = ComparisonView { answer: Comparison::default(), ..view("home") };
    let (page, note) = (crate::written::page::comparison(&view), crate::written::note(&view));
    assert!(note.starts_with("## ? NOT COMPARED: Before and after\n"), "{note}");
    assert!(page.contains("? NOT COMPARED"), "{page}");
    for text in [&page, &note] {
        assert!(text.contains("home is INVALID") && text.contains("this may not be compared"), "{text}");
        assert!(!text.contains("Equivalent is") && !text.contains("nothing in common"), "{text}");
    }
    let root = json::comparison_schema();
    assert_eq!(check(&json::comparison(&view), &root, &root, "compare"), Vec::<String>::new());
}

/// All kinds of documents, for laws of all documents.
pub(crate) fn documents() -> Vec<(String, Document)> {
    let refused = ComparisonView { answer: Comparison::default(), ..view("home") };
    vec![
        ("a comparison".into(), report::comparison::comparison(&view("home"))),
        ("a refusal".into(), report::comparison::comparison(&refused)),
        ("a history".into(), report::comparison::history(&followed("shop", &stepped()))),
        ("a short history".into(), report::comparison::history(&followed("shop", &stepped()[..1]))),
    ]
}

/// A comparison of requests of these names.
pub(crate) fn of_names(names: &[&str]) -> (String, Document) {
    let mut view = view("home");
    view.answer.rows = names.iter().map(|name| row(name, Metric::ResponseP95, 1.2, Conclusion::Worse)).collect();
    ("a comparison".into(), report::comparison::comparison(&view))
}
