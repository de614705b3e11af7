//! The peak that was seen, which needs no model.

use crate::analysis::ObservedPeak;
use crate::analysis::levels::{Level, Noise};

/// Share by which a neighbor has to be lower when replicates do not tell the noise.
const LOWER_SHARE: f64 = 0.05;
/// Share that is never enough, however well replicates agree.
const LOWER_SHARE_MIN: f64 = 0.01;
/// Deviations of replicates that count as more than noise.
const DEVIATIONS: f64 = 2.0;

/// The level with the largest mean throughput.
pub(crate) fn best(levels: &[Level]) -> Option<&Level> {
    levels.iter().max_by(|a, b| a.x.total_cmp(&b.x))
}

/// Share by which throughput has to be lower to be lower beyond noise: twice the deviation of replicates, else 5 %.
pub(crate) fn lower_share(levels: &[Level]) -> f64 {
    Noise::of_replicates(levels).map_or(LOWER_SHARE, |noise| (DEVIATIONS * noise.sd).max(LOWER_SHARE_MIN))
}

/// The largest throughput, when there are levels on both sides that are lower beyond noise, with the nearest of them.
pub(crate) fn observed_peak(levels: &[Level]) -> Option<ObservedPeak> {
    let top = best(levels)?;
    let limit = top.x * (1.0 - lower_share(levels));
    let is_lower = |level: &&Level| level.x <= limit;
    let below = levels.iter().rev().filter(|level| level.n < top.n).find(is_lower)?;
    let above = levels.iter().filter(|level| level.n > top.n).find(is_lower)?;
    Some(ObservedPeak {
        concurrency: top.n,
        throughput: top.x,
        between: (below.n, above.n),
    })
}
