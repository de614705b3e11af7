//! Response times taken apart by dimension, beside those of a server's log, and over time.

use nmax_analysis::Latency;
use nmax_analysis::breakdown::{Dimension, Row, SidePoint, Sides};

use super::{Part, course, sides};
use crate::doc::table::Table;
use crate::doc::{Body, Figure, Item, Mark, Media, Section};
use crate::number::{self, milliseconds as ms};
use crate::svg::{Chart, LOOKS, Line, Scale};
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[both_sides, back_end, dimensions];

/// Most rows: of a dimension, and in the terminal.
const ROWS_MAX: usize = 50;
const SHORT_MAX: usize = 12;
/// Where the others are.
const REST: &str = "values are in summary.json";

fn both_sides(view: &View) -> Option<Section> {
    let all = view.judgement.breakdown.sides.as_ref()?;
    let names = |logs: &[String]| {
        let plural = if logs.len() == 1 { "" } else { "s" };
        format!("the log{plural} {}", logs.join(", "))
    };
    let behind = match all.behind.is_empty() {
        true => String::new(),
        false => format!(" Behind it: by {}.", names(&all.behind)),
    };
    let section = Section::new("sides", "Client and server").aside(all.logs.join(", "));
    Some(section.with(|body| {
        let short = all.rows.iter().filter(|row| row.status.is_none());
        body.on(Media::TERMINAL).table(sides::table(short).at_most(SHORT_MAX, "kinds of requests"));
        let behind_named = all.behind.join(", ");
        let mut notes = Vec::new();
        if !all.behind.is_empty() {
            notes.push(Item::new(Mark::Neutral, format!("behind: as {behind_named} has it")));
        }
        body.items(notes);
        body.on(Media::PAPER).note(format!(
            "Mean times of the same requests: as this run has them, and by {}. Outside is the difference: the network, and \
             the queue in front of the server.{behind}",
            names(&all.logs)
        ));
        body.table(sides::table(all.rows.iter().take(ROWS_MAX)));
        body.everywhere();
        if all.others > 0 {
            body.note(format!("{} requests in the log were not this run's.", number::count(all.others)));
        }
        body.items(all.notes.iter().map(|note| Item::new(Mark::Warning, note)));
        body.on(Media::PICTURES);
        sides_over_time(body, view, all);
    }))
}

fn sides_over_time(body: &mut Body, view: &View, sides: &Sides) {
    let line = |name: &str, class, of: fn(&SidePoint) -> Option<f64>| {
        line(name, class, sides.points.iter().map(|point| (point.start_s, point.width_s, of(point))))
    };
    let lines = vec![
        line("client", LOOKS[0], |point| point.client_ms),
        line("server", LOOKS[1], |point| point.server_ms),
        line("behind the server", LOOKS[2], |point| point.upstream_ms),
    ];
    picture(view, ("sides-time", "Mean time: client and server"), lines).into_iter().for_each(|figure| {
        body.figure(figure);
    });
}

/// What bytes need, and what the back end does for a request.
fn back_end(view: &View) -> Option<Section> {
    let breakdown = &view.judgement.breakdown;
    let floors = breakdown.bandwidth.iter().flat_map(|bandwidth| {
        let floors = breakdown.rows.iter().filter_map(|row| Some((row, row.floor?)));
        floors.take(SHORT_MAX).map(|(row, floor)| {
            let text = format!(
                "{}: {} of its time ({}) is what {} need at {}/s ({})",
                row.value,
                number::share(floor.share),
                ms(Some(floor.floor_ms)),
                number::bytes(row.bytes.unwrap_or_default()),
                number::bytes(bandwidth.bytes_per_s),
                bandwidth.of
            );
            ("bytes", text)
        })
    });
    let some: Vec<_> = breakdown.operations.iter().filter(|one| one.per_s > 0.0).collect();
    // Those of disks are of interest beside a back end's only.
    let line = |wide: bool| {
        let shown = some.iter().filter(|one| wide || view.summary.watches && !one.what.starts_with("disk"));
        let text = |one: &&&_| -> String {
            let one: &nmax_analysis::breakdown::Operations = one;
            format!("{} {} on {}", number::digits(one.per_request), one.what, one.host)
        };
        let texts: Vec<String> = shown.take(SHORT_MAX).map(|one| text(&one)).collect();
        if texts.is_empty() { String::new() } else { format!("{} for each request", texts.join(", ")) }
    };
    let told = breakdown.operations.iter().filter(|one| view.summary.watches && !one.what.starts_with("disk"));
    let table = Table::from_rows(told.take(ROWS_MAX))
        .word("operations", |one| &one.what)
        .word("host", |one| &one.host)
        .rate("rate", |one| one.per_s)
        .number("for each request", |one| number::digits(one.per_request));
    Section::new("back-end", "Work for each request")
        .with(|body| {
            body.on(Media::ALL).facts(floors.collect::<Vec<_>>());
            body.on(Media::BRIEF).facts([("back end", line(false))]);
            body.on(Media::WIDE).facts([("back end", line(true))]);
            body.on(Media::PAGE).table(table);
        })
        .said()
}

