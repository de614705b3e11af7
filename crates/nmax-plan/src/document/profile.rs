//! `profile`: a named shape with its own lengths and levels.

use std::time::Duration;

use super::cursor::{Decoder, Fields};
use super::keys::{self, PROFILES, Table};
use super::stages::{Level, flag, hold_for, level_of, staged, starts_something, target_level};
use super::tree::{Entry, Node, NodePosition, Value};
use crate::plan::{Profile, Workload};
use crate::profile::Shape;
use crate::schedule::Stage;

/// A profile that the plan or the command names.
pub(super) struct Named<'n> {
    pub profile: Profile,
    /// Its place, or that of the flag.
    at: NodePosition,
    /// Its own lengths and levels.
    fields: Option<Fields<'n>>,
    /// The command named it, so it wins over the plan's shape.
    pub from_flag: bool,
}

/// The profile of the command, else that of the plan; the plan's lengths and levels hold for both when they agree.
pub(super) fn named<'n>(decoder: &mut Decoder, root: Fields<'n>) -> Option<Named<'n>> {
    let written = root.entry("profile").and_then(|entry| written(decoder, entry));
    let Some(profile) = decoder.options.profile else {
        return written;
    };
    Some(Named {
        profile,
        at: flag(super::decode::FLAG_PROFILE),
        fields: written.filter(|written| written.profile == profile).and_then(|written| written.fields),
        from_flag: true,
    })
}

fn written<'n>(decoder: &mut Decoder, entry: &'n Entry) -> Option<Named<'n>> {
    let named = |profile, fields| Named { profile, at: entry.key_at, fields, from_flag: false };
    if !matches!(entry.value.value, Value::Map(_)) {
        return decoder.choose(&entry.value, PROFILES).map(|profile| named(profile, None));
    }
    let fields = decoder.fields(&entry.value, &keys::PROFILE)?;
    match fields.in_order(&keys::profile_names()).as_slice() {
        [only] => {
            let (_, profile) = PROFILES.iter().find(|(name, _)| *name == only.key)?;
            let fields = decoder.fields(&only.value, table(*profile));
            Some(named(*profile, fields))
        }
        [_, second, ..] => {
            let message = format!("a run has one profile, `{}` is the second", second.key);
            decoder.wrong(second.key_at, message, "keep one of them").none()
        }
        [] => {
            if matches!(&entry.value.value, Value::Map(entries) if entries.is_empty()) {
                let remedy = "write `profile: peak`, or `profile: { peak: { hold: 1h } }`";
                decoder.wrong(entry.value.at, "the profile has no name", remedy);
            }
            None
        }
    }
}

const fn table(profile: Profile) -> &'static Table {
    match profile {
        Profile::Smoke => &keys::SMOKE,
        Profile::Ladder => &keys::LADDER,
        Profile::Peak => &keys::PEAK,
        Profile::Stress => &keys::STRESS,
        Profile::Soak => &keys::SOAK,
        Profile::Flood => &keys::FLOOD,
    }
}

/// The stages of a profile; `workload` is that under the profile.
pub(super) fn stages(
    decoder: &mut Decoder,
    root: Fields,
    named: &Named,
    workload: Option<&Workload>,
) -> Option<Vec<Stage>> {
    for key in ["stages", "duration", "warm_up"] {
        let Some(entry) = root.entry(key) else { continue };
        match key {
            "stages" => drop(staged(decoder, &entry.value, None)),
            _ => drop(decoder.duration_above_zero(&entry.value)),
        }
        if !named.from_flag {
            let message = format!("profile `{}` and `{key}` both say how the run goes", named.profile.name());
            let remedy = "keep one of them; `profile: { NAME: { ... } }` changes lengths and levels of a profile";
            decoder.wrong(entry.key_at.max(named.at), message, remedy);
        }
    }
    let level = workload.map(level_of);
    let usual = Shape::usual(named.profile, workload.unwrap_or(&Workload::Closed { vus: 1 }));
    let written = |name: &str| named.fields.filter(|fields| fields.knows(name))?.entry(name);
    let mut stages = match written("stages") {
        Some(entry) => {
            let others = named.fields.map(|fields| fields.others("stages")).unwrap_or_default();
            for other in others {
                let message = format!("`stages` is the whole shape, so `{}` has no place beside it", other.key);
                decoder.wrong(other.key_at, message, "keep one of them");
            }
            staged(decoder, &entry.value, level)?
        }
        None => {
            let stages = shape(decoder, usual, level, &written)?.stages();
            let at = ["to", "levels"].into_iter().find_map(written).map_or(named.at, |entry| entry.value.at);
            starts_something(decoder, at, &stages);
            stages
        }
    };
    hold_for(decoder, &mut stages, &format!("profile `{}` has", named.profile.name()));
    Some(stages)
}

/// The usual shape with what is written in place of its lengths and levels.
fn shape<'n>(
    decoder: &mut Decoder,
    usual: Shape,
    level: Option<Level>,
    written: &dyn Fn(&str) -> Option<&'n Entry>,
) -> Option<Shape> {
    let length = |decoder: &mut Decoder, name: &str, usual: Option<Duration>| match written(name) {
        Some(entry) => decoder.duration_above_zero(&entry.value).map(Some),
        None => Some(usual),
    };
    match usual {
        Shape::Rungs { levels, hold } => {
            let hold = length(decoder, "hold", Some(hold));
            let levels = match written("levels") {
                Some(entry) => rungs(decoder, &entry.value, level),
                None => Some(levels),
            };
            Some(Shape::Rungs { hold: hold?.unwrap_or_default(), levels: levels? })
        }
        Shape::Trapezium { ramp, to, hold, down } => {
            let (ramp, hold, down) =
                (length(decoder, "ramp", ramp), length(decoder, "hold", hold), length(decoder, "down", down));
            let to = match written("to") {
                Some(entry) => target_level(decoder, &entry.value, level),
                None => Some(to),
            };
            Some(Shape::Trapezium { ramp: ramp?, to: to?, hold: hold?, down: down? })
        }
    }
}

fn rungs(decoder: &mut Decoder, node: &Node, level: Option<Level>) -> Option<Vec<f64>> {
    let items = decoder.list(node, "`levels`");
    if items.is_empty() {
        return decoder.wrong(node.at, "there is no level", "write levels such as `[1, 10, 100]`").none();
    }
    let levels: Vec<f64> = items.iter().filter_map(|item| target_level(decoder, item, level)).collect();
    (levels.len() == items.len()).then_some(levels)
}
