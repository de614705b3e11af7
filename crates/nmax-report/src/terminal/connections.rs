//! What connections and phases have to say: a line each, and only where there is something.

use super::Lines;
use crate::number;
use crate::view::View;
use nmax_analysis::summary::Connections;

/// Columns of the word before a line.
const WORD: usize = 13;
/// Most addresses named.
const ADDRESSES_MAX: usize = 6;

/// Writes the lines.
pub(super) fn write(page: &mut Lines, view: &View) {
    let connections = &view.summary.connections;
    let lines = [
        ("connections", opened(connections)),
        ("tls", handshakes(connections)),
        ("addresses", addresses(connections)),
        ("passed over", passed_over(connections)),
        ("phases", phases(view)),
        ("redirects", followed(connections)),
        ("interim", interim(connections)),
        ("bodies", bodies(view)),
    ];
    if lines.iter().any(|(_, text)| text.is_some()) {
        page.line("");
    }
    for (word, text) in lines {
        text.into_iter().for_each(|text| page.entry_at(WORD, word, &text));
    }
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
    let named: Vec<_> = named.map(|(address, count)| format!("{address} {}{unit}", number::count(*count))).collect();
    let rest = match counts.len().saturating_sub(ADDRESSES_MAX) {
        0 => String::new(),
        n => format!(", {n} more"),
    };
    named.join(", ") + &rest
}

fn phases(view: &View) -> Option<String> {
    let one = |row: &nmax_analysis::summary::PhaseTime| match row.name {
        "wait" => format!(
            "wait p50 {} p95 {}",
            number::time_or_unknown(row.time.p50()),
            number::time_or_unknown(row.time.p95())
        ),
        name => format!("{name} p95 {}", number::time_or_unknown(row.time.p95())),
    };
    let all: Vec<_> = view.summary.total.phases.iter().map(one).collect();
    (!all.is_empty()).then(|| all.join(", "))
}

fn followed(connections: &Connections) -> Option<String> {
    let count = connections.redirects;
    (count > 0).then(|| format!("{} followed", number::count(count)))
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
