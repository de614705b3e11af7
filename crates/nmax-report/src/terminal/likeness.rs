//! The table that compares a run with its source.

use super::text::{Ink, Painted, left, right, shorten, width};
use super::{Page, Style};
use crate::number;
use crate::view::{Likeness, LikenessMark, LikenessRow, View};

/// Width of the distance.
const DISTANCE: usize = 8;
/// Least widths of the name and of the two values.
const NAME_MIN: usize = 10;
const VALUE_MIN: usize = 6;

pub(super) fn write(page: &mut Page, view: &View) {
    if let Some(likeness) = &view.likeness {
        section(page, likeness);
    }
}

/// The comparison alone.
pub fn likeness(likeness: &Likeness, style: Style) -> Painted {
    let mut page = Page::new(style);
    section(&mut page, likeness);
    page.text.trim_start();
    page.text
}

fn section(page: &mut Page, likeness: &Likeness) {
    page.heading(&format!("Fidelity: this run beside {}", likeness.source));
    let widest = |of: fn(&LikenessRow) -> &str| likeness.rows.iter().map(|row| width(of(row))).max().unwrap_or(0);
    let what = widest(|row| &row.what).max(NAME_MIN);
    let value = widest(|row| &row.source).max(widest(|row| &row.run)).max(VALUE_MIN);
    // Symbol and gaps take eight columns.
    let is_one_line = what + 2 * value + DISTANCE + 8 <= page.width;
    if is_one_line {
        let titles = [("source", value), ("run", value), ("distance", DISTANCE)];
        let titles = titles.map(|(title, width)| right(title, width)).join(" ");
        let head = page.paint(&format!("    {} {titles}", left("", what)), Ink::Dim);
        page.line(head);
    }
    for row in &likeness.rows {
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
