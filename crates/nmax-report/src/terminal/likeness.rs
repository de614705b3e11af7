//! The table that compares a run with its source: what differs, and with `--wide` all of it.

use super::text::{Ink, Painted, left, right, shorten, width};
use super::{Lines, Style};
use crate::number;
use crate::view::{Likeness, LikenessMark, LikenessRow, View};

/// Width of the distance.
const DISTANCE: usize = 8;
/// Least widths of the name and of the two values.
const NAME_MIN: usize = 10;
const VALUE_MIN: usize = 6;

pub(super) fn write(page: &mut Lines, view: &View, wide: bool) {
    if let Some(likeness) = &view.likeness {
        section(page, likeness, wide);
    }
}

/// The comparison alone.
pub fn likeness(likeness: &Likeness, style: Style) -> Painted {
    let mut page = Lines::new(style);
    section(&mut page, likeness, style.wide);
    page.text.trim_start();
    page.text
}

fn section(page: &mut Lines, likeness: &Likeness, wide: bool) {
    page.heading(&format!("Fidelity: this run beside {}", likeness.source));
    let differs = |row: &&LikenessRow| matches!(row.mark, LikenessMark::Near | LikenessMark::Apart);
    let (shown, rest): (Vec<_>, Vec<_>) = likeness.rows.iter().partition(|row| wide || differs(row));
    let widest = |of: fn(&LikenessRow) -> &str| likeness.rows.iter().map(|row| width(of(row))).max().unwrap_or(0);
    let what = widest(|row| &row.what).max(NAME_MIN);
    let value = widest(|row| &row.source).max(widest(|row| &row.run)).max(VALUE_MIN);
    // Symbol and gaps take eight columns.
    let is_one_line = what + 2 * value + DISTANCE + 8 <= page.width;
    if is_one_line && !shown.is_empty() {
        let titles = [("source", value), ("run", value), ("distance", DISTANCE)];
        let titles = titles.map(|(title, width)| right(title, width)).join(" ");
        let head = page.paint(&format!("    {} {titles}", left("", what)), Ink::Dim);
        page.line(head);
    }
    for row in &shown {
        let (symbol, ink) = match row.mark {
            LikenessMark::Alike => ("✓", Ink::Good),
            LikenessMark::Near => ("≈", Ink::Warning),
            LikenessMark::Apart => ("✗", Ink::Bad),
            LikenessMark::Neutral => ("–", Ink::Dim),
        };
        let lead = Painted::from("  ") + page.paint(symbol, ink);
        let distance = right(&distance(row), DISTANCE);
        if is_one_line {
            let (source, run) = (right(&row.source, value), right(&row.run, value));
            page.line(lead + format!(" {} {source} {run} {distance}", left(&row.what, what)));
        } else {
            let name = page.width - DISTANCE - 5;
            page.line(lead + format!(" {} {distance}", left(&shorten(&row.what, name), name)));
            page.entry_at(13, "    source", &row.source);
            page.entry_at(13, "    run", &row.run);
        }
        if row.mark != LikenessMark::Alike && !row.why.is_empty() {
            page.item(" ", Ink::Plain, &format!("{}: {}", row.verdict, row.why));
        }
    }
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in rest {
        match counts.iter_mut().find(|(verdict, _)| *verdict == row.verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((&row.verdict, 1)),
        }
    }
    if !counts.is_empty() {
        let counts: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
        page.item("✓", Ink::Good, &format!("{} (`--wide` shows them)", counts.join(", ")));
    }
    for note in &likeness.notes {
        page.item("!", Ink::Warning, note);
    }
}

/// The distance in a few digits.
fn distance(row: &LikenessRow) -> String {
    row.distance.map_or_else(|| number::UNKNOWN.to_owned(), number::digits)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_is_alike_is_one_line() {
        let row = |what: &str, verdict: &str, mark| LikenessRow {
            what: what.into(),
            verdict: verdict.into(),
            mark,
            distance: Some(0.5),
            ..LikenessRow::default()
        };
        let rows = vec![
            row("mix", "alike", LikenessMark::Alike),
            row("statuses", "unlike", LikenessMark::Apart),
            row("steps", "alike", LikenessMark::Alike),
            row("rate", "near", LikenessMark::Near),
            row("latency", "slower", LikenessMark::Neutral),
        ];
        let all = Likeness { source: "a.json".into(), rows, notes: Vec::new() };
        let lines = |wide| likeness(&all, Style { width: 100, wide, ..Style::default() }).to_string();
        let short = lines(false);
        assert!(short.contains("2 alike, 1 slower (`--wide`"), "{short}");
        let shows = |text: &str| {
            ["mix", "statuses", "steps", "rate", "latency"].map(|what| text.contains(&format!(" {what} ")))
        };
        assert_eq!(shows(&short), [false, true, false, true, false], "{short}");
        assert_eq!(shows(&lines(true)), [true; 5]);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]
        /// Whatever the names and values, no line is wider than the terminal, and every distance is there.
        #[test]
        fn no_line_is_too_wide(
            rows in prop::collection::vec(("[a-zé {}/]{1,60}", "[a-z0-9 ,]{0,30}", "[a-z0-9 ,]{0,30}"), 1..8),
            columns in 60..160_usize,
        ) {
            let row = |(what, source, run): (String, String, String)| LikenessRow {
                what, source, run,
                distance: Some(0.25),
                verdict: "unlike".into(),
                mark: LikenessMark::Apart,
                why: "because they are far apart, further than chance makes them".into(),
                ..LikenessRow::default()
            };
            let count = rows.len();
            let all = Likeness { source: "a.json".into(), rows: rows.into_iter().map(row).collect(), notes: vec!["a note".into()] };
            let text = likeness(&all, Style { width: columns, ..Style::default() });
            for line in text.lines() {
                prop_assert!(width(line) <= columns, "{} of {columns}: {line}", width(line));
            }
            prop_assert_eq!(text.matches("0.25").count(), count, "{}", text);
        }
    }
}
