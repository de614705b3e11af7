//! One row per request name and one for all, for spreadsheets (RFC 4180).

use std::borrow::Cow;

use crate::view::{Dist, QUANTILES, Stats, View};

/// The table of requests. Times are milliseconds, unknown is empty, lines end with CR LF.
pub fn requests(view: &View) -> String {
    let mut header: Vec<String> = [
        "request",
        "count",
        "ok",
        "failed",
        "errors",
        "failure_rate",
        "rate_per_s",
    ]
    .iter()
    .chain(&["bytes_received", "bytes_sent"])
    .map(|name| (*name).to_owned())
    .collect();
    for time in ["response_time", "service_time", "send_lag"] {
        header.extend(["mean", "min", "max"].map(|stat| format!("{time}_{stat}_ms")));
        header.extend(QUANTILES.map(|(quantile, _)| format!("{time}_{quantile}_ms")));
    }
    let mut text = line(&header);
    for (name, stats) in &view.requests {
        text.push_str(&line(&row(name, stats)));
    }
    text.push_str(&line(&row("total", &view.total)));
    text
}

fn row(name: &str, stats: &Stats) -> Vec<String> {
    let mut cells = vec![harmless(name).into_owned()];
    cells.extend([stats.count, stats.ok, stats.failed, stats.errors].map(|n| n.to_string()));
    cells.extend([stats.failure_rate, stats.rate_per_s].map(|value| value.map_or_else(String::new, decimal)));
    cells.extend([stats.bytes_received, stats.bytes_sent].map(|n| n.to_string()));
    for dist in [&stats.times.response, &stats.times.service, &stats.times.send_lag] {
        cells.extend(times(dist));
    }
    cells
}

fn times(dist: &Dist) -> impl Iterator<Item = String> {
    let exact = [
        dist.mean_ns,
        dist.min_ns.map(|ns| ns as f64),
        dist.max_ns.map(|ns| ns as f64),
    ];
    let quantiles = dist.quantiles_ns.map(|ns| ns.map(|ns| ns as f64));
    exact
        .into_iter()
        .chain(quantiles)
        .map(|ns| ns.map_or_else(String::new, |ns| decimal_of(ns / 1e6, 3)))
}

fn decimal(value: f64) -> String {
    decimal_of(value, 6)
}

fn decimal_of(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A name that spreadsheets would run as a formula gets an apostrophe.
fn harmless(name: &str) -> Cow<'_, str> {
    if name.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        Cow::Owned(format!("'{name}"))
    } else {
        Cow::Borrowed(name)
    }
}

fn line(cells: &[String]) -> String {
    let quoted: Vec<_> = cells.iter().map(|cell| quote(cell)).collect();
    quoted.join(",") + "\r\n"
}

fn quote(cell: &str) -> Cow<'_, str> {
    if cell.contains(['"', ',', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", cell.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(cell)
    }
}
