//! The period that words name.

use nmax_log::traffic::{Period, Season, SeasonCounter};

use super::{Ask, Listener, LogError, Logs};

const US_PER_HOUR: i64 = 3_600_000_000;
const US_PER_DAY: i64 = 24 * US_PER_HOUR;

pub(super) fn period(logs: &mut Logs, ask: &Ask, listener: &mut dyn Listener) -> Result<Option<Period>, LogError> {
    let read = |flag: &str, text: &Option<String>| {
        let text = text.as_deref().map(|text| instant(text, ask.zone_s));
        text.transpose().map_err(|error| LogError(format!("{flag}: {error}")))
    };
    let (from_us, to_us) = (read("--from", &ask.from)?, read("--to", &ask.to)?);
    let day = ask.day.as_deref().filter(|day| *day != "busiest");
    let chosen = match (from_us, to_us, day) {
        (None, None, None) if ask.day.is_none() && !ask.peak_hour => return Ok(None),
        (Some(from_us), Some(to_us), _) => Period { from_us, to_us },
        (_, _, Some(day)) => {
            let from_us = instant(day, ask.zone_s).map_err(|error| LogError(format!("--day: {error}")))?;
            Period { from_us, to_us: from_us.saturating_add(US_PER_DAY) }
        }
        (from_us, to_us, None) => {
            let season = season(logs, ask, listener)?;
            let named = if ask.peak_hour { season.peak_hour() } else { season.peak_day() };
            let (first, last) = (season.hours.first(), season.hours.last());
            match (ask.peak_hour || ask.day.is_some(), named, first, last) {
                (true, Some(named), ..) => named,
                (false, _, Some(first), Some(last)) => Period {
                    from_us: from_us.unwrap_or(first.from_us),
                    to_us: to_us.unwrap_or(last.from_us + US_PER_HOUR),
                },
                _ => return Err(LogError(format!("{}: no requests", logs.names().join(", ")))),
            }
        }
    };
    if chosen.from_us >= chosen.to_us {
        let help = "give a time before the other; --zone says in which time zone they are";
        return Err(LogError(format!("the chosen time ends before it begins\n  help: {help}")));
    }
    Ok(Some(chosen))
}

/// Hours and days of the whole log: a reading of its own.
fn season(logs: &mut Logs, ask: &Ask, listener: &mut dyn Listener) -> Result<Season, LogError> {
    if !logs.is_seekable() {
        let help = "name a file, or a time by --from and --to";
        return Err(LogError(format!(
            "standard input can be read only once, and which time is meant depends on all of it\n  help: {help}"
        )));
    }
    let mut counter = SeasonCounter::new(ask.zone_s);
    logs.read(listener, |record| counter.add(record.arrival_us));
    Ok(counter.finish())
}

/// An instant in µs since 1970: with an offset of its own, or in the zone that lies `zone_s` seconds east of Greenwich.
/// A date is its midnight. What a log writes between brackets will do too.
///
/// # Errors
/// How to write it.
pub fn instant(text: &str, zone_s: i32) -> Result<i64, String> {
    let text = text.trim().trim_matches(['[', ']']);
    if let Ok(instant) = text.parse::<jiff::Timestamp>() {
        return Ok(instant.as_microsecond());
    }
    for format in ["%d/%b/%Y:%H:%M:%S %z", "%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M %z"] {
        if let Ok(instant) = jiff::Timestamp::strptime(format, text) {
            return Ok(instant.as_microsecond());
        }
    }
    let local =
        text.parse::<jiff::civil::DateTime>().or_else(|_| jiff::civil::DateTime::strptime("%d/%b/%Y:%H:%M:%S", text));
    let zone = jiff::tz::Offset::from_seconds(zone_s).map_err(|error| error.to_string())?;
    local.and_then(|local| zone.to_timestamp(local)).map(|instant| instant.as_microsecond()).map_err(|_| {
        format!("`{text}` is not a time: write it as in 2026-11-20T18:00:00Z, '2026-11-20 18:00' or 2026-11-20")
    })
}
