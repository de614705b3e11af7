//! The plan of one level: the same scenarios at one load, for a warm-up and a measured part.

use std::time::Duration;

use nmax_plan::plan::{Arrivals, Plan, Workload};
use nmax_plan::schedule::{Stage, StageKind};
use nmax_plan::threshold::Threshold;
use nmax_usl::random::Random;

use crate::axis::Load;

/// Width of a window of a level: the transient is cut in such steps.
pub(crate) const WINDOW: Duration = Duration::from_millis(100);
/// Iterations of an open level that may be in flight, where the plan is closed and says nothing.
const MAX_IN_FLIGHT: u32 = 10_000;

/// Shortest measured part that may be asked for: a few windows.
const HOLD_MIN: Duration = Duration::from_millis(500);
/// Completions that a level should have: their number then scatters by 10 % at most.
pub(crate) const COUNT_WANTED: f64 = 100.0;
/// Completions below which a level says little.
pub(crate) const COUNT_SAID: u64 = 30;
/// Most that the measured part is lengthened to, for any reason.
const STRETCH_MAX: u32 = 4;

/// How long a level takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Times {
    /// Left out.
    pub(crate) warm_up: Duration,
    /// Measured.
    pub(crate) hold: Duration,
}

impl Times {
    /// Whole windows: of a given length, or a fortieth of the budget, from 2 to 30 s, after a fifth of it.
    pub(crate) fn for_budget(budget: Duration, hold: Option<Duration>, warm_up: Option<Duration>) -> Self {
        let (least, most) = (Duration::from_secs(2), Duration::from_secs(30));
        let hold = whole(hold.unwrap_or_else(|| (budget / 40).clamp(least, most)));
        let warm_up = whole(warm_up.unwrap_or_else(|| (hold / 5).max(5 * WINDOW)));
        Self { warm_up, hold }
    }

    /// What is wrong with a length that was asked for.
    pub(crate) fn check(hold: Option<Duration>) -> Result<(), String> {
        match hold {
            Some(hold) if hold < HOLD_MIN => Err(format!(
                "--level-time {hold:?}: a level is measured in windows of {WINDOW:?} and needs a few of them\n  help: give \
                 {HOLD_MIN:?} or more"
            )),
            _ => Ok(()),
        }
    }

    /// The same with twice the measured part, as far as it may be lengthened.
    ///
    /// - `base`: what a level takes as a rule
    pub(crate) fn longer(self, base: Self) -> Option<Self> {
        let hold = 2 * self.hold;
        (hold <= STRETCH_MAX * base.hold).then_some(Self { hold, ..self })
    }

    /// The same with a measured part for enough completions at so many per second, at most four times as long.
    pub(crate) fn for_count(self, x: f64) -> Self {
        /// A little more than enough: throughput is known from a short level.
        const MARGIN: f64 = 1.1;
        let stretch = MARGIN * COUNT_WANTED / (x * self.hold.as_secs_f64());
        match stretch.is_finite() && stretch > MARGIN {
            true => Self { hold: whole(self.hold.mul_f64(stretch.min(f64::from(STRETCH_MAX)))), ..self },
            false => self,
        }
    }

    /// Both.
    pub(crate) fn total(self) -> Duration {
        self.warm_up + self.hold
    }
}

/// Rounded up to whole windows.
fn whole(length: Duration) -> Duration {
    let windows = length.as_nanos().div_ceil(WINDOW.as_nanos());
    WINDOW * u32::try_from(windows).unwrap_or(u32::MAX)
}

/// The workload of a plan at 100 %, so many times, and its users or its rate.
fn of_many(plan: &Plan, times: u32) -> (Workload, f64) {
    match plan.written.as_ref().unwrap_or(&plan.workload) {
        Workload::Closed { vus } => {
            let vus = vus.saturating_mul(times);
            (Workload::Closed { vus }, f64::from(vus))
        }
        Workload::Open { rate_per_s, arrivals, max_in_flight } => {
            let (rate_per_s, max_in_flight) = (rate_per_s * f64::from(times), max_in_flight.saturating_mul(times));
            (Workload::Open { rate_per_s, arrivals: *arrivals, max_in_flight }, rate_per_s)
        }
    }
}

