//! Demand ahead: the model where its back-test bears it, else the naive forecast, with the other beside it.

use jiff::ToSpan;
use jiff::civil::Date;
use nmax_text::number::significant;
use nmax_usl::random::Random;

use super::backtest::{BackTest, Method, backtest};
use super::damped::Damped;
use super::futures::{Futures, Naive, Source as From};
use super::model::Model;
use super::series::list;
use super::{Assumed, Demand, Event, Series, Source, Step, terms};
use crate::{Assumptions, Basis, Figure};

/// Futures that intervals are taken of.
pub const FUTURES: usize = 1_000;
/// Most weeks ahead.
pub const HORIZON_MAX: u64 = 260;
/// Share of held-out points in a 95 % interval below which it is called too narrow.
const COVERAGE_MIN: f64 = 0.85;

/// How demand is to differ from its forecast.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// Factor on all of it.
    pub factor: f64,
    /// Growth per week on top, from today on: .01 is 1 %.
    pub growth_per_week: f64,
}

impl Default for Change {
    fn default() -> Self {
        Self { factor: 1.0, growth_per_week: 0.0 }
    }
}

/// What is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Ahead {
    /// Weeks to look ahead of today.
    pub weeks: u64,
    /// Today; by default the last day of the series, which without a series has to be given.
    pub today: Option<Date>,
    /// First value of every random choice.
    pub seed: u64,
    /// What if demand were another one?
    pub change: Change,
}

/// Demand of a point ahead, in requests per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band {
    /// Its day.
    pub date: Date,
    /// Lower end of the 95 % interval.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// Upper end of the 95 % interval.
    pub high: f64,
    /// The naive forecast.
    pub naive: Option<f64>,
}

/// A forecast.
#[derive(Clone, Debug)]
pub struct Forecast {
    /// What was counted.
    pub series: Option<Series>,
    /// What is stated instead.
    pub assumed: Option<Assumed>,
    /// Events, holidays among them.
    pub events: Vec<Event>,
    /// What it rests on.
    pub method: Method,
    /// The model, or why there is none, after `because`.
    pub model: Result<Model, String>,
    /// How good it was, or why that is not known, after `because`.
    pub backtest: Result<BackTest, String>,
    /// Today.
    pub today: Date,
    /// Weeks ahead of today.
    pub weeks: u64,
    /// From the first point ahead on.
    pub bands: Vec<Band>,
    /// Time between two of them.
    pub step: Step,
    damped: Option<Damped>,
    naive: Option<Naive>,
    seed: u64,
    change: Change,
}

impl Forecast {
    /// Futures of all points ahead, the same ones each time.
    pub fn futures(&self) -> (Futures<'_>, Random) {
        (self.origin().ahead(self.bands.len()).shifted(self.shifts()), Random::new(self.seed ^ 0xf07e))
    }

    /// What the change adds to ln y of each point.
    fn shifts(&self) -> Vec<f64> {
        let Change { factor, growth_per_week } = self.change;
        let weeks = |band: &Band| days_between(self.today, band.date).max(0) as f64 / 7.0;
        self.bands.iter().map(|band| factor.ln() + weeks(band) * growth_per_week.ln_1p()).collect()
    }

    /// Largest of the medians from today on, requests per second: what nodes are planned for.
    pub fn peak(&self) -> f64 {
        self.ahead_of_today().map(|band| band.median).fold(0.0, f64::max)
    }

    /// Lower and upper end of the 95 % interval of the point with the largest median from today on.
    pub fn peak_range(&self) -> (f64, f64) {
        let peak = self.ahead_of_today().max_by(|a, b| a.median.total_cmp(&b.median));
        peak.map_or((0.0, 0.0), |band| (band.low, band.high))
    }

    /// Largest upper end from today on.
    pub fn peak_high(&self) -> f64 {
        self.ahead_of_today().map(|band| band.high).fold(0.0, f64::max)
    }

    /// Points from today on.
    pub fn ahead_of_today(&self) -> impl Iterator<Item = &Band> {
        self.bands.iter().filter(|band| band.date >= self.today)
    }

