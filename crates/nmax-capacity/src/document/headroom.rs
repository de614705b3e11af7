//! Keys of `plan` about headroom: how long scaling out takes, and how fast load may grow meanwhile.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Fields, Node, tables};

use super::values::above_zero;
use crate::origin::Basis;
use crate::plan::headroom::{Actuation, PARTS, Step, Surges};

tables! {
    ACTUATION "`actuation`" {
        key "metric": Duration, "Period of the metric; 0s by default, as of the other parts.";
        key "window": Duration, "Window over which the metric is evaluated.";
        key "decision": Duration, "Decision or cooldown.";
        key "provisioning": Duration, "From the request for a machine to its boot.";
        key "boot": Duration, "Boot of the machine.";
        key "warm_up": Duration, "Until caches and compilers are warm.";
        key "registration": Duration, "Registration at the load balancer.";
        key "measured": List(&OneOf(|| PARTS.iter().map(|(key, _)| *key).collect())),
            "Which of these times were measured; the others are assumed.";
    };
    RAMP "`ramp`" {
        required "by": Rate, "How much the load grows.";
        required "every": Duration, "In which time.";
    };
    STEP "`step`" {
        required "factor": Number, "How many times the load before.";
        required "timeout": Duration, "How long clients wait.";
    };
}

/// The delay of scaling out.
pub(super) fn actuation(decoder: &mut Decoder, node: &Node) -> Option<Actuation> {
    let fields = decoder.fields(node, &ACTUATION)?;
    let mut found = Actuation::default();
    for (place, (key, _)) in found.parts.iter_mut().zip(PARTS) {
        fields.set(&mut place.0, key, |node| Some(decoder.duration(node)?.as_secs_f64()));
        place.1 = Basis::Assumed;
    }
    let places = PARTS.iter().map(|(key, _)| *key).collect::<Vec<_>>();
    for item in fields.get("measured").map(|node| decoder.list(node, "`measured`")).unwrap_or_default() {
        let Some(word) = decoder.expanded(item) else { continue };
        match places.iter().position(|key| *key == word) {
            Some(place) => found.parts[place].1 = Basis::Measured,
            None => _ = decoder.not_a_choice(item.at, &word, &places),
        }
    }
    if found.total_s() == 0.0 {
        return decoder
            .wrong(node.at, "scaling out takes no time at all", "add `provisioning: 90s`, `boot: 30s`, ..")
            .none();
    }
    Some(found)
}

/// Shapes in which load may grow, of the map `plan`.
pub(super) fn surges(decoder: &mut Decoder, fields: Fields) -> Surges {
    let seconds = |decoder: &mut Decoder, node: &Node| Some(decoder.duration_above_zero(node)?.as_secs_f64());
    let doubling_s = fields.get("doubling").and_then(|node| seconds(decoder, node));
    let ramp_per_s2 = fields.get("ramp").and_then(|node| {
        let fields = decoder.fields(node, &RAMP)?;
        let by = fields.get("by").and_then(|node| above_zero(decoder, node, |decoder, node| decoder.rate(node)));
        let every = fields.get("every").and_then(|node| seconds(decoder, node));
        Some(by? / every?)
    });
    let step = fields.get("step").and_then(|node| {
        let fields = decoder.fields(node, &STEP)?;
        let factor =
            fields.get("factor").and_then(|node| above_zero(decoder, node, |decoder, node| decoder.number(node)));
        let timeout_s = fields.get("timeout").and_then(|node| seconds(decoder, node));
        Some(Step { factor: factor?, timeout_s: timeout_s? })
    });
    Surges { doubling_s, ramp_per_s2, step }
}
