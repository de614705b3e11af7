//! What a curve says where nothing was measured, with intervals, and where it must not be asked.
//!
//! Intervals come from the 95 % band of the fit: X at a given N directly, N at a given X or R as the loads whose band
//! contains it.

use nmax_text::number::plain;

use crate::analysis::Analysis;
use crate::fit::{Estimate, Fit, Method};
use crate::gate::BEYOND;
use crate::ladder::{self, Winner};
use crate::law::Usl;
use crate::model::{Coefficient, Curve, Model};
use crate::quantile::student_t;
use crate::what_if::Measured;

/// Largest N where nothing was measured.
const N_MAX: f64 = 1e9;
/// Steps in which a crossing is looked for before it is narrowed down.
const STEPS: usize = 256;
/// Halvings that narrow a crossing down to the last digits.
const HALVINGS: usize = 60;

/// What is asked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// At a concurrency.
    Concurrency(f64),
    /// At a throughput, per second.
    Throughput(f64),
    /// At a response time, seconds.
    ResponseTime(f64),
}

/// What stands behind the answers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum By {
    /// Coefficients that were given.
    Given,
    /// The law by a method.
    Law(Method),
    /// A model that was asked for.
    Asked(Model),
    /// Another model, since it explains the data far better.
    Leader(Model),
    /// A simpler model, since the law's β is below 0.
    Collapsed(Model),
}

/// Where predictions come from.
#[derive(Clone, Debug)]
pub struct Basis {
    /// What stands behind the answers.
    pub by: By,
    /// The curve.
    pub curve: Curve,
    /// The fit that gave it, for its band; other curves have none.
    pub fit: Option<Fit>,
    /// What was measured; `None` when nothing was.
    pub measured: Option<Measured>,
    /// Think time, seconds.
    pub think_s: f64,
    /// Whether N counts what is in the system, so that R = N/X − Z; machines and rates say nothing about R.
    pub has_response_time: bool,
}

/// An answer.
#[derive(Clone, Debug, PartialEq)]
pub struct Prediction {
    /// What was asked for.
    pub asked: Question,
    /// Concurrency.
    pub n: Option<Estimate>,
    /// Throughput, per second.
    pub x: Option<Estimate>,
    /// Response time, seconds.
    pub r_s: Option<Estimate>,
    /// X/(γN).
    pub efficiency: Option<Estimate>,
    /// Another concurrency that has what was asked for: behind the peak, or before a superlinear dip.
    pub also_at: Option<f64>,
    /// Why there is no answer.
    pub refused: Option<String>,
}

/// A load that answers, the interval of loads, and the other load.
struct Loads {
    n: Estimate,
    also_at: Option<f64>,
}

impl Basis {
    /// A law that was given, with nothing measured; else the N at which its throughput would grow without bounds.
    pub fn given(law: Usl, think_s: f64, has_response_time: bool) -> Result<Self, f64> {
        match law.first_pole() {
            Some(pole) => Err(pole),
            None => Ok(Self {
                by: By::Given,
                curve: Curve::Usl(law),
                fit: None,
                measured: None,
                think_s,
                has_response_time,
            }),
        }
    }

    /// The curve to predict by, and its limits: of the model that is asked for, else of the one that the data bear. Why
    /// there is none, in words.
    pub fn choose(analysis: &Analysis, asked: Option<Model>) -> Result<Self, String> {
        let rung = |model| ladder::rung(&analysis.ladder, model);
        let fit = analysis.fit.as_ref();
        let by = match (asked, analysis.winner) {
            (Some(Model::Usl), _) => fit.map(|fit| By::Law(fit.method)),
            (Some(model), _) => Some(By::Asked(model)),
            (None, Winner::One(model)) if model != Model::Usl => Some(By::Leader(model)),
            (None, _) => match fit {
                Some(fit) if fit.law.coherency >= 0.0 => Some(By::Law(fit.method)),
                Some(_) => Some(By::Collapsed(Model::Amdahl)),
                None => None,
            },
        };
        let by = by.ok_or("the law has no fit; --model says which simpler one to take")?;
        let (curve, fit) = match by {
            By::Law(_) => (fit.map(|fit| Curve::Usl(fit.law)), fit.cloned()),
            By::Asked(model) | By::Leader(model) | By::Collapsed(model) => (rung(model).map(|rung| rung.curve), None),
            By::Given => (None, None),
        };
        Ok(Self {
            by,
            curve: curve.ok_or("this model cannot be fitted to these points; take another --model")?,
            fit,
            measured: Some(Measured::from_analysis(analysis)),
            think_s: analysis.options.think_s,
            has_response_time: analysis.options.dimension.counts_concurrency(),
        })
    }

