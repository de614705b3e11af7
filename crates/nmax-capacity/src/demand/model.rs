//! Least squares on the logarithms of the peaks, with noise that remembers the day before; futures drawn from it.

use nmax_usl::linear::{Orthogonal, dot};
use nmax_usl::quantile::student_t;
use nmax_usl::random::Random;

use super::series::{Series, Step, median};
use super::terms::{Event, Terms};
use crate::Figure;

/// Points that a trend needs, beside one for each column.
const POINTS_MIN: usize = 4;
/// Weeks that a trend needs.
pub const WEEKS_MIN: f64 = 3.0;
/// Scaled median deviations beyond which a point is an outlier.
const OUTLIER: f64 = 4.0;
/// Makes a standard deviation of a median absolute one, of the normal distribution.
const MAD: f64 = 1.4826;
/// Fits until the outliers stay the same.
const ROUNDS_MAX: usize = 20;
/// Points below which none is called an outlier.
const OUTLIER_POINTS_MIN: usize = 12;
/// Largest memory of the noise: beyond, a trend cannot be told from noise.
const MEMORY_MAX: f64 = 0.95;

/// A point far from what the rest says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outlier {
    /// Its place in the series.
    pub at: usize,
    /// Its value over what the rest says.
    pub factor: f64,
}

/// Growth per week.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Growth {
    /// b, per week, on the logarithm.
    pub log: f64,
    /// Standard error of b, memory of the noise included.
    pub error: f64,
    /// Growth per week as a share, with its 95 % interval.
    pub per_week: Figure,
    /// Weeks in which the load doubles; `None` when it does not grow.
    pub doubling_weeks: Option<f64>,
}

/// A fitted model.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Its columns.
    pub terms: Terms,
    /// Number of points of the grid that it was fitted on.
    pub length: usize,
    /// Points that were there.
    pub points: usize,
    /// Coefficients, in the order of [`Terms::row`].
    pub coefficients: Vec<f64>,
    /// Standard deviation of the residuals, on the logarithm.
    pub deviation: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// Correlation of the noise of one point with that of the point before.
    pub memory: f64,
    /// Points beyond [`OUTLIER`] deviations, which are left out.
    pub outliers: Vec<Outlier>,
    /// Places of the points that were there.
    places: Vec<usize>,
    columns: Orthogonal,
    /// What each point adds to the noise, scaled to its deviation.
    shocks: Vec<f64>,
    /// The last residual.
    last: f64,
    step: Step,
}

impl Model {
    /// Fits a series.
    ///
    /// # Errors
    /// Why its data do not support a trend, as a sentence after `because`.
    pub fn fit(series: &Series, events: &[Event]) -> Result<Self, String> {
        let model = Self::fit_all(series, events)?;
        if model.outliers.is_empty() {
            return Ok(model);
        }
        // Each has a cause of its own, so each is left out, as with an event that happens once.
        let mut rest = series.clone();
        model.outliers.iter().for_each(|outlier| rest.values[outlier.at] = None);
        let outliers = |fitted: &Self| {
            let factor = |at: usize| series.values[at].map_or(1.0, |value| value / fitted.log_at(at).exp());
            model.outliers.iter().map(|outlier| Outlier { at: outlier.at, factor: factor(outlier.at) }).collect()
        };
        let fitted = Self::fit_all(&rest, events)?;
        Ok(Self { outliers: outliers(&fitted), ..fitted })
    }

