//! The run's shape: stages with absolute levels, and the warm-up.

use std::time::Duration;

use super::DURATION_DEFAULT;
use super::cursor::{Decoder, Fields};
use super::keys;
use super::tree::{Node, NodePosition};
use crate::plan::Workload;
use crate::schedule::{self, Stage, StageKind, nanos};

/// The place of an error in an argument.
pub(super) const fn flag(number: u32) -> NodePosition {
    NodePosition { flag: Some(number), line: 1, column: 1 }
}

/// Most stages in a plan.
const STAGES_MAX: usize = 1_000;

/// 100 %, in iterations per second or VUs, and which of the two.
#[derive(Clone, Copy)]
pub(super) enum Level {
    PerSecond(f64),
    Vus(f64),
}

impl Level {
    pub(super) fn full(self) -> f64 {
        let (Self::PerSecond(full) | Self::Vus(full)) = self;
        full
    }
}

pub(super) fn level_of(workload: &Workload) -> Level {
    match workload {
        Workload::Open { rate_per_s, .. } => Level::PerSecond(*rate_per_s),
        Workload::Closed { vus } => Level::Vus(f64::from(*vus)),
    }
}

/// Checks `--duration`.
pub(super) fn check_flag(decoder: &mut Decoder) {
    if decoder.options.duration.is_some_and(|duration| duration.is_zero()) {
        decoder.wrong(flag(FLAG_DURATION), "the duration is zero", "write a duration above zero, such as `30s`");
    }
}

/// The stages with absolute levels. Without a level (it was wrong), they are only checked.
pub(super) fn stages(decoder: &mut Decoder, root: Fields, level: Option<Level>, limited: bool) -> Option<Vec<Stage>> {
    let duration = root.get("duration").and_then(|node| decoder.duration_above_zero(node));
    let warm_up = root.get("warm_up").and_then(|node| decoder.duration_above_zero(node));
    let mut stages = if let Some(node) = root.get("stages") {
        if let Some(entry) = root.entry("duration") {
            decoder.wrong(entry.key_at, "`duration` and `stages` both say how long the run is", "keep one of them");
        }
        let mut stages = staged(decoder, node, level)?;
        let holds = stages.iter().filter(|stage| stage.kind == StageKind::Hold).count();
        if decoder.options.level.is_some() || (decoder.options.duration.is_some() && holds != 1) {
            let end_ns = schedule::phases(&stages).last().and_then(|last| last.span.end_ns);
            let length = decoder.options.duration.or(end_ns.map(Duration::from_nanos));
            vec![Stage::hold(level.map_or(1.0, Level::full), length)]
        } else {
            hold_for(decoder, &mut stages, "the plan's stages have");
            stages
        }
    } else {
        let given = decoder.options.duration.or(duration);
        let length = given.or((!limited).then_some(DURATION_DEFAULT));
        vec![Stage::hold(level.map_or(1.0, Level::full), length)]
    };
    if let Some(length) = warm_up {
        insert_warm_up(decoder, root, &mut stages, length);
    }
    Some(stages)
}

/// `--duration` is the length of the hold, when there is just one; `which` stages have how many is what an error says.
pub(super) fn hold_for(decoder: &mut Decoder, stages: &mut [Stage], which: &str) {
    let Some(duration) = decoder.options.duration else {
        return;
    };
    let mut holds = stages.iter_mut().filter(|stage| stage.kind == StageKind::Hold);
    match (holds.next(), holds.next()) {
        (Some(hold), None) => hold.length_ns = Some(nanos(duration)),
        (_, other) => {
            let found = if other.is_some() { "several holds" } else { "no hold" };
            let message = format!("{which} {found}, so it is not clear what should last that long");
            let help = "leave the argument out; `--set stages=null` removes stages, `--set profile=null` a profile";
            decoder.wrong(flag(FLAG_DURATION), message, help);
        }
    }
}

fn insert_warm_up(decoder: &mut Decoder, root: Fields, stages: &mut Vec<Stage>, length: Duration) {
    let first = stages.iter().position(|stage| stage.kind == StageKind::Hold);
    match (first, root.entry("warm_up")) {
        (Some(first), _) => {
            let hold = Stage::hold(stages[first].from, Some(length));
            stages.insert(first, Stage { kind: StageKind::WarmUp, ..hold });
        }
        (None, Some(entry)) => {
            decoder.wrong(
                entry.key_at,
                "a warm-up precedes the first hold, and the stages have none",
                "add `{ hold: 1m }` to `stages`",
            );
        }
        (None, None) => {}
    }
}

