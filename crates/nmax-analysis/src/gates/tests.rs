use nmax_metrics::{Histogram, Outcome};
use proptest::prelude::*;

mod injectors;
mod laws;

use super::*;
use crate::tests::fixture::{HOME, Run};

fn load(due: u64, started: u64, waited: u64, injector: u64, in_flight_limit: u64) -> LoadStats {
    let (dropped_injector, dropped_in_flight_limit) = (injector, in_flight_limit);
    LoadStats { due, started, waited, dropped_injector, dropped_in_flight_limit, ..LoadStats::default() }
}

fn recorded(values: &[(u64, u64)]) -> Histogram {
    let mut histogram = Histogram::new();
    values.iter().for_each(|(ns, n)| histogram.record_n(*ns, *n));
    histogram
}

const MS: u64 = 1_000_000;

#[test]
fn every_gate_of_a_healthy_run_is_open_and_tested() {
    let gates = gates(&Run::healthy().evidence());
    assert_eq!(
        gates.iter().map(|gate| gate.code).collect::<Vec<_>>(),
        ["G1", "G2", "G3", "G4", "G4", "G4", "G4", "G4", "G4", "G4", "G5", "G8", "G8", "G8"]
    );
    for gate in gates {
        assert!(gate.holds && gate.value.is_some() && gate.limit.is_some(), "{gate:?}");
    }
}

/// One thing is spoiled at a time, once up to the limit and once beyond it: exactly that gate flips.
#[test]
fn each_gate_flips_with_its_input() {
    type Spoil = fn(&mut Run);
    let cases: [(&str, Spoil, Spoil); 16] = [
        ("clock", |run| run.injector.clock_error_s = Some(0.05), |run| run.injector.clock_error_s = Some(0.051)),
        ("clock", |run| run.injector.clock_jump_s = Some(0.05), |run| run.injector.clock_jump_s = Some(0.051)),
        (
            "rate",
            |run| run.totals.load_mut(Section::Hold).started = 980,
            |run| run.totals.load_mut(Section::Hold).started = 979,
        ),
        (
            "mix",
            |run| (run.start_of(0, 903), run.start_of(1, 97)).1,
            |run| (run.start_of(0, 904), run.start_of(1, 96)).1,
        ),
        (
            "run queue",
            |run| run.totals.load_mut(Section::Hold).run_wait = Nanos::from_millis(2_499),
            |run| run.totals.load_mut(Section::Hold).run_wait = Nanos::from_millis(2_500),
        ),
        (
            "Little's law",
            |run| run.totals.load_mut(Section::Hold).in_flight_ns = 1_000 * 31_500_000,
            |run| run.totals.load_mut(Section::Hold).in_flight_ns = 1_000 * 31_650_000,
        ),
        (
            "injector lag",
            |run| (run.add(Section::Hold, 50, HOME, Outcome::Ok, 40.0, 9.0), run.expect_p99_below(30.0)).1,
            |run| (run.add(Section::Hold, 50, HOME, Outcome::Ok, 40.0, 11.0), run.expect_p99_below(30.0)).1,
        ),
        (
            "injector CPU",
            |run| run.injector.cpu_utilization_max = Some(0.949),
            |run| run.injector.cpu_utilization_max = Some(0.95),
        ),
        ("injector errors", |run| run.add_errors(1, ErrorKind::Reset), |run| run.add_errors(1, ErrorKind::Injector)),
        ("open files", |run| run.injector.open_files_max = Some(972), |run| run.injector.open_files_max = Some(973)),
        (
            "local ports",
            |run| run.injector.ports_used_max = Some(26_820),
            |run| run.injector.ports_used_max = Some(26_821),
        ),
        (
            "memory",
            |run| run.injector.memory_available_min = Some(0.05),
            |run| run.injector.memory_available_min = Some(0.049),
        ),
        (
            "swap",
            |run| run.injector.swapped_bytes = Some(1 << 20),
            |run| run.injector.swapped_bytes = Some((1 << 20) + 1),
        ),
        (
            "samples",
            |run| {
                run.totals = Run::empty().totals;
                run.add(Section::Outside, 1, HOME, Outcome::Ok, 20.0, 0.05);
            },
            |run| run.totals = Run::empty().totals,
        ),
        ("stalls", |run| run.injector.stalled_max_s = Some(0.1), |run| run.injector.stalled_max_s = Some(0.101)),
        (
            "gaps",
            |run| (run.injector.windows_missing, run.end) = (2, Nanos::from_secs(100)),
            |run| (run.injector.windows_missing, run.end) = (3, Nanos::from_secs(100)),
        ),
    ];
    for (name, keep, close) in cases {
        let (mut open, mut closed) = (Run::healthy(), Run::healthy());
        keep(&mut open);
        close(&mut closed);
        let shut = |run: &Run| {
            gates(&run.evidence()).into_iter().filter(|gate| !gate.holds).map(|gate| gate.name).collect::<Vec<_>>()
        };
        assert_eq!(shut(&open), [""; 0], "{name}");
        assert_eq!(shut(&closed), [name]);
    }
}

