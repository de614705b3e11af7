//! Where a sequence of yes and no turns from mostly no to mostly yes: a change point with its interval.

/// Fewest places after a change.
const AFTER_MIN: usize = 3;
/// Share of yes after a change: it is for good when at most one place in five goes back.
const AFTER_SHARE_MIN: f64 = 0.8;
/// Twice the loss of log-likelihood up to which a place belongs to the 95 % interval: P(max of two independent
/// exponential laws > x/2) = 5 % at x = 7.35.
const LOSS_MAX: f64 = 7.35;

/// A change from mostly no to mostly yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Change {
    /// The first place after it; 0 when it was yes from the beginning.
    pub at: usize,
    /// The first place that may be it.
    pub low: usize,
    /// The last place that may be it.
    pub high: usize,
}

/// The most likely change for good; `None` when there is none.
///
/// The places before and after it are taken as independent with one probability of yes each. The logarithm of the
/// likelihood of a change at τ is
///
/// ```text
/// l(τ) = h(k₀, τ) + h(k − k₀, n − τ),   h(a, n) = a·ln(a/n) + (n − a)·ln((n − a)/n)
/// ```
///
/// - k₀: yes before τ; k: yes in all of n
///
/// Only a τ counts with at least 3 places and 80 % of yes after it, and half of that share at most before it. The
/// interval has each τ with 2·(l(max) − l(τ)) ≤ 7.35. Single places that differ move nothing. O(n).
///
/// Source: D. V. Hinkley, *Inference about the change-point in a sequence of binomial variables*, Biometrika 1970.
pub fn change(sequence: &[bool]) -> Option<Change> {
    let n = sequence.len();
    let all = sequence.iter().filter(|yes| **yes).count();
    let mut before = 0;
    let mut scores = vec![f64::NEG_INFINITY; n];
    for (at, yes) in sequence.iter().enumerate() {
        let (after, places) = (all - before, n - at);
        let share = after as f64 / places as f64;
        let share_before = if at == 0 { 0.0 } else { before as f64 / at as f64 };
        if places >= AFTER_MIN && share >= AFTER_SHARE_MIN && share_before <= share / 2.0 {
            scores[at] = likelihood(before, at) + likelihood(after, places);
        }
        before += usize::from(*yes);
    }
    let (at, best) = scores.iter().copied().enumerate().max_by(|a, b| a.1.total_cmp(&b.1))?;
    if !best.is_finite() {
        return None;
    }
    let near = |score: &f64| 2.0 * (best - score) <= LOSS_MAX;
    Some(Change {
        at,
        low: scores.iter().position(near).unwrap_or(at),
        high: scores.iter().rposition(near).unwrap_or(at),
    })
}

fn likelihood(yes: usize, n: usize) -> f64 {
    let part = |count: usize| match count {
        0 => 0.0,
        _ => count as f64 * (count as f64 / n as f64).ln(),
    };
    part(yes) + part(n - yes)
}

#[cfg(test)]
mod tests;
