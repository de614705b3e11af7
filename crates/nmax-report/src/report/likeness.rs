//! Fidelity: how like its source the traffic of a run was.

use crate::doc::table::{Cell, Table};
use crate::doc::{Document, Item, Mark, Media, Section};
use crate::number;
use crate::view::{Likeness, LikenessMark, LikenessRow, View};

/// The section of a run's report.
pub(super) fn section(view: &View) -> Option<Section> {
    view.likeness.as_ref().map(fidelity)
}

/// The comparison alone.
pub fn document(likeness: &Likeness) -> Document {
    Document { sections: vec![fidelity(likeness)], ..Document::default() }
}

const fn mark(row: &LikenessRow) -> Mark {
    match row.mark {
        LikenessMark::Alike => Mark::Pass,
        LikenessMark::Near => Mark::Near,
        LikenessMark::Apart => Mark::Fail,
        LikenessMark::Neutral => Mark::Neutral,
    }
}

/// What differs; where everything is asked for, all of it.
fn fidelity(likeness: &Likeness) -> Section {
    let differs = |row: &&LikenessRow| matches!(row.mark, LikenessMark::Near | LikenessMark::Apart);
    let (differing, rest): (Vec<_>, Vec<_>) = likeness.rows.iter().partition(differs);
    let mut counts: Vec<(&str, usize)> = Vec::new();
    for row in &rest {
        match counts.iter_mut().find(|(verdict, _)| *verdict == row.verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((&row.verdict, 1)),
        }
    }
    let counts: Vec<String> = counts.iter().map(|(verdict, count)| format!("{count} {verdict}")).collect();
    let alike = |how: &str| (!counts.is_empty()).then(|| Item::new(Mark::Pass, format!("{}{how}", counts.join(", "))));
    let brief = Media::BRIEF.and(Media::PDF).and(Media::MARKDOWN);
    Section::new("fidelity", "Fidelity").aside(format!("this run beside {}", likeness.source)).with(|body| {
        body.on(brief).table(table(differing));
        body.on(Media::BRIEF).items(alike(" (`--wide` shows them)"));
        body.on(Media::PDF.and(Media::MARKDOWN)).items(alike(""));
        body.on(Media::DETAILED).table(table(likeness.rows.iter().collect()));
        body.everywhere().items(likeness.notes.iter().map(|note| Item::new(Mark::Warning, note)));
    })
}

fn table(rows: Vec<&LikenessRow>) -> Table<&LikenessRow> {
    let value = |of: fn(&LikenessRow) -> &str| {
        rows.iter().map(|row| of(row).chars().count()).max().unwrap_or(0).clamp(6, 22) + 1
    };
    let widths = (value(|row| &row.source), value(|row| &row.run));
    Table::from_rows(rows)
        .named()
        .word("what", |row| Cell {
            short: Some(format!("{} {}", mark(row).symbol(), row.what)),
            ..Cell::from(&row.what)
        })
        .short("", 0)
        .number("source", |row| &row.source)
        .short("source", widths.0)
        .number("run", |row| &row.run)
        .short("run", widths.1)
        .number("distance", |row| Cell::from(number::or_unknown(row.distance, number::digits)).small(&row.measure))
        .short("distance", 9)
        .word("verdict", |row| {
            let below = row.mark != LikenessMark::Alike && !row.why.is_empty();
            Cell {
                short: Some(if below { format!("{}: {}", row.verdict, row.why) } else { String::new() }),
                ..Cell::mark(mark(row), &row.verdict).text(&row.why)
            }
        })
        .below()
}
