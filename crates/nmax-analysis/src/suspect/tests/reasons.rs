//! What is said of runs written down by hand: validity, gaps, this host as server and injector, rules, words.

use std::time::Duration;

use nmax_metrics::{Nanos, Network, Outcome, Resource as Line, Sample, Section};
use nmax_plan::plan::Location;

use super::*;
use crate::culprits::{Culprits, Neighbour};
use crate::tests::fixture::{FORM, HOME, Run};

/// A run of 100 requests a second of 20 ms each, towards this host, with these figures of it all the time.
pub(super) fn watched(figures: &[(&str, &str, f64)]) -> Run {
    let mut run = Run::healthy();
    add(&mut run, "injector", figures, 0..11);
    run
}

pub(super) fn add(run: &mut Run, host: &str, figures: &[(&str, &str, f64)], seconds: std::ops::Range<u64>) {
    for second in seconds {
        for (source, metric, value) in figures {
            run.readings.push(&Line {
                at: Nanos::from_secs(second),
                host: host.into(),
                source: (*source).into(),
                metric: (*metric).into(),
                value: *value,
                unit: "count".into(),
            });
        }
    }
}

/// Everything that a host shows, idle.
pub(super) const IDLE: [(&str, &str, f64); 9] = [
    ("cpu", "cores_count", 2.0),
    ("cpu", "busy_cores", 0.2),
    ("cpu", "waiting_count", 0.0),
    ("memory", "total_bytes", 8e9),
    ("memory", "available_bytes", 5e9),
    ("memory", "pressure_some_ratio", 0.0),
    ("disk sda", "queue_count", 0.0),
    ("disk sda", "await_ms", 0.5),
    ("tcp", "retransmitted_per_s", 0.0),
];

pub(super) fn suspect<'a>(diagnosis: &'a Diagnosis, kind: Kind, name: &str) -> &'a Suspect {
    let mut all = diagnosis.suspects.iter().chain(&diagnosis.others);
    let found = all.find(|suspect| suspect.resource.kind == kind && suspect.resource.name == name);
    found.unwrap_or_else(|| panic!("no {} {name}: {diagnosis:#?}", kind.name()))
}

fn row(diagnosis: &Diagnosis, kind: Kind) -> &Coverage {
    let found = diagnosis.coverage.iter().find(|row| row.resource.kind == kind);
    found.unwrap_or_else(|| panic!("no row of {}", kind.name()))
}

/// A run that is not valid says something of its injector only.
#[test]
fn a_run_that_is_not_valid_says_nothing_of_the_system() {
    let mut run =
        watched(&[("cpu", "cores_count", 2.0), ("cpu", "busy_cores", 2.0), ("pool orders", "waiting_count", 9.0)]);
    run.injector.cpu_utilization_max = Some(0.99);
    let diagnosis = diagnose(&run.evidence());
    assert!(diagnosis.refused[0].contains("G4"), "{:?}", diagnosis.refused);
    assert_eq!((diagnosis.budget, diagnosis.bounds), (None, None));
    let suspects: Vec<_> = diagnosis.suspects.iter().map(|suspect| &suspect.resource).collect();
    assert_eq!((suspects[0].host.as_str(), suspects[0].kind), ("injector", Kind::Cpu));
    assert_eq!(suspects.len(), 1);
}

/// Without a reading there is nothing to say but what would watch what.
#[test]
fn without_readings_only_the_matrix_is_said() {
    let diagnosis = diagnose(&Run::healthy().evidence());
    assert_eq!(diagnosis.refused.len(), 1);
    assert!(diagnosis.suspects.is_empty());
    let blank = |row: &&Coverage| row.saturation == Cell::NotObserved;
    assert!(diagnosis.coverage.iter().filter(blank).all(|row| !row.remedy.is_empty()));
    assert!(diagnosis.coverage.iter().filter(blank).count() >= 8, "{:#?}", diagnosis.coverage);
}

/// No exchange, nothing to divide by.
#[test]
fn a_run_without_exchanges_is_refused() {
    let diagnosis = diagnose(&Run::empty().evidence());
    assert_eq!(diagnosis.refused.len(), 1);
}

