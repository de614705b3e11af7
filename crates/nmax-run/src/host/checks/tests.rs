use nmax_engine::measure::watch::memory::Memory;

use super::*;
use crate::host::Lateness;

/// A host on which nothing is wrong.
fn good() -> Host {
    Host {
        files_soft: Some(1_048_576),
        files_hard: Some(1_048_576),
        files_system: Some((592, 9_223_372_036_854_775_807)),
        ports: Some(Range { first: 32_768, last: 60_999, reserved: Vec::new() }),
        reuse: Some(Reuse::Always),
        time_wait: Some(3),
        fin_timeout_s: Some(60),
        memory: Some(Memory { total_bytes: 16 << 30, available_bytes: 8 << 30 }),
        swap_used_bytes: Some(0),
        cpus: Some(4),
        load: Some(0.3),
        quota_cores: None,
        governor: Some("performance".into()),
        clock_source: Some("tsc".into()),
        clock_ns: Some(25.0),
        timer_slack_ns: Some(50_000),
        wake: Some(Lateness { wakes: 1_000, p50_ns: 40_000, p99_ns: 300_000, max_ns: 2_000_000 }),
    }
}

#[test]
fn a_good_host_is_ok_in_every_point() {
    let found = checks(&good());
    assert_eq!(found.len(), 14);
    for finding in found {
        assert!(finding.level == Level::Ok && finding.remedy.is_empty(), "{finding:?}");
    }
}

/// One thing is spoiled at a time: exactly that check speaks, and says what to do.
#[test]
fn each_check_speaks_for_itself() {
    type Spoil = fn(&mut Host);
    let memory = |share: f64| Memory { total_bytes: 1_000_000, available_bytes: (1e6 * share) as u64 };
    assert_eq!(memory(0.04).available_bytes, 40_000);
    let cases: [(&str, Level, &str, Spoil); 14] = [
        ("BUSY", Level::Warning, "what else runs", |host| host.load = Some(2.5)),
        ("OPEN_FILES", Level::Warning, "ulimit", |host| host.files_hard = Some(4_096)),
        ("SYSTEM_FILES", Level::Warning, "fs.file-max", |host| host.files_system = Some((95, 100))),
        ("LOCAL_PORTS", Level::Warning, "ip_local_port_range", |host| {
            host.ports = Some(Range { first: 50_000, last: 60_999, reserved: Vec::new() });
        }),
        ("PORT_REUSE", Level::Note, "tcp_tw_reuse=1", |host| host.reuse = Some(Reuse::Loopback)),
        ("TIME_WAIT", Level::Warning, "wait", |host| host.time_wait = Some(20_000)),
        ("MEMORY", Level::Warning, "larger", |host| {
            host.memory = Some(Memory { total_bytes: 100, available_bytes: 9 });
        }),
        ("MEMORY", Level::Error, "larger", |host| {
            host.memory = Some(Memory { total_bytes: 100, available_bytes: 4 });
        }),
        ("SWAP", Level::Note, "swapoff", |host| host.swap_used_bytes = Some(1)),
        ("CORES", Level::Warning, "--workers 1", |host| host.quota_cores = Some(1.5)),
        ("GOVERNOR", Level::Note, "performance", |host| host.governor = Some("powersave".into())),
        ("CLOCK", Level::Warning, "clocksource", |host| host.clock_source = Some("acpi_pm".into())),
        ("CLOCK", Level::Warning, "clocksource", |host| host.clock_ns = Some(900.0)),
        ("WAKE", Level::Warning, "dedicated cores", |host| {
            host.wake = Some(Lateness { wakes: 1_000, p50_ns: 60_000, p99_ns: 4_000_000, max_ns: 9_000_000 });
        }),
    ];
    for (code, level, remedy, spoil) in cases {
        let mut host = good();
        spoil(&mut host);
        let spoken: Vec<Finding> = checks(&host).into_iter().filter(|found| found.level > Level::Ok).collect();
        let [found] = spoken.as_slice() else {
            panic!("{code}: {spoken:#?}");
        };
        assert_eq!((found.code, found.level), (code, level), "{found:?}");
        assert!(found.remedy.contains(remedy), "{found:?}");
    }
}

/// 28,232 ports and 60 s: about 470 new connections per second.
#[test]
fn the_rate_that_ports_sustain_is_said() {
    let found = ports(good().ports.as_ref().unwrap());
    assert!(found.meaning.contains("470 new ones per second"), "{found:?}");
}
