//! Oracles and laws of a day.

use nmax_usl::Usl;
use proptest::prelude::{ProptestConfig, prop_assert, prop_assert_eq, proptest};
use proptest::strategy::Strategy as Generator;

use super::*;

/// A node that does `capacity` requests a second, usable up to saturation, and as many times more as there are nodes.
pub(super) fn node(capacity: f64) -> Node {
    let law = Usl { contention: 0.0, coherency: 0.0, unit_throughput: capacity };
    Node { usable_per_s: capacity, saturation_per_s: capacity, service_s: 0.0, law }
}

/// A world of one region and patient clients, in which nothing fails and nodes come after 300 s.
pub(super) fn world(base_per_s: f64, node: Node, length_s: usize) -> World {
    World {
        course: Course { length_s, base: Base::Constant(base_per_s), events: Vec::new() },
        uncertainty: 0.0,
        node,
        regions: vec![Region { name: "here".into(), share: 1.0 }],
        zones: 3,
        failures: Vec::new(),
        provisioning: Provisioning {
            quantiles: vec![(0.5, 300.0)],
            never: 0.0,
            gives_up_s: 600.0,
            crowded: 1.0,
            after_s: 0.0,
        },
        clients: Clients {
            timeout_s: f64::INFINITY,
            retries: 0,
            backoff_s: 1.0,
            budget: None,
            by_hand: 0.0,
            pause_s: 10.0,
            session_requests: 8.0,
        },
        objective: Objective { limit_s: 1.0, share: 0.99 },
        prices: Prices::default(),
    }
}

pub(super) fn step(factor: f64, at_s: f64, lasts_s: f64) -> Event {
    Event { name: "link".into(), at_s, factor, shape: Shape::Step, lasts_s, decays_s: 0.0 }
}

#[track_caller]
fn close(found: f64, want: f64) {
    assert!((found - want).abs() <= 1e-5 * want.abs().max(1e-9), "{found} is not {want}");
}

/// Oracle 7 of the capacity reference: 2000/s times 3, five nodes of 1000/s, nine from 300 s on.
#[test]
fn a_step_waits_as_the_fluid_says() {
    let mut world = world(2000.0, node(1000.0), 1000);
    world.course.events.push(step(3.0, 0.0, 1e9));
    let mut policy = Policy::standing("more", 5);
    policy.schedule = vec![(0.5, 9)];
    // Asked for at 1 s, 299 s later there.
    world.provisioning.quantiles = vec![(0.5, 299.0)];
    let day = simulate(&world, &policy, 1);
    close(day.longest_wait_s, 50.0);
    let most = day.series.iter().map(|point| point.waiting).fold(0.0, f64::max);
    let at = |at_s: f64| day.series.iter().find(|point| point.at_s == at_s).unwrap();
    assert_eq!(day.series[1].at_s, 2.0);
    close(most, 300_000.0);
    close(at(298.0).waiting, 300_000.0);
    close(at(396.0).waiting, 3000.0 * 2.0);
    close(at(398.0).waiting + 1.0, 1.0);
    close(day.answered, 6.0e6);
}
/// Where a share p of all attempts is refused, requests have (1−p^k)/(1−p) attempts (oracle 10), and p^k are lost.
#[test]
fn refused_attempts_are_repeated_as_often_as_the_formula_says() {
    let mut world = world(2000.0, node(1000.0), 4000);
    world.clients = Clients { retries: 2, ..world.clients };
    let policy = Policy { answer: Answer::Shed, ..Policy::standing("one", 1) };
    let day = simulate(&world, &policy, 1);
    let point = day.series[600];
    let p = 1.0 - 1000.0 / point.offered;
    close(point.offered / point.demand, amplification(p, 3));
    close(point.lost / point.demand, p.powi(3));
}

/// Clients with a quota send at most 1 + b attempts for a request.
#[test]
fn a_quota_bounds_the_attempts() {
    let mut world = world(3000.0, node(1000.0), 3600);
    world.clients = Clients { timeout_s: 5.0, retries: 7, budget: Some(0.1), ..world.clients };
    let day = simulate(&world, &Policy::standing("one", 1), 1);
    assert!(day.attempts <= 1.1 * day.requests * (1.0 + 1e-9), "{}", day.attempts / day.requests);
    assert!(day.attempts > 1.09 * day.requests);
}