/// The stages of a list.
pub(super) fn staged(decoder: &mut Decoder, node: &Node, level: Option<Level>) -> Option<Vec<Stage>> {
    let items = decoder.list(node, "`stages`");
    if items.is_empty() {
        return decoder.wrong(node.at, "there is no stage", "add `- { hold: 1m }`, or remove the key").none();
    }
    if items.len() > STAGES_MAX {
        return decoder.wrong(node.at, format!("more than {STAGES_MAX} stages"), "join some of them").none();
    }
    let mut stages: Vec<Stage> = Vec::new();
    for item in items {
        let before = stages.last().map(|stage| stage.to);
        stages.extend(stage(decoder, item, level, before));
    }
    let complete = stages.len() == items.len();
    if complete {
        starts_something(decoder, node.at, &stages);
    }
    complete.then_some(stages)
}

/// Complains when no stage reaches a level above zero.
pub(super) fn starts_something(decoder: &mut Decoder, at: NodePosition, stages: &[Stage]) {
    if stages.iter().all(|stage| stage.from == 0.0 && stage.to == 0.0) {
        decoder.wrong(
            at,
            "every stage is at level 0, so no iteration ever starts",
            "let a stage reach a level above 0, such as `to: 100%`",
        );
    }
}

/// One stage, given the level at which the last one ended.
fn stage(decoder: &mut Decoder, node: &Node, level: Option<Level>, before: Option<f64>) -> Option<Stage> {
    let fields = decoder.fields(node, &keys::STAGE)?;
    let to = fields.get("to").map(|node| target_level(decoder, node, level));
    let full = level.map_or(1.0, Level::full);
    match (fields.get("ramp"), fields.entry("hold")) {
        (Some(length), None) => {
            let length = decoder.duration_above_zero(length);
            let Some(to) = to else {
                return decoder.wrong(node.at, "the ramp does not say where it leads", "add `to: 100%`").none();
            };
            Some(Stage::ramp(before.unwrap_or(0.0), to?, length?))
        }
        (None, Some(hold)) => {
            let length = decoder.duration_above_zero(&hold.value);
            let level = to.unwrap_or(Some(before.unwrap_or(full)))?;
            Some(Stage::hold(level, Some(length?)))
        }
        (Some(_), Some(hold)) => {
            decoder.wrong(hold.key_at, "a stage ramps or holds, not both", "begin a new stage with `- `").none()
        }
        (None, None) => decoder
            .wrong(node.at, "the stage neither ramps nor holds", "write `{ ramp: 30s, to: 100% }` or `{ hold: 2m }`")
            .none(),
    }
}

/// A share of the workload, a rate (open) or a number of VUs (closed).
pub(super) fn target_level(decoder: &mut Decoder, node: &Node, level: Option<Level>) -> Option<f64> {
    let text = decoder.expanded(node)?;
    let reached = match level {
        _ if text.ends_with('%') => decoder.share(node)? * level.map_or(1.0, Level::full),
        _ if text == "0" => 0.0,
        Some(Level::PerSecond(_)) => decoder.rate(node)?,
        Some(Level::Vus(_)) if text.contains('/') => {
            let message = format!("`{text}` is a rate, but a closed workload has VUs");
            let remedy = "write a number of VUs or a share, such as `50` or `100%`";
            return decoder.wrong(node.at, message, remedy).none();
        }
        Some(Level::Vus(_)) => decoder.number(node)?,
        None => 1.0, // the workload's error is reported already
    };
    let (max, unit) = match level {
        Some(Level::Vus(_)) => (1e6, " VUs"),
        _ => (crate::units::RATE_PER_S_MAX, "/s"),
    };
    if reached > max {
        let message = format!("the stage reaches {reached}{unit}, more than {max}{unit}");
        return decoder.wrong(node.at, message, "write a lower level").none();
    }
    Some(reached)
}

/// The place of an error in `--duration`.
pub(super) const FLAG_DURATION: u32 = u32::MAX - 1;
