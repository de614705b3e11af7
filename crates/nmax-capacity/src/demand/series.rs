//! Peaks per day or week. What was counted more often than daily is folded into the peaks of its days.

use std::collections::BTreeMap;

use jiff::ToSpan;
use jiff::civil::{Date, DateTime};
use nmax_text::number::counted;

use super::Peak;
use crate::Basis;

/// Points that a series may have: 27 years of hours.
pub const POINTS_MAX: usize = 240_000;
/// Share of a day's points without which its peak may be missing.
const WHOLE: f64 = 0.8;
/// Items that a sentence names.
const NAMED_MAX: usize = 5;
const DAY_S: i64 = 86_400;
const DAY_MIN: i64 = 1_440;

/// Time between two points.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// A day.
    #[default]
    Day,
    /// Seven days.
    Week,
}

impl Step {
    /// Its length in days.
    pub const fn days(self) -> i64 {
        match self {
            Self::Day => 1,
            Self::Week => 7,
        }
    }

    /// Points after which the season of the naive forecast repeats: a week of days; weeks have none.
    pub const fn season(self) -> usize {
        match self {
            Self::Day => 7,
            Self::Week => 1,
        }
    }

    /// `day`
    pub const fn word(self) -> &'static str {
        match self {
            Self::Day => "day",
            Self::Week => "week",
        }
    }
}

/// A point as it was read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// Local time.
    pub at: DateTime,
    /// Requests per second; above 0.
    pub value: f64,
}

/// How uneven the load is within its days.
#[derive(Clone, Debug, PartialEq)]
pub struct Burst {
    /// Length of what was counted, in s: 60 for minutes.
    pub step_s: f64,
    /// Mean load, per second.
    pub mean: f64,
    /// The largest load over the mean one: `a` of Menascé and Almeida.
    pub peak_to_mean: f64,
    /// Share of the time in which the load is above its mean: `b` of Menascé and Almeida.
    pub above_mean: f64,
    /// Median load of each hour over the peak of its day: working days, then Saturdays and Sundays. Empty when unknown.
    pub shape: Vec<[f64; 24]>,
}

/// Peaks at equal steps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// The first day; of weeks the day on which each begins.
    pub start: Date,
    /// Time between two values.
    pub step: Step,
    /// Requests per second, above 0; `None` is a gap.
    pub values: Vec<Option<f64>>,
    /// Where it is from: `peaks.csv`.
    pub source: String,
    /// Whether it was counted, or made up.
    pub basis: Basis,
    /// What became of gaps, duplicates and days that are not whole; each a sentence.
    pub notes: Vec<String>,
    /// How uneven the load is within days, where it was counted more often.
    pub burst: Option<Burst>,
}

impl Series {
    /// Of points in any order; `source` names them.
    ///
    /// # Errors
    /// Why they are no series, in a sentence.
    pub fn new(mut points: Vec<Point>, source: &str, peak: Peak) -> Result<Self, String> {
        let mut notes = Vec::new();
        if points.len() < 2 {
            return Err(format!("{source} has {}; a series needs two", counted(points.len() as u64, "point")));
        }
        if points.len() > POINTS_MAX {
            return Err(format!("{source} has more than {POINTS_MAX} points"));
        }
        if !points.is_sorted_by_key(|point| point.at) {
            notes.push(format!("{source}: rows are not in the order of time; they were sorted"));
            points.sort_by_key(|point| point.at);
        }
        let step_s = step_s(&points);
        let points = without_duplicates(points, source, &mut notes);
        let (step, start, values, burst) = if step_s <= DAY_S / 2 {
            let (days, burst) = fold(&points, step_s, peak, source, &mut notes);
            let (start, values) = grid(&days, Step::Day)?;
            (Step::Day, start, values, Some(burst))
        } else {
            let step = match step_s / DAY_S {
                0..=2 => Step::Day,
                6..=8 => Step::Week,
                days => {
                    return Err(format!(
                        "{source}: a point every {days} days is not supported, because a season of the week needs \
                         days and a trend needs weeks"
                    ));
                }
            };
            let days: Vec<(Date, f64)> = points.iter().map(|point| (point.at.date(), point.value)).collect();
            let (start, values) = grid(&days, step)?;
            (step, start, values, None)
        };
        let mut series = Self { start, step, values, source: source.to_owned(), basis: Basis::Measured, notes, burst };
        series.name_gaps();
        Ok(series)
    }

