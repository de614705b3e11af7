//! The period that flags name.

use nmax_log::traffic::{Period, Season, SeasonCounter};

use super::{LogError, Logs};
use crate::args::{ReadLogArgs, instant};

const US_PER_HOUR: i64 = 3_600_000_000;
const US_PER_DAY: i64 = 24 * US_PER_HOUR;

pub(super) fn period(logs: &mut Logs, args: &ReadLogArgs, is_quiet: bool) -> Result<Option<Period>, LogError> {
    let read = |flag: &str, text: &Option<String>| {
        let text = text.as_deref().map(|text| instant(text, args.zone));
        text.transpose().map_err(|error| LogError(format!("{flag}: {error}")))
    };
    let (from_us, to_us) = (read("--from", &args.from)?, read("--to", &args.to)?);
    let day = args.day.as_deref().filter(|day| *day != "busiest");
    let chosen = match (from_us, to_us, day) {
        (None, None, None) if args.day.is_none() && !args.peak_hour => return Ok(None),
        (Some(from_us), Some(to_us), _) => Period { from_us, to_us },
        (_, _, Some(day)) => {
            let from_us = instant(day, args.zone).map_err(|error| LogError(format!("--day: {error}")))?;
            Period { from_us, to_us: from_us.saturating_add(US_PER_DAY) }
        }
        (from_us, to_us, None) => {
            let season = season(logs, args, is_quiet)?;
            let named = if args.peak_hour { season.peak_hour() } else { season.peak_day() };
            let (first, last) = (season.hours.first(), season.hours.last());
            match (args.peak_hour || args.day.is_some(), named, first, last) {
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
fn season(logs: &mut Logs, args: &ReadLogArgs, is_quiet: bool) -> Result<Season, LogError> {
    if !logs.is_seekable() {
        let help = "name a file, or a time by --from and --to";
        return Err(LogError(format!(
            "standard input can be read only once, and which time is meant depends on all of it\n  help: {help}"
        )));
    }
    let mut counter = SeasonCounter::new(args.zone);
    logs.read(is_quiet, |record| counter.add(record.arrival_us));
    Ok(counter.finish())
}
