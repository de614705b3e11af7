//! The table that compares a run with its source.

use super::text::{Ink, left, right, shorten, width};
use super::{Page, Style, WIDTH_MIN};
use crate::number;
use crate::view::{Likeness, LikenessMark, LikenessRow, View};

/// Width of the distance.
const DISTANCE: usize = 8;
/// Least width of the two values.
const VALUE_MIN: usize = 10;

pub(super) fn write(page: &mut Page, view: &View) {
    if let Some(likeness) = &view.likeness {
        section(page, likeness);
    }
}

/// The comparison alone.
pub fn likeness(likeness: &Likeness, style: Style) -> String {
    let mut page = Page {
        text: String::new(),
        color: style.color,
        width: style.width.max(WIDTH_MIN),
    };
    section(&mut page, likeness);
    page.text.trim_start_matches('\n').to_owned()
}

fn section(page: &mut Page, likeness: &Likeness) {
    page.heading(&format!("Fidelity: this run beside {}", likeness.source));
    let widest = |of: fn(&LikenessRow) -> &str| likeness.rows.iter().map(|row| width(of(row))).max().unwrap_or(0);
    // Symbol, gaps and distance leave so much for the texts.
    let room = page.width.saturating_sub(DISTANCE + 10);
    let what = widest(|row| &row.what).min(room * 2 / 5).max(VALUE_MIN);
    let value = widest(|row| &row.source)
        .max(widest(|row| &row.run))
        .clamp(VALUE_MIN, (room.saturating_sub(what)) / 2);
    let head = format!(
        "    {} {} {} {}",
        left("", what),
        right("source", value),
        right("run", value),
        right("distance", DISTANCE)
    );
    let head = page.paint(&head, Ink::Dim);
    page.line(&head);
    for row in &likeness.rows {
        let (symbol, ink) = match row.mark {
            LikenessMark::Alike => ("✓", Ink::Good),
            LikenessMark::Near => ("≈", Ink::Warning),
            LikenessMark::Apart => ("✗", Ink::Bad),
            LikenessMark::Neutral => ("–", Ink::Dim),
        };
        let line = format!(
            "  {} {} {} {} {}",
            page.paint(symbol, ink),
            left(&shorten(&row.what, what), what),
            right(&shorten(&row.source, value), value),
            right(&shorten(&row.run, value), value),
            right(&distance(row), DISTANCE)
        );
        page.line(&line);
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
