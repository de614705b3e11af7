//! Lines fit the terminal, whatever the names.

use nmax_analysis::summary::Problem;
use nmax_metrics::Code;
use nmax_report::terminal::{self, Style};
use proptest::prelude::*;

use crate::sample::{Run, Shape};

/// Columns of a line: CJK and emoji of the tests take two.
fn columns(line: &str) -> usize {
    line.chars().map(|c| if matches!(c, '日' | '本' | '한' | '🚀') { 2 } else { 1 }).sum()
}

fn without_color(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').expect("a color code ends").1;
    }
    plain + rest
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// Law: no line is wider than asked for, from 20 columns on.
    #[test]
    fn lines_fit(
        names in prop::collection::vec("[A-Za-z/ 日本한🚀]{1,90}", 1..6),
        text in "[a-z 日🚀]{0,300}",
        width in prop_oneof![Just(20_usize), Just(60), Just(80), 20..60_usize, 60..140_usize],
        rate_per_s in 1.0..60.0_f64,
    ) {
        let regions = ["eu", "a region with a long name"];
        let mut run = Run::new(&Shape { names, text: text.clone(), rate_per_s, hold_s: 3, ..Shape::default() });
        run.info.name = text.clone();
        run.info.note = text.clone();
        run.judgement.reasons[1].text = text;
        let injectors: Vec<_> = run.catalog.requests.list().iter().map(|name| (name.as_str(), regions.get(name.len() % 3).copied())).collect();
        let view = if injectors.len() > 1 { run.fleet(&injectors) } else { run.view() };
        let plain = terminal::table(&view, Style { width, ..Style::default() });
        for line in plain.lines() {
            prop_assert!(columns(line) <= width, "{} columns of {width}: {line}", columns(line));
        }
        let colored = terminal::table(&view, Style { color: true, width, ..Style::default() });
        let stripped: Vec<_> = without_color(&colored).lines().map(|line| line.trim_end().to_owned()).collect();
        prop_assert_eq!(stripped.join("\n"), plain.lines().collect::<Vec<_>>().join("\n"), "color adds nothing but color");
    }
}

#[test]
fn plain_tables_have_no_escape_codes() {
    let view = Run::new(&Shape { hold_s: 3, ..Shape::default() }).view();
    assert!(!terminal::table(&view, Style::default()).contains('\u{1b}'));
}

/// No two heads stick together, on narrow terminals either.
#[test]
fn heads_stand_apart() {
    let view = Run::new(&Shape { hold_s: 3, ..Shape::default() }).view();
    for width in [60, 77, 78, 80, 120] {
        let table = terminal::table(&view, Style { width, ..Style::default() });
        let mut heads = table.lines().skip_while(|line| !line.starts_with("Requests (")).skip(1);
        let words = |line: Option<&str>| line.unwrap().split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let groups = words(heads.next());
        assert_eq!([1, 3, 4].map(|at| groups[at].as_str()), ["response", "service", "lag"], "{width}: {table}");
        assert_eq!(words(heads.next()), ["count", "failed", "rate", "p50", "p95", "p99", "p95", "p99"], "{width}");
    }
}

/// Regions and injectors are told apart where there are several: those that fail a gate first, with what they fail.
#[test]
fn several_injectors_are_told_apart() {
    let run = Run::new(&Shape { hold_s: 120, ..Shape::default() });
    let section = |view: &nmax_report::View, head: &str, style: Style| {
        let text = terminal::table(view, style).to_string();
        let lines = text.lines().skip_while(|line| !line.starts_with(head)).take_while(|line| !line.is_empty());
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let (brief, wide) = (Style { width: 80, ..Style::default() }, Style { width: 80, wide: true, ..Style::default() });
    assert_eq!(section(&run.view(), "Injectors", wide), [""; 0]);
    let view = run.fleet(&[("eu1", Some("eu")), ("us1", Some("us")), ("us2", Some("us"))]);
    let told =
        [section(&view, "Regions", brief), section(&view, "Injectors", brief), section(&view, "Injectors", wide)];
    let path = format!("{}/tests/golden/injectors.txt", env!("CARGO_MANIFEST_DIR"));
    let told = told.map(|lines| lines.join("\n") + "\n").join("\n");
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &told).unwrap();
    }
    assert_eq!(told, std::fs::read_to_string(&path).unwrap());
}

