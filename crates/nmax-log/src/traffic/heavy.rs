//! The most frequent texts of a stream, in fixed memory, and how many different ones there were.
//!
//! Space-Saving (A. Metwally, D. Agrawal, A. El Abbadi, *Efficient computation of frequent and top-k elements in data
//! streams*, ICDT 2005): a text that is not kept takes the place and the count of the least frequent one. With m places
//! and n texts each count is too high by at most n/m, and each text that came more than n/m times is kept.

use super::hash::{IdMap, mix};
use super::profile::Counted;

/// One kept text.
#[derive(Clone, Debug)]
struct TrackedText {
    hash: u64,
    error: u64,
    /// Where it stands in the heap.
    at: u32,
    text: Vec<u8>,
}

/// A text while two counts are joined.
struct Sum {
    hash: u64,
    count: u64,
    error: u64,
    text: Vec<u8>,
}

/// The most frequent texts.
#[derive(Clone, Debug, Default)]
pub(crate) struct TopK {
    capacity: usize,
    texts: Vec<TrackedText>,
    by_hash: IdMap<u32>,
    /// Counts and places, the least count first.
    heap: Vec<(u64, u32)>,
    total: u64,
    /// Which texts came; only once they are more than are kept.
    distinct: Option<Box<Distinct>>,
}

impl TopK {
    pub(crate) fn new(capacity: usize) -> Self {
        Self { capacity: capacity.max(1), ..Self::default() }
    }

    /// Kept texts.
    pub(crate) fn len(&self) -> usize {
        self.texts.len()
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Counts a text by its hash. With `may_grow` it may take a place more. O(log k).
    pub(crate) fn add(&mut self, hash: u64, text: &[u8], may_grow: bool) {
        self.total += 1;
        if let Some(distinct) = &mut self.distinct {
            distinct.add(hash);
        }
        if let Some(place) = self.by_hash.get(&hash) {
            let at = self.texts[*place as usize].at as usize;
            self.heap[at].0 += 1;
            self.sink(at);
        } else if self.texts.len() < self.capacity && (may_grow || self.texts.is_empty()) {
            self.insert(hash, text, 1, 0);
        } else {
            self.replace(hash, text);
        }
    }

    fn insert(&mut self, hash: u64, text: &[u8], count: u64, error: u64) {
        let place = self.texts.len() as u32;
        let at = self.heap.len();
        self.texts.push(TrackedText { hash, error, at: at as u32, text: text.to_vec() });
        self.by_hash.insert(hash, place);
        self.heap.push((count, place));
        self.rise(at);
    }

    fn replace(&mut self, hash: u64, text: &[u8]) {
        if self.distinct.is_none() {
            let mut distinct = Box::new(Distinct::new());
            for place in &self.texts {
                distinct.add(place.hash);
            }
            distinct.add(hash);
            self.distinct = Some(distinct);
        }
        let (count, place) = self.heap[0];
        let kept = &mut self.texts[place as usize];
        self.by_hash.remove(&kept.hash);
        kept.hash = hash;
        kept.error = count;
        kept.text.clear();
        kept.text.extend_from_slice(text);
        self.by_hash.insert(hash, place);
        self.heap[0].0 = count + 1;
        self.sink(0);
    }

    /// Moves an entry whose count grew away from the front.
    fn sink(&mut self, mut at: usize) {
        loop {
            let left = 2 * at + 1;
            if left >= self.heap.len() {
                break;
            }
            let right = left + 1;
            let least = if right < self.heap.len() && self.heap[right].0 < self.heap[left].0 { right } else { left };
            if self.heap[least].0 >= self.heap[at].0 {
                break;
            }
            self.swap(at, least);
            at = least;
        }
    }

    fn rise(&mut self, mut at: usize) {
        while at > 0 {
            let above = (at - 1) / 2;
            if self.heap[above].0 <= self.heap[at].0 {
                break;
            }
            self.swap(at, above);
            at = above;
        }
    }

    fn swap(&mut self, one: usize, two: usize) {
        self.heap.swap(one, two);
        self.texts[self.heap[one].1 as usize].at = one as u32;
        self.texts[self.heap[two].1 as usize].at = two as u32;
    }

    /// Adds what another one counted; the bounds of both add up.
    pub(crate) fn merge(&mut self, other: Self) {
        let floor = |top: &Self| {
            if top.distinct.is_some() { top.heap.first().map_or(0, |(count, _)| *count) } else { 0 }
        };
        let (my_floor, their_floor) = (floor(self), floor(&other));
        let total = self.total + other.total;
        let mut distinct = match (self.distinct.take(), other.distinct.clone()) {
            (Some(mut one), Some(two)) => {
                one.merge(&two);
                Some(one)
            }
            (one, two) => one.or(two),
        };
        let mut all: IdMap<Sum> = IdMap::default();
        for (count, place) in &self.heap {
            let kept = &mut self.texts[*place as usize];
            // What the other one does not keep may have come there up to its floor.
            let sum = Sum {
                hash: kept.hash,
                count: count + their_floor,
                error: kept.error + their_floor,
                text: std::mem::take(&mut kept.text),
            };
            all.insert(kept.hash, sum);
        }
        for (count, place) in &other.heap {
            let theirs = &other.texts[*place as usize];
            let sum = all.entry(theirs.hash).or_insert_with(|| Sum {
                hash: theirs.hash,
                count: my_floor + their_floor,
                error: my_floor + their_floor,
                text: theirs.text.clone(),
            });
            sum.count = sum.count + count - their_floor;
            sum.error = sum.error + theirs.error - their_floor;
        }
        let mut all: Vec<Sum> = all.into_values().collect();
        all.sort_unstable_by_key(|sum| (std::cmp::Reverse(sum.count), sum.hash));
        if all.len() > self.capacity && distinct.is_none() {
            distinct = Some(Box::new(Distinct::new()));
        }
        if let Some(distinct) = &mut distinct {
            all.iter().for_each(|sum| distinct.add(sum.hash));
        }
        all.truncate(self.capacity);
        *self = Self::new(self.capacity);
        for sum in all {
            self.insert(sum.hash, &sum.text, sum.count, sum.error);
        }
        self.total = total;
        self.distinct = distinct;
    }

    /// How many different texts came; ± 3 % when not all are kept, and no more than came.
    pub(crate) fn distinct(&self) -> u64 {
        let kept = self.texts.len() as u64;
        let estimate = self.distinct.as_ref().map(|distinct| distinct.estimate());
        estimate.map_or(kept, |estimate| estimate.min(self.total).max(kept))
    }

    /// Whether [`Self::distinct`] is an estimate.
    pub(crate) fn is_estimate(&self) -> bool {
        self.distinct.is_some()
    }

    /// The kept texts, most frequent first; equals by text.
    pub(crate) fn ranked(&self, most: usize) -> Vec<Counted> {
        let mut order: Vec<(u64, &TrackedText)> =
            self.heap.iter().map(|(count, place)| (*count, &self.texts[*place as usize])).collect();
        order.sort_unstable_by(|(count_a, a), (count_b, b)| count_b.cmp(count_a).then_with(|| a.text.cmp(&b.text)));
        order.truncate(most);
        let counted = |(count, place): (u64, &TrackedText)| Counted {
            text: String::from_utf8_lossy(&place.text).into_owned(),
            count,
            error: place.error,
        };
        order.into_iter().map(counted).collect()
    }
}

/// Counts different values: HyperLogLog with 1024 registers (P. Flajolet et al., AofA 2007), standard error 3.25 %.
#[derive(Clone, Debug)]
pub(crate) struct Distinct {
    registers: [u8; REGISTERS],
}

const REGISTERS: usize = 1024;

impl Distinct {
    pub(crate) fn new() -> Self {
        Self { registers: [0; REGISTERS] }
    }