    fn fit_all(series: &Series, events: &[Event]) -> Result<Self, String> {
        let terms = Terms::new(series, events);
        let (places, mut y): (Vec<usize>, Vec<f64>) =
            series.known().map(|(at, value)| (at, value.ln() - terms.offset(at))).unzip();
        let (points, count) = (places.len(), terms.count());
        if series.weeks() < WEEKS_MIN || points < count + POINTS_MIN {
            return Err(format!(
                "{} over {:.1} weeks are fewer than the {} over {WEEKS_MIN} weeks that a trend needs",
                nmax_text::number::counted(points as u64, "point"),
                series.weeks(),
                count + POINTS_MIN,
            ));
        }
        let rows: Vec<Vec<f64>> = places.iter().map(|at| terms.row(*at)).collect();
        let columns = (0..count).map(|column| rows.iter().map(|row| row[column]).collect()).collect();
        let columns = Orthogonal::new(columns).map_err(|column| {
            let name = column.checked_sub(count - terms.fitted.len()).map(|at| terms.fitted[at].name.as_str());
            let what = name.map_or_else(|| "a season".into(), |name| format!("the event `{name}`"));
            format!("{what} cannot be told from the rest of the model")
        })?;
        let measured = y.clone();
        let (coefficients, residuals, limit) = robust(&columns, &rows, &mut y);
        let outliers = (measured.iter().zip(&rows).zip(&places))
            .filter_map(|((y, row), at)| {
                let off = y - dot(row, &coefficients);
                (off.abs() > limit * (1.0 + 1e-9)).then(|| Outlier { at: *at, factor: off.exp() })
            })
            .collect();
        let memory = memory(&places, &residuals);
        let df = (points - count) as f64;
        let deviation = (dot(&residuals, &residuals) / freedom_of_deviation(df, memory)).sqrt();
        let shocks = shocks(&places, &residuals, memory, deviation);
        let last = residuals.last().copied().unwrap_or_default();
        let length = series.values.len();
        let step = series.step;
        Ok(Self {
            terms,
            length,
            points,
            coefficients,
            deviation,
            df,
            memory,
            outliers,
            places,
            columns,
            shocks,
            last,
            step,
        })
    }

    /// Median of ln y at a point, which may be ahead.
    pub fn log_at(&self, at: usize) -> f64 {
        dot(&self.terms.row(at), &self.coefficients) + self.terms.offset(at)
    }

    /// What seasons and events add to ln y at a point.
    pub fn season_at(&self, at: usize) -> f64 {
        dot(&self.terms.row(at)[2..], &self.coefficients[2..]) + self.terms.offset(at)
    }

    /// Quantile `p` of ln y at a point by the textbook, for noise without memory.
    ///
    /// ```text
    /// x·b + t_{p,n−k}·s·√(1 + x'(X'X)⁻¹x),   for the plain line √(1 + 1/n + (t−t̄)²/Sxx)
    /// ```
    ///
    /// Source: N. R. Draper, H. Smith, *Applied Regression Analysis* (1998), eq. 3.1.9. Law: `plain_line_as_published`.
    pub fn log_quantile(&self, at: f64, p: f64) -> f64 {
        let mut row = self.terms.row(at.floor().max(0.0) as usize);
        row[1] = at * self.step.days() as f64 / 7.0;
        let spread = if p == 0.5 { 0.0 } else { student_t(p, self.df) };
        dot(&row, &self.coefficients) + spread * self.deviation * (1.0 + self.columns.leverage(&row)).sqrt()
    }

    /// The same model with noise without memory, as the textbook has it.
    pub fn without_memory(&self) -> Self {
        let squares = self.deviation * self.deviation * freedom_of_deviation(self.df, self.memory);
        Self { memory: 0.0, deviation: (squares / self.df).sqrt(), ..self.clone() }
    }

    /// The first point, a fraction of one included, at which quantile `p` of ln y reaches `limit`; looks to point `end`.
    /// Of a model that is a plain line.
    pub fn crossing(&self, limit: f64, p: f64, end: f64) -> Option<f64> {
        let (mut low, mut high) = (self.length as f64 - 1.0, end);
        if self.log_quantile(low, p) >= limit {
            return Some(low);
        }
        if self.log_quantile(high, p) < limit {
            return None;
        }
        while high - low > 1e-9 * high {
            let middle = 0.5 * (low + high);
            if self.log_quantile(middle, p) < limit { low = middle } else { high = middle }
        }
        Some(high)
    }

    /// Standard error of a forecast of ln y at a point, for noise without memory.
    pub(super) fn error_at(&self, at: usize) -> f64 {
        self.deviation * (1.0 + self.columns.leverage(&self.terms.row(at))).sqrt()
    }

