//! The peak that was seen, which needs no model.

use crate::analysis::ObservedPeak;
use crate::analysis::levels::{Level, Noise};

/// Share by which a neighbor has to be lower when replicates do not tell the noise.
const LOWER_SHARE: f64 = 0.05;
/// Share that is never enough, however well replicates agree.
const LOWER_SHARE_MIN: f64 = 0.01;
/// Deviations that count as more than noise.
const DEVIATIONS: f64 = 2.0;
/// Share of the squares about a curve that never falls which one that rises and falls may leave.
const LEFT_SHARE: f64 = 0.1;
/// Levels above which neighbors are taken together: the largest of very many is luck.
const LEVELS_MAX: usize = 200;

/// The level with the largest mean throughput.
pub(crate) fn best(levels: &[Level]) -> Option<&Level> {
    levels.iter().max_by(|a, b| a.x.total_cmp(&b.x))
}

/// The largest throughput, when there are levels on both sides that are lower beyond noise, with the nearest of them.
///
/// Lower beyond noise is: by twice the deviation of replicates. Without replicates by 5 %, and then the levels have to
/// follow a curve that rises and falls: it leaves at most a tenth of the squares that the best curve leaves which never
/// falls. Scattered runs on a cap have no peak, however low one of them lies.
pub(crate) fn observed_peak(levels: &[Level]) -> Option<ObservedPeak> {
    if levels.len() > LEVELS_MAX {
        let size = levels.len().div_ceil(LEVELS_MAX);
        return of_levels(&levels.chunks(size).map(Level::merged).collect::<Vec<_>>());
    }
    of_levels(levels)
}

fn of_levels(levels: &[Level]) -> Option<ObservedPeak> {
    let top = best(levels)?;
    let replicates = Noise::of_replicates(levels);
    let share = match replicates {
        Some(noise) => (DEVIATIONS * noise.sd).max(LOWER_SHARE_MIN),
        None => LOWER_SHARE.max(DEVIATIONS * few_replicates(levels)),
    };
    let counting = |level: &Level| DEVIATIONS * top.counting.max(level.counting).sqrt();
    let is_lower = |level: &&Level| level.x <= top.x * (1.0 - share.max(counting(level)));
    let below = levels.iter().rev().filter(|level| level.n < top.n).find(is_lower)?;
    let above = levels.iter().filter(|level| level.n > top.n).find(is_lower)?;
    (replicates.is_some() || falls(levels, top)).then_some(ObservedPeak {
        concurrency: top.n,
        throughput: top.x,
        between: (below.n, above.n),
    })
}

/// Deviation of the few replicates that there are; they are too few to be all that is known.
fn few_replicates(levels: &[Level]) -> f64 {
    let df: usize = levels.iter().map(|level| level.runs.len() - 1).sum();
    let squares: f64 = levels.iter().map(|level| level.squares).sum();
    if df == 0 { 0.0 } else { (squares / df as f64).sqrt() }
}

/// Whether levels rise up to the top and fall from there on, rather than scatter about what never falls.
fn falls(levels: &[Level], top: &Level) -> bool {
    let (before, after) = levels.split_at(levels.partition_point(|level| level.n <= top.n));
    let never_falls = rising(levels.iter());
    let rises_and_falls = rising(before.iter()) + rising(after.iter().rev());
    rises_and_falls <= LEFT_SHARE * never_falls
}

/// The least sum of squares of ln X about a curve that never falls, by pooling neighbors that do. O(levels).
///
/// Source: R. E. Barlow et al., *Statistical Inference under Order Restrictions* (1972), ch. 1.
fn rising<'a>(levels: impl Iterator<Item = &'a Level>) -> f64 {
    // Mean, weight and sum of squares of each block.
    let mut blocks: Vec<(f64, f64, f64)> = Vec::new();
    for level in levels {
        let mut block = (level.ln_x, level.weight, 0.0);
        while let Some((mean, weight, squares)) = blocks.pop_if(|(mean, _, _)| *mean > block.0) {
            let sum = weight + block.1;
            let apart = weight * block.1 / sum * (mean - block.0).powi(2);
            block = ((mean * weight + block.0 * block.1) / sum, sum, squares + block.2 + apart);
        }
        blocks.push(block);
    }
    blocks.iter().map(|(_, _, squares)| squares).sum()
}
