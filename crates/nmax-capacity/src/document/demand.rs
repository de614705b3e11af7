//! `demand` of the document.

use jiff::ToSpan;
use jiff::civil::Date;
use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Entry, Fields, Node, Words, keywords, tables};

use crate::demand::table::{self, Columns};
use crate::demand::{Assumed, Demand, Event, Logs, Peak, Series, Source, metrics};
use crate::{Basis, Figure};

/// What makes requests per second of a value.
const UNITS: Words<f64> = &[("/s", 1.0), ("/min", 1.0 / 60.0), ("/h", 1.0 / 3600.0), ("/day", 1.0 / 86_400.0)];
const PEAKS: Words<Peak> = &[("maximum", Peak::Maximum), ("p99", Peak::P99)];
const SOURCES: [&str; 4] = ["table", "metrics", "log", "now"];
/// Longest event.
const EVENT_DAYS_MAX: u64 = 60;

tables! {
    DEMAND "`demand`" {
        key "table": Text, "Table of peaks: a column of times and one of requests per second.";
        key "metrics": Text, "Answer of Prometheus to a range query, as a file.";
        key "log": List(&Text), "Access logs, plain or gzip, of which the peaks of days are counted.";
        key "now": Rate, "Peak of today, where nothing was counted, such as `4000/s`.";
        key "growth": Text, "Growth with `now`, such as `2.4% per week`; may be below 0.";
        key "low": Text, "Lower end of its 95 % range, such as `1% per week`.";
        key "high": Text, "Upper end of its 95 % range.";
        key "time": Text, "Column of times; `time`, `date`, `day` and such are found.";
        key "value": Text, "Column of values; `value`, `peak`, `rate` and such are found.";
        key "unit": OneOf(|| keywords(UNITS)), "What the values count requests by; `/s` by default.";
        key "peak": OneOf(|| keywords(PEAKS)),
            "Which load of a day is its peak, where it was counted more often: the maximum (the default) or the 99th percentile.";
        key "format": Text, "Format of the logs, where it is not found: as `--format` of `nmax import log`.";
        key "zone": Text, "Time zone of the days of logs, such as `+01:00`; UTC by default.";
        key "made_up": Bool, "Whether the values were made up; false by default. Said in the report.";
        key "holidays": List(&Text), "Days such as `2026-12-25` that share one factor.";
        key "events": List(&Object(&EVENT)), "Days that differ for a cause.";
    };
    EVENT "an event" {
        required "name": Text, "Its name; the same for each time that it takes place.";
        required "on": Either(&[Text, List(&Text)]), "Its first day, such as `2027-11-26`; or several.";
        key "days": Whole(1, EVENT_DAYS_MAX), "How many days it lasts; 1 by default.";
        key "factor": Number, "Its load over that of a usual day; by default what earlier ones in the data had.";
    };
}

/// Reads it.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Option<Demand> {
    let fields = decoder.fields(node, &DEMAND)?;
    let mut events = Vec::new();
    if let Some(node) = fields.get("holidays") {
        let days = decoder.list(node, "`holidays`").iter().filter_map(|node| date(decoder, node)).collect();
        add(&mut events, Event { name: "holidays".into(), days, factor: None });
    }
    if let Some(node) = fields.get("events") {
        for node in decoder.list(node, "`events`") {
            if let Some(event) = event(decoder, node) {
                add(&mut events, event);
            }
        }
    }
    let both = |first: &Entry, second: &Entry| {
        let message = format!("demand comes from `{}` or from `{}`, not from both", first.key, second.key);
        (message, "keep one of them")
    };
    let none =
        ("`demand` has no source", "add `table: peaks.csv`, `log: [access.log]`, `metrics: FILE` or `now: 4000/s`");
    let only = decoder.only(fields, &SOURCES, both, none)?;
    let source = match only.key.as_str() {
        "now" => assumed(decoder, &only.value, fields),
        "log" => logs(decoder, &only.value, fields),
        kind => series(decoder, kind, &only.value, fields),
    };
    for key in ["growth", "low", "high"] {
        if let Some(entry) = fields.entry(key)
            && only.key != "now"
        {
            let message = format!("`{key}` is for `now`; the growth of a series is fitted");
            decoder.wrong(entry.key_at, message, "remove it");
        }
    }
    Some(Demand { source: source?, events })
}

/// Adds an event to those of the same name.
fn add(events: &mut Vec<Event>, event: Event) {
    match events.iter_mut().find(|other| other.name == event.name && other.factor == event.factor) {
        Some(other) => other.days.extend(event.days),
        None => events.push(event),
    }
    for event in events {
        event.days.sort_unstable();
        event.days.dedup();
    }
}

fn event(decoder: &mut Decoder, node: &Node) -> Option<Event> {
    let fields = decoder.fields(node, &EVENT)?;
    let name = fields.get("name").and_then(|node| decoder.expanded(node));
    let first = fields.get("on").map(|node| decoder.one_or_many(node)).unwrap_or_default();
    let first: Vec<Date> = first.iter().filter_map(|node| date(decoder, node)).collect();
    let length = fields.get("days").map_or(Some(1), |node| decoder.whole(node, 1, EVENT_DAYS_MAX))?;
    let factor = fields.optional("factor", |node| match decoder.number(node)? {
        factor if factor > 0.0 => Some(factor),
        _ => decoder.wrong(node.at, "a factor of 0 leaves no load", "write a factor such as `3` or `0.5`").none(),
    });
    let days = first.iter().flat_map(|day| (0..length as i64).map(|at| day.saturating_add(at.days()))).collect();
    Some(Event { name: name?, days, factor: factor? })
}

