//! What is said of a resource beside its label, and what its figures are made of where several would do.

use nmax_metrics::{Nanos, Resource as Line, Section};
use nmax_plan::plan::INJECTOR;

use super::reasons::{IDLE, add, connected, suspect, watched};
use super::*;
use crate::tests::fixture::Run;

type Figures<'a> = &'a [(&'a str, &'a str, f64)];

/// These figures, and in place of those that they name the idle ones.
fn with(figures: Figures<'_>) -> Run {
    let mut all = IDLE.to_vec();
    all.retain(|(source, metric, _)| !figures.iter().any(|(of, known, _)| (of, known) == (source, metric)));
    all.extend(figures);
    watched(&all)
}

/// Everything that is said of a resource of this host.
fn said(run: &Run, kind: Kind, name: &str) -> String {
    let diagnosis = diagnose(&run.evidence());
    let findings = suspect(&diagnosis, kind, name).findings.iter();
    findings.map(|finding| finding.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn residence_s(run: &Run, kind: Kind, name: &str) -> f64 {
    let diagnosis = diagnose(&run.evidence());
    suspect(&diagnosis, kind, name).residence_s.expect("a residence")
}

/// How many wait for a processor, as the matrix has it.
fn waiting(run: &Run) -> Cell {
    let rows = diagnose(&run.evidence()).coverage;
    let mut of_host = rows.into_iter().filter(|row| row.resource.kind == Kind::Cpu);
    of_host.next().expect("a row").saturation
}

#[test]
fn a_gap_is_said_of_what_has_it() {
    let pool = [("pool orders", "waiting_count", 0.0), ("pool orders", "in_use_count", 1.0)];
    for (seconds, is_gap) in [(0..11, false), (0..7, true)] {
        let mut run = with(&[]);
        add(&mut run, INJECTOR, &pool, seconds);
        let text = said(&run, Kind::Pool, "orders");
        assert_eq!(text.contains("it was not read in"), is_gap, "{text}");
    }
}

/// Who else uses the processors: strangers where processes are observed, others' requests where none is.
#[test]
fn work_of_others_is_said() {
    let busy = [("cpu", "busy_cores", 2.0), ("cpu", "waiting_count", 8.0)];
    let process = [("process shop", "cpu_cores", 0.01), ("process shop", "waiting_count", 0.01)];
    let strangers = "processes that are not observed keep 1.99 cores busy and 7.98 tasks waiting";
    let others = "of them charged to requests: it works for others too";
    let watched = said(&with(&[&busy[..], &process].concat()), Kind::Cpu, "");
    assert!(watched.contains(strangers) && !watched.contains("for others too"), "{watched}");
    let alone = said(&with(&busy), Kind::Cpu, "");
    assert!(alone.contains(others) && !alone.contains("not observed"), "{alone}");
    let idle = said(&with(&process), Kind::Cpu, "");
    assert!(!idle.contains("not observed") && !idle.contains("for others too"), "{idle}");
}

#[test]
fn what_is_lent_for_nothing_that_is_watched_is_said() {
    for (held, is_said) in [(4.0, true), (0.2, false)] {
        let run = with(&[
            ("pool orders", "in_use_count", held),
            ("pool orders", "limit_count", 4.0),
            ("pool orders", "waiting_count", 0.0),
        ]);
        let text = said(&run, Kind::Pool, "orders");
        let words = "of the time that it is lent nothing is done that is watched";
        assert_eq!(text.contains(words), is_said, "{text}");
    }
}

/// Waiting is told where there is any.
#[test]
fn residence_has_its_waiting() {
    let text = |waiting| {
        let run = with(&[("cpu", "busy_cores", 0.5), ("cpu", "waiting_count", waiting)]);
        said(&run, Kind::Cpu, "")
    };
    let (none, some) = (text(0.0), text(0.25));
    assert!(none.contains("spends 5 ms in it") && !none.contains("of that"), "{none}");
    // Less the injector's own.
    assert!(some.contains("; of that 2.4 ms waiting"), "{some}");
}

/// What belongs to others is told of a symptom, and of nothing that hardly anybody waits for.
#[test]
fn what_is_inside_is_told_of_symptoms() {
    let text = |waiting| {
        let run = with(&[
            ("disk sda", "queue_count", 0.45),
            ("disk sda", "await_ms", 30.0),
            ("disk sda", "read_bytes_per_s", 1e6),
            ("process shop", "read_bytes_per_s", 1e6),
            ("process shop", "cpu_cores", 0.1),
            ("pool orders", "in_use_count", 0.5),
            ("pool orders", "limit_count", 1.0),
            ("pool orders", "waiting_count", waiting),
        ]);
        said(&run, Kind::Pool, "orders")
    };
    let words = "measured here and belong to nested resources, mostly to disk sda";
    assert!(text(0.4).contains(words), "{}", text(0.4));
    assert!(!text(0.01).contains(words), "{}", text(0.01));
}

/// The time of a transfer is that of all transfers, not of all seconds.
#[test]
fn quiet_seconds_do_not_make_a_disk_slow() {
    let mut run = with(&[("disk sda", "queue_count", 0.4)]);
    for second in 0..11 {
        let (reads, ms) = if second % 2 == 0 { (1.0, 100.0) } else { (10_000.0, 1.0) };
        for (metric, value) in [("reads_per_s", reads), ("await_ms", ms)] {
            run.readings.push(&Line {
                at: Nanos::from_secs(second),
                host: INJECTOR.into(),
                source: "disk vdb".into(),
                metric: metric.into(),
                value,
                unit: "count".into(),
            });
        }
    }
    add(&mut run, INJECTOR, &[("disk vdb", "queue_count", 0.4)], 0..11);
    let text = said(&run, Kind::Disk, "vdb");
    assert!(text.contains("each for 1.01 ms ("), "{text}");
}

/// The processes' part of the bytes is that of the disks' own, and of the processes that were read.
#[test]
fn bytes_are_counted_once() {
    let disk = [
        ("disk sda", "queue_count", 0.5),
        ("disk sda", "busy_ratio", 0.4),
        ("disk sda", "written_bytes_per_s", 1e7),
        ("process java", "threads_count", 40.0),
        ("process java", "cpu_cores", 0.1),
        ("process java", "written_bytes_per_s", 1e6),
    ];
    let upon = [("disk dm-0", "queue_count", 0.5), ("disk dm-0", "written_bytes_per_s", 1e7)];
    let page = [("process shop", "cpu_cores", 0.1)];
    for more in [&[][..], &upon, &page] {
        let found_s = residence_s(&with(&[&disk, more].concat()), Kind::Disk, "sda");
        // Three times a tenth of the queue.
        assert!((found_s - 0.0015).abs() < 1e-6, "{more:?}: {found_s}");
    }
}

/// Towards another host, of whose sockets nothing is known, a connect tells the way there and back.
#[test]
fn a_connect_tells_the_way() {
    let network_s = |target: &str| {
        let mut run = with(&[]);
        run.totals.record(Section::Hold, &connected(5));
        run.plan.target = target.into();
        let budget = diagnose(&run.evidence()).budget.expect("a budget");
        let mut parts = budget.parts.iter().filter(|part| part.resource.kind == Kind::Network);
        parts.next().map_or(0.0, Part::residence_s)
    };
    let more_s = network_s("http://shop.example") - network_s("http://127.0.0.1:1");
    assert!((more_s - 0.005).abs() < 1e-4, "{more_s}");
}

/// Who finds a listening queue full tries again after a second: without such a connect it was not this client.
#[test]
fn full_queues_are_ours_where_a_connect_was_late() {
    for (connect_ms, is_other) in [(5, true), (1_005, false)] {
        let mut run = with(&[("tcp", "listen_overflows_per_s", 3.0)]);
        run.totals.record(Section::Hold, &connected(connect_ms));
        let text = said(&run, Kind::Network, "");
        assert!(text.contains("3 connections/s found the queue"), "{text}");
        assert_eq!(text.contains("none of them this client's"), is_other, "{text}");
    }
}

/// Stalls of a control group tell who waits where its quota is what is short, and nowhere else.
#[test]
fn stalls_of_a_group_are_of_its_quota() {
    let in_group = |used| {
        with(&[
            ("cpu", "cores_count", 16.0),
            ("cpu", "busy_cores", 6.4),
            ("cpu", "waiting_count", 0.25),
            ("cgroup", "quota_cores", 2.0),
            ("cgroup", "cpu_cores", used),
            ("cgroup", "cpu_pressure_some_ratio", 0.5),
        ])
    };
    // Ten times as many by the law of queues, and two requests in the system.
    assert_eq!(waiting(&in_group(1.9)), Cell::Observed("2 waiting".into()));
    assert_eq!(waiting(&in_group(0.2)), Cell::Observed("0.25 waiting".into()));
}