    /// Where demand stands: the median of the week that begins today.
    pub fn now(&self) -> f64 {
        let last = self.today.saturating_add(self.step.days().max(6).days());
        let band = self.ahead_of_today().take_while(|band| band.date <= last);
        band.map(|band| band.median).fold(0.0, f64::max)
    }

    /// Growth per week of what it rests on; not known of the naive forecast.
    pub fn growth(&self) -> Option<Figure> {
        let growth = match (self.method, &self.model, &self.assumed) {
            (Method::Model, Ok(model), _) => model.growth().per_week,
            (Method::Assumed, _, Some(assumed)) => assumed.growth,
            (Method::Damped, ..) => {
                let growth = self.damped.as_ref()?.growth(self.step.days());
                Figure { value: growth.exp_m1(), interval: None, basis: Basis::Measured }
            }
            _ => return None,
        };
        let change = self.change.growth_per_week;
        let changed = |growth: f64| growth + change * (1.0 + growth);
        let interval = growth.interval.map(|(low, high)| (changed(low), changed(high)));
        Some(Figure { value: changed(growth.value), interval, ..growth })
    }

    fn origin(&self) -> From<'_> {
        match (self.method, &self.model, &self.damped, &self.naive, &self.assumed) {
            (Method::Model, Ok(model), ..) => From::Model(model),
            (Method::Damped, Ok(model), Some(damped), ..) => From::Damped(damped, model),
            (.., Some(naive), _) => From::Naive(naive),
            (.., Some(assumed)) => From::Assumed(assumed, self.today, &self.events),
            _ => unreachable!("a forecast has a series or is assumed"),
        }
    }
}

/// Forecasts demand, and says what that rests on.
///
/// # Errors
/// Why there is none, in a sentence.
pub fn forecast(demand: &Demand, ahead: &Ahead, rest: &mut Assumptions) -> Result<Forecast, String> {
    let events = demand.events.clone();
    let mut forecast = match &demand.source {
        Source::Logs(_) => return Err("the logs of `demand` were not read".into()),
        Source::Series(series) => of_series(series, events, ahead, rest)?,
        Source::Assumed(assumed) => of_assumed(assumed, events, ahead, rest)?,
    };
    let naive = forecast.naive.clone();
    let (mut futures, mut random) = forecast.futures();
    let mut columns = vec![Vec::with_capacity(FUTURES); forecast.bands.len()];
    let mut path = Vec::new();
    for _ in 0..FUTURES {
        futures.draw(&mut random, &mut path);
        columns.iter_mut().zip(&path).for_each(|(column, y)| column.push(*y));
    }
    drop(futures);
    let medians = forecast.origin().medians(forecast.bands.len());
    let medians: Vec<f64> = medians.into_iter().zip(forecast.shifts()).map(|(median, shift)| median + shift).collect();
    for (at, ((band, column), median)) in forecast.bands.iter_mut().zip(columns).zip(medians).enumerate() {
        let (low, high) = middle(column, 0.95);
        (band.low, band.median, band.high) = (low.exp().min(median.exp()), median.exp(), high.exp().max(median.exp()));
        band.naive = naive.as_ref().map(|naive| naive.log_at(at).exp());
    }
    Ok(forecast)
}

/// The largest of each week, weeks counted from a day on.
pub fn weekly(demand: &[Band], from: Date) -> Vec<Band> {
    let week = |band: &Band| days_between(from, band.date).div_euclid(7);
    let top = |bands: &[Band]| {
        let largest = |of: fn(&Band) -> f64| bands.iter().map(of).fold(0.0, f64::max);
        let naive = bands.iter().filter_map(|band| band.naive).reduce(f64::max);
        let (low, median, high) = (largest(|band| band.low), largest(|band| band.median), largest(|band| band.high));
        Band { date: bands[0].date, low, median, high, naive }
    };
    demand.chunk_by(|a, b| week(a) == week(b)).map(top).collect()
}

