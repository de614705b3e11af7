//! Where a sequence of yes and no turns from mostly no to mostly yes: a change point, or a crossing, with its interval.

use crate::trend::lag1;

/// Fewest places after a change.
const AFTER_MIN: usize = 3;
/// Share of yes after a change: it is for good when at most one place in five goes back.
const AFTER_SHARE_MIN: f64 = 0.8;
/// Twice the loss of log-likelihood up to which a place belongs to the 95 % interval: P(max of two independent
/// exponential laws > x/2) = 5 % at x = 7.35.
const LOSS_MAX: f64 = 7.35;
/// How far from the change a crossing is looked for, relative to its load.
const REACH: f64 = 0.25;
/// Cells of the grid of crossings.
const CELLS: usize = 100;
/// Values of how gradual a crossing is, each half of the one before.
const TURNS: i32 = 8;
/// Probability of a place that differs for no reason of the load.
const CHANCE: f64 = 0.02;
/// Correlation of neighbors that is assumed at least.
const CORRELATION_MIN: f64 = 1.0 / 3.0;

/// A change from mostly no to mostly yes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Change {
    /// The first place after it; 0 when it was yes from the beginning.
    pub(crate) at: usize,
    /// The first place that may be it.
    pub(crate) low: usize,
    /// The last place that may be it.
    pub(crate) high: usize,
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
pub(crate) fn change(sequence: &[bool]) -> Option<Change> {
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

/// A load at which yes becomes more likely than no.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Crossing {
    /// The load.
    pub(crate) at: f64,
    /// Lower end of its 95 % interval.
    pub(crate) low: f64,
    /// Upper end of its 95 % interval.
    pub(crate) high: f64,
}

/// The crossing of a sequence that has a [`change`] for good, each place with its load, in ascending order.
///
/// Near a limit the figures of a system lie on both sides of it by chance, so the turn is gradual. It is taken as
///
/// ```text
/// P(yes at load x) = ε + (1 − 2ε) / (1 + e^(−(x − b)/s)),   ε = 2 %
/// ```
///
/// - b: the crossing
/// - s: how gradual it is, in units of the load
/// - ε: places that differ for no reason of the load
///
/// by maximum likelihood over a grid of b around the change and of s; the interval has each b whose likelihood, with
/// its own best s, is within 1.92 of the best (χ² with one degree of freedom), times (1 + ρ)/(1 − ρ) when neighbors are
/// correlated by ρ; that is taken as 1/3 at least, for the few places near a crossing cannot show less. It reaches at
/// least a step to both sides. O(n), with some thousand steps for each place near the change.
pub(crate) fn crossing(sequence: &[(f64, bool)]) -> Option<Crossing> {
    let yes: Vec<bool> = sequence.iter().map(|(_, yes)| *yes).collect();
    let found = change(&yes)?;
    let load = |place: usize| sequence[place].0;
    let middle = (load(found.at.saturating_sub(1)) + load(found.at)) / 2.0;
    if found.at == 0 {
        return Some(Crossing { at: load(0), low: load(0), high: load(found.high) });
    }
    let step = (load(sequence.len() - 1) - load(0)).max(0.0) / (sequence.len() - 1).max(1) as f64;
    let reach = (REACH * middle).max(3.0 * step);
    let near: Vec<(f64, bool)> =
        sequence.iter().copied().filter(|(load, _)| (load - middle).abs() <= 2.0 * reach).collect();
    let cell = 2.0 * reach / CELLS as f64;
    let scores: Vec<(f64, Turn)> = (0..=CELLS)
        .map(|place| middle - reach + cell * place as f64)
        .map(|at| (at, Turn::best(&near, at, reach)))
        .collect();
    let (at, best) = scores.iter().max_by(|a, b| a.1.score.total_cmp(&b.1.score))?;
    let correlation = lag1(&best.residuals(&near, *at)).clamp(CORRELATION_MIN, 0.9);
    let loss_max = 1.92 * (1.0 + correlation) / (1.0 - correlation);
    let is_near = |turn: &Turn| best.score - turn.score <= loss_max;
    let mut inside = scores.iter().filter(|(_, turn)| is_near(turn)).map(|(at, _)| *at);
    let low = inside.next().unwrap_or(*at);
    let high = inside.next_back().unwrap_or(low);
    let margin = step.max(cell);
    Some(Crossing { at: *at, low: (low - margin).max(0.0), high: high + margin })
}

/// A crossing that is more or less gradual.
#[derive(Clone, Copy, Debug)]
struct Turn {
    gradual: f64,
    /// Log-likelihood.
    score: f64,
}

impl Turn {
    /// The most likely one at this load.
    fn best(near: &[(f64, bool)], at: f64, reach: f64) -> Self {
        let of = |gradual: f64| {
            let one = |(load, yes): &(f64, bool)| {
                let chance = chance(*load, at, gradual);
                if *yes { chance.ln() } else { (1.0 - chance).ln() }
            };
            Self { gradual, score: near.iter().map(one).sum() }
        };
        let more_gradual = (1..TURNS).map(|turn| of(reach * 0.5_f64.powi(turn + 1)));
        more_gradual.fold(of(reach / 2.0), |best, turn| if turn.score > best.score { turn } else { best })
    }

    /// What each place differs from its probability.
    fn residuals(&self, near: &[(f64, bool)], at: f64) -> Vec<f64> {
        let residual = |(load, yes): &(f64, bool)| f64::from(*yes) - chance(*load, at, self.gradual);
        near.iter().map(residual).collect()
    }
}

/// Probability of yes at a load.
fn chance(load: f64, at: f64, gradual: f64) -> f64 {
    CHANCE + (1.0 - 2.0 * CHANCE) / (1.0 + (-(load - at) / gradual).exp())
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
