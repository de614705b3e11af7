//! What single figures are made of: quotas, devices upon devices, means of seconds that are not alike, instants of rates.

use nmax_metrics::{Nanos, Resource as Line, TrackKey};
use nmax_plan::plan::INJECTOR;
use nmax_sources::figures;
use proptest::prelude::*;

use super::reasons::{IDLE, suspect, watched};
use super::*;
use crate::suspect::service::held_up;
use crate::suspect::span_readings::SpanReadings;
use crate::suspect::statistics::{aligned, relation};
use crate::tests::fixture::Run;
use crate::tests::simulate::{Random, point};

/// A host of 16 processors with neighbors, in which a control group may use 2.
fn in_container(used: f64, rest: &[(&str, &str, f64)]) -> Run {
    let mut figures = IDLE.to_vec();
    figures.retain(|(source, ..)| *source != "cpu");
    figures.extend([
        ("cpu", "cores_count", 16.0),
        ("cpu", "busy_cores", 6.4),
        ("cgroup", "quota_cores", 2.0),
        ("cgroup", "cpu_cores", used),
    ]);
    figures.extend(rest);
    watched(&figures)
}

/// What the neighbors of a container use is not held against its quota.
#[test]
fn neighbors_do_not_use_up_a_quota() {
    let diagnosis = diagnose(&in_container(0.2, &[]).evidence());
    let cpu = suspect(&diagnosis, Kind::Cpu, "");
    assert_eq!(cpu.label, Label::FollowsLoad, "{cpu:#?}");
    assert!((cpu.utilization.expect("a utilization") - 0.4).abs() < 1e-9, "{cpu:#?}");
}

/// A container that uses up its quota is short of processors, whatever the host has left.
#[test]
fn a_quota_that_is_used_up_is_said() {
    let throttled = [("cgroup", "throttled_ratio", 0.4), ("cgroup", "cpu_pressure_some_ratio", 0.5)];
    let diagnosis = diagnose(&in_container(1.9, &throttled).evidence());
    let cpu = suspect(&diagnosis, Kind::Cpu, "");
    assert_eq!(cpu.label, Label::Wait, "{cpu:#?}");
    assert!((cpu.utilization.expect("a utilization") - 0.95).abs() < 1e-9, "{cpu:#?}");
    let said = |words: &str| cpu.findings.iter().any(|finding| finding.text.contains(words));
    assert!(said("1.9 of 2 cores of its control group busy"), "{cpu:#?}");
    assert!(said("throttled in 40"), "{cpu:#?}");
}

/// The quota of an agent that is alone in its group is none of the system, nor is one that the observed processes are not in.
#[test]
fn a_quota_of_others_is_not_the_systems() {
    let agent = ("agent db", "cost_cores", 1.8);
    let process = ("process shop", "cpu_cores", 6.0);
    for other in [agent, process] {
        let diagnosis = diagnose(&in_container(1.9, &[other]).evidence());
        let utilization = suspect(&diagnosis, Kind::Cpu, "").utilization.expect("a utilization");
        assert!((utilization - 0.4).abs() < 1e-9, "{other:?}: {utilization}");
    }
}

/// A process that is read and that its own page tells of as well is one process.
#[test]
fn a_process_and_its_page_are_one() {
    let mut figures = IDLE.to_vec();
    figures.retain(|(_, metric, _)| *metric != "busy_cores");
    figures.extend([
        ("cpu", "busy_cores", 1.6),
        ("process java", "cpu_cores", 0.8),
        ("process java", "threads_count", 40.0),
        ("process java", "waiting_count", 0.1),
        ("process shop", "cpu_cores", 0.8),
    ]);
    let diagnosis = diagnose(&watched(&figures).evidence());
    let residence_s = suspect(&diagnosis, Kind::Cpu, "").residence_s.expect("a residence");
    assert!((residence_s - 0.009).abs() < 1e-6, "{residence_s}");
}

