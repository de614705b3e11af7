//! Response times taken apart: what a server's log says beside the client, floors, operations of the back end.

use nmax_analysis::breakdown::{Dimension, Row, Sides};

use super::text::Ink;
use super::{LIST_MAX, Lines, more};
use crate::number::{self, milliseconds as ms};
use crate::tables;
use crate::view::View;

/// Floors, operations and both sides always; the table by dimension when everything is asked for.
pub(super) fn write(page: &mut Lines, view: &View, wide: bool) {
    let breakdown = &view.judgement.breakdown;
    if let Some(sides) = &breakdown.sides {
        self::sides(page, sides);
    }
    floors(page, view);
    operations(page, view, wide);
    if wide {
        dimensions(page, view);
    }
    let notes = breakdown.notes.iter().filter(|_| wide);
    notes.for_each(|note| page.item("–", Ink::Dim, note));
}

fn sides(page: &mut Lines, sides: &Sides) {
    page.heading(&format!("Client and server ({})", sides.logs.join(", ")));
    let rows = sides.rows.iter().filter(|row| row.status.is_none());
    let table = tables::breakdown::sides(rows).at_most(LIST_MAX, "kinds of requests");
    page.table(&table, usize::MAX, |_, _| ());
    if !sides.behind.is_empty() {
        let behind = sides.behind.join(", ");
        page.item("–", Ink::Dim, &format!("behind: as {behind} has it"));
    }
    if sides.others > 0 {
        let others = number::count(sides.others);
        page.item("–", Ink::Dim, &format!("{others} requests in the log were not this run's"));
    }
    sides.notes.iter().for_each(|note| page.item("!", Ink::Warning, note));
}

fn floors(page: &mut Lines, view: &View) {
    let Some(bandwidth) = &view.judgement.breakdown.bandwidth else {
        return;
    };
    let floors = view.judgement.breakdown.rows.iter().filter_map(|row| Some((row, row.floor?)));
    for (row, floor) in floors.take(LIST_MAX) {
        let text = format!(
            "{}: {} of its time ({}) is what {} need at {}/s ({})",
            row.value,
            number::share(floor.share),
            ms(Some(floor.floor_ms)),
            number::bytes(row.bytes.unwrap_or_default()),
            number::bytes(bandwidth.bytes_per_s),
            bandwidth.of
        );
        page.entry("bytes", &text);
    }
}

fn operations(page: &mut Lines, view: &View, wide: bool) {
    let all: Vec<_> = view.judgement.breakdown.operations.iter().filter(|one| one.per_s > 0.0).collect();
    // Those of disks are of interest beside a back end's only.
    let shown = all.iter().filter(|one| wide || view.summary.watches && !one.what.starts_with("disk"));
    let texts: Vec<String> = shown
        .take(LIST_MAX)
        .map(|one| format!("{} {} on {}", number::digits(one.per_request), one.what, one.host))
        .collect();
    if !texts.is_empty() {
        page.entry("back end", &format!("{} for each request", texts.join(", ")));
    }
}

fn dimensions(page: &mut Lines, view: &View) {
    for dimension in Dimension::ALL {
        let rows: Vec<&Row> = view.judgement.breakdown.rows.iter().filter(|row| row.dimension == dimension).collect();
        // One value is the total again; names have their own table.
        if rows.len() < 2 || dimension == Dimension::Name {
            continue;
        }
        page.heading(&format!("By {}", dimension.name()));
        for row in rows.iter().take(LIST_MAX) {
            let times = row.response.as_ref().map_or_else(
                || "times not known".to_owned(),
                |time| format!("p50 {}, p95 {}", ms(Some(time.p50_ms)), ms(Some(time.p95_ms))),
            );
            let rate = number::rate_or_unknown(row.rate_per_s);
            let text = format!("{}: {} ({rate}), {times}", row.value, number::count(row.count));
            page.item("–", Ink::Dim, &text);
        }
        more(page, rows.len(), LIST_MAX, "values");
    }
}
