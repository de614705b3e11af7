//! Connections and phases: what an exchange is made of, where connections went, and what servers did with them; and the
//! injector.

use std::cmp::Reverse;

use nmax_analysis::summary::{Connections, PHASES, PhaseTime, Stats};

use super::{Part, course};
use crate::doc::table::Table;
use crate::doc::{Figure, Media, Section};
use crate::markup::clip;
use crate::number::{self, time_or_unknown};
use crate::svg::{Bar, Bars, Key};
use crate::view::View;

pub(super) const SECTIONS: &[Part] = &[connections, injector];

/// Most request names drawn.
const BARS_MAX: usize = 12;
/// Most addresses named in a line, and most characters of one.
const ADDRESSES_MAX: usize = 6;
const NAME_MAX: usize = 300;
/// Class of each of [`PHASES`], and what it is.
const LOOKS: [(&str, &str); PHASES.len()] = [
    ("c4", "name resolution"),
    ("c3", "TCP connect, a proxy's tunnel included"),
    ("c2", "TLS handshake"),
    ("ci", "writing the request, where the kernel did not take it at once"),
    ("c1", "from the request's last byte to the reply's first"),
    ("c5", "from the reply's first byte to its last"),
];

fn connections(view: &View) -> Option<Section> {
    let phases = &view.summary.total.phases;
    let all = &view.summary.connections;
    let lines = [
        ("connections", opened(all)),
        ("tls", handshakes(all)),
        ("addresses", addresses(all)),
        ("passed over", passed_over(all)),
        ("phases", in_line(view)),
        ("redirects", (all.redirects > 0).then(|| format!("{} followed", number::count(all.redirects)))),
        ("interim", interim(all)),
        ("bodies", bodies(view)),
        ("held", held(all)),
    ];
    let section = Section::new("connections", "Connections and phases").appendix();
    let section = section.with(|body| {
        body.on(Media::PAGE);
        if !phases.is_empty() {
            body.figure(figure(view)).table(table(phases));
            body.note("All times but the last are those of the exchanges that had the phase.");
        }
        if !view.summary.series.bins.is_empty() {
            body.figure(course::connections(view));
        }
        body.facts(facts(view)).table(by_address(all));
        body.facts([("passed over", passed_over(all).unwrap_or_default()), ("held", held(all).unwrap_or_default())]);
        body.on(Media::TERMINAL);
        body.facts(lines.into_iter().filter_map(|(name, text)| Some((name, text?))));
    });
    section.said()
}

/// Class of a phase, and what it is.
fn phase_style(phase: &PhaseTime) -> (&'static str, &'static str) {
    PHASES.iter().position(|name| *name == phase.name).map_or(("", ""), |index| LOOKS[index])
}

/// Mean time per exchange by phase, for all and for the most frequent names.
fn figure(view: &View) -> Figure {
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
    let mut numbers = Table::from_rows(0..bars.rows.len()).word("request", |row| &bars.rows[row].name);
    for (place, phase) in total.phases.iter().enumerate() {
        let size = |row: usize| bars.rows[row].segments.get(place).map(|(_, ns)| *ns);
        numbers = numbers.time(phase.name, size);
    }
    let shown = if requests.len() > BARS_MAX { " The most frequent names." } else { "" };
    let about = format!("Mean time per exchange on the network; an exchange without a phase counts as zero.{shown}");
    Figure {
        id: "phases".into(),
        title: bars.title.into(),
        about,
        legend: total.phases.iter().map(|phase| (Key::Area(phase_style(phase).0), phase.name.to_owned())).collect(),
        drawings: [520.0, 380.0].map(|width| bars.render(width)).into(),
        numbers: Some(numbers.done()),
        ..Figure::default()
    }
}

/// The phases of all exchanges together.
fn table(phases: &[PhaseTime]) -> Table<&PhaseTime> {
    Table::from_rows(phases)
        .named()
        .word("phase", |phase| phase.name)
        .count("exchanges", |phase| phase.time.count)
        .time("mean", |phase| phase.time.mean_ns)
        .time("p50", |phase| phase.time.p50())
        .time("p95", |phase| phase.time.p95())
        .time("p99", |phase| phase.time.p99())
        .time("max", |phase| phase.time.max_ns)
        .time("per exchange", |phase| phase.per_exchange_ns)
        .word("meaning", |phase| phase_style(phase).1)
}

fn facts(view: &View) -> Vec<(&'static str, String)> {
    let (all, sums) = (&view.summary.connections, &view.summary.total.sums);
    let mut facts = vec![
        ("Policy", all.kept.to_owned()),
        ("Connections opened", number::count(all.opened)),
        ("Repeated on a new connection", number::count(all.retries)),
    ];
    if let Some(share) = all.resumed_share {
        facts.push(("TLS handshakes", number::count(all.tls_handshakes)));
        facts.push(("of these, resumed", format!("{} ({})", number::count(all.tls_resumed), number::share(share))));
    }
    facts.extend([
        ("Redirects followed", number::count(all.redirects)),
        ("Interim (1xx) replies", number::count(all.informational)),
        ("Bodies, decoded", number::bytes(sums.bytes_decoded as f64)),
        ("Received, heads included", number::bytes(sums.bytes_received as f64)),
    ]);
    facts
}