/// A device upon a disk has the disk's transfers once more; alone it stands for the disk.
#[test]
fn a_device_upon_a_disk_counts_once() {
    let mut figures = IDLE.to_vec();
    figures.retain(|(source, ..)| *source != "disk sda");
    figures.extend([("disk dm-0", "queue_count", 1.0), ("disk dm-0", "busy_ratio", 0.6)]);
    let disks = |figures: &[(&str, &str, f64)]| {
        let budget = diagnose(&watched(figures).evidence()).budget.expect("a budget");
        let disks = budget.parts.into_iter().filter(|part| part.resource.kind == Kind::Disk);
        disks.map(|part| (part.resource.name.clone(), part.residence_s())).collect::<Vec<_>>()
    };
    let alone = disks(&figures);
    assert_eq!(alone.len(), 1, "{alone:?}");
    assert_eq!(alone[0].0, "dm-0");
    figures.extend([("disk sda", "queue_count", 1.0), ("disk sda", "busy_ratio", 0.6)]);
    let both = disks(&figures);
    assert_eq!(both, [("sda".to_owned(), alone[0].1)]);
}

/// Where the bytes of an observed process may not be read, nobody knows which part of a disk's queue is the processes'.
#[test]
fn bytes_that_are_not_told_are_no_small_part() {
    let mut figures = IDLE.to_vec();
    figures.retain(|(source, ..)| *source != "disk sda");
    figures.extend([
        ("disk sda", "queue_count", 0.5),
        ("disk sda", "busy_ratio", 0.4),
        ("disk sda", "written_bytes_per_s", 1e7),
        ("process shop", "cpu_cores", 0.1),
        ("process shop", "written_bytes_per_s", 1e4),
    ]);
    let residence_s = |figures: &[(&str, &str, f64)]| {
        let diagnosis = diagnose(&watched(figures).evidence());
        suspect(&diagnosis, Kind::Disk, "sda").residence_s.expect("a residence")
    };
    assert!(residence_s(&figures) < 1e-4, "three times a thousandth of the queue");
    figures.push(("process postgres", "cpu_cores", 0.1));
    assert!((residence_s(&figures) - 0.005).abs() < 1e-6, "{}", residence_s(&figures));
}

fn push(run: &mut Run, second: u64, source: &str, metric: &str, value: f64) {
    run.readings.push(&Line {
        at: Nanos::from_secs(second),
        host: INJECTOR.into(),
        source: source.into(),
        metric: metric.into(),
        value,
        unit: "count".into(),
    });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Oracle: the mean over all transfers, one by one. The first reading is of the time before.
    #[test]
    fn a_mean_of_means_counts_what_they_are_of(seconds in proptest::collection::vec((1_u32..50, 0.1..100.0_f64), 10)) {
        let mut run = Run::healthy();
        for (second, (count, ms)) in (0..).zip(&seconds) {
            push(&mut run, second, "disk sda", "reads_per_s", f64::from(*count));
            push(&mut run, second, "disk sda", "await_ms", *ms);
        }
        let look = SpanReadings::new(&run.readings, (Nanos::ZERO, Nanos::from_secs(10)));
        let weighted = |counts: &[_]| look.weighted(INJECTOR, "disk sda", figures::AWAIT_MS, counts).expect("a mean");
        let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
        let each = seconds[1..].iter().flat_map(|(count, ms)| vec![*ms; *count as usize]);
        prop_assert!((weighted(&[figures::READS_PER_S, figures::WRITES_PER_S]) - mean(&each.collect::<Vec<_>>())).abs() < 1e-9);
        // Where nobody knows how many there were, seconds count alike.
        let plain: Vec<f64> = seconds[1..].iter().map(|(_, ms)| *ms).collect();
        prop_assert!((weighted(&[figures::GETS_PER_S]) - mean(&plain)).abs() < 1e-9);
    }
}

/// Buffers that miss in busy seconds miss, however many quiet seconds found all.
#[test]
fn buffers_are_judged_by_all_blocks() {
    let missing = |hits: [f64; 2]| {
        let mut run = watched(&IDLE);
        for second in 0..11 {
            let (hit, read) = if second % 5 == 0 { (100.0, 900.0) } else { (hits[0], hits[1]) };
            push(&mut run, second, "database shop", "active_count", 0.1);
            push(&mut run, second, "database shop", "blocks_hit_per_s", hit);
            push(&mut run, second, "database shop", "blocks_read_per_s", read);
            push(&mut run, second, "database shop", "hit_ratio", hit / (hit + read));
        }
        let diagnosis = diagnose(&run.evidence());
        let database = suspect(&diagnosis, Kind::Database, "shop");
        database.findings.iter().any(|finding| finding.text.contains("in its buffers"))
    };
    assert!(missing([10.0, 0.0]), "nine in ten seconds find all, and few blocks");
    assert!(!missing([100_000.0, 0.0]), "few of very many blocks are read");
}

