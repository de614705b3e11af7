//! Futures of demand, drawn from a model, from the naive forecast or from growth that is stated.

use jiff::ToSpan;
use jiff::civil::Date;
use nmax_usl::random::Random;

use super::damped::Damped;
use super::model::{self, Model};
use super::{Assumed, Event, Series, Step};

/// Where futures come from.
#[derive(Clone, Debug)]
pub enum Source<'a> {
    /// A fitted model.
    Model(&'a Model),
    /// The trend that wears off, with seasons and events of the model.
    Damped(&'a Damped, &'a Model),
    /// The last season again and again.
    Naive(&'a Naive),
    /// What is stated, from a day on.
    Assumed(&'a Assumed, Date, &'a [Event]),
}

impl<'a> Source<'a> {
    /// Futures of `horizon` points.
    pub fn ahead(&self, horizon: usize) -> Futures<'a> {
        let kind = match *self {
            Self::Model(model) => Kind::Model(model.futures(horizon)),
            Self::Damped(damped, model) => {
                Kind::Damped(damped, (0..horizon).map(|at| model.season_at(model.length + at)).collect())
            }
            Self::Naive(naive) => Kind::Naive(naive, horizon),
            Self::Assumed(assumed, from, events) => {
                let date = |at: usize| from.saturating_add((at as i64).days());
                let factor = |at| factor(events, date(at));
                Kind::Assumed(*assumed, (0..horizon).map(factor).collect())
            }
        };
        Futures { kind, shifts: Vec::new() }
    }

    /// Median of ln y of each point ahead.
    pub fn medians(&self, horizon: usize) -> Vec<f64> {
        match self {
            Self::Model(model) => (0..horizon).map(|at| model.log_at(model.length + at)).collect(),
            Self::Damped(damped, model) => {
                let ahead = (model.length..).zip(damped.ahead(horizon));
                ahead.map(|(at, z)| z + model.season_at(at)).collect()
            }
            Self::Naive(naive) => (0..horizon).map(|at| naive.log_at(at)).collect(),
            Self::Assumed(assumed, from, events) => {
                let date = |at: usize| from.saturating_add((at as i64).days());
                (0..horizon).map(|at| assumed.log_at(at, assumed.growth.value) + factor(events, date(at))).collect()
            }
        }
    }
}

fn factor(events: &[Event], day: Date) -> f64 {
    events.iter().filter(|event| event.is_in(day, Step::Day)).filter_map(|event| event.factor).map(f64::ln).sum()
}

/// Draws futures.
pub struct Futures<'a> {
    kind: Kind<'a>,
    /// What is added to ln y of each point; empty for nothing.
    shifts: Vec<f64>,
}

enum Kind<'a> {
    /// Of a fitted model.
    Model(model::Futures<'a>),
    /// Of the trend that wears off, with the season of each point.
    Damped(&'a Damped, Vec<f64>),
    /// Of the naive forecast, so many points.
    Naive(&'a Naive, usize),
    /// Of what is stated, with the events of each day.
    Assumed(Assumed, Vec<f64>),
}

impl Futures<'_> {
    /// The same futures, each point with its shift of ln y.
    pub fn shifted(self, shifts: Vec<f64>) -> Self {
        Self { shifts, ..self }
    }

    /// Draws ln y of each point ahead into `path`.
    pub fn draw(&mut self, random: &mut Random, path: &mut Vec<f64>) {
        self.kind.draw(random, path);
        path.iter_mut().zip(&self.shifts).for_each(|(y, shift)| *y += shift);
    }
}

impl Kind<'_> {
    fn draw(&mut self, random: &mut Random, path: &mut Vec<f64>) {
        match self {
            Self::Model(futures) => futures.draw(random, path),
            Self::Damped(damped, season) => {
                damped.draw(random, season.len(), path);
                path.iter_mut().zip(season).for_each(|(z, season)| *z += *season);
            }
            Self::Naive(naive, horizon) => naive.draw(random, *horizon, path),
            Self::Assumed(assumed, events) => {
                let growth = assumed.draw(random);
                path.clear();
                path.extend(events.iter().enumerate().map(|(at, event)| assumed.log_at(at, growth) + event));
            }
        }
    }
}

impl Assumed {
    /// ln y so many days after today.
    fn log_at(&self, day: usize, growth: f64) -> f64 {
        self.now.ln() + day as f64 / 7.0 * growth.ln_1p()
    }

    /// A growth within what is stated, normal on the logarithm of the factor, with a half on each side.
    fn draw(&self, random: &mut Random) -> f64 {
        let z = random.normal();
        let end = if z < 0.0 { self.growth.low() } else { self.growth.high() };
        let log = self.growth.value.ln_1p();
        (log + z.abs() / 1.959_963_985 * (end.ln_1p() - log)).exp_m1()
    }
}

/// The seasonal naive forecast: the last season again and again, with what one season differs from the next as its noise.
#[derive(Clone, Debug, PartialEq)]
pub struct Naive {
    /// ln y of the last season, from the first point ahead on.
    season: Vec<f64>,
    /// ln y less that of the season before, around 0.
    changes: Vec<f64>,
}

impl Naive {
    /// Of a series with a point.
    pub fn new(series: &Series) -> Option<Self> {
        let length = series.step.season();
        let end = series.values.len();
        let newest = series.known().last()?.1;
        let of_phase = |phase: usize| {
            let known = (0..end).rev().filter(|at| (at + length - end % length) % length == phase);
            known.filter_map(|at| series.values[at]).next().unwrap_or(newest).ln()
        };
        let mut changes: Vec<f64> = changes(series).map(|(before, now)| (now / before).ln()).collect();
        let mean = changes.iter().sum::<f64>() / changes.len().max(1) as f64;
        changes.iter_mut().for_each(|change| *change -= mean);
        if changes.is_empty() {
            changes.push(0.0);
        }
        Some(Self { season: (0..length).map(of_phase).collect(), changes })
    }

    /// ln y of a point ahead.
    pub fn log_at(&self, at: usize) -> f64 {
        self.season[at % self.season.len()]
    }

    fn draw(&self, random: &mut Random, horizon: usize, path: &mut Vec<f64>) {
        path.clear();
        let mut begin = 0;
        for at in 0..horizon {
            let phase = at % self.season.len();
            if phase == 0 {
                begin = random.below(self.changes.len());
            }
            let before = at.checked_sub(self.season.len()).map_or(self.season[phase], |before| path[before]);
            path.push(before + self.changes[(begin + phase) % self.changes.len()]);
        }
    }
}

/// Each value with that of the season before.
pub(super) fn changes(series: &Series) -> impl Iterator<Item = (f64, f64)> {
    let season = series.step.season();
    let pairs = series.values.iter().zip(series.values.iter().skip(season));
    pairs.filter_map(|(before, now)| Some(((*before)?, (*now)?)))
}
