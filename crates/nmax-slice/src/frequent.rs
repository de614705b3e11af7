//! Which keys of very many are the most frequent, in bounded memory.

use std::collections::HashMap;

use crate::column::Cell;

/// Keys that are kept at least.
pub(crate) const KEPT: usize = 20_000;

/// Counts of keys. One that stands for more than 1 in [`KEPT`] of all that was added is among them.
///
/// When twice as many keys are there, the count of the [`KEPT`]-th largest is taken from all, and what has none left goes.
/// Merged ones are first added up, so the answer does not depend on the order in which a map gives its keys.
///
/// Source: J. Misra and D. Gries, *Finding repeated elements*, Science of Computer Programming 2 (1982); merged as in
/// P. K. Agarwal et al., *Mergeable summaries*, PODS 2012.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frequent {
    counts: HashMap<Box<[Cell]>, u64>,
}

impl Frequent {
    pub(crate) fn add(&mut self, key: &[Cell], count: u64) {
        if let Some(known) = self.counts.get_mut(key) {
            *known += count;
            return;
        }
        if self.counts.len() >= 2 * KEPT {
            self.thin();
        }
        self.counts.insert(key.into(), count);
    }

    pub(crate) fn merge(&mut self, other: &Self) {
        for (key, count) in &other.counts {
            *self.counts.entry(key.clone()).or_default() += count;
        }
        if self.counts.len() > 2 * KEPT {
            self.thin();
        }
    }

    /// The keys with what is left of their counts.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&[Cell], u64)> {
        self.counts.iter().map(|(key, count)| (&**key, *count))
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    fn thin(&mut self) {
        let mut counts: Vec<u64> = self.counts.values().copied().collect();
        let (_, cut, _) = counts.select_nth_unstable_by(KEPT, |a, b| b.cmp(a));
        let cut = *cut;
        self.counts.retain(|_, count| {
            *count = count.saturating_sub(cut);
            *count > 0
        });
        self.counts.shrink_to(2 * KEPT);
    }
}

#[cfg(test)]
mod tests;