#[test]
fn rate_by_hand() {
    //  due  started  waited  dropped: injector, limit   holds  why this row
    let cases = [
        (1_000, 980, 0, 20, 0, true, "exactly 2 %"),
        (1_000, 979, 0, 21, 0, false, "drops of the injector count"),
        (1_000, 900, 0, 0, 0, false, "late starts count"),
        (1_000, 500, 400, 0, 500, true, "waiting and dropping for the target do not count"),
        (1_000, 480, 400, 20, 500, false, "80 of 100 that never had to wait"),
        (20, 19, 0, 1, 0, true, "one of twenty says nothing"),
        (20, 17, 0, 3, 0, true, "nor do three"),
        (20, 16, 0, 4, 0, false, "four do"),
        (1_000, 600, 600, 0, 400, true, "nobody had a free slot"),
        (0, 0, 0, 0, 0, true, "nothing was due"),
    ];
    for (due, started, waited, injector, limit, holds, why) in cases {
        let gate = rate(&load(due, started, waited, injector, limit));
        assert_eq!(gate.holds, holds, "{why}: {gate:?}");
    }
}

#[test]
fn rate_warns_between_one_and_two_percent() {
    let warned = |started| {
        let load = load(10_000, started, 0, 0, 0);
        rate_warning(&rate(&load), &load).is_some()
    };
    assert!(!warned(9_900) && warned(9_899) && warned(9_800));
    assert!(!warned(9_799), "a closed gate is a reason, not a warning");
}

#[test]
fn closed_workloads_have_no_rate_to_miss() {
    let mut run = Run::healthy().closed();
    run.totals.load_mut(Section::Hold).started = 1;
    let gate = &gates(&run.evidence())[0];
    assert!(gate.holds && gate.value.is_none() && gate.text.contains("no intended rate"), "{gate:?}");
}

#[test]
fn virtual_users_that_never_start_close_the_gate_of_closed_workloads() {
    for (idle, planned, holds) in [(3, 10, true), (4, 10, false), (20, 1_000, true), (21, 1_000, false), (5, 5, false)]
    {
        let gate = users_started(idle, planned);
        assert_eq!((gate.code, gate.holds), ("G1", holds), "{gate:?}");
        assert_eq!(gate.value, Some((planned - idle) as f64 / planned as f64));
        let users = format!("{idle} virtual users never got to start");
        assert!(gate.text.contains(&users), "{gate:?}");
    }
}

/// The many iterations of those that did start do not hide it.
#[test]
fn idle_users_are_seen_beside_a_million_iterations() {
    let mut run = Run::healthy().closed();
    *run.totals.load_mut(Section::Hold) = load(1_000_030, 1_000_000, 0, 30, 0);
    assert!(!gates(&run.evidence())[0].holds);
}

#[test]
fn unknown_figures_close_nothing_and_say_so() {
    for gate in [
        injector_cpu(None, &[]),
        injector_cpu(Some(f64::NAN), &[]),
        open_files(None, Some(5)),
        open_files(Some(5), None),
        ports(None, Some(5)),
        ports(Some(5), None),
        memory(None),
        memory(Some(f64::NAN)),
        swap(None),
        run_queue(&LoadStats::default(), false, &[]),
        laws::littles_law(&Run::empty().totals, 10.0),
        mix(&Run::healthy().plan, &Run::empty().totals, 0),
        injector_lag(0, &[]),
        stalls(None, 10.0),
    ] {
        assert!(gate.holds && gate.value.is_none() && gate.text.starts_with("not tested"), "{gate:?}");
    }
}