    /// Of requests counted by minute: each minute with requests, rising, by its number since 1970 in local time. A minute
    /// that is missing had none; a day at either end that was not counted from its first hour to its last is left out.
    ///
    /// # Errors
    /// Why they are no series, in a sentence.
    pub fn of_minutes(minutes: &[(i64, u64)], source: &str, peak: Peak) -> Result<Self, String> {
        let none = || format!("{source}: it covers no whole day, so no day has a peak");
        let (first, last) = minutes.first().zip(minutes.last()).ok_or_else(none)?;
        let begin = (first.0 - 60).div_euclid(DAY_MIN) + 1;
        let end = (last.0 + 60).div_euclid(DAY_MIN);
        let length = usize::try_from(end - begin).ok().filter(|length| (1..=POINTS_MAX).contains(length));
        let length = length.ok_or_else(none)?;
        let day_of = |minute: i64| usize::try_from(minute.div_euclid(DAY_MIN) - begin).ok().filter(|day| *day < length);
        let start = Date::constant(1970, 1, 1).saturating_add(begin.days());
        let mut values = vec![None; length];
        let mut loads = vec![0.0; length * DAY_MIN as usize];
        let mut shares = Vec::new();
        for minutes in minutes.chunk_by(|a, b| day_of(a.0) == day_of(b.0)) {
            let Some(day) = day_of(minutes[0].0) else { continue };
            let mut counts = [0.0; DAY_MIN as usize];
            for (minute, count) in minutes {
                counts[minute.rem_euclid(DAY_MIN) as usize] = *count as f64 / 60.0;
            }
            loads[day * counts.len()..(day + 1) * counts.len()].copy_from_slice(&counts);
            let top = peak.pick(counts.to_vec());
            values[day] = (top > 0.0).then_some(top);
            let date = start.saturating_add((day as i64).days());
            let hour = |(hour, loads): (i8, &[f64])| {
                (date.at(hour, 0, 0, 0), loads.iter().sum::<f64>() / loads.len() as f64 / top.max(f64::MIN_POSITIVE))
            };
            shares.extend((0..).zip(counts.chunks(60)).map(hour));
        }
        let burst = Burst { shape: shape(shares.into_iter()), ..Burst::new(&loads, 60.0) };
        let mut series = Self {
            start,
            values,
            source: source.to_owned(),
            basis: Basis::Measured,
            burst: Some(burst),
            ..Self::default()
        };
        series.name_gaps();
        if peak == Peak::P99 {
            series.notes.push(format!("{source}: peaks are the 99th percentile of the minutes of a day"));
        }
        Ok(series)
    }

    /// The day of a point; those after the last are ahead.
    pub fn date(&self, at: usize) -> Date {
        self.start.saturating_add((at as i64 * self.step.days()).days())
    }

    /// The day of the last point.
    pub fn last(&self) -> Date {
        self.date(self.values.len().saturating_sub(1))
    }

    /// Points that are there: place and value.
    pub fn known(&self) -> impl Iterator<Item = (usize, f64)> {
        self.values.iter().enumerate().filter_map(|(at, value)| Some((at, (*value)?)))
    }

    /// Length from the first to the last point, in weeks.
    pub fn weeks(&self) -> f64 {
        (self.values.len() as i64 * self.step.days()) as f64 / 7.0
    }

    /// Its first `length` points.
    pub fn head(&self, length: usize) -> Self {
        Self { values: self.values[..length.min(self.values.len())].to_vec(), notes: Vec::new(), ..self.clone() }
    }

    fn name_gaps(&mut self) {
        let mut gaps: Vec<(usize, usize)> = Vec::new();
        for at in (0..self.values.len()).filter(|at| self.values[*at].is_none()) {
            match gaps.last_mut() {
                Some((_, last)) if *last + 1 == at => *last = at,
                _ => gaps.push((at, at)),
            }
        }
        if gaps.is_empty() {
            return;
        }
        let named = |(from, to): &(usize, usize)| match from == to {
            true => self.date(*from).to_string(),
            false => format!("{} to {}", self.date(*from), self.date(*to)),
        };
        let missing = self.values.iter().filter(|value| value.is_none()).count();
        self.notes.push(format!(
            "{}: {} missing ({}); gaps are not filled, the fit uses what is there",
            self.source,
            counted(missing as u64, self.step.word()),
            list(gaps.iter().map(named)),
        ));
    }
}

/// The first few, and how many more.
pub(crate) fn list(items: impl Iterator<Item = String>) -> String {
    let items: Vec<String> = items.collect();
    let more = items.len().saturating_sub(NAMED_MAX);
    let text = items[..items.len() - more].join(", ");
    if more > 0 { format!("{text} and {more} more") } else { text }
}

/// Median time between two points that differ, in s.
fn step_s(points: &[Point]) -> i64 {
    let seconds = |pair: &[Point]| pair[1].at.duration_since(pair[0].at).as_secs();
    let mut steps: Vec<i64> = points.windows(2).map(seconds).filter(|step| *step > 0).collect();
    steps.sort_unstable();
    steps.get(steps.len() / 2).copied().unwrap_or(DAY_S)
}

/// Of points at the same instant the largest.
fn without_duplicates(points: Vec<Point>, source: &str, notes: &mut Vec<String>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    let mut twice = Vec::new();
    for point in points {
        match kept.last_mut() {
            Some(last) if last.at == point.at => {
                last.value = last.value.max(point.value);
                twice.push(if point.at.time() == jiff::civil::Time::midnight() {
                    point.at.date().to_string()
                } else {
                    point.at.to_string()
                });
            }
            _ => kept.push(point),
        }
    }
    if !twice.is_empty() {
        notes.push(format!("{source}: more than one value at {}; the largest is used", list(twice.into_iter())));
    }
    kept
}

