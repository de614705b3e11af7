use nmax_engine::measure::watch::memory::Memory;
use proptest::prelude::*;

use super::*;

fn host() -> Host {
    Host {
        files_soft: Some(1_000_000),
        files_hard: Some(1_000_000),
        ports: Some(Range { first: 32_768, last: 60_999, reserved: Vec::new() }),
        reuse: Some(Reuse::Loopback),
        memory: Some(Memory { total_bytes: 16 << 30, available_bytes: 8 << 30 }),
        cpus: Some(2),
        ..Host::default()
    }
}

/// Ten users who keep their connections.
fn small() -> Need {
    Need {
        users: 10,
        is_closed: true,
        connections: 10,
        is_sure: true,
        opened_per_s: Some(0.0),
        closes: false,
        length: Some(std::time::Duration::from_secs(600)),
        destinations: 1,
        is_literal: true,
        is_loopback: false,
        sources: 1,
        is_tls: false,
        workers: 2,
    }
}

fn level(host: &Host, need: &Need, code: &str) -> Option<Level> {
    let found = forecast(host, need);
    found.iter().find(|found| found.code == code).map(|found| found.level)
}

#[test]
fn a_small_plan_meets_nothing() {
    for found in forecast(&host(), &small()) {
        assert!(found.level == Level::Ok && found.remedy.is_empty(), "{found:?}");
    }
}

/// Only what surely cannot work is an error.
#[test]
fn errors_are_for_what_surely_cannot_work() {
    let few_files = Host { files_soft: Some(109), ..host() };
    assert_eq!(level(&few_files, &small(), "FORECAST_OPEN_FILES"), Some(Level::Error));
    let unsure = Need { is_sure: false, ..small() };
    assert_eq!(level(&few_files, &unsure, "FORECAST_OPEN_FILES"), Some(Level::Warning));
    let many = Need { connections: 28_233, ..small() };
    assert_eq!(level(&host(), &many, "FORECAST_PORTS"), Some(Level::Error));
    let named = Need { is_literal: false, ..many.clone() };
    assert_eq!(level(&host(), &named, "FORECAST_PORTS"), Some(Level::Warning), "a name may have more addresses");
    for (sources, destinations) in [(2, 1), (1, 2)] {
        let spread = Need { sources, destinations, ..many.clone() };
        assert_eq!(level(&host(), &spread, "FORECAST_PORTS"), Some(Level::Ok));
    }
}

/// 28,232 ports of 60 s: 470 per second go on for ever, 471 do not; nor do 1,000 for a minute, but for 20 s.
#[test]
fn new_connections_wear_out_the_ports() {
    let reuse = |reuse| Host { reuse: Some(reuse), ..host() };
    //  per s   length s  loopback  reuse             warns  why this row
    let cases = [
        (470.0, Some(3_600), false, Reuse::Never, false, "sustained"),
        (471.0, Some(3_600), false, Reuse::Never, true, "not sustained"),
        (471.0, None, false, Reuse::Never, true, "no end"),
        (1_000.0, Some(20), false, Reuse::Never, false, "over before the ports are"),
        (1_000.0, Some(29), false, Reuse::Never, true, "29,000 ports"),
        (1_000.0, Some(3_600), true, Reuse::Loopback, false, "reused on the loopback"),
        (1_000.0, Some(3_600), false, Reuse::Loopback, true, "not elsewhere"),
        (28_000.0, Some(3_600), false, Reuse::Always, false, "reused after a second"),
        (29_000.0, Some(3_600), false, Reuse::Always, true, "a second is too long then"),
    ];
    for (per_s, length_s, is_loopback, rule, warns, why) in cases {
        let need = Need {
            opened_per_s: Some(per_s),
            closes: true,
            is_sure: false,
            length: length_s.map(std::time::Duration::from_secs),
            is_loopback,
            ..small()
        };
        let found = level(&reuse(rule), &need, "FORECAST_TIME_WAIT");
        assert_eq!(found, Some(if warns { Level::Warning } else { Level::Ok }), "{why}");
    }
}

#[test]
fn closed_workloads_hear_from_which_speed_on_ports_do_not_last() {
    let need = Need { users: 941, opened_per_s: None, closes: true, is_sure: false, ..small() };
    let found = forecast(&host(), &need);
    let found = found.iter().find(|found| found.code == "FORECAST_TIME_WAIT").unwrap();
    assert_eq!(found.level, Level::Note);
    assert!(found.meaning.contains("less than 2.00 s apart"), "{found:?}");
}

#[test]
fn workers_and_memory_are_held_against_the_host() {
    let many = Need { workers: 3, ..small() };
    assert_eq!(level(&host(), &many, "FORECAST_WORKERS"), Some(Level::Warning));
    let large = Need { users: 1_000_000, connections: 1_000_000, is_tls: true, ..small() };
    assert_eq!(level(&host(), &large, "FORECAST_MEMORY"), Some(Level::Warning));
}

#[test]
fn an_unknown_host_is_not_judged() {
    assert_eq!(forecast(&Host::default(), &small()), []);
}

proptest! {
    /// Law: more ports, sources or destinations, and fewer or rarer connections, never make it worse.
    #[test]
    fn more_room_is_never_worse(
        connections in 1_u64..100_000,
        per_s in 0.0..5_000.0_f64,
        seconds in 1_u64..1_000,
        sources in 1_u64..4,
        destinations in 1_u64..4,
        is_sure: bool,
        is_loopback: bool,
    ) {
        let need = Need {
            connections,
            opened_per_s: Some(per_s),
            closes: true,
            is_sure,
            is_loopback,
            length: Some(std::time::Duration::from_secs(seconds)),
            sources,
            destinations,
            ..small()
        };
        let easier = [
            Need { sources: sources + 1, ..need.clone() },
            Need { destinations: destinations + 1, ..need.clone() },
            Need { connections: connections / 2, ..need.clone() },
            Need { opened_per_s: Some(per_s / 2.0), ..need.clone() },
            Need { length: Some(std::time::Duration::from_secs(seconds / 2)), ..need.clone() },
        ];
        let levels = |need: &Need| forecast(&host(), need).iter().map(|found| found.level).collect::<Vec<_>>();
        let before = levels(&need);
        for need in easier {
            for (level, before) in levels(&need).iter().zip(&before) {
                prop_assert!(level <= before, "{need:?}");
            }
        }
    }

    /// Law: a finding that is not ok has a figure beyond its limit, and says what to do.
    #[test]
    fn warnings_follow_from_their_figures(connections in 1_u64..100_000, files in 1_u64..100_000) {
        let host = Host { files_soft: Some(files), ..host() };
        let need = Need { users: connections, connections, ..small() };
        for found in forecast(&host, &need) {
            let is_beyond = found.figure.unwrap() > found.limit.unwrap();
            prop_assert_eq!(is_beyond, found.level > Level::Ok, "{:?}", found);
            prop_assert_eq!(is_beyond, !found.remedy.is_empty(), "{:?}", found);
        }
    }
}
