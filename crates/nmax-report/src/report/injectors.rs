//! Results by region and by injector, of a run on several injectors: as maps and as tables.

use nmax_analysis::summary::{GroupRow, InjectorRow};

use super::{Part, groups};
use crate::doc::table::Table;
use crate::doc::{Figure, Mark, Media, Section};
use crate::number::{self, UNKNOWN, time_or_unknown};
use crate::svg::{Region, RegionMap, Tile, WIDE};
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[regions, injectors];

/// Most rows in Markdown and PDF, where the page has all.
const ROWS_MAX: usize = 40;
/// Most injectors on a map; those that are not as they should be come first.
const TILES_MAX: usize = 48;
/// Stands for the region of injectors that have none.
const ELSEWHERE: &str = "not given";

/// How an injector did in its run, in words too.
pub fn health(row: &InjectorRow) -> (Mark, String) {
    match (&row.fails[..], row.lost_s) {
        ([], 0.0) => (Mark::Pass, "as it should be".into()),
        ([], lost_s) => (Mark::Warning, format!("{} lost", number::span(lost_s))),
        (fails, _) => (Mark::Invalid, format!("fails {}", fails.join(", "))),
    }
}

/// How the worst of some injectors did, and how many are not as they should be.
fn worst<'a>(rows: impl Iterator<Item = &'a InjectorRow>) -> (Mark, String) {
    let bad: Vec<Mark> = rows.map(|row| health(row).0).filter(|mark| *mark != Mark::Pass).collect();
    let mark = if bad.contains(&Mark::Invalid) { Mark::Invalid } else { Mark::Warning };
    match bad.len() {
        0 => (Mark::Pass, "all injectors as they should be".into()),
        1 => (mark, "1 injector is not as it should be".into()),
        bad => (mark, format!("{bad} injectors are not as they should be")),
    }
}

fn region_name(region: Option<&str>) -> &str {
    region.filter(|name| !name.is_empty()).unwrap_or(ELSEWHERE)
}

fn marked(mark: Mark, text: &str) -> String {
    format!("{} {text}", mark.symbol())
}

/// A map with what it says in one sentence.
fn map(id: &str, title: &str, view: &View, regions: Vec<Region>) -> Figure {
    let (_, standing) = worst(view.summary.injectors.iter());
    let count = view.summary.injectors.len();
    let description = format!("{count} injectors, in boxes by region: {standing}.");
    let drawn = RegionMap { id, title, description: &description, regions };
    Figure {
        id: id.into(),
        title: title.into(),
        about: "A scheme, not geography.".into(),
        drawings: WIDE.map(|width| drawn.render(width)).to_vec(),
        is_wide: true,
        ..Figure::default()
    }
}

/// A box for each region, with its figures.
fn region_boxes(view: &View) -> Vec<Region> {
    let head = |row: &GroupRow| {
        let name = region_name(Some(&row.name));
        let own = view.summary.injectors.iter().filter(|injector| region_name(injector.region.as_deref()) == name);
        let count = own.clone().count();
        let (mark, standing) = worst(own);
        let time = |index: usize| time_or_unknown(row.time.quantiles_ns[index]);
        let lines = vec![
            marked(mark, &standing),
            format!("{count} injectors, {}", number::rate_or_unknown(row.rate_per_s)),
            format!("response p50 {}, p99 {}", time(0), time(3)),
            format!("failed {}", number::share_or_unknown(row.failure_rate)),
        ];
        Region { head: Tile { mark, name: name.to_owned(), lines }, tiles: Vec::new() }
    };
    view.summary.regions.iter().map(head).collect()
}

/// A box for each region, with a tile for each of its injectors.
fn injector_tiles(view: &View) -> Vec<Region> {
    let mut rows: Vec<&InjectorRow> = view.summary.injectors.iter().collect();
    rows.sort_by_key(|row| health(row).0 == Mark::Pass);
    let more = rows.len().saturating_sub(TILES_MAX);
    rows.truncate(TILES_MAX);
    let mut regions: Vec<Region> = Vec::new();
    for row in rows {
        let (mark, standing) = health(row);
        let clock = row.clock_error_s.map_or_else(|| UNKNOWN.into(), |error| number::time((error * 1e9).round()));
        let lines = vec![
            marked(mark, &standing),
            format!(
                "{} of starts, {}",
                number::share_or_unknown(row.started_share),
                number::rate_or_unknown(row.exchanges.rate_per_s)
            ),
            format!(
                "lag p99 {}, CPU {}",
                time_or_unknown(row.lag.p99()),
                number::share_or_unknown(row.cpu_utilization)
            ),
            format!("clock ± {clock}, lost {}", number::span(row.lost_s)),
        ];
        let tile = Tile { mark, name: row.name.clone(), lines };
        let name = region_name(row.region.as_deref());
        match regions.iter_mut().find(|region| region.head.name == name) {
            Some(region) => region.tiles.push(tile),
            None => {
                let head = Tile { mark: Mark::None, name: name.to_owned(), lines: Vec::new() };
                regions.push(Region { head, tiles: vec![tile] });
            }
        }
    }
    if let (false, [only]) = (view.summary.regions.len() > 1, &mut regions[..])
        && only.head.name == ELSEWHERE
    {
        only.head.name = "all regions".into();
    }
    if more > 0
        && let Some(last) = regions.last_mut()
    {
        last.head.lines.push(format!("{more} more injectors are in the table"));
    }
    regions
}

fn regions(view: &View) -> Option<Section> {
    let named = |row: &GroupRow| match row.name.is_empty() {
        true => GroupRow { name: ELSEWHERE.into(), ..row.clone() },
        false => row.clone(),
    };
    let rows: Vec<GroupRow> = view.summary.regions.iter().map(named).collect();
    let counted = groups::counted(("region", "requests"), &rows, |row| row).short("rate", 9);
    let table = groups::timed(counted, "response p50", &["p50", "p95", "p99"], |row| &row.time);
    let map = (rows.len() > 1).then(|| map("regions-map", "Regions", view, region_boxes(view)));
    section(("regions", "Regions"), view, map, table, "Users are where their injector is.")
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
    let map = (!view.summary.injectors.is_empty())
        .then(|| map("injectors-map", "Injectors by region", view, injector_tiles(view)));
    section(("injectors", "Injectors"), view, map, table.known(), note)
}

fn section<R>(
    (id, title): (&str, &str),
    view: &View,
    map: Option<Figure>,
    table: Table<R>,
    note: &str,
) -> Option<Section> {
    let section = Section::new(id, title).aside(format!("phase {}", view.summary.phase.name));
    let table = table.done();
    section
        .with(|body| {
            if let Some(map) = map {
                body.on(Media::PICTURES).figure(map);
            }
            if !table.is_empty() {
                body.on(Media::PAGE).table(table.clone()).note(note);
            }
            body.on(Media::ALL.without(Media::PAGE)).table(table.at_most(ROWS_MAX, "rows in the report"));
        })
        .said()
}
