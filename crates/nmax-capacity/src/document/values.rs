//! Values that several parts of the document have.

use nmax_plan::document::reading::{Decoder, Node};
use nmax_plan::units::parse_duration;

use crate::origin::{Basis, Figure};

/// A value above 0.
pub(super) fn above_zero(
    decoder: &mut Decoder,
    node: &Node,
    read: impl FnOnce(&mut Decoder, &Node) -> Option<f64>,
) -> Option<f64> {
    let value = read(decoder, node)?;
    if value > 0.0 {
        return Some(value);
    }
    decoder.wrong(node.at, "the value is 0", "write a value above 0").none()
}

/// A value, or its low end, estimate and high end.
pub(super) fn figure(
    decoder: &mut Decoder,
    node: &Node,
    read: impl Fn(&mut Decoder, &Node) -> Option<f64>,
) -> Option<Figure> {
    let items = decoder.one_or_many(node);
    let values: Option<Vec<f64>> = items.iter().map(|item| read(decoder, item)).collect();
    match *values? {
        [value] => Some(Figure::assumed(value)),
        [low, value, high] if low <= value && value <= high => {
            Some(Figure { value, interval: Some((low, high)), basis: Basis::Assumed })
        }
        _ => decoder
            .wrong(
                node.at,
                "this is neither an estimate nor an interval",
                "write an estimate, or `[low, estimate, high]`",
            )
            .none(),
    }
}

/// A time in days: `12 weeks`, `3 days`, or a duration.
pub(super) fn days(decoder: &mut Decoder, node: &Node) -> Option<f64> {
    let text = decoder.expanded(node)?;
    let (number, unit) = text.trim().split_once(' ').unwrap_or((&text, ""));
    let per_unit = match unit.trim() {
        "day" | "days" => Some(1.0),
        "week" | "weeks" => Some(7.0),
        _ => None,
    };
    let days = match per_unit {
        Some(per_unit) => number.parse::<f64>().ok().map(|number| number * per_unit),
        None => parse_duration(&text).ok().map(|duration| duration.as_secs_f64() / 86_400.0),
    };
    match days {
        Some(days) if (0.0..=1e6).contains(&days) => Some(days),
        _ => {
            let remedy = "write it as `12 weeks`, `3 days` or `36h`";
            decoder.wrong(node.at, format!("`{text}` is not a time"), remedy).none()
        }
    }
}
