//! The challenger: exponential smoothing with a trend that wears off, on the logarithms without seasons and events.

use nmax_usl::linear::dot;
use nmax_usl::random::Random;

use super::Series;
use super::model::{Model, Shocks};

/// Points from which level and trend begin.
const BEGIN: usize = 14;
/// Values that are tried: α, β over α, φ of a week.
const ALPHAS: [f64; 7] = [0.02, 0.05, 0.1, 0.2, 0.3, 0.5, 0.8];
const BETAS: [f64; 5] = [0.002, 0.01, 0.03, 0.1, 0.3];
const PHIS: [f64; 4] = [0.8, 0.9, 0.95, 0.98];

/// ETS(A,Ad,N): level, trend and what the trend keeps from one point to the next.
///
/// ```text
/// z_t = l_{t−1} + φ·b_{t−1} + e_t      l_t = l_{t−1} + φ·b_{t−1} + α·e_t      b_t = φ·b_{t−1} + β·e_t
/// ẑ_{n+h} = l_n + (φ + φ² + … + φ^h)·b_n
/// ```
///
/// Coefficients are those of a grid with the least Σe². Source: R. J. Hyndman, A. B. Koehler, J. K. Ord, R. D. Snyder,
/// *Forecasting with Exponential Smoothing* (2008), table 2.2; damping by E. S. Gardner, E. McKenzie (1985). Law:
/// `a_trend_that_wears_off_is_followed`.
#[derive(Clone, Debug, PartialEq)]
pub struct Damped {
    alpha: f64,
    beta: f64,
    phi: f64,
    state: State,
    errors: Vec<f64>,
    block: usize,
}

/// Level and trend per point, on the logarithm.
#[derive(Clone, Copy, Debug, PartialEq)]
struct State {
    level: f64,
    trend: f64,
}

impl State {
    /// The next state, with an error of its forecast.
    fn next(self, (alpha, beta, phi): (f64, f64, f64), error: f64) -> Self {
        let ahead = self.level + phi * self.trend;
        Self { level: ahead + alpha * error, trend: phi * self.trend + beta * error }
    }
}

impl Damped {
    /// Of what a model leaves of a series without its seasons, events and outliers. `None` of less than twice the points
    /// that it begins with.
    pub fn fit(series: &Series, model: &Model) -> Option<Self> {
        let is_outlier = |at: usize| model.outliers.iter().any(|outlier| outlier.at == at);
        let value = |(at, value): (usize, &Option<f64>)| {
            value.filter(|_| !is_outlier(at)).map(|value| value.ln() - model.season_at(at))
        };
        let z: Vec<Option<f64>> = series.values.iter().enumerate().map(value).collect();
        if z.iter().flatten().count() < 2 * BEGIN {
            return None;
        }
        let line: Vec<(f64, f64)> =
            (0..).zip(&z).filter_map(|(at, z)| Some((f64::from(at), (*z)?))).take(BEGIN).collect();
        let begin = begin(&line);
        let step_weeks = series.step.days() as f64 / 7.0;
        let tried = ALPHAS.iter().flat_map(|alpha| {
            BETAS.iter().flat_map(move |share| PHIS.map(|phi| (*alpha, alpha * share, phi.powf(step_weeks))))
        });
        let runs = tried.map(|of| (of, run(&z, begin, of)));
        let least = runs.min_by(|a, b| dot(&a.1.1, &a.1.1).total_cmp(&dot(&b.1.1, &b.1.1)));
        let ((alpha, beta, phi), (state, errors)) = least?;
        Some(Self { alpha, beta, phi, state, errors, block: series.step.season() })
    }

    /// Median of z of each of the next points.
    pub fn ahead(&self, horizon: usize) -> Vec<f64> {
        let next = |state: &mut State, _| {
            *state = state.next((self.alpha, self.beta, self.phi), 0.0);
            Some(state.level)
        };
        (0..horizon).scan(self.state, next).collect()
    }

    /// Growth per week at the end of the series, on the logarithm.
    pub fn growth(&self, step_days: i64) -> f64 {
        self.state.trend * 7.0 / step_days as f64
    }

    /// Draws z of each of the next points: its errors again, in blocks of a week.
    pub fn draw(&self, random: &mut Random, horizon: usize, path: &mut Vec<f64>) {
        let mut shocks = Shocks::new(&self.errors, self.block);
        let mut state = self.state;
        path.clear();
        for _ in 0..horizon {
            let error = shocks.next(random);
            path.push(state.level + self.phi * state.trend + error);
            state = state.next((self.alpha, self.beta, self.phi), error);
        }
    }
}

/// Level and trend before the first point, of a line through the first ones.
fn begin(line: &[(f64, f64)]) -> State {
    let count = line.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| line.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let square: f64 = line.iter().map(|point| (point.0 - x) * (point.0 - x)).sum();
    let trend = line.iter().map(|point| (point.0 - x) * (point.1 - y)).sum::<f64>() / square.max(f64::MIN_POSITIVE);
    State { level: y - trend * (x + 1.0), trend }
}

/// The state at the end, and the errors of forecasts of one point. Gaps have none.
fn run(z: &[Option<f64>], begin: State, of: (f64, f64, f64)) -> (State, Vec<f64>) {
    let mut errors = Vec::with_capacity(z.len());
    let next = |state: State, z: &Option<f64>| {
        let error = z.map(|z| z - state.level - of.2 * state.trend);
        errors.extend(error);
        state.next(of, error.unwrap_or(0.0))
    };
    let state = z.iter().fold(begin, next);
    (state, errors)
}

#[cfg(test)]
mod tests;