/// A region is lost at the peak: the other takes its load and is twice as full.
#[test]
fn regions_take_the_load_of_others() {
    let mut world = world(1000.0, node(100.0), 3600);
    world.regions = vec![Region { name: "a".into(), share: 0.5 }, Region { name: "b".into(), share: 0.5 }];
    world.failures.push(Failure { loss: Loss::Region(0), at_s: 600.0, lasts_s: 1200.0, chance: 1.0 });
    let day = simulate(&world, &Policy { answer: Answer::Shed, ..Policy::standing("ten", 12) }, 1);
    close(day.lost, 1200.0 * 400.0);
    close(day.minutes_out, 20.0);
    let day = simulate(&world, &Policy { answer: Answer::Shed, ..Policy::standing("twenty", 20) }, 1);
    close(day.lost + 1.0, 1.0);
}

/// The largest zone of three takes ⌈n/3⌉ nodes along, and they come back.
#[test]
fn a_zone_takes_its_nodes_along() {
    let mut world = world(1000.0, node(100.0), 3600);
    world.failures.push(Failure { loss: Loss::Zone(0), at_s: 600.0, lasts_s: 600.0, chance: 1.0 });
    let day = simulate(&world, &Policy { answer: Answer::Shed, ..Policy::standing("eleven", 11) }, 1);
    close(day.lost, 600.0 * 300.0);
    close(day.node_hours, 11.0);
}

/// A cold cache lets everything through: h(t) = h(1 − e^(−t/w)).
#[test]
fn a_cold_cache_lets_the_load_through() {
    let mut world = world(1000.0, node(100.0), 7200);
    world.failures.push(Failure { loss: Loss::Cache, at_s: 1000.0, lasts_s: 0.0, chance: 1.0 });
    let cache = Some(Cache { hit: 0.8, warms_s: 600.0, price_hour: 3.0 });
    let policy = Policy { cache, answer: Answer::Shed, ..Policy::standing("five", 5) };
    let day = simulate(&world, &policy, 1);
    // 1 − .8(1 − e^(−t/600)) of 1000/s are above 500/s until e^(−t/600) = 3/8.
    let until = 600.0 * (8.0_f64 / 3.0).ln();
    let integral = 200.0 * until + 800.0 * 600.0 * (1.0 - 3.0 / 8.0) - 500.0 * until;
    assert!((day.lost / integral - 1.0).abs() < 2e-3, "{} {integral}", day.lost);
    close(day.cost, 6.0);
}

/// Guesses take what is left: f full answers and g guesses with f + c·g = C and f + g = λ.
#[test]
fn guesses_fill_what_answers_leave() {
    let world = world(2000.0, node(100.0), 600);
    let policy = Policy { answer: Answer::Guess { cost: 0.1, worth: 0.5 }, ..Policy::standing("ten", 10) };
    let day = simulate(&world, &policy, 1);
    close(day.answered / 600.0, 800.0 / 0.9);
    close(day.guessed / 600.0, 2000.0 - 800.0 / 0.9);
    close(day.lost + 1.0, 1.0);
}

/// Nothing is launched while the management plane is down: 4.5 hours of it are 4.5 hours without a new node.
#[test]
fn a_dead_management_plane_launches_nothing() {
    let mut world = world(500.0, node(100.0), 8 * 3600);
    world.course.events.push(step(3.0, 3600.0, 1e6));
    let scale = Autoscale { least: 8, most: 100, ..setting::AUTOSCALE_DEFAULT };
    let policy = Policy { autoscale: Some(scale), answer: Answer::Shed, ..Policy::standing("scaled", 8) };
    let well = simulate(&world, &policy, 1);
    world.failures.push(Failure { loss: Loss::Management, at_s: 3600.0, lasts_s: 16_200.0, chance: 1.0 });
    let dead = simulate(&world, &policy, 1);
    let first = |day: &Outcome| day.series.iter().find(|point| point.nodes > 9.0).unwrap().at_s;
    assert!((first(&well) - 3960.0).abs() <= 90.0, "{}", first(&well));
    assert!((first(&dead) - 20_100.0).abs() <= 90.0, "{}", first(&dead));
    assert!(dead.lost > 10.0 * well.lost);
    close(dead.minutes_out, dead.series.iter().map(|point| point.out * 40.0 / 60.0).sum());
}

