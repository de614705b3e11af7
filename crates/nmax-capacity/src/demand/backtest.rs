//! Forecasts of weeks that were held out, from several origins, beside what came.

use jiff::civil::Date;
use nmax_usl::quantile::student_t;

use super::damped::Damped;
use super::futures::{Naive, changes};
use super::model::{Model, WEEKS_MIN};
use super::{Event, Series};

/// Most origins.
const ORIGINS_MAX: usize = 12;
/// Error of the challenger over that of the model below which it is clearly better.
const CLEARLY: f64 = 0.9;
/// The series is at least so many times as long as the horizon.
const LENGTHS_MIN: f64 = 4.0;

/// What a forecast rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The fitted model.
    Model,
    /// A trend that wears off, with the seasons of the model.
    Damped,
    /// The last season, repeated.
    Naive,
    /// What is stated.
    Assumed,
}

impl Method {
    /// In headings.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Model => "trend and seasons",
            Self::Damped => "a trend that wears off, and seasons",
            Self::Naive => "the last season repeated",
            Self::Assumed => "assumed growth",
        }
    }
}

/// The forecast of one origin.
#[derive(Clone, Debug, PartialEq)]
pub struct Origin {
    /// The last day that it knew.
    pub known_to: Date,
    /// Points that it forecast and that came.
    pub points: usize,
    /// Error over that of the naive forecast one season ahead.
    pub mase: f64,
    /// The same of the trend that wears off; that of the model where there is none.
    pub damped_mase: f64,
    /// The same of the naive forecast at this horizon.
    pub naive_mase: f64,
    /// Points within the 95 % interval.
    pub inside: usize,
}

/// What was forecast beside what came.
#[derive(Clone, Debug, PartialEq)]
pub struct BackTest {
    /// Weeks ahead.
    pub weeks: f64,
    /// From the earliest on.
    pub origins: Vec<Origin>,
    /// Mean over the origins; below 1 the model is better than repeating the last season.
    pub mase: f64,
    /// The same of the trend that wears off.
    pub damped_mase: f64,
    /// The same of the naive forecast.
    pub naive_mase: f64,
    /// Share of the points that came within the 95 % interval.
    pub coverage: f64,
}

impl BackTest {
    /// What may be shown: the model, unless the challenger is clearly better; neither when repeating the last season is.
    ///
    /// Repeating it is held against them equally far ahead: a scale of one season ahead alone would take the trend from every
    /// series whose growth over the horizon is larger than its noise.
    pub fn choice(&self) -> Method {
        let limit = self.naive_mase.max(1.0);
        match (self.mase, self.damped_mase) {
            (model, damped) if damped < CLEARLY * model && damped < limit => Method::Damped,
            (model, _) if model < limit => Method::Model,
            _ => Method::Naive,
        }
    }
}

/// Mean absolute scaled error.
///
/// ```text
/// MASE = mean |y − ŷ| / mean |y_t − y_{t−m}| on the training part
/// ```
///
/// Source: R. J. Hyndman, A. B. Koehler, *Another look at measures of forecast accuracy* (2006). `None` where the training
/// part has no change in it. Law: `scaled_errors_as_published`.
pub fn mase(actual_and_forecast: &[(f64, f64)], training: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let (mut scale, mut count) = (0.0, 0.0);
    for (before, now) in training {
        scale += (now - before).abs();
        count += 1.0;
    }
    let error: f64 = actual_and_forecast.iter().map(|(actual, forecast)| (actual - forecast).abs()).sum();
    let mase = error / actual_and_forecast.len() as f64 / (scale / count);
    mase.is_finite().then_some(mase)
}

/// Tests a model and the naive forecast up to so many weeks ahead, fewer when the series is short.
///
/// # Errors
/// Why these data do not support a test, after `because`.
pub fn backtest(series: &Series, events: &[Event], weeks: f64) -> Result<BackTest, String> {
    let all = series.weeks();
    let weeks = weeks.min((all / LENGTHS_MIN).floor());
    if weeks < 1.0 || all - weeks < WEEKS_MIN {
        return Err(format!("a series of {all:.1} weeks is too short to hold weeks out"));
    }
    let points = |weeks: f64| (weeks * 7.0) as usize / series.step.days() as usize;
    let horizon = points(weeks);
    let last = series.values.len() - horizon;
    let first = points((0.5 * all).max(WEEKS_MIN)).min(last);
    let stride = ((last - first) / (ORIGINS_MAX - 1)).max(series.step.season());
    let mut lengths: Vec<usize> = (0..ORIGINS_MAX).map_while(|at| last.checked_sub(at * stride)).collect();
    lengths.retain(|length| *length >= first);
    lengths.reverse();
    let origins: Vec<Origin> =
        lengths.into_iter().filter_map(|length| origin(series, events, length, horizon)).collect();
    if origins.is_empty() {
        return Err("no part of the series supports the model".into());
    }
    let mean = |of: fn(&Origin) -> f64| origins.iter().map(of).sum::<f64>() / origins.len() as f64;
    let (inside, points) = (mean(|origin| origin.inside as f64), mean(|origin| origin.points as f64));
    Ok(BackTest {
        weeks,
        mase: mean(|origin| origin.mase),
        damped_mase: mean(|origin| origin.damped_mase),
        naive_mase: mean(|origin| origin.naive_mase),
        coverage: inside / points,
        origins,
    })
}

fn origin(series: &Series, events: &[Event], length: usize, horizon: usize) -> Option<Origin> {
    let training = series.head(length);
    let model = Model::fit(&training, events).ok()?;
    let naive = Naive::new(&training)?;
    let half = student_t(0.975, model.df);
    let damped = Damped::fit(&training, &model).map(|damped| damped.ahead(horizon));
    let (mut own, mut damp, mut others, mut inside) = (Vec::new(), Vec::new(), Vec::new(), 0);
    for (at, value) in series.known().filter(|(at, _)| (length..length + horizon).contains(at)) {
        let log = model.log_at(at);
        inside += usize::from((value.ln() - log).abs() <= half * model.error_at(at));
        own.push((value, log.exp()));
        damp.push((value, damped.as_ref().map_or(log, |damped| damped[at - length] + model.season_at(at)).exp()));
        others.push((value, naive.log_at(at - length).exp()));
    }
    Some(Origin {
        known_to: training.last(),
        points: own.len(),
        mase: mase(&own, changes(&training))?,
        damped_mase: mase(&damp, changes(&training))?,
        naive_mase: mase(&others, changes(&training))?,
        inside,
    })
}

#[cfg(test)]
mod tests;
