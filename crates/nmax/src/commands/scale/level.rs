//! The plan of one level: the same scenarios at one load, for a warm-up and a measured part.

use std::time::Duration;

use nmax_plan::plan::{Arrivals, Plan, Workload};
use nmax_plan::schedule::{Stage, StageKind};
use nmax_plan::threshold::Threshold;

use super::axis::Load;

/// Width of a window of a level: the transient is cut in such steps.
pub(super) const WINDOW: Duration = Duration::from_millis(100);
/// Iterations of an open level that may be in flight, where the plan is closed and says nothing.
const MAX_IN_FLIGHT: u32 = 10_000;

/// How long a level takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Times {
    /// Left out.
    pub(super) warm_up: Duration,
    /// Measured.
    pub(super) hold: Duration,
}

impl Times {
    /// Whole windows: of a given length, or a fortieth of the budget, from 2 to 30 s, after a fifth of it.
    pub(super) fn of(budget: Duration, hold: Option<Duration>, warm_up: Option<Duration>) -> Self {
        let (least, most) = (Duration::from_secs(2), Duration::from_secs(30));
        let hold = whole(hold.unwrap_or_else(|| (budget / 40).clamp(least, most)));
        let warm_up = whole(warm_up.unwrap_or_else(|| (hold / 5).max(5 * WINDOW)));
        Self { warm_up, hold }
    }

    /// The same with twice the measured part.
    pub(super) fn longer(self) -> Self {
        Self {
            hold: 2 * self.hold,
            ..self
        }
    }

    /// Both.
    pub(super) fn total(self) -> Duration {
        self.warm_up + self.hold
    }
}

/// Rounded up to whole windows.
fn whole(length: Duration) -> Duration {
    let windows = length.as_nanos().div_ceil(WINDOW.as_nanos());
    WINDOW * u32::try_from(windows).unwrap_or(u32::MAX)
}

/// Users of a closed plan at 100 %.
fn vus(plan: &Plan) -> u32 {
    match plan.written.as_ref().unwrap_or(&plan.workload) {
        Workload::Closed { vus } => *vus,
        Workload::Open { .. } => 1,
    }
}

/// The plan at a level of load.
///
/// Its scenarios, checks, pauses, data and limits stay; stages, profile, number of iterations and timeline do not.
///
/// - `seed`: of every choice; another one for each run, so that replicates tell something of their own
/// - `objective`: a condition whose value the run shall give
pub(super) fn plan(
    base: &Plan,
    load: Load,
    level: f64,
    times: Times,
    seed: u64,
    objective: Option<&Threshold>,
) -> Plan {
    let (workload, level) = match load {
        Load::Vus => (Workload::Closed { vus: level as u32 }, level),
        Load::Workers => {
            let vus = vus(base).saturating_mul(level as u32);
            (Workload::Closed { vus }, f64::from(vus))
        }
        Load::Rate => (open(base, level), level),
    };
    let stage = |length: Duration, kind| Stage {
        from: level,
        to: level,
        length_ns: Some(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)),
        kind,
    };
    let mut thresholds = base.thresholds.clone();
    thresholds.extend(objective.cloned());
    Plan {
        workload,
        written: None,
        stages: [(times.warm_up, StageKind::WarmUp), (times.hold, StageKind::Hold)]
            .into_iter()
            .filter(|(length, _)| !length.is_zero())
            .map(|(length, kind)| stage(length, kind))
            .collect(),
        iterations: None,
        seed,
        thresholds,
        window: WINDOW,
        profile: None,
        compress: 1.0,
        timeline: Vec::new(),
        ..base.clone()
    }
}

fn open(base: &Plan, rate_per_s: f64) -> Workload {
    match base.written.as_ref().unwrap_or(&base.workload) {
        Workload::Open {
            arrivals,
            max_in_flight,
            ..
        } => Workload::Open {
            rate_per_s,
            arrivals: *arrivals,
            max_in_flight: *max_in_flight,
        },
        Workload::Closed { .. } => Workload::Open {
            rate_per_s,
            arrivals: Arrivals::Poisson,
            max_in_flight: MAX_IN_FLIGHT,
        },
    }
}

#[cfg(test)]
mod tests {
    use nmax_plan::document::write::to_yaml;
    use nmax_testkit::plans::home_page;

    use super::*;

    #[test]
    fn times_are_whole_windows() {
        let s = Duration::from_secs;
        assert_eq!(
            Times::of(s(600), None, None),
            Times {
                warm_up: s(3),
                hold: s(15)
            }
        );
        assert_eq!(Times::of(s(10), None, None).hold, s(2), "never too short");
        assert_eq!(Times::of(s(100_000), None, None).hold, s(30), "never too long");
        let odd = Times::of(s(60), Some(Duration::from_millis(1_234)), Some(Duration::ZERO));
        assert_eq!((odd.hold, odd.warm_up), (Duration::from_millis(1_300), Duration::ZERO));
        assert_eq!(odd.longer().total(), Duration::from_millis(2_600));
    }

    /// A level is a plan like any other: what its run stores reads back as it was.
    #[test]
    fn the_plan_of_a_level_reads_back() {
        let base = home_page("workload: { open: { rate: 100/s } }\nprofile: stress");
        let times = Times::of(Duration::from_secs(60), None, None);
        for (load, level) in [(Load::Vus, 7.0), (Load::Rate, 12.5), (Load::Workers, 2.0)] {
            let plan = plan(&base, load, level, times, 9, None);
            let back = crate::load::plan_of_manifest(&to_yaml(&plan)).unwrap();
            assert_eq!(back.stages, plan.stages, "{load:?}");
            assert_eq!((back.workload, back.window), (plan.workload, WINDOW), "{load:?}");
            assert_eq!((back.seed, back.profile), (9, None));
        }
    }

    #[test]
    fn an_axis_of_workers_gives_each_the_users_of_the_plan() {
        let base = home_page("workload: { closed: { vus: 8 } }");
        let times = Times::of(Duration::from_secs(60), None, None);
        assert_eq!(
            plan(&base, Load::Workers, 3.0, times, 1, None).workload,
            Workload::Closed { vus: 24 }
        );
    }
}
