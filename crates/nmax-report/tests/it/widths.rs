//! Lines fit the terminal, whatever the names.

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

    /// Law: no line is wider than asked for, at 60, 80 and anything between and above.
    #[test]
    fn lines_fit(
        names in prop::collection::vec("[A-Za-z/ 日本한🚀]{1,90}", 1..6),
        text in "[a-z 日🚀]{0,300}",
        width in prop_oneof![Just(60_usize), Just(80), 60..140_usize],
        rate_per_s in 1.0..60.0_f64,
    ) {
        let mut run = Run::new(&Shape { names, text: text.clone(), rate_per_s, hold_s: 3, ..Shape::default() });
        run.info.name = text.clone();
        run.info.note = text.clone();
        run.judgement.reasons[1].text = text;
        let view = run.view();
        let plain = terminal::table(&view, Style { color: false, width, wide: false });
        for line in plain.lines() {
            prop_assert!(columns(line) <= width, "{} columns of {width}: {line}", columns(line));
        }
        let colored = terminal::table(&view, Style { color: true, width, wide: false });
        let stripped: Vec<_> = without_color(&colored).lines().map(|line| line.trim_end().to_owned()).collect();
        prop_assert_eq!(stripped.join("\n"), plain.lines().collect::<Vec<_>>().join("\n"), "color adds nothing but color");
    }
}

#[test]
fn plain_tables_have_no_escape_codes() {
    let view = Run::new(&Shape { hold_s: 3, ..Shape::default() }).view();
    assert!(!terminal::table(&view, Style::default()).contains('\u{1b}'));
}

#[test]
fn long_names_lose_their_middle() {
    let name = format!("GET /{}/end", "x".repeat(80));
    let view = Run::new(&Shape { names: vec![name], hold_s: 3, ..Shape::default() }).view();
    let table = terminal::table(&view, Style::default());
    let line = table.lines().find(|line| line.starts_with("GET /")).unwrap();
    assert!(line.contains('…') && line.contains("/end "), "{line}");
}
