//! Requests: response, service and lag always together; then scenarios and whatever else is gathered by name.

use nmax_analysis::Withheld;
use nmax_analysis::summary::Stats;

use super::Part;
use super::groups::{self, QUANTILES, quantile};
use crate::doc::table::{Cell, Table};
use crate::doc::{Item, Mark, Media, Section};
use crate::markup::clip;
use crate::number;
use crate::view::{View, WITHHELD};

pub(super) const SECTIONS: &[Part] = &[requests, scenarios, by_name];

/// Most withheld times explained: in the terminal, and elsewhere.
const WITHHELD_SHORT: usize = 6;
const WITHHELD_MAX: usize = 20;
/// Most lines of replies by status.
const STATUS_MAX: usize = 9;
/// Most characters of a name beside its replies.
const NAME_MAX: usize = 80;
/// Most rows in Markdown and PDF, where the page has all.
const GROUPS_MAX: usize = 40;

type Row<'a> = (&'a str, &'a Stats);

fn requests(view: &View) -> Option<Section> {
    let phase = &view.summary.phase;
    let (start, end) = (number::span(phase.start_s), number::span(phase.end_s));
    let is_all = |one: &&Withheld| one.request.is_none() || view.summary.requests.len() > 1;
    let withheld: Vec<_> = view.judgement.withheld.iter().filter(is_all).collect();
    let told = |one: &&Withheld| Item::new(Mark::Unknown, one.text());
    let is_brief = |one: &&&Withheld| ["p50", "p95", "p99"].contains(&one.quantile);
    let section = Section::new("requests", "Requests").aside(format!("phase {}, {start} to {end}", phase.name));
    Some(section.with(|body| {
        body.table(table(view));
        let brief = withheld.iter().filter(is_brief).copied().collect::<Vec<_>>();
        body.on(Media::BRIEF).some_items(brief.iter().map(told), WITHHELD_SHORT, "withheld times");
        body.on(Media::ALL.without(Media::BRIEF)).some_items(withheld.iter().map(told), WITHHELD_MAX, "withheld times");
        body.on(Media::TERMINAL).facts(status(view));
        body.on(Media::PAGE).note("Below a percentile: its within-run 95 % interval, or why there is none.");
    }))
}

/// One row for each name in the order of the plan, then the total of several. A column more is a line more.
fn table(view: &View) -> Table<Row<'_>> {
    let rows = view.summary.requests.iter().map(|(name, stats)| (name.as_str(), stats));
    let total = Some(("total", &view.summary.total)).filter(|_| view.summary.requests.len() != 1);
    let mut table = Table::from_rows(rows.chain(total)).total(total.is_some()).named().spread();
    table = table.word("request", |(name, _)| name).short("", 0);
    table = table.count("count", |(_, stats)| stats.count).short("count", 7);
    table = table.share("failed", |(_, stats)| stats.failure_rate).short("failed", 7);
    table = table.rate("rate", |(_, stats)| stats.rate_per_s).short("rate", 9).group("response");
    for (index, title) in QUANTILES.into_iter().enumerate() {
        let cell = |(_, stats): Row<'_>| match stats.withheld[index] {
            true => Cell::from(WITHHELD),
            false => quantile(&stats.times.response, index),
        };
        table = table.number(title, cell);
        table = if ["p50", "p95", "p99"].contains(&title) { table.short(title, 8) } else { table.detail() };
    }
    table = table.time("max", |(_, stats)| stats.times.response.max_ns);
    table = table.group("service").time("p95", |(_, stats)| stats.times.service.p95()).short("p95", 8);
    table = table.group("lag").time("p99", |(_, stats)| stats.times.send_lag.p99()).short("p99", 8);
    table = table.group("weight").bytes("mean", |(_, stats)| weight(stats));
    table = table.bytes("min", |(_, stats)| some(stats.sums.body_bytes_min)).detail();
    table = table.bytes("max", |(_, stats)| some(stats.sums.body_bytes_max)).detail();
    table = table.group("").sentence("status", |(_, stats)| stats.by_status());
    table = table.group("response").time("min", |(_, stats)| stats.times.response.min_ns).detail();
    table = table.time("mean", |(_, stats)| stats.times.response.mean_ns).detail();
    table = table.group("service").time("mean", |(_, stats)| stats.times.service.mean_ns).detail();
    table = table.time("p50", |(_, stats)| stats.times.service.p50()).detail();
    table = table.time("p99", |(_, stats)| stats.times.service.p99()).detail();
    table = table.time("max", |(_, stats)| stats.times.service.max_ns).detail();
    table = table.group("lag").time("p50", |(_, stats)| stats.times.send_lag.p50()).detail();
    table = table.time("p99.9", |(_, stats)| stats.times.send_lag.p999()).detail();
    table = table.time("max", |(_, stats)| stats.times.send_lag.max_ns).detail();
    table = table.group("first byte").time("p50", |(_, stats)| stats.times.ttfb.p50()).detail();
    table = table.time("p95", |(_, stats)| stats.times.ttfb.p95()).detail();
    table = table.time("p99", |(_, stats)| stats.times.ttfb.p99()).detail();
    table = table.group("bytes").bytes("received", |(_, stats)| stats.sums.bytes_received).detail();
    table = table.bytes("sent", |(_, stats)| stats.sums.bytes_sent).detail();
    table.bytes("decoded", |(_, stats)| stats.sums.bytes_decoded).detail()
}