#[test]
fn closed_gates_say_figures_and_remedy() {
    let cases = [
        (
            rate(&load(1_000, 950, 0, 50, 0)),
            "the injector missed the intended rate: 950 of 1,000 due iterations with a free slot started (95 %), at least 98 % must: \
             use more workers or injectors, or a lower rate",
        ),
        // A file that became shorter is of this kind too: the text must not name one cause.
        (
            injector_errors(2),
            "2 errors of the injector's own making: this machine could not do its part: raise its limits, or see the \
             examples of kind `injector`",
        ),
        (
            samples_exist(0, 3),
            "no exchange was completed and 3 were cut off at the end: check that the target answers, or run longer",
        ),
        (
            gaps(1, 10, ("1 of 10 windows lack the report of a worker", "")),
            "1 of 10 windows lack the report of a worker (10 %, limit 2 %): what happened then is not known; repeat the run",
        ),
        (
            clock(&InjectorFacts { clock_error_s: Some(0.01), clock_jump_s: Some(2.0), ..InjectorFacts::default() }),
            "the clock jumped by 2 s, limit 50 ms: its load and its windows may be at other instants than those of the \
             others; synchronize its clock, or use a path to the broker with a shorter round trip",
        ),
        (
            open_files(Some(1_024), Some(1_024)),
            "1,024 of 1,024 allowed descriptors were in use: raise the limit (`ulimit -n`) or use fewer connections",
        ),
        (
            ports(Some(28_000), Some(28_232)),
            "28,000 of 28,232 local ports towards one destination were in use: keep connections alive, leave from more \
             addresses (`--source`), or widen net.ipv4.ip_local_port_range",
        ),
        (
            run_queue(
                &LoadStats { worker_time: Nanos::from_secs(20), run_wait: Nanos::from_secs(7), ..LoadStats::default() },
                false,
                &[],
            ),
            "workers waited 35 % of their time for a processor, below 25 % is needed: something else keeps their cores \
             busy",
        ),
        (
            stalls(Some(5_000.0), 8.0),
            "nmax stood still for 5 s of 8 s, at most 100 ms may be: replies that came meanwhile were seen late; \
             something stopped it or took its processor (a stopped process, a frozen or throttled control group, a paused \
             virtual machine, a busy host)",
        ),
        (
            memory(Some(0.031)),
            "only 3.1 % of the memory was available at one time, 5 % must be: use fewer virtual users, smaller bodies or \
             a larger machine",
        ),
        (
            swap(Some(50 << 20)),
            "50 MiB of the injector were swapped out, at most 1 MiB may be: its pauses are in the numbers; free memory, or \
             use a machine without swap",
        ),
    ];
    for (gate, want) in cases {
        assert_eq!(gate.text, want);
    }
}

#[test]
fn each_gate_has_its_reason_code() {
    let mut run = Run::healthy();
    run.injector.clock_error_s = Some(0.0);
    let mut codes: Vec<_> = gates(&run.evidence()).iter().map(reason_code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes.len(), ALL.len(), "{codes:?}");
}

proptest! {
    /// Law: waiting for the target never closes the gate of the rate, and what the injector drops never opens it.
    #[test]
    fn only_the_injector_misses_the_rate(free in 0_u64..5_000, missed in 0_u64..5_000, waited in 0_u64..5_000, limit in 0_u64..5_000) {
        let missed = missed.min(free);
        let alone = rate(&load(free, free - missed, 0, missed, 0));
        let busy = rate(&load(free + waited + limit, free - missed + waited, waited, missed, limit));
        prop_assert_eq!(alone.holds, busy.holds);
        prop_assert_eq!(alone.holds, free == 0 || missed <= TOLERATED_COUNT || missed * 50 <= free);
    }

    /// Law: a gate holds exactly when its own figures say so.
    #[test]
    fn gates_follow_from_their_figures(started in 0_u64..2_000, utilization in 0.0..1.2_f64, missing in 0_u64..20, files in 0_u64..2_000,
        available in 0.0..1.0_f64) {
        for (gate, at_least) in [
            (rate(&load(1_000, started, 0, 0, 0)), true),
            (injector_cpu(Some(utilization), &[]), false),
            (gaps(missing, 100, ("", "")), false),
            (open_files(Some(files), Some(1_024)), false),
            (ports(Some(files), Some(1_024)), false),
            (memory(Some(available)), true),
        ] {
            let (value, limit) = (gate.value.unwrap(), gate.limit.unwrap());
            let within = if at_least { value >= limit } else { value < limit || (gate.code == "G8" && value == limit) };
            prop_assert_eq!(gate.holds, within, "{:?}", gate);
        }
    }
}

/// A long hold may have more of it than a short one; runs that were stored before it was kept are not refused.
#[test]
fn standing_still_is_measured_by_the_hold() {
    assert!(stalls(Some(100.0), 1.0).holds && !stalls(Some(101.0), 10.0).holds);
    assert!(stalls(Some(600.0), 60.0).holds && !stalls(Some(601.0), 60.0).holds);
    let mut run = Run::healthy();
    run.injector.stalled_max_s = None;
    let gate = |run: &Run| gates(&run.evidence()).pop().unwrap();
    assert_eq!((gate(&run).name, gate(&run).value), ("stalls", None));
    run.totals.load_mut(Section::Hold).stalled = Nanos::from_millis(250);
    assert_eq!(gate(&run).value, Some(250.0));
}

/// Workers that have processors of their own may wait less than those that share all of the host's.
#[test]
fn confined_workers_may_wait_less() {
    let waited = |millis| LoadStats {
        worker_time: Nanos::from_secs(10),
        run_wait: Nanos::from_millis(millis),
        ..LoadStats::default()
    };
    assert!(run_queue(&waited(999), true, &[]).holds && !run_queue(&waited(1_000), true, &[]).holds);
    assert!(run_queue(&waited(1_000), false, &[]).holds);
}

