//! One source of `observe`: its name, host and interval.

use std::time::Duration;

use super::super::cursor::{Decoder, Fields};
use super::super::error::Kind;
use super::super::tree::{Entry, Node, Place};
use super::kinds::found;
use super::label;
use crate::plan::{EVERY_DEFAULT, INJECTOR, ObservedSource, SourceKind};

/// Shortest and longest time from one reading to the next.
const EVERY: (Duration, Duration) = (Duration::from_millis(100), Duration::from_secs(60));

/// A source; its name's place with it.
pub(super) fn source(
    decoder: &mut Decoder,
    item: &Node,
    fields: Fields,
    what: &Entry,
) -> Option<(ObservedSource, Place)> {
    refuse_others(decoder, fields, &what.key);
    let every = fields.get("every").map(|node| every(decoder, node));
    let host = fields.get("host").map(|node| host(decoder, node));
    let name = fields.get("name").map(|node| (decoder.expanded(node), node.at));
    let found = found(decoder, fields, what)?;
    let (name, at) = match name {
        Some((name, at)) => (name?, at),
        None => (found.name, what.value.at),
    };
    let is_agent = matches!(found.kind, SourceKind::Agent { .. });
    if is_agent && name == INJECTOR {
        let message = format!("`{INJECTOR}` is this host, which is watched without an agent");
        decoder.problem(at, Kind::Conflict, message, "give the agent the name of its host");
    }
    let host = match host {
        Some(host) => host?,
        // An agent's name is that of its host.
        None if is_agent => name.clone(),
        None => found.host,
    };
    if name.is_empty() {
        let remedy = "add `name: ...`, what it is called in the results";
        decoder.problem(item.at, Kind::Missing, "it is not said what this is called", remedy);
        return None;
    }
    label(decoder, at, &name);
    let source = ObservedSource { host, name, every: every.unwrap_or(Some(EVERY_DEFAULT))?, kind: found.kind };
    Some((source, at))
}

/// Complains about keys that say nothing of such a source.
pub(super) fn refuse_others(decoder: &mut Decoder, fields: Fields, kind: &str) {
    const OF: [(&str, &[&str]); 7] = [
        ("token", &["agent", "prometheus"]),
        ("processes", &["agent"]),
        ("resources", &["prometheus"]),
        ("format", &["log"]),
        ("kind", &["log"]),
        ("layer", &["log"]),
        ("host", &["prometheus", "postgres", "redis", "memcached", "nginx", "log"]),
    ];
    for (key, kinds) in OF {
        if let Some(entry) = fields.entry(key)
            && !kinds.contains(&kind)
        {
            let remedy = match (key, kind) {
                ("host", "agent") => "remove it; an agent's `name` is that of its host".to_owned(),
                _ => format!("remove it; it belongs to `{}`", kinds.join("`, `")),
            };
            let message = format!("`{key}` says nothing about `{kind}`");
            decoder.problem(entry.key_at, Kind::Conflict, message, remedy);
        }
    }
}

fn every(decoder: &mut Decoder, node: &Node) -> Option<Duration> {
    let every = decoder.duration(node)?;
    if !(EVERY.0..=EVERY.1).contains(&every) {
        let remedy = "write a time from 100ms to 1m";
        decoder.problem(node.at, Kind::Value, "nothing is read that often or that seldom", remedy);
        return None;
    }
    Some(every)
}

/// The name of a host, as results have it.
fn host(decoder: &mut Decoder, node: &Node) -> Option<String> {
    let name = decoder.expanded(node)?;
    label(decoder, node.at, &name);
    Some(name)
}
