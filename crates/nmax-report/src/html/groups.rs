//! Tables of what is gathered by name: pages, transactions, transitions, locations.

use super::Page;
use super::tables::{NAME_MAX, cell, quantile};
use crate::markup::{Escaped, clip};
use crate::number;
use crate::view::View;
use nmax_analysis::summary::{GroupRow, SHOWN};

pub(super) fn write(page: &mut Page, view: &View) {
    pages(page, view);
    timed(page, "Transactions", "transaction", &view.summary.transactions);
    timed(page, "Transitions between pages", "from -> to", &view.summary.transitions);
    metrics(page, view);
    locations(page, view);
}

/// A table of each kind of the user's own metrics.
fn metrics(page: &mut Page, view: &View) {
    for (kind, heading, figures) in SHOWN {
        let mut rows = view.summary.metrics.iter().filter(|row| row.metric.kind == kind).peekable();
        if rows.peek().is_none() {
            continue;
        }
        let shown = || [("count", "count")].into_iter().chain(figures.iter().copied()).chain([("unread", "unread")]);
        open(page, heading, &["metric"].into_iter().chain(shown().map(|(_, title)| title)).collect::<Vec<_>>());
        for row in rows {
            page.add(format_args!("<tr><th scope=\"row\">{}</th>", Escaped(&clip(&row.title(), NAME_MAX))));
            shown().for_each(|(name, _)| cell(page, false, &number::own(row, name)));
            page.text("</tr>");
        }
        page.text("</tbody></table></div>\n");
    }
}

/// Heading and the head of a table.
fn open(page: &mut Page, heading: &str, titles: &[&str]) {
    page.add(format_args!("<h3>{heading}</h3><div class=\"scroll names\" tabindex=\"0\"><table><thead><tr>"));
    for (index, title) in titles.iter().enumerate() {
        let class = if index == 0 { " class=\"l\"" } else { "" };
        page.add(format_args!("<th scope=\"col\"{class}>{title}</th>"));
    }
    page.text("</tr></thead><tbody>");
}

fn begin(page: &mut Page, row: &GroupRow) {
    page.add(format_args!(
        "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>",
        Escaped(&clip(&row.name, NAME_MAX)),
        number::count(row.count),
        number::share_or_unknown(row.failure_rate),
        number::rate_or_unknown(row.rate_per_s)
    ));
}

fn times(page: &mut Page, row: &GroupRow) {
    for index in 0..row.time.quantiles_ns.len() {
        quantile(page, &row.time, index);
    }
    cell(page, false, &number::time_or_unknown(row.time.max_ns));
}

fn timed(page: &mut Page, heading: &str, what: &str, rows: &[GroupRow]) {
    if rows.is_empty() {
        return;
    }
    let titles = [what, "count", "failed", "rate", "time p50", "p90", "p95", "p99", "p99.9", "max"];
    open(page, heading, &titles);
    for row in rows {
        begin(page, row);
        times(page, row);
        page.text("</tr>");
    }
    page.text("</tbody></table></div>\n");
}

fn pages(page: &mut Page, view: &View) {
    if view.summary.pages.is_empty() {
        return;
    }
    let titles = [
        "page", "count", "failed", "rate", "page time p50", "p90", "p95", "p99", "p99.9", "max", "bytes per page",
        "resources", "from cache", "unchanged (304)", "failed",
    ];
    open(page, "Pages", &titles);
    for row in &view.summary.pages {
        begin(page, &row.pages);
        times(page, &row.pages);
        let bytes = row.bytes_per_page().map_or_else(|| number::UNKNOWN.to_owned(), number::bytes);
        cell(page, true, &bytes);
        for count in [row.resources, row.cached, row.unchanged, row.resources_failed] {
            cell(page, false, &number::count(count));
        }
        page.text("</tr>");
    }
    page.text("</tbody></table></div>\n");
}

fn locations(page: &mut Page, view: &View) {
    if view.summary.locations.is_empty() {
        return;
    }
    let titles = [
        "location", "requests", "failed", "rate", "response p50", "p95", "p99", "page p50", "p95", "iteration p50",
        "p95",
    ];
    open(page, "Locations", &titles);
    for row in &view.summary.locations {
        begin(page, &row.exchanges);
        let (response, whole, iteration) = (&row.exchanges.time, &row.pages.time, &row.iterations.time);
        let values = [
            response.p50(),
            response.p95(),
            response.p99(),
            whole.p50(),
            whole.p95(),
            iteration.p50(),
            iteration.p95(),
        ];
        for (index, value) in values.into_iter().enumerate() {
            cell(page, matches!(index, 0 | 3 | 5), &number::time_or_unknown(value));
        }
        page.text("</tr>");
    }
    page.text("</tbody></table></div>\n");
}
