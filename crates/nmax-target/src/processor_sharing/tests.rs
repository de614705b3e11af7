use std::collections::VecDeque;

use proptest::prelude::*;

use super::*;
use crate::random::Random;

/// What a simulation saw after its first quarter, in which users get out of step.
struct Seen {
    throughput_per_s: f64,
    /// Averages over time: of the number in flight, and of the law's throughput at it.
    in_flight: f64,
    law_per_s: f64,
}

/// Runs until so many `departures`. `away_s` says for each departure after how many seconds the next request comes in
/// its place, `start` when the first ones come.
fn simulate(law: Usl, start: &[f64], departures: u64, mut away_s: impl FnMut(u64) -> f64) -> Seen {
    let random = Random::new(5);
    let mut system = ProcessorSharing::new(law);
    // Those who come, in order of time.
    let mut coming: VecDeque<u64> = start.iter().map(|at_s| (at_s * 1e9) as u64).collect();
    let (mut now_ns, mut count, mut number) = (0, 0_u64, 0);
    let (mut since_ns, mut in_flight, mut law_sum) = (0, 0.0, 0.0);
    while count < departures {
        let next_ns = [coming.front().copied(), system.next_ns()].into_iter().flatten().min().unwrap();
        let (inside, passed_ns) = (system.inside.len() as f64, (next_ns - now_ns) as f64);
        in_flight += inside * passed_ns;
        law_sum += throughput_at(law, inside) * passed_ns;
        now_ns = next_ns;
        system.advance(now_ns, |()| {
            count += 1;
            let back_ns = now_ns + (away_s(count) * 1e9) as u64;
            let key = coming.partition_point(|at_ns| *at_ns <= back_ns);
            coming.insert(key, back_ns);
            if count == departures / 4 {
                (since_ns, in_flight, law_sum) = (now_ns, 0.0, 0.0);
            }
        });
        while coming.front().is_some_and(|at_ns| *at_ns <= now_ns) {
            coming.pop_front();
            system.enter(0.5 + random.spread(number, 0), ());
            number += 1;
        }
    }
    let span_ns = (now_ns - since_ns) as f64;
    Seen {
        throughput_per_s: (departures - departures / 4) as f64 / span_ns * 1e9,
        in_flight: in_flight / span_ns,
        law_per_s: law_sum / span_ns,
    }
}

fn throughput_at(law: Usl, n: f64) -> f64 {
    if n == 0.0 { 0.0 } else { n / law.service_time_s(n) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Law: N users who come back at once get X(N) of the law, on either side of its peak.
    #[test]
    fn users_who_come_back_at_once_get_the_throughput_of_the_law(
        alpha in 0.0..0.3_f64,
        beta in 0.0..0.01_f64,
        gamma in 1.0..2_000.0_f64,
        users in 1_usize..100,
    ) {
        let law = Usl { contention: alpha, coherency: beta, unit_throughput_per_s: gamma };
        let seen = simulate(law, &vec![0.0; users], 40 * users as u64, |_| 0.0);
        prop_assert!((seen.in_flight / users as f64 - 1.0).abs() < 1e-3, "{}", seen.in_flight);
        let want = throughput_at(law, users as f64);
        prop_assert!((seen.throughput_per_s / want - 1.0).abs() < 0.03, "{} for {want}", seen.throughput_per_s);
    }

    /// Law: whatever the pauses between requests, the throughput is that of the law at every moment, and so on average.
    #[test]
    fn users_who_pause_get_the_throughput_of_the_law(
        alpha in 0.0..0.1_f64,
        beta in 0.0..1e-3_f64,
        users in 1_usize..60,
        pauses in 0.0..3.0_f64,
    ) {
        let law = Usl { contention: alpha, coherency: beta, unit_throughput_per_s: 100.0 };
        let random = Random::new(9);
        let away_s = |number| pauses * law.service_time_s(users as f64) * -random.unit(number, 1).ln();
        let seen = simulate(law, &vec![0.0; users], 400 + 40 * users as u64, away_s);
        prop_assert!((seen.throughput_per_s / seen.law_per_s - 1.0).abs() < 0.02, "{} for {}", seen.throughput_per_s, seen.law_per_s);
    }
}

/// In an open system an arrival finds n and makes it n + 1. A time that were fixed at arrival would belong to one user more
/// than there are on average: 324/s of the law at the 5.3 in flight at 300/s.
#[test]
fn arrivals_at_a_rate_meet_the_law_at_the_number_in_flight() {
    let law = Usl { contention: 0.05, coherency: 0.00422, unit_throughput_per_s: 80.0 };
    // X_peak is 464/s.
    for rate_per_s in [150.0, 300.0, 400.0, 440.0] {
        let start: Vec<f64> = (0..10_000).map(|number| f64::from(number) / rate_per_s).collect();
        let seen = simulate(law, &start, 9_000, |_| 1e6);
        let want = throughput_at(law, seen.in_flight);
        let off = seen.throughput_per_s / want - 1.0;
        assert!(off.abs() < 0.02, "{} for {want} at {rate_per_s}/s, N {}", seen.throughput_per_s, seen.in_flight);
    }
}

#[test]
fn everybody_leaves_at_the_instant_of_the_work() {
    // S(1) = 1 s, S(2) = 2 s.
    let law = Usl { contention: 1.0, coherency: 0.0, unit_throughput_per_s: 1.0 };
    let s = |seconds: f64| (seconds * 1e9) as u64;
    let mut system = ProcessorSharing::new(law);
    system.advance(s(10.0), |_| panic!("an empty system completes nothing"));
    assert_eq!(system.next_ns(), None);
    system.enter(1.0, "a");
    assert_eq!(system.next_ns(), Some(s(11.0)));
    system.advance(s(10.5), |_| panic!("half of it is left"));
    system.enter(0.75, "b");
    // Half a request at half the speed.
    assert_eq!(system.next_ns(), Some(s(11.5)));
    // Looked at much too late: a left at 11.5 and b, alone from then on, at 11.75.
    let mut left = Vec::new();
    system.advance(s(20.0), |who| left.push(who));
    assert_eq!(left, ["a", "b"]);
    assert_eq!(system.next_ns(), None);
}

#[test]
fn who_leaves_early_makes_room() {
    let law = Usl { contention: 1.0, coherency: 0.0, unit_throughput_per_s: 1.0 };
    let mut system = ProcessorSharing::new(law);
    system.advance(0, |_| {});
    let first = system.enter(1.0, "a");
    let second = system.enter(2.0, "b");
    assert_eq!(system.first().map(|(key, _)| key), Some(first));
    assert_eq!(system.next_ns(), Some(2_000_000_000));
    assert_eq!(system.leave(first), Some("a"));
    assert!(!system.holds(first) && system.holds(second));
    assert_eq!(system.next_ns(), Some(2_000_000_000), "two requests of work, alone");
    assert_eq!(system.leave(first), None);
}
