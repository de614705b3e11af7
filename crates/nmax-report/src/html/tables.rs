//! Requests, scenarios, thresholds, gates and checks.

use nmax_analysis::NoInterval;

use super::{Page, gate_mark, groups, mark};
use crate::markup::{Escaped, clip};
use crate::number;
use crate::view::{View, WITHHELD};
use nmax_analysis::summary::{Dist, Stats};

/// Most characters of a name in a table.
pub(super) const NAME_MAX: usize = 300;
/// Most withheld times explained.
const WITHHELD_SHOWN_MAX: usize = 20;
/// Most lines of replies by status.
const STATUS_ROWS_MAX: usize = 40;
/// Most checks listed.
const CHECKS_MAX: usize = 200;

pub(super) fn write(page: &mut Page, view: &View) {
    requests(page, view);
    scenarios(page, view);
    groups::write(page, view);
    thresholds(page, view);
    gates(page, view);
    checks(page, view);
}

fn requests(page: &mut Page, view: &View) {
    let phase = view.summary.phase.name;
    page.add(format_args!(
        "<h2>Requests</h2><p class=\"note\">Phase {phase}, all outcomes together. Below a percentile: its within-run \
         95 % interval, or why there is none.</p>"
    ));
    page.text(
        "<div class=\"scroll names\" tabindex=\"0\"><table><thead><tr><td colspan=\"4\" class=\"g\"></td>\
         <th colspan=\"8\" scope=\"colgroup\" class=\"g b\">response time</th>\
         <th colspan=\"4\" scope=\"colgroup\" class=\"g b\">service time</th>\
         <th colspan=\"3\" scope=\"colgroup\" class=\"g b\">send lag</th>\
         <th colspan=\"2\" scope=\"colgroup\" class=\"g b\">first byte</th>\
         <th colspan=\"3\" scope=\"colgroup\" class=\"g b\">bytes</th></tr>\
         <tr><th scope=\"col\" class=\"l\">request</th><th scope=\"col\">count</th><th scope=\"col\">failed</th>\
         <th scope=\"col\">rate</th>",
    );
    let response = ["p50", "p90", "p95", "p99", "p99.9", "min", "mean", "max"];
    for group in [
        &response[..],
        &["p50", "p95", "p99", "max"],
        &["p50", "p99", "max"],
        &["p50", "p95"],
        &["received", "sent", "decoded"],
    ] {
        for (index, title) in group.iter().enumerate() {
            let class = if index == 0 { " class=\"b\"" } else { "" };
            page.add(format_args!("<th scope=\"col\"{class}>{title}</th>"));
        }
    }
    page.text("</tr></thead><tbody>");
    for (name, stats) in &view.summary.requests {
        request(page, name, stats, "");
    }
    request(page, "total", &view.summary.total, " class=\"total\"");
    page.text("</tbody></table></div>\n");
    if !view.judgement.withheld.is_empty() {
        let texts: Vec<String> =
            view.judgement.withheld.iter().take(WITHHELD_SHOWN_MAX).map(|one| one.text()).collect();
        let rest = if view.judgement.withheld.len() > texts.len() { "; and more" } else { "" };
        page.add(format_args!("<p class=\"note\">{WITHHELD} {}{rest}</p>", Escaped(&texts.join("; "))));
    }
    for (name, replies) in view.summary.by_status().into_iter().take(STATUS_ROWS_MAX) {
        let name = name.map_or_else(String::new, |name| format!(" of {}", clip(name, NAME_MAX)));
        page.add(format_args!("<p class=\"note\">Replies by status{}: {replies}</p>\n", Escaped(&name)));
    }
}

fn request(page: &mut Page, name: &str, stats: &Stats, class: &str) {
    let name = clip(name, NAME_MAX);
    page.add(format_args!(
        "<tr{class}><th scope=\"row\" title=\"{0}\">{0}</th><td>{1}</td><td>{2}</td><td>{3}</td>",
        Escaped(&name),
        number::count(stats.count),
        number::share_or_unknown(stats.failure_rate),
        number::rate_or_unknown(stats.rate_per_s)
    ));
    let (response, service, lag) = (&stats.times.response, &stats.times.service, &stats.times.send_lag);
    for index in 0..response.quantiles_ns.len() {
        if stats.withheld[index] {
            cell(page, index == 0, WITHHELD);
        } else {
            quantile(page, response, index);
        }
    }
    cell(page, false, &number::time_or_unknown(response.min_ns));
    cell(page, false, &response.mean_ns.map_or_else(|| number::UNKNOWN.into(), number::time));
    cell(page, false, &number::time_or_unknown(response.max_ns));
    for (index, value) in [service.p50(), service.p95(), service.p99(), service.max_ns].into_iter().enumerate() {
        cell(page, index == 0, &number::time_or_unknown(value));
    }
    for (index, value) in [lag.p50(), lag.p99(), lag.max_ns].into_iter().enumerate() {
        cell(page, index == 0, &number::time_or_unknown(value));
    }
    for (index, value) in [stats.times.ttfb.p50(), stats.times.ttfb.p95()].into_iter().enumerate() {
        cell(page, index == 0, &number::time_or_unknown(value));
    }
    let bytes = [stats.sums.bytes_received, stats.sums.bytes_sent, stats.sums.bytes_decoded];
    for (index, count) in bytes.into_iter().enumerate() {
        cell(page, index == 0, &number::bytes(count as f64));
    }
    page.text("</tr>");
}

