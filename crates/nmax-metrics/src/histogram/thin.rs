//! A distribution in cells of 2 %, for what is kept many times over.

use super::{Exact, Histogram};

/// Width of a cell, relative to its lower end.
const STEP: f64 = 0.02;

/// What a [`Histogram`] says in cells of 2 %: 8 bytes for each cell in use, and never more than one cell per value.
///
/// Count, sum, minimum and maximum stay exact; quantiles are off by at most 1.1 % (`thinning_keeps_quantiles`). Making a
/// histogram of it and thinning that again changes nothing more.
#[derive(Clone, Debug, PartialEq)]
pub struct Thin {
    /// Cell and number of its values, ascending.
    cells: Box<[(u16, u32)]>,
    exact: Exact,
}

impl Thin {
    /// The cells of a histogram. O(buckets).
    pub fn from_histogram(histogram: &Histogram) -> Self {
        let mut cells: Vec<(u16, u32)> = Vec::new();
        for (low_ns, high_ns, count) in histogram.recorded() {
            let cell = cell_of(low_ns as f64 / 2.0 + high_ns as f64 / 2.0);
            let count = u32::try_from(count).unwrap_or(u32::MAX);
            match cells.last_mut() {
                Some((last, sum)) if *last == cell => match sum.checked_add(count) {
                    Some(both) => *sum = both,
                    None => cells.push((cell, count)),
                },
                _ => cells.push((cell, count)),
            }
        }
        Self { cells: cells.into(), exact: histogram.exact() }
    }

    /// Adds the values that it stands for: each in the middle of its cell, the smallest and the largest where they were.
    pub fn add_to(&self, sum: &mut Histogram) {
        let Some(last) = self.cells.len().checked_sub(1) else {
            return;
        };
        let (before, Exact { sum_ns, min_ns, max_ns, clamped }) = (sum.exact(), self.exact);
        for (at, (cell, count)) in self.cells.iter().enumerate() {
            let mut left = u64::from(*count);
            for (is_there, end_ns) in [(at == last, max_ns), (at == 0, min_ns)] {
                let taken = u64::from(is_there).min(left);
                sum.record_n(end_ns, taken);
                left -= taken;
            }
            sum.record_n(middle_ns(*cell).clamp(min_ns, max_ns), left);
        }
        sum.set_exact(Exact {
            sum_ns: before.sum_ns + sum_ns,
            min_ns: before.min_ns.min(min_ns),
            max_ns: before.max_ns.max(max_ns),
            clamped: before.clamped + clamped,
        });
    }

    /// Number of cells.
    pub fn cells(&self) -> usize {
        self.cells.len()
    }
}

fn cell_of(ns: f64) -> u16 {
    (ns.max(1.0).ln() / STEP.ln_1p()) as u16
}

fn middle_ns(cell: u16) -> u64 {
    ((1.0 + STEP).powi(i32::from(cell)) * (1.0 + STEP / 2.0)) as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn recorded(values: &[u64]) -> Histogram {
        let mut histogram = Histogram::new();
        values.iter().for_each(|value| histogram.record(*value));
        histogram
    }

    fn histogram(thin: &Thin) -> Histogram {
        let mut histogram = Histogram::new();
        thin.add_to(&mut histogram);
        histogram
    }

    proptest! {
        /// Law: what is exact stays exact, and each quantile is off by at most 1.1 %, or by a bucket of a microsecond.
        #[test]
        fn thinning_keeps_quantiles(values in prop::collection::vec(1_u64..10_000_000_000, 1..300), q in 0.0..=1.0_f64) {
            let before = recorded(&values);
            let thin = Thin::from_histogram(&before);
            let after = histogram(&thin);
            prop_assert_eq!(after.exact(), before.exact());
            prop_assert_eq!(after.count(), before.count());
            prop_assert!(thin.cells() <= values.len());
            let (was, is) = (before.quantile_ns(q).unwrap() as f64, after.quantile_ns(q).unwrap() as f64);
            prop_assert!((was - is).abs() <= (0.011 * was).max(1_024.0), "{} {}", was, is);
        }

        /// Law: thinning again changes nothing.
        #[test]
        fn thin_is_thin(values in prop::collection::vec(1_u64..10_000_000_000, 0..100)) {
            let once = histogram(&Thin::from_histogram(&recorded(&values)));
            prop_assert_eq!(histogram(&Thin::from_histogram(&once)).count(), once.count());
            prop_assert_eq!(histogram(&Thin::from_histogram(&once)).exact(), once.exact());
        }
    }
}
