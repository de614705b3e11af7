//! How bursty arrivals are: counts in windows of 1, 10 and 60 s, compared with those of a Poisson process.

use super::profile::Dispersion;

/// Widths of the windows, in s.
const WIDTHS_S: [i64; 3] = [1, 10, 60];

/// Counts arrivals that come in order. Windows begin at the first one, so that the same arrivals at another time of day
/// are counted alike.
#[derive(Clone, Debug)]
pub(crate) struct Burstiness {
    widths: [Width; 3],
    begin_us: Option<i64>,
}

impl Default for Burstiness {
    fn default() -> Self {
        Self { widths: WIDTHS_S.map(Width::new), begin_us: None }
    }
}

impl Burstiness {
    pub(crate) fn add(&mut self, at_us: i64) {
        let since_us = at_us - *self.begin_us.get_or_insert(at_us);
        for width in &mut self.widths {
            width.add(since_us.div_euclid(width.width_s * 1_000_000));
        }
    }

    /// Most arrivals in one second.
    pub(crate) fn second_max(&self) -> u64 {
        self.widths[0].most.max(self.widths[0].count as u64)
    }

    /// The indices over whole windows.
    pub(crate) fn finish(&self) -> Vec<Dispersion> {
        self.widths.iter().filter_map(Width::finish).collect()
    }

    /// The clock jumped: what comes next has no neighbor.
    pub(crate) fn restart(&mut self) {
        for width in &mut self.widths {
            width.most = width.most.max(width.count as u64);
            width.count = 0.0;
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
#[derive(Clone, Debug, Default)]
struct Width {
    width_s: i64,
    at: Option<i64>,
    count: f64,
    before: Option<f64>,
    is_first: bool,
    differences: f64,
    sums: f64,
    products: f64,
    windows: u64,
    most: u64,
}

impl Width {
    fn new(width_s: i64) -> Self {
        Self { width_s, is_first: true, ..Self::default() }
    }

    fn add(&mut self, window: i64) {
        match self.at {
            Some(at) if at == window => {}
            Some(at) => {
                self.close();
                let gap = window - at - 1;
                if gap > 0 {
                    self.empty(gap.unsigned_abs());
                }
                self.at = Some(window);
            }
            None => {
                self.at = Some(window);
                self.before = None;
                self.is_first = true;
            }
        }
        self.count += 1.0;
    }

    /// Ends a window. The first one begins with an arrival, and so has one too many.
    fn close(&mut self) {
        self.most = self.most.max(self.count as u64);
        if !self.is_first {
            self.neighbor(self.count);
        }
        self.is_first = false;
        self.count = 0.0;
    }

    fn neighbor(&mut self, count: f64) {
        if let Some(before) = self.before {
            let difference = count - before;
            self.differences += difference * difference;
            self.sums += count + before;
            self.products += count * before;
        }
        self.windows += 1;
        self.before = Some(count);
    }

    /// Empty windows: one that differs from its neighbor, others that do not.
    fn empty(&mut self, windows: u64) {
        self.neighbor(0.0);
        self.windows += windows - 1;
    }

    /// The index over the windows but the last, which may not be whole.
    fn finish(&self) -> Option<Dispersion> {
        let windows = self.windows;
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
