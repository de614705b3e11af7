//! The network of a host, and the way between client and system, which the client's own clock sees.

use nmax_sources::figures;

use super::measured::{Measured, Role};
use super::rules::{LINK_FULL, RETRANSMITTED_MAX, SNMP, USE, WAY_MIN_S, figure, percent, rule};
use super::span_readings::SpanReadings;
use super::system::System;
use super::{Cell, Finding, Kind};
use crate::wording::{digits, share, time_ms};

/// How long a connect takes at least that found a listening queue full: the first retry is after a second.
const LATE_S: f64 = 0.9;

/// The network of a host; that of the target with the way to it. `None` when nothing is known of it.
pub(super) fn measure(look: &SpanReadings, system: &System, host: &str) -> Option<Measured> {
    let is_target = host == system.target;
    let interfaces: Vec<&str> = look.named(host, "net").into_iter().filter(|source| *source != "net lo").collect();
    let key = interfaces.first().copied().unwrap_or("tcp");
    let metric = if key == "tcp" { figures::RETRANSMITTED_PER_S } else { figures::SENT_BYTES_PER_S };
    let is_read = !interfaces.is_empty() || look.track(host, "tcp", metric).is_some();
    if !is_read && !is_target {
        return None;
    }
    let mut network = Measured::new(look, Kind::Network, host, "", (key, metric));
    network.role = if system.is_of(host) { Role::Leaf } else { Role::Aside };
    network.utilization = interfaces.iter().filter_map(|source| utilization(look, host, source)).reduce(f64::max);
    let again = again(look, host);
    let dropped = [figures::DROPPED_PER_S, figures::ERRORS_PER_S];
    let dropped = dropped.into_iter().filter_map(|metric| look.sum(host, &interfaces, metric)).reduce(|a, b| a + b);
    let overflows = [figures::LISTEN_OVERFLOWS_PER_S, figures::LISTEN_DROPS_PER_S];
    let overflows = overflows.into_iter().filter_map(|metric| look.mean(host, "tcp", metric)).reduce(f64::max);
    rules(&mut network, again);
    if let Some(lost) = overflows.filter(|lost| *lost > 0.0) {
        let text = format!("{} connections/s found the queue of a listening socket full", digits(lost));
        // Whoever finds it full tries again after a second: the client would have seen it.
        match is_target && system.connect_s_max < LATE_S {
            true => network.findings.push(rule(format!("{text}, none of them this client's"), SNMP)),
            false => network.rules.push(rule(text, SNMP)),
        }
    }
    tables(look, host, &mut network);
    let lost = dropped.unwrap_or(0.0) + overflows.unwrap_or(0.0);
    let bytes = [figures::RECEIVED_BYTES_PER_S, figures::SENT_BYTES_PER_S];
    let bytes = bytes.into_iter().filter_map(|metric| look.sum(host, &interfaces, metric)).reduce(f64::max);
    network.cells = [
        match (network.utilization, bytes) {
            // Nothing limits what a host says to itself.
            (None, None) if is_target && system.is_local => Cell::None,
            (None, bytes) => figure(bytes, "bytes/s"),
            (used, _) => percent(used),
        },
        match again {
            Some(again) => Cell::Observed(format!("{} sent again", share(again))),
            None => Cell::NotObserved,
        },
        match dropped.or(overflows) {
            Some(_) => Cell::Observed(format!("{} lost/s", digits(lost))),
            None => Cell::NotObserved,
        },
    ];
    if is_target {
        way(look, system, &mut network);
    }
    Some(network)
}

/// Share of an interface's speed that is used in the busier direction.
fn utilization(look: &SpanReadings, host: &str, source: &str) -> Option<f64> {
    let speed = look.mean(host, source, figures::SPEED_BYTES_PER_S).filter(|speed| *speed > 0.0)?;
    let of = |metric| look.mean(host, source, metric);
    let most = of(figures::RECEIVED_BYTES_PER_S).into_iter().chain(of(figures::SENT_BYTES_PER_S));
    most.reduce(f64::max).map(|bytes| bytes / speed)
}

/// Share of the segments that a host sent again.
fn again(look: &SpanReadings, host: &str) -> Option<f64> {
    let sent = look.mean(host, "tcp", figures::SENT_SEGMENTS_PER_S).filter(|sent| *sent > 0.0)?;
    Some(look.mean(host, "tcp", figures::RETRANSMITTED_PER_S)? / sent)
}

fn rules(network: &mut Measured, again: Option<f64>) {
    if let Some(used) = network.utilization.filter(|used| *used >= LINK_FULL) {
        network.rules.push(rule(format!("{} of the speed of its interface was used", share(used)), USE));
    }
    if let Some(again) = again.filter(|again| *again >= RETRANSMITTED_MAX) {
        network.rules.push(rule(format!("{} of the segments were sent again", share(again)), SNMP));
    }
}

/// Tables of the kernel that are full.
fn tables(look: &SpanReadings, host: &str, network: &mut Measured) {
    let of = |metric| look.mean(host, "kernel", metric);
    if let Some((used, limit)) = of(figures::CONNTRACK_COUNT).zip(of(figures::CONNTRACK_LIMIT_COUNT))
        && limit > 0.0
        && used >= super::rules::LIMIT_SHARE * limit
    {
        let text = format!("{} of {} tracked connections were in use", digits(used), digits(limit));
        network.rules.push(rule(text, "Linux, Documentation/networking/nf_conntrack-sysctl.rst"));
    }
}

/// The way to the target and back: what passes before a request is sent and while its reply comes in, and a round trip.
///
/// The round trip of sockets has the server's delayed acknowledgments in it, so it counts up to the time of a connect.
/// Sockets know nothing of the lines that a plan gives its users; a connect goes over them.
fn way(look: &SpanReadings, system: &System, network: &mut Measured) {
    let rtt_ms = |(name, ..): &(String, f64, f64)| look.mean(name, "connections", figures::RTT_MS);
    let rtt_s = system.injectors.iter().filter_map(rtt_ms).reduce(f64::max).map(|ms| ms / 1e3);
    let trip_s = match (rtt_s, system.connect_s) {
        (_, connect_s) if system.has_lines => connect_s.unwrap_or(0.0),
        _ if system.is_local => 0.0,
        (Some(rtt_s), Some(connect_s)) => rtt_s.min(connect_s),
        (Some(rtt_s), None) => rtt_s,
        (None, connect_s) => connect_s.unwrap_or(0.0),
    };
    let reach_s = system.reach_s + trip_s;
    network.is_counted = true;
    network.service = reach_s * system.throughput_per_s;
    network.waiting = system.receive_s * system.throughput_per_s;
    network.is_pressed = reach_s + system.receive_s >= WAY_MIN_S;
    let mut text = format!(
        "{} of a request passes on the way: {} until it is sent, {} while its reply comes in",
        time_ms((reach_s + system.receive_s) * 1e3),
        time_ms(reach_s * 1e3),
        time_ms(system.receive_s * 1e3),
    );
    if system.receive_s >= WAY_MIN_S {
        let bytes_per_s = system.reply_bytes * system.throughput_per_s;
        text += &format!(
            ", {} bytes per reply at {} bytes/s, {} bytes/s in all",
            digits(system.reply_bytes),
            digits(system.reply_bytes / system.receive_s),
            digits(bytes_per_s)
        );
    }
    network.findings.push(Finding { kind: "residence", text, source: "" });
    if network.cells[1] == Cell::NotObserved {
        let way_ms = (reach_s + system.receive_s) * 1e3;
        network.cells[1] = Cell::Observed(format!("{} on the way", time_ms(way_ms)));
    }
}
