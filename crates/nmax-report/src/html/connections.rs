//! Connections and phases: what an exchange is made of, where connections went, and what servers did with them.

use std::cmp::Reverse;

use nmax_analysis::summary::{PHASES, PhaseTime, Stats};

use super::charts;
use super::page::{Html, NAME_MAX};
use crate::markup::clip;
use crate::number::{self, time_or_unknown};
use crate::svg::{Bar, Bars};
use crate::tables::Table;
use crate::view::View;

/// Most request names drawn.
const BARS_MAX: usize = 12;
/// Class of each of [`PHASES`], and what it is.
const LOOKS: [(&str, &str); PHASES.len()] = [
    ("c4", "name resolution"),
    ("c3", "TCP connect, a proxy's tunnel included"),
    ("c2", "TLS handshake"),
    ("ci", "writing the request, where the kernel did not take it at once"),
    ("c1", "from the request's last byte to the reply's first"),
    ("c5", "from the reply's first byte to its last"),
];

pub(super) fn write(page: &mut Html, view: &View) {
    page.heading(2, "Connections and phases");
    if !view.summary.total.phases.is_empty() {
        figure(page, view);
        table(page, view);
    }
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

/// Class of a phase, and what it is.
fn phase_style(phase: &PhaseTime) -> (&'static str, &'static str) {
    PHASES.iter().position(|name| *name == phase.name).map_or(("", ""), |index| LOOKS[index])
}

/// Mean time per exchange by phase, for all and for the most frequent names.
fn figure(page: &mut Html, view: &View) {
    let bar = |name: &str, stats: &Stats| Bar {
        name: name.to_owned(),
        segments: stats.phases.iter().map(|phase| (phase_style(phase).0, phase.per_exchange_ns)).collect(),
    };
    let (total, requests) = (&view.summary.total, &view.summary.requests);
    let mut often: Vec<_> = requests.iter().collect();
    often.sort_by_key(|(_, stats)| Reverse(stats.count));
    let names = often.into_iter().take(BARS_MAX).map(|(name, stats)| bar(name, stats));
    let means = total.phases.iter().map(|phase| format!("{} {}", phase.name, number::time(phase.per_exchange_ns)));
    let bars = Bars {
        id: "phases",
        title: "Phases of an exchange",
        description: &format!("Mean per exchange of all requests: {}.", means.collect::<Vec<_>>().join(", ")),
        label: number::time,
        rows: std::iter::once(bar("total", total)).chain(names).collect(),
    };
    let shown = if requests.len() > BARS_MAX { " The most frequent names." } else { "" };
    let about = format!(
        "Mean time per exchange on the network, phase {}; an exchange without a phase counts as zero.{shown}",
        view.summary.phase.name
    );
    let legend = total.phases.iter().map(|phase| {
        let sample = format!("<rect class=\"bar {}\" x=\"1\" width=\"24\" height=\"9\"/>", phase_style(phase).0);
        (sample, phase.name)
    });
    page.figure((bars.title, &about), legend, |width| bars.render(width), |_| ());
}

/// The phases of all exchanges together.
fn table(page: &mut Html, view: &View) {
    let table = Table::from_rows(&view.summary.total.phases)
        .named()
        .word("phase", |phase| phase.name)
        .number("exchanges", |phase| number::count(phase.time.count))
        .number("mean", |phase| number::or_unknown(phase.time.mean_ns, number::time))
        .number("p50", |phase| time_or_unknown(phase.time.p50()))
        .number("p95", |phase| time_or_unknown(phase.time.p95()))
        .number("p99", |phase| time_or_unknown(phase.time.p99()))
        .number("max", |phase| time_or_unknown(phase.time.max_ns))
        .number("per exchange", |phase| number::time(phase.per_exchange_ns))
        .word("meaning", |phase| phase_style(phase).1);
    page.table(&table);
    page.note("All times but the last are those of the exchanges that had the phase.");
}

fn facts(page: &mut Html, view: &View) {
    let (all, sums) = (&view.summary.connections, &view.summary.total.sums);
    let tls = all.resumed_share.map(|share| {
        let resumed = format!("{} ({})", number::count(all.tls_resumed), number::share(share));
        [("TLS handshakes", number::count(all.tls_handshakes)), ("of these, resumed", resumed)]
    });
    let opened = [
        ("Policy", all.kept.to_owned()),
        ("Connections opened", number::count(all.opened)),
        ("Repeated on a new connection", number::count(all.retries)),
    ];
    let rest = [
        ("Redirects followed", number::count(all.redirects)),
        ("Interim (1xx) replies", number::count(all.informational)),
        ("Bodies, decoded", number::bytes(sums.bytes_decoded as f64)),
        ("Received, heads included", number::bytes(sums.bytes_received as f64)),
    ];
    page.text("<section>");
    page.heading(3, &format!("Connections, phase {}", view.summary.phase.name));
    page.facts(opened.into_iter().chain(tls.into_iter().flatten()).chain(rest));
    page.text("</section>");
}

fn addresses(page: &mut Html, view: &View) {
    let all = &view.summary.connections.addresses;
    if all.is_empty() {
        return;
    }
    let total: u64 = all.iter().map(|(_, count)| count).sum();
    page.text("<section>");
    page.heading(3, "Server addresses, whole run");
    let table = Table::from_rows(all)
        .sentence("address", |(address, _)| address)
        .number("connections", |(_, count)| number::count(*count))
        .number("share", |(_, count)| number::share(*count as f64 / total.max(1) as f64));
    page.table(&table);
    page.text("</section>");
}

/// Addresses that others stood in for.
fn passed_over(page: &mut Html, view: &View) {
    let all = view.summary.connections.passed_over.iter();
    let named: Vec<_> =
        all.map(|(address, count)| format!("{} {} times", clip(address, NAME_MAX), number::count(*count))).collect();
    if !named.is_empty() {
        page.note(&format!(
            "Whole run: passed over, because they refused or were silent and another address took the connection: {}.",
            named.join(", ")
        ));
    }
}

/// Sockets that servers did not close.
fn held(page: &mut Html, view: &View) {
    let all = &view.summary.connections;
    if all.held.count == 0 {
        return;
    }
    page.note(&format!(
        "Whole run: servers kept {} open after complete replies that should have ended them, for {} (median), {} (longest); \
         {} still open when given up. A client that waits for the close waits that long.",
        if all.held.count == 1 { "1 socket".to_owned() } else { format!("{} sockets", number::count(all.held.count)) },
        time_or_unknown(all.held.p50()),
        time_or_unknown(all.held.max_ns),
        number::count(all.held_open)
    ));
}