/// The peak of each whole day, and how uneven the load is.
fn fold(points: &[Point], step_s: i64, peak: Peak, source: &str, notes: &mut Vec<String>) -> (Vec<(Date, f64)>, Burst) {
    let mut days: BTreeMap<Date, Vec<Point>> = BTreeMap::new();
    for point in points {
        days.entry(point.at.date()).or_default().push(*point);
    }
    let wanted = WHOLE * DAY_S as f64 / step_s as f64;
    let partial: Vec<String> =
        days.iter().filter(|(_, points)| (points.len() as f64) < wanted).map(|(day, _)| day.to_string()).collect();
    if !partial.is_empty() {
        notes.push(format!(
            "{source}: {} not whole ({}); their peaks may be missing, so they are left out",
            counted(partial.len() as u64, "day"),
            list(partial.into_iter())
        ));
    }
    days.retain(|_, points| points.len() as f64 >= wanted);
    if step_s > 60 {
        notes.push(format!(
            "{source}: a point is the mean of {step_s} s; the load within that time is higher at times, so the peaks \
             are lower ends"
        ));
    }
    let peak_of = |points: &Vec<Point>| peak.pick(points.iter().map(|point| point.value).collect());
    let peaks: Vec<(Date, f64)> = days.iter().map(|(day, points)| (*day, peak_of(points))).collect();
    let all: Vec<f64> = points.iter().map(|point| point.value).collect();
    let shares = peaks
        .iter()
        .zip(days.values())
        .flat_map(|((_, peak), points)| points.iter().map(move |point| (point.at, point.value / peak)));
    let burst = Burst { shape: shape(shares), ..Burst::new(&all, step_s as f64) };
    (peaks, burst)
}

impl Peak {
    /// That of loads; 0 of none.
    fn pick(self, mut loads: Vec<f64>) -> f64 {
        loads.sort_unstable_by(f64::total_cmp);
        let rank = match self {
            Self::Maximum => loads.len(),
            Self::P99 => (0.99 * loads.len() as f64).ceil() as usize,
        };
        loads.get(rank.max(1) - 1).copied().unwrap_or_default()
    }
}

impl Burst {
    /// Of loads per second at equal steps of `step_s`.
    ///
    /// ```text
    /// a = max λ_k / λ̄        b = #{k: λ_k > λ̄} / n
    /// ```
    ///
    /// Source: D. A. Menascé, V. A. F. Almeida, *Capacity Planning for Web Services* (2002), section on burstiness.
    /// Law: `burst_of_a_square_wave`.
    pub fn new(loads: &[f64], step_s: f64) -> Self {
        let count = loads.len().max(1) as f64;
        let mean = loads.iter().sum::<f64>() / count;
        let largest = loads.iter().copied().fold(0.0, f64::max);
        let above = loads.iter().filter(|load| **load > mean).count() as f64;
        Self {
            step_s,
            mean,
            peak_to_mean: if mean > 0.0 { largest / mean } else { 1.0 },
            above_mean: above / count,
            shape: Vec::new(),
        }
    }
}

/// Median share of the day's peak by hour, of working days and of weekends. Empty when an hour has no point.
fn shape(shares: impl Iterator<Item = (DateTime, f64)>) -> Vec<[f64; 24]> {
    let mut hours: Vec<Vec<f64>> = vec![Vec::new(); 48];
    for (at, share) in shares {
        let weekend = at.date().weekday().to_monday_zero_offset() >= 5;
        hours[usize::from(weekend) * 24 + at.hour() as usize].push(share);
    }
    if hours.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let medians: Vec<f64> = hours.into_iter().map(median).collect();
    medians.chunks(24).map(|day| std::array::from_fn(|hour| day[hour])).collect()
}

/// The middle value; of an even number the mean of the two. 0 of none.
pub(crate) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    match values.as_slice() {
        [] => 0.0,
        values if values.len() % 2 == 1 => values[values.len() / 2],
        values => 0.5 * (values[values.len() / 2 - 1] + values[values.len() / 2]),
    }
}

/// Values at equal steps from the first day on; of several in a step the largest.
fn grid(days: &[(Date, f64)], step: Step) -> Result<(Date, Vec<Option<f64>>), String> {
    let start = days.first().ok_or("it covers no whole day, so no day has a peak")?.0;
    let mut values = Vec::new();
    for (day, value) in days.iter().filter(|(_, value)| *value > 0.0) {
        let at = (day.duration_since(start).as_secs() / DAY_S / step.days()) as usize;
        if at >= POINTS_MAX {
            return Err(format!("{start} and {day} are too far apart"));
        }
        values.resize(values.len().max(at + 1), None);
        values[at] = Some(values[at].map_or(*value, |before: f64| before.max(*value)));
    }
    Ok((start, values))
}

#[cfg(test)]
mod tests;