/// The middle share of values: its lower and upper end.
pub(crate) fn middle(mut values: Vec<f64>, share: f64) -> (f64, f64) {
    values.sort_unstable_by(f64::total_cmp);
    let rank = |p: f64| ((p * values.len() as f64) as usize).min(values.len() - 1);
    let tail = 0.5 * (1.0 - share);
    (values[rank(tail)], values[rank(1.0 - tail)])
}

/// Weeks from a day to another one, with their fraction.
pub fn weeks_between(from: Date, to: Date) -> f64 {
    days_between(from, to) as f64 / 7.0
}

fn days_between(from: Date, to: Date) -> i64 {
    to.duration_since(from).as_secs() / 86_400
}

fn of_series(series: &Series, events: Vec<Event>, ahead: &Ahead, rest: &mut Assumptions) -> Result<Forecast, String> {
    let naive = Naive::new(series).ok_or_else(|| format!("{}: there is no point in it", series.source))?;
    let (last, days) = (series.last(), series.step.days());
    let today = ahead.today.unwrap_or(last);
    let until = today.saturating_add((7 * ahead.weeks.min(HORIZON_MAX) as i64).days());
    let count = days_between(last, until) / days;
    if count < 1 || today < last {
        return Err(format!("{}: it ends on {last}, after `today: {today}`", series.source));
    }
    if days_between(last, today) > 7 * HORIZON_MAX as i64 {
        return Err(format!("{}: it ends on {last}, more than {HORIZON_MAX} weeks before {today}", series.source));
    }
    let band =
        |at: i64| Band { date: last.saturating_add((at * days).days()), low: 0.0, median: 0.0, high: 0.0, naive: None };
    let weeks_ahead = days_between(last, until) as f64 / 7.0;
    let model = Model::fit(series, &events);
    let backtest = match &model {
        Ok(_) => backtest(series, &events, weeks_ahead),
        Err(_) => Err("there is no model to test".into()),
    };
    let method = match &model {
        Ok(_) => backtest.as_ref().map_or(Method::Model, BackTest::choice),
        Err(_) => Method::Naive,
    };
    let damped = model.as_ref().ok().and_then(|model| Damped::fit(series, model));
    let forecast = Forecast {
        series: Some(series.clone()),
        assumed: None,
        events,
        method,
        model,
        backtest,
        today,
        weeks: ahead.weeks,
        bands: (1..=count).map(band).collect(),
        step: series.step,
        damped,
        naive: Some(naive),
        seed: ahead.seed,
        change: ahead.change,
    };
    say(&forecast, series, weeks_ahead, rest);
    Ok(forecast)
}

fn of_assumed(
    assumed: &Assumed,
    events: Vec<Event>,
    ahead: &Ahead,
    rest: &mut Assumptions,
) -> Result<Forecast, String> {
    let today =
        ahead.today.ok_or("`demand` is assumed, so no data say which day is today; write `today: DATE` into `plan`")?;
    let weeks = ahead.weeks.min(HORIZON_MAX);
    let band = |at: i64| Band { date: today.saturating_add(at.days()), low: 0.0, median: 0.0, high: 0.0, naive: None };
    let growth = assumed.growth;
    let range = growth.interval.map_or_else(String::new, |(low, high)| format!(" ({} to {})", share(low), share(high)));
    rest.rest_on("demand today", format!("{}/s", significant(assumed.now, 4)), Basis::Assumed, "");
    rest.rest_on(
        "growth per week",
        format!("{}{range}", share(growth.value)),
        Basis::Assumed,
        match growth.interval {
            Some(_) => "",
            None => "stated without a range, so the date has none either; write `low` and `high`",
        },
    );
    next(rest);
    Ok(Forecast {
        series: None,
        assumed: Some(*assumed),
        events,
        method: Method::Assumed,
        model: Err("demand is assumed".into()),
        backtest: Err("demand is assumed".into()),
        today,
        weeks: ahead.weeks,
        bands: (0..7 * weeks as i64).map(band).collect(),
        step: Step::Day,
        damped: None,
        naive: None,
        seed: ahead.seed,
        change: ahead.change,
    })
}

