//! What a completion asks of the processor, by the observed processes of the system under test.

use nmax_usl::{Demand, Estimate};

use crate::rig::LevelResult;

/// Fewest levels that give an interval.
const LEVELS_MIN: usize = 3;

/// D = CPU time per completion / cores, of all observed processes together, with the 95 % interval of its mean over the
/// levels that are used; `None` when nothing was observed.
///
/// ```text
/// D_i = U_i/(m·X_i),   D = mean of D_i ± t(.975, n−1)·s/√n
/// ```
///
/// - U_i: cores in use at level i; X_i: its throughput, per second; m: cores of this host
///
/// Source of D = U/X: P. J. Denning, J. P. Buzen, *Computing Surveys* 10 (1978), the utilization law.
pub(crate) fn estimate(rows: &[LevelResult], names: &[String], cores: u32) -> Option<Demand> {
    let used = rows.iter().filter(|kept| kept.row.used);
    let each: Vec<f64> = used
        .filter_map(|kept| Some((kept.facts.cores_used?, kept.row.x?)))
        .filter(|(cores_used, x)| *cores_used > 0.0 && *x > 0.0)
        .map(|(cores_used, x)| cores_used / x / f64::from(cores.max(1)))
        .collect();
    let n = each.len();
    if n == 0 {
        return None;
    }
    let mean = each.iter().sum::<f64>() / n as f64;
    let half = (n >= LEVELS_MIN).then(|| {
        let squares: f64 = each.iter().map(|one| (one - mean).powi(2)).sum();
        let df = (n - 1) as f64;
        nmax_usl::quantile::student_t(0.975, df) * (squares / df / n as f64).sqrt()
    });
    Some(Demand {
        name: match names {
            [] => format!("CPU of this host ({cores} cores)"),
            names => format!("CPU of {} ({cores} cores)", names.join(", ")),
        },
        seconds: Estimate {
            estimate: mean,
            low: half.map(|half| (mean - half).max(0.0)),
            high: half.map(|half| mean + half),
            at_bound: false,
        },
    })
}

#[cfg(test)]
mod tests {
    use nmax_report::scalability::Level;
    use nmax_usl::design::Outcome;

    use super::super::folder::Facts;
    use super::*;

    fn kept(x: f64, cores_used: Option<f64>, used: bool) -> LevelResult {
        LevelResult {
            outcome: Outcome::Invalid(String::new()),
            row: Level { x: Some(x), used, ..Level::default() },
            facts: Facts { cores_used, ..Facts::default() },
            judged: None,
            failed: None,
            is_gone: false,
            exit: nmax_run::Exit::Invalid,
            iterations_per_s: None,
        }
    }

    #[test]
    fn the_demand_is_processor_time_per_completion() {
        // 2 ms of CPU time per completion, on 4 cores.
        let rows: Vec<LevelResult> = [100.0, 200.0, 400.0].iter().map(|x| kept(*x, Some(x * 2e-3), true)).collect();
        let demand = estimate(&rows, &["web".into()], 4).unwrap();
        assert!((demand.seconds.estimate - 0.5e-3).abs() < 1e-12);
        let (low, high) = (demand.seconds.low.unwrap(), demand.seconds.high.unwrap());
        assert!((low - 0.5e-3).abs() < 1e-9 && (high - 0.5e-3).abs() < 1e-9, "no noise, no width");
        assert!(demand.name.contains("web"));
    }

    #[test]
    fn levels_that_are_not_used_say_nothing() {
        assert_eq!(estimate(&[kept(100.0, None, true), kept(100.0, Some(1.0), false)], &[], 2), None);
        let one = estimate(&[kept(100.0, Some(1.0), true)], &["web".into()], 2).unwrap();
        assert_eq!(one.seconds.low, None, "one level has no interval");
    }
}
