//! A series read from a table: a column of times and one of values.

use jiff::civil::{Date, DateTime};
use jiff::tz::Offset;
use nmax_text::shown;
use nmax_usl::table::records::{Record, Records};

use super::Peak;
use super::series::{POINTS_MAX, Point, Series};

/// Most errors that are told one by one.
const ERRORS_MAX: usize = 5;
/// Names of columns of times and of values, in the order in which they are preferred.
const TIMES: [&str; 8] = ["time", "date", "day", "week", "timestamp", "datetime", "ds", "t"];
const VALUES: [&str; 9] = ["value", "peak", "rate", "load", "demand", "requests", "rps", "y", "x"];
const HELP: &str = "every row needs a time such as 2026-11-24 or 2026-11-24T10:00 and a number above 0";

/// Which columns are read, where their names do not say it.
#[derive(Clone, Debug, Default)]
pub struct Columns {
    /// Of times.
    pub time: Option<String>,
    /// Of values.
    pub value: Option<String>,
}

/// Reads a table; `scale` makes requests per second of its values. Each error names its line.
///
/// # Errors
/// All that is wrong with the rows, or why they are no series.
pub fn read(text: &str, source: &str, columns: &Columns, scale: f64, peak: Peak) -> Result<Series, Vec<String>> {
    let refused = |error: nmax_usl::table::TableError| vec![format!("{source}: {}", error.text)];
    let mut records = Records::new(text.as_bytes()).map_err(refused)?;
    let mut record = Record::default();
    if !records.read(&mut record).map_err(refused)? {
        return Err(vec![format!("{source}: there is nothing in it; {HELP}")]);
    }
    let (time, value, has_header) = find(&record, columns).map_err(|error| vec![format!("{source}: {error}")])?;
    let (mut points, mut errors) = (Vec::new(), Vec::new());
    let mut more = !has_header || records.read(&mut record).map_err(refused)?;
    while more && errors.len() < ERRORS_MAX && points.len() <= POINTS_MAX {
        match point(record.cell(time), record.cell(value)) {
            Ok(point) => points.push(Point { value: point.value * scale, ..point }),
            Err(error) => errors.push(format!("{source}:{}: {error}", record.line)),
        }
        more = records.read(&mut record).map_err(refused)?;
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    Series::new(points, source, peak).map_err(|error| vec![error])
}

/// Columns of times and of values, and whether the first record is a header.
fn find(first: &Record, columns: &Columns) -> Result<(usize, usize, bool), String> {
    let names: Vec<String> = first.cells().map(str::to_owned).collect();
    if names.len() < 2 {
        return Err(format!("it has one column; {HELP}"));
    }
    let given =
        |wanted: &Option<String>| match wanted {
            None => Ok(None),
            Some(wanted) => names.iter().position(|name| name == wanted).map(Some).ok_or_else(|| {
                format!("there is no column `{}`; there are {}", shown(wanted), shown(&names.join(", ")))
            }),
        };
    let (time, value) = (given(&columns.time)?, given(&columns.value)?);
    if time.is_none() && value.is_none() && instant(&names[0]).is_some() {
        return Ok((0, 1, false));
    }
    let known =
        |wanted: &[&str]| wanted.iter().find_map(|word| names.iter().position(|name| name.eq_ignore_ascii_case(word)));
    let time = time.or_else(|| known(&TIMES)).unwrap_or(0);
    let value = value.or_else(|| known(&VALUES).filter(|at| *at != time));
    let value = value.or_else(|| (names.len() == 2).then_some(1 - time.min(1)));
    value.map(|value| (time, value, true)).ok_or_else(|| {
        format!("which column has the values is not clear of {}; write `value: NAME`", shown(&names.join(", ")))
    })
}

/// A row as a point.
fn point(time: &str, value: &str) -> Result<Point, String> {
    let at = instant(time).ok_or_else(|| format!("`{}` is not a time; {HELP}", shown(time)))?;
    match value.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(Point { at, value }),
        Ok(value) if value <= 0.0 => {
            Err(format!("{value} is not a peak of requests; leave out rows without traffic, they are gaps then"))
        }
        _ => Err(format!("`{}` is not a number; {HELP}", shown(value))),
    }
}

/// A time in the zone in which it is written: `2026-11-24`, `2026-11-24T10:00`, with or without offset; seconds since
/// 1970 and instants with `Z` are UTC.
pub fn instant(text: &str) -> Option<DateTime> {
    let seconds = |text: &str| {
        let seconds = text.parse::<f64>().ok().filter(|seconds| *seconds >= 1e8)?;
        // Milliseconds, where the number would be beyond the year 5138 in seconds.
        let seconds = if seconds >= 1e11 { seconds / 1e3 } else { seconds };
        jiff::Timestamp::from_second(seconds as i64).ok()
    };
    let utc = || text.parse::<jiff::Timestamp>().ok().or_else(|| seconds(text)).map(|at| Offset::UTC.to_datetime(at));
    let date = || text.parse::<Date>().ok().map(|date| date.to_datetime(jiff::civil::Time::midnight()));
    text.parse::<DateTime>().ok().or_else(date).or_else(utc)
}

#[cfg(test)]
mod tests;
