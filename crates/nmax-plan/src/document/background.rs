//! `workload.background`: scenarios that run beside the mix.

use std::time::Duration;

use super::cursor::{Decoder, Fields};
use super::keys;
use super::tree::{Entry, Node};
use super::workload::{check_total, no_scenario, workload};
use crate::plan::{AtEnd, Background, Defaults, Feeder, Pick, Scenario};
use crate::profile::full;
use crate::schedule::Stage;
use crate::units::format_duration;

/// The entries of `background`, by scenario.
pub(super) fn entries<'n>(decoder: &mut Decoder, workload: Option<Fields<'n>>) -> &'n [Entry] {
    match workload.and_then(|fields| fields.get("background")) {
        Some(node) => decoder.map(node, "`background`"),
        None => &[],
    }
}

/// Decodes the background; the run ends after `end`, `None` when only a number of iterations ends it.
pub(super) fn decode(
    decoder: &mut Decoder,
    entries: &[Entry],
    scenarios: &[Scenario],
    end: Option<Duration>,
) -> Vec<Background> {
    let of = |entry: &Entry| background(decoder, entry, scenarios, end);
    entries.iter().filter_map(of).collect()
}

fn background(
    decoder: &mut Decoder,
    entry: &Entry,
    scenarios: &[Scenario],
    end: Option<Duration>,
) -> Option<Background> {
    let scenario = scenarios.iter().position(|scenario| scenario.name == entry.key);
    if scenario.is_none() && !scenarios.is_empty() {
        no_scenario(decoder, entry, scenarios);
    }
    let fields = decoder.fields(&entry.value, &keys::BACKGROUND)?;
    let what = format!("background scenario `{}`", entry.key);
    let workload = workload(decoder, fields, &what);
    let start = fields.get("start").map(|node| (decoder.duration(node), node.at));
    let length = fields.optional("duration", |node| decoder.duration_above_zero(node));
    if let (Some((Some(start), at)), Some(end)) = (start, end)
        && start >= end
    {
        let message = format!(
            "`{}` begins after {}, but the run ends after {}",
            entry.key,
            format_duration(start),
            format_duration(end)
        );
        decoder.wrong(at, message, "let it begin earlier; `--set workload.background=null` leaves the background out");
        return None;
    }
    let start = start.map_or(Some(Duration::ZERO), |(start, _)| start)?;
    let rest = end.map(|end| end.saturating_sub(start));
    let length = length?.into_iter().chain(rest).min();
    let (workload, at) = workload?;
    let stages = stages(full(&workload), start, length);
    check_total(decoder, at, &workload, &stages);
    Some(Background { scenario: scenario?, workload, stages })
}

/// Nothing until `start`, then everything for `length`.
fn stages(full: f64, start: Duration, length: Option<Duration>) -> Vec<Stage> {
    let before = (!start.is_zero()).then(|| Stage::hold(0.0, Some(start)));
    before.into_iter().chain([Stage::hold(full, length)]).collect()
}

/// Complains about data that a background scenario shares with others although each row is to be read once.
pub(super) fn check_rows(
    decoder: &mut Decoder,
    root: Fields,
    scenarios: &[Scenario],
    feeders: &[Feeder],
    defaults: &Defaults,
) {
    let Some(entries) = root.get("workload").and_then(|node| node.key("background")).map(Node::entries) else {
        return;
    };
    let is_counted = |feeder: &Feeder| feeder.pick == Pick::Unique || feeder.at_end == AtEnd::Stop;
    let by_defaults = feeders_of(|each| defaults.headers.iter().for_each(|(_, value)| each(value)));
    let used = |scenario: &Scenario, feeder: usize| {
        scenario.calls().next().is_some() && by_defaults.contains(&feeder)
            || feeders_of(|each| scenario.each_template(each)).contains(&feeder)
    };
    for entry in entries {
        let Some(own) = scenarios.iter().find(|scenario| scenario.name == entry.key) else {
            continue;
        };
        for (index, feeder) in feeders.iter().enumerate().filter(|(_, feeder)| is_counted(feeder)) {
            let runs = |other: &&Scenario| {
                other.name != own.name
                    && (other.weight > 0.0 || entries.iter().any(|entry| entry.key == other.name))
                    && used(other, index)
            };
            if !used(own, index) {
                continue;
            }
            let Some(other) = scenarios.iter().find(runs) else {
                continue;
            };
            let message = format!(
                "`{}` and `{}` both read `{}`, whose rows are read once: each counts its iterations from 0, so rows \
                 would repeat",
                own.name, other.name, feeder.name
            );
            decoder.wrong(entry.key_at, message, format!("give `{}` data of its own", own.name));
        }
    }
}

/// Indices of the feeders that templates read.
fn feeders_of(walk: impl Fn(&mut dyn FnMut(&crate::template::Template))) -> Vec<usize> {
    let mut found = Vec::new();
    walk(&mut |template| {
        template.each_part(&mut |part| {
            if let crate::template::Part::Feeder { feeder, .. } = part {
                found.push(*feeder);
            }
        });
    });
    found
}