/// A failure that others always follow from is told with them below it, each once.
#[test]
fn what_follows_from_a_failure_is_told_below_it() {
    let mut view = Run::new(&Shape { hold_s: 3, ..Shape::default() }).view();
    let mut example = view.summary.problems.iter().find_map(|one| one.examples.first()).unwrap().clone();
    let mut problem = |kind: &str, first: u64, followed_by: &[&str]| {
        (example.kind, example.text) = (kind.to_owned(), format!("what {kind} says"));
        Problem {
            kind: kind.to_owned(),
            count: Some(20),
            first: Some(first),
            followed_by: followed_by.iter().map(|kind| (*kind).to_owned()).collect(),
            remedy: "look",
            examples: vec![example.clone()],
        }
    };
    let (login, moved) = (problem("status 401", 20, &["status 302", "timeout"]), problem("status 302", 0, &[]));
    view.summary.problems = vec![login, problem("timeout", 4, &[]), moved];
    let table = terminal::table(&view, Style { width: 120, ..Style::default() });
    let lines: Vec<&str> = table.lines().skip_while(|line| !line.starts_with("Failures and errors")).skip(1).collect();
    for (line, begins) in lines.iter().zip([
        "  ✗ status 401, 20 times: look",
        "    for example ",
        "    then timeout, 20 times, for example ",
        "    then status 302, 20 times, for example ",
        "  ✗ timeout, 20 times, first failure of 4 iterations: look",
    ]) {
        assert!(line.starts_with(begins), "{begins}: {table}");
    }
    assert_eq!(table.matches("status 302, 20 times").count(), 1, "{table}");
}

/// One request needs one row: its own.
#[test]
fn one_request_has_no_total() {
    let rows = |names: &[&str]| {
        let names = names.iter().map(|name| (*name).to_owned()).collect();
        let view = Run::new(&Shape { hold_s: 3, names, ..Shape::default() }).view();
        let table = terminal::table(&view, Style::default());
        let has = |begin: &str| table.lines().any(|line| line.starts_with(begin));
        (has("GET /a"), has("total "), nmax_report::html::page(&view).contains("<tr class=\"total\">"))
    };
    assert_eq!(rows(&["GET /a"]), (true, false, false));
    assert_eq!(rows(&["GET /a", "GET /b"]), (true, true, true));
}

#[test]
fn long_names_lose_their_middle() {
    let name = format!("GET /{}/end", "x".repeat(80));
    let view = Run::new(&Shape { names: vec![name], hold_s: 3, ..Shape::default() }).view();
    let table = terminal::table(&view, Style::default());
    let line = table.lines().find(|line| line.starts_with("GET /")).unwrap();
    assert!(line.contains('…') && line.contains("/end "), "{line}");
}

/// Whoever gets redirects or errors sees it at once: replies by status, and by name where they are others than usual.
#[test]
fn replies_by_status_are_in_the_table_and_on_the_page() {
    let shape = Shape { hold_s: 5, names: vec!["GET /".into(), "GET /old".into()], ..Shape::default() };
    let mut view = Run::new(&shape).view();
    view.summary.total.status = vec![(Code::new(200), 9_812), (Code::new(302), 120), (Code::new(404), 3)];
    view.summary.total.status.push((Code::parse("40P01").unwrap(), 2));
    (view.summary.total.errors, view.summary.requests[0].1.errors, view.summary.requests[1].1.errors) = (0, 0, 7);
    view.summary.requests[0].1.status = vec![(Code::new(200), 9_812)];
    view.summary.requests[1].1.status = vec![(Code::new(302), 120), (Code::new(404), 3)];
    let old = view.summary.requests[1].0.clone();
    let all = "200 9,812 · 302 120 · 404 3 · 40P01 2";
    let differs = format!("{old}: 302 120 · 404 3 · no reply 7");
    for width in [60, 80, 120] {
        let table = terminal::table(&view, Style { width, ..Style::default() });
        assert!(table.lines().any(|line| line == format!("status    {all}")), "{width}: {table}");
        assert!(table.lines().any(|line| line.trim() == differs), "{width}: {table}");
    }
    let page = nmax_report::html::page(&view);
    for (name, replies) in [("total", all), (&old, differs.split_once(": ").unwrap().1)] {
        let cells = page.split("<tr").find(|row| row.contains(&format!(">{name}</th>"))).expect("the name has a row");
        assert!(cells.contains(&format!(" data-t=\"status\">{replies}</td>")), "{replies} in {cells}");
    }

    view.summary.requests.truncate(1);
    let table = terminal::table(&view, Style::default());
    assert!(!table.contains("no reply 7"), "one name is not told twice: {table}");
}
