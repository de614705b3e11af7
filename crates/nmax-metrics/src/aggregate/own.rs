//! Sums over the numbers of a metric of the user's own, whatever its kind.
//!
//! Numbers may be negative and have fractions. Their distribution is that of their sizes, below and above 0, in the cells of
//! [`Histogram`]: below a million in millionths, to 0.0005 or 0.1 %; from there on in whole numbers, to 0.1 %, up to 3.6·10¹²;
//! larger ones count as that, and are counted. So sums are those of whole numbers, and merging is exact.

use std::cmp::Reverse;

use super::declare::{Statistic, statistics};
use crate::histogram::HIGHEST_NS;
use crate::{Histogram, Nanos};

/// Names of a run's own metrics that are told apart, one for each tag of a metric and one for all of it.
pub const METRICS_MAX: usize = 200;
/// Parts of 1 that numbers are kept in.
const PARTS_PER_1: f64 = 1e6;
/// Numbers of this size and beyond are kept as whole ones.
const LARGE: f64 = 1e6;

statistics! {
    /// Statistics of a metric of the user's own.
    pub struct MetricStats {
        counters {
            /// Numbers.
            values: Count,
            /// Of those, the ones that were not zero.
            non_zero: Count,
            /// Times there was no number: nothing was found, or a text that is none.
            unread: Count,
            /// When the last number came, ns since the start of the run.
            last_at_ns: Last,
            /// The last number in millionths, unless it is negative.
            last_positive: Last,
            /// The last number in millionths and without its sign, if it is negative.
            last_negative: Last,
        }
        times {
            /// Numbers from 0 to a million, in millionths.
            positive "pos",
            /// Those from a million on.
            positive_large "pos_large",
            /// Sizes of the numbers below 0, in millionths.
            negative "neg",
            /// Those from a million on.
            negative_large "neg_large",
        }
    }
}

impl Statistic for MetricStats {
    fn merge(&mut self, other: &Self) {
        let last = self.last_key().max(other.last_key());
        self.merge_declared(other);
        (self.last_at_ns, self.last_positive, Reverse(self.last_negative)) = last;
    }
}

impl MetricStats {
    /// Adds what came at an instant: a number, or none.
    pub fn record(&mut self, at: Nanos, value: Option<f64>) {
        let Some(value) = value.filter(|value| value.is_finite()) else {
            self.unread += 1;
            return;
        };
        self.values += 1;
        self.non_zero += u64::from(value != 0.0);
        let size = value.abs().min(HIGHEST_NS as f64 + 1.0);
        let parts = (size * PARTS_PER_1).round() as u64;
        let is_negative = value < 0.0 && parts > 0;
        let (small, large) = match is_negative {
            false => (&mut self.positive, &mut self.positive_large),
            true => (&mut self.negative, &mut self.negative_large),
        };
        if size < LARGE {
            small.record(parts)
        } else {
            large.record(size.round() as u64)
        }
        // An instant of 0 is that of no number.
        let (positive, negative) = if is_negative { (0, parts) } else { (parts, 0) };
        let last = (u128::from(at.0.max(1)), u128::from(positive), Reverse(u128::from(negative)));
        (self.last_at_ns, self.last_positive, Reverse(self.last_negative)) = last.max(self.last_key());
    }

    /// By what the last number is found: its instant, of several the largest.
    fn last_key(&self) -> (u128, u128, Reverse<u128>) {
        (self.last_at_ns, self.last_positive, Reverse(self.last_negative))
    }

    /// The distributions from the smallest number to the largest, and how many of their steps are 1.
    fn parts(&self) -> [(&Histogram, f64); 4] {
        [
            (&self.negative_large, -1.0),
            (&self.negative, -PARTS_PER_1),
            (&self.positive, PARTS_PER_1),
            (&self.positive_large, 1.0),
        ]
    }

    /// Sum of the numbers.
    pub fn sum(&self) -> f64 {
        self.parts().iter().map(|(part, per_1)| part.exact().sum_ns as f64 / per_1).sum()
    }

    /// The last number, of several at an instant the largest; `None` without any.
    pub fn last(&self) -> Option<f64> {
        let size = self.last_positive as f64 - self.last_negative as f64;
        (self.values > 0).then_some(size / PARTS_PER_1)
    }