    /// The coefficients of the curve by their letters; with intervals where it is the fit.
    pub fn coefficients(&self) -> Vec<(Coefficient, Estimate)> {
        use Coefficient::{Alpha, Beta, Gamma};
        match &self.fit {
            Some(fit) => vec![(Alpha, fit.contention), (Beta, fit.coherency), (Gamma, fit.unit_throughput)],
            None => self.curve.coefficients().into_iter().map(|(name, value)| (name, Estimate::bare(value))).collect(),
        }
    }

    /// Whether the largest throughput of the curve may be named: the data must bear it.
    fn bears_peak(&self) -> bool {
        self.measured.is_none_or(|measured| measured.bears_peak)
    }

    /// Answers a question.
    pub fn predict(&self, asked: Question) -> Prediction {
        let answer = match asked {
            Question::Concurrency(n) => Ok(Loads { n: Estimate::bare(n), also_at: None }),
            Question::Throughput(x) => self.at_throughput(x),
            Question::ResponseTime(_) if !self.has_response_time => {
                Err("N counts no users or requests here, so Little's law gives no response time".to_owned())
            }
            Question::ResponseTime(r_s) => self.at_response_time(r_s),
        };
        let answer = answer.and_then(|loads| self.allowed(asked, &loads).map(|()| loads));
        let mut prediction =
            Prediction { asked, n: None, x: None, r_s: None, efficiency: None, also_at: None, refused: None };
        match answer {
            Ok(loads) => self.fill(&mut prediction, loads),
            Err(why) => prediction.refused = Some(why),
        }
        prediction
    }

    fn fill(&self, prediction: &mut Prediction, loads: Loads) {
        let n = loads.n.estimate;
        let x = self.curve.throughput_at(n);
        prediction.n = Some(loads.n);
        prediction.also_at = loads.also_at.filter(|n| self.within(*n));
        prediction.efficiency = Some(self.efficiency_at(n, x));
        match prediction.asked {
            Question::Concurrency(_) => {
                let band = self.band_at(n);
                let r_at = |x: f64| n / x - self.think_s;
                let high = band.map(|band| band.1).filter(|high| self.bears(*high));
                prediction.x = Some(estimate(x, band.map(|band| band.0), high));
                prediction.r_s = Some(estimate(r_at(x), band.map(|band| r_at(band.1)), band.map(|band| r_at(band.0))));
            }
            // X is given: R = N/X − Z moves with N.
            Question::Throughput(given) => {
                let r_at = |n: f64| n / given - self.think_s;
                prediction.x = Some(Estimate::bare(given));
                prediction.r_s = Some(estimate(r_at(n), loads.n.low.map(r_at), loads.n.high.map(r_at)));
            }
            Question::ResponseTime(given) => {
                let x_at = |n: f64| n / (given + self.think_s);
                prediction.r_s = Some(Estimate::bare(given));
                let high = loads.n.high.map(x_at).filter(|high| self.bears(*high));
                prediction.x = Some(estimate(x_at(n), loads.n.low.map(x_at), high));
            }
        }
        // A think time that is longer than the whole cycle contradicts the curve.
        let is_known = |r_s: &Estimate| self.has_response_time && r_s.estimate > 0.0;
        prediction.r_s =
            prediction.r_s.filter(is_known).map(|r_s| Estimate { low: r_s.low.map(|low| low.max(0.0)), ..r_s });
    }