/// Demands of what is inside a pool are not counted twice.
#[test]
fn what_holds_a_slot_is_elsewhere_too() {
    let mut figures = IDLE.to_vec();
    figures.retain(|(_, metric, _)| *metric != "busy_cores");
    figures.push(("cpu", "busy_cores", 1.0));
    let knee = |figures: &[(&str, &str, f64)]| {
        let bounds = diagnose(&watched(figures).evidence()).bounds.expect("bounds");
        assert_eq!(bounds.resource.kind, Kind::Cpu);
        bounds.knee.expect("a knee")
    };
    let alone = knee(&figures);
    let pool = |held: f64| {
        let mut all = figures.clone();
        all.extend([
            ("pool a", "in_use_count", held),
            ("pool a", "waiting_count", 0.0),
            ("pool a", "limit_count", 50.0),
        ]);
        knee(&all)
    };
    assert!((pool(0.9) - alone).abs() < 1e-9, "who holds it is at the processors");
    assert!((pool(3.0) - 3.0 * alone).abs() < 1e-9, "what else is done with it takes time too");
}

/// A rate has the instant of the end of its second, a gauge that of its moment; both are held against the same exchanges.
#[test]
fn rates_are_of_the_second_before() {
    let mut run = Run::healthy();
    run.hold = (Nanos::ZERO, Nanos::from_secs(60));
    let mut random = Random::new(7);
    let times: Vec<f64> = (0..60).map(|_| 20.0 + random.exponential()).collect();
    run.course.points = (0..60).map(|at| point(at as f64, 40.0, &mut [times[at]], 0)).collect();
    for (second, ms) in times.iter().enumerate() {
        push(&mut run, second as u64 + 1, "cpu", "busy_cores", *ms);
        push(&mut run, second as u64, "pool a", "waiting_count", *ms);
    }
    let evidence = run.evidence();
    for (source, metric) in [("cpu", "busy_cores"), ("pool a", "waiting_count")] {
        let figure = TrackKey { host: INJECTOR.into(), source: source.into(), metric: metric.into() };
        let track = run.readings.get(INJECTOR, source, metric).expect("a track");
        let rows = aligned(&evidence, &figure, track);
        assert!(rows.len() >= 59, "{source}: {}", rows.len());
        assert!(rows.iter().all(|row| row[0] == row[2]), "{source}: {rows:?}");
        assert!(relation(&rows).expect("a relation").correlation > 0.99, "{source}");
    }
}

/// Tasks that wait are no more than the samples of the run queue, however full the processors are.
#[test]
fn waiting_tasks_are_bounded_by_what_is_known() {
    let waiting = |rest: &[(&str, &str, f64)]| {
        let mut figures = IDLE.to_vec();
        figures.retain(|(_, metric, _)| !["busy_cores", "waiting_count"].contains(metric));
        figures.push(("cpu", "busy_cores", 1.96));
        figures.extend(rest);
        let diagnosis = diagnose(&watched(&figures).evidence());
        let rows = diagnosis.coverage.iter();
        let row = rows.clone().find(|row| row.resource.kind == Kind::Cpu).expect("a row");
        row.saturation.clone()
    };
    let said = |text: &str| Cell::Observed(format!("{text} waiting"));
    let stalls = ("cpu", "pressure_some_ratio", 0.33);
    assert_eq!(waiting(&[stalls, ("cpu", "running_count", 2.9)]), said("0.94"));
    assert_eq!(waiting(&[stalls, ("cpu", "running_count", 1.9)]), said("0.33"));
    // Two requests in the system.
    assert_eq!(waiting(&[stalls]), said("2"));
    assert_eq!(waiting(&[("cpu", "running_count", 2.9)]), said("0.94"));
}

