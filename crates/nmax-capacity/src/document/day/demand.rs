//! `demand` and `events` of a day.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Node, tables};

use super::{at_most, moment, seconds, seconds_of_day};
use crate::day::demand::DAY_S;
use crate::day::{Base, Curve, Event, Shape};

/// Largest multiple of an event.
const FACTOR_MAX: f64 = 1e6;

tables! {
    DEMAND "`demand` of the day" {
        key "constant": Rate, "The same all day.";
        key "peak": Rate, "The highest rate, at `at`, with the shape of a day.";
        key "low": Share, "The rate twelve hours away from the peak, as a share of it; 30% by default.";
        key "at": Text, "When the peak is; `20:00` by default.";
        key "table": Text, "CSV file with columns `time` (`14:30`, or seconds) and `rate` (per second).";
        key "factor": Number, "Multiple of the rates of the table; 1 by default.";
    };
    EVENT "an event" {
        key "name": Text, "Its name.";
        required "at": Text, "When it begins: `14:30`, or a duration since midnight.";
        required "factor": Number, "The multiple of the demand that it reaches, at least 1.";
        key "ramp": Duration, "Time in which it gets there by a straight line; at once by default.";
        key "doubling": Duration, "In place of `ramp`: it doubles every so often until it is there.";
        key "lasts": Duration, "How long it stays there; 1h by default.";
        key "decays": Duration, "Time in which half of what is left goes away afterwards; at once by default.";
    };
}

pub(super) fn base(decoder: &mut Decoder, node: &Node) -> Option<Base> {
    let fields = decoder.fields(node, &DEMAND)?;
    let only = decoder.only(
        fields,
        &["constant", "peak", "table"],
        |first, second| (format!("`{}` and `{}` both say what is asked", first.key, second.key), "keep one of them"),
        ("`demand` of the day says no rate", "write `peak: 4000/s`, `constant: 2000/s` or `table: day.csv`"),
    )?;
    if only.key == "table" {
        let factor = fields.get("factor").map_or(Some(1.0), |node| decoder.number(node));
        return table(decoder, &only.value, factor?).map(Base::Curve);
    }
    let rate = decoder.rate(&only.value)?;
    if rate <= 0.0 {
        return decoder.wrong(only.value.at, "the demand is 0/s", "write a rate above 0, such as `4000/s`").none();
    }
    if only.key == "constant" {
        return Some(Base::Constant(rate));
    }
    let low = fields.get("low").map_or(Some(0.3), |node| at_most(decoder, node, 1.0, "100%"));
    let at_s = fields.get("at").map_or(Some(20.0 * 3600.0), |node| moment(decoder, node, DAY_S as f64));
    Some(Base::Daily { peak_per_s: rate, low: low?, at_s: at_s? })
}

pub(super) fn events(decoder: &mut Decoder, node: &Node, length_s: f64) -> Vec<Event> {
    let items = decoder.list(node, "`events`");
    items.iter().filter_map(|item| event(decoder, item, length_s)).collect()
}

fn event(decoder: &mut Decoder, node: &Node, length_s: f64) -> Option<Event> {
    let fields = decoder.fields(node, &EVENT)?;
    let name = fields.get("name").and_then(|node| decoder.text(node)).unwrap_or_else(|| "event".into());
    let at_s = fields.get("at").and_then(|node| moment(decoder, node, length_s));
    let factor = fields.get("factor").and_then(|node| {
        let factor = decoder.number(node)?;
        if (1.0..=FACTOR_MAX).contains(&factor) {
            return Some(factor);
        }
        let message = format!("an event multiplies the demand by 1 to {FACTOR_MAX}, this is {factor}");
        decoder.wrong(node.at, message, "write a factor such as `3`").none()
    });
    let shape = match (fields.get("ramp"), fields.entry("doubling")) {
        (Some(_), Some(second)) => {
            decoder.wrong(second.key_at, "`ramp` and `doubling` both say how it grows", "keep one of them").none()
        }
        (Some(node), None) => decoder.duration_above_zero(node).map(|time| Shape::Ramp(time.as_secs_f64())),
        (None, Some(entry)) => {
            decoder.duration_above_zero(&entry.value).map(|time| Shape::Doubling(time.as_secs_f64()))
        }
        (None, None) => Some(Shape::Step),
    };
    let lasts_s = seconds(decoder, Some(fields), "lasts", 3600.0);
    let decays_s = seconds(decoder, Some(fields), "decays", 0.0);
    Some(Event { name, at_s: at_s?, factor: factor?, shape: shape?, lasts_s, decays_s })
}

/// A table of times and rates; times rise.
fn table(decoder: &mut Decoder, node: &Node, factor: f64) -> Option<Curve> {
    let file = decoder.expanded(node)?;
    let text = match (decoder.options.read)(&file) {
        Ok(text) => text,
        Err(why) => {
            let message = format!("cannot read `{file}`: {why}");
            return decoder.wrong(node.at, message, "write its path relative to the document").none();
        }
    };
    let mut points = Curve::new();
    for (index, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
        let mut cells = line.split([',', ';', '\t']).map(|cell| cell.trim().trim_matches('"'));
        let (time, rate) = (cells.next().unwrap_or_default(), cells.next().unwrap_or_default());
        let at_s = time.parse::<f64>().ok().or_else(|| seconds_of_day(time));
        let rate = rate.parse::<f64>().ok().filter(|rate| rate.is_finite() && *rate >= 0.0);
        let rises = |at_s: f64| points.last().is_none_or(|(before, _)| *before < at_s);
        match (at_s, rate) {
            (Some(at_s), Some(rate)) if at_s >= 0.0 && at_s.is_finite() && rises(at_s) => {
                points.push((at_s, rate * factor));
            }
            (None, None) if index == 0 => {}
            _ => {
                let message = format!("`{file}`, line {}: no later time with a rate from 0 on", index + 1);
                return decoder.wrong(node.at, message, "write rows such as `14:30,1200`, in the order of time").none();
            }
        }
    }
    if points.is_empty() {
        let message = format!("`{file}` has no rows");
        return decoder.wrong(node.at, message, "write rows such as `14:30,1200`").none();
    }
    Some(points)
}