    /// Growth per week; its error counts the memory of the noise.
    pub fn growth(&self) -> Growth {
        let log = self.coefficients[1];
        let mut unit = vec![0.0; self.coefficients.len()];
        unit[1] = 1.0;
        let inflation = ((1.0 + self.memory) / (1.0 - self.memory)).sqrt();
        let error = self.deviation * self.columns.leverage(&unit).sqrt() * inflation;
        let half = student_t(0.975, self.freedom()) * error;
        let share = |log: f64| log.exp_m1();
        let interval = Some((share(log - half), share(log + half)));
        let per_week = Figure { value: share(log), interval, basis: crate::Basis::Measured };
        Growth { log, error, per_week, doubling_weeks: (log > 0.0).then(|| std::f64::consts::LN_2 / log) }
    }

    /// Degrees of freedom of the deviation: fewer than points, since each repeats some of the one before.
    fn freedom(&self) -> f64 {
        let memory = self.memory * self.memory;
        (self.df * (1.0 - memory) / (1.0 + memory)).max(1.0)
    }

    /// Futures of `horizon` points after the last one.
    pub fn futures(&self, horizon: usize) -> Futures<'_> {
        let ahead = self.length..self.length + horizon;
        let (rows, offsets) = ahead.map(|at| (self.terms.row(at), self.terms.offset(at))).unzip();
        let block = self.step.season();
        Futures { model: self, rows, offsets, block, noise: vec![0.0; self.length] }
    }
}

/// Draws futures: coefficients from a refit of noise like that of the data, then noise that goes on from the last point.
///
/// Blocks of one week of the shocks are drawn, and given the memory of the noise again (post-blackening), so that both
/// what repeats within a week and what lasts longer are kept. The deviation is drawn too, as it is estimated.
///
/// Source: A. C. Davison, D. V. Hinkley, *Bootstrap Methods and their Application* (1997), sections 6.3 and 8.2.3.
/// Law: `intervals_cover_in_simulated_worlds`.
pub struct Futures<'a> {
    model: &'a Model,
    rows: Vec<Vec<f64>>,
    offsets: Vec<f64>,
    block: usize,
    noise: Vec<f64>,
}

impl Futures<'_> {
    /// Draws ln y of each point ahead into `path`.
    pub fn draw(&mut self, random: &mut Random, path: &mut Vec<f64>) {
        let model = self.model;
        let scale = scale(random, model.freedom());
        let mut shocks = Shocks::new(&model.shocks, self.block);
        // The noise begins in its stationary spread.
        let begin = 1.0 / (1.0 - model.memory * model.memory).sqrt();
        let mut noise = shocks.next(random) * begin * scale;
        for value in &mut self.noise {
            *value = noise;
            noise = model.memory * noise + scale * shocks.next(random);
        }
        let mut coefficients = model.columns.solve(model.places.iter().map(|at| self.noise[*at]).collect());
        for (drawn, fitted) in coefficients.iter_mut().zip(&model.coefficients) {
            *drawn += fitted;
        }
        let mut noise = model.last;
        path.clear();
        for (row, offset) in self.rows.iter().zip(&self.offsets) {
            noise = model.memory * noise + scale * shocks.next(random);
            path.push(dot(row, &coefficients) + offset + noise);
        }
    }
}

/// Shocks in blocks that lay beside each other.
pub(super) struct Shocks<'a> {
    pool: &'a [f64],
    block: usize,
    at: usize,
    left: usize,
}

impl<'a> Shocks<'a> {
    pub(super) fn new(pool: &'a [f64], block: usize) -> Self {
        Self { pool, block, at: 0, left: 0 }
    }

    pub(super) fn next(&mut self, random: &mut Random) -> f64 {
        if self.left == 0 {
            (self.at, self.left) = (random.below(self.pool.len()), self.block);
        }
        self.left -= 1;
        let shock = self.pool[self.at];
        self.at = if self.at + 1 == self.pool.len() { 0 } else { self.at + 1 };
        shock
    }
}

