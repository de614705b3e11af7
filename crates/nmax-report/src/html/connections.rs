//! Connections and phases: what an exchange is made of, where connections went, and what servers did with them.

use super::Page;
use super::charts::{self, WIDTHS};
use crate::markup::{Escaped, clip};
use crate::number;
use crate::svg::{Bar, Bars};
use crate::view::View;
use nmax_analysis::summary::{PHASES, Stats};

/// Most request names drawn.
const BARS_MAX: usize = 12;
/// Most characters of a name in a table.
const NAME_MAX: usize = 300;
/// Class of each of [`PHASES`].
const CLASSES: [&str; PHASES.len()] = ["c4", "c3", "c2", "ci", "c1", "c5"];
/// What each of [`PHASES`] is.
const MEANINGS: [&str; PHASES.len()] = [
    "name resolution",
    "TCP connect, a proxy's tunnel included",
    "TLS handshake",
    "writing the request, where the kernel did not take it at once",
    "from the request's last byte to the reply's first",
    "from the reply's first byte to its last",
];

pub(super) fn write(page: &mut Page, view: &View) {
    page.text("<h2>Connections and phases</h2>\n");
    figure(page, view);
    table(page, view);
    if !view.summary.series.bins.is_empty() {
        charts::write_connections(page, view);
    }
    page.text("<div class=\"two\">");
    facts(page, view);
    addresses(page, view);
    page.text("</div>\n");
    passed_over(page, view);
    held(page, view);
}

/// Mean time per exchange by phase, for all and for the most frequent names.
fn figure(page: &mut Page, view: &View) {
    if view.summary.total.phases.is_empty() {
        return;
    }
    let bar = |name: &str, stats: &Stats| Bar {
        name: name.to_owned(),
        segments: stats.phases.iter().filter_map(|row| Some((class_of(row.name)?, row.per_exchange_ns))).collect(),
    };
    let mut rows = vec![bar("total", &view.summary.total)];
    let names = view.summary.requests.iter().take(BARS_MAX);
    rows.extend(names.map(|(name, stats)| bar(name, stats)));
    let total: Vec<_> = view
        .summary
        .total
        .phases
        .iter()
        .map(|row| format!("{} {}", row.name, number::time(row.per_exchange_ns)))
        .collect();
    let description = format!("Mean per exchange of all requests: {}.", total.join(", "));
    let bars =
        Bars { id: "phases", title: "Phases of an exchange", description: &description, label: number::time, rows };
    let shown = if view.summary.requests.len() > BARS_MAX { " The most frequent names." } else { "" };
    page.add(format_args!(
        "<figure><figcaption><h3>Phases of an exchange</h3><p>Mean time per exchange on the network, phase {}; an \
         exchange without a phase counts as zero.{shown}</p><ul class=\"legend\">",
        view.summary.phase.name
    ));
    for row in &view.summary.total.phases {
        let class = class_of(row.name).unwrap_or_default();
        page.add(format_args!(
            "<li><svg viewBox=\"0 0 26 9\" aria-hidden=\"true\"><rect class=\"bar {class}\" x=\"1\" width=\"24\" height=\"9\"/></svg>{}</li>",
            row.name
        ));
    }
    page.text("</ul></figcaption>");
    for width in WIDTHS {
        page.add(format_args!("{}", bars.render(width)));
    }
    page.text("</figure>\n");
}

fn class_of(name: &str) -> Option<&'static str> {
    let index = PHASES.iter().position(|phase| *phase == name)?;
    Some(CLASSES[index])
}

