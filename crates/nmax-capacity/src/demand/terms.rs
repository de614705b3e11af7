//! The calendar as columns of a linear model: trend, seasons, events.

use jiff::civil::Date;

use super::series::{Series, Step};

/// Harmonics of the week: all that seven days have.
const WEEK_HARMONICS: usize = 3;
/// Harmonics of the year: what changes within two months.
const YEAR_HARMONICS: usize = 3;
/// Weeks that a season of the week needs.
pub const WEEKS_FOR_WEEK: f64 = 3.0;
/// Weeks that a season of the year needs: two years.
pub const WEEKS_FOR_YEAR: f64 = 2.0 * DAYS_PER_YEAR / 7.0;
/// Mean length of a Gregorian year.
const DAYS_PER_YEAR: f64 = 365.2425;

/// Days on which more or less is asked for than the calendar says.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name, the same for each time that it takes place.
    pub name: String,
    /// Its days, sorted.
    pub days: Vec<Date>,
    /// Its load over that of a usual day; `None` = as the data have it.
    pub factor: Option<f64>,
}

impl Event {
    /// Whether it takes place within the step that begins on a day.
    pub fn is_in(&self, day: Date, step: Step) -> bool {
        let first = self.days.partition_point(|other| *other < day);
        let days = self.days.get(first).map(|next| next.duration_since(day).as_secs() / 86_400);
        days.is_some_and(|days| days < step.days())
    }
}

/// Which columns the model has.
#[derive(Clone, Debug, PartialEq)]
pub struct Terms {
    start: Date,
    step: Step,
    /// Whether load differs by day of the week.
    pub week: bool,
    /// Whether it differs by time of the year.
    pub year: bool,
    /// Events whose factor is fitted.
    pub fitted: Vec<Event>,
    /// Events whose factor is known.
    pub known: Vec<Event>,
    /// Events ahead whose factor is neither given nor in the data; they are left out.
    pub unknown: Vec<Event>,
}

impl Terms {
    /// Those that a series supports.
    pub fn new(series: &Series, events: &[Event]) -> Self {
        let mut terms = Self {
            start: series.start,
            step: series.step,
            week: series.step == Step::Day && series.weeks() >= WEEKS_FOR_WEEK,
            year: series.weeks() >= WEEKS_FOR_YEAR,
            fitted: Vec::new(),
            known: Vec::new(),
            unknown: Vec::new(),
        };
        for event in events {
            let is_seen = || series.known().any(|(at, _)| event.is_in(series.date(at), series.step));
            let group = match event.factor {
                Some(_) => &mut terms.known,
                None if is_seen() => &mut terms.fitted,
                None => &mut terms.unknown,
            };
            group.push(event.clone());
        }
        terms
    }

    /// Number of columns.
    pub fn count(&self) -> usize {
        let harmonics = usize::from(self.week) * WEEK_HARMONICS + usize::from(self.year) * YEAR_HARMONICS;
        2 + 2 * harmonics + self.fitted.len()
    }

    /// The row of a point: 1, weeks since the start, harmonics, events.
    ///
    /// ```text
    /// ln y = a + b·t + Σ_k c_k·cos(2πk·d/7) + s_k·sin(2πk·d/7) + Σ_k … (2πk·d/365.2425) + Σ e·[event]
    /// ```
    ///
    /// - t: weeks since the first point; d: days since 1970
    ///
    /// Source: `docs/methods/capacity.md`, Forecast; harmonics as in A. C. Harvey, N. Shephard, *Structural time series
    /// models* (1993). Law: `model_returns_what_made_the_series`.
    pub fn row(&self, at: usize) -> Vec<f64> {
        let days = at as i64 * self.step.days();
        let date = self.date(at);
        let since_1970 = date.duration_since(Date::constant(1970, 1, 1)).as_secs() as f64 / 86_400.0;
        let mut row = vec![1.0, days as f64 / 7.0];
        let seasons = [(self.week, WEEK_HARMONICS, 7.0), (self.year, YEAR_HARMONICS, DAYS_PER_YEAR)];
        for (_, harmonics, period) in seasons.into_iter().filter(|(is_there, ..)| *is_there) {
            for k in 1..=harmonics {
                let (sin, cos) = (std::f64::consts::TAU * k as f64 * since_1970 / period).sin_cos();
                row.extend([cos, sin]);
            }
        }
        row.extend(self.fitted.iter().map(|event| f64::from(u8::from(event.is_in(date, self.step)))));
        row
    }

    /// ln of the factors that are known, at a point.
    pub fn offset(&self, at: usize) -> f64 {
        let date = self.date(at);
        let factors = self.known.iter().filter(|event| event.is_in(date, self.step)).filter_map(|event| event.factor);
        factors.map(f64::ln).sum()
    }

    fn date(&self, at: usize) -> Date {
        use jiff::ToSpan;
        self.start.saturating_add((at as i64 * self.step.days()).days())
    }
}