/// From some load on, the response time of M/M/c is longer than the limit for more than 1 % of requests.
#[test]
fn usable_capacity_meets_its_quantile() {
    // Oracle 4: m = 8, S = 10 ms; at 700/s the wait is longer than 41.51537 ms for 1 %.
    let usable = usable_of_queue(800.0, 0.01, 0.99, 0.06);
    close(world::slower_than(0.06, 800.0, 0.01, usable), 0.01);
    // One server: R is exponential with rate μ − λ, so λ = μ − ln 100/t.
    close(usable_of_queue(100.0, 0.01, 0.99, 0.1), 100.0 - 100.0_f64.ln() / 0.1);
    assert_eq!(usable_of_queue(100.0, 0.01, 0.99, 0.01), 0.0);
}

fn some_world() -> impl Generator<Value = (World, Policy)> {
    let loads = (10.0..400.0_f64, 1.0..6.0_f64, 0.0..1800.0_f64, 60.0..1800.0_f64, 0.0..600.0_f64);
    let clients = (0.5..20.0_f64, 0..4_usize, 0.2..8.0_f64, proptest::option::of(0.0..0.5_f64), 0.0..0.6_f64);
    let policy = (1..8_usize, 0..4_u8, 0.3..0.9_f64, proptest::option::of(0.0..500.0_f64), 0.0..0.8_f64);
    (loads, clients, policy, 0..4_u8).prop_map(|(loads, clients, policy, failing)| {
        let mut world = world(loads.0, node(60.0), 3600);
        world.node.usable_per_s = 50.0;
        world.regions = vec![Region { name: "a".into(), share: 0.7 }, Region { name: "b".into(), share: 0.3 }];
        let decays_s = loads.4;
        world.course.events.push(Event { decays_s, ..step(loads.1, loads.2, loads.3) });
        let (timeout_s, retries, backoff_s, budget, by_hand) = clients;
        world.clients = Clients { timeout_s, retries, backoff_s, budget, by_hand, ..world.clients };
        let loss = [Loss::Zone(0), Loss::Region(1), Loss::Management, Loss::Cache][failing as usize];
        world.failures.push(Failure { loss, at_s: 900.0, lasts_s: 500.0, chance: 0.5 });
        world.provisioning.quantiles = Provisioning::lognormal(60.0, 0.5);
        world.provisioning.never = 0.1;
        world.prices = Prices { node_hour: 0.5, request: 1e-4, answer: 0.0, hour_out: 100.0 };
        let (nodes, kind, target, queue, hit) = policy;
        let scale = Autoscale { target, least: nodes, most: 20, ..setting::AUTOSCALE_DEFAULT };
        let guess = Answer::Guess { cost: 0.1, worth: 0.5 };
        let answer = [Answer::Queue, Answer::Expire, Answer::Shed, guess][kind as usize];
        let cache = Some(Cache { hit, warms_s: 300.0, price_hour: 1.0 });
        let policy = Policy { autoscale: Some(scale), queue, answer, cache, ..Policy::standing("some", nodes) };
        (world, policy)
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: every request is answered, guessed, lost, or on its way when the day ends.
    #[test]
    fn requests_are_conserved((world, policy) in some_world(), seed in 0..9_u64) {
        let day = simulate(&world, &policy, seed);
        let ends = day.answered + day.guessed + day.lost + day.waiting;
        prop_assert!((ends / day.requests - 1.0).abs() < 1e-9, "{ends} of {}", day.requests);
        prop_assert!(day.slow >= -1e-9 && day.slow <= day.answered && day.lost >= -1e-9, "{day:?}");
        prop_assert!(day.attempts >= day.requests - 1e-6);
        let series = |of: fn(&Point) -> f64| day.series.iter().map(of).sum::<f64>() * 5.0;
        prop_assert!((series(|point| point.answered) / day.answered.max(1e-9) - 1.0).abs() < 1e-9);
        prop_assert!((series(|point| point.nodes) / 3600.0 <= day.node_hours + 1e-9));
    }

    /// Law: the same seed gives the same day.
    #[test]
    fn a_seed_is_a_day((world, policy) in some_world(), seed in 0..9_u64) {
        prop_assert_eq!(simulate(&world, &policy, seed), simulate(&world, &policy, seed));
    }

    /// Law: cost is the sum of its parts.
    #[test]
    fn cost_adds_up((world, policy) in some_world()) {
        let day = simulate(&world, &policy, 1);
        let want = 0.5 * day.node_hours + 1e-4 * (day.answered + day.guessed) + 1.0 + 100.0 * day.minutes_out / 60.0;
        prop_assert!((day.cost - want).abs() < 1e-9 * want);
    }

    /// Law: where clients do not retry, a node more never loses a request more.
    #[test]
    fn more_nodes_lose_no_more((world, policy) in some_world(), nodes in 1..12_usize) {
        let mut world = world;
        world.clients = Clients { retries: 0, by_hand: 0.0, ..world.clients };
        for answer in [Answer::Shed, Answer::Expire] {
            let lost = |nodes| {
                let policy = Policy { autoscale: None, nodes, answer, queue: None, ..policy.clone() };
                simulate(&world, &policy, 1).lost
            };
            let (fewer, more) = (lost(nodes), lost(nodes + 2));
            prop_assert!(more <= fewer + 1e-6 * (1.0 + fewer), "{fewer} {more}");
        }
    }

    /// Law: without overload nothing is lost, nothing waits, and no second is out of the objective.
    #[test]
    fn without_overload_nothing_is_lost(load in 1.0..499.0_f64, seed in 0..9_u64) {
        let mut world = world(load, node(60.0), 3600);
        world.node.usable_per_s = 50.0;
        world.clients = Clients { timeout_s: 2.0, retries: 3, ..world.clients };
        let day = simulate(&world, &Policy::standing("ten", 10), seed);
        prop_assert_eq!((day.lost, day.slow, day.minutes_out, day.longest_wait_s), (0.0, 0.0, 0.0, 0.0));
        prop_assert!((day.answered / day.requests - 1.0).abs() < 1e-12);
    }
}

/// Oracle 10: three attempts.
#[test]
fn oracle_10_amplifies() {
    close(amplification(0.1, 3), 1.11);
    close(amplification(0.5, 3), 1.75);
    close(amplification(0.9, 3), 2.71);
}

/// Section 8 of the reference, by what is done above the usable capacity and by how clients retry.
#[test]
fn overload_sheds_collapses_or_stays() {
    let verdict = |answer, retries, queue| {
        let mut world = world(1000.0, node(100.0), 600);
        world.node.usable_per_s = 90.0;
        world.clients = Clients { timeout_s: 10.0, retries, ..world.clients };
        overload(&world, &Policy { answer, queue, ..Policy::standing("ten", 10) })
    };
    let cases = [
        (Answer::Shed, 3, None, Verdict::Sheds, "refusing is cheap, so retries do no harm"),
        (Answer::Queue, 0, None, Verdict::Collapses, "work for clients that left, until the line is gone"),
        (Answer::Queue, 3, None, Verdict::StaysCollapsed, "four attempts of .72 are more than saturation, for ever"),
        (Answer::Queue, 0, Some(50.0), Verdict::Sheds, "half a second of line is within the objective"),
    ];
    for (answer, retries, queue, want, why) in cases {
        let found = verdict(answer, retries, queue);
        assert_eq!(found.verdict, want, "{why}: {found:?}");
    }
}

/// A doubling of demand meets the usable capacity after τ·log₂ h, whatever the headroom.
#[test]
fn headroom_is_the_formula() {
    for (h, tau) in [(1.5_f64, 600.0), (2.0, 300.0), (3.0, 189.279)] {
        let world = world(1000.0 / h, node(100.0), 2000);
        let found = headroom_s(&world, &Policy::standing("ten", 10), 500.0, tau).unwrap();
        assert!((found - tau * h.log2()).abs() <= 1.5, "{h}: {found}");
    }
}

/// One day in five has three times the demand: standing nodes for it cost three times as much and keep any risk; without them
/// 20 % of days are out.
fn two_days() -> (World, Vec<Policy>) {
    let mut world = world(1000.0, node(100.0), 7200);
    world.prices = Prices { node_hour: 1.0, ..Prices::default() };
    world.failures.push(Failure { loss: Loss::Zone(0), at_s: 1800.0, lasts_s: 3600.0, chance: 0.2 });
    let few = Policy { answer: Answer::Shed, ..Policy::standing("few", 12) };
    (world, vec![few.clone(), Policy { name: "many".into(), nodes: 16, ..few }])
}

#[test]
fn strategies_are_compared_on_the_same_days() {
    let (world, policies) = two_days();
    let risk = Risk { minutes: 10.0, chance: 0.05 };
    let found = compare(&world, &policies, risk, 200, 1);
    let [few, many] = &found.strategies[..] else { panic!() };
    assert!((few.risk.0 - 0.2).abs() < 0.08, "{:?}", few.risk);
    assert!(few.risk.1.0 < 0.2 && few.risk.1.1 > 0.2, "{:?}", few.risk);
    assert_eq!((few.keeps_risk, many.keeps_risk, many.risk.0), (false, true, 0.0));
    assert_eq!(found.ranking, [1, 0]);
    close(few.cost.mean, 24.0);
    let against = &found.differences[0];
    close(against.cost.mean, -8.0);
    close(against.minutes_out.mean, few.minutes_out.mean);
    assert!(against.minutes_out.interval.0 > 0.0 && !few.typical.series.is_empty());
    // ⌈n/3⌉ nodes are lost, ten must be left.
    let cheap = cheapest(&world, &policies, risk, 200, 1);
    assert_eq!(cheap.found.iter().map(|found| found.policy.nodes).collect::<Vec<_>>(), [15, 15]);
    let loose = cheapest(&world, &policies, Risk { minutes: 10.0, chance: 0.4 }, 200, 1);
    assert_eq!(loose.found[0].policy.nodes, 10);
}

#[test]
fn what_breaks_a_day_is_found() {
    let (mut world, policies) = two_days();
    let risk = Risk { minutes: 10.0, chance: 0.05 };
    // Sixteen nodes lose six, ten are left: not one request more.
    let tight = breaking(&world, &policies[1], risk, 50, 1);
    let first = *tight.first().unwrap();
    assert_eq!((tight.keeps_risk, first.variable), (true, Variable::Load));
    assert!((first.edge.unwrap() - 1.0).abs() < 0.02, "{first:?}");
    world.failures.clear();
    let calm = breaking(&world, &Policy { nodes: 14, ..policies[1].clone() }, risk, 50, 1);
    assert_eq!(calm.first().unwrap().variable, Variable::Zone, "{calm:?}");
    let few = breaking(&world, &Policy { nodes: 9, ..policies[1].clone() }, risk, 50, 1);
    let load = few.first().unwrap();
    assert!(!few.keeps_risk && (load.edge.unwrap() - 0.9).abs() < 0.02, "{few:?}");
}

#[test]
fn no_number_of_nodes_is_enough() {
    let mut world = world(20_000.0, node(1200.0), 600);
    world.node.law = Usl { contention: 0.03, coherency: 0.0005, unit_throughput: 1200.0 };
    let found = cheapest(&world, &[Policy::standing("all", 44)], Risk { minutes: 1.0, chance: 0.0 }, 5, 1);
    assert_eq!((found.found.len(), found.impossible), (0, vec!["all".to_owned()]));
}
