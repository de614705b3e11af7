//! `think`: a user's pause.

use crate::document::cursor::Decoder;
use crate::document::keys;
use crate::document::tree::{Node, NodePosition, Value};
use crate::plan::ThinkTime;

/// One of its three laws.
pub(super) fn think(decoder: &mut Decoder, node: &Node) -> Option<ThinkTime> {
    if !matches!(node.value, Value::Map(_)) {
        return decoder.duration(node).map(ThinkTime::Fixed);
    }
    let fields = decoder.fields(node, &keys::THINK)?;
    let mut get = |name: &str| fields.get(name).map(|node| (decoder.duration(node), node.at));
    let given = (get("fixed"), get("min"), get("max"), get("median"), get("p95"));
    match given {
        (Some((fixed, _)), None, None, None, None) => fixed.map(ThinkTime::Fixed),
        (None, Some((min, _)), Some((max, at)), None, None) => {
            let (min, max) = (min?, max?);
            ordered(decoder, at, min <= max, "`max` is below `min`");
            Some(ThinkTime::Uniform { min, max })
        }
        (None, None, None, Some((median, median_at)), Some((p95, at))) => {
            let (median, p95) = (median?, p95?);
            ordered(decoder, median_at, !median.is_zero(), "a median of zero has no distribution");
            ordered(decoder, at, median <= p95, "`p95` is below `median`");
            Some(ThinkTime::Lognormal { median, p95 })
        }
        _ => decoder
            .wrong(
                node.at,
                "a think time is `fixed`, or `min` and `max`, or `median` and `p95`",
                "write `think: 2s`, `think: { min: 1s, max: 3s }` or `think: { median: 3s, p95: 9s }`",
            )
            .none(),
    }
}

fn ordered(decoder: &mut Decoder, at: NodePosition, holds: bool, message: &str) {
    if !holds {
        decoder.wrong(at, message, "write a longer duration there");
    }
}
