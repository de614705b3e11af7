//! Results by region and by injector, of a run on several injectors.

use nmax_analysis::summary::{GroupRow, InjectorRow};

use super::{Part, groups};
use crate::doc::table::Table;
use crate::doc::{Media, Section};
use crate::number::{self, UNKNOWN};
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[regions, injectors];

/// Most rows in Markdown and PDF, where the page has all.
const ROWS_MAX: usize = 40;
/// Stands for the region of injectors that have none.
const ELSEWHERE: &str = "not given";

fn regions(view: &View) -> Option<Section> {
    let named = |row: &GroupRow| match row.name.is_empty() {
        true => GroupRow { name: ELSEWHERE.into(), ..row.clone() },
        false => row.clone(),
    };
    let rows: Vec<GroupRow> = view.summary.regions.iter().map(named).collect();
    let counted = groups::counted(("region", "requests"), &rows, |row| row).short("rate", 9);
    let table = groups::timed(counted, "response p50", &["p50", "p95", "p99"], |row| &row.time);
    section(("regions", "Regions"), view, table, "Users are where their injector is.")
}

fn injectors(view: &View) -> Option<Section> {
    let mut rows: Vec<&InjectorRow> = view.summary.injectors.iter().collect();
    rows.sort_by_key(|row| row.fails.is_empty());
    let ns = |seconds: f64| (seconds * 1e9).round();
    let table = Table::from_rows(rows)
        .named()
        .spread()
        .word("injector", |row| &row.name)
        .short("", 0)
        .word("region", |row| row.region.as_deref().unwrap_or(UNKNOWN))
        .number("shard", |row| row.shard.to_string())
        .number("workers", |row| row.workers.to_string())
        .share("starts", |row| row.started_share)
        .short("starts", 8)
        .rate("rate", |row| row.exchanges.rate_per_s)
        .short("rate", 9);
    let table = groups::timed(table, "response p50", &["p95", "p99"], |row| &row.exchanges.time)
        .group("")
        .time("lag p99", |row| row.lag.p99())
        .short("lag p99", 8)
        .share("CPU", |row| row.cpu_utilization)
        .short("CPU", 7)
        .time("clock error", |row| row.clock_error_s.map(ns))
        .short("clock", 8)
        .time("clock jump", |row| row.clock_jump_s.map(ns))
        .number("lost", |row| number::span(row.lost_s))
        .short("lost", 6)
        .sentence("fails", |row| row.fails.join(", "))
        .below();
    let note = "Starts are its share of all that was started, lag is what it added to response times, lost is time of its part \
                of the load that it did not report.";
    section(("injectors", "Injectors"), view, table.known(), note)
}

fn section<R>((id, title): (&str, &str), view: &View, table: Table<R>, note: &str) -> Option<Section> {
    let section = Section::new(id, title).aside(format!("phase {}", view.summary.phase.name));
    let table = table.done();
    section
        .with(|body| {
            if !table.is_empty() {
                body.on(Media::PAGE).table(table.clone()).note(note);
            }
            body.on(Media::ALL.without(Media::PAGE)).table(table.at_most(ROWS_MAX, "rows in the report"));
        })
        .said()
}