/// A size that is known.
fn some(bytes: u64) -> Option<u64> {
    (bytes > 0).then_some(bytes)
}

/// Bytes of a reply's body, decoded, on average.
fn weight(stats: &Stats) -> Option<f64> {
    (stats.count > 0).then(|| stats.sums.bytes_decoded as f64 / stats.count as f64)
}

/// Replies by status: of all, and of the names that had others than the usual one.
fn status(view: &View) -> Vec<(String, String)> {
    let rows = view.summary.by_status();
    let more = rows.len().saturating_sub(STATUS_MAX);
    let line = |(name, replies): (Option<&str>, String)| match name {
        None => ("status".to_owned(), replies),
        Some(name) => (String::new(), format!("{}: {replies}", clip(name, NAME_MAX))),
    };
    let more = (more > 0).then(|| (String::new(), format!("… {more} more request names in the report")));
    rows.into_iter().take(STATUS_MAX).map(|(name, replies)| line((name, replies.to_string()))).chain(more).collect()
}

fn scenarios(view: &View) -> Option<Section> {
    let table = Table::from_rows(&view.summary.scenarios)
        .named()
        .word("scenario", |row| &row.name)
        .count("iterations", |row| row.iterations)
        .count("failed", |row| row.failed)
        .rate("rate", |row| row.rate_per_s)
        .time("time p50", |row| row.iteration_time.p50())
        .time("time p95", |row| row.iteration_time.p95())
        .time("time p99", |row| row.iteration_time.p99())
        .time("max", |row| row.iteration_time.max_ns);
    // One scenario is the whole run again.
    let media = if view.summary.scenarios.len() > 1 { Media::PAPER } else { Media::PAGE };
    let section = Section::new("scenarios", "Scenarios");
    let section = if view.summary.scenarios.len() > 1 { section } else { section.appendix() };
    section
        .with(|body| {
            body.on(media).table(table);
        })
        .said()
}

/// Pages, transactions and whatever else is gathered by name.
fn by_name(view: &View) -> Option<Section> {
    let phase = view.summary.phase.name;
    Section::new("groups", "")
        .with(|body| {
            for ((short, heading), table) in groups::tables(&view.summary) {
                body.on(Media::TERMINAL).heading(format!("{short} (phase {phase})"));
                body.on(Media::PAPER).heading(heading);
                body.on(Media::ALL.without(Media::PAGE)).table(table.clone().at_most(GROUPS_MAX, "rows in the report"));
                body.on(Media::PAGE).table(table);
            }
        })
        .said()
}