/// By every dimension that says more than the table of requests.
fn dimensions(view: &View) -> Option<Section> {
    let breakdown = &view.judgement.breakdown;
    let section = Section::new("breakdown", "Response time taken apart").with(|body| {
        for dimension in Dimension::ALL {
            let rows: Vec<&Row> = breakdown.rows.iter().filter(|row| row.dimension == dimension).collect();
            if says_more(view, dimension, &rows) {
                body.on(Media::DETAILED).heading(format!("By {}", dimension.name()));
                body.on(Media::WIDE).some_items(rows.iter().map(|row| in_line(row)), SHORT_MAX, "values");
                body.on(Media::PAGE).table(table(dimension, &rows));
                body.fold(format!("Over time, by {}", dimension.name()), |body| {
                    over_time(body, view, dimension, &rows)
                });
            }
        }
        body.on(Media::DETAILED);
        breakdown.notes.iter().for_each(|note| {
            body.note(note);
        });
    });
    section.said()
}

/// One value is the total again, and so are names; methods, templates, .. of which each is one name are the names again.
fn says_more(view: &View, dimension: Dimension, rows: &[&Row]) -> bool {
    if rows.len() < 2 || dimension == Dimension::Name {
        return false;
    }
    let mut counts: Vec<u64> = rows.iter().map(|row| row.count).collect();
    let mut names: Vec<u64> = view.summary.requests.iter().map(|(_, stats)| stats.count).collect();
    counts.sort_unstable();
    names.sort_unstable();
    counts != names
}

fn in_line(row: &Row) -> Item {
    let times = row.response.as_ref().map_or_else(
        || "times not known".to_owned(),
        |time| format!("p50 {}, p95 {}", ms(Some(time.p50_ms)), ms(Some(time.p95_ms))),
    );
    let rate = number::rate_or_unknown(row.rate_per_s);
    Item::new(Mark::Neutral, format!("{}: {} ({rate}), {times}", row.value, number::count(row.count)))
}

/// The rows of a dimension. A column of which no row knows anything is left out.
fn table<'a>(dimension: Dimension, rows: &[&'a Row]) -> Table<&'a Row> {
    let response = |of: fn(&Latency) -> f64| move |row: &Row| row.response.as_ref().map(|time| of(time) * 1e6);
    let ns = |ms: Option<f64>| ms.map(|ms| ms * 1e6);
    Table::from_rows(rows.iter().copied())
        .at_most(ROWS_MAX, REST)
        .named()
        .word(dimension.name(), |row| &row.value)
        .count("count", |row| row.count)
        .rate("rate", |row| row.rate_per_s)
        .count("failed", |row| row.failed)
        .time("mean", response(|time| time.mean_ms))
        .time("p50", response(|time| time.p50_ms))
        .time("p95", response(|time| time.p95_ms))
        .time("p99", response(|time| time.p99_ms))
        .time("connect", |row| ns(row.connect_ms))
        .time("first byte", |row| ns(row.ttfb_ms))
        .time("receive", |row| ns(row.receive_ms))
        .bytes("bytes", |row| row.bytes)
        .time("bytes need", |row| ns(row.floor.map(|floor| floor.floor_ms)))
        .known()
}

/// 95th percentile of the most frequent values.
fn over_time(body: &mut Body, view: &View, dimension: Dimension, rows: &[&Row]) {
    let rows = rows.iter().filter(|row| row.points.len() > 1).zip(LOOKS);
    let lines = rows.map(|(row, class)| {
        let points = row.points.iter().map(|point| (point.start_s, point.width_s, point.p95_ms));
        line(&row.value, class, points)
    });
    let title = format!("Response time p95 by {}", dimension.name());
    let figure = picture(view, (&format!("by-{}", dimension.name()), &title), lines.collect());
    figure.into_iter().for_each(|figure| {
        body.figure(figure);
    });
}

/// A line of stretches: when each begins, s, how long it is, s, and its time, ms, which stands in its middle.
fn line(name: &str, class: &'static str, stretches: impl Iterator<Item = (f64, f64, Option<f64>)>) -> Line {
    let points = stretches.map(|(start_s, width_s, ms)| (start_s + width_s / 2.0, ms.map(|ms| ms * 1e6)));
    Line { name: name.to_owned(), class, area: false, points: points.collect() }
}

/// Times over time, unless none of them is known.
fn picture(view: &View, titles: (&str, &str), lines: Vec<Line>) -> Option<Figure> {
    course::values(&lines).next()?;
    let scale = Scale::log(course::values(&lines));
    let chart = course::chart(view, titles, number::time, lines);
    Some(course::figure(view, "", Chart { scale, ..chart }, &[]))
}
