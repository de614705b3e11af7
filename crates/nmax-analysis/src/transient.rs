//! Whether a short level of load has settled: where its throughput stops being a transient, and whether the rest stands
//! still.
//!
//! Made for levels of a few seconds, cut into short windows. [`crate::steadiness`] asks more of longer runs.

use crate::steady::stationary::{KPSS_CRITICAL, drift, kpss, mser5};

/// Change of throughput over a level that is accepted, either way, of its median.
pub const LEVEL_DRIFT_MAX: f64 = 0.05;
/// Completions that a stretch holds on average, at least.
const COMPLETIONS_MIN: f64 = 10.0;
/// Standard errors between the two halves of a level that are no noise.
const HALVES_ERRORS: f64 = 3.0;

/// What was found of a level.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Settled {
    /// Windows at its beginning that are a transient.
    pub skipped: usize,
    /// Relative change of the throughput, with its sign, when it does not stand still; `None` when nothing says so.
    pub moves: Option<f64>,
}

/// Looks at the completions of consecutive windows of equal width.
///
/// Neighbours are joined until each stretch holds ten completions on average. MSER-5 says how many of them are a
/// transient. What follows moves when it drifts by more than 5 % **and** KPSS rejects a constant level. A transient that
/// reaches the middle is one only if the halves differ by more than 5 % and three standard errors; of noise alone MSER
/// cuts a lot now and then, and then nothing is cut. Below four batches of five stretches nothing is known. O(n²) for
/// n ≤ 100 stretches, as [`crate::steadiness`].
pub fn find_steady_part(counts: &[u64]) -> Settled {
    let total: u64 = counts.iter().sum();
    if total == 0 {
        return Settled::default();
    }
    let by = (COMPLETIONS_MIN * counts.len() as f64 / total as f64).ceil().max(1.0) as usize;
    let series: Vec<f64> = counts.chunks_exact(by).map(|stretch| stretch.iter().sum::<u64>() as f64).collect();
    let Some(skipped) = mser5(&series) else {
        return Settled { skipped: 0, moves: halves(&series) };
    };
    let rest = &series[skipped..];
    let moves = match (drift(rest), kpss(rest)) {
        (Some(drift), Some(kpss)) if drift.abs() > LEVEL_DRIFT_MAX && kpss > KPSS_CRITICAL => Some(drift),
        _ => None,
    };
    Settled { skipped: skipped * by, moves }
}

/// Relative change from the first half to the second, when it is more than noise.
fn halves(series: &[f64]) -> Option<f64> {
    let (early, late) = series.split_at(series.len() / 2);
    let moments = |part: &[f64]| {
        let n = part.len() as f64;
        let mean = part.iter().sum::<f64>() / n;
        let squares: f64 = part.iter().map(|value| (value - mean).powi(2)).sum();
        (mean, squares / (n - 1.0).max(1.0) / n)
    };
    let ((before, of_before), (after, of_after)) = (moments(early), moments(late));
    let change = (after - before) / (before.max(after));
    let error = (of_before + of_after).sqrt();
    (change.abs() > LEVEL_DRIFT_MAX && (after - before).abs() > HALVES_ERRORS * error).then_some(change)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Counts around a level, by a rule of their own: a multiplicative generator, so that no draw is needed.
    fn noisy(level: impl Fn(usize) -> f64, n: usize, noise: f64, seed: u64) -> Vec<u64> {
        let mut state = seed | 1;
        let mut draw = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) as f64 / f64::from(1_u32 << 31) - 0.5
        };
        (0..n).map(|i| (level(i) * (1.0 + noise * draw())).round().max(0.0) as u64).collect()
    }

    #[test]
    fn a_constant_level_is_settled_from_its_beginning() {
        assert_eq!(find_steady_part(&[50; 40]), Settled::default());
        assert_eq!(find_steady_part(&[]), Settled::default());
        assert_eq!(find_steady_part(&[0; 40]), Settled::default());
        assert_eq!(find_steady_part(&[1; 40]).moves, None, "few completions are joined");
    }

    #[test]
    fn a_slow_start_is_cut_and_a_slope_moves() {
        let start = find_steady_part(&noisy(|i| if i < 10 { 40.0 } else { 100.0 }, 60, 0.05, 7));
        assert!((10..=15).contains(&start.skipped) && start.moves.is_none(), "{start:?}");
        let slope = find_steady_part(&noisy(|i| 100.0 + 2.0 * i as f64, 60, 0.05, 7));
        assert!(slope.moves.is_some_and(|moves| moves > 0.1), "{slope:?}");
        let fall = find_steady_part(&noisy(|i| if i < 40 { 100.0 } else { 60.0 }, 60, 0.05, 7));
        assert!(fall.moves.is_some_and(|moves| moves < -0.1), "{fall:?}");
    }

    #[test]
    fn noise_alone_is_seldom_taken_for_movement() {
        let alarms = (0..400).filter(|seed| find_steady_part(&noisy(|_| 80.0, 45, 0.3, *seed)).moves.is_some());
        assert!(alarms.count() <= 12, "at most 3 % of 400 noisy levels");
    }

    proptest! {
        /// Law: what is skipped leaves at least half of the level, whatever the counts.
        #[test]
        fn at_least_half_is_left(counts in proptest::collection::vec(0..200_u64, 0..120)) {
            let settled = find_steady_part(&counts);
            prop_assert!(2 * settled.skipped <= counts.len());
            prop_assert!(settled.moves.is_none_or(f64::is_finite));
        }
    }
}
