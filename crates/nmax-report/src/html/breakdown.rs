//! Response times taken apart by dimension, beside those of a server's log, and over time.

use nmax_analysis::Latency;
use nmax_analysis::breakdown::{Dimension, Row, SidePoint, Sides};

use super::charts;
use super::page::Html;
use crate::number::{self, milliseconds as ms};
use crate::svg::{Chart, Line, Scale};
use crate::tables::{self, Table};
use crate::view::View;

/// Most rows of a dimension.
const ROWS_MAX: usize = 50;
/// Where the others are.
const REST: &str = "values are in summary.json";
/// Colors and dashes of lines, in order; there are no more lines.
const CLASSES: [&str; 6] = ["c1", "c2", "c3 dash", "c4", "c5 dash", "ci dash thin"];

pub(super) fn write(page: &mut Html, view: &View) {
    let breakdown = &view.judgement.breakdown;
    let is_told = |dimension| breakdown.rows.iter().filter(|row| row.dimension == dimension).count() > 1;
    let told: Vec<Dimension> = Dimension::ALL.into_iter().filter(|dimension| is_told(*dimension)).collect();
    if told.is_empty() && breakdown.sides.is_none() && breakdown.operations.is_empty() {
        return;
    }
    page.heading(2, "Response time taken apart");
    if let Some(sides) = &breakdown.sides {
        self::sides(page, view, sides);
    }
    operations(page, view);
    for dimension in told {
        let rows: Vec<&Row> = breakdown.rows.iter().filter(|row| row.dimension == dimension).collect();
        page.heading(3, &format!("By {}", dimension.name()));
        page.table(&table(dimension, &rows));
        over_time(page, view, dimension, &rows);
    }
    breakdown.notes.iter().for_each(|note| page.note(note));
}

/// The rows of a dimension. A column of which no row knows anything is left out.
fn table<'a>(dimension: Dimension, rows: &[&'a Row]) -> Table<&'a Row> {
    let response = |of: fn(&Latency) -> f64| move |row: &Row| ms(row.response.as_ref().map(of));
    Table::from_rows(rows.iter().copied())
        .at_most(ROWS_MAX, REST)
        .named()
        .word(dimension.name(), |row| &row.value)
        .number("count", |row| number::count(row.count))
        .number("rate", |row| number::rate_or_unknown(row.rate_per_s))
        .number("failed", |row| number::or_unknown(row.failed, number::count))
        .number("mean", response(|time| time.mean_ms))
        .number("p50", response(|time| time.p50_ms))
        .number("p95", response(|time| time.p95_ms))
        .number("p99", response(|time| time.p99_ms))
        .number("connect", |row| ms(row.connect_ms))
        .number("first byte", |row| ms(row.ttfb_ms))
        .number("receive", |row| ms(row.receive_ms))
        .number("bytes", |row| number::or_unknown(row.bytes, number::bytes))
        .number("bytes need", |row| ms(row.floor.map(|floor| floor.floor_ms)))
        .known()
}

/// 95th percentile of the most frequent values.
fn over_time(page: &mut Html, view: &View, dimension: Dimension, rows: &[&Row]) {
    let rows = rows.iter().take(CLASSES.len()).filter(|row| row.points.len() > 1).zip(CLASSES);
    let lines = rows.map(|(row, class)| {
        let points = row.points.iter().map(|point| (point.start_s, point.width_s, point.p95_ms));
        line(&row.value, class, points)
    });
    let title = format!("Response time p95 by {}", dimension.name());
    picture(page, view, (&format!("by-{}", dimension.name()), &title), lines.collect());
}

fn sides(page: &mut Html, view: &View, sides: &Sides) {
    let names = |logs: &[String]| {
        let plural = if logs.len() == 1 { "" } else { "s" };
        format!("the log{plural} {}", logs.join(", "))
    };
    let behind = match sides.behind.is_empty() {
        true => String::new(),
        false => format!(" Behind it: by {}.", names(&sides.behind)),
    };
    page.heading(3, "Client and server");
    page.note(&format!(
        "Mean times of the same requests: as this run has them, and by {}. Outside is the difference: the network, and the \
         queue in front of the server.{behind}",
        names(&sides.logs)
    ));
    page.table(&tables::breakdown::sides(sides.rows.iter().take(ROWS_MAX)));
    if sides.others > 0 {
        page.note(&format!("{} requests in the log were not this run's.", number::count(sides.others)));
    }
    sides.notes.iter().for_each(|note| page.note(note));
    let line = |name: &str, class, of: fn(&SidePoint) -> Option<f64>| {
        line(name, class, sides.points.iter().map(|point| (point.start_s, point.width_s, of(point))))
    };
    let lines = vec![
        line("client", CLASSES[0], |point| point.client_ms),
        line("server", CLASSES[1], |point| point.server_ms),
        line("behind the server", CLASSES[2], |point| point.upstream_ms),
    ];
    picture(page, view, ("sides", "Mean time: client and server"), lines);
}

fn operations(page: &mut Html, view: &View) {
    let operations = &view.judgement.breakdown.operations;
    if operations.is_empty() {
        return;
    }
    page.heading(3, "Operations of the back end");
    let table = Table::from_rows(operations.iter().take(ROWS_MAX))
        .word("operations", |one| &one.what)
        .word("host", |one| &one.host)
        .number("rate", |one| number::rate(one.per_s))
        .number("for each request", |one| number::digits(one.per_request));
    page.table(&table);
}

/// A line of stretches: when each begins, s, how long it is, s, and its time, ms, which stands in its middle.
fn line(name: &str, class: &'static str, stretches: impl Iterator<Item = (f64, f64, Option<f64>)>) -> Line {
    let points = stretches.map(|(start_s, width_s, ms)| (start_s + width_s / 2.0, ms.map(|ms| ms * 1e6)));
    Line { name: name.to_owned(), class, area: false, points: points.collect() }
}

/// Times over time, unless none of them is known.
fn picture(page: &mut Html, view: &View, titles: (&str, &str), lines: Vec<Line>) {
    if charts::values(&lines).next().is_some() {
        let scale = Scale::log(charts::values(&lines));
        let chart = charts::chart(view, titles, number::time, lines);
        charts::figure(page, "", Chart { scale, height: 200.0, ..chart }, &[], None);
    }
}
