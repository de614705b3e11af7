//! Requests, scenarios, thresholds, gates and checks.

use nmax_analysis::summary::Stats;

use super::mark;
use super::page::{Html, NAME_MAX};
use crate::markup::clip;
use crate::number;
use crate::tables::Table;
use crate::tables::groups::{self, QUANTILES, quantile};
use crate::view::{View, WITHHELD, threshold_value};

/// Most withheld times explained.
const WITHHELD_SHOWN_MAX: usize = 20;
/// Most lines of replies by status.
const STATUS_ROWS_MAX: usize = 40;
/// Most checks listed.
const CHECKS_MAX: usize = 200;

pub(super) fn write(page: &mut Html, view: &View) {
    requests(page, view);
    scenarios(page, view);
    for ((_, heading), table) in groups::tables(&view.summary) {
        page.heading(3, heading);
        page.table(&table);
    }
    thresholds(page, view);
    gates(page, view);
    checks(page, view);
}

fn requests(page: &mut Html, view: &View) {
    page.heading(2, "Requests");
    page.note(&format!(
        "Phase {}, all outcomes together. Below a percentile: its within-run 95 % interval, or why there is none.",
        view.summary.phase.name
    ));
    let rows = view.summary.requests.iter().map(|(name, stats)| (name.as_str(), stats));
    let time = |ns: fn(&Stats) -> Option<u64>| move |(_, stats): (&str, &Stats)| number::time_or_unknown(ns(stats));
    let total = Some(("total", &view.summary.total)).filter(|_| view.summary.requests.len() != 1);
    let mut table = Table::from_rows(rows.chain(total));
    table.has_total = total.is_some();
    table = table
        .named()
        .word("request", |(name, _)| name)
        .number("count", |(_, stats)| number::count(stats.count))
        .number("failed", |(_, stats)| number::share_or_unknown(stats.failure_rate))
        .number("rate", |(_, stats)| number::rate_or_unknown(stats.rate_per_s))
        .group("response time");
    for (index, title) in QUANTILES.into_iter().enumerate() {
        table = table.number(title, |(_, stats)| match stats.withheld[index] {
            true => WITHHELD.into(),
            false => quantile(&stats.times.response, index),
        });
    }
    let table = table
        .number("min", time(|stats| stats.times.response.min_ns))
        .number("mean", |(_, stats)| number::or_unknown(stats.times.response.mean_ns, number::time))
        .number("max", time(|stats| stats.times.response.max_ns))
        .group("service time")
        .number("p50", time(|stats| stats.times.service.p50()))
        .number("p95", time(|stats| stats.times.service.p95()))
        .number("p99", time(|stats| stats.times.service.p99()))
        .number("max", time(|stats| stats.times.service.max_ns))
        .group("send lag")
        .number("p50", time(|stats| stats.times.send_lag.p50()))
        .number("p99", time(|stats| stats.times.send_lag.p99()))
        .number("max", time(|stats| stats.times.send_lag.max_ns))
        .group("first byte")
        .number("p50", time(|stats| stats.times.ttfb.p50()))
        .number("p95", time(|stats| stats.times.ttfb.p95()))
        .group("bytes")
        .number("received", |(_, stats)| number::bytes(stats.sums.bytes_received as f64))
        .number("sent", |(_, stats)| number::bytes(stats.sums.bytes_sent as f64))
        .number("decoded", |(_, stats)| number::bytes(stats.sums.bytes_decoded as f64));
    page.table(&table);
    let withheld = &view.judgement.withheld;
    if !withheld.is_empty() {
        let texts: Vec<String> = withheld.iter().take(WITHHELD_SHOWN_MAX).map(|one| one.text()).collect();
        let rest = if withheld.len() > texts.len() { "; and more" } else { "" };
        page.note(&format!("{WITHHELD} {}{rest}", texts.join("; ")));
    }
    for (name, replies) in view.summary.by_status().into_iter().take(STATUS_ROWS_MAX) {
        let name = name.map_or_else(String::new, |name| format!(" of {}", clip(name, NAME_MAX)));
        page.note(&format!("Replies by status{name}: {replies}"));
    }
}

fn scenarios(page: &mut Html, view: &View) {
    if view.summary.scenarios.is_empty() {
        return;
    }
    page.heading(3, "Scenarios");
    let table = Table::from_rows(&view.summary.scenarios)
        .named()
        .word("scenario", |row| &row.name)
        .number("iterations", |row| number::count(row.iterations))
        .number("failed", |row| number::count(row.failed))
        .number("rate", |row| number::rate_or_unknown(row.rate_per_s))
        .number("time p50", |row| number::time_or_unknown(row.iteration_time.p50()))
        .number("time p95", |row| number::time_or_unknown(row.iteration_time.p95()))
        .number("time p99", |row| number::time_or_unknown(row.iteration_time.p99()))
        .number("max", |row| number::time_or_unknown(row.iteration_time.max_ns));
    page.table(&table);
}

fn thresholds(page: &mut Html, view: &View) {
    page.heading(2, "Thresholds and gates");
    page.note("Thresholds judge the target, gates judge the measurement.");
    if view.judgement.thresholds.is_empty() {
        page.sentence("The plan has no threshold.");
        return;
    }
    let table = Table::from_rows(&view.judgement.thresholds)
        .sentence("threshold", |result| &result.condition)
        .number("measured", threshold_value)
        .number("limit", |result| number::with_unit(Some(result.limit), result.unit))
        .number("margin", |result| number::margin(result.margin))
        .word("", |result| mark(result.holds));
    page.table(&table);
}

fn gates(page: &mut Html, view: &View) {
    if view.judgement.gates.is_empty() {
        return;
    }
    page.heading(3, "Gates");
    let table = Table::from_rows(&view.judgement.gates)
        .word("gate", |gate| format!("{} {}", gate.code, gate.name))
        .number("measured", |gate| number::with_unit(gate.value, gate.unit))
        .number("limit", |gate| number::with_unit(gate.limit, gate.unit))
        .word("", |gate| match gate.value {
            // It may have had nothing to test.
            None if gate.holds => "– not tested".into(),
            _ => mark(gate.holds),
        })
        .sentence("meaning", |gate| &gate.text);
    page.table(&table);
}

fn checks(page: &mut Html, view: &View) {
    if view.summary.checks.is_empty() {
        return;
    }
    page.heading(3, "Checks");
    let table = Table::from_rows(&view.summary.checks)
        .at_most(CHECKS_MAX, "are in summary.json")
        .sentence("check", |check| &check.name)
        .number("held", |check| number::count(check.passed))
        .number("did not hold", |check| number::count(check.failed))
        .word("", |check| mark(check.failed == 0));
    page.table(&table);
}
