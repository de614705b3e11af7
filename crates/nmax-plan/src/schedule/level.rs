//! Levels of stages: the mean between two instants, that of one instant, and stages cut there.

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
        (line(stage, a_ns - start_ns) + line(stage, b_ns - start_ns)) / 2.0 * (b_ns - a_ns) as f64
    });
    parts.sum::<f64>() / (to_ns - from_ns) as f64
}

/// Level of the line at `at_ns`, ns since the start of the run, and just after; 0 after the last stage. O(stages).
pub fn level_at(stages: &[Stage], at_ns: u64) -> f64 {
    let mut parts = stages.iter().zip(phases(stages));
    let covering = parts.find(|(_, phase)| phase.span.contains(at_ns));
    covering.map_or(0.0, |(stage, phase)| line(stage, at_ns - phase.span.start_ns))
}

/// The stages up to `at_ns`, the last one as far as it goes. O(stages).
pub fn cut(stages: &[Stage], at_ns: u64) -> Vec<Stage> {
    let begun = stages.iter().zip(phases(stages)).filter(|(_, phase)| phase.span.start_ns < at_ns);
    let kept = begun.map(|(stage, phase)| {
        let left_ns = at_ns - phase.span.start_ns;
        match stage.length_ns {
            Some(length_ns) if length_ns <= left_ns => *stage,
            _ => Stage { to: line(stage, left_ns), length_ns: Some(left_ns), ..*stage },
        }
    });
    kept.collect()
}

/// Level of a stage when `t_ns` of it have passed.
fn line(stage: &Stage, t_ns: u64) -> f64 {
    match stage.length_ns {
        Some(length_ns) if length_ns > 0 => stage.from + (stage.to - stage.from) * (t_ns as f64 / length_ns as f64),
        _ => stage.from,
    }
}