/// √(ν/χ²_ν), by the cube root approximation of E. B. Wilson and M. M. Hilferty (1931).
fn scale(random: &mut Random, df: f64) -> f64 {
    let part = 2.0 / (9.0 * df);
    (1.0 - part + part.sqrt() * random.normal()).max(0.2).powf(-1.5)
}

/// Coefficients, residuals and the limit of outliers. Points beyond it are drawn in to it and fitted again, which ends at
/// the estimate of P. J. Huber (1964).
fn robust(columns: &Orthogonal, rows: &[Vec<f64>], y: &mut [f64]) -> (Vec<f64>, Vec<f64>, f64) {
    let measured = y.to_vec();
    let mut limit = f64::INFINITY;
    let mut coefficients = columns.solve(measured.clone());
    for _ in 0..ROUNDS_MAX {
        let fitted: Vec<f64> = rows.iter().map(|row| dot(row, &coefficients)).collect();
        let off: Vec<f64> = measured.iter().zip(&fitted).map(|(y, fit)| y - fit).collect();
        let spread = MAD * median(off.iter().map(|off| off.abs()).collect());
        if y.len() < OUTLIER_POINTS_MIN || spread <= 1e-12 {
            break;
        }
        limit = OUTLIER * spread;
        let before = coefficients;
        for ((y, fit), off) in y.iter_mut().zip(&fitted).zip(&off) {
            *y = fit + off.clamp(-limit, limit);
        }
        coefficients = columns.solve(y.to_vec());
        if before.iter().zip(&coefficients).all(|(a, b)| (a - b).abs() <= 1e-9) {
            break;
        }
    }
    let residuals = rows.iter().zip(y.iter()).map(|(row, y)| y - dot(row, &coefficients)).collect();
    (coefficients, residuals, limit)
}

/// What the squares of the residuals are divided by. Memory makes slow columns, level and trend, take up more of the noise
/// than one degree each.
fn freedom_of_deviation(df: f64, memory: f64) -> f64 {
    (df + 2.0 - 2.0 * (1.0 + memory) / (1.0 - memory)).max(0.5 * df)
}

/// Correlation of neighbours, with its bias by a fitted trend taken away.
///
/// ```text
/// φ = r₁ + (2 + 4·r₁)/n
/// ```
///
/// Source: G. H. Orcutt, H. S. Winokur, *First order autoregression* (1969), for a mean and a trend.
fn memory(places: &[usize], residuals: &[f64]) -> f64 {
    let pairs = places.windows(2).zip(residuals.windows(2)).filter(|(at, _)| at[1] == at[0] + 1);
    let (mut product, mut square, mut count) = (0.0, 0.0, 0.0);
    for (_, pair) in pairs {
        product += pair[0] * pair[1];
        square += 0.5 * (pair[0] * pair[0] + pair[1] * pair[1]);
        count += 1.0;
    }
    if square <= 0.0 {
        return 0.0;
    }
    let found = product / square;
    (found + (2.0 + 4.0 * found) / count).clamp(0.0, MEMORY_MAX)
}

/// What neighbours add to the noise, around 0 and with the deviation that a memory leaves them.
fn shocks(places: &[usize], residuals: &[f64], memory: f64, deviation: f64) -> Vec<f64> {
    let pairs = places.windows(2).zip(residuals.windows(2)).filter(|(at, _)| at[1] == at[0] + 1);
    let mut shocks: Vec<f64> = pairs.map(|(_, pair)| pair[1] - memory * pair[0]).collect();
    if shocks.len() < POINTS_MIN {
        shocks = residuals.to_vec();
    }
    let mean = shocks.iter().sum::<f64>() / shocks.len() as f64;
    shocks.iter_mut().for_each(|shock| *shock -= mean);
    let spread = (dot(&shocks, &shocks) / shocks.len() as f64).sqrt();
    let wanted = deviation * (1.0 - memory * memory).sqrt();
    let factor = if spread > 0.0 { wanted / spread } else { 0.0 };
    shocks.iter_mut().for_each(|shock| *shock *= factor);
    shocks
}

#[cfg(test)]
mod tests;