fn next(rest: &mut Assumptions) {
    rest.next.push((
        "Count the requests of some months in an access log".into(),
        "write `demand: { log: [access.log] }`".into(),
    ));
}

/// `2.4%`
pub(crate) fn share(ratio: f64) -> String {
    format!("{}%", significant(100.0 * ratio, 2))
}

/// What the forecast rests on, and what its data do not support.
fn say(forecast: &Forecast, series: &Series, weeks_ahead: f64, rest: &mut Assumptions) {
    let name = &series.source;
    let points = series.known().count();
    let period = format!("{points} {}s from {} to {}", series.step.word(), series.start, series.last());
    rest.rest_on("demand", period, series.basis, series.notes.join(" "));
    let because = |what: &str, why: &str| format!("{what} not supported by these data, because {why}");
    match &forecast.model {
        Err(why) => {
            rest.unsupported.push(because("Growth is", why));
            next(rest);
        }
        Ok(model) => {
            let growth = model.growth();
            let (low, high) = growth.per_week.interval.unwrap_or_default();
            let value = format!("{} ({} to {})", share(growth.per_week.value), share(low), share(high));
            let note = if low <= 0.0 && high >= 0.0 { "the interval holds 0: growth may be none" } else { "" };
            rest.rest_on("growth per week", value, series.basis, note);
            let weeks = series.weeks();
            if !model.terms.year {
                rest.unsupported.push(because(
                    "A season of the year is",
                    &format!(
                        "{name} has {weeks:.0} weeks and a season needs two years to be told from growth; yearly season \
                         unknown"
                    ),
                ));
            }
            if series.step == Step::Day && !model.terms.week {
                let why = format!("{name} has {weeks:.1} weeks and it needs {}", terms::WEEKS_FOR_WEEK);
                rest.unsupported.push(because("A season of the week is", &why));
            }
            if !model.outliers.is_empty() {
                let named = model.outliers.iter().map(|outlier| {
                    format!("{} ({} times what the rest says)", series.date(outlier.at), significant(outlier.factor, 2))
                });
                rest.rest_on(
                    "outliers",
                    list(named),
                    Basis::Measured,
                    "more than 4 deviations off, so left out of the fit; where one has a cause, name it in `events`, so that the next \
                     one is expected",
                );
            }
            for event in &model.terms.unknown {
                let why = format!("{name} has no earlier day of `{}` and no `factor` is stated", event.name);
                rest.unsupported.push(because(&format!("The load of `{}` is", event.name), &why));
            }
        }
    }
    match &forecast.backtest {
        Err(why) if forecast.model.is_ok() => rest.unsupported.push(because("An error of the forecast is", why)),
        Ok(test) => {
            if test.weeks < weeks_ahead.floor() {
                let weeks = series.weeks();
                let why = format!("{name} has {weeks:.0} weeks, of which a quarter can be held out");
                let what = format!("An error at {weeks_ahead:.0} weeks is");
                rest.unsupported.push(format!("{}; tested {:.0} weeks ahead", because(&what, &why), test.weeks));
            }
            if forecast.method == Method::Naive {
                let why = format!(
                    "on held-out weeks its error was {} times that of the naive forecast one season ahead; the naive \
                     forecast is used, which has no growth",
                    significant(test.mase, 3)
                );
                rest.unsupported.push(because("The forecast of the model is", &why));
            } else if forecast.method == Method::Damped {
                let why = format!(
                    "on held-out weeks a trend that wears off had an error of {} where steady growth had {}; the former is \
                     used",
                    significant(test.damped_mase, 3),
                    significant(test.mase, 3)
                );
                rest.unsupported.push(because("Steady growth is", &why));
            } else if test.coverage < COVERAGE_MIN {
                let why = format!("it held {:.0} % of the points that came", 100.0 * test.coverage);
                rest.unsupported.push(because("The width of the 95 % interval is", &why));
            }
        }
        Err(_) => {}
    }
}

#[cfg(test)]
mod tests;
