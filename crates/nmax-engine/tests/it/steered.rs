//! A load that is changed while it goes on: what a steered run starts, and when, is what its plan with the recorded changes
//! starts from the beginning.

use std::sync::Arc;
use std::time::Duration;

use nmax_metrics::{Nanos, Section};
use nmax_plan::plan::{Arrivals, Change, Plan, Workload};
use nmax_plan::schedule;
use nmax_testkit::plans::home_page;
use nmax_testkit::sim::{Options, Simulated, instant, simulate};

use crate::{ms, s};

fn change(at_ms: u64, to: Option<f64>, ramp_ms: u64) -> Change {
    Change { at: Duration::from_millis(at_ms), to, ramp: Duration::from_millis(ramp_ms) }
}

/// The plan after each of these changes.
fn steered(plan: &Arc<Plan>, changes: &[Change]) -> Vec<Arc<Plan>> {
    let mut last = Arc::clone(plan);
    let steer = |change: &Change| {
        last = Arc::new(last.steer(*change).unwrap());
        Arc::clone(&last)
    };
    changes.iter().map(steer).collect()
}

/// Steered on the way, 300 ms ahead of each change; and all of it planned from the beginning.
fn both(plan: &Arc<Plan>, changes: &[Change], workers: u32) -> (Simulated, Simulated, Arc<Plan>) {
    let plans = steered(plan, changes);
    let last = Arc::clone(plans.last().unwrap());
    let told = changes.iter().zip(plans).zip(0..);
    let told = told.map(|((change, plan), place)| (Nanos::from(change.at).since(ms(300)) + ms(place), plan));
    let options = Options { workers, ..Options::all() };
    let live = simulate(plan, instant(ms(7)), &Options { steered: told.collect(), ..options.clone() });
    (live, simulate(&last, instant(ms(7)), &options), last)
}

/// Who did what when, in order.
fn exchanges(run: &Simulated) -> Vec<(Nanos, u64, Nanos, Nanos)> {
    let raw = run.by_intended();
    let mut all: Vec<_> =
        raw.iter().map(|raw| (raw.sample.intended, raw.iteration, raw.sample.sent.unwrap(), raw.sample.done)).collect();
    all.sort_unstable();
    all
}

/// Says where two lists begin to differ.
#[track_caller]
fn check<T: PartialEq + std::fmt::Debug>(found: &[T], want: &[T], why: &str) {
    let place = found.iter().zip(want).take_while(|(found, want)| found == want).count();
    assert!(found == want, "{why}: number {place} is {:?}, not {:?}", found.get(place), want.get(place));
}

fn check_sums(live: &Simulated, planned: &Simulated, why: &str) {
    for section in Section::ALL {
        let sums = |run: &Simulated| {
            let load = run.totals.load(section);
            let stats = run.totals.total(section);
            (load.due, load.started, load.dropped().total(), load.in_flight_ns, stats.count(), stats.ended_within)
        };
        assert_eq!(sums(live), sums(planned), "{why}: {section:?}");
    }
    assert_eq!(live.end, planned.end, "{why}");
}

#[test]
fn starts_are_those_of_the_recorded_stages() {
    let shape = "stages: [{ ramp: 2s, to: 100% }, { hold: 15s }, { ramp: 3s, to: 0 }]";
    let cases = [
        (vec![change(5_000, Some(170.0), 0)], "up at once"),
        (vec![change(5_000, Some(3.0), 2_000)], "down by a ramp"),
        (vec![change(1_000, None, 0)], "held on the way up"),
        (vec![change(19_000, Some(80.0), 0)], "up again on the way down"),
        (vec![change(4_000, Some(0.0), 0), change(9_000, Some(60.0), 1_000)], "nothing for a while"),
        (vec![change(4_000, Some(333.3), 1_000), change(4_500, None, 0), change(12_000, Some(10.0), 0)], "three times"),
        (vec![change(6_000, Some(400.0), 0), change(6_000, Some(20.0), 0)], "twice at the same instant"),
    ];
    for arrivals in ["even", "poisson"] {
        let plan = home_page(&format!("workload: {{ open: {{ rate: 50/s, arrivals: {arrivals} }} }}\n{shape}"));
        for (changes, why) in &cases {
            let why = &format!("{why}, {arrivals}");
            for workers in [1, 3] {
                let (live, planned, last) = both(&plan, changes, workers);
                check(&exchanges(&live), &exchanges(&planned), why);
                check_sums(&live, &planned, why);
                let law = match last.workload {
                    Workload::Open { arrivals: Arrivals::Poisson, .. } => {
                        schedule::Arrivals::Poisson { seed: last.seed }
                    }
                    _ => schedule::Arrivals::Even,
                };
                let schedule = last.open_schedule(law).unwrap();
                let due: Vec<_> = (0..).map_while(|n| schedule.offset_ns(n)).map(Nanos).collect();
                let sent: Vec<_> = exchanges(&live).iter().map(|(intended, _, sent, _)| (*intended, *sent)).collect();
                check(&sent, &due.iter().map(|due| (*due, *due)).collect::<Vec<_>>(), why);
            }
        }
    }
}