    pub(crate) fn add(&mut self, hash: u64) {
        let hash = mix(hash, 0x5eed);
        let register = &mut self.registers[(hash >> 54) as usize];
        let rank = ((hash << 10) | (1 << 9)).leading_zeros() as u8 + 1;
        *register = (*register).max(rank);
    }

    fn merge(&mut self, other: &Self) {
        for (mine, theirs) in self.registers.iter_mut().zip(&other.registers) {
            *mine = (*mine).max(*theirs);
        }
    }

    pub(crate) fn estimate(&self) -> u64 {
        let m = REGISTERS as f64;
        let sum: f64 = self.registers.iter().map(|rank| 0.5_f64.powi(i32::from(*rank))).sum();
        let raw = 0.7213 / (1.0 + 1.079 / m) * m * m / sum;
        let empty = self.registers.iter().filter(|rank| **rank == 0).count();
        let estimate = if raw <= 2.5 * m && empty > 0 { m * (m / empty as f64).ln() } else { raw };
        estimate.round() as u64
    }
}

/// Exponent s of Zipf's law p(r) ∝ r^−s by maximum likelihood over the first R ranks, with its standard error.
///
/// ```text
/// Σ c(r)·ln r / Σ c(r)  =  Σ r^−s·ln r / Σ r^−s,   r = 1..R
/// error = 1/√(Σ c(r) · variance of ln r under the law)
/// ```
///
/// R ends where counts fall below [`COUNT_MIN`]: ranks of rarer ones are an accident, and sorting by an accident makes
/// the law look steeper. `None` below [`RANKS_MIN`] ranks. O(R) for each of 60 halvings.
pub(crate) fn zipf_exponent(ranked: &[Counted]) -> Option<(f64, f64)> {
    let sure = ranked.iter().take_while(|entry| entry.count >= COUNT_MIN + entry.error * ERROR_FACTOR);
    let counts: Vec<f64> = sure.map(|entry| entry.count as f64).collect();
    if counts.len() < RANKS_MIN { None } else { zipf_over(&counts) }
}

/// The same over given counts, falling, whatever their number; `None` below two.
pub(crate) fn zipf_over(counts: &[f64]) -> Option<(f64, f64)> {
    if counts.len() < 2 {
        return None;
    }
    let logs: Vec<f64> = (1..=counts.len()).map(|rank| (rank as f64).ln()).collect();
    let total: f64 = counts.iter().sum();
    let mean = counts.iter().zip(&logs).map(|(count, log)| count * log).sum::<f64>() / total;
    let moments = |s: f64| {
        let (mut weight, mut first, mut second) = (0.0, 0.0, 0.0);
        for log in &logs {
            let p = (-s * log).exp();
            weight += p;
            first += p * log;
            second += p * log * log;
        }
        (first / weight, second / weight)
    };
    let (mut low, mut high) = (0.0, EXPONENT_MAX);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if moments(middle).0 > mean {
            low = middle;
        } else {
            high = middle;
        }
    }
    let s = 0.5 * (low + high);
    let (first, second) = moments(s);
    let variance = (second - first * first).max(1e-12);
    Some((s, 1.0 / (total * variance).sqrt()))
}

/// Requests of a target from which on its rank means something.
const COUNT_MIN: u64 = 10;
/// A count is used while it is this many times its possible error.
const ERROR_FACTOR: u64 = 10;
/// Ranks that an exponent needs.
const RANKS_MIN: usize = 8;
/// Steepest law looked for.
const EXPONENT_MAX: f64 = 5.0;

#[cfg(test)]
mod tests;
