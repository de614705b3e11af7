//! A shape that no law has: a cap, or two straight pieces.

use super::{Code, Effect, Facts, Finding};
use crate::analysis::levels::Level;
use crate::analysis::wording::{number, rough};
use crate::ladder::{self, LEAD};
use crate::model::{Curve, Model};

/// Distance in AICc by which another shape has to beat the law to take its peak away.
const SHAPE_LEAD: f64 = 6.0;
/// Throughput by which a cap is passed so far that it is none: noise alone passes it by less.
const CAP_PASSED: f64 = 1.25;
/// Places tried for the bend of two pieces.
const PLACES: usize = 60;
/// Levels that two pieces need: 4 parameters and the variance.
const LEVELS_MIN: usize = 6;
/// Parameters of two pieces that AICc counts: level, two slopes, the bend and the variance.
const PIECES_PARAMETERS: usize = 5;

/// A cap or a bend that explains the data better than the law.
pub(crate) fn shape_change(facts: &Facts) -> Option<Finding> {
    let law = ladder::rung(facts.ladder, Model::Usl)?.aicc;
    cap(facts, law).or_else(|| bend(facts, law))
}

fn cap(facts: &Facts, law: f64) -> Option<Finding> {
    let knee = ladder::rung(facts.ladder, Model::Knee).filter(|rung| rung.delta <= LEAD)?;
    let Curve::Knee { unit_throughput, cap } = knee.curve else {
        return None;
    };
    let (bend, n_hi) = (cap / unit_throughput, facts.levels.last()?.n);
    let lead = law - knee.aicc;
    // What was passed by far is no cap.
    let passed = facts.observations.iter().any(|o| o.x > CAP_PASSED * cap);
    if lead <= SHAPE_LEAD || !lead.is_finite() || bend >= n_hi || passed {
        return None;
    }
    let text = format!(
        "A resource caps throughput at {}/s from N = {} on: a straight line with a cap explains the data better than the law, \
         by {lead:.1} in AICc. No peak is stated. Look for what is full there: cores, a pool of connections or threads, a \
         network card, a limit of rate.",
        number(cap),
        rough(bend),
    );
    let beyond = facts.levels.iter().filter(|level| level.n > bend);
    Some(Finding::new(Code::ShapeChange, Effect::Warn, facts.rows_of(beyond), text))
}

fn bend(facts: &Facts, law: f64) -> Option<Finding> {
    let pieces = Pieces::fit(facts.levels)?;
    let aicc = ladder::aicc(facts.observations.len(), pieces.rss, PIECES_PARAMETERS);
    let lead = law - aicc;
    let best = ladder::least(facts.ladder, |_| true);
    if lead <= SHAPE_LEAD || !lead.is_finite() || aicc >= best {
        return None;
    }
    let beyond = || facts.levels.iter().filter(|level| level.n > pieces.bend);
    let most = beyond().map(|level| level.x).fold(0.0, f64::max);
    let text = format!(
        "The shape of the data changes at N = {}: throughput grows as N^{:.2} before and as N^{:.2} after, and two such pieces \
         explain the data better than any law, by {lead:.1} in AICc better than the USL. Beyond it no more than {}/s was \
         measured. No peak is stated. Look for what sets in there: a full resource, another configuration, a second system.",
        rough(pieces.bend),
        pieces.before,
        pieces.after,
        number(most),
    );
    Some(Finding::new(Code::ShapeChange, Effect::Warn, facts.rows_of(beyond()), text))
}

/// Two straight pieces in logarithms that meet at a bend.
///
/// ```text
/// ln X = a + p·ln N + c·max(0, ln N − ln N_bend)
/// ```
struct Pieces {
    /// N where they meet.
    bend: f64,
    /// Exponent of N before.
    before: f64,
    /// Exponent of N after.
    after: f64,
    /// Residual sum of squares of ln X.
    rss: f64,
}

impl Pieces {
    /// The best bend of [`PLACES`], with at least two levels on each side. O(levels).
    fn fit(levels: &[Level]) -> Option<Self> {
        if levels.len() < LEVELS_MIN {
            return None;
        }
        let (first, last) = (levels[1].n.ln(), levels[levels.len() - 2].n.ln());
        let within: f64 = levels.iter().map(|level| level.squares).sum();
        let places = (0..=PLACES).map(|i| first + (last - first) * i as f64 / PLACES as f64);
        let fits = places.filter_map(|place| {
            let ([_, before, turn], rss) = least_squares(levels, place)?;
            Some(Self { bend: place.exp(), before, after: before + turn, rss: rss + within })
        });
        fits.min_by(|a, b| a.rss.total_cmp(&b.rss))
    }
}

/// Coefficients (a, p, c) for a bend at `place`, and the weighted sum of squares of the means.
fn least_squares(levels: &[Level], place: f64) -> Option<([f64; 3], f64)> {
    // About the bend the columns stay far from each other.
    let row = |level: &Level| {
        let x = level.n.ln() - place;
        [1.0, x, x.max(0.0)]
    };
    let mut sums = [[0.0; 4]; 3];
    for level in levels {
        let f = row(level);
        for (sum, fi) in sums.iter_mut().zip(f) {
            for (cell, value) in sum.iter_mut().zip([f[0], f[1], f[2], level.ln_x]) {
                *cell += level.weight * fi * value;
            }
        }
    }
    let solution = eliminate(sums)?;
    let residual = |level: &Level| {
        let f = row(level);
        level.ln_x - f.iter().zip(solution).map(|(f, c)| f * c).sum::<f64>()
    };
    let rss = levels.iter().map(|level| level.weight * residual(level).powi(2)).sum();
    Some((solution, rss))
}

/// Gauss–Jordan elimination with the largest pivot; `None` for a singular matrix.
fn eliminate(mut m: [[f64; 4]; 3]) -> Option<[f64; 3]> {
    const PIVOT_MIN: f64 = 1e-12;
    for i in 0..3 {
        let pivot = (i..3).max_by(|a, b| m[*a][i].abs().total_cmp(&m[*b][i].abs()))?;
        m.swap(i, pivot);
        let head = m[i];
        if head[i].abs() < PIVOT_MIN {
            return None;
        }
        for (j, row) in m.iter_mut().enumerate() {
            if j != i {
                let factor = row[i] / head[i];
                row.iter_mut().zip(head).for_each(|(cell, value)| *cell -= factor * value);
            }
        }
    }
    Some([m[0][3] / m[0][0], m[1][3] / m[1][1], m[2][3] / m[2][2]])
}