/// Where injector and system share a host, the injector's own processor time is not the system's.
#[test]
fn the_injectors_own_time_is_not_the_systems() {
    let figures = [("cpu", "cores_count", 2.0), ("cpu", "busy_cores", 1.2), ("cpu", "waiting_count", 0.01)];
    let mut run = watched(&figures);
    run.totals.load_mut(nmax_metrics::Section::Hold).cpu = Nanos::from_secs(3);
    let diagnosis = diagnose(&run.evidence());
    // 1.2 − 3 s/10 s busy cores over 100 requests a second.
    let residence_s = suspect(&diagnosis, Kind::Cpu, "").residence_s.expect("a residence");
    assert!((residence_s - 0.009).abs() < 1e-6, "{residence_s}");
    let said = suspect(&diagnosis, Kind::Cpu, "")
        .findings
        .iter()
        .any(|finding| finding.text.contains("0.3 of them with the injector"));
    assert!(said, "{diagnosis:#?}");
    let utilization = suspect(&diagnosis, Kind::Cpu, "").utilization.expect("a utilization");
    assert!((utilization - 0.6).abs() < 1e-9, "{utilization}");
}

/// Of a host that others use as well only the observed processes count, when they use most of it.
#[test]
fn observed_processes_are_the_system() {
    let mut figures = IDLE.to_vec();
    figures.extend([
        ("cpu", "busy_cores", 1.0),
        ("process shop", "cpu_cores", 0.9),
        ("process shop", "waiting_count", 0.5),
    ]);
    figures.remove(1);
    let diagnosis = diagnose(&watched(&figures).evidence());
    let residence_s = suspect(&diagnosis, Kind::Cpu, "").residence_s.expect("a residence");
    assert!((residence_s - 0.014).abs() < 1e-6, "{residence_s}");
}

/// A host that is busy with others' work does not hide what the services say, and nothing is charged more than there is.
#[test]
fn work_of_others_hides_nothing() {
    let busy = [("cpu", "cores_count", 2.0), ("cpu", "busy_cores", 2.0), ("cpu", "waiting_count", 8.0)];
    let pool = [
        ("pool orders", "in_use_count", 0.4),
        ("pool orders", "limit_count", 0.4),
        ("pool orders", "waiting_count", 1.5),
    ];
    let process = [("process shop", "cpu_cores", 0.01), ("process shop", "waiting_count", 0.01)];
    let rest = [("dependency mail", "in_flight_count", 0.0)];
    for watched_processes in [&process[..], &[]] {
        let idle: Vec<_> = IDLE.iter().filter(|(source, ..)| *source != "cpu").copied().collect();
        let run = watched(&[&idle, &busy[..], &pool, &rest, watched_processes].concat());
        let diagnosis = diagnose(&run.evidence());
        let budget = diagnosis.budget.clone().expect("a budget");
        assert!(budget.unexplained_s >= -1e-9, "{budget:?}");
        if !watched_processes.is_empty() {
            let first = &diagnosis.suspects[0];
            assert_eq!((first.resource.kind, first.label), (Kind::Pool, Label::Wait), "{diagnosis:#?}");
        }
    }
}

/// A target elsewhere that nobody watches is not observed, whatever this host shows, which is the injector's alone.
#[test]
fn another_host_that_nobody_watches_is_not_observed() {
    let mut run = watched(&[IDLE.as_slice(), &[("cpu", "busy_cores", 1.9)]].concat());
    run.plan.target = "http://shop.example".into();
    let diagnosis = diagnose(&run.evidence());
    let first = &diagnosis.suspects[0];
    assert_eq!((first.label, first.resource.host.as_str()), (Label::NotObserved, "shop.example"));
    assert!(first.falsify.contains("nmax agent"), "{}", first.falsify);
    let all = diagnosis.suspects.iter().chain(&diagnosis.others);
    assert!(all.clone().all(|suspect| suspect.label != Label::Wait));
    let parts = diagnosis.budget.expect("a budget").parts;
    assert!(parts.iter().all(|part| part.resource.kind == Kind::Network), "{parts:?}");
}

