//! How often values occur: distinct values, the commonest ones, inequality, fitted laws; in bounded memory.
//!
//! In: values, one at a time. Out: a [`Skew`]. Up to [`Counter::EXACT`] different values everything is counted. Beyond,
//! two sketches go on: counts of a uniform sample of the *different values* (each counted from its first occurrence),
//! and candidates for the commonest values with a bound on their error. The result says which it is.
//!
//! Sources: P. B. Gibbons, *Distinct Sampling for Highly-Accurate Answers*, VLDB 2001; D. Anderson and others,
//! *A High-Performance Algorithm for Identifying Frequent Items in Data Streams*, IMC 2017 (Misra and Gries in batches).

use std::collections::HashMap;

use crate::choice::mix64;
use crate::hashes::fnv1a;

mod measure;
#[cfg(test)]
mod tests;

use measure::{gini, zipf_exponent};

/// Characters of a value that are kept.
const VALUE_MAX: usize = 200;

/// Counts values.
#[derive(Clone, Debug)]
pub struct Counter {
    exact: usize,
    count: u64,
    empty: u64,
    /// Values whose hash ends in `level` zeros, with their exact counts.
    sample: HashMap<Box<str>, u64>,
    level: u32,
    /// Used when `level` > 0.
    frequent: Frequent,
}

/// What was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Skew {
    /// Values that are not empty.
    pub count: u64,
    /// Empty ones.
    pub empty: u64,
    /// Different values; estimated when not exact, with a standard error of about half a percent.
    pub distinct: f64,
    /// Values beyond the first of each kind: `count` − `distinct`.
    pub duplicates: f64,
    /// Whether all of this was counted.
    pub is_exact: bool,
    /// The commonest values with their counts, the commonest first; counts are at most `top_error` too low.
    pub top: Vec<(String, u64)>,
    /// How much too low the counts of `top` may be.
    pub top_error: u64,
    /// Gini coefficient of the counts, in [0, 1); 0 when all values are equally common.
    pub gini: Option<f64>,
    /// Exponent s of the law count ∝ 1 / rank^s, fitted to the commonest values; `None` for fewer than ten.
    pub zipf: Option<f64>,
}

impl Counter {
    /// Different values that are counted one by one; some ten megabytes for values of ordinary length.
    pub const EXACT: usize = 65_536;

    /// Nothing counted yet.
    pub fn new() -> Self {
        Self::with_limit(Self::EXACT)
    }

    /// With another limit.
    pub fn with_limit(exact: usize) -> Self {
        Self {
            exact,
            count: 0,
            empty: 0,
            sample: HashMap::new(),
            level: 0,
            frequent: Frequent::new(exact.clamp(16, 4096)),
        }
    }

    /// Counts a value.
    pub fn add(&mut self, value: &str) {
        if value.is_empty() {
            self.empty += 1;
            return;
        }
        self.count += 1;
        // A long value is known by its beginning and its hash, so that memory is bounded.
        let shortened;
        let value = match value.char_indices().nth(VALUE_MAX).filter(|_| value.len() > VALUE_MAX) {
            None => value,
            Some((end, _)) => {
                shortened = format!("{}… {:016x}", &value[..end], fnv1a(value.as_bytes()));
                &shortened
            }
        };
        if self.level > 0 {
            self.frequent.add(value, 1);
            if rank(value) < self.level {
                return;
            }
        }
        if let Some(count) = self.sample.get_mut(value) {
            *count += 1;
            return;
        }
        self.sample.insert(value.into(), 1);
        while self.sample.len() > self.exact {
            self.thin();
        }
    }

    /// Halves the sample; what was counted up to now goes to the sketch of the commonest before the first time.
    fn thin(&mut self) {
        if self.level == 0 {
            // Sorted: what the sketch keeps depends on the order, and a map has another one in each process.
            let mut values: Vec<_> = self.sample.iter().collect();
            values.sort_unstable();
            for (value, count) in values {
                self.frequent.add(value, *count);
            }
        }
        self.level += 1;
        let level = self.level;
        self.sample.retain(|value, _| rank(value) >= level);
    }