    /// Nothing beyond twice what was measured: systems do worse than curves there.
    fn allowed(&self, asked: Question, loads: &Loads) -> Result<(), String> {
        let n = loads.n.estimate;
        let Some(measured) = self.measured else {
            let is_load = n <= N_MAX && self.curve.throughput_at(n) > 0.0;
            return if is_load { Ok(()) } else { Err(format!("no load is as large as N = {}", plain(n))) };
        };
        if !self.within(n) {
            return Err(match asked {
                Question::Concurrency(_) => format!(
                    "N = {} is beyond twice the largest N measured, {}; measure at a higher N first",
                    plain(n),
                    plain(measured.n_hi)
                ),
                // The N that was found is no number to be quoted.
                Question::Throughput(_) | Question::ResponseTime(_) => self.beyond(),
            });
        }
        let x = self.curve.throughput_at(n);
        if !(x > 0.0 && self.bears(x)) {
            return Err(format!(
                "the throughput there would be beyond twice the largest one measured, {}/s; measure at a higher N first",
                plain(measured.x_max)
            ));
        }
        Ok(())
    }

    fn within(&self, n: f64) -> bool {
        self.measured.is_none_or(|measured| n <= BEYOND * measured.n_hi)
    }

    fn bears(&self, x: f64) -> bool {
        self.measured.is_none_or(|measured| x <= BEYOND * measured.x_max)
    }

    /// The largest N to look at.
    fn n_max(&self) -> f64 {
        self.measured.map_or(N_MAX, |measured| BEYOND * measured.n_hi)
    }

    fn at_throughput(&self, x: f64) -> Result<Loads, String> {
        let unit = self.curve.throughput_at(1.0);
        if x < unit * (1.0 - 1e-9) {
            return Err(format!("that is less than one unit gives alone, {}/s; curves begin at N = 1", plain(unit)));
        }
        let top = self.top();
        if top.is_some_and(|(_, most)| x > most * (1.0 + 1e-9)) {
            return Err(self.too_much(top));
        }
        let n = match self.curve.law() {
            Some(law) => law.concurrency_at(x).map_err(|error| error.to_string())?,
            None => {
                let end = top.map_or(self.n_max(), |(n, _)| n);
                let found = crossing(|n| self.curve.throughput_at(n), 1.0, end, x);
                found.ok_or_else(|| self.beyond())?
            }
        };
        let behind = self.curve.law().and_then(|law| law.concurrency_above_peak_at(x).ok());
        let end = top.map_or(self.n_max(), |(n, _)| n.min(self.n_max())).max(n);
        let low = crossing(|n| self.band_at(n).map_or(f64::NAN, |band| band.1), 1.0, n, x);
        let high = crossing(|n| self.band_at(n).map_or(f64::NAN, |band| band.0), n, end, x);
        Ok(Loads { n: estimate(n, low, high), also_at: behind.filter(|behind| *behind > n * (1.0 + 1e-6)) })
    }

    fn at_response_time(&self, r_s: f64) -> Result<Loads, String> {
        let think_s = self.think_s;
        let (n, also_at) = match self.curve.law() {
            Some(law) => {
                let crossings = law.concurrencies_at_response_time(r_s, think_s);
                let crossings = crossings.map_err(|error| error.to_string())?;
                let n = crossings.rising.or(crossings.falling).ok_or_else(|| self.beyond())?;
                (n, crossings.rising.and(crossings.falling))
            }
            None => {
                let at = |n: f64| n / self.curve.throughput_at(n) - think_s;
                if r_s < at(1.0) * (1.0 - 1e-9) {
                    return Err(format!("a response takes at least {} s, at N = 1", plain(at(1.0))));
                }
                (crossing(at, 1.0, self.n_max(), r_s).ok_or_else(|| self.beyond())?, None)
            }
        };
        // The larger throughput is the shorter response time.
        let end = self.n_max().max(n);
        let high = crossing(|n| self.band_at(n).map_or(f64::NAN, |band| n / band.1 - think_s), n, end, r_s);
        let low = crossing(|n| self.band_at(n).map_or(f64::NAN, |band| n / band.0 - think_s), 1.0, n, r_s);
        Ok(Loads { n: estimate(n, low, high), also_at })
    }

    /// Where the curve is highest, and how high; a roof that it only approaches is at infinity.
    fn top(&self) -> Option<(f64, f64)> {
        if let Curve::Knee { unit_throughput, cap } = self.curve {
            return Some((cap / unit_throughput, cap));
        }
        let peak = self.curve.peak().filter(|(n, _)| *n >= 1.0);
        let roof = || self.curve.law().and_then(|law| law.roof()).map(|roof| (f64::INFINITY, roof));
        peak.or_else(roof)
    }