/// A source that was away for a part of the phase leaves a gap; away for most of it, it was not observed.
#[test]
fn gaps_are_said() {
    for (seconds, is_gap) in [(0..11, false), (0..7, true)] {
        let mut run = watched(&IDLE);
        add(
            &mut run,
            "injector",
            &[("pool orders", "waiting_count", 0.0), ("pool orders", "in_use_count", 1.0)],
            seconds,
        );
        let diagnosis = diagnose(&run.evidence());
        let cell = &row(&diagnosis, Kind::Pool).saturation;
        assert_eq!(matches!(cell, Cell::Gap(_)), is_gap, "{cell:?}");
    }
    let mut run = watched(&IDLE);
    add(&mut run, "injector", &[("pool orders", "waiting_count", 8.0), ("pool orders", "in_use_count", 1.0)], 0..3);
    let diagnosis = diagnose(&run.evidence());
    assert_eq!(suspect(&diagnosis, Kind::Pool, "orders").label, Label::NotObserved);
}

/// Sources that are read every five seconds have no gaps for that.
#[test]
fn rare_readings_are_no_gaps() {
    let mut run = watched(&IDLE);
    for second in [0, 5, 10] {
        add(
            &mut run,
            "injector",
            &[("pool orders", "waiting_count", 0.0), ("pool orders", "in_use_count", 1.0)],
            second..second + 1,
        );
    }
    let cell = row(&diagnose(&run.evidence()), Kind::Pool).saturation.clone();
    assert!(matches!(cell, Cell::Observed(_)), "{cell:?}");
}

