//! Hours, weekdays and weeks: counts by minute, whatever the order of the records.

use std::collections::BTreeMap;

use super::profile::{HourCount, Season};
use super::strays::{Minute, together};

const MINUTE_US: i64 = 60_000_000;
const HOUR_US: i64 = 60 * MINUTE_US;
const DAY_US: i64 = 24 * HOUR_US;
/// Hours that are kept: 11 years. Whatever is beyond is counted.
const HOURS_MAX: usize = 100_000;
/// Whole weeks that a trend needs, and has at most: beyond, a clock was wrong.
const WEEKS_MIN: usize = 3;
const WEEKS_MAX: usize = 1_000;

/// Counts of requests by minute. Memory: 256 bytes for each hour with requests.
#[derive(Clone, Debug)]
pub struct SeasonCounter {
    utc_offset_s: i32,
    hours: BTreeMap<i64, Box<Hour>>,
    /// The hour of the record before, taken out of `hours`.
    open: Option<(i64, Box<Hour>)>,
    beyond: u64,
}

/// An hour with requests.
#[derive(Clone, Debug)]
struct Hour {
    minutes: [u32; 60],
    first_us: i64,
    last_us: i64,
}

impl Hour {
    fn count(&self) -> u64 {
        self.minutes.iter().copied().map(u64::from).sum()
    }
}

impl SeasonCounter {
    /// Hours and days are those of UTC + `utc_offset_s`.
    pub fn new(utc_offset_s: i32) -> Self {
        Self { utc_offset_s, hours: BTreeMap::new(), open: None, beyond: 0 }
    }

    /// Counts a request. O(1) while the hour stays the same.
    pub fn add(&mut self, arrival_us: i64) {
        let local = arrival_us.saturating_add(i64::from(self.utc_offset_s) * 1_000_000);
        let hour = local.div_euclid(HOUR_US);
        if self.open.as_ref().is_none_or(|(open, _)| *open != hour) && !self.turn_to(hour) {
            self.beyond += 1;
            return;
        }
        if let Some((_, open)) = &mut self.open {
            let minute = &mut open.minutes[(local.rem_euclid(HOUR_US) / MINUTE_US) as usize];
            *minute = minute.saturating_add(1);
            open.first_us = open.first_us.min(arrival_us);
            open.last_us = open.last_us.max(arrival_us);
        }
    }

    fn turn_to(&mut self, hour: i64) -> bool {
        self.close();
        let known = self.hours.remove(&hour);
        if known.is_none() && self.hours.len() >= HOURS_MAX {
            return false;
        }
        let empty = || Box::new(Hour { minutes: [0; 60], first_us: i64::MAX, last_us: i64::MIN });
        self.open = Some((hour, known.unwrap_or_else(empty)));
        true
    }

    fn close(&mut self) {
        if let Some((open, hour)) = self.open.take() {
            self.hours.insert(open, hour);
        }
    }

    /// Takes the hours out whose stamps are far from all others.
    fn take_strays(&mut self) -> BTreeMap<i64, Box<Hour>> {
        let minutes: Vec<Minute> = minutes(&self.hours).collect();
        let kept = together(&minutes);
        if kept.len() == minutes.len() {
            return BTreeMap::new();
        }
        // A gap is longer than an hour, so no hour has both.
        let hour_of = |at: usize| minutes[at].0.div_euclid(60);
        let mut strays = std::mem::take(&mut self.hours);
        self.hours = strays.split_off(&hour_of(kept.start));
        strays.extend(self.hours.split_off(&(hour_of(kept.end - 1) + 1)));
        strays
    }

    /// Every minute with requests: its number since 1970 in local time, and how many. Without strays.
    pub fn into_minutes(mut self) -> Vec<(i64, u64)> {
        self.close();
        self.take_strays();
        minutes(&self.hours).collect()
    }

