//! The law of data drawn anew.

use super::Method;
use super::search;
use super::solve::{Scratch, Unit, minimise};
use super::table::{Shape, Table};
use super::{fit, polynomial};
use crate::law::Usl;
use crate::observation::Observation;
use crate::random::Random;

/// Laws of `folds` data sets drawn from the fit and its residuals.
///
/// Each keeps the N of the data and takes X from the law with a residual drawn at random (with replacement), widened by
/// √(n/(n−k)) because fitted residuals are too small; in ln X for `log`, in X otherwise. The fit of the data is where
/// each search begins. Draws that give no law, such as one with a pole, are left out, so there may be fewer laws than
/// folds; none when the data themselves cannot be fitted or leave no degree of freedom.
///
/// O(folds · rows).
pub fn bootstrap(observations: &[Observation], method: Method, seed: u64, folds: usize) -> Vec<Usl> {
    let Ok(whole) = fit(observations, method) else {
        return Vec::new();
    };
    if whole.degrees() == 0 {
        return Vec::new();
    }
    let Some(mut redraw) = Redraw::new(observations, &whole, seed) else {
        return Vec::new();
    };
    (0..folds).filter_map(|_| redraw.law()).collect()
}

struct Redraw<'a> {
    observations: &'a [Observation],
    method: Method,
    law: Usl,
    random: Random,
    residuals: Vec<f64>,
    drawn: Vec<Observation>,
    scratch: Scratch,
}

impl<'a> Redraw<'a> {
    fn new(observations: &'a [Observation], whole: &super::Fit, seed: u64) -> Option<Self> {
        let widen = (whole.n as f64 / whole.degrees() as f64).sqrt();
        let residual = |o: &Observation| {
            let fitted = whole.law.throughput_at(o.n);
            widen * if whole.scale == super::Scale::Log { o.x.ln() - fitted.ln() } else { o.x - fitted }
        };
        let residuals: Vec<f64> = observations.iter().map(residual).collect();
        let mean = residuals.iter().sum::<f64>() / residuals.len() as f64;
        let residuals: Vec<f64> = residuals.iter().map(|r| r - mean).collect();
        residuals.iter().all(|r| r.is_finite()).then(|| Self {
            observations,
            method: whole.method,
            law: whole.law,
            random: Random::new(seed),
            residuals,
            drawn: observations.to_vec(),
            scratch: Scratch::default(),
        })
    }

    fn law(&mut self) -> Option<Usl> {
        for (new, old) in self.drawn.iter_mut().zip(self.observations) {
            let residual = self.residuals[self.random.below(self.residuals.len())];
            let fitted = self.law.throughput_at(old.n);
            new.x = if self.method == Method::Log { fitted * residual.exp() } else { fitted + residual };
        }
        let table = Table::new(&self.drawn, self.method.scale(), Shape::Square).ok()?;
        let unit = if self.method.takes_unit() { Unit::Given(table.unit()?) } else { Unit::Free };
        let law = match self.method {
            Method::Log | Method::Ols | Method::Ols2 => {
                let start = (self.law.contention, self.law.coherency);
                let found = minimise(&table, unit, start, [true, true], &mut self.scratch)?;
                if !found.converged() {
                    return None;
                }
                let gain = found.state.gain;
                let unit_throughput = if self.method == Method::Log { gain.exp() } else { gain };
                Usl { contention: found.state.alpha, coherency: found.state.beta, unit_throughput }
            }
            Method::Poly2 => {
                let unit_throughput = table.unit()?;
                let (contention, coherency) = polynomial::poly2(&table, unit_throughput)?;
                Usl { contention, coherency, unit_throughput }
            }
            Method::Poly3 => {
                let (contention, coherency, unit_throughput) = polynomial::poly3(&table)?;
                Usl { contention, coherency, unit_throughput }
            }
        };
        search::without_pole(law, self.observations).ok()
    }
}