    /// The number of this rank from the smallest, from 1, to 0.1 %; `None` beyond the last.
    fn at_rank(&self, mut rank: u64) -> Option<f64> {
        for (part, per_1) in self.parts() {
            let count = part.count();
            if rank <= count {
                let rank = if per_1 < 0.0 { count + 1 - rank } else { rank };
                return part.value_at_rank_ns(rank).map(|parts| parts as f64 / per_1);
            }
            rank -= count;
        }
        None
    }

    /// The number below or at which a share `q` of all lie; that of 0 is the smallest, that of 1 the largest.
    pub fn quantile(&self, q: f64) -> Option<f64> {
        self.at_rank((q.clamp(0.0, 1.0) * self.values as f64).ceil().max(1.0) as u64)
    }

    /// Numbers beyond the largest size, which are counted as that.
    pub fn clamped(&self) -> u64 {
        self.parts().iter().map(|(part, _)| part.exact().clamped).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Numbers of all sizes, and their instants, some of them the same.
    fn numbers() -> impl Strategy<Value = Vec<(u64, f64)>> {
        let value = prop_oneof![-2.0..2.0, -3e3..3e3, -5e6..5e6, -1e13..1e13, Just(0.0), Just(1e6), Just(-1e6)];
        prop::collection::vec((0..4_u64, value), 0..20)
    }

    fn metric_stats(numbers: &[(u64, f64)]) -> MetricStats {
        let mut stats = MetricStats::default();
        numbers.iter().for_each(|(at, value)| stats.record(Nanos(*at), Some(*value)));
        stats
    }

    proptest! {
        /// Law: however numbers are parted and in whatever order they come, the sums are the same.
        #[test]
        fn merging_is_the_union(numbers in numbers(), cut in any::<prop::sample::Index>()) {
            let (a, b) = numbers.split_at(cut.index(numbers.len() + 1));
            let (mut forth, mut back) = (metric_stats(a), metric_stats(b));
            forth.merge(&metric_stats(b));
            back.merge(&metric_stats(a));
            prop_assert_eq!(&forth, &metric_stats(&numbers));
            prop_assert_eq!(&forth, &back);
            back.merge(&MetricStats::default());
            prop_assert_eq!(&forth, &back, "nothing adds nothing");
        }

        /// Law: quantiles are those of the sorted numbers, sums and the last are theirs.
        #[test]
        fn figures_are_those_of_the_numbers(numbers in numbers(), q in 0.0..=1.0_f64) {
            let stats = metric_stats(&numbers);
            let limit = HIGHEST_NS as f64;
            let kept: Vec<f64> = numbers.iter().map(|(_, value)| value.clamp(-limit, limit)).collect();
            let mut sorted = kept.clone();
            sorted.sort_by(f64::total_cmp);
            let rank = ((q * sorted.len() as f64).ceil() as usize).max(1);
            let near = |found: f64, want: f64| (found - want).abs() <= 0.000_6 + want.abs() / 1_000.0;
            match (stats.quantile(q), sorted.get(rank - 1)) {
                (Some(found), Some(want)) => prop_assert!(near(found, *want), "{found} is not {want}"),
                (found, want) => prop_assert_eq!(found, want.copied()),
            }
            let sum: f64 = kept.iter().sum();
            prop_assert!((stats.sum() - sum).abs() <= 1e-6 * kept.iter().map(|value| value.abs() + 1.0).sum::<f64>());
            let last = numbers.iter().zip(&kept).map(|((at, _), value)| (at.max(&1), value));
            let last = last.max_by(|a, b| a.0.cmp(b.0).then(a.1.total_cmp(b.1))).map(|(_, value)| *value);
            prop_assert!(stats.last().zip(last).map_or(last.is_none(), |(found, want)| (found - want).abs() <= 1.1));
            prop_assert_eq!(stats.clamped(), numbers.iter().filter(|(_, value)| value.abs() > limit).count() as u64);
            prop_assert_eq!((stats.values, stats.unread), (numbers.len() as u64, 0));
        }
    }

    #[test]
    fn what_is_no_number_is_counted() {
        let mut stats = metric_stats(&[(1, -0.000_000_1)]);
        [None, Some(f64::NAN), Some(f64::INFINITY)].into_iter().for_each(|value| stats.record(Nanos(9), value));
        assert_eq!((stats.values, stats.non_zero, stats.unread), (1, 1, 3));
        assert_eq!((stats.quantile(0.0), stats.last()), (Some(0.0), Some(0.0)), "and no minus nothing");
        assert!(stats.quantile(0.5).unwrap().is_sign_positive());
    }
}