    /// The season behind the counts.
    pub fn finish(mut self) -> Season {
        self.close();
        let strays = self.take_strays();
        let shift_us = i64::from(self.utc_offset_s) * 1_000_000;
        let first_us = self.hours.values().map(|hour| hour.first_us).min();
        let last_us = self.hours.values().map(|hour| hour.last_us).max();
        let (first_us, last_us) = first_us.zip(last_us).unwrap_or_default();
        let hours: Vec<(i64, u64)> = self.hours.iter().map(|(at, hour)| (*at, hour.count())).collect();
        let mut days: BTreeMap<i64, u64> = BTreeMap::new();
        for (hour, count) in &hours {
            *days.entry(hour.div_euclid(24)).or_default() += count;
        }
        let begins = |length_us: i64| {
            move |(at, count): (i64, u64)| HourCount {
                from_us: at.saturating_mul(length_us).saturating_sub(shift_us),
                count,
            }
        };
        let total: u64 = hours.iter().map(|(_, count)| count).sum();
        let span_h = (last_us.saturating_sub(first_us) as f64 / HOUR_US as f64).max(1.0);
        let busiest = busiest(hours.iter().copied());
        Season {
            utc_offset_s: self.utc_offset_s,
            week: week(&hours),
            trend_per_week: trend(&days, (first_us, last_us), shift_us),
            peak_to_mean: busiest.map_or(0.0, |(_, count)| count as f64 / (total as f64 / span_h)),
            busiest_hour: busiest.map(begins(HOUR_US)),
            busiest_day: self::busiest(days.iter().map(|(day, count)| (*day, *count))).map(begins(DAY_US)),
            busiest_minute: self::busiest(minutes(&self.hours)).map(begins(MINUTE_US)),
            hours: hours.iter().copied().map(begins(HOUR_US)).collect(),
            beyond: self.beyond,
            strays: strays.iter().map(|(at, hour)| begins(HOUR_US)((*at, hour.count()))).collect(),
            first_us,
            last_us,
        }
    }
}

/// The minutes with requests, rising.
fn minutes(hours: &BTreeMap<i64, Box<Hour>>) -> impl Iterator<Item = Minute> {
    hours.iter().flat_map(|(at, hour)| {
        let counts = (0..).zip(hour.minutes);
        counts.filter(|(_, count)| *count > 0).map(move |(minute, count)| (at * 60 + minute, u64::from(count)))
    })
}

/// The entry with the highest count, the first of equals.
fn busiest(counts: impl Iterator<Item = (i64, u64)>) -> Option<(i64, u64)> {
    counts.filter(|(_, count)| *count > 0).fold(None, |best, entry| match best {
        Some((_, most)) if most >= entry.1 => best,
        _ => Some(entry),
    })
}

/// Mean requests by weekday (0 = Monday) and hour of the hours from the first to the last one.
fn week(hours: &[(i64, u64)]) -> Vec<[Option<f64>; 24]> {
    let (Some((first, _)), Some((last, _))) = (hours.first(), hours.last()) else {
        return Vec::new();
    };
    // 1970 began on a Thursday; hour 0 of a week is Monday's first.
    let place = |hour: i64| (hour + 3 * 24).rem_euclid(7 * 24) as usize;
    let mut sums = [0_u64; 7 * 24];
    for (hour, count) in hours {
        sums[place(*hour)] += count;
    }
    // How often each hour of the week lies between first and last: whole weeks, and what remains.
    let length = (last - first + 1) as u64;
    let cell = |at: usize| {
        let rest = length % (7 * 24);
        let after_first = ((at + 7 * 24 - place(*first)) % (7 * 24)) as u64;
        let times = length / (7 * 24) + u64::from(after_first < rest);
        (times > 0).then(|| sums[at] as f64 / times as f64)
    };
    (0..7).map(|day| std::array::from_fn(|hour| cell(day * 24 + hour))).collect()
}

/// Growth per week: the median slope between all pairs of whole weeks (H. Theil 1950, P. K. Sen 1968), over the median
/// week. A week is seven days from the first whole day on.
fn trend(days: &BTreeMap<i64, u64>, (first_us, last_us): (i64, i64), shift_us: i64) -> Option<f64> {
    // A day is whole when the log goes from before its first hour's end to after its last hour's beginning.
    let from = first_us.saturating_add(shift_us - HOUR_US).div_euclid(DAY_US) + 1;
    let to = last_us.saturating_add(shift_us + HOUR_US).div_euclid(DAY_US);
    let weeks = usize::try_from((to - from) / 7).ok()?;
    if !(WEEKS_MIN..=WEEKS_MAX).contains(&weeks) {
        return None;
    }
    let total = |week: usize| -> f64 {
        let begin = from + 7 * week as i64;
        days.range(begin..begin + 7).map(|(_, count)| *count as f64).sum()
    };
    let totals: Vec<f64> = (0..weeks).map(total).collect();
    let slopes = totals.iter().enumerate().flat_map(|(i, early)| {
        let later = totals.iter().enumerate().skip(i + 1);
        later.map(move |(j, late)| (late - early) / (j - i) as f64)
    });
    let slope = median(slopes.collect());
    let level = median(totals.clone());
    (level > 0.0).then(|| slope / level)
}

fn median(mut values: Vec<f64>) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.sort_unstable_by(f64::total_cmp);
    let half = values.len() / 2;
    if values.len() % 2 == 1 { values[half] } else { 0.5 * (values[half - 1] + values[half]) }
}

#[cfg(test)]
mod tests;