/// What to change in a database is what helps against what its sessions do.
#[test]
fn a_database_is_given_what_it_lacks() {
    let experiment = |rest: &[(&str, &str, f64)]| {
        let mut figures = IDLE.to_vec();
        figures.push(("database shop", "active_count", 1.6));
        figures.extend(rest);
        suspect(&diagnose(&watched(&figures).evidence()), Kind::Database, "shop").falsify.clone()
    };
    let reads = ("database shop", "blocks_read_per_s", 900.0);
    for (rest, want, is_of_buffers) in [
        (&[("database shop", "wait_lock_count", 1.5), reads][..], "transactions", false),
        (&[("database shop", "wait_lwlock_count", 1.5)], "fewer sessions", false),
        (&[("database shop", "wait_io_count", 1.5), reads], "larger buffers", true),
        (&[("database shop", "running_count", 1.5), reads], "leave out", true),
        (&[("database shop", "running_count", 1.5)], "leave out", false),
    ] {
        let text = experiment(rest);
        assert!(text.contains(want), "{text}");
        assert_eq!(text.contains("buffers"), is_of_buffers, "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Law: as many wait as the time says in which any does, and no more than is known.
    #[test]
    fn stalls_are_no_more_than_what_is_known(some in 0.0..1.0_f64, utilization in 0.0..1.2_f64, most in 0.0..50.0_f64) {
        let waiting = crate::suspect::cpu::queued(some, utilization, most);
        prop_assert!(some <= waiting && waiting <= some.max(most), "{waiting}");
        prop_assert!((crate::suspect::cpu::queued(some, 0.0, 50.0) - some).abs() < 1e-12);
    }
}

proptest! {
    /// Law: of requests that come evenly, wait while the world stands still and are gone when it goes on, those that wait
    /// are counted. Worked out in small steps of time.
    #[test]
    fn a_pause_holds_up_what_comes_in_it(
        rate_per_s in 1.0..200.0_f64,
        served in 0.1..20.0_f64,
        every_s in 0.5..5.0_f64,
        paused in 0.01..0.9_f64,
    ) {
        const STEPS: u32 = 1_000;
        let step_s = paused * every_s / f64::from(STEPS);
        let mut waiting = 0.0;
        for step in 0..STEPS {
            let came = rate_per_s * (f64::from(step) + 0.5) * step_s;
            waiting += (served + came) * step_s / every_s;
        }
        let all = waiting + served * (1.0 - paused);
        let found = held_up(paused, Some(1.0 / every_s), all, rate_per_s);
        prop_assert!((found - waiting).abs() <= 1e-6 * waiting, "{found}, not {waiting}");
        // What is not known adds nothing.
        prop_assert_eq!(held_up(paused, None, all, rate_per_s), paused * all);
        prop_assert_eq!(held_up(paused, Some(1.0 / every_s), all, 0.0), paused * all);
        prop_assert!(held_up(paused, Some(1e-9), all, rate_per_s) <= all);
    }
}

/// A pool all of which is lent, and which never tells of anybody who waits: it comes before what nobody watched, and before
/// processors that are a hundredth of the time.
#[test]
fn a_full_pool_that_does_not_tell_who_waits_is_first() {
    let look = |slots: f64, waiting: Option<f64>| {
        let mut figures = IDLE.to_vec();
        figures.retain(|(_, metric, _)| *metric != "busy_cores");
        figures.extend([("cpu", "busy_cores", 1.95), ("process shop", "cpu_cores", 0.02)]);
        figures.extend([("pool fpm", "in_use_count", slots), ("pool fpm", "limit_count", slots)]);
        figures.extend(waiting.map(|waiting| ("pool fpm", "waiting_count", waiting)));
        diagnose(&watched(&figures).evidence())
    };
    // Two requests are in the system.
    for waiting in [Some(0.0), None] {
        let diagnosis = look(1.0, waiting);
        let first = &diagnosis.suspects[0];
        assert_eq!((first.resource.kind, first.label), (Kind::Pool, Label::Saturated), "{diagnosis:#?}");
        assert!(first.findings[0].text.contains("is not told"), "{first:#?}");
        assert_eq!(diagnosis.suspects[1].label, Label::NotObserved, "{diagnosis:#?}");
        let row = diagnosis.coverage.iter().find(|row| row.resource.kind == Kind::Pool).unwrap();
        assert_eq!(row.saturation, Cell::NotObserved);
    }
    // As many slots as requests: nobody needs to wait.
    let enough = look(2.0, Some(0.0));
    assert_eq!(enough.suspects[0].label, Label::NotObserved, "{enough:#?}");
}
