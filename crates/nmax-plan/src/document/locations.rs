//! `locations`: where users are.

use super::cursor::Decoder;
use super::decode::is_name;
use super::keys;
use super::tree::{Entry, Node};
use crate::plan::{Location, Scenario};
use crate::units::parse_bit_rate;

/// Most locations in a plan; each has histograms of its own.
pub(super) const LOCATIONS_MAX: usize = 50;

/// Every location, in order.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Vec<Location> {
    let entries = decoder.map(node, "`locations`");
    if entries.len() > LOCATIONS_MAX {
        decoder.wrong(node.at, format!("more than {LOCATIONS_MAX} locations"), "join some of them");
        return Vec::new();
    }
    entries.iter().map(|entry| location(decoder, entry)).collect()
}

fn location(decoder: &mut Decoder, entry: &Entry) -> Location {
    if !is_name(&entry.key) {
        let message = format!("`{}` cannot be the name of a location", entry.key);
        decoder.wrong(entry.key_at, message, "use 1 to 64 characters, without `/`");
    }
    let mut location = Location {
        name: entry.key.clone(),
        down_bits_per_s: None,
        up_bits_per_s: None,
        round_trip: std::time::Duration::ZERO,
        jitter: std::time::Duration::ZERO,
        weight: 1.0,
    };
    let Some(fields) = decoder.fields(&entry.value, &keys::LOCATION) else {
        return location;
    };
    location.down_bits_per_s = fields.get("down").and_then(|node| decoder.unit(node, parse_bit_rate));
    location.up_bits_per_s = fields.get("up").and_then(|node| decoder.unit(node, parse_bit_rate));
    fields.set(&mut location.round_trip, "round_trip", |node| decoder.duration(node));
    fields.set(&mut location.jitter, "jitter", |node| decoder.duration(node));
    fields.set(&mut location.weight, "weight", |node| decoder.number(node));
    location
}

/// Complains about users who are nowhere.
pub(super) fn check(decoder: &mut Decoder, node: &Node, locations: &[Location], scenarios: &[Scenario]) {
    let nowhere = scenarios.iter().find(|scenario| scenario.location.is_none());
    if let Some(scenario) = nowhere
        && !locations.is_empty()
        && locations.iter().all(|location| location.weight == 0.0)
    {
        let message = format!("all locations have weight 0, so the users of `{}` are nowhere", scenario.name);
        let remedy = format!("give one a weight above 0, or write `location: NAME` into `{}`", scenario.name);
        decoder.wrong(node.at, message, remedy);
    }
}

/// Complains about locations named like tags of requests.
pub(super) fn check_tags(decoder: &mut Decoder, node: &Node, scenarios: &[&Scenario]) {
    let requests = scenarios.iter().flat_map(|scenario| scenario.calls());
    let tags: Vec<&String> = requests.flat_map(|request| &request.tags).collect();
    for entry in node.entries().iter().filter(|entry| tags.contains(&&entry.key)) {
        let message = format!("`{}` is the name of a location and a tag of a request", entry.key);
        decoder.wrong(entry.key_at, message, "choose another name for one of them: `for tag NAME` means either");
    }
}
