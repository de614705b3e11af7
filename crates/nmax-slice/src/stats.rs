//! Sums of one group. Merged by addition.

use nmax_metrics::Histogram;

use crate::measure::{Measure, MeasureKind, Stat};

/// Values that a group keeps one by one before it has a histogram.
const FEW_MAX: usize = 64;
/// Numbers other than times are recorded this many times larger, so that small ones are told apart.
const SCALE: u64 = 1_000;

/// A column that is summed up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Account {
    pub(crate) column: usize,
    /// Its distribution is needed.
    pub(crate) is_spread: bool,
    /// Its values are ns; others are [`SCALE`]d in the distribution.
    pub(crate) is_span: bool,
}

/// Sums of one group.
#[derive(Clone, Debug)]
pub(crate) struct Stats {
    pub(crate) count: u64,
    /// `None` when they are not known of all.
    pub(crate) failures: Option<u64>,
    /// In the order of the accounts; `None` when a part did not tell.
    pub(crate) sums: Vec<Option<Sum>>,
}

/// Sums of one column.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sum {
    count: u64,
    total: i128,
    /// Smallest and largest.
    ends: Option<(i64, i64)>,
    spread: Spread,
}

/// A distribution in little memory while it is small.
#[derive(Clone, Debug, Default)]
struct Spread {
    few: Vec<u64>,
    many: Option<Box<Histogram>>,
}

impl Spread {
    #[inline]
    fn record(&mut self, value: u64) {
        match &mut self.many {
            Some(histogram) => histogram.record(value),
            None if self.few.len() < FEW_MAX => self.few.push(value),
            None => self.many().record(value),
        }
    }

    /// All of it as a histogram, from now on.
    fn many(&mut self) -> &mut Histogram {
        let few = std::mem::take(&mut self.few);
        let histogram = self.many.get_or_insert_default();
        few.into_iter().for_each(|value| histogram.record(value));
        histogram
    }

    fn merge(&mut self, other: &Self) {
        other.few.iter().for_each(|value| self.record(*value));
        if let Some(histogram) = &other.many {
            self.many().merge(histogram);
        }
    }

    /// The value at a share of all values, as every histogram of the program has it.
    fn quantile(&self, q: f64) -> Option<u64> {
        match &self.many {
            Some(histogram) => histogram.quantile_ns(q),
            None => self.clone().many().quantile_ns(q),
        }
    }
}

impl Sum {
    #[inline]
    pub(crate) fn record(&mut self, account: Account, value: i64) {
        self.count += 1;
        self.total += i128::from(value);
        self.ends = Some(self.ends.map_or((value, value), |(low, high)| (low.min(value), high.max(value))));
        if account.is_spread {
            self.spread.record(account.scaled(value));
        }
    }

    /// Adds a distribution of spans.
    pub(crate) fn add_spread(&mut self, histogram: &Histogram) {
        let exact = histogram.exact();
        if histogram.is_empty() {
            return;
        }
        let ends = (exact.min_ns as i64, exact.max_ns as i64);
        self.count += histogram.count();
        self.total += exact.sum_ns as i128;
        self.ends = Some(self.ends.map_or(ends, |(low, high)| (low.min(ends.0), high.max(ends.1))));
        self.spread.many().merge(histogram);
    }

    /// Adds the sum of `count` values, of which more is not known.
    pub(crate) fn add_total(&mut self, count: u64, total: u64) {
        self.count += count;
        self.total += i128::from(total);
    }

    fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.total += other.total;
        self.ends = match (self.ends, other.ends) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (mine, theirs) => mine.or(theirs),
        };
        self.spread.merge(&other.spread);
    }

    fn stat(&self, account: Account, stat: Stat) -> Option<f64> {
        match stat {
            Stat::Sum => Some(self.total as f64),
            Stat::Mean => (self.count > 0).then(|| self.total as f64 / self.count as f64),
            Stat::Min => self.ends.map(|(low, _)| low as f64),
            Stat::Max => self.ends.map(|(_, high)| high as f64),
            Stat::Quantile(q) => {
                let value = self.spread.quantile(q)? as f64;
                let value = if account.is_span { value } else { (value / SCALE as f64).floor() };
                // A bucket may reach beyond the values in it.
                self.ends.map(|(low, high)| value.clamp(low as f64, high as f64))
            }
        }
    }
}

impl Account {
    fn scaled(self, value: i64) -> u64 {
        let value = u64::try_from(value).unwrap_or(0);
        if self.is_span { value } else { value.saturating_mul(SCALE) }
    }
}

impl Stats {
    pub(crate) fn new(accounts: usize) -> Self {
        Self { count: 0, failures: Some(0), sums: vec![Some(Sum::default()); accounts] }
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.failures = self.failures.zip(other.failures).map(|(mine, theirs)| mine + theirs);
        for (mine, theirs) in self.sums.iter_mut().zip(&other.sums) {
            match (mine.as_mut(), theirs) {
                (Some(mine), Some(theirs)) => mine.merge(theirs),
                _ => *mine = None,
            }
        }
    }

    /// A figure; `None` when it is not known. `all` counts the exchanges of all groups, `span_s` is the time that rates are
    /// over.
    pub(crate) fn figure(&self, measure: &Measure, accounts: &[Account], all: u64, span_s: Option<f64>) -> Option<f64> {
        let count = self.count as f64;
        let per_s = |number: f64| span_s.filter(|span_s| *span_s > 0.0).map(|span_s| number / span_s);
        let sum = |column: usize| {
            let (account, sum) = accounts.iter().zip(&self.sums).find(|(account, _)| account.column == column)?;
            Some((*account, sum.as_ref()?))
        };
        match measure.what {
            MeasureKind::Count => Some(count),
            MeasureKind::Share => (all > 0).then(|| count / all as f64),
            MeasureKind::Rate => per_s(count),
            MeasureKind::Failures => self.failures.map(|failures| failures as f64),
            MeasureKind::FailureRate => {
                (self.count > 0).then(|| self.failures.map(|failures| failures as f64 / count))?
            }
            MeasureKind::Throughput(column) => per_s(sum(column)?.1.total as f64),
            MeasureKind::Stat(column, stat) => {
                let (account, sum) = sum(column)?;
                sum.stat(account, stat)
            }
        }
    }
}
