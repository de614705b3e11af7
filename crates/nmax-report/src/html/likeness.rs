//! The table that compares a run with its source.

use super::page::Html;
use crate::number;
use crate::tables::{Cell, Emphasis, Table};
use crate::view::{LikenessMark, View};

pub(super) fn write(page: &mut Html, view: &View) {
    let Some(likeness) = &view.likeness else { return };
    page.heading(2, "Fidelity");
    page.note(&format!("The traffic of this run beside that of {}.", likeness.source));
    let table = Table::from_rows(&likeness.rows)
        .named()
        .word("what", |row| &row.what)
        .number("source", |row| &row.source)
        .number("run", |row| &row.run)
        .number("distance", |row| Cell::from(number::or_unknown(row.distance, number::digits)).small(&row.measure))
        .word("verdict", |row| {
            let (class, symbol) = match row.mark {
                LikenessMark::Alike => ("pass", "✓"),
                LikenessMark::Near => ("", "≈"),
                LikenessMark::Apart => ("fail", "✗"),
                LikenessMark::Neutral => ("", "–"),
            };
            Cell::word(Emphasis::Class(class), format!("{symbol} {}", row.verdict)).text(&row.why)
        });
    page.table(&table);
    likeness.notes.iter().for_each(|note| page.note(note));
}
