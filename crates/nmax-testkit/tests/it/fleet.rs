//! Laws of a fleet, over the matrix of faults.

use nmax_fleet::Key;
use nmax_fleet::records::{Command, Policy, Start, encode};
use nmax_testkit::fleet::broker::Broken;
use nmax_testkit::fleet::exchanges::exchanged;
use nmax_testkit::fleet::laws::{Summary, check};
use nmax_testkit::fleet::matrix::{Fault, Line, World};
use nmax_testkit::fleet::world::Sim;

const MS: u64 = 1_000_000;
const S: u64 = 1_000 * MS;
const LEASED: Policy = Policy::Takeover { ttl_ns: 8 * S };

/// How a seed is repeated that breaks laws.
fn told(world: &World, broken: &[String]) -> String {
    let World { seed, policy, faults, .. } = world;
    format!(
        "seed {seed} breaks laws; repeat it with\n  NMAX_FLEET_SEED={seed} cargo test -p nmax-testkit --test it fleet\n\
         {}\n{policy:?} {faults:?}",
        broken.join("\n")
    )
}

/// Holds a seed against all laws.
fn hold(world: &World) -> Summary {
    check(world).unwrap_or_else(|broken| panic!("{}", told(world, &broken)))
}

#[test]
fn a_calm_world_loses_nothing() {
    let summary = hold(&World::calm(1, 5));
    assert!(summary.has_begun && summary.is_whole && summary.lost == 0, "{summary:?}");
}

#[test]
fn the_matrix_of_faults_breaks_no_law() {
    let from: Option<u64> = std::env::var("NMAX_FLEET_SEED").ok().and_then(|seed| seed.parse().ok());
    let count: u64 = std::env::var("NMAX_FLEET_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(1_000);
    let mut worlds = [0_u64; 5];
    let mut failures = Vec::new();
    for seed in from.map_or(0..count, |seed| seed..seed + 1) {
        let world = World::of(seed, 20);
        match check(&world) {
            Ok(summary) => {
                let Summary { has_begun, is_whole, lost, taken_over, lies, .. } = summary;
                let kinds = [has_begun, is_whole, lost > 0, taken_over > 0, lies > 0];
                worlds.iter_mut().zip(kinds).for_each(|(count, is)| *count += u64::from(is));
            }
            Err(broken) => failures.push(told(&world, &broken)),
        }
    }
    println!("of {count} worlds: began, lost nothing, lost windows, had parts taken over, lies: {worlds:?}");
    assert!(
        failures.is_empty(),
        "{} seeds break laws\n{}",
        failures.len(),
        failures[..failures.len().min(3)].join("\n")
    );
}

/// Why a world does not begin, after it was changed.
fn refused(world: &World, change: impl FnOnce(&mut Sim)) -> String {
    let mut sim = Sim::new(world.clone());
    change(&mut sim);
    let ended = sim.run();
    assert!(ended.outside.received.is_empty(), "something was loaded");
    ended.refusals.concat().join("; ")
}

#[test]
fn what_does_not_fit_is_refused_before_any_load_and_named() {
    let world = World::calm(2, 4);
    let version = refused(&world, |sim| sim.with_version(2, "0.9.0"));
    assert!(version.contains("host2: it has nmax 0.9.0") && version.contains("nmax 1.0.0"), "{version}");
    let plan = refused(&world, |sim| sim.refusing(1, "file `users.csv` is missing"));
    assert!(plan.contains("host1: file `users.csv` is missing"), "{plan}");
    let weights = refused(&world, |sim| {
        let start = Start::Go { origin_ns: 1, weights: vec![1; 3], values: Vec::new() };
        sim.broker_mut().put(Key::Start, encode(&start));
    });
    assert!(weights.contains("4 parts and 3 weights"), "{weights}");
    let mut slow = world.clone();
    slow.lines[3] = Line { ways: [300 * MS, 2 * MS], ..slow.lines[3] };
    let clock = refused(&slow, |_| ());
    assert!(clock.contains("host3: its clock is uncertain by 15") && clock.contains("50 ms are allowed"), "{clock}");
}

#[test]
fn a_command_ends_the_run_everywhere_although_the_manager_is_dead() {
    for (policy, command) in [(Policy::Continue, Command::Stop), (LEASED, Command::Cut)] {
        let faults = vec![(12 * S, Fault::ManagerDown(0, None)), (15 * S, Fault::Asked(command))];
        let summary = hold(&World { policy, faults, ..World::calm(3, 6) });
        let planned = 200 * 20;
        assert!(summary.has_begun && summary.received < planned && summary.lost == 0, "{summary:?}");
        assert_eq!(summary.received, summary.folded);
    }
}

/// Nothing but the injectors lives from shortly after the start to long after the end.
#[test]
fn a_run_goes_on_without_manager_and_broker() {
    let dead = |from| vec![(from, Fault::BrokerDown(300 * S)), (from, Fault::ManagerDown(0, None))];
    let summary = hold(&World { faults: dead(12 * S), ..World::calm(4, 6) });
    assert!(summary.is_whole && summary.lost == 0 && summary.folded == 200 * 20, "{summary:?}");
}

/// A part whose injector dies goes on elsewhere, and what is between is named.
#[test]
fn a_part_is_taken_over() {
    let faults = vec![(14 * S, Fault::PowerLoss(2, None))];
    let summary = hold(&World { policy: LEASED, standbys: 1, faults, ..World::calm(5, 4) }.with_lines());
    assert!(summary.taken_over == 1 && (8..14).contains(&summary.lost), "{summary:?}");
}

/// Who does not know the time well enough takes over nothing.
#[test]
fn an_injector_with_an_uncertain_clock_takes_over_nothing() {
    let faults = vec![(14 * S, Fault::PowerLoss(2, None))];
    let mut world = World { policy: LEASED, standbys: 1, faults, ..World::calm(5, 4) }.with_lines();
    world.lines[4] = Line { ways: [300 * MS, 2 * MS], ..world.lines[4] };
    let summary = hold(&world);
    assert!(summary.taken_over == 0 && summary.lost > 8, "{summary:?}");
}

/// The laws see a broker that breaks a rule.
#[test]
fn a_broker_that_breaks_a_rule_is_found() {
    let cases = [
        (Broken::AnswersEarly, "nothing_acknowledged_is_lost"),
        (Broken::LeasesEarly, "no_iteration_is_started_twice"),
    ];
    for (broken, law) in cases {
        let found = (0..400).any(|seed| {
            let world = World { broken, ..World::of(seed, 8) };
            check(&world).is_err_and(|laws| laws.iter().any(|found| found.starts_with(law)))
        });
        assert!(found, "{broken:?} breaks {law} in no world");
    }
}

/// Every exchange, by the engine: what is sent is received and folded, and percentiles are those of one injector.
#[test]
fn every_exchange_is_folded_and_percentiles_are_those_of_one() {
    let exchanged = exchanged(5, 1_000, 3, true);
    assert_eq!((exchanged.sent, exchanged.received, exchanged.folded), (3_000, 3_000, 3_000));
    assert_eq!(exchanged.is_equal, Some(true));
}