/// Each rule holds on its figure, and not below it.
#[test]
fn rules_hold_from_their_limits_on() {
    // What is measured, below the limit and above it, whose rule it is.
    type Case = (&'static [(&'static str, &'static str)], f64, f64, Kind);
    let cases: [Case; 10] = [
        (&[("cpu", "busy_cores")], 1.7, 1.9, Kind::Cpu),
        (&[("cpu", "steal_cores")], 0.05, 0.2, Kind::Cpu),
        (&[("cgroup", "throttled_ratio")], 0.0, 0.3, Kind::Cpu),
        (&[("memory", "pressure_some_ratio")], 0.01, 0.2, Kind::Memory),
        (&[("memory", "swap_in_bytes_per_s")], 0.0, 1e6, Kind::Memory),
        (&[("memory", "oom_kills_per_s")], 0.0, 0.1, Kind::Memory),
        (&[("tcp", "retransmitted_per_s")], 1.0, 50.0, Kind::Network),
        (&[("database shop", "deadlocks_per_s")], 0.0, 0.5, Kind::Database),
        (&[("gc young", "pause_ratio")], 0.01, 0.2, Kind::Gc),
        (&[("dependency mail", "errors_per_s")], 0.0, 3.0, Kind::Dependency),
    ];
    let base = [
        ("tcp", "sent_segments_per_s", 1e3),
        ("database shop", "active_count", 0.01),
        ("dependency mail", "in_flight_count", 0.01),
    ];
    for (figures, below, above, kind) in cases {
        let rules = |value: f64| {
            let mut all: Vec<(&str, &str, f64)> = IDLE.iter().chain(&base).copied().collect();
            for (source, metric) in figures {
                all.retain(|(known, of, _)| (known, of) != (source, metric));
                all.push((source, metric, value));
            }
            let diagnosis = diagnose(&watched(&all).evidence());
            let all = diagnosis.suspects.iter().chain(&diagnosis.others);
            let of_kind = all.filter(|suspect| suspect.resource.kind == kind);
            of_kind
                .flat_map(|suspect| suspect.findings.clone())
                .filter(|finding| finding.kind == "rule")
                .collect::<Vec<_>>()
        };
        assert!(rules(below).is_empty(), "{figures:?} {below}: {:?}", rules(below));
        assert!(!rules(above).is_empty(), "{figures:?} {above}");
        assert!(
            rules(above).iter().all(|rule| !rule.source.is_empty() && rule.text.contains(|c: char| c.is_ascii_digit())
                || kind == Kind::Memory)
        );
    }
}

/// A pool that is full because a disk is slow is a symptom, and the disk is charged for who waits for the pool.
#[test]
fn a_full_pool_of_a_slow_disk_is_a_symptom() {
    let mut figures = IDLE.to_vec();
    figures.retain(|(source, ..)| *source != "disk sda");
    figures.extend([
        ("disk sda", "queue_count", 0.45),
        ("disk sda", "await_ms", 30.0),
        ("disk sda", "read_bytes_per_s", 1e6),
        ("process shop", "read_bytes_per_s", 1e6),
        ("process shop", "cpu_cores", 0.1),
        ("pool orders", "in_use_count", 0.5),
        ("pool orders", "limit_count", 1.0),
        ("pool orders", "waiting_count", 0.4),
    ]);
    let diagnosis = diagnose(&watched(&figures).evidence());
    assert_eq!(suspect(&diagnosis, Kind::Pool, "orders").label, Label::Symptom);
    let disk = &diagnosis.suspects[0];
    assert_eq!((disk.resource.kind, disk.label), (Kind::Disk, Label::Wait));
    // 0.45 in it, and of those who wait for the pool as many as of its holders are there.
    let residence_s = disk.residence_s.expect("a residence");
    assert!((residence_s - (0.45 + 0.4 * 0.45 / 0.5) / 100.0).abs() < 1e-6, "{residence_s}");
}

/// A disk that is full of others' work, as the observed processes show, is no suspect.
#[test]
fn a_disk_of_others_is_no_suspect() {
    for (read, is_suspect) in [(0.0, false), (1e6, true)] {
        let mut run = watched(&IDLE[..6]);
        add(
            &mut run,
            "injector",
            &[
                ("io", "pressure_some_ratio", 0.4),
                ("disk vda", "read_bytes_per_s", 1e6),
                ("disk vda", "busy_ratio", 0.9),
                ("disk vda", "queue_count", 6.0),
                ("process shop", "cpu_cores", 0.1),
                ("process shop", "read_bytes_per_s", read),
            ],
            0..11,
        );
        for second in 0..11 {
            // Slow but for the first seconds.
            let await_ms = if second < 2 { 1.0 } else { 9.0 };
            for half in [0, 500] {
                run.readings.push(&Line {
                    at: Nanos::from_millis(second * 1_000 + half),
                    host: "injector".into(),
                    source: "disk vda".into(),
                    metric: "await_ms".into(),
                    value: await_ms,
                    unit: "ms".into(),
                });
            }
        }
        let diagnosis = diagnose(&run.evidence());
        let is_named = diagnosis.suspects.iter().any(|suspect| suspect.resource.kind == Kind::Disk);
        assert_eq!(is_named, is_suspect, "{diagnosis:#?}");
    }
}

/// Swapping is charged to memory, and the disk is its symptom.
#[test]
fn swapping_is_memorys() {
    let mut figures = IDLE.to_vec();
    figures.retain(|(source, ..)| *source != "disk sda");
    figures.extend([
        ("disk sda", "queue_count", 1.5),
        ("disk sda", "read_bytes_per_s", 1e8),
        ("disk sda", "written_bytes_per_s", 1e7),
        ("memory", "swap_in_bytes_per_s", 9e7),
        ("memory", "swap_out_bytes_per_s", 1e7),
    ]);
    let diagnosis = diagnose(&watched(&figures).evidence());
    let first = &diagnosis.suspects[0];
    assert_eq!((first.resource.kind, first.label), (Kind::Memory, Label::Wait));
    assert_eq!(suspect(&diagnosis, Kind::Disk, "sda").label, Label::Symptom);
}

/// Every suspect has figures and a next run; no more than three are named; no cause is claimed.
#[test]
fn suspects_have_figures_and_a_next_run() {
    let figures = [
        IDLE.as_slice(),
        &[
            ("pool orders", "in_use_count", 4.0),
            ("pool orders", "limit_count", 4.0),
            ("pool orders", "waiting_count", 0.5),
            ("lock stock", "waiting_count", 0.4),
            ("dependency mail", "in_flight_count", 0.6),
            ("gc young", "pause_ratio", 0.2),
        ],
    ];
    let diagnosis = diagnose(&watched(&figures.concat()).evidence());
    assert_eq!(diagnosis.suspects.len(), 3);
    for suspect in diagnosis.suspects.iter().chain(&diagnosis.others) {
        assert!(!suspect.findings.is_empty() && !suspect.falsify.is_empty(), "{suspect:?}");
        assert!(!format!("{suspect:?}").to_lowercase().contains(concat!("root", " cause")));
    }
    assert!(diagnosis.suspects[0].falsify.contains("nmax compare"));
}

/// A pool that is full and waited for is the first, with its figures and in the budget, even where what its holders do is
/// not watched, which is then one line after it.
#[test]
fn a_full_pool_is_named_whatever_its_holders_do() {
    let idle = IDLE.map(|(source, metric, value)| match metric {
        // Strangers' work, of which the rules tell.
        "busy_cores" => (source, metric, 2.0),
        "waiting_count" => (source, metric, 5.0),
        _ => (source, metric, value),
    });
    let figures = [
        &idle[..],
        &[
            ("process shop", "cpu_cores", 0.01),
            ("process shop", "waiting_count", 0.0),
            ("pool orders", "in_use_count", 0.4),
            ("pool orders", "limit_count", 0.4),
            ("pool orders", "waiting_count", 1.5),
        ],
    ];
    let diagnosis = diagnose(&watched(&figures.concat()).evidence());
    let labels: Vec<_> = diagnosis.suspects.iter().map(|suspect| (suspect.resource.kind, suspect.label)).collect();
    assert_eq!(labels[..2], [(Kind::Pool, Label::Saturated), (Kind::Dependency, Label::NotObserved)], "{diagnosis:#?}");
    let blank = labels.iter().filter(|(_, label)| *label == Label::NotObserved);
    assert_eq!(blank.count(), 1);
    let joined = &diagnosis.suspects[1].findings;
    assert!(joined.iter().any(|finding| finding.text.contains("database on")));
    let text = &diagnosis.suspects[0].findings[0].text;
    assert!(text.starts_with("1.5 wait for 0.4 of 0.4, 15 ms of each request"), "{text}");
    let budget = diagnosis.budget.expect("a budget");
    let pool = budget.parts.iter().find(|part| part.resource.kind == Kind::Pool);
    assert!((pool.expect("a part").waiting_s - 0.015).abs() < 1e-9, "{budget:?}");
}

/// One request that is slow and takes half of all time is named; one that is only frequent is not.
#[test]
fn a_slow_request_is_named() {
    let slow = |n: u64, ms: f64| {
        let mut run = watched(&IDLE);
        run.add(Section::Hold, n, FORM, Outcome::Ok, ms, 0.05);
        diagnose(&run.evidence()).slow_request
    };
    assert_eq!(slow(0, 0.0), None, "both take 20 ms");
    assert_eq!(slow(9_000, 20.0), None, "frequent");
    assert_eq!(slow(10, 600.0), None, "6 s of 26 s");
    let found = slow(100, 600.0).expect("60 s of 82 s");
    assert!((found.share - 0.75).abs() < 0.03 && (found.rate_per_s - 20.0).abs() < 0.1, "{found:?}");
    assert!(found.to_string().contains("of all time"), "{found}");
}

/// What requests wait for or what is full is told from what was not watched: that is what a passing run shows.
#[test]
fn what_is_full_is_told_apart() {
    let pool = [("pool db", "in_use_count", 4.0), ("pool db", "limit_count", 4.0), ("pool db", "waiting_count", 6.0)];
    let full = |figures: &[(&str, &str, f64)]| {
        let diagnosis = diagnose(&watched(figures).evidence());
        // Replies of the fixture take half of their time to come in.
        let full = diagnosis.full().into_iter().filter(|one| !one.starts_with("network"));
        (full.collect::<Vec<_>>(), diagnosis.suspects.len())
    };
    assert_eq!(full(&[&IDLE[..], &pool].concat()).0, ["pool db on this host (100 % in use)"]);
    let (none, suspects) = full(&IDLE);
    assert!(none.is_empty() && suspects > 0, "{none:?}, {suspects}");
}

/// Programs that share nmax's host are named before the processors are called the target's bottleneck.
#[test]
fn other_programs_are_named() {
    let busy = [("cpu", "cores_count", 2.0), ("cpu", "busy_cores", 2.0), ("cpu", "waiting_count", 3.0)];
    let neighbour = |name: &str, cores: f64, is_target: bool| Neighbour { name: name.into(), cores, is_target };
    let mut run = watched(&[&IDLE[3..], &busy].concat());
    run.injector.culprits = Some(Culprits {
        span_s: 10.0,
        cores: 2.0,
        processes: vec![neighbour("rustc", 1.1, false), neighbour("nginx", 0.3, true)],
        ..Culprits::default()
    });
    let diagnosis = diagnose(&run.evidence());
    let cpu = suspect(&diagnosis, Kind::Cpu, "");
    assert!(cpu.findings[0].text.contains("rustc 1.1") && cpu.falsify.contains("stop rustc"), "{cpu:#?}");
    assert_eq!(cpu.resource.to_string(), "cpu on this host");
    run.injector.culprits.as_mut().unwrap().processes[1].cores = 1.5;
    let diagnosis = diagnose(&run.evidence());
    let cpu = suspect(&diagnosis, Kind::Cpu, "");
    assert!(!cpu.falsify.contains("stop rustc"), "the target uses more: {cpu:#?}");
}

/// The threads of a cache are no pool of the application: that one is still not observed. A pool that has room has nobody
/// who waits, whether it says so or not.
#[test]
fn threads_of_a_cache_are_no_pool_of_the_application() {
    for (operations, is_cache) in [("operations rd commands", true), ("operations other commands", false)] {
        let figures = [
            &IDLE[..],
            &[
                (operations, "operations_per_s", 100.0),
                ("pool rd thread", "in_use_count", 0.24),
                ("pool rd thread", "limit_count", 1.0),
            ],
        ];
        let diagnosis = diagnose(&watched(&figures.concat()).evidence());
        let rows = diagnosis.coverage.iter().filter(|row| row.resource.kind == Kind::Pool);
        let rows: Vec<_> = rows.map(|row| (row.resource.name.as_str(), &row.saturation)).collect();
        let mut want = vec![("rd thread", &Cell::None)];
        if is_cache {
            want.insert(0, ("", &Cell::NotObserved));
        }
        assert_eq!(rows, want);
    }
}

/// What was read before the load began is not in the means.
#[test]
fn the_first_reading_is_not_of_the_load() {
    let mut run = watched(&IDLE);
    for (second, waiting) in [(0, 0.0), (1, 1.2), (2, 1.2)] {
        let figures = [("pool orders", "in_use_count", 0.4), ("pool orders", "waiting_count", waiting)];
        add(&mut run, "injector", &figures, second..second + 1);
    }
    run.hold = (Nanos(0), Nanos::from_secs(3));
    let Cell::Observed(text) = row(&diagnose(&run.evidence()), Kind::Pool).saturation.clone() else {
        panic!("not observed")
    };
    assert_eq!(text, "1.2 waiting");
}

/// A line that the plan gives its users is on the way of each request, also towards this host.
#[test]
fn the_round_trip_of_a_line_is_the_networks() {
    let mut run = watched(&IDLE);
    run.totals.record(Section::Hold, &connected(5));
    let network_s = |run: &Run| {
        let budget = diagnose(&run.evidence()).budget.expect("a budget");
        let network = budget.parts.iter().find(|part| part.resource.kind == Kind::Network);
        network.map_or(0.0, Part::residence_s)
    };
    let without_s = network_s(&run);
    run.plan.locations.push(Location {
        name: "fibre".into(),
        down_bits_per_s: None,
        up_bits_per_s: None,
        round_trip: Duration::from_millis(5),
        jitter: Duration::ZERO,
        weight: 1.0,
    });
    let more_s = network_s(&run) - without_s;
    assert!((more_s - 0.005).abs() < 1e-4, "{more_s}");
}

/// An exchange over a connection that was opened for it.
pub(super) fn connected(connect_ms: u64) -> Sample {
    let connect = Nanos::from_millis(connect_ms);
    Sample {
        name: HOME,
        scenario: 0,
        outcome: Outcome::Ok,
        status: None,
        intended: Nanos::ZERO,
        sent: Some(connect),
        first_byte: Some(Nanos::from_millis(connect_ms + 1)),
        done: Nanos::from_millis(connect_ms + 1),
        network: Network { connect, ..Network::default() },
        send: Nanos::ZERO,
        slot_wait: Nanos::ZERO,
        bytes_received: 500,
        bytes_sent: 100,
        bytes_decoded: 0,
    }
}
