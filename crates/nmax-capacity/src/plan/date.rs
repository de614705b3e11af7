//! The date when demand meets supply, and the date on which to order.
//!
//! Demand meets supply on the first day whose peak is above it. Three days are told by the share of futures that are above
//! supply on that day: 2.5 % (the upper end of the 95 % interval: pessimistic), half of them (expected), 97.5 %
//! (optimistic). Beside them stands the first day on which the *path* of a future is above: its 90 % interval is the one
//! that holds what happens, since a single peak is enough for a bad day.

use std::fmt;

use jiff::ToSpan;
use jiff::civil::Date;
use nmax_usl::random::Random;

use crate::demand::Forecast;
use crate::demand::forecast::{Band, FUTURES};
use crate::demand::futures::Futures;
use crate::{Basis, Figure};

/// Upper quantile of the normal distribution of a 95 % interval.
const Z: f64 = 1.959_963_985;

/// When demand meets supply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meeting {
    /// It is above supply today.
    Already,
    /// On that day.
    On(Date),
    /// Not within the weeks that were looked ahead.
    NotWithin(u64),
    /// Not ever, since demand does not grow.
    Never,
}

impl Meeting {
    /// The day, if there is one.
    pub fn day(self, today: Date) -> Option<Date> {
        match self {
            Self::Already => Some(today),
            Self::On(day) => Some(day),
            Self::NotWithin(_) | Self::Never => None,
        }
    }
}

impl fmt::Display for Meeting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Already => f.write_str("today"),
            Self::On(day) => write!(f, "{day}"),
            Self::NotWithin(weeks) => write!(f, "not within {weeks} weeks"),
            Self::Never => f.write_str("never: demand does not grow"),
        }
    }
}

/// When to order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// By that day.
    By(Date),
    /// At once: by that day it had to be ordered.
    Now(Date),
    /// Nothing has to be ordered yet.
    NotYet,
}

impl Order {
    /// For a day on which something has to be in service, `lead_days` after the order.
    pub fn in_time(meets: Meeting, today: Date, lead_days: i64) -> Self {
        match meets.day(today).map(|day| day.saturating_sub(lead_days.days())) {
            Some(day) if day <= today => Self::Now(day),
            Some(day) => Self::By(day),
            None => Self::NotYet,
        }
    }
}

impl fmt::Display for Order {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::By(day) => write!(f, "{day}"),
            Self::Now(day) => write!(f, "now (due on {day})"),
            Self::NotYet => f.write_str("not yet"),
        }
    }
}

/// When a demand meets supply.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Which: `pessimistic`.
    pub demand: &'static str,
    /// Share of futures above supply on that day.
    pub share: f64,
    /// The day.
    pub meets: Meeting,
    /// When to order for it.
    pub order: Order,
}

/// The first day on which the path of a future is above supply, over all futures.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstDay {
    /// 5 % of futures are above before; with `late` the 90 % interval.
    pub early: Meeting,
    /// Half of them.
    pub median: Meeting,
    /// 95 % of them.
    pub late: Meeting,
    /// Share of futures that are above at all within the weeks looked ahead.
    pub within: f64,
}

/// The dates.
#[derive(Clone, Debug, PartialEq)]
pub struct Dates {
    /// Supply, requests per second.
    pub supply: Figure,
    /// Today.
    pub today: Date,
    /// Weeks looked ahead.
    pub weeks: u64,
    /// From order to use, in days.
    pub lead_days: i64,
    /// Pessimistic, expected, optimistic.
    pub rows: [Row; 3],
    /// The first day above, with its 90 % interval.
    pub first: FirstDay,
}

impl Dates {
    /// The row that decides when to order: the pessimistic one.
    pub fn order(&self) -> Order {
        self.rows[0].order
    }
}

/// Supply of which futures are drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Supply<'a> {
    /// A value with its 95 % interval, lognormal.
    Figure(Figure),
    /// Values that are as likely as each other, such as those of a bootstrap; above 0.
    Values(&'a [f64]),
}

impl Supply<'_> {
    /// Its estimate and 95 % interval.
    pub fn figure(&self) -> Figure {
        match self {
            Self::Figure(figure) => *figure,
            Self::Values(values) => {
                let value = crate::demand::series::median(values.to_vec());
                let interval = Some(crate::demand::forecast::middle(values.to_vec(), 0.95));
                Figure { value, interval, basis: Basis::Measured }
            }
        }
    }

    fn draw(&self, random: &mut Random) -> f64 {
        match self {
            Self::Values(values) => values[random.below(values.len())].ln(),
            Self::Figure(figure) => {
                let log = figure.value.ln();
                let Some((low, high)) = figure.interval.filter(|(low, _)| *low > 0.0) else {
                    return log;
                };
                let z = random.normal();
                let end = if z < 0.0 { low } else { high };
                log + z.abs() / Z * (end.ln() - log)
            }
        }
    }
}