    /// What was found so far, with the `top` commonest values.
    pub fn skew(&self, top: usize) -> Skew {
        let is_exact = self.level == 0;
        let scale = f64::powi(2.0, self.level as i32);
        let distinct = self.sample.len() as f64 * scale;
        let (mut all, top_error) = if is_exact {
            (self.sample.iter().map(|(value, count)| (value.as_ref(), *count)).collect::<Vec<_>>(), 0)
        } else {
            (self.frequent.items(), self.frequent.lost)
        };
        all.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        let weighted: Vec<(u64, f64)> = if is_exact {
            all.iter().map(|(_, count)| (*count, 1.0)).collect()
        } else {
            // Common values stand for themselves, the others for those that are not in the sample.
            all.retain(|(_, count)| *count > 2 * top_error.max(1));
            let common: HashMap<&str, u64> = all.iter().copied().collect();
            let rest = self.sample.iter().filter(|(value, _)| !common.contains_key(value.as_ref()));
            all.iter().map(|(_, count)| (*count, 1.0)).chain(rest.map(|(_, count)| (*count, scale))).collect()
        };
        let counts: Vec<u64> = all.iter().map(|(_, count)| *count).collect();
        Skew {
            count: self.count,
            empty: self.empty,
            distinct,
            duplicates: (self.count as f64 - distinct).max(0.0),
            is_exact,
            gini: gini(&weighted),
            zipf: zipf_exponent(&counts),
            top: all.into_iter().take(top).map(|(value, count)| (value.to_owned(), count)).collect(),
            top_error,
        }
    }

    /// How records spread when each of `shards` holds an equal number of different values, in their order.
    pub fn by_range(&self, shards: usize) -> Vec<f64> {
        let mut values: Vec<(&str, u64)> = self.sample.iter().map(|(value, count)| (value.as_ref(), *count)).collect();
        values.sort_unstable();
        let mut rows = vec![0.0; shards];
        for (at, (_, count)) in values.iter().enumerate() {
            rows[at * shards / values.len().max(1)] += *count as f64;
        }
        // A sample of the values holds a part of the records.
        let sampled: f64 = rows.iter().sum();
        let scale = if sampled > 0.0 { self.count as f64 / sampled } else { 1.0 };
        rows.into_iter().map(|row| row * scale).collect()
    }
}

impl Default for Counter {
    fn default() -> Self {
        Self::new()
    }
}

impl Skew {
    /// Share of all values that the `k` commonest hold, in [0, 1]; at most `top` of [`Counter::skew`] are known.
    pub fn top_share(&self, k: usize) -> f64 {
        let top: u64 = self.top.iter().take(k).map(|(_, count)| count).sum();
        top as f64 / self.count.max(1) as f64
    }
}

/// Zeros at the end of the hash of a value: at least k in one of 2^k values.
fn rank(value: &str) -> u32 {
    mix64(fnv1a(value.as_bytes())).trailing_zeros()
}

/// Candidates for the commonest values. A count is at most `lost` too low, and no value whose count is above `lost` is
/// missing; `lost` is at most the sum of all counts / `size`.
#[derive(Clone, Debug)]
struct Frequent {
    size: usize,
    counts: HashMap<Box<str>, u64>,
    lost: u64,
}

impl Frequent {
    fn new(size: usize) -> Self {
        Self { size, counts: HashMap::new(), lost: 0 }
    }

    fn add(&mut self, value: &str, count: u64) {
        if let Some(own) = self.counts.get_mut(value) {
            *own += count;
            return;
        }
        self.counts.insert(value.into(), count);
        if self.counts.len() >= 2 * self.size {
            // Takes the middle count from all; half of them go.
            let mut counts: Vec<u64> = self.counts.values().copied().collect();
            let (_, middle, _) = counts.select_nth_unstable(self.size);
            let middle = *middle;
            self.lost += middle;
            self.counts.retain(|_, count| {
                *count = count.saturating_sub(middle);
                *count > 0
            });
        }
    }

    fn items(&self) -> Vec<(&str, u64)> {
        self.counts.iter().map(|(value, count)| (value.as_ref(), *count)).collect()
    }
}