/// Half a second is enough to tell; less than a second may wait more by chance, and a tenth of a second says nothing.
#[test]
fn short_runs_have_a_run_queue_too() {
    let waited = |millis, of_millis| LoadStats {
        worker_time: Nanos::from_millis(of_millis),
        run_wait: Nanos::from_millis(millis),
        ..LoadStats::default()
    };
    //  waited ms  of ms  holds
    let cases = [(306, 1_000, false), (249, 1_000, true), (140, 500, true), (150, 500, false), (400, 499, true)];
    for (millis, of_millis, holds) in cases {
        let gate = run_queue(&waited(millis, of_millis), false, &[]);
        assert_eq!(gate.holds, holds, "{millis} of {of_millis}: {gate:?}");
    }
}

/// Points of a second in which one worker used that much of its processor and waited that much for it.
fn course(uses: &[(f64, f64)]) -> crate::Course {
    let point = |(second, (cpu_s, run_wait_s)): (usize, &(f64, f64))| crate::Point {
        start_s: second as f64,
        width_s: 1.0,
        held: true,
        used: crate::Use { worker_s: 1.0, cpu_s: *cpu_s, run_wait_s: *run_wait_s, stalled_s: 0.0 },
        ..crate::Point::default()
    };
    crate::Course { points: uses.iter().enumerate().map(point).collect(), requests: Vec::new() }
}

/// A ladder that fills its worker on the highest of four levels, or waits for a processor on one of them: the mean hides it.
#[test]
fn each_level_is_judged_by_itself() {
    let level = |users: f64| nmax_plan::schedule::Stage {
        from: users,
        to: users,
        length_ns: Some(15_000_000_000),
        kind: nmax_plan::schedule::StageKind::Hold,
    };
    for (cpu, wait, closed) in [(0.6, 0.1, None), (0.99, 0.1, Some("injector CPU")), (0.6, 0.3, Some("run queue"))] {
        let mut run = Run::healthy().closed();
        run.plan.stages = [1.0, 10.0, 100.0, 1_000.0].map(level).to_vec();
        run.hold.1 = Nanos::from_secs(60);
        run.end = run.hold.1;
        let mut uses = vec![(0.25, 0.02); 45];
        uses.extend([(cpu, wait); 15]);
        run.course = course(&uses);
        let mut shut = gates(&run.evidence());
        shut.retain(|gate| !gate.holds && gate.code == "G4");
        assert_eq!(shut.first().map(|gate| gate.name), closed);
        assert!(shut.iter().all(|gate| gate.text.contains("at 1,000 VUs")), "{shut:?}");
    }
}

/// Ten seconds that something else took are seen in a minute, where a second is not; in an hour they may be worse.
#[test]
fn the_worst_stretch_is_judged() {
    let shut = |length: usize, bad: usize, wait: f64| {
        let mut run = Run::healthy();
        run.hold.1 = Nanos::from_secs(length as u64);
        run.end = run.hold.1;
        let mut uses = vec![(0.3, 0.02); length];
        uses[20..20 + bad].fill((0.3, wait));
        run.course = course(&uses);
        let gates = gates(&run.evidence());
        let gate = gates.into_iter().find(|gate| gate.name == "run queue").unwrap();
        (!gate.holds).then_some(gate.text)
    };
    assert_eq!(shut(60, 0, 0.0), None);
    assert!(shut(60, 10, 0.7).unwrap().contains("from 20 s to 30 s"));
    assert_eq!((shut(60, 2, 0.9), shut(60, 10, 0.5), shut(3_600, 10, 0.6)), (None, None, None));
    assert!(shut(3_600, 10, 0.7).is_some());
}

proptest! {
    /// Law: the worst stretch is that of a search over all of them, and a part is never judged harder than the whole.
    #[test]
    fn stretches_are_those_of_brute_force(waits in prop::collection::vec(0.0..1.0_f64, 25..60)) {
        let mut run = Run::healthy();
        run.hold.1 = Nanos::from_secs(waits.len() as u64);
        run.end = run.hold.1;
        run.course = course(&waits.iter().map(|wait| (0.3, *wait)).collect::<Vec<_>>());
        let part = 10.0 / waits.len() as f64;
        let limit = 0.25 + 0.75 * (1.0 - part) / 2.0;
        let worst = waits.windows(10).map(|ten| ten.iter().sum::<f64>() / 10.0).fold(0.0, f64::max);
        let gate = gates(&run.evidence()).into_iter().find(|gate| gate.name == "run queue").unwrap();
        prop_assert_eq!(gate.holds, worst < limit, "{} {} {:?}", worst, limit, gate);
    }
}
