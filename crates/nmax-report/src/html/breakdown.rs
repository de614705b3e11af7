//! Response times taken apart by dimension, beside those of a server's log, and over time.

use nmax_analysis::Latency;
use nmax_analysis::breakdown::{Dimension, Row, SideRow, Sides};

use super::Page;
use super::charts::{self, WIDTHS};
use crate::markup::{Escaped, clip};
use crate::number;
use crate::svg::{Chart, Line, Scale};
use crate::view::View;

/// Most rows of a dimension.
const ROWS_MAX: usize = 50;
/// Most lines of a picture.
const LINES_MAX: usize = 6;
/// Most characters of a value.
const TEXT_MAX: usize = 200;
/// Colors and dashes of lines, in order.
const CLASSES: [&str; LINES_MAX] = ["c1", "c2", "c3 dash", "c4", "c5 dash", "ci dash thin"];

pub(super) fn write(page: &mut Page, view: &View) {
    let breakdown = &view.judgement.breakdown;
    let is_told = |dimension| breakdown.rows.iter().filter(|row| row.dimension == dimension).count() > 1;
    let told: Vec<Dimension> = Dimension::ALL.into_iter().filter(|dimension| is_told(*dimension)).collect();
    if told.is_empty() && breakdown.sides.is_none() && breakdown.operations.is_empty() {
        return;
    }
    page.text("<h2>Response time taken apart</h2>\n");
    if let Some(sides) = &breakdown.sides {
        self::sides(page, view, sides);
    }
    operations(page, view);
    for dimension in told {
        let rows: Vec<&Row> = breakdown.rows.iter().filter(|row| row.dimension == dimension).collect();
        table(page, dimension, &rows);
        over_time(page, view, dimension, &rows);
    }
    for note in &breakdown.notes {
        page.add(format_args!("<p class=\"note\">{}</p>", Escaped(&clip(note, TEXT_MAX))));
    }
}

/// A line of a picture: its name, then instants, s, and values; a missing value is a gap.
type Curve = (String, Vec<(f64, Option<f64>)>);

/// A column of a table: its title and what it says of a row.
type Column = (&'static str, fn(&Row) -> String);

/// The columns beside the value.
const COLUMNS: [Column; 12] = [
    ("count", |row| number::count(row.count)),
    ("rate", |row| number::rate_or_unknown(row.rate_per_s)),
    ("failed", |row| row.failed.map_or_else(|| number::UNKNOWN.to_owned(), number::count)),
    ("mean", |row| response(row, |time| time.mean_ms)),
    ("p50", |row| response(row, |time| time.p50_ms)),
    ("p95", |row| response(row, |time| time.p95_ms)),
    ("p99", |row| response(row, |time| time.p99_ms)),
    ("connect", |row| ms(row.connect_ms)),
    ("first byte", |row| ms(row.ttfb_ms)),
    ("receive", |row| ms(row.receive_ms)),
    ("bytes", |row| row.bytes.map_or_else(|| number::UNKNOWN.to_owned(), number::bytes)),
    ("bytes need", |row| ms(row.floor.map(|floor| floor.floor_ms))),
];

fn response(row: &Row, of: fn(&Latency) -> f64) -> String {
    ms(row.response.as_ref().map(of))
}

/// The rows of a dimension. A column of which no row knows anything is left out.
fn table(page: &mut Page, dimension: Dimension, rows: &[&Row]) {
    let shown = rows.iter().take(ROWS_MAX);
    let columns: Vec<(&str, Vec<String>)> = COLUMNS
        .iter()
        .map(|(title, of)| (*title, shown.clone().map(|row| of(row)).collect()))
        .filter(|(_, cells): &(_, Vec<String>)| cells.iter().any(|cell| cell != number::UNKNOWN))
        .collect();
    page.add(format_args!(
        "<h3>By {}</h3><div class=\"scroll names\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">{}</th>",
        dimension.name(),
        dimension.name()
    ));
    for (title, _) in &columns {
        page.add(format_args!("<th scope=\"col\">{title}</th>"));
    }
    page.text("</tr></thead><tbody>");
    for (index, row) in shown.enumerate() {
        page.add(format_args!("<tr><th scope=\"row\">{}</th>", Escaped(&clip(&row.value, TEXT_MAX))));
        for (_, cells) in &columns {
            page.add(format_args!("<td>{}</td>", cells[index]));
        }
        page.text("</tr>");
    }
    page.text("</tbody></table></div>\n");
    if rows.len() > ROWS_MAX {
        page.add(format_args!(
            "<p class=\"note\">{} more values are in summary.json.</p>",
            number::count((rows.len() - ROWS_MAX) as u64)
        ));
    }
}

/// 95th percentile of the most frequent values.
fn over_time(page: &mut Page, view: &View, dimension: Dimension, rows: &[&Row]) {
    let lines: Vec<Curve> = rows
        .iter()
        .take(LINES_MAX)
        .map(|row| {
            let points = row.points.iter().map(|point| {
                let middle_s = point.start_s + point.width_s / 2.0;
                (middle_s, point.p95_ms.map(|ms| ms * 1e6))
            });
            (row.value.clone(), points.collect())
        })
        .filter(|(_, points): &Curve| points.len() > 1)
        .collect();
    let title = format!("Response time p95 by {}", dimension.name());
    picture(page, view, &format!("by-{}", dimension.name()), &title, lines);
}

fn sides(page: &mut Page, view: &View, sides: &Sides) {
    let names = |logs: &[String]| {
        let plural = if logs.len() == 1 { "" } else { "s" };
        format!("the log{plural} {}", logs.join(", "))
    };
    page.add(format_args!(
        "<h3>Client and server</h3><p class=\"note\">Mean times of the same requests: as this run has them, and by {}. \
         Outside is the difference: the network, and the queue in front of the server.",
        Escaped(&clip(&names(&sides.logs), TEXT_MAX))
    ));
    if !sides.behind.is_empty() {
        page.add(format_args!(" Behind it: by {}.", Escaped(&clip(&names(&sides.behind), TEXT_MAX))));
    }
    page.text(
        "</p><div class=\"scroll names\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">request</th><th scope=\"col\">status</th>\
         <th scope=\"col\">client n</th><th scope=\"col\">server n</th><th scope=\"col\">client</th><th scope=\"col\">client p95</th>\
         <th scope=\"col\">server</th><th scope=\"col\">server p95</th><th scope=\"col\">outside</th><th scope=\"col\">server itself</th>\
         <th scope=\"col\">behind it</th></tr></thead><tbody>",
    );
    for row in sides.rows.iter().take(ROWS_MAX) {
        side(page, row);
    }
    page.text("</tbody></table></div>\n");
    if sides.others > 0 {
        page.add(format_args!(
            "<p class=\"note\">{} requests in the log were not this run's.</p>",
            number::count(sides.others)
        ));
    }
    for note in &sides.notes {
        page.add(format_args!("<p class=\"note\">{}</p>", Escaped(&clip(note, TEXT_MAX))));
    }
    let line = |name: &str, of: fn(&nmax_analysis::breakdown::SidePoint) -> Option<f64>| {
        let points = sides.points.iter().map(|point| {
            let middle_s = point.start_s + point.width_s / 2.0;
            (middle_s, of(point).map(|ms| ms * 1e6))
        });
        (name.to_owned(), points.collect::<Vec<_>>())
    };
    let lines = vec![
        line("client", |point| point.client_ms),
        line("server", |point| point.server_ms),
        line("behind the server", |point| point.upstream_ms),
    ];
    picture(page, view, "sides", "Mean time: client and server", lines);
}

fn side(page: &mut Page, row: &SideRow) {
    let of = |time: &Option<Latency>, of: fn(&Latency) -> f64| ms(time.as_ref().map(of));
    let title = if row.name.is_empty() { "all requests" } else { &row.name };
    page.add(format_args!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
        Escaped(&clip(title, TEXT_MAX)),
        row.status.map_or_else(|| "all".to_owned(), |status| status.to_string()),
        number::count(row.client.count),
        number::count(row.server.count),
        of(&row.client.time, |time| time.mean_ms),
        of(&row.client.time, |time| time.p95_ms),
        of(&row.server.time, |time| time.mean_ms),
        of(&row.server.time, |time| time.p95_ms),
        ms(row.outside_ms),
        ms(row.front_ms),
        ms(row.upstream_ms)
    ));
}

