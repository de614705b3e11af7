//! How bursty arrivals are: counts in windows of 1, 10 and 60 s, compared with those of a Poisson process.

use super::profile::{Dispersion, Period};

/// Widths of the windows, in s.
const WIDTHS_S: [i64; 3] = [1, 10, 60];

/// Counts arrivals that come in order.
#[derive(Clone, Debug)]
pub(crate) struct Burstiness {
    widths: [Width; 3],
}

impl Burstiness {
    pub(crate) fn new() -> Self {
        Self {
            widths: WIDTHS_S.map(Width::new),
        }
    }

    pub(crate) fn add(&mut self, second: i64) {
        for width in &mut self.widths {
            width.add(second.div_euclid(width.width_s));
        }
    }

    /// Most arrivals in one second.
    pub(crate) fn second_max(&self) -> u64 {
        self.widths[0].most.max(self.widths[0].count as u64)
    }

    /// The indices over whole windows of the period.
    pub(crate) fn finish(mut self, period: Period) -> Vec<Dispersion> {
        let whole = |width: &mut Width| {
            let windows = (period.length_s() / width.width_s as f64).floor() as u64;
            width.finish(windows)
        };
        self.widths.iter_mut().filter_map(whole).collect()
    }

    /// The clock jumped: what comes next has no neighbor.
    pub(crate) fn restart(&mut self) {
        for width in &mut self.widths {
            width.close();
            width.at = None;
        }
    }
}

/// Windows of one width.
///
/// ```text
/// I = Σ (nᵢ₊₁ − nᵢ)² / Σ (nᵢ₊₁ + nᵢ)
/// ```
///
/// - nᵢ: arrivals in window i, empty ones included
///
/// Neighbors are compared (J. von Neumann, *Ann. Math. Stat.* 12, 1941), so that season and trend do not count as bursts.
/// For a Poisson process of rate λ per window E (nᵢ₊₁ − nᵢ)² = 2λ = E (nᵢ₊₁ + nᵢ), so I ≈ 1. Its variance over k windows is
/// 3/k: with A = (nᵢ₊₁ − nᵢ)² and B = nᵢ₊₁ + nᵢ the sums of A − B have variance 12λ² per window, and the denominator is 2λk;
/// where λ changes, 3·Σλ²/(Σλ)², for which Σ nᵢ₊₁·nᵢ stands in.
#[derive(Clone, Debug)]
struct Width {
    width_s: i64,
    at: Option<i64>,
    count: f64,
    before: f64,
    differences: f64,
    sums: f64,
    products: f64,
    windows: u64,
    most: u64,
}

impl Width {
    fn new(width_s: i64) -> Self {
        Self {
            width_s,
            at: None,
            count: 0.0,
            before: f64::NAN,
            differences: 0.0,
            sums: 0.0,
            products: 0.0,
            windows: 0,
            most: 0,
        }
    }

    fn add(&mut self, window: i64) {
        match self.at {
            Some(at) if at == window => {}
            Some(at) => {
                self.close();
                let gap = window - at - 1;
                if gap > 0 {
                    // To an empty window, and from the last of them.
                    self.differences += self.before * self.before;
                    self.sums += self.before;
                    self.before = 0.0;
                    self.windows += gap.unsigned_abs();
                }
                self.at = Some(window);
            }
            None => {
                self.at = Some(window);
                self.before = f64::NAN;
            }
        }
        self.count += 1.0;
    }

    fn close(&mut self) {
        if self.at.is_none() {
            return;
        }
        if !self.before.is_nan() {
            let difference = self.count - self.before;
            self.differences += difference * difference;
            self.sums += self.count + self.before;
            self.products += self.count * self.before;
        }
        self.windows += 1;
        self.most = self.most.max(self.count as u64);
        self.before = self.count;
        self.count = 0.0;
    }

    fn finish(&mut self, windows: u64) -> Option<Dispersion> {
        self.close();
        let windows = self.windows.min(windows.max(1));
        if windows < WINDOWS_MIN || self.sums <= 0.0 {
            return None;
        }
        let total = 0.5 * self.sums;
        let least = (3.0 / windows as f64).sqrt();
        Some(Dispersion {
            width_s: self.width_s as u64,
            index: self.differences / self.sums,
            error: ((3.0 * self.products).sqrt() / total).max(least),
            windows,
        })
    }
}

/// Windows that an index needs.
const WINDOWS_MIN: u64 = 10;

#[cfg(test)]
mod tests;
