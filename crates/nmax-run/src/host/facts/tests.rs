use std::path::PathBuf;

use super::*;

/// A `/proc` and `/sys` of its own, gone at the end.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("nmax-host-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Self(root)
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

const LIMITS: &str = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max processes             96365                96365                processes \n\
                      Max open files            1024                 1048576              files     \n";

#[test]
fn facts_are_what_the_files_say() {
    let tree = Tree::new(
        "full",
        &[
            ("proc/self/limits", LIMITS),
            ("proc/sys/fs/file-nr", "592\t0\t2466193\n"),
            ("proc/sys/net/ipv4/ip_local_port_range", "10000\t65535\n"),
            ("proc/sys/net/ipv4/ip_local_reserved_ports", "\n"),
            ("proc/sys/net/ipv4/tcp_tw_reuse", "1\n"),
            ("proc/sys/net/ipv4/tcp_fin_timeout", "30\n"),
            ("proc/net/sockstat", "TCP: inuse 3 orphan 0 tw 42 alloc 4 mem 1\n"),
            ("proc/meminfo", "MemTotal: 2000 kB\nMemAvailable: 1000 kB\nSwapTotal: 500 kB\nSwapFree: 450 kB\n"),
            ("proc/self/status", "Name:\tnmax\nCpus_allowed_list:\t0-3,8\n"),
            ("proc/loadavg", "0.75 0.40 0.20 2/300 4711\n"),
            ("proc/self/cgroup", "0::/pod/box\n"),
            ("sys/fs/cgroup/pod/cpu.max", "150000 100000\n"),
            ("sys/fs/cgroup/pod/box/cpu.max", "max 100000\n"),
            ("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"),
            ("sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"),
            ("proc/self/timerslack_ns", "50000\n"),
        ],
    );
    let host = Host::read(&tree.0);
    let want = Host {
        files_soft: Some(1_024),
        files_hard: Some(1_048_576),
        files_system: Some((592, 2_466_193)),
        ports: Some(Range { first: 10_000, last: 65_535, reserved: Vec::new() }),
        reuse: Some(Reuse::Always),
        time_wait: Some(42),
        fin_timeout_s: Some(30),
        memory: Some(Memory { total_bytes: 2_000 << 10, available_bytes: 1_000 << 10 }),
        swap_used_bytes: Some(50 << 10),
        cpus: Some(5),
        load: Some(0.75),
        quota_cores: Some(1.5),
        governor: Some("powersave".into()),
        clock_source: Some("tsc".into()),
        clock_ns: None,
        wake: None,
        timer_slack_ns: Some(50_000),
    };
    assert_eq!(host, want);
    assert_eq!(host.cores(), Some(1.5));
}

/// Rival mistake: zero for what is not known, which then looks like a limit that is reached.
#[test]
fn what_is_not_there_is_unknown() {
    let tree = Tree::new("empty", &[("proc/self/limits", "Max open files unlimited unlimited files\n")]);
    assert_eq!(Host::read(&tree.0), Host::default());
    assert_eq!(super::super::checks(&Host::read(&tree.0)), []);
}

#[test]
fn nonsense_is_unknown_too() {
    for text in ["", "x", "5-", "9-3", "0-18446744073709551615", "-"] {
        assert_eq!(cpus(text), None, "{text}");
    }
    assert_eq!(open_files("Max open files"), (None, None));
    assert_eq!(system_files("1 2"), None);
}

#[test]
fn this_host_can_be_read() {
    let host = Host::here();
    assert!(host.clock_ns.is_some_and(|ns| ns > 0.0), "{host:?}");
}
