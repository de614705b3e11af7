//! A distribution of whole numbers in logarithmic buckets: quantiles within 1.6 %, memory bounded by the range.

use serde::{Deserialize, Serialize};

/// Bits of a bucket's number within its octave: 32 buckets to the octave.
const SUB_BITS: u32 = 5;
const SUB: u64 = 1 << SUB_BITS;

/// Counts of values; the unit belongs to the field that holds it.
///
/// Values below 64 have a bucket each; above, 32 buckets share an octave, so that a quantile is off by at most 1/64.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(from = "Written", into = "Written")]
pub struct Dist {
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

/// How a [`Dist`] is written down. The quantiles are for readers; only the buckets are read back.
#[derive(Serialize, Deserialize)]
struct Written {
    count: u64,
    mean: f64,
    min: u64,
    #[serde(default)]
    p50: u64,
    #[serde(default)]
    p90: u64,
    #[serde(default)]
    p95: u64,
    #[serde(default)]
    p99: u64,
    max: u64,
    /// Middle of each bucket that holds something, and how often.
    buckets: Vec<(u64, u64)>,
}

impl From<Dist> for Written {
    fn from(dist: Dist) -> Self {
        let at = |q| dist.quantile(q).unwrap_or(0);
        Self {
            count: dist.count,
            mean: dist.mean().unwrap_or(0.0),
            min: dist.min,
            p50: at(0.5),
            p90: at(0.9),
            p95: at(0.95),
            p99: at(0.99),
            max: dist.max,
            buckets: dist.buckets().collect(),
        }
    }
}

impl From<Written> for Dist {
    fn from(written: Written) -> Self {
        let mut dist = Self::default();
        for (value, count) in written.buckets {
            dist.add_many(value, count);
        }
        if dist.count > 0 {
            dist.min = written.min;
            dist.max = written.max;
            dist.sum = (written.mean.max(0.0) * dist.count as f64).round() as u128;
        }
        dist
    }
}

fn index_of(value: u64) -> usize {
    let octave = (63 - (value | 1).leading_zeros()).saturating_sub(SUB_BITS);
    (u64::from(octave) * SUB + (value >> octave)) as usize
}

/// Middle of a bucket.
fn middle_of(index: usize) -> u64 {
    let index = index as u64;
    if index < 2 * SUB {
        return index;
    }
    let octave = index / SUB - 1;
    let low = (index - octave * SUB) << octave;
    low + (1 << octave) / 2
}

impl Dist {
    /// Counts a value. O(1).
    pub fn add(&mut self, value: u64) {
        self.add_many(value, 1);
    }

    /// Counts a value `count` times.
    pub fn add_many(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        let index = index_of(value);
        if index >= self.counts.len() {
            self.counts.resize(index + 1, 0);
        }
        self.counts[index] += count;
        self.min = if self.count == 0 { value } else { self.min.min(value) };
        self.max = self.max.max(value);
        self.count += count;
        self.sum += u128::from(value) * u128::from(count);
    }

    /// Adds what another one counted.
    pub fn merge(&mut self, other: &Self) {
        if other.count == 0 {
            return;
        }
        if other.counts.len() > self.counts.len() {
            self.counts.resize(other.counts.len(), 0);
        }
        for (mine, theirs) in self.counts.iter_mut().zip(&other.counts) {
            *mine += theirs;
        }
        self.min = if self.count == 0 { other.min } else { self.min.min(other.min) };
        self.max = self.max.max(other.max);
        self.count += other.count;
        self.sum += other.sum;
    }

    /// How many values there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// Smallest value.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// Largest value.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The value that a share `q` of all is not above, within 1.6 %; `None` without values.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        if self.count == 0 {
            return None;
        }
        let rank = ((q.clamp(0.0, 1.0) * self.count as f64).ceil() as u64).max(1);
        let mut seen = 0;
        for (index, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Some(middle_of(index).clamp(self.min, self.max));
            }
        }
        Some(self.max)
    }

    /// Middle and count of each bucket that holds something, rising.
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        let counts = self.counts.iter().enumerate();
        counts.filter(|(_, count)| **count > 0).map(|(index, count)| (middle_of(index), *count))
    }

    /// Largest distance between the two distribution functions, from 0 to 1 (Kolmogorov-Smirnov); `None` when one of them
    /// is empty. Values in one bucket count as equal.
    pub fn distance(&self, other: &Self) -> Option<f64> {
        if self.count == 0 || other.count == 0 {
            return None;
        }
        let mut largest = 0.0_f64;
        let (mut mine, mut theirs) = (0, 0);
        for index in 0..self.counts.len().max(other.counts.len()) {
            mine += self.counts.get(index).copied().unwrap_or(0);
            theirs += other.counts.get(index).copied().unwrap_or(0);
            let gap = mine as f64 / self.count as f64 - theirs as f64 / other.count as f64;
            largest = largest.max(gap.abs());
        }
        Some(largest)
    }

    /// The same where values count as equal that are no further apart than `slack` of one of them; `None` when one is empty.
    pub fn distance_within(&self, other: &Self, slack: impl Fn(u64) -> u64) -> Option<f64> {
        if self.count == 0 || other.count == 0 {
            return None;
        }
        Some(self.excess(other, &slack).max(other.excess(self, &slack)))
    }

    /// How much more of this one lies up to a value than of the other one up to that value and its slack, at most.
    fn excess(&self, other: &Self, slack: impl Fn(u64) -> u64) -> f64 {
        let mut theirs = other.buckets().peekable();
        let (mut mine, mut passed, mut most) = (0, 0, 0.0_f64);
        for (value, count) in self.buckets() {
            mine += count;
            let up_to = value.saturating_add(slack(value));
            while let Some((_, count)) = theirs.next_if(|(value, _)| *value <= up_to) {
                passed += count;
            }
            most = most.max(mine as f64 / self.count as f64 - passed as f64 / other.count as f64);
        }
        most
    }
}

#[cfg(test)]
mod tests;
