//! Conditions that end a run early, and how long each has not held.

use nmax_metrics::Nanos;
use nmax_plan::plan::Plan;

/// The plan's conditions with `abort`.
pub(super) struct Aborts {
    /// How long each may be violated; `None` for those that end nothing.
    limits: Vec<Option<Nanos>>,
    /// Since when each is violated without a break.
    since: Vec<Option<Nanos>>,
}

impl Aborts {
    pub(super) fn new(plan: &Plan) -> Self {
        let limit = |threshold: &nmax_plan::threshold::Threshold| threshold.abort.map(Nanos::from);
        let limits: Vec<_> = plan.thresholds.iter().map(limit).collect();
        Self { since: vec![None; limits.len()], limits }
    }

    /// Whether there is anything to look at.
    pub(super) fn any(&self) -> bool {
        self.limits.iter().any(Option::is_some)
    }

    /// Takes the conditions that do not hold at `now`; the first that has not held for too long.
    pub(super) fn check(&mut self, violated: &[usize], now: Nanos) -> Option<usize> {
        for (index, since) in self.since.iter_mut().enumerate() {
            *since = violated.contains(&index).then(|| since.unwrap_or(now));
        }
        let is_over = |index: &usize| match (self.limits[*index], self.since[*index]) {
            (Some(limit), Some(since)) => now.since(since) >= limit,
            _ => false,
        };
        (0..self.limits.len()).find(is_over)
    }
}

#[cfg(test)]
mod tests {
    use nmax_testkit::plans::home_page;

    use super::*;

    fn plan() -> std::sync::Arc<Plan> {
        let thresholds = r#"thresholds: [errors < 5, { condition: "failure_rate < 1%", abort: 3s }]"#;
        home_page(&format!("workload: {{ open: {{ rate: 1/s }} }}\n{thresholds}"))
    }

    #[test]
    fn a_run_ends_once_a_condition_has_not_held_for_its_time_without_a_break() {
        let mut aborts = Aborts::new(&plan());
        assert!(aborts.any());
        let at = Nanos::from_secs;
        assert_eq!(aborts.check(&[1], at(10)), None);
        assert_eq!(aborts.check(&[1], at(12)), None);
        assert_eq!(aborts.check(&[], at(12)), None, "a break begins the time anew");
        assert_eq!(aborts.check(&[1], at(13)), None);
        assert_eq!(aborts.check(&[1], at(15)), None);
        assert_eq!(aborts.check(&[1], at(16)), Some(1));
    }

    #[test]
    fn a_condition_without_abort_ends_nothing() {
        let mut aborts = Aborts::new(&plan());
        for second in 0..100 {
            assert_eq!(aborts.check(&[0], Nanos::from_secs(second)), None);
        }
    }
}