pub(super) fn cell(page: &mut Page, first: bool, text: &str) {
    page.add(format_args!("<td{}>{text}</td>", if first { " class=\"b\"" } else { "" }));
}

/// A percentile with its interval below.
pub(super) fn quantile(page: &mut Page, dist: &Dist, index: usize) {
    let value = number::time_or_unknown(dist.quantiles_ns[index]);
    let interval = match dist.intervals_ns[index] {
        Ok((low, high)) => format!("<small>{} – {}</small>", number::time(low as f64), number::time(high as f64)),
        Err(NoInterval::NotExamined) => String::new(),
        Err(_) if dist.count == 0 => String::new(),
        Err(why) => format!("<small>{}</small>", why.text()),
    };
    cell(page, index == 0, &(value + &interval));
}

fn scenarios(page: &mut Page, view: &View) {
    if view.summary.scenarios.is_empty() {
        return;
    }
    page.text(
        "<h3>Scenarios</h3><div class=\"scroll names\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">scenario</th>\
         <th scope=\"col\">iterations</th><th scope=\"col\">failed</th><th scope=\"col\">rate</th><th scope=\"col\">time p50</th>\
         <th scope=\"col\">time p95</th><th scope=\"col\">time p99</th><th scope=\"col\">max</th></tr></thead><tbody>",
    );
    for row in &view.summary.scenarios {
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td>",
            Escaped(&clip(&row.name, NAME_MAX)),
            number::count(row.iterations),
            number::count(row.failed),
            number::rate_or_unknown(row.rate_per_s)
        ));
        let time = &row.iteration_time;
        for value in [time.p50(), time.p95(), time.p99(), time.max_ns] {
            cell(page, false, &number::time_or_unknown(value));
        }
        page.text("</tr>");
    }
    page.text("</tbody></table></div>\n");
}

fn thresholds(page: &mut Page, view: &View) {
    page.text(
        "<h2>Thresholds and gates</h2><p class=\"note\">Thresholds judge the target, gates judge the measurement.</p>",
    );
    if view.judgement.thresholds.is_empty() {
        page.text("<p>The plan has no threshold.</p>");
        return;
    }
    page.text(
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">threshold</th><th scope=\"col\">measured</th>\
         <th scope=\"col\">limit</th><th scope=\"col\">margin</th><th scope=\"col\" class=\"l\"></th></tr></thead><tbody>",
    );
    for result in &view.judgement.thresholds {
        let value = match result.value {
            Some(_) => number::with_unit(result.value, result.unit),
            None => "no samples".into(),
        };
        page.add(format_args!(
            "<tr><th scope=\"row\" class=\"w\">{}</th><td>{value}</td><td>{}</td><td>{}</td><td class=\"l\">{}</td></tr>",
            Escaped(&clip(&result.condition, NAME_MAX)),
            number::with_unit(Some(result.limit), result.unit),
            number::margin(result.margin),
            mark(result.holds)
        ));
    }
    page.text("</tbody></table></div>\n");
}

fn gates(page: &mut Page, view: &View) {
    if view.judgement.gates.is_empty() {
        return;
    }
    page.text(
        "<h3>Gates</h3><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">gate</th><th scope=\"col\">measured</th>\
         <th scope=\"col\">limit</th><th scope=\"col\" class=\"l\"></th><th scope=\"col\" class=\"l\">meaning</th></tr></thead><tbody>",
    );
    for gate in &view.judgement.gates {
        page.add(format_args!(
            "<tr><th scope=\"row\">{} {}</th><td>{}</td><td>{}</td><td class=\"l\">{}</td><td class=\"l w\">{}</td></tr>",
            Escaped(gate.code),
            Escaped(gate.name),
            number::with_unit(gate.value, gate.unit),
            number::with_unit(gate.limit, gate.unit),
            gate_mark(gate),
            Escaped(&gate.text)
        ));
    }
    page.text("</tbody></table></div>\n");
}

fn checks(page: &mut Page, view: &View) {
    if view.summary.checks.is_empty() {
        return;
    }
    page.text(
        "<h3>Checks</h3><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">check</th><th scope=\"col\">held</th>\
         <th scope=\"col\">did not hold</th><th scope=\"col\" class=\"l\"></th></tr></thead><tbody>",
    );
    for check in view.summary.checks.iter().take(CHECKS_MAX) {
        page.add(format_args!(
            "<tr><th scope=\"row\" class=\"w\">{}</th><td>{}</td><td>{}</td><td class=\"l\">{}</td></tr>",
            Escaped(&clip(&check.name, NAME_MAX)),
            number::count(check.passed),
            number::count(check.failed),
            mark(check.failed == 0)
        ));
    }
    page.text("</tbody></table></div>\n");
    if view.summary.checks.len() > CHECKS_MAX {
        page.add(format_args!("<p class=\"note\">and {} more.</p>", view.summary.checks.len() - CHECKS_MAX));
    }
}