    /// Why a throughput has no load. The largest one is a number only where the data bear it.
    fn too_much(&self, top: Option<(f64, f64)>) -> String {
        let measured = self
            .measured
            .map_or_else(String::new, |measured| format!("; the largest one measured is {}/s", plain(measured.x_max)));
        match (self.curve, top) {
            (Curve::Knee { .. }, Some((_, cap))) => {
                format!("that is above the cap of the curve, {}/s{measured}", plain(cap))
            }
            (_, Some((n, most))) if n.is_finite() && self.bears_peak() => {
                format!("that is above the peak of the curve, {}/s at N = {}{measured}", plain(most), plain(n))
            }
            (_, Some((n, most))) if n.is_infinite() && self.bears(most) => {
                format!("that is above the roof that the curve approaches, {}/s{measured}", plain(most))
            }
            _ => format!("that is above everything that the curve gives{measured}"),
        }
    }

    fn beyond(&self) -> String {
        match self.measured {
            Some(measured) => format!(
                "that lies beyond twice the largest N measured, {}; measure at a higher N first",
                plain(measured.n_hi)
            ),
            None => "the curve has no such point".into(),
        }
    }

    fn band_at(&self, n: f64) -> Option<(f64, f64)> {
        self.fit.as_ref().and_then(|fit| fit.band_at(n))
    }

    /// X/(γN), with an interval by the covariance of α and β: for a law it is 1/D, which γ does not enter.
    fn efficiency_at(&self, n: f64, x: f64) -> Estimate {
        let value = x / (n * self.curve.throughput_at(1.0));
        let half_width = self.fit.as_ref().and_then(|fit| {
            let covariance = fit.covariance?;
            let denominator = fit.law.denominator_at(n);
            let gradient = [-(n - 1.0) / denominator, -n * (n - 1.0) / denominator];
            let variance: f64 = (0..2)
                .flat_map(|i| (0..2).map(move |j| (i, j)))
                .map(|(i, j)| gradient[i] * covariance[i][j] * gradient[j])
                .sum();
            let freedom = fit.n.checked_sub(fit.k).filter(|freedom| *freedom > 0)?;
            // At N = 1 it is 1 by definition.
            (variance > 0.0).then(|| student_t(0.975, freedom as f64) * variance.sqrt())
        });
        let end = |sign: f64| half_width.map(|half_width| value * (sign * half_width).exp());
        estimate(value, end(-1.0), end(1.0))
    }
}

/// The first n from `from` to `to` where a function crosses a value: looked for in steps, narrowed down by halves.
/// `None` where it stays on one side, or is unknown.
fn crossing(of: impl Fn(f64) -> f64, from: f64, to: f64, value: f64) -> Option<f64> {
    if from >= to || from.is_nan() || to.is_nan() {
        return None;
    }
    let is_below = |n: f64| {
        let there = of(n);
        there.is_finite().then_some(there < value)
    };
    if (of(from) - value).abs() <= 1e-12 * value.abs() {
        return Some(from);
    }
    let begins_below = is_below(from)?;
    // Geometric steps: curves bend at small N.
    let ratio = (to / from).powf(1.0 / STEPS as f64);
    let mut low = from;
    let high = (1..=STEPS).find_map(|step| {
        let n = if step == STEPS { to } else { from * ratio.powi(step as i32) };
        let crossed = is_below(n).is_some_and(|is_below| is_below != begins_below);
        if !crossed {
            low = n;
        }
        crossed.then_some(n)
    });
    let mut high = high?;
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if is_below(middle)? == begins_below {
            low = middle;
        } else {
            high = middle;
        }
    }
    Some(0.5 * (low + high))
}

fn estimate(estimate: f64, low: Option<f64>, high: Option<f64>) -> Estimate {
    let known = |end: Option<f64>| end.filter(|end| end.is_finite());
    Estimate { estimate, low: known(low), high: known(high), at_bound: false }
}

#[cfg(test)]
mod tests;
