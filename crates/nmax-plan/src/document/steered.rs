//! `steered`: changes of the load that were recorded of a run.

use std::time::Duration;

use super::cursor::{Decoder, Fields};
use super::keys;
use super::stages::{level_of, target_level};
use crate::plan::{Change, Plan};
use crate::profile::compressed;

/// The plan with its changes. Stages of the command are steered by nothing; lengths are divided by `compress`.
pub(super) fn decode(decoder: &mut Decoder, root: Fields, mut plan: Plan, compress: f64) -> Plan {
    let is_replaced = decoder.options.level.is_some() || decoder.options.profile.is_some();
    let items = root.get("steered").map(|node| decoder.list(node, "`steered`")).unwrap_or_default();
    for item in items {
        let Some(change) = change(decoder, item, &plan) else { continue };
        if is_replaced {
            continue;
        }
        let length = |length: Duration| compressed(length, compress);
        match plan.steer(Change { at: length(change.at), ramp: length(change.ramp), ..change }) {
            Ok(steered) => plan = steered,
            Err(error) => {
                let remedy = "write a change that fits the stages before it, or remove it";
                decoder.wrong(item.at, error.to_string(), remedy);
            }
        }
    }
    plan
}

fn change(decoder: &mut Decoder, node: &super::tree::Node, plan: &Plan) -> Option<Change> {
    let fields = decoder.fields(node, &keys::CHANGE)?;
    let at = fields.get("at").and_then(|node| decoder.duration(node));
    let to = fields.optional("to", |node| target_level(decoder, node, Some(level_of(&plan.workload))));
    let ramp = fields.optional("ramp", |node| decoder.duration(node));
    Some(Change { at: at?, to: to?, ramp: ramp?.unwrap_or_default() })
}