/// The phases of all exchanges together.
fn table(page: &mut Page, view: &View) {
    if view.summary.total.phases.is_empty() {
        return;
    }
    page.text(
        "<div class=\"scroll names\" tabindex=\"0\"><table class=\"phases\"><thead><tr><th scope=\"col\" class=\"l\">phase</th>\
         <th scope=\"col\">exchanges</th><th scope=\"col\">mean</th><th scope=\"col\">p50</th><th scope=\"col\">p95</th>\
         <th scope=\"col\">p99</th><th scope=\"col\">max</th><th scope=\"col\">per exchange</th>\
         <th scope=\"col\" class=\"l\">meaning</th></tr></thead><tbody>",
    );
    for row in &view.summary.total.phases {
        let time = &row.time;
        let meaning = PHASES.iter().position(|phase| *phase == row.name).map_or("", |i| MEANINGS[i]);
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td>",
            row.name,
            number::count(time.count),
            time.mean_ns.map_or_else(|| number::UNKNOWN.into(), number::time)
        ));
        for value in [time.p50(), time.p95(), time.p99(), time.max_ns] {
            page.add(format_args!("<td>{}</td>", number::time_or_unknown(value)));
        }
        page.add(format_args!("<td>{}</td><td class=\"l\">{meaning}</td></tr>", number::time(row.per_exchange_ns)));
    }
    page.text(
        "</tbody></table></div><p class=\"note\">All times but the last are those of the exchanges that had the phase.</p>\n",
    );
}

fn facts(page: &mut Page, view: &View) {
    let all = &view.summary.connections;
    let mut rows = vec![
        ("Policy", all.kept.to_owned()),
        ("Connections opened", number::count(all.opened)),
        ("Repeated on a new connection", number::count(all.retries)),
    ];
    if let Some(share) = all.resumed_share {
        let resumed = format!("{} ({})", number::count(all.tls_resumed), number::share(share));
        rows.push(("TLS handshakes", number::count(all.tls_handshakes)));
        rows.push(("of these, resumed", resumed));
    }
    rows.push(("Redirects followed", number::count(all.redirects)));
    rows.push(("Interim (1xx) replies", number::count(all.informational)));
    rows.push(("Bodies, decoded", number::bytes(view.summary.total.sums.bytes_decoded as f64)));
    let received = number::bytes(view.summary.total.sums.bytes_received as f64);
    rows.push(("Received, heads included", received));
    page.add(format_args!(
        "<section><h3>Connections, phase {}</h3><div class=\"scroll\" tabindex=\"0\"><table class=\"facts\"><tbody>",
        view.summary.phase.name
    ));
    for (name, value) in rows {
        page.add(format_args!("<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>"));
    }
    page.text("</tbody></table></div></section>");
}

fn addresses(page: &mut Page, view: &View) {
    let all = &view.summary.connections.addresses;
    if all.is_empty() {
        return;
    }
    let total: u64 = all.iter().map(|(_, count)| count).sum();
    page.text(
        "<section><h3>Server addresses, whole run</h3><div class=\"scroll\" tabindex=\"0\"><table><thead><tr>\
         <th scope=\"col\" class=\"l\">address</th><th scope=\"col\">connections</th><th scope=\"col\">share</th></tr></thead><tbody>",
    );
    for (address, count) in all {
        page.add(format_args!(
            "<tr><th scope=\"row\" class=\"w\">{}</th><td>{}</td><td>{}</td></tr>",
            Escaped(&clip(address, NAME_MAX)),
            number::count(*count),
            number::share(*count as f64 / total.max(1) as f64)
        ));
    }
    page.text("</tbody></table></div></section>");
}

/// Addresses that others stood in for.
fn passed_over(page: &mut Page, view: &View) {
    let all = &view.summary.connections.passed_over;
    if all.is_empty() {
        return;
    }
    let named =
        all.iter().map(|(address, count)| format!("{} {} times", clip(address, NAME_MAX), number::count(*count)));
    page.add(format_args!(
        "<p class=\"note\">Whole run: passed over, because they refused or were silent and another address took the \
         connection: {}.</p>\n",
        Escaped(&named.collect::<Vec<_>>().join(", "))
    ));
}

/// Sockets that servers did not close.
fn held(page: &mut Page, view: &View) {
    let all = &view.summary.connections;
    if all.held.count == 0 {
        return;
    }
    page.add(format_args!(
        "<p class=\"note\">Whole run: servers kept {} open after complete replies that should have ended them, for {} \
         (median), {} (longest); {} still open when given up. A client that waits for the close waits that long.</p>\n",
        if all.held.count == 1 { "1 socket".to_owned() } else { format!("{} sockets", number::count(all.held.count)) },
        number::time_or_unknown(all.held.p50()),
        number::time_or_unknown(all.held.max_ns),
        number::count(all.held_open)
    ));
}
