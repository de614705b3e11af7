//! Permutations of numbers: every number below n gets another one, and no two the same.

use crate::choice::mix64;

#[cfg(test)]
mod tests;

/// Rounds of the Feistel network; four make it look random, the rest is margin for tiny domains.
const ROUNDS: u64 = 8;

/// Where `index` goes under a permutation of 0, 1, …, `n` − 1 that `round` chooses.
///
/// A balanced Feistel network on the least even number of bits that hold `n` − 1, walked on until the
/// result is below `n` (at most four steps in the mean). Bijective whatever `round` returns.
///
/// Source: J. Black, P. Rogaway, *Ciphers with Arbitrary Finite Domains*, CT-RSA 2002 (cycle walking).
/// Law: `a_permutation_meets_every_number_once`.
pub(crate) fn permute(n: u64, index: u64, round: impl Fn(u64, u64) -> u64) -> u64 {
    let half = (u64::BITS - n.saturating_sub(1).leading_zeros()).div_ceil(2).max(1);
    let mask = (1 << half) - 1;
    let mut at = index;
    loop {
        let (mut left, mut right) = (at >> half, at & mask);
        for number in 0..ROUNDS {
            (left, right) = (right, (left ^ round(number, right)) & mask);
        }
        at = left << half | right;
        if at < n {
            return at;
        }
    }
}

/// Lengths of the bands that [`spread`] keeps apart, but for the last, which is the rest.
const BANDS: [u64; 3] = [10_000, 10_000_000, 10_000_000_000];

/// A number of its own for each record, without the order of the records.
///
/// Bijective on all words: records below 10⁴ get the numbers below 10⁴, those from there to 10⁷ the numbers
/// from there to 10⁷, and so on, so that few records have short numbers.
/// Law: `spread_never_repeats`.
pub(crate) fn spread(key: u64, record: u64) -> u64 {
    banded(BANDS, u64::MAX, key, record)
}

/// A permutation of the numbers below `all` that keeps each band to itself.
fn banded<const N: usize>(bands: [u64; N], all: u64, key: u64, record: u64) -> u64 {
    let round = |number: u64, half| mix64(key ^ number << 56 ^ half);
    let mut from = 0;
    for end in bands {
        if record < end {
            return from + permute(end - from, record - from, round);
        }
        from = end;
    }
    from + permute(all - from, record - from, round)
}