fn by_address(all: &Connections) -> Table<&(String, u64)> {
    let total: u64 = all.addresses.iter().map(|(_, count)| count).sum();
    Table::from_rows(&all.addresses)
        .sentence("server address, whole run", |(address, _)| address)
        .count("connections", |(_, count)| *count)
        .share("share", |(_, count)| *count as f64 / total.max(1) as f64)
}

fn opened(connections: &Connections) -> Option<String> {
    let Connections { opened, kept, retries, .. } = connections;
    let retried = match retries {
        0 => String::new(),
        n => format!("; {} exchanges repeated, for a kept connection had been closed", number::count(*n)),
    };
    (*opened > 0 || *retries > 0).then(|| format!("{} opened, {kept}{retried}", number::count(*opened)))
}

fn handshakes(connections: &Connections) -> Option<String> {
    let share = connections.resumed_share?;
    Some(format!(
        "{} handshakes, {} resumed ({})",
        number::count(connections.tls_handshakes),
        number::count(connections.tls_resumed),
        number::share(share)
    ))
}

/// Where connections went, when there was a choice.
fn addresses(connections: &Connections) -> Option<String> {
    let all = &connections.addresses;
    let has_choice = all.len() > 1 || !connections.passed_over.is_empty();
    has_choice.then(|| format!("{} (whole run)", listed(all, "")))
}

/// Addresses that others stood in for.
fn passed_over(connections: &Connections) -> Option<String> {
    let all = &connections.passed_over;
    (!all.is_empty()).then(|| {
        format!("{}: refused or silent, another address took the connection (whole run)", listed(all, " times"))
    })
}

fn listed(counts: &[(String, u64)], unit: &str) -> String {
    let named = counts.iter().take(ADDRESSES_MAX);
    let named: Vec<_> =
        named.map(|(address, count)| format!("{} {}{unit}", clip(address, NAME_MAX), number::count(*count))).collect();
    let rest = match counts.len().saturating_sub(ADDRESSES_MAX) {
        0 => String::new(),
        n => format!(", {n} more"),
    };
    named.join(", ") + &rest
}

fn in_line(view: &View) -> Option<String> {
    let one = |row: &PhaseTime| match row.name {
        "wait" => format!("wait p50 {} p95 {}", time_or_unknown(row.time.p50()), time_or_unknown(row.time.p95())),
        name => format!("{name} p95 {}", time_or_unknown(row.time.p95())),
    };
    let all: Vec<_> = view.summary.total.phases.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn interim(connections: &Connections) -> Option<String> {
    let count = connections.informational;
    (count > 0).then(|| format!("{} interim (1xx) replies, not counted as replies", number::count(count)))
}

fn bodies(view: &View) -> Option<String> {
    let stats = &view.summary.total;
    (stats.sums.bytes_decoded > stats.sums.bytes_received).then(|| {
        format!(
            "{} once decoded; {} received, heads included",
            number::bytes(stats.sums.bytes_decoded as f64),
            number::bytes(stats.sums.bytes_received as f64)
        )
    })
}

/// Sockets that servers did not close.
fn held(all: &Connections) -> Option<String> {
    let sockets =
        if all.held.count == 1 { "1 socket".into() } else { format!("{} sockets", number::count(all.held.count)) };
    (all.held.count > 0).then(|| {
        format!(
            "whole run: servers kept {sockets} open after complete replies that should have ended them, for {} (median), {} \
             (longest); {} still open when given up. A client that waits for the close waits that long.",
            time_or_unknown(all.held.p50()),
            time_or_unknown(all.held.max_ns),
            number::count(all.held_open)
        )
    })
}

/// What the injector felt.
fn injector(view: &View) -> Option<Section> {
    let injector = &view.summary.injector;
    let count = |n: Option<u64>| n.map_or_else(|| "not observed".into(), number::count);
    let share = |ratio: Option<f64>| ratio.map_or_else(|| "not observed".into(), number::share);
    let of = |dist: &nmax_analysis::summary::Dist| {
        format!(
            "p50 {}, p99 {}, max {}",
            time_or_unknown(dist.p50()),
            time_or_unknown(dist.p99()),
            time_or_unknown(dist.max_ns)
        )
    };
    let facts = [
        ("Workers", injector.workers.to_string()),
        ("Pacing slack", injector.pacing_slack_ns.map_or_else(|| "none, users decide".into(), number::time)),
        ("CPU, mean over workers", share(injector.cpu_utilization)),
        ("CPU, busiest worker", share(injector.cpu_utilization_max)),
        ("Injector lag", of(&injector.lag)),
        ("Pickup delay", of(&injector.pickup_delay)),
        ("Iterations that waited for a slot", number::count(view.summary.waited)),
        ("Open files, most", count(injector.open_files_max)),
        ("Local ports, most", count(injector.ports_used_max)),
        ("Connections of the host in TIME_WAIT, most", count(injector.time_wait_max)),
    ];
    let section = Section::new("injector", "Injector").aside(format!("phase {}", view.summary.phase.name)).appendix();
    Some(section.with(|body| {
        body.on(Media::PAGE).facts(facts);
    }))
}
