//! The mean level of a schedule between two instants.

use super::{Stage, phases};

/// Mean level from `from_ns` to `to_ns`, ns since the start of the run: iterations per second or VUs.
///
/// ```text
/// (1 / (to − from)) · ∫ level(t) dt
/// ```
///
/// The level is 0 after the last stage, and the mean of an empty interval is 0. O(stages).
pub fn mean_level(stages: &[Stage], from_ns: u64, to_ns: u64) -> f64 {
    if to_ns <= from_ns {
        return 0.0;
    }
    let parts = stages.iter().zip(phases(stages)).map(|(stage, phase)| {
        let (start_ns, end_ns) = (phase.span.start_ns, phase.span.end_ns.unwrap_or(u64::MAX));
        let (a_ns, b_ns) = (start_ns.max(from_ns), end_ns.min(to_ns));
        if b_ns <= a_ns {
            return 0.0;
        }
        let level = |t_ns: u64| match stage.length_ns {
            Some(length_ns) if length_ns > 0 => {
                stage.from + (stage.to - stage.from) * ((t_ns - start_ns) as f64 / length_ns as f64)
            }
            _ => stage.from,
        };
        (level(a_ns) + level(b_ns)) / 2.0 * (b_ns - a_ns) as f64
    });
    parts.sum::<f64>() / (to_ns - from_ns) as f64
}