/// A day, such as `2026-12-25`.
pub(super) fn date(decoder: &mut Decoder, node: &Node) -> Option<Date> {
    let text = decoder.expanded(node)?;
    match text.parse() {
        Ok(date) => Some(date),
        Err(_) => decoder.wrong(node.at, format!("`{text}` is not a day"), "write it as in `2026-12-25`").none(),
    }
}

fn assumed(decoder: &mut Decoder, now: &Node, fields: Fields) -> Option<Source> {
    let rate = decoder.rate(now)?;
    if rate <= 0.0 {
        return decoder.wrong(now.at, "a demand of 0/s needs no capacity", "write a rate above 0").none();
    }
    let mut growth = |key| fields.optional(key, |node| per_week(decoder, node));
    let (growth, low, high) = (growth("growth")?, growth("low")?, growth("high")?);
    let Some(value) = growth else {
        return decoder
            .wrong(now.at, "`now` has no growth", "add `growth: 2% per week`, or `growth: 0% per week`")
            .none();
    };
    let interval = (low.is_some() || high.is_some()).then(|| (low.unwrap_or(value), high.unwrap_or(value)));
    if interval.is_some_and(|(low, high)| low > value || high < value) {
        return decoder
            .wrong(now.at, "the growth is not between `low` and `high`", "write low <= growth <= high")
            .none();
    }
    Some(Source::Assumed(Assumed { now: rate, growth: Figure { value, interval, basis: Basis::Assumed } }))
}

/// A growth per week as a share.
pub(super) fn per_week(decoder: &mut Decoder, node: &Node) -> Option<f64> {
    let text = decoder.expanded(node)?;
    let parse = || {
        let (number, period) = text.split_once('%')?;
        let share = number.trim().parse::<f64>().ok().filter(|share| *share > -100.0 && *share < 1e6)? / 100.0;
        let weeks = match period.trim().strip_prefix("per")?.trim() {
            "week" => 1.0,
            "month" => 365.2425 / 12.0 / 7.0,
            "year" => 365.2425 / 7.0,
            _ => return None,
        };
        Some((share.ln_1p() / weeks).exp_m1())
    };
    parse().or_else(|| {
        let message = format!("`{text}` is not a growth");
        decoder.wrong(node.at, message, "write it as in `2.4% per week`, `10% per month` or `40% per year`").none()
    })
}

fn logs(decoder: &mut Decoder, node: &Node, fields: Fields) -> Option<Source> {
    let files = decoder.one_or_many(node).iter().filter_map(|node| decoder.file(node)).collect();
    let format = fields.optional("format", |node| decoder.expanded(node))?;
    let mut zone_s = 0;
    fields.set(&mut zone_s, "zone", |node| {
        let text = decoder.expanded(node)?;
        match format!("1970-01-02T00:00:00{text}").parse::<jiff::Timestamp>() {
            Ok(midnight) => Some((86_400 - midnight.as_second()) as i32),
            Err(_) => decoder.wrong(node.at, format!("`{text}` is not a time zone"), "write it as in `+01:00`").none(),
        }
    });
    Some(Source::Logs(Logs { files, format, zone_s, peak: peak(decoder, fields)? }))
}

fn peak(decoder: &mut Decoder, fields: Fields) -> Option<Peak> {
    fields.get("peak").map_or(Some(Peak::Maximum), |node| decoder.choose(node, PEAKS))
}

fn series(decoder: &mut Decoder, kind: &str, node: &Node, fields: Fields) -> Option<Source> {
    let file = decoder.expanded(node)?;
    let scale = fields.get("unit").map_or(Some(1.0), |node| decoder.choose(node, UNITS))?;
    let mut column = |key| fields.optional(key, |node| decoder.expanded(node));
    let columns = Columns { time: column("time")?, value: column("value")? };
    let made_up = fields.get("made_up").map_or(Some(false), |node| decoder.bool(node))?;
    let peak = peak(decoder, fields)?;
    let text = match (decoder.options.read)(&file) {
        Ok(text) => text,
        Err(why) => {
            let message = format!("cannot read `{file}`: {why}");
            return decoder.wrong(node.at, message, "write its path relative to the document").none();
        }
    };
    let read: Result<Series, Vec<String>> = match kind {
        "metrics" if text.trim_start().starts_with('{') => {
            metrics::read(&text, &file, scale, peak).map_err(|error| vec![error])
        }
        _ => table::read(&text, &file, &columns, scale, peak),
    };
    match read {
        Ok(series) => {
            let basis = if made_up { Basis::Assumed } else { Basis::Measured };
            Some(Source::Series(Series { basis, ..series }))
        }
        Err(errors) => {
            for error in errors {
                decoder.wrong(node.at, error, "correct the file, or name other columns with `time` and `value`");
            }
            None
        }
    }
}

#[cfg(test)]
mod tests;