#[test]
fn a_second_of_a_recorded_stage_has_its_starts() {
    let plan = home_page("workload: { open: { rate: 100/s } }\nduration: 20s");
    let (live, ..) = both(&plan, &[change(10_000, Some(250.0), 4_000)], 2);
    let raw = live.by_intended();
    let started = |second: u64| raw.iter().filter(|raw| raw.sample.intended.0 / 1_000_000_000 == second).count();
    let counts: Vec<_> = (9..16).map(started).collect();
    // The ramp gains 37.5/s a second; the first start is one ahead of the integral.
    assert_eq!(counts, [100, 119, 156, 194, 231, 250, 250]);
}

#[test]
fn users_come_and_go_by_the_recorded_stages() {
    let shape = "stages: [{ ramp: 2s, to: 100% }, { hold: 10s }, { ramp: 3s, to: 0 }]";
    let plan = home_page(&format!("workload: {{ closed: {{ vus: 6 }} }}\n{shape}"));
    let cases = [
        (vec![change(5_000, Some(11.0), 0)], "more than planned"),
        (vec![change(5_000, Some(2.0), 1_000)], "fewer"),
        (vec![change(1_000, None, 0)], "held on the way up"),
        (vec![change(4_000, Some(0.0), 0), change(8_000, Some(7.0), 2_000)], "none for a while"),
        (vec![change(14_000, Some(6.0), 0)], "those who had ended come back"),
    ];
    for (changes, why) in cases {
        for workers in [1, 2] {
            let (live, planned, last) = both(&plan, &changes, workers);
            check(&exchanges(&live), &exchanges(&planned), why);
            check_sums(&live, &planned, why);
            let schedule = last.closed_schedule().unwrap();
            let active =
                |at: Nanos| live.raw.iter().filter(|raw| raw.sample.intended <= at && at < raw.sample.done).count();
            for at in (0..15_000).step_by(250).map(ms) {
                // Those who are not active any more end what they have begun.
                let levels = [at.since(ms(7)), at].map(|at| schedule.level_at(at.0));
                let range = levels[0].min(levels[1])..=levels[0].max(levels[1]);
                assert!(range.contains(&(active(at) as u64)), "{why}: {} of {range:?} at {at:?}", active(at));
            }
        }
    }
}

#[test]
fn a_background_goes_on_beside_a_steered_mix() {
    let scenarios = "nmax: 1\ntarget: http://h.test\nscenarios: { home: { steps: [{ get: / }] }, beside: { steps: [{ get: /b }] } }\n";
    let closed = "workload: { closed: { vus: 3 }, background: { beside: { closed: { vus: 2 } } } }\nduration: 10s";
    let plan = nmax_testkit::plans::plan(&format!("{scenarios}{closed}"));
    let (live, planned, _) = both(&plan, &[change(4_000, Some(5.0), 0)], 2);
    check(&exchanges(&live), &exchanges(&planned), "live and planned");
    let mut users: Vec<_> = live.raw.iter().map(|raw| raw.vu).collect();
    users.sort_unstable();
    users.dedup();
    assert_eq!(users, [0, 1, 2, 3, 4, 5, 6], "each has a number of its own");
}

#[test]
fn a_number_of_iterations_ends_a_steered_run() {
    let plan = home_page("workload: { open: { rate: 10/s }, iterations: 100 }");
    let (live, planned, _) = both(&plan, &[change(2_000, Some(40.0), 0)], 2);
    check(&exchanges(&live), &exchanges(&planned), "live and planned");
    assert_eq!((live.exchanges(), live.end), (100, s(4) - ms(18)));
}