fn operations(page: &mut Page, view: &View) {
    if view.judgement.breakdown.operations.is_empty() {
        return;
    }
    page.text(
        "<h3>Operations of the back end</h3><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">operations</th>\
         <th scope=\"col\" class=\"l\">host</th><th scope=\"col\">rate</th><th scope=\"col\">for each request</th></tr></thead><tbody>",
    );
    for one in view.judgement.breakdown.operations.iter().take(ROWS_MAX) {
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td class=\"l\">{}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&clip(&one.what, TEXT_MAX)),
            Escaped(&clip(&one.host, TEXT_MAX)),
            number::rate(one.per_s),
            number::digits(one.per_request)
        ));
    }
    page.text("</tbody></table></div>\n");
}

/// Times over time, ns.
fn picture(page: &mut Page, view: &View, id: &str, title: &str, lines: Vec<Curve>) {
    let values = lines.iter().flat_map(|(_, points)| points.iter().filter_map(|(_, value)| *value));
    if values.clone().next().is_none() {
        return;
    }
    let scale = Scale::log(values);
    let names: Vec<String> = lines.iter().map(|(name, _)| clip(name, TEXT_MAX).to_string()).collect();
    let description = format!("Lines: {}.", names.join(", "));
    let drawn = lines.into_iter().zip(CLASSES).map(|((_, points), class)| Line { class, area: false, points });
    let chart = Chart {
        id,
        title,
        description: &description,
        end_s: view.summary.duration_s,
        stages: &view.summary.stages,
        marks: &charts::marks(view),
        gaps: &[],
        scale,
        label: number::time,
        heat: None,
        lines: drawn.collect(),
        height: 200.0,
    };
    page.add(format_args!("<figure><figcaption><h3>{}</h3><ul class=\"legend\">", Escaped(title)));
    for (name, class) in names.iter().zip(CLASSES) {
        page.add(format_args!(
            "<li><svg viewBox=\"0 0 26 9\" aria-hidden=\"true\"><path class=\"line {class}\" d=\"M1 4.5H25\"/></svg>{}</li>",
            Escaped(name)
        ));
    }
    page.text("</ul></figcaption>");
    for width in WIDTHS {
        page.add(format_args!("{}", chart.render(width)));
    }
    page.text("</figure>\n");
}

fn ms(value: Option<f64>) -> String {
    value.map_or_else(|| number::UNKNOWN.to_owned(), |ms| number::time(ms * 1e6))
}