/// The plan at a level of load.
///
/// Its scenarios, checks, pauses, data and limits stay; stages, profile, number of iterations and timeline do not.
///
/// - `seed`: of every choice; another one for each run, so that replicates tell something of their own
/// - `objective`: a condition whose value the run shall give
pub(crate) fn plan(
    base: &Plan,
    load: Load,
    level: f64,
    times: Times,
    seed: u64,
    objective: Option<&Threshold>,
) -> Plan {
    let (workload, level) = match load {
        Load::Vus => (Workload::Closed { vus: level as u32 }, level),
        Load::Workers | Load::Injectors => of_many(base, level as u32),
        Load::Rate => (open(base, level), level),
    };
    let (wait, ramp) = match workload {
        Workload::Closed { .. } => arrival(times.warm_up, level, seed),
        Workload::Open { .. } => (Duration::ZERO, Duration::ZERO),
    };
    let stage = |length: Duration, (from, to), kind| Stage {
        from,
        to,
        length_ns: Some(u64::try_from(length.as_nanos()).unwrap_or(u64::MAX)),
        kind,
    };
    let mut thresholds = base.thresholds.clone();
    thresholds.extend(objective.cloned());
    Plan {
        workload,
        written: None,
        stages: [
            (wait, (0.0, 0.0), StageKind::RampUp),
            (ramp, (0.0, level), StageKind::RampUp),
            (times.warm_up - wait - ramp, (level, level), StageKind::WarmUp),
            (times.hold, (level, level), StageKind::Hold),
        ]
        .into_iter()
        .filter(|(length, _, _)| !length.is_zero())
        .map(|(length, levels, kind)| stage(length, levels, kind))
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

/// How the users of a level arrive in the first half of its warm-up: the wait for the first, and the ramp from there on.
///
/// Users who start at once keep in step as long as their turns take the same time: then all of them complete once more,
/// or once less, in the measured part. So they start one after the other, at even distances; the wait is a part of the
/// distance, as the seed says, so that levels of one N do not all begin at the same place of a turn.
fn arrival(warm_up: Duration, vus: f64, seed: u64) -> (Duration, Duration) {
    // In whole milliseconds, as plans are read.
    let whole = |length: Duration| Duration::from_millis(length.as_millis() as u64);
    let half = whole(warm_up / 2);
    let wait = whole(half.mul_f64(Random::new(seed).uniform() / vus.max(1.0)));
    (wait, half - wait)
}

fn open(base: &Plan, rate_per_s: f64) -> Workload {
    match base.written.as_ref().unwrap_or(&base.workload) {
        Workload::Open { arrivals, max_in_flight, .. } => {
            Workload::Open { rate_per_s, arrivals: *arrivals, max_in_flight: *max_in_flight }
        }
        Workload::Closed { .. } => {
            Workload::Open { rate_per_s, arrivals: Arrivals::Poisson, max_in_flight: MAX_IN_FLIGHT }
        }
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
        assert_eq!(Times::for_budget(s(600), None, None), Times { warm_up: s(3), hold: s(15) });
        assert_eq!(Times::for_budget(s(10), None, None).hold, s(2), "never too short");
        assert_eq!(Times::for_budget(s(100_000), None, None).hold, s(30), "never too long");
        let odd = Times::for_budget(s(60), Some(Duration::from_millis(1_234)), Some(Duration::ZERO));
        assert_eq!((odd.hold, odd.warm_up), (Duration::from_millis(1_300), Duration::ZERO));
        let longer = odd.longer(odd).unwrap();
        assert_eq!(longer.total(), Duration::from_millis(2_600));
        assert_eq!(longer.longer(odd).unwrap().hold, Duration::from_millis(5_200));
        assert_eq!(longer.longer(odd).unwrap().longer(odd), None, "four times at most");
    }

    #[test]
    fn a_level_that_counts_few_is_lengthened() {
        let s = Duration::from_secs;
        let times = Times::for_budget(s(60), Some(s(2)), None);
        // throughput, measured part in ms
        let cases = [(1_000.0, 2_000), (50.0, 2_000), (40.0, 2_800), (20.0, 5_500), (1.0, 8_000)];
        for (x, hold_ms) in cases {
            assert_eq!(times.for_count(x).hold, Duration::from_millis(hold_ms), "{x}/s");
        }
        for x in [0.0, f64::NAN, -1.0] {
            assert!(times.for_count(x).hold <= s(8), "{x}/s");
        }
    }

    #[test]
    fn a_level_of_a_window_or_two_is_refused() {
        let ms = Duration::from_millis;
        assert!(Times::check(None).is_ok() && Times::check(Some(ms(500))).is_ok());
        for short in [0, 1, 499] {
            assert!(Times::check(Some(ms(short))).unwrap_err().contains("help:"), "{short}");
        }
    }

    /// Users come one after the other in the first half of the warm-up, all of them before the measured part.
    #[test]
    fn users_start_one_after_the_other() {
        let base = home_page("workload: { closed: { vus: 1 } }");
        let times = Times::for_budget(Duration::from_secs(60), None, None);
        for seed in 1..50 {
            let plan = plan(&base, Load::Vus, 10.0, times, seed, None);
            let closed = nmax_plan::schedule::Closed::new(&plan.stages).unwrap();
            let is_first = |vu| closed.active(vu, 0);
            let start = |vu| {
                if is_first(vu) { 0 } else { closed.next_change(vu, 0).unwrap() }
            };
            let starts: Vec<u64> = (0..10).map(start).collect();
            assert!(starts.windows(2).all(|pair| pair[0] < pair[1]), "{starts:?}");
            let half_ns = times.warm_up.as_nanos() as u64 / 2;
            assert!(starts[9] < half_ns && starts[9] > half_ns * 8 / 10, "{starts:?}");
            let hold = nmax_plan::schedule::hold_span(&plan.stages);
            assert_eq!(u128::from(hold.start_ns), times.warm_up.as_nanos());
        }
        let open = plan(&base, Load::Rate, 10.0, times, 1, None);
        assert_eq!(open.stages.len(), 2);
        let waits = (1..50).map(|seed| arrival(times.warm_up, 1.0, seed).0.as_millis());
        assert!(waits.collect::<std::collections::BTreeSet<_>>().len() > 30, "a lone user starts anywhere");
    }

    /// A level is a plan like any other: what its run stores reads back as it was.
    #[test]
    fn the_plan_of_a_level_reads_back() {
        let base = home_page("workload: { open: { rate: 100/s } }\nprofile: stress");
        let times = Times::for_budget(Duration::from_secs(60), None, None);
        for (load, level) in [(Load::Vus, 7.0), (Load::Rate, 12.5), (Load::Workers, 2.0), (Load::Injectors, 3.0)] {
            let plan = plan(&base, load, level, times, 9, None);
            let back = nmax_run::plan_of_manifest(&to_yaml(&plan)).unwrap();
            assert_eq!(back.stages, plan.stages, "{load:?}");
            assert_eq!((back.workload, back.window), (plan.workload, WINDOW), "{load:?}");
            assert_eq!((back.seed, back.profile), (9, None));
        }
    }

    #[test]
    fn an_axis_of_workers_gives_each_the_users_of_the_plan() {
        let base = home_page("workload: { closed: { vus: 8 } }");
        let times = Times::for_budget(Duration::from_secs(60), None, None);
        assert_eq!(plan(&base, Load::Workers, 3.0, times, 1, None).workload, Workload::Closed { vus: 24 });
        assert_eq!(plan(&base, Load::Injectors, 2.0, times, 1, None).workload, Workload::Closed { vus: 16 });
    }

    /// Each injector offers the rate of the plan, and may have as many in flight.
    #[test]
    fn an_axis_of_injectors_gives_each_the_rate_of_the_plan() {
        let base = home_page("workload: { open: { rate: 30/s, max_in_flight: 50 } }\nprofile: stress");
        let times = Times::for_budget(Duration::from_secs(60), None, None);
        let plan = plan(&base, Load::Injectors, 4.0, times, 1, None);
        let Workload::Open { rate_per_s, max_in_flight, .. } = plan.workload else { panic!("{:?}", plan.workload) };
        assert_eq!((rate_per_s, max_in_flight), (120.0, 200));
        assert!(plan.stages.iter().all(|stage| (stage.from, stage.to) == (120.0, 120.0)), "{:?}", plan.stages);
    }
}