/// When a point is reached: on its day, else whether it ever is at this end of the growth.
pub(super) fn reach(forecast: &Forecast, point: Option<&Band>, growth: fn(&Figure) -> f64) -> Meeting {
    match point {
        Some(band) if band.date <= forecast.today => Meeting::Already,
        Some(band) => Meeting::On(band.date),
        None if forecast.growth().is_some_and(|figure| growth(&figure) <= 0.0) => Meeting::Never,
        None => Meeting::NotWithin(forecast.weeks),
    }
}

/// What futures do: how many are above supply at each point, and the first point of each, sorted; `usize::MAX` = none.
struct Crossings {
    above: Vec<usize>,
    firsts: Vec<usize>,
}

impl Crossings {
    /// The middle 90 % of the firsts: without what is left of an end that is not needed, since days are steps and a step
    /// at either end would hold more than its half of the tail.
    fn middle(&self) -> (usize, usize) {
        let count = self.firsts.len();
        let wanted = count - count / 10;
        let (mut low, mut high) = (count / 20, count - 1 - count / 20);
        // All of an end, then none of it where the rest is enough.
        low = self.firsts.partition_point(|first| *first < self.firsts[low]);
        high = self.firsts.partition_point(|first| *first <= self.firsts[high]);
        let next = self.firsts.partition_point(|first| *first <= self.firsts[low]);
        let before = self.firsts.partition_point(|first| *first < self.firsts[high - 1]);
        if high.saturating_sub(next) >= wanted {
            low = next;
        } else if before.saturating_sub(low) >= wanted {
            high = before;
        }
        (self.firsts[low], self.firsts[high - 1])
    }
}

/// Draws futures and supply, and looks from point `begin` on.
fn crossings(futures: &mut Futures, supply: &Supply, begin: usize, count: usize, random: &mut Random) -> Crossings {
    let mut found = Crossings { above: Vec::new(), firsts: Vec::with_capacity(count) };
    let mut path = Vec::new();
    for _ in 0..count {
        futures.draw(random, &mut path);
        let limit = supply.draw(random);
        found.above.resize(path.len(), 0);
        let mut first = usize::MAX;
        for (at, _) in path.iter().enumerate().skip(begin).filter(|(_, y)| **y > limit) {
            found.above[at] += 1;
            first = first.min(at);
        }
        found.firsts.push(first);
    }
    found.firsts.sort_unstable();
    found
}

/// When demand meets supply; `lead_days` from order to use.
///
/// Law: `intervals_cover_in_simulated_worlds`.
pub fn dates(forecast: &Forecast, supply: &Supply, lead_days: i64) -> Dates {
    let bands = &forecast.bands;
    let begin = bands.partition_point(|band| band.date < forecast.today);
    let (mut futures, mut random) = forecast.futures();
    let found = crossings(&mut futures, supply, begin, FUTURES, &mut random);
    let (early, late) = found.middle();
    let today = forecast.today;
    let meeting =
        |at: Option<usize>, growth: fn(&Figure) -> f64| reach(forecast, at.and_then(|at| bands.get(at)), growth);
    let row = |demand, share, growth| {
        let enough = |count: &usize| *count as f64 >= share * FUTURES as f64;
        let meets = meeting(found.above.iter().position(enough), growth);
        Row { demand, share, meets, order: Order::in_time(meets, today, lead_days) }
    };
    let rows = [
        row("pessimistic", 0.025, Figure::high),
        row("expected", 0.5, |growth| growth.value),
        row("optimistic", 0.975, Figure::low),
    ];
    let first = FirstDay {
        early: meeting(Some(early), Figure::high),
        median: meeting(found.firsts.get(FUTURES / 2).copied(), |growth| growth.value),
        late: meeting(Some(late), Figure::low),
        within: found.firsts.partition_point(|first| *first != usize::MAX) as f64 / FUTURES as f64,
    };
    Dates { supply: supply.figure(), today, weeks: forecast.weeks, lead_days, rows, first }
}

#[cfg(test)]
mod tests;
